//! Which tables of triggers make sense.

use super::{Condition, JitterOf, Monitor, Side, Source, Trigger, Triggers};
use crate::mechanisms::conflict::{IDLE, WHY_IDLE};
use crate::mechanisms::{Conflict, Needs, Recipe, UnknownPart, look_up};
use crate::params::{Params, Place};

/// Why a table cannot work.
#[derive(Clone, PartialEq, Debug)]
pub enum TriggerError {
    /// It has no condition.
    NoCondition,
    /// It sets nothing.
    NothingSet,
    /// It sets this slot twice.
    SetTwice(String),
    /// This condition's `until` lies beyond its bound.
    WrongSide(Condition),
    /// This condition's side is not one that its monitor has.
    NoSuchSide(Condition),
    /// This condition goes by timestamps, and no data bring any back.
    NoTimestamps(Condition, Place),
    /// It and this earlier row become true together, and want other mechanisms in this slot.
    Contradicts(usize, String),
    /// What it sets cannot work with the connection's other mechanisms, nor with what any other row sets beside them.
    Conflict(Conflict),
    /// This slot or part does not exist.
    Unknown(String, String, UnknownPart),
}

impl core::fmt::Display for TriggerError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::NoCondition => f.write_str("needs a condition"),
            Self::NothingSet => f.write_str("must set a slot"),
            Self::SetTwice(slot) => write!(f, "sets {slot} twice"),
            Self::WrongSide(Condition { monitor, side: Side::Is, .. }) => {
                write!(f, "{} equals a number or does not: it takes no until", monitor.name())
            }
            Self::WrongSide(condition) => {
                let (side, other) =
                    if condition.side == Side::Above { ("above", "or less") } else { ("below", "or more") };
                let Condition { monitor, bound, until, .. } = condition;
                write!(f, "{} {side} {bound} cannot hold until {until}: set until to {bound} {other}", monitor.name())
            }
            Self::NoSuchSide(Condition { monitor, side: Side::Is, .. }) => {
                write!(f, "{} is measured: say above or below", monitor.name())
            }
            Self::NoSuchSide(condition) => {
                write!(f, "{} is the number of a network: say equals", condition.monitor.name())
            }
            Self::NoTimestamps(_, Place::Sender) => f.write_str(
                "jitter_of = 'one-way' goes by the timestamps of both ends: set timestamps = true, or take 'round-trips'",
            ),
            Self::NoTimestamps(_, Place::Receiver) => f.write_str(
                "jitter_of = 'one-way' is of data on their way from this end, and place = 'receiver' asks for the peer's: \
                 take 'round-trips'",
            ),
            Self::Contradicts(row, slot) => {
                write!(
                    f,
                    "becomes true whenever trigger {row} does, and sets another {slot}: only one of the two can be there"
                )
            }
            Self::Conflict(conflict) => write!(f, "{} = {}", conflict.slot, conflict.reason_with_part()),
            Self::Unknown(slot, part, error) => write!(f, "{slot} = '{part}': {error}"),
        }
    }
}

impl core::error::Error for TriggerError {}

impl Trigger {
    /// Whether it makes sense by itself.
    ///
    /// # Errors
    /// If it does not.
    pub fn check(&self) -> Result<(), TriggerError> {
        if self.when.is_empty() {
            return Err(TriggerError::NoCondition);
        }
        if self.set.is_empty() {
            return Err(TriggerError::NothingSet);
        }
        for (n, (slot, part)) in self.set.iter().enumerate() {
            if self.set[..n].iter().any(|(other, _)| other == slot) {
                return Err(TriggerError::SetTwice(slot.clone()));
            }
            look_up(slot, part).map_err(|error| TriggerError::Unknown(slot.clone(), part.clone(), error))?;
        }
        let is_foreign = |c: &&Condition| (c.monitor == Monitor::Interface) != (c.side == Side::Is);
        if let Some(condition) = self.when.iter().find(is_foreign) {
            return Err(TriggerError::NoSuchSide(*condition));
        }
        let is_wrong = |c: &&Condition| match c.side {
            Side::Above => c.until > c.bound,
            Side::Below => c.until < c.bound,
            Side::Is => c.until != c.bound,
        };
        self.when.iter().find(is_wrong).map_or(Ok(()), |condition| Err(TriggerError::WrongSide(*condition)))
    }

