//! A connection that measures its path and changes its mechanisms under way: a table of triggers, and what serves it.
//!
//! Spec      Velayutham 2005 §3.5 (triggers: logical combinations of conditions on what is measured), §3.6 (the adaptation
//!           manager)
//! Deviates  the document gives the table two fields, trigger and module, and no semantics. Here rows are looked at in
//!           order; a row fires when its expression becomes true, and sets all its slots at once, or none if one is
//!           refused. A condition may hold on until its value has come back over another bound (`until`), and a row may
//!           take back what it set when its expression becomes false (`back`)
//! Holds     a condition on what is not known yet is false. A slot changes again `Settings::hold` later at the earliest: a
//!           row that would fire, or take back, waits for that as long as it still would. Of two rows that would fire in
//!           one event and name the same slot, the first does. Values are looked at every `Settings::period` at most

use std::collections::VecDeque;

use hopwright_machine::{Duration, Time};

use crate::engine::Public;
use crate::mechanisms::{Ack, UnknownPart, look_up};

mod monitors;

pub use monitors::Monitor;
use monitors::Monitors;

/// On which side of its bound a value makes a condition true.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// It is more.
    Above,
    /// It is less.
    Below,
}

/// Something that may be true of the path.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Condition {
    /// What is measured.
    pub monitor: Monitor,
    /// On which side of the bound it is to be.
    pub side: Side,
    /// The bound, in the monitor's unit.
    pub bound: f64,
    /// The bound that it must come back over before the condition is false again; the same as `bound` for none.
    pub until: f64,
}

/// A row of the table.
#[derive(Clone, PartialEq, Debug)]
pub struct Trigger {
    /// Its conditions.
    pub when: Vec<Condition>,
    /// Whether one of them is enough.
    pub any: bool,
    /// The mechanisms it sets: pairs of slot and part.
    pub set: Vec<(String, String)>,
    /// Whether the slots become what they were when it is not true any more.
    pub back: bool,
}

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
    /// This slot or part does not exist.
    Unknown(String, String, UnknownPart),
}

impl core::fmt::Display for TriggerError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::NoCondition => f.write_str("needs a condition"),
            Self::NothingSet => f.write_str("must set a slot"),
            Self::SetTwice(slot) => write!(f, "sets {slot} twice"),
            Self::WrongSide(condition) => {
                let (side, other) = match condition.side {
                    Side::Above => ("above", "or less"),
                    Side::Below => ("below", "or more"),
                };
                let Condition { monitor, bound, until, .. } = condition;
                write!(f, "{} {side} {bound} cannot hold until {until}: set until to {bound} {other}", monitor.name())
            }
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
        let is_wrong = |c: &&Condition| match c.side {
            Side::Above => c.until > c.bound,
            Side::Below => c.until < c.bound,
        };
        self.when.iter().find(is_wrong).map_or(Ok(()), |condition| Err(TriggerError::WrongSide(*condition)))
    }
}

/// How a table is served.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// The least time between two changes of a slot; `None`: ten round trips, a second at least.
    pub hold: Option<Duration>,
    /// The least time between two looks at the values.
    pub period: Duration,
    /// Segments over which loss is counted.
    pub loss_window: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { hold: None, period: Duration::from_millis(100), loss_window: 500 }
    }
}

/// What a row did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// The row, from 0.
    pub row: u16,
    /// Whether it took back what it had set.
    pub is_back: bool,
    /// Whether the connection refused it: nothing changed.
    pub is_refused: bool,
}

/// A row and how it stands.
#[derive(Debug)]
struct Row {
    trigger: Trigger,
    /// Which of its conditions hold.
    holds: Vec<bool>,
    /// Whether its expression was true, and has been acted upon.
    stands: bool,
    /// What was in its slots before it fired.
    former: Option<Vec<String>>,
}

/// What a row wants changed: pairs of slot and part.
type Wanted = Vec<(String, String)>;

/// Whose mechanisms change.
pub(crate) trait Adaptable {
    /// What everybody sees of it.
    fn public(&self) -> &Public;
    /// The mechanism in a slot.
    fn mechanism(&self, slot: &str) -> &'static str;
    /// Puts mechanisms into slots, all of them or, if it refuses, none. Returns those that were there.
    fn swap(&mut self, parts: &[(&str, &str)]) -> Option<Vec<&'static str>>;
}

/// The table of a connection, and what serves it.
#[derive(Debug)]
pub struct Adaptation {
    rows: Vec<Row>,
    monitors: Monitors,
    settings: Settings,
    /// When the values were last looked at.
    looked: Option<Time>,
    /// When a row that waits may act.
    due: Time,
    /// When each slot that ever changed last did.
    changed: Vec<(String, Time)>,
    /// What was done and not yet asked for.
    changes: VecDeque<(Time, Change)>,
}

