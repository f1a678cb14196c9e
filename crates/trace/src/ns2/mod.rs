//! Traces in the two formats that ns-2 writes for wireless nodes, for the scripts that read them.
//!
//! Spec      ns-2.35's trace files, as its manual (chapter "Mobile networking", trace formats) describes them and as
//!           runs of ns-2.35 show them
//! Deviates  - times are whole nanoseconds, so that each hop of 200 m is a third of one longer than in ns-2
//!           - uid: packets of transports are counted as they are made, as in ns-2; if two runs make them in another
//!             order, they are numbered otherwise
//!           - time to live: ns-2's agents write 32 until routing replaces it; here it is routing's from the start.
//!             ns-2 scripts that route without a routing agent leave it as it is, and the next hop zero
//!           - lengths are those of this simulator: a UDP datagram has 8 bytes of header, in ns-2 it has none
//!           - an AODV message that is passed on is a new packet of the node that does so: sent, not forwarded, and
//!             with zeros where ns-2 shows MAC fields left over from its reception
//!           - a route error is written as ns-2 writes it, through the fields of a reply: the count of destinations
//!             where the hops belong, the second destination where the sequence number belongs, no lifetime
//!           - `COL` has the time at which ns-2's receiver lets go of the frame if two overlap; if a third comes,
//!             that of the first two
//!           - what is queued when the run ends is not listed (ns-2: `END`, if the script resets its nodes); frames
//!             that a busy station ignores are not either (`BSY`, `STA`)
//!           - no energy (-1 in the new format, as in ns-2 without an energy model), no optimal hop count (0)
//! Holds     lines come in the order of time; memory does not grow with the run

mod format;
mod packets;

use std::collections::BTreeMap;
use std::io::{self, Write};

use hopwright_link::{Frame, FrameKind};
use hopwright_machine::{DropCause, NodeId, Time};
use hopwright_mobility::Trajectory;
use hopwright_sim::{Event, Layer, Routing, Setup};
use hopwright_wire::{Packet, Payload};

use format::{Body, Line, Mac};
use packets::Packets;

/// Which of ns-2's formats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Fields by position.
    #[default]
    Old,
    /// Fields with tags (`use-newtrace`).
    New,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// In which format.
    pub format: Format,
    /// What applications and transports send and receive (`-agentTrace`).
    pub agent: bool,
    /// What routing receives, sends, forwards and drops (`-routerTrace`).
    pub router: bool,
    /// Every frame sent, received by its addressee, and lost (`-macTrace`).
    pub mac: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { format: Format::Old, agent: true, router: true, mac: true }
    }
}

/// Preamble and PLCP header, which ns-2 counts in a frame's size, bytes.
const PLCP_BYTES: u32 = 24;

/// Writes a trace.
#[derive(Debug)]
pub struct Writer<W: Write> {
    out: W,
    config: Config,
    nodes: Vec<Trajectory>,
    header_bytes: u32,
    ack_us: u32,
    /// Whether routing is told of packets that were given up: then ns-2 takes the MAC header off before.
    takes_back: bool,
    /// Whether packets are routed by DSR.
    by_source_routes: bool,
    packets: Packets,
    stations: Vec<Station>,
    /// A packet given up: its line follows those of what routing does about it.
    given_up: Option<String>,
    /// Lines that are due later, and those of one time in the order in which they came.
    later: BTreeMap<(Time, u64), String>,
    delayed: u64,
    line: String,
    error: Option<io::Error>,
}

/// What is remembered of a node.
#[derive(Clone, Debug, Default)]
struct Station {
    /// MAC fields of its last RTS.
    rts: Mac,
    /// Last sequence number received from each station.
    heard: Vec<(NodeId, u16)>,
}

