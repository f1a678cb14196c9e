//! A node's way through the plane, for all time.
//!
//! Spec      none
//! Deviates  arrivals are rounded up to the next nanosecond, so a node is never faster than it was told to be
//! Holds     continuous except where `place_at` was called; the same leg gives the same position, bit for bit,
//!           whether asked by `Trajectory`, by `Walker` or by whoever keeps a copy of the leg

use hopwright_machine::{Duration, Time};

use crate::{Position, Velocity};

/// Later arrivals are cut off: 31 years, so that nanoseconds never overflow.
const FARTHEST: Duration = Duration::from_secs(1_000_000_000);

/// Where a node is at one instant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Waypoint {
    /// When.
    pub at: Time,
    /// Where.
    pub position: Position,
}

/// One straight stretch of the way, at constant velocity (zero where the node stands).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Leg {
    /// When the stretch begins.
    pub start: Time,
    /// When the next one begins: this one holds for `start <= now < until`. `Time::NEVER` on the last.
    pub until: Time,
    /// Where the stretch begins.
    pub from: Position,
    /// How fast and whither.
    pub velocity: Velocity,
}

impl Leg {
    /// Where the node is at `now`, which must lie within the leg.
    #[must_use]
    pub fn position(&self, now: Time) -> Position {
        debug_assert!(self.holds(now), "{now} is outside {self:?}");
        self.position_after(now.since(self.start))
    }

    /// Where the node is when so much of the leg has passed.
    #[inline]
    fn position_after(&self, passed: Duration) -> Position {
        // `Duration::as_secs_f64` for less than 292 years: of signed numbers the conversion is one instruction. Beyond that
        // nobody moves.
        let s = passed.as_nanos() as i64 as f64 / 1e9;
        Position::new(self.from.x_m + self.velocity.x_mps * s, self.from.y_m + self.velocity.y_mps * s)
    }

    /// How much of the leg has passed at `now`; `None` where the leg does not hold.
    #[inline]
    fn passed(&self, now: Time) -> Option<Duration> {
        // One comparison does for both ends: before the start, what wraps round is longer than any leg.
        let since_start = |at: Time| at.as_nanos().wrapping_sub(self.start.as_nanos());
        let passed = since_start(now);
        (passed < since_start(self.until)).then_some(Duration::from_nanos(passed))
    }

    /// Whether the leg says where the node is at `now`.
    #[must_use]
    pub fn holds(&self, now: Time) -> bool {
        self.start <= now && (now < self.until || self.until.is_never())
    }
}

/// A path of straight stretches between waypoints.
///
/// Before its first waypoint the node waits there, after the last it stays. Two waypoints at the same time
/// are a jump; from that time on the later one holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Trajectory {
    waypoints: Vec<Waypoint>, // never empty, times never decrease
}

impl Trajectory {
    /// A node that stands at `p` for all time.
    #[must_use]
    pub fn fixed(p: Position) -> Self {
        Self::through(vec![Waypoint { at: Time::ZERO, position: p }])
    }

    /// A node that is at each waypoint at its time. There must be at least one, in order of time.
    #[must_use]
    pub fn through(waypoints: Vec<Waypoint>) -> Self {
        assert!(!waypoints.is_empty(), "a trajectory needs a waypoint");
        assert!(waypoints.is_sorted_by_key(|w| w.at), "waypoints out of order");
        assert!(waypoints.iter().all(|w| w.position.is_finite()), "a waypoint is not a number");
        Self { waypoints }
    }

    /// The waypoints, in order of time.
    #[must_use]
    pub fn waypoints(&self) -> &[Waypoint] {
        &self.waypoints
    }

    /// Sets out for `to` at time `at`, from wherever the node is then, and stays there on arrival.
    ///
    /// Whatever was planned for later is forgotten. A speed of zero stops the node.
    pub fn travel_to(&mut self, at: Time, to: Position, speed_mps: f64) {
        assert!(to.is_finite() && speed_mps.is_finite() && speed_mps >= 0.0, "no way to {to:?} at {speed_mps} m/s");
        let from = self.stop_at(at);
        if speed_mps == 0.0 || from == to {
            return;
        }
        let ns = (from.distance(to) / speed_mps * 1e9).ceil();
        let farthest_ns = FARTHEST.as_nanos() as f64;
        let end = if ns <= farthest_ns {
            // The smallest distances round to nothing, but arriving takes time.
            Waypoint { at: at + Duration::from_nanos((ns as u64).max(1)), position: to }
        } else {
            let part = farthest_ns / ns;
            let (dx, dy) = (to.x_m - from.x_m, to.y_m - from.y_m);
            Waypoint { at: at + FARTHEST, position: Position::new(from.x_m + dx * part, from.y_m + dy * part) }
        };
        self.waypoints.push(end);
    }

