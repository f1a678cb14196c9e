//! The distributed coordination function of one station.
//!
//! A station contends (`access`), then leads an exchange of its own or answers somebody else's (`exchange`).
//! Back-off is computed, never ticked: the station knows since when the medium is idle and how many slots are
//! left; each busy period takes the whole slots before it off. What a station only overhears may therefore be
//! told to it late, as long as it is told in order and before the station next acts.
//!
//! Spec      IEEE 802.11-1999 §9.2; switches of `Config` for ns-2.35's reading of it
//! Deviates  CTS and ACK are waited for until their end plus the propagation allowance, not until their
//!           preamble should have begun (§9.2.5.7), as ns-2 does; no fragmentation
//! Holds     no exchange begins while the physical or virtual carrier is busy; each packet ends as exactly one
//!           of sent, given up, dropped; each packet is delivered once however often its frame is repeated; never, if
//!           its first try was lost and its number is that of the packet received last, 4096 packets ago (§9.2.9)

mod access;
mod exchange;
mod forecast;

use std::collections::VecDeque;
use std::sync::Arc;

use hopwright_machine::{DropCause, Duration, Machine, NodeId, Stream, Time};

use crate::fba::{Fba, Stage};
use crate::queue::{Class, Waiting};
use crate::stamp::Stampers;
use crate::{Config, Frame, Lred, Queue, Stamper};
use access::Backoff;
use exchange::{Current, Exchange, Response};
pub use forecast::Forecast;

/// What can happen to a station. The time of an input is when it happened at the station's antenna.
#[derive(Debug)]
pub enum Input<'a, P> {
    /// A packet to be sent.
    Enqueue {
        /// The packet.
        packet: P,
        /// Its length, bytes.
        bytes: u32,
        /// The next hop; `None` for everyone.
        next_hop: Option<NodeId>,
        /// What it is to the queue.
        class: Class,
    },
    /// Take out of the queue, and report as dropped, what waits for this next hop.
    Purge(NodeId),
    /// Take out of the queue, and give back, what waits for this next hop.
    Reclaim(NodeId),
    /// The physical carrier is busy from now until then.
    Carrier {
        /// Until when, as far as known.
        until: Time,
    },
    /// Another frame overlaps the one in reception until then, without harm (ns-2: it holds the medium for EIFS
    /// after its end).
    Held {
        /// The end of that frame.
        until: Time,
    },
    /// A frame for this station, or for everyone, has been received.
    Received(&'a Frame<P>),
    /// A frame for another station has been received; its Duration field.
    Overheard(Duration),
    /// A reception has ended in error.
    Failed,
    /// The station goes off: whatever it has is dropped (`NodeDown`), what it was doing and heard is forgotten.
    ShutDown,
    /// Whoever had to know of a packet that was given up does: the next may be served.
    Resume,
    /// The deadline may have come.
    Wake,
}

/// What a station wants done.
#[derive(Debug, PartialEq, Eq)]
pub enum Output<P> {
    /// Put this frame on the air now.
    Transmit(Frame<P>),
    /// A packet has arrived.
    Deliver {
        /// The packet.
        packet: P,
        /// The station it came from.
        from: NodeId,
    },
    /// A packet has been sent: acknowledged, or broadcast.
    Sent {
        /// The packet.
        packet: P,
        /// Where it went; `None` for everyone.
        next_hop: Option<NodeId>,
    },
    /// A packet has been given up after the retry limit.
    GaveUp {
        /// The packet.
        packet: P,
        /// The station that did not answer.
        next_hop: NodeId,
        /// `RetryLimitRts` or `RetryLimitData`.
        cause: DropCause,
    },
    /// A packet has been dropped without being tried.
    Dropped {
        /// The packet.
        packet: P,
        /// Where it was to go; `None` for everyone.
        next_hop: Option<NodeId>,
        /// `QueueFull`, `LinkRed`, `NextHopLost` or `NodeDown`.
        cause: DropCause,
    },
    /// A packet that waited in the queue is given back, as asked.
    Reclaimed {
        /// The packet.
        packet: P,
        /// The station it waited for.
        next_hop: NodeId,
    },
    /// By its number, a packet that was delivered before has arrived again. It has been acknowledged again.
    Repeated {
        /// The packet.
        packet: P,
        /// The station it came from.
        from: NodeId,
    },
}

/// Where back-off counters come from.
#[derive(Debug)]
pub enum Draws {
    /// The station's random stream.
    Random(Box<Stream>),
    /// A list, to replay a trace; when it is used up, zero.
    Scripted(VecDeque<u32>),
}

