//! Combinations that make no sense, and why.

use core::fmt;

use super::{Filled, Needs, Recipe, UnknownPart, acking, avoidance, clocking, control, detection, offer};
use crate::params::{EcnMode, Params, Place, Value};

/// Slots that have nothing to do where a receiver asks: it acknowledges to nobody.
pub(crate) const IDLE: [&str; 2] = ["acking", "offer"];

/// Why such a slot takes no mechanism.
pub(crate) const WHY_IDLE: &str = "has nothing to do where the receiver asks for its data: leave acking = \"every\" and \
                                   offer = \"free-buffer\", or set place = \"sender\"";

/// A mechanism that cannot work in the place it was given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The slot it is in.
    pub slot: &'static str,
    /// Its id.
    pub part: &'static str,
    /// Why it cannot work, and what would be right.
    pub reason: String,
}

impl Conflict {
    /// The reason, with the mechanism it is about.
    #[must_use]
    pub fn reason_with_part(&self) -> String {
        format!("'{}' {}", self.part, self.reason)
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} '{}' {}", self.slot, self.part, self.reason)
    }
}

impl core::error::Error for Conflict {}

/// Why a mechanism was not swapped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SwapError {
    /// There is no such slot or mechanism.
    Unknown {
        /// The slot that was asked for.
        slot: String,
        /// The mechanism that was to fill it.
        part: String,
        /// What there is.
        why: UnknownPart,
    },
    /// It could not work here.
    Conflict(Conflict),
}

impl fmt::Display for SwapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { slot, part, why } => write!(f, "{slot} = '{part}': {why}"),
            Self::Conflict(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for SwapError {}

impl SwapError {
    /// The slot, or the mechanism for it, is not there: `why`.
    #[must_use]
    pub fn unknown(slot: &str, part: &str, why: UnknownPart) -> Self {
        Self::Unknown { slot: slot.to_owned(), part: part.to_owned(), why }
    }
}

impl From<Conflict> for SwapError {
    fn from(error: Conflict) -> Self {
        Self::Conflict(error)
    }
}

impl Recipe {
    /// Whether every mechanism gets what it needs from these parameters and from the others.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self, params: &Params) -> Result<(), Conflict> {
        check_parts(&self.filled(), params.selective_acks, params.timestamps)?;
        let (floor, limit) = (params.count(&control::CWND_FLOOR), params.count(&control::CWND_LIMIT));
        if limit > 0 && floor > limit {
            let reason = format!(
                "cannot keep a window of {floor} segments at least and {limit} at most; set cwnd_floor_segments to \
                 {limit} or less"
            );
            return Err(Conflict { slot: "control", part: self.control.id, reason });
        }
        self.check_order(params)?;
        self.check_place(params)?;
        if params.min_rto > params.max_rto {
            let reason = "has a min_rto_ms beyond max_rto_s: every time-out would be the longest".to_owned();
            return Err(Conflict { slot: "timeout", part: self.timeout.id, reason });
        }
        Ok(())
    }
}

/// Pairs of parameters of which the first must not exceed the second, and who reads them.
const ORDERED: [(&str, &str, &str, &str); 6] = [
    ("avoidance", "vegas", "vegas_alpha", "vegas_beta"),
    ("diagnosis", "spike", "spike_end", "spike_start"),
    ("diagnosis", "zbs", "spike_end", "spike_start"),
    ("diagnosis", "welcome", "welcome_growing_samples", "welcome_window_samples"),
    ("acking", "altman-jimenez", "altman_l1_segments", "altman_l2_segments"),
    ("acking", "altman-jimenez", "altman_l2_segments", "altman_l3_segments"),
];