/// So many changes wait to be asked for; then the oldest are forgotten.
const MOST_CHANGES: usize = 1_000;

impl Adaptation {
    /// A table.
    ///
    /// # Errors
    /// The number of the first row that makes no sense, and why.
    pub fn new(rows: Vec<Trigger>, settings: Settings) -> Result<Self, (usize, TriggerError)> {
        for (n, row) in rows.iter().enumerate() {
            row.check().map_err(|error| (n, error))?;
        }
        let mut asked: Vec<Monitor> = rows.iter().flat_map(|row| row.when.iter().map(|c| c.monitor)).collect();
        asked.sort_unstable();
        asked.dedup();
        let rows = rows.into_iter().map(|trigger| {
            let holds = vec![false; trigger.when.len()];
            Row { trigger, holds, stands: false, former: None }
        });
        Ok(Self {
            rows: rows.collect(),
            monitors: Monitors::new(&asked, u64::from(settings.loss_window)),
            settings,
            looked: None,
            due: Time::NEVER,
            changed: vec![],
            changes: VecDeque::new(),
        })
    }

    /// Whether it measures the round trip of every acknowledgement.
    pub(crate) const fn wants_delays(&self) -> bool {
        self.monitors.wants_delays()
    }

    /// When a row that waits may act, whatever else happens.
    pub(crate) const fn deadline(&self) -> Time {
        self.due
    }

    /// An acknowledgement advances, or repeats.
    pub(crate) fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) {
        self.monitors.on_ack(p, ack);
    }

    /// An event is over. Returns whether it is time to act.
    pub(crate) fn on_event(&mut self, p: &Public) -> bool {
        self.monitors.on_event(p);
        p.now >= self.due || self.looked.is_none_or(|looked| p.now.since(looked) >= self.settings.period)
    }

    /// What was done since this was last asked.
    pub(crate) fn take_changes(&mut self) -> Vec<(Time, Change)> {
        core::mem::take(&mut self.changes).into()
    }

    /// Acts on the table.
    pub(crate) fn act(&mut self, on: &mut impl Adaptable) {
        let now = on.public().now;
        self.looked = Some(now);
        self.due = Time::NEVER;
        for n in 0..self.rows.len() {
            let is_true = self.look(n, on.public());
            let row = &mut self.rows[n];
            if is_true == row.stands {
                continue;
            }
            let is_back = !is_true;
            let wanted = if is_back { row.taken_back(on) } else { row.trigger.set.clone() };
            if wanted.is_empty() {
                row.stands = is_true;
                row.former = None;
                continue;
            }
            let free = self.free_from(&wanted, on.public());
            if free > now {
                self.due = self.due.min(free);
                continue;
            }
            let pairs: Vec<(&str, &str)> = wanted.iter().map(|(slot, part)| (slot.as_str(), part.as_str())).collect();
            let former = on.swap(&pairs);
            if self.changes.len() == MOST_CHANGES {
                self.changes.pop_front();
            }
            self.changes.push_back((now, Change { row: n as u16, is_back, is_refused: former.is_none() }));
            if former.is_some() {
                self.note(&wanted, now);
            }
            let row = &mut self.rows[n];
            row.stands = is_true;
            row.former = former.filter(|_| !is_back).map(|parts| parts.into_iter().map(str::to_owned).collect());
        }
    }

    /// Whether a row's expression is true now.
    fn look(&mut self, n: usize, p: &Public) -> bool {
        let row = &mut self.rows[n];
        for (condition, holds) in row.trigger.when.iter().zip(&mut row.holds) {
            let bound = if *holds { condition.until } else { condition.bound };
            *holds = self.monitors.value(condition.monitor, p).is_some_and(|value| match condition.side {
                Side::Above => value > bound || (*holds && value == bound),
                Side::Below => value < bound || (*holds && value == bound),
            });
        }
        if row.trigger.any { row.holds.contains(&true) } else { !row.holds.contains(&false) }
    }

    /// When all of these slots may change.
    fn free_from(&self, wanted: &Wanted, p: &Public) -> Time {
        let hold = self
            .settings
            .hold
            .unwrap_or_else(|| p.srtt.map_or(Duration::ZERO, |srtt| srtt * 10).max(Duration::from_secs(1)));
        let of = |slot: &str| self.changed.iter().find(|(changed, _)| changed == slot).map(|&(_, at)| at + hold);
        wanted.iter().filter_map(|(slot, _)| of(slot)).max().unwrap_or(Time::ZERO)
    }

    /// These slots changed.
    fn note(&mut self, wanted: &Wanted, now: Time) {
        for (slot, _) in wanted {
            match self.changed.iter_mut().find(|(changed, _)| changed == slot) {
                Some((_, at)) => *at = now,
                None => self.changed.push((slot.clone(), now)),
            }
        }
    }
}

