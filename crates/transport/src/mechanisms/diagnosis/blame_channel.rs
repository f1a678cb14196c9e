//! Every loss is the channel's: for senders that find congestion by other signs than losses.
//!
//! Spec      Velayutham 2005 §2.5.2.2 (detection by delay, or by the separation of segments: a loss is no sign)
//! Deviates  silence is the channel's, too, but is answered as congestion unless the response slot spares it
//! Holds     always the same answer

use super::Diagnosis;
use crate::mechanisms::{Cause, Part, Sign};
use crate::view::Public;

/// See the file's header.
pub const BLAME_CHANNEL: Part<dyn Diagnosis> =
    Part::new("blame-channel", "Velayutham 2005 §2.5.2.2", |_| Box::new(BlameChannel));

#[derive(Debug)]
struct BlameChannel;

impl Diagnosis for BlameChannel {
    fn diagnose(&mut self, _p: &Public, _sign: Sign) -> Cause {
        Cause::Channel
    }
}
