//! Neighbours, what they reach, and who chose this node as relay.
//!
//! Spec      RFC 3626 §4.3, §8.1 (neighbours), §8.2 (two-hop neighbours), §8.4 (MPR selectors), §8.5 (changes)
//! Deviates  nothing
//! Holds     only symmetric neighbours have two-hop neighbours; after `advance`, nothing has run out

use std::collections::{BTreeMap, BTreeSet};

use hopwright_machine::{Address, Duration, NodeId, Time};
use hopwright_wire::olsr::{Hello, LinkCode, LinkType, NeighbourType};

use super::config::{Config, WILL_NEVER};
use super::link::Link;
use super::mpr::{self, Candidate};
use super::reached::Reached;

/// A node that is or was heard.
#[derive(Debug)]
pub(super) struct Neighbour {
    pub(super) node: NodeId,
    pub(super) link: Link,
    /// N_status, as of the last look.
    pub(super) symmetric: bool,
    pub(super) willingness: u8,
    reaches: Reached,
    /// MS_time: until then this node is its relay.
    selects_us_until: Time,
    /// When and how a HELLO of this node last named it.
    pub(super) told: Option<(Time, LinkCode)>,
}

impl Neighbour {
    /// Its symmetric neighbours, as its HELLOs say.
    pub(super) fn reaches(&self) -> impl Iterator<Item = Address> {
        self.reaches.nodes()
    }

    /// Whether it carries packets of others.
    pub(super) const fn is_willing(&self) -> bool {
        self.willingness != WILL_NEVER
    }

    /// Whether it chose this node as relay.
    pub(super) fn selects_us(&self, now: Time) -> bool {
        self.selects_us_until > now
    }
}

/// What is no longer as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// Neighbours or what they reach: relays and routes must be found anew (§8.5).
    pub(super) links: bool,
    /// Symmetric neighbours: some came or went.
    pub(super) neighbours: bool,
    /// Nodes that chose this one as relay.
    pub(super) selectors: bool,
    /// Neighbours that are symmetric no more.
    pub(super) lost: Vec<NodeId>,
}

#[derive(Debug)]
pub(super) struct Neighbourhood {
    me: Address,
    neighbours: BTreeMap<Address, Neighbour>,
    /// The chosen relays, while nothing has changed.
    relays: Option<BTreeSet<Address>>,
    changes: Changes,
    /// Nothing runs out before.
    quiet_until: Time,
}

impl Neighbourhood {
    pub(super) fn new(me: Address) -> Self {
        Self { me, neighbours: BTreeMap::new(), relays: None, changes: Changes::default(), quiet_until: Time::NEVER }
    }

    /// What has changed since the last call.
    pub(super) fn take_changes(&mut self) -> Changes {
        std::mem::take(&mut self.changes)
    }

    /// When `advance` must be called next.
    pub(super) const fn deadline(&self) -> Time {
        self.quiet_until
    }

