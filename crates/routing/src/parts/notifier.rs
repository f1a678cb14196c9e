//! Notices to transports: a route failed, a route is there again.
//!
//! Which flows want them is known to every node by configuration: a real network would mark their packets. What a
//! notice says of a segment comes from `wire`; nothing here looks into a header. Who makes a notice also says how it
//! travels, and it travels only where a route is known: a notice starts no search, waits for none, and nothing is told
//! about a notice that is lost, so notices cannot feed on themselves. Where a transport that was told has its route
//! searched for while it stands still (`Asks::seeks`), that is its own wish, not the notice's.
//!
//! Spec      Holland and Vaidya 1999 (ELFN); Chandran et al. 2001 (RFN, RRN); Liu and Singh 2001
//! Deviates  one notice about a flow and a link in a second: the sources fix no rate. Told at once all the same is, where
//!           every detector's notices are asked for, a segment before the one that was named last: from the first of them
//!           TCP-FSR is to go on (Zhou et al. §5.2 step 3). A notice that finds no way has not been told. That the route
//!           came back is no reason to tell of the same link again: what failed on it before may come to light later, and
//!           would stop a sender for whom no return is left to be told
//! Holds     only failures of packets in the direction of a flow's data are told

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hopwright_machine::{Address, Duration, NodeId, Time};
use hopwright_wire::Packet;
use hopwright_wire::notice::{Asks, Flow, Kind, Notice, Restored};
use hopwright_wire::tcp::Seq;

/// At most one notice about a flow and a link in this time, if the next is no news.
const SPACING: Duration = Duration::from_secs(1);

/// What the flows of a run ask for; those that are absent ask for nothing.
pub type Wishes = BTreeMap<Flow, Asks>;

/// What one node has told, and will tell.
#[derive(Debug)]
pub(crate) struct Notifier {
    me: Address,
    wishes: Arc<Wishes>,
    made: u16,
    /// When a flow was last told of a link, and which segment was named.
    told: BTreeMap<(Flow, Option<NodeId>), (Time, Seq)>,
    /// Flows whose failure was told from here, or through here by TCP-F's rule, and that are to be told when their
    /// destination can be reached again.
    pending: BTreeSet<(Address, Flow)>,
    /// TCP-F's flows that were told from or through here that it can, since the last failure: once is enough.
    back: BTreeSet<Flow>,
}

impl Notifier {
    pub(crate) fn new(node: NodeId, wishes: Arc<Wishes>) -> Self {
        Self {
            me: node.address(),
            wishes,
            made: 0,
            told: BTreeMap::new(),
            pending: BTreeSet::new(),
            back: BTreeSet::new(),
        }
    }

    /// The flows of the run ask for something else from now on.
    pub(crate) fn heed(&mut self, wishes: &Arc<Wishes>) {
        self.wishes = Arc::clone(wishes);
    }

    /// A packet cannot be forwarded to `next_hop`, or to anybody.
    pub(crate) fn undeliverable(&mut self, now: Time, packet: &Packet, next_hop: Option<NodeId>) -> Option<Notice> {
        if self.wishes.is_empty() {
            return None;
        }
        let (flow, seq) = packet.segment_of()?;
        let wish = self.wishes.get(&flow)?;
        self.told.retain(|_, &mut (then, _)| now.since(then) < SPACING);
        if let Some(&(_, named)) = self.told.get(&(flow, next_hop))
            && !(wish.every_detector && seq.is_before(named))
        {
            return None;
        }
        self.told.insert((flow, next_hop), (now, seq));
        if wish.restored != Restored::Nobody && flow.source != self.me {
            self.pending.insert((flow.destination, flow));
            self.back.remove(&flow);
        }
        Some(self.notice(wish.failed, flow, seq))
    }

    /// Whether a notice that passes through here, where packets to its flow's destination may go another way than back
    /// to where it comes from, ends here: by TCP-F's rule, if the flow does not ask for the notices of every detector.
    pub(crate) fn is_spared(&self, notice: &Notice) -> bool {
        notice.kind == Kind::Rfn && self.is_of_tcp_f(&notice.flow)
    }

    /// Whether nodes between a flow's ends do what TCP-F asks of them.
    fn is_of_tcp_f(&self, flow: &Flow) -> bool {
        self.wishes.get(flow).is_some_and(|wish| wish.failed == Kind::Rfn && !wish.every_detector)
    }

    /// A notice of another node goes on from here. By TCP-F's rule, a node that forwarded the notice of a failure also
    /// reports the route's return, as the node that found the failure does.
    pub(crate) fn passed_on(&mut self, notice: &Notice) {
        let flow = notice.flow;
        if !self.is_of_tcp_f(&flow) {
            return;
        }
        if notice.kind == Kind::Rfn {
            self.pending.insert((flow.destination, flow));
            self.back.remove(&flow);
        } else if notice.kind == Kind::Rrn {
            self.pending.remove(&(flow.destination, flow));
            self.back.insert(flow);
        }
    }

