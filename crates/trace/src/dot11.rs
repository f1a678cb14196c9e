//! The bytes of a frame as a monitor interface sees them: radiotap, 802.11, LLC/SNAP, packet, FCS.
//!
//! Spec      IEEE 802.11-1999 §7.1, §7.2 (frame formats, CRC-32); RFC 1042 (SNAP); radiotap.org (fields Flags, Rate,
//!           Channel, Antenna signal)
//! Deviates  lengths are always the standard's, also where the simulation counts other header bytes
//!           (`mac.header_bytes`: ns-2 has 34 where the standard has 36); so are AODV messages, which ns-2 counts
//!           without UDP
//! Holds     the last four bytes are the CRC of the 802.11 part before them

use hopwright_link::{Frame, FrameKind};
use hopwright_machine::NodeId;
use hopwright_wire::arp::MacAddress;
use hopwright_wire::{Packet, Payload};

/// The group address of all stations.
const BROADCAST: [u8; 6] = [0xff; 6];
/// The IBSS that all nodes belong to: locally administered, and no node's address.
const BSSID: [u8; 6] = [0x02, 0x01, 0, 0, 0, 0];

/// Radiotap: fields Flags, Rate and Channel are there; dBm Antenna Signal is.
const PRESENT: u32 = 0b1110;
const PRESENT_SIGNAL: u32 = 1 << 5;
/// Radiotap flags: the frame ends with its FCS.
const FLAG_FCS: u8 = 0x10;
/// Radiotap channel flags: CCK, which 802.11's DSSS rates are filed under; OFDM; the bands.
const CHANNEL_CCK: u16 = 0x0020;
const CHANNEL_OFDM: u16 = 0x0040;
const CHANNEL_2GHZ: u16 = 0x0080;
const CHANNEL_5GHZ: u16 = 0x0100;

/// How a frame is on the air.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Air {
    pub(crate) rate_bps: u64,
    pub(crate) frequency_hz: f64,
    pub(crate) is_ofdm: bool,
    /// Power at the antenna; `None` for the station's own frames.
    pub(crate) power_mw: Option<f64>,
}

/// Appends the radiotap header.
pub(crate) fn radiotap(air: Air, out: &mut Vec<u8>) {
    let mhz = (air.frequency_hz / 1e6).clamp(0.0, 65_535.0) as u16;
    let band = match mhz {
        2400..2500 => CHANNEL_2GHZ,
        4900..6000 => CHANNEL_5GHZ,
        _ => 0,
    };
    let sent = if air.is_ofdm { CHANNEL_OFDM } else { CHANNEL_CCK };
    let (length, present): (u16, u32) = match air.power_mw {
        Some(_) => (15, PRESENT | PRESENT_SIGNAL),
        None => (14, PRESENT),
    };
    out.extend([0, 0]);
    out.extend(length.to_le_bytes());
    out.extend(present.to_le_bytes());
    out.push(FLAG_FCS);
    out.push(u8::try_from(air.rate_bps / 500_000).unwrap_or(u8::MAX));
    out.extend(mhz.to_le_bytes());
    out.extend((sent | band).to_le_bytes());
    if let Some(power_mw) = air.power_mw {
        let dbm = (10.0 * libm::log10(power_mw)).round().clamp(-128.0, 127.0) as i8;
        out.extend(dbm.to_le_bytes());
    }
}

/// Appends the frame, FCS included.
pub(crate) fn frame(frame: &Frame<Packet>, out: &mut Vec<u8>) {
    let begin = out.len();
    let receiver = match (frame.to, frame.payload.as_ref().map(|packet| &packet.payload)) {
        (Some(node), _) => mac(node),
        (None, Some(Payload::Frame(foreign))) => foreign.destination.0, // a group
        (None, _) => BROADCAST,
    };
    // Control frames have no Retry bit set (§7.2.1).
    let (control, retry) = match frame.kind {
        FrameKind::Rts => (0xb4, false),
        FrameKind::Cts => (0xc4, false),
        FrameKind::Ack => (0xd4, false),
        FrameKind::Data => (0x08, frame.retry),
    };
    out.extend([control, u8::from(retry) << 3]); // To DS and From DS are zero: an IBSS
    let duration = (frame.nav.as_nanos() / 1000).min(32_767) as u16;
    out.extend(duration.to_le_bytes());
    out.extend(receiver);
    if !frame.kind.is_answer() {
        out.extend(mac(frame.from));
    }
    if let (FrameKind::Data, Some(packet)) = (frame.kind, &frame.payload) {
        out.extend(BSSID);
        out.extend((frame.sequence << 4).to_le_bytes());
        out.extend([0xaa, 0xaa, 0x03, 0, 0, 0]);
        out.extend(packet.ether_type().to_be_bytes());
        packet.emit(out);
    }
    let fcs = crc32fast::hash(&out[begin..]);
    out.extend(fcs.to_le_bytes());
}

/// How long the frame is, FCS included.
pub(crate) fn length(frame: &Frame<Packet>) -> u32 {
    match (frame.kind, &frame.payload) {
        (FrameKind::Rts, _) => 20,
        (FrameKind::Data, Some(packet)) => 24 + 8 + packet.bytes() + 4,
        (FrameKind::Data, None) => 24 + 4,
        (FrameKind::Cts | FrameKind::Ack, _) => 14,
    }
}

