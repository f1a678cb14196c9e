//! `events.parquet`: a row for each event.
//!
//! Spec      Apache Parquet format 2.x: the columns of `COLUMNS`

use std::io::{self, Write};

use hopwright_machine::NodeId;

use super::reasons;
use super::row::Row;
use crate::rows::{Cell, Column, Has, RowFile, Shape, Table};

/// Cheap to write: there may be many rows. Readers choose them by number, time and flow.
const EVENTS: Table = Table { name: "events", group: 1 << 14, level: 1, ranges: &["id", "time_s", "flow"] };

const COLUMNS: [Column; 23] = [
    ("id", "number of the event", Shape::Growing, Has::Always),
    ("time_s", "s since the start of the run", Shape::Real, Has::Always),
    ("kind", "what happened", Shape::Word, Has::Sometimes),
    ("node", "the node where it happened", Shape::Plain, Has::Sometimes),
    ("peer", "the other node", Shape::Plain, Has::Sometimes),
    ("flow", "number of the flow", Shape::Plain, Has::Sometimes),
    ("packet", "name of the packet", Shape::Growing, Has::Sometimes),
    (
        "first_byte",
        "position in the flow's stream, from 1: the first byte of a segment, or the byte that an acknowledgement asks \
         for",
        Shape::Growing,
        Has::Sometimes,
    ),
    ("bytes", "bytes of data in the segment", Shape::Plain, Has::Sometimes),
    ("carries", "the kind of the packet", Shape::Word, Has::Sometimes),
    ("tries", "number of this try, or number of all tries", Shape::Plain, Has::Sometimes),
    ("frame", "the frame of the exchange that was lost", Shape::Word, Has::Sometimes),
    ("cause", "why it happened", Shape::Word, Has::Sometimes),
    ("loss", "the loss cause of a packet", Shape::Word, Has::Sometimes),
    ("because", "id of the event that led to this one", Shape::Growing, Has::Sometimes),
    ("by_node", "the node that sent the frame that was in the way", Shape::Plain, Has::Sometimes),
    ("by_frame", "the kind of that frame", Shape::Word, Has::Sometimes),
    ("by_time_s", "s; when that frame left", Shape::Real, Has::Sometimes),
    ("by_packet", "the packet that that frame was about", Shape::Growing, Has::Sometimes),
    ("relation", "why the sender did not wait for that frame", Shape::Word, Has::Sometimes),
    ("window_before_segments", "segments", Shape::Real, Has::Sometimes),
    ("window_after_segments", "segments", Shape::Real, Has::Sometimes),
    ("diagnosis", "the cause that the sender assumed", Shape::Word, Has::Sometimes),
];

/// The column that is there where some flow has triggers.
const DETAIL: Column = ("detail", "what a trigger saw and set", Shape::Word, Has::Sometimes);

/// The column that is there where bundles carry some flow.
const BUNDLE: Column = ("bundle", "number of the bundle in its flow, from 0", Shape::Plain, Has::Sometimes);

/// The columns that are there where programs are attached.
const FOREIGN: [Column; 8] = [
    (
        "protocol",
        "IP's number of the protocol of a program's packet: 1 ICMP, 6 TCP, 17 UDP",
        Shape::Plain,
        Has::Sometimes,
    ),
    ("source", "the node that sent a program's packet", Shape::Plain, Has::Sometimes),
    ("destination", "the node to which a program's packet goes", Shape::Plain, Has::Sometimes),
    ("source_port", "of TCP and UDP", Shape::Plain, Has::Sometimes),
    ("destination_port", "of TCP and UDP", Shape::Plain, Has::Sometimes),
    ("icmp_id", "identifier of an echo request or answer", Shape::Plain, Has::Sometimes),
    ("tcp_seq", "sequence number of a TCP segment", Shape::Growing, Has::Sometimes),
    (
        "tcp_flags",
        "flags of a TCP segment: 1 FIN, 2 SYN, 4 RST, 8 PSH, 16 ACK, 32 URG, 64 ECE, 128 CWR",
        Shape::Plain,
        Has::Sometimes,
    ),
];

