//! What is known of a connection: its round-trip times, and what was sent, sent again and dropped between them.
//!
//! Spec      Ghaleb-Seddik (2009), 3.5.2.1: values and times of RTT samples, bytes during each of them
//! Deviates  what was sent before the first sample counts to that: else the total would not be the connection's
//! Holds     - samples come in the order of time, each lasts until the next, and for more than no time
//!           - their bytes add up to what the reader told

use hopwright_machine::{Duration, Time};

/// A round-trip time, and what happened until the next.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Sample {
    /// When it was measured.
    pub at: Time,
    /// How long it was.
    pub rtt: Duration,
    /// Data bytes that left the sender, those sent again included.
    pub sent: u64,
    /// Of these, bytes that had been sent before.
    pub retransmitted: u64,
    /// Data bytes that the network dropped.
    pub dropped: u64,
    /// The rate that the source itself tells, bit/s.
    pub rate_bps: Option<f64>,
}

/// What a source can tell of at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Known {
    /// How many bytes were sent. If not, they are taken to have been sent evenly over time.
    pub sent: bool,
    /// Which were sent again.
    pub retransmitted: bool,
    /// Which were dropped.
    pub dropped: bool,
}

/// A connection as it was recorded.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Trace {
    /// At least one.
    pub samples: Vec<Sample>,
    /// When the last sample's life ends.
    pub end: Time,
    /// What the source tells of.
    pub known: Known,
    /// Which connection it is, in the words of the source.
    pub connection: String,
}

impl Trace {
    /// How long a sample lasted: the time to the next (eq. 3.10).
    #[must_use]
    pub fn lifetime(&self, index: usize) -> Duration {
        let next = self.samples.get(index + 1).map_or(self.end, |next| next.at);
        next.since(self.samples[index].at)
    }

    /// Adds what another source says was dropped, and when.
    pub fn add_drops(&mut self, drops: &[(Time, u64)]) {
        self.known.dropped = true;
        for &(at, bytes) in drops {
            let index = self.samples.partition_point(|sample| sample.at <= at).saturating_sub(1);
            if let Some(sample) = self.samples.get_mut(index) {
                sample.dropped = sample.dropped.saturating_add(bytes);
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum What {
    Sent { bytes: u64, again: u64 },
    Dropped(u64),
    Rtt(Duration),
    Rate(f64),
}

/// Puts a trace together from what happened, in whatever order.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    events: Vec<(Time, What)>,
    end: Option<Time>,
    known: Known,
}

impl Builder {
    /// Of a source that tells of so much.
    #[must_use]
    pub fn new(known: Known) -> Self {
        Self { known, ..Self::default() }
    }

    /// A round-trip time was measured.
    pub fn measured(&mut self, at: Time, rtt: Duration) {
        self.events.push((at, What::Rtt(rtt)));
    }

    /// Data bytes left the sender; `again` of them not for the first time.
    pub fn sent(&mut self, at: Time, bytes: u64, again: u64) {
        self.events.push((at, What::Sent { bytes, again }));
    }

    /// The network dropped data bytes.
    pub fn dropped(&mut self, at: Time, bytes: u64) {
        self.known.dropped = true;
        self.events.push((at, What::Dropped(bytes)));
    }

    /// From now on the connection could send so fast.
    pub fn rate(&mut self, at: Time, bps: f64) {
        self.events.push((at, What::Rate(bps)));
    }

    /// The connection lasted at least until then.
    pub fn lasts_until(&mut self, at: Time) {
        self.end = self.end.max(Some(at));
    }

    /// The trace; `None` if no round-trip time was measured.
    #[must_use]
    pub fn finish(mut self, connection: String) -> Option<Trace> {
        self.events.sort_by_key(|&(at, _)| at);
        let mut samples: Vec<Sample> = Vec::new();
        let mut before = Sample::default(); // what happened before the first sample
        for &(at, what) in &self.events {
            // Of several in one instant the last holds: the others had no life.
            if let (What::Rtt(rtt), Some(last)) = (what, samples.last_mut().filter(|last| last.at == at)) {
                last.rtt = rtt;
                continue;
            }
            let current = samples.last_mut().unwrap_or(&mut before);
            match what {
                What::Sent { bytes, again } => {
                    current.sent = current.sent.saturating_add(bytes);
                    current.retransmitted = current.retransmitted.saturating_add(again);
                }
                What::Dropped(bytes) => current.dropped = current.dropped.saturating_add(bytes),
                What::Rate(bps) => current.rate_bps = Some(bps),
                What::Rtt(rtt) => {
                    let rate_bps = current.rate_bps;
                    samples.push(Sample { at, rtt, rate_bps, ..Sample::default() });
                }
            }
        }
        let end = self.events.last().map(|&(at, _)| at).max(self.end)?;
        finished(samples, before, end, self.known, connection)
    }
}

fn finished(
    mut samples: Vec<Sample>,
    before: Sample,
    mut end: Time,
    known: Known,
    connection: String,
) -> Option<Trace> {
    give(samples.first_mut()?, before);
    let last = samples.len() - 1;
    if samples[last].at >= end {
        if last == 0 {
            end = samples[0].at + Duration::from_secs(1); // nothing says how long: it stays, whatever this is
        } else {
            // Measured when the connection was over: it was never in force.
            let gone = samples.pop()?;
            give(&mut samples[last - 1], gone);
        }
    }
    Some(Trace { samples, end, known, connection })
}

fn give(to: &mut Sample, from: Sample) {
    to.sent = to.sent.saturating_add(from.sent);
    to.retransmitted = to.retransmitted.saturating_add(from.retransmitted);
    to.dropped = to.dropped.saturating_add(from.dropped);
}
