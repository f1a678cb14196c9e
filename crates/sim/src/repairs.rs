//! What of a flow's stream was lost and to what, which retransmissions repair something, and which are spurious.
//!
//! Spec      a retransmission is spurious if, when it leaves, all of it has arrived or is on its way: nothing was lost
//!           that had not arrived in another copy and was not sent again since
//! Deviates  of copies that begin at the same byte and end elsewhere, one that is lost is taken for lost
//! Holds     every retransmission is one or the other; of several copies that were lost, the last one to be is what counts

use std::collections::BTreeMap;

use hopwright_machine::LossCause;
use hopwright_wire::tcp;
use hopwright_wire::tcp::Flags;

/// What of a flow's stream was sent, and what was lost and not sent again since. Positions are those of
/// `hopwright_transport::Public`: the SYN is at 0, the first byte at 1.
#[derive(Debug, Default)]
pub(crate) struct Repairs {
    /// The initial sequence number, and how many from there on were sent at least once. `None` before the SYN.
    sent: Option<(tcp::Seq, i64)>,
    /// Ranges of positions, from and to, and what they were lost to.
    lost: BTreeMap<i64, (i64, LossCause)>,
    /// Likewise, of what has arrived; no two touch.
    arrived: BTreeMap<i64, i64>,
    /// Of what is on its way more than once: from where to where, and how many copies besides the last.
    spare: BTreeMap<i64, (i64, u32)>,
}

impl Repairs {
    /// A segment leaves. Returns whether that is a retransmission, and a spurious one.
    pub(crate) fn leaves(&mut self, segment: &tcp::Segment) -> bool {
        let length = i64::from(segment.stream_length());
        if length == 0 {
            return false;
        }
        let from = self.place(segment);
        let Some((_, sent)) = &mut self.sent else { return false };
        let is_again = from < *sent;
        *sent = (*sent).max(from + length);
        let is_spurious = is_again && !self.repair(from, from + length);
        if is_spurious {
            let (to, copies) = self.spare.entry(from).or_insert((from + length, 0));
            (*to, *copies) = (from + length, *copies + 1);
        }
        is_spurious && segment.payload_bytes > 0
    }

    /// A segment was lost.
    pub(crate) fn lost(&mut self, segment: &tcp::Segment, cause: LossCause) {
        let length = i64::from(segment.stream_length());
        if length == 0 {
            return;
        }
        let begin = self.place(segment);
        let (mut from, end) = (begin, begin + length);
        if let Some((to, copies)) = self.spare.get_mut(&begin)
            && *to == end
        {
            *copies -= 1;
            if *copies == 0 {
                self.spare.remove(&begin);
            }
            return;
        }
        let mut missing = Vec::new();
        for (&there, &until) in self.arrived.range(..end).filter(|range| *range.1 > begin) {
            if there > from {
                missing.push((from, there));
            }
            from = from.max(until);
        }
        missing.extend((from < end).then_some((from, end)));
        for (from, end) in missing {
            let (to, why) = self.lost.entry(from).or_insert((0, cause));
            (*to, *why) = ((*to).max(end), cause);
        }
    }

    /// A segment has arrived.
    pub(crate) fn arrives(&mut self, segment: &tcp::Segment) {
        let length = i64::from(segment.stream_length());
        if length == 0 {
            return;
        }
        let mut from = self.place(segment);
        let mut to = from + length;
        if !self.lost.is_empty() {
            self.repair(from, to);
        }
        if !self.spare.is_empty() {
            self.spare.retain(|&begin, _| begin < from || begin >= to);
        }
        while let Some((&there, &until)) = self.arrived.range(..=to).next_back()
            && until >= from
        {
            (from, to) = (from.min(there), to.max(until));
            self.arrived.remove(&there);
        }
        self.arrived.insert(from, to);
    }

    /// The position of a sequence number, once the SYN has left.
    pub(crate) fn position(&self, seq: tcp::Seq) -> Option<i64> {
        let (first, sent) = self.sent?;
        // Sequence numbers wrap; what is sent is never far from the end of what was sent.
        let end = first.0.wrapping_add(sent as u32);
        Some(sent + i64::from(seq.0.wrapping_sub(end) as i32))
    }

