//! A run that is taken step by step, looked at and changed on its way.
//!
//! Spec      Inside, things happen at nanoseconds; from outside, something is done between two steps, when everything
//!           due up to and including [`Simulation::now`] has happened. What is done takes effect at once, and what it
//!           brings about at the same nanosecond happens before anything else is done. So at one nanosecond come, in
//!           this order: what is due inside; the first thing done from outside, and what follows from it; the second; ...
//! Holds     the same things done at the same times give the same results, whatever the steps in between, and whether or
//!           not anybody looks

use std::borrow::Cow;
use std::sync::Arc;

use hopwright_link::{Dcf, Ideal, Kind, Mac};
use hopwright_machine::{Address, NodeId, PacketId, Time};
use hopwright_mobility::{Position, Switch, Trajectory};
use hopwright_routing::{Counters, Protocol, Router};
use hopwright_transport::{Conflict, Connection, Needs, Params, Public, Recipe, SwapError};
use hopwright_wire::notice::{self, Asks};
use hopwright_wire::{Packet, Payload};

use crate::endpoint::{Outgoing, Outlet, first_ttl};
use crate::ledger::Ledger;
use crate::links::Links;
use crate::meter::{FlowMeter, carriers};
use crate::node::Node;
use crate::report::Outcome;
use crate::run::{Options, Run};
use crate::setup::{FlowKind, LinkChange, Setup, address};
use crate::stamps::{Stamp, place_of};
use crate::trace::{Event, Few, Off, On, Sink, Trace};
use crate::world::World;

/// A run under way. It may move to another thread between two steps.
pub struct Simulation<'a> {
    pub(crate) setup: Cow<'a, Setup>,
    seed: u64,
    pub(crate) run: Box<dyn Steps + 'a>,
}

/// How a flow stands.
#[derive(Clone, Copy, Debug)]
pub struct FlowState<'a> {
    /// Data segments or datagrams sent, first ones and retransmissions.
    pub sent: u64,
    /// Bytes handed to the receiving application.
    pub received_bytes: u64,
    /// Everything that the connection shows which decides what is sent: the sender's, or that of a receiver that asks;
    /// `None` over UDP.
    pub sender: Option<&'a Public>,
}

/// How a node stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeState {
    /// Where it is.
    pub position: Position,
    /// Whether it is up.
    pub is_up: bool,
    /// Packets in its interface queue.
    pub queued: usize,
    /// Packets inside it, wherever they wait.
    pub held: usize,
    /// The station's contention window, slots, as of when it was last woken; `None` where stations do not contend.
    pub contention_window: Option<u32>,
    /// What its router has done.
    pub routing: Counters,
}

/// A route in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The neighbour that packets go to.
    pub next_hop: NodeId,
    /// Its length; `None` where the protocol does not know it.
    pub hops: Option<u32>,
}

impl<'a> Simulation<'a> {
    /// A run that nobody listens to. Of `options`, `most_events` is without effect.
    ///
    /// # Panics
    /// If there are more than [`crate::MOST_FLOWS`] flows.
    #[must_use]
    pub fn new(setup: Cow<'a, Setup>, seed: u64, options: &Options) -> Self {
        Self { run: steps(&setup, seed, options, Off), setup, seed }
    }

    /// A run whose events `trace` is told. Results are those of [`Simulation::new`].
    ///
    /// # Panics
    /// As `new`.
    #[must_use]
    pub fn traced(setup: Cow<'a, Setup>, seed: u64, options: &Options, trace: Box<dyn Trace + 'a>) -> Self {
        let run = if trace.follows_packets() {
            let trace = On::new(trace, &setup);
            steps(&setup, seed, options, trace)
        } else {
            steps(&setup, seed, options, Few(trace))
        };
        Self { run, setup, seed }
    }

    /// What it is a run of.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Everything due up to here has happened; in the middle of a step, up to the last event.
    #[must_use]
    pub fn now(&self) -> Time {
        self.run.now()
    }

