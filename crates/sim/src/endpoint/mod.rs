//! What sits at a node and speaks to the network: the ends of flows, and whoever is attached from outside.
//!
//! A node knows its endpoints as [`Socket`]s and asks each of them the same: the trait [`Endpoint`]. What an endpoint
//! carries for whom is its own business: the end of a flow has an application above it (`application`).

mod atp;
mod datagrams;
mod host;
mod outside;
mod tcp;

use hopwright_machine::{Address, FlowTag, Time};
use hopwright_transport::{Connection, NetworkSignal, Recipe, SwapError};
use hopwright_wire::ip::Ecn;
use hopwright_wire::notice::Notice;
use hopwright_wire::{Packet, Payload};

pub(crate) use self::datagrams::{Sink, Source};
pub(crate) use self::host::{Host, tell_of_drop};
pub(crate) use self::outside::{Outlet, Outside};
pub(crate) use self::tcp::{End, Receiver, Sender};
use crate::application;
use crate::meter::FlowMeter;
use crate::setup::{Flow, FlowKind, address};
use crate::stamps::Stamp;
use crate::trace::Event;

/// A packet that an endpoint sends.
#[derive(Debug)]
pub(crate) struct Outgoing {
    /// To whom.
    pub(crate) to: Address,
    /// Of which flow, if of one.
    pub(crate) flow: Option<FlowTag>,
    /// Whether it takes congestion marks.
    pub(crate) ecn: Ecn,
    /// What.
    pub(crate) payload: Payload,
}

impl Outgoing {
    /// The time to live with which it sets out, where routers give `first` to packets: a program's own, if that is less,
    /// and in any case for a packet to a group, which it tells how far to go.
    pub(crate) fn ttl(&self, first: u8) -> u8 {
        first_ttl(&self.payload, self.to.is_group(), first)
    }
}

/// See [`Outgoing::ttl`].
pub(crate) fn first_ttl(payload: &Payload, is_to_group: bool, first: u8) -> u8 {
    let Payload::Opaque(opaque) = payload else { return first };
    let own = opaque.head.as_ref().map(|head| head.ttl);
    own.map_or(first, |own| if is_to_group { own } else { own.min(first) })
}

/// What an endpoint wants to be told by the network, beside packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wants {
    /// How long the route is to this node (`NetworkSignal::Hops`), whenever that changes.
    pub(crate) hops_to: Option<Address>,
    /// What stations wrote in this place of a packet that is about to come (`NetworkSignal::Stamp`).
    pub(crate) stamp: Option<usize>,
}

/// What a relay has of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Relayed {
    /// The receiving end keeps what comes until the relay takes it.
    pub(crate) keeps: bool,
    /// In a buffer of this size; `None`: as the flow's receiver would have it.
    pub(crate) buffer_bytes: Option<u32>,
    /// The sending end has no application: the relay orders.
    pub(crate) carries_on: bool,
}

/// What every endpoint can be asked. `flows` are what is measured of each flow of the run.
pub(crate) trait Endpoint {
    /// Whether a packet that has come to the node is for it.
    fn is_for(&self, packet: &Packet) -> bool;

    /// A packet has come for it.
    fn receive(&mut self, now: Time, packet: &Packet, flows: &mut [FlowMeter]);

    /// The next packet that it wants to send.
    fn poll(&mut self, now: Time, flows: &mut [FlowMeter]) -> Option<Outgoing>;

    /// When it wants to be woken.
    fn deadline(&self) -> Time;

    /// Its deadline may have come.
    fn wake(&mut self, now: Time, flows: &mut [FlowMeter]);

