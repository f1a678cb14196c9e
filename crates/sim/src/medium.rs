//! The air: who hears a frame, how strongly, and when.
//!
//! A frame costs nothing at the nodes that do not hear it. Those that do are told when it leaves; only those
//! that must act on it (its addressee, or everyone who decodes a broadcast) are visited again when it has
//! arrived. Links between nodes that stand still are worked out once; for nodes that move, the candidates are
//! kept as long as nobody can have come into range, and only their distances are worked out per frame.

use hopwright_link::{Frame, FrameKind};
use hopwright_machine::{Duration, NodeId, Time};
use hopwright_mobility::{Cells, Position, Trajectory, Walker};
use hopwright_radio::{Heard, Hurdle, Radio, Shadowing};
use hopwright_wire::{Packet, Payload, nctp};
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How one node's frames arrive at another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hearer {
    pub(crate) node: u32,
    pub(crate) hurdle: Hurdle,
    pub(crate) delay: Duration,
    pub(crate) power_mw: f64,
}

impl Hearer {
    const NOBODY: Self = Self { node: u32::MAX, hurdle: Hurdle::WEAK, delay: Duration::ZERO, power_mw: 0.0 };
}

/// What a receiver must know of a frame that arrives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag {
    /// The frame's place in the medium; meaningful where the receiver acts on it or listens.
    pub(crate) frame: u32,
    /// The Duration field, nanoseconds.
    pub(crate) nav_ns: u32,
    /// What the frame carries.
    pub(crate) class: FrameClass,
    /// What it is to the receiver.
    pub(crate) role: Role,
}

impl Default for Tag {
    /// Of no frame.
    fn default() -> Self {
        Self { frame: u32::MAX, nav_ns: 0, class: FrameClass::MacAck, role: Role::Other }
    }
}

/// What a frame is to one that hears it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Nothing: it is for another, or too weak.
    Other,
    /// For another, but the router listens.
    Tapped,
    /// To be acted on.
    Mine,
}

/// Frames by what they carry, as `mac.collisions` counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FrameClass {
    /// RTS and CTS.
    RtsCts,
    /// Data of a transport.
    Data,
    /// Acknowledgements of a transport.
    Ack,
    /// Acknowledgements of the MAC.
    MacAck,
    /// Messages of routing and of address resolution.
    Routing,
}

impl FrameClass {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::RtsCts, Self::Data, Self::Ack, Self::MacAck, Self::Routing];

    /// What a packet counts as.
    pub(crate) fn of_packet(packet: &Packet) -> Self {
        let acknowledges = match &packet.payload {
            Payload::Tcp(segment) => segment.is_pure_ack(),
            Payload::Atp(segment) => segment.is_feedback(),
            Payload::Nctp(packet) => packet.kind == nctp::Kind::Ack,
            payload if payload.is_message() => return Self::Routing,
            _ => false,
        };
        if acknowledges { Self::Ack } else { Self::Data }
    }

    pub(crate) fn of_frame(frame: &Frame<Packet>) -> Self {
        match (frame.kind, &frame.payload) {
            (FrameKind::Rts | FrameKind::Cts, _) => Self::RtsCts,
            (FrameKind::Ack, _) | (_, None) => Self::MacAck,
            (FrameKind::Data, Some(packet)) => Self::of_packet(packet),
        }
    }
}

/// A frame in the air.
#[derive(Debug)]
struct Flight {
    frame: Option<Frame<Packet>>,
    /// Nodes that must still act on it.
    visits: u32,
    /// Whether the fate of a unicast frame is known.
    decided: bool,
}

/// The air.
#[derive(Debug)]
pub(crate) struct Medium {
    radio: Radio,
    obstacles: Obstacles,
    places: Places,
    flights: Vec<Flight>,
    free: Vec<u32>,
    down: Down,
}

/// What obstacles do to each pair of nodes for the whole run.
#[derive(Debug)]
pub(crate) struct Obstacles {
    shadowing: Shadowing,
    seed: u64,
    /// Where it is drawn, what was drawn.
    known: FxHashMap<(u32, u32), f64>,
}

impl Obstacles {
    pub(crate) fn new(shadowing: Shadowing, seed: u64) -> Self {
        Self { shadowing, seed, known: FxHashMap::default() }
    }

    pub(crate) fn are_none(&self) -> bool {
        !matches!(self.shadowing, Shadowing::Link { .. })
    }