impl Recipe {
    /// Whether it works at a receiver that asks for its data: the other end does nothing but answer.
    pub(crate) fn check_place(&self, params: &Params) -> Result<(), Conflict> {
        if params.place == Place::Sender {
            return Ok(());
        }
        let refused = |at: &Filled, why: &str| {
            let reason = format!("{why}; set place = \"sender\"");
            Err(Conflict { slot: at.slot, part: at.part, reason })
        };
        let filled = self.filled();
        let tells_rates = params.word(&control::LOSS_AT) == "receiver";
        for at in &filled {
            let is_usual = [acking::EVERY.id, offer::FREE_BUFFER.id].contains(&at.part);
            if IDLE.contains(&at.slot) && !is_usual {
                return Err(Conflict { slot: at.slot, part: at.part, reason: WHY_IDLE.to_owned() });
            }
            let why = if at.needs.has_any(Needs::ORDER | Needs::REQUESTS | Needs::SPACING) {
                "needs what a sender writes on its data, and here the sender only answers the receiver's requests"
            } else if at.needs.has(Needs::RATES) && tells_rates {
                "has losses found by the receiver of data, which here keeps the rate itself: set rate_loss_at = \
                 \"sender\", or where the receiver need not ask"
            } else if at.needs.has_any(Needs::ROUTE_NOTICES | Needs::RESTORED_ACK) {
                "is told of routes by notices to the sender of data, which here only answers"
            } else if at.needs.has(Needs::TRUTH) {
                "is told what the sender's segments met, and here the receiver asks"
            } else {
                continue;
            };
            return refused(at, why);
        }
        if self.asks(params).is_some() {
            let path = filled.iter().find(|f| f.slot == "path").expect("every slot is filled");
            return refused(path, "is told of routes by notices to the sender of data, which here only answers");
        }
        if params.ecn == EcnMode::On {
            let reason = "answers congestion marks, which no request carries: set ecn = false, or place = \"sender\"";
            return Err(Conflict { slot: "response", part: self.response.id, reason: reason.to_owned() });
        }
        Ok(())
    }

    fn check_order(&self, params: &Params) -> Result<(), Conflict> {
        let parts = self.parts();
        for (slot, part, low, high) in ORDERED.into_iter().filter(|(slot, part, ..)| parts.contains(&(slot, part))) {
            if let (Some(Value::Number(least)), Some(Value::Number(most))) = (params.value(low), params.value(high))
                && least > most
            {
                let reason = format!("cannot have {low} = {least} above {high} = {most}");
                return Err(Conflict { slot, part, reason });
            }
        }
        Ok(())
    }
}

/// Whether every mechanism gets what it needs from both ends and from the others.
///
/// # Errors
/// The first that does not.
pub(crate) fn check_parts(filled: &[Filled], has_sack: bool, has_timestamps: bool) -> Result<(), Conflict> {
    let refused = |at: &Filled, reason: String| Err(Conflict { slot: at.slot, part: at.part, reason });
    if let Some((at, reason)) = filled.iter().find_map(|f| Some((f, missing(f.needs, has_sack, has_timestamps)?))) {
        return refused(at, reason.to_owned());
    }
    let of = |slot| filled.iter().find(|f| f.slot == slot).expect("every slot is filled");
    let (detection, diagnosis, control, clocking) = (of("detection"), of("diagnosis"), of("control"), of("clocking"));
    if detection.part == detection::ELN.id && !diagnosis.needs.has(Needs::NOTICES) {
        let reason = format!(
            "waits for loss notices, which the diagnosis '{}' does not give; set diagnosis = \"eln\", or one that looks \
             at arrivals",
            diagnosis.part
        );
        return refused(detection, reason);
    }
    let gives_rate = [control::HYBRID.id, control::TFRC.id].contains(&control.part);
    if gives_rate && clocking.part != clocking::PACED.id {
        let reason =
            format!("gives a rate, which the clocking '{}' does not keep; set clocking = \"paced\"", clocking.part);
        return refused(control, reason);
    }
    let (avoidance, offer) = (of("avoidance"), of("offer"));
    if avoidance.part == avoidance::TOLD.id && offer.part != offer::SEPARATION.id {
        let reason = format!(
            "follows a window that the receiver's offer '{}' does not tell; set offer = \"separation\"",
            offer.part
        );
        return refused(avoidance, reason);
    }
    if offer.part == offer::SEPARATION.id && clocking.part != clocking::PACED.id {
        let reason = format!(
            "compares the distances of segments, and the clocking '{}' sends bursts; set control = \"hybrid\" and \
             clocking = \"paced\"",
            clocking.part
        );
        return refused(offer, reason);
    }
    if control.part == control::EXPLICIT.id && clocking.part != clocking::EXPLICIT.id {
        let reason = format!(
            "leaves every limit to the clocking 'explicit', and '{}' sets none; set clocking = \"explicit\"",
            clocking.part
        );
        return refused(control, reason);
    }
    Ok(())
}

