//! Packets from a device that offloads: a burst is many segments behind one header. The link sees each segment; what comes
//! through together leaves together, so that the kernel cuts and sums, and nobody here.
//!
//! Spec      struct virtio_net_hdr of linux/virtio_net.h; RFC 9293 §3.1, RFC 768, RFC 791, RFC 8200; the kernel's own
//!           cutting: flags FIN and PSH stand on the last segment, CWR on the first, identifications count up
//! Holds     a burst of which nothing is lost leaves as it came; segments of one that are emitted one by one are what the
//!           kernel would have cut

use std::ops::Range;

use hopwright_netns::HEADER_BYTES;
use hopwright_wire::checksum::Checksum;

/// Flag: the checksum is yet to be computed.
const NEEDS_CHECKSUM: u8 = 1;

/// Kinds, and the bit that says that they speak ECN.
const TCP_4: u8 = 1;
const TCP_6: u8 = 4;
const UDP: u8 = 5;
const ECN: u8 = 0x80;

const FIN: u8 = 0x01;
const PSH: u8 = 0x08;
const CWR: u8 = 0x80;

/// Where the segments of a packet are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// Where the IP header ends, from its beginning.
    transport: usize,
    /// Where the headers end.
    data: usize,
    /// Bytes of data in each segment but the last; 0: the packet is one segment.
    segment: usize,
    /// How many there are.
    pub(super) count: usize,
    is_tcp: bool,
    is_ipv4: bool,
}

impl Cut {
    /// A packet of one segment.
    pub(super) const WHOLE: Self = Self { transport: 0, data: 0, segment: 0, count: 1, is_tcp: false, is_ipv4: false };

    /// How a packet with the device's header is cut. One that cannot be cut is one segment: it passes as it is.
    pub(super) fn of(bytes: &[u8]) -> Self {
        let Some((header, packet)) = bytes.split_first_chunk::<HEADER_BYTES>() else { return Self::WHOLE };
        let kind = header[1] & !ECN;
        let segment = usize::from(u16::from_ne_bytes([header[4], header[5]]));
        if !matches!(kind, TCP_4 | TCP_6 | UDP) || segment == 0 || header[0] & NEEDS_CHECKSUM == 0 {
            return Self::WHOLE;
        }
        let transport = usize::from(u16::from_ne_bytes([header[6], header[7]]));
        let is_tcp = kind != UDP;
        let length = if is_tcp { packet.get(transport + 12).map_or(0, |byte| usize::from(byte >> 4) * 4) } else { 8 };
        let data = transport + length;
        let first = packet.first().copied().unwrap_or(0);
        let is_ipv4 = first >> 4 == 4;
        let fits = if is_ipv4 { transport == usize::from(first & 15) * 4 } else { transport >= 40 };
        if !fits || length < 8 || data >= packet.len() {
            return Self::WHOLE;
        }
        Self { transport, data, segment, count: (packet.len() - data).div_ceil(segment), is_tcp, is_ipv4 }
    }

    /// Bytes of a segment with its headers, of a packet of so many bytes.
    pub(super) fn bytes(&self, segment: usize, packet: usize) -> usize {
        if self.segment == 0 {
            return packet;
        }
        let begin = self.data + segment * self.segment;
        self.data + (packet - begin).min(self.segment)
    }

    /// Appends some of the segments as one packet, with the device's header before it.
    pub(super) fn join(&self, bytes: &[u8], segments: &Range<usize>, out: &mut Vec<u8>) {
        if segments.len() == self.count {
            out.extend_from_slice(bytes);
            return;
        }
        let packet = &bytes[HEADER_BYTES..];
        let begin = self.data + segments.start * self.segment;
        let end = (self.data + segments.end * self.segment).min(packet.len());
        let start = out.len();
        out.extend_from_slice(&bytes[..HEADER_BYTES + self.data]);
        out.extend_from_slice(&packet[begin..end]);
        let is_last = segments.end == self.count;
        let (header, joined) = out[start..].split_at_mut(HEADER_BYTES);
        if segments.len() == 1 {
            header[1] = 0;
            header[4..6].fill(0);
        }
        let length = joined.len();
        if self.is_ipv4 {
            put(joined, 2, length as u16);
            let identification = u16::from_be_bytes([joined[4], joined[5]]);
            put(joined, 4, identification.wrapping_add(segments.start as u16));
            put(joined, 10, 0);
            let mut sum = Checksum::default();
            sum.add(&joined[..self.transport]);
            put(joined, 10, sum.finish());
        } else {
            put(joined, 4, (length - 40) as u16);
        }
        let transport = self.transport;
        let checksum = if self.is_tcp {
            let at = transport + 4;
            let sequence = u32::from_be_bytes([joined[at], joined[at + 1], joined[at + 2], joined[at + 3]]);
            let moved = sequence.wrapping_add((segments.start * self.segment) as u32);
            joined[at..at + 4].copy_from_slice(&moved.to_be_bytes());
            let flags = &mut joined[transport + 13];
            *flags &= if is_last { !0 } else { !(FIN | PSH) };
            *flags &= if segments.start == 0 { !0 } else { !CWR };
            transport + 16
        } else {
            put(joined, transport + 4, (length - transport) as u16);
            transport + 6
        };
        // What the kernel completes: the sum over the pseudo-header, not inverted.
        let mut sum = Checksum::default();
        let protocol = if self.is_tcp { 6 } else { 17 };
        sum.add(if self.is_ipv4 { &joined[12..20] } else { &joined[8..40] });
        sum.add(&[0, protocol]);
        sum.add(&((length - transport) as u16).to_be_bytes());
        put(joined, checksum, !sum.finish());
    }
}

