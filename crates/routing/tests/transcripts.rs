//! What every router does, packet by packet, in networks that are never the same for long: the same bits in every
//! build, on every machine.
//!
//! Each line of `transcripts.txt` is a sum over some networks' lives. A change of behaviour changes lines; the failing
//! test names them and says where it has put the new table. Who means the change copies that table, and says in the
//! commit what changed and why; who does not has found a mistake.

use std::fs;
use std::hash::Hasher as _;
use std::path::Path;
use std::sync::Arc;

use hopwright_machine::{Duration, NodeId, Purpose, Stream};
use hopwright_routing::{Config, Input, Wishes, aodv, dsdv, dsr, olsr};
use hopwright_wire::notice::{Asks, Flow, Kind, Restored};
use hopwright_wire::{Payload, ip, tcp};
use siphasher::sip::SipHasher13;

use crate::field::{Field, address};

const TABLE: &str = include_str!("transcripts.txt");
/// In rows of three.
const NODES: usize = 9;
const PORTS: (u16, u16) = (33_001, 5_001);

/// Whether the protocol knows links that carry one way only, and nodes that lose their memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bears {
    Links,
    All,
}

fn segment(number: u32) -> Payload {
    let segment = tcp::Segment {
        source_port: PORTS.0,
        destination_port: PORTS.1,
        seq: tcp::Seq(number),
        ack: tcp::Seq(0),
        flags: tcp::Flags::ACK,
        window: 9,
        urgent: 0,
        options: tcp::Options::default(),
        payload_bytes: 100,
        ecn: ip::Ecn::NotCapable,
    };
    Payload::Tcp(segment.into())
}

/// The transport of node 0 that talks to the farthest node wants to hear of its route.
fn wishes(restored: Restored) -> Arc<Wishes> {
    let (source, destination) = (address(0), address(NODES - 1));
    let flow = Flow { source, destination, source_port: PORTS.0, destination_port: PORTS.1 };
    Arc::new(Wishes::from([(flow, Asks { failed: Kind::Rfn, every_detector: true, restored, seeks: true })]))
}

/// About two minutes of a network whose nodes stand in rows, or in a line: links break and come back, a few pairs
/// talk, in bursts now and then, and sometimes nobody does for so long that everything is forgotten.
fn live(config: &Config, bears: Bears, seed: u64, sum: SipHasher13) -> (usize, SipHasher13) {
    let restored = [Restored::Nobody, Restored::Sender][seed as usize % 2];
    let loss = [0, 3, 12, 25][seed as usize % 4];
    let mut field = Field::asked(NODES, seed, loss, config, &wishes(restored));
    field.sum = Some(sum);
    let is_line = seed.is_multiple_of(3);
    for node in 1..NODES {
        if is_line || node % 3 > 0 {
            field.link(node - 1, node, true);
        }
        if !is_line && node >= 3 {
            field.link(node - 3, node, true);
        }
    }
    let mut chance = Stream::new(seed, NodeId(77), Purpose::Placement);
    let mut below = |n: u32| chance.below(n);
    field.run(Duration::from_secs(20));
    for number in 0..100 {
        let (a, b) = (below(NODES as u32) as usize, below(NODES as u32) as usize);
        let near = if is_line { a + 1 } else { a + [1, 3][below(2) as usize] };
        match below(20) {
            0 | 1 if near < NODES => field.link(a, near, false),
            2..=4 if near < NODES => field.link(a, near, true),
            5 => field.link(a, b, true),
            6 => field.link(a, b, false),
            7 if bears == Bears::All && a != b => field.linked[a][b] = !field.linked[a][b],
            8 if bears == Bears::All && number % 3 == 0 => field.give(a, Input::Start),
            9 => (0..12).for_each(|_| field.send(a, b)),
            10..=14 => field.send_payload(0, NODES - 1, segment(number * 100)),
            15 => field.send(NODES - 1, 0),
            _ => field.send(a, b),
        }
        let wait_ms = match below(60) {
            0 => 40_000,
            1..=3 => 6_000,
            4..=20 => 1 + below(20),
            _ => 1 + below(700),
        };
        field.run(Duration::from_millis(wait_ms.into()));
        field.note_routes();
    }
    (field.summed, field.sum.take().expect("it was wanted"))
}

