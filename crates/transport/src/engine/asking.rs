//! A receiver that asks for its data: the sending half of a connection works at the receiver's end.
//!
//! Spec      Velayutham 2005 §3.2.5 and §3.3 (a mobile host is the seat of all mechanisms, as a receiver, too; the static
//!           host answers requests)
//! Deviates  the document gives no rules. Here a request (a position and a length) leaves where a sender's segment would,
//!           and what the arrival of data would have a receiver acknowledge is the acknowledgement: first byte missing,
//!           what lies beyond it, the round trip from request to data. So every mechanism of a sender works as it is. A
//!           request that was lost and data that were lost look the same
//! Holds     nothing is asked for that the peer does not hold, or that there is no room for. A peer that does not know
//!           the option sends as always, and nobody asks

use std::sync::Arc;

use hopwright_machine::{Machine, Time};
use hopwright_wire::ip::Ecn;
use hopwright_wire::tcp::{Extra, Flags, Options, Pull, SackBlocks, Segment, Seq};

use super::{Connection, Data, Input, Logic, Output, Role, State, near};
use crate::adaptation::Triggers;
use crate::mechanisms::conflict::check_parts;
use crate::mechanisms::{Conflict, Recipe, Signal, SwapError, acking, offer};
use crate::params::{EcnMode, ParamError, Params, Place, Value};

/// What a receiver that asks holds beside what any receiver does.
#[derive(Debug)]
pub(super) struct Asking {
    /// What the half that asks begins with.
    recipe: Recipe,
    params: Params,
    /// The half that asks, once the peer has said that it waits to be asked. Its stream is the peer's.
    half: Option<Box<Connection>>,
    /// How far the peer's stream is known to reach: the position after its last byte.
    known: u64,
    /// Timestamps of the peer: the newest, and what was echoed last.
    stamps: Option<(u32, u32)>,
    /// What was said of the path before there was a half to hear it, the newest of each kind.
    said: Vec<Signal>,
    /// Whether the peer waits for a word: it said something, and had nothing new to say.
    is_called: bool,
    /// The acknowledgement of what came in this event, which the half has been shown.
    report: Option<Segment>,
    /// How many outputs there were before this event's requests.
    said_before: usize,
}

impl Asking {
    pub(super) fn new(recipe: &Recipe, params: &Params) -> Self {
        let params = Params { place: Place::Sender, explicit_read: false, ecn: EcnMode::Off, ..params.clone() };
        Self {
            recipe: *recipe,
            params,
            half: None,
            known: 0,
            stamps: None,
            said: vec![],
            is_called: false,
            report: None,
            said_before: 0,
        }
    }

    /// What the half that asks is made of, or will be.
    fn recipe(&self) -> Recipe {
        self.half.as_ref().map_or(self.recipe, |half| half.recipe())
    }

    /// The connection that asks, as if it sent the peer's stream to the peer, which has just opened.
    fn begin(&mut self, end: &Connection) -> Box<Connection> {
        let (now, irs) = (end.public.now, end.receiver.irs);
        let (from, to) = (end.local_port, end.remote_port);
        let mut half = Connection::new(&self.recipe, &self.params, Role::Active, from, to, irs);
        half.logic = Logic::Half;
        half.provide();
        half.timestamps.offset = end.timestamps.offset;
        let measured = end.public.rtt_sample;
        half.handle(measured.map_or(now, |rtt| Time::ZERO + (now.since(Time::ZERO) - rtt)), Input::Open);
        if measured.is_none() {
            half.forget_timing();
        }
        let timestamps = self.stamps.filter(|_| end.timestamps.is_on);
        let every = Options { timestamps, ..Options::default() };
        let answer = Segment {
            source_port: to,
            destination_port: from,
            seq: FED,
            ack: irs + 1,
            flags: Flags::SYN.with(Flags::ACK),
            window: end.receiver.edge.saturating_sub(end.input.next).min(65535) as u16,
            urgent: 0,
            options: Options {
                window_scale: end.receiver.is_scaled.then_some(end.receiver.shift),
                sack_permitted: end.receiver.sends_sack,
                mss: Some((end.public.mss + every.bytes()).min(65535) as u16),
                ..every
            },
            payload_bytes: 0,
            ecn: Ecn::NotCapable,
        };
        half.handle(now, Input::Segment { segment: &answer, data: &[] });
        half.begin_at(end.input.next);
        for signal in self.said.drain(..) {
            half.handle(now, Input::Signal(signal));
        }
        half.outputs.clear();
        Box::new(half)
    }
}

