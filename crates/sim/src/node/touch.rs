//! What is done to a node from outside, between two steps of a run: see `simulation`.

use hopwright_link::{Ask, Input as ToLink, Mac};
use hopwright_machine::Machine as _;
use hopwright_machine::{PacketId, Time};
use hopwright_routing::{Input as Route, Protocol};
use hopwright_transport::{Conflict, Connection, Recipe, SwapError};
use hopwright_wire::Packet;
use hopwright_wire::notice::Asks;

use super::{Node, originated, packet, tell};
use crate::antenna::Antenna;
use crate::endpoint::{Endpoint, Host, Outgoing, Outlet, Outside, Socket};
use crate::medium::Medium;
use crate::stamps::Stamp;
use crate::trace::Sink;
use crate::world::World;

impl<M: Mac<Packet>> Node<M> {
    /// Does something at the node, which knows of everything before, and carries what follows from it as far as it goes.
    pub(crate) fn touch<T: Sink, R>(
        &mut self,
        now: Time,
        antenna: &mut Antenna,
        medium: &mut Medium,
        world: &mut World<T>,
        act: impl FnOnce(&mut Self, Time, &mut World<T>) -> R,
    ) -> R {
        self.catch_up(now, antenna, medium, world);
        let done = act(self, now, world);
        let mut frame = None;
        self.settle(now, true, medium, world, &mut frame);
        debug_assert!(frame.is_none(), "a station transmits when it is woken");
        done
    }

    /// A program outside sends a packet.
    pub(crate) fn originate<T: Sink>(&mut self, now: Time, outgoing: Outgoing, world: &mut World<T>) -> PacketId {
        self.packets += 1;
        let first_ttl = outgoing.ttl(self.router.first_ttl());
        let packet = packet(self.id, self.packets, outgoing, first_ttl);
        let id = packet.id;
        originated(now, &packet, &self.router, self.id, world);
        world.originated(now, self.id, &packet);
        if let Some(packet) = self.passes_by(now, packet, world) {
            self.router.handle(now, Route::Send(packet));
        }
        id
    }

    /// A program outside takes from now on what no flow here wants.
    pub(crate) fn attach(&mut self, what: Outlet) {
        if self.outside().is_none() {
            self.sockets.push(Socket::Outside(Outside::default()));
        }
        self.outside().expect("it is there").wants(what);
    }

    /// The node answers programs outside by itself from now on.
    pub(crate) fn answer(&mut self) {
        self.sockets.push(Socket::Host(Host::new(self.id)));
    }

    /// Takes what has come for the program outside.
    pub(crate) fn drain(&mut self) -> Vec<(Time, Packet)> {
        self.outside().map(Outside::drain).unwrap_or_default()
    }

    fn outside(&mut self) -> Option<&mut Outside> {
        self.sockets.iter_mut().find_map(|socket| match socket {
            Socket::Outside(outside) => Some(outside),
            _ => None,
        })
    }

    /// Whether every mechanism of a recipe could work at a flow's end here.
    pub(crate) fn admits(&self, flow: usize, recipe: &Recipe) -> Result<(), Conflict> {
        self.sockets
            .iter()
            .filter_map(Socket::end)
            .filter(|end| end.flow == flow)
            .try_for_each(|end| end.admits(recipe))
    }

    /// Puts mechanisms into slots of a flow's end here; the flow has this recipe from then on, in a run with these stamps.
    pub(crate) fn swap<T: Sink>(
        &mut self,
        now: Time,
        flow: usize,
        parts: &[(&str, &str)],
        with: (&Recipe, &[Stamp]),
        world: &mut World<T>,
    ) -> Result<Vec<&'static str>, SwapError> {
        let mut sockets = self.sockets.iter_mut();
        let is_its_end = |socket: &&mut Socket| socket.end().is_some_and(|end| end.flow == flow);
        let socket = sockets.find(is_its_end).expect("one end of the flow is here");
        let were = socket.swap(now, parts, with, &mut world.flows)?;
        tell(now, self.id, socket, world);
        self.hears_damage = self.sockets.iter().any(Endpoint::hears_damage);
        Ok(were)
    }

    /// What a flow's transport asks of the network from now on.
    pub(crate) fn ask(&mut self, flow: usize, asks: Option<Asks>) {
        let ends = self.sockets.iter_mut().filter_map(Socket::end_mut);
        ends.filter(|end| end.flow == flow).for_each(|end| end.asks = asks);
    }

    /// The connection of a flow over TCP that decides what is sent, if it is here.
    pub(crate) fn deciding(&self, flow: usize) -> Option<&Connection> {
        let ours = self.sockets.iter().filter(|socket| socket.end().is_some_and(|end| end.flow == flow));
        ours.filter_map(Socket::deciding).next()
    }

    pub(crate) fn is_up(&self) -> bool {
        !self.down_now
    }

    /// Packets in its interface queue.
    pub(crate) fn queued(&self) -> usize {
        self.station.queued()
    }

    /// The station's contention window, slots, if it has one.
    pub(crate) fn contention_window(&self) -> Option<u32> {
        self.station.contention_window()
    }

    /// The air that its station waits for, if it is granted by somebody else.
    pub(crate) fn wants_air(&self) -> Option<Ask> {
        self.station.ask()
    }

    /// Whether its station has the air that it was granted.
    pub(crate) fn has_air(&self) -> bool {
        self.station.has_air()
    }

    /// Grants it.
    pub(crate) fn grant(&mut self, now: Time) {
        self.station.handle(now, ToLink::Granted);
    }
}
