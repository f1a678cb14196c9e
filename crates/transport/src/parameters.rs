//! The parameters by name: one list behind scenario files, `protocols --json` and the documentation.

use std::sync::LazyLock;

use hopwright_machine::Duration;

use crate::mechanisms::{self, Reader, Recipe};
use crate::params::{
    DuplicateRule, EcnMode, GranularityMode, Halved, IdleRestart, Knob, ParamError, Params, PartialAckTimer, Place,
    RecoveryRules, Rounding, Value, WindowValidation,
};
use crate::refused::Refused;
use crate::table::Table;
use crate::whole::WHOLE;

/// A parameter as users see it.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name in scenario files; the unit comes last.
    pub name: &'static str,
    /// Its unit, empty for switches and words.
    pub unit: &'static str,
    /// Who reads it: `engine`, slots, or parts of slots as `slot.part`.
    pub used_by: Vec<String>,
    /// What it does, in one line.
    pub about: &'static str,
    access: Access,
}

/// Where a parameter is kept.
#[derive(Clone, Copy, Debug)]
enum Access {
    /// In a field of `Params`.
    Field { get: fn(&Params) -> Value, set: fn(&mut Params, Value) -> Result<(), ParamError> },
    /// With the other knobs.
    Knob(&'static Knob),
}

impl Parameter {
    /// Whether it is this knob.
    fn is(&self, knob: &Knob) -> bool {
        matches!(self.access, Access::Knob(known) if known == knob)
    }

    /// Reads it.
    #[must_use]
    pub fn get(&self, params: &Params) -> Value {
        match self.access {
            Access::Field { get, .. } => get(params),
            Access::Knob(knob) => params.knobs.get(knob.name).cloned().unwrap_or_else(|| knob.default_value()),
        }
    }

    /// Sets it.
    ///
    /// # Errors
    /// If the value is of the wrong kind or out of range.
    pub fn set(&self, params: &mut Params, value: Value) -> Result<(), ParamError> {
        match self.access {
            Access::Field { set, .. } => set(params, value),
            Access::Knob(knob) => {
                knob.check(&value)?;
                params.knobs.set(knob, value);
                Ok(())
            }
        }
    }

    /// What it may be, in words: a range, a list, or `true or false`.
    #[must_use]
    pub fn possible(&self) -> String {
        match self.set(&mut Params::default(), Value::Number(f64::NAN)) {
            Err(ParamError::Expected(what)) => what,
            _ => String::new(),
        }
    }

    /// Its value in `Params::default`.
    #[must_use]
    pub fn default_value(&self) -> Value {
        self.get(&Params::default())
    }
}

/// Every parameter, those of the engine first, those registered last: the list behind scenario files, `protocols --json`
/// and the documentation.
#[must_use]
pub fn parameters() -> &'static [Parameter] {
    PARAMETERS.all()
}

pub(crate) static PARAMETERS: LazyLock<Table<Parameter>> = LazyLock::new(|| {
    let fields = FIELDS.iter().map(|f| Parameter {
        name: f.name,
        unit: f.unit,
        used_by: f.used_by.split(' ').map(str::to_owned).collect(),
        about: f.about,
        access: Access::Field { get: f.get, set: f.set },
    });
    let whole = WHOLE.iter().filter(|whole| whole.kind == whole.id).map(|whole| Reader {
        name: whole.id.to_owned(),
        knobs: whole.knobs,
        shared: &[],
    });
    let readers: Vec<Reader> = mechanisms::readers().into_iter().chain(whole).collect();
    let all = readers.iter().try_fold(fields.collect(), with_reader);
    Table::new(Vec::leak(all.expect("a name means the same in all mechanisms")))
});

