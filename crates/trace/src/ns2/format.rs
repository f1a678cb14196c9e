//! One line of a trace, in either format. Nodes and addresses are node numbers, as in ns-2.

use std::fmt::Write;

use hopwright_link::{Config, Frame, Framing};
use hopwright_machine::{Address, NodeId, Time};
use hopwright_mobility::Position;
use hopwright_wire::{Packet, Payload, aodv, arp, dsr};

/// The fields of a MAC header that a line shows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mac {
    /// Duration, microseconds.
    pub(super) duration: u32,
    pub(super) receiver: u32,
    /// Zero in CTS and ACK, which have none.
    pub(super) transmitter: u32,
    /// What the frame carries; zero in control frames.
    pub(super) ether_type: u32,
}

/// The receiver address of a broadcast.
const EVERYONE: u32 = u32::MAX;

/// SIFS and an ACK: the Duration of unicast data, microseconds. Without OFDM that at 1 Mb/s with long preamble, as ns-2 has
/// it.
pub(super) fn ack_us(mac: &Config) -> u32 {
    match mac.framing {
        Framing::Microseconds | Framing::Bits => 314,
        Framing::Symbols { .. } => ((mac.sifs + mac.ack_time()).as_nanos() / 1000) as u32,
    }
}

impl Mac {
    pub(super) fn of(frame: &Frame<Packet>) -> Self {
        Self {
            duration: (frame.nav.as_nanos() / 1000) as u32,
            receiver: frame.to.map_or(EVERYONE, |to| to.0),
            transmitter: if frame.kind.is_answer() { 0 } else { frame.from.0 },
            ether_type: frame.payload.as_ref().map_or(0, |packet| packet.ether_type().into()),
        }
    }

    /// The header of a data frame that carries `packet`, and takes so long to be answered.
    pub(super) fn of_data(from: NodeId, to: Option<NodeId>, ack_us: u32, packet: &Packet) -> Self {
        Self {
            duration: if to.is_some() { ack_us } else { 0 },
            receiver: to.map_or(EVERYONE, |to| to.0),
            transmitter: from.0,
            ether_type: packet.ether_type().into(),
        }
    }
}

/// What a line is about.
#[derive(Clone, Copy, Debug)]
pub(super) enum Body<'a> {
    /// A control frame of this name and length.
    Control(&'static str, u32),
    /// A packet.
    Packet {
        packet: &'a Packet,
        bytes: u32,
        uid: u64,
        /// Its place in its flow.
        number: u64,
        forwards: u32,
        flow: usize,
        /// Agents at source and destination.
        ports: (u32, u32),
    },
}

/// One line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub(super) op: char,
    pub(super) at: Time,
    pub(super) node: NodeId,
    pub(super) layer: &'a str,
    pub(super) why: &'a str,
    pub(super) mac: Mac,
    pub(super) next_hop: Option<NodeId>,
    pub(super) body: Body<'a>,
}

/// Writing to a string cannot fail.
macro_rules! put {
    ($out:expr, $($format:tt)*) => {
        let _ = write!($out, $($format)*);
    };
}

