//! ATP's rate on idle strings beside what its rules say, worked out again from nothing but when stations had which packet and
//! when feedback left and came.
//!
//! Of the code under test only the packets' own data are read: who they are, and that of an answer to a probe, whose delay
//! is not a matter of averages. No average, no stamp and no rate of the product goes in.

use std::collections::BTreeMap;

use hopwright_machine::{NodeId, PacketId, Time};
use hopwright_sim::{AtpReport, Event, Options, Setup, Trace, Watch, run_traced};
use hopwright_transport::atp::Params;
use hopwright_wire::atp::{Body, Kind};
use hopwright_wire::{Packet, Payload};

use crate::atp::over_atp;
use crate::support::string;

/// The shares of the former average at stations and at the receiver, as the rules have them.
const STATION: f64 = 0.75;
const RECEIVER: f64 = 0.85;
const EPOCH_S: f64 = 1.0;

/// A station: packets come, each is at the head once the one before is done with, and is done with.
#[derive(Default)]
struct Station {
    came: BTreeMap<PacketId, f64>,
    /// Since when the packet that is tried is at the head.
    served: Option<(PacketId, f64)>,
    free: f64,
    queueing: Option<f64>,
    head: Option<f64>,
    last_head: f64,
}

fn average(former: Option<f64>, weight: f64, sample: f64) -> f64 {
    former.map_or(sample, |former| weight * former + (1.0 - weight) * sample)
}

impl Station {
    /// A packet is tried; returns what it carries: its time in the queue is in the average, that at the head not. Of the
    /// first packet, a probe, nothing.
    fn tried(&mut self, packet: PacketId) -> Option<f64> {
        if self.served.is_none_or(|(served, _)| served != packet) {
            let came = *self.came.get(&packet)?;
            if self.head.is_some() && came - self.free >= 1.0 {
                (self.queueing, self.head) = (Some(0.0), Some(self.last_head));
            }
            let served = came.max(self.free);
            self.queueing = Some(average(self.queueing, STATION, served - came));
            self.served = Some((packet, served));
        }
        Some(self.queueing? + self.head?)
    }

    /// A packet is done with.
    fn done(&mut self, now: f64, packet: PacketId) {
        self.came.remove(&packet);
        if let Some((_, served)) = self.served.take_if(|(served, _)| *served == packet) {
            (self.last_head, self.free) = (now - served, now);
            self.head = Some(average(self.head, STATION, self.last_head));
        }
    }
}

/// What the rules say, and what was done.
#[derive(Default)]
struct Rules {
    phi: f64,
    k: f64,
    receiver: Option<NodeId>,
    stations: BTreeMap<NodeId, Station>,
    /// The largest delay that each packet carries so far.
    carried: BTreeMap<PacketId, f64>,
    average: Option<f64>,
    /// The rate that each feedback tells.
    tells: BTreeMap<PacketId, f64>,
    probes: bool,
    rate: f64,
    /// When feedback last came; whether the rate has been halved since.
    heard: f64,
    has_halved: bool,
    /// Of each feedback: the rate told and the one that follows.
    told: Vec<(f64, f64)>,
    /// Of each packet of data that left: the rate by the rules, and the one in it.
    left: Vec<(f64, f64)>,
}

impl Rules {
    fn follow(&mut self, told: f64) {
        if told > self.rate * (1.0 + self.phi) {
            self.rate += (told - self.rate) / self.k;
        } else if told < self.rate {
            self.rate = told;
        }
    }
}

