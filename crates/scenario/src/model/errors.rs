//! Damage to frames that power does not explain.

use super::limit::{COUNT, LONGEST_S, Limit, from};
pub use hopwright_sim::FrameClass;
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

/// What its numbers may be.
pub(super) const LIMITS: &[Limit] = &[
    from("from", 0.0, COUNT),
    from("to", 0.0, COUNT),
    from("probability", 0.0, 1.0),
    from("mean_good_s", 1e-5, LONGEST_S),
    from("mean_bad_s", 1e-5, LONGEST_S),
    from("good_probability", 0.0, 1.0),
    from("bad_probability", 0.0, 1.0),
];

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

fn all_frames() -> Vec<FrameClass> {
    FrameClass::ALL.to_vec()
}

const fn certain() -> f64 {
    1.0
}
