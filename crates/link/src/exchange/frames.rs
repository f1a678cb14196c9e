//! Frame exchanges: RTS, CTS, DATA, ACK, their time-outs and retries (802.11-1999 §9.2.5, §9.2.8).

use hopwright_machine::{DropCause, Duration, NodeId, Time};

use super::Exchanges;
use super::service::{Current, Exchange};
use crate::access::Access;
use crate::mac::Output;
use crate::pacing::extra_slots;
use crate::queue::Waiting;
use crate::{Frame, FrameKind, RetryCounters, RtsRetries};

/// An answer that leaves one SIFS after the frame it answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Response {
    pub(super) at: Time,
    kind: FrameKind,
    to: NodeId,
    nav: Duration,
}

/// The Duration field counts whole microseconds, rounded up (802.11-1999 §7.1.3.2).
const fn whole_micros(d: Duration) -> Duration {
    Duration::from_micros(d.as_nanos().div_ceil(1000))
}

impl<P: Clone, A: Access> Exchanges<P, A> {
    /// Takes a packet into service, unless Link RED has something against it.
    pub(super) fn serve(&mut self, now: Time, waiting: Waiting<P>) {
        if self.lred.is_some() {
            self.choose(now, waiting);
        } else {
            self.take(now, waiting);
        }
    }

    fn take(&mut self, now: Time, waiting: Waiting<P>) {
        self.sequence = (self.sequence + 1) % 4096;
        if self.config.retry_counters == RetryCounters::PerPacket {
            self.short_retries = 0;
            self.long_retries = 0;
        }
        let current = Current { waiting, sequence: self.sequence, rts_retry: false, data_retry: false };
        let current = self.service.current.insert(current);
        self.stampers.show(|stamper| stamper.is_served(now, current.packet()));
        self.access.wants(now, &self.service);
    }

    #[inline(never)]
    pub(super) fn on_wake(&mut self, now: Time) {
        if self.response.is_some_and(|r| r.at <= now) {
            self.respond(now);
        }
        if self.service.exchange.until() <= now {
            match self.service.exchange {
                Exchange::None => {}
                Exchange::AwaitCts { .. } => self.on_cts_missing(now),
                Exchange::SendData { .. } => self.send_data_after_cts(now),
                Exchange::AwaitAck { .. } => self.on_ack_missing(now),
                Exchange::Broadcast { .. } => self.finish(now),
            }
        }
        if self.access_at() <= now {
            self.begin(now);
        }
    }

    /// The back-off has ended: the first frame of the exchange leaves.
    fn begin(&mut self, now: Time) {
        self.access.begins();
        let Some(current) = &self.service.current else { return };
        self.stampers.show(|stamper| stamper.is_tried(now));
        if current.needs_rts(&self.config) {
            self.send_rts(now);
        } else {
            self.send_data(now);
        }
    }

    /// How long the exchange with a packet lasts if all goes well, but for propagation.
    pub(super) fn lasts(&self, current: &Current<P>) -> Duration {
        let (c, bytes) = (&self.config, current.waiting.bytes);
        if current.waiting.next_hop.is_none() {
            return self.data_time(bytes, c.basic_rate_bps);
        }
        c.exchange_time(bytes)
    }

    fn data_time(&self, bytes: u32, rate_bps: u64) -> Duration {
        self.config.air_time(bytes + self.config.header_bytes, rate_bps)
    }

    fn send_rts(&mut self, now: Time) {
        let Some(current) = &self.service.current else { return };
        let c = &self.config;
        let data = self.data_time(current.waiting.bytes, c.data_rate_bps);
        let frame = Frame {
            kind: FrameKind::Rts,
            from: self.me,
            to: current.waiting.next_hop,
            air_time: c.rts_time(),
            nav: whole_micros(c.sifs * 3 + c.cts_time() + data + c.ack_time()),
            sequence: 0,
            retry: current.rts_retry,
            payload: None,
        };
        let until = now + c.rts_time() + c.sifs + c.cts_time() + c.propagation_allowance * 2;
        self.service.exchange = Exchange::AwaitCts { until };
        self.transmit(now, frame);
    }

    /// Puts a frame on the air.
    fn transmit(&mut self, now: Time, frame: Frame<P>) {
        self.access.transmits(now + frame.air_time);
        self.frame = Some(frame);
    }

