//! Real bytes, both ways, over good and bad links.

use hopwright_host::{Config, EventKind, Host};
use hopwright_machine::Duration;
use hopwright_transport::params::{EcnMode, Place};
use hopwright_transport::{Params, Value};
use hopwright_wire::tcp::{Flags, Pull, Seq};

use super::net::{CLIENT, Closes, Net, PORT, SERVER, config, noise, params};

fn lossy(lost: u32, burst: u32) -> Net {
    let with = |address| Config { largest_burst_bytes: burst, ..config(address) };
    let mut net = Net::new(with(SERVER), with(CLIENT));
    net.lost = lost;
    net
}

#[test]
fn bytes_arrive_whole_in_both_directions() {
    for (lost, burst) in [(0, 0), (30, 0), (0, 60_000), (30, 60_000)] {
        let mut net = lossy(lost, burst);
        net.served = noise(700_000, 1);
        let handle = net.connect(&noise(500_000, 2));
        net.run(Duration::from_secs(300));
        assert!(net.app(0).received == noise(500_000, 2), "to the server, {lost} lost, {burst} at once");
        assert!(net.apps[1][&handle].received == net.served, "to the client, {lost} lost, {burst} at once");
        assert_eq!(net.app(0).events.last(), Some(&EventKind::Closed));
        assert_eq!([0, 1].map(|at| net.hosts[at].connection_count()), [0, 0]);
    }
}

/// A client that asks for what it receives, and sends as any; the server need not be told beforehand.
#[test]
fn a_client_asks_for_its_data() {
    for (lost, burst) in [(0, 0), (30, 0), (0, 60_000), (30, 60_000)] {
        let mut net = lossy(lost, burst);
        let with = Config { largest_burst_bytes: burst, ..config(CLIENT) };
        let params = Params { place: Place::Receiver, ..with.params.clone() };
        net.hosts[1] = Host::new(Config { params, ..with });
        net.served = noise(700_000, 1);
        let handle = net.connect(&noise(500_000, 2));
        net.run(Duration::from_secs(300));
        assert!(net.app(0).received == noise(500_000, 2), "to the server, {lost} lost, {burst} at once");
        assert!(net.apps[1][&handle].received == net.served, "to the client, {lost} lost, {burst} at once");
        assert_eq!([0, 1].map(|at| net.hosts[at].connection_count()), [0, 0]);
        let pulls = |by: usize| net.log.iter().filter(move |sent| sent.by == by).map(|sent| sent.segment.options.pull);
        assert!(pulls(0).all(|pull| matches!(pull, Pull::Holds(_))), "every segment says what there is");
        let requests = pulls(1).filter(|pull| matches!(pull, Pull::Request { .. })).count();
        assert!(requests >= 700_000 / 1460, "{requests}");
    }
}

/// RFC 3168 through headers of IP and TCP: marks make the receiver echo and the sender say that it cut its window; new
/// data are capable, in super-segments too, and nothing else is.
#[test]
fn congestion_marks_go_through() {
    for (lost, burst) in [(0, 0), (20, 60_000)] {
        let mut net = lossy(lost, burst);
        for address in [SERVER, CLIENT] {
            let with = Config { largest_burst_bytes: burst, ..config(address) };
            let ecn = if address == SERVER { EcnMode::Accept } else { EcnMode::On };
            let params = Params { ecn, ..with.params.clone() };
            net.hosts[usize::from(address == CLIENT)] = Host::new(Config { params, ..with });
        }
        net.hosts[0].listen(PORT, 64).unwrap();
        net.marked = 20;
        net.connect(&noise(900_000, 2));
        net.run(Duration::from_secs(300));
        assert!(net.app(0).received == noise(900_000, 2), "{lost} lost, {burst} at once");
        let of = |by: usize| net.log.iter().filter(move |sent| sent.by == by && !sent.segment.flags.has(Flags::SYN));
        let echoes = of(0).filter(|sent| sent.segment.flags.has(Flags::ECE)).count();
        let cuts = of(1).filter(|sent| sent.segment.flags.has(Flags::CWR)).count();
        assert!(echoes > cuts && cuts > 3, "{echoes} echoes, {cuts} cuts");
        let mut highest = Seq(net.log[0].segment.seq.0);
        for sent in net.log.iter().filter(|sent| sent.by == 1) {
            let is_new = sent.segment.payload_bytes > 0 && sent.segment.seq.is_after(highest);
            assert_eq!(sent.header[1] & 3, if is_new { 2 } else { 0 }, "{:?}", sent.segment);
            assert!(is_new || !sent.segment.flags.has(Flags::CWR) || sent.segment.flags.has(Flags::SYN));
            highest = highest.max(sent.segment.end() - 1);
        }
        assert!(of(0).all(|sent| sent.segment.payload_bytes > 0 || sent.header[1] & 3 == 0));
    }
}

