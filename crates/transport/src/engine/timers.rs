//! The timers of a connection: a field each, and the earliest is the deadline.
//!
//! Spec      RFC 6298 §5; RFC 9293 §3.8.3 (user time-out; also RFC 5482), §3.8.6.1 (probes), §3.8.6.2.1 (override),
//!           §3.4.2 (TIME-WAIT); RFC 1122 §4.2.2.13 and RFC 9293 §3.6 (FIN-WAIT-2)
//! Deviates  one limit for SYN and data (§3.8.3 asks for three minutes at least for a SYN, and lets the
//!           application set it); without `user_timeout_s` there is none. FIN-WAIT-2 has no limit in either
//!           document, nor here by default: half-closed is a way to be. With `fin_wait_2_timeout_s` it ends when
//!           the peer is silent, whose application may have gone
//! Holds     a peer that answers probes is never given up: whether to go on holding a connection whose window stays
//!           closed is for the application to decide, which can abort it (RFC 6429 §4)

use hopwright_machine::{Duration, Time};

use super::{Connection, State};
use crate::mechanisms::path::PathEvent;
use crate::mechanisms::recovery::Release;

/// How long a window smaller than a segment is waited for to grow (RFC 9293 §3.8.6.2.1: 0.1 s to 1 s).
const OVERRIDE: Duration = Duration::from_millis(200);

/// When each timer fires; `Time::NEVER` if it is off.
#[derive(Debug)]
pub(super) struct Timers {
    pub(super) retransmit: Time,
    pub(super) delayed_ack: Time,
    /// Probes a closed window.
    pub(super) persist: Time,
    /// The clocking slot holds the next segment back; or, where the sender stands still, the path slot has a deadline.
    pub(super) pace: Time,
    pub(super) time_wait: Time,
    /// Nothing follows our FIN, not even the peer's.
    pub(super) fin_wait_2: Time,
    /// A trigger waits until its slots may change again.
    pub(super) adapt: Time,
    /// The half that asks for data has something to do.
    pub(super) ask: Time,
    /// The peer has been silent for too long.
    pub(super) give_up: Time,
    /// Probes sent since the window closed.
    pub(super) probes: u32,
}

impl Default for Timers {
    fn default() -> Self {
        Self {
            retransmit: Time::NEVER,
            delayed_ack: Time::NEVER,
            persist: Time::NEVER,
            pace: Time::NEVER,
            time_wait: Time::NEVER,
            fin_wait_2: Time::NEVER,
            adapt: Time::NEVER,
            ask: Time::NEVER,
            give_up: Time::NEVER,
            probes: 0,
        }
    }
}

impl Timers {
    pub(super) fn earliest(&self) -> Time {
        let sending = self.retransmit.min(self.persist).min(self.pace).min(self.give_up);
        sending.min(self.delayed_ack).min(self.time_wait).min(self.fin_wait_2).min(self.adapt).min(self.ask)
    }
}

impl Connection {
    /// Whatever is due happens, in this order: what another timer does may cancel a later one.
    pub(super) fn on_wake(&mut self) {
        let now = self.public.now;
        if self.timers.time_wait <= now {
            self.vanish(super::Output::Closed);
            return;
        }
        if self.timers.give_up <= now {
            return self.on_silent_peer();
        }
        if self.timers.fin_wait_2 <= now {
            if !self.is_shut() {
                return self.on_silent_peer();
            }
            self.expect_fin(); // it is our application that keeps the peer silent
        }
        if self.timers.retransmit <= now {
            self.timers.retransmit = Time::NEVER;
            self.on_retransmit_timer();
        }
        if self.timers.persist <= now {
            self.timers.persist = Time::NEVER;
            self.probe_window();
        }
        if self.timers.pace <= now {
            self.timers.pace = Time::NEVER;
            if self.is_frozen {
                self.consult_path(PathEvent::Timer);
            } else {
                self.release.get_or_insert(Release::Usual);
            }
        }
        if self.timers.delayed_ack <= now {
            self.slots.acking.on_timer(now);
            self.receiver.ack_now = true;
        }
    }

