//! TCP contention control on a string: what links say of contention reaches the receiver, and the sender keeps to what
//! that offers.

use std::cell::RefCell;
use std::collections::BTreeMap;

use hopwright_machine::{Duration, NodeId, PacketId, Time};
use hopwright_sim::stamps::contention::{FIELD_BYTES, Until};
use hopwright_sim::{Event, FlowKind, Options, Outcome, Setup, Stamp, Trace, Watch, run_traced};
use hopwright_transport::mechanisms::offer::{Delivery, Offer, Receiver, TCC};
use hopwright_transport::{Params, Part};
use hopwright_wire::{Packet, Payload};
use proptest::prelude::*;

use crate::support::{outcome, string};

fn measuring(mut setup: Setup, until: Until) -> Setup {
    setup.stamps = vec![Stamp::Contention(until)];
    setup.mac.header_bytes += FIELD_BYTES;
    setup
}

/// What arrives: contention delays of data, and windows of acknowledgements, in segments.
#[derive(Default)]
struct Arrivals {
    delays_us: Vec<u32>,
    windows: Vec<f64>,
    mss: f64,
    shift: u8,
}

impl Trace for Arrivals {
    fn event(&mut self, _: Time, node: NodeId, event: Event<'_>) {
        let Event::Delivered(Packet { payload: Payload::Tcp(segment), stamps, .. }) = event else { return };
        if segment.payload_bytes > 0 {
            self.delays_us.push(stamps.us(0));
        } else if node == NodeId(0) && segment.options.mss.is_none() {
            let window = f64::from(u32::from(segment.window) << self.shift) / self.mss;
            self.windows.push(window);
        }
    }

    fn hears(&self, _: NodeId) -> bool {
        false
    }
}

fn watched(setup: &Setup, seed: u64) -> (Arrivals, Outcome) {
    let FlowKind::Tcp { params, .. } = &setup.flows[0].kind else { panic!("TCP") };
    let mss = f64::from(params.segment_bytes - 12 * u32::from(params.timestamps));
    let shift = (0..14).find(|shift| params.window_limit() >> shift <= 65535).expect("a window of a gigabyte at most");
    let mut arrivals = Arrivals { mss, shift, ..Default::default() };
    let outcome =
        run_traced(setup, seed, &Options::default(), &Watch::default(), &mut arrivals).expect("nobody cancels");
    (arrivals, outcome)
}

/// What stations did with packets, and from that their contention delays, against what the packets say on arrival.
struct Ledger {
    until: Until,
    /// By station: when it was done with a packet last.
    done: BTreeMap<NodeId, Time>,
    /// By packet and station: when it reached the head of the queue, and when the exchange began that counts.
    heads: BTreeMap<(PacketId, NodeId), Time>,
    begun: BTreeMap<(PacketId, NodeId), Time>,
    /// By packet: the delays on the hops behind it, microseconds, and how many of them are more than none.
    sums: BTreeMap<PacketId, (u64, u32)>,
    /// Of data that arrived: what it says, and what it should say.
    said: Vec<u32>,
    due: Vec<u32>,
    /// The most hops with a delay.
    most_hops: u32,
}

impl Ledger {
    fn new(until: Until) -> Self {
        let (done, heads, begun) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { until, done, heads, begun, sums: BTreeMap::new(), said: Vec::new(), due: Vec::new(), most_hops: 0 }
    }
}

impl Trace for Ledger {
    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        match event {
            // It is at the head as soon as nobody is before it.
            Event::Enqueued { packet, .. } => {
                self.heads.insert((packet.id, node), at);
            }
            Event::Attempt { packet, .. } => {
                let done = self.done.get(&node).copied().unwrap_or(Time::ZERO);
                let key = (packet.id, node);
                let is_first = !self.begun.contains_key(&key);
                if is_first {
                    let head = self.heads.get_mut(&key).expect("it was queued");
                    *head = done.max(*head);
                }
                if is_first || self.until == Until::Sent {
                    self.begun.insert(key, at);
                }
            }
            Event::Sent(_) | Event::GaveUp { .. } => {
                self.done.insert(node, at);
            }
            Event::Routing { packet, from, .. } if from != node => {
                let key = (packet.id, from);
                let delay_us = self.begun[&key].since(self.heads[&key]).as_nanos() / 1000;
                let sum = self.sums.entry(packet.id).or_default();
                *sum = (sum.0 + delay_us, sum.1 + u32::from(delay_us > 0));
            }
            Event::Delivered(Packet { id, stamps, payload: Payload::Tcp(segment), .. })
                if segment.payload_bytes > 0 =>
            {
                let (due, hops) = self.sums[id];
                self.said.push(stamps.us(0));
                self.due.push(due as u32);
                self.most_hops = self.most_hops.max(hops);
            }
            _ => {}
        }
    }

    fn hears(&self, _: NodeId) -> bool {
        false
    }
}

