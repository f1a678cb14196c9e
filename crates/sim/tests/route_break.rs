//! A route breaks because its last node walks away: who notices when, and what the connection makes of it.
//!
//! Papanastasiou 2006, §3.2, figures 3.1 and 3.2(a): a string A-B-C-D-E with 200 m between neighbours, and F near D. E
//! leaves at 30 s with 10 m/s, at 35 s the link D-E is out of range, D notices by missing HELLOs at 37.1 s, the second
//! time-out in a row begins the search, and at about 39 s the connection goes on over F, one hop longer. The radio
//! reaches 250 m and nothing farther. The thesis does not print where F stands, nor how far E walks.

use hopwright_machine::{DropCause, Duration, NodeId, Time};
use hopwright_mobility::{Position, Trajectory};
use hopwright_radio::{self as radio, Propagation, Threshold};
use hopwright_routing::{self as routing, aodv, dsdv, dsr, olsr};
use hopwright_sim::{Event, Options, Routing, Setup, Trace, Watch, run_traced};
use hopwright_wire::aodv::Message;
use hopwright_wire::{Packet, Payload};

use crate::support::{at, outcome, string};

const A: NodeId = NodeId(0);
const D: NodeId = NodeId(3);
const E: NodeId = NodeId(4);
const F: NodeId = NodeId(5);

/// What happened after the link was gone.
#[derive(Default)]
struct Seen {
    /// The last packet from E that D got.
    last_of_e: Time,
    /// Errors that D sent, and their destinations' number.
    errors_of_d: Vec<(Time, usize)>,
    /// When a segment came to A that acknowledges more than before.
    new_acks: Vec<Time>,
    acknowledged: u32,
    /// The sender's time-outs, with the time of each.
    timeouts: Vec<Time>,
    /// When F passed on the connection's packets.
    over_f: Vec<Time>,
    overflows: u32,
}

impl Trace for Seen {
    fn hears(&self, _: NodeId) -> bool {
        false
    }

    fn event(&mut self, now: Time, node: NodeId, event: Event<'_>) {
        match event {
            Event::Routing { from: E, .. } if node == D => self.last_of_e = now,
            Event::Routed { packet: Packet { payload: Payload::Aodv(Message::Rerr(error)), .. }, .. } if node == D => {
                self.errors_of_d.push((now, error.unreachable.len()));
            }
            Event::Delivered(Packet { payload: Payload::Tcp(segment), .. })
                if node == A && segment.ack.0 > self.acknowledged =>
            {
                self.acknowledged = segment.ack.0;
                self.new_acks.push(now);
            }
            Event::Sender { public, .. } => {
                while public.timeouts as usize > self.timeouts.len() {
                    self.timeouts.push(now);
                }
            }
            Event::Routed { packet: Packet { payload: Payload::Tcp(_), .. }, .. } if node == F => self.over_f.push(now),
            Event::Dropped { cause: DropCause::QueueFull, .. } => self.overflows += 1,
            _ => {}
        }
    }
}

fn broken_chain(routing: impl Into<Box<routing::Config>>) -> Setup {
    let mut setup = string(4, "reno", 59.0, false);
    let carrier_sense = Threshold::Range(250.0);
    setup.radio = radio::Config { propagation: Propagation::Disc, carrier_sense, ..radio::Config::default() };
    setup.mac.rts_threshold_bytes = 0;
    setup.routing = Routing::Found(routing.into());
    setup.nodes.push(Trajectory::fixed(Position::new(700.0, 100.0)));
    setup.nodes[E.index()].travel_to(at(30.0), Position::new(900.0, 0.0), 10.0);
    setup
}

fn seen(routing: impl Into<Box<routing::Config>>, seed: u64) -> Seen {
    seen_in(&broken_chain(routing), seed)
}

fn seen_in(setup: &Setup, seed: u64) -> Seen {
    let mut seen = Seen::default();
    run_traced(setup, seed, &Options::default(), &Watch::default(), &mut seen).expect("nobody cancels");
    seen
}

