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

use hopwright_machine::{Duration, Time};

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
    /// A signal arrived: the carrier is busy until then, as far as the receiver knows.
    Carrier(Time),
    /// The newcomer was captured by the frame in reception; the medium is held until the newcomer's end
    /// (`Interference::Locked`).
    Held(Time),
    /// A frame is spoilt, which would have been received otherwise.
    Collided {
        /// The frame that is lost.
        frame: F,
        /// The one that spoilt it.
        by: F,
    },
    /// A frame that is strong enough is not taken up.
    Missed {
        /// The frame that is lost.
        frame: F,
        /// Why.
        why: Missed<F>,
    },
    /// The frame the receiver was locked on has ended.
    Ended(Ended<F>),
}

/// Why a receiver does not take up a frame that it could decode, though nothing spoils it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missed<F> {
    /// It is busy with this one, which is stronger by the capture ratio.
    Captured(F),
    /// The station is transmitting.
    Transmitting,
}

/// Who is told, in order, what happens at a receiver. Functions of an `RxEvent` are listeners; one that is called often
/// has a method for each kind, so that nothing is packed and unpacked on the way.
pub trait Listener<F> {
    /// `RxEvent::Carrier`, and the frame that keeps it busy for the longest time.
    fn carrier(&mut self, at: Time, until: Time, of: F);
    /// `RxEvent::Held`, and the newcomer.
    fn held(&mut self, at: Time, until: Time, of: F);
    /// `RxEvent::Collided`.
    fn collided(&mut self, at: Time, frame: F, by: F);
    /// `RxEvent::Missed`.
    fn missed(&mut self, at: Time, frame: F, why: Missed<F>);
    /// `RxEvent::Ended`.
    fn ended(&mut self, at: Time, how: Ended<F>);
}

impl<F, T: FnMut(Time, RxEvent<F>)> Listener<F> for T {
    fn carrier(&mut self, at: Time, until: Time, _: F) {
        self(at, RxEvent::Carrier(until));
    }

    fn held(&mut self, at: Time, until: Time, _: F) {
        self(at, RxEvent::Held(until));
    }

    fn collided(&mut self, at: Time, frame: F, by: F) {
        self(at, RxEvent::Collided { frame, by });
    }

    fn missed(&mut self, at: Time, frame: F, why: Missed<F>) {
        self(at, RxEvent::Missed { frame, why });
    }

    fn ended(&mut self, at: Time, how: Ended<F>) {
        self(at, RxEvent::Ended(how));
    }
}

/// How a reception ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended<F> {
    /// The frame was received.
    Received(F),
    /// Something was received, but not without error: this frame, or what it collided with.
    Failed(F),
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

/// A signal that is in the air.
#[derive(Clone, Copy, Debug)]
struct Active<F> {
    until: Time,
    power_mw: f64,
    frame: F,
}

/// So many signals may wait to be taken account of.
const BACKLOG: usize = 8;

/// One station's receiver.
// In this order, what is touched for every signal is together, at the beginning.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Receiver<F> {
    /// Nothing happens before.
    next: Time,
    /// The last announced signal is over then.
    announced_until: Time,
    /// The last of `upcoming` arrives then.
    announced_from: Time,
    transmitting_until: Time,
    /// Announced, and from `taken` on not yet taken account of; by arrival.
    upcoming: Vec<Signal<F>>,
    taken: usize,
    /// The signal announced last is too weak, and nothing else is known of that it overlaps: its reception will fail.
    will_fail: bool,
    rule: ReceptionRule,
    lock: Option<Lock<F>>,
    /// The last of `active` is over then.
    active_until: Time,
    /// Everything in the air, for `Interference::All`.
    active: Vec<Active<F>>,
}

impl<F: Copy> Receiver<F> {
    /// A receiver that hears nothing yet.
    #[must_use]
    pub fn new(rule: ReceptionRule) -> Self {
        Self {
            rule,
            upcoming: Vec::with_capacity(BACKLOG),
            taken: 0,
            announced_until: Time::ZERO,
            announced_from: Time::ZERO,
            will_fail: false,
            active: Vec::with_capacity(8),
            active_until: Time::ZERO,
            lock: None,
            next: Time::NEVER,
            transmitting_until: Time::ZERO,
        }
    }

    /// Announces a signal. It must not arrive before the time the receiver has come up to.
    #[inline]
    pub fn announce(&mut self, signal: Signal<F>) {
        if signal.from >= self.announced_from {
            self.announced_from = signal.from;
            self.upcoming.push(signal);
        } else {
            let later = self.upcoming().iter().rev().take_while(|s| s.from > signal.from).count();
            self.upcoming.insert(self.upcoming.len() - later, signal);
        }
        self.next = self.next.min(signal.from);
        let locks = self.rule.weak_frames == WeakFrames::Lock && self.transmitting_until <= signal.from;
        self.will_fail = !signal.decodable && locks && self.announced_until <= signal.from;
        self.announced_until = self.announced_until.max(signal.until);
    }