/// RFC 5681 §4.2: twenty segments, a millisecond apart, are ten acknowledgements, also where the application takes each
/// at once.
#[test]
fn reading_at_once_adds_no_acknowledgements() {
    for reads in [false, true] {
        let with = |address| {
            let config = config(address);
            let params = Params { receive_buffer_bytes: 1 << 20, initial_window_segments: 30, ..config.params.clone() };
            Config { recipe: config.recipe.with("acking", "delayed").unwrap(), params, ..config }
        };
        let mut net = Net::new(with(SERVER), with(CLIENT));
        (net.reads, net.clients_close) = ([reads; 2], Closes::Never);
        let handle = net.connect(b"");
        net.run(Duration::from_millis(50));
        let opened = net.log.len();
        for _ in 0..20 {
            net.hosts[1].write(net.now, handle, &[0; 1448]);
            net.run(Duration::from_millis(1));
        }
        net.run(Duration::from_millis(200));
        let by = |by: usize| net.log[opened..].iter().filter(move |sent| sent.by == by).count();
        assert_eq!((by(0), by(1)), (10, 20), "acknowledgements and segments where the application reads: {reads}");
        assert_eq!(net.app(0).received.len(), if reads { 20 * 1448 } else { 0 });
    }
}

#[test]
fn the_same_run_twice_is_the_same() {
    let run = || {
        let mut net = lossy(20, 20_000);
        net.served = noise(300_000, 1);
        net.connect(&noise(300_000, 2));
        net.run(Duration::from_secs(100));
        (net.packets, net.hosts[0].statistics(), net.hosts[1].statistics())
    };
    assert_eq!(run(), run());
}

#[test]
fn a_thousand_short_connections_come_and_go() {
    let mut net = lossy(5, 0);
    net.served = noise(3_000, 1);
    for _ in 0..1_000 {
        net.connect(b"please");
        net.run(Duration::from_millis(7));
    }
    net.run(Duration::from_secs(400));
    assert_eq!(net.apps.each_ref().map(|apps| apps.len()), [1_000, 1_000]);
    assert!(net.apps[0].values().all(|app| app.received == b"please"));
    assert!(net.apps[1].values().all(|app| app.received == net.served));
    assert_eq!([0, 1].map(|at| net.hosts[at].connection_count()), [0, 0]);
}

#[test]
fn the_oldest_connection_in_time_wait_makes_room() {
    let small = |address| Config { max_connections: 10, ..config(address) };
    let mut net = Net::new(small(SERVER), small(CLIENT));
    net.served = b"bye".to_vec();
    for _ in 0..40 {
        net.connect(b"hi");
        net.run(Duration::from_millis(100));
    }
    assert_eq!(net.apps[1].len(), 40);
    assert!(net.apps[1].values().all(|app| app.received == b"bye"));
    let recycled: u64 = net.hosts.iter().map(|host| host.statistics().time_waits_recycled).sum();
    assert!(recycled >= 30, "{recycled}");
}

