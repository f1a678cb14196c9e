//! Packets and their bytes.

use hopwright_machine::{Address, Duration, PacketId};

use super::*;
use crate::checksum::Checksum;
use crate::stamp::Fact;
use crate::{aodv, atp, dsdv, dsr, olsr, tcp, udp};

fn packet(payload: Payload) -> Packet {
    Packet::new(PacketId(7), Address(0x0a00_0001), Address(0x0a00_0009), 63, payload)
}

fn header() -> Box<dsr::Header> {
    let route = dsr::SourceRoute::over(vec![Address(0x0a00_0005)]);
    Box::new(dsr::Header::with(dsr::DsrOption::SourceRoute(route)))
}

fn bytes(packet: &Packet) -> Vec<u8> {
    let mut bytes = Vec::new();
    packet.emit(&mut bytes);
    bytes
}

#[test]
fn a_header_is_laid_out_as_in_section_3_1() {
    let datagram = udp::Datagram { source_port: 1, destination_port: 2, payload_bytes: 4 };
    let bytes = bytes(&packet(Payload::Udp(datagram)));
    let expected = [0x45, 0, 0, 32, 0, 7, 0x40, 0, 63, 17, 0x27, 0xbd, 10, 0, 0, 1, 10, 0, 0, 9];
    assert_eq!(bytes[..20], expected);
    assert_eq!(bytes.len(), 32);
}

#[test]
fn routers_may_fragment_only_what_says_so() {
    let (source, destination) = (Address(0x0a00_0001), Address(0x0a00_0009));
    let ecn = Ecn::Experienced;
    let header = Header { source, destination, protocol: 6, ecn, ttl: 64, identification: 7, payload_bytes: 0 };
    let (mut whole, mut fragmentable) = (Vec::new(), Vec::new());
    header.emit(&mut whole);
    header.emit_fragmentable(&mut fragmentable);
    assert_eq!((&whole[4..8], &fragmentable[4..8]), (&[0, 7, 0x40, 0][..], &[0, 7, 0, 0][..]));
    assert_eq!(whole[1], 3, "RFC 3168 §5: the last two bits");
    assert_eq!(Header::parse(&fragmentable), Ok((header, &[][..])));
}

#[test]
fn emitted_packets_parse_back() {
    let request = aodv::Message::Rrep(aodv::Rrep {
        ack_required: false,
        hop_count: 2,
        destination: Address(9),
        destination_sequence: 4,
        originator: Address(1),
        lifetime_ms: 6000,
    });
    let datagram = udp::Datagram { source_port: 33_001, destination_port: 5001, payload_bytes: 512 };
    let olsr = olsr::Packet { sequence: 5, messages: [].into() };
    let entry = dsdv::Entry { destination: Address(9), metric: 3, sequence: 44 };
    let update = dsdv::Update { entries: [entry].into() };
    let own = [Payload::Aodv(request), Payload::Olsr(olsr), Payload::Dsdv(update)];
    let ping = Opaque { protocol: protocol::ICMP, bytes: [8, 0, 0xf7, 0xff, 0, 0, 0, 0].into(), head: None };
    let feedback =
        atp::Feedback { is_answer: true, cumulative: 4, rate_mpps: 20_000, window: 9, blocks: [(6, 8)].into() };
    let atp = atp::Segment { source_port: 5001, destination_port: 33_001, body: atp::Body::Feedback(feedback) };
    let others = [Payload::Udp(datagram), Payload::Nothing, Payload::Opaque(ping.into()), Payload::Atp(atp.into())];
    let payloads = own.into_iter().chain(others);
    for (payload, dsr) in payloads.flat_map(|p| [(p.clone(), None), (p, Some(header()))]) {
        let packet = Packet { dsr, ..packet(payload) };
        let mut bytes = bytes(&packet);
        assert_eq!(bytes.len() as u32, packet.bytes());
        bytes.extend([0; 9]); // a link may pad
        assert_eq!(Packet::parse(&bytes), Ok(packet));
    }
}