impl Draws {
    fn below(&mut self, n: u32) -> u32 {
        match self {
            Self::Random(stream) => stream.below(n),
            Self::Scripted(list) => list.pop_front().unwrap_or(0),
        }
    }
}

/// One station.
#[derive(Debug)]
pub struct Dcf<P> {
    config: Arc<Config>,
    me: NodeId,
    draws: Draws,
    queue: Queue<P>,
    lred: Option<Box<Lred<P>>>,
    stampers: Stampers<P>,
    current: Option<Current<P>>,

    /// Contention window.
    cw: u32,
    /// What makes it, if not binary exponential back-off.
    fba: Option<Box<Fba>>,
    /// Failed tries of frames up to the RTS threshold, RTS included.
    short_retries: u32,
    /// Failed tries of longer frames.
    long_retries: u32,

    /// The physical carrier is busy until then.
    carrier_until: Time,
    /// The virtual carrier is busy until then (NAV).
    nav_until: Time,
    /// The station takes part in an exchange that another leads until then.
    own_until: Time,
    /// Its last frame is in the air until then.
    transmit_until: Time,
    /// The space after the medium has become idle: DIFS, or EIFS after an error.
    space: Duration,
    backoff: Option<Backoff>,

    exchange: Exchange,
    /// A packet was given up, and the queue rests until others know: they may want to have what waits for that hop.
    awaits: bool,
    response: Option<Response>,
    /// Sequence number of the next packet.
    sequence: u16,
    /// Last sequence number received from each station (802.11 §9.2.9).
    heard: Vec<(NodeId, u16)>,
    out: VecDeque<Output<P>>,
}

impl<P: Clone> Dcf<P> {
    /// A station that has nothing to send and has heard nothing.
    #[must_use]
    pub fn new(config: Arc<Config>, me: NodeId, draws: Draws) -> Self {
        Self {
            queue: Queue::new(config.queue_packets, config.queue_discipline),
            cw: config.cw_min,
            fba: config.fba.map(|fba| Box::new(Fba::new(fba))),
            space: config.difs,
            config,
            me,
            draws,
            lred: None,
            stampers: Stampers::new(Vec::new()),
            current: None,
            short_retries: 0,
            long_retries: 0,
            carrier_until: Time::ZERO,
            nav_until: Time::ZERO,
            own_until: Time::ZERO,
            transmit_until: Time::ZERO,
            backoff: None,
            exchange: Exchange::None,
            awaits: false,
            response: None,
            sequence: 0,
            heard: Vec::new(),
            out: VecDeque::with_capacity(8),
        }
    }

    /// The same station with Link RED or adaptive pacing.
    #[must_use]
    pub fn with_lred(self, lred: Lred<P>) -> Self {
        Self { lred: Some(Box::new(lred)), ..self }
    }

    /// The same station, which shows these what passes.
    #[must_use]
    pub fn with_stampers(self, stampers: Vec<Box<dyn Stamper<P>>>) -> Self {
        Self { stampers: Stampers::new(stampers), ..self }
    }

    /// Packets in the interface queue, without the one in service.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    /// Packets in the station: queued and in service.
    #[must_use]
    pub fn held(&self) -> usize {
        self.queue.len() + usize::from(self.current.is_some())
    }

    /// The packet in service.
    #[must_use]
    pub fn serving(&self) -> Option<&P> {
        self.current.as_ref().map(exchange::Current::packet)
    }

    /// Whether the frame with it waits for a CTS.
    #[must_use]
    pub fn asks_first(&self) -> bool {
        self.current.as_ref().is_some_and(|current| current.needs_rts(&self.config))
    }

    /// Contention window, for observation.
    #[must_use]
    pub const fn contention_window(&self) -> u32 {
        self.cw
    }

    /// The stage of fair back-off, for observation; `None` with another back-off.
    #[must_use]
    pub fn stage(&self) -> Option<Stage> {
        self.fba.as_ref().map(|fba| fba.stage())
    }

    /// Link RED's average of failed tries per packet, for observation; `None` if the station does not keep it.
    #[must_use]
    pub fn retry_average(&self) -> Option<f64> {
        self.lred.as_ref().map(|lred| lred.average())
    }

    /// Whether, as far as the station knows at `now`, the physical or virtual carrier is busy.
    #[must_use]
    pub fn senses_busy(&self, now: Time) -> bool {
        self.carrier_until > now || self.nav_until > now
    }

    /// Whether `poll` would return something.
    #[must_use]
    pub fn has_output(&self) -> bool {
        !self.out.is_empty()
    }

    /// When an exchange or an answer goes on: the deadline of a station that does not contend.
    #[must_use]
    #[inline]
    pub fn timeout(&self) -> Time {
        let response = self.response.as_ref().map_or(Time::NEVER, |r| r.at);
        response.min(self.exchange.until())
    }

