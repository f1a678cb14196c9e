//! The link as a machine.
//!
//! Spec      The server takes the next packet when the one before has left; its last bit leaves when the rate, or the
//!           opportunities, have sent all of it; it arrives after the delay, or should:
//!           one that is lost is so when it comes, damaged
//! Holds     what is offered arrives, is lost, is dropped or is held; where order is kept, packets arrive in the order in
//!           which they were offered

use std::collections::VecDeque;

use hopwright_machine::{Duration, Machine, NodeId, Purpose, Stream, Time};

use crate::loss::{Losing, Loss};
use crate::queue::{Queue, Waiters};
use crate::rate::{Course, Rate};

/// What a link is like.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// How fast it sends.
    pub rate: Rate,
    /// How long the way takes.
    pub delay: Duration,
    /// How much longer or shorter for each packet.
    pub jitter: Jitter,
    /// What is lost on it.
    pub loss: Loss,
    /// What waits for it.
    pub queue: Queue,
}

impl Default for Config {
    fn default() -> Self {
        let (jitter, loss, queue) = (Jitter::default(), Loss::default(), Queue::default());
        Self { rate: Rate::Unlimited, delay: Duration::ZERO, jitter, loss, queue }
    }
}

/// How the delay differs from packet to packet.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Jitter {
    /// By what part of the delay.
    pub share: f64,
    /// How that is drawn.
    pub law: JitterLaw,
    /// Whether a packet may overtake another.
    pub reorders: bool,
}

/// How a delay is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum JitterLaw {
    /// Evenly, up to the share more or less.
    #[default]
    Uniform,
    /// From the normal distribution with the share as its standard deviation, not below zero.
    Normal,
}

/// The random numbers of a link.
#[derive(Debug)]
pub struct Streams {
    rate: Stream,
    loss: Stream,
    jitter: Stream,
}

impl Streams {
    /// Those of a link with this number in the run with this seed.
    #[must_use]
    pub fn new(seed: u64, link: u32) -> Self {
        let of = |purpose| Stream::new(seed, NodeId(link), purpose);
        Self { rate: of(Purpose::LinkRate), loss: of(Purpose::LinkLoss), jitter: of(Purpose::LinkDelay) }
    }
}

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
}

/// One direction of a link, or both where they share it.
#[derive(Debug)]
pub struct Link<P> {
    delay: Duration,
    jitter: Jitter,
    course: Course,
    losing: Losing,
    stream: Stream,
    waiters: Waiters<P>,
    sending: Option<Sending<P>>,
    /// The next opportunity, and what is left of it once it has come and was begun.
    opportunity: (u64, u32),
    /// What is on its way, the next to arrive first, and whether it will not be understood there.
    under_way: VecDeque<(Time, P, bool)>,
    outputs: VecDeque<Output<P>>,
}

