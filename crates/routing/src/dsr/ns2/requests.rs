//! ns-2's request table: the newest request heard from each node, and how this node's own search for it stands.
//!
//! Spec      ns-2.35
//! Deviates  nothing
//! Holds     never more than `SIZE` nodes; the one that came first makes room

use hopwright_machine::{Address, Duration, Time};

/// Nodes the table remembers.
const SIZE: usize = 128;

/// One node of the table.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    node: Address,
    /// The identification of its newest request.
    pub(super) heard: u16,
    /// Requests sent in search of it since the last answer.
    pub(super) outstanding: u32,
    /// When the last search began; `None` if never.
    pub(super) last: Option<Time>,
    /// When the last search asked the neighbours only, and still does.
    pub(super) asked_neighbours: Option<Time>,
}

/// The request table of one node.
#[derive(Debug, Default)]
pub(super) struct Requests {
    entries: Vec<Entry>,
    oldest: usize,
}

impl Requests {
    pub(super) fn entry(&mut self, node: Address) -> &mut Entry {
        let place = self.entries.iter().position(|entry| entry.node == node).unwrap_or_else(|| {
            let new = Entry { node, heard: 0, outstanding: 0, last: None, asked_neighbours: None };
            if self.entries.len() < SIZE {
                self.entries.push(new);
                return self.entries.len() - 1;
            }
            let place = self.oldest;
            self.entries[place] = new;
            self.oldest = (place + 1) % SIZE;
            place
        });
        &mut self.entries[place]
    }

    pub(super) fn heard(&self, node: Address) -> u16 {
        self.entries.iter().find(|entry| entry.node == node).map_or(0, |entry| entry.heard)
    }
}

impl Entry {
    /// Whether a new search may begin; then it has begun. Waits grow fourfold, and the search
    /// that has just begun counts: with a period of 0.5 s and a limit of 10 s, they are 2, 8, 10, 10 s.
    pub(super) fn begin(&mut self, now: Time, period: Duration, limit: Duration) -> bool {
        let wait = (period * (1 << (2 * self.outstanding.min(8)))).min(limit);
        if self.last.is_some_and(|last| last + wait > now) {
            return false;
        }
        self.outstanding = (self.outstanding + 1).min(15);
        self.last = Some(now);
        true
    }

    /// An answer has come. ns-2 sets the time of the last request to zero.
    pub(super) fn end(&mut self) {
        self.outstanding = 0;
        self.last = Some(Time::ZERO);
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::NodeId;

    use super::*;

    #[test]
    fn searches_begin_after_two_eight_and_ten_seconds() {
        let mut table = Requests::default();
        let entry = table.entry(NodeId(3).address());
        let tenth = |n: u64| Time::ZERO + Duration::from_millis(100 * n);
        let begun: Vec<u64> =
            (0..400).filter(|&n| entry.begin(tenth(n), Duration::from_millis(500), Duration::from_secs(10))).collect();
        assert_eq!(begun, [0, 20, 100, 200, 300]);
        entry.end();
        assert!(entry.begin(tenth(400), Duration::from_millis(500), Duration::from_secs(10)));
        assert_eq!(entry.outstanding, 1, "the waits begin anew");
    }

    #[test]
    fn the_first_of_129_nodes_is_forgotten() {
        let mut table = Requests::default();
        for n in 0..129 {
            table.entry(NodeId(n).address()).heard = 7;
        }
        assert_eq!([0, 1, 128].map(|n| table.heard(NodeId(n).address())), [0, 7, 7]);
        table.entry(NodeId(129).address()).heard = 7;
        assert_eq!([1, 2, 128, 129].map(|n| table.heard(NodeId(n).address())), [0, 7, 7, 7], "the next one");
    }
}
