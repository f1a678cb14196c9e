//! The source of a connection: what the application writes is cut into bundles.
//!
//! Spec      Velayutham 2005 §6.1, §6.4.4
//! Deviates  nothing
//! Holds     bundles are full but for the last one

use hopwright_machine::Address;

use crate::config::Config;
use crate::timer::Timer;

/// How large a bundle is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Packets, at least 1.
    pub(crate) packets: u16,
    /// Bytes of data in each but the last one.
    pub(crate) full_bytes: u32,
    /// Bytes of data in the last one.
    pub(crate) tail_bytes: u32,
    /// Whether the connection's data end with it.
    pub(crate) is_last: bool,
}

impl Shape {
    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.full_bytes) * u64::from(self.packets - 1) + u64::from(self.tail_bytes)
    }

    /// Bytes of data in a packet.
    pub(crate) const fn bytes_of(&self, number: u16) -> u32 {
        if number == self.packets { self.tail_bytes } else { self.full_bytes }
    }
}

/// What the source of one connection knows.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) destination: Address,
    /// Bytes written and in no bundle yet.
    written: u64,
    is_closed: bool,
    /// The number of the next bundle.
    pub(crate) next: u32,
    pub(crate) timer: Timer,
}

impl Source {
    pub(crate) fn new(destination: Address, config: &Config) -> Self {
        let timer = Timer::new(config.initial_timer, config.max_timer);
        Self { destination, written: 0, is_closed: false, next: 0, timer }
    }

    pub(crate) fn write(&mut self, bytes: u64) {
        self.written += bytes;
    }

    pub(crate) fn close(&mut self) {
        self.is_closed = true;
    }

    /// Whether there is enough for a bundle.
    pub(crate) fn has_bundle(&self, config: &Config) -> bool {
        let full = u64::from(config.bundle_packets) * u64::from(config.payload_bytes);
        self.written >= full || (self.is_closed && self.written > 0)
    }

    /// The next bundle; there is enough for one.
    pub(crate) fn cut(&mut self, config: &Config) -> (u32, Shape) {
        let full_bytes = config.payload_bytes;
        let most = u64::from(config.bundle_packets) * u64::from(full_bytes);
        let bytes = self.written.min(most);
        self.written -= bytes;
        let packets = bytes.div_ceil(u64::from(full_bytes)) as u16;
        let tail_bytes = (bytes - u64::from(packets - 1) * u64::from(full_bytes)) as u32;
        let is_last = self.is_closed && self.written == 0;
        let number = self.next;
        self.next += 1;
        (number, Shape { packets, full_bytes, tail_bytes, is_last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vector N1 of the specification.
    #[test]
    fn n1_a_file_is_cut_into_bundles() {
        let config = Config::default();
        let mut source = Source::new(Address(9), &config);
        source.write(2500 * 512);
        source.close();
        let mut cut = Vec::new();
        while source.has_bundle(&config) {
            let (number, shape) = source.cut(&config);
            cut.push((number, shape.packets, shape.is_last));
        }
        assert_eq!(cut, [(0, 1000, false), (1, 1000, false), (2, 500, true)]);
    }

    #[test]
    fn the_last_packet_may_be_short_and_none_is_empty() {
        let config = Config { bundle_packets: 3, payload_bytes: 100, ..Config::default() };
        for (bytes, shapes) in [(1, &[(1, 1)][..]), (300, &[(3, 100)]), (301, &[(3, 100), (1, 1)]), (250, &[(3, 50)])] {
            let mut source = Source::new(Address(9), &config);
            source.write(bytes);
            assert_eq!(source.has_bundle(&config), bytes >= 300, "an open connection may write more");
            source.close();
            let mut sum = 0;
            for &(packets, tail_bytes) in shapes {
                let (_, shape) = source.cut(&config);
                assert_eq!((shape.packets, shape.tail_bytes), (packets, tail_bytes));
                sum += shape.bytes();
            }
            assert_eq!((sum, source.has_bundle(&config)), (bytes, false));
        }
    }
}
