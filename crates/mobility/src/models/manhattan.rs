//! Manhattan: nodes on a grid of streets, turning at crossings by chance.
//!
//! Spec      Bai, Sadagopan and Helmy, "IMPORTANT", INFOCOM 2003: streets, turn probabilities, a speed that changes
//!           by at most `acceleration_mps2` per second; BonnMotion's ManhattanGrid for the layout of the streets
//! Deviates  nodes on one street do not keep a distance (BonnMotion has none either): who comes later would
//!           otherwise move the others. Where a turn leads out of the area, those left are taken by their shares;
//!           where none is left, the node turns round
//! Holds     a node is always on a street; it turns only at crossings

use hopwright_machine::{Duration, Stream};

use super::between;
use super::path::Path;
use crate::{Area, Position, Trajectory};

/// Manhattan.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Manhattan {
    /// Blocks side by side; the streets between and around them are one more. At least one.
    pub blocks_x: u32,
    /// Blocks one above the other. At least one.
    pub blocks_y: u32,
    /// The chance to turn left at a crossing.
    pub left: f64,
    /// The chance to turn right; straight on is what is left of 1.
    pub right: f64,
    /// The lowest speed, metres per second.
    pub min_speed_mps: f64,
    /// The highest.
    pub max_speed_mps: f64,
    /// By how much a speed may change within a second, metres per second squared.
    pub acceleration_mps2: f64,
    /// Seconds between changes of speed; above zero.
    pub update_interval_s: f64,
}

/// A heading along a street.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Heading {
    x: i32,
    y: i32,
}

impl Heading {
    const fn left(self) -> Self {
        Self { x: -self.y, y: self.x }
    }

    const fn right(self) -> Self {
        Self { x: self.y, y: -self.x }
    }

    const fn back(self) -> Self {
        Self { x: -self.x, y: -self.y }
    }
}

/// A crossing, counted in streets from the origin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Crossing {
    column: i32,
    row: i32,
}

impl Crossing {
    const fn next(self, heading: Heading) -> Self {
        Self { column: self.column + heading.x, row: self.row + heading.y }
    }
}

impl Manhattan {
    /// One node's way, for as long as `lasts`. It begins anywhere on the streets, each metre equally likely.
    #[must_use]
    pub fn trajectory(&self, area: Area, lasts: Duration, stream: &mut Stream) -> Trajectory {
        let (from, mut ahead, mut heading) = self.start(area, stream);
        let mut path = Path::new(area, from);
        let mut speed_mps = between(stream, self.max_speed_mps, self.min_speed_mps);
        while path.lasts() < lasts {
            let mut left_s = self.update_interval_s;
            while left_s > 0.0 {
                let crossing = self.place(ahead, area);
                let arrival_s = path.here().distance(crossing) / speed_mps;
                if speed_mps == 0.0 || arrival_s > left_s {
                    let run_m = speed_mps * left_s;
                    let here = path.here();
                    let to =
                        Position::new(here.x_m + f64::from(heading.x) * run_m, here.y_m + f64::from(heading.y) * run_m);
                    path.reach(to, left_s);
                    break;
                }
                path.reach(crossing, arrival_s);
                left_s -= arrival_s;
                heading = self.turn(ahead, heading, stream);
                ahead = ahead.next(heading);
            }
            let change = between(stream, -1.0, 1.0) * self.acceleration_mps2 * self.update_interval_s;
            speed_mps = (speed_mps + change).clamp(self.min_speed_mps, self.max_speed_mps);
        }
        path.finish()
    }

    /// A place on the streets, the crossing ahead of it, and the heading.
    fn start(&self, area: Area, stream: &mut Stream) -> (Position, Crossing, Heading) {
        let (columns, rows) = (self.blocks_x + 1, self.blocks_y + 1);
        let (upright_m, level_m) = (f64::from(columns) * area.height_m, f64::from(rows) * area.width_m);
        let upright = stream.unit() * (upright_m + level_m) < upright_m;
        let street = stream.below(if upright { columns } else { rows }) as i32;
        let along = stream.unit();
        let forward = stream.below(2) == 1;
        let blocks = if upright { self.blocks_y } else { self.blocks_x };
        let block = (along * f64::from(blocks)) as i32;
        let ahead = block + i32::from(forward);
        let sign = if forward { 1 } else { -1 };
        if upright {
            let x_m = self.place(Crossing { column: street, row: 0 }, area).x_m;
            let place = Position::new(x_m, along * area.height_m);
            (place, Crossing { column: street, row: ahead }, Heading { x: 0, y: sign })
        } else {
            let y_m = self.place(Crossing { column: 0, row: street }, area).y_m;
            let place = Position::new(along * area.width_m, y_m);
            (place, Crossing { column: ahead, row: street }, Heading { x: sign, y: 0 })
        }
    }

