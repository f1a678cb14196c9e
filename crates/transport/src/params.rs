//! What can be set on a connection, and the one list that names it for scenario files and `protocols --json`.

use core::fmt;

use hopwright_machine::Duration;

/// How the retransmission timer and the delayed acknowledgement see time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum GranularityMode {
    /// A global tick: times are counted in ticks, deadlines fire at the first tick not before them.
    #[default]
    Heartbeat,
    /// No rounding.
    Exact,
    /// ns-2: round-trip times counted in ticks and smoothed in scaled integers; deadlines not rounded.
    Ns2,
}

/// What a sender does that has been silent for longer than one RTO.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum IdleRestart {
    /// Goes on as if nothing had been.
    Off,
    /// Falls back to the initial window (RFC 5681 §4.1).
    #[default]
    InitialWindow,
    /// Falls back to one segment (ns-2's timer keeps running and cuts the window when it finds nothing sent).
    OneSegment,
}

/// When a partial acknowledgement restarts the retransmission timer (RFC 6582 §3.2, step 3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PartialAckTimer {
    /// Only the first one of a recovery: "impatient", many losses end in a time-out and slow start.
    #[default]
    First,
    /// Every one: "slow but steady", one hole is repaired per round trip.
    Every,
}

/// Whether a window is counted in bytes or in whole segments.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Rounding {
    /// Bytes, as the RFCs do.
    #[default]
    Bytes,
    /// The congestion window is a real number of segments, but only its whole part may be used; a threshold
    /// is cut to whole segments when it is set (ns-2).
    WholeSegments,
}

/// What is halved after a loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Halved {
    /// The data in flight (RFC 5681 equation 4).
    #[default]
    Flight,
    /// The smaller of congestion window and offered window (ns-2).
    Window,
}

/// Whose rules of fast recovery apply where the documents leave room.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RecoveryRules {
    /// RFC 5681 and RFC 6582: full acknowledgement ends with a bounded window, no growth on that one.
    #[default]
    Rfc,
    /// ns-2: the halved window stays and grows on the acknowledgement that ends recovery; NewReno sends at
    /// most two segments per duplicate; the first segment of a connection may always be fast-retransmitted.
    Ns2,
}

/// What counts as a duplicate acknowledgement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DuplicateRule {
    /// RFC 5681 §2: among others, the advertised window must not have changed.
    #[default]
    Rfc5681,
    /// Any empty acknowledgement that repeats the number (ns-2 has no window updates).
    AnyRepeat,
}

/// All parameters of a connection. Fields of mechanisms carry the mechanism's name in the list below.
#[derive(Clone, PartialEq, Debug)]
pub struct Params {
    /// Largest payload of a segment.
    pub segment_bytes: u32,
    /// What the receiver offers at most, in segments of `segment_bytes`.
    pub window_limit_segments: u32,
    /// The congestion window after the handshake.
    pub initial_window_segments: u32,
    /// Segments that one event may release; 0: any number.
    pub max_burst_segments: u32,
    /// Duplicate acknowledgements taken for a loss.
    pub dupack_threshold: u32,
    /// Whether the first duplicates release new segments (RFC 3042).
    pub limited_transmit: bool,
    /// Longest delay of a delayed acknowledgement.
    pub delayed_ack: Duration,
    /// Lower bound of the RTO, applied before it is backed off.
    pub min_rto: Duration,
    /// Upper bound of the RTO, backed off or not.
    pub max_rto: Duration,
    /// RTO before the first round-trip time is known.
    pub initial_rto: Duration,
    /// Length of a clock tick.
    pub granularity: Duration,
    /// What the tick does.
    pub granularity_mode: GranularityMode,
    /// Time of the first tick. Hosts that booted at different times tick at different times.
    pub granularity_phase: Duration,
    /// What happens to the window after silence.
    pub idle_restart: IdleRestart,
    /// When partial acknowledgements restart the timer.
    pub partial_ack_timer: PartialAckTimer,
    /// Maximum segment lifetime; TIME-WAIT lasts twice as long (RFC 9293 §3.4.2).
    pub msl: Duration,
    /// The application takes data with `Input::Read`. Without it, what is delivered counts as read (a sink).
    pub explicit_read: bool,

