//! Captures for Wireshark: what a monitor interface at one node would record.
//!
//! The frames the node sends, and every frame it decodes, for whomever it is. Frames are stamped with the time of
//! their last bit, sent ones too: drivers stamp what they receive when it is complete, and learn of what they send
//! when it is gone. Time zero of the run is the beginning of 1970. A frame's direction is in its flags; the comment
//! of a data frame names its packet by the node that made it and that node's count.
//!
//! Spec      draft-ietf-opsawg-pcapng (blocks, options if_name, if_tsresol, epb_flags, opt_comment); link type 127
//! Deviates  payload bytes are zero: nothing but their number is simulated
//! Holds     times never go back within a file

use std::borrow::Cow;
use std::io::{self, Write};

use hopwright_link::{Frame, FrameKind, Framing};
use hopwright_machine::{NodeId, Time};
use hopwright_sim::{Event, Setup};
use hopwright_wire::Packet;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{InterfaceDescriptionBlock, InterfaceDescriptionOption};
use pcap_file::pcapng::{PcapNgBlock, PcapNgWriter};
use pcap_file::{DataLink, Endianness, PcapError};

use crate::dot11::{self, Air};

/// epb_flags: the direction.
const INBOUND: u32 = 1;
const OUTBOUND: u32 = 2;

/// The capture of one node.
pub struct Capture<W: Write> {
    writer: PcapNgWriter<W>,
    data_rate_bps: u64,
    basic_rate_bps: u64,
    frequency_hz: f64,
    is_ofdm: bool,
    bytes: Vec<u8>,
    error: Option<io::Error>,
}

impl<W: Write> std::fmt::Debug for Capture<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Capture").field("error", &self.error).finish_non_exhaustive()
    }
}

impl<W: Write> Capture<W> {
    /// Begins the capture of `node`.
    ///
    /// # Errors
    /// If the head of the file cannot be written.
    pub fn new(out: W, setup: &Setup, node: NodeId) -> io::Result<Self> {
        let mut writer = PcapNgWriter::with_endianness(out, Endianness::Little).map_err(plain)?;
        let mut interface = InterfaceDescriptionBlock::new(DataLink::IEEE802_11_RADIOTAP, 0);
        interface.options = vec![
            InterfaceDescriptionOption::IfName(format!("node-{node}").into()),
            InterfaceDescriptionOption::IfTsResol(9), // nanoseconds
        ];
        writer.write_block(&interface.into_block()).map_err(plain)?;
        Ok(Self {
            writer,
            data_rate_bps: setup.mac.data_rate_bps,
            basic_rate_bps: setup.mac.basic_rate_bps,
            frequency_hz: setup.radio.frequency_hz,
            is_ofdm: matches!(setup.mac.framing, Framing::Symbols { .. }),
            bytes: Vec::new(),
            error: None,
        })
    }

    /// Something has happened at the node.
    pub fn event(&mut self, at: Time, event: Event<'_>) {
        let (frame, time, power_mw) = match event {
            Event::Transmitted(frame) => (frame, at + frame.air_time, None),
            Event::Received { frame, power_mw, .. } => (frame, at, Some(power_mw)),
            _ => return,
        };
        if self.error.is_none() {
            self.error = self.write(frame, time, power_mw).err();
        }
    }

    fn write(&mut self, frame: &Frame<Packet>, time: Time, power_mw: Option<f64>) -> io::Result<()> {
        let unicast_data = frame.kind == FrameKind::Data && frame.to.is_some();
        let rate_bps = if unicast_data { self.data_rate_bps } else { self.basic_rate_bps };
        self.bytes.clear();
        dot11::radiotap(
            Air { rate_bps, frequency_hz: self.frequency_hz, is_ofdm: self.is_ofdm, power_mw },
            &mut self.bytes,
        );
        dot11::frame(frame, &mut self.bytes);
        let direction = if power_mw.is_some() { INBOUND } else { OUTBOUND };
        let mut options = vec![EnhancedPacketOption::Flags(direction)];
        if let Some(packet) = &frame.payload {
            let (node, count) = (packet.id.0 >> 40, packet.id.0 & ((1 << 40) - 1));
            options.insert(0, EnhancedPacketOption::Comment(format!("packet {node}:{count}").into()));
        }
        let block = EnhancedPacketBlock {
            interface_id: 0,
            timestamp: std::time::Duration::from_nanos(time.as_nanos()),
            original_len: self.bytes.len() as u32,
            data: Cow::Borrowed(&self.bytes),
            options,
        };
        self.writer.write_block(&block.into_block()).map(drop).map_err(plain)
    }

    /// Ends the capture.
    ///
    /// # Errors
    /// The first error there was.
    pub fn finish(self) -> io::Result<W> {
        let mut out = self.writer.into_inner();
        self.error.map_or(Ok(()), Err)?;
        out.flush()?;
        Ok(out)
    }
}

fn plain(error: PcapError) -> io::Error {
    match error {
        PcapError::IoError(error) => error,
        other => io::Error::other(other),
    }
}
