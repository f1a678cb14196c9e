//! The network of a scenario over time, without a run: who is linked to whom, and who can reach whom.

use hopwright_machine::{NodeId, Time};
use hopwright_mobility::connectivity::{Connectivity, connectivity};
use hopwright_mobility::links::{Contact, contacts};
use hopwright_mobility::{bonnmotion, ns2, outages};
use hopwright_sim::interference::{Frames as FramesOf, Link as Of, interference};
use serde::Serialize;

use crate::error::ScenarioErrors;
use crate::loader::Loaded;
use crate::model::{Fading, Shadowing};

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

/// Whose frames could be received at once, at one time: see `hopwright_sim::interference`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Interference {
    /// The key that leaves to chance what is received, so that the rest says little.
    pub varies: Option<&'static str>,
    /// By node: whom it notices.
    pub hears: Vec<Vec<u32>>,
    /// Over which frames can be received.
    pub links: Vec<Link>,
    /// The frames of each flow.
    pub flows: Vec<Frames>,
}

/// See `hopwright_sim::interference::Link`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Link {
    /// Who sends.
    pub from: u32,
    /// Who receives.
    pub to: u32,
    /// Whose frames at the same time let nothing be received.
    pub spoilt_by: Vec<u32>,
}

/// See `hopwright_sim::interference::Frames`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Frames {
    /// The sending node.
    pub from: u32,
    /// The receiving node.
    pub to: u32,
    /// Bytes of application data in a full packet.
    pub payload_bytes: u32,
    /// Air time of its RTS and data frame, seconds.
    pub data_s: f64,
    /// Air time of its CTS and acknowledgement, seconds.
    pub answers_s: f64,
    /// The whole exchange, seconds.
    pub exchange_s: f64,
    /// What is to be sent, kb/s; `None`: as much as the network takes.
    pub demand_kbps: Option<f64>,
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
        self.needs_medium()?;
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

    /// Whose frames could be received at once with a seed, `at_s` seconds after the start.
    ///
    /// # Errors
    ///
    /// As `setup`.
    pub fn interference(&self, seed: u64, at_s: f64) -> Result<Interference, ScenarioErrors> {
        self.needs_medium()?;
        let found = interference(&self.setup(seed)?, seed, Time::from_secs_f64(at_s));
        let numbers = |nodes: &[NodeId]| nodes.iter().map(|node| node.0).collect();
        let radio = &self.scenario.radio;
        let varies = [
            ("radio.fading", radio.fading != Fading::None),
            ("radio.shadowing", radio.shadowing == Shadowing::Frame),
            ("radio.bit_errors", radio.bit_errors),
        ];
        let link = |link: &Of| Link { from: link.from.0, to: link.to.0, spoilt_by: numbers(&link.spoilt_by) };
        let frames = |of: &FramesOf| Frames {
            from: of.from.0,
            to: of.to.0,
            payload_bytes: of.payload_bytes,
            data_s: of.data.as_secs_f64(),
            answers_s: of.answers.as_secs_f64(),
            exchange_s: of.exchange.as_secs_f64(),
            demand_kbps: of.demand_bps.map(|bps| bps / 1e3),
        };
        Ok(Interference {
            varies: varies.into_iter().find_map(|(key, is_so)| is_so.then_some(key)),
            hears: found.hears.iter().map(|heard| numbers(heard)).collect(),
            links: found.links.iter().map(link).collect(),
            flows: found.flows.iter().map(frames).collect(),
        })
    }

    /// The nodes' ways with a seed, in a format that other programs read. Events but moves are not in it.
    ///
    /// # Errors
    ///
    /// As `setup`.
    pub fn movement_as(&self, seed: u64, format: Format) -> Result<String, ScenarioErrors> {
        self.needs_medium()?;
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