    /// When it ends.
    #[must_use]
    pub fn end(&self) -> Time {
        self.setup.end
    }

    /// Nothing happens inside before this time, unless something is done from outside. A node may be woken for nothing.
    #[must_use]
    pub fn next(&self) -> Time {
        self.run.next()
    }

    /// Events handled so far.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.run.events()
    }

    /// Lets everything happen that is due up to and including `until`, but nothing beyond the end.
    pub fn advance(&mut self, until: Time) {
        let is_there = self.advance_some(until, u64::MAX);
        debug_assert!(is_there);
    }

    /// The same in at most so many events; returns whether all of it is done.
    pub fn advance_some(&mut self, until: Time, most_events: u64) -> bool {
        let until = until.min(self.end());
        until < self.now() || self.run.advance(until, most_events)
    }

    /// A program at `node` sends `payload` to `destination`. Whoever wants the answer calls [`Simulation::attach`]. An
    /// Ethernet frame goes to the station of that node, or to all that hear it, and no router sees it.
    ///
    /// # Panics
    /// If there is no such node, or if it is a frame and the run is one over links.
    pub fn inject(&mut self, node: NodeId, destination: Address, payload: Payload) -> PacketId {
        assert!(self.setup.links.is_empty() || !matches!(payload, Payload::Frame(_)), "links carry no frames");
        self.arrive();
        let id = self.run.inject(node, destination, payload);
        self.arrive();
        id
    }

    /// From now on, packets that come to `node` and that no flow there wants are kept for [`Simulation::drain`], and
    /// are delivered with that. Without this they are dropped: nobody listens.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn attach(&mut self, node: NodeId) {
        self.arrive();
        self.run.attach(node, Outlet::Packets);
    }

    /// The same of Ethernet frames that come to `node`.
    ///
    /// # Panics
    /// If there is no such node, or if the run is one over links: no station is there to take frames.
    pub fn attach_frames(&mut self, node: NodeId) {
        assert!(self.setup.links.is_empty(), "links carry no frames");
        self.arrive();
        self.run.attach(node, Outlet::Frames);
    }

    /// From now on every node answers echoes of programs outside that no program takes, and tells the sender of a
    /// packet that could not go on why, as hosts and routers of the Internet do. To be called after [`Simulation::attach`].
    pub fn answer(&mut self) {
        self.arrive();
        self.run.answer();
    }

    /// Takes what has come to an attached node since the last time, with when it came, in this order.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn drain(&mut self, node: NodeId) -> Vec<(Time, Packet)> {
        self.arrive();
        self.run.drain(node)
    }

    /// Puts mechanisms into slots of a flow, given as pairs of slot and mechanism, at both of its ends, and has the
    /// network know what the flow's transport asks of it from now on. Returns the mechanisms that were there.
    ///
    /// # Errors
    /// If there is no such slot or mechanism, or if one cannot work with the flow's other mechanisms and parameters, with
    /// what both ends agreed on, or in this network. Then nothing has changed.
    ///
    /// # Panics
    /// If there is no such flow, or if it is one over UDP.
    pub fn swap(&mut self, flow: usize, parts: &[(&str, &str)]) -> Result<Vec<&'static str>, SwapError> {
        let (former, params) = self.recipe(flow).expect("a flow over TCP");
        let mut recipe = former;
        for (slot, part) in parts {
            recipe = recipe.with(slot, part).map_err(|why| SwapError::unknown(slot, part, why))?;
        }
        recipe.check(params)?;
        self.check_stamp(&recipe)?;
        let asks = (former.asks(params) != recipe.asks(params)).then(|| recipe.asks(params));
        let ends = [self.setup.flows[flow].from, self.setup.flows[flow].to];
        self.arrive();
        // Where a receiver asks, the sender has none.
        let changed = if ends[0] == self.setup.flows[flow].decides_at() { &ends[..] } else { &ends[1..] };
        let were = self.run.swap(flow, changed, parts, (&recipe, &self.setup.stamps))?;
        if let Some(asks) = asks {
            self.run.ask((flow, address(flow, &self.setup.flows[flow])), ends, asks);
        }
        self.arrive();
        Ok(were)
    }

    /// Stations write only what some flow wanted to read when the run began.
    fn check_stamp(&self, recipe: &Recipe) -> Result<(), Conflict> {
        if recipe.fact().is_none_or(|fact| place_of(&self.setup.stamps, fact).is_some()) {
            return Ok(());
        }
        let mut reads = recipe.parts().into_iter().zip(recipe.needs()).filter(|(_, needs)| needs.has(Needs::STAMPS));
        let ((slot, part), _) = reads.next().expect("whoever reads says so");
        let reason = "reads what stations of this run do not write on packets: begin the run with it".to_owned();
        Err(Conflict { slot, part, reason })
    }

    /// The mechanism in each slot of a flow, in the order of the slots; nothing over UDP.
    ///
    /// # Panics
    /// If there is no such flow.
    pub fn mechanisms(&self, flow: usize) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.recipe(flow).into_iter().flat_map(|(recipe, _)| recipe.parts())
    }

    /// The mechanisms at work where a flow is decided on, whoever put them there, and its parameters.
    fn recipe(&self, flow: usize) -> Option<(Recipe, &Params)> {
        let FlowKind::Tcp { params, .. } = &self.setup.flows[flow].kind else { return None };
        let deciding = self.run.deciding(self.setup.flows[flow].decides_at(), flow)?;
        Some((deciding.recipe(), params))
    }

    /// How a flow stands.
    ///
    /// # Panics
    /// If there is no such flow.
    #[must_use]
    pub fn flow(&self, flow: usize) -> FlowState<'_> {
        let counts = self.run.flows()[flow].now;
        let received_bytes = carriers(self.run.flows(), flow).last().map_or(0, |meter| meter.now.received_bytes);
        let sender = self.run.deciding(self.setup.flows[flow].decides_at(), flow).map(Connection::public);
        FlowState { sent: counts.sent, received_bytes, sender }
    }

    /// How a node stands.
    ///
    /// # Panics
    /// If there is no such node.
    #[must_use]
    pub fn node(&self, id: NodeId) -> NodeState {
        self.run.node(id, self.setup.nodes[id.index()].position(self.now()))
    }

    /// The route that packets from `node` to `destination` take now, if there is one.
    ///
    /// # Panics
    /// If there is no such node.
    #[must_use]
    pub fn route(&self, node: NodeId, destination: Address) -> Option<Route> {
        let router = self.run.router(node);
        Some(Route { next_hop: router.next_hop(destination)?, hops: router.hops(destination) })
    }

    /// The books so far: `held` and `frames_in_air` are filled in at the end.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        self.run.ledger()
    }

    /// Lets happen what is left, and returns what was measured.
    ///
    /// # Panics
    /// If the conservation law is broken at the end: a fault of this program.
    #[must_use]
    pub fn finish(mut self) -> Outcome {
        self.advance(self.end());
        self.run.finish(&self.setup, self.seed)
    }

    /// How many routers have passed a packet on that has come to where it is.
    #[must_use]
    pub fn routers(&self, packet: &Packet) -> u8 {
        let first = self.run.router(NodeId(0)).first_ttl();
        first_ttl(&packet.payload, packet.destination.is_group(), first).saturating_sub(packet.ttl)
    }

    /// Lets happen what is due now: at the beginning of a run, after what was done, and in a step that broke off.
    pub(crate) fn arrive(&mut self) {
        self.advance(self.now());
    }
}

