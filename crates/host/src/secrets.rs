//! Numbers that strangers cannot guess and connections can rely on.
//!
//! Spec      RFC 6528 §3 (initial sequence numbers), RFC 7323 §5.4 (timestamp offsets), RFC 6056 §3.3.3 (ports)
//! Deviates  SipHash-2-4 instead of MD5
//! Holds     every purpose has a hash of its own: knowing the numbers of one tells nothing about another's

use std::hash::Hasher;

use hopwright_machine::{Address, Time};
use hopwright_wire::tcp::Seq;
use siphasher::sip::SipHasher24;

use crate::identity::{Endpoint, Tuple};

/// The ephemeral ports (RFC 6335 §6).
const EPHEMERAL: std::ops::RangeInclusive<u16> = 49_152..=65_535;

/// One tick of the clock of initial sequence numbers (RFC 9293 §3.4.1).
const ISN_TICK_NS: u64 = 4_000;

/// See the file's header.
#[derive(Debug)]
pub(crate) struct Secrets {
    key: [u8; 16],
    /// Grows with every port given out.
    next_port: u32,
}

/// What a hash is for.
#[derive(Clone, Copy)]
pub(crate) enum Use {
    Isn,
    Timestamp,
    Port,
    Cookie,
    /// With the count of minutes when the cookie is made, and the client's initial sequence number.
    DatedCookie(u8, Seq),
    /// Which of the bounds on answers a source has, for each kind of answer; and how large one is.
    LimitPlace(u8),
    LimitDrawn(u8),
    Identification,
}

impl Secrets {
    pub(crate) const fn new(key: [u8; 16]) -> Self {
        Self { key, next_port: 0 }
    }

    /// The initial sequence number of a connection that opens now: a later one of the same four-tuple is larger.
    pub(crate) fn isn(&self, now: Time, tuple: &Tuple) -> Seq {
        Seq(self.hash(Use::Isn, tuple) as u32) + (now.as_nanos() / ISN_TICK_NS) as u32
    }

    /// The same for every connection of a four-tuple, so that timestamps never go back.
    pub(crate) fn timestamp_offset(&self, tuple: &Tuple) -> u32 {
        self.hash(Use::Timestamp, tuple) as u32
    }

    /// The first ephemeral port from a start that depends on the peer that `is_free` likes.
    pub(crate) fn port(&mut self, remote: Endpoint, is_free: impl Fn(u16) -> bool) -> Option<u16> {
        let count = u32::from(EPHEMERAL.end() - EPHEMERAL.start()) + 1;
        let offset = self.hash(Use::Port, &Tuple { local_port: 0, remote }) as u32;
        for _ in 0..count {
            let port = EPHEMERAL.start() + (offset.wrapping_add(self.next_port) % count) as u16;
            self.next_port = self.next_port.wrapping_add(1);
            if is_free(port) {
                return Some(port);
            }
        }
        None
    }

    pub(crate) fn hash(&self, purpose: Use, tuple: &Tuple) -> u64 {
        let Tuple { local_port, remote } = *tuple;
        self.hash_of(purpose, remote.address, u64::from(remote.port) << 16 | u64::from(local_port))
    }

    pub(crate) fn hash_of(&self, purpose: Use, address: Address, number: u64) -> u64 {
        let (purpose, minute, theirs) = match purpose {
            Use::Isn => (0, 0, Seq(0)),
            Use::Timestamp => (1, 0, Seq(0)),
            Use::Port => (2, 0, Seq(0)),
            Use::Cookie => (3, 0, Seq(0)),
            Use::DatedCookie(minute, theirs) => (4, minute, theirs),
            Use::LimitPlace(kind) => (5, kind, Seq(0)),
            Use::LimitDrawn(kind) => (6, kind, Seq(0)),
            Use::Identification => (7, 0, Seq(0)),
        };
        let mut hasher = SipHasher24::new_with_key(&self.key);
        hasher.write(&address.0.to_be_bytes());
        hasher.write(&number.to_be_bytes());
        hasher.write(&[purpose, minute]);
        hasher.write(&theirs.0.to_be_bytes());
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::Duration;

    use super::*;

    const PEER: Endpoint = Endpoint { address: Address(0x0a00_0001), port: 80 };

    #[test]
    fn numbers_of_one_connection_grow_and_of_another_are_elsewhere() {
        let secrets = Secrets::new([7; 16]);
        let (a, b) = (Tuple { local_port: 1, remote: PEER }, Tuple { local_port: 2, remote: PEER });
        let later = Time::ZERO + Duration::from_micros(40);
        assert_eq!(secrets.isn(later, &a), secrets.isn(Time::ZERO, &a) + 10);
        assert_ne!(secrets.isn(Time::ZERO, &a), secrets.isn(Time::ZERO, &b));
        assert_ne!(secrets.isn(Time::ZERO, &a).0, secrets.timestamp_offset(&a));
        assert_ne!(secrets.isn(Time::ZERO, &a), Secrets::new([8; 16]).isn(Time::ZERO, &a));
    }

    #[test]
    fn every_port_is_found_and_none_twice() {
        let mut secrets = Secrets::new([7; 16]);
        let mut taken = std::collections::BTreeSet::new();
        while let Some(port) = secrets.port(PEER, |p| !taken.contains(&p)) {
            assert!(EPHEMERAL.contains(&port) && taken.insert(port));
            if taken.len() % 4096 == 0 {
                secrets = Secrets::new([taken.len() as u8; 16]);
            }
        }
        assert_eq!(taken.len(), EPHEMERAL.count());
    }
}
