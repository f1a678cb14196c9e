//! A conversation of two connections over a path in memory, made so that a sender has to do everything it can do: a
//! fixed delay, a bottleneck, losses by a script.
//!
//! Holds     the same protocol and number of cycles: the same events, each at the same time

use std::collections::VecDeque;

use hopwright_machine::{Duration, Machine, Time};
use hopwright_transport::{Before, Connection, Data, Function, Input, NetworkSignal, Output, Params, Protocol, Role};
use hopwright_wire::ip::Ecn;
use hopwright_wire::notice::Restored;
use hopwright_wire::tcp::{Segment, Seq};

use crate::tape::{End, Event, Stimulus, Tape};

/// Rate of the bottleneck, bits per second: that of the 802.11 radios of the time.
const RATE_BPS: u64 = 2_000_000;
/// Time that a segment needs each way beside waiting.
const DELAY: Duration = Duration::from_millis(20);
/// Bytes of a packet beside the payload.
const HEADER_BYTES: u64 = 40;
/// Data segments of a cycle of the script, resent ones included.
const CYCLE: u64 = 300;
/// Within a cycle, the segment that the bottleneck marks if its sender takes marks (RFC 3168): ATCP's only congestion.
const MARKED: u64 = 30;
/// The segments that are lost: one alone, then two within a window.
const LOST: [u64; 3] = [60, 120, 123];
/// The segment with which the route fails.
const ROUTE_FAILS: u64 = 180;
/// For how long there is none.
const WITHOUT_ROUTE: Duration = Duration::from_millis(300);
/// The segment with which a silence begins that no sign announces.
const FALLS_SILENT: u64 = 240;
/// How long it lasts: longer than the first two time-outs together (RFC 6298: at least 1 s and 2 s).
const SILENCE: Duration = Duration::from_millis(3_200);

/// Initial sequence numbers.
const SENDER_ISS: Seq = Seq(1);
const RECEIVER_ISS: Seq = Seq(1_000_001);

/// What was given to both ends of a conversation.
#[derive(Debug)]
pub struct Recording {
    /// To the sender.
    pub sender: Tape,
    /// To the receiver.
    pub receiver: Tape,
}

/// One way through the path: what is on it, with the times of arrival.
#[derive(Debug, Default)]
struct Way {
    packets: VecDeque<(Time, Segment)>,
    free: Time,
}

impl Way {
    fn send(&mut self, now: Time, segment: Segment) {
        let bits = (HEADER_BYTES + u64::from(segment.payload_bytes)) * 8;
        self.free = self.free.max(now) + Duration::from_nanos(bits * 1_000_000_000 / RATE_BPS);
        self.packets.push_back((self.free + DELAY, segment));
    }

    fn next(&self) -> Time {
        self.packets.front().map_or(Time::NEVER, |packet| packet.0)
    }
}

/// Ends, path and script.
struct Drive {
    now: Time,
    sender: Connection,
    receiver: Connection,
    there: Way,
    back: Way,
    /// Data segments that left.
    sent: u64,
    /// Until then whatever arrives is lost.
    silent_until: Time,
    /// When the route comes back, and who is told.
    restored: Time,
    told: Restored,
    /// Whether the route has failed and the sender is not told yet.
    has_failed: bool,
    written: u64,
    ahead: u64,
    recording: Recording,
}

/// Lets a protocol talk for so many cycles of the script, with the parameters of the profile `standard`.
///
/// # Panics
/// If the conversation stops: a fault of this program.
#[must_use]
pub fn record(protocol: &Protocol, cycles: u64) -> Recording {
    let params = protocol.params(Params::default());
    let end = |role, iss| End { recipe: protocol.recipe, params: params.clone(), role, iss };
    let (active, passive) = (end(Role::Active, SENDER_ISS), end(Role::Passive, RECEIVER_ISS));
    let mut drive = Drive {
        now: Time::ZERO,
        sender: active.build(),
        receiver: passive.build(),
        there: Way::default(),
        back: Way::default(),
        sent: 0,
        silent_until: Time::ZERO,
        restored: Time::NEVER,
        told: protocol.recipe.asks(&params).map_or(Restored::Sender, |asks| asks.restored),
        has_failed: false,
        written: 0,
        ahead: params.window_limit() + 4 * u64::from(params.segment_bytes),
        recording: Recording { sender: Tape::new(active), receiver: Tape::new(passive) },
    };
    drive.give_receiver(Stimulus::Open);
    drive.give_sender(Stimulus::Open);
    while drive.sent < cycles * CYCLE {
        drive.step();
    }
    drive.recording
}

