//! The link as a machine.
//!
//! Spec      The server takes the next packet when the one before has left; its last bit leaves when the rate, or the
//!           opportunities, have sent all of it; it arrives after the delay, or should:
//!           one that is lost is so when it comes, damaged
//! Holds     what is offered arrives, is lost, is dropped or is held; where order is kept, packets arrive in the order in
//!           which they were offered

use std::collections::VecDeque;

use hopwright_machine::{Duration, Machine, Stream, Time};

use crate::config::{Config, Streams};
use crate::delay::Delaying;
use crate::follow::Follower;
use crate::loss::Losing;
use crate::queue::Waiters;
use crate::rate::{Course, Rate};
use crate::reorder::Order;
use crate::under_way::{Fate, UnderWay};

/// What can happen to a link.
#[derive(Debug)]
pub enum Input<P> {
    /// A packet comes, of so many bytes with its IP header.
    Offer {
        /// The packet.
        packet: P,
        /// Its length.
        bytes: u32,
    },
    /// The deadline came. Harmless if it has not.
    Wake,
    /// It is another link from now on. What is on its way arrives as it would have.
    Reshape(Box<Config>),
    /// Everything that waits or is being sent is lost.
    Clear,
}

/// What becomes of packets.
#[derive(Debug, PartialEq, Eq)]
pub enum Output<P> {
    /// It has arrived.
    Arrived(P),
    /// It has arrived, and a copy of it right behind.
    ArrivedTwice(P),
    /// It has not, and will not.
    Gone(P, Why),
}

/// Why a packet is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It found the queue full.
    Full,
    /// It had waited too long (CoDel).
    Late,
    /// It was damaged on its way: told when it comes.
    Lost,
    /// The link was taken away from it.
    Cleared,
}

/// A packet that is being sent.
#[derive(Debug)]
struct Sending<P> {
    packet: P,
    bytes: u32,
    /// When its last bit leaves, or the opportunity that sends more of it.
    at: Time,
    /// Since when it has been sent at the rate of now, and how many bits were left then.
    since: (Time, f64),
    /// Bytes that opportunities have yet to send.
    left: u32,
    /// The pipe that it takes, where each packet takes its own.
    pipe: Option<usize>,
}

/// One direction of a link, or both where they share it.
#[derive(Debug)]
pub struct Link<P> {
    course: Course,
    delaying: Delaying,
    /// Whether a packet may overtake another that has another delay.
    reorders: bool,
    losing: Losing,
    order: Order,
    copies: f64,
    copying: Stream,
    waiters: Waiters<P>,
    sending: Option<Sending<P>>,
    /// Whether nothing ever waits: what comes sets out at once.
    is_open: bool,
    /// The next opportunity, and what is left of it once it has come and was begun.
    opportunity: (u64, u32),
    under_way: UnderWay<P>,
    outputs: VecDeque<Output<P>>,
    /// What it follows, and its rate where a pipe has none.
    profile: Option<Box<(Follower, Rate)>>,
    /// When the profile's next pipe begins.
    next_pipe: Time,
    picking: Stream,
}

impl<P> Link<P> {
    /// A link that nothing has been offered to.
    #[must_use]
    pub fn new(config: Config, streams: Streams) -> Self {
        let Config { rate, delay, jitter, loss, queue, reordering, copies, profile } = config;
        let mut link = Self {
            delaying: Delaying::new(delay, jitter, loss.goes_by_delay(), streams.jitter),
            reorders: jitter.reorders,
            course: Course::new(rate.clone(), streams.rate),
            losing: Losing::new(loss, streams.loss),
            order: Order::new(reordering, streams.order),
            copies,
            copying: streams.copies,
            waiters: Waiters::new(queue),
            sending: None,
            is_open: false,
            opportunity: (0, 0),
            under_way: UnderWay::new(),
            outputs: VecDeque::new(),
            profile: profile.map(|following| Box::new((Follower::new(following, Time::ZERO), rate))),
            next_pipe: Time::NEVER,
            picking: streams.pipes,
        };
        link.begin_pipe(Time::ZERO, None);
        link
    }

