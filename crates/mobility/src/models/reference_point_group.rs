//! Reference-point group mobility: groups whose members keep near points that move with a leader.
//!
//! Spec      Hong, Gerla, Pei and Chiang, "A group mobility model for ad hoc wireless networks", MSWiM 1999: a
//!           member is at its reference point, which moves with the group, plus a random vector of its own
//! Deviates  the group's centre is its leader, a node that moves by random waypoint; between updates members go
//!           straight; who would be outside the area is at its edge
//! Holds     at each update a member is within `radius_m` + `deviation_m` of its leader

use core::f64::consts::TAU;

use hopwright_machine::{Duration, Stream, Time};

use super::path::Path;
use super::{RandomWaypoint, Start, stream};
use crate::{Area, Position, Trajectory};

/// Reference-point group mobility. Node g below `groups` leads group g; any other node i is in group i mod `groups`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ReferencePointGroup {
    /// How many groups; at least one.
    pub groups: u32,
    /// How the leaders move.
    pub leader: RandomWaypoint,
    /// How far from the leader reference points lie at most, metres.
    pub radius_m: f64,
    /// How far from its reference point a member is at most, metres.
    pub deviation_m: f64,
    /// Seconds between a member's changes; above zero.
    pub update_interval_s: f64,
}

impl ReferencePointGroup {
    /// The ways of all nodes, for as long as `lasts`. `start`: how the leader of each group begins.
    #[must_use]
    pub fn trajectories(
        &self,
        nodes: u32,
        start: impl Fn(u32) -> Start,
        area: Area,
        lasts: Duration,
        seed: u64,
    ) -> Vec<Trajectory> {
        let mut all: Vec<Trajectory> = Vec::with_capacity(nodes as usize);
        for node in 0..nodes {
            let mut stream = stream(seed, node);
            all.push(if node < self.groups {
                self.leader.trajectory(start(node), area, lasts, &mut stream)
            } else {
                self.member(&all[(node % self.groups) as usize], area, lasts, &mut stream)
            });
        }
        all
    }

    fn member(&self, leader: &Trajectory, area: Area, lasts: Duration, stream: &mut Stream) -> Trajectory {
        let reference = vector(self.radius_m, stream);
        let mut place = |at: Time| {
            let (centre, deviation) = (leader.position(at), vector(self.deviation_m, stream));
            Position::new(centre.x_m + reference.x_m + deviation.x_m, centre.y_m + reference.y_m + deviation.y_m)
        };
        let mut path = Path::new(area, area.clamp(place(Time::ZERO)));
        let interval = Duration::from_secs_f64(self.update_interval_s);
        while path.lasts() < lasts {
            let at = Time::ZERO + path.lasts() + interval;
            path.reach(place(at), interval.as_secs_f64());
        }
        path.finish()
    }
}

/// A vector of any direction, its length even up to `most_m` (Hong et al. 1999).
fn vector(most_m: f64, stream: &mut Stream) -> Position {
    let (length_m, direction) = (stream.unit() * most_m, stream.unit() * TAU);
    Position::new(length_m * libm::cos(direction), length_m * libm::sin(direction))
}

#[cfg(test)]
mod tests {
    use super::super::Pause;
    use super::*;

    const AREA: Area = Area { width_m: 2000.0, height_m: 2000.0 };
    const MODEL: ReferencePointGroup = ReferencePointGroup {
        groups: 3,
        leader: RandomWaypoint { min_speed_mps: 1.0, max_speed_mps: 10.0, pause: Pause::constant(0.0) },
        radius_m: 100.0,
        deviation_m: 20.0,
        update_interval_s: 1.0,
    };

    fn all(nodes: u32) -> Vec<Trajectory> {
        MODEL.trajectories(nodes, |_| Start::SteadyState, AREA, Duration::from_secs(300), 7)
    }

    #[test]
    fn members_keep_near_their_leader() {
        let nodes = all(63);
        let mut apart = [0.0; 2]; // the mean distance from the own leader, and from another
        for s in 0..300 {
            let at = Time::from_secs_f64(f64::from(s));
            for (i, node) in nodes.iter().enumerate().skip(3) {
                let here = node.position(at);
                let own = here.distance(nodes[i % 3].position(at));
                assert!(own <= 120.0 + 1e-6, "node {i} at {s} s: {own} m");
                apart[0] += own / 18_000.0;
                apart[1] += here.distance(nodes[(i + 1) % 3].position(at)) / 18_000.0;
            }
        }
        // A vector of 50 m on average (60 draws: give or take 3.7 m), and one of 10 m that turns around its end.
        assert!((39.0..63.0).contains(&apart[0]), "{apart:?}");
        assert!(apart[1] > 3.0 * apart[0], "{apart:?}");
    }

    #[test]
    fn a_leader_moves_as_if_it_were_alone() {
        let alone = MODEL.leader.trajectory(Start::SteadyState, AREA, Duration::from_secs(300), &mut stream(7, 2));
        assert_eq!(all(15)[2], alone);
    }

    #[test]
    fn the_vector_is_even_in_length_and_direction() {
        let mut stream = stream(1, 0);
        let vectors: Vec<Position> = (0..10_000).map(|_| vector(1.0, &mut stream)).collect();
        let mean = vectors.iter().map(|v| v.distance(Position::ORIGIN)).sum::<f64>() / 1e4;
        assert!((mean - 0.5).abs() < 0.015, "{mean}");
        let right = vectors.iter().filter(|v| v.x_m > 0.0).count();
        assert!((4_800..5_200).contains(&right), "{right}");
    }
}
