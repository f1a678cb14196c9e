//! One frame among others whose powers add up: the chance that it is received, section by section.
//!
//! Between two moments at which another frame begins or ends, noise and interference are constant; the frame is without
//! error if it is in each of these sections. Where a threshold decides, a section's chance is 1 or 0.
//!
//! Spec      IEEE 802.11-1999 §15.2 (preamble and header), IEEE 802.11-2020 §17.3.4 (SIGNAL); ns-3's InterferenceHelper
//!           has the same sections
//! Deviates  the header of a short preamble is taken for as many bits of 1 Mb/s as it has microseconds; bits that fill up
//!           the last symbol of OFDM count like the others
//! Holds     a frame that nothing overlaps has the chance that noise leaves it

use hopwright_machine::{Duration, Time};

use crate::listener::Ended;
use crate::signal::{Active, Signal};
use crate::{Hurdle, Modulation, Ofdm, Pace};

/// From which ratio of powers on a section is without error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decoding {
    /// From the capture ratio on.
    Threshold,
    /// As chance has it with each bit.
    BitErrors(Bits),
}

/// Where the bits of a frame are, and how they are sent. Of a preamble only the header's count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bits {
    /// From the frame's begin to the header.
    header_from: Duration,
    /// From there to what follows the header.
    payload_from: Duration,
    /// Nothing is sent for so long before the frame's end.
    silence: Duration,
    header: Modulation,
    /// At the basic rate, and at the data rate.
    rates: [Modulation; 2],
}

impl Bits {
    /// Frames of 802.11b: the header is the last quarter of a preamble that lasts so long, and comes at 1 Mb/s.
    #[must_use]
    pub fn dsss(preamble: Duration, rates: [Modulation; 2]) -> Self {
        let header_from = preamble * 3 / 4;
        Self { header_from, payload_from: preamble, silence: Duration::ZERO, header: Modulation::Dbpsk, rates }
    }

    /// Frames of OFDM: SIGNAL, the last fifth of the preamble, comes at 6 Mb/s; behind the last symbol there may be a
    /// signal extension.
    #[must_use]
    pub fn ofdm(preamble: Duration, extension: Duration, rates: [Modulation; 2]) -> Self {
        let (header_from, header) = (preamble * 4 / 5, Modulation::Ofdm(Ofdm::Mbps6));
        Self { header_from, payload_from: preamble, silence: extension, header, rates }
    }

    const fn payload(&self, pace: Pace) -> Modulation {
        self.rates[pace as usize]
    }
}

/// The frame a receiver is locked on, among others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sections<F> {
    from: Time,
    until: Time,
    power_mw: f64,
    hurdle: Hurdle,
    /// What follows holds up to then.
    settled: Time,
    /// That there was no error.
    chance: f64,
    /// That there would have been none, had it been alone.
    alone: f64,
    /// The strongest of those that overlapped.
    strongest: Option<(f64, F)>,
}

/// What a receiver does about noise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noise {
    pub(crate) power_mw: f64,
    pub(crate) capture_ratio: f64,
    pub(crate) decoding: Decoding,
}

impl<F: Copy> Sections<F> {
    pub(crate) fn new(s: &Signal<F>) -> Self {
        Self {
            from: s.from,
            until: s.until,
            power_mw: s.power_mw,
            hurdle: s.hurdle,
            settled: s.from,
            chance: 1.0,
            alone: 1.0,
            strongest: None,
        }
    }

    /// Takes account of everything up to `now`: `others` are in the air, some of them till then, and none has begun
    /// meanwhile.
    pub(crate) fn settle(&mut self, now: Time, others: &[Active<F>], noise: &Noise) {
        while self.settled < now {
            let overlapping = || others.iter().filter(|other| other.until > self.settled);
            let next = overlapping().fold(now, |next, other| next.min(other.until));
            let interference_mw: f64 = overlapping().map(|other| other.power_mw).sum();
            for other in overlapping() {
                if self.strongest.is_none_or(|(power_mw, _)| other.power_mw > power_mw) {
                    self.strongest = Some((other.power_mw, other.frame));
                }
            }
            let alone = self.section(next, noise.power_mw, noise);
            self.alone *= alone;
            self.chance *=
                if interference_mw > 0.0 { self.section(next, noise.power_mw + interference_mw, noise) } else { alone };
            self.settled = next;
        }
    }

    /// How the frame has ended. The other frame: the one that spoilt it.
    pub(crate) fn ended(&self, frame: F) -> (Ended<F>, Option<F>) {
        if self.hurdle.is_cleared_by(self.chance) {
            (Ended::Received(frame), None)
        } else if let Some((_, by)) = self.strongest.filter(|_| self.hurdle.is_cleared_by(self.alone)) {
            (Ended::Failed(frame), Some(by))
        } else {
            (Ended::Damaged(frame), None)
        }
    }

    /// The chance of the section from what is settled to `until`.
    fn section(&self, until: Time, noise_mw: f64, noise: &Noise) -> f64 {
        match noise.decoding {
            Decoding::Threshold => f64::from(u8::from(self.power_mw >= noise.capture_ratio * noise_mw)),
            Decoding::BitErrors(bits) => {
                let (header, payload) = (self.from + bits.header_from, self.from + bits.payload_from);
                let silent = self.from + self.until.since(self.from).saturating_sub(bits.silence);
                let sinr = self.power_mw / noise_mw;
                let part = |modulation: Modulation, begins: Time, ends: Time| {
                    let (begins, ends) = (begins.max(self.settled), ends.min(until));
                    if begins >= ends {
                        return 1.0;
                    }
                    modulation.success(sinr, ends.since(begins).as_secs_f64() * modulation.rate_bps())
                };
                part(bits.header, header, payload) * part(bits.payload(self.hurdle.pace()), payload, silent)
            }
        }
    }
}
