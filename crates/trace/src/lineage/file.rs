//! `events.parquet`: a row for each event.
//!
//! Spec      Apache Parquet format 2.x: the columns of `COLUMNS`
//! Holds     memory does not grow with the run: rows wait for a bounded time

use std::io::{self, Write};
use std::sync::Arc;

use hopwright_machine::NodeId;
use parquet::basic::{Encoding, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::EnabledStatistics;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type};

use super::reasons;
use super::row::Row;
use crate::columns::{self, Chunk, Words, plain};

/// Rows that wait to be written together.
const GROUP: usize = 1 << 14;

/// Where a column's values are in a `Table`.
#[derive(Clone, Copy)]
enum Values {
    Id,
    Time,
    Long(usize),
    Number(usize),
    Real(usize),
    Word(usize),
    Detail,
}

/// Name, unit or meaning, and values of each column. `Table::push` fills them.
const COLUMNS: [(&str, &str, Values); 23] = [
    ("id", "number of the event", Values::Id),
    ("time_s", "s since the start of the run", Values::Time),
    ("kind", "what happened", Values::Word(0)),
    ("node", "where", Values::Number(0)),
    ("peer", "the other node", Values::Number(1)),
    ("flow", "its number", Values::Number(2)),
    ("packet", "its name", Values::Long(0)),
    (
        "first_byte",
        "position in the flow's stream, whose first byte is 1: of a segment, or what an acknowledgement asks for",
        Values::Long(1),
    ),
    ("bytes", "bytes of data in the segment", Values::Number(3)),
    ("carries", "what the packet is", Values::Word(1)),
    ("tries", "which try this is, or how many there were", Values::Number(4)),
    ("frame", "the frame of the exchange that was lost", Values::Word(2)),
    ("cause", "why", Values::Word(3)),
    ("loss", "what a packet was lost to", Values::Word(4)),
    ("because", "id of the event that led to this one", Values::Long(2)),
    ("by_node", "who sent the frame that stood in the way", Values::Number(5)),
    ("by_frame", "what it was", Values::Word(5)),
    ("by_time_s", "s; when it left", Values::Real(0)),
    ("by_packet", "the packet that it was about", Values::Long(3)),
    ("relation", "why the sender did not wait for that frame", Values::Word(6)),
    ("window_before_segments", "segments", Values::Real(1)),
    ("window_after_segments", "segments", Values::Real(2)),
    ("diagnosis", "what the sender took it for", Values::Word(7)),
];

/// The column that is there where some flow has triggers.
const DETAIL: (&str, &str, Values) = ("detail", "what a trigger saw and set", Values::Detail);

/// The column that is there where bundles carry some flow.
const BUNDLE: (&str, &str, Values) = ("bundle", "its place among those of the flow, from 0", Values::Number(6));

/// The columns that are there where programs are attached.
const FOREIGN: [(&str, &str, Values); 8] = [
    ("protocol", "what IP calls the protocol of a program's packet: 1 ICMP, 6 TCP, 17 UDP", Values::Number(7)),
    ("source", "the node that sent a program's packet", Values::Number(8)),
    ("destination", "the node that it is for", Values::Number(9)),
    ("source_port", "of TCP and UDP", Values::Number(10)),
    ("destination_port", "of TCP and UDP", Values::Number(11)),
    ("icmp_id", "identifier of an echo request or answer", Values::Number(12)),
    ("tcp_seq", "sequence number of a TCP segment", Values::Long(4)),
    ("tcp_flags", "its flags: 1 FIN, 2 SYN, 4 RST, 8 PSH, 16 ACK, 32 URG, 64 ECE, 128 CWR", Values::Number(13)),
];

/// Which columns a file has beside those that all have.
#[derive(Clone, Copy, Debug)]
pub(super) struct More {
    pub(super) details: bool,
    pub(super) bundles: bool,
    pub(super) programs: bool,
}

/// The columns of a file.
fn columns_of(more: More) -> impl Iterator<Item = (&'static str, &'static str, Values)> {
    let foreign = FOREIGN.into_iter().filter(move |_| more.programs);
    COLUMNS.into_iter().chain(more.details.then_some(DETAIL)).chain(more.bundles.then_some(BUNDLE)).chain(foreign)
}

