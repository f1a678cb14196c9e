//! What holds for every movement model: nobody leaves the area, nobody is too fast, ways are continuous and last, and
//! newcomers move nobody else.

use hopwright_machine::{Duration, NodeId, Purpose, Stream, Time};
use hopwright_mobility::models::{
    GaussMarkov, LegLength, Manhattan, Pause, RandomWalk, RandomWaypoint, ReferencePointGroup, Start,
};
use hopwright_mobility::{Area, Position, Trajectory, placement};
use proptest::prelude::*;

const LASTS_S: u64 = 120;

/// The ways of so many nodes in each model, with the highest speed it allows.
fn all(nodes: u32, area: Area, v0: f64, v1: f64, pause: Pause, seed: u64) -> Vec<(&'static str, f64, Vec<Trajectory>)> {
    let lasts = Duration::from_secs(LASTS_S);
    let stream = |n| Stream::new(seed, NodeId(n), Purpose::Mobility);
    let places = placement::random(nodes, area.width_m, area.height_m, seed);
    let of = |make: &dyn Fn(u32, Position) -> Trajectory| -> Vec<Trajectory> {
        (0..nodes).zip(&places).map(|(n, &p)| make(n, p)).collect()
    };
    let waypoint = RandomWaypoint { min_speed_mps: v0, max_speed_mps: v1, pause };
    let walk = |leg| RandomWalk { min_speed_mps: v0, max_speed_mps: v1, leg };
    let gauss = GaussMarkov {
        alpha: 0.7,
        mean_speed_mps: v0,
        speed_sd_mps: v1 / 2.0,
        max_speed_mps: v1,
        direction_sd_rad: 1.0,
        update_interval_s: 0.7,
        edge_m: 0.1 * area.width_m.min(area.height_m),
    };
    let group =
        ReferencePointGroup { groups: 2, leader: waypoint, radius_m: 60.0, deviation_m: 10.0, update_interval_s: 2.0 };
    let manhattan = Manhattan {
        blocks_x: 4,
        blocks_y: 3,
        left: 0.25,
        right: 0.25,
        min_speed_mps: v0,
        max_speed_mps: v1,
        acceleration_mps2: 2.0,
        update_interval_s: 0.5,
    };
    let steady = Start::SteadyState;
    vec![
        ("steady", v1, of(&|n, _| waypoint.trajectory(steady, area, lasts, &mut stream(n)))),
        ("yoon", v1, of(&|n, _| waypoint.trajectory(Start::Yoon, area, lasts, &mut stream(n)))),
        ("uniform", v1, of(&|n, p| waypoint.trajectory(Start::At(p), area, lasts, &mut stream(n)))),
        ("walk by time", v1, of(&|n, p| walk(LegLength::Time(8.3)).trajectory(p, area, lasts, &mut stream(n)))),
        (
            "walk by distance",
            v1,
            of(&|n, p| walk(LegLength::Distance(77.0)).trajectory(p, area, lasts, &mut stream(n))),
        ),
        ("Gauss-Markov", v1, of(&|n, p| gauss.trajectory(p, area, lasts, &mut stream(n)))),
        // Between updates a deviation may go from one side to the other.
        ("group", v1 + 2.0 * 10.0 / 2.0, group.trajectories(nodes, |_| steady, area, lasts, seed)),
        ("Manhattan", v1, of(&|n, _| manhattan.trajectory(area, lasts, &mut stream(n)))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_holds_for_every_model(
        seed in 0u64..1_000_000,
        width_m in 20.0f64..2_000.0,
        height_m in 20.0f64..2_000.0,
        slow in 0.1f64..5.0,
        more in 0.0f64..20.0,
        least_s in 0.0f64..10.0,
        longer_s in 0.0f64..10.0,
    ) {
        let area = Area { width_m, height_m };
        let pause = Pause { least_s, most_s: least_s + longer_s };
        let end = Time::ZERO + Duration::from_secs(LASTS_S);
        let few = all(5, area, slow, slow + more, pause, seed);
        let many = all(8, area, slow, slow + more, pause, seed);
        for ((model, fastest_mps, nodes), (_, _, more)) in few.iter().zip(&many) {
            prop_assert_eq!(nodes.as_slice(), &more[..5], "{}: newcomers move others", model);
            for (n, path) in more.iter().enumerate() {
                prop_assert!(path.waypoints().iter().all(|w| area.bounds().contains(w.position)), "{}: {}", model, n);
                let speed = path.max_speed_mps();
                prop_assert!(speed <= fastest_mps * (1.0 + 1e-9), "{}: {} m/s of {}", model, speed, fastest_mps);
                prop_assert!(path.waypoints().windows(2).all(|w| w[0].at < w[1].at), "{} jumps: {}", model, n);
                prop_assert!(path.waypoints().last().is_some_and(|w| w.at >= end), "{} ends too soon", model);
                prop_assert!(!path.is_static(), "{}: {} stands", model, n);
            }
        }
    }
}

/// Nobody who moves is slower than the least speed, pauses and the last stretch before a border apart.
#[test]
fn nobody_is_too_slow() {
    let area = Area { width_m: 700.0, height_m: 500.0 };
    for (model, _, nodes) in all(10, area, 3.0, 9.0, Pause::constant(2.0), 5) {
        if model == "Gauss-Markov" || model == "group" {
            continue; // bounded from above alone
        }
        for path in &nodes {
            for leg in path.legs(Time::from_secs_f64(100.0)) {
                let speed = leg.velocity.speed_mps();
                let long = leg.until.since(leg.start).as_secs_f64() > 1e-3;
                assert!(!long || speed == 0.0 || speed > 3.0 * (1.0 - 1e-5), "{model}: {leg:?}");
            }
        }
    }
}
