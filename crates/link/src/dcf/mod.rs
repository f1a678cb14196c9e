//! Contention by carrier sense: idle medium, interframe space, back-off.
//!
//! Back-off is computed, never ticked: the station knows since when the medium is idle and how many slots are
//! left; each busy period takes the whole slots before it off. What a station only overhears may therefore be
//! told to it late, as long as it is told in order and before the station next acts.
//!
//! Spec      IEEE 802.11-1999 §9.2.4, §9.2.5; switches of `Config` for ns-2.35's reading of it
//! Deviates  nothing
//! Holds     no exchange begins while the physical or virtual carrier is busy

mod forecast;

use std::collections::VecDeque;
use std::sync::Arc;

use hopwright_machine::{Duration, Stream, Time};

use crate::access::Access;
use crate::exchange::service::Service;
use crate::fba::{Fba, LostRace, Stage};
use crate::{Config, Eifs};
pub use forecast::Forecast;

/// Where back-off counters come from.
#[derive(Debug)]
pub enum Draws {
    /// The station's random stream.
    Random(Box<Stream>),
    /// A list, to replay a trace; when it is used up, zero.
    Scripted(VecDeque<u32>),
}

impl Draws {
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        match self {
            Self::Random(stream) => stream.below(n),
            Self::Scripted(list) => list.pop_front().unwrap_or(0),
        }
    }
}

/// A back-off that is being counted down, or waits to be.
#[derive(Clone, Copy, Debug)]
struct Backoff {
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

/// Access to the air by the distributed coordination function.
// In this order, what is overheard touches one line of the cache.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Contention {
    config: Arc<Config>,
    /// The physical carrier is busy until then.
    carrier_until: Time,
    /// The virtual carrier is busy until then (NAV).
    nav_until: Time,
    /// The space after the medium has become idle: DIFS, or EIFS after an error.
    space: Duration,
    backoff: Option<Backoff>,
    /// EIFS: worked out once, for most of what many stations hear is too weak for them.
    eifs: Duration,
    /// The station takes part in an exchange that another leads until then.
    own_until: Time,
    /// Its last frame is in the air until then.
    transmit_until: Time,
    draws: Draws,
    /// Contention window.
    cw: u32,
    /// What makes it, if not binary exponential back-off.
    fba: Option<Box<Fba>>,
}

impl Contention {
    /// Since when the medium is idle for this station, or until when it is busy, as far as is known.
    #[inline]
    fn idle_from(&self) -> Time {
        self.carrier_until.max(self.nav_until).max(self.own_until).max(self.transmit_until)
    }

    /// The medium turns busy: whole slots that passed since it became idle are taken off.
    #[inline]
    fn freeze<P>(&mut self, now: Time, service: &Service<P>) {
        if let Some(backoff) = self.backoff {
            self.freeze_running(now, backoff, service);
        }
    }

    #[inline(never)]
    fn freeze_running<P>(&mut self, now: Time, mut backoff: Backoff, service: &Service<P>) {
        let idle = backoff.since.max(self.idle_from());
        if now <= idle {
            return; // it was busy already
        }
        if !service.serves() && self.at() <= now {
            self.backoff = None; // it ran out with nothing to send
            return;
        }
        if backoff.immediate {
            if now < self.at() {
                backoff.immediate = false;
                backoff.slots = self.draw(service);
            }
        } else {
            let passed = now.since(idle + self.space).whole(self.config.slot);
            backoff.slots = backoff.slots.saturating_sub(u32::try_from(passed).unwrap_or(u32::MAX));
            if self.fba.is_some() && service.is_ready() && now >= idle + self.space {
                backoff.paced = backoff.paced.min(backoff.slots);
                backoff.slots = self.lose_race(backoff.slots, backoff.paced, service);
            }
        }
        self.backoff = Some(backoff);
    }

    /// Fair back-off: another has taken the channel while this station counted down. Returns the slots that are left.
    #[cold]
    fn lose_race<P>(&mut self, slots: u32, paced: u32, service: &Service<P>) -> u32 {
        let Some(fba) = &mut self.fba else { return slots };
        match fba.lost_race() {
            LostRace::Ignore => slots,
            LostRace::KeepCounter => {
                fba.failed();
                slots
            }
            LostRace::Redraw => {
                fba.failed();
                self.draw(service).saturating_add(paced)
            }
        }
    }

    /// A counter from the present contention window.
    fn draw<P>(&mut self, service: &Service<P>) -> u32 {
        if let Some(fba) = &self.fba {
            let bounds = (self.config.cw_min, self.config.cw_max);
            self.cw = fba.window(bounds, service.held(), self.config.queue_packets);
        }
        let cw = self.cw;
        self.draws.below(if self.config.backoff_includes_cw { cw + 1 } else { cw })
    }
}

impl Access for Contention {
    const IS_FORECAST: bool = true;

    fn new(config: Arc<Config>, draws: Draws) -> Self {
        Self {
            cw: config.cw_min,
            fba: config.fba.map(|fba| Box::new(Fba::new(fba))),
            space: config.difs,
            eifs: config.eifs_time(),
            config,
            draws,
            carrier_until: Time::ZERO,
            nav_until: Time::ZERO,
            own_until: Time::ZERO,
            transmit_until: Time::ZERO,
            backoff: None,
        }
    }

