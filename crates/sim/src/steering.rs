//! What is done to the network of a run from outside while it goes on: nodes are moved and switched, links become others,
//! the run ends early.
//!
//! Spec      as `simulation`: it takes effect at once, when everything due up to now has happened
//! Holds     the same things done at the same times give the same results; a run that ends early has the results of one
//!           whose end was planned for that time

use std::fmt;

use hopwright_machine::NodeId;
use hopwright_mobility::Position;

use crate::setup::{Backward, LinkChange, TwoWays};
use crate::simulation::Simulation;

/// Why the network cannot be changed like this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsteerable {
    /// Nodes are joined by links: they are nowhere, and always up.
    NoMedium,
    /// Nodes share a medium: there are no links.
    NoLinks,
    /// The ways of a link go together as before: separate, shared or one way.
    Directions,
}

impl fmt::Display for Unsteerable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoMedium => "nodes are joined by links: they cannot be moved or switched",
            Self::NoLinks => "nodes share a medium: there are no links that could change",
            Self::Directions => "a link's directions stay as they are: separate, shared or one way",
        })
    }
}

impl std::error::Error for Unsteerable {}

impl Simulation<'_> {
    /// A node is at `place` for all that comes after what happens now, and stays there.
    ///
    /// # Errors
    /// If there is no medium.
    ///
    /// # Panics
    /// If there is no such node, or the run was begun without [`crate::Options::steered`].
    pub fn place(&mut self, node: NodeId, place: Position) -> Result<(), Unsteerable> {
        self.needs_medium()?;
        let now = self.now();
        self.setup.to_mut().nodes[node.index()].place_at(now, place);
        self.moved(node);
        Ok(())
    }

    /// A node sets out for `place`, and stays there when it arrives.
    ///
    /// # Errors
    /// If there is no medium.
    ///
    /// # Panics
    /// As `place`, and if the speed is negative or no number.
    pub fn travel(&mut self, node: NodeId, place: Position, speed_mps: f64) -> Result<(), Unsteerable> {
        self.needs_medium()?;
        let now = self.now();
        self.setup.to_mut().nodes[node.index()].travel_to(now, place, speed_mps);
        self.moved(node);
        Ok(())
    }

    /// A node comes up or goes down, if it is not so already.
    ///
    /// # Errors
    /// If there is no medium.
    ///
    /// # Panics
    /// As `place`.
    pub fn switch(&mut self, node: NodeId, up: bool) -> Result<(), Unsteerable> {
        self.needs_medium()?;
        assert!(node.index() < self.setup.nodes.len(), "there is no node {node}");
        self.arrive();
        self.run.switch(node, up);
        self.arrive();
        Ok(())
    }

    /// A link becomes another one; the time of `change` is now.
    ///
    /// # Errors
    /// If there are no links, or its directions would go together in another way.
    ///
    /// # Panics
    /// If there is no such link.
    pub fn reshape(&mut self, link: usize, change: &LinkChange) -> Result<(), Unsteerable> {
        let Some(shaped) = self.setup.links.get(link) else {
            assert!(self.setup.links.is_empty(), "there is no link {link}");
            return Err(Unsteerable::NoLinks);
        };
        let kind = |ways: &TwoWays| match ways.backward {
            Backward::Never => 0,
            Backward::Shared => 1,
            Backward::Own(_) => 2,
        };
        if kind(&shaped.shape) != kind(&change.shape) {
            return Err(Unsteerable::Directions);
        }
        self.arrive();
        self.run.reshape(link, change);
        self.arrive();
        Ok(())
    }

    /// The run ends now: what was planned for later does not happen.
    pub fn stop(&mut self) {
        self.arrive();
        let now = self.now();
        let setup = self.setup.to_mut();
        (setup.end, setup.warm_up) = (now, setup.warm_up.min(now));
        self.run.stop(now);
    }

    fn needs_medium(&self) -> Result<(), Unsteerable> {
        if self.setup.links.is_empty() { Ok(()) } else { Err(Unsteerable::NoMedium) }
    }

    fn moved(&mut self, node: NodeId) {
        self.arrive();
        self.run.moved(node, &self.setup.nodes[node.index()]);
    }
}