    /// ns-2: SYN and its answer are 40-byte packets without options, segment size and window scale being
    /// agreed out of band; no third segment, it rides on the first data; the answer is sent again only when
    /// the SYN is. Seen in the first four packets of any ns-2 trace with `syn_` true.
    pub plain_handshake: bool,
    /// ns-2: `int(cwnd_)` limits sending, `ssthresh_` is an integer, and both count segments.
    pub rounding: Rounding,
    /// ns-2: what `slowdown()` halves.
    pub halved: Halved,
    /// ns-2: `ssthresh_` starts at the offered window instead of beyond every window (RFC 5681 §3.1).
    pub threshold_starts_at_offer: bool,
    /// ns-2: every expiry halves again, also of the same segment, also of a SYN (RFC 5681 §3.1: the first).
    pub halve_on_every_timeout: bool,
    /// ns-2: fast recovery's entry, deflation, bursts and exit.
    pub recovery_rules: RecoveryRules,
    /// ns-2: duplicates need no unchanged window.
    pub duplicate_rule: DuplicateRule,
    /// ns-2 (`aggressive_maxburst_`): an acknowledgement older than the newest also lets segments out.
    pub old_acks_release: bool,
    /// ns-2: the delaying sink compares with the newest number only, and takes that one for new when it comes
    /// again.
    pub delays_acks_of_repeats: bool,
    /// ns-2: resending a hole on a partial acknowledgement does not stop the timing of a later segment.
    pub partial_ack_keeps_timing: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            segment_bytes: 1460,
            window_limit_segments: 64,
            initial_window_segments: 2,
            max_burst_segments: 3,
            dupack_threshold: 3,
            limited_transmit: false,
            delayed_ack: Duration::from_millis(100),
            min_rto: Duration::from_millis(200),
            max_rto: Duration::from_secs(60),
            initial_rto: Duration::from_secs(1), // RFC 6298 §2.1
            granularity: Duration::from_millis(10),
            granularity_mode: GranularityMode::Heartbeat,
            granularity_phase: Duration::ZERO,
            idle_restart: IdleRestart::InitialWindow,
            partial_ack_timer: PartialAckTimer::First,
            msl: Duration::from_secs(120),
            explicit_read: false,
            plain_handshake: false,
            rounding: Rounding::Bytes,
            halved: Halved::Flight,
            threshold_starts_at_offer: false,
            halve_on_every_timeout: false,
            recovery_rules: RecoveryRules::Rfc,
            duplicate_rule: DuplicateRule::Rfc5681,
            old_acks_release: false,
            delays_acks_of_repeats: false,
            partial_ack_keeps_timing: false,
        }
    }
}

impl Params {
    /// Every switch set to what ns-2.35 does with its own defaults; the rest as in `default`.
    #[must_use]
    pub fn ns2() -> Self {
        Self {
            initial_rto: Duration::from_secs(3), // rtxcur_init_
            granularity_mode: GranularityMode::Ns2,
            idle_restart: IdleRestart::OneSegment,
            plain_handshake: true,
            rounding: Rounding::WholeSegments,
            halved: Halved::Window,
            threshold_starts_at_offer: true,
            halve_on_every_timeout: true,
            recovery_rules: RecoveryRules::Ns2,
            duplicate_rule: DuplicateRule::AnyRepeat,
            old_acks_release: true,
            delays_acks_of_repeats: true,
            partial_ack_keeps_timing: true,
            ..Self::default()
        }
    }

    /// The most the receiver offers, in bytes.
    #[must_use]
    pub const fn window_limit(&self) -> u64 {
        self.window_limit_segments as u64 * self.segment_bytes as u64
    }

    /// Sets a parameter by its name in scenario files.
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), ParamError> {
        let parameter = PARAMETERS.iter().find(|p| p.name == name).ok_or(ParamError::Unknown)?;
        (parameter.set)(self, value)
    }

    /// The value of a parameter by its name in scenario files.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<Value> {
        PARAMETERS.iter().find(|p| p.name == name).map(|p| (p.get)(self))
    }
}

/// A parameter's value as scenario files write it.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A number, in the parameter's unit.
    Number(f64),
    /// True or false.
    Bool(bool),
    /// One of a set of words.
    Word(String),
}

/// Why a parameter could not be set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParamError {
    /// No parameter has this name.
    Unknown,
    /// The value is of the wrong kind; this would be right.
    Expected(String),
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("no such transport parameter"),
            Self::Expected(what) => write!(f, "expected {what}"),
        }
    }
}

impl core::error::Error for ParamError {}

