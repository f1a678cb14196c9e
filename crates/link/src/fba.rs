//! The fair back-off algorithm: contention windows by stages, in place of binary exponential back-off.
//!
//! Whoever has just had the channel waits for longer and longer, whoever has just lost it for less, and in between all
//! wait from the same wide window, whatever they were before.
//!
//! Spec      Hamadani and Rakocevic, §IV b: equations 6 and 7, the three stages; figure 8, which shows them, is lost
//! Deviates  decided here: Normal -success-> Restrictive, Normal -failure-> Greedy, Restrictive -failure-> Normal,
//!           Greedy -success-> Normal, which is what the text says of each stage; the paper's two thresholds of the
//!           queue stand in the other order, or equation 7 would make no sense; windows end at CWmax. A frame for
//!           everyone, which nobody answers, is neither success nor failure. What counts as a failed try beside an
//!           exchange that fails, the paper leaves open: `LostRace`. A race is lost only if the other begins once the
//!           interframe space (DIFS, or EIFS) has passed, when counters run; the paper knows no such limit: a station
//!           fails that is "unsuccessful after choosing its initial back off". One that found the medium idle and waits
//!           for that space alone has no counter, and loses no race. Whether stage and counts outlast an empty buffer, and
//!           whether the packet that is to be sent next counts as buffered, the paper does not say outright: `Emptied`,
//!           `Buffered`. It has the normal stage entered when the station "firstly has data to send in its buffer and
//!           secondly" has made up for a failure or a success, both at once: that a packet comes does not end a stage. And a
//!           packet stays "at the beginning of buffer" until it leaves for transmission (§IV a)
//! Holds     - never both successes and failures in a row; a window is never below CWmin, nor above CWmax
//!           - a station in the greedy stage has failed since it last succeeded, one in the restrictive stage has not

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How stages make windows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// The tradeoff coefficient: the window of the normal stage, in CWmin. Paper: 10.
    pub tradeoff: u32,
    /// Up to this part of the queue's limit the buffer coefficient is 0. Paper: 0.2.
    pub min_threshold: f64,
    /// From this part on it is 1. Paper: 0.8. Above `min_threshold`.
    pub max_threshold: f64,
    /// What it is to a station that somebody else was faster.
    pub lost_race: LostRace,
    /// What becomes of stage and counts when there is nothing to send.
    pub emptied: Emptied,
    /// Which packets count for equation 7.
    pub buffered: Buffered,
}

/// With fair back-off: what it is to a station with a packet that another takes the channel before its counter has run
/// out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LostRace {
    /// A failed try. The station draws again, from the window of its new stage.
    Redraw,
    /// A failed try, but the station keeps the rest of its counter.
    // Only its next draw is from the new window.
    KeepCounter,
    /// Nothing: only an exchange can fail.
    Ignore,
}

/// With fair back-off: what happens to the stage and the counts of a station that had nothing to send and gets a
/// packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Emptied {
    /// They stay: successes count as successes in a row, however much time is between them.
    Keep,
    /// The station starts again in the normal stage, with no success and no failure.
    Restart,
}

/// With fair back-off: which packets count as being in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Buffered {
    /// All packets of the station, also the packet that it sends next or tries to send.
    All,
    /// Only the packets that wait behind the packet that the station sends next or tries to send.
    Waiting,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            tradeoff: 10,
            min_threshold: 0.2,
            max_threshold: 0.8,
            lost_race: LostRace::Redraw,
            emptied: Emptied::Keep,
            buffered: Buffered::All,
        }
    }
}

/// How a station fares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Stage {
    /// It has made up for a success or a failure, or has done nothing yet.
    #[default]
    Normal,
    /// It has had the channel: it leaves others room.
    Restrictive,
    /// It has not got the channel: it tries harder.
    Greedy,
}

/// The stage of one station, and how it came there.
#[derive(Clone, Debug)]
pub(crate) struct Fba {
    config: Config,
    stage: Stage,
    /// In a row. One of them is zero.
    successes: u32,
    failures: u32,
}

impl Fba {
    pub(crate) const fn new(config: Config) -> Self {
        Self { config, stage: Stage::Normal, successes: 0, failures: 0 }
    }

    pub(crate) const fn stage(&self) -> Stage {
        self.stage
    }

    pub(crate) const fn lost_race(&self) -> LostRace {
        self.config.lost_race
    }

    /// The station had the channel, and its exchange ended well.
    pub(crate) fn succeeded(&mut self) {
        self.failures = 0;
        self.successes = self.successes.saturating_add(1);
        self.stage = match self.stage {
            Stage::Normal | Stage::Restrictive => Stage::Restrictive,
            Stage::Greedy => Stage::Normal,
        };
    }

    /// A try failed.
    pub(crate) fn failed(&mut self) {
        self.successes = 0;
        self.failures = self.failures.saturating_add(1);
        self.stage = match self.stage {
            Stage::Normal | Stage::Greedy => Stage::Greedy,
            Stage::Restrictive => Stage::Normal,
        };
    }

