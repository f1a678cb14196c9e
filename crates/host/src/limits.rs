//! A bound on how often something is done for strangers.
//!
//! Spec      RFC 1812 §4.3.2.8 (a bound on what is sent in answer); against CVE-2016-5696: one bound for everybody
//!           tells whoever fills it whether others were answered meanwhile
//! Deviates  nothing
//! Holds     memory does not grow; sources share a bound only where their hashes meet, and nobody can tell how
//!           much of it is left, for each is drawn anew every second; never more than two bounds in any second

use hopwright_machine::{Address, Duration, Time};

use crate::secrets::{Secrets, Use};

const PLACES: usize = 256;
const INTERVAL: Duration = Duration::from_secs(1);

/// How often in an interval: so many times, and up to so many more.
const LEAST: u32 = 100;
const SPREAD: u32 = 100;

/// See the file's header.
#[derive(Debug)]
pub(crate) struct Limits {
    /// Which of a host's limits these are.
    kind: u8,
    places: Vec<Place>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    interval: u64,
    left: u32,
}

impl Limits {
    pub(crate) fn new(kind: u8) -> Self {
        Self { kind, places: vec![Place { interval: u64::MAX, left: 0 }; PLACES] }
    }

    /// Whether it may be done for this source once more.
    pub(crate) fn take(&mut self, now: Time, source: Address, secrets: &Secrets) -> bool {
        let index = secrets.hash_of(Use::LimitPlace(self.kind), source, 0) as usize % PLACES;
        let interval = now.since(Time::ZERO).whole(INTERVAL);
        let place = &mut self.places[index];
        if place.interval != interval {
            let drawn = secrets.hash_of(Use::LimitDrawn(self.kind), Address(index as u32), interval);
            *place = Place { interval, left: LEAST + (drawn % u64::from(SPREAD)) as u32 };
        }
        let has_one = place.left > 0;
        place.left -= u32::from(has_one);
        has_one
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Address = Address(0x0a00_0001);
    const B: Address = Address(0x0a00_0002);

    fn passed(limits: &mut Limits, source: Address, second: u64) -> u32 {
        let now = Time::ZERO + INTERVAL * second;
        let secrets = Secrets::new([3; 16]);
        (0..1000).filter(|_| limits.take(now, source, &secrets)).count() as u32
    }

    #[test]
    fn bounds_are_drawn_for_each_interval() {
        let mut limits = Limits::new(0);
        let drawn: Vec<u32> = (0..20).map(|second| passed(&mut limits, A, second)).collect();
        assert!(drawn.iter().all(|n| (LEAST..LEAST + SPREAD).contains(n)), "{drawn:?}");
        assert!(drawn.windows(2).filter(|pair| pair[0] != pair[1]).count() > 15, "{drawn:?}");
    }

    #[test]
    fn who_uses_up_a_bound_uses_up_nobody_elses() {
        let mut limits = Limits::new(0);
        let (alone, beside) =
            (passed(&mut Limits::new(0), B, 0), (passed(&mut limits, A, 0), passed(&mut limits, B, 0)));
        assert_eq!(beside.1, alone);
    }
}