    /// Puts the node at `p` at time `at`, where it stays. Whatever was planned for later is forgotten.
    pub fn place_at(&mut self, at: Time, p: Position) {
        assert!(p.is_finite(), "no such place: {p:?}");
        self.stop_at(at);
        // What holds for no time at all need not be kept: a second placement at the same time replaces the
        // first, and nothing comes before time zero.
        let n = self.waypoints.len();
        let unseen = if n == 1 { at == Time::ZERO } else { self.waypoints[n - 2].at == at };
        if unseen {
            self.waypoints.truncate(n - 1);
        }
        self.waypoints.push(Waypoint { at, position: p });
    }

    /// Ends the path at `at`; returns where.
    fn stop_at(&mut self, at: Time) -> Position {
        let here = self.position(at);
        self.waypoints.truncate(self.after(at));
        if self.waypoints.last().is_none_or(|w| w.at < at) {
            self.waypoints.push(Waypoint { at, position: here });
        }
        here
    }

    /// Where the node is at `now`.
    #[must_use]
    pub fn position(&self, now: Time) -> Position {
        self.linear_until(now).position(now)
    }

    /// The stretch of the way that holds at `now`, worth keeping until its end.
    #[must_use]
    pub fn linear_until(&self, now: Time) -> Leg {
        self.leg(self.after(now))
    }

    /// The stretches of the way from time zero to `end`; none is empty, each begins where the last one ends.
    #[must_use]
    pub fn legs(&self, end: Time) -> Vec<Leg> {
        let mut legs = Vec::with_capacity(self.waypoints.len() + 1);
        let mut now = Time::ZERO;
        loop {
            let leg = self.linear_until(now);
            legs.push(leg);
            if leg.until >= end {
                return legs;
            }
            now = leg.until;
        }
    }

    /// Whether the node never moves.
    #[must_use]
    pub fn is_static(&self) -> bool {
        self.waypoints.iter().all(|w| w.position == self.waypoints[0].position)
    }

    /// The highest speed on any stretch. Jumps take no time and do not count.
    #[must_use]
    pub fn max_speed_mps(&self) -> f64 {
        (1..self.waypoints.len()).map(|i| self.leg(i).velocity.speed_mps()).fold(0.0, f64::max)
    }

    /// The number of waypoints up to and including `now`.
    fn after(&self, now: Time) -> usize {
        self.waypoints.partition_point(|w| w.at <= now)
    }

    /// The stretch that ends at the waypoint numbered `i`.
    fn leg(&self, i: usize) -> Leg {
        let until = self.waypoints.get(i).map_or(Time::NEVER, |w| w.at);
        let Some(start) = i.checked_sub(1).map(|last| self.waypoints[last]) else {
            return Leg { start: Time::ZERO, until, from: self.waypoints[0].position, velocity: Velocity::ZERO };
        };
        let velocity = match self.waypoints.get(i) {
            Some(end) if end.at > start.at => {
                let s = end.at.since(start.at).as_secs_f64();
                let (a, b) = (start.position, end.position);
                Velocity { x_mps: (b.x_m - a.x_m) / s, y_mps: (b.y_m - a.y_m) / s }
            }
            _ => Velocity::ZERO,
        };
        Leg { start: start.at, until, from: start.position, velocity }
    }
}

/// A trajectory and the place reached on it: cheap as long as time only moves forward.
///
/// Asking costs amortised constant time and allocates nothing. An earlier time than the last is answered
/// too, at the price of a search.
// One line of the cache: where many nodes move, those of all that may hear a frame are read for each frame.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Walker {
    leg: Leg,
    next: usize, // the waypoint at which `leg` ends
    path: Box<Trajectory>,
}

impl Walker {
    /// At the start of `path`.
    #[must_use]
    pub fn new(path: Trajectory) -> Self {
        let next = path.after(Time::ZERO);
        Self { leg: path.leg(next), next, path: Box::new(path) }
    }

    /// The whole trajectory.
    #[must_use]
    pub fn path(&self) -> &Trajectory {
        &self.path
    }

    /// Where the node is at `now`.
    #[inline]
    pub fn position(&mut self, now: Time) -> Position {
        match self.leg.passed(now) {
            Some(passed) => self.leg.position_after(passed),
            None => {
                self.turn(now);
                self.leg.position(now)
            }
        }
    }

    /// The stretch of the way that holds at `now`.
    pub fn linear_until(&mut self, now: Time) -> Leg {
        if !self.leg.holds(now) {
            self.turn(now);
        }
        self.leg
    }

