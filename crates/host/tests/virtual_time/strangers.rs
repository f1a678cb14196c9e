//! What strangers may try.

use hopwright_host::{Checksums, Config, Endpoint, EventKind, Host, Input, Output};
use hopwright_machine::{Address, Duration, Machine, Time};
use hopwright_wire::icmp::{Echo, Message};
use hopwright_wire::ip::{self, protocol};
use hopwright_wire::tcp::{Flags, Options, Segment, Seq};

use super::net::{CLIENT, Closes, Net, PORT, SERVER, config, noise};

fn packet(source: Address, destination: Address, segment: &Segment) -> Vec<u8> {
    let payload_bytes = segment.bytes() as u16;
    let mut bytes = Vec::new();
    ip::Header {
        source,
        destination,
        protocol: protocol::TCP,
        ecn: ip::Ecn::default(),
        ttl: 64,
        identification: 0,
        payload_bytes,
    }
    .emit(&mut bytes);
    segment.emit(source, destination, [&[]; 2], &mut bytes);
    bytes
}

fn segment(source_port: u16, destination_port: u16, flags: Flags, seq: u32, ack: u32) -> Segment {
    Segment {
        source_port,
        destination_port,
        seq: Seq(seq),
        ack: Seq(ack),
        flags,
        window: 60_000,
        urgent: 0,
        options: Options::default(),
        payload_bytes: 0,
        ecn: hopwright_wire::ip::Ecn::NotCapable,
    }
}

fn control(source: Address, destination: Address, message: &Message<'_>) -> Vec<u8> {
    let mut body = Vec::new();
    message.emit(&mut body);
    let mut bytes = Vec::new();
    let payload_bytes = body.len() as u16;
    ip::Header {
        source,
        destination,
        protocol: protocol::ICMP,
        ecn: ip::Ecn::default(),
        ttl: 64,
        identification: 0,
        payload_bytes,
    }
    .emit(&mut bytes);
    bytes.extend(body);
    bytes
}

/// The segments that a host wants sent.
fn answers(host: &mut Host) -> Vec<Segment> {
    std::iter::from_fn(|| host.poll())
        .filter_map(|output| match output {
            Output::Send(packet) => packet.segment().copied(),
            Output::Event(_) => None,
        })
        .collect()
}

#[test]
fn a_flood_of_requests_takes_no_memory_and_keeps_nobody_out() {
    let mut net = Net::new(config(SERVER), config(CLIENT));
    net.served = noise(200_000, 1);
    let mut handle = None;
    for n in 0..100_000u32 {
        let from = Address(0x0b00_0000 + n * 7);
        let mut syn = segment(1024 + (n % 60_000) as u16, PORT, Flags::SYN, n.wrapping_mul(77), 0);
        syn.options.mss = Some(1460);
        net.hosts[0].handle(net.now, Input::packet(&packet(from, SERVER, &syn)));
        // What is sent to the strangers goes nowhere, but does not stay here either.
        if n == 50_000 {
            handle = Some(net.connect(b"let me in"));
        }
        if handle.is_none() {
            answers(&mut net.hosts[0]);
        } else if n % 10 == 0 {
            net.run(Duration::from_micros(100));
        }
        assert!(net.hosts[0].connection_count() <= 64 + 1);
    }
    net.run(Duration::from_secs(5));
    let app = &net.apps[1][&handle.unwrap()];
    assert!(app.received == net.served, "{:?}, {} bytes", app.events, app.received.len());
    assert!(net.app(0).received == b"let me in");
    let statistics = net.hosts[0].statistics();
    assert!(statistics.cookies_sent > 99_000 && statistics.cookies_accepted == 1, "{statistics:?}");
    // The forged requests are forgotten in time.
    net.run(Duration::from_secs(300));
    assert_eq!(net.hosts[0].connection_count(), 0);
}

#[test]
fn a_connection_from_a_cookie_keeps_its_options() {
    let mut net = Net::new(config(SERVER), config(CLIENT));
    net.hosts[0].unlisten(PORT);
    net.hosts[0].listen(PORT, 0).unwrap();
    net.served = noise(400_000, 1);
    net.lost = 10;
    let handle = net.connect(b"hello");
    net.run(Duration::from_secs(100));
    assert!(net.apps[1][&handle].received == net.served);
    assert_eq!(net.hosts[0].statistics().cookies_accepted, 1);
}