fn mac(node: NodeId) -> [u8; 6] {
    MacAddress::of(node).0
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hopwright_machine::{Address, Duration, PacketId};
    use hopwright_wire::{aodv, arp, tcp, udp};

    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|b| format!("{b:02x}")).collect()
    }

    fn bytes_of(kind: FrameKind, nav_us: u64, sequence: u16, payload: Option<Payload>) -> String {
        let (from, to) = if kind == FrameKind::Cts || kind == FrameKind::Ack { (1, 0) } else { (0, 1) };
        let to = Some(NodeId(to)).filter(|_| !matches!(payload, Some(Payload::Arp(_))));
        let packet = |payload: Payload| {
            let ttl = if matches!(payload, Payload::Aodv(_)) { 1 } else { 64 };
            Packet::new(PacketId(u64::from(sequence) + 2), NodeId(0).address(), NodeId(1).address(), ttl, payload)
        };
        let mut bytes = Vec::new();
        let of = Frame {
            kind,
            from: NodeId(from),
            to,
            air_time: Duration::ZERO,
            nav: Duration::from_micros(nav_us),
            sequence,
            retry: sequence == 5 || kind == FrameKind::Rts,
            payload: payload.map(packet),
        };
        frame(&of, &mut bytes);
        hex(&bytes)
    }

    // The bytes were put together outside this program, from the documents.

    #[test]
    fn control_frames_are_laid_out_as_in_section_7_2_1() {
        assert_eq!(bytes_of(FrameKind::Rts, 0x466, 0, None), "b4006604020000000001020000000000ec354d26");
        assert_eq!(bytes_of(FrameKind::Cts, 0x32c, 0, None), "c4002c03020000000000220a2740");
        assert_eq!(bytes_of(FrameKind::Ack, 0, 0, None), "d40000000200000000004ee6b8f8");
    }

    #[test]
    fn data_frames_carry_packets_behind_llc_and_snap() {
        let syn = Payload::Tcp(Arc::new(tcp::Segment {
            source_port: 33_001,
            destination_port: 5001,
            seq: tcp::Seq(1000),
            ack: tcp::Seq(0),
            flags: tcp::Flags::SYN,
            window: 64_240,
            urgent: 0,
            options: tcp::Options { mss: Some(1460), ..tcp::Options::default() },
            payload_bytes: 0,
            ecn: hopwright_wire::ip::Ecn::NotCapable,
        }));
        let expected = "08083a010200000000010200000000000201000000005000aaaa0300000008004500002c00074000400626c30a000001\
             0a00000280e91389000003e8000000006002faf0f0d80000020405b44904e079";
        assert_eq!(bytes_of(FrameKind::Data, 314, 5, Some(syn)), expected);

        let datagram = Payload::Udp(udp::Datagram { source_port: 33_001, destination_port: 5001, payload_bytes: 4 });
        let expected = "08003a010200000000010200000000000201000000006000aaaa0300000008004500002000084000401126c30a000001\
             0a00000280e91389000c57610000000058ea466d";
        assert_eq!(bytes_of(FrameKind::Data, 314, 6, Some(datagram)), expected);

        let request = Payload::Arp(arp::Message {
            operation: arp::Operation::Request,
            sender_hardware: MacAddress::of(NodeId(0)),
            sender_protocol: NodeId(0).address(),
            target_hardware: MacAddress::UNKNOWN,
            target_protocol: NodeId(1).address(),
        });
        let expected = "08000000ffffffffffff0200000000000201000000007000aaaa03000000080600010800060400010200000000000a00\
             00010000000000000a000002b60a0c99";
        assert_eq!(bytes_of(FrameKind::Data, 0, 7, Some(request)), expected);

        let reply = Payload::Aodv(aodv::Message::Rrep(aodv::Rrep {
            ack_required: false,
            hop_count: 1,
            destination: NodeId(1).address(),
            destination_sequence: 4,
            originator: Address(0x0a00_0001),
            lifetime_ms: 6000,
        }));
        let expected = "08003a010200000000010200000000000201000000008000aaaa03000000080045000030000a4000011165b10a000001\
             0a000002028e028e001cb91f020000010a000002000000040a00000100001770c8e6a35b";
        assert_eq!(bytes_of(FrameKind::Data, 314, 8, Some(reply)), expected);
    }

    #[test]
    fn radiotap_says_rate_channel_and_power() {
        let mut bytes = Vec::new();
        radiotap(Air { rate_bps: 2_000_000, frequency_hz: 914e6, is_ofdm: false, power_mw: Some(1e-6) }, &mut bytes);
        assert_eq!(hex(&bytes), "00000f002e000000100492032000c4");
        bytes.clear();
        radiotap(Air { rate_bps: 11_000_000, frequency_hz: 2.412e9, is_ofdm: false, power_mw: None }, &mut bytes);
        assert_eq!(hex(&bytes), "00000e000e00000010166c09a000");
        bytes.clear();
        // Rate 108 half megabits, channel 36: 5180 MHz, OFDM, 5 GHz.
        radiotap(Air { rate_bps: 54_000_000, frequency_hz: 5.18e9, is_ofdm: true, power_mw: None }, &mut bytes);
        assert_eq!(hex(&bytes), "00000e000e000000106c3c144001");
    }
}
