//! Damage to frames that power does not explain.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One entry of `[[errors]]`: which frames are damaged, and how often. Of the entries that fit a frame on its way to a
/// node, the last one holds. The variant is chosen by the key `model`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "model", rename_all = "kebab-case")]
pub enum Errors {
    /// Each frame with the same probability, whatever happens to others.
    Uniform(Uniform),
    /// In bursts: a link is good and bad in turn, for exponential times.
    GilbertElliott(GilbertElliott),
}

impl Errors {
    /// The values of `model`.
    pub const MODELS: &[&str] = &["uniform", "gilbert-elliott"];

    /// From which node to which, where they are given, and what the frames carry.
    #[must_use]
    pub fn frames(&self) -> (Option<u32>, Option<u32>, &[FrameClass]) {
        match self {
            Self::Uniform(e) => (e.from, e.to, &e.frames),
            Self::GilbertElliott(e) => (e.from, e.to, &e.frames),
        }
    }
}

/// Each frame with the same probability, whatever happens to others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Uniform {
    /// Frames from this node; without it, from all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u32>,
    /// On their way to this node; without it, to all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<u32>,
    /// What these frames carry.
    #[serde(default = "all_frames")]
    #[schemars(extend("uniqueItems" = true))]
    pub frames: Vec<FrameClass>,
    /// Of damage to a frame on its way to a node; a ratio.
    pub probability: f64,
}

/// In bursts: a link is good and bad in turn, for exponential times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GilbertElliott {
    /// Frames from this node; without it, from all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u32>,
    /// On their way to this node; without it, to all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<u32>,
    /// What these frames carry.
    #[serde(default = "all_frames")]
    #[schemars(extend("uniqueItems" = true))]
    pub frames: Vec<FrameClass>,
    /// How long a link is good, on average, in each direction on its own, seconds.
    pub mean_good_s: f64,
    /// How long it is bad, on average, seconds.
    pub mean_bad_s: f64,
    /// Of damage to a frame that leaves in a good time; a ratio.
    #[serde(default)]
    pub good_probability: f64,
    /// Of damage to a frame that leaves in a bad time; a ratio.
    #[serde(default = "certain")]
    pub bad_probability: f64,
}

/// Frames by what they carry, as `mac.collisions` counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FrameClass {
    /// RTS and CTS.
    RtsCts,
    /// Data of a transport.
    Data,
    /// Acknowledgements of a transport.
    Ack,
    /// Acknowledgements of the MAC.
    MacAck,
    /// Messages of routing and of address resolution.
    Routing,
}

impl FrameClass {
    /// All of them.
    pub const ALL: &[Self] = &[Self::RtsCts, Self::Data, Self::Ack, Self::MacAck, Self::Routing];
}

fn all_frames() -> Vec<FrameClass> {
    FrameClass::ALL.to_vec()
}

const fn certain() -> f64 {
    1.0
}
