//! Damage to frames that power does not explain: independent of each other, or in bursts.
//!
//! Spec      Gilbert 1960; Elliott 1963 (two states), in continuous time
//! Deviates  states last for exponential times, whether or not frames are sent, instead of so many bits
//! Holds     a link's good and bad times depend on the seed and its two ends alone, not on what is sent

use hopwright_machine::{Duration, NodeId, Purpose, Stream, Time};

/// How often frames are damaged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FrameErrors {
    /// Each on its own.
    Uniform {
        /// Of each frame, 0..=1.
        probability: f64,
    },
    /// In bursts: a link, in each direction, is good and bad in turn.
    GilbertElliott(GilbertElliott),
}

/// A link that is good and bad in turn, each for an exponential time. It is as if that had gone on for ever before the
/// run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GilbertElliott {
    /// How long it is good on average, seconds.
    pub mean_good_s: f64,
    /// How long it is bad on average, seconds.
    pub mean_bad_s: f64,
    /// Probability of damage to a frame that begins in a good time, 0..=1.
    pub good_probability: f64,
    /// The same in a bad time.
    pub bad_probability: f64,
}

/// Whether a link is good or bad, followed through the run.
#[derive(Debug)]
pub struct LinkState {
    stream: Stream,
    is_bad: bool,
    until: Time,
}

impl GilbertElliott {
    /// The link from one node to another at the start of a run.
    #[must_use]
    pub fn start(&self, seed: u64, from: NodeId, to: NodeId) -> LinkState {
        let mut stream = Stream::of_link(seed, from, to, Purpose::LinkState);
        // What is left of an exponential time is exponential, whenever one looks.
        let is_bad = stream.unit() * (self.mean_good_s + self.mean_bad_s) < self.mean_bad_s;
        let mut link = LinkState { stream, is_bad, until: Time::ZERO };
        link.until = Time::ZERO + self.stay(&mut link);
        link
    }

    /// The probability of damage to a frame that begins at `now`. Times never run backwards.
    pub fn probability(&self, link: &mut LinkState, now: Time) -> f64 {
        while link.until <= now {
            link.is_bad = !link.is_bad;
            let lasts = self.stay(link);
            link.until += lasts;
        }
        if link.is_bad { self.bad_probability } else { self.good_probability }
    }

    /// How long the state lasts that the link is in; a nanosecond at least, so that time goes on.
    fn stay(&self, link: &mut LinkState) -> Duration {
        let mean_s = if link.is_bad { self.mean_bad_s } else { self.mean_good_s };
        Duration::from_secs_f64(mean_s * link.stream.exponential()).max(Duration::from_nanos(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BURSTS: GilbertElliott =
        GilbertElliott { mean_good_s: 0.9, mean_bad_s: 0.1, good_probability: 0.0, bad_probability: 1.0 };

    fn states(seed: u64, from: u32, to: u32, times_ns: impl Iterator<Item = u64>) -> Vec<bool> {
        let mut link = BURSTS.start(seed, NodeId(from), NodeId(to));
        times_ns.map(|ns| BURSTS.probability(&mut link, Time::from_nanos(ns)) > 0.5).collect()
    }

    #[test]
    fn the_share_of_bad_times_is_that_of_their_means() {
        // 10,000 looks a second apart: the state's memory, 1/(1/0.9 + 1/0.1) = 0.09 s, is over by then.
        let bad = states(1, 0, 1, (0..10_000).map(|s| s * 1_000_000_000));
        let share = bad.iter().filter(|&&b| b).count() as f64 / 1e4;
        assert!((share - 0.1).abs() < 4.0 * 0.003, "{share}");
        // At the very start as ever: many links, one look.
        let bad = (0..5_000).filter(|&to| states(2, 0, to, std::iter::once(0))[0]).count() as f64 / 5e3;
        assert!((bad - 0.1).abs() < 4.0 * 0.0043, "{bad}");
    }

    /// Whatever the unit of its means: ten minutes good, twenty bad.
    #[test]
    fn a_link_begins_bad_as_often_as_it_is() {
        let rare = GilbertElliott { mean_good_s: 600.0, mean_bad_s: 1200.0, ..BURSTS };
        let begins_bad = |to| {
            let mut link = rare.start(7, NodeId(0), NodeId(to));
            rare.probability(&mut link, Time::ZERO) > 0.5
        };
        let bad = (0..5_000).filter(|&to| begins_bad(to)).count() as f64 / 5e3;
        assert!((bad - 2.0 / 3.0).abs() < 4.0 * 0.0067, "{bad}");
    }

    #[test]
    fn bursts_last_as_long_as_they_should() {
        let bad = states(3, 4, 5, (0..2_000_000).map(|ms| ms * 1_000_000)); // 2000 s
        let bursts = bad.windows(2).filter(|w| !w[0] && w[1]).count() as f64;
        let length_ms = bad.iter().filter(|&&b| b).count() as f64 / bursts;
        // 2000 bursts in 2000 s; means of exponential times have a standard error of a 45th.
        assert!((length_ms - 100.0).abs() < 10.0, "{length_ms} ms");
        assert!((bursts - 2000.0).abs() < 180.0, "{bursts} bursts");
    }

    #[test]
    fn states_do_not_depend_on_when_one_looks_and_differ_by_direction() {
        let often = states(1, 0, 1, (0..1_000_000).step_by(1).map(|n| n * 100_000));
        let rarely = states(1, 0, 1, (0..1_000).map(|n| n * 100_000_000));
        assert!(rarely.iter().enumerate().all(|(n, &bad)| bad == often[1000 * n]));
        assert_ne!(rarely, states(1, 1, 0, (0..1_000).map(|n| n * 100_000_000)));
    }
}
