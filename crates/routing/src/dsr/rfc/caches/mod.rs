//! The route cache, in either of the forms that RFC 4728 §4.1 describes.
//!
//! Links are taken as working both ways, unless `two_way_links` is off: 802.11 needs that for its acknowledgements.
//!
//! Spec      RFC 4728 §4.1
//! Deviates  nothing
//! Holds     a route that is found starts at this node, ends at the destination and names no node twice

mod link;
mod path;

use hopwright_machine::{Address, Time};
use link::Links;
use path::Paths;

use crate::dsr::config::{CacheKind, Config};

/// The route cache of one node.
#[derive(Debug)]
pub(super) enum Cache {
    Path(Paths),
    Link(Links),
}

impl Cache {
    pub(super) fn new(me: Address, config: &Config) -> Self {
        match config.cache {
            CacheKind::Path => Self::Path(Paths::new(me, config.cache_paths, config.route_cache_timeout)),
            CacheKind::Link | CacheKind::LinkStatic => Self::Link(Links::new(me, config)),
        }
    }

    /// Learns that each of these nodes is a neighbour of the next.
    pub(super) fn add(&mut self, now: Time, path: &[Address]) {
        match self {
            Self::Path(paths) => paths.add(now, path),
            Self::Link(links) => links.add(now, path),
        }
    }

    /// The same of the path of a packet that was overheard as this place of it sent it; so that is a neighbour of this
    /// node, and both ways from it are known.
    pub(super) fn add_heard(&mut self, now: Time, path: &[Address], sender: usize) {
        match self {
            Self::Path(paths) => paths.add_heard(now, path, sender),
            Self::Link(links) => links.add_heard(now, path, sender),
        }
    }

    /// Who sent a packet to this node, on a path that was added, is its neighbour. News only where links lead one way.
    pub(super) fn add_neighbour(&mut self, now: Time, from: Address) {
        if let Self::Link(links) = self {
            links.add_neighbour(now, from);
        }
    }

    /// The best route to `destination`, from this node to it.
    pub(super) fn find(&self, now: Time, destination: Address) -> Option<Vec<Address>> {
        match self {
            Self::Path(paths) => paths.find(now, destination),
            Self::Link(links) => links.find(now, destination),
        }
    }

    /// A packet of this node goes over this route.
    pub(super) fn used(&mut self, now: Time, route: &[Address]) {
        match self {
            Self::Path(paths) => paths.used(now, route),
            Self::Link(links) => links.used(now, route),
        }
    }

    /// These two are no neighbours any more. True if that was news.
    pub(super) fn remove_link(&mut self, now: Time, from: Address, to: Address) -> bool {
        match self {
            Self::Path(paths) => paths.remove_link(from, to),
            Self::Link(links) => links.remove_link(now, from, to),
        }
    }
}
