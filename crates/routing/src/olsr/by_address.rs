//! What a node knows of every other, found by its address.
//!
//! Every flooded message is looked up, most of them several times over; a tree of single addresses costs more the larger
//! the network. Addresses of one network lie close together, so a tree of pages of them is a small one.
//!
//! Spec      none: a data structure
//! Deviates  nothing
//! Holds     addresses far apart cost a page each, never the space between them

use std::collections::BTreeMap;

use hopwright_machine::Address;

/// Addresses per page, a power of two.
const PAGE: u32 = 64;

/// One value for each address, at first the default.
#[derive(Debug, Default)]
pub(super) struct ByAddress<T> {
    /// By the addresses' high bits.
    pages: BTreeMap<u32, Box<[T]>>,
}

impl<T: Default> ByAddress<T> {
    pub(super) fn get(&self, address: Address) -> Option<&T> {
        self.pages.get(&(address.0 / PAGE)).map(|page| &page[(address.0 % PAGE) as usize])
    }

    pub(super) fn get_mut(&mut self, address: Address) -> &mut T {
        let page = self.pages.entry(address.0 / PAGE);
        let page = page.or_insert_with(|| (0..PAGE).map(|_| T::default()).collect());
        &mut page[(address.0 % PAGE) as usize]
    }

    /// The values of all addresses whose pages exist.
    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.pages.values_mut().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_has_its_own_value() {
        let mut names = ByAddress::default();
        let addresses = [0, 1, PAGE - 1, PAGE, PAGE + 1, 0x0a00_0001, u32::MAX - 1, u32::MAX];
        assert_eq!(names.get(Address(5)), None);
        for address in addresses {
            *names.get_mut(Address(address)) = address.to_string();
        }
        for address in addresses {
            assert_eq!(names.get(Address(address)), Some(&address.to_string()));
        }
        assert_eq!(names.get(Address(5)), Some(&String::new()), "the default");
        assert_eq!(names.values_mut().filter(|name| !name.is_empty()).count(), addresses.len());
        assert_eq!(names.pages.len(), 4);
    }
}
