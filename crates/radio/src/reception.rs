//! What a receiver makes of frames that overlap: lock, capture, collision.
//!
//! A signal is announced when its frame leaves the sender; the receiver takes account of it in the order of
//! arrival, whenever it is asked to come up to a time. So one visit settles everything that happened since
//! the last, and no event is needed for a receiver that only senses.
//!
//! Spec      ns-2.35's receiver, as observed (see `Interference::Locked`); IEEE 802.11-1999 §9.2.3.4
//! Deviates  powers of interferers are compared one by one, not summed
//! Holds     at most one frame is received at a time; a frame that is received exceeded every overlapping
//!           frame by the capture ratio; nothing is received while transmitting

use hopwright_machine::Time;

/// Whether a stronger frame may take a receiver over that is busy with a weaker one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capture {
    /// The receiver keeps the frame it locked on.
    First,
    /// A later frame that is stronger by the capture ratio takes over.
    Any,
}

/// What a frame does that is sensed but too weak to be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeakFrames {
    /// It occupies the receiver like any other (ns-2).
    Lock,
    /// It only makes the carrier busy, and disturbs what overlaps.
    Energy,
}

/// Which frames count against the one being received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interference {
    /// Every frame that overlaps it.
    All,
    /// Only those that arrive while the receiver is locked on it, each compared with the locked frame alone. A
    /// frame that was captured leaves no trace but a hold of the medium; colliding frames occupy the receiver
    /// until the longest has ended; a frame that arrives during a transmission is locked on and ends in error.
    /// Seen in ns-2.35's traces: node 1 of the golden string loses every RTS of node 0 that begins while node
    /// 3's frame (16 times weaker) is in the air.
    Locked,
}

/// What a receiver makes of frames that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReceptionRule {
    /// How many times stronger a frame must be than one that overlaps it. 10 dB: 10.
    pub capture_ratio: f64,
    /// Whether a stronger frame may take over.
    pub capture: Capture,
    /// What a frame does that is too weak to be decoded.
    pub weak_frames: WeakFrames,
    /// Which frames count against the one being received.
    pub interference: Interference,
}

impl Default for ReceptionRule {
    fn default() -> Self {
        Self {
            capture_ratio: 10.0,
            capture: Capture::First,
            weak_frames: WeakFrames::Lock,
            interference: Interference::All,
        }
    }
}

/// A frame on its way to, or at, one receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signal<F> {
    /// When its first bit arrives.
    pub from: Time,
    /// When its last bit has arrived.
    pub until: Time,
    /// Received power, milliwatts.
    pub power_mw: f64,
    /// Whether it is strong enough to be decoded.
    pub decodable: bool,
    /// Which frame it is.
    pub frame: F,
}

/// What happened at a receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RxEvent<F> {
    /// A signal arrived: the carrier is busy.
    Arrived {
        /// When.
        at: Time,
        /// Until when the receiver knows the carrier to be busy.
        busy_until: Time,
        /// Set if the newcomer was captured by the frame in reception and the medium is held until its end
        /// (`Interference::Locked`).
        held_until: Option<Time>,
        /// Frames that this arrival spoiled and that would have been received otherwise.
        collided: [Option<F>; 2],
    },
    /// The frame the receiver was locked on has ended.
    Ended {
        /// When.
        at: Time,
        /// How.
        how: Ended<F>,
    },
}

/// How a reception ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended<F> {
    /// The frame was received.
    Received(F),
    /// Something was received, but not without error.
    Failed,
    /// The station was transmitting: it noticed nothing.
    Unnoticed,
}

/// The frame a receiver is locked on.
#[derive(Clone, Copy, Debug)]
struct Lock<F> {
    until: Time,
    power_mw: f64,
    good: bool,
    frame: F,
}

/// One station's receiver.
#[derive(Clone, Debug)]
pub struct Receiver<F> {
    rule: ReceptionRule,
    /// Announced, not yet arrived; by arrival, next one last.
    upcoming: Vec<Signal<F>>,
    /// Everything in the air, for `Interference::All`.
    active: Vec<(Time, f64)>,
    lock: Option<Lock<F>>,
    transmitting_until: Time,
}

impl<F: Copy> Receiver<F> {
    /// A receiver that hears nothing yet.
    #[must_use]
    pub fn new(rule: ReceptionRule) -> Self {
        Self {
            rule,
            upcoming: Vec::with_capacity(4),
            active: Vec::with_capacity(8),
            lock: None,
            transmitting_until: Time::ZERO,
        }
    }

    /// Announces a signal. It must not arrive before the time the receiver has come up to.
    pub fn announce(&mut self, signal: Signal<F>) {
        let later = self.upcoming.iter().rev().take_while(|s| s.from <= signal.from).count();
        self.upcoming.insert(self.upcoming.len() - later, signal);
    }

    /// The station transmits until then. The receiver must have come up to the start.
    pub fn transmit(&mut self, until: Time) {
        self.transmitting_until = until;
        if let Some(lock) = &mut self.lock {
            lock.good = false; // half duplex
        }
    }

