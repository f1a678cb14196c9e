//! What came and went, and when: enough to do it all again.
//!
//! A capture for Wireshark, too: one interface for each attached program, on which it *sends* (outbound) and receives
//! (inbound) whole IP packets or Ethernet frames, and one more, `control`, whose packets are the commands as text. Times are simulated ones;
//! time zero of the run is the beginning of 1970. The last packet of `control` says that the run has ended.
//!
//! Spec      draft-ietf-opsawg-pcapng; link types 101 (IP), 1 (Ethernet) and 147 (the user's own)
//! Holds     what is read is what was kept, in its order

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read, Write};

use hopwright_machine::{NodeId, Time};
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{InterfaceDescriptionBlock, InterfaceDescriptionOption};
use pcap_file::pcapng::{Block, PcapNgBlock, PcapNgReader, PcapNgWriter};
use pcap_file::{DataLink, Endianness, PcapError};

use crate::attachment::{Layer, Place};
use crate::command::Command;
use crate::input::Input;

/// epb_flags: the direction.
const INBOUND: u32 = 1;
const OUTBOUND: u32 = 2;

/// The name of the interface for commands.
const CONTROL: &str = "control";

/// What says that the run has ended.
const END: &[u8] = br#"{"do":"stop"}"#;

/// One thing that came or went.
#[derive(Clone, Debug, PartialEq)]
pub enum Recorded {
    /// A program sent a packet.
    Sent {
        /// Which of the attached programs.
        port: usize,
        /// The packet, from its IP header on; or the frame, from its Ethernet header on.
        bytes: Vec<u8>,
    },
    /// A packet came for a program.
    Received {
        /// Which of the attached programs.
        port: usize,
        /// The packet, from its IP header on.
        bytes: Vec<u8>,
    },
    /// Somebody changed the network.
    Command(Command),
    /// The run has ended.
    End,
}

impl Recorded {
    /// What an input is called in a recording.
    #[must_use]
    pub fn of(input: &Input<'_>) -> Self {
        match *input {
            Input::Packet { port, bytes } => Self::Sent { port, bytes: bytes.to_vec() },
            Input::Command(command) => Self::Command(command.clone()),
        }
    }
}

/// A recording that is being written.
pub struct Recording {
    writer: PcapNgWriter<Box<dyn Write + Send>>,
    programs: usize,
    error: Option<io::Error>,
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording").field("error", &self.error).finish_non_exhaustive()
    }
}

impl Recording {
    /// Begins a recording of programs at these places.
    ///
    /// # Errors
    /// If its head cannot be written.
    pub fn new(out: Box<dyn Write + Send>, places: &[Place]) -> io::Result<Self> {
        let mut writer = PcapNgWriter::with_endianness(out, Endianness::Little).map_err(plain)?;
        let link = |layer| match layer {
            Layer::Ip => DataLink::RAW,
            Layer::Ethernet => DataLink::ETHERNET,
        };
        let programs = places.iter().map(|place| (format!("node-{}", place.node), link(place.layer)));
        for (name, link) in programs.chain([(CONTROL.to_owned(), DataLink::USER0)]) {
            let mut interface = InterfaceDescriptionBlock::new(link, 0);
            interface.options =
                vec![InterfaceDescriptionOption::IfName(name.into()), InterfaceDescriptionOption::IfTsResol(9)];
            writer.write_block(&interface.into_block()).map_err(plain)?;
        }
        Ok(Self { writer, programs: places.len(), error: None })
    }

    /// Keeps one thing. The first error is kept, and ends the recording.
    pub(crate) fn keep(&mut self, at: Time, what: &Recorded) {
        if self.error.is_some() {
            return;
        }
        let control = self.programs;
        let (interface, flags, bytes) = match what {
            Recorded::Sent { port, bytes } => (*port, OUTBOUND, Cow::Borrowed(&bytes[..])),
            Recorded::Received { port, bytes } => (*port, INBOUND, Cow::Borrowed(&bytes[..])),
            Recorded::Command(command) => {
                (control, INBOUND, serde_json::to_vec(command).expect("a command is text").into())
            }
            Recorded::End => (control, INBOUND, END.into()),
        };
        let block = EnhancedPacketBlock {
            interface_id: interface as u32,
            timestamp: std::time::Duration::from_nanos(at.as_nanos()),
            original_len: bytes.len() as u32,
            data: bytes,
            options: vec![EnhancedPacketOption::Flags(flags)],
        };
        self.error = self.writer.write_block(&block.into_block()).err().map(plain);
    }

