//! A network without a medium: each node's link takes one packet at a time, and says what became of it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use hopwright_bundle::{Agent, Config, Input, News, Output, Route, Way};
use hopwright_machine::{Address, Duration, Machine, NodeId, Time};
use hopwright_wire::nctp::{Key, Kind, Packet};

/// How long a packet of a bundle and a message take over a hop (section 4 of the specification of NCTP).
pub(crate) const PACKET: Duration = Duration::from_micros(3926);
pub(crate) const MESSAGE: Duration = Duration::from_micros(1878);

/// What chance does to packets, in thousands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Chances {
    /// A packet does not get over a link that is there.
    pub(crate) fails: u32,
    /// The link says that it failed, but it has come.
    pub(crate) fails_falsely: u32,
    /// The link says that the neighbour has it, but it is lost above.
    pub(crate) vanishes: u32,
    /// A message is lost on its way.
    pub(crate) message_lost: u32,
    /// The link's queue is full.
    pub(crate) refused: u32,
}

#[derive(Clone, Debug)]
pub(crate) enum Happening {
    /// The packet in the link of a node is over.
    LinkDone(usize),
    Message {
        to: usize,
        from: usize,
        packet: Packet,
        path: Vec<usize>,
    },
    Refused(usize, Packet),
    Wake(usize),
    Link(usize, usize, bool),
    /// A node hears that a link is broken.
    Broken {
        at: usize,
        from: usize,
        to: usize,
    },
    Node(usize, bool),
    Write {
        at: usize,
        connection: u16,
        to: usize,
        bytes: u64,
        closes: bool,
    },
}

pub(crate) struct World {
    pub(crate) now: Time,
    pub(crate) agents: Vec<Agent>,
    pub(crate) is_up: Vec<bool>,
    pub(crate) links: BTreeSet<(usize, usize)>,
    pub(crate) has_source_routes: bool,
    pub(crate) chances: Chances,
    /// What is told to be up to each node that is a source of chance.
    random: u64,
    in_link: Vec<VecDeque<(Packet, Way)>>,
    agenda: BTreeMap<(Time, u64), Happening>,
    entered: u64,
    /// What was told, by whom and when.
    pub(crate) told: Vec<(Time, usize, Key, News)>,
    pub(crate) delivered: BTreeMap<(Address, u16), u64>,
    pub(crate) acked: BTreeMap<(usize, u16), u64>,
    pub(crate) round_trips: Vec<Duration>,
    /// Every packet that was handed to a link, with who did and when.
    pub(crate) handed: Vec<(Time, usize, Packet)>,
    /// Every message that was sent.
    pub(crate) messages: Vec<(Time, usize, Packet)>,
    /// Messages of this kind from this node are lost, so many of them.
    pub(crate) loses: Option<(Kind, usize, u32)>,
}

pub(crate) fn seconds(s: f64) -> Time {
    Time::ZERO + Duration::from_secs_f64(s)
}

impl World {
    pub(crate) fn new(nodes: usize, links: &[(usize, usize)], config: Config) -> Self {
        let config = Arc::new(config);
        let agent = |n: usize| Agent::new(NodeId(n as u32), Arc::clone(&config));
        Self {
            now: Time::ZERO,
            agents: (0..nodes).map(agent).collect(),
            is_up: vec![true; nodes],
            links: links.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect(),
            has_source_routes: true,
            chances: Chances::default(),
            random: 0x9e37_79b9_7f4a_7c15,
            in_link: vec![VecDeque::new(); nodes],
            agenda: BTreeMap::new(),
            entered: 0,
            told: Vec::new(),
            delivered: BTreeMap::new(),
            acked: BTreeMap::new(),
            round_trips: Vec::new(),
            handed: Vec::new(),
            messages: Vec::new(),
            loses: None,
        }
    }

    /// Nodes in a row.
    pub(crate) fn string(hops: usize, config: Config) -> Self {
        let links: Vec<_> = (0..hops).map(|n| (n, n + 1)).collect();
        Self::new(hops + 1, &links, config)
    }

    pub(crate) fn seeded(mut self, seed: u64) -> Self {
        self.random ^= seed.wrapping_mul(0xd134_2543_de82_ef95) | 1;
        self
    }

