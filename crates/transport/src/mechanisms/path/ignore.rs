//! Signals change nothing: routing's business is not TCP's.
//!
//! Spec      RFC 1122 §4.2.3.9 (soft errors must not abort a connection)
//! Deviates  nothing
//! Holds     the sender never stands still

use super::{Path, PathEvent, Ruling, Standing};
use crate::mechanisms::Part;
use crate::view::Public;

/// See the file's header.
pub const IGNORE: Part<dyn Path> = Part::new("ignore", "RFC 1122 §4.2.3.9", |_| Box::new(Ignore));

#[derive(Debug)]
struct Ignore;

impl Path for Ignore {
    fn on_event(&mut self, _p: &Public, _event: PathEvent<'_>) -> Ruling {
        Standing::Open.into()
    }
}
