//! What can be set on both ends of ATP.

use hopwright_machine::Duration;

/// The parameters of both ends. The papers' values of `phi`, `k`, `receiver_weight`, `sack_blocks` and of all epochs are
/// unverified.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Data in a full segment, bytes, 1 to 65 477: with both headers an IP packet's length must suffice.
    pub segment_bytes: u32,
    /// Segments that may be under way: so many the receiver has room for beyond what it has handed over. At least what the
    /// fastest way carries in some epochs, since what is lost is found missing no sooner. 1 to 65 535.
    pub window_segments: u16,
    /// How often the receiver tells, how long the sender waits for that, and the time between probes. From a millisecond on.
    pub epoch: Duration,
    /// By which share the told rate must be above the sender's before that rises. 0 or more.
    pub phi: f64,
    /// One part of so many of the difference by which it rises then. 1 or more.
    pub k: f64,
    /// The share of the former average in the receiver's new one of the delays that segments bring. 0 to below 1.
    pub receiver_weight: f64,
    /// Blocks of data beyond the first gap that feedback has at most. 0 to 255.
    pub sack_blocks: u32,
    /// After so many epochs without feedback the rate is halved. 1 or more.
    pub halve_epochs: u32,
    /// After so many, data stop and probes begin. 1 or more.
    pub probe_epochs: u32,
    /// Bytes that fill a probe up, 0 to 65 477. The papers' probes carry nothing, so that a station to which nothing else
    /// has come writes the time that a short packet takes, and the first rate is too high for long ones.
    pub probe_fill_bytes: u32,
    /// By which share the average must have changed since it was told for the receiver to tell it before the epoch is over;
    /// 0: it never does.
    pub early_change: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            segment_bytes: 1460,
            window_segments: 8192,
            epoch: Duration::from_secs(1),
            phi: 0.25,
            k: 5.0,
            receiver_weight: 0.85,
            sack_blocks: 20,
            halve_epochs: 2,
            probe_epochs: 3,
            probe_fill_bytes: 0,
            early_change: 0.0,
        }
    }
}

impl Params {
    /// Bytes that may be under way.
    #[must_use]
    pub const fn window_bytes(&self) -> u64 {
        self.window_segments as u64 * self.segment_bytes as u64
    }
}
