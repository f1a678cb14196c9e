//! A trace changes nothing, and tells everything in order.

use std::collections::BTreeMap;

use hopwright_link::{FrameKind, arp};
use hopwright_machine::{NodeId, Time};
use hopwright_mobility::{Position, Trajectory};
use hopwright_routing::aodv;
use hopwright_sim::{Event, Options, Outcome, Routing, Setup, Trace, Watch, run_traced};

use crate::support::{at, outcome, star, string};

/// Checks the order of events and counts them.
#[derive(Debug, Default)]
struct Count {
    last: Time,
    originated: u64,
    delivered: u64,
    dropped: u64,
    gave_up: u64,
    transmitted: [u64; 4],
    received_mine: u64,
    overheard: u64,
    collided_mine: u64,
    senders: u64,
    retransmissions: u64,
    rtt_samples: u64,
    rtt_s: f64,
    arrived_bytes: u64,
    in_network: BTreeMap<(usize, bool), f64>,
    queue_lengths: u64,
    hops: u64,
    others: u64,
    deaf: bool,
    /// Asks for no packets.
    aloof: bool,
}

impl Trace for Count {
    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        assert!(at >= self.last, "{event:?} at {at}, after {}", self.last);
        self.last = at;
        let is_of_flows = matches!(
            event,
            Event::Sender { .. } | Event::Adapted { .. } | Event::Arrived { .. } | Event::InNetwork { .. }
        );
        let is_of_nodes =
            matches!(event, Event::Hop { .. } | Event::QueueLength(_) | Event::Backoff { .. } | Event::Switched { .. });
        let is_few = is_of_flows || is_of_nodes;
        if !is_few {
            self.others += 1;
        }
        match event {
            Event::Originated(packet) => {
                assert_eq!(packet.source, node.address());
                self.originated += 1;
            }
            Event::Delivered(packet) => {
                assert_eq!(packet.destination, node.address());
                self.delivered += 1;
            }
            Event::Dropped { .. } => self.dropped += 1,
            Event::GaveUp { .. } => self.gave_up += 1,
            Event::Transmitted(frame) => {
                assert_eq!(frame.from, node);
                self.transmitted[frame.kind as usize] += 1;
            }
            Event::Received { frame, mine, power_mw } => {
                assert_eq!(mine, frame.to.is_none_or(|to| to == node));
                assert!(power_mw > 0.0);
                *if mine { &mut self.received_mine } else { &mut self.overheard } += 1;
            }
            Event::Collided { until, busy_until, mine, .. } => {
                assert!(until >= at && busy_until >= at);
                self.collided_mine += u64::from(mine);
            }
            Event::Sender { public, rtt, .. } => {
                self.senders += 1;
                self.retransmissions = public.retransmissions;
                self.rtt_samples += u64::from(rtt.is_some());
                self.rtt_s += rtt.map_or(0.0, |rtt| rtt.as_secs_f64());
            }
            Event::InNetwork { flow, forward, packets } => {
                let before = self.in_network.insert((flow, forward), packets).unwrap_or(0.0);
                assert!((before - packets).abs() == 1.0 && packets >= 0.0, "one by one");
            }
            Event::Arrived { received_bytes, .. } => self.arrived_bytes = received_bytes,
            Event::QueueLength(_) => self.queue_lengths += 1,
            Event::Backoff { window, .. } => assert!(window > 0),
            Event::Hop { from, .. } => {
                assert_ne!(from, node);
                self.hops += 1;
            }
            Event::Routing { .. } | Event::Routed { .. } | Event::Enqueued { .. } | Event::Sent(_) => {}
            Event::Attempt { .. } | Event::Missed { .. } | Event::Unanswered { .. } => {}
            Event::RouteBroke { .. } | Event::Found(_) | Event::Busy(_) => {}
            Event::Adapted { .. } => unreachable!("no flow has triggers"),
            Event::SentAgain { .. } | Event::CarriesOn { .. } => unreachable!("there is no relay"),
            Event::Bundle { .. } => unreachable!("there are no bundles"),
            Event::TakenBack(_) | Event::Switched { .. } => {}
            Event::Moved(_) => unreachable!("nobody moves nodes from outside"),
            Event::Hears { .. } | Event::Reserved { .. } | Event::CountedDown { .. } => {
                unreachable!("nobody asks for it")
            }
        }
    }

    fn hears(&self, _: NodeId) -> bool {
        !self.deaf
    }

    fn follows_packets(&self) -> bool {
        !self.aloof
    }
}

fn over_aodv(mut setup: Setup, ns2: bool) -> Setup {
    setup.routing = Routing::Found(if ns2 { aodv::Config::ns2() } else { aodv::Config::rfc() }.into());
    setup.mac.arp = Some(if ns2 { arp::Config::ns2() } else { arp::Config::default() });
    setup
}

