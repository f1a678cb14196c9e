//! Statistics of a link against closed forms: which packets are lost, how long they take, which go ahead, which come twice.
//!
//! All with fixed seeds; bounds are of three standard errors, or of the 1 % level where a test has a name.

use hopwright_machine::{Duration, Time};
use hopwright_shape::{Config, GilbertElliott, Jitter, JitterLaw, Loss, LossRecord, Per, Reordering, Why};

mod common;
use common::{Fates, at, ms, play};

const PACKETS: u32 = 100_000;

/// So many packets, so far apart that none meets another.
fn apart(config: Config, seed: u64) -> Fates {
    let offers: Vec<_> = (0..PACKETS).map(|n| (at(u64::from(n) * 1_000), 1500)).collect();
    play(config, seed, &offers)
}

/// How long each packet took, s, and whether it was lost, in the order in which they were offered.
fn ways(config: Config, seed: u64) -> Vec<(f64, bool)> {
    let mut fates = apart(config, seed);
    fates.sort_by_key(|(_, packet, _)| *packet);
    fates.iter().map(|(at, n, gone)| (at.as_secs_f64() - f64::from(*n), *gone == Some(Why::Lost))).collect()
}

/// A count of so many independent trials is within three standard deviations of what is expected.
fn assert_share(count: usize, of: usize, probability: f64) {
    let (n, sd) = (of as f64, (of as f64 * probability * (1.0 - probability)).sqrt());
    assert!((count as f64 - n * probability).abs() < 3.0 * sd, "{count} of {of}, {probability} expected");
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / values.count() as f64
}

/// The correlation of values so far apart.
fn autocorrelation(values: &[f64], lag: usize) -> f64 {
    let mean = mean(values.iter().copied());
    let covariance: f64 = values.windows(lag + 1).map(|w| (w[0] - mean) * (w[lag] - mean)).sum();
    covariance / values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>()
}

/// Gilbert 1960, Elliott 1963: what is lost in the long run, and of runs of losses the mean length: P(L) / P(L, then not L).
#[test]
fn states_lose_what_their_closed_form_says() {
    for (begins, ends, good, bad) in
        [(0.02, 0.25, 0.0, 1.0), (0.01, 0.1, 0.001, 0.4), (0.3, 0.5, 0.05, 0.9), (0.05, 0.05, 0.0, 0.5)]
    {
        let states = GilbertElliott { begins, ends, good, bad, bad_delay: Duration::ZERO };
        let is_bad = begins / (begins + ends);
        let share = is_bad * bad + (1.0 - is_bad) * good;
        assert!((Loss::States(states).share() - share).abs() < 1e-12);
        let after_bad = (1.0 - ends) * bad + ends * good;
        let after_good = begins * bad + (1.0 - begins) * good;
        let both = is_bad * bad * after_bad + (1.0 - is_bad) * good * after_good;
        let run = share / (share - both);

        let lost: Vec<bool> =
            ways(Config { loss: Loss::States(states), ..Config::default() }, 1).iter().map(|w| w.1).collect();
        let count = lost.iter().filter(|&&lost| lost).count() as f64;
        let runs = lost.windows(2).filter(|pair| !pair[0] && pair[1]).count() as f64;
        // The state is remembered for 1 / (p + r) packets: so many count as one.
        let memory = (2.0 - begins - ends) / (begins + ends);
        let sd = (share * (1.0 - share) + is_bad * (1.0 - is_bad) * (bad - good) * (bad - good) * memory).sqrt();
        let off = count / f64::from(PACKETS) - share;
        assert!(off.abs() < 3.0 * sd / f64::from(PACKETS).sqrt(), "{share}: {count} of {PACKETS}");
        // Lengths of runs are close to geometric: their deviation is about their mean.
        assert!((count / runs / run - 1.0).abs() < 3.0 / runs.sqrt(), "{} of {run} in a row", count / runs);
    }
}

#[test]
fn a_bad_state_delays() {
    let (begins, ends, good, bad) = (0.02, 0.1, 0.01, 0.3);
    let states = GilbertElliott { begins, ends, good, bad, bad_delay: ms(40) };
    let ways = ways(Config { delay: ms(10), loss: Loss::States(states), ..Config::default() }, 2);
    let slow: Vec<_> = ways.iter().filter(|(s, _)| *s > 0.03).collect();
    assert!(ways.iter().all(|(s, _)| (s - 0.01).abs() < 1e-6 || (s - 0.05).abs() < 1e-6));
    assert_share(slow.iter().filter(|way| way.1).count(), slow.len(), bad);
    let quick = ways.len() - slow.len();
    assert_share(ways.iter().filter(|(s, lost)| *s < 0.03 && *lost).count(), quick, good);
}

