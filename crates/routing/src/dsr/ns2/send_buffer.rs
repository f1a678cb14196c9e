//! ns-2's send buffer: packets that wait for a route, each in the first place that was free.
//!
//! Spec      ns-2.35
//! Deviates  nothing
//! Holds     how many places are taken is known without a look at them

use hopwright_machine::{Address, Time};
use hopwright_wire::Packet;

use super::view::View;

/// A packet that waits for a route.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) since: Time,
    pub(super) packet: Packet,
    pub(super) view: View,
}

/// The packets of one node that wait for a route.
#[derive(Debug)]
pub(super) struct SendBuffer {
    /// Those that were never taken are not there: there may be many, and each is looked at every now and then.
    places: Vec<Option<Kept>>,
    most: usize,
    /// Places that are taken: asked for at every event of the node.
    taken: usize,
}

impl SendBuffer {
    pub(super) const fn new(most: usize) -> Self {
        Self { places: Vec::new(), most, taken: 0 }
    }

    pub(super) const fn len(&self) -> usize {
        self.taken
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.taken == 0
    }

    /// Places that were ever taken.
    pub(super) const fn size(&self) -> usize {
        self.places.len()
    }

    /// Where the packet in this place is to go.
    pub(super) fn destination(&self, place: usize) -> Option<Address> {
        self.places[place].as_ref().map(|kept| kept.packet.destination)
    }

    pub(super) fn take(&mut self, place: usize) -> Option<Kept> {
        let kept = self.places[place].take();
        self.taken -= usize::from(kept.is_some());
        kept
    }

    /// Puts a packet into this place; answers the one that had it.
    pub(super) fn put(&mut self, place: usize, kept: Kept) -> Option<Kept> {
        if place == self.places.len() {
            self.places.push(None);
        }
        let old = self.places[place].replace(kept);
        self.taken += usize::from(old.is_none());
        old
    }

    /// The first free place, or else the one of the packet that has waited longest.
    pub(super) fn next_place(&self) -> usize {
        if let Some(free) = self.places.iter().position(Option::is_none) {
            return free;
        }
        if self.places.len() < self.most {
            return self.places.len();
        }
        let since = |place: &usize| self.places[*place].as_ref().map(|kept| kept.since);
        (0..self.places.len()).min_by_key(since).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::{Duration, NodeId, PacketId};
    use hopwright_wire::Payload;

    use super::*;

    fn kept(id: u64, seconds: u64) -> Kept {
        let [from, to] = [NodeId(0), NodeId(id as u32)].map(NodeId::address);
        let since = Time::ZERO + Duration::from_secs(seconds);
        Kept { since, packet: Packet::new(PacketId(id), from, to, 32, Payload::Nothing), view: View::default() }
    }

    #[test]
    fn the_first_free_place_is_next_and_the_longest_wait_ends_first() {
        let mut buffer = SendBuffer::new(3);
        for (id, seconds) in [(1, 5), (2, 3), (3, 3)] {
            let place = buffer.next_place();
            assert_eq!(place, id as usize - 1);
            assert!(buffer.put(place, kept(id, seconds)).is_none());
            assert_eq!(buffer.len(), id as usize);
        }
        assert_eq!((buffer.next_place(), buffer.size()), (1, 3));
        assert_eq!(buffer.put(1, kept(4, 9)).map(|old| old.packet.id), Some(PacketId(2)));
        assert_eq!((buffer.len(), buffer.next_place()), (3, 2));
        assert!(buffer.take(0).is_some() && buffer.take(0).is_none());
        assert_eq!((buffer.len(), buffer.is_empty(), buffer.next_place()), (2, false, 0));
        assert_eq!([0, 1].map(|place| buffer.destination(place)), [None, Some(NodeId(4).address())]);
    }
}