#[test]
fn the_time_between_a_cookie_and_its_return_is_not_taken_for_none() {
    let mut net = Net::new(config(SERVER), config(CLIENT));
    net.hosts[0].unlisten(PORT);
    net.hosts[0].listen(PORT, 0).unwrap();
    net.served = noise(40_000, 1);
    net.connect(b"");
    net.run(Duration::from_millis(16));
    let handle = *net.apps[0].keys().next().unwrap();
    assert_eq!(net.hosts[0].public(handle).unwrap().srtt, None);
    net.run(Duration::from_millis(10));
    let srtt = net.hosts[0].public(handle).unwrap().srtt.unwrap();
    assert!(srtt >= Duration::from_millis(10), "{srtt:?}");
}

#[test]
fn a_connection_opened_again_starts_beyond_the_old_one() {
    for backlog in [64, 0] {
        let mut net = Net::new(config(SERVER), config(CLIENT));
        net.delay = Duration::from_micros(10);
        net.clients_close = Closes::AfterServer;
        net.served = noise(3_000_000, 1);
        let handle = net.connect(b"");
        let port = net.hosts[1].local_port(handle).unwrap();
        net.run(Duration::from_millis(500));
        assert!(net.apps[1][&handle].received == net.served);
        let last = |by| net.log.iter().rev().find(|sent| sent.by == by).unwrap().segment;
        let (next, theirs) = (last(0).end(), last(1).end());
        net.hosts[0].unlisten(PORT);
        net.hosts[0].listen(PORT, backlog).unwrap();
        let syn = segment(port, PORT, Flags::SYN, theirs.0.wrapping_add(100_000), 0);
        net.hosts[0].handle(net.now, Input::packet(&packet(CLIENT, SERVER, &syn)));
        let heard = answers(&mut net.hosts[0]);
        if backlog == 0 {
            // A cookie could be anywhere: better nothing, and the client asks again.
            assert!(heard.is_empty());
            assert_eq!((net.hosts[0].connection_count(), net.hosts[0].statistics().requests_dropped), (1, 1));
        } else {
            assert!(heard[0].flags.has(Flags::SYN) && heard[0].seq.is_after(next + 65_535), "{heard:?}, {next:?}");
        }
    }
}

#[test]
fn an_acknowledgement_out_of_the_blue_is_no_cookie_while_there_is_no_flood() {
    let mut net = Net::new(config(SERVER), config(CLIENT));
    let ack = segment(40_000, PORT, Flags::ACK, 7, 99);
    net.hosts[0].handle(Time::ZERO, Input::packet(&packet(CLIENT, SERVER, &ack)));
    let [reset] = answers(&mut net.hosts[0])[..] else { panic!("a reset is due") };
    assert_eq!((reset.flags, reset.seq), (Flags::RST, Seq(99)));
    assert_eq!(net.hosts[0].connection_count(), 0);
}

/// RFC 9293 §3.10.7.2: a listening port drops what has neither SYN nor ACK, resets what has an ACK, and takes a SYN for a
/// request, whatever else it has but that. Where nobody listens, everything but a reset is reset (§3.10.7.1).
#[test]
fn a_listening_port_answers_requests_and_acknowledgements_and_nothing_else() {
    let flags =
        [Flags::FIN, Flags::PSH, Flags::FIN.with(Flags::PSH), Flags(0), Flags::SYN.with(Flags::FIN), Flags::ACK];
    for backlog in [64, 0] {
        let mut host = Host::new(config(SERVER));
        host.listen(PORT, backlog).unwrap();
        // Cookies are about: an acknowledgement might bring one back.
        host.handle(Time::ZERO, Input::packet(&packet(CLIENT, SERVER, &segment(4, PORT, Flags::SYN, 1, 0))));
        answers(&mut host);
        let mut from = 5;
        let mut hear = |to, flags| {
            from += 1;
            let bytes = packet(CLIENT, SERVER, &segment(from, to, flags, 10, 20));
            host.handle(Time::ZERO, Input::packet(&bytes));
            answers(&mut host).iter().map(|answer| answer.flags).collect::<Vec<_>>()
        };
        let reset = vec![Flags::RST.with(Flags::ACK)];
        let heard = flags.map(|flags| hear(PORT, flags));
        let [quiet @ .., request, acknowledgement] = heard;
        assert!(quiet.iter().all(Vec::is_empty), "{quiet:?}");
        assert_eq!((request, acknowledgement), (vec![Flags::SYN.with(Flags::ACK)], vec![Flags::RST]));
        assert_eq!(hear(PORT, Flags::SYN.with(Flags::ACK)), [Flags::RST]);
        assert!(hear(PORT, Flags::RST).is_empty());
        assert_eq!(flags.map(|flags| hear(6, flags))[..5], [const { &[] as &[Flags] }; 5].map(|_| reset.clone()));
    }
}