impl Trace for Rules {
    fn event(&mut self, now: Time, node: NodeId, event: Event<'_>) {
        let now = now.as_secs_f64();
        match event {
            Event::Enqueued { packet, .. } => {
                self.stations.entry(node).or_default().came.insert(packet.id, now);
            }
            Event::Attempt { packet, .. } => {
                if let Some(delay) = self.stations.entry(node).or_default().tried(packet.id) {
                    let most = self.carried.entry(packet.id).or_default();
                    *most = most.max(delay);
                }
            }
            Event::Sent(packet) | Event::GaveUp { packet, .. } => {
                self.stations.entry(node).or_default().done(now, packet.id);
            }
            Event::Dropped { packet, .. } => {
                self.stations.entry(node).or_default().came.remove(&packet.id);
            }
            Event::Originated(Packet { id, payload: Payload::Atp(segment), .. }) => match &segment.body {
                Body::Data(data) if data.kind == Kind::Probe => self.probes = true,
                Body::Data(data) => {
                    let rate = f64::from(data.rate_dpps) / 10.0;
                    // After two epochs without feedback, once; when just is not the matter here.
                    if now - self.heard > 2.0 * EPOCH_S && !self.has_halved && rate < 0.75 * self.rate {
                        (self.rate, self.has_halved) = (self.rate / 2.0, true);
                    }
                    self.left.push((self.rate, rate));
                }
                Body::Feedback(feedback) if feedback.is_answer => {
                    let told = f64::from(feedback.rate_mpps) / 1000.0;
                    self.average = Some(1.0 / told);
                    self.tells.insert(*id, told);
                }
                Body::Feedback(_) => {
                    self.tells.extend(self.average.map(|average| (*id, 1.0 / average)));
                }
            },
            Event::Delivered(Packet { id, payload: Payload::Atp(segment), .. }) => match &segment.body {
                Body::Data(data) if data.kind != Kind::Probe && Some(node) == self.receiver => {
                    self.average = Some(average(self.average, RECEIVER, self.carried[id]));
                }
                Body::Feedback(feedback) if feedback.is_answer == self.probes => {
                    let Some(&told) = self.tells.get(id) else { return };
                    if std::mem::take(&mut self.probes) {
                        self.rate = told;
                    } else {
                        self.follow(told);
                    }
                    self.told.push((told, self.rate));
                    (self.heard, self.has_halved) = (now, false);
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn hears(&self, _: NodeId) -> bool {
        false
    }
}

fn ruled(setup: &Setup, params: &Params, hops: u32, seed: u64) -> (Rules, AtpReport) {
    let mut rules = Rules { phi: params.phi, k: params.k, receiver: Some(NodeId(hops)), ..Rules::default() };
    let (options, watch) = (Options::default(), Watch::default());
    let outcome = run_traced(setup, seed, &options, &watch, &mut rules).expect("nobody cancels");
    (rules, outcome.report.flows[0].atp.expect("a flow over ATP"))
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

/// So on strings of one to eight hops: every packet's rate, and how large the rate is beside the one that is told.
#[test]
fn the_rate_on_idle_strings_is_what_the_rules_say() {
    let params = Params::default();
    for hops in 1..=8 {
        let (rules, report) = ruled(&over_atp(string(hops, "reno", 61.0, false), &params, None), &params, hops, 1);
        let off = rules.left.iter().map(|(said, done)| (done / said - 1.0).abs()).fold(0.0, f64::max);
        assert!(off < 0.1 && rules.left.len() > 500, "{hops} hops: a packet's rate is {off} off the rules'");
        let (told, rate) = (mean(rules.told.iter().map(|r| r.0)), mean(rules.told.iter().map(|r| r.1)));
        let share = report.mean_rate_pps.expect("feedback") / report.mean_told_pps.expect("feedback");
        assert!((share / (rate / told) - 1.0).abs() < 0.1, "{hops} hops: {share}, not {}", rate / told);
        let most = rules.told.iter().map(|r| r.0).fold(0.0, f64::max);
        println!("{hops} hops: worst {off:.3}, S/R {share:.3} by the rules {:.3}, R at most {most:.1}", rate / told);
        // One hop alone: R stands still, and S, which comes from below by fifths of the difference, stops once R is no
        // more than a quarter above it.
        if hops == 1 {
            let (told, rate) = rules.told[rules.told.len() - 1];
            assert!((0.8..0.84).contains(&(rate / told)), "{rate} {told}");
        }
    }
}