    /// The next thing that happened: ends up to and including `now`, arrivals before `now`.
    ///
    /// An arrival at `now` itself is left for later, because a station whose back-off ends in the same instant
    /// cannot have sensed it. Between stations that count from the end of the same frame this tie is the rule,
    /// not the exception.
    pub fn advance(&mut self, now: Time) -> Option<RxEvent<F>> {
        let arrival = self.upcoming.last().map_or(Time::NEVER, |s| s.from);
        if let Some(lock) = self.lock
            && lock.until <= arrival
        {
            if lock.until > now {
                return None;
            }
            self.lock = None;
            let how = match () {
                () if lock.until < self.transmitting_until => Ended::Unnoticed,
                () if lock.good => Ended::Received(lock.frame),
                () => Ended::Failed,
            };
            return Some(RxEvent::Ended { at: lock.until, how });
        }
        if arrival >= now {
            return None;
        }
        let signal = self.upcoming.pop()?;
        Some(match self.rule.interference {
            Interference::Locked => self.arrive_locked(signal),
            Interference::All => self.arrive_among_all(signal),
        })
    }

    /// ns-2's rule: one reception, newcomers are compared with it alone.
    fn arrive_locked(&mut self, s: Signal<F>) -> RxEvent<F> {
        let clean = s.decodable && self.transmitting_until <= s.from;
        let event =
            |busy_until, held_until, collided| RxEvent::Arrived { at: s.from, busy_until, held_until, collided };
        let fresh = Lock { until: s.until, power_mw: s.power_mw, good: clean, frame: s.frame };
        let Some(lock) = &mut self.lock else {
            if s.decodable || self.rule.weak_frames == WeakFrames::Lock {
                self.lock = Some(fresh);
            }
            return event(s.until, None, [None, None]);
        };
        if lock.power_mw >= self.rule.capture_ratio * s.power_mw {
            return event(lock.until, Some(s.until), [None, None]);
        }
        let lost = lock.good.then_some(lock.frame);
        if self.rule.capture == Capture::Any && s.power_mw >= self.rule.capture_ratio * lock.power_mw {
            let until = lock.until.max(s.until);
            *lock = fresh;
            return event(until, None, [lost, None]);
        }
        lock.good = false;
        if s.until > lock.until {
            // The frame that ends last stands for the collision.
            lock.until = s.until;
            lock.power_mw = s.power_mw;
        }
        event(lock.until, None, [lost, clean.then_some(s.frame)])
    }

