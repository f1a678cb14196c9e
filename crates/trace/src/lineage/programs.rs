//! What happens to packets of programs: all of it is told of, whatever the scope.
//!
//! Holds     a packet's rows lead from its arrival back to how it was sent, over each hop and each wait

use std::io::Write;

use hopwright_machine::{NodeId, Time};
use hopwright_wire::{Packet, Payload};

use super::Lineage;
use super::row::Row;
use super::story::Event;

impl<W: Write + Send> Lineage<W> {
    /// Whether it is a packet of a program, of which all is told.
    pub(super) fn is_foreign(&self, packet: &Packet) -> bool {
        self.programs.is_some() && matches!(packet.payload, Payload::Opaque(_))
    }

    /// Something that has happened to a packet, and is told of now if it is a program's.
    pub(super) fn happens_to(&mut self, packet: &Packet, row: Row, because: Option<Event>) -> Event {
        if self.is_foreign(packet) { self.matters(row, because) } else { self.happens(row, because) }
    }

    /// A program's packet has its next hop, and goes to the station, which may have others to send first.
    pub(super) fn queued(&mut self, at: Time, node: NodeId, packet: &Packet, next_hop: Option<NodeId>) {
        let (row, _) = self.row_of(at, "queued", node, packet);
        // The next hop may have it already, and this be a copy.
        let way = self.ways.get(packet.id).filter(|way| way.node == node).map(|way| Event::clone(&way.last));
        let is_here = way.is_some();
        let queued = self.matters(Row { peer: next_hop, ..row }, way);
        if let Some(way) = self.ways.get_mut(packet.id).filter(|_| is_here) {
            way.last = queued;
        }
    }

    /// A program's packet has come to a router on its way.
    pub(super) fn foreign_came(&mut self, at: Time, node: NodeId, packet: &Packet, from: NodeId) {
        if packet.destination == node.address() {
            return; // it is delivered
        }
        let (row, _) = self.row_of(at, "came", node, packet);
        let came = self.matters(Row { peer: Some(from), ..row }, self.ways.last(packet.id));
        if let Some(way) = self.ways.get_mut(packet.id) {
            way.last = came;
        }
    }
}