    /// Ends the recording, at the end of the run.
    ///
    /// # Errors
    /// The first error there was.
    pub(crate) fn finish(mut self, end: Time) -> io::Result<()> {
        self.keep(end, &Recorded::End);
        self.error.map_or(Ok(()), Err)?;
        self.writer.into_inner().flush()
    }
}

/// A recording that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Where each program was.
    pub places: Vec<Place>,
    /// What came and went, and when, in order.
    pub entries: Vec<(Time, Recorded)>,
}

/// Reads a recording.
///
/// # Errors
/// If it cannot be read, is no recording, or is cut short.
pub fn read(from: impl Read) -> io::Result<Record> {
    let wrong = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    let cut_off = || wrong("is cut off: the end of the run is missing".to_owned());
    let unread = |error: io::Error| wrong(format!("cannot be read: {error}"));
    let mut reader = PcapNgReader::new(from).map_err(|error| match plain(error) {
        error if matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof) => {
            wrong("is not a recording of an emulation: it is not a pcapng file".to_owned())
        }
        error => unread(error),
    })?;
    let (mut places, mut entries, mut is_over) = (Vec::new(), Vec::new(), false);
    let mut has_control = false;
    while let Some(block) = reader.next_block() {
        let block = block.map_err(|error| match plain(error) {
            error if error.kind() == io::ErrorKind::UnexpectedEof => cut_off(),
            error => unread(error),
        })?;
        match block {
            Block::InterfaceDescription(interface) => {
                let name = interface.options.iter().find_map(|option| match option {
                    InterfaceDescriptionOption::IfName(name) => Some(name.to_string()),
                    _ => None,
                });
                let name = name.unwrap_or_default();
                let layer = match interface.linktype {
                    DataLink::RAW => Some(Layer::Ip),
                    DataLink::ETHERNET => Some(Layer::Ethernet),
                    _ => None,
                };
                match (name.strip_prefix("node-").and_then(|number| number.parse().ok()), layer) {
                    (Some(number), Some(layer)) if !has_control => places.push(Place { node: NodeId(number), layer }),
                    _ if name == CONTROL && !has_control => has_control = true,
                    _ => {
                        return Err(wrong(format!("has an interface '{name}': it is not a recording of an emulation")));
                    }
                }
            }
            Block::EnhancedPacket(packet) => {
                let number = entries.len() + 1;
                let at = Time::from_nanos(u64::try_from(packet.timestamp.as_nanos()).unwrap_or(u64::MAX));
                let what =
                    of_packet(&packet, places.len()).map_err(|what| wrong(format!("packet {number}: {what}")))?;
                if entries.last().is_some_and(|(before, _): &(Time, _)| *before > at) {
                    return Err(wrong(format!("packet {number}: its time is before the time of the previous packet")));
                }
                is_over = what == Recorded::End;
                entries.push((at, what));
            }
            _ => {}
        }
    }
    if !has_control {
        return Err(wrong("is not a recording of an emulation: it has no interface 'control'".to_owned()));
    }
    if !is_over {
        return Err(cut_off());
    }
    Ok(Record { places, entries })
}

fn of_packet(packet: &EnhancedPacketBlock<'_>, programs: usize) -> Result<Recorded, String> {
    let (port, bytes) = (packet.interface_id as usize, packet.data.to_vec());
    if bytes.len() != packet.original_len as usize {
        return Err("is not complete".to_owned());
    }
    if port == programs {
        return match &bytes[..] {
            END => Ok(Recorded::End),
            text => serde_json::from_slice(text).map(Recorded::Command).map_err(|error| error.to_string()),
        };
    }
    let outbound = packet
        .options
        .iter()
        .any(|option| matches!(option, EnhancedPacketOption::Flags(flags) if flags & 3 == OUTBOUND));
    Ok(if outbound { Recorded::Sent { port, bytes } } else { Recorded::Received { port, bytes } })
}

fn plain(error: PcapError) -> io::Error {
    match error {
        PcapError::IoError(error) => error,
        other => io::Error::new(io::ErrorKind::InvalidData, other),
    }
}
