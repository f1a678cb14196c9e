//! What left, in the words of scripts.

use core::fmt;

use hopwright_transport::Output;
use hopwright_wire::ip::Ecn;
use hopwright_wire::tcp::{Flags, HEADER_BYTES, Segment, Seq};

use crate::script::{Detail, Expected, Leaves};
use crate::subject::{ISS, PEER_ISS};

/// The kind of an output, and its numbers.
pub(crate) fn kind(output: &Output) -> Leaves {
    match *output {
        Output::Segment(ref segment) => kind_of(segment),
        Output::Established => Leaves::Established,
        Output::Readable(bytes) => Leaves::Readable(bytes),
        Output::PeerClosed => Leaves::PeerClosed,
        Output::Closed => Leaves::Closed,
        Output::Reset => Leaves::Reset,
        Output::TimedOut => Leaves::TimedOut,
    }
}

fn kind_of(segment: &Segment) -> Leaves {
    let start = place(segment);
    let flags = segment.flags;
    let fin = flags.has(Flags::FIN);
    if flags.has(Flags::RST) {
        Leaves::Rst
    } else if flags.has(Flags::SYN.with(Flags::ACK)) {
        Leaves::SynAck
    } else if flags.has(Flags::SYN) {
        Leaves::Syn { options: segment.bytes() > HEADER_BYTES }
    } else if segment.payload_bytes > 0 {
        Leaves::Data { start, end: start.wrapping_add(segment.payload_bytes), fin }
    } else if fin {
        Leaves::Fin(start)
    } else {
        Leaves::Ack(theirs(segment.ack))
    }
}

/// Whether an output is of the kind that a script asks for.
pub(crate) fn is_kind(output: &Output, wanted: Leaves) -> bool {
    let found = kind(output);
    let Leaves::Probe(at) = wanted else { return found == wanted };
    let is_byte = found == Leaves::Data { start: at, end: at.wrapping_add(1), fin: false };
    let is_empty = |s: &Segment| s.is_pure_ack() && place(s) == at.wrapping_sub(1);
    is_byte || matches!(output, Output::Segment(segment) if is_empty(segment))
}

/// A detail of what left, in the form in which scripts write it; `none` if it has none.
pub(crate) fn detail(output: &Output, detail: Detail) -> String {
    let Output::Segment(segment) = output else { return "none".into() };
    let options = &segment.options;
    let yes = |is_so: bool| if is_so { "yes" } else { "none" }.into();
    let text = |value: Option<u32>| value.map_or("none".into(), |value| value.to_string());
    match detail {
        Detail::Seq => (place(segment) as i32).to_string(),
        Detail::Window => segment.window.to_string(),
        Detail::Stamp => text(options.timestamps.map(|(value, _)| value)),
        Detail::Echo => text(options.timestamps.map(|(_, echo)| echo)),
        Detail::Mss => text(options.mss.map(u32::from)),
        Detail::Scale => text(options.window_scale.map(u32::from)),
        Detail::Poll if options.extra.is_poll() => "asked".into(),
        Detail::Poll => "none".into(),
        Detail::Period => text(options.extra.ack_period_us()),
        Detail::DuplicateNumber => text(options.extra.duplicate_number().map(u32::from)),
        Detail::PacketNumber => text(options.extra.packet_number().map(u32::from)),
        Detail::OutOfOrder => yes(options.extra.is_out_of_order()),
        Detail::LossNotice => yes(options.extra.is_loss_notice()),
        Detail::Capable => yes(matches!(segment.ecn, Ecn::Capable0 | Ecn::Capable1)),
        Detail::Congestion => yes(segment.flags.has(Flags::ECE)),
        Detail::Reduced => yes(segment.flags.has(Flags::CWR)),
        Detail::Sack if options.sack.is_empty() => "none".into(),
        Detail::Sack => {
            let block = |(start, end): &(Seq, Seq)| format!("{}:{}", theirs(*start), theirs(*end));
            options.sack.as_slice().iter().map(block).collect::<Vec<_>>().join(",")
        }
    }
}

/// An output with all it carries, for failures.
pub(crate) fn whole(output: &Output) -> String {
    let mut text = kind(output).to_string();
    if matches!(output, Output::Segment(_)) {
        for (word, name) in DETAILS {
            let value = detail(output, name);
            if value != "none" {
                text += &format!(" {word} {value}");
            }
        }
    }
    text
}

const DETAILS: [(&str, Detail); 16] = [
    ("seq", Detail::Seq),
    ("win", Detail::Window),
    ("ts", Detail::Stamp),
    ("ecr", Detail::Echo),
    ("sack", Detail::Sack),
    ("mss", Detail::Mss),
    ("scale", Detail::Scale),
    ("poll", Detail::Poll),
    ("period", Detail::Period),
    ("adsn", Detail::DuplicateNumber),
    ("tpsn", Detail::PacketNumber),
    ("ooo", Detail::OutOfOrder),
    ("eln", Detail::LossNotice),
    ("ect", Detail::Capable),
    ("ece", Detail::Congestion),
    ("cwr", Detail::Reduced),
];

/// The place of a segment in the subject's data.
fn place(segment: &Segment) -> u32 {
    segment.seq.0.wrapping_sub(ISS.0.wrapping_add(1))
}

/// The place in the peer's data that a number names.
const fn theirs(seq: Seq) -> u32 {
    seq.0.wrapping_sub(PEER_ISS.0 + 1)
}

impl fmt::Display for Leaves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Data { start, end, fin } => write!(f, "{start}:{end}{}", if fin { "+fin" } else { "" }),
            Self::Fin(at) => write!(f, "fin {at}"),
            Self::Ack(number) => write!(f, "ack {number}"),
            Self::Syn { options } => f.write_str(if options { "syn+options" } else { "syn" }),
            Self::SynAck => f.write_str("syn-ack"),
            Self::Rst => f.write_str("rst"),
            Self::Probe(at) => write!(f, "probe {at}"),
            Self::Established => f.write_str("established"),
            Self::Readable(bytes) => write!(f, "readable {bytes}"),
            Self::PeerClosed => f.write_str("peer-closed"),
            Self::Closed => f.write_str("closed"),
            Self::Reset => f.write_str("reset"),
            Self::TimedOut => f.write_str("timed-out"),
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.what.fmt(f)?;
        for (name, value) in &self.details {
            let word = DETAILS.iter().find(|(_, detail)| detail == name).map_or("", |(word, _)| word);
            write!(f, " {word} {value}")?;
        }
        Ok(())
    }
}