    /// What the position was lost to, if no copy of it has arrived or is on its way.
    pub(crate) fn lost_at(&self, position: i64) -> Option<LossCause> {
        let before = self.lost.range(..=position).rev();
        before.map(|(_, &range)| range).find(|&(to, _)| to > position).map(|(_, cause)| cause)
    }

    /// Whether a copy of it has arrived.
    pub(crate) fn has_arrived(&self, position: i64) -> bool {
        self.arrived.range(..=position).next_back().is_some_and(|(_, &to)| to > position)
    }

    /// Whether nothing is lost.
    pub(crate) fn is_whole(&self) -> bool {
        self.lost.is_empty()
    }

    /// Where something changes from here on: between two of these positions, all share one fate.
    pub(crate) fn edges(&self, from: i64) -> impl Iterator<Item = i64> {
        let lost = self.lost.iter().flat_map(|(&begin, &(end, _))| [begin, end]);
        let arrived = self.arrived.iter().flat_map(|(&begin, &end)| [begin, end]);
        lost.chain(arrived).filter(move |&edge| edge > from)
    }

    /// Where a segment begins.
    fn place(&mut self, segment: &tcp::Segment) -> i64 {
        let is_syn = segment.flags.has(Flags::SYN);
        self.sent.get_or_insert((if is_syn { segment.seq } else { segment.seq - 1 }, 0));
        self.position(segment.seq).unwrap_or(0)
    }