/// A column that has values in some rows.
#[derive(Debug)]
struct Sparse<T> {
    values: Vec<T>,
    /// Per row, as far as anything is known: whether there is a value.
    levels: Vec<i16>,
}

impl<T> Default for Sparse<T> {
    fn default() -> Self {
        Self { values: Vec::new(), levels: Vec::new() }
    }
}

impl<T> Sparse<T> {
    fn set(&mut self, row: usize, value: Option<T>) {
        if let Some(value) = value {
            self.levels.resize(row, 0);
            self.levels.push(1);
            self.values.push(value);
        }
    }

    /// Writes the column of so many rows, and is empty again.
    fn write<D: DataType<T = T>, W: Write + Send>(
        &mut self,
        rows: usize,
        chunk: &mut Chunk<'_, W>,
    ) -> Result<(), ParquetError> {
        self.levels.resize(rows, 0);
        chunk.sparse::<D>(&self.values, &self.levels)?;
        self.values.clear();
        self.levels.clear();
        Ok(())
    }
}

/// Rows that wait, by column: what a row does not have costs nothing.
#[derive(Debug, Default)]
struct Table {
    ids: Vec<i64>,
    times: Vec<f64>,
    longs: [Sparse<i64>; 5],
    numbers: [Sparse<i32>; 14],
    reals: [Sparse<f64>; 3],
    words: [Sparse<ByteArray>; 8],
    details: Sparse<ByteArray>,
}

impl Table {
    fn push(&mut self, row: &Row, words: &mut Words) {
        let at = self.ids.len();
        self.ids.push(row.id);
        self.times.push(row.at.as_secs_f64());
        let node = |node: NodeId| node.0.cast_signed();
        let by = row.by.as_deref();
        let foreign = row.foreign.as_deref();
        let ports = foreign.and_then(|foreign| foreign.ports);
        let tcp = foreign.and_then(|foreign| foreign.tcp);
        let longs = [
            row.packet.map(|packet| packet.0.cast_signed()),
            row.first_byte.map(u64::cast_signed),
            row.because,
            by.and_then(|by| by.packet).map(|packet| packet.0.cast_signed()),
            tcp.map(|(seq, _)| i64::from(seq)),
        ];
        let numbers = [
            Some(node(row.node)),
            row.peer.map(node),
            row.flow.map(|flow| flow as i32),
            row.bytes.map(u32::cast_signed),
            row.tries.map(u32::cast_signed),
            by.map(|by| node(by.node)),
            row.bundle.map(u32::cast_signed),
            foreign.map(|foreign| i32::from(foreign.protocol)),
            foreign.and_then(|foreign| foreign.source).map(node),
            foreign.and_then(|foreign| foreign.destination).map(node),
            ports.map(|(source, _)| i32::from(source)),
            ports.map(|(_, destination)| i32::from(destination)),
            foreign.and_then(|foreign| foreign.icmp_id).map(i32::from),
            tcp.map(|(_, flags)| i32::from(flags)),
        ];
        let reals = [
            by.map(|by| by.at.as_secs_f64()),
            row.window.as_ref().map(|window| window.0),
            row.window.as_ref().map(|window| window.1),
        ];
        let said = [
            Some(row.kind),
            row.carries,
            row.frame,
            row.cause,
            row.loss,
            by.map(|by| by.frame),
            by.map(|by| by.relation),
            row.diagnosis,
        ];
        self.longs.iter_mut().zip(longs).for_each(|(column, value)| column.set(at, value));
        self.numbers.iter_mut().zip(numbers).for_each(|(column, value)| column.set(at, value));
        self.reals.iter_mut().zip(reals).for_each(|(column, value)| column.set(at, value));
        let said = said.map(|word| word.map(|word| words.bytes(word)));
        self.words.iter_mut().zip(said).for_each(|(column, value)| column.set(at, value));
        self.details.set(at, row.detail.as_deref().map(ByteArray::from));
    }

