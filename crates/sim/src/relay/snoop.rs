//! Snoop: the node before a wireless hop keeps what it sends there, and sends it again before the sender has to.
//!
//! Spec      Balakrishnan, Seshan, Amir and Katz, MobiCom 1995 §3: data and acknowledgements of one connection; constants
//!           and the order of tests as in ns-2.35's `Snoop` (`tcp/snoop.cc`)
//! Deviates  - ns-2 counts repeated acknowledgements in one variable for all connections and never sets it back: here each
//!             connection counts its own, anew from each new acknowledgement on
//!           - ns-2 expects one acknowledgement more than can come: here the lost packet itself causes none
//!           - round-trip times are averaged as RFC 6298 §2 has it, and none is taken of what was sent twice (§3); ns-2
//!             gives the newest a weight of 7/8, and takes them all
//!           - a repetition that brings news, another window or a mark, is passed on: ns-2 has neither
//!           - of what the sender sends again the newer packet is kept; ns-2 keeps the older one
//! Holds     acknowledgements are passed on as they came or not at all; data are always passed on; the same packet is sent
//!           again at most `most_tries` times between two signs of life of the sender

use std::collections::VecDeque;

use hopwright_machine::{Duration, Machine, Time};
use hopwright_wire::tcp::{Flags, Segment, Seq};
use hopwright_wire::{Packet, Payload};

/// So many repeated acknowledgements of a kind are passed on before the packet is sent again (ns-2's `RTX_THRESH`).
const PASSED: u32 = 1;
/// How often repeated acknowledgements that nobody expects cause a packet to be sent again.
const UNEXPECTED_TRIES: u32 = 2;
/// The wait before any round-trip time is known: ns-2's `srtt_` of 0.1 s and `rttvar_` of 0.25 s.
const FIRST_TIMEOUT: Duration = Duration::from_millis(1_100);

/// What a Snoop agent is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Packets that it keeps of a connection, at most.
    pub cache_packets: usize,
    /// The shortest wait before a packet is sent again because no acknowledgement came.
    pub min_timeout: Duration,
    /// How often a packet is sent again, at most, until its sender sends it once more.
    pub most_tries: u32,
}

/// What it has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Packets kept.
    pub(crate) cached: u64,
    /// Packets sent again because acknowledgements were repeated.
    pub(crate) by_duplicates: u64,
    /// The same because no acknowledgement came.
    pub(crate) by_timer: u64,
    /// Acknowledgements kept to itself.
    pub(crate) suppressed: u64,
}

/// What can happen to it.
#[derive(Debug)]
pub(crate) enum Input {
    /// A packet passes towards the wireless side.
    Data {
        packet: Packet,
        /// Whether the queue there takes it.
        has_room: bool,
    },
    /// A packet passes the other way.
    Ack(Packet),
    /// The deadline came. Harmless if it has not.
    Wake,
}

/// What becomes of packets.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Output {
    /// It goes on.
    Pass(Packet),
    /// A copy of what is kept goes to the wireless side.
    Again(Packet),
    /// It ends here.
    Suppress(Packet),
}

/// A packet that is kept.
#[derive(Debug)]
struct Kept {
    packet: Packet,
    seq: Seq,
    /// The number after its last one.
    end: Seq,
    sent_at: Time,
    /// How often it was sent again from here.
    tries: u32,
    /// Whether the sender has sent it again: then it wants to know what becomes of it.
    is_senders: bool,
}

/// The Snoop agent of one connection.
#[derive(Debug)]
pub(crate) struct Snoop {
    config: Config,
    /// What was sent to the wireless side and is not acknowledged, in order.
    kept: VecDeque<Kept>,
    /// The end of the newest data so far.
    newest: Option<Seq>,
    /// What the receiver acknowledged last, and the window that it offered with that.
    acked: Option<(Seq, u16)>,
    /// Repetitions of it that were passed on.
    passed: u32,
    /// How many more of them packets behind the lost one will cause; below zero: more have come than they could.
    expected: i64,
    /// Smoothed round-trip time over the wireless side, and its mean deviation.
    round_trip: Option<(Duration, Duration)>,
    /// When the oldest packet is sent again.
    due: Time,
    pub(crate) counts: Counts,
    outputs: VecDeque<Output>,
}

impl Snoop {
    pub(crate) const fn new(config: Config) -> Self {
        Self {
            config,
            kept: VecDeque::new(),
            newest: None,
            acked: None,
            passed: 0,
            expected: 0,
            round_trip: None,
            due: Time::NEVER,
            counts: Counts { cached: 0, by_duplicates: 0, by_timer: 0, suppressed: 0 },
            outputs: VecDeque::new(),
        }
    }

    fn timeout(&self) -> Duration {
        let (smoothed, deviation) = match self.round_trip {
            Some(known) => known,
            None => return self.config.min_timeout.max(FIRST_TIMEOUT),
        };
        self.config.min_timeout.max(smoothed + deviation * 4)
    }

    /// Waits anew for the oldest packet's acknowledgement, if there is a packet.
    fn restart(&mut self, now: Time) {
        self.due = if self.kept.is_empty() { Time::NEVER } else { now + self.timeout() };
    }

    fn forget(&mut self) {
        let (counts, outputs) = (self.counts, std::mem::take(&mut self.outputs));
        *self = Self { counts, outputs, ..Self::new(self.config) };
    }