#[test]
fn delays_of_all_hops_add_up_and_failed_tries_are_part_of_them_or_not() {
    let mean = |hops, until| {
        let setup = measuring(string(hops, "newreno", 10.0, false), until);
        let mut ledger = Ledger::new(until);
        run_traced(&setup, 1, &Options::default(), &Watch::default(), &mut ledger).expect("nobody cancels");
        assert_eq!(ledger.said, ledger.due, "{hops} hops, {until:?}");
        assert_eq!((ledger.said.len() > 100, ledger.most_hops), (true, hops));
        ledger.said.iter().map(|&us| f64::from(us)).sum::<f64>() / ledger.said.len() as f64
    };
    // On one hop the station waits for nobody but its peer's acknowledgements: DIFS, at most 31 slots, and those.
    let alone = mean(1, Until::Sent);
    assert!((50.0..4000.0).contains(&alone), "{alone}");
    mean(3, Until::Sent);
    let (sent, first) = (mean(6, Until::Sent), mean(6, Until::FirstTry));
    assert!(first > 6.0 * 50.0 && sent > 1.2 * first, "{sent} {first}");
}

#[test]
fn without_the_field_nothing_is_told() {
    let (arrivals, _) = watched(&string(4, "newreno", 3.0, false), 1);
    assert!(arrivals.delays_us.iter().all(|&us| us == 0));
}

#[test]
fn the_field_takes_air_time() {
    let plain = string(1, "newreno", 5.0, false);
    let segments = |setup: &Setup| outcome(setup, 1).report.flows[0].tcp.as_ref().expect("TCP").goodput_segments as f64;
    let ratio = segments(&measuring(plain.clone(), Until::Sent)) / segments(&plain);
    // 8 bytes a segment, 4 of them its acknowledgement's, of some 1,900 that an exchange takes.
    assert!((0.990..0.999).contains(&ratio), "{ratio}");
}

#[test]
fn it_keeps_less_in_the_network_and_loses_less() {
    let run = |id| {
        let setup = measuring(string(6, id, 60.0, false), Until::Sent);
        let report = (1..=5).map(|seed| outcome(&setup, seed).report).collect::<Vec<_>>();
        let sum = |of: &dyn Fn(&hopwright_sim::FlowReport) -> f64| report.iter().map(|r| of(&r.flows[0])).sum::<f64>();
        (sum(&|flow| flow.mean_data_in_flight), sum(&|flow| flow.tcp.as_ref().expect("TCP").retransmissions as f64))
    };
    let ((in_flight, resent), (in_flight_plain, resent_plain)) = (run("tcc"), run("newreno"));
    assert!(in_flight < 0.7 * in_flight_plain, "{in_flight} {in_flight_plain}");
    assert!(resent < 0.5 * resent_plain, "{resent} {resent_plain}");
}

/// What a receiver was told with a data segment, and what it offers from then on, bytes.
#[derive(Clone, Copy, Debug)]
struct Told {
    delivery: Delivery,
    offer: u64,
}

thread_local! {
    /// By each receiver with `OVERHEARD` in this thread.
    static TOLD: RefCell<Vec<Told>> = const { RefCell::new(Vec::new()) };
}

/// The offer of contention control, and somebody who writes down what it hears and says.
const OVERHEARD: Part<dyn Offer> = Part { build: |params| Box::new(Overheard::new(params)), ..TCC };

#[derive(Debug)]
struct Overheard {
    inner: Box<dyn Offer>,
    receiver: Option<Receiver>,
}

impl Overheard {
    fn new(params: &Params) -> Self {
        Self { inner: (TCC.build)(params), receiver: None }
    }
}

impl Offer for Overheard {
    fn on_data(&mut self, delivery: &Delivery) {
        self.inner.on_data(delivery);
        let offer = self.inner.window(self.receiver.as_ref().expect("it has answered a SYN"));
        TOLD.with_borrow_mut(|told| told.push(Told { delivery: *delivery, offer }));
    }