    /// Every overlapping frame counts.
    fn arrive_among_all(&mut self, s: Signal<F>) -> RxEvent<F> {
        self.active.retain(|&(until, _)| until > s.from);
        let ratio = self.rule.capture_ratio;
        let clear = self.active.iter().all(|&(_, power_mw)| s.power_mw >= ratio * power_mw);
        let others_until = self.active.iter().map(|a| a.0).max().unwrap_or(s.until);
        self.active.push((s.until, s.power_mw));
        let hears = self.transmitting_until <= s.from;
        let mut collided = [None, None];
        let fresh = Lock { until: s.until, power_mw: s.power_mw, good: s.decodable && clear && hears, frame: s.frame };
        match &mut self.lock {
            None => {
                if hears && (s.decodable || self.rule.weak_frames == WeakFrames::Lock) {
                    self.lock = Some(fresh);
                    collided[1] = (s.decodable && !clear).then_some(s.frame);
                }
            }
            Some(lock) => {
                if lock.power_mw < ratio * s.power_mw {
                    collided[0] = lock.good.then_some(lock.frame);
                    lock.good = false;
                    if self.rule.capture == Capture::Any && clear && fresh.good {
                        *lock = fresh;
                    } else {
                        collided[1] = (s.decodable && hears).then_some(s.frame);
                    }
                }
            }
        }
        RxEvent::Arrived { at: s.from, busy_until: s.until.max(others_until), held_until: None, collided }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs signals (from, until, power, frame) through a receiver that decodes from power 1 and returns what
    /// it received and what collided.
    fn outcome(rule: ReceptionRule, signals: &[(u64, u64, f64, char)]) -> (String, String) {
        let mut receiver = Receiver::new(rule);
        for &(from, until, power_mw, frame) in signals {
            receiver.announce(Signal {
                from: Time::from_nanos(from),
                until: Time::from_nanos(until),
                power_mw,
                decodable: power_mw >= 1.0,
                frame,
            });
        }
        let (mut received, mut collided) = (String::new(), String::new());
        while let Some(event) = receiver.advance(Time::NEVER) {
            match event {
                RxEvent::Ended { how: Ended::Received(frame), .. } => received.push(frame),
                RxEvent::Ended { how: Ended::Failed, .. } => received.push('!'),
                RxEvent::Ended { .. } => received.push('-'),
                RxEvent::Arrived { collided: lost, .. } => collided.extend(lost.into_iter().flatten()),
            }
        }
        (received, collided)
    }

    fn all_rules() -> Vec<ReceptionRule> {
        let mut rules = Vec::new();
        for capture in [Capture::First, Capture::Any] {
            for weak_frames in [WeakFrames::Lock, WeakFrames::Energy] {
                for interference in [Interference::All, Interference::Locked] {
                    rules.push(ReceptionRule { capture_ratio: 10.0, capture, weak_frames, interference });
                }
            }
        }
        rules
    }

    #[test]
    fn a_lone_frame_is_received() {
        for rule in all_rules() {
            assert_eq!(outcome(rule, &[(0, 10, 1.0, 'a'), (20, 30, 1.0, 'b')]), ("ab".into(), String::new()));
        }
    }

    #[test]
    fn first_strong_frame_survives_by_twelve_decibels_not_by_nine() {
        for rule in all_rules() {
            assert_eq!(outcome(rule, &[(0, 10, 16.0, 'a'), (5, 15, 1.0, 'b')]).0.chars().next(), Some('a'), "{rule:?}");
            let (received, collided) = outcome(rule, &[(0, 10, 8.0, 'a'), (5, 15, 1.0, 'b')]);
            assert!(!received.contains(['a', 'b']), "{rule:?}: {received}");
            assert_eq!(collided, "ab", "{rule:?}");
        }
    }

    #[test]
    fn later_strong_frame_takes_over_only_if_any_may() {
        for rule in all_rules() {
            let (received, _) = outcome(rule, &[(0, 10, 1.0, 'a'), (5, 15, 16.0, 'b')]);
            assert_eq!(received.contains('b'), rule.capture == Capture::Any, "{rule:?}: {received}");
            assert!(!received.contains('a'));
        }
    }

    #[test]
    fn weak_frame_blocks_the_receiver_only_if_it_locks() {
        for rule in all_rules() {
            // A frame that begins while an undecodable one, ten times weaker, is in the air.
            let (received, _) = outcome(rule, &[(0, 10, 0.5, 'w'), (5, 15, 6.0, 'a')]);
            let free = rule.weak_frames == WeakFrames::Energy || rule.capture == Capture::Any;
            assert_eq!(received.contains('a'), free, "{rule:?}: {received}");
        }
    }

    #[test]
    fn whether_a_captured_frame_disturbs_the_next_one_is_the_interference_rule() {
        for rule in all_rules() {
            // 'b' is captured by 'a' and still in the air when 'c' begins, only twice as strong.
            let (received, _) = outcome(rule, &[(0, 10, 16.0, 'a'), (5, 30, 1.0, 'b'), (12, 20, 2.0, 'c')]);
            assert_eq!(received.contains('c'), rule.interference == Interference::Locked, "{rule:?}: {received}");
        }
    }

    #[test]
    fn nothing_is_received_while_transmitting() {
        for rule in all_rules() {
            for (transmit_until, from, until) in [(10, 5, 20), (10, 2, 8)] {
                let mut receiver = Receiver::new(rule);
                receiver.transmit(Time::from_nanos(transmit_until));
                let (from, until) = (Time::from_nanos(from), Time::from_nanos(until));
                receiver.announce(Signal { from, until, power_mw: 5.0, decodable: true, frame: 'a' });
                while let Some(event) = receiver.advance(Time::NEVER) {
                    assert!(!matches!(event, RxEvent::Ended { how: Ended::Received(_), .. }), "{rule:?}");
                    assert!(!matches!(event, RxEvent::Arrived { collided: [Some(_), _] | [_, Some(_)], .. }));
                }
            }
        }
    }

    #[test]
    fn starting_to_transmit_spoils_the_reception() {
        for rule in all_rules() {
            let mut receiver = Receiver::new(rule);
            let signal =
                Signal { from: Time::ZERO, until: Time::from_nanos(20), power_mw: 5.0, decodable: true, frame: 'a' };
            receiver.announce(signal);
            assert!(receiver.advance(Time::from_nanos(5)).is_some());
            receiver.transmit(Time::from_nanos(10));
            assert_eq!(receiver.advance(Time::NEVER), Some(RxEvent::Ended { at: signal.until, how: Ended::Failed }));
        }
    }

    #[test]
    fn arrivals_are_taken_in_order_of_arrival_not_of_announcement() {
        let mut receiver = Receiver::new(ReceptionRule::default());
        for (from, frame) in [(7, 'b'), (3, 'a'), (9, 'c')] {
            let (from, until) = (Time::from_nanos(from), Time::from_nanos(from + 1));
            receiver.announce(Signal { from, until, power_mw: 5.0, decodable: true, frame });
        }
        let mut order = String::new();
        while let Some(event) = receiver.advance(Time::NEVER) {
            if let RxEvent::Ended { how: Ended::Received(frame), .. } = event {
                order.push(frame);
            }
        }
        assert_eq!(order, "abc");
    }
}