/// A parameter as users see it.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name in scenario files; the unit comes last.
    pub name: &'static str,
    /// Its unit, empty for switches and words.
    pub unit: &'static str,
    /// Who reads it: `engine`, a slot, or one part of a slot as `slot.part`.
    pub used_by: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Reads it.
    pub get: fn(&Params) -> Value,
    /// Sets it, if the value is of the right kind and in range.
    pub set: fn(&mut Params, Value) -> Result<(), ParamError>,
}

impl Parameter {
    /// Its value in `Params::default`.
    #[must_use]
    pub fn default_value(&self) -> Value {
        (self.get)(&Params::default())
    }
}

fn number(value: Value, least: f64, most: f64) -> Result<f64, ParamError> {
    match value {
        Value::Number(n) if n >= least && n <= most => Ok(n),
        _ => Err(ParamError::Expected(format!("a number from {least} to {most}"))),
    }
}

fn whole(value: Value, least: u32, most: u32) -> Result<u32, ParamError> {
    let n = number(value, f64::from(least), f64::from(most))?;
    if n == f64::from(n as u32) { Ok(n as u32) } else { Err(ParamError::Expected("a whole number".into())) }
}

macro_rules! count {
    ($name:literal, $unit:literal, $used_by:literal, $field:ident, $least:literal..=$most:literal, $about:literal) => {
        Parameter {
            name: $name,
            unit: $unit,
            used_by: $used_by,
            about: $about,
            get: |p| Value::Number(f64::from(p.$field)),
            set: |p, v| Ok(p.$field = whole(v, $least, $most)?),
        }
    };
}

macro_rules! time {
    ($name:literal, $unit:literal, $scale:literal, $used_by:literal, $field:ident, $about:literal) => {
        Parameter {
            name: $name,
            unit: $unit,
            used_by: $used_by,
            about: $about,
            get: |p| Value::Number(p.$field.as_secs_f64() / $scale),
            set: |p, v| Ok(p.$field = Duration::from_secs_f64(number(v, 0.0, 1e9)? * $scale)),
        }
    };
}

macro_rules! switch {
    ($name:literal, $used_by:literal, $field:ident, $about:literal) => {
        Parameter {
            name: $name,
            unit: "",
            used_by: $used_by,
            about: $about,
            get: |p| Value::Bool(p.$field),
            set: |p, v| match v {
                Value::Bool(b) => Ok(p.$field = b),
                _ => Err(ParamError::Expected("true or false".into())),
            },
        }
    };
}

macro_rules! word {
    ($name:literal, $used_by:literal, $field:ident, [$($word:literal = $value:expr),+], $about:literal) => {
        Parameter {
            name: $name,
            unit: "",
            used_by: $used_by,
            about: $about,
            get: |p| {
                let word = [$(($word, $value)),+].into_iter().find(|(_, value)| *value == p.$field);
                Value::Word(word.map_or("", |(word, _)| word).into())
            },
            set: |p, v| match v {
                $(Value::Word(w) if w == $word => Ok(p.$field = $value),)+
                _ => Err(ParamError::Expected(["one of", $($word),+].join(" "))),
            },
        }
    };
}

