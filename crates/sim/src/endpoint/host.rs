//! What the Internet layer of a node says to programs outside by itself: answers to echoes, and errors about packets of
//! theirs that cannot go on. So `ping` and `traceroute` see every node, whether a program runs there or not.
//!
//! Spec      RFC 792; RFC 1122 §3.2.2 (hosts: echoes; what no error is sent about), §3.2.2.1 (port and protocol
//!           unreachable); RFC 1812 §4.3.2 (routers: the quoted packet, no more than 576 bytes; limited rate), §5.3.1
//!           (time exceeded); RFC 3561 §6.3 (a route that is not found: host unreachable)
//! Deviates  fragments of echoes are not put together: they have no answer; a segment of TCP that nobody takes is answered
//!           by "port unreachable", not by a reset, for there is no TCP here; losses on the air are nobody's error, as on
//!           real stations
//! Holds     no error is sent about an error, a packet to a group, or a fragment but the first; an error beyond the
//!           limited rate is left out, and never sent later

use std::collections::VecDeque;

use hopwright_machine::{Address, DropCause, Duration, NodeId, Time};
use hopwright_wire::icmp::{Message, unreachable};
use hopwright_wire::ip::{Ecn, Head, Opaque, protocol};
use hopwright_wire::{Packet, Payload};

use super::{Endpoint, Outgoing, Socket, first_ttl};
use crate::meter::FlowMeter;

/// Time to live of what it sends (RFC 1700).
const TTL: u8 = 64;

/// The longest error, with its IP header: longer packets are quoted in part.
const LONGEST: usize = 576;

/// Errors per second that are sent in the long run, and the second's worth that may be sent at once.
const ERRORS_PER_S: u64 = 50;

/// The flag "more fragments follow", and the place of a fragment in its packet.
const MORE: u16 = 0x2000;
const PLACE: u16 = 0x1fff;

/// See the file's header.
#[derive(Debug)]
pub(crate) struct Host {
    address: Address,
    says: VecDeque<Outgoing>,
    /// When all errors so far would have been sent at the steady rate.
    steady: Time,
}

impl Host {
    pub(crate) fn new(node: NodeId) -> Self {
        Self { address: node.address(), says: VecDeque::new(), steady: Time::ZERO }
    }

    /// The node has dropped a packet; routers give `first` as time to live.
    fn dropped(&mut self, now: Time, packet: &Packet, (cause, first): (DropCause, u8)) {
        let routers = first_ttl(&packet.payload, false, first).saturating_sub(packet.ttl);
        let Some(error) = error(packet, cause, routers) else { return };
        let step = Duration::from_nanos(1_000_000_000 / ERRORS_PER_S);
        let steady = self.steady.max(now) + step;
        if steady.since(now) <= Duration::from_secs(1) {
            self.steady = steady;
            self.says.push_back(says(packet.source, 0, &error));
        }
    }
}

/// Has the host at a node tell the program that sent it that a packet was dropped, if both are there.
#[cold]
pub(crate) fn tell_of_drop(sockets: &mut [Socket], now: Time, packet: &Packet, why: (DropCause, u8)) {
    let hosts = sockets.iter_mut().filter_map(|socket| match socket {
        Socket::Host(host) => Some(host),
        _ => None,
    });
    hosts.for_each(|host| host.dropped(now, packet, why));
}

/// The error about a packet, if there is one to send.
fn error(packet: &Packet, cause: DropCause, routers: u8) -> Option<Vec<u8>> {
    let Payload::Opaque(opaque) = &packet.payload else { return None };
    let head = opaque.head.as_ref()?;
    let is_error = opaque.protocol == protocol::ICMP
        && !matches!(Message::parse(&opaque.bytes), Ok(Message::EchoRequest(_) | Message::EchoReply(_)));
    if is_error || packet.destination.is_group() || head.fragment & PLACE != 0 {
        return None;
    }
    let mut quoted = packet.foreign_bytes(routers)?;
    quoted.truncate(LONGEST - 28);
    let quoted = &quoted[..];
    let message = match cause {
        DropCause::TtlExpired => Message::TimeExceeded { quoted },
        DropCause::NoRoute | DropCause::RouteBufferTimeout | DropCause::ArpUnanswered => {
            Message::Unreachable { code: unreachable::HOST, quoted }
        }
        DropCause::NoListener => {
            let has_ports = matches!(opaque.protocol, protocol::TCP | protocol::UDP);
            Message::Unreachable { code: if has_ports { unreachable::PORT } else { unreachable::PROTOCOL }, quoted }
        }
        _ => return None,
    };
    let mut bytes = Vec::new();
    message.emit(&mut bytes);
    Some(bytes)
}

/// A control message to whom it is for.
fn says(to: Address, tos: u8, bytes: &[u8]) -> Outgoing {
    let head = Head { tos, ttl: TTL, identification: 0, fragment: 0, options: [].into() };
    let opaque = Opaque { protocol: protocol::ICMP, bytes: bytes.into(), head: Some(head) };
    Outgoing { to, flow: None, ecn: Ecn::of(tos), payload: Payload::Opaque(opaque.into()) }
}

/// What an echo is, if the packet is one.
fn asked(packet: &Packet) -> Option<(&Opaque, &Head)> {
    let Payload::Opaque(opaque) = &packet.payload else { return None };
    let head = opaque.head.as_ref().filter(|head| head.fragment & (MORE | PLACE) == 0)?;
    (opaque.protocol == protocol::ICMP).then_some((opaque, head))
}

impl Endpoint for Host {
    fn is_for(&self, packet: &Packet) -> bool {
        packet.destination == self.address
            && asked(packet).is_some_and(|(echo, _)| matches!(Message::parse(&echo.bytes), Ok(Message::EchoRequest(_))))
    }

    fn receive(&mut self, _now: Time, packet: &Packet, _flows: &mut [FlowMeter]) {
        let Some((opaque, head)) = asked(packet) else { return };
        let Ok(Message::EchoRequest(echo)) = Message::parse(&opaque.bytes) else { return };
        let mut bytes = Vec::with_capacity(opaque.bytes.len());
        Message::EchoReply(echo).emit(&mut bytes);
        self.says.push_back(says(packet.source, head.tos, &bytes));
    }

    fn poll(&mut self, _now: Time, _flows: &mut [FlowMeter]) -> Option<Outgoing> {
        self.says.pop_front()
    }

    /// At once, if something was dropped while nobody asked.
    fn deadline(&self) -> Time {
        if self.says.is_empty() { Time::NEVER } else { Time::ZERO }
    }

    fn wake(&mut self, _now: Time, _flows: &mut [FlowMeter]) {}
}