    /// Signals that were announced and not taken account of, by arrival.
    #[inline]
    #[must_use]
    pub fn upcoming(&self) -> &[Signal<F>] {
        &self.upcoming[self.taken..]
    }

    /// Whether so many were announced since the last `advance` that it is time for one.
    #[inline]
    #[must_use]
    pub fn is_behind(&self) -> bool {
        self.upcoming.len() >= BACKLOG
    }

    /// The end of the signal announced last, if its reception will fail for certain unless another
    /// signal comes before: it is too weak, and alone.
    #[inline]
    #[must_use]
    pub fn fails_at(&self) -> Option<Time> {
        self.will_fail.then_some(self.announced_until)
    }

    /// The station transmits until then. The receiver must have come up to the start. Returns the frame that it was receiving,
    /// and that is lost with that: a station has one radio.
    pub fn transmit(&mut self, until: Time) -> Option<F> {
        self.transmitting_until = until;
        self.will_fail = false; // what ends before the transmission does is not noticed
        let lock = self.lock.as_mut()?;
        std::mem::replace(&mut lock.good, false).then_some(lock.frame)
    }

    /// The receiver is off: it forgets everything on its way and in the air.
    pub fn clear(&mut self) {
        self.upcoming.clear();
        self.taken = 0;
        self.announced_until = Time::ZERO;
        self.announced_from = Time::ZERO;
        self.will_fail = false;
        self.active.clear();
        self.active_until = Time::ZERO;
        self.lock = None;
        self.next = Time::NEVER;
        self.transmitting_until = Time::ZERO;
    }

    /// The signal that would end at `until`, received with this power, is cut off before: it cannot be decoded any
    /// more, but keeps the carrier busy to that end.
    pub fn spoil(&mut self, until: Time, power_mw: f64) {
        for signal in &mut self.upcoming[self.taken..] {
            signal.decodable &= signal.until != until || signal.power_mw != power_mw;
        }
        if let Some(lock) = self.lock.as_mut().filter(|l| l.until == until && l.power_mw == power_mw) {
            lock.good = false;
        }
    }

    /// Tells, in order, what happened: ends up to and including `now`, arrivals before `now`.
    ///
    /// An arrival at `now` itself is left for later, because a station whose back-off ends in the same instant
    /// cannot have sensed it. Between stations that count from the end of the same frame this tie is the rule,
    /// not the exception.
    #[inline]
    pub fn advance(&mut self, now: Time, mut listener: impl Listener<F>) {
        while self.next <= now {
            let arrival = self.arrival();
            if let Some(lock) = &self.lock
                && lock.until <= arrival
            {
                if lock.until > now {
                    break;
                }
                let (until, how) = (lock.until, lock.ended(self.transmitting_until));
                self.lock = None;
                listener.ended(until, how);
            } else if arrival < now
                && let Some(&signal) = self.upcoming.get(self.taken)
            {
                self.taken += 1;
                match self.rule.interference {
                    Interference::Locked => self.arrive_locked(&signal, &mut listener),
                    Interference::All => self.arrive_among_all(&signal, &mut listener),
                }
            } else {
                break;
            }
            let arrival = self.arrival();
            self.next = self.lock.as_ref().map_or(arrival, |l| l.until.min(arrival));
        }
        if self.taken == self.upcoming.len() {
            self.upcoming.clear();
            self.taken = 0;
        } else if self.is_behind() {
            self.upcoming.drain(..self.taken);
            self.taken = 0;
        }
    }

    /// The time at which `advance` would next have something to tell.
    #[must_use]
    pub fn next_event(&self) -> Time {
        let arrival = self.upcoming.get(self.taken).map_or(Time::NEVER, |s| s.from + Duration::from_nanos(1));
        self.lock.as_ref().map_or(arrival, |l| l.until.min(arrival))
    }

    /// When the next signal arrives.
    fn arrival(&self) -> Time {
        self.upcoming.get(self.taken).map_or(Time::NEVER, |s| s.from)
    }

