//! A station: it comes by the air (`access`), then leads an exchange of its own or answers somebody else's (`frames`).
//!
//! Spec      IEEE 802.11-1999 §9.2; switches of `Config` for ns-2.35's reading of it
//! Deviates  CTS and ACK are waited for until their end plus the propagation allowance, not until their
//!           preamble should have begun (§9.2.5.7), as ns-2 does; no fragmentation
//! Holds     each packet ends as exactly one of sent, given up, dropped; each packet is delivered once however often its
//!           frame is repeated; never, if its first try was lost and its number is that of the packet received last,
//!           4096 packets ago (§9.2.9)

mod frames;
pub(crate) mod service;

use std::fmt::Debug;
use std::sync::Arc;

use hopwright_machine::{DropCause, Machine, NodeId, Time};

use crate::access::Access;
use crate::fba::Stage;
use crate::mac::{Ask, Input, Mac, Output};
use crate::outbox::Outbox;
use crate::queue::{Class, Waiting};
use crate::stamp::Stampers;
use crate::{Config, Draws, Forecast, Frame, FrameKind, Lred, Queue, Stamper};
use frames::Response;
use service::{Current, Exchange, Service};

/// One station that comes by the air in its own way, and exchanges the frames of 802.11.
// In this order, what every event asks is together.
#[derive(Debug)]
#[repr(C)]
pub struct Exchanges<P, A> {
    access: A,
    response: Option<Response>,
    /// A packet was given up, and the queue rests until others know: they may want to have what waits for that hop.
    awaits: bool,
    service: Service<P>,
    out: Outbox<Output<P>>,
    /// To be put on the air now: apart from other outputs, for most of what stations do is to send a frame.
    frame: Option<Frame<P>>,
    config: Arc<Config>,
    me: NodeId,
    lred: Option<Box<Lred<P>>>,
    stampers: Stampers<P>,
    /// Failed tries of frames up to the RTS threshold, RTS included.
    short_retries: u32,
    /// Failed tries of longer frames.
    long_retries: u32,
    /// Sequence number of the next packet.
    sequence: u16,
    /// Last sequence number received from each station (802.11 §9.2.9).
    heard: Vec<(NodeId, u16)>,
}

impl<P: Clone + Debug + Send + 'static, A: Access> Mac<P> for Exchanges<P, A> {
    const IS_GRANTED: bool = A::IS_GRANTED;

    fn new(config: Arc<Config>, me: NodeId, draws: Draws) -> Self {
        Self {
            access: A::new(Arc::clone(&config), draws),
            service: Service {
                queue: Queue::new(config.queue_packets, config.queue_discipline),
                current: None,
                exchange: Exchange::None,
            },
            config,
            me,
            lred: None,
            stampers: Stampers::new(Vec::new()),
            short_retries: 0,
            long_retries: 0,
            awaits: false,
            response: None,
            sequence: 0,
            heard: Vec::new(),
            frame: None,
            out: Outbox::new(),
        }
    }

    fn with_lred(self, lred: Lred<P>) -> Self {
        Self { lred: Some(Box::new(lred)), ..self }
    }

    fn with_stampers(self, stampers: Vec<Box<dyn Stamper<P>>>) -> Self {
        Self { stampers: Stampers::new(stampers), ..self }
    }

    fn hears(&mut self, at: Time) {
        self.stampers.show(|stamper| stamper.hears(at));
    }

    fn queued(&self) -> usize {
        self.service.queue.len()
    }

    fn held(&self) -> usize {
        self.service.held()
    }

    fn serving(&self) -> Option<&P> {
        self.service.current.as_ref().map(Current::packet)
    }

    fn begins_a_try(&self, kind: FrameKind) -> bool {
        match kind {
            FrameKind::Rts => true,
            FrameKind::Data => !self.service.current.as_ref().is_some_and(|current| current.needs_rts(&self.config)),
            FrameKind::Cts | FrameKind::Ack => false,
        }
    }

    fn awaits_resume(&self) -> bool {
        self.awaits
    }

    #[inline]
    fn take_frame(&mut self) -> Option<Frame<P>> {
        self.frame.take()
    }

    #[inline]
    fn has_output(&self) -> bool {
        self.frame.is_some() || !self.out.is_empty()
    }

    #[inline]
    fn is_idle(&self) -> bool {
        self.access.is_idle()
    }

    #[inline]
    fn timeout(&self) -> Time {
        let response = self.response.as_ref().map_or(Time::NEVER, |r| r.at);
        let due = response.min(self.service.exchange.until());
        if A::IS_FORECAST { due } else { due.min(self.access_at()) }
    }

    fn forecast(&self) -> Option<Forecast> {
        if self.service.is_ready() { self.access.forecast() } else { None }
    }

    fn contention_window(&self) -> Option<u32> {
        self.access.contention_window()
    }

    fn stage(&self) -> Option<Stage> {
        self.access.stage()
    }

    fn ask(&self) -> Option<Ask> {
        let current = self.service.current.as_ref()?;
        let (next_hop, lasts) = (current.next_hop(), self.lasts(current));
        Some(Ask { since: self.access.waits_since()?, next_hop, lasts })
    }

    fn has_air(&self) -> bool {
        A::IS_GRANTED && (!matches!(self.service.exchange, Exchange::None) || self.access.at() != Time::NEVER)
    }
}

