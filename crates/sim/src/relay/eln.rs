//! Explicit loss notification by the node behind a wireless hop: it knows what never came over it.
//!
//! Spec      Balakrishnan, Seshan, Amir and Katz, MobiCom 1995 §3.3 and Balakrishnan and Katz 1998: data from a mobile host
//!           pass here; an acknowledgement that asks for what did not, though later data did, gets a notice
//!           (`Extra::is_loss_notice`)
//! Deviates  ns-2 (`Snoop::snoop_wired_ack`) gives a notice also when it knows of nothing that is not acknowledged: here
//!           only for a hole that was seen. Of more than eight stretches ns-2 forgets the oldest: here the hole between
//!           the last two is forgotten, for no notice is better than a wrong one
//! Holds     what has passed is never called lost before here

use hopwright_wire::tcp::{Flags, Segment, Seq};

/// Stretches that are told apart (ns-2's `SNOOP_WLSEQS`).
const MOST: usize = 8;

/// What of one connection has come over the wireless hop and is not acknowledged.
#[derive(Debug, Default)]
pub(crate) struct Holes {
    /// Stretches, in order, none touching another.
    passed: Vec<(Seq, Seq)>,
    /// Notices given.
    pub(crate) notices: u64,
}

impl Holes {
    /// A segment comes from the mobile host.
    pub(crate) fn on_data(&mut self, segment: &Segment) {
        if segment.flags.has(Flags::SYN) || segment.flags.has(Flags::RST) {
            self.passed.clear();
        }
        let (mut from, mut to) = (segment.seq, segment.end());
        if from == to {
            return;
        }
        let touching = |&(begin, end): &(Seq, Seq)| !begin.is_after(to) && !end.is_before(from);
        if let Some(first) = self.passed.iter().position(touching) {
            let last = self.passed.iter().rposition(touching).unwrap_or(first);
            (from, to) = (from.min(self.passed[first].0), to.max(self.passed[last].1));
            self.passed.drain(first..=last);
        }
        let place = self.passed.partition_point(|(begin, _)| begin.is_before(from));
        self.passed.insert(place, (from, to));
        if self.passed.len() > MOST
            && let Some((_, end)) = self.passed.pop()
            && let Some(last) = self.passed.last_mut()
        {
            last.1 = end;
        }
    }

    /// An acknowledgement comes from the wired side: whether it asks for what was lost before here.
    pub(crate) fn on_ack(&mut self, segment: &Segment) -> bool {
        if !segment.flags.has(Flags::ACK) {
            return false;
        }
        self.passed.retain(|(_, end)| end.is_after(segment.ack));
        let is_hole = self.passed.first().is_some_and(|(begin, _)| begin.is_after(segment.ack));
        self.notices += u64::from(is_hole);
        is_hole
    }
}

#[cfg(test)]
mod tests {
    use hopwright_wire::ip::Ecn;
    use hopwright_wire::tcp::Options;

    use super::*;

    fn segment(seq: u32, ack: u32, payload_bytes: u32) -> Segment {
        let (source_port, destination_port, window, urgent) = (1, 2, 9, 0);
        let (flags, options, ecn) = (Flags::ACK, Options::default(), Ecn::NotCapable);
        let (seq, ack) = (Seq(seq), Seq(ack));
        Segment { source_port, destination_port, seq, ack, flags, window, urgent, options, payload_bytes, ecn }
    }

    fn pass(holes: &mut Holes, numbers: &[u32]) {
        for n in numbers {
            holes.on_data(&segment(n.wrapping_mul(100), 1, 100));
        }
    }

    fn asks(holes: &mut Holes, n: u32) -> bool {
        holes.on_ack(&segment(1, n.wrapping_mul(100), 0))
    }

    #[test]
    fn a_hole_is_told_until_it_is_filled() {
        let mut holes = Holes::default();
        pass(&mut holes, &[1, 2, 4, 5]);
        assert!(!asks(&mut holes, 2)); // 2 has passed: whoever lost it, not the wireless hop
        assert!(asks(&mut holes, 3));
        assert!(asks(&mut holes, 3));
        pass(&mut holes, &[3]);
        assert!(!asks(&mut holes, 3));
        assert!(!asks(&mut holes, 6)); // nothing later was seen
        assert_eq!(holes.notices, 2);
    }

    #[test]
    fn numbers_wrap() {
        let mut holes = Holes::default();
        for seq in [u32::MAX - 149, u32::MAX - 49, 150] {
            holes.on_data(&segment(seq, 1, 100));
        }
        assert!(!holes.on_ack(&segment(1, u32::MAX - 49, 0)));
        assert!(holes.on_ack(&segment(1, 50, 0)));
    }

    #[test]
    fn beyond_eight_stretches_nothing_is_told_rather_than_something_wrong() {
        let mut holes = Holes::default();
        pass(&mut holes, &(1..20).map(|n| 2 * n).collect::<Vec<_>>()); // every second one is lost
        assert_eq!(holes.passed.len(), MOST);
        assert!(asks(&mut holes, 3) && asks(&mut holes, 15));
        assert!(!asks(&mut holes, 17) && !asks(&mut holes, 37));
    }
}
