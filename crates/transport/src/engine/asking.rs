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

use hopwright_machine::{Machine, Time};
use hopwright_wire::ip::Ecn;
use hopwright_wire::tcp::{Extra, Flags, Options, Pull, SackBlocks, Segment, Seq};

use super::{Connection, Data, Input, Logic, Output, Role, State};
use crate::mechanisms::conflict::{IDLE, WHY_IDLE};
use crate::mechanisms::{Conflict, NetworkSignal, Recipe, SwapError, acking, offer};
use crate::params::{EcnMode, Params, Place};
use crate::view::near;

/// What a receiver that asks holds beside what any receiver does.
#[derive(Debug)]
pub(super) struct Asking {
    /// The half that asks: a connection whose stream is the peer's.
    half: Box<Connection>,
    /// Whether the peer has said that it waits to be asked.
    is_on: bool,
    /// How far the peer's stream is known to reach: the position after its last byte.
    known: u64,
    /// Timestamps of the peer: the newest, and what was echoed last.
    stamps: Option<(u32, u32)>,
    /// Whether the peer waits for a word: it said something, and had nothing new to say.
    is_called: bool,
    /// Whether the peer has answered a question.
    is_answered: bool,
    /// The acknowledgement of what came in this event, which the half has been shown.
    report: Option<Segment>,
    /// How many outputs there were before this event's requests.
    said_before: usize,
    /// How many changes of the half's mechanisms this end has followed.
    followed: u64,
}

impl Asking {
    pub(super) fn new(recipe: &Recipe, params: &Params, from: u16, to: u16) -> Self {
        let params = Params { place: Place::Sender, explicit_read: false, ecn: EcnMode::Off, ..params.clone() };
        let mut half = Connection::new(recipe, &params, Role::Active, from, to, Seq(0));
        half.logic = Logic::Half;
        half.provide();
        Self {
            half: Box::new(half),
            is_on: false,
            known: 0,
            stamps: None,
            is_called: false,
            is_answered: false,
            report: None,
            said_before: 0,
            followed: 0,
        }
    }