    /// Tells a trace how it stands.
    fn show(&mut self, _flows: &[FlowMeter], _tell: impl FnMut(Event<'_>)) {}

    /// What it wants to be told by the network.
    fn wants(&self) -> Wants {
        Wants::default()
    }

    /// The network tells it something that it wants to be told, or asked for.
    fn signal(&mut self, _now: Time, _signal: NetworkSignal, _flows: &mut [FlowMeter]) {}

    /// Whether a notice of a router is for it, and if so, whether the node's router is to look for a route to this node.
    fn takes(&self, _notice: &Notice) -> Option<Option<Address>> {
        None
    }

    /// The node at the other end, if there is one other end.
    fn peer(&self) -> Option<Address> {
        None
    }

    /// Whether it asked to be told when its peer can be reached again.
    fn awaits_return(&self) -> bool {
        false
    }

    /// Whether it wants to know of a packet for it that has come damaged (`NetworkSignal::Corrupted`).
    fn hears_damage(&self) -> bool {
        false
    }
}

/// Makes the list of endpoints, and asks one of them.
macro_rules! sockets {
    ($($(#[doc = $doc:literal])+ $name:ident($kind:ty),)+) => {
        /// An endpoint of a node.
        #[derive(Debug)]
        pub(crate) enum Socket {
            $($(#[doc = $doc])+ $name($kind),)+
        }

        macro_rules! ask {
            ($socket:expr, $endpoint:ident => $question:expr) => {
                match $socket {
                    $(Socket::$name($endpoint) => $question,)+
                }
            };
        }
    };
}

sockets! {
    /// The end of a flow over TCP that sends the data.
    Sender(Box<Sender>),
    /// The one that receives them.
    Receiver(Box<Receiver>),
    /// Where datagrams of a flow come from.
    Source(Box<Source>),
    /// Where they go.
    Sink(Sink),
    /// The end of a flow over ATP that sends the data.
    AtpSource(Box<atp::Source>),
    /// The one that receives them.
    AtpSink(Box<atp::Sink>),
    /// A program outside.
    Outside(Outside),
    /// The node's own Internet layer, where programs are outside.
    Host(Host),
}

impl Endpoint for Socket {
    #[inline]
    fn is_for(&self, packet: &Packet) -> bool {
        ask!(self, endpoint => endpoint.is_for(packet))
    }

    fn receive(&mut self, now: Time, packet: &Packet, flows: &mut [FlowMeter]) {
        ask!(self, endpoint => endpoint.receive(now, packet, flows));
    }

    #[inline]
    fn poll(&mut self, now: Time, flows: &mut [FlowMeter]) -> Option<Outgoing> {
        ask!(self, endpoint => endpoint.poll(now, flows))
    }

    #[inline]
    fn deadline(&self) -> Time {
        ask!(self, endpoint => endpoint.deadline())
    }

    #[inline(never)]
    fn wake(&mut self, now: Time, flows: &mut [FlowMeter]) {
        ask!(self, endpoint => endpoint.wake(now, flows));
    }

    #[inline]
    fn show(&mut self, flows: &[FlowMeter], tell: impl FnMut(Event<'_>)) {
        ask!(self, endpoint => endpoint.show(flows, tell));
    }

    #[inline]
    fn wants(&self) -> Wants {
        ask!(self, endpoint => endpoint.wants())
    }

    fn signal(&mut self, now: Time, signal: NetworkSignal, flows: &mut [FlowMeter]) {
        ask!(self, endpoint => endpoint.signal(now, signal, flows));
    }

    fn takes(&self, notice: &Notice) -> Option<Option<Address>> {
        ask!(self, endpoint => endpoint.takes(notice))
    }

    fn peer(&self) -> Option<Address> {
        ask!(self, endpoint => endpoint.peer())
    }

    fn awaits_return(&self) -> bool {
        ask!(self, endpoint => endpoint.awaits_return())
    }

    fn hears_damage(&self) -> bool {
        ask!(self, endpoint => endpoint.hears_damage())
    }
}

impl Socket {
    /// The two ends of a flow: where its data come from, and where they go.
    pub(crate) fn pair(number: usize, flow: &Flow, stamps: &[Stamp], seed: u64) -> (Self, Self) {
        Self::relayed_pair(number, flow, stamps, seed, Relayed::default())
    }

    /// The same, one end of which a relay may have.
    pub(crate) fn relayed_pair(
        number: usize,
        flow: &Flow,
        stamps: &[Stamp],
        seed: u64,
        relayed: Relayed,
    ) -> (Self, Self) {
        let address = address(number, flow);
        let application = match relayed.carries_on {
            true => Box::new(application::Idle),
            false => application::of(number, flow, seed),
        };
        match &flow.kind {
            FlowKind::Tcp { recipe, params, .. } => {
                let mechanisms = (recipe.as_ref(), params.as_ref(), stamps);
                let (sender, receiver) = tcp::pair(number, address, mechanisms, (application, relayed), seed);
                (Self::Sender(Box::new(sender)), Self::Receiver(Box::new(receiver)))
            }
            FlowKind::Bundles { .. } => unreachable!("bundles have no sockets"),
            FlowKind::Udp(_) => (
                Self::Source(Box::new(Source::new(number, address, application))),
                Self::Sink(Sink::new(number, address)),
            ),
            FlowKind::Atp { params, .. } => {
                let (source, sink) = atp::pair(number, address, (params.as_ref(), stamps), application);
                (Self::AtpSource(Box::new(source)), Self::AtpSink(Box::new(sink)))
            }
        }
    }

    /// The end of a flow over TCP that it is.
    pub(crate) fn end(&self) -> Option<&End> {
        match self {
            Self::Sender(sender) => Some(&sender.end),
            Self::Receiver(receiver) => Some(&receiver.end),
            _ => None,
        }
    }

    pub(crate) fn end_mut(&mut self) -> Option<&mut End> {
        match self {
            Self::Sender(sender) => Some(&mut sender.end),
            Self::Receiver(receiver) => Some(&mut receiver.end),
            _ => None,
        }
    }

    /// The connection of the end of a flow over TCP that decides what is sent.
    pub(crate) fn deciding(&self) -> Option<&Connection> {
        self.end().filter(|end| end.decides()).map(End::deciding)
    }

    /// Puts mechanisms into slots of the end of a flow over TCP, which has this recipe from then on.
    pub(crate) fn swap(
        &mut self,
        now: Time,
        parts: &[(&str, &str)],
        (recipe, stamps): (&Recipe, &[Stamp]),
        flows: &mut [FlowMeter],
    ) -> Result<Vec<&'static str>, SwapError> {
        match self {
            Self::Sender(sender) => sender.swap(now, parts, flows),
            Self::Receiver(receiver) => {
                let were = receiver.swap(parts, recipe, stamps);
                receiver.end.observe(now, &mut flows[receiver.end.flow]);
                were
            }
            _ => unreachable!("only a flow over TCP has slots"),
        }
    }
}
