//! HELLOs, and which neighbours are still there.
//!
//! Spec      RFC 3561 §6.9 (HELLO), §6.10 (local connectivity)
//! Deviates  a HELLO is due HELLO_INTERVAL, less a random part, after the last broadcast, where the RFC looks
//!           at fixed intervals whether there was one: then up to two intervals would pass in silence, and
//!           ALLOWED_HELLO_LOSS of two would find links lost that are not. A node counts as part of an active
//!           route for ACTIVE_ROUTE_TIMEOUT after a packet or reply that it sent, passed on or received. A
//!           HELLO never lowers a number that is known (see `table`). No passive acknowledgements, no requests
//!           and no ICMP to test a next hop
//! Holds     a neighbour that has sent HELLOs is given up ALLOWED_HELLO_LOSS x HELLO_INTERVAL after the last
//!           packet from it, not earlier

use std::collections::BTreeMap;

use hopwright_machine::{Address, Duration, NodeId, Time};
use hopwright_wire::Payload;
use hopwright_wire::aodv::{Message, Rrep};

use super::Rfc;
use super::table::{News, newest};

/// When a neighbour was heard.
#[derive(Debug)]
struct Heard {
    hello: Time,
    anything: Time,
}

/// What a node knows of its own part in the network, and of those around it.
#[derive(Debug)]
pub(super) struct Connectivity {
    /// Until when this node counts as part of an active route.
    active_until: Time,
    /// When silence has lasted long enough; never before the node has begun.
    hello_due: Time,
    /// Neighbours from which a HELLO has come.
    neighbours: BTreeMap<NodeId, Heard>,
    /// No neighbour is given up before.
    quiet_until: Time,
}

impl Connectivity {
    pub(super) const fn new() -> Self {
        Self { active_until: Time::ZERO, hello_due: Time::NEVER, neighbours: BTreeMap::new(), quiet_until: Time::NEVER }
    }
}

impl Rfc {
    /// How long a neighbour may be silent.
    fn allowed_silence(&self) -> Duration {
        self.config.hello_interval * u64::from(self.config.allowed_hello_loss)
    }

    /// A packet or a reply has come, gone or passed: a route in use leads through this node.
    pub(super) fn note_activity(&mut self) {
        if !self.config.hello {
            return;
        }
        let idle = self.connectivity.active_until <= self.now;
        self.connectivity.active_until = self.now + self.config.active_route_timeout;
        let due = self.connectivity.hello_due;
        if idle && (due <= self.now || due == Time::NEVER) {
            // Those that one search has woken must not all speak at once.
            let wait = self.out.wait_below(self.config.hello_interval);
            self.connectivity.hello_due = self.now + wait;
        }
    }

    /// A broadcast leaves: it tells neighbours as much as a HELLO would.
    pub(super) fn note_broadcast(&mut self) {
        if self.config.hello {
            let less = self.out.wait_below(self.config.hello_jitter);
            self.connectivity.hello_due = self.now + self.config.hello_interval.saturating_sub(less);
        }
    }

    /// A packet has come from a neighbour.
    pub(super) fn note_heard(&mut self, neighbour: NodeId) {
        if let Some(heard) = self.connectivity.neighbours.get_mut(&neighbour) {
            heard.anything = self.now;
        }
    }

    /// The first HELLO comes somewhere in the first interval.
    pub(super) fn start_hellos(&mut self) {
        if self.config.hello {
            let wait = self.out.wait_below(self.config.hello_interval);
            self.connectivity.hello_due = self.now + wait;
        }
    }

    /// When there is a HELLO to send or a neighbour to look after.
    pub(super) fn connectivity_deadline(&self) -> Time {
        if !self.config.hello {
            return Time::NEVER;
        }
        let Connectivity { active_until, hello_due, quiet_until, .. } = self.connectivity;
        let hello_due = hello_due.max(self.rebooting_until);
        let speaks = self.config.hello_always || hello_due < active_until;
        quiet_until.min(if speaks { hello_due } else { Time::NEVER })
    }

    /// Sends a HELLO if one is due, and gives up neighbours that have been silent for too long.
    pub(super) fn keep_connected(&mut self) {
        if !self.config.hello {
            return;
        }
        let Connectivity { active_until, hello_due, quiet_until, .. } = self.connectivity;
        let speaks = self.config.hello_always || self.now < active_until;
        if speaks && hello_due <= self.now && !self.is_rebooting() {
            self.send_hello();
        }
        if quiet_until <= self.now {
            self.give_up_silent_neighbours();
        }
    }

    fn send_hello(&mut self) {
        let lifetime = self.allowed_silence().whole(Duration::from_millis(1));
        let me = self.me();
        let hello = Rrep {
            ack_required: false,
            hop_count: 0,
            destination: me,
            destination_sequence: self.sequence,
            originator: me,
            lifetime_ms: u32::try_from(lifetime).unwrap_or(u32::MAX),
        };
        let packet = self.out.message(Address::BROADCAST, 1, Payload::Aodv(Message::Rrep(hello)));
        self.out.transmit(packet, None);
        // The next one is due from when this one is collected, in `note_broadcast`; until then, from now.
        self.connectivity.hello_due = self.now + self.config.hello_interval;
    }

    fn give_up_silent_neighbours(&mut self) {
        let (now, allowed, keep) = (self.now, self.allowed_silence(), self.config.delete_period);
        let silent = self.connectivity.neighbours.iter().filter(|(_, heard)| heard.anything + allowed <= now);
        let silent: Vec<_> = silent.map(|(neighbour, heard)| (*neighbour, heard.hello)).collect();
        for (neighbour, hello) in silent {
            self.connectivity.neighbours.remove(&neighbour);
            // Who sent its last HELLO long ago may have stopped because no active route needs it any more.
            if now.since(hello) <= keep {
                self.on_link_lost(neighbour);
            }
        }
        let heard = self.connectivity.neighbours.values().map(|heard| heard.anything).min();
        self.connectivity.quiet_until = heard.map_or(Time::NEVER, |heard| heard + allowed);
    }

    pub(super) fn on_hello(&mut self, hello: &Rrep, from: NodeId) {
        let (now, neighbour) = (self.now, from.address());
        if hello.destination != neighbour {
            return; // not about its sender: no HELLO that §6.9 knows
        }
        let lifetime = now + Duration::from_millis(u64::from(hello.lifetime_ms));
        let known = self.table.get(neighbour).and_then(|route| route.sequence);
        let sequence = known.map_or(hello.destination_sequence, |known| newest(known, hello.destination_sequence));
        if let Some(route) = self.table.valid_mut(neighbour).filter(|route| route.next_hop == from) {
            route.sequence = Some(sequence);
            self.table.extend(neighbour, lifetime);
        } else {
            self.learn_neighbour(from, Some(sequence), lifetime);
        }
        if self.config.hello {
            self.connectivity.neighbours.insert(from, Heard { hello: now, anything: now });
            self.connectivity.quiet_until = self.connectivity.quiet_until.min(now + self.allowed_silence());
        }
    }

    /// Takes the direct route to a neighbour, whatever was known before.
    pub(super) fn learn_neighbour(&mut self, neighbour: NodeId, sequence: Option<u32>, lifetime: Time) {
        let destination = neighbour.address();
        // A number that is unknown for now makes any news better (§6.2 iii).
        self.learn(destination, News { sequence: None, hops: 1, next_hop: neighbour, lifetime });
        if let (Some(route), Some(sequence)) = (self.table.valid_mut(destination), sequence) {
            route.sequence = Some(sequence);
        }
    }
}
