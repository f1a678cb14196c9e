//! What a receiver makes of frames that overlap: lock, capture, collision.
//!
//! Spec      ns-2.35's receiver, as observed (see `Interference::Locked`); IEEE 802.11-1999 §9.2.3.4
//! Deviates  powers of interferers are compared one by one, but with `Interference::Sum`; there, too, what is too weak
//!           to be noticed does not disturb
//! Holds     at most one frame is received at a time; a frame that is received exceeded every overlapping
//!           frame by the capture ratio, unless bits decide; nothing is received while transmitting

use hopwright_machine::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::listener::{Ended, Listener, Missed};
use crate::sections::{Noise, Sections};
use crate::signal::{Active, Signal};
use crate::{Decoding, Hurdle};

/// Whether the receiver may change to a later, stronger frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Capture {
    /// The receiver stays with the frame that it began to receive.
    First,
    /// The receiver may change to a later, stronger frame.
    // Stronger by the capture ratio.
    Any,
}

/// The effect of a frame that is noticed, but is too weak to be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WeakFrames {
    /// The frame occupies the receiver like any other frame.
    // As in ns-2.
    Lock,
    /// The frame only adds to the power that the receiver senses.
    // And disturbs what overlaps.
    Energy,
}

/// Which frames disturb a reception.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Interference {
    /// All frames that overlap the reception.
    All,
    /// Only the frame that is being received is compared with new frames.
    // A frame that was captured leaves no trace but a hold of the medium; colliding frames occupy the receiver
    // until the longest has ended; a frame that arrives during a transmission is locked on and ends in error.
    // Seen in ns-2.35's traces: node 1 of the golden string loses every RTS of node 0 that begins while node
    // 3's frame (16 times weaker) is in the air.
    Locked,
    /// The sum of all frames that overlap the reception, and noise.
    // Whether the frame is lost turns out at its end.
    Sum,
}

/// What a receiver makes of frames that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)] // what is asked for every signal is together, at the beginning
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

/// The frame a receiver is locked on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lock<F> {
    pub(crate) until: Time,
    pub(crate) power_mw: f64,
    /// What its chance must exceed: once it is spoilt, no chance does.
    pub(crate) hurdle: Hurdle,
    frame: F,
}

/// What a receiver is busy with.
#[derive(Clone, Debug)]
#[repr(C)] // what is touched for every signal is together, at the beginning
pub(crate) struct Reception<F> {
    pub(crate) transmitting_until: Time,
    pub(crate) lock: Option<Lock<F>>,
    /// The last of `active` is over then.
    active_until: Time,
    pub(crate) rule: ReceptionRule,
    /// Everything in the air, for `Interference::All`; but for the frame the receiver is locked on, for
    /// `Interference::Sum`.
    active: Vec<Active<F>>,
    /// With `Interference::Sum`: how that frame fares.
    sections: Option<Sections<F>>,
}

impl<F: Copy> Reception<F> {
    pub(crate) fn new(rule: ReceptionRule) -> Self {
        Self {
            transmitting_until: Time::ZERO,
            lock: None,
            rule,
            active_until: Time::ZERO,
            active: Vec::with_capacity(8),
            sections: None,
        }
    }

    /// Forgets everything in the air.
    pub(crate) fn clear(&mut self) {
        self.transmitting_until = Time::ZERO;
        self.lock = None;
        self.active_until = Time::ZERO;
        self.active.clear();
        self.sections = None;
    }

    /// The station transmits until then. Returns the frame that it was receiving, and that is lost with that: a station
    /// has one radio.
    #[inline]
    pub(crate) fn transmit(&mut self, until: Time) -> Option<F> {
        self.transmitting_until = until;
        let lock = self.lock.as_mut()?;
        let is_good = lock.is_good();
        lock.hurdle = Hurdle::WEAK;
        is_good.then_some(lock.frame)
    }

    /// A signal arrives.
    #[inline(always)]
    pub(crate) fn arrive<const SUM: bool>(&mut self, s: &Signal<F>, listener: &mut impl Listener<F>) {
        if SUM {
            self.arrive_in_sum(s, listener);
        } else if self.rule.interference == Interference::Locked {
            self.arrive_locked(s, listener);
        } else {
            self.arrive_among_all(s, listener);
        }
    }

    /// Whether nothing is in the air that a signal from then on could meet.
    #[inline(always)]
    pub(crate) fn is_clear(&self, from: Time) -> bool {
        self.rule.interference == Interference::Locked || self.active_until <= from
    }

    /// A signal arrives and ends, and meets no other: nothing is in the air (`is_clear`), and the receiver has no lock.
    #[inline(always)]
    pub(crate) fn take_alone(&mut self, s: &Signal<F>, listener: &mut impl Listener<F>) {
        let hears = self.transmitting_until <= s.from;
        let decodable = s.hurdle.is_decodable();
        let locks = decodable || self.rule.weak_frames == WeakFrames::Lock;
        let locks = if self.rule.interference == Interference::Locked {
            if decodable && !hears {
                listener.missed(s.from, s.frame, Missed::Transmitting);
            }
            listener.carrier(s.from, s.until, s.frame);
            locks
        } else {
            // Whoever comes next comes after it, and finds nothing in the air.
            self.active_until = s.until;
            listener.carrier(s.from, s.until, s.frame);
            if decodable && !hears {
                listener.missed(s.from, s.frame, Missed::Transmitting);
            }
            locks && hears
        };
        if locks {
            listener.ended(s.until, s.lock(hears).ended(self.transmitting_until));
        }
    }

