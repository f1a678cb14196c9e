//! Contention: idle medium, interframe space, back-off (802.11-1999 §9.2.4, §9.2.5).

use hopwright_machine::Time;

use super::{Dcf, Exchange, Forecast};
use crate::Eifs;
use crate::fba::LostRace;

/// A back-off that is being counted down, or waits to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Backoff {
    /// Slots left.
    slots: u32,
    /// The last of them, which pacing added: a counter that is drawn anew has them, too.
    paced: u32,
    /// It counts from here at the earliest.
    since: Time,
    /// No counter was drawn: the medium was idle when the packet came. If it turns busy before the interframe
    /// space has passed, a counter is drawn.
    immediate: bool,
}

impl<P: Clone> Dcf<P> {
    /// When the station may begin at the earliest, as far as it knows; `None` if it does not contend.
    #[must_use]
    pub fn forecast(&self) -> Option<Forecast> {
        let Backoff { slots, since, immediate, .. } = self.backoff.filter(|_| self.contends())?;
        let idle = self.idle_from();
        Some(match immediate {
            true => Forecast { busy_until: idle, start: since.max(idle + self.space), slots: 0 },
            false => Forecast { busy_until: since.max(idle), start: since.max(idle) + self.space, slots },
        })
    }

    /// Whether the station has something to contend for.
    #[inline]
    pub(super) fn contends(&self) -> bool {
        self.current.is_some() && matches!(self.exchange, Exchange::None) && self.backoff.is_some()
    }

    /// Since when the medium is idle for this station, or until when it is busy, as far as is known.
    #[inline]
    fn idle_from(&self) -> Time {
        self.carrier_until.max(self.nav_until).max(self.own_until).max(self.transmit_until)
    }

    /// When the back-off ends if the medium stays idle.
    #[inline]
    pub(super) fn access_at(&self) -> Time {
        let Some(backoff) = self.backoff else { return Time::NEVER };
        if backoff.immediate {
            backoff.since.max(self.idle_from() + self.space)
        } else {
            backoff.since.max(self.idle_from()) + self.space + self.config.slot * u64::from(backoff.slots)
        }
    }

    /// The medium turns busy: whole slots that passed since it became idle are taken off.
    #[inline]
    pub(super) fn freeze(&mut self, now: Time) {
        if let Some(backoff) = self.backoff {
            self.freeze_running(now, backoff);
        }
    }

    #[inline(never)]
    fn freeze_running(&mut self, now: Time, mut backoff: Backoff) {
        let idle = backoff.since.max(self.idle_from());
        if now <= idle {
            return; // it was busy already
        }
        if self.current.is_none() && self.access_at() <= now {
            self.backoff = None; // it ran out with nothing to send
            return;
        }
        if backoff.immediate {
            if now < self.access_at() {
                backoff.immediate = false;
                backoff.slots = self.draw();
            }
        } else {
            let passed = now.since(idle + self.space).whole(self.config.slot);
            backoff.slots = backoff.slots.saturating_sub(u32::try_from(passed).unwrap_or(u32::MAX));
            if self.fba.is_some() && self.contends() && now >= idle + self.space {
                backoff.paced = backoff.paced.min(backoff.slots);
                backoff.slots = self.lose_race(backoff.slots, backoff.paced);
            }
        }
        self.backoff = Some(backoff);
    }

    /// Fair back-off: another has taken the channel while this station counted down. Returns the slots that are left.
    #[cold]
    fn lose_race(&mut self, slots: u32, paced: u32) -> u32 {
        let Some(fba) = &mut self.fba else { return slots };
        match fba.lost_race() {
            LostRace::Ignore => slots,
            LostRace::KeepCounter => {
                fba.failed();
                slots
            }
            LostRace::Redraw => {
                fba.failed();
                self.draw().saturating_add(paced)
            }
        }
    }

    /// A counter from the present contention window.
    fn draw(&mut self) -> u32 {
        if let Some(fba) = &self.fba {
            let bounds = (self.config.cw_min, self.config.cw_max);
            self.cw = fba.window(bounds, self.held(), self.config.queue_packets);
        }
        let cw = self.cw;
        self.draws.below(if self.config.backoff_includes_cw { cw + 1 } else { cw })
    }

    /// Draws a counter and starts counting it down, with so many slots more.
    pub(super) fn start_backoff(&mut self, now: Time, extra_slots: u32) {
        let slots = self.draw().saturating_add(extra_slots);
        self.backoff = Some(Backoff { slots, paced: extra_slots, since: now, immediate: false });
    }

    /// A packet has come into service: does it have to back off?
    pub(super) fn contend(&mut self, now: Time) {
        // A back-off that follows the last transmission may have run out with nothing to send.
        if self.access_at() <= now {
            self.backoff = None;
        }
        if self.backoff.is_some() {
            return;
        }
        if self.config.backoff_always || self.idle_from() > now {
            self.start_backoff(now, 0);
        } else {
            self.backoff = Some(Backoff { slots: 0, paced: 0, since: now, immediate: true });
        }
    }

    /// The back-off has ended and the medium is the station's.
    pub(super) fn end_backoff(&mut self) {
        self.backoff = None;
    }

    /// A try has failed, and another is to come.
    pub(super) fn try_failed(&mut self) {
        match &mut self.fba {
            None => self.cw = (2 * self.cw + 1).min(self.config.cw_max),
            Some(fba) => fba.failed(),
        }
    }

    /// The packet in service is done with: acknowledged, or given up; `None`: it was for everyone.
    pub(super) fn packet_done(&mut self, now: Time, is_acknowledged: Option<bool>) {
        self.stampers.show(|stamper| stamper.is_done(now));
        match (&mut self.fba, is_acknowledged) {
            (None, _) => self.cw = self.config.cw_min,
            (Some(fba), Some(true)) => fba.succeeded(),
            (Some(fba), Some(false)) => fba.failed(),
            (Some(_), None) => {}
        }
    }

    #[inline]
    pub(super) fn on_carrier(&mut self, now: Time, until: Time) {
        self.freeze(now);
        self.carrier_until = self.carrier_until.max(until);
        self.space = self.config.difs; // what follows is decided when the reception ends
    }

    #[inline]
    pub(super) fn on_held(&mut self, until: Time) {
        self.carrier_until = self.carrier_until.max(until);
        if self.config.eifs == Eifs::ThenDifs {
            self.nav_until = self.nav_until.max(until + self.config.eifs_time());
        }
    }

    #[inline]
    pub(super) fn on_failed(&mut self, now: Time) {
        match self.config.eifs {
            Eifs::InsteadOfDifs => self.space = self.config.eifs_time(),
            Eifs::ThenDifs => self.nav_until = self.nav_until.max(now + self.config.eifs_time()),
        }
    }
}
