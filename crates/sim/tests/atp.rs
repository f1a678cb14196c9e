//! ATP over networks: what stations write is what the sender keeps to.

use std::collections::BTreeMap;

use hopwright_machine::{Duration, NodeId, PacketId, Time};
use hopwright_mobility::{Position, Trajectory};
use hopwright_radio::FrameErrors;
use hopwright_routing::{aodv, dsr};
use hopwright_sim::stamps::delay;
use hopwright_sim::{
    AtpReport, Errors, Event, Flow, FlowKind, FrameClass, Options, Outcome, Routing, Setup, Simulation, Stamp, Trace,
    Watch, run_traced,
};
use hopwright_transport::atp::Params;
use hopwright_wire::atp::{Body, Kind};
use hopwright_wire::{Packet, Payload};

use crate::support::{at, outcome, string};

/// The flows of a setup over ATP.
pub(crate) fn over_atp(mut setup: Setup, params: &Params, bytes: Option<u64>) -> Setup {
    setup.stamps = vec![Stamp::Delay(delay::Config::default())];
    for flow in &mut setup.flows {
        flow.kind = FlowKind::Atp { params: Box::new(params.clone()), bytes };
    }
    setup
}

fn atp(hops: u32, seconds: f64) -> Setup {
    over_atp(string(hops, "reno", seconds, false), &Params::default(), None)
}

fn report(setup: &Setup, seed: u64) -> AtpReport {
    outcome(setup, seed).report.flows[0].atp.expect("a flow over ATP")
}

/// What goes on at the ends of flow 0, and what stations do with its packets.
#[derive(Default)]
struct Story {
    /// Data and probes that left: when, what, at which rate.
    left: Vec<(Time, Kind, f64)>,
    /// Feedback that came: when, whether it is an answer, the rate it tells.
    told: Vec<(Time, bool, f64)>,
    /// Notices that came to node 0.
    noticed: Vec<Time>,
    /// By packet and station: when it was queued, and how long it took from then until it was sent.
    queued: BTreeMap<(PacketId, NodeId), Time>,
    took: BTreeMap<(PacketId, NodeId), Duration>,
    probes: Vec<PacketId>,
}

impl Trace for Story {
    fn event(&mut self, now: Time, node: NodeId, event: Event<'_>) {
        match event {
            Event::Originated(Packet { id, payload: Payload::Atp(segment), .. }) => {
                if let Some(data) = segment.data() {
                    self.left.push((now, data.kind, f64::from(data.rate_dpps) / 10.0));
                    if data.kind == Kind::Probe {
                        self.probes.push(*id);
                    }
                }
            }
            Event::Delivered(Packet { payload: Payload::Atp(segment), .. }) => {
                if let Body::Feedback(feedback) = &segment.body {
                    self.told.push((now, feedback.is_answer, f64::from(feedback.rate_mpps) / 1000.0));
                }
            }
            Event::Routing { packet, .. }
                if matches!(packet.payload, Payload::Notice(_)) && packet.destination == node.address() =>
            {
                self.noticed.push(now);
            }
            Event::Enqueued { packet, .. } => {
                self.queued.insert((packet.id, node), now);
            }
            Event::Sent(packet) => {
                let key = (packet.id, node);
                self.took.insert(key, now.since(self.queued[&key]));
            }
            _ => {}
        }
    }

    fn hears(&self, _: NodeId) -> bool {
        false
    }
}

fn story(setup: &Setup, seed: u64) -> (Story, Outcome) {
    let mut story = Story::default();
    let outcome = run_traced(setup, seed, &Options::default(), &Watch::default(), &mut story).expect("nobody cancels");
    (story, outcome)
}

/// Quick start: on a way where nobody sends anything, the first rate is the inverse of three times what the slowest
/// station needs.
#[test]
fn the_first_rate_on_idle_strings_is_what_stations_have_written() {
    for hops in 1..=8 {
        let (story, _) = story(&atp(hops, 1.0), 1);
        let of_probe = story.took.iter().filter(|((packet, _), _)| *packet == story.probes[0]);
        let took: Vec<f64> = of_probe.map(|(_, took)| took.as_secs_f64()).collect();
        assert_eq!(took.len(), hops as usize);
        let bound = 1.0 / (3.0 * took.into_iter().fold(0.0, f64::max));
        let (opened, is_answer, rate) = story.told[0];
        assert!(is_answer && (rate / bound - 1.0).abs() < 0.1, "{hops} hops: {rate}, not {bound} packets per second");
        let first = story.left.iter().find(|(_, kind, _)| *kind == Kind::Part).expect("data");
        assert!((first.0, first.2) == (opened, (rate * 10.0 + 0.5).floor() / 10.0), "{first:?} {rate}");
    }
}