impl Line<'_> {
    fn uid(&self) -> u64 {
        match self.body {
            Body::Control(..) => 0,
            Body::Packet { uid, .. } => uid,
        }
    }

    fn kind(&self) -> (&'static str, u32) {
        match self.body {
            Body::Control(name, bytes) => (name, bytes),
            Body::Packet { packet, bytes, .. } => (kind(packet), bytes),
        }
    }

    /// Appends the line in the old format, without its end.
    pub(super) fn in_old_format(&self, out: &mut String) {
        let Self { op, node, layer, why, mac, .. } = self;
        let ((kind, bytes), uid) = (self.kind(), self.uid());
        put!(out, "{op} {} _{node}_ {layer:>3} {why:>4} {uid} {kind} {bytes}", seconds(self.at));
        let Mac { duration, receiver, transmitter, ether_type } = mac;
        put!(out, " [{duration:x} {receiver:x} {transmitter:x} {ether_type:x}] ");
        let Body::Packet { packet, number, forwards, ports, .. } = self.body else { return };
        if let Payload::Arp(message) = &packet.payload {
            let Arp { operation, sender, target } = Arp::of(message);
            put!(out, "------- [{operation} {}/{} {}/{}]", sender.0, sender.1, target.0, target.1);
            return;
        }
        let (source, destination) = (address(packet.source), address(packet.destination));
        let next_hop = self.next_hop.map_or(0, |n| n.0);
        put!(out, "------- [{source}:{} {destination}:{} {} {next_hop}] ", ports.0, ports.1, packet.ttl);
        match &packet.payload {
            Payload::Tcp(_) => {
                put!(out, "[{number} 0] {forwards} 0");
            }
            Payload::Udp(_) => {
                put!(out, "[{number}] {forwards} 0");
            }
            Payload::Aodv(aodv::Message::Rreq(m)) => {
                let (destination, originator) = (address(m.destination), address(m.originator));
                put!(out, "[0x2 {} {} ", u32::from(m.hop_count) + 1, m.id);
                put!(out, "[{destination} {}] ", m.destination_sequence);
                put!(out, "[{originator} {}]] (REQUEST)", m.originator_sequence);
            }
            Payload::Aodv(message) => {
                let Reply { tag, hops, destination, sequence, lifetime, name } =
                    Reply::of(message, packet.destination.is_broadcast());
                put!(out, "[0x{tag:x} {hops} [{destination} {sequence}] {lifetime}] ({name})");
            }
            Payload::Nothing => {
                let Dsr { nodes, request, reply, error } = Dsr::of(packet);
                put!(out, "{nodes} [{} {}] ", u32::from(request.is_some()), request.unwrap_or(0));
                put!(out, "[{} 0 {} {}->{}] ", u32::from(reply.0 > 0), reply.0, reply.1, reply.2);
                put!(out, "[{} {} {} {}->{}]", u32::from(error.0 > 0), error.0, error.1, error.2, error.3);
            }
            // ns-2 prints nothing of packets whose type it has no form for.
            Payload::Atp(_)
            | Payload::Olsr(_)
            | Payload::Dsdv(_)
            | Payload::Notice(_)
            | Payload::Nctp(_)
            | Payload::Arp(_)
            | Payload::Opaque(_)
            | Payload::Frame(_) => {}
        }
    }

    /// Appends the line in the new format, without its end.
    pub(super) fn in_new_format(&self, here: Position, out: &mut String) {
        let Self { node, layer, why, mac, .. } = self;
        let op = if self.op == 'D' { 'd' } else { self.op };
        let next_hop = self.next_hop.map_or(-2, |n| i64::from(n.0));
        put!(out, "{op} -t {} -Hs {node} -Hd {next_hop} -Ni {node} ", seconds(self.at));
        put!(out, "-Nx {:.2} -Ny {:.2} -Nz 0.00 -Ne -1.000000 -Nl {layer:>3} -Nw {why} ", here.x_m, here.y_m);
        let Mac { duration, receiver, transmitter, ether_type } = mac;
        put!(out, "-Ma {duration:x} -Md {receiver:x} -Ms {transmitter:x} -Mt {ether_type:x} ");
        let Body::Packet { packet, bytes, uid, number, forwards, flow, ports } = self.body else { return };
        if let Payload::Arp(message) = &packet.payload {
            let Arp { operation, sender, target } = Arp::of(message);
            put!(out, "-P arp -Po {operation} -Pms {} -Ps {} ", sender.0, sender.1);
            put!(out, "-Pmd {} -Pd {} ", target.0, target.1);
            return;
        }
        let (source, destination) = (address(packet.source), address(packet.destination));
        put!(out, "-Is {source}.{} -Id {destination}.{} -It {} ", ports.0, ports.1, kind(packet));
        put!(out, "-Il {bytes} -If {flow} -Ii {uid} -Iv {} ", packet.ttl);
        match &packet.payload {
            Payload::Tcp(_) => {
                put!(out, "-Pn tcp -Ps {number} -Pa 0 -Pf {forwards} -Po 0 ");
            }
            Payload::Udp(_) => {
                put!(out, "-Pn cbr -Pi {number} -Pf {forwards} -Po 0 ");
            }
            Payload::Aodv(aodv::Message::Rreq(m)) => {
                let (destination, originator) = (address(m.destination), address(m.originator));
                put!(out, "-P aodv -Pt 0x2 -Ph {} -Pb {} ", u32::from(m.hop_count) + 1, m.id);
                put!(out, "-Pd {destination} -Pds {} ", m.destination_sequence);
                put!(out, "-Ps {originator} -Pss {} -Pc REQUEST ", m.originator_sequence);
            }
            Payload::Aodv(message) => {
                let Reply { tag, hops, destination, sequence, lifetime, name } =
                    Reply::of(message, packet.destination.is_broadcast());
                put!(out, "-P aodv -Pt 0x{tag:x} -Ph {hops} -Pd {destination} ");
                put!(out, "-Pds {sequence} -Pl {lifetime} -Pc {name} ");
            }
            Payload::Nothing => {
                let Dsr { nodes, request, reply, error } = Dsr::of(packet);
                put!(out, "-P dsr -Ph {nodes} -Pq {} ", u32::from(request.is_some()));
                put!(out, "-Ps {} -Pp {} -Pn 0 ", request.unwrap_or(0), u32::from(reply.0 > 0));
                put!(out, "-Pl {} -Pe {}->{} -Pw {} ", reply.0, reply.1, reply.2, u32::from(error.0 > 0));
                put!(out, "-Pm {} -Pc {} -Pb {}->{} ", error.0, error.1, error.2, error.3);
            }
            // ns-2 prints nothing of packets whose type it has no form for.
            Payload::Atp(_)
            | Payload::Olsr(_)
            | Payload::Dsdv(_)
            | Payload::Notice(_)
            | Payload::Nctp(_)
            | Payload::Arp(_)
            | Payload::Opaque(_)
            | Payload::Frame(_) => {}
        }
    }
}

