//! Setups that several tests use.
#![allow(dead_code, reason = "each test uses some of them")]

use hopwright_link as link;
use hopwright_machine::{NodeId, Time};
use hopwright_mobility::{Position, Trajectory, placement};
use hopwright_radio as radio;
use hopwright_sim::{Flow, FlowKind, Options, Outcome, Pattern, Routing, Setup, Source, Watch, run};
use hopwright_transport::{Params, protocol};

pub(crate) fn at(s: f64) -> Time {
    Time::from_secs_f64(s)
}

/// The radio of profile ns2.
pub(crate) fn ns2_radio() -> radio::Config {
    let mut config = radio::Config::default();
    config.rule.interference = radio::Interference::Locked;
    config
}

/// A bulk transfer over a string of `hops`, from second 1 on.
pub(crate) fn string(hops: u32, id: &str, seconds: f64, ns2: bool) -> Setup {
    let places = placement::chain(hops, 200.0);
    Setup {
        end: at(1.0 + seconds),
        warm_up: Time::ZERO,
        nodes: places.into_iter().map(Trajectory::fixed).collect(),
        names: std::sync::Arc::new([]),
        switches: Vec::new(),
        errors: Vec::new(),
        radio: if ns2 { ns2_radio() } else { radio::Config::default() },
        stamps: Vec::new(),
        mac: if ns2 { link::Config::ns2() } else { link::Config::default() },
        mark_from_packets: 25,
        multicast: None,
        keeps_notices: false,
        routing: Routing::Static(None),
        compute: None,
        links: Vec::new(),
        relays: Vec::new(),
        flows: vec![Flow {
            from: NodeId(0),
            to: NodeId(hops),
            start: at(1.0),
            stop: at(1.0 + seconds),
            kind: FlowKind::Tcp {
                protocol: id.into(),
                recipe: Box::new(protocol(id).expect("a known protocol").recipe),
                params: Box::new(if ns2 { Params::ns2() } else { Params::default() }),
                bytes: None,
            },
        }],
    }
}

/// `senders` on a circle of 50 m around a sink, each sending as much as the medium takes.
pub(crate) fn star(senders: u32, rts: bool, seconds: f64, ns2: bool) -> Setup {
    let mut setup = string(1, "reno", seconds, ns2);
    setup.nodes = placement::star(senders, 50.0).into_iter().map(Trajectory::fixed).collect();
    setup.mac.rts_threshold_bytes = if rts { 0 } else { 3000 };
    setup.warm_up = at(2.0);
    let source = Source { payload_bytes: 1460, rate_bps: 2e6, jitter: 0.5, pattern: Pattern::Steady };
    let flow = |n: u32| Flow {
        from: NodeId(n),
        to: NodeId(0),
        start: at(1.0 + 0.001 * f64::from(n)),
        stop: setup.end,
        kind: FlowKind::Udp(source),
    };
    setup.flows = (1..=senders).map(flow).collect();
    setup
}

pub(crate) fn outcome(setup: &Setup, seed: u64) -> Outcome {
    run(setup, seed, &Options::default(), &Watch::default()).expect("nobody cancels")
}

/// The setup of `string` with nodes at these places (metres), and nothing to send.
pub(crate) fn quiet(places: &[(f64, f64)], rts: bool, seconds: f64, ns2: bool) -> Setup {
    let mut setup = string(1, "reno", seconds, ns2);
    setup.nodes = places.iter().map(|&(x, y)| Trajectory::fixed(Position::new(x, y))).collect();
    setup.mac.rts_threshold_bytes = if rts { 0 } else { 3000 };
    setup.flows.clear();
    setup
}

/// `count` datagrams, one each millisecond from `start_s` on.
pub(crate) fn datagrams(from: u32, to: u32, payload_bytes: u32, start_s: f64, count: u32) -> Flow {
    let rate_bps = f64::from(payload_bytes) * 8.0 * 1000.0;
    Flow {
        from: NodeId(from),
        to: NodeId(to),
        start: at(start_s),
        stop: at(start_s + 0.001 * (f64::from(count) - 0.5)),
        kind: FlowKind::Udp(Source { payload_bytes, rate_bps, jitter: 0.0, pattern: Pattern::Steady }),
    }
}

/// A run that keeps its frames; back-off counters are the given ones where there are any, per node.
pub(crate) fn traced(setup: &Setup, seed: u64, draws: &[&[u32]]) -> Outcome {
    let backoff_script = draws.iter().map(|draws| Some(draws.to_vec())).collect();
    let options = Options { frames: true, backoff_script, ..Options::default() };
    run(setup, seed, &options, &Watch::default()).expect("nobody cancels")
}
