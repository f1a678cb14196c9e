//! Selective acknowledgements mean that the first unacknowledged segment is lost: a number of duplicates, or as
//! much held beyond it.
//!
//! Spec      RFC 6675 §5 steps 1 to 3; ns-2 Agent/TCP/Sack1 where its rules are switched on (duplicates only)
//! Deviates  limited transmit answers duplicates with a segment each, two at most (RFC 3042), also where one of them
//!           reports several segments; an acknowledgement of new data releases what the window allows instead.
//!           A peer that does not report what it holds is watched as by `duplicate-acks`
//! Holds     only what reports something new counts

use super::{Detection, DuplicateAcks, Evidence};
use crate::mechanisms::{Ack, AckKind, Needs, Part, Sign};
use crate::params::{Params, RecoveryRules};
use crate::view::Public;

/// See the file's header.
pub const SACK: Part<dyn Detection> =
    Part::<dyn Detection>::new("sack", "RFC 6675 §5", |p| Box::new(Sack::new(p))).needing(Needs::SELECTIVE_ACKS);

#[derive(Debug)]
struct Sack {
    by_count: DuplicateAcks,
    counts_only: bool,
}

impl Sack {
    fn new(params: &Params) -> Self {
        Self { by_count: DuplicateAcks::new(params), counts_only: params.recovery_rules == RecoveryRules::Ns2 }
    }
}

impl Detection for Sack {
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> Evidence {
        if self.counts_only || !p.has_selective_acks {
            return self.by_count.on_ack(p, ack);
        }
        let threshold = self.by_count.threshold;
        if ack.newly_sacked == 0 {
            Evidence::Nothing
        } else if p.dupacks >= threshold || p.sacked.is_lost(p.una, threshold, p.mss) {
            Evidence::Loss(Sign::Duplicates)
        } else if ack.kind == AckKind::Duplicate && self.by_count.limited_transmit {
            Evidence::Departure
        } else {
            Evidence::Nothing
        }
    }
}