    /// Whether a notice that passes through here says what a flow was told from or through here already: by TCP-F's
    /// rule it ends here.
    pub(crate) fn is_repeated(&self, notice: &Notice) -> bool {
        notice.kind == Kind::Rrn && self.back.contains(&notice.flow)
    }

    /// Whether any transport asks for notices.
    pub(crate) fn is_asked(&self) -> bool {
        !self.wishes.is_empty()
    }

    /// Whether a transport here wants to know that this address can be reached again.
    pub(crate) fn watches(&self, address: Address) -> bool {
        self.wishes.iter().any(|(flow, wish)| match wish.restored {
            Restored::Nobody => false,
            Restored::Sender => flow.source == self.me && flow.destination == address,
            Restored::Receiver => flow.destination == self.me && flow.source == address,
        })
    }

    /// Whether `wanted` has to be asked at all: where no flow has a wish and nobody was told anything, it is empty.
    #[inline]
    pub(crate) fn may_be_watched(&self) -> bool {
        !self.wishes.is_empty() || !self.pending.is_empty()
    }

    /// The ends of all flows, if a transport here, or somebody who was told of a failure, wants to know when one of
    /// them can be reached again; otherwise nothing.
    pub(crate) fn wanted(&self) -> BTreeSet<Address> {
        let ends = || self.wishes.keys().flat_map(|flow| [flow.source, flow.destination]);
        if self.pending.is_empty() && !ends().any(|address| self.watches(address)) {
            return BTreeSet::new();
        }
        ends().collect()
    }

    /// A notice found no way from here: its flow has not been told.
    pub(crate) fn went_nowhere(&mut self, notice: &Notice) {
        self.told.retain(|(flow, _), _| *flow != notice.flow);
    }

    /// This address can be reached again: whom to tell, and what.
    pub(crate) fn restored(&mut self, address: Address) -> Vec<(Address, Notice)> {
        if self.pending.is_empty() {
            return Vec::new();
        }
        let flows: Vec<Flow> = self.pending.iter().filter(|p| p.0 == address).map(|p| p.1).collect();
        self.pending.retain(|p| p.0 != address);
        let told = |flow: Flow| {
            let to = match self.wishes.get(&flow)?.restored {
                Restored::Nobody => return None,
                Restored::Sender => flow.source,
                Restored::Receiver => flow.destination,
            };
            Some((to, flow))
        };
        let told: Vec<(Address, Flow)> = flows.into_iter().filter_map(told).collect();
        let of_tcp_f: Vec<Flow> = told.iter().map(|t| t.1).filter(|flow| self.is_of_tcp_f(flow)).collect();
        self.back.extend(of_tcp_f);
        told.into_iter().map(|(to, flow)| (to, self.notice(Kind::Rrn, flow, Seq(0)))).collect()
    }