    /// ns-2's rule: one reception, newcomers are compared with it alone.
    #[inline]
    fn arrive_locked(&mut self, s: &Signal<F>, listener: &mut impl Listener<F>) {
        let clean = s.decodable && self.transmitting_until <= s.from;
        let fresh = Lock { until: s.until, power_mw: s.power_mw, good: clean, frame: s.frame };
        let Some(lock) = &mut self.lock else {
            if s.decodable || self.rule.weak_frames == WeakFrames::Lock {
                self.lock = Some(fresh);
            }
            if s.decodable && !clean {
                listener.missed(s.from, s.frame, Missed::Transmitting);
            }
            listener.carrier(s.from, s.until, s.frame);
            return;
        };
        if lock.power_mw >= self.rule.capture_ratio * s.power_mw {
            if s.decodable {
                let why = if clean { Missed::Captured(lock.frame) } else { Missed::Transmitting };
                listener.missed(s.from, s.frame, why);
            }
            listener.carrier(s.from, lock.until, lock.frame);
            listener.held(s.from, s.until, s.frame);
            return;
        }
        if lock.good {
            listener.collided(s.from, lock.frame, s.frame);
        }
        if self.rule.capture == Capture::Any && s.power_mw >= self.rule.capture_ratio * lock.power_mw {
            let (until, of) = if s.until >= lock.until { (s.until, s.frame) } else { (lock.until, lock.frame) };
            if s.decodable && !clean {
                listener.missed(s.from, s.frame, Missed::Transmitting);
            }
            listener.carrier(s.from, until, of);
            *lock = fresh;
            return;
        }
        if clean {
            listener.collided(s.from, s.frame, lock.frame);
        } else if s.decodable {
            listener.missed(s.from, s.frame, Missed::Transmitting);
        }
        lock.good = false;
        if s.until > lock.until {
            // The frame that ends last stands for the collision.
            *lock = Lock { good: false, ..fresh };
        }
        listener.carrier(s.from, lock.until, lock.frame);
    }

    /// Every overlapping frame counts.
    #[inline]
    fn arrive_among_all(&mut self, s: &Signal<F>, listener: &mut impl Listener<F>) {
        let ratio = self.rule.capture_ratio;
        let (clear, last) = if self.active_until <= s.from {
            self.active.clear(); // most frames meet no other
            (true, s.frame)
        } else {
            self.active.retain(|other| other.until > s.from);
            let clear = self.active.iter().all(|other| s.power_mw >= ratio * other.power_mw);
            let last = self.active.iter().filter(|other| other.until > s.until).max_by_key(|other| other.until);
            (clear, last.map_or(s.frame, |other| other.frame))
        };
        self.active_until = self.active.iter().fold(s.until, |last, other| last.max(other.until));
        self.active.push(Active { until: s.until, power_mw: s.power_mw, frame: s.frame });
        listener.carrier(s.from, self.active_until, last);
        let hears = self.transmitting_until <= s.from;
        let fresh = Lock { until: s.until, power_mw: s.power_mw, good: s.decodable && clear && hears, frame: s.frame };
        if s.decodable && !hears {
            listener.missed(s.from, s.frame, Missed::Transmitting);
        }
        let Some(lock) = &mut self.lock else {
            if hears && (s.decodable || self.rule.weak_frames == WeakFrames::Lock) {
                self.lock = Some(fresh);
                if s.decodable && !clear {
                    listener.collided(s.from, s.frame, self.strongest_other());
                }
            }
            return;
        };
        if lock.power_mw >= ratio * s.power_mw {
            if s.decodable && hears {
                listener.missed(s.from, s.frame, Missed::Captured(lock.frame));
            }
            return;
        }
        if lock.good {
            listener.collided(s.from, lock.frame, s.frame);
        }
        lock.good = false;
        if self.rule.capture == Capture::Any && fresh.good {
            *lock = fresh;
        } else if s.decodable && hears {
            let by = if self.rule.capture == Capture::Any { self.strongest_other() } else { lock.frame };
            listener.collided(s.from, s.frame, by);
        }
    }

    /// Of the signals in the air, the strongest but for the latest.
    #[cold]
    fn strongest_other(&self) -> F {
        let others = &self.active[..(self.active.len() - 1).max(1)];
        others.iter().fold(&others[0], |most, other| if other.power_mw > most.power_mw { other } else { most }).frame
    }
}

