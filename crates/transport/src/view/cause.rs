//! What a loss is put down to.

/// Why a segment is missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// A queue was full.
    Congestion,
    /// The channel damaged it.
    Channel,
    /// The medium was contended for too long.
    Contention,
    /// The route broke.
    Route,
}

impl Cause {
    /// All causes, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Congestion, Self::Channel, Self::Contention, Self::Route];

    /// The name used in results and scenario files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Congestion => "congestion",
            Self::Channel => "channel",
            Self::Contention => "contention",
            Self::Route => "route",
        }
    }
}
