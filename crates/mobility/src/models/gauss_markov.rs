//! Gauss-Markov: speed and direction at each interval follow from those before, with a memory of `alpha`.
//!
//! Spec      Liang and Haas 1999; Camp, Boleng and Davies 2002, section 2.5, with its edge avoidance: near an
//!           edge the mean direction points away from it
//! Deviates  speeds are cut off at 0 and at `max_speed_mps`, on which both are silent; of the turns by which a
//!           mean direction can be reached the shorter is taken; whoever reaches a border nevertheless is reflected
//! Holds     away from edges and limits, speeds k intervals apart correlate by `alpha`^k

use core::f64::consts::{PI, TAU};

use hopwright_machine::{Duration, Stream};

use super::path::Path;
use crate::{Area, Position, Trajectory, Velocity};

/// Gauss-Markov.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GaussMarkov {
    /// Memory: 0 draws everything anew at each interval, 1 changes nothing.
    pub alpha: f64,
    /// The mean speed, metres per second.
    pub mean_speed_mps: f64,
    /// Standard deviation of the speed, metres per second.
    pub speed_sd_mps: f64,
    /// The highest speed, metres per second.
    pub max_speed_mps: f64,
    /// Standard deviation of the direction, radians.
    pub direction_sd_rad: f64,
    /// Seconds between changes; above zero.
    pub update_interval_s: f64,
    /// Nearer to an edge than this, metres, the mean direction points away. Below half of either side.
    pub edge_m: f64,
}

impl GaussMarkov {
    /// One node's way, for as long as `lasts`.
    #[must_use]
    pub fn trajectory(&self, from: Position, area: Area, lasts: Duration, stream: &mut Stream) -> Trajectory {
        let mut path = Path::new(area, from);
        let fresh = (1.0 - self.alpha * self.alpha).sqrt();
        // Away from all edges a node keeps the mean direction it has.
        let mut mean = stream.unit() * TAU;
        let (first_speed, first_turn) = stream.normals();
        let mut speed_mps = self.mean_speed_mps + self.speed_sd_mps * first_speed;
        let mut direction = mean + self.direction_sd_rad * first_turn;
        while path.lasts() < lasts {
            let moved_mps = speed_mps.clamp(0.0, self.max_speed_mps);
            let velocity =
                Velocity { x_mps: moved_mps * libm::cos(direction), y_mps: moved_mps * libm::sin(direction) };
            let after = path.bounce(velocity, self.update_interval_s);
            if after != velocity {
                direction = libm::atan2(after.y_mps, after.x_mps);
                mean = direction;
            }
            if let Some(inwards) = self.inwards(path.here(), area) {
                mean = inwards;
            }
            let (speed_draw, turn_draw) = stream.normals();
            speed_mps = self.alpha * speed_mps
                + (1.0 - self.alpha) * self.mean_speed_mps
                + fresh * self.speed_sd_mps * speed_draw;
            // The mean on the turn that is nearest to the present direction.
            let mean_near = direction + libm::remainder(mean - direction, TAU);
            direction =
                self.alpha * direction + (1.0 - self.alpha) * mean_near + fresh * self.direction_sd_rad * turn_draw;
            direction = libm::remainder(direction, 2.0 * PI);
        }
        path.finish()
    }