    fn on_data(&mut self, now: Time, packet: &Packet, segment: &Segment, has_room: bool) {
        if segment.flags.has(Flags::SYN) || segment.flags.has(Flags::RST) {
            return self.forget(); // another connection, or none
        }
        let (seq, end) = (segment.seq, segment.end());
        if seq == end || self.acked.is_some_and(|(acked, _)| !end.is_after(acked)) {
            return;
        }
        let place = self.kept.partition_point(|kept| kept.seq.is_before(seq));
        if let Some(kept) = self.kept.get_mut(place).filter(|kept| kept.seq == seq) {
            *kept = Kept { packet: packet.clone(), seq, end, sent_at: now, tries: 0, is_senders: true };
            if place == 0 {
                self.restart(now);
            }
            return;
        }
        // What is older than the newest and not kept was lost before it came here, or came late: the sender deals with it.
        let is_senders = self.newest.is_some_and(|newest| seq.is_before(newest));
        self.newest = Some(self.newest.map_or(end, |newest| newest.max(end)));
        if self.kept.len() < self.config.cache_packets && has_room {
            self.counts.cached += 1;
            self.kept.insert(place, Kept { packet: packet.clone(), seq, end, sent_at: now, tries: 0, is_senders });
            if place == 0 {
                self.restart(now);
            }
        }
        if self.due.is_never() {
            self.restart(now);
        }
    }

    fn on_ack(&mut self, now: Time, packet: Packet, segment: &Segment) {
        if segment.flags.has(Flags::RST) {
            self.forget();
        } else if segment.flags.has(Flags::ACK) {
            match self.acked {
                Some((acked, _)) if segment.ack.is_before(acked) => {}
                Some((acked, window)) if segment.ack == acked => {
                    // RFC 5681 §2: nothing else is new.
                    self.acked = Some((acked, segment.window));
                    let is_repetition = segment.sequence_length() == 0 && segment.flags == Flags::ACK;
                    if is_repetition && segment.window == window && self.on_duplicate(now, acked) {
                        self.counts.suppressed += 1;
                        return self.outputs.push_back(Output::Suppress(packet));
                    }
                }
                _ => self.on_new_ack(now, segment),
            }
        }
        self.outputs.push_back(Output::Pass(packet));
    }

    fn on_new_ack(&mut self, now: Time, segment: &Segment) {
        let (mut newest, mut is_clear) = (None, true);
        while let Some(kept) = self.kept.pop_front_if(|kept| !kept.end.is_after(segment.ack)) {
            newest = Some(kept.sent_at);
            is_clear &= kept.tries == 0 && !kept.is_senders;
        }
        if let Some(sent_at) = newest.filter(|_| is_clear) {
            self.measure(now.since(sent_at));
        }
        (self.passed, self.expected) = (0, 0);
        self.acked = Some((segment.ack, segment.window));
        self.restart(now);
    }

    /// RFC 6298 §2.
    fn measure(&mut self, sample: Duration) {
        let ns = Duration::as_nanos;
        self.round_trip = Some(match self.round_trip {
            None => (sample, sample / 2),
            Some((smoothed, deviation)) => {
                let off = ns(smoothed).abs_diff(ns(sample));
                let mean = |old: Duration, new: u64, weight: u64| {
                    Duration::from_nanos((ns(old) * (weight - 1) + new) / weight)
                };
                (mean(smoothed, ns(sample), 8), mean(deviation, off, 4))
            }
        });
    }

    /// An acknowledgement was repeated; whether it is to be suppressed.
    fn on_duplicate(&mut self, now: Time, acked: Seq) -> bool {
        let behind = self.kept.len() as i64 - 1;
        let Some(tries) = self.missing(acked).filter(|kept| !kept.is_senders).map(|kept| kept.tries) else {
            return false;
        };
        if self.expected > 0 {
            self.expected -= 1;
            return true;
        }
        if self.expected == 0 && self.passed < PASSED {
            self.passed += 1;
            return false;
        }
        let most = if self.expected == 0 { 1 } else { UNEXPECTED_TRIES };
        if tries >= most.min(self.config.most_tries) {
            return false; // the timer's, or the sender's
        }
        if self.expected == 0 {
            self.expected = behind - i64::from(PASSED + 1);
        }
        self.send_again(now);
        self.counts.by_duplicates += 1;
        true
    }

    /// The packet that an acknowledgement asks for, if it is kept: then it is the oldest.
    fn missing(&self, acked: Seq) -> Option<&Kept> {
        self.kept.front().filter(|kept| !kept.seq.is_after(acked) && kept.end.is_after(acked))
    }

    fn send_again(&mut self, now: Time) {
        let Some(oldest) = self.kept.front_mut() else { return };
        oldest.tries += 1;
        oldest.sent_at = now;
        self.outputs.push_back(Output::Again(oldest.packet.clone()));
        self.restart(now);
    }

    fn on_wake(&mut self, now: Time) {
        if self.due > now {
            return;
        }
        self.due = Time::NEVER;
        let missing = self.acked.and_then(|(acked, _)| self.missing(acked));
        if missing.is_some_and(|kept| kept.tries < self.config.most_tries) {
            self.send_again(now);
            self.counts.by_timer += 1;
        }
    }
}

impl Machine for Snoop {
    type Input<'a> = Input;
    type Output = Output;

    fn handle(&mut self, now: Time, input: Input) {
        match input {
            Input::Data { packet, has_room } => {
                if let Payload::Tcp(segment) = &packet.payload {
                    self.on_data(now, &packet, segment, has_room);
                }
                self.outputs.push_back(Output::Pass(packet));
            }
            Input::Ack(packet) => match &packet.payload {
                Payload::Tcp(segment) => {
                    let segment = std::sync::Arc::clone(segment);
                    self.on_ack(now, packet, &segment);
                }
                _ => self.outputs.push_back(Output::Pass(packet)),
            },
            Input::Wake => self.on_wake(now),
        }
    }

    fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn deadline(&self) -> Time {
        self.due
    }
}

#[cfg(test)]
mod tests;
