//! A number of duplicate acknowledgements in a row mean that the first unacknowledged segment is lost.
//!
//! Spec      RFC 5681 §3.2; RFC 3042 for the duplicates before
//! Deviates  nothing
//! Holds     reports a loss once per run of duplicates

use super::{Detection, Evidence};
use crate::mechanisms::{Ack, AckKind, Part, Sign};
use crate::params::Params;
use crate::view::Public;

/// See the file's header.
pub const DUPLICATE_ACKS: Part<dyn Detection> =
    Part::new("duplicate-acks", "RFC 5681 §3.2", |p| Box::new(DuplicateAcks::new(p)));

#[derive(Debug)]
pub(super) struct DuplicateAcks {
    pub(super) threshold: u32,
    pub(super) limited_transmit: bool,
}

impl DuplicateAcks {
    pub(super) const fn new(p: &Params) -> Self {
        Self { threshold: p.dupack_threshold, limited_transmit: p.limited_transmit }
    }
}

impl Detection for DuplicateAcks {
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> Evidence {
        match ack.kind {
            AckKind::Duplicate if p.dupacks == self.threshold => Evidence::Loss(Sign::Duplicates),
            AckKind::Duplicate if p.dupacks < self.threshold && self.limited_transmit => Evidence::Departure,
            _ => Evidence::Nothing,
        }
    }
}