    /// (Re)starts the retransmission timer (RFC 6298 §5.1, §5.3).
    pub(super) fn arm_retransmit(&mut self) {
        let deadline = self.public.now + self.public.rto;
        self.timers.retransmit = if self.is_frozen { Time::NEVER } else { self.slots.timeout.fires(deadline) };
    }

    /// Restarts the timer if anything is outstanding, stops it otherwise (RFC 6298 §5.2); but a congestion window
    /// that is closed keeps it going if anything waits.
    pub(super) fn rearm_retransmit(&mut self) {
        let p = &self.public;
        let is_closed = p.cwnd < f64::from(p.mss) && self.slots.recovery.has_one_window() && self.out.has_beyond(p.nxt);
        if self.public.flight() > 0 || is_closed {
            self.arm_retransmit();
        } else {
            self.timers.retransmit = Time::NEVER;
        }
    }

    /// Something left that the peer must answer.
    pub(super) fn expect_answer(&mut self) {
        if self.timers.give_up.is_never() && self.params.user_timeout > Duration::ZERO {
            self.timers.give_up = self.public.now + self.params.user_timeout;
        }
    }

    /// (Re)starts the wait for the peer's FIN, in FIN-WAIT-2: it sent something, or may again.
    pub(super) fn expect_fin(&mut self) {
        if self.state == State::FinWait2 && self.params.fin_wait_2_timeout > Duration::ZERO {
            self.timers.fin_wait_2 = self.public.now + self.params.fin_wait_2_timeout;
        }
    }

    /// Arms the persist timer when data waits for a window and no other timer will bring things forward
    /// (RFC 9293 §3.8.6.1). A window not worth using (§3.8.6.2.1) is used after a while.
    pub(super) fn watch_window(&mut self) {
        let p = &self.public;
        let is_blocked = self.timers.retransmit.is_never()
            && self.timers.pace.is_never()
            && self.can_send()
            && !self.is_frozen
            && p.nxt == p.una
            && self.out.has_beyond(p.nxt);
        if !is_blocked {
            self.timers.persist = Time::NEVER;
            self.timers.probes = 0;
        } else if p.offer > 0 {
            self.timers.persist = self.timers.persist.min(self.slots.timeout.fires(p.now + OVERRIDE));
        } else if self.timers.persist.is_never() {
            let doubled = p.rto * (1u64 << self.timers.probes.min(16));
            self.timers.persist = self.slots.timeout.fires(p.now + doubled.min(self.params.max_rto));
        }
    }

    /// Sends one byte into the closed window: its answer tells whether the window is open again. What fits
    /// into one that is small goes as usual.
    fn probe_window(&mut self) {
        let offset = self.public.una;
        let length = self.length_at(offset).min(self.public.offer);
        if length > 0 {
            return self.transmit(offset, length as u32);
        }
        self.timers.probes = self.timers.probes.saturating_add(1);
        self.transmit(offset, 1);
        // The byte may be refused: it stays to be sent, and silence about it is no sign of a loss.
        self.public.nxt = offset;
        self.timers.retransmit = Time::NEVER;
        self.timed = None;
    }

    pub(super) fn refresh_estimate(&mut self) {
        let estimate = self.slots.timeout.estimate();
        self.public.srtt = estimate.srtt;
        self.public.rttvar = estimate.rttvar;
        self.public.rto = estimate.rto;
    }

    /// Starts the wait for stray segments (RFC 9293 §3.4.2).
    pub(super) fn wait_out(&mut self) {
        self.state = State::TimeWait;
        self.timers = Timers { delayed_ack: self.timers.delayed_ack, ..Timers::default() };
        self.timers.time_wait = self.public.now + Duration::from_nanos(self.params.msl.as_nanos().saturating_mul(2));
    }
}