fn put(bytes: &mut [u8], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A burst of TCP over IPv4: 3 segments, the last one short, and the header that a device puts before it.
    fn burst() -> Vec<u8> {
        let data: Vec<u8> = (0..250).map(|n| n as u8).collect();
        let mut bytes = vec![NEEDS_CHECKSUM, TCP_4, 52, 0, 100, 0, 20, 0, 16, 0];
        bytes.extend([0x45, 0, 1, 46, 0, 9, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        bytes.extend([0, 1, 0, 2, 0xff, 0xff, 0xff, 0xf0, 0, 0, 0, 0, 0x80, FIN | PSH | CWR | 0x10, 1, 0, 0, 0, 0, 0]);
        bytes.extend([1; 12]);
        bytes.extend(data);
        bytes
    }

    #[test]
    fn what_cannot_be_cut_is_one_segment() {
        let good = burst();
        assert_eq!((Cut::of(&good).count, Cut::of(&good).bytes(2, good.len() - HEADER_BYTES)), (3, 102));
        let whole = |change: fn(&mut Vec<u8>)| {
            let mut bytes = good.clone();
            change(&mut bytes);
            Cut::of(&bytes)
        };
        assert_eq!(whole(|bytes| bytes[1] = 0), Cut::WHOLE);
        assert_eq!(whole(|bytes| bytes[4] = 0), Cut::WHOLE);
        assert_eq!(whole(|bytes| bytes[0] = 0), Cut::WHOLE);
        assert_eq!(whole(|bytes| bytes[6] = 200), Cut::WHOLE);
        assert_eq!(whole(|bytes| bytes.truncate(50)), Cut::WHOLE);
        for length in 0..good.len() {
            let _ = Cut::of(&good[..length]);
        }
    }

    #[test]
    fn segments_are_what_the_kernel_would_have_cut() {
        let bytes = burst();
        let cut = Cut::of(&bytes);
        let joined = |segments: Range<usize>| {
            let mut out = Vec::new();
            cut.join(&bytes, &segments, &mut out);
            out
        };
        assert_eq!(joined(0..3), bytes, "nothing was lost");
        let (first, middle, rest) = (joined(0..1), joined(1..2), joined(1..3));
        assert_eq!((first[1], first[4], middle[1], rest[1], rest[4]), (0, 0, 0, TCP_4, 100));
        let packet = |out: &[u8]| {
            let packet = &out[HEADER_BYTES..];
            let mut sum = Checksum::default();
            sum.add(&packet[..20]);
            assert_eq!(sum.finish(), 0, "the header's sum");
            assert_eq!(usize::from(u16::from_be_bytes([packet[2], packet[3]])), packet.len());
            let sequence = u32::from_be_bytes([packet[24], packet[25], packet[26], packet[27]]);
            let pseudo = Checksum::of_pseudo_header(
                hopwright_machine::Address(0x0a00_0001),
                hopwright_machine::Address(0x0a00_0002),
                6,
                packet.len() as u32 - 20,
            );
            assert_eq!(u16::from_be_bytes([packet[36], packet[37]]), !pseudo.finish());
            (packet[5], sequence, packet[33], packet[52..].to_vec())
        };
        let data = |range: Range<u8>| range.collect::<Vec<u8>>();
        assert_eq!(packet(&first), (9, 0xffff_fff0, CWR | 0x10, data(0..100)));
        assert_eq!(packet(&middle), (10, 0xffff_fff0_u32.wrapping_add(100), 0x10, data(100..200)));
        assert_eq!(packet(&rest), (10, 84, FIN | PSH | 0x10, data(100..250)));
    }
}