#[test]
fn a_record_is_lost_as_it_was() {
    let record = LossRecord::read("0010 1").unwrap();
    let lost: Vec<bool> =
        ways(Config { loss: Loss::Recorded(record.into()), ..Config::default() }, 1).iter().map(|way| way.1).collect();
    assert!(lost.iter().enumerate().all(|(n, lost)| *lost == matches!(n % 5, 2 | 4)));
}

/// Kolmogorov and Smirnov: whatever the correlation, delays follow the stated law. Of an autoregressive series one in as
/// many is looked at as makes the correlation of neighbours less than a thousandth.
#[test]
fn correlated_jitter_has_its_law_and_its_correlation() {
    for (law, share) in [(JitterLaw::Uniform, 0.5), (JitterLaw::Normal, 0.1)] {
        for correlation in [0.0, 0.25, 0.9] {
            let jitter = Jitter { share, law, reorders: true, correlation };
            let values: Vec<f64> = ways(Config { delay: ms(100), jitter, ..Config::default() }, 3)
                .iter()
                .map(|(s, _)| (s / 0.1 - 1.0) / share)
                .collect();
            let step = if correlation == 0.0 { 1 } else { (0.001_f64.log2() / f64::log2(correlation)).ceil() as usize };
            let mut sample: Vec<f64> = values.iter().copied().step_by(step).collect();
            sample.sort_by(f64::total_cmp);
            let n = sample.len() as f64;
            let below = |x: f64| match law {
                JitterLaw::Uniform => f64::midpoint(x, 1.0).clamp(0.0, 1.0),
                JitterLaw::Normal => 0.5 * libm::erfc(-x / core::f64::consts::SQRT_2),
            };
            let distance = sample.iter().enumerate().map(|(k, x)| {
                let f = below(*x);
                (f - k as f64 / n).max((k + 1) as f64 / n - f)
            });
            let most = distance.fold(0.0, f64::max) * n.sqrt();
            assert!(most < 1.628, "{law:?}, {correlation}: {most}"); // the 1 % level
            let latent = match law {
                JitterLaw::Uniform => 2.0 * libm::sin(core::f64::consts::PI * correlation / 6.0),
                JitterLaw::Normal => correlation,
            };
            let mut power = 1.0;
            for lag in 1..=5 {
                power *= latent;
                let expected = match law {
                    JitterLaw::Uniform => 6.0 / core::f64::consts::PI * libm::asin(power / 2.0),
                    JitterLaw::Normal => power,
                };
                // Bartlett: at most sqrt((1 + r²) / (1 - r²) / n).
                let sd =
                    ((1.0 + correlation * correlation) / (1.0 - correlation * correlation) / f64::from(PACKETS)).sqrt();
                let found = autocorrelation(&values, lag);
                assert!((found - expected).abs() < 3.0 * sd, "{law:?}, lag {lag}: {found} for {expected}");
                assert!(lag > 1 || (expected - correlation).abs() < 1e-12);
            }
        }
    }
}

/// The share lost stays, and what is lost has taken longer: E(z | lost) = c phi(q) / p, q the quantile of the share.
#[test]
fn losses_go_with_the_delay() {
    let (share, probability) = (0.1, 0.05);
    let (quantile, density) = (1.644_853_626_951_472_2, 0.103_135_637_037_852_97); // of 95 %
    for (correlation, of_jitter) in [(0.8, 0.0), (0.8, 0.7), (-0.5, 0.7), (1.0, 0.0)] {
        let jitter = Jitter { share, law: JitterLaw::Normal, reorders: true, correlation: of_jitter };
        let loss = Loss::Each { probability, per: Per::Packet, delay_correlation: correlation };
        let ways = ways(Config { delay: ms(100), jitter, loss, ..Config::default() }, 4);
        let lost: Vec<f64> = ways.iter().filter(|way| way.1).map(|(s, _)| (s / 0.1 - 1.0) / share).collect();
        // Neighbours that are alike count for less: of the latent series' correlations at most (1 + r) / (1 - r).
        let inflation = (1.0 + of_jitter * correlation * correlation) / (1.0 - of_jitter * correlation * correlation);
        let sd = (probability * (1.0 - probability) * inflation / f64::from(PACKETS)).sqrt();
        let off = lost.len() as f64 / f64::from(PACKETS) - probability;
        assert!(off.abs() < 3.0 * sd, "{correlation}: {} lost", lost.len());
        // Of a normal distribution above its quantile: the mean m, and the variance 1 - m (m - q).
        let m = density / probability;
        let expected = correlation * m;
        let variance = 1.0 - correlation * correlation * m * (m - quantile);
        let sd = (variance * inflation / lost.len() as f64).sqrt();
        let found = mean(lost.iter().copied());
        assert!((found - expected).abs() < 3.0 * sd, "{correlation}: {found} for {expected} ± {sd}");
    }
    // Without a correlation a loss says nothing of the delay.
    let jitter = Jitter { share, law: JitterLaw::Normal, reorders: true, correlation: 0.7 };
    let ways = ways(Config { delay: ms(100), jitter, loss: Loss::each(probability), ..Config::default() }, 4);
    let lost: Vec<f64> = ways.iter().filter(|way| way.1).map(|(s, _)| (s / 0.1 - 1.0) / share).collect();
    assert!(mean(lost.iter().copied()).abs() < 3.0 / (lost.len() as f64).sqrt());
    assert_share(lost.len(), ways.len(), probability);
}