    /// The direction away from the edges that are near.
    fn inwards(&self, here: Position, area: Area) -> Option<f64> {
        let axis = |at: f64, limit: f64| f64::from(at < self.edge_m) - f64::from(at > limit - self.edge_m);
        let (x, y) = (axis(here.x_m, area.width_m), axis(here.y_m, area.height_m));
        (x != 0.0 || y != 0.0).then(|| libm::atan2(y, x))
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::Time;

    use super::super::stream;
    use super::*;

    const AREA: Area = Area { width_m: 100_000.0, height_m: 100_000.0 };
    const MODEL: GaussMarkov = GaussMarkov {
        alpha: 0.8,
        mean_speed_mps: 10.0,
        speed_sd_mps: 1.0,
        max_speed_mps: 100.0,
        direction_sd_rad: 0.4,
        update_interval_s: 1.0,
        edge_m: 100.0,
    };

    fn speeds(model: &GaussMarkov, node: u32) -> Vec<f64> {
        let middle = Position::new(50_000.0, 50_000.0);
        let path = model.trajectory(middle, AREA, Duration::from_secs(2_000), &mut stream(1, node));
        (0..2_000).map(|s| path.linear_until(Time::from_secs_f64(f64::from(s))).velocity.speed_mps()).collect()
    }

    #[test]
    fn speeds_have_their_mean_their_deviation_and_their_memory() {
        for alpha in [0.0, 0.5, 0.8] {
            let model = GaussMarkov { alpha, ..MODEL };
            let all: Vec<Vec<f64>> = (0..20).map(|node| speeds(&model, node)).collect();
            let n = 40_000.0;
            let mean = all.iter().flatten().sum::<f64>() / n;
            let correlate = |lag: usize| {
                let pairs = all.iter().flat_map(|v| v.iter().zip(&v[lag..]));
                pairs.map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>() / (n - 20.0 * lag as f64)
            };
            let variance = correlate(0);
            assert!((mean - 10.0).abs() < 0.1, "alpha {alpha}: mean {mean}");
            assert!((variance - 1.0).abs() < 0.1, "alpha {alpha}: variance {variance}");
            for lag in [1, 2, 5] {
                let expected = libm::pow(alpha, lag as f64);
                let found = correlate(lag) / variance;
                assert!((found - expected).abs() < 0.05, "alpha {alpha}, lag {lag}: {found}, not {expected}");
            }
        }
    }

    #[test]
    fn with_full_memory_nothing_changes() {
        let speeds = speeds(&GaussMarkov { alpha: 1.0, ..MODEL }, 3);
        assert!(speeds.iter().all(|v| (v - speeds[0]).abs() < 1e-6));
    }

    #[test]
    fn edges_are_avoided() {
        let area = Area { width_m: 1000.0, height_m: 1000.0 };
        let near_an_edge = |edge_m: f64| {
            let model = GaussMarkov { edge_m, ..MODEL };
            let mut near = 0;
            for node in 0..40 {
                let from = Position::new(500.0, 500.0);
                let path = model.trajectory(from, area, Duration::from_secs(900), &mut stream(1, node));
                for s in 100..900 {
                    let p = path.position(Time::from_secs_f64(f64::from(s)));
                    let margin = p.x_m.min(p.y_m).min(1000.0 - p.x_m).min(1000.0 - p.y_m);
                    near += u32::from(margin < 50.0);
                }
            }
            f64::from(near) / 32_000.0
        };
        // The outermost 50 m are 19 % of the area.
        let (without, with) = (near_an_edge(0.0), near_an_edge(100.0));
        assert!(with < 0.5 * without, "{with} with, {without} without edge avoidance");
    }

    #[test]
    fn the_direction_at_an_edge_is_as_the_survey_draws_it() {
        let area = Area { width_m: 1000.0, height_m: 500.0 };
        let degrees = |x, y| MODEL.inwards(Position::new(x, y), area).map(|d| (d.to_degrees() + 360.0) % 360.0);
        assert_eq!(degrees(500.0, 250.0), None);
        let around = [
            (50.0, 250.0, 0.0),
            (950.0, 250.0, 180.0),
            (500.0, 50.0, 90.0),
            (500.0, 450.0, 270.0),
            (50.0, 50.0, 45.0),
            (950.0, 50.0, 135.0),
            (950.0, 450.0, 225.0),
            (50.0, 450.0, 315.0),
        ];
        for (x, y, expected) in around {
            assert!(degrees(x, y).is_some_and(|d| (d - expected).abs() < 1e-9), "({x}, {y})");
        }
    }
}
