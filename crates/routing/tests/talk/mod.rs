//! Conversations with one DSR router, whose outputs are shown as text.
#![allow(dead_code, reason = "not every test file needs all of it")]

use std::sync::Arc;

use hopwright_machine::{Address, DropCause, Duration, Machine, NodeId, PacketId, Time};
use hopwright_routing::dsr::Config;
use hopwright_routing::{self as routing, Input, Output, Protocol, Router, Wishes};
use hopwright_wire::dsr::{DsrOption, Error, ErrorKind, Reply, Request, SourceRoute};
use hopwright_wire::ip::Ecn;
use hopwright_wire::{Packet, Payload, tcp, udp};

pub(crate) fn a(n: u32) -> Address {
    NodeId(n).address()
}

pub(crate) fn all(nodes: &[u32]) -> Vec<Address> {
    nodes.iter().map(|&n| a(n)).collect()
}

pub(crate) fn n(address: Address) -> String {
    address.node().map_or("all".into(), |node| node.to_string())
}

/// `1-2-3`.
pub(crate) fn dashed(nodes: impl IntoIterator<Item = Address>) -> String {
    nodes.into_iter().map(n).collect::<Vec<_>>().join("-")
}

/// One router, its clock, and what it said.
pub(crate) struct Talk {
    pub(crate) router: Router,
    pub(crate) now: Time,
    /// The link layer keeps what it gets; otherwise it sends it at once.
    pub(crate) keeps: bool,
}

impl Talk {
    pub(crate) fn new(config: Config) -> Self {
        Self::asked(config, 0, Wishes::new())
    }

    pub(crate) fn asked(config: Config, node: u32, wishes: Wishes) -> Self {
        let mut router = routing::Config::from(config).router(NodeId(node), 1, &Arc::new(wishes));
        router.handle(Time::ZERO, Input::Start);
        Self { router, now: Time::ZERO, keeps: false }
    }

    /// What comes until then, with its milliseconds.
    #[track_caller]
    pub(crate) fn until(&mut self, ms: u64) -> Vec<(u64, String)> {
        let end = Time::ZERO + Duration::from_millis(ms);
        let mut said = Vec::new();
        while self.router.deadline() <= end {
            assert!(self.router.deadline() >= self.now, "a deadline in the past at {}", self.now);
            self.now = self.router.deadline();
            self.router.handle(self.now, Input::Wake);
            said.extend(self.collect().into_iter().map(|line| (self.now.as_nanos() / 1_000_000, line)));
        }
        self.now = end;
        said
    }

    /// The same without the times.
    #[track_caller]
    pub(crate) fn lines_until(&mut self, ms: u64) -> Vec<String> {
        self.until(ms).into_iter().map(|(_, line)| line).collect()
    }

    pub(crate) fn give(&mut self, input: Input<'_>) -> Vec<String> {
        self.router.handle(self.now, input);
        self.collect()
    }

    pub(crate) fn get(&mut self, from: u32, packet: Packet) -> Vec<String> {
        self.give(Input::Receive { packet, from: NodeId(from) })
    }

    pub(crate) fn hear(&mut self, from: u32, to: u32, packet: &Packet) -> Vec<String> {
        self.give(Input::Overheard { packet, from: NodeId(from), to: NodeId(to) })
    }

    pub(crate) fn collect(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        while let Some(output) = self.router.poll() {
            if !matches!(output, Output::RouteBroke(_)) {
                said.push(describe(&output));
            }
            if let Output::Transmit { packet, next_hop: Some(_) } = output
                && self.router.follows()
                && !self.keeps
            {
                self.router.handle(self.now, Input::Left { packet: packet.id, sent: true });
            }
        }
        said
    }
}

pub(crate) fn describe(output: &Output) -> String {
    match output {
        Output::Deliver(packet) => format!("deliver {}", show(packet)),
        Output::Transmit { packet, next_hop: Some(next) } => format!("to {next}: {}", show(packet)),
        Output::Transmit { packet, next_hop: None } => format!("to all: {}", show(packet)),
        Output::ReclaimNextHop(next) => format!("reclaim {next}"),
        Output::PurgeNextHop(next) => format!("purge {next}"),
        Output::Drop { packet, cause } => format!("drop {cause}: {}", show(packet)),
        Output::Doubled(packet) => format!("again {}", packet.id.0),
        Output::Notify(notice) => format!("tell {:?} {}", notice.kind, notice.seq.0),
        Output::RouteUp(there) => format!("up {}", n(*there)),
        Output::RouteBroke(neighbour) => format!("broke {neighbour}"),
    }
}

