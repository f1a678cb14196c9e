//! Tables over paths that are made up.

use super::check::tests::{ROW, above, row};
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