    /// Packets that wait; the one that is being sent is none of them.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.waiters.len()
    }

    /// Whether a packet that comes now would be taken.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.waiters.has_room(self.sending.is_none())
    }

    /// The packets that wait, the next to be sent first.
    pub fn waiting(&self) -> impl Iterator<Item = &P> {
        self.waiters.packets()
    }

    /// The packets that wait, are being sent, or are on their way.
    pub fn packets(&self) -> impl Iterator<Item = &P> {
        let sending = self.sending.iter().map(|sending| &sending.packet);
        self.waiting().chain(sending).chain(self.under_way.packets())
    }

    /// How many packets wait, are being sent, or are on their way.
    #[must_use]
    pub fn held(&self) -> usize {
        self.waiters.len() + usize::from(self.sending.is_some()) + self.under_way.len() + self.outputs.len()
    }

    /// Does what is due at `now`, in the order of the times at which it is.
    fn advance(&mut self, now: Time) {
        loop {
            let leaves = self.sending.as_ref().map_or(Time::NEVER, |sending| sending.at);
            let arrives = self.under_way.next();
            if self.next_pipe <= now && self.next_pipe <= leaves {
                self.go_on(now);
            } else if arrives <= leaves && arrives <= now {
                let next = self.under_way.pop();
                self.outputs.extend(next.map(|(packet, fate)| match fate {
                    Fate::Arrives => Output::Arrived(packet),
                    Fate::ArrivesTwice => Output::ArrivedTwice(packet),
                    Fate::Lost => Output::Gone(packet, Why::Lost),
                }));
            } else if leaves <= now {
                self.leave(leaves);
            } else {
                return;
            }
        }
    }

    /// The last bit of what is being sent leaves, or an opportunity comes for more of it.
    fn leave(&mut self, at: Time) {
        let Some(mut sending) = self.sending.take() else { return };
        if let (Rate::Trace(record), None) = (self.course.rate(), self.own_bps(sending.pipe)) {
            let room = if self.opportunity.1 > 0 { self.opportunity.1 } else { record.bytes };
            let sent = sending.left.min(room);
            sending.left -= sent;
            self.opportunity.1 = room - sent;
            if self.opportunity.1 == 0 {
                self.opportunity.0 += 1;
            }
            if sending.left > 0 {
                sending.at = record.at(self.opportunity.0);
                self.sending = Some(sending);
                return;
            }
        }
        let Sending { packet, bytes, pipe, .. } = sending;
        if let Some(pipe) = pipe {
            self.take_pipe(pipe);
        }
        self.set_out(at, packet, bytes);
        self.serve(at, false);
        if self.sending.is_none() && self.opportunity.1 > 0 {
            self.opportunity = (self.opportunity.0 + 1, 0); // nobody uses what is left of it
        }
    }

    /// A packet sets out on its way.
    fn set_out(&mut self, at: Time, packet: P, bytes: u32) {
        let (way, latent) = self.delaying.next();
        let is_lost = self.losing.takes(bytes, latent);
        let is_twice = self.copies > 0.0 && self.copying.unit() < self.copies;
        let fate = match (is_lost, is_twice) {
            (true, _) => Fate::Lost,
            (false, true) => Fate::ArrivesTwice,
            (false, false) => Fate::Arrives,
        };
        let is_ahead = self.order.goes_ahead();
        let arrives = if is_ahead { at } else { at + way + self.losing.extra() };
        self.under_way.push(arrives, self.reorders || is_ahead, packet, fate);
    }

    /// Takes the next packet that waits, if there is one. `was_idle`: opportunities went by unused.
    fn serve(&mut self, now: Time, was_idle: bool) {
        let Self { waiters, outputs, .. } = self;
        let next = waiters.pop(now, |packet| outputs.push_back(Output::Gone(packet, Why::Late)));
        let Some((packet, bytes)) = next else { return };
        if was_idle && let Rate::Trace(record) = self.course.rate() {
            self.opportunity.0 = self.opportunity.0.max(record.after(now));
        }
        let pipe = self.pick();
        self.send(now, packet, bytes, f64::from(bytes) * 8.0, pipe);
    }

    /// Sends what is left of a packet.
    fn send(&mut self, now: Time, packet: P, bytes: u32, bits: f64, pipe: Option<usize>) {
        let (at, left) = match (self.own_bps(pipe), self.course.rate()) {
            (Some(bps), _) => (now + Duration::from_secs_f64(bits / bps), 0),
            (None, Rate::Trace(record)) => {
                let goes_on = self.opportunity.1 > 0; // of the opportunity at hand
                let left = (bits / 8.0).ceil() as u32 + record.overhead_bytes;
                (if goes_on { now } else { record.at(self.opportunity.0) }, left)
            }
            _ => (self.course.end(now, bits).unwrap_or(now), 0),
        };
        self.sending = Some(Sending { packet, bytes, at, since: (now, bits), left, pipe });
    }

    /// How many bits of a packet have not been sent yet.
    fn left(&mut self, sending: &Sending<P>, now: Time) -> f64 {
        let (since, bits) = sending.since;
        match (self.own_bps(sending.pipe), self.course.rate()) {
            (Some(bps), _) => (bits - bps * now.since(since).as_secs_f64()).max(0.0),
            (None, Rate::Trace(_)) => f64::from(sending.left.min(sending.bytes)) * 8.0,
            _ => (bits - self.course.sent(since, now)).max(0.0),
        }
    }

    fn reshape(&mut self, now: Time, config: Config) {
        let Config { rate, delay, jitter, loss, queue, reordering, copies, profile } = config;
        let goes_on = self.profile.as_ref().map(|follows| &follows.0.following) == profile.as_ref();
        let halted = if goes_on { None } else { self.halt(now) };
        self.delaying.set(delay, jitter, loss.goes_by_delay());
        self.reorders = jitter.reorders;
        self.losing.set(loss);
        self.order.set(reordering);
        self.copies = copies;
        self.waiters.set(queue);
        if !goes_on {
            self.profile = profile.map(|following| Box::new((Follower::new(following, now), Rate::Unlimited)));
        }
        self.begin_pipe(now, Some(rate));
        if let Some((packet, bytes, left, _)) = halted {
            let pipe = self.pick();
            self.send(now, packet, bytes, left, pipe);
        }
    }

    /// The link's own rate, if it is given, and a pipe of the profile begin: what the pipe says holds.
    fn begin_pipe(&mut self, now: Time, own: Option<Rate>) {
        let Some((follower, base)) = self.profile.as_deref_mut() else {
            self.next_pipe = Time::NEVER;
            own.into_iter().for_each(|rate| self.set_rate(now, rate));
            self.is_open = *self.course.rate() == Rate::Unlimited;
            return;
        };
        *base = own.unwrap_or_else(|| base.clone());
        self.next_pipe = follower.until;
        let of_pipe = follower.is_in_turn().then_some(follower.place);
        let rate =
            of_pipe.and_then(|place| follower.following.rate_bps(place)).map_or_else(|| base.clone(), Rate::Fixed);
        of_pipe.into_iter().for_each(|place| self.take_pipe(place));
        self.set_rate(now, rate);
        self.is_open = of_pipe.is_some() && *self.course.rate() == Rate::Unlimited;
    }

    /// The profile's next pipe begins. While nothing is sent, several may have passed by.
    fn go_on(&mut self, now: Time) {
        let at = if self.sending.is_some() { self.next_pipe } else { now };
        if let Some((follower, _)) = self.profile.as_deref_mut() {
            follower.go_on(at);
        }
        self.begin_pipe(at, None);
    }

    /// Delay and losses are those of a pipe.
    fn take_pipe(&mut self, place: usize) {
        let Some((follower, _)) = self.profile.as_deref() else { return };
        self.delaying.delay = follower.following.delay(place);
        self.losing.set_probability(follower.following.loss(place));
    }

    /// The pipe of the next packet, where each takes its own.
    fn pick(&mut self) -> Option<usize> {
        let (follower, _) = self.profile.as_deref()?;
        follower.pick(&mut self.picking)
    }

    /// The rate of the pipe that a packet takes.
    fn own_bps(&self, pipe: Option<usize>) -> Option<f64> {
        let (follower, _) = self.profile.as_deref()?;
        follower.following.rate_bps(pipe?)
    }

    /// Takes what is being sent out of the server: its length, how many bits of it are left, and its pipe.
    fn halt(&mut self, now: Time) -> Option<(P, u32, f64, Option<usize>)> {
        let sending = self.sending.take()?;
        let left = self.left(&sending, now);
        Some((sending.packet, sending.bytes, left, sending.pipe))
    }

    /// Another rate from now on: what has left has left.
    fn set_rate(&mut self, now: Time, rate: Rate) {
        if *self.course.rate() == rate {
            return;
        }
        let halted = self.halt(now);
        self.course.set(rate, now);
        self.opportunity = (0, 0);
        if let Rate::Trace(record) = self.course.rate() {
            self.opportunity.0 = record.after(now);
        }
        if let Some((packet, bytes, left, pipe)) = halted {
            self.send(now, packet, bytes, left, pipe);
        }
    }
}

