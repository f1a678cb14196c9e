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

use crate::engine::Public;
use crate::mechanisms::{Ack, PathFacts, SwapError};

mod monitors;
mod readings;
mod table;

pub use monitors::Monitor;
use monitors::Monitors;
pub use readings::Readings;
pub use table::{Condition, Side, Trigger, TriggerError, Triggers};

/// Where values come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Source {
    /// The connection measures them.
    #[default]
    Measured,
    /// The driver tells them (`NetworkSignal::Path`): what adapting is worth, apart from how well is measured.
    Told,
}

/// Whose changes the monitor of jitter goes by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum JitterOf {
    /// Round trips': both ways together, to the nanosecond.
    #[default]
    RoundTrips,
    /// The data's own way, by both ends' timestamps: to a tick of theirs, 1 ms.
    OneWay,
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
    /// Whether what slow start sends, and what is lost of it, does not count.
    pub loss_skips_slow_start: bool,
    /// Whose changes jitter is.
    pub jitter_of: JitterOf,
    /// Where values come from.
    pub source: Source,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            hold: None,
            period: Duration::from_millis(100),
            loss_window: 500,
            loss_skips_slow_start: false,
            jitter_of: JitterOf::default(),
            source: Source::Measured,
        }
    }
}

/// What a row did.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// When.
    pub at: Time,
    /// The row, from 0.
    pub row: usize,
    /// Whether it took back what it had set.
    pub is_back: bool,
    /// Why the connection refused it, if it did: nothing changed.
    pub refused: Option<String>,
    /// What was measured, and is; in the order of the row's conditions.
    pub seen: Vec<(Monitor, Option<f64>)>,
    /// The mechanisms it set, or would have: pairs of slot and part.
    pub set: Vec<(String, String)>,
}

/// In a line: `trigger 0 (loss 2.4 %): avoidance = vegas, response = spare`.
impl core::fmt::Display for Change {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let told = |(monitor, value): &(Monitor, Option<f64>)| match value {
            _ if *monitor == Monitor::Interface => format!("interface {}", value.unwrap_or(0.0)),
            Some(value) => format!("{} {} {}", monitor.name(), significant(*value), monitor.unit()),
            None => format!("{} not known", monitor.name()),
        };
        let seen: Vec<String> = self.seen.iter().map(told).collect();
        let set: Vec<String> = self.set.iter().map(|(slot, part)| format!("{slot} = {part}")).collect();
        let back = if self.is_back { " goes back" } else { "" };
        write!(f, "trigger {}{back} ({}): {}", self.row, seen.join(", "), set.join(", "))?;
        self.refused.as_ref().map_or(Ok(()), |reason| write!(f, ", refused: {reason}"))
    }
}

/// A value in three figures, or all those before the point.
fn significant(value: f64) -> String {
    if !value.is_finite() {
        return "infinite".to_owned();
    }
    let places = [1.0, 10.0, 100.0].iter().filter(|&&least| value.abs() >= least).count();
    format!("{value:.*}", 3 - places)
}

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

#[cfg(test)]
mod tests {
    use super::table::tests::{ROW, above, row};
    use super::*;
    use crate::mechanisms::testing::empty_segment;
    use crate::mechanisms::{AckKind, Conflict, look_up};

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