impl<W: Write> Writer<W> {
    /// A trace of a run of `setup`.
    #[must_use]
    pub fn new(out: W, setup: &Setup, config: Config) -> Self {
        Self {
            out,
            config,
            nodes: setup.nodes.clone(),
            header_bytes: setup.mac.header_bytes,
            ack_us: format::ack_us(&setup.mac),
            takes_back: matches!(setup.routing, Routing::Found(_)),
            by_source_routes: matches!(&setup.routing, Routing::Found(config) if config.is_dsr()),
            packets: Packets::new(setup),
            stations: vec![Station::default(); setup.nodes.len()],
            given_up: None,
            later: BTreeMap::new(),
            delayed: 0,
            line: String::new(),
            error: None,
        }
    }

    /// Whether what this node hears is needed.
    #[must_use]
    pub const fn hears(&self, _: NodeId) -> bool {
        self.config.mac
    }

    /// Ends the trace.
    ///
    /// # Errors
    /// The first error there was.
    pub fn finish(mut self) -> io::Result<W> {
        self.write_given_up();
        self.write_due(Time::NEVER);
        self.error.map_or(Ok(()), Err)?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// Something has happened at a node.
    pub fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        if !matches!(event, Event::Dropped { .. } | Event::InNetwork { .. }) {
            self.write_given_up();
        }
        self.write_due(at);
        match event {
            Event::Originated(packet) => {
                self.packets.originated(packet);
                if self.config.agent {
                    let bytes = agent_bytes(packet);
                    self.packet(at, node, 's', "AGT", packet, Shown { bytes, ..Shown::default() });
                }
            }
            Event::Delivered(packet) if self.config.agent => {
                let known = self.packets.known(packet);
                // DSR's agent takes off what it added; others leave the IP header on.
                let bytes = if self.by_source_routes { agent_bytes(packet) } else { known.bytes };
                let shown = Shown { bytes, mac: known.mac, next_hop: Some(node), hop: 1 };
                self.packet(at, node, 'r', "AGT", packet, shown);
            }
            Event::Routing { packet, bytes, from } => self.routing(at, node, packet, bytes, from),
            Event::Routed { packet, bytes, next_hop } => {
                let known = self.packets.update(packet, bytes, next_hop);
                if self.config.router {
                    let op = if packet.source == node.address() { 's' } else { 'f' };
                    self.packet(at, node, op, "RTR", packet, Shown { bytes, mac: known.mac, next_hop, hop: 0 });
                }
            }
            Event::Enqueued { packet, bytes, next_hop } => {
                self.packets.update(packet, bytes, next_hop);
            }
            Event::Transmitted(frame) => {
                if frame.kind == FrameKind::Rts {
                    self.stations[node.index()].rts = Mac::of(frame);
                }
                if self.config.mac {
                    self.frame(at, node, 's', "---", frame, 0, true);
                }
            }
            Event::Received { frame, mine: true, .. } if self.config.mac => {
                let repeated = self.is_repeated(node, frame);
                let (op, why) = if repeated { ('D', "DUP") } else { ('r', "---") };
                self.frame(at, node, op, why, frame, 1, false);
            }
            Event::Collided { frame, mine: true, until, busy_until } if self.config.mac => {
                // Of frames that collide, ns-2's receiver keeps the one that ends last, and drops it then.
                let dropped = if until < busy_until { at } else { until };
                self.frame(dropped, node, 'D', "COL", frame, 0, true);
                if dropped > at {
                    self.delay(dropped);
                }
            }
            Event::GaveUp { packet, bytes, next_hop, cause } if self.config.mac => {
                self.gave_up(at, node, packet, bytes, next_hop, cause);
            }
            Event::Dropped { packet, bytes, cause, layer, .. } => self.dropped(at, node, packet, bytes, cause, layer),
            _ => {}
        }
        self.write_line();
    }

    fn routing(&mut self, at: Time, node: NodeId, packet: &Packet, bytes: u32, from: NodeId) {
        let shown = if from == node {
            Shown { bytes: agent_bytes(packet), ..Shown::default() }
        } else {
            let next_hop = Some(node).filter(|_| !packet.destination.is_group());
            let mac = Mac::of_data(from, next_hop, self.ack_us, packet);
            self.packets.received(packet, bytes, mac);
            Shown { bytes, mac, next_hop, hop: 1 }
        };
        // ns-2's routing agents do not see data packets for their own node; but DSR's, through which all packets come.
        let passes = self.by_source_routes || packet.destination != node.address() || packet.is_routing();
        if self.config.router && passes {
            self.packet(at, node, 'r', "RTR", packet, shown);
        }
    }

