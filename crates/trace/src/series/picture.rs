//! What figures show of a run: few rows, and the same picture as of all.
//!
//! A figure has some hundred columns of dots. Of the rows in a column it needs the first, the last, and those with the
//! smallest and the largest value of each quantity.

use std::collections::BTreeMap;

use hopwright_machine::{NodeId, Time};
use hopwright_sim::{FlowKind, Setup};

use super::{COLUMNS, Did, RECEIVED};

/// Columns across a figure.
const ACROSS: u64 = 300;
/// Rows of a column that are thinned out together.
const CROWD: usize = 128;

/// The first so many columns of a flow.
const SHOWN: usize = RECEIVED + 1;

/// Rows that show what all rows would.
#[derive(Debug)]
pub struct Picture {
    flows: Vec<Thinned<SHOWN>>,
    is_tcp: Vec<bool>,
    queues: Vec<Queue>,
    /// Of each flow, packets in the direction of its data by the link they came over: from, to.
    links: Vec<BTreeMap<(NodeId, NodeId), u64>>,
    /// Of each flow, when its triggers did what: of one trigger the last of a column.
    changes: Vec<Vec<(Time, Did)>>,
    end: Time,
    column_ns: u64,
}

#[derive(Clone, Debug, Default)]
struct Queue {
    thinned: Thinned<1>,
    /// Packets now, since when, and over time before.
    packets: f64,
    since: Time,
    packet_seconds: f64,
}

/// The rows of a flow or a node; NaN stands for no value.
#[derive(Clone, Debug)]
struct Thinned<const N: usize> {
    rows: Vec<(f64, [f64; N])>,
    /// The column at hand, where it begins in `rows`, and when it is thinned out.
    column: u64,
    begin: usize,
    crowded: usize,
}

impl Picture {
    pub(super) fn new(setup: &Setup) -> Self {
        Self {
            flows: setup.flows.iter().map(|_| Thinned::default()).collect(),
            is_tcp: setup.flows.iter().map(|flow| matches!(flow.kind, FlowKind::Tcp { .. })).collect(),
            queues: vec![Queue::default(); setup.nodes.len()],
            links: vec![BTreeMap::new(); setup.flows.len()],
            changes: vec![Vec::new(); setup.flows.len()],
            end: setup.end,
            column_ns: setup.end.as_nanos() / ACROSS + 1,
        }
    }

    pub(super) fn flow(&mut self, at: Time, flow: usize, values: [f64; COLUMNS.len()]) {
        let shown = std::array::from_fn(|index| values[index]);
        self.flows[flow].push(at, self.column_ns, shown);
    }

    pub(super) fn queue(&mut self, at: Time, node: usize, packets: f64) {
        let queue = &mut self.queues[node];
        queue.thinned.push(at, self.column_ns, [packets]);
        queue.packet_seconds += queue.packets * at.since(queue.since).as_secs_f64();
        (queue.packets, queue.since) = (packets, at);
    }

    pub(super) fn hop(&mut self, flow: usize, from: NodeId, to: NodeId) {
        *self.links[flow].entry((from, to)).or_default() += 1;
    }

    pub(super) fn adapted(&mut self, at: Time, flow: usize, did: Did) {
        let column = |at: Time| at.as_nanos() / self.column_ns;
        let changes = &mut self.changes[flow];
        let is_beside = |(then, other): &&mut (Time, Did)| other.row == did.row && column(*then) == column(at);
        match changes.last_mut().filter(is_beside) {
            Some(last) => *last = (at, did),
            None => changes.push((at, did)),
        }
    }

    /// What the triggers of a flow did, in the order of time: seconds, and as `series.parquet` has it.
    pub fn changes(&self, flow: usize) -> impl Iterator<Item = (f64, String)> {
        self.changes[flow].iter().map(|(at, did)| (at.as_secs_f64(), did.to_string()))
    }

    /// The links of a flow in the order of their ends: from, to, and how many packets in the direction of its data came
    /// over it in the whole run. A packet counts once it is with the router at the link's end, however often the
    /// station had to send it; copies that the station recognises do not.
    pub fn links(&self, flow: usize) -> impl Iterator<Item = (usize, usize, u64)> {
        self.links[flow].iter().map(|(&(from, to), &packets)| (from.index(), to.index(), packets))
    }

