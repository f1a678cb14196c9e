//! Classes of packets: those that met the same round-trip time, with how long that lasted and what was lost.
//!
//! Spec      Ghaleb-Seddik (2009), 3.5: packets with similar RTT values are one class, and get one pipe
//! Holds     lifetimes, bytes and lost bytes add up to the trace's

use serde::Serialize;

use crate::trace::Trace;

/// What counts as lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Lost {
    /// What was sent again: what the TCP trace tells, and the document's choice (3.5.2.5.2).
    #[default]
    Retransmitted,
    /// What the network dropped (eq. 3.8).
    Dropped,
}

/// Packets of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize)]
pub struct Class {
    /// Seconds.
    pub rtt_s: f64,
    /// How long it was in force, seconds.
    pub lifetime_s: f64,
    /// Bytes sent meanwhile.
    pub sent: f64,
    /// Bytes lost meanwhile.
    pub lost: f64,
    /// What its rate would have carried meanwhile; as a rule what was sent.
    pub bits: f64,
}

impl Class {
    /// Whether two are the same as pipes, which know nanoseconds.
    pub(crate) fn has_rtt_of(&self, other: &Self) -> bool {
        nanos(self.rtt_s) == nanos(other.rtt_s)
    }

    /// Adds what another met; the round-trip time stays.
    pub(crate) fn take(&mut self, other: &Self) {
        self.lifetime_s += other.lifetime_s;
        self.sent += other.sent;
        self.lost += other.lost;
        self.bits += other.bits;
    }
}

/// Seconds as whole nanoseconds.
pub(crate) fn nanos(s: f64) -> u64 {
    (s * 1e9 + 0.5) as u64
}

/// A class for each sample.
pub(crate) fn of_trace(trace: &Trace, lost: Lost) -> Vec<Class> {
    let class = |(index, sample): (usize, &crate::Sample)| {
        let lifetime_s = trace.lifetime(index).as_secs_f64();
        // Nothing known of bytes: as if they had been sent evenly, one a nanosecond.
        let sent = if trace.known.sent { sample.sent as f64 } else { lifetime_s * 1e9 };
        let lost = match lost {
            Lost::Retransmitted => sample.retransmitted,
            Lost::Dropped => sample.dropped,
        };
        let bits = sample.rate_bps.map_or(8.0 * sent, |bps| bps * lifetime_s);
        Class { rtt_s: sample.rtt.as_secs_f64(), lifetime_s, sent, lost: lost as f64, bits }
    };
    trace.samples.iter().enumerate().map(class).collect()
}

/// Neighbours with equal round-trip times become one: the trace's transitions are left.
pub(crate) fn merge_neighbours(classes: &[Class]) -> Vec<Class> {
    let mut merged: Vec<Class> = Vec::with_capacity(classes.len());
    for class in classes {
        match merged.last_mut().filter(|last| last.has_rtt_of(class)) {
            Some(last) => last.take(class),
            None => merged.push(*class),
        }
    }
    merged
}

/// All with equal round-trip times become one, where the first of them is.
pub(crate) fn merge_equal(classes: &[Class]) -> Vec<Class> {
    let mut order: Vec<usize> = (0..classes.len()).collect();
    order.sort_by_key(|&index| nanos(classes[index].rtt_s)); // stable: the first of equals leads
    let mut merged: Vec<(usize, Class)> = Vec::new();
    for index in order {
        let class = &classes[index];
        match merged.last_mut().filter(|(_, last)| last.has_rtt_of(class)) {
            Some((_, last)) => last.take(class),
            None => merged.push((index, *class)),
        }
    }
    merged.sort_by_key(|&(index, _)| index);
    merged.into_iter().map(|(_, class)| class).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(rtts: &[f64]) -> Vec<Class> {
        rtts.iter().map(|&rtt_s| Class { rtt_s, lifetime_s: 1.0, sent: 2.0, lost: 1.0, bits: 16.0 }).collect()
    }

    #[test]
    fn neighbours_merge_only_beside_each_other() {
        let merged = merge_neighbours(&classes(&[0.1, 0.1, 0.2, 0.1]));
        assert_eq!(merged.iter().map(|c| (c.rtt_s, c.sent)).collect::<Vec<_>>(), [(0.1, 4.0), (0.2, 2.0), (0.1, 2.0)]);
    }

    #[test]
    fn equals_merge_wherever_they_are() {
        let merged = merge_equal(&classes(&[0.2, 0.1, 0.2, 0.3, 0.1]));
        let found: Vec<_> = merged.iter().map(|c| (c.rtt_s, c.lifetime_s)).collect();
        assert_eq!(found, [(0.2, 2.0), (0.1, 2.0), (0.3, 1.0)]);
    }
}