fn grid(ns2: bool) -> Setup {
    let mut setup = string(2, "newreno", 8.0, ns2);
    let place = |n: u32| Position::new(f64::from(n % 4) * 200.0, f64::from(n / 4) * 200.0);
    setup.nodes = (0..16).map(|n| Trajectory::fixed(place(n))).collect();
    let mut second = setup.flows[0].clone();
    setup.flows[0].to = NodeId(3);
    (second.from, second.to) = (NodeId(12), NodeId(15));
    setup.flows.push(second);
    setup
}

/// A string whose middle node walks away and comes back.
fn mobile(ns2: bool) -> Setup {
    let mut setup = string(4, "reno", 20.0, ns2);
    let mut middle = setup.nodes[2].clone();
    middle.travel_to(at(3.0), Position::new(400.0, 500.0), 80.0);
    middle.travel_to(at(12.0), Position::new(400.0, 50.0), 80.0);
    setup.nodes[2] = middle;
    setup
}

fn traced(setup: &Setup, deaf: bool) -> (Outcome, Count) {
    let mut count = Count { deaf, ..Count::default() };
    let outcome = run_traced(setup, 7, &Options::default(), &Watch::default(), &mut count).expect("nobody cancels");
    (outcome, count)
}

fn setups() -> Vec<(&'static str, Setup)> {
    let mut all = Vec::new();
    for ns2 in [false, true] {
        all.push(("chain", string(6, "newreno", 8.0, ns2)));
        all.push(("chain over AODV", over_aodv(string(4, "reno", 8.0, ns2), ns2)));
        all.push(("grid", grid(ns2)));
        all.push(("grid over AODV", over_aodv(grid(ns2), ns2)));
        all.push(("star", star(8, false, 3.0, ns2)));
        all.push(("mobile", mobile(ns2)));
        all.push(("mobile over AODV", over_aodv(mobile(ns2), ns2)));
    }
    all
}

#[test]
fn the_outcome_of_a_run_does_not_depend_on_its_trace() {
    for (name, setup) in setups() {
        let plain = outcome(&setup, 7);
        for deaf in [false, true] {
            let (outcome, _) = traced(&setup, deaf);
            assert_eq!(outcome.ledger, plain.ledger, "{name}");
            assert_eq!(format!("{:?}", outcome.report), format!("{:?}", plain.report), "{name}");
        }
    }
}

#[test]
fn everything_is_told() {
    for (name, mut setup) in setups() {
        setup.warm_up = Time::ZERO;
        let (outcome, count) = traced(&setup, false);
        let (ledger, report) = (outcome.ledger, outcome.report);
        assert_eq!(count.originated, ledger.originated, "{name}");
        assert_eq!(count.delivered, ledger.delivered, "{name}");
        assert_eq!(count.dropped, ledger.dropped.iter().sum::<u64>(), "{name}");
        assert_eq!(count.transmitted.iter().sum::<u64>(), ledger.frames, "{name}");
        assert!(count.received_mine >= ledger.frames_received, "{name}: {count:?} {ledger:?}");
        // The last frames are looked at in time by an ear, and perhaps not by the lazy receiver.
        let collisions = report.mac.collisions.total;
        assert!((collisions..=collisions + 4).contains(&count.collided_mine), "{name}: {count:?} {collisions}");
        assert!(count.transmitted[FrameKind::Data as usize] > 0, "{name}");
        if name != "star" {
            assert!(count.overheard > 0 && count.senders > 0 && count.rtt_samples > 0, "{name}: {count:?}");
        }
        if setup.flows.len() == 1 {
            let tcp = report.flows[0].tcp.as_ref().expect("TCP");
            assert_eq!(count.retransmissions, tcp.retransmissions, "{name}");
            assert!(
                (count.rtt_s / count.rtt_samples as f64 - tcp.mean_rtt_s.expect("some samples")).abs() < 1e-9,
                "{name}: {count:?}"
            );
        }
    }
}

#[test]
fn a_node_that_is_not_listened_at_still_tells_what_it_sends() {
    let setup = string(2, "newreno", 1.0, false);
    let (_, count) = traced(&setup, true);
    assert!(count.transmitted[0] > 0 && count.received_mine == 0 && count.overheard == 0);
}

#[test]
fn a_trace_that_follows_no_packets_is_told_of_flows_and_queues_as_ever() {
    for (name, setup) in setups() {
        let (_, whole) = traced(&setup, true);
        let mut few = Count { aloof: true, ..Count::default() };
        let traced = run_traced(&setup, 7, &Options::default(), &Watch::default(), &mut few).expect("nobody cancels");
        assert_eq!(format!("{:?}", traced.report), format!("{:?}", outcome(&setup, 7).report), "{name}");
        let told =
            |count: &Count| (count.senders, count.rtt_samples, count.arrived_bytes, count.queue_lengths, count.hops);
        assert_eq!(told(&few), told(&whole), "{name}");
        assert!(
            few.others == 0 && few.queue_lengths > 0 && few.hops > 0 && few.senders + few.arrived_bytes > 0,
            "{name}: {few:?}"
        );
    }
}
