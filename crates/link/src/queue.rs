//! The interface queue: drop-tail, with routing packets at the front; or a queue for each class of packets.
//!
//! Spec      ns-2.35's PriQueue: drop-tail, routing packets first; its CMUPriQueue, which its DSR needs
//! Deviates  PriQueue drops what makes it as long as the limit, or its last packet if that was a routing packet: it holds
//!           one less (measured: `validation/ns2/queue.tcl`). Here it may be as long as the limit
//! Holds     never more than its limit (by class: in any class); nothing leaves it unseen

use std::collections::VecDeque;

use hopwright_machine::NodeId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a packet is to the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// A message of the routing protocol.
    Routing,
    /// A TCP acknowledgement without data.
    Ack,
    /// Anything else.
    Data,
}

/// Which packet of the interface queue goes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Discipline {
    /// The oldest packet, but routing packets go to the front of the queue.
    RoutingFirst,
    /// Routing packets, then TCP acknowledgements, then data. The queue holds `queue_packets` of each class (as the
    /// queue of ns-2 for DSR).
    ByClass,
}

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
    discipline: Discipline,
    /// By class: those of a class stand together, in the order of the classes.
    waiting: VecDeque<Waiting<P>>,
    /// By class: how many wait of each.
    counts: [usize; 3],
}

impl<P> Queue<P> {
    /// An empty queue for up to `limit` packets; by class, for so many of each.
    #[must_use]
    pub fn new(limit: usize, discipline: Discipline) -> Self {
        Self { limit, discipline, waiting: VecDeque::new(), counts: [0; 3] }
    }

    /// Adds a packet where its class belongs; returns the one that had to go.
    pub fn push(&mut self, item: Waiting<P>, class: Class) -> Option<Waiting<P>> {
        if self.discipline == Discipline::ByClass {
            if self.counts[class as usize] >= self.limit {
                return Some(item);
            }
            self.counts[class as usize] += 1;
            let behind = self.counts[..=class as usize].iter().sum::<usize>() - 1;
            self.waiting.insert(behind, item);
            return None;
        }
        if class == Class::Routing {
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
        let item = self.waiting.pop_front()?;
        self.forget(0);
        Some(item)
    }

    /// One fewer of the class that had this place.
    fn forget(&mut self, place: usize) {
        if self.discipline == Discipline::ByClass {
            let class = usize::from(place >= self.counts[0]) + usize::from(place >= self.counts[0] + self.counts[1]);
            self.counts[class] -= 1;
        }
    }

    /// Takes out the first packet for this next hop.
    pub fn take_for(&mut self, next_hop: NodeId) -> Option<Waiting<P>> {
        let place = self.waiting.iter().position(|w| w.next_hop == Some(next_hop))?;
        self.forget(place);
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
        let mut queue = Queue::new(2, Discipline::RoutingFirst);
        assert!(queue.push(item('a', 1), Class::Data).is_none());
        assert!(queue.push(item('b', 1), Class::Data).is_none());
        assert_eq!(queue.push(item('c', 1), Class::Data).unwrap().packet, 'c');
        assert_eq!(queue.push(item('r', 1), Class::Routing).unwrap().packet, 'b');
        assert!(!queue.is_empty());
        assert_eq!(queue.pop().unwrap().packet, 'r');
        assert_eq!(queue.pop().unwrap().packet, 'a');
        assert!(queue.pop().is_none() && queue.is_empty());
        // A routing packet for which there is room drives nobody out.
        assert!(queue.push(item('a', 1), Class::Data).is_none() && queue.push(item('r', 1), Class::Routing).is_none());
        assert_eq!(queue.len(), 2);
    }

    #[test]
    fn by_class_each_has_its_limit_and_its_order() {
        let mut queue = Queue::new(2, Discipline::ByClass);
        let arrivals =
            [('a', Class::Data), ('r', Class::Routing), ('k', Class::Ack), ('b', Class::Data), ('s', Class::Routing)];
        for (packet, class) in arrivals {
            assert!(queue.push(item(packet, 1), class).is_none());
        }
        assert_eq!(queue.push(item('c', 1), Class::Data).unwrap().packet, 'c');
        assert!(queue.push(item('l', 2), Class::Ack).is_none());
        assert_eq!(queue.take_for(NodeId(2)).unwrap().packet, 'l');
        assert!(queue.push(item('m', 2), Class::Ack).is_none());
        let order: String = std::iter::from_fn(|| queue.pop()).map(|waiting| waiting.packet).collect();
        assert_eq!(order, "rskmab");
        assert!(queue.push(item('d', 1), Class::Data).is_none());
    }

    #[test]
    fn by_class_what_is_taken_out_makes_room_in_its_class() {
        // One of routing, two acknowledgements, two of data; an acknowledgement goes, and one may come.
        for (class, hop) in [(Class::Routing, 1), (Class::Ack, 2), (Class::Data, 3)] {
            let mut queue = Queue::new(2, Discipline::ByClass);
            let fill = [(Class::Routing, 1), (Class::Ack, 2), (Class::Ack, 2), (Class::Data, 3), (Class::Data, 3)];
            for (class, hop) in fill {
                queue.push(item('x', hop), class);
            }
            assert!(queue.take_for(NodeId(hop)).is_some());
            let room = |of: Class| queue.clone().push(item('y', 9), of).is_none();
            let all = [Class::Routing, Class::Ack, Class::Data].map(room);
            assert_eq!(all, [true, class == Class::Ack, class == Class::Data], "{class:?}");
        }
    }

    #[test]
    fn packets_for_a_lost_hop_can_be_taken_out() {
        let mut queue = Queue::new(5, Discipline::RoutingFirst);
        for (packet, hop) in [('a', 1), ('b', 2), ('c', 1)] {
            queue.push(item(packet, hop), Class::Data);
        }
        assert_eq!(queue.take_for(NodeId(1)).unwrap().packet, 'a');
        assert_eq!(queue.take_for(NodeId(1)).unwrap().packet, 'c');
        assert!(queue.take_for(NodeId(1)).is_none());
        assert_eq!(queue.len(), 1);
    }
}
