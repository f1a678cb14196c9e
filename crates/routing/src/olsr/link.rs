//! One link: whether the neighbour is heard, hears us, and how well.
//!
//! Every node has one interface, so a neighbour has one link: the RFC's link and neighbour tuples are one.
//!
//! Spec      RFC 3626 §4.2.1, §7.1.1 (link sensing), §13 (link-layer notification), §14 (hysteresis)
//! Deviates  a packet that both silence and a gap in the numbers say is missing counts once (§14.3 is silent)
//! Holds     a link that is symmetric is heard

use hopwright_machine::{Duration, Time};
use hopwright_wire::olsr::LinkType;

use super::config::Hysteresis;

#[derive(Debug)]
pub(super) struct Link {
    /// L_SYM_time: until then the link is symmetric.
    symmetric_until: Time,
    /// L_ASYM_time: until then the neighbour counts as heard.
    heard_until: Time,
    /// L_LOST_LINK_time: until then the link is declared lost whatever HELLOs say.
    lost_until: Time,
    /// L_time: when the link is forgotten.
    pub(super) until: Time,
    quality: Option<Quality>,
}

/// What hysteresis knows of a link.
#[derive(Debug)]
struct Quality {
    rule: Hysteresis,
    /// L_link_quality.
    value: f64,
    /// L_link_pending.
    pending: bool,
    /// The number of the last packet, once one has come.
    last: Option<u16>,
    /// Losses since then that silence has told.
    silences: u16,
    /// The neighbour's HELLO interval.
    interval: Duration,
    /// When the next packet will have been due.
    silent_at: Time,
}

impl Link {
    /// The link of a first HELLO (§7.1.1 step 1, §14.3).
    pub(super) fn new(now: Time, validity: Duration, hysteresis: Option<Hysteresis>) -> Self {
        let quality = hysteresis.map(|rule| Quality {
            rule,
            value: rule.scaling,
            pending: true,
            last: None,
            silences: 0,
            interval: Duration::MAX,
            silent_at: Time::NEVER,
        });
        Self {
            symmetric_until: Time::ZERO,
            heard_until: Time::ZERO,
            lost_until: Time::ZERO,
            until: now + validity,
            quality,
        }
    }

    /// A HELLO came; `said` is what it says about this link (§7.1.1 step 2).
    pub(super) fn hello(&mut self, now: Time, validity: Duration, said: Option<LinkType>, hold: Duration) {
        self.heard_until = now + validity;
        match said {
            Some(LinkType::Lost) => self.symmetric_until = Time::ZERO,
            Some(LinkType::Symmetric | LinkType::Asymmetric) => {
                self.symmetric_until = now + validity;
                // It will be told as lost for a while after it has lost its symmetry.
                self.until = self.symmetric_until + hold;
            }
            Some(LinkType::Unspecified) | None => {}
        }
        self.until = self.until.max(self.heard_until);
    }

    /// Whether packets may use the link (§14.2).
    pub(super) fn is_symmetric(&self, now: Time) -> bool {
        self.lost_until <= now && !self.is_pending() && self.symmetric_until > now
    }

    /// What a HELLO says about the link (§6.2, §13, §14.2); nothing about one that is pending.
    pub(super) fn advertised(&self, now: Time) -> Option<LinkType> {
        if self.lost_until > now {
            Some(LinkType::Lost)
        } else if self.is_pending() {
            None
        } else if self.symmetric_until > now {
            Some(LinkType::Symmetric)
        } else if self.heard_until > now {
            Some(LinkType::Asymmetric)
        } else {
            Some(LinkType::Lost)
        }
    }

    /// The link layer could not reach the neighbour (§13).
    pub(super) fn fail(&mut self, now: Time, hold: Duration) {
        self.lost_until = now + hold;
        self.until = self.lost_until;
    }

    /// When the link's state may change next by itself.
    pub(super) fn next_change(&self, now: Time) -> Time {
        let silent_at = self.quality.as_ref().map_or(Time::NEVER, |quality| quality.silent_at);
        let times = [self.symmetric_until, self.lost_until, self.until, silent_at];
        times.into_iter().filter(|&time| time > now).min().unwrap_or(Time::NEVER)
    }

    fn is_pending(&self) -> bool {
        self.quality.as_ref().is_some_and(|quality| quality.pending)
    }

    /// A packet of this number came (§14.3).
    pub(super) fn packet(&mut self, now: Time, sequence: u16, hold: Duration) {
        let Some(quality) = &mut self.quality else { return };
        if let Some(last) = quality.last {
            let missing = sequence.wrapping_sub(last).wrapping_sub(1);
            // A number from behind is no gap of thousands: the neighbour has started anew, or frames overtook.
            let missing = if missing < 1 << 15 { missing.saturating_sub(quality.silences) } else { 0 };
            for _ in 0..missing.min(MANY) {
                self.missed(now, hold);
            }
            self.received(now, hold);
        }
        let Some(quality) = &mut self.quality else { return };
        quality.last = Some(sequence);
        quality.silences = 0;
        quality.silent_at = now + quality.interval;
    }

