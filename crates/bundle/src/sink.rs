//! The destination of a connection: bundles that are whole, in their order, each once.

use std::collections::BTreeMap;

/// What the destination of one connection knows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sink {
    /// The bundle that is to be delivered next.
    next: u32,
    /// The bytes of later ones that are whole already.
    early: BTreeMap<u32, u64>,
}

impl Sink {
    /// Whether it has this bundle.
    pub(crate) fn has(&self, bundle: u32) -> bool {
        bundle < self.next || self.early.contains_key(&bundle)
    }

    /// A bundle is whole that it did not have; returns the bytes that can be delivered now.
    pub(crate) fn take(&mut self, bundle: u32, bytes: u64) -> u64 {
        self.early.insert(bundle, bytes);
        let mut delivered = 0;
        while let Some(bytes) = self.early.remove(&self.next) {
            delivered += bytes;
            self.next += 1;
        }
        delivered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundles_are_delivered_in_order_and_once() {
        let mut sink = Sink::default();
        assert_eq!(sink.take(1, 20), 0);
        assert!(sink.has(1) && !sink.has(0));
        assert_eq!(sink.take(0, 10), 30);
        assert!(sink.has(0) && sink.has(1) && !sink.has(2));
        assert_eq!(sink.take(2, 5), 5);
    }
}
