//! `[[links]]`: shaped links between nodes, in place of a medium.

pub use hopwright_shape::{JitterLaw, Per as LossPer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LinkProfile;
use super::limit::{LONGEST_S, Limit, above, from};

/// Nodes that links join, with no medium between them: as many as `[[links]]` names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Links {}

/// One entry of `[[links]]`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Link {
    /// Its ends, and how both directions go together.
    #[serde(flatten)]
    pub ends: LinkEnds,
    /// What it is like, from the first end to the second.
    #[serde(flatten)]
    pub shape: LinkShape,
    /// Properties of the direction from `to` to `from`, if they differ from the other direction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverse: Option<LinkShape>,
    /// What it follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<LinkProfile>,
    /// What it becomes, in the order of time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<LinkChange>,
}

/// The ends of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkEnds {
    /// The node at one end.
    pub from: u32,
    /// The node at the other end.
    pub to: u32,
    /// Whether packets travel in both directions, and whether the directions share queue and rate.
    #[serde(default)]
    pub directions: Directions,
}

/// What its numbers may be.
pub(super) const END_LIMITS: &[Limit] = &[from("from", 0.0, 9_999.0), from("to", 0.0, 9_999.0)];

/// What a link is like at some time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LinkState {
    /// From the first end to the second.
    pub(crate) shape: LinkShape,
    /// The way back, where that is not the same.
    pub(crate) reverse: Option<LinkShape>,
    /// What it follows.
    pub(crate) profile: Option<LinkProfile>,
}

/// How the directions of a link go together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Directions {
    /// Each direction has its own queue and its own rate.
    #[default]
    Separate,
    /// One queue and one rate serve both directions, in the order in which packets come.
    Shared,
    /// Packets travel only from `from` to `to`.
    OneWay,
}

/// A network of Velayutham 2005 table 1: what its last link is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// Rate 2000 kb/s, period 500 % of the delay, delay 50 ms, jitter 10 %, loss 1 %.
    Wlan,
    /// Rate 300 kb/s, period 250 % of the delay, delay 250 ms, jitter 20 %, loss 5 %.
    Wwan,
    /// Rate 100 kb/s, period 250 % of the delay, delay 1000 ms, jitter 30 %, loss 5 %.
    Satellite,
}

impl Preset {
    /// The values of `preset`.
    pub const NAMES: &[&str] = &["wlan", "wwan", "satellite"];

    /// By its name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Wlan, Self::Wwan, Self::Satellite]
            .into_iter()
            .zip(Self::NAMES)
            .find(|(_, n)| **n == name)
            .map(|(p, _)| p)
    }

    /// What such a link is like: 50 packets of queue, a square wave of 30 %, jitter that keeps order.
    #[must_use]
    pub fn shape(self) -> LinkShape {
        let of = |rate_kbps, period_percent, delay_ms, jitter_percent, loss_percent| LinkShape {
            rate_kbps: Some(rate_kbps),
            variation: Variation::Square,
            period_percent,
            delay_ms,
            jitter_percent,
            loss_percent,
            ..LinkShape::default()
        };
        match self {
            Self::Wlan => of(2000.0, 500.0, 50.0, 10.0, 1.0),
            Self::Wwan => of(300.0, 250.0, 250.0, 20.0, 5.0),
            Self::Satellite => of(100.0, 250.0, 1000.0, 30.0, 5.0),
        }
    }
}

