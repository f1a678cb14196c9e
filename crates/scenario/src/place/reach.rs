//! Whether frames can get from one end of a flow to the other, over nodes that stand still.

use std::collections::BTreeSet;

use hopwright_machine::{NodeId, Time};
use hopwright_mobility::{Cells, Position};
use hopwright_radio::Radio;

use super::Layout;
use crate::config;
use crate::model::{Ends, Scenario, Shadowing};
use crate::read::Document;

/// Refuses flows whose ends no chain of links joins. Only where nothing moves.
pub(super) fn connected(document: &mut Document, scenario: &Scenario, layout: &Layout, seed: u64) {
    let config = config::radio(scenario);
    let radio = Radio::new(&config);
    let at: Vec<Position> = layout.nodes.iter().map(|n| n.position(Time::ZERO)).collect();
    let island = islands(&at, radio.farthest_reception_m(), |a, b| {
        let gain = config.shadowing.of_link(seed, NodeId(a as u32), NodeId(b as u32));
        radio.hear(at[a].distance_squared(at[b]), gain).is_some_and(|heard| heard.decodable)
    });
    let mut told = BTreeSet::new();
    for &(n, from, to) in &layout.ends {
        if island[from.index()] == island[to.index()] || !told.insert(n) {
            continue;
        }
        let (last, next, gap_m) = gap(&at, &island, island[from.index()]);
        let drawn = match scenario.flows[n].ends {
            Ends::Two(_) if scenario.radio.shadowing != Shadowing::Link && !scenario.is_placed_by_chance() => {
                String::new()
            }
            _ => format!(" with seed {seed}"),
        };
        let apart = told_apart(gap_m, radio.reception_range_m());
        let reason = format!(
            "node {to} cannot be reached from node {from}{drawn}: the path ends at node {last}; the nearest node \
             beyond it, {next}, is {} m away, and reception reaches {} m{}",
            apart[0],
            apart[1],
            if scenario.radio.shadowing == Shadowing::Link { " without the shadowing of each link" } else { "" }
        );
        let key = if matches!(scenario.flows[n].ends, Ends::Two(_)) { "to" } else { "pairs" };
        document.refuse(&format!("flows.{n}.{key}"), reason);
    }
}

/// Two lengths, with as many digits as tell them apart.
fn told_apart(a_m: f64, b_m: f64) -> [String; 2] {
    let with = |digits: usize| [a_m, b_m].map(|length_m| format!("{length_m:.digits$}"));
    (1..9).map(with).find(|[a, b]| a != b).unwrap_or_else(|| with(9))
}

/// Numbers the groups of nodes that links join. No link is longer than `longest_m`.
fn islands(at: &[Position], longest_m: f64, linked: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    const UNSEEN: usize = usize::MAX;
    let cells = Cells::new(at, longest_m);
    let mut island = vec![UNSEEN; at.len()];
    let mut near = Vec::new();
    for first in 0..at.len() {
        if island[first] != UNSEEN {
            continue;
        }
        island[first] = first;
        let mut reached = vec![first];
        while let Some(node) = reached.pop() {
            near.clear();
            cells.near(at[node], longest_m, &mut near);
            for other in near.iter().map(|&n| n as usize) {
                if island[other] == UNSEEN && linked(node, other) {
                    island[other] = first;
                    reached.push(other);
                }
            }
        }
    }
    island
}

/// The shortest step out of an island: from which node, to which, how far.
fn gap(at: &[Position], island: &[usize], own: usize) -> (usize, usize, f64) {
    let (inside, outside): (Vec<usize>, Vec<usize>) = (0..at.len()).partition(|&n| island[n] == own);
    let steps = inside.iter().flat_map(|&a| outside.iter().map(move |&b| (a, b)));
    let (a, b) = steps
        .min_by(|x, y| at[x.0].distance_squared(at[x.1]).total_cmp(&at[y.0].distance_squared(at[y.1])))
        .expect("a disconnected island has an outside");
    (a, b, at[a].distance(at[b]))
}
