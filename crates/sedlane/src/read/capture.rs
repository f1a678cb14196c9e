//! The packets of a capture, pcap or pcapng, with nanosecond times.
//!
//! Spec      draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng
//! Deviates  names, statistics and other blocks are passed over; a simple packet block, which has no time, is refused

use hopwright_machine::Time;
use pcap_file::pcap::PcapParser;
use pcap_file::pcapng::blocks::interface_description::{InterfaceDescriptionBlock, InterfaceDescriptionOption};
use pcap_file::pcapng::{Block, PcapNgParser};
use pcap_file::{DataLink, PcapError, TsResolution};

use super::ReadError;

/// A frame as it was captured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'a> {
    /// Counted from 1.
    pub(crate) number: usize,
    pub(crate) at: Time,
    /// Where it was captured: its number in the capture.
    pub(crate) interface: u32,
    pub(crate) link: DataLink,
    /// Perhaps not all of it.
    pub(crate) bytes: &'a [u8],
    /// How long it was on the wire.
    pub(crate) length: usize,
}

/// Whether it begins as a capture does.
pub(crate) fn is_capture(content: &[u8]) -> bool {
    const STARTS: [[u8; 4]; 5] = [
        [0xa1, 0xb2, 0xc3, 0xd4],
        [0xd4, 0xc3, 0xb2, 0xa1],
        [0xa1, 0xb2, 0x3c, 0x4d],
        [0x4d, 0x3c, 0xb2, 0xa1],
        [0x0a, 0x0d, 0x0d, 0x0a],
    ];
    content.first_chunk().is_some_and(|start| STARTS.contains(start))
}

/// Calls `each` for every frame.
pub(crate) fn frames<'a>(
    content: &'a [u8],
    each: impl FnMut(Frame<'a>) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    if content.starts_with(&[0x0a, 0x0d, 0x0d, 0x0a]) { pcapng(content, each) } else { pcap(content, each) }
}

fn wrong(number: usize, error: &PcapError) -> ReadError {
    match error {
        PcapError::IncompleteBuffer => ReadError::packet(number, "the file ends within this packet: it was cut off"),
        other => ReadError::packet(number, format!("cannot be read: {other}")),
    }
}

fn pcap<'a>(content: &'a [u8], mut each: impl FnMut(Frame<'a>) -> Result<(), ReadError>) -> Result<(), ReadError> {
    let (mut rest, parser) = PcapParser::new(content).map_err(|_| ReadError::whole("ends within its header"))?;
    let header = parser.header();
    let mut number = 0;
    while !rest.is_empty() {
        number += 1;
        // Raw: the checked reader refuses what is longer than the snapshot length, which is what that is for.
        let (next, packet) = parser.next_raw_packet(rest).map_err(|error| wrong(number, &error))?;
        let unit = if header.ts_resolution == TsResolution::MicroSecond { 1000 } else { 1 };
        let nanos = u64::from(packet.ts_frac) * unit;
        if nanos >= 1_000_000_000 {
            return Err(ReadError::packet(number, "its time has more than a second after the point"));
        }
        if packet.orig_len < packet.incl_len {
            return Err(ReadError::packet(number, "more of it was captured than there was"));
        }
        let taken = (rest.len() - next.len()).min(rest.len());
        // The record's header has 16 bytes; borrowed anew, as the parser's packet may own its bytes.
        let bytes = rest.get(16..taken).unwrap_or_default();
        let at = Time::from_nanos(u64::from(packet.ts_sec) * 1_000_000_000 + nanos);
        each(Frame { number, at, interface: 0, link: header.datalink, bytes, length: packet.orig_len as usize })?;
        rest = next;
    }
    Ok(())
}

/// What is needed of an interface.
#[derive(Clone, Copy)]
struct Interface {
    link: DataLink,
    /// Whether its packets are the commands that a recording of an emulation has beside those of the network.
    is_control: bool,
    /// Units in a second.
    resolution: u64,
    offset_s: u64,
}

impl Interface {
    fn of(block: &InterfaceDescriptionBlock<'_>) -> Option<Self> {
        let mut interface = Self { link: block.linktype, is_control: false, resolution: 1_000_000, offset_s: 0 };
        for option in &block.options {
            match option {
                // The first bit says of which number the rest is the power.
                InterfaceDescriptionOption::IfTsResol(power) => {
                    let base: u64 = if power & 0x80 == 0 { 10 } else { 2 };
                    interface.resolution = base.checked_pow(u32::from(power & 0x7f))?;
                }
                InterfaceDescriptionOption::IfName(name) => {
                    interface.is_control = name == "control" && block.linktype == DataLink::USER0;
                }
                InterfaceDescriptionOption::IfTsOffset(offset) => interface.offset_s = *offset,
                _ => {}
            }
        }
        Some(interface)
    }

    /// The parser takes whatever unit for nanoseconds.
    fn time(&self, units: u128) -> Option<Time> {
        let nanos = units.checked_mul(1_000_000_000)? / u128::from(self.resolution);
        let nanos = nanos.checked_add(u128::from(self.offset_s) * 1_000_000_000)?;
        u64::try_from(nanos).ok().map(Time::from_nanos)
    }
}

fn pcapng<'a>(content: &'a [u8], mut each: impl FnMut(Frame<'a>) -> Result<(), ReadError>) -> Result<(), ReadError> {
    let (mut rest, mut parser) = PcapNgParser::new(content)
        .map_err(|error| ReadError::whole(format!("its first block cannot be read: {error}")))?;
    let mut number = 0;
    while !rest.is_empty() {
        let (next, block) = parser.next_block(rest).map_err(|error| wrong(number + 1, &error))?;
        rest = next;
        let packet = match block {
            Block::EnhancedPacket(packet) => packet,
            Block::SimplePacket(_) => return Err(ReadError::packet(number + 1, "has no time")),
            _ => continue,
        };
        number += 1;
        let interface = parser.interfaces().get(packet.interface_id as usize).and_then(Interface::of);
        let interface =
            interface.ok_or_else(|| ReadError::packet(number, "is of an interface that nothing tells of"))?;
        if interface.is_control {
            continue;
        }
        let units = packet.timestamp.as_nanos();
        let at = interface.time(units).ok_or_else(|| ReadError::packet(number, "its time is none"))?;
        let std::borrow::Cow::Borrowed(bytes) = packet.data else {
            return Err(ReadError::packet(number, "is not in the file"));
        };
        let length = packet.original_len as usize;
        each(Frame { number, at, interface: packet.interface_id, link: interface.link, bytes, length })?;
    }
    Ok(())
}
