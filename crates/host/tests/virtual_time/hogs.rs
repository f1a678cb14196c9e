//! Peers that keep what a host has, and give nothing for it.

use std::collections::BTreeMap;

use hopwright_host::{Config, Endpoint, Host};
use hopwright_machine::{Address, Duration, Time};
use hopwright_transport::Params;
use hopwright_wire::tcp::{Flags, Seq};

use super::net::{CLIENT, Net, SERVER, config, params};
use super::town::{Appetite, Town, segment};

const HOGS: Address = Address(0x0a09_0050);
const TRICKLERS: Address = Address(0x0a09_0051);
const REAL: Address = Address(0x0a09_0060);

const MEBIBYTE: u64 = 1 << 20;

fn town(change: impl FnOnce(&mut Config)) -> Town {
    let mut config = config(SERVER);
    change(&mut config);
    Town::new(config)
}

fn seconds(s: u64) -> Duration {
    Duration::from_secs(s)
}

/// Connects, and says how long the file took; fails after a minute.
fn fetch(town: &mut Town, address: Address) -> Duration {
    let begun = town.now;
    town.client(address);
    for _ in 0..600 {
        town.run(Duration::from_millis(100));
        if let Some(time) = town.time_of(address, begun) {
            return time;
        }
    }
    panic!("{} bytes after a minute, {:?}", town.clients[&address].received, town.server.statistics());
}

/// A thousand that read nothing, 500 that open their window by a byte a second, 500 that acknowledge one; real clients
/// among them. Each address keeps no more than it may, and after a minute the hogs are gone, their peers told.
#[test]
fn two_thousand_who_take_next_to_nothing_keep_nobody_waiting() {
    for (most, wait_s) in [(128 * MEBIBYTE, 1), (16 * MEBIBYTE, 6)] {
        let mut town = town(|config| config.max_buffered_bytes_per_address = most);
        town.worst = BTreeMap::from([(HOGS, 0), (TRICKLERS, 0)]);
        for n in 0..1000 {
            town.hog(HOGS, 2000 + n, Appetite::Nothing);
            let little = if n % 2 == 0 { Appetite::Opens(1) } else { Appetite::Acknowledges(1) };
            town.hog(TRICKLERS, 2000 + n, little);
            town.run(Duration::from_millis(1));
        }
        assert!(fetch(&mut town, REAL) < seconds(2));
        assert!(town.hogs.values().all(|hog| hog.is_open));
        // Behind the address of hogs somebody may have to wait until they have taken nothing for a while.
        town.run(seconds(wait_s));
        for (n, address) in [HOGS, Address(REAL.0 + 1), Address(REAL.0 + 2)].into_iter().enumerate() {
            let time = fetch(&mut town, address);
            assert!(time < seconds(2), "{time:?} for number {n}");
            town.run(seconds(10));
        }
        // Each has the first buffer, if there is so much; what it may have in any case, two segments, comes on top.
        for address in [HOGS, TRICKLERS] {
            let worst = town.worst[&address];
            let expected = most.min(1000 << 16);
            assert!((expected / 2..expected + 1001 * 2 * 1460).contains(&worst), "{worst} of {most} bytes");
        }
        town.run(seconds(60));
        let displaced = town.server.statistics().connections_displaced;
        assert_eq!(displaced > 0, wait_s > 1);
        assert_eq!(town.server.statistics().connections_stalled + displaced, 2000, "{:?}", town.ends);
        assert!(displaced < 1000, "{displaced}");
        assert!(town.hogs.values().all(|hog| hog.ended.is_some()));
        let left = [HOGS, TRICKLERS].map(|address| town.server.buffered_bytes(address));
        assert!(left[0] < 10_000 && left[1] == 0, "{left:?}"); // one client waits for stray segments
    }
}

/// However many addresses hogs have. Where they take all memory, whoever is served waits until they have taken nothing
/// for a while, and then for them no more.
#[test]
fn hogs_of_many_addresses_leave_room_for_one_more() {
    for (most, wait_s) in [(1024 * MEBIBYTE, 0), (64 * MEBIBYTE, 6)] {
        let mut town = town(|config| config.max_buffered_bytes = most);
        for n in 0..2000 {
            town.hog(Address(0x0b00_0000 + n), 2000, Appetite::Nothing);
            town.run(Duration::from_millis(1));
        }
        let all: u64 = (0..2000).map(|n| town.server.buffered_bytes(Address(0x0b00_0000 + n))).sum();
        assert!(all <= most + 2000 * 2 * 1460, "{all} bytes");
        town.run(seconds(wait_s));
        let time = fetch(&mut town, REAL);
        assert!(time < seconds(2), "{time:?}");
        assert!(fetch(&mut town, Address(REAL.0 + 1)) < seconds(2));
        assert_eq!(town.server.statistics().connections_displaced > 0, wait_s > 0);
        assert!(town.server.statistics().connections_displaced < 1000, "{:?}", town.server.statistics());
    }
}

