//! Bundles at a node: the machine that carries them, and the applications of connections that begin there.

use std::sync::Arc;

use hopwright_bundle::{Agent, Config, Input, News, Output};
use hopwright_machine::{Address, Machine, NodeId, Time};
use schemars::JsonSchema;
use serde::Serialize;

use crate::application::{self, Application, Order, Progress};
use crate::setup::Flow;

/// The machine of a node, and the applications of the connections that begin there.
#[derive(Debug)]
pub(crate) struct Bundles {
    pub(crate) agent: Agent,
    origins: Vec<Origin>,
    /// A router has heard something: a way that is sought may be known.
    pub(crate) has_news_of_routes: bool,
    messages_first: bool,
}

/// Where a connection begins.
#[derive(Debug)]
struct Origin {
    /// The flow, whose number is the connection's.
    flow: usize,
    to: Address,
    application: Box<dyn Application>,
    progress: Progress,
}

impl Bundles {
    pub(crate) fn new(node: NodeId, config: &Arc<Config>) -> Self {
        Self {
            agent: Agent::new(node, Arc::clone(config)),
            origins: Vec::new(),
            has_news_of_routes: false,
            messages_first: config.messages_first,
        }
    }

    /// Whether messages about bundles go before data.
    pub(crate) const fn messages_first(&self) -> bool {
        self.messages_first
    }

    pub(crate) fn add(&mut self, flow: usize, of: &Flow, seed: u64) {
        let (to, application) = (of.to.address(), application::of(flow, of, seed));
        let progress = Progress { acked_bytes: 0, is_open: true };
        self.origins.push(Origin { flow, to, application, progress });
    }

    pub(crate) fn deadline(&self) -> Time {
        self.origins.iter().fold(self.agent.deadline(), |first, origin| first.min(origin.application.deadline()))
    }

    /// The deadline has come.
    pub(crate) fn wake(&mut self, now: Time) {
        for origin in &mut self.origins {
            if origin.application.deadline() <= now {
                origin.application.wake(now);
                origin.write(now, &mut self.agent);
            }
        }
        if self.agent.deadline() <= now {
            self.agent.handle(now, Input::Wake);
        }
    }

    /// The destination has so many bytes more of a connection.
    pub(crate) fn acked(&mut self, now: Time, connection: u16, bytes: u64) {
        let origin = self.origins.iter_mut().find(|origin| origin.flow == usize::from(connection));
        if let Some(origin) = origin {
            origin.progress.acked_bytes += bytes;
            origin.write(now, &mut self.agent);
        }
    }

    /// The node goes down, or comes up.
    pub(crate) fn switch(&mut self, now: Time, up: bool) {
        self.agent.handle(now, if up { Input::Up } else { Input::Down });
        self.has_news_of_routes = up;
    }

    pub(crate) fn poll(&mut self) -> Option<Output> {
        self.agent.poll()
    }
}

impl Origin {
    /// Has the application write what it wants.
    fn write(&mut self, now: Time, agent: &mut Agent) {
        let connection = self.flow as u16;
        while let Some(order) = self.application.poll(self.progress) {
            match order {
                Order::Open => {}
                Order::Write(bytes) => agent.handle(now, Input::Write { connection, destination: self.to, bytes }),
                Order::Close => agent.handle(now, Input::Close { connection }),
            }
        }
    }
}

/// What happened to the bundles of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) now: Happened,
    pub(crate) before: Happened,
}

impl Tally {
    /// Measurements start.
    pub(crate) const fn warmed_up(&mut self) {
        self.before = self.now;
    }
}

/// How often it happened to the bundles of a flow, at all nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Happened {
    /// Bundles that the source made from its data.
    #[schemars(title = "bundles")]
    pub bundles_cut: u64,
    /// Bundles that the destination delivered.
    #[schemars(title = "bundles delivered", extend("x-better" = "higher"))]
    pub bundles_delivered: u64,
    /// Expiries of the source's timer, after each of which the source sent a bundle again.
    #[schemars(title = "bundles sent again", extend("x-better" = "lower"))]
    pub bundles_resent: u64,
    /// Hops over which a bundle was handed over, copies of bundles included.
    #[schemars(title = "hops of bundles")]
    pub hops_made: u64,
    /// Packets that the node already had, or whose bundle was already owned or delivered.
    #[schemars(title = "packets that came again", extend("x-better" = "lower"))]
    pub duplicate_packets: u64,
    /// Parts of bundles that were deleted because no more packets of the bundle came.
    #[schemars(title = "parts of bundles deleted", extend("x-better" = "lower"))]
    pub parts_deleted: u64,
    /// Transfers that ended because the next owner did not answer.
    #[schemars(title = "transfers that failed", extend("x-better" = "lower"))]
    pub link_failures: u64,
    /// Probes that ask whether the path ahead works.
    #[schemars(title = "probes of the path", extend("x-better" = "lower"))]
    pub probes: u64,
    /// Probes that nobody answered in time.
    #[schemars(title = "probes without answer", extend("x-better" = "lower"))]
    pub silent_probes: u64,
    /// Packets for which a node on the path had no room.
    #[schemars(title = "packets without room", extend("x-better" = "lower"))]
    pub packets_without_room: u64,
    /// How often the owner of a bundle was told that a node on the path had no room.
    #[schemars(title = "bundles refused", extend("x-better" = "lower"))]
    pub refusals: u64,
    /// Whole bundles that were lost because their node went down, or that were given up.
    #[schemars(title = "bundles lost", extend("x-better" = "lower"))]
    pub bundles_lost: u64,
}

impl Happened {
    pub(crate) fn note(&mut self, news: &News) {
        let count = match news {
            News::Cut { .. } => &mut self.bundles_cut,
            News::Delivered => &mut self.bundles_delivered,
            News::Expired => &mut self.bundles_resent,
            News::HandedOver(_) => &mut self.hops_made,
            News::Duplicate => &mut self.duplicate_packets,
            News::PartDeleted => &mut self.parts_deleted,
            News::LinkFailed(_) => &mut self.link_failures,
            News::Probed => &mut self.probes,
            News::Silent => &mut self.silent_probes,
            News::NoRoom => &mut self.packets_without_room,
            News::Refused => &mut self.refusals,
            News::Lost => &mut self.bundles_lost,
            News::Begun | News::Arrived(_) | News::Owned => return,
        };
        *count += 1;
    }

    /// What has happened since it was `former`.
    pub(crate) const fn since(self, former: Self) -> Self {
        Self {
            bundles_cut: self.bundles_cut - former.bundles_cut,
            bundles_delivered: self.bundles_delivered - former.bundles_delivered,
            bundles_resent: self.bundles_resent - former.bundles_resent,
            hops_made: self.hops_made - former.hops_made,
            duplicate_packets: self.duplicate_packets - former.duplicate_packets,
            parts_deleted: self.parts_deleted - former.parts_deleted,
            link_failures: self.link_failures - former.link_failures,
            probes: self.probes - former.probes,
            silent_probes: self.silent_probes - former.silent_probes,
            packets_without_room: self.packets_without_room - former.packets_without_room,
            refusals: self.refusals - former.refusals,
            bundles_lost: self.bundles_lost - former.bundles_lost,
        }
    }
}