    /// What they do to power between two nodes, a factor.
    #[inline]
    pub(crate) fn gain(&mut self, a: u32, b: u32) -> f64 {
        if self.are_none() { 1.0 } else { self.drawn(a, b) }
    }

    fn drawn(&mut self, a: u32, b: u32) -> f64 {
        let pair = (a.min(b), a.max(b));
        let draw = || self.shadowing.of_link(self.seed, NodeId(a), NodeId(b));
        *self.known.entry(pair).or_insert_with(draw)
    }
}

/// Which nodes are down; empty as long as none ever was.
#[derive(Debug, Default)]
struct Down(Vec<bool>);

impl Down {
    fn has(&self, node: u32) -> bool {
        self.0.get(node as usize).is_some_and(|&down| down)
    }
}

#[derive(Debug)]
enum Places {
    Fixed {
        at: Vec<Position>,
        links: Vec<Option<Vec<Hearer>>>,
        cells: Cells,
        /// Memory for a part of an answer.
        some: Vec<Hearer>,
    },
    Moving(Moving),
}

#[derive(Debug)]
struct Moving {
    walkers: Vec<Walker>,
    max_speed_mps: f64,
    /// Nodes that may be in range of each node, valid for the epoch in which they were worked out.
    candidates: Vec<(u64, Vec<u32>)>,
    cells: Cells,
    epoch: u64,
    epoch_ends: Time,
    /// When some node jumps from one place to another, latest first.
    jumps: Vec<Time>,
    /// Memory for the answer.
    links: Vec<Hearer>,
}