#[test]
fn who_takes_nothing_is_given_up_after_the_stated_time() {
    let cases = [
        (Appetite::Nothing, 100, Some(60..=62)),
        (Appetite::Opens(1), 100, Some(60..=64)),
        (Appetite::Acknowledges(1), 100, Some(60..=64)),
        (Appetite::Opens(50), 100, Some(115..=135)), // half of the least rate: it lasts twice as long
        (Appetite::Opens(120), 100, None),
        (Appetite::Acknowledges(120), 100, None),
        (Appetite::Opens(1), 0, None), // any progress will do
        (Appetite::Nothing, 0, Some(60..=62)),
    ];
    for (appetite, least_rate_bytes_per_s, expected) in cases {
        let mut town = town(|config| config.least_rate_bytes_per_s = least_rate_bytes_per_s);
        town.hog(HOGS, 2000, appetite);
        town.run(seconds(400));
        let ended =
            town.hogs.values().next().unwrap().ended.map(|time| time.since(Time::ZERO).as_nanos() / 1_000_000_000);
        match expected {
            Some(range) => {
                assert!(ended.is_some_and(|at| range.contains(&at)), "{ended:?}, not {range:?}");
                assert_eq!(town.ends["stalled"], 1);
            }
            None => assert_eq!((ended, town.server.connection_count()), (None, 1)),
        }
    }
    let mut patient = town(|config| config.stall_timeout = Duration::ZERO);
    patient.hog(HOGS, 2000, Appetite::Nothing);
    patient.run(seconds(4000));
    assert_eq!(patient.server.connection_count(), 1);
}

/// Whom we asked ourselves, we wait for.
#[test]
fn a_server_that_takes_nothing_is_waited_for() {
    let mut net = Net::new(config(SERVER), config(CLIENT));
    net.reads = [false, true];
    net.connect(&vec![7; 1_000_000]);
    net.run(seconds(4000));
    assert_eq!(net.hosts.each_ref().map(Host::connection_count), [1, 1]);
    net.reads = [true; 2];
    let server = *net.apps[0].keys().next().unwrap();
    let (a, b) = net.hosts[0].received(server);
    let unread = a.len() + b.len();
    net.hosts[0].read(net.now, server, unread);
    net.run(seconds(100));
    assert_eq!(unread + net.app(0).received.len(), 1_000_000);
}

/// An outage is the path's fault: the user time-out says how long it may last.
#[test]
fn a_path_that_carries_nothing_for_a_while_uses_up_little_patience() {
    for (dark_s, survives) in [(100, true), (130, false)] {
        let mut town = town(|config| config.params = Params { user_timeout: seconds(120), ..params() });
        town.served = vec![7; 40_000_000];
        town.client(REAL);
        town.run(Duration::from_millis(60));
        assert!(town.clients[&REAL].received > 0);
        town.is_dark = true;
        town.run(seconds(dark_s));
        town.is_dark = false;
        town.run(seconds(200));
        assert_eq!(town.time_of(REAL, Time::ZERO).is_some(), survives);
        assert_eq!(town.server.statistics().connections_stalled, 0);
    }
}

/// A table full of hogs: nobody else is let in by asking, and who has proven to be there takes the place of one.
#[test]
fn a_new_client_takes_the_place_of_who_takes_nothing() {
    let mut town = town(|config| config.max_connections = 100);
    for n in 0..100 {
        town.hog(Address(0x0b00_0000 + n), 2000, Appetite::Nothing);
    }
    town.run(seconds(1));
    for n in 0..1000 {
        town.say(Address(0x0c00_0000 + n), &segment(2000, Flags::SYN, Seq(n), Seq(0), 60_000), &[]);
    }
    town.run(seconds(7)); // nobody has lost patience yet, and then nobody came back
    assert_eq!(town.server.statistics().connections_displaced, 0);
    assert_eq!(town.server.statistics().requests_dropped, 1000);
    let time = fetch(&mut town, REAL);
    assert!(time < seconds(2), "{time:?}");
    assert_eq!((town.server.statistics().connections_displaced, town.ends["displaced"]), (1, 1));
    assert_eq!(town.hogs.values().filter(|hog| hog.ended.is_some()).count(), 1);
    assert!(town.server.connection_count() <= 100);
    for n in 0..1000 {
        town.say(Address(0x0c00_0000 + n), &segment(2000, Flags::SYN, Seq(n), Seq(0), 60_000), &[]);
    }
    town.run(seconds(1));
    assert_eq!(town.server.statistics().connections_displaced, 1);
}

