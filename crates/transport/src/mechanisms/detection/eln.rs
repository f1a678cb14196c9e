//! Duplicate acknowledgements that carry a loss notice repair the hole; the others are counted.
//!
//! Spec      Balakrishnan and Katz 1998; ns-2 `eln_`, `eln_rxmit_thresh_`, `eln_last_rxmit_`
//! Deviates  the threshold is reached or passed where ns-2 wants it exact: a notice after duplicates without one would
//!           never be acted on
//! Holds     repairs a hole once, without a cut; a duplicate with a notice never begins a fast recovery

use super::duplicate_acks::DuplicateAcks;
use super::{Detection, Evidence};
use crate::mechanisms::{Ack, AckKind, Needs, Part};
use crate::params::{Knob, Params};
use crate::view::Public;

/// See the file's header.
pub const ELN: Part<dyn Detection> =
    Part::<dyn Detection>::new("eln", "Balakrishnan and Katz 1998", |p| Box::new(Eln::new(p)))
        .needing(Needs::NOTICES)
        .with_knobs(&[THRESHOLD]);

const THRESHOLD: Knob = Knob::count(
    "eln_threshold",
    "segments",
    1,
    1..=100,
    "number of duplicates after which a loss notice makes the sender repair the hole",
);

#[derive(Debug)]
struct Eln {
    usual: DuplicateAcks,
    threshold: u32,
    /// The hole repaired last.
    repaired: u64,
}

impl Eln {
    fn new(params: &Params) -> Self {
        Self { usual: DuplicateAcks::new(params), threshold: params.count(&THRESHOLD), repaired: 0 }
    }
}

impl Detection for Eln {
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> Evidence {
        if ack.kind != AckKind::Duplicate || !ack.is_loss_notice() {
            return self.usual.on_ack(p, ack);
        }
        // In recovery the hole was sent again when it became the first.
        if p.dupacks < self.threshold || p.una <= self.repaired || p.is_recovering() {
            return Evidence::Nothing;
        }
        self.repaired = p.una;
        Evidence::Hole
    }

    fn adopt(&mut self, p: &Public) {
        self.repaired = p.una.saturating_sub(1);
    }
}
