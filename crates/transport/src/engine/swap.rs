//! Putting another mechanism into a slot while the connection runs.
//!
//! Spec      Velayutham 2005 §3.3.4, §3.6 (the adaptation manager: public state stays, handlers change)
//! Deviates  the engine need not be frozen: a swap happens between two events, where nothing is half done
//! Holds     the byte stream does not notice; a mechanism that this connection cannot serve is refused

use super::Connection;
use crate::mechanisms::{Conflict, Needs, Recipe, SwapError, conflict};
use crate::params::{ParamError, Value};

impl Connection {
    /// Puts the mechanism `part` into `slot`. Returns the id of the one that was there. Nothing is sent before the
    /// next input.
    ///
    /// # Errors
    /// If there is no such slot or mechanism, or if it needs what both ends did not agree on.
    pub fn swap(&mut self, slot: &str, part: &str) -> Result<&'static str, SwapError> {
        let (has_sack, has_timestamps) = (self.receiver.sends_sack, self.timestamps.is_on);
        let lacks = |needs| conflict::missing(needs, has_sack, has_timestamps);
        let former = self.slots.swap(slot, part, &self.params, &self.public, lacks)?;
        self.provide();
        if !self.slots.recovery.has_one_window() {
            self.public.cwnd = self.public.cwnd.max(f64::from(self.public.mss));
        }
        match slot {
            // The next event asks the new one: it lets a frozen sender go on, at the former one's deadline at the
            // latest.
            "path" => {}
            "timeout" => self.refresh_estimate(),
            "acking" if !self.timers.delayed_ack.is_never() => self.receiver.ack_now = true,
            _ => {}
        }
        Ok(former)
    }

    /// Whether every mechanism of a recipe could work here, with what both ends agreed on: none that it has would be
    /// refused by `swap`.
    ///
    /// # Errors
    /// The first that could not.
    pub fn admits(&self, recipe: &Recipe) -> Result<(), Conflict> {
        for ((slot, part), needs) in recipe.parts().into_iter().zip(recipe.needs()) {
            if let Some(reason) = conflict::missing(needs, self.receiver.sends_sack, self.timestamps.is_on) {
                return Err(Conflict { slot, part, reason: reason.to_owned() });
            }
        }
        Ok(())
    }

    /// Sets a parameter for the mechanisms that are swapped in from now on.
    ///
    /// # Errors
    /// If there is no such parameter, or it cannot have this value.
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), ParamError> {
        self.params.set(name, value)
    }

    /// The ids of the mechanisms at work, in the order of the slots.
    pub fn mechanisms(&self) -> impl Iterator<Item = &'static str> {
        self.slots.ids()
    }

    /// Begins or ends measuring what mechanisms need.
    fn provide(&mut self) {
        let needs = self.all_needs();
        let former = core::mem::replace(&mut self.needs, needs);
        let begins = |what: Needs| self.needs.has(what) && !former.has(what);
        if begins(Needs::ROUNDS) {
            self.public.round.begin(self.public.now, self.public.una, self.public.nxt);
        }
        if !self.needs.has(Needs::SENT_TIMES) {
            self.public.sent.clear();
        }
        if !self.needs.has(Needs::SELECTIVE_ACKS) {
            self.public.sacked.clear();
        }
        self.public.keeps_scoreboard = self.keeps_scoreboard();
        if !self.needs.has(Needs::NOTICES) {
            self.receiver.notice = false; // nobody stands by it any more
        }
    }

    /// What the mechanisms need, and what both ends agreed on.
    pub(super) fn all_needs(&self) -> Needs {
        self.slots.needs() | if self.public.has_ecn { Needs::MARKS } else { Needs::NOTHING }
    }

    /// Whether selective acknowledgements are read.
    pub(super) const fn keeps_scoreboard(&self) -> bool {
        self.needs.has(Needs::SELECTIVE_ACKS) && self.receiver.sends_sack
    }
}
