//! A way under construction: what the models add stretches to.
//!
//! Spec      none
//! Deviates  nothing
//! Holds     times are whole nanoseconds, rounded up, so that no stretch is faster than it was asked to be

use hopwright_machine::{Duration, Time};

use crate::{Area, Position, Trajectory, Velocity, Waypoint};

/// Longer than any run: 31 years, which leaves room for nanoseconds.
const LONGEST_S: f64 = 1e9;

/// A way from time zero to `now`.
#[derive(Debug)]
pub(super) struct Path {
    area: Area,
    waypoints: Vec<Waypoint>,
    now: Time,
    here: Position,
}

impl Path {
    /// Begins at `from`, at time zero.
    pub(super) fn new(area: Area, from: Position) -> Self {
        let start = Waypoint { at: Time::ZERO, position: from };
        Self { area, waypoints: vec![start], now: Time::ZERO, here: from }
    }

    /// How long the way is by now.
    pub(super) fn lasts(&self) -> Duration {
        self.now.since(Time::ZERO)
    }

    /// Where it has come to.
    pub(super) fn here(&self) -> Position {
        self.here
    }

    /// Goes straight to `to`, with a speed above zero.
    pub(super) fn travel(&mut self, to: Position, speed_mps: f64) {
        let to = self.area.clamp(to);
        self.reach(to, self.here.distance(to) / speed_mps);
    }

    /// Stands for a while.
    pub(super) fn pause(&mut self, seconds: f64) {
        if seconds > 0.0 {
            self.reach(self.here, seconds);
        }
    }

    /// Is at `to` after so many seconds.
    pub(super) fn reach(&mut self, to: Position, seconds: f64) {
        let to = self.area.clamp(to);
        if seconds <= 0.0 && to == self.here {
            return;
        }
        let ns = (seconds.min(LONGEST_S) * 1e9).ceil() as u64;
        self.now += Duration::from_nanos(ns.max(1)); // whoever moves takes time
        self.here = to;
        self.waypoints.push(Waypoint { at: self.now, position: to });
    }

    /// Runs for so many seconds, reflected where it meets a border; returns the velocity at the end.
    pub(super) fn bounce(&mut self, mut velocity: Velocity, seconds: f64) -> Velocity {
        let mut left_s = seconds;
        loop {
            let x_s = until_border(self.here.x_m, velocity.x_mps, self.area.width_m);
            let y_s = until_border(self.here.y_m, velocity.y_mps, self.area.height_m);
            let run_s = x_s.min(y_s).min(left_s);
            let mut to = Position::new(self.here.x_m + velocity.x_mps * run_s, self.here.y_m + velocity.y_mps * run_s);
            let (hits_x, hits_y) = (x_s <= run_s, y_s <= run_s);
            if hits_x {
                to.x_m = if velocity.x_mps > 0.0 { self.area.width_m } else { 0.0 };
                velocity.x_mps = -velocity.x_mps;
            }
            if hits_y {
                to.y_m = if velocity.y_mps > 0.0 { self.area.height_m } else { 0.0 };
                velocity.y_mps = -velocity.y_mps;
            }
            self.reach(to, run_s);
            left_s -= run_s;
            if left_s <= 0.0 {
                return velocity;
            }
        }
    }

    /// The whole way; after its end the node stays.
    pub(super) fn finish(self) -> Trajectory {
        Trajectory::through(self.waypoints)
    }
}

/// Seconds until a coordinate between 0 and `limit_m` meets one of the two.
fn until_border(at_m: f64, speed_mps: f64, limit_m: f64) -> f64 {
    if speed_mps > 0.0 {
        (limit_m - at_m) / speed_mps
    } else if speed_mps < 0.0 {
        at_m / -speed_mps
    } else {
        f64::INFINITY
    }
}
