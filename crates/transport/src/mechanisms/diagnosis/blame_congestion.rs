//! Every loss is congestion: the premise of wired TCP.
//!
//! Spec      RFC 5681 §3.1
//! Deviates  nothing
//! Holds     always the same answer

use super::Diagnosis;
use crate::mechanisms::{Cause, Part, Sign};
use crate::view::Public;

/// See the file's header.
pub const BLAME_CONGESTION: Part<dyn Diagnosis> =
    Part::new("blame-congestion", "RFC 5681 §3.1", |_| Box::new(BlameCongestion));

#[derive(Debug)]
struct BlameCongestion;

impl Diagnosis for BlameCongestion {
    fn diagnose(&mut self, _p: &Public, _sign: Sign) -> Cause {
        Cause::Congestion
    }
}