fn kind(packet: &Packet) -> &'static str {
    match &packet.payload {
        // ns-2's receivers send nothing but acknowledgements, the one to a SYN included.
        Payload::Tcp(segment) if segment.is_pure_ack() || is_answer_to_syn(segment) => "ack",
        Payload::Tcp(_) => "tcp",
        Payload::Udp(_) => "cbr",
        // As ns-2 calls the packets of its rate based transport, RAP: rap_data, rap_ack.
        Payload::Atp(segment) if segment.is_feedback() => "atp_ack",
        Payload::Atp(_) => "atp_data",
        Payload::Nctp(_) => "nctp",
        Payload::Aodv(_) => "AODV",
        Payload::Olsr(_) => "OLSR",
        // So ns-2 calls DSDV's updates.
        Payload::Dsdv(_) | Payload::Notice(_) => "message",
        Payload::Nothing => "DSR",
        Payload::Arp(_) => "ARP",
        // So ns-2 calls what its emulator takes from a real network.
        Payload::Opaque(_) | Payload::Frame(_) => "live",
    }
}

fn is_answer_to_syn(segment: &hopwright_wire::tcp::Segment) -> bool {
    use hopwright_wire::tcp::Flags;
    segment.flags.has(Flags::SYN.with(Flags::ACK))
}

