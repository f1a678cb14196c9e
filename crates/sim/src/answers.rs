//! What became of the acknowledgements that would tell a sender more than it knows.
//!
//! Spec      an acknowledgement counts as long as the position it asks for lies beyond what the sender knows to have
//!           arrived
//! Deviates  nothing
//! Holds     of several that were lost, the one that was lost last is what counts

use std::collections::VecDeque;

use hopwright_machine::{LossCause, PacketId};

/// A flow's acknowledgements.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    /// What the sender knows to have arrived: positions before this one.
    known: i64,
    /// On their way, in the order in which they left: the position that each asks for. It never falls.
    on_way: VecDeque<(i64, PacketId)>,
    /// Lost, in the order in which they were.
    lost: Vec<(i64, LossCause)>,
}

impl Answers {
    /// An acknowledgement leaves the receiver.
    pub(crate) fn leaves(&mut self, packet: PacketId, asks_for: i64) {
        if asks_for > self.known {
            self.on_way.push_back((asks_for, packet));
        }
    }

    /// One was lost.
    pub(crate) fn lost(&mut self, packet: PacketId, asks_for: i64, cause: LossCause) {
        if asks_for > self.known {
            self.ended(packet, asks_for);
            self.lost.push((asks_for, cause));
        }
    }

    /// One is no longer on its way: it has come to the sender, whatever that made of it.
    pub(crate) fn ended(&mut self, packet: PacketId, asks_for: i64) {
        if asks_for > self.known
            && let Some(place) = self.on_way.iter().position(|&(_, other)| other == packet)
        {
            self.on_way.remove(place);
        }
    }

    /// The sender knows more.
    pub(crate) fn known(&mut self, una: i64) {
        self.known = una;
        while self.on_way.front().is_some_and(|&(asks_for, _)| asks_for <= una) {
            self.on_way.pop_front();
        }
        if !self.lost.is_empty() {
            self.lost.retain(|&(asks_for, _)| asks_for > una);
        }
    }

    /// What kept the news of a position's arrival from the sender: the loss of all that told of it. `None` as well if
    /// one is on its way.
    pub(crate) fn silenced_at(&self, position: i64) -> Option<LossCause> {
        if self.on_way.back().is_some_and(|&(asks_for, _)| asks_for > position) {
            return None;
        }
        self.lost.iter().rev().find(|&&(asks_for, _)| asks_for > position).map(|&(_, cause)| cause)
    }

    /// Whether none is lost.
    pub(crate) fn is_whole(&self) -> bool {
        self.lost.is_empty()
    }

    /// Where something changes: between two of these positions, all share one fate.
    pub(crate) fn edges(&self) -> impl Iterator<Item = i64> {
        self.on_way.back().into_iter().map(|&(asks_for, _)| asks_for).chain(self.lost.iter().map(|&(edge, _)| edge))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_is_lost_with_the_last_that_tells_it() {
        let mut answers = Answers::default();
        let id = |n: u64| PacketId(n);
        for (n, asks_for) in [(1, 101), (2, 201), (3, 201), (4, 301)] {
            answers.leaves(id(n), asks_for);
        }
        answers.lost(id(1), 101, LossCause::Queue);
        assert_eq!(answers.silenced_at(1), None, "others tell of it, too");
        answers.lost(id(4), 301, LossCause::Channel);
        assert_eq!(
            [1, 200, 201, 300, 301].map(|at| answers.silenced_at(at)),
            [None, None, Some(LossCause::Channel), Some(LossCause::Channel), None]
        );
        answers.lost(id(3), 201, LossCause::Contention);
        answers.lost(id(2), 201, LossCause::NoRoute);
        assert_eq!(
            [1, 200, 201].map(|at| answers.silenced_at(at)),
            [Some(LossCause::NoRoute), Some(LossCause::NoRoute), Some(LossCause::Channel)]
        );
    }

    #[test]
    fn what_the_sender_knows_is_forgotten() {
        let mut answers = Answers::default();
        for n in 1..=3 {
            answers.leaves(PacketId(n), 100 * n as i64);
        }
        answers.lost(PacketId(1), 100, LossCause::Queue);
        answers.known(200);
        assert!(answers.is_whole());
        assert_eq!(answers.edges().collect::<Vec<_>>(), [300]);
        answers.leaves(PacketId(4), 200); // a duplicate tells nothing new
        answers.lost(PacketId(4), 200, LossCause::Queue);
        answers.lost(PacketId(3), 300, LossCause::Queue);
        assert_eq!(answers.silenced_at(200), Some(LossCause::Queue));
        answers.leaves(PacketId(5), 400);
        assert_eq!(answers.silenced_at(200), None);
        answers.ended(PacketId(5), 400);
        assert_eq!(answers.silenced_at(200), Some(LossCause::Queue));
    }
}