impl std::fmt::Debug for Simulation<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulation").field("now", &self.now()).field("seed", &self.seed).finish_non_exhaustive()
    }
}

/// A run over shaped links, or of this kind of stations.
fn steps<'a, T: Sink + Send + 'a>(setup: &Setup, seed: u64, options: &Options, trace: T) -> Box<dyn Steps + 'a> {
    if !setup.links.is_empty() {
        return Box::new(Links::new(setup, seed, trace));
    }
    match setup.mac.kind {
        Kind::Dcf => Box::new(Resting(Some(Run::<T, Dcf<Packet>>::new(setup, seed, options, trace)))),
        Kind::Ideal => Box::new(Resting(Some(Run::<T, Ideal<Packet>>::new(setup, seed, options, trace)))),
    }
}

/// A run, whoever listens and whatever its stations are.
pub(crate) trait Steps: Send {
    fn now(&self) -> Time;
    fn next(&self) -> Time;
    fn events(&self) -> u64;
    fn deciding(&self, at: NodeId, flow: usize) -> Option<&Connection>;
    fn node(&self, id: NodeId, position: Position) -> NodeState;
    fn router(&self, id: NodeId) -> &Router;
    fn flows(&self) -> &[FlowMeter];
    fn ledger(&self) -> &Ledger;
    fn advance(&mut self, until: Time, most_events: u64) -> bool;
    fn inject(&mut self, node: NodeId, destination: Address, payload: Payload) -> PacketId;
    fn attach(&mut self, node: NodeId, what: Outlet);
    fn answer(&mut self);
    fn drain(&mut self, node: NodeId) -> Vec<(Time, Packet)>;
    /// Puts mechanisms into slots of a flow's ends at these nodes. Returns those that were at the first.
    fn swap(
        &mut self,
        flow: usize,
        ends: &[NodeId],
        parts: &[(&str, &str)],
        with: (&Recipe, &[Stamp]),
    ) -> Result<Vec<&'static str>, SwapError>;
    fn ask(&mut self, flow: (usize, notice::Flow), ends: [NodeId; 2], asks: Option<Asks>);
    /// A node of a medium has this way from now on, which is as before up to now.
    fn moved(&mut self, node: NodeId, path: &Trajectory);
    /// A node of a medium comes up or goes down.
    fn switch(&mut self, node: NodeId, up: bool);
    fn reshape(&mut self, link: usize, change: &LinkChange);
    fn stop(&mut self, now: Time);
    fn finish(self: Box<Self>, setup: &Setup, seed: u64) -> Outcome;
}