/// Whatever it was told, the sender is not faster; and data leave as fast as it says.
#[test]
fn data_leave_at_the_rate_which_is_never_above_the_one_that_was_told() {
    for hops in 1..=8 {
        let (story, outcome) = story(&atp(hops, 30.0), 1);
        let data: Vec<_> = story.left.iter().filter(|(_, kind, _)| *kind != Kind::Probe).collect();
        let told_before = |now: Time| story.told.iter().rev().find(|(told, _, rate)| *told <= now && *rate > 0.0);
        for (now, _, rate) in &data {
            let told = told_before(*now).expect("it was told to open").2;
            assert!(*rate <= told + 0.1, "{hops} hops: {rate} instead of {told} at {now}");
        }
        // While the rate stays, so does the gap; the rate on the wire is rounded to a tenth.
        let steady = data.windows(2).filter(|pair| pair[0].2 == pair[1].2 && pair[0].2 > 2.0);
        let told_between =
            |pair: &[&(Time, Kind, f64)]| story.told.iter().any(|(now, ..)| pair[0].0 < *now && *now <= pair[1].0);
        let mut pairs = 0;
        for pair in steady.filter(|pair| !told_between(pair)) {
            let rate = 1.0 / pair[1].0.since(pair[0].0).as_secs_f64();
            assert!((rate / pair[0].2 - 1.0).abs() < 0.03, "{hops} hops: {rate} instead of {}", pair[0].2);
            pairs += 1;
        }
        assert!(pairs > 50, "{hops} hops: {pairs}");
        let atp = outcome.report.flows[0].atp.expect("a flow over ATP");
        assert!(atp.mean_rate_pps < atp.mean_told_pps && atp.feedbacks > 20, "{hops} hops: {atp:?}");
    }
}

/// Where nothing disturbs, the rate ends in the band in which it stays: not above what it is told, and not so far below
/// that it would rise.
#[test]
fn on_one_hop_the_rate_stays_within_phi_of_the_bound() {
    for phi in [0.25, 0.1] {
        let params = Params { phi, ..Params::default() };
        let mut setup = over_atp(string(1, "reno", 90.0, false), &params, None);
        setup.warm_up = at(60.0);
        let atp = report(&setup, 1);
        let (rate, told) = (atp.mean_rate_pps.expect("feedback"), atp.mean_told_pps.expect("feedback"));
        assert!(rate <= told && told <= rate * (1.0 + phi), "{phi}: {rate} {told}");
        assert!(phi > 0.1 || rate > 0.9 * told, "within 10 %: {rate} {told}");
        assert_eq!((atp.probes, atp.retransmissions), (0, 0));
    }
}

/// A sender that follows what it is told, up and down, keeps to the bound on every string.
#[test]
fn who_follows_at_once_has_the_rate_that_is_told() {
    let params = Params { phi: 0.0, k: 1.0, early_change: 0.2, probe_fill_bytes: 1460, ..Params::default() };
    for hops in 1..=8 {
        let atp = report(&over_atp(string(hops, "reno", 30.0, false), &params, None), 1);
        let ratio = atp.mean_rate_pps.expect("feedback") / atp.mean_told_pps.expect("feedback");
        assert!((0.9..=1.0).contains(&ratio), "{hops} hops: {ratio}, {atp:?}");
        assert!(atp.goodput_bps > 100e3, "{hops} hops: {atp:?}");
    }
}

/// Two flows that cross in a relay between their ends.
fn cross(seconds: f64) -> Setup {
    let mut setup = atp(1, seconds);
    let places = [(0.0, 0.0), (-200.0, 0.0), (200.0, 0.0), (0.0, -200.0), (0.0, 200.0)];
    setup.nodes = places.iter().map(|&(x, y)| Trajectory::fixed(Position::new(x, y))).collect();
    let flow =
        |from, to, start_s| Flow { from: NodeId(from), to: NodeId(to), start: at(start_s), ..setup.flows[0].clone() };
    setup.flows = vec![flow(1, 2, 1.0), flow(3, 4, 1.1)];
    setup
}

#[test]
fn two_flows_through_one_relay_share_it() {
    let mut parallel = atp(2, 120.0);
    parallel.flows = vec![parallel.flows[0].clone(), Flow { start: at(1.1), ..parallel.flows[0].clone() }];
    for setup in [cross(120.0), parallel] {
        let mut shares = [0.0; 2];
        for seed in 1..=4 {
            let flows = outcome(&setup, seed).report.flows;
            shares.iter_mut().zip(&flows).for_each(|(share, flow)| *share += flow.goodput_bps().expect("ATP"));
        }
        let ratio = shares[0] / shares[1];
        assert!((0.8..1.25).contains(&ratio), "{shares:?}");
        assert!(shares[0] > 4.0 * 200e3, "{shares:?}");
    }
}

