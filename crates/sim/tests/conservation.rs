//! Whatever the setup: every packet and frame ends, and ends once; nobody gets more than was sent.
//!
//! `run` itself panics when the books do not balance. `PROPTEST_CASES=5000 cargo test --release -p hopwright-sim
//! --test conservation` looks harder.

mod support;

use std::collections::BTreeMap;

use hopwright_link as link;
use hopwright_link::FrameKind;
use hopwright_machine::{DropCause, Duration, NodeId, PacketId, Time};
use hopwright_mobility::{Position, Switch, Trajectory};
use hopwright_radio as radio;
use hopwright_routing::{aodv, dsdv, dsr, olsr};
use hopwright_sim::{
    Class, Errors, Event, FIRST_PORT, FIRST_SOURCE_PORT, Flow, FlowKind, FlowReport, Options, Outcome, Routing, Setup,
    Source, Trace, Watch, run, run_traced,
};
use hopwright_transport::{Params, protocol};
use hopwright_wire::Packet;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use support::at;

fn place() -> impl Strategy<Value = Position> {
    (0.0..1.0, 0.0..1.0).prop_map(|(x, y)| Position::new(x, y))
}

/// Node, time, destination, speed; no speed: a jump.
type Move = (prop::sample::Index, f64, Position, Option<f64>);

fn movement() -> impl Strategy<Value = Move> {
    (any::<prop::sample::Index>(), 0.0..20.0, place(), prop_oneof![2 => (0.0..60.0).prop_map(Some), 1 => Just(None)])
}

/// Nodes in a rectangle in which they may or may not reach each other, standing or on the move.
fn nodes() -> impl Strategy<Value = Vec<Trajectory>> {
    let moves = prop_oneof![Just(vec![]), prop::collection::vec(movement(), 1..12)];
    (prop::collection::vec(place(), 2..25), prop_oneof![3 => 100.0..1200.0, 1 => 50.0..3000.0], 0.0..400.0, moves)
        .prop_map(|(places, width, height, moves)| {
            let scaled = |p: Position| Position::new(p.x_m * width, p.y_m * height);
            let mut nodes: Vec<_> = places.into_iter().map(|p| Trajectory::fixed(scaled(p))).collect();
            let mut moves = moves;
            moves.sort_by(|a, b| a.1.total_cmp(&b.1));
            for (node, at_s, to, speed_mps) in moves {
                let node = node.index(nodes.len());
                match speed_mps {
                    Some(speed_mps) => nodes[node].travel_to(at(at_s), scaled(to), speed_mps),
                    None => nodes[node].place_at(at(at_s), scaled(to)),
                }
            }
            nodes
        })
}

fn tcp() -> impl Strategy<Value = FlowKind> {
    let id = prop::sample::select(vec!["tahoe", "reno", "newreno", "elfn", "fsr", "tcp-f", "atcp"]);
    let bytes = prop_oneof![Just(None), (1u64..200_000).prop_map(Some)];
    (id, any::<bool>(), any::<bool>(), bytes, prop::sample::select(vec![100u32, 536, 1460]), 1u32..70).prop_map(
        |(id, delayed, ns2, bytes, segment_bytes, window_limit_segments)| {
            let mut recipe = protocol(id).expect("a known protocol").recipe;
            if delayed {
                recipe = recipe.with("acking", "delayed").expect("a known part");
            }
            let params = if ns2 { Params::ns2() } else { Params::default() };
            FlowKind::Tcp {
                protocol: id.into(),
                recipe: Box::new(recipe),
                params: Box::new(Params { segment_bytes, window_limit_segments, ..params }),
                bytes,
            }
        },
    )
}

fn udp() -> impl Strategy<Value = FlowKind> {
    let on_off_s = prop_oneof![Just(None), (0.05..2.0, 0.05..2.0).prop_map(Some)];
    (1u32..1472, 1e4..2e6, 0.0..1.0, on_off_s).prop_map(|(payload_bytes, rate_bps, jitter, on_off_s)| {
        FlowKind::Udp(Source { payload_bytes, rate_bps, jitter, on_off_s })
    })
}

/// Flow between different nodes; from and to as shares of the run.
type Ends = (prop::sample::Index, prop::sample::Index, f64, f64);