fn aodv() -> Vec<(&'static str, aodv::Config, Bears)> {
    use aodv::Config;
    let rfc = Config::rfc;
    let short = || Config {
        active_route_timeout: Duration::from_secs(1),
        my_route_timeout: Duration::from_secs(2),
        delete_period: Duration::from_secs(5),
        ..rfc()
    };
    let hello = || Config { hello: true, hello_interval: Duration::from_millis(400), ..short() };
    vec![
        ("rfc", rfc(), Bears::All),
        ("papanastasiou", Config::papanastasiou(), Bears::All),
        ("papanastasiou_trace", Config::papanastasiou_trace(), Bears::All),
        ("short", short(), Bears::All),
        ("hello", Config { link_feedback: false, ..hello() }, Bears::All),
        ("hello jitter", Config { hello_jitter: Duration::from_millis(90), hello_always: true, ..hello() }, Bears::All),
        ("repair", Config { local_repair: true, ..rfc() }, Bears::All),
        ("repair short", Config { local_repair: true, max_repair_ttl: 3, local_add_ttl: 1, ..short() }, Bears::All),
        ("acknowledged", Config { rrep_ack: true, blacklist: true, ..short() }, Bears::All),
        ("gratuitous", Config { gratuitous: true, ..short() }, Bears::All),
        ("destination only", Config { destination_only: true, ttl_start: 2, ..short() }, Bears::All),
        ("rates", Config { rreq_ratelimit: 2, rerr_ratelimit: 1, rreq_retries: 1, ..short() }, Bears::All),
        ("jitter", Config { broadcast_jitter: Duration::from_millis(15), buffer_packets: 4, ..rfc() }, Bears::All),
        (
            "retries include first",
            Config { rreq_retries_include_first: true, ttl_threshold: 3, timeout_buffer: 1, ..rfc() },
            Bears::All,
        ),
        ("ns2", Config::ns2(), Bears::Links),
        (
            "ns2 short",
            Config { rev_route_life: Duration::from_secs(1), buffer_packets: 5, ..Config::ns2() },
            Bears::Links,
        ),
    ]
}

fn dsr() -> Vec<(&'static str, dsr::Config, Bears)> {
    use dsr::{CacheKind, Config, Order};
    let rfc = Config::rfc;
    let acks = || Config { link_layer_feedback: false, network_acks: true, ..rfc() };
    let all = Bears::Links;
    vec![
        ("rfc", rfc(), all),
        ("papanastasiou", Config::papanastasiou(), all),
        ("dsr-uu", Config::dsr_uu(), all),
        ("dsr-uu, few links", Config { cache_links: 12, ..Config::dsr_uu() }, all),
        ("paths", Config { cache: CacheKind::Path, cache_paths: 6, ..rfc() }, all),
        ("paths short", Config { cache: CacheKind::Path, route_cache_timeout: Duration::from_secs(3), ..rfc() }, all),
        (
            "static links",
            Config { cache: CacheKind::LinkStatic, route_cache_timeout: Duration::from_secs(5), ..rfc() },
            all,
        ),
        (
            "links short",
            Config {
                init_stability: Duration::from_secs(3),
                stability_increase: 2.0,
                min_lifetime: Duration::from_millis(400),
                use_extends: Duration::from_secs(4),
                ..rfc()
            },
            all,
        ),
        ("flushed", Config { flush_link_cache: true, ..rfc() }, all),
        ("network acks", acks(), all),
        (
            "network acks, newest first",
            Config { maintenance_order: Order::Lifo, maint_holdoff: Duration::ZERO, ..acks() },
            all,
        ),
        ("both acks", Config { passive_acks: true, maintenance_buffer_packets: 6, ..acks() }, all),
        ("passive acks", Config { passive_acks: true, network_acks: false, try_passive_acks: 3, ..acks() }, all),
        ("no salvage", Config { salvage: false, ..rfc() }, all),
        ("salvage once", Config { max_salvage_count: 1, ..rfc() }, all),
        ("deaf", Config { promiscuous: false, ..rfc() }, all),
        ("no snooping", Config { snoop: false, reply_from_cache: false, ..rfc() }, all),
        ("no shortening", Config { gratuitous_replies: false, nonpropagating_request: false, ..rfc() }, all),
        (
            "small tables",
            Config {
                request_table_size: 3,
                request_table_ids: 2,
                send_buffer_packets: 4,
                max_request_rexmt: 3,
                ..rfc()
            },
            all,
        ),
        (
            "slow",
            Config { reply_delay: Duration::from_millis(9), broadcast_jitter: Duration::from_millis(30), ..rfc() },
            all,
        ),
        ("ns2", Config::ns2(), Bears::Links),
        ("ns2 without flows", Config { flow_state: false, ..Config::ns2() }, Bears::Links),
        (
            "ns2 small",
            Config { primary_paths: 3, secondary_paths: 4, send_buffer_packets: 4, ..Config::ns2() },
            Bears::Links,
        ),
        (
            "ns2 forgetful",
            Config {
                flow_timeout: Duration::from_secs(2),
                flow_route_interval: Duration::from_millis(300),
                ..Config::ns2()
            },
            Bears::Links,
        ),
    ]
}

