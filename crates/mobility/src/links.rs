//! When which two nodes are in range of each other: exact times, from the straight stretches of their ways.
//!
//! Spec      none; on a stretch the distance of two nodes is the root of a polynomial of degree two in time, and
//!           where it crosses the range is known in closed form
//! Deviates  nothing
//! Holds     contacts of one pair neither overlap nor touch; both ends lie within the run

use hopwright_machine::Time;

use crate::{Leg, Trajectory};

/// Two nodes in range of each other, both up, without a break.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Contact {
    /// The node with the lower number.
    pub a: u32,
    /// The other one.
    pub b: u32,
    /// When they come into range, seconds; 0 if they are from the start.
    pub from_s: f64,
    /// When they leave it; the end if they are still in range then.
    pub until_s: f64,
}

/// A gap shorter than this is rounding between two stretches, seconds.
const SEAM_S: f64 = 1e-9;

/// All contacts of a run that ends at `end`, by pair, then by time. `outages`: see `crate::outages`.
#[must_use]
pub fn contacts(nodes: &[Trajectory], outages: &[Vec<(Time, Time)>], range_m: f64, end: Time) -> Vec<Contact> {
    let legs: Vec<Vec<Leg>> = nodes.iter().map(|node| node.legs(end)).collect();
    let mut all = Vec::new();
    for a in 0..nodes.len() {
        for b in a + 1..nodes.len() {
            let near = in_range(&legs[a], &legs[b], range_m, end.as_secs_f64());
            let off = |node: usize| outages.get(node).map_or(&[][..], Vec::as_slice);
            let (a_id, b_id) = (a as u32, b as u32);
            let up = without(without(near, off(a)), off(b));
            all.extend(up.into_iter().map(|(from_s, until_s)| Contact { a: a_id, b: b_id, from_s, until_s }));
        }
    }
    all
}

/// When two ways are within the range of each other, seconds.
fn in_range(a: &[Leg], b: &[Leg], range_m: f64, end_s: f64) -> Vec<(f64, f64)> {
    let mut found: Vec<(f64, f64)> = Vec::new();
    let (mut i, mut j, mut start) = (0, 0, Time::ZERO);
    while i < a.len() && j < b.len() {
        let (p, q) = (a[i], b[j]);
        let until = p.until.min(q.until);
        let start_s = start.as_secs_f64();
        let lasts_s = if until.is_never() { end_s - start_s } else { until.since(start).as_secs_f64() };
        let (here, there) = (p.position(start), q.position(start));
        let apart = (there.x_m - here.x_m, there.y_m - here.y_m);
        let speed = (q.velocity.x_mps - p.velocity.x_mps, q.velocity.y_mps - p.velocity.y_mps);
        if let Some((from, to)) = within(apart, speed, range_m, lasts_s) {
            let (from_s, until_s) = (start_s + from, (start_s + to).min(end_s));
            match found.last_mut() {
                Some(last) if from_s - last.1 <= SEAM_S => last.1 = last.1.max(until_s),
                _ if until_s > from_s => found.push((from_s, until_s)),
                _ => {}
            }
        }
        if until.is_never() || until.as_secs_f64() >= end_s {
            break;
        }
        i += usize::from(p.until == until);
        j += usize::from(q.until == until);
        start = until;
    }
    found
}

/// From when to when within 0..=`lasts_s` a point that starts `apart` from the origin, with this velocity, is
/// within the range of it.
fn within(apart: (f64, f64), speed: (f64, f64), range_m: f64, lasts_s: f64) -> Option<(f64, f64)> {
    // |apart + speed t|^2 = range^2: a t^2 + 2 b t + c = 0.
    let a = speed.0 * speed.0 + speed.1 * speed.1;
    let b = apart.0 * speed.0 + apart.1 * speed.1;
    let c = apart.0 * apart.0 + apart.1 * apart.1 - range_m * range_m;
    if a == 0.0 {
        return (c <= 0.0).then_some((0.0, lasts_s));
    }
    let discriminant = b * b - a * c;
    if discriminant < 0.0 {
        return None;
    }
    // Of the two forms of each root, the one without a difference of like numbers.
    let q = if b >= 0.0 { -(b + discriminant.sqrt()) } else { -b + discriminant.sqrt() };
    let (one, other) = (q / a, if q == 0.0 { 0.0 } else { c / q });
    let (enters, leaves) = if one <= other { (one, other) } else { (other, one) };
    (leaves >= 0.0 && enters <= lasts_s).then_some((enters.max(0.0), leaves.min(lasts_s)))
}

