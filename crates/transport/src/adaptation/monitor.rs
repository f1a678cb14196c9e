//! What can be measured of a path.

/// What a condition asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Monitor {
    /// Per cent of the last `loss_window` segments that were found missing, spurious findings given back.
    Loss,
    /// Half of the shortest round trip of the last ten seconds, ms.
    Delay,
    /// The most of the last eight windows of a round trip (eight segments at least): what was acknowledged, with
    /// headers, kb/s.
    Bandwidth,
    /// How long a period of the bandwidth's ups and downs takes, per cent of the delay; infinite if it was steady for
    /// ten seconds.
    Fluctuation,
    /// Mean change from one round trip to the next, or from one segment's way to the next's (RFC 3550 §6.4.1's filter),
    /// per cent of the delay.
    Jitter,
    /// The number of the network that the link below uses, which the driver tells (`NetworkSignal::Interface`): 0 until it does.
    Interface,
}

impl Monitor {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Loss, Self::Delay, Self::Bandwidth, Self::Fluctuation, Self::Jitter, Self::Interface];

    /// Its name in scenario files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::Delay => "delay",
            Self::Bandwidth => "bandwidth",
            Self::Fluctuation => "fluctuation",
            Self::Jitter => "jitter",
            Self::Interface => "interface",
        }
    }

    /// Its unit.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Loss => "%",
            Self::Delay => "ms",
            Self::Bandwidth => "kb/s",
            Self::Fluctuation | Self::Jitter => "% of the delay",
            Self::Interface => "",
        }
    }
}