    /// The columns of a flow by name, with `time_s`.
    pub fn columns(&self, flow: usize) -> Vec<(&'static str, Vec<f64>)> {
        let rows = &self.flows[flow].rows;
        let column = |index: usize| (COLUMNS[index].0, rows.iter().map(|row| row.1[index]).collect());
        let time = ("time_s", rows.iter().map(|row| row.0).collect());
        let numbers = if self.is_tcp[flow] { 0..RECEIVED } else { RECEIVED..RECEIVED + 1 };
        std::iter::once(time).chain(numbers.map(column)).collect()
    }

    /// The nodes with the longest queues, on average over time, at most so many, in their order: times and packets.
    pub fn queues(&self, most: usize) -> Vec<(usize, Vec<f64>, Vec<f64>)> {
        let mean = |queue: &Queue| {
            queue.packet_seconds + queue.packets * self.end.max(queue.since).since(queue.since).as_secs_f64()
        };
        let mut fullest: Vec<_> = self.queues.iter().map(mean).enumerate().filter(|&(_, mean)| mean > 0.0).collect();
        fullest.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        fullest.truncate(most);
        fullest.sort_by_key(|&(node, _)| node);
        let of = |(node, _): (usize, f64)| {
            let rows = &self.queues[node].thinned.rows;
            (node, rows.iter().map(|row| row.0).collect(), rows.iter().map(|row| row.1[0]).collect())
        };
        fullest.into_iter().map(of).collect()
    }
}

impl<const N: usize> Default for Thinned<N> {
    fn default() -> Self {
        Self { rows: Vec::new(), column: 0, begin: 0, crowded: CROWD }
    }
}

impl<const N: usize> Thinned<N> {
    fn push(&mut self, at: Time, column_ns: u64, values: [f64; N]) {
        let column = at.as_nanos() / column_ns;
        if column > self.column {
            self.thin();
            self.column = column;
            self.begin = self.rows.len();
            self.crowded = self.begin + CROWD;
        } else if self.rows.len() >= self.crowded {
            self.thin();
            self.crowded = self.rows.len() + CROWD;
        }
        self.rows.push((at.as_secs_f64(), values));
    }

    /// Leaves the rows of the column at hand that can be seen.
    fn thin(&mut self) {
        let rows = &self.rows[self.begin..];
        if rows.len() <= 2 {
            return;
        }
        let mut seen = vec![0, rows.len() - 1];
        for quantity in 0..N {
            let value = |row: usize| rows[row].1[quantity];
            let known = || (0..rows.len()).filter(|&row| !value(row).is_nan());
            seen.extend(known().min_by(|&a, &b| value(a).total_cmp(&value(b))));
            seen.extend(known().max_by(|&a, &b| value(a).total_cmp(&value(b))));
        }
        seen.sort_unstable();
        seen.dedup();
        for (place, row) in seen.iter().enumerate() {
            self.rows[self.begin + place] = self.rows[self.begin + row];
        }
        self.rows.truncate(self.begin + seen.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_keeps_its_ends_and_its_extremes() {
        let mut thinned = Thinned::<2>::default();
        for n in 0_u32..1000 {
            let low = if n == 123 { -1.0 } else { f64::from(n % 7) };
            let rare = if n == 321 { 5.0 } else { f64::NAN };
            thinned.push(Time::from_nanos(u64::from(n)), 500, [low, rare]);
        }
        thinned.thin();
        let seen: Vec<u64> = thinned.rows.iter().map(|row| (row.0 * 1e9).round() as u64).collect();
        for kept in [0, 123, 321, 499, 500, 999] {
            assert!(seen.contains(&kept), "{kept} is not among {seen:?}");
        }
        assert!(seen.len() <= 12, "{seen:?}");
        assert!(seen.is_sorted());
    }

    #[test]
    fn memory_is_bounded() {
        let mut thinned = Thinned::<1>::default();
        for n in 0..1_000_000_u64 {
            thinned.push(Time::from_nanos(n), 1 + 1_000_000 / ACROSS, [(n % 1009) as f64]);
        }
        assert!(thinned.rows.len() <= 4 * ACROSS as usize + CROWD, "{}", thinned.rows.len());
        assert!(thinned.rows.capacity() < 4096, "{}", thinned.rows.capacity());
    }
}