    pub(crate) fn enter(&mut self, at: Time, happening: Happening) {
        self.agenda.insert((at, self.entered), happening);
        self.entered += 1;
    }

    pub(crate) fn file(&mut self, at: Time, (from, to): (usize, usize), connection: u16, bytes: u64) {
        self.enter(at, Happening::Write { at: from, connection, to, bytes, closes: true });
    }

    pub(crate) fn has_link(&self, a: usize, b: usize) -> bool {
        self.links.contains(&(a.min(b), a.max(b))) && self.is_up[a] && self.is_up[b]
    }

    fn draw(&mut self, of_thousand: u32) -> bool {
        // SplitMix64
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % 1000) < u64::from(of_thousand)
    }

    /// The shortest path, the lowest numbers first.
    pub(crate) fn path(&self, from: usize, to: usize) -> Option<Vec<usize>> {
        let mut before = vec![None; self.agents.len()];
        let mut queue = VecDeque::from([from]);
        before[from] = Some(from);
        while let Some(node) = queue.pop_front() {
            for (next, from) in before.iter_mut().enumerate() {
                if from.is_none() && self.has_link(node, next) {
                    *from = Some(node);
                    queue.push_back(next);
                }
            }
        }
        let mut path = vec![to];
        while let Some(&last) = path.last().filter(|&&last| last != from) {
            path.push(before[last]?);
        }
        path.reverse();
        Some(path)
    }

    /// Does what is due until then.
    pub(crate) fn run(&mut self, until: Time) {
        loop {
            let woken = (0..self.agents.len()).map(|n| (self.agents[n].deadline(), n)).min();
            let next = self.agenda.first_key_value().map(|(&(at, _), _)| at);
            let (at, wakes) = match (woken, next) {
                (Some((at, n)), Some(entry)) if at < entry => (at, Some(n)),
                (_, Some(entry)) => (entry, None),
                (Some((at, n)), None) => (at, Some(n)),
                (None, None) => return,
            };
            if at > until || at.is_never() {
                self.now = until;
                return;
            }
            assert!(at >= self.now, "time runs backwards");
            self.now = at;
            match wakes {
                Some(node) => self.happens(Happening::Wake(node)),
                None => {
                    let Some((_, happening)) = self.agenda.pop_first() else { return };
                    self.happens(happening);
                }
            }
        }
    }

    fn give(&mut self, node: usize, input: Input<'_>) {
        self.agents[node].handle(self.now, input);
        self.collect(node);
    }

    fn happens(&mut self, happening: Happening) {
        match happening {
            Happening::Wake(node) => self.give(node, Input::Wake),
            Happening::LinkDone(node) => self.link_done(node),
            Happening::Message { to, from, packet, path } => {
                if self.is_up[to] {
                    let nodes: Vec<Address> = path.iter().map(|&n| NodeId(n as u32).address()).collect();
                    let route = Route { nodes: &nodes, at: nodes.len() - 1 };
                    let route = self.has_source_routes.then_some(route);
                    self.give(to, Input::Packet { packet: &packet, from: NodeId(from as u32), hops: 1, route });
                }
            }
            Happening::Refused(node, packet) => self.give(node, Input::Refused(&packet)),
            Happening::Link(a, b, true) => {
                self.links.insert((a.min(b), a.max(b)));
                self.look_for_ways();
            }
            Happening::Link(a, b, false) => {
                self.links.remove(&(a.min(b), a.max(b)));
            }
            Happening::Broken { at, from, to } => {
                let [from, to] = [from, to].map(|n| NodeId(n as u32).address());
                self.give(at, Input::Broken { from, to });
            }
            Happening::Node(node, false) => {
                self.is_up[node] = false;
                self.give(node, Input::Down);
                self.in_link[node].clear();
            }
            Happening::Node(node, true) => {
                self.is_up[node] = true;
                self.give(node, Input::Up);
                self.look_for_ways();
            }
            Happening::Write { at, connection, to, bytes, closes } => {
                let destination = NodeId(to as u32).address();
                self.give(at, Input::Write { connection, destination, bytes });
                if closes {
                    self.give(at, Input::Close { connection });
                }
            }
        }
    }

    fn link_done(&mut self, node: usize) {
        // What a node that went down had in its link is gone.
        let Some((packet, way)) = self.in_link[node].pop_front() else { return };
        if !self.in_link[node].is_empty() {
            self.enter(self.now + PACKET, Happening::LinkDone(node));
        }
        let to = way.next_hop.index();
        let fails = !self.has_link(node, to) || self.draw(self.chances.fails);
        let (vanishes, falsely) = (self.draw(self.chances.vanishes), self.draw(self.chances.fails_falsely));
        if !fails && !vanishes {
            let nodes: Vec<Address> = way.path.to_vec();
            let route = (!nodes.is_empty()).then_some(Route { nodes: &nodes, at: way.at + 1 });
            self.give(to, Input::Packet { packet: &packet, from: NodeId(node as u32), hops: 1, route });
        }
        if fails || falsely {
            self.give(node, Input::Failed(&packet));
        } else {
            self.give(node, Input::Sent(&packet));
        }
    }

    fn look_for_ways(&mut self) {
        for node in 0..self.agents.len() {
            for destination in self.agents[node].sought().collect::<Vec<_>>() {
                self.seek(node, destination);
            }
        }
    }

    fn seek(&mut self, node: usize, destination: Address) {
        let Some(to) = destination.node() else { return };
        let Some(path) = self.path(node, to.index()) else { return };
        let Some(&next) = path.get(1) else { return };
        let hops = Some(path.len() as u32 - 1);
        let nodes = path.iter().map(|&n| NodeId(n as u32).address());
        let path = if self.has_source_routes { nodes.collect() } else { [].into() };
        let way = Way { next_hop: NodeId(next as u32), path, at: 0, hops };
        self.give(node, Input::Way { destination, way: &way });
    }

    fn collect(&mut self, node: usize) {
        while let Some(output) = self.agents[node].poll() {
            match output {
                Output::Hop { packet, way, .. } => {
                    self.handed.push((self.now, node, packet));
                    if !self.is_up[node] || self.draw(self.chances.refused) {
                        self.enter(self.now, Happening::Refused(node, packet));
                        continue;
                    }
                    self.in_link[node].push_back((packet, way));
                    if self.in_link[node].len() == 1 {
                        self.enter(self.now + PACKET, Happening::LinkDone(node));
                    }
                }
                Output::Message { packet, path } => self.send(node, packet, &path),
                Output::Seek(destination) => self.seek(node, destination),
                Output::LinkLost(_) => {}
                Output::Deliver { source, connection, bytes } => {
                    *self.delivered.entry((source, connection)).or_default() += bytes;
                }
                Output::Acked { connection, bytes, round_trip } => {
                    *self.acked.entry((node, connection)).or_default() += bytes;
                    self.round_trips.extend(round_trip);
                }
                Output::Told(key, news) => self.told.push((self.now, node, key, news)),
            }
        }
    }

    /// A message goes the way that it says, or the shortest one.
    fn send(&mut self, node: usize, packet: Packet, path: &[Address]) {
        self.messages.push((self.now, node, packet));
        let Some(to) = packet.receiver.node() else { return };
        if let Some((kind, from, left)) = &mut self.loses
            && (*kind, *from) == (packet.kind, node)
            && *left > 0
        {
            *left -= 1;
            return;
        }
        let told: Vec<usize> = path.iter().filter_map(|a| a.node()).map(NodeId::index).collect();
        let path = if told.is_empty() { self.path(node, to.index()) } else { Some(told) };
        let Some(path) = path.filter(|path| path.windows(2).all(|hop| self.has_link(hop[0], hop[1]))) else { return };
        if self.draw(self.chances.message_lost) {
            return;
        }
        let hops = path.len() as u64 - 1;
        let from = path[path.len().saturating_sub(2)];
        self.enter(self.now + MESSAGE * hops, Happening::Message { to: to.index(), from, packet, path });
    }

    /// How often something was told.
    pub(crate) fn count(&self, of: impl Fn(usize, &News) -> bool) -> usize {
        self.told.iter().filter(|(_, node, _, news)| of(*node, news)).count()
    }
}