impl Row {
    /// What brings its slots back to what they were, but for those that others have changed since.
    fn taken_back(&self, on: &impl Adaptable) -> Wanted {
        let Some(former) = self.former.as_ref().filter(|_| self.trigger.back) else { return vec![] };
        let set = self.trigger.set.iter().zip(former);
        set.filter(|((slot, part), was)| on.mechanism(slot) == part && *was != part)
            .map(|((slot, _), was)| (slot.clone(), was.clone()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn above(bound: f64, until: f64) -> Condition {
        Condition { monitor: Monitor::Loss, side: Side::Above, bound, until }
    }

    fn row(when: Condition, set: &[(&str, &str)], back: bool) -> Trigger {
        let set = set.iter().map(|(slot, part)| ((*slot).to_owned(), (*part).to_owned())).collect();
        Trigger { when: vec![when], any: false, set, back }
    }

    /// A connection that has only slots.
    struct End {
        slots: [(&'static str, &'static str); 3],
        refuses: Option<&'static str>,
        p: Public,
    }

    impl Adaptable for End {
        fn public(&self) -> &Public {
            &self.p
        }

        fn mechanism(&self, slot: &str) -> &'static str {
            self.slots.iter().find(|(name, _)| *name == slot).unwrap().1
        }

        fn swap(&mut self, parts: &[(&str, &str)]) -> Option<Vec<&'static str>> {
            if parts.iter().any(|(slot, _)| self.refuses == Some(*slot)) {
                return None;
            }
            let put = |&(slot, part): &(&str, &str)| {
                let place = self.slots.iter_mut().find(|(name, _)| *name == slot).unwrap();
                core::mem::replace(&mut place.1, look_up(slot, part).unwrap().part)
            };
            Some(parts.iter().map(put).collect())
        }
    }

    /// A table, and a path with a share of losses.
    struct World {
        adaptation: Adaptation,
        end: End,
    }

    impl World {
        fn new(rows: Vec<Trigger>, settings: Settings) -> Self {
            let mut adaptation = Adaptation::new(rows, settings).unwrap();
            let p = Public { srtt: Some(Duration::from_millis(50)), ..Public::default() };
            adaptation.monitors.on_event(&p);
            let slots = [("avoidance", "additive"), ("diagnosis", "blame-congestion"), ("response", "halve")];
            Self { adaptation, end: End { slots, refuses: None, p } }
        }

        /// At this time so many of the last 500 segments are lost.
        fn at(&mut self, ms: u64, lost: u64) -> Vec<Change> {
            self.end.p.now = Time::ZERO + Duration::from_millis(ms);
            self.end.p.segments_sent += 500;
            self.end.p.retransmissions += lost;
            self.look()
        }

        fn look(&mut self) -> Vec<Change> {
            if self.adaptation.on_event(&self.end.p) {
                self.adaptation.act(&mut self.end);
            }
            let now = self.end.p.now;
            let changes = self.adaptation.take_changes();
            changes.into_iter().map(|(at, change)| (at == now).then_some(change).expect("a change of now")).collect()
        }

        fn parts(&self) -> Vec<&'static str> {
            self.end.slots.iter().map(|(_, part)| *part).collect()
        }
    }

    const FIRED: Change = Change { row: 0, is_back: false, is_refused: false };
    const BACK: Change = Change { row: 0, is_back: true, is_refused: false };
    const ROW: &[(&str, &str)] = &[("avoidance", "vegas"), ("diagnosis", "blame-channel")];

    #[test]
    fn a_row_fires_above_its_bound_and_goes_back_below_the_other() {
        let mut world = World::new(vec![row(above(2.0, 1.5), ROW, true)], Settings::default());
        assert_eq!(world.at(1_000, 10), []); // 2 % is not above 2
        assert_eq!(world.at(2_000, 11), [FIRED]);
        assert_eq!(world.parts(), ["vegas", "blame-channel", "halve"]);
        assert_eq!(world.at(4_000, 8), []); // 1.6 %: between the bounds
        assert_eq!(world.at(6_000, 7), [BACK]); // 1.4 %
        assert_eq!(world.parts(), ["additive", "blame-congestion", "halve"]);
    }

    #[test]
    fn a_slot_is_held_for_a_while() {
        let settings = Settings { hold: Some(Duration::from_secs(1)), ..Settings::default() };
        let mut world = World::new(vec![row(above(2.0, 1.5), ROW, true)], settings);
        assert_eq!(world.at(1_000, 20), [FIRED]);
        assert_eq!(world.at(1_200, 0), []);
        assert_eq!(world.adaptation.deadline(), Time::ZERO + Duration::from_secs(2));
        world.end.p.now = Time::ZERO + Duration::from_millis(1_999);
        assert_eq!(world.look(), []);
        world.end.p.now = Time::ZERO + Duration::from_secs(2);
        assert_eq!(world.look(), [BACK]);
        assert!(world.adaptation.deadline().is_never());
    }

