//! Every segment is acknowledged at once.
//!
//! Spec      RFC 9293 §3.8.6.3 (allowed); ns-2 Agent/TCPSink
//! Deviates  nothing
//! Holds     duplicates and segments out of order are acknowledged like all others

use super::{Acking, Arrival, When};
use crate::mechanisms::Part;

/// See the file's header.
pub const EVERY: Part<dyn Acking> = Part::new("every", "RFC 9293 §3.8.6.3", |_| Box::new(Every));

#[derive(Debug)]
struct Every;

impl Acking for Every {
    fn on_data(&mut self, _arrival: &Arrival) -> When {
        When::Now
    }
}
