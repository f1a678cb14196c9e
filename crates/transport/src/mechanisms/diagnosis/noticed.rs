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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanisms::testing::empty_segment;

    #[test]
    fn a_notice_is_about_the_first_hole_until_that_is_filled() {
        let silent = empty_segment();
        let mut notice = silent;
        notice.options.extra.set_loss_notice();
        let mut noticed = Noticed::default();
        let mut after = |kind, segment| {
            noticed.on_ack(&Ack::bare(kind, 0, segment));
            [Sign::Duplicates, Sign::Silence].map(|sign| noticed.cause(sign))
        };
        let (channel, congestion) = ([Cause::Channel, Cause::Congestion], [Cause::Congestion; 2]);
        assert_eq!(after(AckKind::Duplicate, &silent), congestion);
        assert_eq!(after(AckKind::Duplicate, &notice), channel);
        assert_eq!(after(AckKind::Duplicate, &silent), channel);
        assert_eq!(after(AckKind::Advance, &silent), congestion);
        assert_eq!(after(AckKind::Advance, &notice), channel);
    }
}