/// Nine digits behind the point.
fn seconds(at: Time) -> impl std::fmt::Display {
    let nanos = at.as_nanos();
    std::fmt::from_fn(move |f| write!(f, "{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000))
}

/// The node's number; -1 for everyone.
fn address(a: Address) -> i64 {
    a.node().map_or(-1, |n| i64::from(n.0))
}

/// What ns-2 shows of a DSR packet. Its replies repeat the number of their request, which no field of RFC 4728 does.
struct Dsr {
    /// Nodes of the source route or the request, both ends of the route counted.
    nodes: usize,
    /// The number of the request.
    request: Option<u16>,
    /// Nodes of the route that a reply tells, its first and its last.
    reply: (usize, i64, i64),
    /// How many errors; of the last: whom it tells, which link.
    error: (usize, i64, i64, i64),
}

impl Dsr {
    fn of(packet: &Packet) -> Self {
        let none = Self { nodes: 0, request: None, reply: (0, 0, 0), error: (0, 0, 0, 0) };
        let Some(header) = packet.dsr.as_deref() else { return none };
        let nodes = match (header.request(), header.source_route()) {
            (Some(request), _) => request.addresses.len() + 1,
            (None, Some(route)) => route.addresses.len() + if route.salvage == 0 { 2 } else { 1 },
            (None, None) => 0,
        };
        let last = |reply: &dsr::Reply| reply.addresses.last().map_or(0, |&node| address(node));
        let reply = header.reply().map(|reply| (reply.addresses.len() + 1, address(packet.destination), last(reply)));
        let error = header.errors().last().map(|error| {
            let to = if let dsr::ErrorKind::NodeUnreachable(to) = error.kind { address(to) } else { 0 };
            (header.errors().count(), address(error.destination).max(0), address(error.source), to)
        });
        Self {
            nodes,
            request: header.request().map(|request| request.id),
            reply: reply.unwrap_or(none.reply),
            error: error.unwrap_or(none.error),
        }
    }
}

/// An address resolution message: each end's hardware and protocol address.
struct Arp {
    operation: &'static str,
    sender: (u32, i64),
    target: (u32, i64),
}

impl Arp {
    fn of(message: &arp::Message) -> Self {
        let hardware = |mac: arp::MacAddress| mac.node().map_or(0, |n| n.0);
        Self {
            operation: match message.operation {
                arp::Operation::Request => "REQUEST",
                arp::Operation::Reply => "REPLY",
            },
            sender: (hardware(message.sender_hardware), address(message.sender_protocol)),
            target: (hardware(message.target_hardware), address(message.target_protocol)),
        }
    }
}

/// Any message but a request: ns-2 writes an error and a HELLO as if they were replies, through the same
/// fields. It knows no acknowledgement of a reply; that is written the same way, with ns-2's number for it.
struct Reply {
    tag: u32,
    hops: u32,
    destination: i64,
    sequence: i64,
    lifetime: String,
    name: &'static str,
}

impl Reply {
    /// A reply to all is a HELLO (RFC 3561 §6.9).
    fn of(message: &aodv::Message, to_all: bool) -> Self {
        match message {
            aodv::Message::Rerr(m) => {
                let node = |place: usize| m.unreachable.get(place).map_or(0, |&(a, _)| address(a));
                let hops = m.unreachable.len() as u32;
                let lifetime = "0.000000".to_owned();
                Self { tag: 8, hops, destination: node(0), sequence: node(1), lifetime, name: "ERROR" }
            }
            aodv::Message::Rrep(m) => Self {
                tag: if to_all { 1 } else { 4 },
                hops: u32::from(m.hop_count) + 1,
                destination: address(m.destination),
                sequence: i64::from(m.destination_sequence),
                lifetime: format!("{}.{:03}000", m.lifetime_ms / 1000, m.lifetime_ms % 1000),
                name: if to_all { "HELLO" } else { "REPLY" },
            },
            aodv::Message::RrepAck => {
                let lifetime = "0.000000".to_owned();
                Self { tag: 16, hops: 0, destination: 0, sequence: 0, lifetime, name: "RREP_ACK" }
            }
            aodv::Message::Rreq(_) => unreachable!("requests have a form of their own"),
        }
    }
}