    /// A packet has come that is the only one.
    pub(crate) fn filled(&mut self) {
        if self.config.emptied == Emptied::Restart {
            *self = Self::new(self.config);
        }
    }

    /// The contention window with so many packets in the station, queued or in service, and a queue for `limit` of them
    /// (equation 6).
    pub(crate) fn window(&self, (cw_min, cw_max): (u32, u32), held: usize, limit: usize) -> u32 {
        let least = f64::from(cw_min);
        let window = match self.stage {
            Stage::Normal => least * f64::from(self.config.tradeoff),
            Stage::Restrictive => least * (1.0 + f64::from(self.successes) * (1.0 - self.buffer(held, limit))),
            Stage::Greedy => least * f64::from(self.failures),
        };
        (window as u32).clamp(cw_min, cw_max)
    }

    /// The buffer coefficient (equation 7).
    fn buffer(&self, held: usize, limit: usize) -> f64 {
        let (low, high) = (self.config.min_threshold, self.config.max_threshold);
        let buffered = match self.config.buffered {
            Buffered::All => held,
            Buffered::Waiting => held.saturating_sub(1),
        };
        let part = buffered as f64 / limit.max(1) as f64;
        ((part - low) / (high - low)).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DSSS: (u32, u32) = (31, 1023);

    fn after(tries: &str) -> Fba {
        let mut fba = Fba::new(Config::default());
        for letter in tries.chars() {
            if letter == '+' { fba.succeeded() } else { fba.failed() }
        }
        fba
    }

    #[test]
    fn stages_are_entered_and_left_as_the_paper_says() {
        use Stage::{Greedy, Normal, Restrictive};
        let cases = [("", Normal), ("+", Restrictive), ("++", Restrictive), ("-", Greedy), ("--", Greedy)];
        let back = [("+-", Normal), ("-+", Normal), ("+--", Greedy), ("-++", Restrictive), ("++-+", Restrictive)];
        for (tries, stage) in cases.into_iter().chain(back) {
            assert_eq!(after(tries).stage(), stage, "{tries}");
        }
    }

    #[test]
    fn windows_of_equation_6() {
        let window = |tries: &str, queued| after(tries).window(DSSS, queued, 20);
        assert_eq!(window("", 0), 310);
        assert_eq!(window("", 20), 310, "the queue matters in the restrictive stage alone");
        // One success is left behind by the way from the greedy stage to the normal one.
        assert_eq!(window("-+", 0), 310);
        assert_eq!((window("+", 4), window("+", 10), window("+", 16)), (62, 46, 31));
        assert_eq!((window("+++", 0), window("+++", 20)), (124, 31));
        assert_eq!((window("-", 0), window("----", 0)), (31, 124));
        assert_eq!(window(&"-".repeat(40), 0), 1023);
        assert_eq!(window(&"+".repeat(40), 0), 1023);
        // A queue for one packet is full with one; one for none counts as for one.
        assert_eq!((after("+").window(DSSS, 1, 1), after("+").window(DSSS, 1, 0)), (31, 31));
    }

    #[test]
    fn what_is_sent_next_is_buffered_or_not() {
        let windows = |buffered| {
            let fba = Fba { config: Config { buffered, ..Config::default() }, ..after("+") };
            [0, 1, 4, 5, 10, 11, 16, 17, 21].map(|held| fba.window(DSSS, held, 20))
        };
        assert_eq!(windows(Buffered::All), [62, 62, 62, 59, 46, 43, 31, 31, 31]);
        assert_eq!(windows(Buffered::Waiting), [62, 62, 62, 62, 49, 46, 33, 31, 31]);
    }

    #[test]
    fn a_buffer_that_was_empty_ends_a_stage_or_does_not() {
        for (tries, kept) in [("+++", Stage::Restrictive), ("---", Stage::Greedy), ("+-", Stage::Normal)] {
            let mut fba = after(tries);
            fba.filled();
            assert_eq!((fba.stage(), fba.window(DSSS, 1, 20)), (kept, after(tries).window(DSSS, 1, 20)), "{tries}");
            fba.config.emptied = Emptied::Restart;
            fba.filled();
            assert_eq!((fba.stage(), fba.successes, fba.failures), (Stage::Normal, 0, 0), "{tries}");
        }
    }

    proptest! {
        #[test]
        fn windows_and_counts_keep_within_bounds(tries in "[+-]{0,60}", queued in 0usize..60, limit in 0usize..50) {
            let fba = after(&tries);
            prop_assert!((31..=1023).contains(&fba.window(DSSS, queued, limit)));
            prop_assert!(fba.successes == 0 || fba.failures == 0);
            match fba.stage() {
                Stage::Greedy => prop_assert!(fba.failures > 0),
                Stage::Restrictive => prop_assert!(fba.successes > 0),
                Stage::Normal => {}
            }
            // A fuller queue never waits longer.
            prop_assert!(fba.window(DSSS, queued + 1, limit) <= fba.window(DSSS, queued, limit));
        }
    }
}