/// R6 and the order of events of figure 3.1, with the settings of table 3.1.
#[test]
fn missing_hellos_show_the_break_and_a_search_mends_it() {
    for seed in 1..=10 {
        let seen = seen(aodv::Config::papanastasiou_trace(), seed);
        let &(noticed, destinations) = seen.errors_of_d.iter().find(|(time, _)| *time > at(35.0)).expect("an error");
        let restored = *seen.new_acks.iter().find(|&&time| time > at(35.5)).expect("it goes on");
        let timeouts: Vec<f64> = seen.timeouts.iter().map(|t| t.as_secs_f64()).filter(|&t| t > 35.0).collect();
        let outage: Vec<f64> = timeouts.iter().copied().filter(|&t| t < restored.as_secs_f64()).collect();
        assert_eq!(noticed.since(seen.last_of_e.min(noticed)), Duration::from_secs(2), "seed {seed}");
        assert_eq!(destinations, 1, "E");
        // E is heard until 35 s; how long before that for the last time, its HELLOs and acknowledgements decide.
        assert!(noticed > at(36.0) && noticed < at(37.1), "seed {seed}: noticed at {noticed}");
        assert!(restored > noticed && restored < at(40.0), "seed {seed}: restored at {restored}");
        assert!(seen.over_f.iter().any(|&time| time > at(35.0) && time < restored), "seed {seed}: not over F");
        assert_eq!(seen.overflows, 0);
        assert!(!outage.is_empty(), "seed {seed}: it takes a time-out to begin again");
    }
}

/// Table A.1: link-layer feedback and local repair find the way over F as well, without any HELLO.
#[test]
fn link_layer_feedback_and_local_repair_find_the_way_too() {
    for seed in 1..=10 {
        let seen = seen(aodv::Config::papanastasiou(), seed);
        let restored = *seen.new_acks.iter().find(|&&time| time > at(35.5)).expect("it goes on");
        assert!(restored < at(42.0), "seed {seed}: restored at {restored}");
        assert!(seen.over_f.iter().any(|&time| time > at(35.0) && time < restored), "seed {seed}: not over F");
    }
}

/// DSR that waits for acknowledgements of its own sends nothing again that still waits in the queue. When it did,
/// copies followed copies, and filled the queues.
#[test]
fn copies_do_not_fill_the_queues_of_dsr() {
    let mut setup = string(4, "reno", 29.0, true);
    let carrier_sense = Threshold::Range(250.0);
    setup.radio = radio::Config { propagation: Propagation::Disc, carrier_sense, ..radio::Config::default() };
    setup.routing = Routing::Found(dsr::Config { network_acks: true, ..dsr::Config::papanastasiou() }.into());
    for seed in 1..=3 {
        let overflows = seen_in(&setup, seed).overflows;
        assert!(overflows < 50, "seed {seed}: {overflows}");
    }
}

/// Where nobody moves, a neighbour that is taken for lost is there: every break is a false one, by whatever sign and
/// rules it was noticed.
#[test]
fn breaks_between_nodes_in_range_are_false() {
    let acknowledged =
        dsr::Config { link_layer_feedback: false, network_acks: true, max_maint_rexmt: 0, ..dsr::Config::rfc() };
    let notified = olsr::Config { link_layer_notification: true, ..olsr::Config::rfc() };
    let routers: [(&str, Box<routing::Config>); 7] = [
        ("AODV", aodv::Config::rfc().into()),
        ("AODV, ns-2", aodv::Config::ns2().into()),
        ("DSR", dsr::Config::rfc().into()),
        ("DSR, acknowledgements", acknowledged.into()),
        ("DSR, ns-2", dsr::Config::ns2().into()),
        ("OLSR", notified.into()),
        ("DSDV", dsdv::Config::perkins().into()),
    ];
    for (name, config) in routers {
        let mut setup = string(6, "reno", 149.0, true);
        setup.routing = Routing::Found(config);
        let counted = outcome(&setup, 1).report.routing;
        assert!(counted.route_breaks > 0, "{name}: no break");
        assert_eq!(counted.false_route_breaks, counted.route_breaks, "{name}");
    }
}

/// The neighbour that walks away is a true break.
#[test]
fn the_break_of_a_node_that_left_is_none_of_the_false_ones() {
    for config in [dsr::Config::rfc(), dsr::Config::ns2()] {
        let mut setup = broken_chain(config);
        setup.nodes.truncate(5); // without the way over F
        let counted = outcome(&setup, 1).report.routing;
        assert!(counted.route_breaks > counted.false_route_breaks, "{counted:?}");
    }
}