/// Node 3 of a string of four hops is away from second 10 to second 14.
fn interrupted(routing: Routing) -> Setup {
    let mut setup = atp(4, 29.0);
    setup.routing = routing;
    setup.nodes[3].place_at(at(10.0), Position::new(600.0, 5000.0));
    setup.nodes[3].place_at(at(14.0), Position::new(600.0, 0.0));
    setup
}

#[test]
fn a_notice_of_a_route_failure_silences_the_sender_until_a_probe_is_answered() {
    for routing in [Routing::Found(aodv::Config::rfc().into()), Routing::Found(dsr::Config::ns2().into())] {
        let (story, outcome) = story(&interrupted(routing), 1);
        assert!(outcome.report.routing.notices > 0);
        let gone = outcome.report.routing.route_breaks;
        // Over DSR a notice comes in a route error, which is no packet of its own.
        let failed = story.noticed.iter().copied().find(|now| *now > at(10.0)).unwrap_or_else(|| {
            let probe = story.left.iter().find(|(now, kind, _)| *now > at(10.0) && *kind == Kind::Probe);
            probe.expect("the sender probes").0
        });
        assert!(failed < at(14.0) && gone > 0, "{failed}");
        let opened = story.told.iter().find(|(now, is_answer, _)| *is_answer && *now > failed).expect("an answer").0;
        assert!(opened > at(14.0), "{opened}");
        let silent: Vec<_> = story.left.iter().filter(|(now, ..)| (failed..opened).contains(now)).collect();
        assert!(silent.iter().all(|(_, kind, _)| *kind == Kind::Probe), "{silent:?}");
        // The first probe leaves at once, the others an epoch after each other.
        assert_eq!(silent[0].0, failed);
        let gaps = silent.windows(2).map(|pair| pair[1].0.since(pair[0].0));
        assert!(silent.len() > 3 && gaps.clone().all(|gap| gap == Duration::from_secs(1)), "{silent:?}");
        assert!(story.left.iter().any(|(now, kind, _)| *now > at(20.0) && *kind == Kind::Part), "it goes on");
        let atp = outcome.report.flows[0].atp.expect("a flow over ATP");
        assert!(atp.probing_time_s > opened.since(failed).as_secs_f64() - 1e-9 && atp.openings >= 2, "{atp:?}");
    }
}

/// Every frame may be damaged; a quarter of the run has no route at all.
#[test]
fn a_file_arrives_whole() {
    for (routing, loss) in [(Routing::Static(None), 0.3), (Routing::Found(aodv::Config::rfc().into()), 0.1)] {
        let bytes = 123_457;
        let mut setup = over_atp(string(3, "reno", 300.0, false), &Params::default(), Some(bytes));
        setup.routing = routing;
        setup.nodes[1].place_at(at(2.0), Position::new(200.0, 5000.0));
        setup.nodes[1].place_at(at(60.0), Position::new(200.0, 0.0));
        let frames = vec![FrameClass::RtsCts, FrameClass::Data, FrameClass::Ack, FrameClass::MacAck];
        setup.errors = vec![Errors { from: None, to: None, frames, model: FrameErrors::Uniform { probability: loss } }];
        for seed in 1..=3 {
            let mut simulation = Simulation::new(std::borrow::Cow::Borrowed(&setup), seed, &Options::default());
            simulation.advance(at(300.0));
            assert_eq!(simulation.flow(0).received_bytes, bytes);
            let flow = simulation.finish().report.flows.remove(0);
            let atp = flow.atp.expect("a flow over ATP");
            assert!((atp.goodput_bps * flow.measured_s / 8.0 - bytes as f64).abs() < 1e-6, "{atp:?}");
            assert!(atp.retransmissions > 0 && atp.probes > 1, "{atp:?}");
            assert_eq!(flow.offered_bps.map(|bps| (bps * flow.measured_s / 8.0).round()), Some(bytes as f64));
        }
    }
}

/// Nobody writes anything: so nothing is known of the way, and no data leave.
#[test]
fn without_stamps_it_does_not_open() {
    let mut setup = atp(2, 10.0);
    setup.stamps.clear();
    let flow = outcome(&setup, 1).report.flows.remove(0);
    let atp = flow.atp.expect("a flow over ATP");
    assert_eq!((flow.segments_sent, atp.probes, atp.feedbacks, atp.openings), (0, 11, 10, 0));
    assert_eq!((atp.mean_rate_pps, atp.probing_time_s, flow.received_bps), (None, 10.0, 0.0));
}
