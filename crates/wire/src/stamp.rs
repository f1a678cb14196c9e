//! What stations write on the packets that pass through them, for transports that read it.
//!
//! Spec      Hamadani and Rakocevic §IV a (contention delay); Sundaresan et al. 2003 §4.1 (the delay that ATP's packets
//!           carry)
//! Deviates  decided here: numbers of 4 bytes, in microseconds, that stop at their largest. How many bytes of the air they
//!           take is the business of whoever has them written
//! Holds     a packet that carries none costs four bytes a place

use hopwright_machine::Duration;

/// What a number on a packet says of its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fact {
    /// For how long it stood at the head of queues before it was sent: the sum over its hops.
    Contention,
    /// How long packets take through the slowest station on its way, queue and head of the queue together, averaged there
    /// over all flows.
    LargestDelay,
}

impl Fact {
    /// Where packets carry it.
    #[must_use]
    pub const fn place(self) -> usize {
        self as usize
    }
}

/// Numbers that a run's stations write, at most: there are two facts.
pub const PLACES: usize = 2;

/// The numbers on a packet, microseconds, each in its fact's place; all of them zero at its source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stamps([u32; PLACES]);

impl Stamps {
    /// No station has written anything.
    pub const NONE: Self = Self([0; PLACES]);

    /// The number in a place, microseconds.
    ///
    /// # Panics
    /// If there is no such place.
    #[must_use]
    pub const fn us(&self, place: usize) -> u32 {
        self.0[place]
    }

    /// The number that says this.
    #[must_use]
    pub fn delay(&self, fact: Fact) -> Duration {
        Duration::from_micros(u64::from(self.us(fact.place())))
    }

    /// Adds to the number in a place.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn add(&mut self, place: usize, delay: Duration) {
        self.0[place] = self.0[place].saturating_add(us(delay));
    }

    /// Raises the number in a place to at least this.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn raise(&mut self, place: usize, delay: Duration) {
        self.0[place] = self.0[place].max(us(delay));
    }
}

fn us(delay: Duration) -> u32 {
    u32::try_from(delay.as_nanos() / 1000).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_add_up_or_the_largest_stays_and_none_goes_round() {
        let mut stamps = Stamps::NONE;
        assert_eq!(stamps.us(1), 0);
        for ms in [20, 30, 25] {
            stamps.add(0, Duration::from_millis(ms));
            stamps.raise(1, Duration::from_millis(ms));
        }
        assert_eq!([0, 1].map(|place| stamps.us(place)), [75_000, 30_000]);
        stamps.add(0, Duration::from_secs_f64(5000.0));
        assert_eq!(stamps.us(0), u32::MAX);
    }
}
