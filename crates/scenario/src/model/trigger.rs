//! `[[flows.transport.triggers]]`: when a connection changes which of its mechanisms.

use std::collections::BTreeMap;

use super::limit::{LONGEST_S, Limit, from};
use hopwright_machine::Duration;
use hopwright_transport::adaptation as of;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One entry of `[[flows.transport.triggers]]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trigger {
    /// Conditions on the path.
    pub when: Vec<Condition>,
    /// Whether one true condition is enough. If not, all conditions must be true.
    #[serde(default)]
    pub any: bool,
    /// The mechanisms that the flow gets, by slot. All of these slots change at once, or none.
    pub set: BTreeMap<String, String>,
    /// Whether the slots change back when the trigger is no longer true. They get what the last of the other triggers
    /// that are still true wants, or the mechanisms from before all triggers.
    #[serde(default)]
    pub back: bool,
}

/// Something that may be true of the path: one of `above`, `below` and `equals`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// What the sender measures. `interface` is told by shaped links.
    pub monitor: Monitor,
    /// The condition is true if the measured value is above this bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above: Option<f64>,
    /// The condition is true if the measured value is below this bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<f64>,
    /// The condition is true if the value is exactly this: the number of a network, for `interface`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equals: Option<u32>,
    /// A true condition stays true until the value has come back over this bound. Default: the bound of `above` or
    /// `below`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
}

/// What its numbers may be.
pub(super) const CONDITION_LIMITS: &[Limit] =
    &[from("above", 0.0, 1e12), from("below", 0.0, 1e12), from("until", 0.0, 1e12), from("equals", 0.0, 1000.0)];

/// What is measured of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Monitor {
    /// Segments that were found missing, per cent of the last `loss_window_segments` segments sent.
    Loss,
    /// Half of the shortest round trip of the last ten seconds, ms.
    Delay,
    /// The largest rate that the path has carried recently, kb/s, headers included.
    Bandwidth,
    /// Period in which the bandwidth goes up and down, per cent of the delay.
    Fluctuation,
    /// Mean change from one round trip to the next, or of the delay in the direction of data (`jitter_of`), per cent of
    /// the delay.
    Jitter,
    /// The number of the network in use, from 0.
    Interface,
}

/// How triggers are served: keys of `[flows.transport]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TriggerSettings {
    /// Shortest time between two changes of a slot, seconds. Default: ten round trips, but at least one second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger_hold_s: Option<f64>,
    /// Shortest time between two checks of the measured values, ms.
    #[serde(default = "default_period_ms")]
    pub trigger_period_ms: f64,
    /// Number of segments over which the monitor `loss` counts.
    #[serde(default = "default_loss_window")]
    pub loss_window_segments: u32,
    /// Whether the monitor `loss` leaves out segments that slow start sends and loses. Losses of slow start only show
    /// how long a queue is.
    #[serde(default)]
    pub loss_skips_slow_start: bool,
    /// Which changes the monitor `jitter` measures.
    #[serde(default)]
    pub jitter_of: JitterOf,
    /// Where the values of monitors come from.
    #[serde(default)]
    pub monitor_source: MonitorSource,
}

/// What its numbers may be.
pub(super) const LIMITS: &[Limit] = &[
    from("trigger_hold_s", 0.0, LONGEST_S),
    from("trigger_period_ms", 0.0, 1e6),
    from("loss_window_segments", 10.0, 1e6),
];

/// Whose changes jitter is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JitterOf {
    /// Changes of round trips: both directions together.
    #[default]
    RoundTrips,
    /// Changes of the delay in the direction of data, from timestamps, to 1 ms. Needs `timestamps`.
    OneWay,
}

/// Where what monitors know comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MonitorSource {
    /// The sender measures them.
    #[default]
    Measured,
    /// Shaped links tell their properties, as if no packets waited. Only with `[[links]]`.
    Told,
}

fn default_period_ms() -> f64 {
    of::Settings::default().period.as_secs_f64() * 1e3
}

fn default_loss_window() -> u32 {
    of::Settings::default().loss_window
}