    /// Looks up the leg that holds at `now`.
    #[cold]
    fn turn(&mut self, now: Time) {
        if now < self.leg.start {
            self.next = self.path.after(now);
        } else {
            while self.path.waypoints.get(self.next).is_some_and(|w| w.at <= now) {
                self.next += 1;
            }
        }
        self.leg = self.path.leg(self.next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(seconds: f64) -> Time {
        Time::from_secs_f64(seconds)
    }

    const A: Position = Position::new(100.0, 100.0);
    const B: Position = Position::new(400.0, 500.0);

    #[test]
    fn half_way_is_in_the_middle_and_arrival_is_a_stop() {
        let mut t = Trajectory::fixed(A);
        t.travel_to(s(10.0), B, 50.0); // 500 m in 10 s
        assert_eq!(t.position(s(0.0)), A);
        assert_eq!(t.position(s(10.0)), A);
        assert_eq!(t.position(s(15.0)), Position::new(250.0, 300.0));
        assert_eq!(t.position(s(20.0)), B);
        assert_eq!(t.position(s(1e6)), B);
        assert_eq!(t.max_speed_mps(), 50.0);
        assert!(!t.is_static());
        let leg = t.linear_until(s(12.0));
        assert_eq!((leg.start, leg.until, leg.from), (s(10.0), s(20.0), A));
        assert_eq!(leg.velocity, Velocity { x_mps: 30.0, y_mps: 40.0 });
        assert!(t.linear_until(s(20.0)).until.is_never());
    }

    #[test]
    fn a_new_destination_on_the_way_overrides_and_zero_speed_stops() {
        let mut t = Trajectory::fixed(A);
        t.travel_to(s(10.0), B, 50.0);
        t.travel_to(s(15.0), Position::new(250.0, 0.0), 10.0);
        t.travel_to(s(25.0), B, 0.0);
        assert_eq!(t.position(s(15.0)), Position::new(250.0, 300.0));
        assert_eq!(t.position(s(20.0)), Position::new(250.0, 250.0));
        assert_eq!(t.position(s(100.0)), Position::new(250.0, 200.0));
    }

    #[test]
    fn the_last_of_two_commands_at_one_time_wins() {
        let mut t = Trajectory::fixed(A);
        t.travel_to(s(10.0), B, 50.0);
        t.travel_to(s(10.0), Position::new(0.0, 100.0), 10.0);
        assert_eq!(t.position(s(15.0)), Position::new(50.0, 100.0));
        t.place_at(s(15.0), B);
        t.place_at(s(15.0), A);
        assert_eq!(t.position(s(15.0)), A);
        assert_eq!(t.position(Time::from_nanos(14_999_999_999)).distance(Position::new(50.0, 100.0)).round(), 0.0);
        assert_eq!(t.max_speed_mps(), 10.0);
    }

    #[test]
    fn a_fixed_node_has_one_leg_for_ever() {
        let t = Trajectory::fixed(A);
        assert!(t.is_static());
        assert_eq!(t.max_speed_mps(), 0.0);
        let leg = t.linear_until(s(5.0));
        assert_eq!((leg.position(s(1e5)), leg.until), (A, Time::NEVER));
        assert_eq!(t.position(Time::NEVER), A);
    }

    #[test]
    fn a_node_waits_at_its_first_waypoint() {
        let t = Trajectory::through(vec![Waypoint { at: s(10.0), position: A }, Waypoint { at: s(20.0), position: B }]);
        let leg = t.linear_until(s(3.0));
        assert_eq!((leg.start, leg.until, leg.velocity), (Time::ZERO, s(10.0), Velocity::ZERO));
        assert_eq!(t.position(s(15.0)), Position::new(250.0, 300.0));
    }

    #[test]
    fn a_journey_longer_than_time_keeps_its_speed() {
        let mut t = Trajectory::fixed(A);
        t.travel_to(Time::ZERO, B, 1e-12);
        let leg = t.linear_until(s(1.0));
        assert!((leg.velocity.speed_mps() / 1e-12 - 1.0).abs() < 1e-2, "{leg:?}");
    }

    #[test]
    fn the_walker_says_what_the_trajectory_says() {
        let mut t = Trajectory::fixed(A);
        t.travel_to(s(10.0), B, 50.0);
        t.travel_to(s(15.0), A, 7.0);
        t.place_at(s(20.0), B);
        t.travel_to(s(30.0), A, 3.0);
        let mut walker = Walker::new(t.clone());
        for tenth in (0..2_000).chain([5, 150, 149, 3]) {
            let now = Time::from_nanos(tenth * 100_000_000);
            assert_eq!(walker.position(now), t.position(now), "at {now}");
            assert_eq!(walker.linear_until(now), t.linear_until(now));
        }
    }
}