/// What such an end receives by: each arrival is a fact of its own.
pub(super) fn receiving(recipe: &Recipe) -> Recipe {
    Recipe { acking: acking::EVERY, offer: offer::FREE_BUFFER, ..*recipe }
}

/// The number of the SYN that the half is shown; whatever else it is shown bears the next one.
const FED: Seq = Seq(0);

impl Connection {
    /// The half of this end that asks for what it receives; `None` if the peer sends by its own rules.
    #[must_use]
    pub fn asking(&self) -> Option<&Self> {
        match &self.logic {
            Logic::Asks(asking) => asking.half.as_deref(),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub(super) fn asking_mut(&mut self) -> Option<&mut Self> {
        match &mut self.logic {
            Logic::Asks(asking) => asking.half.as_deref_mut(),
            _ => None,
        }
    }

    /// Its stream begins here: what lies before came otherwise.
    fn begin_at(&mut self, position: u64) {
        if position > 1 {
            self.out.write(Data::Count(position - 1));
            self.out.acknowledge(position);
            let p = &mut self.public;
            (p.una, p.nxt, p.max, p.former_una, p.recover) = (position, position, position, position, position);
            p.round.begin(p.now, position, position);
        }
    }

    /// What an acceptable segment of the peer says to an end that asks.
    #[inline(never)]
    pub(super) fn note_holdings(&mut self, segment: &Segment) {
        let (irs, now_at) = (self.receiver.irs, self.input.next);
        let una = self.public.una;
        let Logic::Asks(asking) = &mut self.logic else { return };
        if let Some((value, echo)) = segment.options.timestamps {
            let newest = asking.stamps.map_or(value, |(known, _)| later(known, value));
            asking.stamps = Some((newest, echo));
        }
        let Pull::Holds(end) = segment.options.pull else { return };
        asking.known = asking.known.max(near(irs, now_at, end).unwrap_or(0));
        let acknowledges = near(self.iss, una, segment.ack).is_some_and(|ack| ack > una);
        asking.is_called = segment.sequence_length() == 0 && !acknowledges;
    }

    /// Shows the half that asks what came, and asks for what that would send. Whether what came is acknowledged besides,
    /// `settle_report` says.
    pub(super) fn ask(&mut self, asking: &mut Asking) {
        let (now, has_peer) = (self.public.now, self.has_peer());
        if asking.half.is_none() && asking.known > 0 && has_peer {
            asking.half = Some(asking.begin(self));
        }
        asking.said_before = self.outputs.len();
        let Some(half) = asking.half.as_deref_mut() else { return };
        let is_answer = asking.is_called && half.awaits_answer;
        asking.report = (self.receiver.ack_now || is_answer).then(|| {
            let report = self.segment(self.next_acceptable(), 0, Flags::ACK);
            self.receiver.forget_duplicate();
            report
        });
        if let Some(report) = &asking.report {
            let options = Options { timestamps: asking.stamps.filter(|_| self.timestamps.is_on), ..report.options };
            let ack = self.receiver.seq(self.input.next.min(asking.known)); // a FIN is not asked for
            let shown = Segment { seq: FED + 1, ack, options, ..*report };
            half.handle(now, Input::Segment { segment: &shown, data: &[] });
        } else if half.deadline() <= now && has_peer {
            half.handle(now, Input::Wake);
        }
        let unknown = asking.known - half.out.end().min(asking.known);
        if unknown > 0 {
            half.handle(now, Input::Write(Data::Count(unknown)));
        }
        if half.public.offer == 0 {
            half.timers.persist = Time::NEVER; // it is our own window: its opening will be seen
        }
        while let Some(output) = half.poll() {
            match output {
                Output::Segment(segment) if has_peer && (segment.payload_bytes > 0 || half.awaits_answer) => {
                    self.push_request(&segment);
                }
                Output::TimedOut if has_peer => return self.on_silent_peer(),
                _ => {}
            }
        }
    }

    /// Acknowledges what came, if nothing that left says so and nothing will: the peer shall forget it.
    pub(super) fn settle_report(&mut self, asking: &mut Asking) {
        let is_silent = self.outputs.len() == asking.said_before;
        let report = asking.report.take();
        let is_called = core::mem::take(&mut asking.is_called);
        let half = asking.half.as_ref().filter(|_| self.has_peer());
        self.timers.ask = half.map_or(Time::NEVER, |half| half.deadline());
        let is_idle = half.is_none_or(|half| half.public.flight() == 0);
        if asking.half.is_none() || !is_silent || !is_idle {
            return;
        }
        match report {
            Some(report) => {
                self.public.pure_acks_sent += 1;
                self.push(report);
            }
            None => self.receiver.ack_now |= is_called && self.state != State::Closed,
        }
    }

    /// Asks the peer for what the half would send. Where that would send nothing but a question, so is this.
    fn push_request(&mut self, segment: &Segment) {
        let bytes = segment.payload_bytes;
        let from = if bytes > 0 { segment.seq } else { self.receiver.seq(self.input.next) };
        let mut request = self.segment(self.next_acceptable(), 0, Flags::ACK);
        request.options.sack = SackBlocks::default(); // the peer keeps no account of it
        request.options.extra = Extra::default();
        request.options.pull = Pull::Request { from, bytes: bytes.min(u16::MAX.into()) as u16 };
        self.push(request);
    }

    /// Shows the half that asks what is said of the path.
    pub(super) fn signal_asking(&mut self, signal: Signal) {
        let now = self.public.now;
        let Logic::Asks(asking) = &mut self.logic else { return };
        if matches!(signal, Signal::Stamp(..) | Signal::Corrupted(_)) {
            return; // they are about what came, not about what is asked for
        }
        if let Some(half) = &mut asking.half {
            return half.handle(now, Input::Signal(signal));
        }
        asking.said.retain(|known| core::mem::discriminant(known) != core::mem::discriminant(&signal));
        asking.said.push(signal);
    }

    /// Puts mechanisms into slots of the half that asks.
    pub(super) fn swap_asking(&mut self, changes: &[(&str, &str)]) -> Result<Vec<&'static str>, SwapError> {
        let (sends_sack, has_timestamps) = (self.receiver.sends_sack, self.timestamps.is_on);
        let Logic::Asks(asking) = &mut self.logic else { unreachable!("asked of ends that ask") };
        if let Some(&(slot, part)) = changes.iter().find(|(slot, _)| IDLE.contains(slot)) {
            return Err(idle(slot, part)?.into());
        }
        let former = asking.recipe();
        let mut recipe = former;
        for (slot, part) in changes {
            recipe = recipe.with(slot, part)?;
        }
        recipe.check_place(&Params { place: Place::Receiver, ..asking.params.clone() })?;
        if let Some(half) = &mut asking.half {
            return half.swap_all(changes);
        }
        check_parts(&recipe.filled(), sends_sack, has_timestamps)?;
        let of = |name: &str| former.parts().into_iter().find(|(slot, _)| *slot == name);
        let were = changes.iter().filter_map(|(slot, _)| Some(of(slot)?.1)).collect();
        asking.recipe = recipe;
        Ok(were)
    }

    /// The half that asks is changed by this table from now on.
    pub(super) fn adapt_asking_by(&mut self, triggers: Option<&Triggers>) {
        let Logic::Asks(asking) = &mut self.logic else { return };
        asking.params.triggers = triggers.cloned().map(Arc::new);
        if let Some(half) = &mut asking.half {
            half.adapt_by(triggers);
        }
    }

    /// The connection whose mechanisms decide what this end sends or asks for.
    pub(super) fn deciding(&self) -> &Self {
        self.asking().unwrap_or(self)
    }

    /// What the half that asks is made of, or will be.
    pub(super) fn asked_recipe(&self) -> Option<Recipe> {
        match &self.logic {
            Logic::Asks(asking) => Some(asking.recipe()),
            _ => None,
        }
    }

    /// The parameters of the half that asks shall have one of another value.
    pub(super) fn set_asking(&mut self, name: &str, value: Value) -> Result<(), ParamError> {
        let Logic::Asks(asking) = &mut self.logic else { return Ok(()) };
        if let Some(half) = &mut asking.half {
            half.params.set(name, value.clone())?;
        }
        asking.params.set(name, value)
    }
}

/// Slots that have nothing to do where a receiver asks: it acknowledges to nobody.
pub(crate) const IDLE: [&str; 2] = ["acking", "offer"];

/// Why such a slot takes no mechanism.
pub(crate) const WHY_IDLE: &str = "has nothing to do where the receiver asks for its data; set place = \"sender\"";

fn idle(slot: &str, part: &str) -> Result<Conflict, SwapError> {
    let found = crate::mechanisms::look_up(slot, part)?;
    Ok(Conflict { slot: found.slot, part: found.part, reason: WHY_IDLE.to_owned() })
}

/// The later of two timestamps, in circular order (RFC 7323 §5.2).
const fn later(a: u32, b: u32) -> u32 {
    if (b.wrapping_sub(a) as i32) > 0 { b } else { a }
}