fn flows() -> impl Strategy<Value = Vec<(Ends, FlowKind)>> {
    let ends = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0.0..0.7, 0.2..1.2);
    prop::collection::vec((ends, prop_oneof![2 => tcp(), 1 => udp()]), 1..5)
}

/// What varies of the power that arrives; in a quarter of all cases nothing.
fn variation() -> impl Strategy<Value = (radio::Shadowing, radio::Fading)> {
    let shadowing = prop::sample::select(vec![
        radio::Shadowing::None,
        radio::Shadowing::Frame { sigma_db: 4.0 },
        radio::Shadowing::Link { sigma_db: 6.0 },
    ]);
    let fading = prop_oneof![Just(radio::Fading::None), (0.0..10.0).prop_map(|k| radio::Fading::Ricean { k })];
    prop_oneof![1 => Just((radio::Shadowing::None, radio::Fading::None)), 3 => (shadowing, fading)]
}

/// Frames that are damaged for no reason that power gives; in half of all cases none.
fn errors() -> impl Strategy<Value = Vec<Errors>> {
    let node = || prop_oneof![Just(None), (0u32..4).prop_map(|n| Some(NodeId(n)))];
    let classes = vec![Class::RtsCts, Class::Data, Class::Ack, Class::MacAck, Class::Routing];
    let bursts = (0.01..3.0, 0.01..3.0, 0.0..0.5, 0.0..1.0).prop_map(
        |(mean_good_s, mean_bad_s, good_probability, bad_probability)| {
            let bursts = radio::GilbertElliott { mean_good_s, mean_bad_s, good_probability, bad_probability };
            radio::FrameErrors::GilbertElliott(bursts)
        },
    );
    let model = prop_oneof![(0.0..1.0).prop_map(|probability| radio::FrameErrors::Uniform { probability }), bursts];
    let entry = (node(), node(), prop::sample::subsequence(classes, 1..=5), model);
    let entry = entry.prop_map(|(from, to, frames, model)| Errors { from, to, frames, model });
    prop_oneof![Just(vec![]), prop::collection::vec(entry, 1..4)]
}

fn reception() -> impl Strategy<Value = radio::Config> {
    let propagation = prop::sample::select(vec![
        radio::Propagation::TwoRayGround,
        radio::Propagation::FreeSpace,
        radio::Propagation::LogDistance { exponent: 3.0, reference_m: 10.0 },
        radio::Propagation::Disc,
    ]);
    let capture = prop::sample::select(vec![radio::Capture::First, radio::Capture::Any]);
    let weak_frames = prop::sample::select(vec![radio::WeakFrames::Lock, radio::WeakFrames::Energy]);
    use radio::Interference::{All, Locked, Sum};
    let interference = prop::sample::select(vec![All, Locked, Sum]);
    let bits = radio::Decoding::BitErrors { preamble: Duration::from_micros(192) };
    let decoding = prop::sample::select(vec![radio::Decoding::Threshold, bits]);
    // Up to as much as arrives from 250 m.
    let noise_mw = 1e-10..3e-7;
    let rule = (1.0..20.0, capture, weak_frames, interference, noise_mw, decoding).prop_map(
        |(capture_ratio, capture, weak_frames, interference, noise_mw, decoding)| radio::ReceptionRule {
            capture_ratio,
            capture,
            weak_frames,
            interference,
            noise_mw,
            decoding: if interference == Sum { decoding } else { radio::Decoding::Threshold },
        },
    );
    (propagation, variation(), rule).prop_map(|(propagation, (shadowing, fading), rule)| radio::Config {
        propagation,
        shadowing,
        fading,
        rule,
        ..radio::Config::default()
    })
}

fn mac() -> impl Strategy<Value = link::Config> {
    let threshold = prop::sample::select(vec![0u32, 400, 3000]);
    let arp = prop::sample::select(vec![None, Some(link::arp::Config::default()), Some(link::arp::Config::ns2())]);
    (any::<bool>(), threshold, 1usize..50, any::<bool>(), arp).prop_map(
        |(ns2, rts_threshold_bytes, queue_packets, fast, arp)| {
            let config = if ns2 { link::Config::ns2() } else { link::Config::default() };
            let data_rate_bps = if fast { 11_000_000 } else { 2_000_000 };
            link::Config { rts_threshold_bytes, queue_packets, data_rate_bps, arp, ..config }
        },
    )
}

