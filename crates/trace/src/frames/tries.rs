//! Which packet each station tries to hand over, and the how-manyth time.

use hopwright_machine::{NodeId, PacketId};
use hopwright_wire::Packet;

use super::flow_of;
use crate::lineage::carries;

/// What a frame is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct About {
    pub(super) packet: PacketId,
    pub(super) flow: Option<usize>,
    pub(super) carries: &'static str,
    /// Which try it belongs to, from 1.
    pub(super) tries: Option<u32>,
}

/// The last try of each station.
#[derive(Debug)]
pub(super) struct Tries {
    /// And whether it goes on.
    last: Vec<Option<(About, bool)>>,
    flows: usize,
}

impl Tries {
    pub(super) fn new(nodes: usize, flows: usize) -> Self {
        Self { last: vec![None; nodes], flows }
    }

    /// A station tries to hand a packet over.
    pub(super) fn begins(&mut self, node: NodeId, packet: &Packet) {
        let last = &mut self.last[node.index()];
        let before = last.filter(|(about, _)| about.packet == packet.id).and_then(|(about, _)| about.tries);
        let about = About { tries: Some(before.unwrap_or(0) + 1), ..read(packet, self.flows) };
        *last = Some((about, true));
    }

    /// Its try is over.
    pub(super) fn ends(&mut self, node: NodeId) {
        if let Some((_, goes_on)) = &mut self.last[node.index()] {
            *goes_on = false;
        }
    }

    /// What a frame of a station's try is about: of the packet that it carries, or of the try that goes on.
    pub(super) fn about(&self, node: NodeId, carried: Option<&Packet>) -> Option<About> {
        let (about, goes_on) = self.last[node.index()]?;
        let is_it = carried.is_none_or(|packet| packet.id == about.packet);
        (goes_on && is_it).then_some(about)
    }

    /// What a packet is that no try is known of.
    pub(super) fn read(&self, packet: &Packet) -> About {
        read(packet, self.flows)
    }
}

fn read(packet: &Packet, flows: usize) -> About {
    About { packet: packet.id, flow: flow_of(packet, flows), carries: carries(packet), tries: None }
}
