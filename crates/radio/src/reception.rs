//! What a receiver makes of frames that overlap: lock, capture, collision.
//!
//! A signal is announced when its frame leaves the sender; the receiver takes account of it in the order of
//! arrival, whenever it is asked to come up to a time. So one visit settles everything that happened since
//! the last, and no event is needed for a receiver that only senses.
//!
//! Spec      ns-2.35's receiver, as observed (see `Interference::Locked`); IEEE 802.11-1999 §9.2.3.4
//! Deviates  powers of interferers are compared one by one, but with `Interference::Sum`; there, too, what is too weak to be
//!           noticed does not disturb
//! Holds     at most one frame is received at a time; a frame that is received exceeded every overlapping
//!           frame by the capture ratio, unless bits decide; nothing is received while transmitting

use hopwright_machine::{Duration, Time};

use crate::sections::{Noise, Sections};
use crate::{Decoding, Hurdle};

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
    /// All that overlap it together, and noise. Whether the frame is lost turns out at its end.
    Sum,
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
    /// With `Interference::Sum`: noise, milliwatts.
    pub noise_mw: f64,
    /// With `Interference::Sum`: what decides whether a frame is without error.
    pub decoding: Decoding,
}

impl Default for ReceptionRule {
    fn default() -> Self {
        Self {
            capture_ratio: 10.0,
            capture: Capture::First,
            weak_frames: WeakFrames::Lock,
            interference: Interference::All,
            noise_mw: 0.0,
            decoding: Decoding::Threshold,
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
    /// Whether it can be decoded, and what its chance of that must exceed.
    pub hurdle: Hurdle,
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
    /// The same, and no other frame is to blame, but noise, or chance.
    Damaged(F),
    /// The station was transmitting: it noticed nothing.
    Unnoticed,
}

/// The frame a receiver is locked on.
#[derive(Clone, Copy, Debug)]
struct Lock<F> {
    until: Time,
    power_mw: f64,
    good: bool,
    /// No other frame is needed to spoil it.
    damaged: bool,
    frame: F,
}

/// A signal that is in the air.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Active<F> {
    pub(crate) until: Time,
    pub(crate) power_mw: f64,
    pub(crate) frame: F,
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
    /// Everything in the air, for `Interference::All`; but for the frame the receiver is locked on, for `Interference::Sum`.
    active: Vec<Active<F>>,
    /// With `Interference::Sum`: how that frame fares.
    sections: Option<Sections<F>>,
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
            sections: None,
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
        self.will_fail = !signal.hurdle.is_decodable() && locks && self.announced_until <= signal.from;
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
        self.sections = None;
        self.next = Time::NEVER;
        self.transmitting_until = Time::ZERO;
    }

