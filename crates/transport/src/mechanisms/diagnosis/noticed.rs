//! The sender's half of every diagnosis that the receiver makes: it believes what the duplicates say.
//!
//! Spec      Balakrishnan and Katz 1998 (a bit in acknowledgements)
//! Deviates  verdicts of classifiers that look at arrivals travel in the same bit: their authors leave open how the
//!           sender learns of them
//! Holds     silence is congestion

use crate::mechanisms::{Ack, AckKind, Cause, Sign};

/// See the file's header.
#[derive(Debug, Default)]
pub(super) struct Noticed {
    /// Whether a duplicate of the current acknowledgement said that the channel lost what is missing.
    is_channel: bool,
}

impl Noticed {
    pub(super) const fn on_ack(&mut self, ack: &Ack<'_>) {
        match ack.kind {
            AckKind::Duplicate => self.is_channel |= ack.is_loss_notice(),
            // A partial acknowledgement speaks of the hole that is first now.
            AckKind::Advance => self.is_channel = ack.is_loss_notice(),
            AckKind::Old => {}
        }
    }

    pub(super) const fn cause(&self, sign: Sign) -> Cause {
        match sign {
            Sign::Duplicates if self.is_channel => Cause::Channel,
            _ => Cause::Congestion,
        }
    }
}
