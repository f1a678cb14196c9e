//! The structures that programs in C share with this one, field by field in the machine's own byte order.

/// Reads numbers from the front of some bytes; zeros where they end.
#[derive(Debug)]
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }

    pub(crate) fn u32(&mut self) -> u32 {
        self.bytes(4).try_into().map_or(0, u32::from_ne_bytes)
    }

    pub(crate) fn u64(&mut self) -> u64 {
        self.bytes(8).try_into().map_or(0, u64::from_ne_bytes)
    }
}
