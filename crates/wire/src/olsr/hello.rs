//! The HELLO message.
//!
//! Spec      RFC 3626 §6.1, §6.1.1 (link codes), §18.5 to §18.7
//! Deviates  nothing
//! Holds     a code that the RFC calls invalid has no types

use hopwright_machine::Address;

use super::TimeCode;

/// A HELLO message (§6.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The time between HELLOs of this interface (Htime).
    pub interval: TimeCode,
    /// How willing the node is to carry packets of others, 0 (never) to 7 (always).
    pub willingness: u8,
    /// Neighbours, in groups of one link code.
    pub links: Vec<LinkMessage>,
}

/// Neighbour interfaces to which this node's link is in one state (§6.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkMessage {
    /// The state.
    pub code: LinkCode,
    /// Addresses of the neighbours' interfaces.
    pub neighbours: Vec<Address>,
}

impl Hello {
    /// Length in bytes, without the message's header.
    #[must_use]
    pub fn bytes(&self) -> u32 {
        4 + self.links.iter().map(|group| 4 + 4 * group.neighbours.len() as u32).sum::<u32>()
    }
}

/// State of a link and of the neighbour behind it in one byte (§6.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkCode(pub u8);

/// State of a link (§18.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum LinkType {
    /// Nothing is said about it.
    Unspecified = 0,
    /// The neighbour is heard; whether it hears us is not known.
    Asymmetric = 1,
    /// Both hear each other.
    Symmetric = 2,
    /// Lost.
    Lost = 3,
}

/// State of a neighbour (§18.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum NeighbourType {
    /// Not a symmetric neighbour, or no longer.
    Not = 0,
    /// At least one symmetric link.
    Symmetric = 1,
    /// Symmetric, and chosen as multipoint relay by the sender.
    Mpr = 2,
}

impl LinkCode {
    /// The code of a link in this state to a neighbour in that one.
    #[must_use]
    pub const fn new(link: LinkType, neighbour: NeighbourType) -> Self {
        Self((neighbour as u8) << 2 | link as u8)
    }

    /// What the code says; nothing if it is invalid: a value above 15, an unknown neighbour type, or a symmetric
    /// link to no neighbour.
    #[must_use]
    pub const fn types(self) -> Option<(LinkType, NeighbourType)> {
        let link = match self.0 & 3 {
            0 => LinkType::Unspecified,
            1 => LinkType::Asymmetric,
            2 => LinkType::Symmetric,
            _ => LinkType::Lost,
        };
        let neighbour = match self.0 >> 2 {
            0 => NeighbourType::Not,
            1 => NeighbourType::Symmetric,
            2 => NeighbourType::Mpr,
            _ => return None,
        };
        match (link, neighbour) {
            (LinkType::Symmetric, NeighbourType::Not) => None,
            types => Some(types),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_put_together_as_in_section_6_1_1() {
        assert_eq!(LinkCode::new(LinkType::Symmetric, NeighbourType::Mpr), LinkCode(0b1010));
        assert_eq!(LinkCode::new(LinkType::Lost, NeighbourType::Not), LinkCode(0b0011));
        let valid: Vec<u8> = (0..=255).filter(|&code| LinkCode(code).types().is_some()).collect();
        assert_eq!(valid, [0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
        for code in valid {
            let (link, neighbour) = LinkCode(code).types().expect("a valid code");
            assert_eq!(LinkCode::new(link, neighbour), LinkCode(code));
        }
    }
}
