//! What each remote address has of the host.
//!
//! Spec      RFC 4987 §3 (bounds against floods)
//! Deviates  nothing
//! Holds     an address without connections takes no memory here; the total is the sum of the shares

use std::collections::BTreeMap;

use hopwright_machine::Address;

/// What one address has.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Share {
    /// Entries of the table.
    pub(crate) entries: usize,
    /// Of those, connections that are not in TIME-WAIT.
    pub(crate) connections: usize,
    /// Of those, half-open ones.
    pub(crate) half_open: usize,
    /// Memory that their buffers take, in bytes.
    pub(crate) buffered: u64,
    /// The port after the last of them that was looked at for one to displace.
    pub(crate) looked_at: u16,
}

/// See the file's header.
#[derive(Debug, Default)]
pub(crate) struct Shares {
    of: BTreeMap<Address, Share>,
    /// Memory that all buffers take, in bytes.
    pub(crate) buffered: u64,
}

impl Shares {
    pub(crate) fn of(&self, address: Address) -> Share {
        self.of.get(&address).copied().unwrap_or_default()
    }

    /// Changes the share of an address, and forgets it once nothing is left of it.
    pub(crate) fn change(&mut self, address: Address, change: impl FnOnce(&mut Share)) {
        let share = self.of.entry(address).or_default();
        let before = share.buffered;
        change(share);
        self.buffered = self.buffered - before + share.buffered;
        if share.entries == 0 {
            self.of.remove(&address);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_vanish() {
        let (a, b) = (Address(1), Address(2));
        let mut shares = Shares::default();
        for address in [a, b, b] {
            shares.change(address, |share| (share.entries, share.buffered) = (share.entries + 1, share.buffered + 10));
        }
        assert_eq!((shares.buffered, shares.of(a).buffered, shares.of(b).buffered), (30, 10, 20));
        shares.change(b, |share| share.buffered = 5);
        assert_eq!((shares.buffered, shares.of.len()), (15, 2));
        for address in [a, b] {
            shares.change(address, |share| *share = Share::default());
        }
        assert_eq!((shares.buffered, shares.of.len()), (0, 0));
    }
}
