//! One run: the loop that owns time.

mod grants;
mod outage;
mod sleepers;

use std::sync::Arc;

use grants::Grants;
use hopwright_bundle::Agent;
use hopwright_link::{Arp, Config, Draws, Frame, FrameKind, Lred, Mac};
use hopwright_machine::{Duration, NodeId, Purpose, Stream, Time};
use hopwright_mobility::{Cells, Position};
use hopwright_radio::{Radio, Receiver, Signal};
use hopwright_routing::{Counters, NextHops, Protocol, Router, Smf, StaticRoutes, Wishes};
use hopwright_wire::{Packet, Payload};
use outage::Script;
use sleepers::Sleepers;

use crate::antenna::Antenna;
use crate::channel::Channel;
use crate::deadlines::Deadlines;
use crate::endpoint::Socket;
use crate::energy::{Meter, Payer, ROUTING, account_of};
use crate::medium::{FrameClass, Hearer, Medium, Obstacles, Role, Tag, Wanted};
use crate::misses::Miss;
use crate::node::{Node, tell_contention};
use crate::report::{CarrierReport, FrameRecord, Outcome, Report};
use crate::setup::{FlowKind, MOST_FLOWS, Routing, Setup};
use crate::stamps::{Stamp, stampers};
use crate::trace::{Event, LostTo, Sink};
use crate::world::{World, flow_of};

/// What is wanted of a run besides its results.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Keep the list of all frames.
    pub frames: bool,
    /// Back-off counters per node, in the order in which they are drawn, to replay a trace; a node without a
    /// list draws from its stream.
    pub backoff_script: Vec<Option<Vec<u32>>>,
    /// Keep what each packet took, where the radio's powers are given.
    pub packet_energy: bool,
    /// Nodes may be moved and switched from outside.
    pub steered: bool,
    /// Stop `run` and `run_traced` after about so many events.
    pub most_events: Option<u64>,
}

/// A frame that leaves.
struct Leaving {
    now: Time,
    air_time: Duration,
    /// Whoever must act on it does so that long after its end.
    acts_after: Duration,
    addressee: NodeId,
    /// As those have it who decode it and are not the addressee.
    tag: Tag,
}

/// A run under way, whose stations are `M`. What is done to it from outside stands in `simulation`.
pub(crate) struct Run<T, M> {
    /// Everything due up to here has happened.
    pub(crate) now: Time,
    /// When measurements start; `NEVER` once they have.
    pub(crate) warm_up: Time,
    pub(crate) end: Time,
    mac: Arc<Config>,
    /// Whether routers listen to packets on their way to others.
    listening: bool,
    pub(crate) deadlines: Deadlines,
    pub(crate) script: Option<Box<Script>>,
    /// Where the air is granted.
    pub(crate) grants: Option<Box<Grants>>,
    pub(crate) handled: u64,
    pub(crate) medium: Medium,
    channel: Option<Box<Channel>>,
    pub(crate) energy: Option<Box<Meter>>,
    /// Whether stations' stampers are told when data are heard.
    stampers_hear: bool,
    /// Whether anybody of these two wants to know of every launch: so that where nobody does, one question is asked.
    tells_of_launches: bool,
    pub(crate) nodes: Vec<Node<M>>,
    /// What is on its way to each node.
    pub(crate) antennas: Vec<Antenna>,
    sleepers: Sleepers,
    pub(crate) world: World<T>,
    frames: Option<Vec<FrameRecord>>,
    routers_at_warm_up: Counters,
    /// What transports ask of the network, as all routers know it.
    pub(crate) wishes: Arc<Wishes>,
}