    fn send_data(&mut self, now: Time) {
        let Some(current) = &self.service.current else { return };
        let c = &self.config;
        let unicast = current.waiting.next_hop.is_some();
        let rate_bps = if unicast { c.data_rate_bps } else { c.basic_rate_bps }; // §9.6
        let air_time = self.data_time(current.waiting.bytes, rate_bps);
        let mut frame = Frame {
            kind: FrameKind::Data,
            from: self.me,
            to: current.waiting.next_hop,
            air_time,
            nav: if unicast { whole_micros(c.sifs + c.ack_time()) } else { Duration::ZERO },
            sequence: current.sequence,
            retry: current.data_retry,
            payload: Some(current.waiting.packet.clone()),
        };
        if let Some(copy) = &mut frame.payload {
            self.stampers.show(|stamper| stamper.leaves(now, copy));
        }
        self.service.exchange = if unicast {
            let until = now + air_time + c.sifs + c.ack_time() + c.propagation_allowance * 2;
            Exchange::AwaitAck { until }
        } else {
            Exchange::Broadcast { until: now + air_time }
        };
        self.transmit(now, frame);
    }

    fn send_data_after_cts(&mut self, now: Time) {
        if self.config.data_waits_for_idle && self.access.senses_busy(now) {
            // ns-2 asks for the medium again, with a wider window but without counting a failed try. Seen in its
            // traces as an RTS that follows a CTS for the same packet.
            self.access.try_failed();
            self.retry(now);
        } else {
            self.send_data(now);
        }
    }

    fn retry(&mut self, now: Time) {
        self.service.exchange = Exchange::None;
        self.access.rests(now, 0, &self.service);
    }

    fn on_cts_missing(&mut self, now: Time) {
        self.missed();
        let is_short = match (self.config.rts_retries, &self.service.current) {
            (RtsRetries::AsData, Some(current)) => self.config.is_short(current.waiting.bytes),
            _ => true,
        };
        if self.was_the_last_try(is_short) {
            self.give_up(now, DropCause::RetryLimitRts);
        } else {
            if let Some(current) = &mut self.service.current {
                current.rts_retry = true;
            }
            self.access.try_failed();
            self.retry(now);
        }
    }

    fn on_ack_missing(&mut self, now: Time) {
        self.missed();
        let Some(current) = &mut self.service.current else { return };
        current.data_retry = true;
        let is_short = self.config.is_short(current.waiting.bytes);
        if self.was_the_last_try(is_short) {
            self.give_up(now, DropCause::RetryLimitData);
        } else {
            self.access.try_failed();
            self.retry(now);
        }
    }

    /// Counts a failed try of a short frame, or of a long one: whether no more are allowed. Then the count begins anew.
    fn was_the_last_try(&mut self, is_short: bool) -> bool {
        let (retries, limit) = if is_short {
            (&mut self.short_retries, self.config.short_retry_limit)
        } else {
            (&mut self.long_retries, self.config.long_retry_limit)
        };
        *retries += 1;
        let was_the_last = *retries >= limit;
        if was_the_last {
            *retries = 0;
        }
        was_the_last
    }

    /// The packet in service is done with: acknowledged, or given up; `None`: it was for everyone.
    fn packet_done(&mut self, now: Time, is_acknowledged: Option<bool>) {
        self.stampers.show(|stamper| stamper.is_done(now));
        self.access.packet_done(is_acknowledged);
    }

    /// Link RED counts tries that fail.
    fn missed(&mut self) {
        if let Some(lred) = &mut self.lred {
            lred.missed();
        }
    }

    fn give_up(&mut self, now: Time, cause: DropCause) {
        if let Some(current) = self.service.current.take()
            && let Some(next_hop) = current.waiting.next_hop
        {
            self.out.push(Output::GaveUp { packet: current.waiting.packet, next_hop, cause });
        }
        // Routing hears of it before the next packet is taken from the queue, which may be for the same neighbour
        // (as in ns-2.35, whose MAC calls routing before it asks for more).
        self.awaits = true;
        if let Some(lred) = &mut self.lred {
            lred.done();
        }
        self.packet_done(now, Some(false));
        self.rest(now, 0);
    }

    #[inline(never)]
    pub(super) fn resume(&mut self, now: Time) {
        self.awaits = false;
        self.serve_next(now);
    }

    /// The exchange has ended well.
    fn finish(&mut self, now: Time) {
        let extra_slots = if self.lred.is_some() { self.pace() } else { 0 };
        let mut is_answered = false;
        if let Some(current) = self.service.current.take() {
            let Waiting { packet, next_hop, .. } = current.waiting;
            is_answered = next_hop.is_some();
            self.out.push(Output::Sent { packet, next_hop });
        }
        self.packet_done(now, is_answered.then_some(true));
        self.rest(now, extra_slots);
        self.serve_next(now);
    }

    /// The packet in service has been acknowledged: Link RED counts it. By how many slots the station rests longer.
    #[cold]
    fn pace(&mut self) -> u32 {
        let (Some(lred), Some(Current { waiting, .. })) = (&mut self.lred, &self.service.current) else { return 0 };
        if waiting.next_hop.is_none() {
            return 0;
        }
        let (paces, bytes) = (lred.paces(), waiting.bytes);
        lred.done();
        if paces { extra_slots(self.data_time(bytes, self.config.data_rate_bps), self.config.slot) } else { 0 }
    }

