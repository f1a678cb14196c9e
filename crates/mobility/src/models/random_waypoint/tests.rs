//! Random waypoint against its closed forms.

use hopwright_machine::Time;

use super::super::stream;
use super::*;

const SQUARE: Area = Area { width_m: 1000.0, height_m: 1000.0 };

const fn model(min_speed_mps: f64, max_speed_mps: f64, pause_s: f64) -> RandomWaypoint {
    RandomWaypoint { min_speed_mps, max_speed_mps, pause: Pause::constant(pause_s) }
}

/// The ways of so many nodes, for 900 s.
fn ways(model: &RandomWaypoint, start: Start, area: Area, nodes: u32) -> Vec<Trajectory> {
    (0..nodes).map(|n| model.trajectory(start, area, Duration::from_secs(900), &mut stream(1, n))).collect()
}

fn mean_speed(paths: &[Trajectory], seconds: core::ops::Range<u32>) -> f64 {
    let n = (seconds.len() * paths.len()) as f64;
    let speed = |s: u32| {
        let at = Time::from_secs_f64(f64::from(s) + 0.5);
        paths.iter().map(|p| p.linear_until(at).velocity.speed_mps()).sum::<f64>()
    };
    seconds.map(speed).sum::<f64>() / n
}

#[test]
fn closed_forms_have_the_published_values() {
    assert!((mean_leg_m(SQUARE) - 521.405).abs() < 0.01, "{}", mean_leg_m(SQUARE));
    let strip = Area { width_m: 1500.0, height_m: 300.0 };
    assert!((mean_leg_m(strip) - 524.64).abs() < 0.01, "{}", mean_leg_m(strip));
    assert_eq!(mean_leg_m(strip), mean_leg_m(Area { width_m: 300.0, height_m: 1500.0 }));
    // A line: a third of its length.
    let line = Area { width_m: 900.0, height_m: 1e-9 };
    assert!((mean_leg_m(line) - 300.0).abs() < 1e-6, "{}", mean_leg_m(line));
    assert!((model(1.0, 20.0, 0.0).mean_travel_s(SQUARE) - 82.21).abs() < 0.01);
    assert!((model(1.0, 20.0, 40.0).paused_share(SQUARE) - 0.3273).abs() < 1e-4);
    assert!((model(1.0, 20.0, 40.0).paused_share(strip) - 0.3259).abs() < 1e-4);
    assert!((model(1.0, 20.0, 40.0).mean_speed_mps(strip) - 4.275).abs() < 1e-3);
    // The mean speeds of Papanastasiou's table 3.6.
    let of_table = [(1.0, 2.0, 1.44), (2.1, 5.0, 3.34), (4.1, 10.0, 6.62), (5.0, 15.0, 9.10), (9.0, 20.0, 13.78)];
    for (v0, v1, printed) in of_table {
        let mean = model(v0, v1, 0.0).mean_speed_mps(strip);
        assert!((mean - printed).abs() <= 0.005, "{v0} to {v1} m/s: {mean}, printed {printed}");
    }
}

#[test]
fn the_mean_leg_is_that_of_random_points() {
    let mut stream = stream(1, 0);
    let n = 100_000;
    let sum: f64 = (0..n).map(|_| anywhere(&mut stream, SQUARE).distance(anywhere(&mut stream, SQUARE))).sum();
    assert!((sum / f64::from(n) - 521.4).abs() < 2.4, "{}", sum / f64::from(n)); // 3 standard errors
}

#[test]
fn in_steady_state_the_mean_speed_is_right_from_the_start() {
    let paths = ways(&model(1.0, 20.0, 0.0), Start::SteadyState, SQUARE, 1000);
    let whole = mean_speed(&paths, 0..900);
    assert!((whole / 6.342 - 1.0).abs() < 0.02, "{whole}");
    let (first, last) = (mean_speed(&paths, 0..100), mean_speed(&paths, 800..900));
    assert!((first / last - 1.0).abs() < 0.06, "{first}, then {last}"); // 3 standard errors of 1,000 nodes
}

#[test]
fn a_steady_speed_alone_does_not_drift_either() {
    let paths = ways(&model(1.0, 20.0, 0.0), Start::Yoon, SQUARE, 1000);
    let first = mean_speed(&paths, 0..10);
    assert!((first / 6.342 - 1.0).abs() < 0.08, "{first}");
}

#[test]
fn from_a_naive_start_without_a_least_speed_the_mean_speed_falls() {
    let paths = ways(&model(0.0, 20.0, 0.0), Start::At(Position::new(500.0, 500.0)), SQUARE, 200);
    let (first, last) = (mean_speed(&paths, 0..100), mean_speed(&paths, 800..900));
    assert!(last < 0.8 * first, "{first}, then {last}");
}

#[test]
fn as_many_pause_at_the_start_as_later() {
    for start in [Start::SteadyState, Start::Yoon] {
        let paths = ways(&model(1.0, 20.0, 40.0), start, SQUARE, 2000);
        for at_s in [0.0, 450.0, 899.0] {
            let at = Time::from_secs_f64(at_s);
            let paused = paths.iter().filter(|p| p.linear_until(at).velocity.speed_mps() == 0.0).count();
            // Binomial: 3 standard deviations of 2,000 nodes.
            let share = paused as f64 / 2000.0;
            // Whole pauses are met too long: Yoon's start settles later.
            if start == Start::SteadyState || at_s == 0.0 {
                assert!((share - 0.3273).abs() < 0.0315, "{start:?} at {at_s} s: {share}");
            }
        }
    }
}