impl Drive {
    /// Whatever comes next, happens.
    fn step(&mut self) {
        let (there, back) = (self.there.next(), self.back.next());
        let (sender, receiver) = (self.sender.deadline(), self.receiver.deadline());
        let next = there.min(back).min(sender).min(receiver).min(self.restored);
        assert!(!next.is_never(), "nobody has anything left to do at {}", self.now);
        self.now = next.max(self.now);
        if there <= next {
            let (_, segment) = self.there.packets.pop_front().expect("there is a next one");
            if self.now >= self.silent_until {
                self.give_receiver(Stimulus::Segment(segment));
            }
        } else if back <= next {
            let (_, segment) = self.back.packets.pop_front().expect("there is a next one");
            if self.now >= self.silent_until {
                self.give_sender(Stimulus::Segment(segment));
            }
        } else if self.restored <= next {
            self.restored = Time::NEVER;
            match self.told {
                Restored::Sender => self.give_sender(Stimulus::Signal(NetworkSignal::RouteRestored)),
                Restored::Receiver => self.give_receiver(Stimulus::Signal(NetworkSignal::RouteRestored)),
                Restored::Nobody => {}
            }
        } else if sender <= next {
            self.give_sender(Stimulus::Wake);
        } else {
            self.give_receiver(Stimulus::Wake);
        }
        if std::mem::take(&mut self.has_failed) {
            let public = self.sender.public();
            let unacknowledged = SENDER_ISS + public.una as u32;
            self.give_sender(Stimulus::Signal(NetworkSignal::RouteFailed(Some(unacknowledged))));
        }
    }

    fn give_receiver(&mut self, stimulus: Stimulus) {
        let now = self.now;
        self.receiver.handle(now, stimulus.input());
        while let Some(output) = self.receiver.poll() {
            if let Output::Segment(segment) = output {
                self.back.send(now, segment);
            }
        }
        let event = Event { at: now, stimulus, write: 0, function: Function::Receiver, sent_bytes: 0 };
        self.recording.receiver.push(event, Function::Receiver);
    }

    /// One event of the sender: what happens to it, what its application writes because of that, what leaves.
    fn give_sender(&mut self, stimulus: Stimulus) {
        let (now, before) = (self.now, Before::of(self.sender.public()));
        self.sender.handle(now, stimulus.input());
        let wanted = self.sender.public().acked_bytes + self.ahead;
        let write = wanted - self.written;
        if write > 0 {
            self.sender.handle(now, Input::Write(Data::Count(write)));
            self.written = wanted;
        }
        let mut sent_bytes = 0;
        while let Some(output) = self.sender.poll() {
            if let Output::Segment(segment) = output {
                sent_bytes += u64::from(segment.payload_bytes);
                self.leave(segment);
            }
        }
        let public = self.sender.public();
        let function = before.function(&stimulus.input(), public);
        let event = Event { at: now, stimulus, write, function, sent_bytes };
        self.recording.sender.push(event, Function::of_phase(public.phase()));
    }

    /// A segment of the sender leaves, and the script with it.
    fn leave(&mut self, mut segment: Segment) {
        if segment.payload_bytes == 0 {
            return self.there.send(self.now, segment);
        }
        let place = self.sent % CYCLE;
        self.sent += 1;
        match place {
            MARKED if segment.ecn != Ecn::NotCapable => segment.ecn = Ecn::Experienced,
            ROUTE_FAILS => {
                self.has_failed = true;
                self.silent_until = self.now + WITHOUT_ROUTE;
                self.restored = self.silent_until;
            }
            FALLS_SILENT => self.silent_until = self.now + SILENCE,
            _ => {}
        }
        if !LOST.contains(&place) {
            self.there.send(self.now, segment);
        }
    }
}

#[cfg(test)]
mod tests {
    use hopwright_transport::PROTOCOLS;
    use hopwright_wire::tcp::Options;

    use super::*;

    #[test]
    fn every_function_of_every_protocol_has_work() {
        for protocol in PROTOCOLS {
            let recording = record(protocol, 40);
            for function in Function::ALL {
                let tape = if function == Function::Receiver { &recording.receiver } else { &recording.sender };
                let events = tape.events(function);
                // WTCP starts once, by a pair, and no time-out makes it start again.
                let least = if (protocol.id, function) == ("wtcp", Function::SlowStart) { 1 } else { 10 };
                assert!(events >= least, "{}: {} has {events} events", protocol.id, function.name());
            }
        }
    }

    #[test]
    fn what_is_sent_is_counted_where_it_is_sent() {
        for protocol in PROTOCOLS {
            let tape = record(protocol, 10).sender;
            let (mut sender, mut sent) = (tape.start(), [0; Function::ALL.len()]);
            // The tape's own notes are not looked at: everything happens once more.
            for event in tape.all() {
                let (before, input) = (Before::of(sender.public()), event.stimulus.input());
                sender.handle(event.at, input);
                if event.write > 0 {
                    sender.handle(event.at, Input::Write(Data::Count(event.write)));
                }
                let function = before.function(&input, sender.public());
                while let Some(output) = sender.poll() {
                    let Output::Segment(segment) = output else { continue };
                    sent[function as usize] += u64::from(segment.payload_bytes);
                }
            }
            assert_eq!(Function::ALL.map(|function| tape.sent_bytes(function)), sent, "{}", protocol.id);
            // All segments are full, but for what options take.
            let (segments, mss) = (sender.public().segments_sent, sender.public().mss as u64);
            let least = segments * (mss - u64::from(Options::MOST_BYTES));
            let all = sent.iter().sum::<u64>();
            assert!((least..=segments * mss).contains(&all), "{}: {all} bytes in {segments} segments", protocol.id);
            // Of the script's losses some are found by duplicates, and the silence by the timer.
            let busy = [Function::SlowStart, Function::Recovery, Function::Timers].map(|f| sent[f as usize]);
            assert!(busy.iter().all(|&bytes| bytes > 0), "{}: {sent:?}", protocol.id);
            assert_eq!(sent[Function::Receiver as usize], 0);
        }
    }
}