        fn swap(&mut self, parts: &[(&str, &str)]) -> Result<Vec<&'static str>, SwapError> {
            if let Some((slot, part)) = parts.iter().find(|(slot, _)| self.refuses == Some(*slot)) {
                let found = look_up(slot, part).unwrap();
                let reason = "is refused".to_owned();
                return Err(Conflict { slot: found.slot, part: found.part, reason }.into());
            }
            let put = |&(slot, part): &(&str, &str)| {
                let place = self.slots.iter_mut().find(|(name, _)| *name == slot).unwrap();
                core::mem::replace(&mut place.1, look_up(slot, part).unwrap().part)
            };
            Ok(parts.iter().map(put).collect())
        }
    }

    /// A table, and a path with a share of losses.
    struct World {
        adaptation: Adaptation,
        end: End,
    }

    impl World {
        fn new(rows: Vec<Trigger>, settings: Settings) -> Self {
            let mut adaptation = Adaptation::new(&Triggers { rows, settings });
            let p = Public { srtt: Some(Duration::from_millis(50)), ..Public::default() };
            adaptation.monitors.on_event(&p);
            let slots = [("avoidance", "additive"), ("diagnosis", "blame-congestion"), ("response", "halve")];
            Self { adaptation, end: End { slots, refuses: None, p } }
        }

        /// At this time so many of the last 500 segments are lost.
        fn at(&mut self, ms: u64, lost: u64) -> Vec<Did> {
            self.end.p.now = Time::ZERO + Duration::from_millis(ms);
            self.end.p.segments_sent += 500;
            self.end.p.retransmissions += lost;
            self.look()
        }

        fn look(&mut self) -> Vec<Did> {
            if self.adaptation.on_event(&self.end.p) {
                self.adaptation.act(&mut self.end);
            }
            let changes = self.adaptation.take_changes();
            assert!(changes.iter().all(|change| change.at == self.end.p.now));
            changes.iter().map(|change| Did(change.row, change.is_back, change.refused.is_some())).collect()
        }

        fn parts(&self) -> Vec<&'static str> {
            self.end.slots.iter().map(|(_, part)| *part).collect()
        }
    }

    /// Which row did something, whether it went back, and whether it was refused.
    #[derive(Debug, PartialEq)]
    struct Did(usize, bool, bool);

    const FIRED: Did = Did(0, false, false);
    const BACK: Did = Did(0, true, false);
    const REFUSED: Did = Did(0, false, true);
    const SECOND: Did = Did(1, false, false);

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

    /// Vector M1: of 500 segments 11 are lost, and 2.2 % is above 2.0; of the next 500 only 7, and 1.4 % is below 1.5.
    #[test]
    fn eleven_of_five_hundred_fire_and_seven_go_back() {
        let mut world = World::new(vec![row(above(2.0, 1.5), ROW, true)], Settings::default());
        let share = |world: &World| world.adaptation.monitors.value(Monitor::Loss, &world.end.p);
        assert_eq!((world.at(2_000, 11), share(&world)), (vec![FIRED], Some(2.2)));
        assert_eq!((world.at(4_000, 7), share(&world)), (vec![BACK], Some(1.4)));
    }

    /// Vector M4: 25 segments of 1500 bytes, headers included, in a second are 300 kb/s, which is not above 300.
    #[test]
    fn a_bandwidth_at_its_bound_is_not_above_it() {
        for (bound, does) in [(300.0, vec![]), (299.9, vec![FIRED])] {
            let when = Condition { monitor: Monitor::Bandwidth, side: Side::Above, bound, until: bound };
            let mut world = World::new(vec![row(when, ROW, true)], Settings::default());
            (world.end.p.mss, world.end.p.srtt) = (1_460, Some(Duration::from_secs(1)));
            let segment = empty_segment();
            for n in 0..=25 {
                world.end.p.now = Time::ZERO + Duration::from_millis(40 * n);
                world.adaptation.on_ack(&world.end.p, &Ack::bare(AckKind::Advance, 1_460, &segment));
            }
            assert_eq!(world.look(), does, "{bound}");
        }
    }

    /// Vector A2: losses are above 2 %, and below 1.5 % only 0.2 s later; with a hold of a second the slot changes back one
    /// second after it changed, and not earlier.
    #[test]
    fn a_slot_is_held_for_a_while() {
        let settings = Settings { hold: Some(Duration::from_secs(1)), ..Settings::default() };
        let mut world = World::new(vec![row(above(2.0, 1.5), ROW, true)], settings);
        assert_eq!(world.at(1_000, 20), [FIRED]);
        assert_eq!(world.at(1_200, 7), []);
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
        assert_eq!(world.at(1_000, 20), [REFUSED]);
        assert_eq!(world.parts(), ["additive", "blame-congestion", "halve"]);
        assert_eq!(world.at(3_000, 20), []);
        assert_eq!(world.at(5_000, 0), []);
        world.end.refuses = None;
        assert_eq!(world.at(7_000, 20), [FIRED]);
    }

    #[test]
    fn of_two_rows_the_first_wins_and_the_second_waits_for_its_end() {
        for hold in [Duration::ZERO, Duration::from_secs(1)] {
            let settings = Settings { hold: Some(hold), ..Settings::default() };
            let second = row(above(1.0, 1.0), &[("avoidance", "veno"), ("response", "spare")], false);
            let mut world = World::new(vec![row(above(2.0, 2.0), ROW, false), second], settings);
            assert_eq!(world.at(1_000, 20), [FIRED]);
            assert_eq!(world.parts(), ["vegas", "blame-channel", "halve"]);
            assert_eq!(world.at(2_500, 20), []);
            assert_eq!(world.at(4_000, 6), [SECOND]);
            assert_eq!(world.parts(), ["veno", "blame-channel", "spare"]);
        }
    }

    /// Rows that come and go in any order: a slot is what the last of those that stand wants, and in the end what it was.
    #[test]
    fn what_is_taken_back_is_what_the_rows_that_stand_want() {
        const SECOND_BACK: Did = Did(1, true, false);
        let settings = Settings { hold: Some(Duration::ZERO), ..Settings::default() };
        let two = |until: f64, part| {
            let second = row(above(3.0, until), &[("avoidance", part)], true);
            World::new(vec![row(above(2.0, 1.5), ROW, true), second], settings)
        };
        // The second outlives the first.
        let mut world = two(0.5, "veno");
        assert_eq!(world.at(1_000, 12), [FIRED]);
        assert_eq!(world.at(2_000, 20), [SECOND]);
        assert_eq!(world.at(3_000, 5), [BACK]);
        assert_eq!(world.parts()[0], "veno");
        assert_eq!(world.at(4_000, 0), [SECOND_BACK]);
        assert_eq!(world.parts(), ["additive", "blame-congestion", "halve"]);
        // The first outlives the second.
        let mut world = two(3.0, "veno");
        assert_eq!(world.at(1_000, 12), [FIRED]);
        assert_eq!(world.at(2_000, 20), [SECOND]);
        assert_eq!(world.at(3_000, 12), [SECOND_BACK]);
        assert_eq!(world.parts()[0], "vegas");
        assert_eq!(world.at(4_000, 0), [BACK]);
        assert_eq!(world.parts()[0], "additive");
        // Both end together.
        let mut world = two(3.0, "veno");
        assert_eq!(world.at(1_000, 12), [FIRED]);
        assert_eq!(world.at(2_000, 20), [SECOND]);
        assert_eq!(world.at(3_000, 0), [BACK, SECOND_BACK]);
        assert_eq!(world.parts(), ["additive", "blame-congestion", "halve"]);
        // Both want the same: nothing changes before both have ended.
        let mut world = two(0.5, "vegas");
        assert_eq!(world.at(1_000, 12), [FIRED]);
        assert_eq!(world.at(2_000, 20), []);
        assert_eq!(world.at(3_000, 5), [BACK]);
        assert_eq!(world.parts(), ["vegas", "blame-congestion", "halve"]);
        assert_eq!(world.at(4_000, 0), [SECOND_BACK]);
        assert_eq!(world.parts()[0], "additive");
    }

    #[test]
    fn what_is_there_already_is_no_change() {
        let set = &[("avoidance", "additive"), ("response", "halve")];
        let mut world = World::new(vec![row(above(2.0, 1.5), set, true)], Settings::default());
        assert_eq!(world.at(1_000, 20), []);
        assert_eq!(world.at(3_000, 0), []);
    }

    #[test]
    fn what_another_row_has_changed_since_is_not_taken_back() {
        let settings = Settings { hold: Some(Duration::from_millis(1)), ..Settings::default() };
        let second = row(above(3.0, 0.0), &[("avoidance", "veno")], false);
        let mut world = World::new(vec![row(above(2.0, 1.5), ROW, true), second], settings);
        assert_eq!(world.at(1_000, 12), [FIRED]);
        assert_eq!(world.at(2_000, 20), [SECOND]);
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
    fn a_change_is_told_in_a_line() {
        let mut world = World::new(vec![row(above(2.0, 1.5), ROW, true)], Settings::default());
        world.at(1_000, 0);
        let told = |world: &mut World, ms: u64, lost: u64| {
            world.end.p.now = Time::ZERO + Duration::from_millis(ms);
            world.end.p.segments_sent += 500;
            world.end.p.retransmissions += lost;
            world.adaptation.on_event(&world.end.p);
            world.adaptation.act(&mut world.end);
            world.adaptation.take_changes().iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let fired = "trigger 0 (loss 2.40 %): avoidance = vegas, diagnosis = blame-channel";
        assert_eq!(told(&mut world, 2_000, 12), [fired]);
        let back = "trigger 0 goes back (loss 0.200 %): avoidance = additive, diagnosis = blame-congestion";
        assert_eq!(told(&mut world, 5_000, 1), [back]);
        world.end.refuses = Some("diagnosis");
        let refused = "trigger 0 (loss 10.0 %): avoidance = vegas, diagnosis = blame-channel, refused: diagnosis \
                       'blame-channel' is refused";
        assert_eq!(told(&mut world, 9_000, 50), [refused]);
    }

    /// V 3.1.1: a hand-over is acted upon at once, whatever the period.
    #[test]
    fn a_hand_over_is_acted_upon_at_once() {
        let to = |number| Condition { monitor: Monitor::Interface, side: Side::Is, bound: number, until: number };
        let settings = Settings { hold: Some(Duration::ZERO), ..Settings::default() };
        let mut world = World::new(vec![row(to(1.0), ROW, true)], settings);
        assert_eq!(world.at(1_000, 0), []);
        world.adaptation.on_interface(1);
        assert_eq!(world.at(1_001, 0), [FIRED]);
        world.adaptation.on_interface(2);
        assert_eq!(world.at(1_002, 0), [BACK]);
    }
}