    fn gave_up(&mut self, at: Time, node: NodeId, packet: &Packet, bytes: u32, next_hop: NodeId, cause: DropCause) {
        if cause == DropCause::RetryLimitRts {
            let body = Body::Control("RTS", hopwright_link::RTS_BYTES + PLCP_BYTES);
            let mac = self.stations[node.index()].rts;
            self.put(&Line { op: 'D', at, node, layer: "MAC", why: "RET", mac, next_hop: None, body });
            self.write_line();
        }
        let added = if self.takes_back { 0 } else { self.header_bytes + PLCP_BYTES };
        let mac = Mac::of_data(node, Some(next_hop), self.ack_us, packet);
        let shown = Shown { bytes: bytes + added, mac, next_hop: Some(next_hop), hop: 0 };
        self.packet_because(at, node, 'D', "MAC", "RET", packet, shown);
        self.given_up = Some(std::mem::take(&mut self.line));
    }

    fn dropped(&mut self, at: Time, node: NodeId, packet: &Packet, bytes: u32, cause: DropCause, layer: Layer) {
        let (trace, why) = match (layer, cause) {
            (Layer::Queue, DropCause::QueueFull | DropCause::LinkRed) => ("IFQ", "---"),
            (Layer::Arp | Layer::Queue, DropCause::NodeDown) => ("IFQ", "END"),
            (Layer::Arp, _) => ("IFQ", "ARP"),
            // The routing agent takes these out of the queue.
            (Layer::Queue, _) => ("RTR", "CBK"),
            // Without a routing protocol nobody but the MAC drops them.
            (Layer::Router, DropCause::RetryLimitRts | DropCause::RetryLimitData) if !self.takes_back => return,
            (Layer::Router, DropCause::RetryLimitRts | DropCause::RetryLimitData) => ("RTR", "CBK"),
            (Layer::Router, DropCause::TtlExpired) => ("RTR", "TTL"),
            (Layer::Router, DropCause::RoutingLoop) => ("RTR", "LOOP"),
            (Layer::Router, DropCause::RouteBufferFull) => ("RTR", "IFQ"),
            (Layer::Router, DropCause::RouteBufferTimeout) => ("RTR", "TOUT"),
            (Layer::Router, _) => ("RTR", "NRTE"),
            (Layer::Agent, _) => ("AGT", "---"),
            (Layer::Mac, _) => return, // told as given up
        };
        let wanted = match trace {
            "RTR" => self.config.router,
            "AGT" => self.config.agent,
            _ => true,
        };
        if wanted {
            let known = self.packets.known(packet);
            let mut mac = known.mac;
            if layer == Layer::Queue {
                // The link layer has addressed the frame; its Duration is still that of the reception.
                mac = Mac { duration: mac.duration, ..Mac::of_data(node, known.next_hop, self.ack_us, packet) };
            } else if matches!(cause, DropCause::RetryLimitRts | DropCause::RetryLimitData) {
                mac = Mac::of_data(node, known.next_hop, self.ack_us, packet);
            }
            self.packet_because(
                at,
                node,
                'D',
                trace,
                why,
                packet,
                Shown { bytes, mac, next_hop: known.next_hop, hop: 0 },
            );
        }
    }

    /// Whether the station has received the data frame before, by ns-2's rule: the same number twice in a row.
    fn is_repeated(&mut self, node: NodeId, frame: &Frame<Packet>) -> bool {
        if frame.kind != FrameKind::Data || frame.to.is_none() {
            return false;
        }
        let heard = &mut self.stations[node.index()].heard;
        match heard.iter_mut().find(|(from, _)| *from == frame.from) {
            Some((_, last)) => std::mem::replace(last, frame.sequence) == frame.sequence,
            None => {
                heard.push((frame.from, frame.sequence));
                false
            }
        }
    }