#[test]
fn a_window_smaller_than_a_segment_still_carries_everything() {
    let mut tiny = params();
    tiny.set("receive_buffer_bytes", Value::Number(700.0)).unwrap();
    let mut net = Net::new(config(SERVER), Config { params: tiny, ..config(CLIENT) });
    net.served = noise(20_000, 1);
    let handle = net.connect(b"");
    net.run(Duration::from_secs(200));
    assert!(net.apps[1][&handle].received == net.served);
}

#[test]
fn a_dead_peer_is_given_up_after_the_user_timeout() {
    let params = Params { user_timeout: Duration::from_secs(30), ..params() };
    let mut net = Net::new(Config { params, ..config(SERVER) }, config(CLIENT));
    net.served = noise(2_000_000, 1);
    net.connect(b"");
    net.run(Duration::from_millis(40));
    net.is_up = false;
    net.run(Duration::from_secs(120));
    assert_eq!(net.app(0).events.last(), Some(&EventKind::TimedOut));
    assert_eq!(net.hosts[0].connection_count(), 0);
}

#[test]
fn ten_thousand_idle_connections_cost_nothing() {
    use hopwright_machine::{Machine, Time};
    let mut net = Net::new(config(SERVER), config(CLIENT));
    net.served = noise(1, 1);
    net.delay = Duration::from_micros(1);
    for _ in 0..10_000 {
        let to = hopwright_host::Endpoint { address: SERVER, port: super::net::PORT };
        net.hosts[1].connect(net.now, to).unwrap();
        net.run(Duration::from_micros(10));
    }
    net.run(Duration::from_secs(1));
    assert!(net.hosts[0].connection_count() + net.hosts[1].connection_count() >= 10_000);
    let packets = net.packets;
    net.run(Duration::from_secs(10));
    assert_eq!(net.packets, packets);
    assert!(net.hosts[0].deadline() > net.now || net.hosts[0].deadline() == Time::NEVER);
}

#[test]
fn whoever_waits_for_stray_segments_keeps_nobody_waiting() {
    for (ours, theirs) in [(10, 200_000), (200_000, 10), (50_000, 50_000)] {
        let mut net = lossy(0, 0);
        net.served = noise(theirs, 1);
        let handle = net.connect(&noise(ours, 2));
        net.run(Duration::from_secs(2));
        for app in [net.app(0), &net.apps[1][&handle]] {
            assert_eq!(app.events.last(), Some(&EventKind::Closed), "{ours}, {theirs}");
        }
        // Both closed at once, or one of them first.
        assert!(net.hosts.iter().any(|host| host.connection_count() == 1));
        net.run(Duration::from_secs(200));
        assert!(
            net.apps.iter().all(|apps| apps.values().all(|app| app.events.iter().filter(|e| e.is_last()).count() == 1))
        );
    }
}

#[test]
fn a_client_that_never_closes_is_given_up() {
    let params = Params { fin_wait_2_timeout: Duration::from_secs(60), ..params() };
    let mut net = Net::new(Config { params, ..config(SERVER) }, config(CLIENT));
    net.served = noise(10_000, 1);
    net.clients_close = Closes::Never;
    net.connect(b"");
    net.run(Duration::from_secs(59));
    assert_eq!(net.hosts[0].connection_count(), 1);
    net.run(Duration::from_secs(3));
    assert_eq!(net.hosts[0].connection_count(), 0);
    assert_eq!(net.app(0).events.last(), Some(&EventKind::TimedOut), "the application waits for what the client says");
}

#[test]
fn a_silent_client_that_has_everything_is_no_failure() {
    let params = Params { fin_wait_2_timeout: Duration::from_secs(60), ..params() };
    let mut net = Net::new(Config { params, ..config(SERVER) }, config(CLIENT));
    net.served = noise(10_000, 1);
    net.clients_close = Closes::Never;
    net.connect(b"");
    net.run(Duration::from_secs(30));
    let handle = *net.apps[0].keys().next().unwrap();
    net.hosts[0].close(net.now, handle); // it does not wait for what the client says
    net.run(Duration::from_secs(32));
    assert_eq!(net.hosts[0].connection_count(), 0);
    assert_eq!(net.app(0).events.last(), Some(&EventKind::Closed));
    assert_eq!(net.hosts[0].statistics().connections_stalled, 0);
}

