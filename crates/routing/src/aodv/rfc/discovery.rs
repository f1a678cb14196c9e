//! Looking for a route: requests in growing rings.
//!
//! Spec      RFC 3561 §6.3 (requests, retries, rate limit), §6.4 (expanding ring search)
//! Deviates  a request beyond RREQ_RATELIMIT waits instead of being left out
//! Holds     one search per destination; it ends with a route or with the loss of the packets kept for it

use hopwright_machine::{Address, DropCause, Time};
use hopwright_wire::Payload;
use hopwright_wire::aodv::{Message, Rreq};

use super::Rfc;

#[derive(Debug)]
pub(super) struct Search {
    ttl: u8,
    /// Network-wide requests sent.
    network_wide: u32,
    /// Whether a transport asked for it, though no packet waits.
    sought: bool,
    /// Whether the request of this round is still waiting for its turn.
    waiting: bool,
    deadline: Time,
    /// Whether this is the one request of a local repair (§6.12).
    repairs: bool,
}

impl Search {
    pub(super) fn deadline(&self) -> Time {
        self.deadline
    }
}

impl Rfc {
    /// Starts looking for a destination, unless that is going on.
    pub(super) fn search(&mut self, destination: Address) {
        if self.searches.contains_key(&destination) {
            return;
        }
        // §6.4: the last known length is a better first guess than TTL_START.
        let ttl = match self.table.get(destination) {
            Some(route) => route.hops.saturating_add(self.config.ttl_increment),
            None => self.config.ttl_start,
        };
        self.begin(destination, self.ring(ttl), false);
    }

    /// Starts the one request of a local repair (§6.12).
    pub(super) fn search_for_repair(&mut self, destination: Address, ttl: u8) {
        self.begin(destination, ttl, true);
    }

    fn begin(&mut self, destination: Address, ttl: u8, repairs: bool) {
        let search = Search { ttl, network_wide: 0, sought: false, waiting: true, deadline: self.now, repairs };
        self.searches.insert(destination, search);
        self.ask(destination);
    }

    /// The same for a transport that has nothing to send yet.
    pub(super) fn seek(&mut self, destination: Address) {
        if destination == self.me() || self.next_hop(destination).is_some() {
            return;
        }
        self.search(destination);
        self.searches.entry(destination).and_modify(|search| search.sought = true);
    }

    /// Goes on with the searches whose time has come.
    pub(super) fn continue_searches(&mut self) {
        let due = self.searches.iter().filter(|(_, search)| search.deadline <= self.now);
        let due: Vec<Address> = due.map(|(destination, _)| *destination).collect();
        for destination in due {
            self.continue_search(destination);
        }
    }

    fn continue_search(&mut self, destination: Address) {
        let Some(search) = self.searches.get(&destination) else { return };
        if search.repairs && !search.waiting && self.on_repair_failed(destination) {
            // Own packets are left: what was the repair's request is the first of their search.
            self.searches.entry(destination).and_modify(|search| search.repairs = false);
        }
        let Some(search) = self.searches.get(&destination) else { return };
        let allowed = self.config.rreq_retries + u32::from(!self.config.rreq_retries_include_first);
        let wanted = search.sought || self.buffer.has(destination);
        if !wanted || (!search.waiting && search.network_wide > 0 && search.network_wide >= allowed) {
            self.searches.remove(&destination);
            self.tell_unrepaired(destination);
            while let Some(packet) = self.buffer.take(destination) {
                self.out.drop(packet, DropCause::NoRoute);
            }
            return;
        }
        if !search.waiting && search.network_wide == 0 {
            let ttl = self.ring(search.ttl.saturating_add(self.config.ttl_increment));
            self.searches.entry(destination).and_modify(|search| search.ttl = ttl);
        }
        self.ask(destination);
    }

    /// The ring's time to live, the whole network beyond TTL_THRESHOLD.
    fn ring(&self, ttl: u8) -> u8 {
        if ttl > self.config.ttl_threshold { self.config.net_diameter } else { ttl }
    }

    fn ask(&mut self, destination: Address) {
        let (now, me) = (self.now, self.me());
        let rebooting_until = self.rebooting_until;
        let Some(search) = self.searches.get_mut(&destination) else { return };
        if now < rebooting_until {
            search.deadline = rebooting_until; // §6.13
            return;
        }
        if self.table.valid(destination).is_some() {
            self.searches.remove(&destination); // learned while the node waited after its reboot
            self.tell_route_up(destination);
            return self.release(destination);
        }
        if let Err(later) = self.requests.admit(now, self.config.rreq_ratelimit) {
            search.waiting = true;
            search.deadline = later;
            return;
        }
        search.waiting = false;
        let wait = if search.ttl >= self.config.net_diameter {
            search.network_wide += 1;
            // §6.3: binary exponential back-off.
            self.config.net_traversal_time() * (1 << (search.network_wide - 1).min(16))
        } else {
            self.config.ring_traversal_time(search.ttl)
        };
        let ttl = search.ttl;

        let known = self.table.get(destination).and_then(|route| route.sequence);
        self.sequence = self.sequence.wrapping_add(1); // §6.1, §6.3: before each request
        self.request_id = self.request_id.wrapping_add(1);
        let request = Rreq {
            gratuitous: self.config.gratuitous,
            destination_only: self.config.destination_only,
            unknown_sequence: known.is_none(),
            hop_count: 0,
            id: self.request_id,
            destination,
            destination_sequence: known.unwrap_or(0),
            originator: me,
            originator_sequence: self.sequence,
        };
        let packet = self.out.message(Address::BROADCAST, ttl, Payload::Aodv(Message::Rreq(request)));
        let pause = self.out.broadcast_own(now, self.config.request_jitter, packet);
        search.deadline = now + pause + wait;
    }
}