    /// A line about a frame; `hop`: hops that count although the time to live does not show them.
    #[allow(clippy::too_many_arguments, reason = "the fields of a line")]
    fn frame(&mut self, at: Time, node: NodeId, op: char, why: &str, frame: &Frame<Packet>, hop: u32, whole: bool) {
        let mac = Mac::of(frame);
        let Some(packet) = &frame.payload else {
            let (name, bytes) = match frame.kind {
                FrameKind::Rts => ("RTS", hopwright_link::RTS_BYTES),
                FrameKind::Cts => ("CTS", hopwright_link::CTS_BYTES),
                FrameKind::Ack | FrameKind::Data => ("ACK", hopwright_link::ACK_BYTES),
            };
            let body = Body::Control(name, bytes + PLCP_BYTES);
            self.put(&Line { op, at, node, layer: "MAC", why, mac, next_hop: None, body });
            return;
        };
        let header = if whole { self.header_bytes + PLCP_BYTES } else { 0 };
        let bytes = self.packets.known(packet).bytes + header;
        self.packet_because(at, node, op, "MAC", why, packet, Shown { bytes, mac, next_hop: frame.to, hop });
    }

    fn packet(&mut self, at: Time, node: NodeId, op: char, layer: &str, packet: &Packet, shown: Shown) {
        self.packet_because(at, node, op, layer, "---", packet, shown);
    }

    #[allow(clippy::too_many_arguments, reason = "the fields of a line")]
    fn packet_because(&mut self, at: Time, node: NodeId, op: char, layer: &str, why: &str, packet: &Packet, s: Shown) {
        let known = self.packets.known(packet);
        let forwards = u32::from(known.first_ttl.saturating_sub(packet.ttl)) + s.hop;
        let (flow, ports) = self.packets.ports(packet);
        // Address resolution does not tell ns-2's packets their next hop.
        let next_hop = s.next_hop.filter(|_| !matches!(packet.payload, Payload::Arp(_)));
        let body = Body::Packet { packet, bytes: s.bytes, uid: known.uid, number: known.number, forwards, flow, ports };
        self.put(&Line { op, at, node, layer, why, mac: s.mac, next_hop, body });
    }

    fn put(&mut self, line: &Line<'_>) {
        match self.config.format {
            Format::Old => line.in_old_format(&mut self.line),
            Format::New => line.in_new_format(self.nodes[line.node.index()].position(line.at), &mut self.line),
        }
        self.line.push('\n');
    }

    fn write_given_up(&mut self) {
        if let Some(line) = self.given_up.take() {
            self.line = line;
            self.write_line();
        }
    }

    /// The line just put is due later.
    fn delay(&mut self, at: Time) {
        self.delayed += 1;
        self.later.insert((at, self.delayed), std::mem::take(&mut self.line));
    }

    fn write_due(&mut self, now: Time) {
        while let Some(first) = self.later.first_entry()
            && first.key().0 <= now
        {
            self.line = first.remove();
            self.write_line();
        }
    }

    fn write_line(&mut self) {
        if self.error.is_none() {
            self.error = self.out.write_all(self.line.as_bytes()).err();
        }
        self.line.clear();
    }
}

/// What a line shows of a packet that the packet itself does not say.
#[derive(Clone, Copy, Debug, Default)]
struct Shown {
    bytes: u32,
    mac: Mac,
    next_hop: Option<NodeId>,
    /// A hop that counts although the time to live does not show it yet.
    hop: u32,
}

/// The length at the agent: with headers for TCP, without for datagrams.
fn agent_bytes(packet: &Packet) -> u32 {
    match &packet.payload {
        Payload::Udp(datagram) => datagram.payload_bytes,
        Payload::Opaque(opaque) => opaque.bytes.len() as u32,
        Payload::Frame(frame) => frame.bytes.len() as u32,
        _ => packet.bytes() - packet.dsr.as_deref().map_or(0, |header| header.bytes()),
    }
}