/// What a mechanism with these needs lacks.
pub(crate) fn missing(needs: Needs, has_sack: bool, has_timestamps: bool) -> Option<&'static str> {
    if needs.has(Needs::SELECTIVE_ACKS) && !has_sack {
        Some("reads selective acknowledgements; set selective_acks = true")
    } else if needs.has(Needs::TIMESTAMPS) && !has_timestamps {
        Some("reads timestamps; set timestamps = true")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Why this protocol with these parts and parameters cannot work; empty if it can.
    fn why(id: &str, parts: &[(&str, &str)], base: Params, settings: &[(&str, Value)]) -> String {
        let row = crate::protocol(id).unwrap();
        let recipe = parts.iter().fold(row.recipe, |recipe, (slot, part)| recipe.with(slot, part).unwrap());
        let mut params = row.params(base);
        for (name, value) in settings {
            params.set(name, value.clone()).unwrap();
        }
        recipe.check(&params).err().map_or(String::new(), |conflict| conflict.to_string())
    }

    #[test]
    fn what_waits_for_notices_needs_somebody_to_give_them() {
        let is_refused = |diagnosis| {
            let settings = [("timestamps", Value::Bool(true))];
            let reason = why("eln", &[("diagnosis", diagnosis)], Params::default(), &settings);
            assert!(reason.is_empty() || reason.starts_with("detection 'eln' waits for loss notices"), "{reason}");
            !reason.is_empty()
        };
        assert!(["blame-congestion", "veno", "welcome"].into_iter().all(is_refused));
        assert!(!["eln", "biaz-vaidya", "spike", "zigzag", "zbs"].into_iter().any(is_refused));
    }

    #[test]
    fn any_diagnosis_goes_with_halving() {
        for diagnosis in crate::slots().iter().find(|slot| slot.name == "diagnosis").unwrap().parts.iter() {
            let settings = [("timestamps", Value::Bool(true)), ("selective_acks", Value::Bool(true))];
            assert_eq!(why("newreno", &[("diagnosis", diagnosis.id)], Params::default(), &settings), "");
        }
    }

    #[test]
    fn thresholds_must_not_cross() {
        let number = |name, n| (name, Value::Number(n));
        let crossed = [number("vegas_alpha", 5.0), number("vegas_beta", 2.0)];
        assert_eq!(
            why("vegas", &[], Params::default(), &crossed),
            "avoidance 'vegas' cannot have vegas_alpha = 5 above vegas_beta = 2"
        );
        assert_eq!(why("newreno", &[], Params::default(), &crossed), ""); // nobody reads them
        for (slot, part, low, high) in ORDERED {
            let named = |name| crate::parameters().iter().any(|p| p.name == name);
            assert!(named(low) && named(high), "{low} {high}");
            let known = crate::slots();
            assert!(known.iter().any(|s| s.name == slot && s.parts.iter().any(|p| p.id == part)), "{slot} {part}");
        }
    }

    #[test]
    fn bounds_must_not_cross() {
        let limits = |floor, limit| {
            let settings = [("cwnd_floor_segments", floor), ("cwnd_limit_segments", limit)];
            why("newreno", &[], Params::default(), &settings.map(|(name, n)| (name, Value::Number(n))))
        };
        assert_eq!([limits(2.0, 0.0), limits(2.0, 2.0), limits(0.0, 1.0)], ["", "", ""]);
        assert!(limits(3.0, 2.0).starts_with("control 'window' cannot keep"));
        let rto = |max| why("reno", &[], Params::default(), &[("max_rto_s", Value::Number(max))]);
        assert_eq!(rto(0.2), "");
        assert!(rto(0.1).starts_with("timeout 'rfc6298' has a min_rto_ms"));
    }
}