    /// The interval that the neighbour's HELLO gives.
    pub(super) fn expect(&mut self, now: Time, interval: Duration) {
        if let Some(quality) = &mut self.quality {
            quality.interval = interval;
            quality.silent_at = now + interval;
        }
    }

    /// Counts packets that have not come in time (§14.3).
    pub(super) fn notice_silence(&mut self, now: Time, hold: Duration) {
        while let Some(quality) = self.quality.as_mut().filter(|quality| quality.silent_at <= now) {
            quality.silences = quality.silences.saturating_add(1);
            quality.silent_at += quality.interval;
            self.missed(now, hold);
        }
    }

    /// The stability rule (§14.3).
    fn received(&mut self, now: Time, hold: Duration) {
        let Some(quality) = &mut self.quality else { return };
        quality.value += (1.0 - quality.value) * quality.rule.scaling;
        self.judge(now, hold);
    }

    /// The instability rule (§14.3).
    fn missed(&mut self, now: Time, hold: Duration) {
        let Some(quality) = &mut self.quality else { return };
        quality.value *= 1.0 - quality.rule.scaling;
        self.judge(now, hold);
    }

    /// Takes a good link into use and loses a bad one, whichever rule has changed its quality (§14.3): with a small
    /// HYST_SCALING a link may be bad after a packet, and good after a loss.
    fn judge(&mut self, now: Time, hold: Duration) {
        let Some(quality) = &mut self.quality else { return };
        if quality.value > quality.rule.high {
            quality.pending = false;
            self.lost_until = Time::ZERO;
        } else if quality.value < quality.rule.low {
            quality.pending = true;
            self.lost_until = self.until.min(now + hold);
        }
    }
}

/// More losses than these in a row make no difference any more.
const MANY: u16 = 1100;

#[cfg(test)]
mod tests {
    use super::*;

    const HOLD: Duration = Duration::from_secs(6);

    fn at(s: u64) -> Time {
        Time::ZERO + Duration::from_secs(s)
    }

    fn state(link: &Link, s: u64) -> (Option<LinkType>, bool) {
        (link.advertised(at(s)), link.is_symmetric(at(s)))
    }

    #[test]
    fn a_link_is_heard_then_symmetric_then_lost_then_forgotten() {
        let mut link = Link::new(at(0), HOLD, None);
        link.hello(at(0), HOLD, None, HOLD);
        assert_eq!(state(&link, 0), (Some(LinkType::Asymmetric), false));
        assert_eq!((state(&link, 6), link.until), ((Some(LinkType::Lost), false), at(6)));
        link.hello(at(2), HOLD, Some(LinkType::Asymmetric), HOLD);
        assert_eq!(state(&link, 7), (Some(LinkType::Symmetric), true));
        assert_eq!(state(&link, 8), (Some(LinkType::Lost), false));
        assert_eq!(link.until, at(14), "told as lost for NEIGHB_HOLD_TIME");
        // Still heard, but no longer heard by the neighbour.
        link.hello(at(7), HOLD, None, HOLD);
        assert_eq!(state(&link, 8), (Some(LinkType::Asymmetric), false));
        link.hello(at(7), HOLD, Some(LinkType::Symmetric), HOLD);
        link.hello(at(9), HOLD, Some(LinkType::Lost), HOLD);
        assert_eq!(state(&link, 9), (Some(LinkType::Asymmetric), false));
    }

    #[test]
    fn a_link_that_the_link_layer_lost_stays_lost_for_the_hold_time() {
        let mut link = Link::new(at(0), HOLD, None);
        link.hello(at(0), HOLD, Some(LinkType::Symmetric), HOLD);
        link.fail(at(1), HOLD);
        link.hello(at(2), HOLD, Some(LinkType::Symmetric), HOLD);
        assert_eq!(state(&link, 2), (Some(LinkType::Lost), false));
        assert_eq!(link.next_change(at(2)), at(7));
        assert_eq!(state(&link, 7), (Some(LinkType::Symmetric), true));
    }

