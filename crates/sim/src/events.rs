//! The event queue.
//!
//! Events sort by time, then kind, then number of the node or frame: never by the order in which they were
//! made, so that results do not depend on how the program happens to be written. The order of `Kind` is
//! behaviour: what ends at a time is settled before anybody acts at that time.

use std::cmp::Reverse;

use dary_heap::QuaternaryHeap;
use hopwright_machine::Time;

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// Measurements start.
    WarmedUp,
    /// A frame has wholly arrived at the next of the stations that must act on it.
    FrameEnd(u32),
    /// A node's deadline has come, unless it has moved since.
    Wake(u32),
}

/// Pending events, earliest first.
#[derive(Debug, Default)]
pub(crate) struct Events {
    // time, kind, number in one integer: one comparison
    heap: QuaternaryHeap<Reverse<u128>>,
}

const KIND_SHIFT: u32 = 32;

impl Events {
    pub(crate) fn push(&mut self, at: Time, event: Event) {
        let (kind, number) = match event {
            Event::WarmedUp => (0u64, 0),
            Event::FrameEnd(frame) => (1, frame),
            Event::Wake(node) => (2, node),
        };
        let order = kind << KIND_SHIFT | u64::from(number);
        self.heap.push(Reverse(u128::from(at.as_nanos()) << 64 | u128::from(order)));
    }

    pub(crate) fn pop(&mut self) -> Option<(Time, Event)> {
        let Reverse(key) = self.heap.pop()?;
        let (at, order) = ((key >> 64) as u64, key as u64);
        let number = order as u32;
        let event = match order >> KIND_SHIFT {
            0 => Event::WarmedUp,
            1 => Event::FrameEnd(number),
            _ => Event::Wake(number),
        };
        Some((Time::from_nanos(at), event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_by_time_then_kind_then_number() {
        let mut events = Events::default();
        let at = Time::from_nanos;
        for (time, event) in
            [(5, Event::Wake(2)), (5, Event::Wake(1)), (7, Event::WarmedUp), (5, Event::FrameEnd(9)), (3, Event::Wake(8))]
        {
            events.push(at(time), event);
        }
        let order: Vec<_> = std::iter::from_fn(|| events.pop()).collect();
        assert_eq!(
            order,
            [
                (at(3), Event::Wake(8)),
                (at(5), Event::FrameEnd(9)),
                (at(5), Event::Wake(1)),
                (at(5), Event::Wake(2)),
                (at(7), Event::WarmedUp)
            ]
        );
    }
}