pub(crate) fn show(packet: &Packet) -> String {
    let mut words = vec![format!("{}->{}", n(packet.source), n(packet.destination))];
    words.extend(packet.dsr.iter().filter_map(|header| header.flow).map(|flow| format!("flow {}", flow.id)));
    for option in packet.dsr.iter().flat_map(|header| &header.options) {
        words.push(match option {
            DsrOption::Request(r) => format!("RREQ {} for {} by {}", r.id, n(r.target), dashed(r.addresses.clone())),
            DsrOption::Reply(r) => format!("RREP {}", dashed(r.addresses.clone())),
            DsrOption::Error(Error { source, destination, kind: ErrorKind::NodeUnreachable(to), salvage }) => {
                format!("RERR {}-{} tell {} salvage {salvage}", n(*source), n(*to), n(*destination))
            }
            DsrOption::Error(Error { destination: tell, kind: ErrorKind::UnknownFlow { destination, id }, .. }) => {
                format!("no flow {id} {}->{}", n(*tell), n(*destination))
            }
            DsrOption::Error(Error { destination: tell, kind: ErrorKind::DefaultFlowUnknown(to), .. }) => {
                format!("no usual flow {}->{}", n(*tell), n(*to))
            }
            DsrOption::AcknowledgementRequest(_) => "ACKREQ".into(),
            DsrOption::Acknowledgement(ack) => format!("ACK {} to {}", ack.id, n(ack.destination)),
            DsrOption::SourceRoute(r) => {
                format!("by {} left {} salvage {}", dashed(r.addresses.clone()), r.segments_left, r.salvage)
            }
            DsrOption::Notice(notice) => format!("{:?} {}", notice.kind, notice.seq.0),
            other => format!("{other:?}"),
        });
    }
    words.push(format!("ttl {}", packet.ttl));
    words.join(", ")
}

pub(crate) fn data(id: u64, from: u32, to: u32) -> Packet {
    let datagram = udp::Datagram { source_port: 1, destination_port: 2, payload_bytes: 100 };
    Packet::new(PacketId(id), a(from), a(to), 64, Payload::Udp(datagram))
}

/// A segment of TCP with 100 bytes.
pub(crate) fn segment(id: u64, from: u32, to: u32) -> Packet {
    let segment = tcp::Segment {
        source_port: 1,
        destination_port: 2,
        seq: tcp::Seq(1),
        ack: tcp::Seq(1),
        flags: tcp::Flags::ACK,
        window: 0,
        urgent: 0,
        options: tcp::Options::default(),
        payload_bytes: 100,
        ecn: Ecn::NotCapable,
    };
    Packet::new(PacketId(id), a(from), a(to), 64, Payload::Tcp(segment.into()))
}

/// Data on a source route over these nodes, so many of which are still to be visited.
pub(crate) fn routed(packet: Packet, over: &[u32], left: u8, salvage: u8) -> Packet {
    let route = SourceRoute { segments_left: left, salvage, ..SourceRoute::over(all(over)) };
    with(packet, DsrOption::SourceRoute(route))
}

pub(crate) fn with(mut packet: Packet, option: DsrOption) -> Packet {
    packet.dsr.get_or_insert_default().options.push(option);
    packet
}

pub(crate) fn control(id: u64, from: u32, to: Address, ttl: u8, option: DsrOption) -> Packet {
    with(Packet::new(PacketId(1 << 39 | id), a(from), to, ttl, Payload::Nothing), option)
}

pub(crate) fn request(from: u32, id: u16, target: u32, over: &[u32], ttl: u8) -> Packet {
    let request = Request { id, target: a(target), addresses: all(over) };
    control(u64::from(id), from, Address::BROADCAST, ttl, DsrOption::Request(request))
}

/// A reply from the last of these nodes to node 0 over the others.
pub(crate) fn reply(nodes: &[u32]) -> Packet {
    let (&target, back) = nodes.split_last().expect("a target");
    let option = DsrOption::Reply(Reply { last_hop_external: false, addresses: all(nodes) });
    let back: Vec<u32> = back.iter().rev().copied().collect();
    routed(control(77, target, a(0), 60, option), &back, 0, 0)
}

pub(crate) fn error(from: u32, to: u32, tell: u32, over: &[u32], left: u8) -> Packet {
    let kind = ErrorKind::NodeUnreachable(a(to));
    let option = DsrOption::Error(Error { salvage: 0, source: a(from), destination: a(tell), kind });
    routed(control(78, from, a(tell), 60, option), over, left, 0)
}

pub(crate) fn sent(packet: u64) -> Input<'static> {
    Input::Left { packet: PacketId(packet), sent: true }
}

pub(crate) fn failed(packet: Packet, next_hop: u32) -> Input<'static> {
    Input::LinkFailed { packet, next_hop: NodeId(next_hop), cause: DropCause::RetryLimitRts }
}