    /// The signal that would end at `until`, received with this power, is cut off before: it cannot be decoded any
    /// more, but keeps the carrier busy to that end.
    pub fn spoil(&mut self, until: Time, power_mw: f64) {
        for signal in &mut self.upcoming[self.taken..] {
            if signal.until == until && signal.power_mw == power_mw {
                signal.hurdle = Hurdle::WEAK;
            }
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
    pub fn advance(&mut self, now: Time, listener: impl Listener<F>) {
        if self.adds_up() { self.advance_in_sum(now, listener) } else { self.advance_in_pairs(now, listener) }
    }

    /// Whether the powers of frames are added up. Whoever asks often does well to ask first: then the listener of the one way
    /// need not suit the other.
    #[inline]
    #[must_use]
    pub fn adds_up(&self) -> bool {
        self.rule.interference == Interference::Sum
    }

    /// `advance` where powers are added up.
    #[inline(never)]
    pub fn advance_in_sum(&mut self, now: Time, listener: impl Listener<F>) {
        self.advance_by::<true>(now, listener);
    }

    /// `advance` where powers are compared.
    #[inline]
    pub fn advance_in_pairs(&mut self, now: Time, listener: impl Listener<F>) {
        self.advance_by::<false>(now, listener);
    }

    #[inline(always)]
    fn advance_by<const SUM: bool>(&mut self, now: Time, mut listener: impl Listener<F>) {
        while self.next <= now {
            let arrival = self.arrival();
            if let Some(lock) = &self.lock
                && lock.until <= arrival
            {
                if lock.until > now {
                    break;
                }
                let (until, mut how) = (lock.until, lock.ended(self.transmitting_until));
                self.lock = None;
                if SUM {
                    how = self.end_in_sum(until, how, &mut listener);
                }
                listener.ended(until, how);
            } else if arrival < now
                && let Some(&signal) = self.upcoming.get(self.taken)
            {
                self.taken += 1;
                if SUM {
                    self.arrive_in_sum(&signal, &mut listener);
                } else if self.rule.interference == Interference::Locked {
                    self.arrive_locked(&signal, &mut listener);
                } else {
                    self.arrive_among_all(&signal, &mut listener);
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
        let clean = s.hurdle.is_decodable() && self.transmitting_until <= s.from;
        let fresh = s.lock(clean);
        let Some(lock) = &mut self.lock else {
            if s.hurdle.is_decodable() || self.rule.weak_frames == WeakFrames::Lock {
                self.lock = Some(fresh);
            }
            if s.hurdle.is_decodable() && !clean {
                listener.missed(s.from, s.frame, Missed::Transmitting);
            }
            listener.carrier(s.from, s.until, s.frame);
            return;
        };
        if lock.power_mw >= self.rule.capture_ratio * s.power_mw {
            if s.hurdle.is_decodable() {
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
            if s.hurdle.is_decodable() && !clean {
                listener.missed(s.from, s.frame, Missed::Transmitting);
            }
            listener.carrier(s.from, until, of);
            *lock = fresh;
            return;
        }
        if clean {
            listener.collided(s.from, s.frame, lock.frame);
        } else if s.hurdle.is_decodable() {
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
        let fresh = s.lock(s.hurdle.is_decodable() && clear && hears);
        if s.hurdle.is_decodable() && !hears {
            listener.missed(s.from, s.frame, Missed::Transmitting);
        }
        let Some(lock) = &mut self.lock else {
            if hears && (s.hurdle.is_decodable() || self.rule.weak_frames == WeakFrames::Lock) {
                self.lock = Some(fresh);
                if s.hurdle.is_decodable() && !clear {
                    listener.collided(s.from, s.frame, self.strongest_other());
                }
            }
            return;
        };
        if lock.power_mw >= ratio * s.power_mw {
            if s.hurdle.is_decodable() && hears {
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
        } else if s.hurdle.is_decodable() && hears {
            let by = if self.rule.capture == Capture::Any { self.strongest_other() } else { lock.frame };
            listener.collided(s.from, s.frame, by);
        }
    }

    /// What overlaps adds up; whether it is too much turns out in the end.
    fn arrive_in_sum(&mut self, s: &Signal<F>, listener: &mut impl Listener<F>) {
        if let Some(sections) = &mut self.sections {
            sections.settle(s.from, &self.active, &self.rule.noise());
        }
        self.active.retain(|other| other.until > s.from);
        let locked = self.lock.as_ref().map(|lock| Active::of_lock(lock));
        let last =
            self.active.iter().chain(&locked).filter(|other| other.until > s.until).max_by_key(|other| other.until);
        let (until, of) = last.map_or((s.until, s.frame), |last| (last.until, last.frame));
        listener.carrier(s.from, until, of);
        let hears = self.transmitting_until <= s.from;
        let able = s.hurdle.is_decodable() && hears;
        if s.hurdle.is_decodable() && !hears {
            listener.missed(s.from, s.frame, Missed::Transmitting);
        }
        let ratio = self.rule.capture_ratio;
        let others_mw: f64 = self.active.iter().chain(&locked).map(|other| other.power_mw).sum();
        let takes = match &self.lock {
            None => able || (hears && self.rule.weak_frames == WeakFrames::Lock),
            Some(_) => {
                let clear = s.power_mw >= ratio * (self.rule.noise_mw + others_mw);
                able && clear && self.rule.capture == Capture::Any
            }
        };
        if takes {
            if let Some(lock) = self.lock.as_ref().filter(|lock| lock.good) {
                listener.collided(s.from, lock.frame, s.frame);
            }
            self.active.extend(locked);
            self.lock = Some(s.lock(able));
            self.sections = Some(Sections::new(s));
            return;
        }
        if let Some(lock) = self.lock.as_ref().filter(|_| able) {
            if lock.power_mw >= ratio * s.power_mw {
                listener.missed(s.from, s.frame, Missed::Captured(lock.frame));
            } else {
                listener.collided(s.from, s.frame, lock.frame);
            }
        }
        self.active.push(Active { until: s.until, power_mw: s.power_mw, frame: s.frame });
    }

    /// The frame that the receiver was locked on ends; `how`: but for what has overlapped it.
    fn end_in_sum(&mut self, until: Time, how: Ended<F>, listener: &mut impl Listener<F>) -> Ended<F> {
        let sections = self.sections.take();
        let (Some(mut sections), Ended::Received(frame)) = (sections, how) else { return how };
        sections.settle(until, &self.active, &self.rule.noise());
        let (how, by) = sections.ended(frame);
        if let Some(by) = by {
            listener.collided(until, frame, by);
        }
        how
    }

    /// Of the signals in the air, the strongest but for the latest.
    #[cold]
    fn strongest_other(&self) -> F {
        let others = &self.active[..(self.active.len() - 1).max(1)];
        others.iter().fold(&others[0], |most, other| if other.power_mw > most.power_mw { other } else { most }).frame
    }
}

impl<F: Copy> Signal<F> {
    /// The receiver locks on it; `good`: for now it may be received.
    #[inline]
    fn lock(&self, good: bool) -> Lock<F> {
        Lock { until: self.until, power_mw: self.power_mw, good, damaged: self.hurdle.is_damaged(), frame: self.frame }
    }
}

impl<F: Copy> Active<F> {
    fn of_lock(lock: &Lock<F>) -> Self {
        Self { until: lock.until, power_mw: lock.power_mw, frame: lock.frame }
    }
}

impl ReceptionRule {
    fn noise(&self) -> Noise {
        Noise { power_mw: self.noise_mw, capture_ratio: self.capture_ratio, decoding: self.decoding }
    }
}

impl<F: Copy> Lock<F> {
    #[inline]
    fn ended(&self, transmitting_until: Time) -> Ended<F> {
        if self.until < transmitting_until {
            Ended::Unnoticed
        } else if self.good && self.damaged {
            Ended::Damaged(self.frame)
        } else if self.good {
            Ended::Received(self.frame)
        } else {
            Ended::Failed(self.frame)
        }
    }
}

#[cfg(test)]
mod tests;
