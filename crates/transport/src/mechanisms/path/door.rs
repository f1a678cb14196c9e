//! TCP-DOOR: what comes out of order came by another route: congestion control holds still for a while, and what it
//! did just before is undone.
//!
//! Spec      Wang and Zhang 2002, as summarised by Ghaleb-Seddik 2009 §2.4.2.1
//! Deviates  unverified against the paper: the two spans, which are parameters, and when the numbers start over
//!           (`Needs::ORDER`). Of several cuts within the second span the first is undone. What was in slow start
//!           before goes on in it; the summary speaks of congestion avoidance
//! Holds     losses are repaired all the same; a cut is undone once

use hopwright_machine::{Duration, Time};

use super::{Path, PathEvent, Ruling, Standing, Then, Windows};
use crate::mechanisms::{Ack, AckKind, Needs, Part};
use crate::params::{Knob, Params};
use crate::view::Public;

const DETECTOR: Knob = Knob::word(
    "door_detector",
    &["both", "sender", "receiver"],
    "which end looks for segments out of order: the sender (in acknowledgements), the receiver (in data), or both",
);
const RESPONSE: Knob = Knob::word(
    "door_response",
    &["both", "disable", "recover"],
    "what follows segments out of order: congestion control is disabled for door_disable_srtt, or cuts within door_recover_srtt are undone, or both",
);
const DISABLE: Knob = Knob::real(
    "door_disable_srtt",
    "smoothed RTTs",
    1.0,
    0.0..=1e3,
    "how long windows and timer do not change, in smoothed round-trip times (T1); unverified",
);
const RECOVER: Knob = Knob::real(
    "door_recover_srtt",
    "smoothed RTTs",
    1.0,
    0.0..=1e3,
    "how old a cut that is undone may be, in smoothed round-trip times (T2); unverified",
);

/// See the file's header.
pub const DOOR: Part<dyn Path> = Part::<dyn Path>::new("door", "Wang and Zhang 2002", |p| Box::new(Door::new(p)))
    .needing(Needs::ORDER)
    .with_knobs(&[DETECTOR, RESPONSE, DISABLE, RECOVER]);

#[derive(Debug)]
struct Door {
    looks_at_acks: bool,
    heeds_receiver: bool,
    disables: bool,
    recovers: bool,
    disable_srtt: f64,
    recover_srtt: f64,
    /// The number of the last acknowledgement of what is acknowledged (ADSN), if it had one.
    duplicate: Option<u8>,
    /// Windows and timer stay as they are until then.
    constant_until: Time,
    /// What they were before the oldest cut that may still be undone, and when that was.
    before: Option<(Time, Windows)>,
}

impl Door {
    fn new(params: &Params) -> Self {
        let has = |knob, word| ["both", word].contains(&params.word(knob));
        Self {
            looks_at_acks: has(&DETECTOR, "sender"),
            heeds_receiver: has(&DETECTOR, "receiver"),
            disables: has(&RESPONSE, "disable"),
            recovers: has(&RESPONSE, "recover"),
            disable_srtt: params.number(&DISABLE),
            recover_srtt: params.number(&RECOVER),
            duplicate: None,
            constant_until: Time::ZERO,
            before: None,
        }
    }

    /// So many smoothed round-trip times; before there is one, the time-out stands in for it.
    fn span(p: &Public, srtts: f64) -> Duration {
        Duration::from_secs_f64(p.srtt.unwrap_or(p.rto).as_secs_f64() * srtts)
    }

    /// Whether something came out of order on the way there or back.
    fn is_out_of_order(&mut self, ack: &Ack<'_>) -> bool {
        let number = ack.segment.options.extra.duplicate_number();
        let came_late = match (ack.kind, number) {
            (AckKind::Old, _) => true,
            (AckKind::Duplicate, Some(n)) if self.duplicate.is_some_and(|last| n.wrapping_sub(last) as i8 <= 0) => true,
            (AckKind::Advance, _) | (_, Some(_)) => {
                self.duplicate = number;
                false
            }
            (AckKind::Duplicate, None) => false,
        };
        (self.looks_at_acks && came_late) || (self.heeds_receiver && ack.segment.options.extra.is_out_of_order())
    }

    fn on_disorder(&mut self, p: &Public) -> Option<Windows> {
        if self.disables {
            self.constant_until = p.now + Self::span(p, self.disable_srtt);
        }
        let (cut, windows) = self.before.take()?;
        (self.recovers && p.now.since(cut) <= Self::span(p, self.recover_srtt)).then_some(windows)
    }

    /// The windows are about to be cut.
    fn remember(&mut self, p: &Public) {
        let span = Self::span(p, self.recover_srtt);
        if self.before.is_none_or(|(cut, _)| p.now.since(cut) > span) {
            self.before = Some((p.now, Windows::of(p)));
        }
    }
}

impl Path for Door {
    fn on_event(&mut self, p: &Public, event: PathEvent<'_>) -> Ruling {
        let mut restore = None;
        match event {
            PathEvent::Ack(ack) if self.is_out_of_order(ack) => restore = self.on_disorder(p),
            PathEvent::Loss(_) if p.now >= self.constant_until => self.remember(p),
            _ => {}
        }
        let standing = if p.now < self.constant_until { Standing::Constant } else { Standing::Open };
        Ruling { standing, then: restore.map_or(Then::Nothing, Then::Restore) }
    }
}
