//! Requests and replies.
//!
//! Spec      ns-2.35
//! Deviates  see the parent module
//! Holds     a request names every node once; only the target and nodes on the route they tell reply

use hopwright_machine::{Address, Duration};
use hopwright_wire::{Packet, Payload};

use super::cache::MAX_PATH;
use super::view::{DeadLink, NOBODY, View};
use super::{Ns2, TTL};

/// The time to live of a request for the neighbours alone.
const NEIGHBOURS: u8 = 1;

/// For how long an error is worth passing on with a request.
const ERROR_HOLD: Duration = Duration::from_secs(1);

impl Ns2 {
    /// Looks for a route unless it is too early to ask again. False if a packet of another node had its search.
    pub(super) fn seek(&mut self, target: Address, own: bool) -> bool {
        let (now, patience) = (self.now, self.config.nonprop_request_timeout);
        let (period, limit) = (self.config.request_period, self.config.max_request_period);
        let ring = self.config.nonpropagating_request;
        let entry = self.requests.entry(target);
        if entry.begin(now, period, limit) {
            if !own && entry.outstanding > 1 {
                return false;
            }
            entry.asked_neighbours = ring.then_some(now);
            self.request(target, if ring { NEIGHBOURS } else { TTL });
        } else if own && entry.asked_neighbours.is_some_and(|asked| now.since(asked) > patience) {
            entry.asked_neighbours = None;
            self.request(target, TTL);
        }
        true
    }

    fn request(&mut self, target: Address, ttl: u8) {
        let mut view = View { request: Some(self.request_id), path: vec![self.me()], ..View::default() };
        self.request_id = self.request_id.wrapping_add(1).max(1);
        if let Some((_, from, to)) = self.held_error.filter(|(since, ..)| self.now.since(*since) < ERROR_HOLD) {
            view.errors.push(DeadLink { tell: NOBODY, from, to });
            if ttl > NEIGHBOURS {
                self.held_error = None;
            }
        }
        let packet = self.out.message(target, ttl, Payload::Nothing);
        self.send(packet, view, Duration::ZERO);
    }

    /// A request for another node: answered from the cache, passed on, or forgotten.
    pub(super) fn on_request(&mut self, packet: &Packet, mut view: View, id: u16) {
        let me = self.me();
        if self.requests.heard(packet.source) >= id || view.path.contains(&me) || view.path.len() >= MAX_PATH {
            return;
        }
        self.requests.entry(packet.source).heard = id;
        let neighbours_only = packet.ttl <= NEIGHBOURS;
        if (neighbours_only || self.config.reply_from_cache) && self.answer_from_cache(packet, &view) {
            return;
        }
        if neighbours_only {
            return;
        }
        view.path.push(me);
        let packet = self.out.again(packet.clone());
        self.send(packet, view, Duration::ZERO);
    }

    fn answer_from_cache(&mut self, packet: &Packet, view: &View) -> bool {
        let Some(rest) = self.cache.find(packet.destination) else { return false };
        if rest.len() + view.path.len() > MAX_PATH {
            return false;
        }
        let mut whole = [view.path.as_slice(), rest.as_slice()].concat();
        cut_loops(&mut whole);
        if !whole.contains(&self.me()) {
            return false; // the route would not lead through this node: it could not tell of breaks
        }
        let mut back = view.path.clone();
        back.push(self.me());
        back.reverse();
        self.cache.add(&back);
        let reply = self.out.message(packet.source, u8::MAX, Payload::Nothing);
        let view = View { reply: Some(whole), path: back, ..View::default() };
        self.send(reply, view, Duration::ZERO);
        true
    }

    /// The target's answer, along the request's way back.
    pub(super) fn answer(&mut self, packet: &Packet, view: &View) {
        if view.path.len() >= MAX_PATH {
            return;
        }
        let mut whole = view.path.clone();
        whole.push(self.me());
        let back: Vec<Address> = whole.iter().rev().copied().collect();
        self.cache.add(&back);
        self.cache.notice(&back, 0);
        let wait = self.out.duration_below(self.config.broadcast_jitter);
        self.tell_up_after(packet.source, wait);
        let reply = self.out.message(packet.source, u8::MAX - 1, Payload::Nothing);
        let view = View { reply: Some(whole), path: back, ..View::default() };
        self.send(reply, view, wait);
    }

    /// A reply to this node: packets that wait can go, 30 ms apart.
    pub(super) fn on_reply(&mut self, route: &[Address]) {
        self.cache.add(route);
        let Some(&target) = route.last() else { return };
        self.requests.entry(target).end();
        let mut delay = Duration::ZERO;
        for place in 0..self.kept.size() {
            let Some(destination) = self.kept.destination(place) else { continue };
            let Some(path) = self.cache.find_for_use(destination) else { continue };
            if let Some(kept) = self.kept.take(place) {
                self.send_over(kept.packet, kept.view, path, delay);
                delay += self.config.release_gap;
            }
        }
    }
}

/// Takes out of a path what lies between two visits of a node.
fn cut_loops(path: &mut Vec<Address>) {
    let mut first = 0;
    while first < path.len() {
        if let Some(last) = path.iter().rposition(|node| *node == path[first]).filter(|&last| last > first) {
            path.drain(first..last);
        }
        first += 1;
    }
}