/// A run between two steps; it goes away for a step, see `Run::advance`.
struct Resting<T, M>(Option<Run<T, M>>);

impl<T, M> Resting<T, M> {
    fn run(&self) -> &Run<T, M> {
        self.0.as_ref().expect(RESTS)
    }

    fn run_mut(&mut self) -> &mut Run<T, M> {
        self.0.as_mut().expect(RESTS)
    }
}

/// Where a step panicked, nothing is left to be used.
const RESTS: &str = "between two steps the run is here";

impl<T: Sink + Send, M: Mac<Packet>> Steps for Resting<T, M> {
    fn now(&self) -> Time {
        self.run().now
    }

    fn next(&self) -> Time {
        self.run().deadlines.next().0
    }

    fn events(&self) -> u64 {
        self.run().handled
    }

    fn deciding(&self, at: NodeId, flow: usize) -> Option<&Connection> {
        self.run().nodes[at.index()].deciding(flow)
    }

    fn node(&self, id: NodeId, position: Position) -> NodeState {
        let node = &self.run().nodes[id.index()];
        NodeState {
            position,
            is_up: node.is_up(),
            queued: node.queued(),
            held: node.held(),
            contention_window: node.contention_window(),
            routing: node.router.counters(),
        }
    }

    fn router(&self, id: NodeId) -> &Router {
        &self.run().nodes[id.index()].router
    }

    fn flows(&self) -> &[FlowMeter] {
        &self.run().world.flows
    }

    fn ledger(&self) -> &Ledger {
        &self.run().world.ledger
    }