/// The list with another mechanism among the readers, and with its knobs.
///
/// # Errors
/// If a knob is there with another meaning, or what it shares is not there.
pub(crate) fn with_reader(mut all: Vec<Parameter>, reader: &Reader) -> Result<Vec<Parameter>, Refused> {
    for knob in reader.knobs {
        match all.iter_mut().find(|p| p.name == knob.name) {
            Some(known) if known.is(knob) => known.used_by.push(reader.name.clone()),
            Some(_) => return Err(Refused::Knob(knob.name)),
            None => all.push(Parameter {
                name: knob.name,
                unit: knob.unit,
                used_by: vec![reader.name.clone()],
                about: knob.about,
                access: Access::Knob(knob),
            }),
        }
    }
    for &name in reader.shared {
        let known = all.iter_mut().find(|p| p.name == name).ok_or(Refused::Shared(name))?;
        known.used_by.push(reader.name.clone());
    }
    Ok(all)
}

impl Params {
    /// Sets a parameter by its name in scenario files.
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), ParamError> {
        let parameter = parameters().iter().find(|p| p.name == name).ok_or(ParamError::Unknown)?;
        parameter.set(self, value)
    }

    /// The value of a parameter by its name in scenario files.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<Value> {
        parameters().iter().find(|p| p.name == name).map(|p| p.get(self))
    }
}

impl Recipe {
    /// Says of a parameter whether it matters to this recipe.
    pub fn reads(&self) -> impl Fn(&Parameter) -> bool + use<> {
        let parts = self.parts();
        let is_read = move |reader: &str| match reader.split_once('.') {
            Some((slot, part)) => parts.contains(&(slot, part)),
            None => reader == "engine" || parts.iter().any(|(slot, _)| *slot == reader),
        };
        move |parameter| parameter.used_by.iter().any(|reader| is_read(reader))
    }

    /// The parameters that matter to this recipe.
    pub fn parameters(&self) -> impl Iterator<Item = &'static Parameter> + use<> {
        parameters().iter().filter({
            let reads = self.reads();
            move |parameter| reads(parameter)
        })
    }
}

/// A parameter that is a field of `Params`: the engine reads it, or whole slots do.
struct Field {
    name: &'static str,
    unit: &'static str,
    /// Readers, with spaces between.
    used_by: &'static str,
    about: &'static str,
    get: fn(&Params) -> Value,
    set: fn(&mut Params, Value) -> Result<(), ParamError>,
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
        Field {
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
        time!($name, $unit, $scale, $used_by, $field, 0.0, $about)
    };
    ($name:literal, $unit:literal, $scale:literal, $used_by:literal, $field:ident, $least:literal, $about:literal) => {
        Field {
            name: $name,
            unit: $unit,
            used_by: $used_by,
            about: $about,
            get: |p| Value::Number(p.$field.as_secs_f64() / $scale),
            // A million seconds: nanoseconds of much more could not be written in seconds, and read again.
            set: |p, v| Ok(p.$field = Duration::from_secs_f64(number(v, $least, 1e6 / $scale)? * $scale)),
        }
    };
}

