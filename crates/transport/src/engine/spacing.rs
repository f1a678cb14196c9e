//! The distances of data segments: how far apart they left, and how far apart they came.
//!
//! Spec      Velayutham 2005 §2.5.2.2 (the receiver compares both), §2.5.5.2 (the distance of a pair at the receiver)
//! Deviates  the document names no fields: the sender tells the distance to the segment before and its congestion
//!           window, the receiver the distance of the last two segments that came one right after the other, and the
//!           window that the offer slot wants of the sender
//! Holds     kept and sent only for mechanisms that need it. No distance is told of a segment that is sent again, of one
//!           that left together with the one before, or after a pause longer than a round trip

use hopwright_machine::{Duration, Time};
use hopwright_wire::tcp::Extra;

use super::Public;

/// See the file's header.
#[derive(Debug, Default)]
pub(super) struct Spacing {
    /// When the last data segment left.
    left: Option<Time>,
    /// Where the newest data segment ended, and when it came.
    came: Option<(u64, Time)>,
    /// The distance that the next acknowledgement tells.
    gap: Option<Duration>,
}

impl Spacing {
    /// A data segment leaves, new or again.
    pub(super) fn on_data_sent(&mut self, p: &Public, is_again: bool, extra: &mut Extra) {
        let pause = p.srtt.unwrap_or(Duration::MAX);
        let gap = self.left.map(|left| p.now.since(left)).filter(|gap| !is_again && *gap <= pause);
        extra.set_gap_us(micros(gap.unwrap_or(Duration::ZERO)));
        extra.set_window(p.cwnd.min(f64::from(u32::MAX)) as u32);
        self.left = Some(p.now);
    }

    /// A data segment came whole and for the first time, from `start` to before `end`. Returns how far it came behind
    /// the one before, if nothing is missing between the two.
    pub(super) fn on_data(&mut self, now: Time, start: u64, end: u64) -> Option<Duration> {
        let former = self.came.replace((end, now));
        let gap = former.filter(|&(before, _)| before == start).map(|(_, at)| now.since(at));
        self.gap = gap.or(self.gap);
        gap
    }

    /// An acknowledgement leaves, with this window of the offer slot's.
    pub(super) fn on_ack_sent(&mut self, window: Option<u64>, extra: &mut Extra) {
        if let Some(gap) = self.gap.take() {
            extra.set_gap_us(micros(gap));
        }
        if let Some(window) = window {
            extra.set_window(window.min(u64::from(u32::MAX)) as u32);
        }
    }
}

fn micros(duration: Duration) -> u32 {
    u32::try_from(duration.as_nanos() / 1_000).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Public {
        let now = Time::ZERO + Duration::from_millis(ms);
        Public { now, srtt: Some(Duration::from_millis(100)), cwnd: 4_000.5, ..Public::default() }
    }

    #[test]
    fn the_sender_tells_the_distance_to_the_segment_before() {
        let mut spacing = Spacing::default();
        let mut told = |ms, is_again| {
            let mut extra = Extra::default();
            spacing.on_data_sent(&at(ms), is_again, &mut extra);
            (extra.gap_us(), extra.window())
        };
        assert_eq!(told(0, false), (Some(0), Some(4_000)));
        assert_eq!(told(20, false).0, Some(20_000));
        assert_eq!(told(20, false).0, Some(0));
        assert_eq!(told(30, true).0, Some(0));
        assert_eq!(told(40, false).0, Some(10_000));
        assert_eq!(told(141, false).0, Some(0)); // a pause
    }

    #[test]
    fn the_receiver_tells_the_distance_of_neighbours() {
        let mut spacing = Spacing::default();
        let ms = Duration::from_millis;
        assert_eq!(spacing.on_data(at(0).now, 1, 101), None);
        assert_eq!(spacing.on_data(at(6).now, 101, 201), Some(ms(6)));
        let mut extra = Extra::default();
        spacing.on_ack_sent(Some(9_000), &mut extra);
        assert_eq!((extra.gap_us(), extra.window()), (Some(6_000), Some(9_000)));
        assert_eq!(spacing.on_data(at(9).now, 301, 401), None); // one is missing between
        let mut extra = Extra::default();
        spacing.on_ack_sent(None, &mut extra);
        assert!(extra.is_empty());
    }
}
