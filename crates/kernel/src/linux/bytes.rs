//! The structures that programs in C share with this one, field by field in the machine's own byte order.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

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

/// The address in sixteen bytes, of a socket of this family (linux/socket.h).
pub(crate) fn address(bytes: &[u8], family: u32) -> IpAddr {
    let bytes: [u8; 16] = bytes.try_into().unwrap_or_default();
    if family == 10 {
        return Ipv6Addr::from(bytes).to_canonical();
    }
    Ipv4Addr::new(bytes[0], bytes[1], bytes[2], bytes[3]).into()
}
