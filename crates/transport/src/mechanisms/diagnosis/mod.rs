//! Slot: why a segment was lost.

use core::fmt::Debug;

use super::acking::Arrival;
use super::{Ack, Cause, Missing, Part, Sign};
use crate::view::Public;

mod biaz_vaidya;
mod blame_channel;
mod blame_congestion;
mod eln;
mod ncpld;
mod noticed;
mod oracle;
mod predictor;
mod receiver_timing;
mod spike;
mod usual_losses;
mod veno;
mod welcome;
mod westwood;
mod zbs;
mod zigzag;

pub use biaz_vaidya::BIAZ_VAIDYA;
pub use blame_channel::BLAME_CHANNEL;
pub use blame_congestion::BLAME_CONGESTION;
pub use eln::ELN;
pub use ncpld::NCPLD;
pub use oracle::ORACLE;
pub use predictor::VEGAS_PREDICTOR;
pub use spike::SPIKE;
pub use usual_losses::USUAL_LOSSES;
pub use veno::VENO;
pub use welcome::WELCOME;
pub use westwood::WESTWOOD;
pub use zbs::ZBS;
pub use zigzag::ZIGZAG;

/// Everything that can fill it.
pub const PARTS: &[Part<dyn Diagnosis>] = &[
    BLAME_CONGESTION,
    BLAME_CHANNEL,
    ELN,
    BIAZ_VAIDYA,
    SPIKE,
    ZIGZAG,
    ZBS,
    NCPLD,
    USUAL_LOSSES,
    VEGAS_PREDICTOR,
    WESTWOOD,
    VENO,
    WELCOME,
    ORACLE,
];

/// Finds the cause of a loss from what only the sender can see.
pub trait Diagnosis: Debug + Send {
    /// Called once per ACK that advances or duplicates.
    fn on_ack(&mut self, _p: &Public, _ack: &Ack<'_>) {}

    /// Called once per loss, before anything changes.
    fn diagnose(&mut self, p: &Public, sign: Sign) -> Cause;

    /// At the receiver, with `Needs::NOTICES`: called once per data segment, which begins at the position `seq` of the
    /// peer's stream; `next` is the first byte missing once it is taken in. Returns whether acknowledgements tell the
    /// sender that the channel lost what is missing there.
    fn on_arrival(&mut self, _arrival: &Arrival, _seq: u64, _next: u64) -> bool {
        false
    }

    /// At the receiver, with `Needs::NOTICES`: the link layer saw the segment that begins at this position of
    /// the peer's stream come damaged; `next` is the first byte missing.
    fn on_corrupted(&mut self, _seq: u64, _next: u64) {}

    /// With `Needs::TRUTH`, from a driver that knows: everything that is missing now, in order, in place of what was
    /// told before.
    fn on_truth(&mut self, _missing: &[Missing]) {}

    /// The mechanism was put into a running connection: takes over from what everybody can see.
    fn adopt(&mut self, _p: &Public) {}
}