fn routing() -> impl Strategy<Value = Routing> {
    prop_oneof![
        Just(Routing::Static(None)),
        any::<[bool; 6]>().prop_map(|on| Routing::Found(aodv_with(on).into())),
        Just(Routing::Found(aodv::Config::ns2().into())),
        Just(Routing::Found(dsr::Config::rfc().into())),
        Just(Routing::Found(dsr::Config::papanastasiou().into())),
        Just(Routing::Found(dsr::Config::ns2().into())),
        Just(Routing::Found(olsr::Config::papanastasiou().into())),
        Just(Routing::Found(dsdv::Config::perkins().into())),
        Just(Routing::Found(dsdv::Config::ns2().into())),
    ]
}

/// Node, time, up or down.
type Outage = (prop::sample::Index, f64, bool);

/// Nodes that go down and come up; in half of all cases none.
fn outages() -> impl Strategy<Value = Vec<Outage>> {
    prop_oneof![Just(vec![]), prop::collection::vec((any::<prop::sample::Index>(), 0.0..20.0, any::<bool>()), 1..20)]
}

/// RFC 3561 with these options; with none, the usual.
fn aodv_with([hello, deaf, repair, gratuitous, acknowledged, blacklist]: [bool; 6]) -> aodv::Config {
    aodv::Config {
        hello,
        link_feedback: !deaf,
        local_repair: repair,
        gratuitous,
        rrep_ack: acknowledged,
        blacklist,
        ..aodv::Config::rfc()
    }
}

fn setup() -> impl Strategy<Value = Setup> {
    (nodes(), flows(), (reception(), errors()), mac(), routing(), outages(), 2.0..20.0).prop_map(
        |(nodes, flows, (radio, errors), mac, routing, outages, end_s): (
            Vec<Trajectory>,
            _,
            _,
            _,
            _,
            Vec<Outage>,
            f64,
        )| {
            let switches = outages.into_iter().map(|(node, at_s, up)| Switch {
                at: at(at_s),
                node: NodeId(node.index(nodes.len()) as u32),
                up,
            });
            let switches = switches.collect();
            let flows = flows.into_iter().map(|((from, to, start, stop), kind)| {
                let from = from.index(nodes.len());
                let to = (from + 1 + to.index(nodes.len() - 1)) % nodes.len();
                Flow {
                    from: NodeId(from as u32),
                    to: NodeId(to as u32),
                    start: at(start * end_s),
                    stop: at((start + stop * (1.0 - start)) * end_s),
                    kind,
                }
            });
            let flows = flows.collect();
            Setup {
                end: at(end_s),
                warm_up: at(0.0),
                nodes,
                switches,
                radio,
                errors,
                mac,
                mark_from_packets: 2,
                routing,
                flows,
            }
        },
    )
}

fn traced(setup: &Setup, seed: u64) -> Outcome {
    let options = Options { frames: true, ..Options::default() };
    run(setup, seed, &options, &Watch::default()).expect("nobody cancels")
}

/// What must hold of one flow. `copies`: packets of which there came to be two.
fn check_flow(setup: &Setup, flow: &Flow, report: &FlowReport, copies: u64) -> Result<(), TestCaseError> {
    let span_s = setup.end.since(flow.start).as_secs_f64().max(1e-9);
    let received_bytes = (report.received_bps * span_s / 8.0).round() as u64;
    prop_assert!(report.mean_data_in_flight >= -1e-9, "{report:?}");
    match (&flow.kind, &report.tcp) {
        (FlowKind::Tcp { params, bytes, .. }, Some(tcp)) => {
            let acked_bytes = (tcp.goodput_bps * span_s / 8.0).round() as u64;
            prop_assert!(acked_bytes <= received_bytes, "{acked_bytes} acknowledged, {received_bytes} received");
            prop_assert!(tcp.retransmissions <= report.segments_sent, "{report:?}");
            let first = report.segments_sent - tcp.retransmissions;
            let most = first * u64::from(params.segment_bytes);
            prop_assert!(received_bytes <= most, "{received_bytes} received, {first} segments sent");
            prop_assert!(bytes.is_none_or(|bytes| received_bytes <= bytes), "more than the file: {received_bytes}");
            prop_assert!(tcp.mean_acks_in_flight >= -1e-9, "{report:?}");
            let p = tcp.phase_time_s;
            let phases_s = p.slow_start + p.congestion_avoidance + p.recovery + p.rto + p.frozen;
            let active_s = setup.end.since(flow.start).as_secs_f64();
            prop_assert!((phases_s - active_s).abs() < 1e-6, "phases add up to {phases_s} of {active_s} s");
            prop_assert!(tcp.rto_count == 0 || tcp.rto_time_s >= 0.0);
        }
        (FlowKind::Udp(source), None) => {
            let datagrams = received_bytes / u64::from(source.payload_bytes);
            prop_assert_eq!(datagrams * u64::from(source.payload_bytes), received_bytes, "parts of datagrams");
            prop_assert!(datagrams <= report.segments_sent + copies, "{datagrams} of {} came", report.segments_sent);
        }
        _ => prop_assert!(false, "{report:?}"),
    }
    Ok(())
}

