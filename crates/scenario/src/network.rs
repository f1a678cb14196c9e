//! Where the nodes of a scenario are at some times of a run, and which of them are down: what maps are drawn from.

use hopwright_machine::{Duration, NodeId, Time};
use hopwright_mobility::connectivity::hops_from;
use hopwright_mobility::{is_down, outages};
use hopwright_sim::reach;
use serde::Serialize;

use crate::error::ScenarioErrors;
use crate::loader::Loaded;

/// A run's nodes at some times. Lists over times have the same length.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Network {
    /// How far a frame can be received, metres.
    pub reception_range_m: f64,
    /// When the run ends, seconds.
    pub end_s: f64,
    /// Of the snapshots, seconds; the start alone if nothing ever changes.
    pub times_s: Vec<f64>,
    /// Of each snapshot: where each node is, metres.
    pub positions_m: Vec<Vec<(f64, f64)>>,
    /// The flows' ends: from, to.
    pub flows: Vec<(u32, u32)>,
    /// Whether any node is elsewhere in one of the run's equal parts than at the start.
    pub moves: bool,
    /// Of each snapshot: the nodes that are down then; empty if none ever goes down.
    pub down: Vec<Vec<u32>>,
}

impl Loaded {
    /// The nodes at the start, at the end and between `parts` equal parts of the run; or at `times_s`.
    ///
    /// Nodes are down by the scenario's events and where a movement file does not have them, or no longer.
    ///
    /// # Errors
    ///
    /// As `setup`.
    pub fn network(&self, seed: u64, parts: u32, times_s: Option<&[f64]>) -> Result<Network, ScenarioErrors> {
        self.needs_medium()?;
        let setup = self.setup(seed)?;
        let end_s = self.scenario.run.duration_s;
        // Whole nanoseconds: a part of the run, computed in seconds, may come to lie after its end.
        let end_ns = u128::from(setup.end.as_nanos());
        let at = |part| Time::from_nanos((end_ns * u128::from(part) / u128::from(parts)) as u64);
        let regular: Vec<Time> = (0..=parts).map(at).collect();
        let places = |now: Time| -> Vec<(f64, f64)> {
            setup.nodes.iter().map(|node| node.position(now)).map(|place| (place.x_m, place.y_m)).collect()
        };
        let start = places(Time::ZERO);
        let moves = regular.iter().any(|&now| places(now) != start);
        let outages = outages(&setup.switches, setup.nodes.len());
        let falls = outages.iter().any(|spans| spans.iter().any(|&(from, _)| from <= setup.end));
        let times: Vec<Time> = match times_s {
            _ if !(moves || falls) => vec![Time::ZERO],
            None => regular,
            Some(times_s) => times_s.iter().map(|&time_s| instant(time_s).min(setup.end)).collect(),
        };
        let down_at = |now: Time| {
            let nodes = outages.iter().enumerate();
            nodes.filter(|(_, spans)| is_down(spans, now)).map(|(node, _)| node as u32).collect()
        };
        Ok(Network {
            reception_range_m: self.reception_range_m(),
            end_s,
            times_s: times.iter().map(|now| now.as_secs_f64().min(end_s)).collect(),
            positions_m: times.iter().map(|&now| places(now)).collect(),
            flows: setup.flows.iter().map(|flow| (flow.from.0, flow.to.0)).collect(),
            moves,
            down: if falls { times.iter().map(|&now| down_at(now)).collect() } else { Vec::new() },
        })
    }

    /// For each of these times of the run where each node is, metres, with a seed.
    ///
    /// # Errors
    ///
    /// As `setup`.
    pub fn positions(&self, seed: u64, times_s: &[f64]) -> Result<Vec<Vec<(f64, f64)>>, ScenarioErrors> {
        self.needs_medium()?;
        let nodes = self.setup(seed)?.nodes;
        let at = |&time_s: &f64| {
            let now = instant(time_s);
            nodes.iter().map(|node| node.position(now)).map(|place| (place.x_m, place.y_m)).collect()
        };
        Ok(times_s.iter().map(at).collect())
    }

    /// For each of these times whether each node is up, with a seed. Where links join them, all are.
    ///
    /// # Errors
    ///
    /// As `setup`.
    pub fn up(&self, seed: u64, times_s: &[f64]) -> Result<Vec<Vec<bool>>, ScenarioErrors> {
        let setup = self.setup(seed)?;
        let outages = outages(&setup.switches, setup.nodes.len());
        let at = |&time_s: &f64| outages.iter().map(|spans| !is_down(spans, instant(time_s))).collect();
        Ok(times_s.iter().map(at).collect())
    }

    /// For each of these times whom each node reaches, with a seed: see `hopwright_sim::reach`.
    ///
    /// # Errors
    ///
    /// As `setup`.
    pub fn reached(&self, seed: u64, times_s: &[f64]) -> Result<Vec<Vec<Vec<usize>>>, ScenarioErrors> {
        let setup = self.setup(seed)?;
        let numbers = |nodes: Vec<NodeId>| nodes.into_iter().map(NodeId::index).collect();
        let at = |&time_s: &f64| reach(&setup, seed, instant(time_s)).into_iter().map(numbers).collect();
        Ok(times_s.iter().map(at).collect())
    }

    /// For each of these times the length of the shortest path from each node to each node, hops, with a seed; `None`
    /// where there is none.
    ///
    /// # Errors
    ///
    /// As `setup`.
    pub fn hops(&self, seed: u64, times_s: &[f64]) -> Result<Vec<Vec<Option<u32>>>, ScenarioErrors> {
        let from_each = |near: &Vec<Vec<usize>>| (0..near.len()).flat_map(|start| hops_from(near, start)).collect();
        Ok(self.reached(seed, times_s)?.iter().map(from_each).collect())
    }

    /// Whether a time, seconds, is one of the run's: to the nanosecond, as all times are.
    #[must_use]
    pub fn is_within(&self, time_s: f64) -> bool {
        let end_s = self.scenario.run.duration_s;
        // The last digit of a number that was computed may be another, and round it to the next nanosecond.
        let is_end = || time_s - end_s < 1.0 && instant(time_s) <= instant(end_s) + Duration::from_nanos(1);
        (0.0..=end_s).contains(&time_s) || (time_s > end_s && is_end())
    }
}

/// A time of the run.
fn instant(time_s: f64) -> Time {
    Time::ZERO + Duration::from_secs_f64(time_s)
}
