//! Which packets of flows and of programs outside were lost, each once, and what is to blame.
//!
//! A packet may exist as several copies: a station gives up what its neighbour has received, a router sends again what
//! nobody has confirmed. It is lost when the last copy ends and none has arrived. So what is dropped is more than what
//! is lost.
//!
//! Spec      `LossCause`
//! Deviates  nothing
//! Holds     a packet is lost at most once, and not if it arrives

use std::collections::VecDeque;

use hopwright_machine::{DropCause, Duration, LossCause, NodeId, PacketId, Time};
use rustc_hash::FxHashMap;

/// How a packet ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// A copy of it has reached its transport or application.
    Delivered,
    /// All copies there were then had been dropped.
    Lost(LossCause),
}

/// A packet with more than one copy.
#[derive(Debug)]
struct Copies {
    left: u32,
    end: Option<End>,
}

/// A packet that a station still holds although the next hop has it.
#[derive(Clone, Copy, Debug)]
struct HandedOver {
    holder: NodeId,
    packet: PacketId,
    /// How it has ended since, if it has.
    end: Option<End>,
}

/// Follows the packets of flows and of programs outside to their ends.
#[derive(Debug, Default)]
pub(crate) struct Losses {
    /// Packets that have ended, where routers keep copies of their own and may send one of them much later.
    ended: Option<Ended>,
    /// At most one of each station, for the time of an acknowledgement or of retries: a short list.
    handed_over: Vec<HandedOver>,
    /// Packets of which there are or were several copies. Usually none.
    copies: FxHashMap<PacketId, Copies>,
    /// Why packets did not reach their next hop; as long as they may be dropped for it.
    unreached: FxHashMap<PacketId, LossCause>,
}

/// Packets that have ended lately.
#[derive(Debug, Default)]
struct Ended {
    /// When the last copy ended, and how the packet has.
    how: FxHashMap<PacketId, (Time, End)>,
    /// Each end of a last copy, the oldest first.
    order: VecDeque<(Time, PacketId)>,
}

impl Ended {
    /// No router sends a copy of its own later than this after the last one has ended.
    const KEPT: Duration = Duration::from_secs(60);

    fn note(&mut self, now: Time, packet: PacketId, end: End) {
        while let Some(&(at, oldest)) = self.order.front()
            && at + Self::KEPT < now
        {
            self.order.pop_front();
            if self.how.get(&oldest).is_some_and(|&(last, _)| last == at) {
                self.how.remove(&oldest);
            }
        }
        self.how.insert(packet, (now, end));
        self.order.push_back((now, packet));
    }
}

/// What the end of a copy means for its packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// There are other copies, or one has arrived before.
    Nothing,
    /// It is lost.
    Lost(LossCause),
    /// It was taken for lost, for this cause, and has arrived after all.
    Found(LossCause),
}

impl Losses {
    /// `routers_copy`: whether routers keep copies of what they sent, and may send one of them again.
    pub(crate) fn new(routers_copy: bool) -> Self {
        Self { ended: routers_copy.then(Ended::default), ..Self::default() }
    }

    /// A packet has come from a station, which holds it until it knows.
    pub(crate) fn handed_over(&mut self, holder: NodeId, packet: PacketId) {
        self.let_go(holder);
        self.handed_over.push(HandedOver { holder, packet, end: None });
    }

    /// A station no longer holds what the next hop has. Returns how that has ended, if it has.
    pub(crate) fn let_go(&mut self, holder: NodeId) -> Option<End> {
        let place = self.handed_over.iter().position(|other| other.holder == holder)?;
        self.handed_over.swap_remove(place).end
    }

    /// A packet did not reach its next hop, and why.
    pub(crate) fn not_reached(&mut self, packet: PacketId, why: LossCause) {
        self.unreached.insert(packet, why);
    }

    /// A station has given up what the next hop has, or that has received it again: from now on there is a copy more,
    /// though the other may have ended.
    pub(crate) fn doubled(&mut self, node: NodeId, packet: PacketId) {
        let end = self.let_go(node);
        self.copied_after(packet, end);
    }

    /// A router sends a copy of its own.
    pub(crate) fn copied(&mut self, packet: PacketId) {
        let end = self.ended.as_ref().and_then(|ended| ended.how.get(&packet)).map(|&(_, end)| end);
        self.copied_after(packet, end);
    }

    /// There is a copy more, beside the others or after their end.
    fn copied_after(&mut self, packet: PacketId, end: Option<End>) {
        let others = u32::from(end.is_none());
        self.copies.entry(packet).or_insert(Copies { left: others, end }).left += 1;
    }

    /// A copy has arrived.
    pub(crate) fn delivered(&mut self, now: Time, packet: PacketId) -> News {
        let before = self.end_copy(packet, |_| Some(End::Delivered));
        self.note_end(now, packet, End::Delivered);
        match before {
            Some(End::Lost(cause)) => News::Found(cause),
            _ => News::Nothing,
        }
    }

    /// A copy was dropped.
    pub(crate) fn dropped(&mut self, now: Time, packet: PacketId, cause: DropCause) -> News {
        let cause = cause.loss(self.unreached.get(&packet).copied().unwrap_or(LossCause::LinkFailure));
        let others = self.copies.get(&packet).map_or(0, |copies| copies.left - 1);
        let before = self.end_copy(packet, |before| before.or((others == 0).then_some(End::Lost(cause))));
        if others > 0 {
            return News::Nothing;
        }
        // A station that holds what its next hop has must know that this copy has ended, too.
        self.note_end(now, packet, before.unwrap_or(End::Lost(cause)));
        if before.is_some() { News::Nothing } else { News::Lost(cause) }
    }

    /// One copy less; returns how the packet had ended before, if it had.
    fn end_copy(&mut self, packet: PacketId, end: impl FnOnce(Option<End>) -> Option<End>) -> Option<End> {
        let copies = self.copies.get_mut(&packet)?;
        let before = copies.end;
        copies.left -= 1;
        copies.end = end(before);
        if copies.left == 0 {
            self.copies.remove(&packet);
        }
        before
    }

    /// The last copy there was has ended; a station may hold another one and not know that it is another.
    fn note_end(&mut self, now: Time, packet: PacketId, end: End) {
        if let Some(ended) = &mut self.ended {
            ended.note(now, packet, end);
        }
        if !self.unreached.is_empty() {
            self.unreached.remove(&packet);
        }
        for held in self.handed_over.iter_mut().filter(|held| held.packet == packet) {
            held.end = Some(end);
        }
    }
}

#[cfg(test)]
mod tests;