/// Who of those that hear a frame is asked for. `asleep` is by node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted<'a> {
    /// Everybody.
    All,
    /// At least those that are not asleep.
    Awake(&'a [bool]),
    /// At least those that are not asleep, and those that decode it.
    AwakeOrDecoding(&'a [bool]),
}

/// A cell of the medium and those that touch it.
pub(crate) const CELLS_AROUND: usize = 9;

/// How far two nodes may move towards each other before candidates are worked out again, metres. Wider: fewer
/// rebuilds, more candidates per frame.
const MARGIN_M: f64 = 50.0;

impl Medium {
    /// `steered`: nodes that stand still may be moved later.
    pub(crate) fn new(radio: Radio, obstacles: Obstacles, nodes: &[Trajectory], steered: bool) -> Self {
        let range_m = radio.reach_m();
        let at: Vec<Position> = nodes.iter().map(|t| t.position(Time::ZERO)).collect();
        let places = if !steered && nodes.iter().all(Trajectory::is_static) {
            let cells = Cells::new(&at, range_m);
            Places::Fixed { links: vec![None; at.len()], at, cells, some: Vec::new() }
        } else {
            Places::Moving(Moving {
                max_speed_mps: nodes.iter().map(Trajectory::max_speed_mps).fold(1e-3, f64::max),
                walkers: nodes.iter().cloned().map(Walker::new).collect(),
                candidates: vec![(0, Vec::new()); nodes.len()],
                cells: Cells::new(&at, range_m),
                epoch: 0,
                epoch_ends: Time::ZERO,
                jumps: jumps(nodes),
                links: Vec::new(),
            })
        };
        Self { radio, obstacles, places, flights: Vec::new(), free: Vec::new(), down: Down::default() }
    }

    /// Who hears `node` at `now`, or would with luck, in order of node number, and how, but for what varies from frame
    /// to frame. To be given back with `keep`.
    #[inline(always)] // as `Node::deadline`
    pub(crate) fn heard_by(&mut self, node: NodeId, now: Time, wanted: Wanted<'_>) -> Vec<Hearer> {
        match &mut self.places {
            Places::Fixed { at, links, cells, .. } => links[node.index()].take().unwrap_or_else(|| {
                let mut near = Vec::new();
                cells.near(at[node.index()], self.radio.reach_m(), &mut near);
                near.sort_unstable();
                let here = at[node.index()];
                let others = near.into_iter().filter(|&n| n != node.0 && !self.down.has(n));
                let links = others.map(|n| {
                    let squared = here.distance_squared(at[n as usize]);
                    link(&self.radio, self.radio.heard(squared, self.obstacles.gain(node.0, n)), squared, n)
                });
                links.filter_map(|(heard, is_audible)| is_audible.then_some(heard)).collect()
            }),
            Places::Moving(moving) => moving.heard_by(&self.radio, &mut self.obstacles, &self.down, node, now, wanted),
        }
    }

    /// The number of a node's cell, which is valid until `cells_change`.
    pub(crate) fn cell(&self, node: NodeId) -> usize {
        self.cells().home(node.index())
    }

    /// The cells of all nodes that hear a node or are heard by it, but for what varies from frame to frame; at most
    /// `CELLS_AROUND`.
    pub(crate) fn cells_around(&self, node: NodeId) -> impl Iterator<Item = usize> + use<> {
        self.cells().around(node.index())
    }

    /// Whether the cells are others once somebody has been asked who hears a node at `now`.
    pub(crate) fn cells_change(&self, now: Time) -> bool {
        matches!(&self.places, Places::Moving(moving) if now >= moving.epoch_ends)
    }

    fn cells(&self) -> &Cells {
        match &self.places {
            Places::Fixed { cells, .. } => cells,
            Places::Moving(moving) => &moving.cells,
        }
    }

    /// How what leaves `sender` at `at` arrives at `node`, but for what varies from frame to frame; `None` where that is
    /// not noticed.
    pub(crate) fn link(&mut self, sender: NodeId, node: NodeId, at: Time) -> Option<Hearer> {
        let (there, here) = self.positions(sender, node, at);
        let squared = there.distance_squared(here);
        let heard = self.radio.heard(squared, self.obstacles.gain(sender.0, node.0));
        let (hearer, is_audible) = link(&self.radio, heard, squared, node.0);
        is_audible.then_some(hearer)
    }

    /// Takes back what `heard_by` gave: the answer for next time, or the memory.
    pub(crate) fn keep(&mut self, node: NodeId, heard: Vec<Hearer>) {
        match &mut self.places {
            Places::Fixed { links, some, .. } => match &mut links[node.index()] {
                links @ None => *links = Some(heard),
                Some(_) => *some = heard,
            },
            Places::Moving(moving) => moving.links = heard,
        }
    }

    /// What `heard_by` gave, without those that are asleep.
    pub(crate) fn awake(&mut self, node: NodeId, mut heard: Vec<Hearer>, asleep: &[bool]) -> Vec<Hearer> {
        let is_awake = |link: &&Hearer| !asleep[link.node as usize];
        let Places::Fixed { links, some, .. } = &mut self.places else {
            heard.retain(|link| is_awake(&link));
            return heard;
        };
        let mut awake = std::mem::take(some);
        awake.clear();
        awake.extend(heard.iter().filter(is_awake));
        links[node.index()] = Some(heard);
        awake
    }

    /// Whether two nodes are in reception range of each other, but for what varies from frame to frame.
    pub(crate) fn in_range(&mut self, a: NodeId, b: NodeId, now: Time) -> bool {
        !self.is_down(a) && !self.is_down(b) && self.heard(a, b, now).is_some_and(|heard| heard.decodable)
    }

    /// Whether a node senses what another one sends, but for what varies from frame to frame.
    pub(crate) fn senses(&mut self, node: NodeId, sender: NodeId, now: Time) -> bool {
        self.heard(node, sender, now).is_some()
    }

    fn heard(&mut self, a: NodeId, b: NodeId, now: Time) -> Option<Heard> {
        let (here, there) = self.positions(a, b, now);
        let heard = self.radio.hear(here.distance_squared(there), self.obstacles.gain(a.0, b.0))?;
        self.radio.receive(heard.power_mw)
    }

    /// Whether a node, with luck, notices what another one sends at some time between `now` and `within` from then.
    pub(crate) fn may_hear(&mut self, node: NodeId, sender: NodeId, now: Time, within: Duration) -> bool {
        let (here, there) = self.positions(node, sender, now);
        let fastest_mps = match &self.places {
            Places::Fixed { .. } => 0.0,
            Places::Moving(moving) => moving.max_speed_mps,
        };
        let closest_m = (here.distance(there) - 2.0 * fastest_mps * within.as_secs_f64()).max(0.0);
        self.radio.hear(closest_m * closest_m, self.obstacles.gain(node.0, sender.0)).is_some()
    }

    /// Who decodes what a node sends, but for what varies from frame to frame.
    pub(crate) fn decoders(&mut self, node: NodeId, now: Time) -> Vec<NodeId> {
        let heard = self.heard_by(node, now, Wanted::All);
        let decoders = heard.iter().filter(|link| link.hurdle.is_decodable()).map(|link| NodeId(link.node)).collect();
        self.keep(node, heard);
        decoders
    }

    /// How long a frame is on its way to those who hear it, at most.
    pub(crate) fn longest_delay(&self) -> Duration {
        self.radio.delay(self.radio.reach_m()) + Duration::from_nanos(1)
    }

    /// How a frame arrives that arrives with this power, milliwatts.
    pub(crate) fn receive(&self, power_mw: f64) -> Option<Heard> {
        self.radio.receive(power_mw)
    }

    fn positions(&mut self, a: NodeId, b: NodeId, now: Time) -> (Position, Position) {
        match &mut self.places {
            Places::Fixed { at, .. } => (at[a.index()], at[b.index()]),
            Places::Moving(m) => (m.walkers[a.index()].position(now), m.walkers[b.index()].position(now)),
        }
    }

    /// Whether a node is down.
    pub(crate) fn is_down(&self, node: NodeId) -> bool {
        self.down.has(node.0)
    }

    /// A node comes up, or goes down: then nobody's frames reach it any more.
    pub(crate) fn switch(&mut self, node: NodeId, up: bool) {
        let nodes = match &mut self.places {
            Places::Fixed { links, .. } => {
                links.fill(None);
                links.len()
            }
            Places::Moving(moving) => {
                moving.epoch_ends = Time::ZERO;
                moving.walkers.len()
            }
        };
        self.down.0.resize(nodes, false);
        self.down.0[node.index()] = !up;
    }

    /// A node has another way from now on. A new epoch begins: wherever it is now, it may have jumped.
    pub(crate) fn moved(&mut self, node: NodeId, path: Trajectory, now: Time) {
        let Places::Moving(moving) = &mut self.places else {
            panic!("nobody moves nodes in a run that is not steered")
        };
        let leg = path.linear_until(now);
        moving.max_speed_mps = moving.max_speed_mps.max(leg.velocity.speed_mps());
        moving.walkers[node.index()] = Walker::new(path);
        moving.epoch_ends = Time::ZERO;
    }

    /// Frames of a node whose fate is open are lost; returns their places, and whom they were for.
    pub(crate) fn lose(&mut self, from: NodeId) -> Vec<(u32, NodeId)> {
        let lost = |(place, flight): (usize, &mut Flight)| {
            let to = flight.frame.as_ref().filter(|frame| frame.from == from)?.to?;
            (!std::mem::replace(&mut flight.decided, true)).then_some((place as u32, to))
        };
        self.flights.iter_mut().enumerate().filter_map(lost).collect()
    }

    /// Puts a frame on the air; returns its place. `decided`: no single receiver decides its fate.
    #[inline(always)] // as `Node::deadline`
    pub(crate) fn launch(&mut self, frame: Option<Frame<Packet>>, decided: bool) -> u32 {
        let flight = Flight { decided, frame, visits: 0 };
        if let Some(place) = self.free.pop() {
            self.flights[place as usize] = flight;
            return place;
        }
        self.flights.push(flight);
        (self.flights.len() - 1) as u32
    }

    /// How many nodes must act on the frame; one that nobody must act on is gone at once.
    pub(crate) fn must_visit(&mut self, place: u32, visits: u32) {
        self.flights[place as usize].visits = visits;
        if visits == 0 {
            self.land(place);
        }
    }

    /// A node has acted on the frame, or failed to. Returns whether nothing else was known of the fate of a
    /// unicast frame: its addressee missed it.
    pub(crate) fn visited(&mut self, place: u32) -> bool {
        let missed = self.decide(place);
        self.tapped(place);
        missed
    }

    /// A node has listened to a frame for another, or failed to.
    pub(crate) fn tapped(&mut self, place: u32) {
        let flight = &mut self.flights[place as usize];
        flight.visits -= 1;
        if flight.visits == 0 {
            self.land(place);
        }
    }

    /// The fate of a unicast frame is known now; returns whether it was not known before.
    pub(crate) fn decide(&mut self, place: u32) -> bool {
        !std::mem::replace(&mut self.flights[place as usize].decided, true)
    }

    /// Unicast frames in the air whose fate is open.
    pub(crate) fn undecided(&self) -> u64 {
        self.flights.iter().filter(|f| f.frame.is_some() && !f.decided).count() as u64
    }

    /// The frame at this place.
    pub(crate) fn frame(&self, place: u32) -> Option<&Frame<Packet>> {
        self.flights[place as usize].frame.as_ref()
    }

    /// The frame is over: its place is free.
    fn land(&mut self, place: u32) {
        self.flights[place as usize].frame = None;
        self.free.push(place);
    }
}

/// When some node jumps from one place to another, latest first.
fn jumps(nodes: &[Trajectory]) -> Vec<Time> {
    let pairs = nodes.iter().flat_map(|t| t.waypoints().windows(2));
    let mut at: Vec<Time> =
        pairs.filter(|w| w[0].at == w[1].at && w[0].position != w[1].position).map(|w| w[1].at).collect();
    at.sort_unstable_by(|a, b| b.cmp(a));
    at
}

/// How a frame arrives at a node over a distance, squared, and whether that notices it.
#[inline]
fn link(radio: &Radio, heard: Heard, squared: f64, node: u32) -> (Hearer, bool) {
    let Heard { power_mw, decodable } = heard;
    let delay = radio.delay(squared.sqrt());
    (Hearer { node, hurdle: Hurdle::of(decodable), delay, power_mw }, radio.is_audible(heard))
}

impl Moving {
    fn heard_by(
        &mut self,
        radio: &Radio,
        obstacles: &mut Obstacles,
        down: &Down,
        node: NodeId,
        now: Time,
        wanted: Wanted<'_>,
    ) -> Vec<Hearer> {
        let range_m = radio.reach_m();
        if now >= self.epoch_ends {
            let at: Vec<Position> = self.walkers.iter_mut().map(|w| w.position(now)).collect();
            self.cells = Cells::new(&at, range_m + MARGIN_M);
            self.epoch += 1;
            // Both ends may move, each by half the margin. A jump ends the epoch: it keeps to no speed.
            let lasts = Duration::from_secs_f64(MARGIN_M / (2.0 * self.max_speed_mps));
            while self.jumps.last().is_some_and(|&jump| jump <= now) {
                self.jumps.pop();
            }
            self.epoch_ends = (now + lasts).min(self.jumps.last().copied().unwrap_or(Time::NEVER));
        }
        let here = self.walkers[node.index()].position(now);
        let (known, candidates) = &mut self.candidates[node.index()];
        if *known != self.epoch {
            *known = self.epoch;
            candidates.clear();
            // The cells hold positions from the start of the epoch, so the centre moved by up to half the margin.
            self.cells.near(here, range_m + MARGIN_M, candidates);
            candidates.retain(|&n| {
                let there = self.walkers[n as usize].linear_until(now).position(now);
                n != node.0
                    && !down.has(n)
                    && there.distance_squared(here) <= (range_m + MARGIN_M) * (range_m + MARGIN_M)
            });
            candidates.sort_unstable();
        }
        match radio.two_ray() {
            Some(law) if obstacles.are_none() => {
                self.links(radio, here, node, now, wanted, |_, squared| radio.arriving(law.power_mw(squared)))
            }
            _ => {
                self.links(radio, here, node, now, wanted, |n, squared| radio.heard(squared, obstacles.gain(node.0, n)))
            }
        }
    }

    /// Which of the node's candidates hear what leaves `here` now.
    #[inline]
    fn links(
        &mut self,
        radio: &Radio,
        here: Position,
        node: NodeId,
        now: Time,
        wanted: Wanted<'_>,
        mut heard: impl FnMut(u32, f64) -> Heard,
    ) -> Vec<Hearer> {
        let mut links = std::mem::take(&mut self.links);
        let (_, candidates) = &self.candidates[node.index()];
        let walkers = &mut self.walkers;
        let mut link = |n: u32| {
            let squared = here.distance_squared(walkers[n as usize].position(now));
            link(radio, heard(n, squared), squared, n)
        };
        if let Wanted::Awake(asleep) = wanted {
            links.clear();
            let awake = candidates.iter().filter(|&&n| !asleep[n as usize]);
            links.extend(awake.filter_map(|&n| {
                let (hearer, is_audible) = link(n);
                is_audible.then_some(hearer)
            }));
            return links;
        }
        // Most candidates hear it, and which cannot be foreseen: each is written into a place that is there, which stays
        // free if that one does not.
        links.resize(candidates.len(), Hearer::NOBODY);
        let mut count = 0;
        let asleep = if let Wanted::AwakeOrDecoding(asleep) = wanted { asleep } else { &[] };
        if asleep.is_empty() {
            for &n in candidates {
                let (hearer, is_audible) = link(n);
                links[count] = hearer;
                count += usize::from(is_audible);
            }
        } else {
            for &n in candidates {
                let (hearer, is_audible) = link(n);
                links[count] = hearer;
                count += usize::from(is_audible & (!asleep[n as usize] | hearer.hurdle.is_decodable()));
            }
        }
        links.truncate(count);
        links
    }
}