    /// A slot for which this row and another, which become true at the same times, want different mechanisms.
    fn contradiction(&self, other: &Self) -> Option<&str> {
        let entry = |c: &Condition| (c.monitor, c.side, c.bound.to_bits());
        let covers = |all: &[Condition], of: &[Condition]| of.iter().all(|c| all.iter().any(|a| entry(a) == entry(c)));
        let is_single = self.when.len() == 1 && other.when.len() == 1;
        if (self.any != other.any && !is_single) || !covers(&self.when, &other.when) || !covers(&other.when, &self.when)
        {
            return None;
        }
        let is_other = |(slot, part): &&(String, String)| other.set.iter().any(|(s, p)| s == slot && p != part);
        self.set.iter().find(is_other).map(|(slot, _)| slot.as_str())
    }
}

impl Triggers {
    /// Whether they make sense for a connection that begins with this recipe and these parameters.
    ///
    /// # Errors
    /// The number of the first row that does not, and why.
    pub fn check(&self, recipe: &Recipe, params: &Params) -> Result<(), (usize, TriggerError)> {
        for (n, row) in self.rows.iter().enumerate() {
            row.check().map_err(|error| (n, error))?;
            for (earlier, other) in self.rows[..n].iter().enumerate() {
                if let Some(slot) = row.contradiction(other) {
                    return Err((n, TriggerError::Contradicts(earlier, slot.to_owned())));
                }
            }
        }
        if self.settings.jitter_of == JitterOf::OneWay && self.settings.source == Source::Measured {
            let has_none = !params.timestamps || params.place == Place::Receiver;
            let of_jitter = |row: &Trigger| row.when.iter().find(|c| c.monitor == Monitor::Jitter).copied();
            let found = self.rows.iter().enumerate().find_map(|(n, row)| Some((n, of_jitter(row)?)));
            if let Some((n, condition)) = found.filter(|_| has_none) {
                return Err((n, TriggerError::NoTimestamps(condition, params.place)));
            }
        }
        for (n, row) in self.rows.iter().enumerate() {
            let alone = with(recipe, &row.set);
            let Err(conflict) = check_change(recipe, &alone, params) else { continue };
            let beside = |(other, before): (usize, &Trigger)| {
                let changed = with(recipe, &before.set);
                other != n && check_change(&changed, &with(&changed, &row.set), params).is_ok()
            };
            if !self.rows.iter().enumerate().any(beside) {
                return Err((n, TriggerError::Conflict(conflict)));
            }
        }
        Ok(())
    }

    /// The recipes that a connection may come to have, each row taken alone; that which it begins with is not among them.
    pub fn recipes(&self, recipe: Recipe) -> impl Iterator<Item = Recipe> {
        self.rows.iter().map(move |row| with(&recipe, &row.set))
    }
}

/// A recipe with these mechanisms, pairs of slot and part, all of which exist.
fn with(recipe: &Recipe, set: &[(String, String)]) -> Recipe {
    set.iter().fold(*recipe, |recipe, (slot, part)| recipe.with(slot, part).unwrap_or(recipe))
}

