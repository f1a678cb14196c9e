//! Random walk: again and again a new direction and a new speed; borders reflect.
//!
//! Spec      Camp, Boleng and Davies, "A survey of mobility models for ad hoc network research", Wireless
//!           Communications and Mobile Computing 2(5), 2002, section 2.1
//! Deviates  nothing
//! Holds     from a uniform start, positions stay uniform; a leg that meets a border goes on, reflected

use core::f64::consts::TAU;

use hopwright_machine::{Duration, Stream};

use super::between;
use super::path::Path;
use crate::{Area, Position, Trajectory, Velocity};

/// Random walk.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RandomWalk {
    /// Each leg's speed is drawn evenly from here, metres per second; above zero where legs have a distance.
    pub min_speed_mps: f64,
    /// To here.
    pub max_speed_mps: f64,
    /// When the next leg begins.
    pub leg: LegLength,
}

/// How long a leg is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum LegLength {
    /// So many seconds.
    Time(f64),
    /// So many metres, along the way.
    Distance(f64),
}

impl RandomWalk {
    /// One node's way, for as long as `lasts`.
    #[must_use]
    pub fn trajectory(&self, from: Position, area: Area, lasts: Duration, stream: &mut Stream) -> Trajectory {
        let mut path = Path::new(area, from);
        while path.lasts() < lasts {
            let direction = stream.unit() * TAU;
            // From the top: the smallest draw gives the highest speed, and none gives zero.
            let speed_mps = between(stream, self.max_speed_mps, self.min_speed_mps);
            let velocity =
                Velocity { x_mps: speed_mps * libm::cos(direction), y_mps: speed_mps * libm::sin(direction) };
            path.bounce(
                velocity,
                match self.leg {
                    LegLength::Time(s) => s,
                    LegLength::Distance(m) => m / speed_mps,
                },
            );
        }
        path.finish()
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::Time;

    use super::super::stream;
    use super::*;

    const AREA: Area = Area { width_m: 1000.0, height_m: 400.0 };

    fn walk(leg: LegLength, seed: u64, node: u32) -> Trajectory {
        let model = RandomWalk { min_speed_mps: 2.0, max_speed_mps: 12.0, leg };
        let mut stream = stream(seed, node);
        let from = super::super::anywhere(&mut stream, AREA);
        model.trajectory(from, AREA, Duration::from_secs(300), &mut stream)
    }

    #[test]
    fn positions_stay_uniform() {
        // A 10 x 4 raster: chi-square with 39 degrees of freedom exceeds 72.1 with probability 0.001.
        for leg in [LegLength::Time(20.0), LegLength::Distance(150.0)] {
            for at_s in [0.0, 37.0, 300.0] {
                let mut counts = [0u32; 40];
                for node in 0..4_000 {
                    let p = walk(leg, 1, node).position(Time::from_secs_f64(at_s));
                    counts[(p.x_m / 100.0).min(9.0) as usize * 4 + (p.y_m / 100.0).min(3.0) as usize] += 1;
                }
                let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - 100.0) * (f64::from(c) - 100.0) / 100.0).sum();
                assert!(chi2 < 72.1, "{leg:?} at {at_s} s: {chi2}");
            }
        }
    }

    #[test]
    fn legs_have_their_time_or_their_distance() {
        let turns = |path: &Trajectory| {
            // Where speed changes a new leg has begun; at a border it does not.
            let legs: Vec<_> = path.waypoints().iter().map(|w| path.linear_until(w.at)).collect();
            let mut starts = vec![legs[0]];
            for leg in &legs[1..legs.len() - 1] {
                if (leg.velocity.speed_mps() - starts[starts.len() - 1].velocity.speed_mps()).abs() > 1e-5 {
                    starts.push(*leg);
                }
            }
            starts
        };
        for pair in turns(&walk(LegLength::Time(20.0), 3, 5)).windows(2) {
            let lasts = pair[1].start.since(pair[0].start).as_secs_f64();
            assert!((lasts - 20.0).abs() < 1e-6, "{lasts}");
        }
        for pair in turns(&walk(LegLength::Distance(150.0), 3, 5)).windows(2) {
            let lasts = pair[1].start.since(pair[0].start).as_secs_f64();
            assert!((lasts * pair[0].velocity.speed_mps() - 150.0).abs() < 1e-3, "{pair:?}");
        }
    }
}