impl<T: Sink, M: Mac<Packet>> Run<T, M> {
    /// Everything is built, and every node started; nothing has happened yet.
    pub(crate) fn new(setup: &Setup, seed: u64, options: &Options, trace: T) -> Self {
        assert!(setup.flows.len() <= MOST_FLOWS, "{} flows: there are no ports for them", setup.flows.len());
        let radio = Radio::new(&setup.radio);
        let mut obstacles = Obstacles::new(setup.radio.shadowing, seed);
        let channel = Channel::new(setup, seed);
        let mac = Arc::new(setup.mac.clone());
        let routes = match &setup.routing {
            Routing::Static(Some(table)) => Some(Arc::new(NextHops::written(table.clone()))),
            Routing::Static(None) => Some(Arc::new(NextHops::shortest(neighbours(setup, &radio, &mut obstacles)))),
            Routing::Found(_) => None,
        };
        let wishes = Arc::new(setup.wishes());
        let node = |index: usize| {
            let id = NodeId(index as u32);
            let router = match &setup.routing {
                Routing::Found(config) => config.router(id, seed, &wishes),
                Routing::Static(_) => {
                    let routes = routes.as_ref().expect("static routes are known by now");
                    Router::Static(StaticRoutes::new(id, Arc::clone(routes)))
                }
            };
            let draws = match options.backoff_script.get(index) {
                Some(Some(script)) => Draws::Scripted(script.iter().copied().collect()),
                _ => Draws::Random(Box::new(Stream::new(seed, id, Purpose::Backoff))),
            };
            let arp = setup.mac.arp.clone().map(|config| Box::new(Arp::new(config, id)));
            let mut station = M::new(Arc::clone(&mac), id, draws);
            if let Some(config) = setup.mac.lred {
                station =
                    station.with_lred(Lred::new(config, tell_contention, Stream::new(seed, id, Purpose::LinkRed)));
            }
            station = station.with_stampers(stampers(&setup.stamps, &mac));
            let mut node = Node::new(id, router, arp, station, setup);
            if let Some(config) = setup.multicast {
                node.flood_by(Smf::new(id, seed, config));
            }
            node
        };
        let mut nodes: Vec<Node<M>> = (0..setup.nodes.len()).map(node).collect();
        for (index, flow) in setup.flows.iter().enumerate() {
            if let FlowKind::Bundles { .. } = flow.kind {
                nodes[flow.from.index()].add_origin(index, flow, seed);
                continue;
            }
            let (sender, receiver) = Socket::pair(index, flow, &setup.stamps, seed);
            nodes[flow.from.index()].add_socket(sender);
            nodes[flow.to.index()].add_socket(receiver);
        }
        let script = Script::new(&setup.switches, nodes.len(), options.steered);
        let medium = Medium::new(radio, obstacles, &setup.nodes, options.steered);
        let energy = Meter::new(setup, options.packet_energy);
        let stampers_hear = setup.stamps.iter().any(Stamp::hears);
        let beyond = if M::IS_GRANTED { 2 } else { usize::from(script.is_some()) };
        let listening = nodes.iter().any(|node| node.router.listens());
        let is_random = channel.is_some();
        let is_watched = trace.follows_hearing() || energy.is_some() || stampers_hear;
        let may_sleep = !is_random && !is_watched && !M::IS_GRANTED && script.is_none();
        let mut run = Self {
            now: Time::ZERO,
            warm_up: setup.warm_up,
            end: setup.end,
            mac,
            listening,
            deadlines: Deadlines::new(nodes.len() + beyond),
            script,
            grants: M::IS_GRANTED.then(|| Box::new(Grants::new(nodes.len(), &medium))),
            handled: 0,
            sleepers: Sleepers::new(nodes.len(), may_sleep, listening, medium.longest_delay(), &setup.mac),
            medium,
            world: World::new(trace, setup, nodes.iter().any(Node::<M>::follows), channel.is_some()),
            channel,
            tells_of_launches: energy.is_some() || stampers_hear,
            energy,
            stampers_hear,
            antennas: nodes.iter().map(|_| Antenna::new(Receiver::new(setup.radio.rule))).collect(),
            nodes,
            frames: options.frames.then(Vec::new),
            routers_at_warm_up: Counters::default(),
            wishes,
        };
        for node in 0..run.nodes.len() {
            run.nodes[node].start(Time::ZERO, &mut run.medium, &mut run.world);
            run.schedule(node, Time::ZERO);
        }
        if let Some(script) = &run.script {
            run.deadlines.set(run.nodes.len(), script.next());
        }
        run
    }

