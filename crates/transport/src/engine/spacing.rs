//! The distances of data segments: how far apart they left, and how far apart they came.
//!
//! Spec      Velayutham 2005 §2.5.2.2 (the receiver compares both), §2.5.5.2 (the distance of a pair at the receiver)
//! Deviates  the document names no fields. Here data tell the distance to the segment before, nothing if that was sent
//!           again or more than a round trip earlier, and the sender's congestion window. An acknowledgement tells the
//!           window that the offer slot wants of the sender or, if it wants none, how far apart two segments came that
//!           left together
//! Holds     kept and sent only for mechanisms that need it

use hopwright_machine::{Duration, Time};
use hopwright_wire::tcp::Extra;

use crate::view::Public;

/// See the file's header.
#[derive(Debug, Default)]
pub(super) struct Spacing {
    /// When the last data segment left, unless it was sent again.
    left: Option<Time>,
    /// Where the newest data segment ended, and when it came.
    came: Option<(u64, Time)>,
    /// The distance of a pair, for the next acknowledgement.
    pair: Option<Duration>,
}

impl Spacing {
    /// A data segment leaves, new or again.
    pub(super) fn on_data_sent(&mut self, p: &Public, is_again: bool, extra: &mut Extra) {
        let pause = p.srtt.unwrap_or(Duration::MAX);
        let former = core::mem::replace(&mut self.left, (!is_again).then_some(p.now));
        if let Some(gap) = former.map(|left| p.now.since(left)).filter(|gap| !is_again && *gap <= pause) {
            extra.set_gap_us(micros(gap));
        }
        extra.set_window(p.cwnd.min(f64::from(u32::MAX)) as u32);
    }

    /// A data segment came that brings something new, from `start` to before `end`. `left`: how far behind the one before
    /// it left. Returns how far behind that it came, if nothing is missing between the two.
    pub(super) fn on_data(&mut self, now: Time, start: u64, end: u64, left: Option<u32>) -> Option<Duration> {
        let former = self.came.replace((end, now));
        let gap = former.filter(|&(before, _)| before == start).map(|(_, at)| now.since(at));
        if left == Some(0) && gap.is_some() {
            self.pair = gap;
        }
        gap
    }

    /// An acknowledgement without data leaves, with this window of the offer slot's.
    pub(super) fn on_ack_sent(&mut self, window: Option<u64>, extra: &mut Extra) {
        if let Some(window) = window {
            extra.set_window(window.min(u64::from(u32::MAX)) as u32);
        } else if let Some(gap) = self.pair.take() {
            extra.set_gap_us(micros(gap));
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
            assert_eq!(extra.window(), Some(4_000));
            extra.gap_us()
        };
        assert_eq!(told(0, false), None);
        assert_eq!(told(20, false), Some(20_000));
        assert_eq!(told(20, false), Some(0));
        assert_eq!(told(30, true), None);
        assert_eq!(told(40, false), None, "the receiver may not get what was sent again");
        assert_eq!(told(50, false), Some(10_000));
        assert_eq!(told(151, false), None, "a pause");
    }

    /// What an acknowledgement tells: a distance and a window.
    fn acknowledge(spacing: &mut Spacing, window: Option<u64>) -> (Option<u32>, Option<u32>) {
        let mut extra = Extra::default();
        spacing.on_ack_sent(window, &mut extra);
        (extra.gap_us(), extra.window())
    }

    #[test]
    fn the_receiver_tells_the_distance_of_pairs() {
        let mut spacing = Spacing::default();
        let ms = Duration::from_millis;
        assert_eq!(spacing.on_data(at(0).now, 1, 101, None), None);
        assert_eq!(acknowledge(&mut spacing, None), (None, None));
        assert_eq!(spacing.on_data(at(6).now, 101, 201, Some(0)), Some(ms(6)));
        assert_eq!(acknowledge(&mut spacing, None), (Some(6_000), None));
        assert_eq!(acknowledge(&mut spacing, None), (None, None), "it is told once");
        assert_eq!(spacing.on_data(at(9).now, 201, 301, Some(3_000)), Some(ms(3)));
        assert_eq!(acknowledge(&mut spacing, None), (None, None), "they left apart");
        assert_eq!(spacing.on_data(at(9).now, 401, 501, Some(0)), None, "one is missing between");
        assert_eq!(acknowledge(&mut spacing, Some(9_000)), (None, Some(9_000)));
    }
}