/// ATP's field D is what stations have written on the packet.
#[test]
fn data_of_atp_show_the_largest_delay_of_their_way() {
    let data = atp::Data {
        packet: 77,
        number: 70,
        kind: atp::Kind::Part,
        delay: atp::Delay::NONE,
        rate_dpps: 0,
        payload_bytes: 512,
    };
    let segment = atp::Segment { source_port: 33_001, destination_port: 5001, body: atp::Body::Data(data) };
    let mut packet = packet(Payload::Atp(segment.into()));
    packet.stamps.raise(Fact::LargestDelay.place(), Duration::from_millis(30));
    packet.stamps.add(Fact::Contention.place(), Duration::from_millis(50));
    let bytes = bytes(&packet);
    assert_eq!((bytes.len(), bytes[9], &bytes[34..36]), (20 + 18 + 512, 252, &[1, 44][..]));
    let Payload::Atp(read) = Packet::parse(&bytes).expect("a packet").payload else { panic!("ATP") };
    assert_eq!(read.data().map(|data| data.delay), Some(atp::Delay(300)));
    let (flow, number) = packet.segment_of().expect("data");
    assert_eq!((flow.source_port, flow.destination_port, number), (33_001, 5001, tcp::Seq(77)));
}

/// A fragment with an option, a class and a congestion mark: only time to live, mark and checksum change on its way.
#[test]
fn what_a_program_wrote_stays_as_it_was() {
    let mut sent = vec![0x46, 0x2a, 0, 28, 0x12, 0x34, 0x20, 0x05, 9, protocol::UDP, 0, 0];
    sent.extend([10, 0, 0, 1, 10, 0, 0, 9, 0x94, 4, 0, 0, 1, 2, 3, 4]);
    let sum = |bytes: &mut [u8]| {
        bytes[10..12].fill(0);
        let mut sum = Checksum::default();
        sum.add(&bytes[..24]);
        bytes[10..12].copy_from_slice(&sum.finish().to_be_bytes());
    };
    sum(&mut sent);
    let padded = [&sent[..], &[0; 3]].concat();
    let (source, destination, opaque) = Opaque::parse(&padded).expect("a packet");
    assert_eq!((source, destination, opaque.bytes.len()), (Address(0x0a00_0001), Address(0x0a00_0009), 4));
    let ecn = Ecn::Experienced;
    let packet = Packet { ecn, dsr: Some(header()), ..packet(Payload::Opaque(opaque.into())) };
    assert_eq!(bytes(&packet).len() as u32, packet.bytes());
    sent[1] |= 3;
    sent[8] = 2;
    sum(&mut sent);
    assert_eq!(packet.foreign_bytes(7), Some(sent));
    assert_eq!(packet.foreign_bytes(9), None);
    assert_eq!(Opaque::parse(&padded[..27]), Err(DecodeError::Truncated));
}

#[test]
fn what_is_no_packet_is_refused() {
    let datagram = udp::Datagram { source_port: 1, destination_port: 2, payload_bytes: 0 };
    let good = bytes(&packet(Payload::Udp(datagram)));
    let refused = |change: fn(&mut [u8])| {
        let mut bytes = good.clone();
        change(&mut bytes);
        bytes[10..12].fill(0);
        let mut sum = Checksum::default();
        sum.add(&bytes[..20]);
        let sum = sum.finish().to_be_bytes();
        bytes[10..12].copy_from_slice(&sum);
        Packet::parse(&bytes).unwrap_err()
    };
    assert_eq!(refused(|b| b[0] = 0x65), DecodeError::Version(6));
    assert_eq!(refused(|b| b[0] = 0x44), DecodeError::HeaderLength(4));
    assert_eq!(refused(|b| b[3] = 29), DecodeError::Truncated);
    assert_eq!(refused(|b| b[3] = 19), DecodeError::Truncated);
    assert_eq!(refused(|b| b[6] = 0x20), DecodeError::Fragment);
    assert_eq!(refused(|b| b[7] = 1), DecodeError::Fragment);
    let mut wrong = good.clone();
    wrong[8] = 1;
    assert_eq!(Packet::parse(&wrong), Err(DecodeError::Checksum));
}