    /// Does what is due up to and including `until`, in at most so many events; returns whether all of it is done. The
    /// loop owns the run: where it had it from somebody else, each event would cost 1 % more.
    pub(crate) fn advance(mut self, until: Time, most_events: u64) -> (Self, bool) {
        let last = self.handled.saturating_add(most_events);
        let behind = until + Duration::from_nanos(1);
        // Measurements start before the first event that counts.
        let mut limit = self.warm_up.min(behind);
        loop {
            let (at, node) = self.deadlines.next();
            if at >= limit {
                if at > until {
                    self.now = until;
                    return (self, true);
                }
                self.measure_from(at);
                limit = behind;
            }
            if self.handled >= last {
                return (self, false);
            }
            assert!(at >= self.now, "time runs backwards at {at}");
            if T::PACKETS {
                self.world.trace.listen(at);
            }
            self.now = at;
            self.handled += 1;
            let node = node.index();
            let mut may_doze = false;
            if self.sleepers.any() {
                if self.listening && self.overhears_asleep(node) {
                    continue;
                }
                may_doze = self.rouse(node);
            }
            // Beyond the nodes' deadlines are that of the script and that of grants, after whatever else happens at that
            // time.
            let Some(woken) = self.nodes.get_mut(node) else {
                if M::IS_GRANTED && node > self.nodes.len() {
                    self.grant(at);
                } else {
                    self.switch(at);
                }
                continue;
            };
            let mut frame = None;
            woken.wake(at, &mut self.antennas[node], &mut self.medium, &mut self.world, &mut frame);
            if T::PACKETS {
                let sent = || frame.as_ref().map(|frame| frame.kind);
                self.world.trace.acted(at, NodeId(node as u32), sent, &mut self.medium);
            }
            if frame.is_some() {
                self.transmit(node, frame);
            }
            self.schedule(node, at);
            if may_doze {
                self.doze(node);
            }
        }
    }

    /// Something is about to happen at `at`: measurements start, if it is time and they have not.
    #[cold]
    #[inline(never)]
    pub(crate) fn measure_from(&mut self, at: Time) {
        if at >= self.warm_up {
            self.warm_up = Time::NEVER;
            self.world.warmed_up();
            self.routers_at_warm_up = self.routers();
        }
    }

    /// The node is woken at its deadline. One that moves away later is found out then.
    #[inline(always)] // once for each event
    pub(crate) fn schedule(&mut self, node: usize, now: Time) {
        let late = || self.nodes[node].late(now).map(|(machine, at)| format!("node {node}: {machine} waits for {at}"));
        debug_assert_eq!(late(), None, "a deadline in the past at {now}");
        let antenna = &mut self.antennas[node];
        self.nodes[node].plan(now, antenna, &self.mac);
        self.deadlines.set(node, antenna.deadline(&self.mac));
        if M::IS_GRANTED {
            self.ask_for_air(node, now);
        }
    }

    /// Puts the frame of a node, if there is one, on the air. It comes as it is kept: so it is copied once.
    fn transmit(&mut self, node: usize, frame: Option<Frame<Packet>>) {
        let Some(sent) = &frame else { return };
        let (now, id) = (self.now, NodeId(node as u32));
        let class = FrameClass::of_frame(sent);
        let &Frame { to, kind, air_time, nav, .. } = sent;
        let tappable = self.listening
            && to.is_some()
            && sent
                .payload
                .as_ref()
                .is_some_and(|packet| !matches!(packet.payload, Payload::Arp(_) | Payload::Frame(_)));
        let until = now + air_time;
        let nav_ns = u32::try_from(nav.as_nanos()).unwrap_or(u32::MAX);
        self.world.note(now, u64::from(id.0) << 8 | kind as u64);
        self.world.ledger.frames += 1;
        self.world.mac.frames[class as usize] += 1;
        if let Some(frames) = &mut self.frames {
            frames.push(FrameRecord { at: now, from: id, to, kind });
        }
        let cut_off = self.antennas[node].receiver.transmit(until);
        // What the frame is to those that decode it and are not its addressee.
        let others = match to {
            None => Role::Mine,
            Some(_) if tappable => Role::Tapped,
            Some(_) => Role::Other,
        };
        let place = self.medium.launch(frame, to.is_none());
        if T::PACKETS {
            self.tell_of_launch(node, place, cut_off);
        }
        let tag = Tag { frame: place, nav_ns, class, role: others };
        let leaving =
            Leaving { now, air_time, acts_after: self.mac.acts_after(kind), addressee: to.unwrap_or(id), tag };
        let (mut heard, listeners) = match self.sleepers.any() {
            true => self.heard_awake(&leaving, id, to),
            false => (self.medium.heard_by(id, now, Wanted::All), 0),
        };
        if self.channel.is_some() {
            self.draw(&mut heard, (id, to), kind, class);
        }
        if let Some(script) = &mut self.script {
            script.launched(node, until, &heard);
        }
        if self.tells_of_launches {
            self.launched(node, place, &heard, class);
        }
        if T::PACKETS && self.world.trace.asks_for_waits() {
            self.world.trace.heard(now, id, &heard);
        }
        let visits = listeners + self.announce(&leaving, &heard);
        let is_reached = |to: NodeId| heard.iter().any(|link| link.node == to.0 && link.hurdle.is_decodable());
        match to {
            None => {
                self.world.ledger.frames_broadcast += 1;
                if T::PACKETS {
                    let faded = self.channel.iter().flat_map(|channel| &channel.faded);
                    faded.for_each(|&node| self.world.trace.unreached(now, NodeId(node), place, Miss::Channel));
                }
            }
            Some(to) if visits == 0 || (tappable && !is_reached(to)) => {
                self.medium.decide(place); // others may listen to it still
                let (why, count) = if self.medium.is_down(to) {
                    (Miss::Down, &mut self.world.ledger.frames_node_down)
                } else if self.channel.as_ref().is_some_and(|channel| !channel.faded.is_empty()) {
                    (Miss::Channel, &mut self.world.ledger.frames_damaged)
                } else {
                    (Miss::OutOfRange, &mut self.world.ledger.frames_out_of_range)
                };
                *count += 1;
                if T::PACKETS {
                    self.world.trace.unreached(now, to, place, why);
                }
            }
            Some(_) => {}
        }
        if let Some(channel) = &mut self.channel {
            channel.undraw(&mut heard);
        }
        self.medium.keep(id, heard);
        self.medium.must_visit(place, visits);
        if self.sleepers.may_sleep() {
            self.log(&leaving, id);
        }
    }

