//! The source route of a packet, with both ends.
//!
//! Spec      RFC 4728 §6.7, §8.1.3, §8.3.6
//! Deviates  nothing
//! Holds     what is written reads back as the same route

use hopwright_machine::Address;
use hopwright_wire::Packet;
use hopwright_wire::dsr::{DsrOption, Header, SourceRoute};

/// A source route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    /// All nodes: the first is the packet's source, or the node that salvaged it last.
    pub(crate) path: Vec<Address>,
    /// The place of the node that has the packet, or is to have it next.
    pub(crate) at: usize,
    pub(crate) salvage: u8,
}

impl Route {
    /// The route of `packet`, if it has one that makes sense.
    pub(crate) fn of(packet: &Packet) -> Option<Self> {
        Self::read(packet, &mut Vec::new())
    }

    /// The same; `memory` becomes its path, if there is one.
    pub(crate) fn read(packet: &Packet, memory: &mut Vec<Address>) -> Option<Self> {
        let route = packet.dsr.as_ref()?.source_route()?;
        memory.clear();
        memory.reserve(route.addresses.len() + 2);
        // A salvaged packet names who salvaged it as its first address, never to be visited again (§8.3.6).
        if route.salvage == 0 {
            memory.push(packet.source);
        }
        memory.extend_from_slice(&route.addresses);
        memory.push(packet.destination);
        let at = (memory.len() - 1).checked_sub(usize::from(route.segments_left))?;
        let repeats = memory.iter().enumerate().any(|(place, node)| memory[..place].contains(node));
        (at > 0 && !repeats).then(|| Self { path: std::mem::take(memory), at, salvage: route.salvage })
    }

    /// Puts the route into the packet, in the place of the one that it has.
    pub(crate) fn write(&self, packet: &mut Packet) {
        let last = self.path.len() - 1;
        let first = usize::from(self.salvage == 0);
        let option = DsrOption::SourceRoute(SourceRoute {
            salvage: self.salvage,
            segments_left: last.saturating_sub(self.at) as u8,
            addresses: self.path[first..last.max(first)].to_vec(),
            ..SourceRoute::default()
        });
        let header: &mut Header = packet.dsr.get_or_insert_default();
        match header.options.iter_mut().find(|old| matches!(old, DsrOption::SourceRoute(_))) {
            Some(old) => *old = option,
            None => header.options.push(option),
        }
    }
}
