//! The interface queue: drop-tail, with routing packets at the front.
//!
//! Spec      ns-2.35's PriQueue: drop-tail, routing packets first
//! Deviates  nothing
//! Holds     never more than its limit; nothing leaves it unseen

use std::collections::VecDeque;

use hopwright_machine::NodeId;

/// A packet that waits for the MAC.
#[derive(Clone, Debug)]
pub struct Waiting<P> {
    /// The packet.
    pub packet: P,
    /// Its length, bytes.
    pub bytes: u32,
    /// The next hop; `None` for everyone.
    pub next_hop: Option<NodeId>,
}

/// The interface queue of one station.
#[derive(Clone, Debug)]
pub struct Queue<P> {
    limit: usize,
    waiting: VecDeque<Waiting<P>>,
}

impl<P> Queue<P> {
    /// An empty queue for up to `limit` packets.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { limit, waiting: VecDeque::new() }
    }

    /// Adds a packet at the tail, or at the head if `first`; returns the one that had to go.
    pub fn push(&mut self, item: Waiting<P>, first: bool) -> Option<Waiting<P>> {
        if first {
            self.waiting.push_front(item);
            return if self.waiting.len() > self.limit { self.waiting.pop_back() } else { None };
        }
        if self.waiting.len() >= self.limit {
            return Some(item);
        }
        self.waiting.push_back(item);
        None
    }

    /// Takes the packet at the head.
    pub fn pop(&mut self) -> Option<Waiting<P>> {
        self.waiting.pop_front()
    }

    /// Takes out the first packet for this next hop.
    pub fn take_for(&mut self, next_hop: NodeId) -> Option<Waiting<P>> {
        let place = self.waiting.iter().position(|w| w.next_hop == Some(next_hop))?;
        self.waiting.remove(place)
    }

    /// How many packets wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(packet: char, hop: u32) -> Waiting<char> {
        Waiting { packet, bytes: 1, next_hop: Some(NodeId(hop)) }
    }

    #[test]
    fn a_full_queue_drops_the_newcomer_or_for_a_routing_packet_the_last() {
        let mut queue = Queue::new(2);
        assert!(queue.push(item('a', 1), false).is_none());
        assert!(queue.push(item('b', 1), false).is_none());
        assert_eq!(queue.push(item('c', 1), false).unwrap().packet, 'c');
        assert_eq!(queue.push(item('r', 1), true).unwrap().packet, 'b');
        assert_eq!(queue.pop().unwrap().packet, 'r');
        assert_eq!(queue.pop().unwrap().packet, 'a');
        assert!(queue.pop().is_none());
    }

    #[test]
    fn packets_for_a_lost_hop_can_be_taken_out() {
        let mut queue = Queue::new(5);
        for (packet, hop) in [('a', 1), ('b', 2), ('c', 1)] {
            queue.push(item(packet, hop), false);
        }
        assert_eq!(queue.take_for(NodeId(1)).unwrap().packet, 'a');
        assert_eq!(queue.take_for(NodeId(1)).unwrap().packet, 'c');
        assert!(queue.take_for(NodeId(1)).is_none());
        assert_eq!(queue.len(), 1);
    }
}