/// Whether a connection may go from one recipe to another under way, of itself.
fn check_change(from: &Recipe, to: &Recipe, params: &Params) -> Result<(), Conflict> {
    to.check(params)?;
    if params.place == Place::Receiver {
        let idle =
            to.parts().into_iter().zip(from.parts()).find(|((slot, part), was)| IDLE.contains(slot) && *part != was.1);
        if let Some(((slot, part), _)) = idle {
            return Err(Conflict { slot, part, reason: WHY_IDLE.to_owned() });
        }
    }
    let cannot = |slot: &'static str, part: &'static str, reason: &str| {
        Err(Conflict { slot, part, reason: format!("{reason}; begin with it") })
    };
    let path = to.path.id;
    match (from.asks(params), to.asks(params)) {
        (before, after) if before == after => {}
        (Some(_), None) => {
            let reason = format!("cannot replace '{}', which asks the network for notices", from.path.id);
            return cannot("path", path, &reason);
        }
        _ => return cannot("path", path, "asks the network for notices, which no trigger can"),
    }
    if to.path.needs.has(Needs::ORDER) && !from.path.needs.has(Needs::ORDER) {
        return cannot("path", path, "has the receiver number its answers, which no trigger can ask for");
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::adaptation::Settings;

    pub(crate) const ROW: &[(&str, &str)] = &[("avoidance", "vegas"), ("diagnosis", "blame-channel")];

    pub(crate) fn above(bound: f64, until: f64) -> Condition {
        Condition { monitor: Monitor::Loss, side: Side::Above, bound, until }
    }

    pub(crate) fn row(when: Condition, set: &[(&str, &str)], back: bool) -> Trigger {
        let set = set.iter().map(|(slot, part)| ((*slot).to_owned(), (*part).to_owned())).collect();
        Trigger { when: vec![when], any: false, set, back }
    }

    fn refusal(recipe: &str, rows: Vec<Trigger>) -> String {
        let row = crate::protocol(recipe).unwrap();
        let params = row.params(Params::default());
        let checked = Triggers { rows, settings: Settings::default() }.check(&row.recipe, &params);
        checked.err().map_or(String::new(), |(n, error)| format!("{n} {error}"))
    }

    #[test]
    fn rows_that_cannot_work_are_refused() {
        let good = row(above(2.0, 1.5), ROW, true);
        assert_eq!(refusal("newreno", vec![good.clone()]), "");
        let other = row(above(2.0, 1.5), &[("response", "spare"), ("avoidance", "veno")], false);
        let contradiction =
            "1 becomes true whenever trigger 0 does, and sets another avoidance: only one of the two can be there";
        assert_eq!(refusal("newreno", vec![good.clone(), other.clone()]), contradiction);
        // On what they end does not matter, nor whether one is enough of one.
        let until = Trigger { when: vec![above(2.0, 0.5)], any: true, ..other.clone() };
        assert_eq!(refusal("newreno", vec![good.clone(), until]), contradiction);
        assert_eq!(refusal("newreno", vec![good, Trigger { when: vec![above(2.5, 1.5)], ..other }]), "");
        let one = |set| vec![row(above(2.0, 1.5), set, true)];
        assert!(refusal("newreno", one(&[("control", "hybrid")])).starts_with("0 control = 'hybrid' gives a rate"));
        assert!(refusal("newreno", one(&[("recovery", "sack")])).starts_with("0 recovery = 'sack' reads selective"));
        assert!(
            refusal("newreno", one(&[("path", "elfn")])).starts_with("0 path = 'elfn' asks the network for notices")
        );
        assert!(
            refusal("elfn", one(&[("path", "ignore")]))
                .starts_with("0 path = 'ignore' cannot replace 'elfn', which asks the network for notices; begin")
        );
        assert!(refusal("newreno", one(&[("path", "door")])).starts_with("0 path = 'door' has the receiver number"));
        // What is impossible alone may follow on another row.
        let paced = row(above(1.0, 1.0), &[("control", "hybrid"), ("clocking", "paced")], true);
        let params = Params { place: Place::Receiver, ..Params::default() };
        let rows = one(&[("avoidance", "vegas"), ("acking", "delayed")]);
        let checked = Triggers { rows, settings: Settings::default() }.check(&crate::PROTOCOLS[1].recipe, &params);
        let told = checked.unwrap_err().1.to_string();
        assert!(told.starts_with("acking = 'delayed' has nothing to do where the receiver asks"), "{told}");
        let told = row(above(2.0, 1.5), &[("offer", "separation"), ("avoidance", "told")], true);
        assert!(refusal("newreno", vec![told.clone()]).starts_with("0 offer = 'separation' compares"));
        assert_eq!(refusal("newreno", vec![told, paced]), "");
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let told = |trigger: Trigger| trigger.check().unwrap_err().to_string();
        let good = row(above(2.0, 1.5), ROW, true);
        assert_eq!(told(Trigger { when: vec![], ..good.clone() }), "needs a condition");
        assert_eq!(told(Trigger { set: vec![], ..good.clone() }), "must set a slot");
        assert_eq!(told(row(above(2.0, 2.5), ROW, true)), "loss above 2 cannot hold until 2.5: set until to 2 or less");
        let below = Condition { monitor: Monitor::Delay, side: Side::Below, bound: 2.0, until: 1.0 };
        assert_eq!(told(row(below, ROW, true)), "delay below 2 cannot hold until 1: set until to 2 or more");
        assert_eq!(
            told(row(above(2.0, 1.5), &[("response", "spare"), ("response", "halve")], true)),
            "sets response twice"
        );
        let interface = Condition { monitor: Monitor::Interface, side: Side::Above, bound: 1.0, until: 1.0 };
        assert_eq!(told(row(interface, ROW, true)), "interface is the number of a network: say equals");
        let twice = Condition { monitor: Monitor::Interface, side: Side::Is, bound: 1.0, until: 2.0 };
        assert_eq!(told(row(twice, ROW, true)), "interface equals a number or does not: it takes no until");
        let exact = Condition { side: Side::Is, ..above(2.0, 2.0) };
        assert_eq!(told(row(exact, ROW, true)), "loss is measured: say above or below");
        let unknown = told(row(above(2.0, 1.5), &[("avoidance", "vagas")], true));
        assert!(
            unknown.starts_with("avoidance = 'vagas': the slot has no such mechanism; it can be additive"),
            "{unknown}"
        );
    }
}