#[test]
fn an_address_has_so_many_connections_and_others_theirs() {
    let mut town = town(|config| config.max_connections_per_address = 10);
    for n in 0..30 {
        town.hog(HOGS, 2000 + n, Appetite::Nothing);
    }
    town.run(seconds(1));
    assert_eq!(town.hogs.values().filter(|hog| hog.is_open).count(), 10);
    let statistics = town.server.statistics();
    assert_eq!((statistics.requests_dropped, statistics.requests_over_address), (20, 20));
    assert!(fetch(&mut town, REAL) < seconds(2));
    // Later, the eleventh takes the place of one of them, and nobody else's.
    town.run(seconds(6));
    town.hog(TRICKLERS, 2000, Appetite::Nothing);
    assert!(fetch(&mut town, HOGS) < seconds(2));
    assert_eq!(town.server.statistics().connections_displaced, 1);
    assert!(town.hogs.iter().all(|(from, hog)| from.address == HOGS || hog.ended.is_none()));
}

/// Requests of one address leave places for half-open connections of others.
#[test]
fn an_address_has_so_many_half_open_connections() {
    let mut town = town(|_| ());
    for n in 0..200 {
        town.say(HOGS, &segment(2000 + n, Flags::SYN, Seq(9), Seq(0), 60_000), &[]);
    }
    town.run(Duration::from_millis(100));
    assert_eq!((town.server.connection_count(), town.server.statistics().cookies_sent), (64, 200 - 64));
    assert!(fetch(&mut town, REAL) < seconds(2));
    assert_eq!(town.server.statistics().cookies_sent, 200 - 64);
}

/// What comes beyond gaps, a byte at a time, counts too; beyond the bound it is not kept.
#[test]
fn what_is_kept_beyond_gaps_is_bounded_per_address() {
    let most = MEBIBYTE;
    let mut town = town(|config| {
        config.max_buffered_bytes_per_address = most;
        config.params = Params { receive_buffer_bytes: 1 << 20, ..params() };
    });
    (town.served, town.worst) = (vec![7], BTreeMap::from([(HOGS, 0)]));
    for n in 0..50 {
        town.hog(HOGS, 2000 + n, Appetite::Nothing);
    }
    town.run(seconds(1));
    for n in 0..50u16 {
        let hog = &town.hogs[&Endpoint { address: HOGS, port: 2000 + n }];
        let (at, ack) = (hog.seq, hog.next);
        for k in 0..700u32 {
            let mut tiny = segment(2000 + n, Flags::ACK, at + 2 + 60 * k, ack, 60_000);
            tiny.payload_bytes = 50;
            town.say(HOGS, &tiny, &[1; 50]);
        }
        town.run(Duration::from_millis(10));
    }
    let worst = town.worst[&HOGS];
    assert!((most / 4..=most).contains(&worst), "{worst} bytes");
    assert!(fetch(&mut town, REAL) < seconds(2));
}

/// A peer that has everything, and does not close its own end.
#[test]
fn who_never_closes_is_forgotten_if_the_host_has_closed_whole() {
    for closes_both in [true, false] {
        let mut town = town(|_| ());
        (town.served, town.closes_both) = (vec![7; 1000], closes_both);
        town.hog(HOGS, 2000, Appetite::Everything);
        town.run(seconds(59));
        assert_eq!(town.server.connection_count(), 1);
        town.run(seconds(10));
        let is_gone = town.server.connection_count() == 0;
        assert_eq!(
            (is_gone, town.ends.get("closed").copied()),
            if closes_both { (true, Some(1)) } else { (false, None) }
        );
    }
}

/// RFC 9293 §3.6.1: data for nobody are answered with a reset, and are no failure if the peer has everything.
#[test]
fn who_talks_to_a_host_that_has_closed_whole_is_reset() {
    for (appetite, end) in [(Appetite::Everything, "closed"), (Appetite::Nothing, "reset")] {
        let mut town = town(|config| config.first_send_buffer_bytes = 1 << 20);
        (town.served, town.closes_both) = (vec![7; 100_000], true);
        town.hog(HOGS, 2000, appetite);
        town.run(seconds(1));
        assert_eq!(town.server.connection_count(), 1);
        let hog = &town.hogs[&Endpoint { address: HOGS, port: 2000 }];
        let mut more = segment(2000, Flags::ACK, hog.seq, hog.next, 0);
        more.payload_bytes = 5;
        town.say(HOGS, &more, b"again");
        town.run(seconds(1));
        assert!(town.hogs.values().all(|hog| hog.ended.is_some()));
        assert_eq!((town.server.connection_count(), town.ends.get(end).copied()), (0, Some(1)), "{:?}", town.ends);
    }
}
