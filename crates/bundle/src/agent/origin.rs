//! Where bundles begin: as many are cut as may be in the network, and each is sent again until it is acknowledged.
//!
//! Spec      Velayutham 2005 §6.1, §6.4.2, §6.5.1
//! Deviates  see the parent module
//! Holds     a bundle is kept until the destination has it

use std::sync::Arc;

use hopwright_machine::Time;
use hopwright_wire::nctp::Key;

use super::Agent;
use crate::bundle::{Bundle, Role, Stage};
use crate::news::{News, Output};
use crate::parts::Parts;

impl Agent {
    /// Cuts and starts bundles as long as more may be in the network.
    pub(super) fn start_bundles(&mut self) {
        let config = Arc::clone(&self.config);
        let numbers: Vec<u16> = self.sources.keys().copied().collect();
        for connection in numbers {
            while let Some(source) = self.sources.get(&connection) {
                let destination = source.destination;
                let counts = |(key, bundle): &(&Key, &Bundle)| {
                    // An old copy may have come back.
                    bundle.role == Role::Source
                        && (key.connection == connection
                            || (config.merges_connections && bundle.destination == destination))
                };
                if !source.has_bundle(&config)
                    || self.bundles.iter().filter(counts).count() >= config.in_transit as usize
                {
                    break;
                }
                self.start_bundle(connection);
            }
        }
    }

    pub(super) fn start_bundle(&mut self, connection: u16) {
        let me = self.me();
        let Some(source) = self.sources.get_mut(&connection) else { return };
        let (bundle, shape) = source.cut(&self.config);
        let (key, destination) = (Key { source: me, connection, bundle }, source.destination);
        self.add(key, Bundle::new(Role::Source, destination, shape, Parts::all(shape.packets)));
        self.tell(key, News::Cut { packets: shape.packets, bytes: shape.bytes() });
        if self.config.source_probes {
            self.ask(key);
        } else {
            self.seek(key);
        }
    }

    /// The destination has a bundle that begins here.
    pub(super) fn on_ack(&mut self, key: Key) {
        let Some(bundle) = self.bundles.get(&key).filter(|bundle| bundle.role == Role::Source) else { return };
        let bytes = bundle.shape.bytes();
        let is_sample = !bundle.was_resent && !bundle.timed_since.is_never();
        let round_trip = is_sample.then(|| self.now.since(bundle.timed_since));
        self.remove(&key);
        if let Some(source) = self.sources.get_mut(&key.connection)
            && let Some(round_trip) = round_trip
        {
            source.timer.sample(round_trip);
        }
        self.out.push_back(Output::Acked { connection: key.connection, bytes, round_trip });
    }

    /// A source waits for the answer from now on.
    pub(super) fn start_timer(&mut self, key: Key) {
        let Some(bundle) = self.bundles.get_mut(&key) else { return };
        let Some(source) = self.sources.get(&key.connection) else { return };
        bundle.timed_since = self.now;
        bundle.due = source.timer.value(bundle.hops.unwrap_or(1)).map_or(Time::NEVER, |time| self.now + time);
    }

    /// The timer of a source has run out: the whole bundle goes again.
    pub(super) fn expire(&mut self, key: Key) {
        if let Some(source) = self.sources.get_mut(&key.connection) {
            source.timer.expired();
        }
        let Some(bundle) = self.bundles.get_mut(&key) else { return };
        (bundle.was_resent, bundle.due, bundle.failed_at) = (true, Time::NEVER, None);
        let is_away = matches!(bundle.stage, Stage::Away);
        if let Some(transfer) = bundle.transfer() {
            transfer.next = 1; // what follows the packet that the link has is the bundle's beginning
        }
        self.tell(key, News::Expired);
        if is_away {
            self.seek(key);
        } else {
            self.start_timer(key); // it runs while the bundle is handed over
        }
    }
}
