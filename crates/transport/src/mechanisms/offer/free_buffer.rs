//! As much as the buffer has room for.
//!
//! Spec      RFC 9293 §3.8.6
//! Deviates  nothing
//! Holds     never more than `window_limit_segments`

use super::{Offer, Receiver};
use crate::mechanisms::Part;

/// See the file's header.
pub const FREE_BUFFER: Part<dyn Offer> = Part::new("free-buffer", "RFC 9293 §3.8.6", |_| Box::new(FreeBuffer));

#[derive(Debug)]
pub(super) struct FreeBuffer;

impl Offer for FreeBuffer {
    fn window(&mut self, receiver: &Receiver) -> u64 {
        receiver.buffer.saturating_sub(receiver.unread)
    }
}