impl<P> Machine for Link<P> {
    type Input<'a> = Input<P>;
    type Output = Output<P>;

    fn handle(&mut self, now: Time, input: Input<P>) {
        self.advance(now);
        match input {
            Input::Wake => {}
            Input::Offer { packet, bytes } => {
                let is_idle = self.sending.is_none();
                if is_idle && self.is_open {
                    self.waiters.let_pass(bytes);
                    self.set_out(now, packet, bytes);
                    return self.advance(now);
                }
                if let Err(packet) = self.waiters.push(now, packet, bytes, is_idle) {
                    self.outputs.push_back(Output::Gone(packet, Why::Full));
                }
                if self.sending.is_none() {
                    self.serve(now, true);
                    self.advance(now);
                }
            }
            Input::Reshape(config) => {
                self.reshape(now, *config);
                self.advance(now);
            }
            Input::Clear => {
                let sending = self.sending.take().map(|sending| sending.packet);
                self.opportunity.1 = 0;
                let all = sending.into_iter().chain(self.waiters.clear());
                self.outputs.extend(all.map(|packet| Output::Gone(packet, Why::Cleared)));
            }
        }
    }

    fn poll(&mut self) -> Option<Output<P>> {
        self.outputs.pop_front()
    }

    fn deadline(&self) -> Time {
        // Of a pipe that begins an idle link need not know at once.
        let leaves = self.sending.as_ref().map_or(Time::NEVER, |sending| sending.at.min(self.next_pipe));
        leaves.min(self.under_way.next())
    }
}
