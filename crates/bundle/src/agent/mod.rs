//! The machine of one node: source, relay and destination of bundles.
//!
//! Spec      Velayutham 2005 §6.1, §6.4, §6.5
//! Deviates  where the thesis is silent or contradicts itself: see `Config`. Decided here beside that: packets are counted,
//!           not recognised by their number, so that a bundle is whole when all of it is there; DSR's errors name links, not
//!           packets, so that a probe has failed when an error tells of a link on its way; what asks over no source route
//!           learns of it when the answer fails to come; a destination keeps the part of a bundle that it has; a source that
//!           gets its own bundle back sends it again
//! Holds     one packet of a bundle is in the link at a time; a bundle is owned by who has all of it; its source keeps it
//!           until the destination acknowledges it, and the destination delivers it once and in order

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use hopwright_machine::{Address, Duration, Machine, NodeId, Time};
use hopwright_wire::nctp::{Key, Kind, Packet};

use crate::bundle::{Bundle, Probe, Role, Stage};
use crate::config::{Config, LetsGo};
use crate::news::{Input, News, Output};
use crate::sink::Sink;
use crate::source::Source;

mod hop;
mod incoming;
mod origin;

/// A router is asked again for a way after this long, and then after twice as long each time, up to a limit (RFC 4728 §9:
/// `RequestPeriod` and `MaxRequestPeriod` of DSR's own searches are 0.5 s and 10 s).
const FIRST_SEEK: Duration = Duration::from_secs(1);
const LAST_SEEK: Duration = Duration::from_secs(10);

/// A destination for which a way is sought.
#[derive(Clone, Copy, Debug)]
struct Search {
    again_at: Time,
    gap: Duration,
}

/// The machine of one node.
#[derive(Debug)]
pub struct Agent {
    node: NodeId,
    config: Arc<Config>,
    now: Time,
    is_down: bool,
    sources: BTreeMap<u16, Source>,
    sinks: BTreeMap<(Address, u16), Sink>,
    bundles: BTreeMap<Key, Bundle>,
    searches: BTreeMap<Address, Search>,
    /// Bundles of other nodes, whole or in parts, that are not for this one.
    relayed: u32,
    most_relayed: u32,
    came: u64,
    deadline: Time,
    out: VecDeque<Output>,
}

impl Agent {
    /// The machine of `node`.
    #[must_use]
    pub fn new(node: NodeId, config: Arc<Config>) -> Self {
        Self {
            node,
            config,
            now: Time::ZERO,
            is_down: false,
            sources: BTreeMap::new(),
            sinks: BTreeMap::new(),
            bundles: BTreeMap::new(),
            searches: BTreeMap::new(),
            relayed: 0,
            most_relayed: 0,
            came: 0,
            deadline: Time::NEVER,
            out: VecDeque::new(),
        }
    }

    /// Whether it wants to see acknowledgements that pass by.
    #[must_use]
    pub fn watches_acks(&self) -> bool {
        self.config.lets_go == LetsGo::OnAck
    }

    /// Destinations for which a way is sought.
    pub fn sought(&self) -> impl Iterator<Item = Address> {
        self.searches.keys().copied()
    }

    /// Whether a way is sought for any.
    #[must_use]
    pub fn seeks(&self) -> bool {
        !self.searches.is_empty()
    }

    /// Bundles of others that are here, whole or in parts.
    #[must_use]
    pub const fn relayed(&self) -> u32 {
        self.relayed
    }

    /// The most there have been.
    #[must_use]
    pub const fn most_relayed(&self) -> u32 {
        self.most_relayed
    }

    fn me(&self) -> Address {
        self.node.address()
    }

    fn tell(&mut self, key: Key, news: News) {
        self.out.push_back(Output::Told(key, news));
    }

    fn message(&mut self, kind: Kind, key: Key, (destination, receiver): (Address, Address), path: Arc<[Address]>) {
        let (sender, number, packets, is_last, payload_bytes) = (self.me(), 0, 0, false, 0);
        let packet = Packet { kind, key, destination, sender, receiver, number, packets, is_last, payload_bytes };
        self.out.push_back(Output::Message { packet, path });
    }

    fn on_down(&mut self) {
        self.is_down = true;
        let survives = self.config.survives_down;
        let keys: Vec<Key> = self.bundles.keys().copied().collect();
        for key in keys {
            let now = self.now;
            let Some(bundle) = self.bundles.get_mut(&key) else { continue };
            if bundle.role != Role::Source && !survives {
                let news = if bundle.parts.is_whole() { News::Lost } else { News::PartDeleted };
                self.remove(&key);
                self.tell(key, news);
            } else if matches!(bundle.stage, Stage::Sending(_)) {
                bundle.stage = Stage::Routing { since: now };
                bundle.failed_at = None;
            }
        }
        self.searches.clear();
    }

