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
    /// Each frame is damaged with the same probability, whatever happens to other frames.
    Uniform(Uniform),
    /// Frames are damaged in bursts. A link is good and bad in turn, for exponentially distributed times.
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

/// Each frame is damaged with the same probability, whatever happens to other frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Uniform {
    /// The node that sends the frames. Default: every node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u32>,
    /// The node at which the frames arrive. Default: every node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<u32>,
    /// What these frames carry.
    #[serde(default = "all_frames")]
    #[schemars(extend("uniqueItems" = true))]
    pub frames: Vec<FrameClass>,
    /// Probability that a frame arrives damaged at a node; a ratio.
    pub probability: f64,
}

/// Frames are damaged in bursts. A link is good and bad in turn, for exponentially distributed times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GilbertElliott {
    /// The node that sends the frames. Default: every node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u32>,
    /// The node at which the frames arrive. Default: every node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<u32>,
    /// What these frames carry.
    #[serde(default = "all_frames")]
    #[schemars(extend("uniqueItems" = true))]
    pub frames: Vec<FrameClass>,
    /// Mean time for which a link is good, seconds. Each direction changes independently.
    pub mean_good_s: f64,
    /// Mean time for which a link is bad, seconds.
    pub mean_bad_s: f64,
    /// Probability of damage to a frame that leaves while the link is good; a ratio.
    #[serde(default)]
    pub good_probability: f64,
    /// Probability of damage to a frame that leaves while the link is bad; a ratio.
    #[serde(default = "certain")]
    pub bad_probability: f64,
}

fn all_frames() -> Vec<FrameClass> {
    FrameClass::ALL.to_vec()
}

const fn certain() -> f64 {
    1.0
}
