//! Updates: when they leave, and what is in them.
//!
//! Spec      Perkins and Bhagwat 1994 §3 (full and incremental updates, settling); ns-2.35 as its source shows it
//! Deviates  an update that is longer than a frame is sent in several (Perkins: 1500 bytes; ns-2's count of entries has
//!           eight bits); with `trigger_on_sequence` only periodic updates have a new number of their sender (Perkins:
//!           every update)
//! Holds     what has not settled is not told of as new

use hopwright_machine::{Address, Duration, Time};
use hopwright_wire::dsdv::{ENTRY_BYTES, Entry, HEADER_BYTES, Update};
use hopwright_wire::{Payload, ip, udp};

use super::config::Rules;
use super::route::Route;
use super::{Dsdv, FIRST_NUMBER, NS2_TTL};

/// The most entries in a packet of an Ethernet frame's 1500 bytes.
const FRAME_ENTRIES: usize = ((1500 - ip::HEADER_BYTES - udp::HEADER_BYTES - HEADER_BYTES) / ENTRY_BYTES) as usize;

/// The most entries that ns-2's packets can count.
const NS2_ENTRIES: usize = 255;

impl Dsdv {
    /// The time from one full update to the next: jittered by a quarter.
    fn interval(&mut self) -> Duration {
        let quarter = self.config.update_interval / 4;
        self.config.update_interval.saturating_sub(quarter) + self.stream.duration_below(quarter)
    }

    pub(super) fn start(&mut self) {
        let node = self.out.node;
        self.sequence = FIRST_NUMBER;
        self.routes.insert(node.address(), Route::to_self(node, self.sequence, self.now));
        self.full_at = self.now + self.stream.duration_below(self.config.start_jitter);
    }

    pub(super) fn send_full(&mut self) {
        self.send_update(true);
        self.full_at = self.now + self.interval();
        self.last_update = Some(self.now);
    }

    /// Lets news of a destination be told at `time`.
    pub(super) fn trigger(&mut self, destination: Address, time: Time) {
        self.untrigger(destination);
        self.triggers.insert((time, destination));
        self.trigger_of.insert(destination, time);
    }

    fn untrigger(&mut self, destination: Address) {
        if let Some(old) = self.trigger_of.remove(&destination) {
            self.triggers.remove(&(old, destination));
        }
    }

    /// Tells news whose time has come; not sooner than `trigger_spacing` after the last update.
    pub(super) fn follow_triggers(&mut self) {
        while let Some(&(time, destination)) = self.triggers.first() {
            if time > self.now {
                break;
            }
            self.untrigger(destination);
            let possible = self.last_update.map_or(Time::ZERO, |last| last + self.config.trigger_spacing);
            if self.now < possible {
                // One trigger is enough: whatever is due by then goes with it.
                while let Some(&(other, address)) = self.triggers.first().filter(|first| first.0 < possible) {
                    self.triggers.remove(&(other, address));
                    self.trigger_of.remove(&address);
                }
                self.trigger(destination, possible);
                break;
            }
            let Some(replaces_full) = self.send_update(false) else { continue };
            self.last_update = Some(self.now);
            if replaces_full {
                self.full_at = self.now + self.interval();
            }
        }
    }

    /// Sends an update, full or of what has changed, if there is anything to be told. When much has changed, it is a
    /// full one. Says whether the next periodic one may wait.
    fn send_update(&mut self, periodic: bool) -> Option<bool> {
        let now = self.now;
        let changed = self.routes.values().filter(|route| route.has_news(now)).count();
        let full = periodic || (changed * 3 > self.routes.len() && changed > 3);
        if changed == 0 && !full {
            return None;
        }
        let me = self.out.node.address();
        let perkins = self.config.rules == Rules::Perkins;
        let mut entries = Vec::new();
        // Where numbers alone trigger updates, a new number in each of these would trigger the next: for ever, and too
        // fast for routes to settle.
        let has_new_number = if perkins { periodic || !self.config.trigger_on_sequence } else { full };
        if has_new_number {
            self.sequence = self.sequence.wrapping_add(2);
            self.routes.insert(me, Route::to_self(self.out.node, self.sequence, now));
        }
        for (&destination, route) in &mut self.routes {
            let settled = route.advertise_at <= now;
            let told = if settled && (full || route.has_news(now)) {
                route.told = Some((route.metric, route.sequence));
                route.new_sequence = false;
                route.new_metric &= !full;
                route.told
            } else if perkins && (full || destination == me) {
                route.told // its own route, or one as it was before what has not settled
            } else {
                None
            };
            entries.extend(told.map(|(metric, sequence)| Entry { destination, metric, sequence }));
        }
        if perkins {
            entries.sort_by_key(|entry| entry.destination != me); // its own first
        }
        let (most, ttl) = if perkins { (FRAME_ENTRIES, 1) } else { (NS2_ENTRIES, NS2_TTL) };
        for part in entries.chunks(most) {
            let payload = Payload::Dsdv(Update { entries: part.into() });
            let packet = self.out.message(Address::BROADCAST, ttl, payload);
            self.out.broadcast_jittered(now, self.config.broadcast_jitter, packet);
        }
        Some(full && has_new_number)
    }
}