    pub(super) fn get(&self, address: Address) -> Option<&Neighbour> {
        self.neighbours.get(&address)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (Address, &mut Neighbour)> {
        self.neighbours.iter_mut().map(|(&address, neighbour)| (address, neighbour))
    }

    /// Symmetric neighbours, in the order of their addresses.
    pub(super) fn symmetric(&self) -> impl Iterator<Item = (Address, &Neighbour)> {
        self.neighbours.iter().filter(|(_, n)| n.symmetric).map(|(&address, n)| (address, n))
    }

    /// Whether packets can go to and come from this neighbour.
    pub(super) fn is_symmetric(&self, address: Address) -> bool {
        self.neighbours.get(&address).is_some_and(|n| n.symmetric)
    }

    /// Nodes that chose this one as relay.
    pub(super) fn selectors(&self, now: Time) -> impl Iterator<Item = Address> {
        self.neighbours.iter().filter(move |(_, n)| n.selects_us(now)).map(|(&address, _)| address)
    }

    /// The relays that this node chooses (§8.3).
    pub(super) fn relays(&mut self, coverage: u8) -> &BTreeSet<Address> {
        self.relays.get_or_insert_with(|| {
            let symmetric = self.neighbours.iter().filter(|(_, n)| n.symmetric);
            let candidates: Vec<Candidate> = symmetric
                .map(|(&address, n)| Candidate { address, willingness: n.willingness, reaches: n.reaches().collect() })
                .collect();
            mpr::select(&candidates, self.me, coverage)
        })
    }

    /// A packet of this number came (§14.3).
    pub(super) fn packet(&mut self, now: Time, from: Address, sequence: u16, config: &Config) {
        if let Some(neighbour) = self.neighbours.get_mut(&from) {
            neighbour.link.packet(now, sequence, config.neighbour_hold_time);
            self.quiet_until = self.quiet_until.min(neighbour.link.next_change(now));
            self.look_at(now, from);
        }
    }

    /// The link layer could not reach a neighbour (§13).
    pub(super) fn fail(&mut self, now: Time, lost: Address, hold: Duration) {
        let Some(neighbour) = self.neighbours.get_mut(&lost) else { return };
        neighbour.link.fail(now, hold);
        self.quiet_until = self.quiet_until.min(neighbour.link.next_change(now));
        self.look_at(now, lost);
    }

    /// Takes in a HELLO (§7.1.1, §8.1.1, §8.2.1, §8.4.1).
    pub(super) fn hello(&mut self, now: Time, validity: Duration, from: NodeId, hello: &Hello, config: &Config) {
        let (me, sender, expiry) = (self.me, from.address(), now + validity);
        let neighbour = self.neighbours.entry(sender).or_insert_with(|| Neighbour {
            node: from,
            link: Link::new(now, validity, config.hysteresis),
            symmetric: false,
            willingness: hello.willingness,
            reaches: Reached::default(),
            selects_us_until: Time::ZERO,
            told: None,
        });
        let groups = || hello.links.iter().filter_map(|group| Some((group.code.types()?, &group.neighbours)));
        let about_us = groups().find(|(_, addresses)| addresses.contains(&me)).map(|(types, _)| types);
        neighbour.link.hello(now, validity, about_us.map(|(link, _)| link), config.neighbour_hold_time);
        neighbour.link.expect(now, hello.interval.duration());
        if neighbour.willingness != hello.willingness {
            neighbour.willingness = hello.willingness;
            self.changes.links = true;
            self.relays = None;
        }
        self.quiet_until = self.quiet_until.min(neighbour.link.next_change(now)).min(expiry);
        self.look_at(now, sender);
        let Some(neighbour) = self.neighbours.get_mut(&sender) else { return };
        if neighbour.symmetric {
            let mut changed = false;
            let mut reading = neighbour.reaches.begin(expiry);
            for ((_, kind), addresses) in groups() {
                for &address in addresses.iter().filter(|&&address| address != me) {
                    changed |= neighbour.reaches.note(&mut reading, address, kind);
                }
            }
            if changed {
                self.changes.links = true;
                self.relays = None;
            }
        }
        if let Some((_, NeighbourType::Mpr)) = about_us {
            self.changes.selectors |= !neighbour.selects_us(now);
            neighbour.selects_us_until = expiry;
        }
    }

    /// Ends what has run out (§8.5).
    pub(super) fn advance(&mut self, now: Time, hold: Duration) {
        if now < self.quiet_until {
            return;
        }
        let addresses: Vec<Address> = self.neighbours.keys().copied().collect();
        for address in addresses {
            let Some(neighbour) = self.neighbours.get_mut(&address) else { continue };
            neighbour.link.notice_silence(now, hold);
            if neighbour.reaches.expire(now) {
                self.changes.links = true;
                self.relays = None;
            }
            if neighbour.selects_us_until != Time::ZERO && !neighbour.selects_us(now) {
                neighbour.selects_us_until = Time::ZERO;
                self.changes.selectors = true;
            }
            self.look_at(now, address);
        }
        self.neighbours.retain(|_, neighbour| neighbour.link.until > now);
        let next = self.neighbours.values().map(|neighbour| {
            let selects = if neighbour.selects_us(now) { neighbour.selects_us_until } else { Time::NEVER };
            neighbour.link.next_change(now).min(neighbour.reaches.earliest()).min(selects)
        });
        self.quiet_until = next.min().unwrap_or(Time::NEVER);
    }

    /// Finds out whether a neighbour has become or ceased to be symmetric (§8.5).
    fn look_at(&mut self, now: Time, address: Address) {
        let Some(neighbour) = self.neighbours.get_mut(&address) else { return };
        let symmetric = neighbour.link.is_symmetric(now);
        if symmetric == neighbour.symmetric {
            return;
        }
        neighbour.symmetric = symmetric;
        if !symmetric {
            neighbour.reaches.clear();
            self.changes.selectors |= neighbour.selects_us(now);
            neighbour.selects_us_until = Time::ZERO;
            self.changes.lost.push(neighbour.node);
        }
        self.changes.links = true;
        self.changes.neighbours = true;
        self.relays = None;
    }
}

impl Neighbour {
    /// What a HELLO says about it; nothing about a pending link.
    pub(super) fn code(&self, now: Time, is_relay: bool) -> Option<LinkCode> {
        let kind = match (self.symmetric, is_relay) {
            (true, true) => NeighbourType::Mpr,
            (true, false) => NeighbourType::Symmetric,
            (false, _) => NeighbourType::Not,
        };
        self.link.advertised(now).map(|link: LinkType| LinkCode::new(link, kind))
    }
}
