//! The network of a scenario over time, without a run: who is linked to whom, and who can reach whom.

use hopwright_machine::Time;
use hopwright_mobility::connectivity::{Connectivity, connectivity};
use hopwright_mobility::links::{Contact, contacts};
use hopwright_mobility::{bonnmotion, ns2, outages};
use serde::Serialize;

use crate::error::ScenarioErrors;
use crate::loader::Loaded;

/// The network over time. Lists of one table have the same length.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Topology {
    /// How many nodes there are.
    pub nodes: usize,
    /// How far a frame can be received, metres.
    pub range_m: f64,
    /// When the run ends, seconds.
    pub end_s: f64,
    /// The network at many instants.
    pub snapshots: Snapshots,
    /// How many pairs were n + 1 hops apart, summed over all instants.
    pub hops: Vec<u64>,
    /// Pairs that a path joined at some instant.
    pub pairs: Pairs,
    /// Links, from when to when.
    pub contacts: Contacts,
}

/// See `connectivity::Snapshot`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Snapshots {
    /// When, seconds.
    pub time_s: Vec<f64>,
    /// Nodes that are up.
    pub up: Vec<u32>,
    /// Links.
    pub links: Vec<u32>,
    /// Partitions.
    pub partitions: Vec<u32>,
    /// Nodes in the largest partition.
    pub largest: Vec<u32>,
    /// Pairs that a path joins.
    pub joined: Vec<u32>,
}

/// See `connectivity::Pair`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Pairs {
    /// The lower node.
    pub a: Vec<u32>,
    /// The higher one.
    pub b: Vec<u32>,
    /// Mean length of the shortest path, hops.
    pub mean_hops: Vec<f64>,
    /// At how many instants there was a path.
    pub joined: Vec<u32>,
}

/// See `links::Contact`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Contacts {
    /// The lower node.
    pub a: Vec<u32>,
    /// The higher one.
    pub b: Vec<u32>,
    /// When the link comes up, seconds; 0 if it is there from the start.
    pub from_s: Vec<f64>,
    /// When it breaks, seconds; the end if it is there till then.
    pub until_s: Vec<f64>,
}

/// A format that movements are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// An ns-2 movement file.
    Ns2,
    /// BonnMotion's own format.
    BonnMotion,
}

impl Loaded {
    /// The network over the whole run with a seed, looked at every `step_s` seconds, which must be above zero.
    ///
    /// # Errors
    ///
    /// As `setup`.
    pub fn topology(&self, seed: u64, step_s: f64) -> Result<Topology, ScenarioErrors> {
        let setup = self.setup(seed)?;
        let range_m = self.reception_range_m();
        let end_s = self.scenario.run.duration_s;
        let steps = (end_s / step_s + 1e-9) as u64;
        let time_s: Vec<f64> = (0..=steps).map(|n| (n as f64 * step_s).min(end_s)).collect();
        let times: Vec<Time> = time_s.iter().map(|&s| Time::from_secs_f64(s)).collect();
        let outages = outages(&setup.switches, setup.nodes.len());
        let found = connectivity(&setup.nodes, &outages, range_m, &times);
        Ok(Topology {
            nodes: setup.nodes.len(),
            range_m,
            end_s,
            contacts: columns(&contacts(&setup.nodes, &outages, range_m, setup.end)),
            snapshots: snapshots(time_s, &found),
            pairs: pairs(&found),
            hops: found.hops,
        })
    }

    /// The nodes' ways with a seed, in a format that other programs read. Events but moves are not in it.
    ///
    /// # Errors
    ///
    /// As `setup`.
    pub fn movement_as(&self, seed: u64, format: Format) -> Result<String, ScenarioErrors> {
        let nodes = self.setup(seed)?.nodes;
        Ok(match format {
            Format::Ns2 => ns2::print(&nodes),
            Format::BonnMotion => bonnmotion::print(&nodes),
        })
    }
}

fn snapshots(time_s: Vec<f64>, found: &Connectivity) -> Snapshots {
    let mut columns = Snapshots { time_s, ..Snapshots::default() };
    for snapshot in &found.snapshots {
        columns.up.push(snapshot.up);
        columns.links.push(snapshot.links);
        columns.partitions.push(snapshot.partitions);
        columns.largest.push(snapshot.largest);
        columns.joined.push(snapshot.joined);
    }
    columns
}

fn pairs(found: &Connectivity) -> Pairs {
    let mut columns = Pairs::default();
    for pair in &found.pairs {
        columns.a.push(pair.a);
        columns.b.push(pair.b);
        columns.mean_hops.push(pair.mean_hops);
        columns.joined.push(pair.joined);
    }
    columns
}

fn columns(contacts: &[Contact]) -> Contacts {
    let mut columns = Contacts::default();
    for contact in contacts {
        columns.a.push(contact.a);
        columns.b.push(contact.b);
        columns.from_s.push(contact.from_s);
        columns.until_s.push(contact.until_s);
    }
    columns
}