#[test]
fn closed_ports_reset_but_never_resets_and_not_too_often() {
    let mut host = Host::new(config(SERVER));
    let mut hear = |flags, at_ms| {
        let bytes = packet(CLIENT, SERVER, &segment(5, 6, flags, 10, 20));
        host.handle(Time::ZERO + Duration::from_millis(at_ms), Input::packet(&bytes));
        answers(&mut host)
    };
    let [reset] = hear(Flags::SYN, 0)[..] else { panic!("a reset is due") };
    assert_eq!((reset.flags, reset.seq, reset.ack), (Flags::RST.with(Flags::ACK), Seq(0), Seq(11)));
    assert!(hear(Flags::RST, 0).is_empty());
    assert!(hear(Flags::RST.with(Flags::ACK), 0).is_empty());
    let sent: usize = (0..10_000).map(|n| hear(Flags::ACK, 1 + n / 100).len()).sum();
    assert!((99..200).contains(&sent), "{sent} in 100 ms");
    // A second later it goes on; and others were never kept from theirs.
    assert_eq!(hear(Flags::ACK, 1000).len(), 1);
    let other = packet(Address(CLIENT.0 + 1), SERVER, &segment(5, 6, Flags::ACK, 10, 20));
    host.handle(Time::ZERO + Duration::from_secs(1), Input::packet(&other));
    assert_eq!(answers(&mut host).len(), 1);
}

#[test]
fn nobody_can_tell_from_resets_whether_others_got_any() {
    // As many segments of one's own as a bound might have, before and after others' (CVE-2016-5696).
    let heard = |others: u32, second: u64| {
        let mut host = Host::new(config(SERVER));
        let now = Time::ZERO + Duration::from_secs(second);
        let mut hear = |source, times: u32| {
            let bytes = packet(source, SERVER, &segment(5, 6, Flags::ACK, 10, 20));
            (0..times)
                .map(|_| {
                    host.handle(now, Input::packet(&bytes));
                    answers(&mut host).len()
                })
                .sum::<usize>()
        };
        hear(CLIENT, others);
        hear(Address(CLIENT.0 + 1), 2000)
    };
    assert_eq!(heard(0, 0), heard(1000, 0));
    assert!((1..9).any(|second| heard(0, second) != heard(0, 0)));
}

#[test]
fn packets_from_ourselves_and_from_nobody_are_ignored() {
    let mut host = Host::new(config(SERVER));
    host.listen(PORT, 8).unwrap();
    let broadcast = Address(SERVER.0 | 0xff);
    let nobody =
        [SERVER, broadcast, Address(SERVER.0 & !0xff), Address::BROADCAST, Address(0xe000_0001), Address(0x7f00_0001)];
    for source in nobody {
        let bytes = packet(source, SERVER, &segment(PORT, PORT, Flags::SYN, 1, 0));
        host.handle(Time::ZERO, Input::packet(&bytes));
    }
    for destination in [broadcast, CLIENT, Address(0xe000_0001)] {
        let bytes = packet(Address(SERVER.0 + 9), destination, &segment(9, PORT, Flags::SYN, 1, 0));
        host.handle(Time::ZERO, Input::packet(&bytes));
    }
    assert!(host.poll().is_none());
    assert_eq!(host.statistics().packets_ignored, 9);
    assert_eq!(host.connection_count(), 0);
}

