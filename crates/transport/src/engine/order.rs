//! Numbers that show in which order segments left: TCP-DOOR's.
//!
//! Spec      Wang and Zhang 2002 (ADSN: which duplicate an acknowledgement is; TPSN: the how-manieth data segment);
//!           the receiver's out-of-order bit as summarised by Ghaleb-Seddik 2009 §2.4.2.1
//! Deviates  the ADSN starts at 0 when the cumulative number advances (the documents leave it open)
//! Holds     kept and sent only for mechanisms that need it

use hopwright_wire::tcp::Extra;

/// See the file's header.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// TPSN of the last data segment sent.
    packet: u16,
    /// ADSN of the last acknowledgement sent, and the position it acknowledged.
    duplicate: u8,
    acknowledged: u64,
    /// The highest TPSN that came.
    highest: Option<u16>,
    /// Whether the next acknowledgement says that segments came out of order.
    is_out_of_order: bool,
}

impl Order {
    /// Numbers a data segment that leaves.
    pub(super) fn on_data_sent(&mut self, extra: &mut Extra) {
        self.packet = self.packet.wrapping_add(1);
        extra.set_packet_number(self.packet);
    }

    /// Numbers an acknowledgement of everything before `next` that leaves without data.
    pub(super) fn on_ack_sent(&mut self, next: u64, extra: &mut Extra) {
        self.duplicate = if next == self.acknowledged { self.duplicate.wrapping_add(1) } else { 0 };
        self.acknowledged = next;
        extra.set_duplicate_number(self.duplicate);
        if core::mem::take(&mut self.is_out_of_order) {
            extra.set_out_of_order();
        }
    }

    /// A data segment came.
    pub(super) fn on_data(&mut self, extra: &Extra) {
        let Some(number) = extra.packet_number() else { return };
        match self.highest {
            Some(highest) if (number.wrapping_sub(highest) as i16) < 0 => self.is_out_of_order = true,
            _ => self.highest = Some(number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(number: u16) -> Extra {
        let mut extra = Extra::default();
        extra.set_packet_number(number);
        extra
    }

    fn ack(order: &mut Order, next: u64) -> Extra {
        let mut extra = Extra::default();
        order.on_ack_sent(next, &mut extra);
        extra
    }

    #[test]
    fn an_earlier_number_is_told_once() {
        let mut order = Order::default();
        [7, 9, 8].iter().for_each(|&n| order.on_data(&data(n)));
        assert!(ack(&mut order, 1).is_out_of_order());
        assert!(!ack(&mut order, 1).is_out_of_order());
        order.on_data(&data(10)); // an old byte, sent again: in order all the same
        assert!(!ack(&mut order, 1).is_out_of_order());
    }

    #[test]
    fn numbers_wrap() {
        let mut order = Order::default();
        [u16::MAX, 0, 1].iter().for_each(|&n| order.on_data(&data(n)));
        assert!(!ack(&mut order, 1).is_out_of_order());
    }

    #[test]
    fn duplicates_are_counted_from_the_last_advance() {
        let mut order = Order::default();
        let numbers: Vec<_> = [5, 5, 5, 6, 6].iter().map(|&n| ack(&mut order, n).duplicate_number()).collect();
        assert_eq!(numbers, [Some(0), Some(1), Some(2), Some(0), Some(1)]);
    }
}