#[test]
fn the_first_speed_met_is_inversely_distributed() {
    let model = model(1.0, 20.0, 0.0);
    let mut speeds: Vec<f64> = ways(&model, Start::SteadyState, SQUARE, 2001)
        .iter()
        .map(|p| p.linear_until(Time::ZERO).velocity.speed_mps())
        .collect();
    speeds.sort_by(f64::total_cmp);
    // The median of 1/v on 1..20 is sqrt(20); its standard error: 0.5 / (f(m) sqrt(n)), f(m) = 1 / (m ln 20).
    assert!((speeds[1000] - 4.472).abs() < 0.45, "{}", speeds[1000]);
    // Chi-square over ten classes of equal chance: 9 degrees of freedom exceed 27.9 with probability 0.001.
    let mut counts = [0u32; 10];
    for v in &speeds {
        counts[(libm::log(*v) / libm::log(20.0) * 10.0).min(9.0) as usize] += 1;
    }
    let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - 200.1) * (f64::from(c) - 200.1) / 200.1).sum();
    assert!(chi2 < 27.9, "{counts:?}: {chi2}");
}

/// On a line of length a the steady state's density is 6 x (a - x) / a^3; whoever pauses is anywhere.
#[test]
fn positions_on_a_line_have_the_steady_density() {
    let line = Area { width_m: 1000.0, height_m: 1e-6 };
    for pause_s in [0.0, 40.0] {
        let model = model(1.0, 20.0, pause_s);
        let paused = model.paused_share(line);
        let paths = ways(&model, Start::SteadyState, line, 4000);
        for at_s in [0.0, 100.0, 900.0] {
            let mut counts = [0u32; 10];
            for path in &paths {
                counts[(path.position(Time::from_secs_f64(at_s)).x_m / 100.0).min(9.0) as usize] += 1;
            }
            let below = |x: f64| (1.0 - paused) * x * x * (3.0 - 2.0 * x) + paused * x;
            let chi2: f64 = (0..10u8)
                .map(|i| {
                    let x = f64::from(i) / 10.0;
                    let expected = 4000.0 * (below(x + 0.1) - below(x));
                    let found = f64::from(counts[usize::from(i)]);
                    (found - expected) * (found - expected) / expected
                })
                .sum();
            assert!(chi2 < 27.9, "pause {pause_s} s, at {at_s} s: {counts:?}: {chi2}");
        }
    }
}

/// The same cells are as full at the end as at the start: nothing drifts in two dimensions either.
#[test]
fn positions_in_the_square_do_not_drift() {
    let paths = ways(&model(1.0, 20.0, 40.0), Start::SteadyState, SQUARE, 4000);
    let count = |at_s: f64| {
        let mut counts = [0u32; 25];
        for path in &paths {
            let p = path.position(Time::from_secs_f64(at_s));
            counts[(p.x_m / 200.0).min(4.0) as usize * 5 + (p.y_m / 200.0).min(4.0) as usize] += 1;
        }
        counts
    };
    let (first, last) = (count(0.0), count(900.0));
    // Two samples, 24 degrees of freedom: 51.2 is exceeded with probability 0.001.
    let chi2: f64 = first
        .iter()
        .zip(last)
        .map(|(&a, b)| (f64::from(a) - f64::from(b)) * (f64::from(a) - f64::from(b)) / f64::from(a + b))
        .sum();
    assert!(chi2 < 51.2, "{first:?}, then {last:?}: {chi2}");
    // And a uniform start would be seen: the middle is fuller than a corner.
    assert!(first[12] > 2 * first[0], "{first:?}");
}

#[test]
fn residual_pauses_are_shorter_than_pauses() {
    let even = Pause { least_s: 10.0, most_s: 30.0 };
    let n = 10_000;
    let mean = (0..n).map(|i| even.residual((f64::from(i) + 0.5) / f64::from(n))).sum::<f64>() / f64::from(n);
    // E(residual) = E(p^2) / (2 E(p)) = (10^2 + 10 30 + 30^2) / 3 / 40.
    assert!((mean - 1300.0 / 3.0 / 40.0).abs() < 1e-3, "{mean}");
    assert_eq!(Pause::constant(40.0).residual(0.25), 10.0);
    assert_eq!((even.residual(0.0), even.residual(1.0)), (0.0, 30.0));
}

#[test]
fn the_median_pause_of_an_even_draw_is_its_middle() {
    let model = RandomWaypoint { pause: Pause { least_s: 0.0, most_s: 80.0 }, ..model(1.0, 20.0, 0.0) };
    let pauses: Vec<f64> = ways(&model, Start::At(Position::ORIGIN), SQUARE, 400)
        .iter()
        .map(|p| p.linear_until(Time::ZERO))
        .map(|leg| leg.until.since(leg.start).as_secs_f64())
        .collect();
    let short = pauses.iter().filter(|&&s| s < 40.0).count();
    assert!((170..230).contains(&short), "{short} of 400");
    assert!(pauses.iter().all(|&s| s <= 80.0));
}

#[test]
fn the_first_pause_is_a_residual_one_in_the_steady_state_and_a_whole_one_in_yoons_start() {
    let pauses = |start| -> Vec<f64> {
        let paths = ways(&model(1.0, 20.0, 40.0), start, SQUARE, 2000);
        let legs = paths.iter().map(|p| p.linear_until(Time::ZERO)).filter(|leg| leg.velocity.speed_mps() == 0.0);
        legs.map(|leg| leg.until.since(leg.start).as_secs_f64()).collect()
    };
    let steady = pauses(Start::SteadyState);
    let mean = steady.iter().sum::<f64>() / steady.len() as f64;
    assert!((mean - 20.0).abs() < 1.4, "{mean}"); // even up to 40 s: 3 standard errors of 650 nodes
    assert!(pauses(Start::Yoon).iter().all(|&s| s == 40.0));
}