    #[test]
    fn what_would_change_and_then_would_not_does_not() {
        let settings = Settings { hold: Some(Duration::from_secs(1)), ..Settings::default() };
        let mut world = World::new(vec![row(above(2.0, 1.5), ROW, true)], settings);
        assert_eq!(world.at(1_000, 20), [FIRED]);
        assert_eq!(world.at(1_300, 0), []);
        assert_eq!(world.at(1_600, 20), []);
        assert_eq!(world.at(2_500, 20), []);
        assert_eq!(world.parts()[0], "vegas");
    }

    #[test]
    fn the_hold_is_ten_round_trips_and_a_second_at_least() {
        for (srtt, from) in [(50, 1_000), (400, 4_000)] {
            let mut world = World::new(vec![row(above(2.0, 1.5), ROW, true)], Settings::default());
            world.end.p.srtt = Some(Duration::from_millis(srtt));
            assert_eq!(world.at(1_000, 20), [FIRED]);
            assert_eq!(world.at(1_500, 0), []);
            assert_eq!(world.adaptation.deadline(), Time::ZERO + Duration::from_millis(1_000 + from));
        }
    }

    #[test]
    fn a_row_that_is_refused_changes_nothing_and_is_not_tried_again_before_it_was_false() {
        let mut world = World::new(vec![row(above(2.0, 1.5), ROW, true)], Settings::default());
        world.end.refuses = Some("diagnosis");
        let refused = Change { is_refused: true, ..FIRED };
        assert_eq!(world.at(1_000, 20), [refused]);
        assert_eq!(world.parts(), ["additive", "blame-congestion", "halve"]);
        assert_eq!(world.at(3_000, 20), []);
        assert_eq!(world.at(5_000, 0), []);
        world.end.refuses = None;
        assert_eq!(world.at(7_000, 20), [FIRED]);
    }

    #[test]
    fn of_two_rows_the_first_wins_and_the_second_waits() {
        let settings = Settings { hold: Some(Duration::from_secs(1)), ..Settings::default() };
        let second = row(above(1.0, 1.0), &[("avoidance", "veno"), ("response", "spare")], false);
        let mut world = World::new(vec![row(above(2.0, 2.0), ROW, false), second], settings);
        assert_eq!(world.at(1_000, 20), [FIRED]);
        assert_eq!(world.parts(), ["vegas", "blame-channel", "halve"]);
        assert_eq!(world.at(2_000, 20), [Change { row: 1, ..FIRED }]);
        assert_eq!(world.parts(), ["veno", "blame-channel", "spare"]);
    }

    #[test]
    fn what_another_row_has_changed_since_is_not_taken_back() {
        let settings = Settings { hold: Some(Duration::from_millis(1)), ..Settings::default() };
        let second = row(above(3.0, 0.0), &[("avoidance", "veno")], false);
        let mut world = World::new(vec![row(above(2.0, 1.5), ROW, true), second], settings);
        assert_eq!(world.at(1_000, 12), [FIRED]);
        assert_eq!(world.at(2_000, 20), [Change { row: 1, ..FIRED }]);
        assert_eq!(world.at(3_000, 5), [BACK]);
        assert_eq!(world.parts(), ["veno", "blame-congestion", "halve"]);
    }

    #[test]
    fn values_are_looked_at_ten_times_a_second_at_most() {
        let mut world = World::new(vec![row(above(2.0, 1.5), ROW, true)], Settings::default());
        assert_eq!(world.at(1_000, 0), []);
        assert_eq!(world.at(1_099, 20), []);
        assert_eq!(world.at(1_100, 20), [FIRED]);
    }

    #[test]
    fn one_condition_may_be_enough() {
        let low = Condition { monitor: Monitor::Loss, side: Side::Below, bound: 0.5, until: 1.0 };
        let mut trigger = row(above(2.0, 2.0), ROW, true);
        trigger.when.push(low);
        for (any, lost, fires) in
            [(true, 0, true), (true, 5, false), (true, 20, true), (false, 0, false), (false, 20, false)]
        {
            let mut world = World::new(vec![Trigger { any, ..trigger.clone() }], Settings::default());
            assert_eq!(!world.at(1_000, lost).is_empty(), fires, "{any} {lost}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let told = |trigger: Trigger| Adaptation::new(vec![trigger], Settings::default()).unwrap_err().1.to_string();
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
        let unknown = told(row(above(2.0, 1.5), &[("avoidance", "vagas")], true));
        assert!(
            unknown.starts_with("avoidance = 'vagas': the slot has no such mechanism; it can be additive"),
            "{unknown}"
        );
    }
}