    /// Every exchange is followed by a back-off, whether or not a packet waits (§9.2.5.2).
    fn rest(&mut self, now: Time, extra_slots: u32) {
        self.service.exchange = Exchange::None;
        self.access.rests(now, extra_slots, &self.service);
    }

    fn serve_next(&mut self, now: Time) {
        if let Some(waiting) = self.service.queue.pop() {
            self.serve(now, waiting);
        }
    }

    /// Takes a packet into service, or, while Link RED drops them, the next from the queue.
    #[cold]
    fn choose(&mut self, now: Time, mut waiting: Waiting<P>) {
        while let Some(lred) = &mut self.lred
            && waiting.next_hop.is_some()
            && lred.drops(&mut waiting.packet)
        {
            let Waiting { packet, next_hop, .. } = waiting;
            self.drop(packet, next_hop, DropCause::LinkRed);
            let Some(next) = self.service.queue.pop() else { return };
            waiting = next;
        }
        self.take(now, waiting);
    }

    #[inline(never)]
    pub(super) fn on_received(&mut self, now: Time, frame: &Frame<P>) {
        match frame.kind {
            FrameKind::Rts => self.on_rts(now, frame),
            FrameKind::Cts => self.on_cts(now),
            FrameKind::Data => self.on_data(now, frame),
            FrameKind::Ack => self.on_ack(now),
        }
    }

    fn on_rts(&mut self, now: Time, frame: &Frame<P>) {
        // A station in the middle of an exchange, its own or another's, does not begin a second one.
        if !matches!(self.service.exchange, Exchange::None) || self.access.is_engaged(now) || self.response.is_some() {
            return;
        }
        let spent = self.config.sifs + self.config.cts_time();
        let nav = frame.nav.saturating_sub(spent);
        self.response = Some(Response { at: now + self.config.sifs, kind: FrameKind::Cts, to: frame.from, nav });
    }

    fn on_cts(&mut self, now: Time) {
        if let Exchange::AwaitCts { .. } = self.service.exchange {
            if self.config.rts_retries == RtsRetries::Short {
                self.short_retries = 0; // §9.2.5.3: the counter, not the window
            }
            let at = now + self.config.sifs;
            self.service.exchange = Exchange::SendData { at };
        }
    }

    fn on_data(&mut self, now: Time, frame: &Frame<P>) {
        let Some(packet) = &frame.payload else { return };
        if frame.to.is_some() {
            if self.response.is_some() {
                return;
            }
            if matches!(self.service.exchange, Exchange::None) {
                self.access.data_came(now); // the data that a CTS of this station asked for
            }
            let at = now + self.config.sifs;
            self.response = Some(Response { at, kind: FrameKind::Ack, to: frame.from, nav: Duration::ZERO });
            if self.is_repeated(frame) {
                self.out.push(Output::Repeated { packet: packet.clone(), from: frame.from });
                return;
            }
        }
        self.out.push(Output::Deliver { packet: packet.clone(), from: frame.from });
    }

    /// Duplicate detection by sequence number and sender (§9.2.9).
    fn is_repeated(&mut self, frame: &Frame<P>) -> bool {
        match self.heard.iter_mut().find(|(from, _)| *from == frame.from) {
            Some((_, last)) => {
                let repeated = frame.retry && *last == frame.sequence;
                *last = frame.sequence;
                repeated
            }
            None => {
                self.heard.push((frame.from, frame.sequence));
                false
            }
        }
    }

    fn on_ack(&mut self, now: Time) {
        if let Exchange::AwaitAck { .. } = self.service.exchange {
            self.short_retries = 0;
            self.long_retries = 0;
            self.finish(now);
        }
    }

    /// One SIFS has passed since a frame that wants an answer.
    fn respond(&mut self, now: Time) {
        let Some(Response { kind, to, nav, .. }) = self.response.take() else { return };
        // A CTS only if the medium is idle and not reserved (§9.2.5.4); an ACK in any case (§9.2.8).
        if kind == FrameKind::Cts && self.access.senses_busy(now) {
            return;
        }
        let c = &self.config;
        let air_time = c.air_time(crate::ACK_BYTES, c.basic_rate_bps); // CTS and ACK are equally long
        let mut engaged_until = now + air_time;
        if kind == FrameKind::Cts {
            // The station waits for the data it asked for; the reservation less the ACK that ends it.
            let answer = c.sifs + c.ack_time();
            engaged_until = engaged_until + nav.saturating_sub(answer) + c.propagation_allowance * 2;
        }
        self.access.answers(now, engaged_until, &self.service);
        let frame =
            Frame { kind, from: self.me, to: Some(to), air_time, nav, sequence: 0, retry: false, payload: None };
        self.transmit(now, frame);
    }
}
