//! From a captured frame to the TCP segment in it, whatever the link.
//!
//! Spec      tcpdump.org/linktypes: 0 and 108 (loopback), 1 (Ethernet), 101, 228, 229 (IP), 105 and 127 (802.11, also
//!           with radiotap), 113 and 276 (Linux cooked); IEEE 802.11-2016 9.2.4, 9.3.2
//! Deviates  what is not TCP over IP, encrypted, or a fragment but the first, is passed over

use std::net::IpAddr;

use etherparse::{IpNumber, TcpOptionElement};
use etherparse::{Ipv4HeaderSlice, Ipv6ExtensionsSlice, Ipv6HeaderSlice, TcpHeaderSlice};

use super::ReadError;
use super::capture::Frame;

/// What 802.11's header says of a frame. Its stations are not the ends of its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Air {
    pub(crate) transmitter: [u8; 6],
    pub(crate) receiver: [u8; 6],
    /// The station's number of the frame, which a repetition keeps.
    pub(crate) number: [u8; 2],
}

/// What a capture shows of a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    /// Where it was captured.
    pub(crate) interface: u32,
    pub(crate) from: (IpAddr, u16),
    pub(crate) to: (IpAddr, u16),
    pub(crate) sequence: u32,
    pub(crate) acknowledgement: Option<u32>,
    pub(crate) is_syn: bool,
    pub(crate) is_fin: bool,
    pub(crate) is_reset: bool,
    /// Data bytes, as IP tells: perhaps not all were captured.
    pub(crate) bytes: u32,
    /// Time stamps: the sender's own, and the one that it echoes.
    pub(crate) stamps: Option<(u32, u32)>,
    /// On 802.11 alone.
    pub(crate) air: Option<Air>,
}

/// The segment in a frame, if there is one. An error for a link that is not known.
pub(crate) fn segment(frame: &Frame<'_>) -> Result<Option<Segment>, ReadError> {
    let bytes = frame.bytes;
    let mut air = None;
    let ip = match u32::from(frame.link) {
        1 => ethernet(bytes),
        101 | 228 | 229 | 12 | 14 => Some(bytes),
        0 | 108 => bytes.get(4..),
        113 => bytes.get(16..),
        276 => bytes.get(20..),
        105 => wireless(bytes, &mut air),
        127 => {
            let length = bytes.get(2..4).map(|l| usize::from(u16::from_le_bytes([l[0], l[1]])));
            length.and_then(|length| bytes.get(length..)).and_then(|frame| wireless(frame, &mut air))
        }
        other => {
            let known = "Ethernet, IP, loopback, Linux cooked, 802.11";
            return Err(ReadError::packet(frame.number, format!("link type {other} is not known; there are: {known}")));
        }
    };
    // How much of the frame stands before IP: a length of zero in IP's header means all of the rest.
    let on_wire = ip.map_or(0, |ip| frame.length.saturating_sub(bytes.len() - ip.len()));
    let interface = frame.interface;
    Ok(ip.and_then(|ip| of_ip(ip, on_wire)).map(|segment| Segment { interface, air, ..segment }))
}

/// What follows Ethernet's header and VLAN tags.
fn ethernet(bytes: &[u8]) -> Option<&[u8]> {
    let mut at = 12;
    loop {
        let kind = u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?);
        match kind {
            0x8100 | 0x88a8 | 0x9100 => at += 4,
            0x0800 | 0x86dd => return bytes.get(at + 2..),
            _ => return None,
        }
    }
}

/// What follows the headers of 802.11 and LLC in a data frame.
fn wireless<'a>(bytes: &'a [u8], air: &mut Option<Air>) -> Option<&'a [u8]> {
    const DATA: u8 = 0b1000;
    const NULL: u8 = 0b0100_0000; // subtypes that carry nothing
    const QOS: u8 = 0b1000_0000;
    const TO_AND_FROM: u8 = 0b11;
    const PROTECTED: u8 = 0b0100_0000;
    const ORDER: u8 = 0b1000_0000;
    let (&kind, &flags) = (bytes.first()?, bytes.get(1)?);
    if kind & 0b1111 != DATA || kind & NULL != 0 || flags & PROTECTED != 0 {
        return None;
    }
    let four = flags & TO_AND_FROM == TO_AND_FROM;
    let is_qos = kind & QOS != 0;
    let header = 24 + 6 * usize::from(four) + 2 * usize::from(is_qos) + 4 * usize::from(is_qos && flags & ORDER != 0);
    *air = Some(Air {
        transmitter: bytes.get(10..16)?.try_into().ok()?,
        receiver: bytes.get(4..10)?.try_into().ok()?,
        number: bytes.get(22..24)?.try_into().ok()?,
    });
    let llc = bytes.get(header..)?;
    match llc.get(..8)? {
        [0xaa, 0xaa, 3, 0, 0, 0, 0x08, 0x00] | [0xaa, 0xaa, 3, 0, 0, 0, 0x86, 0xdd] => llc.get(8..),
        _ => None,
    }
}

fn of_ip(ip: &[u8], on_wire: usize) -> Option<Segment> {
    let (from, to, tcp, length): (IpAddr, IpAddr, &[u8], usize) = match ip.first()? >> 4 {
        4 => {
            let header = Ipv4HeaderSlice::from_slice(ip).ok()?;
            if header.protocol() != IpNumber::TCP || header.fragments_offset().value() != 0 {
                return None;
            }
            let total = Some(usize::from(header.total_len())).filter(|&total| total > 0).unwrap_or(on_wire);
            let own = header.slice().len();
            (header.source_addr().into(), header.destination_addr().into(), &ip[own..], total.checked_sub(own)?)
        }
        6 => {
            let header = Ipv6HeaderSlice::from_slice(ip).ok()?;
            let (_, kind, tcp, _) = Ipv6ExtensionsSlice::from_slice_lax(header.next_header(), &ip[40..]);
            if kind != IpNumber::TCP {
                return None;
            }
            let payload = Some(usize::from(header.payload_length())).filter(|&length| length > 0);
            let before = ip.len() - 40 - tcp.len();
            let length = payload.unwrap_or(on_wire.saturating_sub(40)).checked_sub(before)?;
            (header.source_addr().into(), header.destination_addr().into(), tcp, length)
        }
        _ => return None,
    };
    let segment = of_tcp(tcp, length)?;
    Some(Segment { from: (from, segment.from.1), to: (to, segment.to.1), ..segment })
}

fn of_tcp(tcp: &[u8], length: usize) -> Option<Segment> {
    // A short snapshot may have cut options off: none of them is read then.
    let mut header = [0; 60];
    let captured = tcp.len().min(60).min(length);
    header[..captured].copy_from_slice(&tcp[..captured]);
    let header = (captured >= 20).then(|| TcpHeaderSlice::from_slice(&header).ok())??;
    let own = usize::from(header.data_offset()) * 4;
    let stamps = header.options_iterator().take_while(|_| captured >= own).find_map(|option| match option {
        Ok(TcpOptionElement::Timestamp(value, echo)) => Some((value, echo)),
        _ => None,
    });
    let nobody = IpAddr::from([0, 0, 0, 0]);
    Some(Segment {
        interface: 0,
        from: (nobody, header.source_port()),
        to: (nobody, header.destination_port()),
        sequence: header.sequence_number(),
        acknowledgement: header.ack().then(|| header.acknowledgment_number()),
        is_syn: header.syn(),
        is_fin: header.fin(),
        is_reset: header.rst(),
        bytes: length.checked_sub(own)? as u32,
        stamps,
        air: None,
    })
}