#[test]
fn what_carries_data_may_be_fragmented_and_is_numbered() {
    for burst in [0, 60_000] {
        let mut net = lossy(20, burst);
        net.served = noise(500_000, 1);
        net.connect(&noise(300_000, 2));
        net.run(Duration::from_secs(100));
        for by in [0, 1] {
            let mut next = None;
            for sent in net.log.iter().filter(|sent| sent.by == by) {
                let number = u16::from_be_bytes([sent.header[4], sent.header[5]]);
                if sent.segment.payload_bytes == 0 {
                    assert_eq!((sent.header[6], number), (0x40, 0));
                    continue;
                }
                assert_eq!(sent.header[6], 0);
                assert!(next.is_none_or(|next| next == number), "{number} after {next:?}");
                next = Some(number.wrapping_add(sent.segments as u16));
            }
            assert!(next.is_some());
        }
    }
}

/// An address is given an eighth of what is free.
#[test]
fn all_connections_together_keep_no_more_than_they_may() {
    let most = 3_000_000;
    let with = Config { max_buffered_bytes: most, ..config(SERVER) };
    let mut net = Net::new(with, config(CLIENT));
    net.served = noise(4_000_000, 1);
    for _ in 0..6 {
        net.connect(b"");
        net.run(Duration::from_millis(20));
    }
    let mut worst = 0;
    for _ in 0..10_000 {
        net.run(Duration::from_millis(10));
        let written: u64 = net.apps[0].values().map(|app| app.sent as u64).sum();
        let kept = written - net.hosts[0].statistics().acked_bytes;
        assert!(kept <= net.hosts[0].buffered_bytes(CLIENT));
        worst = worst.max(net.hosts[0].buffered_bytes(CLIENT));
    }
    assert!((most / 20..=most / 8).contains(&worst), "{worst} bytes at once");
    assert_eq!(net.hosts[0].statistics().requests_dropped, 0);
    assert!(net.apps[1].values().all(|app| app.received == net.served));
    assert_eq!(net.hosts[0].buffered_bytes(CLIENT), 0);
}

#[test]
fn counters_are_up_to_date_at_any_time() {
    let mut net = lossy(20, 0);
    net.served = noise(500_000, 1);
    net.connect(b"");
    for _ in 0..200 {
        net.run(Duration::from_millis(10));
        let statistics = net.hosts[0].statistics();
        if let Some(public) = net.apps[0].keys().next().and_then(|&handle| net.hosts[0].public(handle)) {
            assert_eq!((statistics.acked_bytes, statistics.segments_sent), (public.acked_bytes, public.segments_sent));
            assert_eq!(statistics.retransmissions, public.retransmissions);
        }
    }
    assert_eq!(net.hosts[0].statistics().acked_bytes, 500_000);
    assert_eq!(net.hosts[1].statistics().delivered_bytes, 500_000);
}

/// Whoever sends needs again at once the room that an acknowledgement frees; whoever has sent everything does not.
#[test]
fn a_stream_that_flows_keeps_its_room_and_one_that_rests_gives_it_back() {
    let mut net = Net::new(config(SERVER), config(CLIENT));
    (net.served, net.clients_close) = (noise(4_000_000, 1), Closes::Never);
    net.connect(b"");
    let mut room = Vec::new();
    while net.hosts[0].statistics().acked_bytes < 4_000_000 {
        net.run(Duration::from_millis(1));
        room.push(net.hosts[0].buffered_bytes(CLIENT));
    }
    let most = room[room.len() - 1];
    assert!(most > 100_000 && room.is_sorted(), "{room:?}");
    net.run(Duration::from_millis(900));
    assert_eq!(net.hosts[0].buffered_bytes(CLIENT), most);
    net.run(Duration::from_millis(200));
    assert!(net.hosts[0].buffered_bytes(CLIENT) <= 4096);
    assert_eq!(net.hosts[0].connection_count(), 1);
}