    fn write<W: Write + Send>(&mut self, chunk: &mut Chunk<'_, W>, more: More) -> Result<(), ParquetError> {
        let rows = self.ids.len();
        for (_, _, values) in columns_of(more) {
            match values {
                Values::Id => chunk.dense::<Int64Type>(&self.ids)?,
                Values::Time => chunk.dense::<DoubleType>(&self.times)?,
                Values::Long(n) => self.longs[n].write::<Int64Type, W>(rows, chunk)?,
                Values::Number(n) => self.numbers[n].write::<Int32Type, W>(rows, chunk)?,
                Values::Real(n) => self.reals[n].write::<DoubleType, W>(rows, chunk)?,
                Values::Word(n) => self.words[n].write::<ByteArrayType, W>(rows, chunk)?,
                Values::Detail => self.details.write::<ByteArrayType, W>(rows, chunk)?,
            }
        }
        self.ids.clear();
        self.times.clear();
        Ok(())
    }
}

/// The file on its way.
pub(super) struct File<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    words: Words,
    table: Table,
    more: More,
    error: Option<io::Error>,
}

impl<W: Write + Send> std::fmt::Debug for File<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("File").field("error", &self.error).finish_non_exhaustive()
    }
}

impl<W: Write + Send> File<W> {
    /// Begins a file that says this about itself.
    pub(super) fn new(out: W, about: &[(&'static str, String)], more: More) -> io::Result<Self> {
        let writer = open(out, about, more).map_err(plain)?;
        Ok(Self { writer, words: Words::default(), table: Table::default(), more, error: None })
    }

    pub(super) fn push(&mut self, row: &Row) {
        debug_assert!(reasons::is_known(row.kind, row.cause), "nothing is said of '{:?}' of a {}", row.cause, row.kind);
        if self.error.is_some() {
            return;
        }
        self.table.push(row, &mut self.words);
        if self.table.ids.len() >= GROUP {
            self.error = self.write_group().err().map(plain);
        }
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        if !self.table.ids.is_empty() && self.error.is_none() {
            self.write_group().map_err(plain)?;
        }
        self.error.map_or(Ok(()), Err)?;
        self.writer.finish().map_err(plain)?;
        self.writer.flush()?;
        self.writer.inner_mut().flush()
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut chunk = Chunk::new(self.writer.next_row_group()?);
        self.table.write(&mut chunk, self.more)?;
        chunk.close()
    }
}

fn open<W: Write + Send>(
    out: W,
    about: &[(&'static str, String)],
    more: More,
) -> Result<SerializedFileWriter<W>, ParquetError> {
    let units = columns_of(more).map(|(name, unit, _)| format!("{name}: {unit}"));
    let mut properties = columns::properties(about, units.collect());
    let mut fields = Vec::new();
    for (name, _, values) in columns_of(more) {
        let path = ColumnPath::from(name);
        let (physical, repetition) = match values {
            Values::Id => (Physical::INT64, Repetition::REQUIRED),
            Values::Time => (Physical::DOUBLE, Repetition::REQUIRED),
            Values::Long(_) => (Physical::INT64, Repetition::OPTIONAL),
            Values::Number(_) => (Physical::INT32, Repetition::OPTIONAL),
            Values::Real(_) => (Physical::DOUBLE, Repetition::OPTIONAL),
            Values::Word(_) | Values::Detail => (Physical::BYTE_ARRAY, Repetition::OPTIONAL),
        };
        properties = match values {
            Values::Id | Values::Long(_) => properties.set_column_encoding(path.clone(), Encoding::DELTA_BINARY_PACKED),
            Values::Number(_) => properties, // small: the compressor sees it
            // Times grow: their first bytes repeat, their last ones are anything.
            Values::Time | Values::Real(_) => properties.set_column_encoding(path.clone(), Encoding::BYTE_STREAM_SPLIT),
            Values::Word(_) | Values::Detail => properties.set_column_dictionary_enabled(path.clone(), true),
        };
        // What readers choose row groups by.
        if matches!(name, "id" | "time_s" | "flow") {
            properties = properties.set_column_statistics_enabled(path, EnabledStatistics::Chunk);
        }
        let text = Some(LogicalType::String).filter(|_| matches!(values, Values::Word(_) | Values::Detail));
        let field = Type::primitive_type_builder(name, physical).with_repetition(repetition).with_logical_type(text);
        fields.push(Arc::new(field.build()?));
    }
    let schema = Type::group_type_builder("events").with_fields(fields).build()?;
    SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties.build()))
}