    fn shut_down(&mut self) {
        (self.cw, self.space) = (self.config.cw_min, self.config.difs);
        self.fba = self.config.fba.map(|fba| Box::new(Fba::new(fba)));
        self.carrier_until = Time::ZERO;
        self.nav_until = Time::ZERO;
        self.own_until = Time::ZERO;
        self.transmit_until = Time::ZERO;
        self.backoff = None;
    }

    #[inline]
    fn on_carrier<P>(&mut self, now: Time, until: Time, service: &Service<P>) {
        self.freeze(now, service);
        self.carrier_until = self.carrier_until.max(until);
        self.space = self.config.difs; // what follows is decided when the reception ends
    }

    #[inline]
    fn on_held(&mut self, until: Time) {
        self.carrier_until = self.carrier_until.max(until);
        if self.config.eifs == Eifs::ThenDifs {
            self.nav_until = self.nav_until.max(until + self.eifs);
        }
    }

    #[inline]
    fn on_overheard(&mut self, now: Time, nav: Duration) {
        self.space = self.config.difs;
        self.nav_until = self.nav_until.max(now + nav);
    }

    #[inline]
    fn on_received(&mut self) {
        self.space = self.config.difs;
    }

    #[inline]
    fn on_failed(&mut self, now: Time) {
        match self.config.eifs {
            Eifs::InsteadOfDifs => self.space = self.eifs,
            Eifs::ThenDifs => self.nav_until = self.nav_until.max(now + self.eifs),
            Eifs::Never => {}
        }
    }

    #[inline]
    fn is_idle(&self) -> bool {
        self.backoff.is_none()
    }

    #[inline]
    fn on_heard_aside(&mut self, over_at: Time, reserved_until: Time, failed_at: Time) {
        debug_assert!(self.backoff.is_none(), "what interrupts a back-off is told one by one");
        self.carrier_until = self.carrier_until.max(over_at);
        self.nav_until = self.nav_until.max(reserved_until);
        self.space = self.config.difs;
        if failed_at == over_at {
            self.on_failed(failed_at); // the last of them: it alone decides the space
        } else if failed_at > Time::ZERO && self.config.eifs == Eifs::ThenDifs {
            self.nav_until = self.nav_until.max(failed_at + self.eifs);
        }
    }

    fn filled(&mut self) {
        if let Some(fba) = &mut self.fba {
            fba.filled();
        }
    }

    /// Does the packet have to back off?
    fn wants<P>(&mut self, now: Time, service: &Service<P>) {
        // A back-off that follows the last transmission may have run out with nothing to send.
        if self.at() <= now {
            self.backoff = None;
        }
        if self.backoff.is_some() {
            return;
        }
        if self.config.backoff_always || self.idle_from() > now {
            self.rests(now, 0, service);
        } else {
            self.backoff = Some(Backoff { slots: 0, paced: 0, since: now, immediate: true });
        }
    }

    /// When the back-off ends if the medium stays idle.
    #[inline]
    fn at(&self) -> Time {
        let Some(backoff) = self.backoff else { return Time::NEVER };
        if backoff.immediate {
            backoff.since.max(self.idle_from() + self.space)
        } else {
            backoff.since.max(self.idle_from()) + self.space + self.config.slot * u64::from(backoff.slots)
        }
    }

    #[inline]
    fn forecast(&self) -> Option<Forecast> {
        let Backoff { slots, since, immediate, .. } = self.backoff?;
        let idle = self.idle_from();
        Some(match immediate {
            true => Forecast::new(idle, since.max(idle + self.space), 0),
            false => Forecast::new(since.max(idle), since.max(idle) + self.space, slots),
        })
    }

    fn begins(&mut self) {
        self.backoff = None;
    }

    fn transmits(&mut self, until: Time) {
        self.transmit_until = until;
    }

    /// Draws a counter and starts counting it down: every exchange is followed by a back-off, whether or not a packet
    /// waits (§9.2.5.2).
    fn rests<P>(&mut self, now: Time, extra_slots: u32, service: &Service<P>) {
        let slots = self.draw(service).saturating_add(extra_slots);
        self.backoff = Some(Backoff { slots, paced: extra_slots, since: now, immediate: false });
    }

    fn try_failed(&mut self) {
        match &mut self.fba {
            None => self.cw = (2 * self.cw + 1).min(self.config.cw_max),
            Some(fba) => fba.failed(),
        }
    }

    fn packet_done(&mut self, is_acknowledged: Option<bool>) {
        match (&mut self.fba, is_acknowledged) {
            (None, _) => self.cw = self.config.cw_min,
            (Some(fba), Some(true)) => fba.succeeded(),
            (Some(fba), Some(false)) => fba.failed(),
            (Some(_), None) => {}
        }
    }

    fn senses_busy(&self, now: Time) -> bool {
        self.carrier_until > now || self.nav_until > now
    }

    fn is_engaged(&self, now: Time) -> bool {
        self.own_until > now
    }

    fn answers<P>(&mut self, now: Time, engaged_until: Time, service: &Service<P>) {
        self.freeze(now, service);
        self.own_until = self.own_until.max(engaged_until);
    }

    fn data_came(&mut self, now: Time) {
        self.own_until = now;
    }

    fn contention_window(&self) -> Option<u32> {
        Some(self.cw)
    }

    fn stage(&self) -> Option<Stage> {
        self.fba.as_ref().map(|fba| fba.stage())
    }
}