    fn place(&self, at: Crossing, area: Area) -> Position {
        let part = |i: i32, blocks: u32| f64::from(i) / f64::from(blocks);
        Position::new(part(at.column, self.blocks_x) * area.width_m, part(at.row, self.blocks_y) * area.height_m)
    }

    fn turn(&self, at: Crossing, heading: Heading, stream: &mut Stream) -> Heading {
        let is_street = |heading: Heading| {
            let Crossing { column, row } = at.next(heading);
            (0..=self.blocks_x as i32).contains(&column) && (0..=self.blocks_y as i32).contains(&row)
        };
        let straight = 1.0 - self.left - self.right;
        let choices = [(heading, straight), (heading.left(), self.left), (heading.right(), self.right)];
        let share = |&(heading, chance): &(Heading, f64)| if is_street(heading) { chance } else { 0.0 };
        let mut u = stream.unit() * choices.iter().map(share).sum::<f64>();
        for choice in &choices {
            let share = share(choice);
            if u < share {
                return choice.0;
            }
            u -= share;
        }
        heading.back()
    }
}

#[cfg(test)]
mod tests {
    use super::super::stream;
    use super::*;

    const AREA: Area = Area { width_m: 1000.0, height_m: 600.0 };
    const MODEL: Manhattan = Manhattan {
        blocks_x: 10,
        blocks_y: 6,
        left: 0.3,
        right: 0.2,
        min_speed_mps: 2.0,
        max_speed_mps: 15.0,
        acceleration_mps2: 1.0,
        update_interval_s: 1.0,
    };

    fn ways(nodes: u32) -> Vec<Trajectory> {
        (0..nodes).map(|n| MODEL.trajectory(AREA, Duration::from_secs(600), &mut stream(1, n))).collect()
    }

    #[test]
    fn a_node_is_on_a_street_and_turns_only_at_crossings() {
        let on_a_street = |m: f64| (m - (m / 100.0).round() * 100.0).abs() < 1e-6;
        for path in ways(30) {
            let mut last = None;
            for (a, b) in path.waypoints().iter().zip(&path.waypoints()[1..]) {
                let (a, b) = (a.position, b.position);
                let level = a.y_m == b.y_m;
                assert!(level || a.x_m == b.x_m, "{a:?} to {b:?}");
                assert!(on_a_street(if level { a.y_m } else { a.x_m }), "{a:?} to {b:?}");
                let crossing = on_a_street(a.x_m) && on_a_street(a.y_m);
                assert!(crossing || last.is_none_or(|l| l == level), "turns at {a:?}");
                last = Some(level);
            }
        }
    }

    #[test]
    fn turns_have_their_shares() {
        let mut counts = [0u32; 4]; // straight, left, right, back
        let mut stream = stream(1, 0);
        let (east, middle) = (Heading { x: 1, y: 0 }, Crossing { column: 5, row: 3 });
        for _ in 0..10_000 {
            let turned = MODEL.turn(middle, east, &mut stream);
            let kind = [east, Heading { x: 0, y: 1 }, Heading { x: 0, y: -1 }].iter().position(|&h| h == turned);
            counts[kind.unwrap_or(3)] += 1;
        }
        // Chi-square with 2 degrees of freedom exceeds 13.8 with probability 0.001.
        let expected = [5_000.0, 3_000.0, 2_000.0];
        let chi2: f64 = counts.iter().zip(expected).map(|(&c, e)| (f64::from(c) - e) * (f64::from(c) - e) / e).sum();
        assert!(chi2 < 13.8 && counts[3] == 0, "{counts:?}: {chi2}");
        // At the eastern border two ways are left, by their shares; in a street without a crossing, the way back.
        let north = (0..10_000)
            .filter(|_| MODEL.turn(Crossing { column: 10, row: 3 }, east, &mut stream) == Heading { x: 0, y: 1 })
            .count();
        assert!((5_800..6_200).contains(&north), "{north}");
        let straight_only = Manhattan { left: 0.0, right: 0.0, ..MODEL };
        assert_eq!(straight_only.turn(Crossing { column: 10, row: 3 }, east, &mut stream), east.back());
    }

    #[test]
    fn speeds_change_by_no_more_than_the_acceleration() {
        for path in ways(10) {
            let speeds: Vec<f64> =
                path.waypoints().iter().map(|w| path.linear_until(w.at).velocity.speed_mps()).collect();
            let moving = &speeds[..speeds.len() - 1];
            assert!(moving.windows(2).all(|v| (v[0] - v[1]).abs() < 1.0 + 1e-5), "{moving:?}");
            assert!(moving.iter().any(|v| (v - moving[0]).abs() > 1.0), "always the same speed");
        }
    }

    #[test]
    fn starts_are_even_along_the_streets() {
        let upright = ways(4_000).iter().filter(|p| (p.waypoints()[0].position.x_m % 100.0) == 0.0).count();
        // 11 streets of 600 m upright, 7 of 1000 m level: 48.5 %, give or take 3 standard deviations.
        assert!((1_846..2_036).contains(&upright), "{upright}");
    }
}