impl<P> Link<P> {
    /// A link that nothing has been offered to.
    #[must_use]
    pub fn new(config: Config, streams: Streams) -> Self {
        let Config { rate, delay, jitter, loss, queue } = config;
        Self {
            delay,
            jitter,
            course: Course::new(rate, streams.rate),
            losing: Losing::new(loss, streams.loss),
            stream: streams.jitter,
            waiters: Waiters::new(queue),
            sending: None,
            opportunity: (0, 0),
            under_way: VecDeque::new(),
            outputs: VecDeque::new(),
        }
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
        self.waiting().chain(sending).chain(self.under_way.iter().map(|(_, packet, _)| packet))
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
            let arrives = self.under_way.front().map_or(Time::NEVER, |(at, ..)| *at);
            if arrives <= leaves && arrives <= now {
                let next = self.under_way.pop_front();
                self.outputs.extend(next.map(|(_, packet, is_lost)| match is_lost {
                    true => Output::Gone(packet, Why::Lost),
                    false => Output::Arrived(packet),
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
        if let Rate::Trace(record) = self.course.rate() {
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
        let Sending { packet, bytes, .. } = sending;
        let is_lost = self.losing.takes(bytes);
        let arrives = at + self.way();
        self.set_out(arrives, packet, is_lost);
        self.serve(at, false);
        if self.sending.is_none() && self.opportunity.1 > 0 {
            self.opportunity = (self.opportunity.0 + 1, 0); // nobody uses what is left of it
        }
    }

    /// Takes the next packet that waits, if there is one. `was_idle`: opportunities went by unused.
    fn serve(&mut self, now: Time, was_idle: bool) {
        let Self { waiters, outputs, .. } = self;
        let next = waiters.pop(now, |packet| outputs.push_back(Output::Gone(packet, Why::Late)));
        let Some((packet, bytes)) = next else { return };
        if was_idle && let Rate::Trace(record) = self.course.rate() {
            self.opportunity.0 = self.opportunity.0.max(record.after(now));
        }
        self.send(now, packet, bytes, f64::from(bytes) * 8.0);
    }

    /// Sends what is left of a packet.
    fn send(&mut self, now: Time, packet: P, bytes: u32, bits: f64) {
        let (at, left) = match self.course.rate() {
            Rate::Trace(record) => {
                let goes_on = self.opportunity.1 > 0; // of the opportunity at hand
                let left = (bits / 8.0).ceil() as u32 + record.overhead_bytes;
                (if goes_on { now } else { record.at(self.opportunity.0) }, left)
            }
            _ => (self.course.end(now, bits).unwrap_or(now), 0),
        };
        self.sending = Some(Sending { packet, bytes, at, since: (now, bits), left });
    }

    /// How many bits of a packet have not been sent yet.
    fn left(&mut self, sending: &Sending<P>, now: Time) -> f64 {
        let (since, bits) = sending.since;
        match self.course.rate() {
            Rate::Trace(_) => f64::from(sending.left.min(sending.bytes)) * 8.0,
            _ => (bits - self.course.sent(since, now)).max(0.0),
        }
    }

    /// How long the way takes for the next packet.
    fn way(&mut self) -> Duration {
        let Jitter { share, law, .. } = self.jitter;
        if share == 0.0 {
            return self.delay;
        }
        let drawn = match law {
            JitterLaw::Uniform => 2.0 * self.stream.unit() - 1.0,
            JitterLaw::Normal => self.stream.normals().0,
        };
        Duration::from_secs_f64(self.delay.as_secs_f64() * (1.0 + share * drawn))
    }

    fn set_out(&mut self, arrives: Time, packet: P, is_lost: bool) {
        let last = self.under_way.back().map_or(Time::ZERO, |(at, ..)| *at);
        if self.jitter.reorders && arrives < last {
            let place = self.under_way.partition_point(|(at, ..)| *at <= arrives);
            self.under_way.insert(place, (arrives, packet, is_lost));
        } else {
            self.under_way.push_back((arrives.max(last), packet, is_lost));
        }
    }

    fn reshape(&mut self, now: Time, config: Config) {
        let Config { rate, delay, jitter, loss, queue } = config;
        (self.delay, self.jitter) = (delay, jitter);
        self.losing.set(loss);
        self.waiters.set(queue);
        if *self.course.rate() == rate {
            return;
        }
        let sending = self.sending.take();
        let left = sending.as_ref().map_or(0.0, |sending| self.left(sending, now));
        self.course.set(rate, now);
        self.opportunity = (0, 0);
        if let Rate::Trace(record) = self.course.rate() {
            self.opportunity.0 = record.after(now);
        }
        if let Some(Sending { packet, bytes, .. }) = sending {
            self.send(now, packet, bytes, left); // what has left has left
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
        let leaves = self.sending.as_ref().map_or(Time::NEVER, |sending| sending.at);
        self.under_way.front().map_or(leaves, |(at, ..)| leaves.min(*at))
    }
}