    /// The frame the receiver is locked on has ended.
    #[inline(always)]
    pub(crate) fn end<const SUM: bool>(&mut self, lock: &Lock<F>, listener: &mut impl Listener<F>) {
        let mut how = lock.ended(self.transmitting_until);
        self.lock = None;
        if SUM {
            how = self.end_in_sum(lock.until, how, listener);
        }
        listener.ended(lock.until, how);
    }

    /// ns-2's rule: one reception, newcomers are compared with it alone.
    #[inline]
    fn arrive_locked(&mut self, s: &Signal<F>, listener: &mut impl Listener<F>) {
        let hears = self.transmitting_until <= s.from;
        let clean = s.hurdle.is_decodable() && hears;
        let fresh = s.lock(hears);
        let Some(lock) = &mut self.lock else {
            if s.hurdle.is_decodable() || self.rule.weak_frames == WeakFrames::Lock {
                self.lock = Some(fresh);
            }
            if s.hurdle.is_decodable() && !hears {
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
        if lock.is_good() {
            listener.collided(s.from, lock.frame, s.frame);
        }
        if self.rule.capture == Capture::Any && s.power_mw >= self.rule.capture_ratio * lock.power_mw {
            let (until, of) = if s.until >= lock.until { (s.until, s.frame) } else { (lock.until, lock.frame) };
            if s.hurdle.is_decodable() && !hears {
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
        lock.hurdle = Hurdle::WEAK;
        if s.until > lock.until {
            // The frame that ends last stands for the collision.
            *lock = Lock { hurdle: Hurdle::WEAK, ..fresh };
        }
        listener.carrier(s.from, lock.until, lock.frame);
    }

    /// Every overlapping frame counts.
    #[inline]
    fn arrive_among_all(&mut self, s: &Signal<F>, listener: &mut impl Listener<F>) {
        let ratio = self.rule.capture_ratio;
        let (clear, last) = if self.active_until <= s.from {
            self.active.clear(); // most frames meet no other
            self.active_until = s.until;
            (true, s.frame)
        } else {
            self.meet_others(s)
        };
        self.active.push(Active { until: s.until, power_mw: s.power_mw, frame: s.frame });
        listener.carrier(s.from, self.active_until, last);
        let hears = self.transmitting_until <= s.from;
        let fresh = s.lock(clear && hears);
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
        if lock.is_good() {
            listener.collided(s.from, lock.frame, s.frame);
        }
        lock.hurdle = Hurdle::WEAK;
        if self.rule.capture == Capture::Any && fresh.is_good() {
            *lock = fresh;
        } else if s.hurdle.is_decodable() && hears {
            let by = if self.rule.capture == Capture::Any { self.strongest_other() } else { lock.frame };
            listener.collided(s.from, s.frame, by);
        }
    }

    /// A signal arrives while others are in the air: forgets those that are over. Returns whether it is clear of the
    /// rest, and the frame that is the last to end.
    // One look at each; what it is cannot be foreseen: worked out, not branched on.
    #[inline]
    fn meet_others(&mut self, s: &Signal<F>) -> (bool, F) {
        let (mut clear, mut until, mut last) = (true, s.until, s.frame);
        let mut kept = 0;
        for n in 0..self.active.len() {
            let other = self.active[n];
            let is_there = other.until > s.from;
            clear &= !is_there | (s.power_mw >= self.rule.capture_ratio * other.power_mw);
            // Of those that end in one instant, the one that came last; but not before this one.
            let is_last = (other.until > s.until) & (other.until >= until);
            (until, last) = if is_last { (other.until, other.frame) } else { (until, last) };
            self.active[kept] = other;
            kept += usize::from(is_there);
        }
        self.active.truncate(kept);
        self.active_until = until;
        (clear, last)
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
            if let Some(lock) = self.lock.as_ref().filter(|lock| lock.is_good()) {
                listener.collided(s.from, lock.frame, s.frame);
            }
            self.active.extend(locked);
            self.lock = Some(s.lock(hears));
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
    /// The receiver locks on it; `good`: nothing spoils it so far.
    #[inline]
    fn lock(&self, good: bool) -> Lock<F> {
        let hurdle = if good { self.hurdle } else { Hurdle::WEAK };
        Lock { until: self.until, power_mw: self.power_mw, hurdle, frame: self.frame }
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
    /// Whether no other frame has spoilt it.
    #[inline]
    fn is_good(&self) -> bool {
        self.hurdle.is_decodable()
    }

    #[inline]
    fn ended(&self, transmitting_until: Time) -> Ended<F> {
        if self.until < transmitting_until {
            Ended::Unnoticed
        } else if !self.hurdle.is_damaged() {
            Ended::Received(self.frame)
        } else if self.is_good() {
            Ended::Damaged(self.frame)
        } else {
            Ended::Failed(self.frame)
        }
    }
}