    #[test]
    fn hysteresis_follows_the_formulas_of_section_14_3() {
        let mut link = Link::new(at(0), HOLD, Some(Hysteresis::default()));
        let value = |link: &Link| link.quality.as_ref().map_or(0.0, |quality| quality.value);
        for (s, sequence, quality, usable) in
            [(0, 10, 0.5, false), (2, 11, 0.75, false), (4, 12, 0.875, true), (6, 14, 0.718_75, true)]
        {
            link.hello(at(s), HOLD, Some(LinkType::Symmetric), HOLD);
            link.expect(at(s), Duration::from_secs(2));
            link.packet(at(s), sequence, HOLD);
            assert_eq!((value(&link), link.is_symmetric(at(s))), (quality, usable), "packet {sequence}");
            assert_eq!(link.advertised(at(s)).is_some(), usable, "a pending link is not told");
        }
        // Silence: 0.36 after the first interval, below 0.3 after the second.
        link.notice_silence(at(8), HOLD);
        assert!(link.is_symmetric(at(8)));
        link.notice_silence(at(10), HOLD);
        assert_eq!(value(&link), 0.718_75 / 4.0);
        assert_eq!(state(&link, 10), (Some(LinkType::Lost), false));
        // The numbers of the packets that silence told are not counted again.
        link.packet(at(11), 17, HOLD);
        assert_eq!(value(&link), 0.5 + 0.718_75 / 8.0);
        assert_eq!(state(&link, 11), (Some(LinkType::Lost), false), "0.59 is not above 0.8");
        // Two in a row that only the numbers tell.
        let mut link = Link::new(at(0), HOLD, Some(Hysteresis::default()));
        link.hello(at(0), HOLD, Some(LinkType::Symmetric), HOLD);
        (1..4).for_each(|sequence| link.packet(at(0), sequence, HOLD));
        assert!(link.is_symmetric(at(0)));
        link.packet(at(0), 6, HOLD);
        assert!(!link.is_symmetric(at(0)));
    }

    #[test]
    fn both_thresholds_hold_after_packets_and_after_losses() {
        let rule = Hysteresis { scaling: 0.1, ..Hysteresis::default() };
        let mut link = Link::new(at(0), HOLD, Some(rule));
        let packet = |link: &mut Link, s, sequence| {
            link.hello(at(s), HOLD, Some(LinkType::Symmetric), HOLD);
            link.packet(at(s), sequence, HOLD);
        };
        packet(&mut link, 0, 1);
        assert_eq!(state(&link, 0), (None, false), "pending, but L_LOST_LINK_time has not been set");
        packet(&mut link, 1, 2); // 0.19, which is below 0.3
        assert_eq!(state(&link, 1), (Some(LinkType::Lost), false));
        (3..30).for_each(|sequence| packet(&mut link, 2, sequence)); // 0.95
        assert_eq!(state(&link, 2), (Some(LinkType::Symmetric), true));
        link.fail(at(3), HOLD);
        link.expect(at(3), Duration::from_secs(1));
        link.notice_silence(at(4), HOLD); // 0.86
        assert!(link.is_symmetric(at(4)));
    }

    /// §14.3: a bad link is pending, and lost until L_LOST_LINK_time, the lesser of L_time and NEIGHB_HOLD_TIME from now.
    #[test]
    fn a_bad_link_is_pending_when_it_is_no_longer_lost() {
        for (hold, until) in [(Duration::from_secs(2), 6), (HOLD, 10)] {
            let mut link = Link::new(at(0), HOLD, Some(Hysteresis::default()));
            link.hello(at(0), HOLD, None, HOLD);
            (1..4).for_each(|sequence| link.packet(at(0), sequence, HOLD));
            link.hello(at(4), HOLD, None, HOLD);
            link.packet(at(4), 10, hold);
            assert_eq!(link.lost_until, at(until), "L_time is 10 s");
            assert_eq!(state(&link, until - 1), (Some(LinkType::Lost), false));
            assert_eq!(state(&link, until), (None, false));
        }
        let mut link = Link::new(at(0), HOLD, Some(Hysteresis::default()));
        link.hello(at(0), HOLD, None, HOLD);
        link.packet(at(0), 1, HOLD);
        link.packet(at(5), 10, Duration::from_secs(9));
        assert_eq!(link.lost_until, at(6), "L_time");
    }

    /// §14.3: silence stands for numbers that are missing when the next packet comes, not later.
    #[test]
    fn what_silence_told_is_told_once() {
        let mut link = Link::new(at(0), HOLD, Some(Hysteresis::default()));
        let value = |link: &Link| link.quality.as_ref().map_or(0.0, |quality| quality.value);
        link.packet(at(0), 1, HOLD); // 0.5
        link.expect(at(0), Duration::from_secs(2));
        link.notice_silence(at(2), HOLD); // 0.25
        link.packet(at(3), 3, HOLD); // 0.625
        assert_eq!(value(&link), 0.625);
        link.packet(at(3), 5, HOLD); // one missing: 0.3125, then 0.65625
        assert_eq!(value(&link), 0.656_25);
    }

    #[test]
    fn numbers_from_behind_are_no_loss() {
        let mut link = Link::new(at(0), HOLD, Some(Hysteresis::default()));
        link.packet(at(0), 5, HOLD);
        link.packet(at(1), 4, HOLD);
        assert_eq!(link.quality.as_ref().map(|quality| quality.value), Some(0.75));
        link.packet(at(2), u16::MAX, HOLD);
        link.packet(at(3), 0, HOLD);
        assert_eq!(link.quality.as_ref().map(|quality| quality.value), Some(0.9375));
    }
}