    fn window(&mut self, receiver: &Receiver) -> u64 {
        self.receiver = Some(*receiver);
        self.inner.window(receiver)
    }
}

/// A run of a string with contention control: what arrives, and what its receiver is told.
fn overheard(mut setup: Setup) -> (Arrivals, Vec<Told>) {
    let FlowKind::Tcp { recipe, .. } = &mut setup.flows[0].kind else { panic!("TCP") };
    recipe.offer = OVERHEARD;
    TOLD.take();
    let (arrivals, _) = watched(&setup, 1);
    (arrivals, TOLD.take())
}

#[test]
fn the_receiver_is_told_what_stations_wrote_and_of_how_many_hops() {
    for hops in [1, 2, 5] {
        let (arrivals, told) = overheard(measuring(string(hops, "tcc", 10.0, false), Until::Sent));
        let told: Vec<_> = told.iter().map(|told| told.delivery.stamp.expect("each says")).collect();
        let due: Vec<_> = arrivals.delays_us.iter().map(|&us| (Duration::from_micros(u64::from(us)), hops)).collect();
        assert!(told.len() > 100 && told == due, "{hops} hops: {told:?} {due:?}");
    }
}

/// A round lasts for a round trip: what is offered changes no sooner than after two of them.
#[test]
fn what_is_offered_changes_every_second_round_trip_at_the_most() {
    for (acking, timestamps) in [("every", false), ("delayed", false), ("every", true), ("delayed", true)] {
        let mut setup = measuring(string(4, "tcc", 60.0, false), Until::Sent);
        if let FlowKind::Tcp { recipe, params, .. } = &mut setup.flows[0].kind {
            params.timestamps = timestamps;
            **recipe = recipe.with("acking", acking).expect("a known part");
        }
        let (_, told) = overheard(setup);
        // The first offer is made before it is known how large a segment is.
        let changes: Vec<usize> = (2..told.len()).filter(|&i| told[i].offer != told[i - 1].offer).collect();
        let falls = changes.iter().filter(|&&i| told[i].offer < told[i - 1].offer).count();
        assert!(falls > 5 && changes.len() - falls > 5, "{acking}: {falls} falls of {} changes", changes.len());
        for pair in changes.windows(2) {
            let (from, to) = (&told[pair[0]], &told[pair[1]]);
            if timestamps {
                // No round is shorter than what is echoed at its end.
                let echoes = told[pair[0] + 1..=pair[1]].iter().filter_map(|told| told.delivery.rtt);
                let (round_trip, passed) = (echoes.min().expect("all echo"), to.delivery.now.since(from.delivery.now));
                assert!(passed >= round_trip * 2, "{acking}: {round_trip:?} {from:?} {to:?}");
            } else {
                // What was offered when a round begins is taken in before it ends: the first begins before the change.
                let rounds = told[pair[0] - 1].offer + from.offer;
                assert!(to.delivery.next >= from.delivery.next + rounds, "{acking}: {from:?} {to:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the string, no acknowledgement offers less than two segments.
    #[test]
    fn no_acknowledgement_offers_less_than_two_segments(
        seed in 0u64..1_000_000, hops in 1u32..9, delayed in any::<bool>(), timestamps in any::<bool>(),
        first_try in any::<bool>(), segment_bytes in 600u32..1461,
        window_limit_segments in prop_oneof![Just(64u32), 45..2000u32],
    ) {
        let mut setup = measuring(string(hops, "tcc", 15.0, false), if first_try { Until::FirstTry } else { Until::Sent });
        if let FlowKind::Tcp { recipe, params, .. } = &mut setup.flows[0].kind {
            params.timestamps = timestamps;
            (params.segment_bytes, params.window_limit_segments) = (segment_bytes, window_limit_segments);
            if delayed {
                **recipe = recipe.with("acking", "delayed").expect("a known part");
            }
        }
        let (arrivals, outcome) = watched(&setup, seed);
        prop_assert!(arrivals.windows.len() > 20, "{}", arrivals.windows.len());
        let least = arrivals.windows.iter().copied().fold(f64::INFINITY, f64::min);
        prop_assert!(least >= 2.0, "{least}");
        prop_assert!(outcome.report.flows[0].received_bps > 10_000.0);
    }
}
