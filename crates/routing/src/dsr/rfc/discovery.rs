//! Route Discovery: requests, their repetition, and what nodes do with those of others.
//!
//! Spec      RFC 4728 §3.1, §3.3.3, §4.3, §8.2.1, §8.2.2
//! Deviates  no data travel in requests (§3.3 allows it)
//! Holds     a request names no node twice; searches for a node are never closer than their back-off

use hopwright_machine::{Address, DropCause, Duration, Time};
use hopwright_wire::dsr::{DsrOption, Header, MAX_ADDRESSES, Request};
use hopwright_wire::{Packet, Payload};

use super::Rfc;

/// How the search for a node stands.
#[derive(Clone, Debug)]
pub(super) struct Search {
    /// When the next request may go.
    pub(super) due: Time,
    /// How long to wait after it.
    wait: Duration,
    /// Network-wide requests sent since the node was last found.
    sent: u32,
    /// Whether something waits for its end.
    pub(super) is_on: bool,
}

impl Rfc {
    /// Looks for a route to `target` unless that is under way.
    pub(super) fn search(&mut self, target: Address) {
        let (now, period) = (self.now, self.config.request_period);
        let Some(search) = self.searches.get_mut(&target) else {
            let mut due = now;
            if self.config.nonpropagating_request {
                due += self.request(target, 1) + self.config.nonprop_request_timeout;
            }
            self.searches.insert(target, Search { due, wait: period, sent: 0, is_on: true });
            return self.repeat_searches();
        };
        search.is_on = true; // the next request goes when the back-off ends
        self.repeat_searches();
    }

    /// Sends the requests that are due; ends searches that nothing waits for.
    pub(super) fn repeat_searches(&mut self) {
        let now = self.now;
        self.sought.retain(|_, until| now < *until);
        let due: Vec<Address> =
            self.searches.iter().filter(|(_, s)| s.is_on && s.due <= now).map(|(target, _)| *target).collect();
        for target in due {
            let waits = self.buffer.has(target) || self.sought.contains_key(&target);
            let (repetitions, longest) = (self.config.max_request_rexmt, self.config.max_request_period);
            let Some(search) = self.searches.get_mut(&target) else { continue };
            if !waits {
                search.is_on = false;
                continue;
            }
            if search.sent > repetitions {
                (search.is_on, search.sent) = (false, 0);
                search.due = now + search.wait;
                self.give_up(target);
                continue;
            }
            let wait = search.wait;
            search.sent += 1;
            search.wait = (wait * 2).min(longest);
            let due = now + self.request(target, self.config.discovery_hop_limit) + wait;
            self.searches.entry(target).and_modify(|search| search.due = due);
        }
    }

    fn give_up(&mut self, target: Address) {
        self.sought.remove(&target);
        while let Some(packet) = self.buffer.take(target) {
            self.out.drop(packet, DropCause::NoRoute);
        }
    }

    /// Errors told to this node go along, so that old routes do not come back as answers (§3.4.4). Returns how long the
    /// request waits before it leaves.
    fn request(&mut self, target: Address, ttl: u8) -> Duration {
        let request = Request { id: self.request_id, target, addresses: Vec::new() };
        self.request_id = self.request_id.wrapping_add(1);
        let mut header = Header::with(DsrOption::Request(request));
        header.options.extend(self.held_errors.iter().cloned().map(DsrOption::Error));
        if ttl > 1 {
            self.held_errors.clear();
        }
        let mut packet = self.out.message(Address::BROADCAST, ttl, Payload::Nothing);
        packet.dsr = Some(Box::new(header));
        self.out.broadcast_own(self.now, self.config.request_jitter, packet)
    }

    /// §8.2.2.
    pub(super) fn on_request(&mut self, mut packet: Packet, request: &Request) {
        let me = self.me();
        let mut path = vec![packet.source];
        path.extend_from_slice(&request.addresses);
        let repeats = path.iter().enumerate().any(|(place, node)| path[..place].contains(node));
        if path.contains(&me) || repeats {
            return;
        }
        path.push(me);
        // The way back, which the reply takes: links may lead one way (`two_way_links`).
        path.reverse();
        self.learn(&path);
        path.reverse();
        if request.target == me {
            return self.answer(&path);
        }
        if !self.requests.is_new(packet.source, request.id, request.target)
            || (self.config.reply_from_cache && self.answer_from_cache(&path, request.target))
            || packet.ttl <= 1
            || request.addresses.len() >= MAX_ADDRESSES
        {
            return;
        }
        packet.ttl -= 1;
        for option in packet.dsr.iter_mut().flat_map(|header| &mut header.options) {
            if let DsrOption::Request(request) = option {
                request.addresses.push(me);
            }
        }
        let packet = self.out.again(packet);
        self.out.broadcast_jittered(self.now, self.config.broadcast_jitter, packet);
    }

    /// The cache knows more than before: ends searches whose target is found, and sends what waited (§8.1.2).
    pub(super) fn release_waiting(&mut self) {
        if self.searches.is_empty() && self.missed.is_empty() {
            return;
        }
        let found = |target: &&Address| self.cache.find(self.now, **target).is_some();
        for target in self.searches.keys().filter(found).copied().collect::<Vec<_>>() {
            self.searches.remove(&target);
            self.sought.remove(&target);
            while let Some(packet) = self.buffer.take(target) {
                self.originate(packet);
            }
        }
        self.tell_of_restored();
    }
}
