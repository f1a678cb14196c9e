//! Nodes that go down and come up.
//!
//! Spec      none
//! Deviates  nothing
//! Holds     of switches at one time the last one counts

use hopwright_machine::{NodeId, Time};

/// A node's radio goes on or off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Switch {
    /// When.
    pub at: Time,
    /// Whose.
    pub node: NodeId,
    /// On or off; at the start all are on.
    pub up: bool,
}

/// From when to when each of `nodes` nodes is down, in order; `Time::NEVER`: for good. `switches` must be in order
/// of time.
#[must_use]
pub fn outages(switches: &[Switch], nodes: usize) -> Vec<Vec<(Time, Time)>> {
    assert!(switches.is_sorted_by_key(|s| s.at), "switches out of order");
    let mut all: Vec<Vec<(Time, Time)>> = vec![Vec::new(); nodes];
    for switch in switches {
        let outages = &mut all[switch.node.index()];
        let is_down = outages.last().is_some_and(|&(_, until)| until.is_never());
        match (switch.up, is_down) {
            (false, false) => outages.push((switch.at, Time::NEVER)),
            (true, true) => {
                if let Some(last) = outages.last_mut() {
                    last.1 = switch.at;
                }
                outages.pop_if(|&mut (from, until)| from == until);
            }
            _ => {}
        }
    }
    all
}

/// Whether a node with these outages is down at a time: it is from the first instant on, and up again in the last.
#[must_use]
pub fn is_down(outages: &[(Time, Time)], now: Time) -> bool {
    outages.iter().any(|&(from, until)| from <= now && now < until)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outages_begin_and_end() {
        let s = |ns, up| Switch { at: Time::from_nanos(ns), node: NodeId(1), up };
        let t = Time::from_nanos;
        let of = |list: &[Switch]| outages(list, 3).swap_remove(1);
        assert_eq!(of(&[]), []);
        assert_eq!(of(&[s(1, true), s(2, false), s(3, false), s(4, true), s(5, true)]), [(t(2), t(4))]);
        assert_eq!(of(&[s(2, false), s(2, true), s(7, false)]), [(t(7), Time::NEVER)]);
    }
}