#[test]
fn a_blind_reset_must_hit_the_very_number() {
    let mut net = Net::new(config(SERVER), config(CLIENT));
    net.served = noise(300_000, 1);
    let handle = net.connect(b"");
    net.run(Duration::from_millis(30));
    let client_port = net.hosts[1].local_port(handle).unwrap();
    for n in 0..20_000u32 {
        let reset = segment(client_port, PORT, Flags::RST, n.wrapping_mul(214_748), 0);
        net.hosts[0].handle(net.now, Input::packet(&packet(CLIENT, SERVER, &reset)));
    }
    net.run(Duration::from_secs(30));
    assert!(net.apps[1][&handle].received == net.served);
}

#[test]
fn echo_requests_are_answered() {
    let mut host = Host::new(config(SERVER));
    let echo = Echo { identifier: 3, sequence: 4, data: b"abcdefgh" };
    host.handle(Time::ZERO, Input::packet(&control(CLIENT, SERVER, &Message::EchoRequest(echo))));
    let Some(Output::Send(reply)) = host.poll() else { panic!("a reply is due") };
    let mut bytes = Vec::new();
    host.emit(&reply, Checksums::Complete, &mut bytes);
    assert_eq!(bytes, control(SERVER, CLIENT, &Message::EchoReply(echo)));
}

#[test]
fn unreachable_ports_end_only_what_is_not_open_yet() {
    let mut host = Host::new(config(CLIENT));
    let to = Endpoint { address: SERVER, port: PORT };
    let handle = host.connect(Time::ZERO, to).unwrap();
    let [syn] = answers(&mut host)[..] else { panic!("a SYN is due") };
    let mut tell = |code, seq: Seq| {
        let quoted = packet(CLIENT, SERVER, &Segment { seq, ..syn });
        let message = control(SERVER, CLIENT, &Message::Unreachable { code, quoted: &quoted[..28] });
        host.handle(Time::ZERO, Input::packet(&message));
        host.poll()
    };
    assert!(tell(1, syn.seq).is_none());
    assert!(tell(3, syn.seq + 1).is_none());
    let Some(Output::Event(event)) = tell(3, syn.seq) else { panic!("the attempt has ended") };
    assert_eq!((event.handle, event.kind), (handle, EventKind::Unreachable(3)));

    let mut net = Net::new(config(SERVER), config(CLIENT));
    net.served = noise(100_000, 1);
    let handle = net.connect(b"");
    net.run(Duration::from_millis(12));
    let port = net.hosts[1].local_port(handle).unwrap();
    let quoted = packet(CLIENT, SERVER, &segment(port, PORT, Flags::ACK, 0, 0));
    let message = control(SERVER, CLIENT, &Message::Unreachable { code: 3, quoted: &quoted[..28] });
    net.hosts[1].handle(net.now, Input::packet(&message));
    net.run(Duration::from_secs(10));
    assert!(net.apps[1][&handle].received == net.served);
}

#[test]
fn a_refused_connection_says_so() {
    let mut net = Net::new(config(SERVER), config(CLIENT));
    net.hosts[0].unlisten(PORT);
    let handle = net.connect(b"");
    net.run(Duration::from_secs(1));
    assert_eq!(net.apps[1][&handle].events, [EventKind::Refused]);
}

#[test]
fn no_bytes_make_a_host_panic() {
    let mut host = Host::new(Config { max_connections: 5, ..config(SERVER) });
    host.listen(PORT, 2).unwrap();
    let good = packet(CLIENT, SERVER, &segment(9, PORT, Flags::SYN, 1, 0));
    let noise = noise(200_000, 9);
    for (n, chunk) in noise.chunks(20).enumerate() {
        let mut bytes = good.clone();
        for pair in chunk.chunks(2) {
            let at = usize::from(pair[0]) % bytes.len();
            bytes[at] = pair[1];
        }
        host.handle(
            Time::from_nanos(n as u64 * 1000),
            Input::Packet { bytes: &bytes, is_verified: true, segment_bytes: 7 },
        );
        while let Some(output) = host.poll() {
            if let Output::Send(packet) = output {
                host.emit(&packet, Checksums::OfPseudoHeader, &mut Vec::new());
            }
        }
    }
    assert!(host.connection_count() <= 5);
}