/// Takes outages out of spans.
fn without(spans: Vec<(f64, f64)>, outages: &[(Time, Time)]) -> Vec<(f64, f64)> {
    let mut left = spans;
    for &(down, up) in outages {
        let (down, up) = (down.as_secs_f64(), if up.is_never() { f64::INFINITY } else { up.as_secs_f64() });
        let cut = |(from, until): (f64, f64)| [(from, until.min(down)), (from.max(up), until)];
        left = left.into_iter().flat_map(cut).filter(|(from, until)| from < until).collect();
    }
    left
}

#[cfg(test)]
mod tests {
    use hopwright_machine::Duration;
    use proptest::prelude::*;

    use super::*;
    use crate::models::{Pause, RandomWaypoint, Start};
    use crate::{Area, Position};

    fn s(seconds: f64) -> Time {
        Time::from_secs_f64(seconds)
    }

    fn spans(nodes: &[Trajectory], outages: &[Vec<(Time, Time)>]) -> Vec<(f64, f64)> {
        contacts(nodes, outages, 250.0, s(100.0)).iter().map(|c| (c.from_s, c.until_s)).collect()
    }

    /// Passes the origin in 150 m at 20 s: in range for 400 m, that is 40 s.
    fn passer() -> Trajectory {
        let mut path = Trajectory::fixed(Position::new(-400.0, 150.0));
        path.travel_to(Time::ZERO, Position::new(800.0, 150.0), 10.0);
        path
    }

    #[test]
    fn a_pass_is_timed_in_closed_form() {
        let origin = Trajectory::fixed(Position::ORIGIN);
        let found = spans(&[origin.clone(), passer()], &[]);
        assert_eq!(found.len(), 1);
        assert!((found[0].0 - 20.0).abs() < 1e-9 && (found[0].1 - 60.0).abs() < 1e-9, "{found:?}");
        // It stands in the middle for a while: one contact, longer.
        let mut pausing = passer();
        pausing.travel_to(s(40.0), Position::new(0.0, 150.0), 0.0);
        pausing.travel_to(s(50.0), Position::new(800.0, 150.0), 10.0);
        let found = spans(&[origin, pausing], &[]);
        assert_eq!(found.len(), 1);
        assert!((found[0].1 - 70.0).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn nodes_that_stand_are_linked_for_ever_or_never() {
        let at = |x| Trajectory::fixed(Position::new(x, 0.0));
        assert_eq!(spans(&[at(0.0), at(250.0)], &[]), [(0.0, 100.0)]);
        assert_eq!(spans(&[at(0.0), at(250.001)], &[]), []);
    }

    #[test]
    fn who_is_down_has_no_links() {
        let at = |x| Trajectory::fixed(Position::new(x, 0.0));
        let outages = [vec![(s(10.0), s(20.0))], vec![(s(15.0), s(30.0)), (s(90.0), Time::NEVER)]];
        assert_eq!(spans(&[at(0.0), at(100.0)], &outages), [(0.0, 10.0), (30.0, 90.0)]);
    }

    #[test]
    fn a_jump_ends_a_link_at_once() {
        let mut jumper = Trajectory::fixed(Position::ORIGIN);
        jumper.place_at(s(40.0), Position::new(900.0, 0.0));
        assert_eq!(spans(&[Trajectory::fixed(Position::ORIGIN), jumper], &[]), [(0.0, 40.0)]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]

        /// Between crossings the nodes are on the side that the contacts say, at every other time too.
        #[test]
        fn positions_agree_with_contacts(seed in 0u64..1000) {
            let model = RandomWaypoint { min_speed_mps: 1.0, max_speed_mps: 20.0, pause: Pause::constant(3.0) };
            let area = Area { width_m: 800.0, height_m: 600.0 };
            let way = |n| {
                let mut stream = hopwright_machine::Stream::new(
                    seed, hopwright_machine::NodeId(n), hopwright_machine::Purpose::Mobility);
                model.trajectory(Start::SteadyState, area, Duration::from_secs(100), &mut stream)
            };
            let nodes: Vec<Trajectory> = (0..6).map(way).collect();
            let all = contacts(&nodes, &[], 250.0, s(100.0));
            for a in 0..6u32 {
                for b in a + 1..6 {
                    let own: Vec<_> = all.iter().filter(|c| (c.a, c.b) == (a, b)).collect();
                    for tick in 0..1000 {
                        let at_s = f64::from(tick) * 0.1 + 0.037;
                        let at = |n: u32| nodes[n as usize].position(s(at_s));
                        let apart = at(a).distance(at(b));
                        let linked = own.iter().any(|c| c.from_s <= at_s && at_s <= c.until_s);
                        prop_assert!(linked == (apart <= 250.0) || (apart - 250.0).abs() < 1e-5,
                            "{a} and {b} at {at_s} s: {apart} m, linked {linked}");
                    }
                    prop_assert!(own.windows(2).all(|w| w[0].until_s < w[1].from_s));
                }
            }
        }
    }
}