    #[inline(never)]
    fn enqueue(&mut self, now: Time, item: Waiting<P>, class: Class) {
        // The queue feeds the MAC one packet at a time; an idle MAC takes the packet at once.
        if self.current.is_none() && self.queue.is_empty() && !self.awaits {
            self.serve(now, item);
            return;
        }
        self.stampers.show(|stamper| stamper.waits(now, &item.packet));
        if let Some(dropped) = self.queue.push(item, class) {
            let Waiting { packet, next_hop, .. } = dropped;
            self.drop(packet, next_hop, DropCause::QueueFull);
        }
    }

    /// A packet is dropped that was never tried, or can be tried no more.
    fn drop(&mut self, packet: P, next_hop: Option<NodeId>, cause: DropCause) {
        self.forget(&packet);
        self.out.push_back(Output::Dropped { packet, next_hop, cause });
    }

    /// A packet has left the queue, and is not served.
    fn forget(&mut self, packet: &P) {
        self.stampers.show(|stamper| stamper.is_gone(packet));
    }

    /// Whether the station rests after giving a packet up, until `Input::Resume`.
    #[must_use]
    pub const fn awaits_resume(&self) -> bool {
        self.awaits
    }

    #[cold]
    fn shut_down(&mut self) {
        self.awaits = false;
        if let Some(lred) = &mut self.lred {
            lred.forget();
        }
        let mut waiting: Vec<_> = self.current.take().map(exchange::Current::into_waiting).into_iter().collect();
        waiting.extend(std::iter::from_fn(|| self.queue.pop()));
        for Waiting { packet, next_hop, .. } in waiting {
            self.drop(packet, next_hop, DropCause::NodeDown);
        }
        (self.cw, self.space) = (self.config.cw_min, self.config.difs);
        self.fba = self.config.fba.map(|fba| Box::new(Fba::new(fba)));
        (self.short_retries, self.long_retries) = (0, 0);
        self.heard.clear();
        self.carrier_until = Time::ZERO;
        self.nav_until = Time::ZERO;
        self.own_until = Time::ZERO;
        self.transmit_until = Time::ZERO;
        (self.backoff, self.exchange, self.response) = (None, Exchange::None, None);
    }

    #[inline(never)]
    fn purge(&mut self, next_hop: NodeId) {
        while let Some(waiting) = self.queue.take_for(next_hop) {
            let (packet, next_hop) = (waiting.packet, Some(next_hop));
            self.drop(packet, next_hop, DropCause::NextHopLost);
        }
    }

    #[inline(never)]
    fn reclaim(&mut self, next_hop: NodeId) {
        while let Some(waiting) = self.queue.take_for(next_hop) {
            self.forget(&waiting.packet);
            self.out.push_back(Output::Reclaimed { packet: waiting.packet, next_hop });
        }
    }
}

impl<P: Clone + 'static> Machine for Dcf<P> {
    type Input<'a> = Input<'a, P>;
    type Output = Output<P>;

    // Most inputs are things overheard, and each call site gives one kind: inlined, only that kind's work is left.
    #[inline(always)]
    fn handle(&mut self, now: Time, input: Input<'_, P>) {
        match input {
            Input::Enqueue { packet, bytes, next_hop, class } => {
                self.enqueue(now, Waiting { packet, bytes, next_hop }, class);
            }
            Input::Purge(next_hop) => self.purge(next_hop),
            Input::Reclaim(next_hop) => self.reclaim(next_hop),
            Input::Carrier { until } => self.on_carrier(now, until),
            Input::Held { until } => self.on_held(until),
            Input::Received(frame) => {
                self.space = self.config.difs;
                self.on_received(now, frame);
            }
            Input::Overheard(nav) => {
                self.space = self.config.difs;
                self.nav_until = self.nav_until.max(now + nav);
            }
            Input::Failed => self.on_failed(now),
            Input::ShutDown => self.shut_down(),
            Input::Resume => self.resume(now),
            Input::Wake => self.on_wake(now),
        }
    }

    #[inline]
    fn poll(&mut self) -> Option<Output<P>> {
        let output = self.out.pop_front()?;
        if self.out.is_empty() {
            self.out.clear(); // the next one is put where the last one was: that memory is near
        }
        Some(output)
    }

    /// As far as the station knows. A signal may put it off, or bring it forward if the station waits for EIFS, which a
    /// frame that is received without error cuts short; see `Forecast`.
    #[inline]
    fn deadline(&self) -> Time {
        self.timeout().min(if self.contends() { self.access_at() } else { Time::NEVER })
    }
}

#[cfg(test)]
mod tests;
