//! What the nodes of a run write on packets that pass: a machine beside each station for each fact that somebody reads.

pub mod contention;
pub mod delay;

use std::sync::Arc;

use hopwright_link::{self as link, Stamper};
use hopwright_wire::Packet;
use hopwright_wire::stamp::Fact;

/// What stations write, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stamp {
    /// [`Fact::Contention`].
    Contention(contention::Until),
    /// [`Fact::LargestDelay`].
    Delay(delay::Config),
}

impl Stamp {
    /// What it says.
    #[must_use]
    pub const fn fact(&self) -> Fact {
        match self {
            Self::Contention(_) => Fact::Contention,
            Self::Delay(_) => Fact::LargestDelay,
        }
    }

    /// Whether its machines are told when data are heard (`Stamper::hears`).
    pub(crate) const fn hears(&self) -> bool {
        matches!(self, Self::Delay(_))
    }

    /// The machine of one node.
    fn stamper(&self, mac: &Arc<link::Config>) -> Box<dyn Stamper<Packet>> {
        let place = self.fact().place();
        match *self {
            Self::Contention(until) => Box::new(contention::Contention::new(until, place)),
            Self::Delay(config) => Box::new(delay::Delay::new(config, place, Arc::clone(mac))),
        }
    }
}

/// The machines of one node.
pub(crate) fn stampers(stamps: &[Stamp], mac: &Arc<link::Config>) -> Vec<Box<dyn Stamper<Packet>>> {
    stamps.iter().map(|stamp| stamp.stamper(mac)).collect()
}

/// Where packets carry a fact, if stations write it.
pub(crate) fn place_of(stamps: &[Stamp], fact: Fact) -> Option<usize> {
    stamps.iter().any(|stamp| stamp.fact() == fact).then_some(fact.place())
}