    /// Opens the half as if it had sent the SYN that the peer has just answered.
    fn begin(&mut self, end: &Connection) {
        self.is_on = true;
        let half = &mut *self.half;
        let (now, irs) = (end.public.now, end.receiver.irs);
        let opened = end.public.rtt_sample.map(|rtt| Time::ZERO + (now.since(Time::ZERO) - rtt));
        half.iss = irs;
        half.was_opened = true;
        half.state = State::SynSent;
        half.timed = opened.map(|opened| (1, opened));
        half.timestamps.offset = end.timestamps.offset;
        half.timestamps.since = opened.unwrap_or(Time::ZERO);
        half.public.syn_resent = end.public.syn_resent;
        (half.public.nxt, half.public.max) = (1, 1);
        half.last_sent = now;
        let timestamps = self.stamps.filter(|_| end.timestamps.is_on);
        let every = Options { timestamps, ..Options::default() };
        let answer = Segment {
            source_port: end.remote_port,
            destination_port: end.local_port,
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
        half.outputs.clear();
    }
}

/// What such an end receives by: each arrival is a fact of its own.
pub(super) fn receiving(recipe: &Recipe) -> Recipe {
    Recipe { acking: acking::EVERY, offer: offer::FREE_BUFFER, ..*recipe }
}

/// The number of the SYN that the half is shown; whatever else it is shown bears the next one.
const FED: Seq = Seq(0);

impl Connection {
    /// The half of this end that asks for what it receives; `None` at an end that does not, as its peer does not know how
    /// to be asked.
    #[must_use]
    pub fn asking(&self) -> Option<&Self> {
        match &self.logic {
            Logic::Asks(asking) => Some(&asking.half),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub(super) fn asking_mut(&mut self) -> Option<&mut Self> {
        match &mut self.logic {
            Logic::Asks(asking) => Some(&mut asking.half),
            _ => None,
        }
    }

    /// Lets an end that asks work with its half beside itself; `None` at any other.
    pub(super) fn with_asking<T>(&mut self, act: impl FnOnce(&mut Self, &mut Asking) -> T) -> Option<T> {
        match core::mem::replace(&mut self.logic, Logic::Half) {
            Logic::Asks(mut asking) => {
                let result = act(self, &mut asking);
                self.logic = Logic::Asks(asking);
                Some(result)
            }
            logic => {
                self.logic = logic;
                None
            }
        }
    }

    /// The peer has answered, or confirmed, our SYN: now it is known whether it waits to be asked. If not, this is an end
    /// like any other.
    pub(super) fn settle_logic(&mut self, segment: &Segment) {
        if !matches!(self.logic, Logic::Asks(_)) {
            return;
        }
        if matches!(segment.options.pull, Pull::Holds(_)) {
            return self.note_holdings(segment);
        }
        let Logic::Asks(mut asking) = core::mem::replace(&mut self.logic, Logic::Sender) else { return };
        let recipe = asking.half.recipe();
        for (slot, part) in recipe.parts().into_iter().filter(|(slot, _)| IDLE.contains(slot)) {
            let was = self.slots.put(slot, part, &self.params, &self.public);
            debug_assert!(was.is_ok(), "it was there before");
        }
        self.receiver.known_window = None;
        self.adaptation = asking.half.adaptation.take();
        self.measured = asking.half.measured;
        self.provide();
    }

    /// What an acceptable segment of the peer says to an end that asks.
    #[inline(never)]
    pub(super) fn note_holdings(&mut self, segment: &Segment) {
        let (irs, now_at) = (self.receiver.irs, self.input.next);
        let (una, has_flight) = (self.public.una, self.public.flight() > 0);
        let Logic::Asks(asking) = &mut self.logic else { return };
        if let Some((value, echo)) = segment.options.timestamps {
            let newest = asking.stamps.map_or(value, |(known, _)| later(known, value));
            asking.stamps = Some((newest, echo));
        }
        let Pull::Holds(end) = segment.options.pull else { return };
        asking.known = asking.known.max(near(irs, now_at, end).unwrap_or(0));
        let is_empty = segment.sequence_length() == 0;
        asking.is_answered = is_empty && segment.flags.has(Flags::PSH);
        let acknowledges = near(self.iss, una, segment.ack).is_some_and(|ack| ack > una);
        asking.is_called = is_empty && !asking.is_answered && !acknowledges && !has_flight; // what is said of our own data is no call
    }

    /// Shows the half that asks what came, and asks for what that would send. Whether what came is acknowledged besides,
    /// `settle_report` says.
    pub(super) fn ask(&mut self, asking: &mut Asking) {
        let (now, has_peer) = (self.public.now, self.has_peer());
        if !asking.is_on && asking.known > 0 && has_peer {
            asking.begin(self);
        }
        asking.said_before = self.outputs.len();
        let half = &mut *asking.half;
        half.public.rtt_sample = None;
        if !asking.is_on {
            return;
        }
        let unknown = asking.known - half.out.end().min(asking.known);
        if unknown > 0 {
            half.handle(now, Input::Write(Data::Count(unknown)));
        }
        let is_answered = core::mem::take(&mut asking.is_answered) && half.awaits_answer;
        asking.report = (self.receiver.ack_now || is_answered).then(|| {
            let report = self.bare_segment();
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
        if half.public.changes != asking.followed {
            asking.followed = half.public.changes;
            self.follow(half);
        }
    }

    /// Takes over the half's mechanisms: some work where data come, and what this end sends itself goes by them, too.
    fn follow(&mut self, half: &Self) {
        let ours = self.slots.filled();
        let theirs = half.slots.filled();
        for (new, _) in theirs.iter().zip(ours).filter(|(new, old)| new.part != old.part && !IDLE.contains(&new.slot)) {
            if let Ok(was) = self.slots.put(new.slot, new.part, &self.params, &self.public) {
                self.provide();
                self.settle_swap(new.slot, was);
            }
        }
        self.receiver.known_window = None;
    }

    /// Acknowledges what came, if nothing that left says so and nothing will: the peer shall forget it.
    pub(super) fn settle_report(&mut self, asking: &mut Asking) {
        let is_silent = self.outputs.len() == asking.said_before;
        let report = asking.report.take();
        let is_called = core::mem::take(&mut asking.is_called);
        let asks = asking.is_on && self.has_peer();
        self.timers.ask = if asks { asking.half.deadline() } else { Time::NEVER };
        let is_idle = !asks || asking.half.public.flight() == 0;
        if !asking.is_on || !is_silent || !is_idle {
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

    /// An acknowledgement that does not leave as it is.
    #[inline(never)]
    pub(super) fn bare_segment(&mut self) -> Segment {
        self.segment(self.next_acceptable(), 0, Flags::ACK)
    }

    /// Asks the peer for what the half would send. Where that would send nothing but a question, so is this.
    fn push_request(&mut self, segment: &Segment) {
        let bytes = segment.payload_bytes;
        let from = if bytes > 0 { segment.seq } else { self.receiver.seq(self.input.next) };
        let mut request = self.bare_segment();
        request.options.sack = SackBlocks::default(); // the peer keeps no account of it
        request.options.extra = Extra::default();
        request.options.pull = Pull::Request { from, bytes: bytes.min(u16::MAX.into()) as u16 };
        self.push(request);
    }

    /// Shows the half that asks what is said of the path.
    pub(super) fn signal_asking(&mut self, signal: NetworkSignal) {
        let now = self.public.now;
        if let Some(half) = self.asking_mut()
            && !matches!(signal, NetworkSignal::Stamp(..) | NetworkSignal::Corrupted(_))
        {
            half.handle(now, Input::Signal(signal)); // the others are about what came, not about what is asked for
        }
    }

    /// Puts mechanisms into slots of an end that asks.
    pub(super) fn swap_asking(&mut self, changes: &[(&str, &str)]) -> Result<Vec<&'static str>, SwapError> {
        if let Some(&(slot, part)) = changes.iter().find(|(slot, _)| IDLE.contains(slot)) {
            return Err(idle(slot, part)?.into());
        }
        let swapped = self.with_asking(|end, asking| {
            let were = asking.half.swap_at_receiver(changes)?;
            end.follow(&asking.half);
            Ok(were)
        });
        swapped.expect("asked of ends that ask")
    }

    /// The same, of the half.
    fn swap_at_receiver(&mut self, changes: &[(&str, &str)]) -> Result<Vec<&'static str>, SwapError> {
        let mut recipe = self.recipe();
        for (slot, part) in changes {
            recipe = recipe.with(slot, part).map_err(|why| SwapError::unknown(slot, part, why))?;
        }
        recipe.check_place(&Params { place: Place::Receiver, ..self.params.clone() })?;
        self.swap_all(changes)
    }

    /// The connection whose mechanisms decide what this end sends or asks for.
    pub(super) fn deciding(&self) -> &Self {
        self.asking().unwrap_or(self)
    }
}

fn idle(slot: &str, part: &str) -> Result<Conflict, SwapError> {
    let found = crate::mechanisms::look_up(slot, part).map_err(|why| SwapError::unknown(slot, part, why))?;
    Ok(Conflict { slot: found.slot, part: found.part, reason: WHY_IDLE.to_owned() })
}

/// The later of two timestamps, in circular order (RFC 7323 §5.2).
const fn later(a: u32, b: u32) -> u32 {
    if (b.wrapping_sub(a) as i32) > 0 { b } else { a }
}
