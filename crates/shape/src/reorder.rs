//! Packets that go ahead of those that are on their way.
//!
//! Spec      netem's `reorder PERCENT CORRELATION gap N` (tc-netem(8)): at least N - 1 packets are delayed; then each is sent
//!           at once with that probability, until one is. So of all packets a share of 1 / (N - 1 + 1/P) goes ahead
//! Deviates  netem's correlated numbers are a mean of the last and a new one, so that its share is not the one stated.
//!           Here the outcome is that of the time before with the correlation as probability, else drawn anew (Jacobs
//!           and Lewis 1978, DAR(1)): the share stays, and the correlation of outcomes is the one stated

use hopwright_machine::Stream;

/// How often a packet goes ahead.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Reordering {
    /// The probability, where it may.
    pub share: f64,
    /// One of so many packets at most; 0 is as 1.
    pub gap: u32,
    /// The correlation of one outcome with the one before, 0 to below 1.
    pub correlation: f64,
}

impl Reordering {
    /// The share of all packets that go ahead.
    #[must_use]
    pub fn of_all(&self) -> f64 {
        if self.share == 0.0 { 0.0 } else { 1.0 / (f64::from(self.gap.max(1) - 1) + 1.0 / self.share) }
    }
}

/// Packets as they go by.
#[derive(Debug)]
pub(crate) struct Order {
    reordering: Reordering,
    stream: Stream,
    /// Packets delayed since one went ahead.
    delayed: u32,
    last: Option<bool>,
}

impl Order {
    pub(crate) const fn new(reordering: Reordering, stream: Stream) -> Self {
        Self { reordering, stream, delayed: 0, last: None }
    }

    pub(crate) const fn set(&mut self, reordering: Reordering) {
        self.reordering = reordering;
    }

    /// Whether the packet that goes by goes ahead.
    pub(crate) fn goes_ahead(&mut self) -> bool {
        let Reordering { share, gap, correlation } = self.reordering;
        if share == 0.0 {
            return false;
        }
        let goes = self.delayed >= gap.saturating_sub(1) && self.outcome(share, correlation);
        self.delayed = if goes { 0 } else { self.delayed.saturating_add(1) };
        goes
    }

    fn outcome(&mut self, share: f64, correlation: f64) -> bool {
        let outcome = match self.last {
            Some(last) if correlation > 0.0 && self.stream.unit() < correlation => last,
            _ => self.stream.unit() < share,
        };
        self.last = Some(outcome);
        outcome
    }
}