/// Every parameter: the list behind scenario files, `protocols --json` and the documentation.
#[rustfmt::skip]
pub const PARAMETERS: &[Parameter] = &[
    count!("segment_bytes", "bytes", "engine", segment_bytes, 1..=65535, "largest payload of a segment"),
    count!("window_limit_segments", "segments", "offer.free-buffer", window_limit_segments, 1..=65535, "what the receiver offers at most"),
    count!("initial_window_segments", "segments", "startup.slow-start", initial_window_segments, 1..=65535, "congestion window after the handshake"),
    count!("max_burst_segments", "segments", "clocking.self-clocked", max_burst_segments, 0..=65535, "segments one event may release; 0: any number"),
    count!("dupack_threshold", "", "detection.duplicate-acks", dupack_threshold, 1..=65535, "duplicate acknowledgements taken for a loss"),
    switch!("limited_transmit", "detection.duplicate-acks", limited_transmit, "the first duplicates release new segments (RFC 3042)"),
    time!("delayed_ack_ms", "ms", 1e-3, "acking.delayed", delayed_ack, "longest delay of an acknowledgement"),
    time!("min_rto_ms", "ms", 1e-3, "timeout", min_rto, "lower bound of the RTO, before back-off"),
    time!("max_rto_s", "s", 1.0, "timeout", max_rto, "upper bound of the RTO"),
    time!("initial_rto_ms", "ms", 1e-3, "timeout", initial_rto, "RTO before the first measurement"),
    time!("granularity_ms", "ms", 1e-3, "timeout", granularity, "length of a clock tick"),
    word!("granularity_mode", "timeout", granularity_mode, ["heartbeat" = GranularityMode::Heartbeat, "exact" = GranularityMode::Exact, "ns2" = GranularityMode::Ns2], "what the clock tick does"),
    time!("granularity_phase_ms", "ms", 1e-3, "timeout", granularity_phase, "time of the first tick"),
    word!("idle_restart", "engine", idle_restart, ["off" = IdleRestart::Off, "initial-window" = IdleRestart::InitialWindow, "one-segment" = IdleRestart::OneSegment], "the window after an RTO of silence"),
    word!("partial_ack_timer", "recovery.partial-acks", partial_ack_timer, ["first" = PartialAckTimer::First, "every" = PartialAckTimer::Every], "partial acknowledgements that restart the timer"),
    time!("msl_s", "s", 1.0, "engine", msl, "maximum segment lifetime; TIME-WAIT lasts twice as long"),
    switch!("explicit_read", "engine", explicit_read, "the application takes data itself; otherwise it is a sink"),
    switch!("plain_handshake", "engine", plain_handshake, "ns-2: no options, no third segment"),
    word!("rounding", "control.window", rounding, ["bytes" = Rounding::Bytes, "whole-segments" = Rounding::WholeSegments], "ns-2: windows in whole segments"),
    word!("halved", "response", halved, ["flight" = Halved::Flight, "window" = Halved::Window], "what is halved after a loss"),
    switch!("threshold_starts_at_offer", "engine", threshold_starts_at_offer, "ns-2: ssthresh starts at the offered window"),
    switch!("halve_on_every_timeout", "response", halve_on_every_timeout, "ns-2: repeated time-outs halve again"),
    word!("recovery_rules", "recovery", recovery_rules, ["rfc" = RecoveryRules::Rfc, "ns2" = RecoveryRules::Ns2], "whose rules of fast recovery"),
    word!("duplicate_rule", "engine", duplicate_rule, ["rfc5681" = DuplicateRule::Rfc5681, "any-repeat" = DuplicateRule::AnyRepeat], "what counts as a duplicate acknowledgement"),
    switch!("old_acks_release", "engine", old_acks_release, "ns-2: old acknowledgements let segments out"),
    switch!("delays_acks_of_repeats", "acking.delayed", delays_acks_of_repeats, "ns-2: a repeated newest segment is taken for new"),
    switch!("partial_ack_keeps_timing", "engine", partial_ack_keeps_timing, "ns-2: partial acknowledgements leave the timing of a later segment alone"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_reads_back_what_was_set() {
        for (i, parameter) in PARAMETERS.iter().enumerate() {
            let mut params = Params::ns2();
            let default = parameter.default_value();
            assert_eq!(params.set(parameter.name, default.clone()), Ok(()), "{}", parameter.name);
            assert_eq!(params.value(parameter.name), Some(default), "{}", parameter.name);
            assert!(PARAMETERS[..i].iter().all(|other| other.name != parameter.name), "{} twice", parameter.name);
        }
    }

    #[test]
    fn the_list_reaches_every_field_that_ns2_switches() {
        let mut params = Params::ns2();
        for parameter in PARAMETERS {
            params.set(parameter.name, parameter.default_value()).unwrap();
        }
        assert_eq!(params, Params::default());
    }

    #[test]
    fn wrong_values_are_refused_and_change_nothing() {
        let mut params = Params::default();
        assert_eq!(params.set("segment_byte", Value::Number(1.0)), Err(ParamError::Unknown));
        assert!(params.set("segment_bytes", Value::Number(0.0)).is_err());
        assert!(params.set("segment_bytes", Value::Number(1.5)).is_err());
        assert!(params.set("segment_bytes", Value::Bool(true)).is_err());
        assert!(params.set("limited_transmit", Value::Number(1.0)).is_err());
        let error = params.set("granularity_mode", Value::Word("coarse".into())).unwrap_err();
        assert_eq!(error.to_string(), "expected one of heartbeat exact ns2");
        assert_eq!(params, Params::default());
    }
}