    fn on_up(&mut self) {
        self.is_down = false;
        let waits = |bundle: &Bundle| matches!(bundle.stage, Stage::Routing { .. });
        let keys: Vec<Key> = self.bundles.iter().filter(|(_, b)| waits(b)).map(|(&key, _)| key).collect();
        keys.into_iter().for_each(|key| self.seek(key));
    }

    /// Does what has become due.
    fn on_time(&mut self) {
        let now = self.now;
        let due = |bundle: &Bundle| bundle.due_at().min(self.given_up_at(bundle)) <= now;
        let keys: Vec<Key> = self.bundles.iter().filter(|(_, b)| due(b)).map(|(&key, _)| key).collect();
        for key in keys {
            self.bundle_due(key);
        }
        let again: Vec<Address> = self.searches.iter().filter(|(_, s)| s.again_at <= now).map(|(&a, _)| a).collect();
        for destination in again {
            let wants =
                |bundle: &Bundle| bundle.destination == destination && matches!(bundle.stage, Stage::Routing { .. });
            if !self.bundles.values().any(wants) {
                self.searches.remove(&destination);
            } else if let Some(search) = self.searches.get_mut(&destination) {
                search.again_at = now + search.gap;
                search.gap = (search.gap * 2).min(LAST_SEEK);
                self.out.push_back(Output::Seek(destination));
            }
        }
    }

    fn bundle_due(&mut self, key: Key) {
        let now = self.now;
        let Some(bundle) = self.bundles.get(&key) else { return };
        if bundle.deleted_at <= now {
            self.remove(&key);
            return self.tell(key, News::PartDeleted);
        }
        if self.given_up_at(bundle) <= now {
            self.remove(&key);
            return self.tell(key, News::Lost);
        }
        if matches!(bundle.stage, Stage::Lingering { until } if until <= now) {
            return self.remove(&key);
        }
        if matches!(bundle.probe, Probe::Sent(until) if until <= now) {
            self.silent(key);
        }
        if self.bundles.get(&key).is_some_and(|bundle| bundle.due <= now) {
            self.expire(key);
        }
    }

    /// When a relay gives a bundle up that comes no further.
    fn given_up_at(&self, bundle: &Bundle) -> Time {
        match self.config.hold {
            Some(hold) if bundle.role == Role::Relay && !bundle.stuck_since().is_never() => bundle.stuck_since() + hold,
            _ => Time::NEVER,
        }
    }

    fn find_deadline(&self) -> Time {
        if self.is_down {
            return Time::NEVER;
        }
        let bundles = self.bundles.values();
        let bundles =
            bundles.map(|bundle| bundle.due_at().min(bundle.resumes_after(self.now)).min(self.given_up_at(bundle)));
        let searches = self.searches.values().map(|search| search.again_at);
        bundles.chain(searches).min().unwrap_or(Time::NEVER)
    }
}

impl Machine for Agent {
    type Input<'a> = Input<'a>;
    type Output = Output;

    fn handle(&mut self, now: Time, input: Input<'_>) {
        self.now = now;
        match input {
            Input::Write { connection, destination, bytes } => {
                let config = &self.config;
                self.sources.entry(connection).or_insert_with(|| Source::new(destination, config)).write(bytes);
            }
            Input::Close { connection } => self.sources.get_mut(&connection).into_iter().for_each(Source::close),
            Input::Packet { packet, from, hops, route } => self.on_packet(packet, (from, hops), route),
            Input::Passing(packet) => {
                let is_kept = |bundle: &Bundle| bundle.role == Role::Relay && matches!(bundle.stage, Stage::Away);
                if self.bundles.get(&packet.key).is_some_and(is_kept) {
                    self.remove(&packet.key);
                }
            }
            Input::Sent(packet) => self.on_sent(packet),
            Input::Failed(packet) => self.on_failed(packet),
            Input::LinkLost(packet) => self.on_link_lost(packet),
            Input::Refused(packet) => self.on_refused(packet),
            Input::Way { destination, way } => self.on_way(destination, way),
            Input::Broken { from, to } => self.on_broken(from, to),
            Input::Down => self.on_down(),
            Input::Up => self.on_up(),
            Input::Wake => {}
        }
        if !self.is_down {
            self.on_time();
            self.start_bundles();
            self.serve();
        }
        self.deadline = self.find_deadline();
    }

    fn poll(&mut self) -> Option<Output> {
        self.out.pop_front()
    }

    fn deadline(&self) -> Time {
        self.deadline
    }
}