macro_rules! switch {
    ($name:literal, $used_by:literal, $field:ident, $about:literal) => {
        Field {
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

/// A switch that has a third position.
macro_rules! switch_or {
    ($word:literal, $name:literal, $used_by:literal, $field:ident, [$off:expr, $third:expr, $on:expr], $about:literal) => {
        Field {
            name: $name,
            unit: "",
            used_by: $used_by,
            about: $about,
            get: |p| if p.$field == $third { Value::Word($word.into()) } else { Value::Bool(p.$field == $on) },
            set: |p, v| match v {
                Value::Bool(b) => Ok(p.$field = if b { $on } else { $off }),
                Value::Word(w) if w == $word => Ok(p.$field = $third),
                _ => Err(ParamError::Expected(concat!("true, false or ", $word).into())),
            },
        }
    };
}

macro_rules! word {
    ($name:literal, $used_by:literal, $field:ident, [$($word:literal = $value:expr),+], $about:literal) => {
        Field {
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

#[rustfmt::skip]
const FIELDS: &[Field] = &[
    word!("place", "engine", place, ["sender" = Place::Sender, "receiver" = Place::Receiver], "the end that decides what is sent: the sender, or the receiver, which then asks the sender for data"),
    count!("segment_bytes", "bytes", "engine", segment_bytes, 1..=65535, "largest payload of a segment"),
    count!("window_limit_segments", "segments", "offer.free-buffer", window_limit_segments, 1..=65535, "the largest window that the receiver offers"),
    count!("initial_window_segments", "segments", "startup", initial_window_segments, 1..=65535, "congestion window after the handshake"),
    count!("max_burst_segments", "segments", "clocking.self-clocked", max_burst_segments, 0..=65535, "largest number of segments that one event may release. 0: any number"),
    count!("dupack_threshold", "", "detection", dupack_threshold, 1..=65535, "number of duplicate acknowledgements that count as a loss"),
    switch!("limited_transmit", "detection", limited_transmit, "whether the first duplicate acknowledgements release new segments (RFC 3042)"),
    time!("delayed_ack_ms", "ms", 1e-3, "acking.delayed acking.every-k acking.daa", delayed_ack, "longest delay of an acknowledgement"),
    time!("min_rto_ms", "ms", 1e-3, "timeout", min_rto, "lower bound of the RTO (retransmission time-out), before back-off"),
    time!("max_rto_s", "s", 1.0, "timeout", max_rto, 0.001, "upper bound of the RTO"),
    time!("initial_rto_ms", "ms", 1e-3, "timeout", initial_rto, 1.0, "RTO before the first measurement"),
    time!("granularity_ms", "ms", 1e-3, "timeout", granularity, "length of a clock tick"),
    word!("granularity_mode", "timeout", granularity_mode, ["heartbeat" = GranularityMode::Heartbeat, "exact" = GranularityMode::Exact, "ns2" = GranularityMode::Ns2], "how clock ticks affect the timer"),
    time!("granularity_phase_ms", "ms", 1e-3, "timeout", granularity_phase, "time of the first tick"),
    word!("idle_restart", "engine", idle_restart, ["off" = IdleRestart::Off, "initial-window" = IdleRestart::InitialWindow, "one-segment" = IdleRestart::OneSegment], "the window after the sender was silent for an RTO"),
    word!("window_validation", "engine", window_validation, ["none" = WindowValidation::None, "rfc7661" = WindowValidation::Rfc7661], "which rule stops the growth of a window that is not used. With rfc7661, idle_restart has no effect"),
    word!("partial_ack_timer", "recovery.partial-acks recovery.sack recovery.ns2-sack1", partial_ack_timer, ["first" = PartialAckTimer::First, "every" = PartialAckTimer::Every], "which partial acknowledgements restart the timer"),
    time!("msl_s", "s", 1.0, "engine", msl, "maximum segment lifetime. TIME-WAIT lasts twice as long"),
    count!("receive_buffer_bytes", "bytes", "engine", receive_buffer_bytes, 0..=1073725440, "size of the receive buffer. 0: window_limit_segments determines the size"),
    switch!("timestamps", "engine", timestamps, "whether the SYN asks for timestamps (RFC 7323)"),
    switch!("selective_acks", "engine", selective_acks, "whether acknowledgements say which data came beyond gaps (RFC 2018)"),
    switch_or!("accept", "ecn", "engine", ecn, [EcnMode::Off, EcnMode::Accept, EcnMode::On], "whether the SYN asks for congestion marks, to which the sender reacts as to losses (RFC 3168). accept: only if the peer asks for them"),
    count!("sack_blocks", "", "engine", sack_blocks, 1..=4, "largest number of blocks in a selective acknowledgement. Three blocks fit besides a timestamp"),
    switch!("displaced_blocks_forgotten", "engine", displaced_blocks_forgotten, "ns-2: whether a block for which newer blocks left no room is not reported again before more of the block comes"),
    switch!("duplicate_sacks", "engine", duplicate_sacks, "whether selective acknowledgements also say which data came twice (RFC 2883)"),
    switch!("nagle", "engine", nagle, "whether small segments wait for acknowledgements (RFC 9293 3.7.4)"),
    time!("user_timeout_s", "s", 1.0, "engine", user_timeout, "how long the peer may leave data unanswered. 0: for ever"),
    time!("fin_wait_2_timeout_s", "s", 1.0, "engine", fin_wait_2_timeout, "how long the peer may be silent in FIN-WAIT-2. 0: for ever"),
    count!("challenge_acks_per_s", "", "engine", challenge_acks_per_s, 1..=65535, "largest number of answers per second to segments that are not credible (RFC 5961)"),
    switch!("ack_rwnd_hold", "engine", ack_rwnd_hold, "whether the offered window stays the same in duplicate acknowledgements"),
    switch!("explicit_read", "engine", explicit_read, "the application takes data itself; otherwise it is a sink"),
    switch!("plain_handshake", "engine", plain_handshake, "ns-2: whether the handshake has no options and no third segment"),
    word!("rounding", "control", rounding, ["bytes" = Rounding::Bytes, "whole-segments" = Rounding::WholeSegments], "whether windows are rounded to whole segments, as in ns-2"),
    word!("halved", "response", halved, ["flight" = Halved::Flight, "window" = Halved::Window], "what is halved after a loss"),
    switch!("threshold_starts_at_offer", "engine", threshold_starts_at_offer, "ns-2: whether ssthresh starts at the offered window"),
    switch!("halve_on_every_timeout", "response", halve_on_every_timeout, "ns-2: whether repeated time-outs halve ssthresh again"),
    word!("recovery_rules", "recovery", recovery_rules, ["rfc" = RecoveryRules::Rfc, "ns2" = RecoveryRules::Ns2], "which rules of fast recovery are used: those of the RFC or those of ns-2"),
    word!("duplicate_rule", "engine", duplicate_rule, ["rfc5681" = DuplicateRule::Rfc5681, "any-repeat" = DuplicateRule::AnyRepeat], "what counts as a duplicate acknowledgement"),
    switch!("old_acks_release", "engine", old_acks_release, "ns-2: whether old acknowledgements, however old, release segments"),
    switch!("delays_acks_of_repeats", "acking.delayed", delays_acks_of_repeats, "ns-2: whether the newest segment counts as new if it is repeated"),
    switch!("partial_ack_keeps_timing", "engine", partial_ack_keeps_timing, "ns-2: whether the timing of a later segment continues after a partial acknowledgement"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_reads_back_what_was_set() {
        for (i, parameter) in parameters().iter().enumerate() {
            let mut params = Params::ns2();
            let default = parameter.default_value();
            assert_eq!(params.set(parameter.name, default.clone()), Ok(()), "{}", parameter.name);
            assert_eq!(params.value(parameter.name), Some(default), "{}", parameter.name);
            assert!(parameters()[..i].iter().all(|other| other.name != parameter.name), "{} twice", parameter.name);
        }
    }

    #[test]
    fn the_list_reaches_every_field_that_ns2_switches() {
        let mut params = Params::ns2();
        for parameter in parameters() {
            params.set(parameter.name, parameter.default_value()).unwrap();
        }
        assert_eq!(params, Params::default());
    }

    #[test]
    fn a_switch_with_a_third_position_is_still_a_switch() {
        let mut params = Params::default();
        for (value, mode) in [
            (Value::Bool(true), EcnMode::On),
            (Value::Word("accept".into()), EcnMode::Accept),
            (Value::Bool(false), EcnMode::Off),
        ] {
            params.set("ecn", value.clone()).unwrap();
            assert_eq!((params.ecn, params.value("ecn")), (mode, Some(value)));
        }
        let error = params.set("ecn", Value::Word("on".into())).unwrap_err();
        assert_eq!(error.to_string(), "expected true, false or accept");
    }

    #[test]
    fn a_time_out_of_nothing_would_fire_for_ever() {
        for name in ["initial_rto_ms", "max_rto_s"] {
            assert!(Params::default().set(name, Value::Number(0.0)).is_err(), "{name}");
        }
    }

    #[test]
    fn every_parameter_says_what_it_may_be() {
        let of = |name| parameters().iter().find(|p| p.name == name).unwrap().possible();
        assert_eq!(of("nagle"), "true or false");
        assert_eq!(of("ecn"), "true, false or accept");
        assert_eq!(of("granularity_mode"), "one of heartbeat exact ns2");
        assert_eq!(of("dupack_threshold"), "a number from 1 to 65535");
        assert!(parameters().iter().all(|p| !p.possible().is_empty()));
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