    fn advance(&mut self, until: Time, most_events: u64) -> bool {
        let (run, done) = self.0.take().expect(RESTS).advance(until, most_events);
        self.0 = Some(run);
        done
    }

    fn inject(&mut self, node: NodeId, destination: Address, payload: Payload) -> PacketId {
        let outgoing = Outgoing { to: destination, flow: None, ecn: payload.ecn(), payload };
        self.run_mut().touch(node, |node, now, world| node.originate(now, outgoing, world))
    }

    fn attach(&mut self, node: NodeId, what: Outlet) {
        self.run_mut().nodes[node.index()].attach(what);
    }

    fn answer(&mut self) {
        self.run_mut().nodes.iter_mut().for_each(Node::answer);
    }

    fn drain(&mut self, node: NodeId) -> Vec<(Time, Packet)> {
        self.run_mut().nodes[node.index()].drain()
    }

    fn swap(
        &mut self,
        flow: usize,
        ends: &[NodeId],
        parts: &[(&str, &str)],
        with: (&Recipe, &[Stamp]),
    ) -> Result<Vec<&'static str>, SwapError> {
        for end in ends {
            self.run().nodes[end.index()].admits(flow, with.0)?;
        }
        let mut swap =
            |end: &NodeId| self.run_mut().touch(*end, |node, now, world| node.swap(now, flow, parts, with, world));
        let all: Vec<_> = ends.iter().map(&mut swap).collect();
        all.into_iter().next().expect("an end")
    }

    fn ask(&mut self, flow: (usize, notice::Flow), ends: [NodeId; 2], asks: Option<Asks>) {
        self.run_mut().ask(flow, ends, asks);
    }

    fn moved(&mut self, node: NodeId, path: &Trajectory) {
        let run = self.run_mut();
        run.medium.moved(node, path.clone(), run.now);
        if T::ON {
            run.world.trace.event(run.now, node, Event::Moved(path));
        }
    }

    fn switch(&mut self, node: NodeId, up: bool) {
        let run = self.run_mut();
        let now = run.now;
        run.measure_from(now);
        run.script.as_mut().expect("the run is steered").now(Switch { at: now, node, up });
        run.switch(now);
    }

    fn reshape(&mut self, _link: usize, _change: &LinkChange) {
        unreachable!("a medium has no links");
    }

    fn stop(&mut self, now: Time) {
        let run = self.run_mut();
        run.end = now;
        if run.warm_up != Time::NEVER {
            run.warm_up = run.warm_up.min(now); // nothing was measured
        }
    }

    fn finish(self: Box<Self>, setup: &Setup, seed: u64) -> Outcome {
        self.0.expect(RESTS).finish(setup, seed)
    }
}

impl<T: Sink, M: Mac<Packet>> Run<T, M> {
    /// Does something at a node, which knows of everything before.
    fn touch<R>(&mut self, id: NodeId, act: impl FnOnce(&mut Node<M>, Time, &mut World<T>) -> R) -> R {
        let (now, index) = (self.now, id.index());
        self.measure_from(now);
        if T::PACKETS {
            self.world.trace.listen(now);
        }
        self.rouse(index);
        let (node, antenna) = (&mut self.nodes[index], &mut self.antennas[index]);
        let done = node.touch(now, antenna, &mut self.medium, &mut self.world, act);
        self.schedule(index, now);
        done
    }

    /// The ends of a flow, and the network, know what its transport asks from now on.
    fn ask(&mut self, (flow, address): (usize, notice::Flow), ends: [NodeId; 2], asks: Option<Asks>) {
        for end in ends {
            self.nodes[end.index()].ask(flow, asks);
        }
        let wishes = Arc::make_mut(&mut self.wishes);
        match asks {
            Some(asks) => wishes.insert(address, asks),
            None => wishes.remove(&address),
        };
        for node in &mut self.nodes {
            node.router.heed(&self.wishes);
        }
    }
}