fn olsr() -> Vec<(&'static str, olsr::Config, Bears)> {
    use olsr::{Config, Hysteresis, WILL_NEVER};
    let rfc = Config::rfc;
    let fast = || Config {
        hello_interval: Duration::from_millis(500),
        refresh_interval: Duration::from_millis(1_500),
        neighbour_hold_time: Duration::from_millis(2_000),
        tc_interval: Duration::from_secs(1),
        topology_hold_time: Duration::from_secs(3),
        duplicate_hold_time: Duration::from_secs(4),
        max_jitter: Duration::from_millis(120),
        ..rfc()
    };
    vec![
        ("rfc", rfc(), Bears::All),
        ("papanastasiou", Config::papanastasiou(), Bears::All),
        ("fast", fast(), Bears::All),
        ("told", Config { link_layer_notification: true, ..fast() }, Bears::All),
        ("hysteresis", Config { hysteresis: Some(Hysteresis::default()), ..fast() }, Bears::All),
        ("at once", Config { immediate_tc: true, immediate_forwarding: true, ..fast() }, Bears::All),
        ("covered twice", Config { mpr_coverage: 2, tc_redundancy: 1, ..fast() }, Bears::All),
        ("all neighbours", Config { tc_redundancy: 2, mpr_coverage: 3, immediate_tc: true, ..fast() }, Bears::All),
        ("unwilling", Config { willingness: WILL_NEVER, ..fast() }, Bears::All),
    ]
}

fn dsdv() -> Vec<(&'static str, dsdv::Config, Bears)> {
    use dsdv::Config;
    let fast = || Config {
        update_interval: Duration::from_secs(3),
        initial_settling_time: Duration::from_millis(900),
        trigger_spacing: Duration::from_millis(150),
        ..Config::perkins()
    };
    let fast_ns2 = || Config {
        update_interval: Duration::from_secs(3),
        initial_settling_time: Duration::from_millis(900),
        trigger_spacing: Duration::from_millis(150),
        ..Config::ns2()
    };
    vec![
        ("perkins", Config::perkins(), Bears::Links),
        ("fast", fast(), Bears::Links),
        ("sequence", Config { trigger_on_sequence: true, ..fast() }, Bears::Links),
        (
            "hears silence",
            Config { link_layer_feedback: false, missed_updates: 2, settling_weight: 0.5, ..fast() },
            Bears::Links,
        ),
        ("ns2", Config::ns2(), Bears::Links),
        ("ns2 fast", fast_ns2(), Bears::Links),
        ("ns2 told", Config { link_layer_feedback: true, trigger_on_sequence: true, ..fast_ns2() }, Bears::Links),
    ]
}

/// Whether the lines that begin with this word are as the table has them.
fn check<T: Into<Config>>(word: &str, configs: Vec<(&'static str, T, Bears)>) {
    let lines: Vec<_> = configs
        .into_iter()
        .map(|(name, config, bears)| {
            let (config, mut sum, mut outputs) = (config.into(), SipHasher13::new(), 0);
            for seed in 1..=12 {
                let made;
                (made, sum) = live(&config, bears, seed, sum);
                outputs += made;
            }
            format!("{outputs:>6} {:016x} {word} {name}", sum.finish())
        })
        .collect();
    let table: Vec<_> = TABLE.lines().filter(|line| line[24..].starts_with(word)).collect();
    if lines == table {
        return;
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("routing-transcripts-{word}.txt"));
    fs::write(&path, lines.join("\n") + "\n").expect("a folder for files of tests");
    let changed: Vec<_> = lines.iter().filter(|line| !table.contains(&line.as_str())).cloned().collect();
    let (count, changed, path) = (changed.len(), changed.join("\n"), path.display());
    panic!("{count} lines of transcripts.txt have changed:\n{changed}\nall that begin with {word} are now in {path}");
}

#[test]
fn aodv_speaks_as_it_did() {
    check("aodv", aodv());
}

#[test]
fn dsr_speaks_as_it_did() {
    check("dsr", dsr());
}

#[test]
fn olsr_speaks_as_it_did() {
    check("olsr", olsr());
}

#[test]
fn dsdv_speaks_as_it_did() {
    check("dsdv", dsdv());
}
