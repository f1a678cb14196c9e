//! Putting another mechanism into a slot while the connection runs.
//!
//! Spec      Velayutham 2005 §3.3.4, §3.6 (the adaptation manager: public state stays, handlers change)
//! Deviates  the engine need not be frozen: a swap happens between two events, where nothing is half done
//! Holds     the byte stream does not notice; what this connection, or its other mechanisms, cannot serve is refused

use hopwright_machine::Time;

use super::{Connection, Logic};
use crate::adaptation::{Adaptable, Adaptation, Change, Readings, Triggers};
use crate::mechanisms::conflict::check_parts;
use crate::mechanisms::{Conflict, Needs, Recipe, SwapError, look_up, timeout};
use crate::params::{ParamError, Value};
use crate::view::Public;

impl Connection {
    /// Puts the mechanism `part` into `slot`. Returns the id of the one that was there. Nothing is sent before the
    /// next input.
    ///
    /// # Errors
    /// As of `swap_all`.
    pub fn swap(&mut self, slot: &str, part: &str) -> Result<&'static str, SwapError> {
        Ok(self.swap_all(&[(slot, part)])?[0])
    }

    /// Puts each of these mechanisms into its slot, all at once. Returns the ids of those that were there, in the same
    /// order. Nothing is sent before the next input.
    ///
    /// # Errors
    /// If there is no such slot or mechanism, if one needs what both ends did not agree on, or what the others, those
    /// that stay among them, do not give. Then nothing has changed.
    pub fn swap_all(&mut self, changes: &[(&str, &str)]) -> Result<Vec<&'static str>, SwapError> {
        if matches!(self.logic, Logic::Asks(_)) {
            return self.swap_asking(changes);
        }
        self.check_changes(changes)?;
        self.forget_told(changes);
        if changes.iter().any(|(slot, _)| *slot == "control") {
            self.bound_window(); // under a rate the window is what the rate makes it
        }
        let mut former = Vec::with_capacity(changes.len());
        for &(slot, part) in changes {
            let put = self.slots.put(slot, part, &self.params, &self.public);
            former.push(put.map_err(|why| SwapError::unknown(slot, part, why))?);
        }
        self.receiver.known_window = None;
        self.provide();
        for (&(slot, _), was) in changes.iter().zip(&former) {
            self.settle_swap(slot, was);
        }
        Ok(former)
    }

    /// From now on a table of triggers changes mechanisms as what is measured of the path says; `None`: none does. A
    /// connection begins with that of its parameters.
    pub fn adapt_by(&mut self, triggers: Option<&Triggers>) {
        if matches!(self.logic, Logic::Asks(_)) {
            return self.asking_mut().into_iter().for_each(|half| half.adapt_by(triggers));
        }
        let adaptation = triggers.map(|triggers| Box::new(Adaptation::new(triggers)));
        let wants_delays = adaptation.as_ref().is_some_and(|adaptation| adaptation.wants_delays());
        self.measured = if wants_delays { Needs::SENT_TIMES } else { Needs::NOTHING };
        self.adaptation = adaptation;
        self.telling = None;
        self.timers.adapt = Time::NEVER;
        self.provide();
    }

    /// Whether a table of triggers changes its mechanisms.
    #[must_use]
    pub fn is_adaptive(&self) -> bool {
        self.deciding().adaptation.is_some()
    }

    /// What the monitors of its triggers said, on average; `None` without triggers.
    #[must_use]
    pub fn readings(&self) -> Option<&Readings> {
        self.deciding().adaptation.as_ref().map(|adaptation| adaptation.readings())
    }

    /// What the table of triggers did since this was last asked: the last thousand changes at most.
    pub fn take_changes(&mut self) -> Vec<Change> {
        if let Some(half) = self.asking_mut() {
            return half.take_changes();
        }
        self.adaptation.as_mut().map(|adaptation| adaptation.take_changes()).unwrap_or_default()
    }

    /// Lets the table of triggers act, at the end of an event, if it is time to.
    pub(super) fn adapt(&mut self) {
        let is_due = self.adaptation.as_mut().is_some_and(|adaptation| adaptation.on_event(&self.public));
        if self.telling.is_some() {
            self.end_telling();
        }
        if is_due {
            self.act();
        }
    }

    #[cold]
    fn act(&mut self) {
        let Some(mut adaptation) = self.adaptation.take() else { return };
        if self.can_send() {
            adaptation.act(self);
            self.timers.adapt = adaptation.deadline();
        } else {
            self.timers.adapt = Time::NEVER;
        }
        self.adaptation = Some(adaptation);
    }

    /// Whether the mechanisms work here with those changed.
    fn check_changes(&self, changes: &[(&str, &str)]) -> Result<(), SwapError> {
        let mut filled = self.slots.filled();
        for &(slot, part) in changes {
            let new = look_up(slot, part).map_err(|why| SwapError::unknown(slot, part, why))?;
            if let Some(place) = filled.iter_mut().find(|f| f.slot == new.slot) {
                *place = new;
            }
        }
        Ok(check_parts(&filled, self.receiver.sends_sack, self.timestamps.is_on)?)
    }

    /// What else changes with the mechanism of a slot.
    pub(super) fn settle_swap(&mut self, slot: &str, was: &str) {
        if !self.slots.recovery.has_one_window() {
            self.public.cwnd = self.public.cwnd.max(f64::from(self.public.mss));
        }
        match slot {
            // The next event asks the new one: it lets a frozen sender go on, at the former one's deadline at the
            // latest.
            "path" => {}
            "timeout" => {
                if was == timeout::PROBE.id {
                    self.leave_probes();
                }
                self.refresh_estimate();
            }
            "acking" if !self.timers.delayed_ack.is_never() => self.receiver.ack_now = true,
            _ => {}
        }
    }

    /// Silence is not probed any more: a time-out is made of the round trip again, and nobody waits for an answer.
    fn leave_probes(&mut self) {
        if let Some(srtt) = self.public.srtt {
            self.slots.timeout.set_smoothed(srtt, self.public.rttvar);
        }
        if core::mem::take(&mut self.awaits_answer) {
            self.is_probing = false;
        }
    }

    /// Whether every mechanism of a recipe could work here, with what both ends agreed on: none that it has would be
    /// refused by `swap`.
    ///
    /// # Errors
    /// The first that could not.
    pub fn admits(&self, recipe: &Recipe) -> Result<(), Conflict> {
        check_parts(&recipe.filled(), self.receiver.sends_sack, self.timestamps.is_on)
    }

    /// Sets a parameter for the mechanisms that are swapped in from now on.
    ///
    /// # Errors
    /// If there is no such parameter, or it cannot have this value.
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), ParamError> {
        if name == "place" {
            return Err(ParamError::Expected("to be chosen when the connection is made".into()));
        }
        if let Some(half) = self.asking_mut() {
            half.params.set(name, value.clone())?;
        }
        self.params.set(name, value)
    }

    /// The mechanisms at work.
    #[must_use]
    pub fn recipe(&self) -> Recipe {
        self.deciding().slots.recipe()
    }

    /// The ids of the mechanisms at work, in the order of the slots.
    pub fn mechanisms(&self) -> impl Iterator<Item = &'static str> {
        self.deciding().slots.ids()
    }

    /// Begins or ends measuring what mechanisms need.
    pub(super) fn provide(&mut self) {
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
        let marks = if self.public.has_ecn { Needs::MARKS } else { Needs::NOTHING };
        let telling = if self.telling.is_some() { Needs::TELLING } else { Needs::NOTHING };
        let pull = match self.logic {
            Logic::Answers { .. } | Logic::Half => Needs::PULL,
            Logic::Sender | Logic::Asks(_) => Needs::NOTHING,
        };
        self.slots.needs() | marks | self.measured | telling | pull
    }

    /// Whether selective acknowledgements are read.
    pub(super) const fn keeps_scoreboard(&self) -> bool {
        self.needs.has(Needs::SELECTIVE_ACKS) && self.receiver.sends_sack
    }
}

impl Adaptable for Connection {
    fn public(&self) -> &Public {
        &self.public
    }

    fn mechanism(&self, slot: &str) -> &'static str {
        self.slots.filled().iter().find(|f| f.slot == slot).expect("a slot that exists").part
    }

    fn swap(&mut self, parts: &[(&str, &str)]) -> Result<Vec<&'static str>, SwapError> {
        let were = self.swap_all(parts)?;
        self.public.changes += 1;
        self.tell(parts);
        Ok(were)
    }
}
