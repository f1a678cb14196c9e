//! Requests already seen, and packets to groups.
//!
//! Spec      RFC 3561 §6.3, §6.5 (PATH_DISCOVERY_TIME); RFC 6621 §6
//! Deviates  nothing
//! Holds     a request is new once in the time it is remembered

use std::collections::VecDeque;

use hopwright_machine::{Address, Duration, Time};
use rustc_hash::FxHashSet;

/// Requests already seen, so that their copies are recognized (RFC 3561 §6.3, §6.5).
#[derive(Debug, Default)]
pub(crate) struct Seen {
    order: VecDeque<(Time, Address, u32)>,
    /// Looked into for every copy of every flooded request. Never iterated.
    requests: FxHashSet<(Address, u32)>,
}

impl Seen {
    /// Whether the request is new; it is remembered until `now + keep`.
    pub(crate) fn is_new(&mut self, now: Time, keep: Duration, originator: Address, id: u32) -> bool {
        while let Some(&(expiry, address, old)) = self.order.front() {
            if expiry > now {
                break;
            }
            self.order.pop_front();
            self.requests.remove(&(address, old));
        }
        let new = self.requests.insert((originator, id));
        if new {
            self.order.push_back((now + keep, originator, id));
        }
        new
    }
}
