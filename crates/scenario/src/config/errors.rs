//! Damage to frames that power does not explain.

use hopwright_machine::NodeId;
use hopwright_radio as phy;
use hopwright_sim as sim;

use crate::model::{Errors, GilbertElliott};

/// Damage to frames that power does not explain.
pub(crate) fn errors(errors: &Errors) -> sim::Errors {
    let (from, to, frames) = errors.frames();
    let model = match errors {
        Errors::Uniform(e) => phy::FrameErrors::Uniform { probability: e.probability },
        &Errors::GilbertElliott(GilbertElliott {
            mean_good_s, mean_bad_s, good_probability, bad_probability, ..
        }) => phy::FrameErrors::GilbertElliott(phy::GilbertElliott {
            mean_good_s,
            mean_bad_s,
            good_probability,
            bad_probability,
        }),
    };
    sim::Errors { from: from.map(NodeId), to: to.map(NodeId), frames: frames.to_vec(), model }
}