/// What a link is like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkShape {
    /// Rate of the link, kb/s, IP headers included. Default: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_kbps: Option<f64>,
    /// A file with the times at which a recorded link could send a packet, in the format of mahimahi, instead of a
    /// rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// How the rate varies. Default: `none`, or `square` if there is a period.
    #[serde(default)]
    pub variation: Variation,
    /// Period of the variation of the rate, per cent of the delay.
    #[serde(default = "default_period")]
    pub period_percent: f64,
    /// How far the rate goes above and below its mean, per cent of the rate.
    #[serde(default = "default_amplitude")]
    pub amplitude_percent: f64,
    /// Delay of the link, ms.
    #[serde(default)]
    pub delay_ms: f64,
    /// Jitter: how much longer or shorter the delay of a packet is, per cent of the delay.
    #[serde(default)]
    pub jitter_percent: f64,
    /// How the jitter is drawn.
    #[serde(default)]
    pub jitter_law: JitterLaw,
    /// Correlation of a packet's jitter with the jitter of the packet before, per cent. The law of the jitter does not
    /// change.
    #[serde(default)]
    pub jitter_correlation_percent: f64,
    /// Whether packets may overtake each other.
    #[serde(default)]
    pub reorder: bool,
    /// Packets that have no delay and overtake all packets on the link, per cent of packets that may overtake.
    #[serde(default)]
    pub reorder_percent: f64,
    /// Number of packets of which at most one overtakes others.
    #[serde(default = "default_gap")]
    pub reorder_gap: u32,
    /// Correlation between the overtaking of a packet and of the packet before, per cent. The share of packets that
    /// overtake does not change.
    #[serde(default)]
    pub reorder_correlation_percent: f64,
    /// Packets that arrive twice, per cent of packets that arrive. The copy follows immediately.
    #[serde(default)]
    pub duplicate_percent: f64,
    /// Packets lost on the link, per cent.
    #[serde(default)]
    pub loss_percent: f64,
    /// Whether short packets are lost as often as long packets.
    #[serde(default)]
    pub loss_per: LossPer,
    /// Mean number of packets that are lost in a row.
    #[serde(default = "default_burst")]
    pub burst_packets: f64,
    /// Correlation of losses with the delay, per cent. Above 0, packets with a longer delay are lost more often. The
    /// share of lost packets does not change.
    #[serde(default)]
    pub loss_delay_correlation_percent: f64,
    /// Gilbert-Elliott model, instead of `loss_percent`: the probability p that a good link becomes bad with the next
    /// packet, per cent.
    #[serde(default)]
    pub bad_begins_percent: f64,
    /// Gilbert-Elliott model: the probability r that a bad link becomes good with the next packet, per cent.
    #[serde(default)]
    pub bad_ends_percent: f64,
    /// Packets lost while the link is bad (1 - h), per cent.
    #[serde(default = "default_bad_loss")]
    pub bad_loss_percent: f64,
    /// Packets lost while the link is good (1 - k), per cent.
    #[serde(default)]
    pub good_loss_percent: f64,
    /// How much longer the delay is while the link is bad, ms.
    #[serde(default)]
    pub bad_delay_ms: f64,
    /// A file with the losses of a recorded link, instead of a share of losses. For each packet it has 0 (arrived) or 1
    /// (lost).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss_trace: Option<String>,
    /// Largest number of packets that wait for the link. The packet that is being sent is not counted.
    #[serde(default = "default_queue")]
    pub queue_packets: u32,
    /// Which packets are dropped besides packets that find the queue full.
    #[serde(default)]
    pub queue: QueueKind,
    /// CoDel: the longest acceptable wait, ms.
    #[serde(default = "default_target")]
    pub codel_target_ms: f64,
    /// CoDel: how long a longer wait is acceptable, ms.
    #[serde(default = "default_interval")]
    pub codel_interval_ms: f64,
}

/// What its numbers may be.
pub(super) const LIMITS: &[Limit] = &[
    above("rate_kbps", 0.0, 1e9),
    above("period_percent", 0.0, 1e6),
    from("amplitude_percent", 0.0, 99.0),
    from("delay_ms", 0.0, 1e6),
    from("jitter_percent", 0.0, 1000.0),
    from("loss_percent", 0.0, 100.0),
    from("burst_packets", 1.0, 1e6),
    from("jitter_correlation_percent", 0.0, 99.0),
    from("reorder_percent", 0.0, 100.0),
    from("reorder_gap", 1.0, 1e6),
    from("reorder_correlation_percent", 0.0, 99.0),
    from("duplicate_percent", 0.0, 100.0),
    from("loss_delay_correlation_percent", -100.0, 100.0),
    from("bad_begins_percent", 0.0, 100.0),
    from("bad_ends_percent", 0.0, 100.0),
    from("bad_loss_percent", 0.0, 100.0),
    from("good_loss_percent", 0.0, 100.0),
    from("bad_delay_ms", 0.0, 1e6),
    from("queue_packets", 0.0, 1e6),
    from("codel_target_ms", 0.001, 1e6),
    from("codel_interval_ms", 0.001, 1e6),
];

impl Default for LinkShape {
    fn default() -> Self {
        Self {
            rate_kbps: None,
            trace: None,
            variation: Variation::None,
            period_percent: default_period(),
            amplitude_percent: default_amplitude(),
            delay_ms: 0.0,
            jitter_percent: 0.0,
            jitter_law: JitterLaw::Uniform,
            jitter_correlation_percent: 0.0,
            reorder: false,
            reorder_percent: 0.0,
            reorder_gap: default_gap(),
            reorder_correlation_percent: 0.0,
            duplicate_percent: 0.0,
            loss_percent: 0.0,
            loss_per: LossPer::Packet,
            burst_packets: default_burst(),
            loss_delay_correlation_percent: 0.0,
            bad_begins_percent: 0.0,
            bad_ends_percent: 0.0,
            bad_loss_percent: default_bad_loss(),
            good_loss_percent: 0.0,
            bad_delay_ms: 0.0,
            loss_trace: None,
            queue_packets: default_queue(),
            queue: QueueKind::DropTail,
            codel_target_ms: default_target(),
            codel_interval_ms: default_interval(),
        }
    }
}

