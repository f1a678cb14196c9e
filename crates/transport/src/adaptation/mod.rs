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
//!           one event and want different parts in a slot, the first does, and the other waits until the first is not
//!           true any more. A row that fires later has the slot from then on; what is taken back is what the last of
//!           the rows that still stand wants, or what was there before all of them. Values are looked at every
//!           `Settings::period` at most

use std::collections::VecDeque;

use hopwright_machine::{Duration, Time};

use crate::mechanisms::{Ack, PathFacts, SwapError};
use crate::view::Public;

mod change;
mod check;
mod monitor;
mod monitors;
mod readings;
mod settings;
pub(crate) mod table;
#[cfg(test)]
mod tests;

pub use change::Change;
pub use check::TriggerError;
pub use monitor::Monitor;
use monitors::Monitors;
pub use readings::Readings;
pub use settings::{JitterOf, Settings, Source};
pub use table::{Condition, Side, Trigger, Triggers};

/// A row and how it stands.
#[derive(Debug)]
struct Row {
    trigger: Trigger,
    /// Which of its conditions hold.
    holds: Vec<bool>,
    /// Whether its expression is true.
    is_true: bool,
    /// Whether its expression was true, and has been acted upon.
    stands: bool,
    /// Its place among all that fired, while it stands; `None` if it was refused.
    fired: Option<u64>,
    /// The row that won when both became true: this one waits until that one does not stand any more.
    lost_to: Option<usize>,
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
    fn swap(&mut self, parts: &[(&str, &str)]) -> Result<Vec<&'static str>, SwapError>;
}

/// The table of a connection, and what serves it.
#[derive(Debug)]
pub struct Adaptation {
    rows: Vec<Row>,
    monitors: Monitors,
    readings: Readings,
    settings: Settings,
    /// When the values were last looked at.
    looked: Option<Time>,
    /// When a row that waits may act.
    due: Time,
    /// When each slot that ever changed last did.
    changed: Vec<(String, Time)>,
    /// What is in a slot that rows have set when none of them stands any more.
    base: Wanted,
    /// How many rows have fired.
    fired: u64,
    /// What was done and not yet asked for.
    changes: VecDeque<Change>,
}

/// So many changes wait to be asked for; then the oldest are forgotten.
const MOST_CHANGES: usize = 1_000;