/// What must hold of the frames of a whole run.
fn check_frames(run: &Outcome) -> Result<(), TestCaseError> {
    let ledger = &run.ledger;
    let count = |kind| run.frames.iter().filter(|f| f.kind == kind && f.to.is_some()).count();
    prop_assert!(run.frames.is_sorted_by_key(|f| f.at));
    prop_assert_eq!(ledger.frames, run.frames.len() as u64);
    prop_assert_eq!(ledger.frames_broadcast, run.frames.iter().filter(|f| f.to.is_none()).count() as u64);
    prop_assert!(count(FrameKind::Cts) <= count(FrameKind::Rts), "a CTS that nobody asked for");
    prop_assert!(count(FrameKind::Ack) <= count(FrameKind::Data), "an ACK for nothing");
    let dropped: u64 = run.report.flows.iter().flat_map(|f| f.drops.values()).sum();
    prop_assert!(dropped <= ledger.dropped.iter().sum());
    prop_assert!(run.report.mac.collisions.total >= ledger.frames_collided, "{:?}", run.report.mac);
    let damaged = run.report.mac.channel_errors.map_or(0, |errors| errors.total);
    prop_assert!(damaged >= ledger.frames_damaged, "{:?}", run.report.mac);
    Ok(())
}

/// Cases to try: some seconds' worth, or as many as asked for.
fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(64);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_is_sent_is_received_once_or_lost_once(setup in setup(), seed in 0u64..1000) {
        let run = traced(&setup, seed);
        prop_assert_eq!(run.ledger.check(), Ok(()));
        for (flow, report) in setup.flows.iter().zip(&run.report.flows) {
            check_flow(&setup, flow, report, run.ledger.doubled)?;
        }
        check_frames(&run)?;
        // Looking on changes nothing, and sees what the stations see: a frame that an ear has and its receiver has
        // not yet looked at is in the air.
        let mut ears = Ears::default();
        let (options, watch) = (Options::default(), Watch::default());
        let heard = run_traced(&setup, seed, &options, &watch, &mut ears).expect("nobody cancels");
        prop_assert_eq!(&heard.report, &run.report);
        prop_assert_eq!(&heard.ledger, &run.ledger);
        check_losses(&run, &ears.packets)?;
        let received = run.ledger.frames_received;
        prop_assert!((received..=received + run.ledger.frames_in_air).contains(&ears.received));
    }
}

/// Unicast frames that the ears of their addressees received; checks that times never go back.
#[derive(Default)]
struct Ears {
    last: Time,
    received: u64,
    packets: BTreeMap<PacketId, Life>,
}

/// What became of a flow's packet.
#[derive(Default)]
struct Life {
    flow: usize,
    forward: bool,
    dropped: u64,
    delivered: bool,
}

/// The flow of a packet, and whether it goes the way of the data.
fn flow_of(packet: &Packet) -> Option<(usize, bool)> {
    let (source, destination) = packet.payload.ports()?;
    let flow = |port: u16| usize::from(port - FIRST_PORT);
    Some(if destination < FIRST_SOURCE_PORT { (flow(destination), true) } else { (flow(source), false) })
}