impl Link {
    /// What it is like in the beginning.
    pub(crate) fn state(&self) -> LinkState {
        LinkState { shape: self.shape.clone(), reverse: self.reverse.clone(), profile: self.profile.clone() }
    }

    /// Every shape that it has at some time, in one of its directions, and the key of its table.
    pub(crate) fn shapes(&self, number: usize) -> impl Iterator<Item = (String, &LinkShape)> {
        let key = format!("links.{number}");
        let later = self.changes.iter().enumerate().flat_map({
            let key = key.clone();
            move |(n, change)| both(&format!("{key}.changes.{n}"), &change.shape, change.reverse.as_ref())
        });
        both(&key, &self.shape, self.reverse.as_ref()).chain(later)
    }

    /// The same, to be changed.
    pub(crate) fn shapes_mut(&mut self) -> impl Iterator<Item = &mut LinkShape> {
        let now = std::iter::once(&mut self.shape).chain(&mut self.reverse);
        now.chain(
            self.changes.iter_mut().flat_map(|change| std::iter::once(&mut change.shape).chain(&mut change.reverse)),
        )
    }

    /// Every profile that it follows at some time, and its key.
    pub(crate) fn profiles(&self, number: usize) -> impl Iterator<Item = (String, &LinkProfile)> {
        let now = self.profile.iter().map(move |profile| (format!("links.{number}.profile"), profile));
        now.chain(self.changes.iter().enumerate().filter_map(move |(n, change)| {
            Some((format!("links.{number}.changes.{n}.profile"), change.profile.as_ref()?))
        }))
    }
}

/// A shape and that of the way back, with their keys.
fn both<'a>(
    key: &str,
    shape: &'a LinkShape,
    reverse: Option<&'a LinkShape>,
) -> impl Iterator<Item = (String, &'a LinkShape)> + use<'a> {
    let back = format!("{key}.reverse");
    std::iter::once((key.to_owned(), shape)).chain(reverse.map(|shape| (back, shape)))
}

/// How a rate goes up and down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Variation {
    /// The rate does not vary.
    #[default]
    None,
    /// The rate is above the mean for half a period, and below the mean for the other half.
    Square,
    /// The rate varies as a sine.
    Sine,
    /// Each period has its own rate, evenly drawn.
    Random,
}

/// Which packets a queue drops besides packets that find the queue full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QueueKind {
    /// No other packets.
    #[default]
    DropTail,
    /// Packets that have waited too long (RFC 8289).
    Codel,
}

/// A link that is another from some time on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkChange {
    /// When, and what else happens.
    #[serde(flatten)]
    pub when: LinkMoment,
    /// What it is like from then on; what an entry does not say stays as it was.
    #[serde(flatten)]
    pub shape: LinkShape,
    /// The way back from then on, where that is not the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverse: Option<LinkShape>,
    /// What it follows from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<LinkProfile>,
}

impl LinkChange {
    /// What the link is like from then on.
    pub(crate) fn state(&self) -> LinkState {
        LinkState { shape: self.shape.clone(), reverse: self.reverse.clone(), profile: self.profile.clone() }
    }
}

/// When a link changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkMoment {
    /// Time of the change, seconds.
    pub at_s: f64,
    /// Number of the network to which the link belongs after the change. The ends of the link are told of the
    /// hand-over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<u32>,
    /// Whether packets that wait for the link are lost.
    #[serde(default)]
    pub clear: bool,
}

/// What its numbers may be.
pub(super) const MOMENT_LIMITS: &[Limit] = &[from("at_s", 0.0, LONGEST_S), from("network", 0.0, 1000.0)];

const fn default_period() -> f64 {
    100.0
}

const fn default_amplitude() -> f64 {
    30.0
}

const fn default_burst() -> f64 {
    1.0
}

const fn default_bad_loss() -> f64 {
    100.0
}

const fn default_gap() -> u32 {
    1
}

const fn default_queue() -> u32 {
    50
}

const fn default_target() -> f64 {
    5.0
}

const fn default_interval() -> f64 {
    100.0
}
