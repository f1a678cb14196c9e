//! Where the time of a flow's packets went, from a packet's making to its arrival.
//!
//! A packet is at one place at a time: it waits in the interface queue of a station, is in service there, or is in a router
//! or on a shaped link. Of copies that DSR or a relay makes, the one that moved last counts.
//!
//! Spec      decided here
//! Holds     the parts of a packet that arrived add up to its delay

use std::collections::BTreeMap;

use hopwright_machine::{Duration, FlowTag, NodeId, PacketId, Time};
use hopwright_sim::PacketTimes;
use hopwright_wire::Packet;

use crate::lineage::carries;

/// What a packet does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Elsewhere,
    Queued,
    Served,
}

/// A packet on its way.
#[derive(Clone, Copy, Debug)]
struct Way {
    flow: usize,
    made: Time,
    /// The station that got it last.
    station: NodeId,
    state: State,
    since: Time,
    queued: Duration,
    served: Duration,
    on_air: Duration,
}

impl Way {
    fn turns(&mut self, at: Time, state: State) {
        let at = at.max(self.since);
        let spent = at.since(self.since);
        match self.state {
            State::Elsewhere => {}
            State::Queued => self.queued += spent,
            State::Served => self.served += spent,
        }
        (self.state, self.since) = (state, at);
    }
}

/// What is known of a flow's packets that arrived.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    packets: u32,
    delay: Duration,
    queued: Duration,
    served: Duration,
    on_air: Duration,
}

/// Follows the packets with data of all flows.
#[derive(Debug)]
pub(crate) struct PacketTime {
    /// From when on packets of a flow count.
    begins: Vec<Time>,
    flows: Vec<Sums>,
    ways: BTreeMap<PacketId, Way>,
}

impl PacketTime {
    pub(crate) fn new(begins: Vec<Time>) -> Self {
        Self { flows: vec![Sums::default(); begins.len()], begins, ways: BTreeMap::new() }
    }

    /// A transport or an application has made it.
    pub(crate) fn made(&mut self, at: Time, node: NodeId, packet: &Packet) {
        let Some(flow) = packet.flow.filter(|tag| tag.is_forward()).map(FlowTag::flow) else { return };
        if self.begins.get(flow).is_some_and(|&begin| begin <= at)
            && matches!(carries(packet), "segment" | "datagram" | "bundle")
        {
            let none = Duration::ZERO;
            let way = Way {
                flow,
                made: at,
                station: node,
                state: State::Elsewhere,
                since: at,
                queued: none,
                served: none,
                on_air: none,
            };
            self.ways.insert(packet.id, way);
        }
    }

    /// A station has it, in its queue.
    pub(crate) fn comes(&mut self, at: Time, node: NodeId, packet: PacketId) {
        if let Some(way) = self.ways.get_mut(&packet) {
            way.turns(at, State::Queued);
            way.station = node;
        }
    }

    /// The station tries to send it for the first time, and could have begun at `since`.
    pub(crate) fn is_served(&mut self, since: Time, node: NodeId, packet: PacketId) {
        if let Some(way) = self.at(node, packet) {
            way.turns(since, State::Served);
        }
    }

    /// A frame of the exchange about it leaves, which the station began.
    pub(crate) fn is_on_air(&mut self, node: NodeId, packet: PacketId, air_time: Duration) {
        if let Some(way) = self.at(node, packet) {
            way.on_air += air_time;
        }
    }

    /// The station has it no longer.
    pub(crate) fn goes(&mut self, at: Time, node: NodeId, packet: PacketId) {
        if let Some(way) = self.at(node, packet) {
            way.turns(at, State::Elsewhere);
        }
    }

    /// No copy of it is left.
    pub(crate) fn is_lost(&mut self, packet: PacketId) {
        self.ways.remove(&packet);
    }

    pub(crate) fn arrives(&mut self, at: Time, packet: PacketId) {
        let Some(mut way) = self.ways.remove(&packet) else { return };
        way.turns(at, State::Elsewhere);
        let sums = &mut self.flows[way.flow];
        sums.packets += 1;
        sums.delay += at.since(way.made);
        sums.queued += way.queued;
        sums.served += way.served;
        sums.on_air += way.on_air.min(way.served);
    }

    /// Of each flow.
    pub(crate) fn finish(self) -> impl Iterator<Item = PacketTimes> {
        self.flows.into_iter().map(|sums| {
            let mean = |sum: Duration| (sums.packets > 0).then(|| sum.as_secs_f64() / f64::from(sums.packets));
            PacketTimes {
                on_air: mean(sums.on_air),
                medium: mean(sums.served.saturating_sub(sums.on_air)),
                queued: mean(sums.queued),
                elsewhere: mean(sums.delay.saturating_sub(sums.served + sums.queued)),
            }
        })
    }

    fn at(&mut self, node: NodeId, packet: PacketId) -> Option<&mut Way> {
        self.ways.get_mut(&packet).filter(|way| way.station == node && way.state != State::Elsewhere)
    }
}
