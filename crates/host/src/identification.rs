//! Numbers of packets that routers may fragment.
//!
//! Spec      RFC 6864 §4.1 (none repeats while fragments of the last may be about), RFC 7739 §5.2 (a counter for each
//!           destination, with a start nobody can guess)
//! Deviates  they repeat after 65,536 packets, whatever time that took (RFC 6864 §4.3): TCP's checksum tells
//! Holds     nobody learns from the numbers sent to him how much is sent to others; memory stays bounded

use std::collections::BTreeMap;

use hopwright_machine::Address;

use crate::secrets::{Secrets, Use};

/// Destinations remembered. Beyond, all are forgotten and start elsewhere.
const MOST: usize = 65_536;

/// See the file's header.
#[derive(Debug, Default)]
pub(crate) struct Identifications {
    next: BTreeMap<Address, u16>,
    /// How often all were forgotten.
    epoch: u64,
}

impl Identifications {
    /// The first of so many numbers in a row.
    pub(crate) fn take(&mut self, destination: Address, count: u32, secrets: &Secrets) -> u16 {
        if self.next.len() >= MOST && !self.next.contains_key(&destination) {
            self.next.clear();
            self.epoch += 1;
        }
        let start = || secrets.hash_of(Use::Identification, destination, self.epoch) as u16;
        let next = self.next.entry(destination).or_insert_with(start);
        let first = *next;
        *next = first.wrapping_add(count as u16);
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_destination_has_a_count_of_its_own() {
        let secrets = Secrets::new([3; 16]);
        let mut numbers = Identifications::default();
        let (a, b) = (Address(0x0a00_0001), Address(0x0a00_0002));
        let first = numbers.take(a, 3, &secrets);
        let other = numbers.take(b, 1, &secrets);
        assert_eq!(numbers.take(a, 1, &secrets), first.wrapping_add(3));
        assert_eq!(numbers.take(b, 1, &secrets), other.wrapping_add(1));
        assert_ne!(first.wrapping_add(4), other);
    }

    #[test]
    fn forgetting_bounds_memory_and_starts_elsewhere() {
        let secrets = Secrets::new([3; 16]);
        let mut numbers = Identifications::default();
        let first = numbers.take(Address(0), 0, &secrets);
        for n in 1..=MOST as u32 {
            numbers.take(Address(n), 1, &secrets);
            assert!(numbers.next.len() <= MOST);
        }
        assert_ne!(numbers.take(Address(0), 1, &secrets), first);
    }
}
