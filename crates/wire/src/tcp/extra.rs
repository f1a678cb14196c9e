//! What this project's mechanisms say to each other: an experimental option of their own.
//!
//! Spec      RFC 6994 (kind 253, an identifier of 16 bits); the fields are those of TCP-DOOR (ADSN, TPSN and the
//!           out-of-order bit), explicit loss notification, polled and tuned-rate acknowledgements, distances of
//!           segments (packet pair, inter-packet separation)
//! Deviates  the documents use header bits that stand for something else today, or options without a number
//! Holds     absent from every segment whose mechanisms say nothing; a peer that does not know it skips it

use core::fmt;

/// Kind of experimental options (RFC 4727 §3.1, RFC 6994).
pub(super) const EXPERIMENT: u8 = 253;
/// Identifies this project's among them (RFC 6994 §3.1).
pub(super) const IDENTIFIER: [u8; 2] = *b"Hw";

/// Kind, length, identifier and the byte that says what follows.
const LEAST: u32 = 5;

/// See the file's header.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Extra {
    present: u8,
    duplicate_number: u8,
    packet_number: u16,
    ack_period_us: u32,
    gap_us: u32,
    window: u32,
}

const DUPLICATE_NUMBER: u8 = 1;
const PACKET_NUMBER: u8 = 2;
const OUT_OF_ORDER: u8 = 4;
const LOSS_NOTICE: u8 = 8;
const POLL: u8 = 16;
const ACK_PERIOD: u8 = 32;
const GAP: u8 = 64;
const WINDOW: u8 = 128;

impl Extra {
    /// Whether there is nothing to say, and no option.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.present == 0
    }

    /// Length of the option in bytes, unpadded.
    #[must_use]
    pub const fn bytes(&self) -> u32 {
        if self.is_empty() {
            return 0;
        }
        let words = self.has(ACK_PERIOD) as u32 + self.has(GAP) as u32 + self.has(WINDOW) as u32;
        LEAST + self.has(DUPLICATE_NUMBER) as u32 + 2 * self.has(PACKET_NUMBER) as u32 + 4 * words
    }

    /// TCP-DOOR's ADSN: which duplicate this acknowledgement is of its number.
    #[must_use]
    pub const fn duplicate_number(&self) -> Option<u8> {
        if self.has(DUPLICATE_NUMBER) { Some(self.duplicate_number) } else { None }
    }

    /// TCP-DOOR's TPSN: the how-manieth data segment this is, retransmissions counted too.
    #[must_use]
    pub const fn packet_number(&self) -> Option<u16> {
        if self.has(PACKET_NUMBER) { Some(self.packet_number) } else { None }
    }

    /// TCP-DOOR: the receiver saw segments out of order.
    #[must_use]
    pub const fn is_out_of_order(&self) -> bool {
        self.has(OUT_OF_ORDER)
    }

    /// Explicit loss notification: the receiver believes the channel, not congestion, lost what is missing.
    #[must_use]
    pub const fn is_loss_notice(&self) -> bool {
        self.has(LOSS_NOTICE)
    }

    /// The sender asks for an acknowledgement.
    #[must_use]
    pub const fn is_poll(&self) -> bool {
        self.has(POLL)
    }

    /// The time between acknowledgements that the sender asks for, in microseconds.
    #[must_use]
    pub const fn ack_period_us(&self) -> Option<u32> {
        if self.has(ACK_PERIOD) { Some(self.ack_period_us) } else { None }
    }

    /// On data: how long after the segment before it this one left, in microseconds. On an acknowledgement: how far apart
    /// the last two segments came that had left together.
    #[must_use]
    pub const fn gap_us(&self) -> Option<u32> {
        if self.has(GAP) { Some(self.gap_us) } else { None }
    }

    /// On data: the sender's congestion window, in bytes. On an acknowledgement: the one that the receiver wants.
    #[must_use]
    pub const fn window(&self) -> Option<u32> {
        if self.has(WINDOW) { Some(self.window) } else { None }
    }

    /// Sets the ADSN.
    pub const fn set_duplicate_number(&mut self, number: u8) {
        self.present |= DUPLICATE_NUMBER;
        self.duplicate_number = number;
    }

    /// Sets the TPSN.
    pub const fn set_packet_number(&mut self, number: u16) {
        self.present |= PACKET_NUMBER;
        self.packet_number = number;
    }

    /// Says that segments came out of order.
    pub const fn set_out_of_order(&mut self) {
        self.present |= OUT_OF_ORDER;
    }

    /// Says that the channel lost what is missing.
    pub const fn set_loss_notice(&mut self) {
        self.present |= LOSS_NOTICE;
    }

    /// Asks for an acknowledgement.
    pub const fn set_poll(&mut self) {
        self.present |= POLL;
    }

    /// Asks for an acknowledgement every so often.
    pub const fn set_ack_period_us(&mut self, period: u32) {
        self.present |= ACK_PERIOD;
        self.ack_period_us = period;
    }

    /// Tells a distance.
    pub const fn set_gap_us(&mut self, gap: u32) {
        self.present |= GAP;
        self.gap_us = gap;
    }

    /// Tells a congestion window.
    pub const fn set_window(&mut self, bytes: u32) {
        self.present |= WINDOW;
        self.window = bytes;
    }

    const fn has(&self, field: u8) -> bool {
        self.present & field != 0
    }

    pub(super) fn emit(&self, out: &mut Vec<u8>) {
        if self.is_empty() {
            return;
        }
        out.extend([EXPERIMENT, self.bytes() as u8, IDENTIFIER[0], IDENTIFIER[1], self.present]);
        out.extend(self.duplicate_number());
        if let Some(number) = self.packet_number() {
            out.extend(number.to_be_bytes());
        }
        for word in [self.ack_period_us(), self.gap_us(), self.window()].into_iter().flatten() {
            out.extend(word.to_be_bytes());
        }
    }

    /// Reads the option's body, after the identifier. `None` if its length does not fit what it says.
    pub(super) fn parse(body: &[u8]) -> Option<Self> {
        let (&present, mut rest) = body.split_first()?;
        let mut extra = Self { present, ..Self::default() };
        let mut take = |n: usize| {
            let (field, after) = rest.split_at_checked(n)?;
            rest = after;
            Some(field)
        };
        if extra.has(DUPLICATE_NUMBER) {
            extra.duplicate_number = take(1)?[0];
        }
        if extra.has(PACKET_NUMBER) {
            extra.packet_number = u16::from_be_bytes(take(2)?.try_into().ok()?);
        }
        if extra.has(ACK_PERIOD) {
            extra.ack_period_us = u32::from_be_bytes(take(4)?.try_into().ok()?);
        }
        if extra.has(GAP) {
            extra.gap_us = u32::from_be_bytes(take(4)?.try_into().ok()?);
        }
        if extra.has(WINDOW) {
            extra.window = u32::from_be_bytes(take(4)?.try_into().ok()?);
        }
        rest.is_empty().then_some(extra)
    }
}