    /// Tells all who hear a frame of it; returns how many of them must act on it.
    #[inline(never)] // on its own, it has the registers for itself
    fn announce(&mut self, leaving: &Leaving, heard: &[Hearer]) -> u32 {
        let &Leaving { now, air_time, acts_after, addressee, tag } = leaving;
        let mut visits = 0;
        let mac: &Config = &self.mac;
        for link in heard {
            let role = match link.hurdle.is_decodable() {
                false => Role::Other,
                true if link.node == addressee.0 => Role::Mine,
                true => tag.role,
            };
            let from = now.after(link.delay);
            let until = from.after(air_time);
            // Made where it is needed: so its parts are written where they are kept.
            let signal =
                || Signal { from, until, power_mw: link.power_mw, hurdle: link.hurdle, frame: Tag { role, ..tag } };
            let is_followed = T::PACKETS && self.world.trace.follows_hearing();
            if is_followed {
                self.world.trace.announce(now, link.node, signal());
            }
            let receiver = link.node as usize;
            let antenna = &mut self.antennas[receiver];
            if antenna.receiver.is_behind() {
                self.nodes[receiver].catch_up(now, antenna, &mut self.medium, &mut self.world);
                self.nodes[receiver].note_idle(antenna); // a back-off may have run out meanwhile
            }
            if role == Role::Other && antenna.is_indifferent() {
                // Most hear what is not for them, and want nothing.
                if is_followed {
                    antenna.receiver.announce(signal());
                } else {
                    let (trace, hearer) = (&mut self.world.trace, NodeId(link.node));
                    antenna.announce_other(now, signal, |at, how| trace.forgotten(now, hearer, at, how));
                }
                debug_assert_eq!(antenna.deadline(mac), self.deadlines.of(receiver));
                continue;
            }
            // One visit does for the reception and for what follows from it.
            antenna.announce(signal(), until.after(acts_after), mac);
            // Whoever is to be woken after this frame anyway will find out then how much later it should have been.
            let (deadline, known) = (antenna.deadline(mac), self.deadlines.of(receiver));
            if deadline < known || known < until {
                self.deadlines.set(receiver, deadline);
            }
            visits += u32::from(role != Role::Other);
        }
        visits
    }

    /// Tells those who want to know of every frame that leaves, and of those who hear it.
    #[inline(never)]
    fn launched(&mut self, node: usize, place: u32, heard: &[Hearer], class: FrameClass) {
        if self.energy.is_some() {
            self.meter_launch(node, place, heard);
        }
        if self.stampers_hear && matches!(class, FrameClass::Data | FrameClass::Ack) {
            for link in heard {
                self.nodes[link.node as usize].hears(self.now + link.delay);
            }
        }
    }

    /// Tells the meter, if there is one, of the frame that leaves, and of those who hear it.
    #[inline(never)]
    fn meter_launch(&mut self, node: usize, place: u32, heard: &[Hearer]) {
        let Some(frame) = self.medium.frame(place) else { return };
        let packet = match frame.kind {
            FrameKind::Data => frame.payload.as_ref(),
            FrameKind::Rts => self.nodes[node].serving(),
            FrameKind::Cts | FrameKind::Ack => None,
        };
        let account = |packet: &Packet| match flow_of(packet) {
            Some((flow, forward)) => account_of(flow, forward),
            None => ROUTING,
        };
        let payer = packet.map(|packet| Payer { account: account(packet), packet: packet.id });
        if let Some(meter) = &mut self.energy {
            meter.launched(self.now, frame, payer, heard);
        }
    }