    /// Whether anything of the range was lost; from now on it is not.
    fn repair(&mut self, from: i64, to: i64) -> bool {
        let touched = self.lost.range(..to).filter(|&(_, &(end, _))| end > from);
        let touched: Vec<_> = touched.map(|(&begin, &(end, cause))| (begin, end, cause)).collect();
        for &(begin, end, cause) in &touched {
            self.lost.remove(&begin);
            if begin < from {
                self.lost.insert(begin, (from, cause));
            }
            if end > to {
                self.lost.insert(to, (end, cause));
            }
        }
        !touched.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use hopwright_wire::ip::Ecn;

    use super::*;

    fn data(seq: u32, bytes: u32) -> tcp::Segment {
        tcp::Segment {
            source_port: 1,
            destination_port: 2,
            seq: tcp::Seq(seq),
            ack: tcp::Seq(0),
            flags: tcp::Flags::ACK,
            window: 0,
            urgent: 0,
            options: tcp::Options::default(),
            payload_bytes: bytes,
            ecn: Ecn::NotCapable,
        }
    }

    #[test]
    fn a_retransmission_is_spurious_unless_something_of_it_was_lost() {
        let first = u32::MAX - 250; // they wrap
        let at = |n: u32| first.wrapping_add(100 * n);
        let mut flow = Repairs::default();
        assert!((0..6).all(|n| !flow.leaves(&data(at(n), 100))), "sent for the first time");
        flow.lost(&data(at(1), 100), LossCause::Queue);
        flow.lost(&data(at(4), 100), LossCause::Queue);
        assert!(flow.leaves(&data(at(0), 100)), "it was not lost");
        assert!(!flow.leaves(&data(at(1), 100)));
        assert!(flow.leaves(&data(at(1), 100)), "it was repaired already");
        flow.lost(&data(at(1), 100), LossCause::Queue); // the repair
        flow.lost(&data(at(1), 100), LossCause::Queue); // and what was sent besides
        assert!(!flow.leaves(&data(at(1), 100)));
        assert!(!flow.leaves(&data(at(3), 200)), "half of it was lost");
        assert!(!flow.leaves(&data(at(6), 100)));
        assert!(!flow.leaves(&data(at(5), 0)), "no data");
    }

    #[test]
    fn what_pads_a_syn_is_no_data() {
        let mut flow = Repairs::default();
        assert!(!flow.leaves(&tcp::Segment { flags: Flags::SYN, ..data(99, 1000) }));
        assert!(!flow.leaves(&data(100, 1000)), "sent for the first time");
        flow.lost(&data(100, 1000), LossCause::Queue);
        assert!(!flow.leaves(&data(100, 1000)), "it was lost");
    }

    #[test]
    fn what_is_on_its_way_is_not_lost_with_another_copy() {
        let mut flow = Repairs::default();
        assert!(!flow.leaves(&data(0, 100)));
        assert!(flow.leaves(&data(0, 100)));
        flow.lost(&data(0, 100), LossCause::Queue);
        assert!(flow.leaves(&data(0, 100)), "the other copy is on its way");
        flow.lost(&data(0, 100), LossCause::Queue);
        flow.lost(&data(0, 100), LossCause::Queue);
        assert!(!flow.leaves(&data(0, 100)), "all three are lost");
        assert!(flow.leaves(&data(0, 100)));
        flow.arrives(&data(0, 100));
        flow.lost(&data(0, 100), LossCause::Queue);
        assert!(flow.leaves(&data(0, 100)) && flow.lost.is_empty(), "it has arrived");
    }

    #[test]
    fn what_has_arrived_is_not_lost_with_another_copy() {
        let mut flow = Repairs::default();
        assert!((0..6).all(|n| !flow.leaves(&data(100 * n, 100))));
        flow.arrives(&data(100, 100));
        assert!(flow.leaves(&data(100, 100)));
        flow.lost(&data(100, 100), LossCause::Queue); // the copy
        assert!(flow.leaves(&data(100, 100)), "it has arrived");
        flow.lost(&data(0, 400), LossCause::Queue); // longer: of it, 100 to 200 has arrived
        assert!(!flow.leaves(&data(0, 100)));
        assert!(flow.leaves(&data(100, 100)));
        flow.arrives(&data(200, 100)); // it was found
        assert!(flow.leaves(&data(200, 100)));
        assert!(!flow.leaves(&data(300, 100)));
        flow.arrives(&data(0, 600));
        flow.lost(&data(0, 600), LossCause::Queue);
        assert!(flow.leaves(&data(0, 600)));
        assert_eq!(flow.arrived.len(), 1);
    }

    #[test]
    fn of_a_lost_range_what_is_not_sent_again_stays_lost() {
        let mut flow = Repairs::default();
        flow.leaves(&data(0, 300));
        flow.lost(&data(0, 300), LossCause::Queue);
        assert!(!flow.leaves(&data(100, 100)));
        assert!(flow.leaves(&data(100, 100)));
        assert!(!flow.leaves(&data(0, 100)));
        assert!(!flow.leaves(&data(200, 100)));
        assert!(flow.leaves(&data(0, 300)));
    }

    #[test]
    fn a_loss_has_the_cause_of_the_last_copy() {
        let mut flow = Repairs::default();
        assert!(!flow.leaves(&data(0, 300))); // positions 1 to 301: the SYN is at 0
        flow.lost(&data(0, 300), LossCause::Queue);
        assert_eq!(
            [0, 1, 300, 301].map(|at| flow.lost_at(at)),
            [None, Some(LossCause::Queue), Some(LossCause::Queue), None]
        );
        flow.leaves(&data(100, 100));
        assert_eq!([100, 101, 200, 201].map(|at| flow.lost_at(at).is_some()), [true, false, false, true]);
        flow.lost(&data(100, 100), LossCause::Channel);
        assert_eq!(
            [100, 101, 201].map(|at| flow.lost_at(at)),
            [Some(LossCause::Queue), Some(LossCause::Channel), Some(LossCause::Queue)]
        );
        flow.leaves(&data(0, 100));
        flow.leaves(&data(0, 100)); // two copies
        flow.lost(&data(0, 100), LossCause::Channel);
        assert_eq!(flow.lost_at(1), None);
        flow.lost(&data(0, 100), LossCause::Contention);
        assert_eq!(flow.lost_at(1), Some(LossCause::Contention));
        flow.arrives(&data(0, 300));
        assert!(flow.is_whole() && flow.has_arrived(300) && !flow.has_arrived(301));
    }

    #[test]
    fn syn_and_fin_have_their_positions() {
        let syn = tcp::Segment { flags: Flags::SYN, ..data(u32::MAX, 0) };
        let fin = tcp::Segment { flags: Flags::ACK.with(Flags::FIN), ..data(100, 0) };
        let mut flow = Repairs::default();
        assert!(!flow.leaves(&syn));
        assert!(!flow.leaves(&data(0, 100)));
        assert!(!flow.leaves(&fin));
        flow.lost(&fin, LossCause::NoRoute);
        assert_eq!([0, 1, 100, 101, 102].map(|at| flow.lost_at(at).is_some()), [false, false, false, true, false]);
        assert!(!flow.leaves(&fin) && !flow.leaves(&fin), "no data");
    }
}
