//! How a table of triggers is served.

use hopwright_machine::Duration;

/// Where values come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Source {
    /// The connection measures them.
    #[default]
    Measured,
    /// The driver tells them (`NetworkSignal::Path`): what adapting is worth, apart from how well is measured.
    Told,
}

/// Whose changes the monitor of jitter goes by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum JitterOf {
    /// Round trips': both ways together, to the nanosecond.
    #[default]
    RoundTrips,
    /// The data's own way, by both ends' timestamps: to a tick of theirs, 1 ms.
    OneWay,
}

/// How a table is served.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// The least time between two changes of a slot; `None`: ten round trips, a second at least.
    pub hold: Option<Duration>,
    /// The least time between two looks at the values.
    pub period: Duration,
    /// Segments over which loss is counted.
    pub loss_window: u32,
    /// Whether what slow start sends, and what is lost of it, does not count.
    pub loss_skips_slow_start: bool,
    /// Whose changes jitter is.
    pub jitter_of: JitterOf,
    /// Where values come from.
    pub source: Source,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            hold: None,
            period: Duration::from_millis(100),
            loss_window: 500,
            loss_skips_slow_start: false,
            jitter_of: JitterOf::default(),
            source: Source::Measured,
        }
    }
}