impl fmt::Debug for Extra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = f.debug_set();
        if let Some(number) = self.duplicate_number() {
            list.entry(&format_args!("adsn {number}"));
        }
        if let Some(number) = self.packet_number() {
            list.entry(&format_args!("tpsn {number}"));
        }
        if let Some(period) = self.ack_period_us() {
            list.entry(&format_args!("ack-period {period}us"));
        }
        if let Some(gap) = self.gap_us() {
            list.entry(&format_args!("gap {gap}us"));
        }
        if let Some(window) = self.window() {
            list.entry(&format_args!("window {window}"));
        }
        for (is_set, name) in
            [(self.is_out_of_order(), "ooo"), (self.is_loss_notice(), "eln"), (self.is_poll(), "poll")]
        {
            if is_set {
                list.entry(&format_args!("{name}"));
            }
        }
        list.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> Extra {
        let mut extra = Extra::default();
        extra.set_duplicate_number(255);
        extra.set_packet_number(0x0102);
        extra.set_ack_period_us(50_000);
        extra.set_out_of_order();
        extra.set_poll();
        extra.set_gap_us(6_000);
        extra.set_window(30_699);
        extra
    }

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = vec![];
        full().emit(&mut bytes);
        assert_eq!(bytes[..5], [253, 20, b'H', b'w', 0b1111_0111]);
        assert_eq!(bytes[5..], [255, 1, 2, 0, 0, 0xc3, 0x50, 0, 0, 0x17, 0x70, 0, 0, 0x77, 0xeb]);
        assert_eq!(bytes.len() as u32, full().bytes());
        assert_eq!(Extra::parse(&bytes[4..]), Some(full()));
        let told = "{adsn 255, tpsn 258, ack-period 50000us, gap 6000us, window 30699, ooo, poll}";
        assert_eq!(format!("{:?}", full()), told);
    }

    #[test]
    fn nothing_to_say_takes_no_room() {
        let mut bytes = vec![];
        Extra::default().emit(&mut bytes);
        assert_eq!((bytes.len(), Extra::default().bytes()), (0, 0));
    }

    #[test]
    fn lengths_that_do_not_fit_are_refused() {
        assert_eq!(Extra::parse(&[]), None);
        assert_eq!(Extra::parse(&[DUPLICATE_NUMBER]), None);
        assert_eq!(Extra::parse(&[POLL, 0]), None);
        assert_eq!(Extra::parse(&[GAP, 0, 0, 0]), None);
        assert_eq!(Extra::parse(&[GAP | WINDOW, 0, 0, 0, 0, 0]), None);
    }
}