/// tc-netem(8): with a gap of N and a probability of P, one packet of N - 1 + 1/P goes ahead.
#[test]
fn a_share_of_packets_goes_ahead() {
    for (share, gap, correlation) in [(0.25, 1, 0.0), (0.25, 0, 0.5), (0.5, 5, 0.0), (1.0, 5, 0.0), (0.02, 10, 0.0)] {
        let reordering = Reordering { share, gap, correlation };
        let config = Config { delay: ms(50), reordering, ..Config::default() };
        let offers: Vec<_> = (0..PACKETS).map(|n| (at(u64::from(n) * 10), 1500)).collect();
        let fates = play(config, 5, &offers);
        let ahead: Vec<bool> = {
            let mut of = vec![false; PACKETS as usize];
            fates.iter().for_each(|(now, n, _)| of[*n as usize] = *now == offers[*n as usize].0);
            of
        };
        let count = ahead.iter().filter(|&&is| is).count();
        // All others take the delay, and keep their order.
        assert!(fates.iter().all(|(now, n, _)| ahead[*n as usize] || now.since(offers[*n as usize].0) == ms(50)));
        assert!(fates.iter().map(|fate| fate.1).filter(|n| !ahead[*n as usize]).is_sorted());
        let expected = reordering.of_all();
        let memory = (1.0 + correlation) / (1.0 - correlation);
        // Of cycles with a geometric part the count varies less than if each were by itself.
        let sd = (expected * (1.0 - expected) * memory / f64::from(PACKETS)).sqrt();
        assert!((count as f64 / f64::from(PACKETS) - expected).abs() < 3.0 * sd, "{share} {gap}: {count}");
        if gap > 1 {
            let places: Vec<usize> = ahead.iter().enumerate().filter(|(_, is)| **is).map(|(n, _)| n).collect();
            assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= gap as usize));
        } else {
            let values: Vec<f64> = ahead.iter().map(|&is| f64::from(u8::from(is))).collect();
            let found = autocorrelation(&values, 1);
            assert!((found - correlation).abs() < 3.0 / f64::from(PACKETS).sqrt(), "{found}");
        }
    }
}

#[test]
fn a_share_of_what_arrives_comes_twice() {
    let config = Config { delay: ms(5), copies: 0.1, loss: Loss::each(0.2), ..Config::default() };
    let fates = apart(config, 6);
    let twice = fates.windows(2).filter(|pair| pair[0] == pair[1]).count();
    let arrived = fates.iter().filter(|(.., gone)| gone.is_none()).count() - twice;
    assert_share(twice, arrived, 0.1);
    assert_share(arrived, PACKETS as usize, 0.8);
    assert_eq!(fates.len() - twice, PACKETS as usize);
}

/// What is new draws from streams of its own: a packet's loss and delay are the same with it.
#[test]
fn copies_and_packets_that_go_ahead_change_no_other() {
    let jitter = Jitter { share: 0.4, reorders: true, ..Jitter::default() };
    let plain = Config { delay: ms(50), jitter, loss: Loss::each(0.1), ..Config::default() };
    let more = Config { copies: 0.3, reordering: Reordering { share: 0.3, ..Reordering::default() }, ..plain.clone() };
    let (before, mut after) = (ways(plain, 7), apart(more, 7));
    after.sort_by_key(|(_, packet, _)| *packet);
    after.dedup();
    let is_same = |(fate, way): (&(Time, u32, Option<Why>), &(f64, bool))| {
        let took_s = fate.0.as_secs_f64() - f64::from(fate.1);
        (fate.2 == Some(Why::Lost)) == way.1 && (took_s < 1e-9 || (took_s - way.0).abs() < 1e-6)
    };
    assert!(after.iter().zip(&before).all(is_same));
}
