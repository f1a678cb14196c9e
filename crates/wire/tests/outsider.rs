//! The bytes of packets against another implementation of the formats, and against arbitrary bytes.

use etherparse::{SlicedPacket, TcpOptionElement, TcpOptionReadError, TransportSlice};
use hopwright_machine::{Address, PacketId};
use hopwright_wire::tcp::{Extra, Flags, Options, Segment, Seq};
use hopwright_wire::{Packet, Payload, aodv, arp, dsdv, olsr, udp};
use proptest::prelude::*;

fn options() -> impl Strategy<Value = Options> {
    let blocks = proptest::collection::vec((any::<u32>(), any::<u32>()), 0..=4);
    let timestamps = proptest::option::of((any::<u32>(), any::<u32>()));
    let mss = proptest::option::of(any::<u16>());
    let scale = proptest::option::of(any::<u8>());
    (mss, scale, any::<bool>(), timestamps, blocks, extra()).prop_map(
        |(mss, window_scale, sack_permitted, timestamps, blocks, extra)| {
            let mut options = Options { mss, window_scale, sack_permitted, timestamps, extra, ..Options::default() };
            for (left, right) in blocks {
                options.sack.push(Seq(left), Seq(right));
            }
            options.fit();
            options
        },
    )
}

fn extra() -> impl Strategy<Value = Extra> {
    let numbers = (any::<Option<u8>>(), any::<Option<u16>>(), any::<[Option<u32>; 3]>());
    (numbers, any::<[bool; 3]>()).prop_map(|((duplicate, packet, words), [is_late, is_notice, is_poll])| {
        let [period, gap, window] = words;
        let mut extra = Extra::default();
        duplicate.into_iter().for_each(|n| extra.set_duplicate_number(n));
        packet.into_iter().for_each(|n| extra.set_packet_number(n));
        period.into_iter().for_each(|n| extra.set_ack_period_us(n));
        gap.into_iter().for_each(|n| extra.set_gap_us(n));
        window.into_iter().for_each(|n| extra.set_window(n));
        if is_late {
            extra.set_out_of_order();
        }
        if is_notice {
            extra.set_loss_notice();
        }
        if is_poll {
            extra.set_poll();
        }
        extra
    })
}

fn segment() -> impl Strategy<Value = Segment> {
    let numbers = (any::<[u16; 4]>(), any::<[u32; 2]>(), any::<u8>());
    (numbers, options(), 0..3000u32).prop_map(|((shorts, longs, flags), options, payload_bytes)| Segment {
        source_port: shorts[0],
        destination_port: shorts[1],
        seq: Seq(longs[0]),
        ack: Seq(longs[1]),
        flags: Flags(flags),
        window: shorts[2],
        urgent: shorts[3],
        options,
        payload_bytes,
        ecn: hopwright_wire::ip::Ecn::NotCapable,
    })
}

fn packet(payload: Payload, source: u32, destination: u32, ttl: u8, id: u16) -> Packet {
    let (source, destination) = (Address(source), Address(destination));
    Packet::new(PacketId(u64::from(id)), source, destination, ttl, payload)
}

fn bytes(packet: &Packet) -> Vec<u8> {
    let mut bytes = Vec::new();
    packet.emit(&mut bytes);
    assert_eq!(bytes.len() as u32, packet.bytes(), "the length on the air is the length of the bytes");
    bytes
}