impl Monitor {
    const fn same(self) -> of::Monitor {
        match self {
            Self::Loss => of::Monitor::Loss,
            Self::Delay => of::Monitor::Delay,
            Self::Bandwidth => of::Monitor::Bandwidth,
            Self::Fluctuation => of::Monitor::Fluctuation,
            Self::Jitter => of::Monitor::Jitter,
            Self::Interface => of::Monitor::Interface,
        }
    }

    const fn of(monitor: of::Monitor) -> Self {
        match monitor {
            of::Monitor::Loss => Self::Loss,
            of::Monitor::Delay => Self::Delay,
            of::Monitor::Bandwidth => Self::Bandwidth,
            of::Monitor::Fluctuation => Self::Fluctuation,
            of::Monitor::Jitter => Self::Jitter,
            of::Monitor::Interface => Self::Interface,
        }
    }
}

impl Condition {
    /// The same for the transport layer; `None` unless exactly one side is given.
    #[must_use]
    pub fn condition(&self) -> Option<of::Condition> {
        let (side, bound) = match (self.above, self.below, self.equals) {
            (Some(bound), None, None) => (of::Side::Above, bound),
            (None, Some(bound), None) => (of::Side::Below, bound),
            (None, None, Some(number)) => (of::Side::Is, f64::from(number)),
            _ => return None,
        };
        Some(of::Condition { monitor: self.monitor.same(), side, bound, until: self.until.unwrap_or(bound) })
    }

    fn of(condition: &of::Condition) -> Self {
        let of::Condition { monitor, side, bound, until } = *condition;
        Self {
            monitor: Monitor::of(monitor),
            above: (side == of::Side::Above).then_some(bound),
            below: (side == of::Side::Below).then_some(bound),
            equals: (side == of::Side::Is).then_some(bound as u32),
            until: (until != bound).then_some(until),
        }
    }
}

impl Trigger {
    /// The same for the transport layer; `None` unless each condition has one side.
    #[must_use]
    pub fn trigger(&self) -> Option<of::Trigger> {
        let when = self.when.iter().map(Condition::condition).collect::<Option<_>>()?;
        Some(of::Trigger { when, any: self.any, set: self.set.clone().into_iter().collect(), back: self.back })
    }

    pub(super) fn of(trigger: &of::Trigger) -> Self {
        let of::Trigger { when, any, set, back } = trigger;
        let (when, set) = (when.iter().map(Condition::of).collect(), set.iter().cloned().collect());
        Self { when, any: *any, set, back: *back }
    }
}

impl TriggerSettings {
    /// The keys.
    pub const KEYS: [&str; 6] = [
        "trigger_hold_s",
        "trigger_period_ms",
        "loss_window_segments",
        "loss_skips_slow_start",
        "jitter_of",
        "monitor_source",
    ];

    /// The same for the transport layer.
    #[must_use]
    pub fn settings(&self) -> of::Settings {
        of::Settings {
            hold: self.trigger_hold_s.map(Duration::from_secs_f64),
            period: Duration::from_secs_f64(self.trigger_period_ms / 1e3),
            loss_window: self.loss_window_segments,
            loss_skips_slow_start: self.loss_skips_slow_start,
            jitter_of: match self.jitter_of {
                JitterOf::RoundTrips => of::JitterOf::RoundTrips,
                JitterOf::OneWay => of::JitterOf::OneWay,
            },
            source: match self.monitor_source {
                MonitorSource::Measured => of::Source::Measured,
                MonitorSource::Told => of::Source::Told,
            },
        }
    }

    pub(super) fn of(settings: &of::Settings) -> Self {
        Self {
            trigger_hold_s: settings.hold.map(Duration::as_secs_f64),
            trigger_period_ms: settings.period.as_secs_f64() * 1e3,
            loss_window_segments: settings.loss_window,
            loss_skips_slow_start: settings.loss_skips_slow_start,
            jitter_of: match settings.jitter_of {
                of::JitterOf::RoundTrips => JitterOf::RoundTrips,
                of::JitterOf::OneWay => JitterOf::OneWay,
            },
            monitor_source: match settings.source {
                of::Source::Measured => MonitorSource::Measured,
                of::Source::Told => MonitorSource::Told,
            },
        }
    }
}