impl Adaptation {
    /// A table that makes sense (`Triggers::check`): of one that does not, the rows that cannot work are refused when
    /// they fire.
    #[must_use]
    pub fn new(triggers: &Triggers) -> Self {
        let (rows, settings) = (triggers.rows.clone(), triggers.settings);
        let mut asked: Vec<Monitor> = rows.iter().flat_map(|row| row.when.iter().map(|c| c.monitor)).collect();
        asked.sort_unstable();
        asked.dedup();
        asked.retain(|_| settings.source == Source::Measured);
        let rows = rows.into_iter().map(|trigger| {
            let holds = vec![false; trigger.when.len()];
            Row { trigger, holds, is_true: false, stands: false, fired: None, lost_to: None }
        });
        Self {
            rows: rows.collect(),
            monitors: Monitors::new(&asked, &settings),
            readings: Readings::default(),
            settings,
            looked: None,
            due: Time::NEVER,
            changed: vec![],
            base: vec![],
            fired: 0,
            changes: VecDeque::new(),
        }
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

    /// The link below hands over to another network. Values are looked at, however lately they were.
    pub(crate) fn on_interface(&mut self, number: u32) {
        self.monitors.on_interface(number);
        self.looked = None;
    }

    /// The path is like this from now on.
    pub(crate) const fn on_path(&mut self, facts: PathFacts) {
        if let Source::Told = self.settings.source {
            self.monitors.on_path(facts);
            self.looked = None;
        }
    }

    /// An event is over. Returns whether it is time to act.
    pub(crate) fn on_event(&mut self, p: &Public) -> bool {
        self.monitors.on_event(p);
        p.now >= self.due || self.looked.is_none_or(|looked| p.now.since(looked) >= self.settings.period)
    }

    /// What the monitors said whenever values were looked at.
    pub(crate) const fn readings(&self) -> &Readings {
        &self.readings
    }

    /// What was done since this was last asked.
    pub(crate) fn take_changes(&mut self) -> Vec<Change> {
        core::mem::take(&mut self.changes).into()
    }

    /// Acts on the table: first on what is not true any more, in the order in which it fired, so that nothing comes back
    /// only to change again; then on what has become true, in the order of the table.
    pub(crate) fn act(&mut self, on: &mut impl Adaptable) {
        self.looked = Some(on.public().now);
        self.due = Time::NEVER;
        // A monitor that two conditions name counts twice at every look: its mean is the same.
        for monitor in self.rows.iter().flat_map(|row| row.trigger.when.iter().map(|condition| condition.monitor)) {
            if let Some(value) = self.monitors.value(monitor, on.public()) {
                self.readings.add(monitor, value);
            }
        }
        for n in 0..self.rows.len() {
            self.look(n, on.public());
        }
        let mut false_now: Vec<usize> =
            (0..self.rows.len()).filter(|&n| self.rows[n].stands && !self.rows[n].is_true).collect();
        false_now.sort_unstable_by_key(|&n| self.rows[n].fired);
        for n in false_now {
            self.fall(n, on);
        }
        let before = self.fired;
        for n in 0..self.rows.len() {
            if self.rows[n].is_true && !self.rows[n].stands {
                self.rise(n, before, on);
            }
        }
    }

    /// A row is true, and has not been acted upon; those after `before` fired in this event.
    fn rise(&mut self, n: usize, before: u64, on: &mut impl Adaptable) {
        if self.rows[n].lost_to.is_some_and(|winner| self.rows[winner].stands) {
            return;
        }
        let set = &self.rows[n].trigger.set;
        let contradicts = |(slot, part): &(String, String)| set.iter().any(|(s, p)| s == slot && p != part);
        let wins = |row: &Row| row.fired.is_some_and(|fired| fired > before) && row.trigger.set.iter().any(contradicts);
        if let Some(winner) = self.rows.iter().position(wins) {
            self.rows[n].lost_to = Some(winner);
            return;
        }
        let were: Wanted = set.iter().map(|(slot, _)| (slot.clone(), on.mechanism(slot).to_owned())).collect();
        let wanted = set.iter().zip(&were).filter(|((_, part), (_, was))| part != was).map(|(pair, _)| pair.clone());
        let Some(is_done) = self.change(n, false, wanted.collect(), on) else { return };
        if is_done {
            self.own(n, were);
        }
        self.rows[n].stands = true;
    }

    /// A row's slots are its own, as long as it stands and no other fires; these were in them.
    fn own(&mut self, n: usize, were: Wanted) {
        let names = |row: &Row, slot: &str| row.fired.is_some() && row.trigger.set.iter().any(|(s, _)| s == slot);
        for ((slot, part), (_, was)) in self.rows[n].trigger.set.iter().zip(were) {
            let is_first = !self.rows.iter().any(|row| names(row, slot));
            let stays = if !self.rows[n].trigger.back { part.clone() } else { was };
            match self.base.iter_mut().find(|(s, _)| s == slot) {
                Some(base) if is_first || !self.rows[n].trigger.back => base.1 = stays,
                Some(_) => {}
                None => self.base.push((slot.clone(), stays)),
            }
        }
        self.fired += 1;
        self.rows[n].fired = Some(self.fired);
    }

    /// A row that stands is not true any more.
    fn fall(&mut self, n: usize, on: &mut impl Adaptable) {
        let wanted = self.taken_back(n, on);
        if self.change(n, true, wanted, on).is_some() {
            let row = &mut self.rows[n];
            (row.stands, row.fired) = (false, None);
        }
    }

    /// What a row leaves in its slots: what the last of the others that fired wants there, or what was there before all of
    /// them. Slots that somebody has changed since are left alone.
    fn taken_back(&self, n: usize, on: &impl Adaptable) -> Wanted {
        let Row { trigger, fired, .. } = &self.rows[n];
        if !trigger.back || fired.is_none() {
            return vec![];
        }
        let others = |slot: &str| {
            let others = self.rows.iter().enumerate().filter(|&(other, row)| other != n && row.fired.is_some());
            let last =
                others.max_by_key(|(_, row)| row.fired.filter(|_| row.trigger.set.iter().any(|(s, _)| s == slot)));
            last.and_then(|(_, row)| row.trigger.set.iter().find(|(s, _)| s == slot))
        };
        let left = |(slot, part): &(String, String)| {
            let base = self.base.iter().find(|(s, _)| s == slot);
            let (_, left) = others(slot).or(base).filter(|(_, left)| left != part)?;
            (on.mechanism(slot) == part).then(|| (slot.clone(), left.clone()))
        };
        trigger.set.iter().filter_map(left).collect()
    }

    /// Changes slots for a row, all or none, and notes it. Returns whether that succeeded; `None`: it must wait.
    fn change(&mut self, n: usize, is_back: bool, wanted: Wanted, on: &mut impl Adaptable) -> Option<bool> {
        if wanted.is_empty() {
            return Some(true);
        }
        let now = on.public().now;
        let free = self.free_from(&wanted, on.public());
        if free > now {
            self.due = self.due.min(free);
            return None;
        }
        let pairs: Vec<(&str, &str)> = wanted.iter().map(|(slot, part)| (slot.as_str(), part.as_str())).collect();
        let seen = self.seen(n, on.public());
        let refused = on.swap(&pairs).err().map(|error| error.to_string());
        let is_done = refused.is_none();
        if is_done {
            self.note(&wanted, now);
        }
        if self.changes.len() == MOST_CHANGES {
            self.changes.pop_front();
        }
        self.changes.push_back(Change { at: now, row: n, is_back, refused, seen, set: wanted });
        Some(is_done)
    }

    /// What the conditions of a row are about, as it is now.
    fn seen(&self, n: usize, p: &Public) -> Vec<(Monitor, Option<f64>)> {
        self.rows[n].trigger.when.iter().map(|c| (c.monitor, self.monitors.value(c.monitor, p))).collect()
    }

    /// Finds out whether a row's expression is true now.
    fn look(&mut self, n: usize, p: &Public) {
        let row = &mut self.rows[n];
        for (condition, holds) in row.trigger.when.iter().zip(&mut row.holds) {
            let bound = if *holds { condition.until } else { condition.bound };
            *holds = self.monitors.value(condition.monitor, p).is_some_and(|value| match condition.side {
                Side::Above => value > bound || (*holds && value == bound),
                Side::Below => value < bound || (*holds && value == bound),
                Side::Is => value == bound,
            });
        }
        row.is_true = if row.trigger.any { row.holds.contains(&true) } else { !row.holds.contains(&false) };
        if !row.is_true {
            row.lost_to = None;
        }
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