    fn notice(&mut self, kind: Kind, flow: Flow, seq: Seq) -> Notice {
        self.made = self.made.wrapping_add(1);
        Notice { kind, hops: 0, id: self.made, flow, seq }
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::PacketId;
    use hopwright_wire::{Payload, tcp, udp};

    use super::*;

    const SOURCE: NodeId = NodeId(0);
    const RELAY: NodeId = NodeId(1);
    const SINK: NodeId = NodeId(4);

    fn flow() -> Flow {
        let (source, destination) = (SOURCE.address(), SINK.address());
        Flow { source, destination, source_port: 33_001, destination_port: 5001 }
    }

    fn notifier(node: NodeId, restored: Restored) -> Notifier {
        let wish = Asks { failed: Kind::Rfn, every_detector: true, restored, seeks: true };
        Notifier::new(node, Arc::new(Wishes::from([(flow(), wish)])))
    }

    fn packet(from: NodeId, to: NodeId, ports: (u16, u16), payload_bytes: u32) -> Packet {
        segment(from, to, ports, payload_bytes, 77)
    }

    fn segment(from: NodeId, to: NodeId, ports: (u16, u16), payload_bytes: u32, seq: u32) -> Packet {
        let segment = tcp::Segment {
            source_port: ports.0,
            destination_port: ports.1,
            seq: Seq(seq),
            ack: Seq(1),
            flags: tcp::Flags::ACK,
            window: 100,
            urgent: 0,
            options: tcp::Options::default(),
            payload_bytes,
            ecn: hopwright_wire::ip::Ecn::NotCapable,
        };
        Packet::new(PacketId(1), from.address(), to.address(), 64, Payload::Tcp(segment.into()))
    }

    fn data() -> Packet {
        packet(SOURCE, SINK, (33_001, 5001), 1460)
    }

    fn data_at(seq: u32) -> Packet {
        segment(SOURCE, SINK, (33_001, 5001), 1460, seq)
    }

    #[test]
    fn only_data_of_flows_that_ask_are_told_of() {
        let now = Time::ZERO;
        let mut relay = notifier(RELAY, Restored::Sender);
        let ack = packet(SINK, SOURCE, (5001, 33_001), 0);
        let other = packet(SOURCE, SINK, (33_002, 5002), 1460);
        let datagram = udp::Datagram { source_port: 33_001, destination_port: 5001, payload_bytes: 9 };
        let datagram = Packet::new(PacketId(2), SOURCE.address(), SINK.address(), 64, Payload::Udp(datagram));
        for packet in [ack, other, datagram, packet(SOURCE, SINK, (33_001, 5001), 0)] {
            assert_eq!(relay.undeliverable(now, &packet, Some(SINK)), None, "{packet:?}");
        }
        let notice = relay.undeliverable(now, &data(), Some(SINK));
        assert_eq!(notice, Some(Notice { kind: Kind::Rfn, hops: 0, id: 1, flow: flow(), seq: Seq(77) }));
    }

    #[test]
    fn a_flow_is_told_of_a_link_once_a_second() {
        let at = |ms| Time::ZERO + Duration::from_millis(ms);
        let mut relay = notifier(RELAY, Restored::Nobody);
        assert!(relay.undeliverable(at(0), &data(), Some(SINK)).is_some());
        assert!(relay.undeliverable(at(999), &data(), Some(SINK)).is_none());
        assert!(relay.undeliverable(at(999), &data(), Some(NodeId(3))).is_some(), "another link");
        assert!(relay.undeliverable(at(1000), &data(), Some(SINK)).is_some());
    }

    /// Zhou et al. §5.2: the sender goes on from the first of the segments that were named, so that one is told of
    /// whenever it fails; what comes after it says nothing new. Other transports look at the first notice alone.
    #[test]
    fn an_earlier_segment_is_told_of_at_once_where_every_notice_counts() {
        let at = |ms| Time::ZERO + Duration::from_millis(ms);
        for every_detector in [true, false] {
            let wish = Asks { failed: Kind::Rfn, every_detector, restored: Restored::Nobody, seeks: true };
            let mut relay = Notifier::new(RELAY, Arc::new(Wishes::from([(flow(), wish)])));
            let mut named = |ms, seq| relay.undeliverable(at(ms), &data_at(seq), Some(SINK)).map(|n| n.seq.0);
            assert_eq!(named(0, 9000), Some(9000));
            assert_eq!(named(1, 8000), every_detector.then_some(8000));
            assert_eq!(named(2, 8000), None, "said already");
            assert_eq!(named(3, 8500), None, "later than what was named");
            assert_eq!(named(4, u32::MAX - 500), every_detector.then_some(u32::MAX - 500), "positions wrap");
            assert_eq!(named(5, 100), None);
        }
    }

    #[test]
    fn a_notice_that_went_nowhere_has_not_been_told() {
        let mut relay = notifier(RELAY, Restored::Nobody);
        let notice = relay.undeliverable(Time::ZERO, &data(), Some(SINK)).unwrap();
        relay.went_nowhere(&notice);
        assert!(relay.undeliverable(Time::ZERO, &data(), Some(SINK)).is_some());
    }

    #[test]
    fn a_restored_route_is_told_once_to_the_end_that_asks_and_only_after_a_failure() {
        for (restored, to) in [(Restored::Sender, SOURCE), (Restored::Receiver, SINK)] {
            let mut relay = notifier(RELAY, restored);
            assert!(relay.restored(SINK.address()).is_empty());
            relay.undeliverable(Time::ZERO, &data(), Some(SINK));
            assert!(relay.restored(SOURCE.address()).is_empty(), "another address");
            let told = relay.restored(SINK.address());
            assert_eq!(told.iter().map(|t| (t.0, t.1.kind)).collect::<Vec<_>>(), [(to.address(), Kind::Rrn)]);
            assert!(relay.restored(SINK.address()).is_empty(), "told already");
        }
        let mut relay = notifier(RELAY, Restored::Nobody);
        relay.undeliverable(Time::ZERO, &data(), Some(SINK));
        assert!(relay.restored(SINK.address()).is_empty());
    }

    #[test]
    fn the_ends_watch_each_other() {
        assert!(notifier(SOURCE, Restored::Sender).watches(SINK.address()));
        assert!(!notifier(SOURCE, Restored::Receiver).watches(SINK.address()));
        assert!(notifier(SINK, Restored::Receiver).watches(SOURCE.address()));
        assert!(!notifier(RELAY, Restored::Sender).watches(SINK.address()));
        let ends = BTreeSet::from([SOURCE.address(), SINK.address()]);
        assert_eq!(notifier(SOURCE, Restored::Sender).wanted(), ends);
        let mut relay = notifier(RELAY, Restored::Sender);
        assert!(relay.wanted().is_empty());
        relay.undeliverable(Time::ZERO, &data(), Some(SINK));
        assert_eq!(relay.wanted(), ends, "a failure was told from here");
    }
}