impl<F: Copy> Lock<F> {
    #[inline]
    fn ended(&self, transmitting_until: Time) -> Ended<F> {
        if self.until < transmitting_until {
            Ended::Unnoticed
        } else if self.good {
            Ended::Received(self.frame)
        } else {
            Ended::Failed(self.frame)
        }
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
        receiver.advance(Time::NEVER, |_, event| match event {
            RxEvent::Ended(Ended::Received(frame)) => received.push(frame),
            RxEvent::Ended(Ended::Failed(_)) => received.push('!'),
            RxEvent::Ended(Ended::Unnoticed) => received.push('-'),
            RxEvent::Collided { frame, .. } => collided.push(frame),
            RxEvent::Carrier(_) | RxEvent::Held(_) | RxEvent::Missed { .. } => {}
        });
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
                receiver.advance(Time::NEVER, |_, event| {
                    assert!(
                        !matches!(event, RxEvent::Ended(Ended::Received(_)) | RxEvent::Collided { .. }),
                        "{rule:?}"
                    );
                });
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
            receiver.advance(Time::from_nanos(5), |_, event| assert_eq!(event, RxEvent::Carrier(signal.until)));
            assert_eq!(receiver.transmit(Time::from_nanos(10)), Some('a'), "{rule:?}");
            let mut ends = Vec::new();
            receiver.advance(Time::NEVER, |at, event| ends.push((at, event)));
            assert_eq!(ends, [(signal.until, RxEvent::Ended(Ended::Failed('a')))]);
        }
    }

    /// Who was lost to whom; a small letter alone was missed while transmitting until 4.
    fn blamed(rule: ReceptionRule, transmits: bool, signals: &[(u64, u64, f64, char)]) -> Vec<String> {
        let mut receiver = Receiver::new(rule);
        if transmits {
            receiver.transmit(Time::from_nanos(4));
        }
        for &(from, until, power_mw, frame) in signals {
            let (from, until) = (Time::from_nanos(from), Time::from_nanos(until));
            receiver.announce(Signal { from, until, power_mw, decodable: power_mw >= 1.0, frame });
        }
        let mut blamed = Vec::new();
        receiver.advance(Time::NEVER, |_, event: RxEvent<char>| match event {
            RxEvent::Collided { frame, by } => blamed.push(format!("{frame}/{by}")),
            RxEvent::Missed { frame, why: Missed::Captured(by) } => blamed.push(format!("{frame}<{by}")),
            RxEvent::Missed { frame, why: Missed::Transmitting } => blamed.push(frame.to_string()),
            RxEvent::Carrier(_) | RxEvent::Held(_) | RxEvent::Ended(_) => {}
        });
        blamed
    }

    #[test]
    fn each_lost_frame_names_the_one_it_was_lost_to() {
        for rule in all_rules() {
            let any = rule.capture == Capture::Any;
            // Two of like strength: each spoils the other.
            assert_eq!(blamed(rule, false, &[(0, 10, 8.0, 'a'), (5, 15, 2.0, 'b')]), ["a/b", "b/a"], "{rule:?}");
            // A weaker one: it is captured. A stronger one, later: it takes over, or both are lost.
            assert_eq!(blamed(rule, false, &[(0, 10, 16.0, 'a'), (5, 15, 1.0, 'b')]), ["b<a"], "{rule:?}");
            let stronger = blamed(rule, false, &[(0, 10, 1.0, 'a'), (5, 15, 16.0, 'b')]);
            assert_eq!(stronger, if any { vec!["a/b"] } else { vec!["a/b", "b/a"] }, "{rule:?}");
            // One that cannot be decoded spoils, and is not lost itself.
            assert_eq!(blamed(rule, false, &[(0, 10, 4.0, 'a'), (5, 15, 0.9, 'w')]), ["a/w"], "{rule:?}");
            // What arrives during a transmission is not taken up, whatever else is in the air.
            assert_eq!(blamed(rule, true, &[(2, 10, 8.0, 'a')]), ["a"], "{rule:?}");
            assert_eq!(blamed(rule, true, &[(1, 10, 0.5, 'w'), (2, 10, 8.0, 'a')]), ["a"], "{rule:?}");
        }
        // One collision after the other: the frame that lasts longest stands for what is in the air.
        let ns2 = ReceptionRule { interference: Interference::Locked, ..ReceptionRule::default() };
        let three = [(0, 10, 8.0, 'a'), (5, 20, 2.0, 'b'), (15, 25, 2.0, 'c')];
        assert_eq!(blamed(ns2, false, &three), ["a/b", "b/a", "c/b"]);
        // Of all that overlaps, the strongest.
        let energy = ReceptionRule { weak_frames: WeakFrames::Energy, ..ReceptionRule::default() };
        let weak = [(0, 10, 0.5, 'v'), (1, 10, 0.9, 'w'), (2, 10, 0.4, 'x'), (3, 20, 2.0, 'a')];
        assert_eq!(blamed(energy, false, &weak), ["a/w"]);
    }

    #[test]
    fn arrivals_are_taken_in_order_of_arrival_not_of_announcement() {
        let mut receiver = Receiver::new(ReceptionRule::default());
        for (from, frame) in [(7, 'b'), (3, 'a'), (9, 'c')] {
            let (from, until) = (Time::from_nanos(from), Time::from_nanos(from + 1));
            receiver.announce(Signal { from, until, power_mw: 5.0, decodable: true, frame });
        }
        let mut order = String::new();
        receiver.advance(Time::NEVER, |_, event| {
            if let RxEvent::Ended(Ended::Received(frame)) = event {
                order.push(frame);
            }
        });
        assert_eq!(order, "abc");
    }
}