/// Which columns a file has beside those that all have.
#[derive(Clone, Copy, Debug)]
pub(super) struct More {
    pub(super) details: bool,
    pub(super) bundles: bool,
    pub(super) programs: bool,
}

/// The file on its way.
#[derive(Debug)]
pub(super) struct File<W: Write + Send> {
    rows: RowFile<W>,
    more: More,
}

impl<W: Write + Send> File<W> {
    /// Begins a file that says this about itself.
    pub(super) fn new(out: W, about: &[(&'static str, String)], more: More) -> io::Result<Self> {
        let foreign = FOREIGN.into_iter().filter(|_| more.programs);
        let optional = more.details.then_some(DETAIL).into_iter().chain(more.bundles.then_some(BUNDLE));
        let columns = COLUMNS.into_iter().chain(optional).chain(foreign);
        Ok(Self { rows: RowFile::new(out, EVENTS, columns, about)?, more })
    }

    pub(super) fn push(&mut self, row: &Row) {
        debug_assert!(reasons::is_known(row.kind, row.cause), "nothing is said of '{:?}' of a {}", row.cause, row.kind);
        let by = row.by.as_deref();
        let detail = self.more.details.then(|| Cell::text(row.detail.as_deref()));
        let bundle = self.more.bundles.then(|| Cell::whole(row.bundle));
        let foreign = self.more.programs.then(|| foreign(row)).into_iter().flatten();
        let usual = [
            Cell::Whole(row.id),
            Cell::Real(row.at.as_secs_f64()),
            Cell::Word(row.kind),
            number(row.node),
            row.peer.map_or(Cell::None, number),
            row.flow.map_or(Cell::None, |flow| Cell::Whole(flow as i64)),
            row.packet.map_or(Cell::None, |packet| Cell::Whole(packet.0.cast_signed())),
            Cell::whole(row.first_byte.map(u64::cast_signed)),
            Cell::whole(row.bytes),
            Cell::word(row.carries),
            Cell::whole(row.tries),
            Cell::word(row.frame),
            Cell::word(row.cause),
            Cell::word(row.loss),
            Cell::whole(row.because),
            by.map_or(Cell::None, |by| number(by.node)),
            Cell::word(by.map(|by| by.frame)),
            Cell::real(by.map(|by| by.at.as_secs_f64())),
            by.and_then(|by| by.packet).map_or(Cell::None, |packet| Cell::Whole(packet.0.cast_signed())),
            Cell::word(by.map(|by| by.relation)),
            Cell::real(row.window.as_ref().map(|window| window.0)),
            Cell::real(row.window.as_ref().map(|window| window.1)),
            Cell::word(row.diagnosis),
        ];
        self.rows.push(usual.into_iter().chain(detail).chain(bundle).chain(foreign));
    }

    /// Says something about the file that is known only in the end.
    pub(super) fn say(&mut self, key: &'static str, text: String) {
        self.rows.say(key, text);
    }

    pub(super) fn finish(self) -> io::Result<()> {
        self.rows.finish()
    }
}

/// What a program's packet is, as `FOREIGN` has it.
fn foreign(row: &Row) -> [Cell<'static>; 8] {
    let Some(foreign) = row.foreign.as_deref() else { return [Cell::None; 8] };
    [
        Cell::Whole(foreign.protocol.into()),
        foreign.source.map_or(Cell::None, number),
        foreign.destination.map_or(Cell::None, number),
        Cell::whole(foreign.ports.map(|(source, _)| source)),
        Cell::whole(foreign.ports.map(|(_, destination)| destination)),
        Cell::whole(foreign.icmp_id),
        Cell::whole(foreign.tcp.map(|(seq, _)| seq)),
        Cell::whole(foreign.tcp.map(|(_, flags)| flags)),
    ]
}

fn number(node: NodeId) -> Cell<'static> {
    Cell::Whole(node.0.into())
}