    /// What the channel makes of a frame that leaves for one other, or for everyone, where it leaves anything to
    /// chance.
    #[inline(never)]
    fn draw(&mut self, heard: &mut Vec<Hearer>, ends: (NodeId, Option<NodeId>), kind: FrameKind, class: FrameClass) {
        if let Some(channel) = &mut self.channel {
            channel.draw(heard, ends, self.now, class, &self.medium);
            self.world.drawn(ends, kind, class, channel.faded.len());
        }
    }

    /// Tells a trace of the frame that leaves, and of the one whose reception it ends.
    fn tell_of_launch(&mut self, node: usize, place: u32, cut_off: Option<Tag>) {
        let (now, id) = (self.now, NodeId(node as u32));
        let Some(frame) = self.medium.frame(place) else { return };
        let tried = self.nodes[node].tried(frame.kind);
        if let Some(packet) = tried {
            self.world.trace.event(now, id, Event::Attempt { packet, next_hop: frame.to });
        }
        let senses = tried.is_some() || self.mac.senses_before(frame.kind);
        self.world.trace.launch(now, frame, place, senses);
        if let Some(tag) = cut_off.filter(|tag| tag.role == Role::Mine) {
            self.world.trace.missed(now, id, tag.frame, LostTo::Transmitting);
            self.world.trace.tell_missed(now, id, &mut self.medium);
        }
    }

    /// What all routers have done so far.
    pub(crate) fn routers(&self) -> Counters {
        self.nodes.iter().map(|node| node.router.counters()).fold(Counters::default(), Counters::plus)
    }

    /// What has been measured, once everything up to the end has happened.
    pub(crate) fn finish(mut self, setup: &Setup, seed: u64) -> Outcome {
        debug_assert_eq!(self.now, self.end, "the run is not over");
        self.measure_from(self.end);
        self.world.trace.end(self.end, self.nodes.len());
        let ledger = &mut self.world.ledger;
        ledger.control_made = self.nodes.iter().map(Node::<M>::control_made).sum();
        let held: usize = self.nodes.iter().map(Node::<M>::held).sum();
        // The copy that a station still holds although the next one has it is not a second packet.
        ledger.held = held as u64 - self.world.taken.iter().filter(|&&t| t).count() as u64;
        ledger.frames_in_air = self.medium.undecided();
        if let Err(balance) = ledger.check() {
            panic!("the conservation law is broken (seed {seed}): {balance}");
        }
        let routers = self.routers().less(self.routers_at_warm_up);
        let queue_mean = self.nodes.iter().map(|n| n.queue.mean(self.end)).sum::<f64>() / self.nodes.len() as f64;
        if let Some(meter) = &mut self.energy {
            meter.end(self.end);
        }
        let energy = self.energy.as_deref();
        let mut report = Report::new(setup, seed, &self.world, self.handled, queue_mean, routers, energy);
        let agents = || self.nodes.iter().filter_map(Node::<M>::agent);
        report.bundles = setup.bundles().map(|_| CarrierReport {
            most_held: agents().map(Agent::most_relayed).max().unwrap_or_default(),
            left: agents().map(Agent::relayed).sum(),
        });
        Outcome {
            report,
            ledger: self.world.ledger,
            frames: self.frames.unwrap_or_default(),
            packets_j: energy.map(Meter::of_packets_j).unwrap_or_default(),
        }
    }
}

/// Who can decode whose frames at the start, but for what varies from frame to frame; for static routes.
fn neighbours(setup: &Setup, radio: &Radio, obstacles: &mut Obstacles) -> Vec<Vec<NodeId>> {
    let at: Vec<Position> = setup.nodes.iter().map(|t| t.position(Time::ZERO)).collect();
    let range_m = radio.farthest_reception_m();
    let cells = Cells::new(&at, range_m);
    let mut found = Vec::new();
    let of = |(node, &here): (usize, &Position)| {
        found.clear();
        cells.near(here, range_m, &mut found);
        found.sort_unstable();
        let decodes = |&n: &u32| {
            let squared = here.distance_squared(at[n as usize]);
            n as usize != node && radio.hear(squared, obstacles.gain(node as u32, n)).is_some_and(|h| h.decodable)
        };
        found.iter().copied().filter(decodes).map(NodeId).collect()
    };
    at.iter().enumerate().map(of).collect()
}