impl<P: Clone, A: Access> Exchanges<P, A> {
    /// When the station may begin, as far as it knows, if it wants to.
    #[inline]
    fn access_at(&self) -> Time {
        if self.service.is_ready() { self.access.at() } else { Time::NEVER }
    }

    #[inline(never)]
    fn enqueue(&mut self, now: Time, item: Waiting<P>, class: Class) {
        // The queue feeds the MAC one packet at a time; an idle MAC takes the packet at once.
        if self.service.current.is_none() && self.service.queue.is_empty() && !self.awaits {
            self.access.filled();
            self.serve(now, item);
            return;
        }
        self.stampers.show(|stamper| stamper.waits(now, &item.packet));
        if let Some(dropped) = self.service.queue.push(item, class) {
            let Waiting { packet, next_hop, .. } = dropped;
            self.drop(packet, next_hop, DropCause::QueueFull);
        }
    }

    /// A packet is dropped that was never tried, or can be tried no more.
    fn drop(&mut self, packet: P, next_hop: Option<NodeId>, cause: DropCause) {
        self.forget(&packet);
        self.out.push(Output::Dropped { packet, next_hop, cause });
    }

    /// A packet has left the queue, and is not served.
    fn forget(&mut self, packet: &P) {
        self.stampers.show(|stamper| stamper.is_gone(packet));
    }

    #[cold]
    fn shut_down(&mut self) {
        self.awaits = false;
        if let Some(lred) = &mut self.lred {
            lred.forget();
        }
        let mut waiting: Vec<_> = self.service.current.take().map(Current::into_waiting).into_iter().collect();
        waiting.extend(std::iter::from_fn(|| self.service.queue.pop()));
        for Waiting { packet, next_hop, .. } in waiting {
            self.drop(packet, next_hop, DropCause::NodeDown);
        }
        self.access.shut_down();
        (self.short_retries, self.long_retries) = (0, 0);
        self.heard.clear();
        (self.service.exchange, self.response) = (Exchange::None, None);
    }

    #[inline(never)]
    fn purge(&mut self, next_hop: NodeId) {
        while let Some(waiting) = self.service.queue.take_for(next_hop) {
            let (packet, next_hop) = (waiting.packet, Some(next_hop));
            self.drop(packet, next_hop, DropCause::NextHopLost);
        }
    }

    #[inline(never)]
    fn reclaim(&mut self, next_hop: NodeId) {
        while let Some(waiting) = self.service.queue.take_for(next_hop) {
            self.forget(&waiting.packet);
            self.out.push(Output::Reclaimed { packet: waiting.packet, next_hop });
        }
    }
}

impl<P: Clone + 'static, A: Access> Machine for Exchanges<P, A> {
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
            Input::Carrier { until } => self.access.on_carrier(now, until, &self.service),
            Input::Held { until } => self.access.on_held(until),
            Input::Received(frame) => {
                self.access.on_received();
                self.on_received(now, frame);
            }
            Input::Overheard(nav) => self.access.on_overheard(now, nav),
            Input::Failed => self.access.on_failed(now),
            Input::HeardAside { over_at, reserved_until, failed_at } => {
                self.access.on_heard_aside(over_at, reserved_until, failed_at);
            }
            Input::Granted => self.access.granted(now),
            Input::ShutDown => self.shut_down(),
            Input::Resume => self.resume(now),
            Input::Wake => self.on_wake(now),
        }
    }

    #[inline]
    fn poll(&mut self) -> Option<Output<P>> {
        match self.frame.take() {
            Some(frame) => Some(Output::Transmit(frame)),
            None => self.out.pop(),
        }
    }

    /// As far as the station knows. A signal may put it off, or bring it forward if the station waits for EIFS, which a
    /// frame that is received without error cuts short; see `Forecast`.
    #[inline]
    fn deadline(&self) -> Time {
        self.response.as_ref().map_or(Time::NEVER, |r| r.at).min(self.service.exchange.until()).min(self.access_at())
    }
}

#[cfg(test)]
mod tests;