proptest! {
    #[test]
    fn etherparse_reads_what_we_emit(
        segment in segment(), ends in any::<[u32; 2]>(), ttl in any::<u8>(), id in any::<u16>(),
    ) {
        let packet = packet(Payload::Tcp(segment.into()), ends[0], ends[1], ttl, id);
        let bytes = bytes(&packet);
        prop_assert_eq!(&Packet::parse(&bytes), &Ok(packet));

        let theirs = SlicedPacket::from_ip(&bytes).unwrap();
        let ip = theirs.net.as_ref().unwrap().ipv4_ref().unwrap().header().to_header();
        prop_assert_eq!(ip.calc_header_checksum(), ip.header_checksum);
        prop_assert_eq!((u32::from_be_bytes(ip.source), u32::from_be_bytes(ip.destination)), (ends[0], ends[1]));
        prop_assert_eq!((ip.time_to_live, ip.identification, ip.dont_fragment), (ttl, id, true));
        let Some(TransportSlice::Tcp(tcp)) = &theirs.transport else { panic!("no TCP: {theirs:?}") };
        prop_assert_eq!(tcp.calc_checksum_ipv4(ip.source, ip.destination).unwrap(), tcp.checksum());
        prop_assert_eq!((tcp.source_port(), tcp.destination_port()), (segment.source_port, segment.destination_port));
        prop_assert_eq!((tcp.sequence_number(), tcp.acknowledgment_number()), (segment.seq.0, segment.ack.0));
        prop_assert_eq!((tcp.window_size(), tcp.urgent_pointer()), (segment.window, segment.urgent));
        for (bit, theirs) in [
            (Flags::FIN, tcp.fin()), (Flags::SYN, tcp.syn()), (Flags::RST, tcp.rst()), (Flags::PSH, tcp.psh()),
            (Flags::ACK, tcp.ack()), (Flags::URG, tcp.urg()), (Flags::ECE, tcp.ece()), (Flags::CWR, tcp.cwr()),
        ] {
            prop_assert_eq!(segment.flags.has(bit), theirs);
        }
        prop_assert_eq!(tcp.payload().len() as u32, segment.payload_bytes);
        for option in tcp.options_iterator() {
            // Experiments it does not know; ours is the last option.
            if option == Err(TcpOptionReadError::UnknownId(253)) && !segment.options.extra.is_empty() {
                break;
            }
            match option.unwrap() {
                TcpOptionElement::MaximumSegmentSize(mss) => prop_assert_eq!(segment.options.mss, Some(mss)),
                TcpOptionElement::WindowScale(shift) => prop_assert_eq!(segment.options.window_scale, Some(shift)),
                TcpOptionElement::SelectiveAcknowledgementPermitted => prop_assert!(segment.options.sack_permitted),
                TcpOptionElement::Timestamp(value, echo) => {
                    prop_assert_eq!(segment.options.timestamps, Some((value, echo)));
                }
                TcpOptionElement::SelectiveAcknowledgement(first, more) => {
                    let theirs: Vec<(u32, u32)> = std::iter::once(first).chain(more.into_iter().flatten()).collect();
                    let ours: Vec<(u32, u32)> =
                        segment.options.sack.as_slice().iter().map(|(l, r)| (l.0, r.0)).collect();
                    prop_assert_eq!(ours, theirs);
                }
                TcpOptionElement::Noop => {}
            }
        }
    }

    #[test]
    fn datagrams_too(ports in any::<[u16; 2]>(), payload_bytes in 0..2000u32, ends in any::<[u32; 2]>()) {
        prop_assume!(![aodv::PORT, olsr::PORT, dsdv::PORT].contains(&ports[1]));
        let datagram = udp::Datagram { source_port: ports[0], destination_port: ports[1], payload_bytes };
        let packet = packet(Payload::Udp(datagram), ends[0], ends[1], 64, 0);
        let bytes = bytes(&packet);
        let theirs = SlicedPacket::from_ip(&bytes).unwrap();
        let Some(TransportSlice::Udp(udp)) = &theirs.transport else { panic!("no UDP: {theirs:?}") };
        prop_assert_eq!((udp.source_port(), udp.destination_port()), (ports[0], ports[1]));
        let (source, destination) = (ends[0].to_be_bytes(), ends[1].to_be_bytes());
        let sum = udp.to_header().calc_checksum_ipv4_raw(source, destination, udp.payload()).unwrap();
        prop_assert_eq!(sum, udp.checksum());
        prop_assert_eq!(Packet::parse(&bytes), Ok(packet));
    }

    #[test]
    fn no_bytes_make_a_parser_panic(bytes in proptest::collection::vec(any::<u8>(), 0..120)) {
        let (a, b) = (Address(1), Address(2));
        let _ = Packet::parse(&bytes);
        let _ = udp::Datagram::parse(a, b, &bytes);
        let _ = aodv::Message::parse(&bytes);
        let _ = arp::Message::parse(&bytes);
        if let Ok((segment, data)) = Segment::parse_unverified(&bytes) {
            prop_assert_eq!(data.len() as u32, segment.payload_bytes);
        }
    }
}