/// Each packet is lost once, or arrives.
fn check_losses(run: &Outcome, packets: &BTreeMap<PacketId, Life>) -> Result<(), TestCaseError> {
    for (number, flow) in run.report.flows.iter().enumerate() {
        let dropped = |forward: bool| {
            packets.values().filter(move |life| life.flow == number && life.forward == forward && life.dropped > 0)
        };
        let mut ways = vec![(true, flow.losses)];
        if let Some(tcp) = &flow.tcp {
            ways.push((false, tcp.ack_losses));
            prop_assert!(tcp.spurious_retransmissions <= tcp.retransmissions, "{flow:?}");
            let repairs = tcp.retransmissions - tcp.spurious_retransmissions;
            // One that was repaired may have been found since, where there are copies.
            prop_assert!(repairs <= flow.losses.total() || run.ledger.doubled > 0, "{repairs} repairs: {flow:?}");
        }
        for (forward, losses) in ways {
            let gone = dropped(forward).filter(|life| !life.delivered).count() as u64;
            prop_assert!(losses.total() <= gone, "{gone} packets are gone, lost are {losses:?}");
            // Of some there may be copies yet.
            prop_assert!(losses.total() + run.ledger.held >= gone, "{gone} packets are gone, lost are {losses:?}");
            if run.ledger.doubled == 0 {
                prop_assert_eq!(losses.total(), gone);
                prop_assert_eq!(gone, dropped(forward).map(|life| life.dropped).sum::<u64>());
            }
        }
    }
    Ok(())
}

impl Ears {
    fn life(&mut self, packet: &Packet, note: impl FnOnce(&mut Life)) {
        if let Some((flow, forward)) = flow_of(packet) {
            let new = Life { flow, forward, ..Life::default() };
            note(self.packets.entry(packet.id).or_insert(new));
        }
    }
}

impl Trace for Ears {
    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        assert!(at >= self.last, "{event:?} at {at}, after {}", self.last);
        self.last = at;
        match event {
            Event::Received { frame, mine: true, .. } => self.received += u64::from(frame.to == Some(node)),
            Event::Delivered(packet) => self.life(packet, |life| life.delivered = true),
            Event::Dropped { packet, .. } => self.life(packet, |life| life.dropped += 1),
            _ => {}
        }
    }

    fn hears(&self, _: NodeId) -> bool {
        true
    }
}

/// The property is worth what its setups reach: every fate of frames, every cause of loss that a setup can bring
/// about. (A packet runs in circles, or to the end of its time to live, only over routes that are wrong; and none
/// waits for a route for 30 s in runs of 20.)
#[test]
fn the_setups_bring_about_every_fate() {
    let mut runner = TestRunner::deterministic();
    let mut sums = [0u64; DropCause::ALL.len()];
    let mut frames = [0u64; 7];
    let (mut doubled, mut held) = (0, 0);
    for seed in 0..150 {
        let setup = setup().new_tree(&mut runner).expect("a setup").current();
        let l = support::outcome(&setup, seed).ledger;
        (0..sums.len()).for_each(|cause| sums[cause] += l.dropped[cause]);
        let fates = [l.frames_received, l.frames_collided, l.frames_missed, l.frames_out_of_range, l.frames_broadcast];
        (0..5).for_each(|fate| frames[fate] += fates[fate]);
        frames[5] += l.frames_in_air;
        frames[6] += l.frames_node_down;
        doubled += l.doubled;
        held += l.held;
    }
    let reached: Vec<_> = DropCause::ALL.into_iter().filter(|&cause| sums[cause as usize] > 0).collect();
    for cause in [
        DropCause::QueueFull,
        DropCause::RetryLimitRts,
        DropCause::RetryLimitData,
        DropCause::NextHopLost,
        DropCause::NoRoute,
        DropCause::RouteBufferFull,
        DropCause::ArpReplaced,
        DropCause::ArpUnanswered,
        DropCause::NodeDown,
    ] {
        assert!(reached.contains(&cause), "never {cause}");
    }
    assert!(frames.iter().all(|&count| count > 0) && doubled > 0 && held > 0, "{frames:?}, {doubled}, {held}");
}

#[test]
fn the_books_show_a_packet_that_vanishes() {
    let mut ledger = support::outcome(&support::string(3, "newreno", 3.0, false), 1).ledger;
    assert_eq!(ledger.check(), Ok(()));
    ledger.delivered -= 1;
    assert!(ledger.check().is_err_and(|e| e.contains("copies were made")));
    ledger.delivered += 1;
    ledger.frames_received += 1;
    assert!(ledger.check().is_err_and(|e| e.contains("frames were sent")));
}
