//! Whatever the setup: every packet and frame ends, and ends once; nobody gets more than was sent.
//!
//! `run` itself panics when the books do not balance. `PROPTEST_CASES=5000 cargo test --release -p hopwright-sim
//! --test conservation` looks harder.

use std::collections::BTreeMap;

use hopwright_link::FrameKind;
use hopwright_machine::{DropCause, NodeId, PacketId, Time};
use hopwright_sim::{
    Event, FIRST_PORT, FIRST_SOURCE_PORT, Flow, FlowKind, FlowReport, Options, Outcome, Setup, Trace, Watch, run,
    run_traced,
};
use hopwright_wire::{Packet, Payload, nctp};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::worlds::{config, contended, setup};

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
            prop_assert_eq!(tcp.rto_time_s, p.rto);
            prop_assert!(tcp.rto_count > 0 || p.rto == 0.0, "{report:?}");
        }
        (FlowKind::Bundles { bytes, .. }, None) => {
            let bundles = report.bundles.as_ref().expect("a flow over bundles");
            let [acked, arrived] =
                [bundles.goodput_bps, bundles.arrived_bps].map(|bps| (bps * span_s / 8.0).round() as u64);
            // A bundle may be acknowledged before an earlier one is there, without which it is not delivered.
            prop_assert!(acked <= arrived && received_bytes <= arrived, "{report:?}");
            prop_assert!(bytes.is_none_or(|bytes| received_bytes <= bytes), "more than the file: {received_bytes}");
            prop_assert!(bundles.happened.bundles_delivered <= bundles.happened.bundles_cut, "{bundles:?}");
        }
        (FlowKind::Atp { params, bytes }, None) => {
            let atp = report.atp.expect("measured");
            let acked_bytes = (atp.goodput_bps * span_s / 8.0).round() as u64;
            prop_assert!(acked_bytes <= received_bytes, "{acked_bytes} acknowledged, {received_bytes} received");
            prop_assert!(atp.retransmissions <= report.segments_sent, "{report:?}");
            let first = report.segments_sent - atp.retransmissions;
            let most = first * u64::from(params.segment_bytes);
            prop_assert!(received_bytes <= most, "{received_bytes} received, {first} segments sent");
            prop_assert!(bytes.is_none_or(|bytes| received_bytes <= bytes), "more than the file: {received_bytes}");
            prop_assert!(atp.openings <= atp.probes && atp.probing_time_s <= span_s + 1e-6, "{report:?}");
            prop_assert!(atp.openings > 0 || report.segments_sent == 0, "{report:?}");
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
    prop_assert!(run.report.mac.collisions.total >= ledger.frames_collided, "{:?}", run.report.mac);
    let damaged = run.report.mac.channel_errors.map_or(0, |errors| errors.total);
    prop_assert!(damaged >= ledger.frames_damaged, "{:?}", run.report.mac);
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_is_sent_is_received_once_or_lost_once(setup in setup(), seed in 0u64..1000) {
        let setup = contended(setup, seed);
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
        for (flow, report) in run.report.flows.iter().enumerate() {
            for (&cause, &dropped) in &report.drops {
                let seen = ears.dropped.get(&(flow, cause)).copied().unwrap_or(0);
                prop_assert_eq!(dropped, seen, "{} of flow {}", cause, flow);
            }
        }
        let put_down: u64 = run.report.flows.iter().flat_map(|flow| flow.drops.values()).sum();
        prop_assert_eq!(put_down, ears.dropped.values().sum::<u64>());
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
    /// Copies of flows' packets that were dropped, by flow and cause.
    dropped: BTreeMap<(usize, &'static str), u64>,
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
    if let Payload::Nctp(about) = &packet.payload {
        let found = (usize::from(about.key.connection), about.kind == nctp::Kind::Data);
        assert_eq!(packet.flow.map(|tag| (tag.flow(), tag.is_forward())), Some(found));
        return Some(found);
    }
    let (source, destination) = packet.payload.ports()?;
    let flow = |port: u16| usize::from(port - FIRST_PORT);
    let found = if destination < FIRST_SOURCE_PORT { (flow(destination), true) } else { (flow(source), false) };
    assert_eq!(packet.flow.map(|tag| (tag.flow(), tag.is_forward())), Some(found), "its tag says what its ports say");
    Some(found)
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
        ways.extend(flow.bundles.as_ref().map(|bundles| (false, bundles.ack_losses)));
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
            Event::Dropped { packet, cause, .. } => {
                self.life(packet, |life| life.dropped += 1);
                if let Some((flow, _)) = flow_of(packet) {
                    *self.dropped.entry((flow, cause.name())).or_default() += 1;
                }
            }
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
    let mut frames = [0u64; 8];
    let (mut doubled, mut held) = (0, 0);
    for seed in 0..150 {
        let setup = contended(setup().new_tree(&mut runner).expect("a setup").current(), seed);
        let l = crate::support::outcome(&setup, seed).ledger;
        (0..sums.len()).for_each(|cause| sums[cause] += l.dropped[cause]);
        let fates = [l.frames_received, l.frames_collided, l.frames_missed, l.frames_out_of_range, l.frames_broadcast];
        (0..5).for_each(|fate| frames[fate] += fates[fate]);
        frames[5] += l.frames_in_air;
        frames[6] += l.frames_node_down;
        frames[7] += l.frames_damaged;
        doubled += l.doubled;
        held += l.held;
    }
    let reached: Vec<_> = DropCause::ALL.into_iter().filter(|&cause| sums[cause as usize] > 0).collect();
    for cause in [
        DropCause::QueueFull,
        DropCause::LinkRed,
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
    let mut ledger = crate::support::outcome(&crate::support::string(3, "newreno", 3.0, false), 1).ledger;
    assert_eq!(ledger.check(), Ok(()));
    ledger.delivered -= 1;
    assert!(ledger.check().is_err_and(|e| e.contains("copies were made")));
    ledger.delivered += 1;
    ledger.frames_received += 1;
    assert!(ledger.check().is_err_and(|e| e.contains("frames were sent")));
}
