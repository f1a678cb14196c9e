//! The receiving half: takes data in, asks when to acknowledge it and how much more to offer.
//!
//! Spec      RFC 9293 §3.8.6 (window management), §3.10.7.4; RFC 5681 §4.2; RFC 2018 §4; RFC 2883 §4; RFC 6691 §3;
//!           RFC 6093 (urgent data is data, delivered in line)
//! Deviates  nothing
//! Holds     an offered window is never taken back; it grows in steps worth sending (§3.8.6.2.2)

use hopwright_machine::{Duration, Time};
use hopwright_wire::ip::Ecn;
use hopwright_wire::tcp::{Extra, Flags, Options, Pull, Rates, SackBlocks, Segment, Seq};

use super::{Connection, Output, State};
use crate::mechanisms::Needs;
use crate::mechanisms::acking::{Arrival, Leaving, When};
use crate::mechanisms::offer::{Delivery, Receiver, Separated};
use crate::params::Params;

/// State of the receiving half, beside the reassembly.
#[derive(Debug)]
pub(super) struct Receiving {
    /// The peer's initial sequence number.
    pub(super) irs: Seq,
    /// How far the peer may send: a position in its stream.
    pub(super) edge: u64,
    /// The same before the steps of the window field widened it.
    asked_edge: u64,
    /// Left shift of the windows we advertise, if the peer agreed.
    pub(super) shift: u8,
    pub(super) is_scaled: bool,
    /// An acknowledgement leaves at the end of this event, unless data carries it.
    pub(super) ack_now: bool,
    /// Whether our acknowledgements say what came beyond gaps: on the SYN by our wish, later by both.
    pub(super) sends_sack: bool,
    /// What came twice and has not been told (RFC 2883): a range of positions.
    duplicate: Option<(u64, u64)>,
    /// Whether acknowledgements tell the sender that the channel lost what is missing.
    pub(super) notice: bool,
    /// Data segments since the last acknowledgement; one of many times the usual size counts as many.
    unacknowledged: u32,
    /// Position of the peer's FIN, once it was seen.
    fin: Option<u64>,
    /// Where a window was last closed: what the peer may still number its acknowledgements by.
    closed_at: Option<u64>,
    /// Whether the offer slot offers less than there is room for.
    is_narrow: bool,
    /// The window field last sent, unless something happened since that can change it: data came or were read, or the
    /// offer slot has another mechanism.
    pub(super) known_window: Option<u16>,
    /// What stations wrote on the segment at hand, and the hops it made, if the driver said so.
    pub(super) stamp: Option<(Duration, u32)>,
    buffer: u64,
}

impl Receiving {
    pub(super) fn new(params: &Params) -> Self {
        let buffer = params.window_limit();
        let shift = (0..14).find(|s| buffer >> s <= 65535).unwrap_or(14);
        Self {
            irs: Seq(0),
            edge: 1,
            asked_edge: 1,
            shift,
            is_scaled: false,
            ack_now: false,
            sends_sack: params.selective_acks,
            duplicate: None,
            notice: false,
            unacknowledged: 0,
            fin: None,
            closed_at: None,
            is_narrow: false,
            known_window: None,
            stamp: None,
            buffer,
        }
    }

    pub(super) fn seq(&self, offset: u64) -> Seq {
        self.irs + offset as u32
    }

    /// Whether a segment without data may bear a number from before the window: that of a FIN which was taken, or where
    /// the window was closed, if a probe was taken behind it.
    pub(super) fn may_number_by(&self, offset: u64, next: u64) -> bool {
        (offset + 1 == next && self.is_fin(offset)) || (offset < next && self.closed_at == Some(offset))
    }

    /// The most that is ever offered.
    pub(super) const fn buffer(&self) -> u64 {
        self.buffer
    }

    /// What came twice has been told.
    pub(super) const fn forget_duplicate(&mut self) {
        self.duplicate = None;
    }

    /// Whether the peer's FIN is at this position.
    pub(super) fn is_fin(&self, offset: u64) -> bool {
        self.fin == Some(offset)
    }
}

impl Connection {
    /// Whether the peer may still send data.
    pub(super) const fn is_receiving(&self) -> bool {
        matches!(self.state, State::Established | State::FinWait1 | State::FinWait2)
    }

    /// Takes in what an acceptable segment carries beyond its header. Its acknowledgement was looked at before.
    pub(super) fn on_text(&mut self, segment: &Segment, seq: u64, data: &[u8]) {
        if segment.payload_bytes > 0 || segment.flags.has(Flags::FIN) {
            self.take_text(segment, seq, data);
        }
    }

    /// Data, a FIN, or both; most acknowledgements bring neither.
    #[inline(never)]
    fn take_text(&mut self, segment: &Segment, seq: u64, data: &[u8]) {
        let seq = seq + u64::from(segment.flags.has(Flags::SYN));
        let payload = u64::from(segment.payload_bytes);
        let is_fin = segment.flags.has(Flags::FIN);
        if !self.is_receiving() {
            return self.answer(segment); // something after the FIN
        }
        if self.is_deaf && payload > 0 && seq + payload > self.input.next {
            return self.on_lost_text(segment);
        }
        if payload > 0 {
            if !segment.options.told.is_empty() {
                self.heed(segment, seq);
            }
            self.on_payload(seq, segment, data);
        }
        if is_fin && seq + payload <= self.receiver.edge && seq + payload >= self.input.end() {
            self.receiver.fin.get_or_insert(seq + payload);
            self.receiver.ack_now = true;
        }
        if self.receiver.fin == Some(self.input.next) {
            self.input.take_fin();
            self.receiver.known_window = None;
            self.receiver.ack_now = true;
            self.on_peer_finished();
        }
    }

    /// Data, in the window or before it.
    pub(super) fn on_payload(&mut self, seq: u64, segment: &Segment, data: &[u8]) {
        self.receiver.known_window = None;
        if self.needs.has(Needs::RATES) {
            let (rates, bytes) = (segment.options.rates, segment.payload_bytes);
            self.receiver.ack_now |= self.slots.control.on_rates(&self.public, rates, bytes);
        }
        let payload = u64::from(segment.payload_bytes);
        let next = self.input.next;
        let newest = self.input.end();
        let start = seq.max(next);
        let end = (seq + payload).min(self.receiver.edge).min(self.receiver.fin.unwrap_or(u64::MAX));
        let had_gap = self.input.has_gap();
        self.receiver.unacknowledged += (payload as u32).div_ceil(self.params.segment_bytes);
        if self.params.duplicate_sacks
            && let Some(known) = self.input.first_known(seq, seq + payload)
        {
            self.receiver.duplicate = Some(known);
            // What is told is about the segment that came last (RFC 2883 §4): it does not wait for another.
            self.receiver.ack_now |= self.receiver.sends_sack;
        }
        let mut readable = 0;
        let mut is_new = false;
        if start < end {
            let data = if data.is_empty() { data } else { &data[(start - seq) as usize..(end - seq) as usize] };
            (readable, is_new) = self.input.insert(start, end, data);
        } else if seq >= self.receiver.edge {
            self.receiver.ack_now = true; // a probe of our closed window
            return;
        }
        self.public.duplicate_segments += u64::from(!is_new);
        if self.public.has_ecn && start < end {
            self.note_congestion(segment);
        }
        if readable > 0 {
            self.public.delivered_bytes += readable;
            self.outputs.push_back(Output::Readable(readable as u32));
        }
        if self.needs.has(Needs::ORDER) {
            self.order.on_data(&segment.options.extra);
        }
        let arrival = Arrival {
            now: self.public.now,
            is_in_order: start == next && is_new,
            had_gap,
            is_duplicate: !is_new,
            is_newest: seq + payload == self.input.next,
            unacknowledged: self.receiver.unacknowledged,
            bytes: segment.payload_bytes,
            skipped: seq.saturating_sub(newest),
            mss: self.public.mss,
            one_way: self.timestamps.one_way(self.public.now, segment),
            extra: segment.options.extra,
        };
        if self.needs.has(Needs::NOTICES) {
            self.receiver.notice = self.slots.diagnosis.on_arrival(&arrival, seq, self.input.next);
        }
        if self.needs.has(Needs::SPACING) && is_new {
            self.tell_separation(segment, seq);
        }
        if self.needs.has(Needs::STAMPS) {
            self.tell_stamp(segment, if is_new { (end - start) as u32 } else { 0 });
        }
        match self.slots.acking.on_data(&arrival) {
            When::Now => self.receiver.ack_now = true,
            // The clock may have been swapped for one that would have fired already.
            When::By(time) => self.timers.delayed_ack = self.slots.timeout.fires(time).max(self.public.now),
        }
    }

    /// Shows the offer slot a data segment that was taken in.
    #[cold]
    fn tell_stamp(&mut self, segment: &Segment, new_bytes: u32) {
        let delivery = Delivery {
            now: self.public.now,
            new_bytes,
            next: self.input.next,
            buffer: self.receiver.buffer,
            rtt: self.timestamps.round_trip(self.public.now, segment),
            stamp: self.receiver.stamp.take(),
        };
        self.slots.offer.on_data(&delivery);
    }

    /// Shows the offer slot how far behind the one before a data segment came.
    #[cold]
    fn tell_separation(&mut self, segment: &Segment, seq: u64) {
        let extra = &segment.options.extra;
        let separated = Separated {
            left: Duration::from_micros(u64::from(extra.gap_us().unwrap_or(0))),
            came: self.spacing.on_data(self.public.now, seq, seq + u64::from(segment.payload_bytes), extra.gap_us()),
            bytes: segment.payload_bytes,
            mss: self.public.mss,
            window: extra.window().unwrap_or(0),
        };
        if extra.window().is_some() {
            self.slots.offer.on_separation(&separated);
        }
    }

    /// Whether the peer can send less than it is worth: its silence is our application's doing.
    pub(super) const fn is_shut(&self) -> bool {
        self.receiver.edge < self.input.next + self.step()
    }

    /// The least growth of the window worth telling (§3.8.6.2.2).
    const fn step(&self) -> u64 {
        let half = self.receiver.buffer / 2;
        let segment = self.public.mss as u64;
        if half < segment { half } else { segment }
    }

    /// The application made room: worth an acknowledgement of its own where the peer might wait for it.
    pub(super) fn on_read(&mut self, bytes: u32) {
        self.input.read(u64::from(bytes));
        self.receiver.known_window = None;
        self.expect_fin(); // the peer may have waited for room
        if self.is_receiving() {
            let edge = self.grown_edge();
            self.receiver.ack_now |= self.is_awaited(edge);
        }
    }

    /// Whether the peer should learn at once that it may send up to `edge`: what is left of the last offer is less than
    /// a segment, or half of the new one at most. While more is left it goes on sending, and the acknowledgements of
    /// that tell it (RFC 9293 §3.8.6.3: they shall not be more for the application's reading).
    fn is_awaited(&self, edge: u64) -> bool {
        let (former, next) = (self.receiver.edge, self.input.next);
        let left = former.saturating_sub(next);
        edge > former && (left < u64::from(self.params.segment_bytes) || 2 * left <= edge - next)
    }

    pub(super) fn send_ack(&mut self) {
        self.public.pure_acks_sent += 1;
        let segment = self.segment(self.next_acceptable(), 0, Flags::ACK);
        self.receiver.duplicate = None;
        self.push(segment);
    }

    /// The number of a segment without data: SND.NXT, unless the window was taken back from there or only a
    /// probe went so far. The peer would refuse that number. What was taken back by less than a step of the
    /// window field was only rounded off (RFC 7323 §2.4).
    pub(super) fn next_acceptable(&self) -> u64 {
        let p = &self.public;
        let edge = p.una.max(1) + p.offer;
        let is_rounded = p.max < edge + (1 << self.peer_shift);
        p.max.min(if is_rounded { self.offered } else { edge })
    }

    /// A segment of ours, carrying the newest acknowledgement and window.
    #[inline(always)] // spares copies of the segment
    pub(super) fn segment(&mut self, offset: u64, payload_bytes: u32, flags: Flags) -> Segment {
        let window = match self.receiver.known_window {
            Some(window) => {
                debug_assert_eq!(window, self.advertise(), "nothing happened, and the window is another");
                window
            }
            None => self.advertise(),
        };
        let mut segment = Segment {
            source_port: self.local_port,
            destination_port: self.remote_port,
            seq: self.seq(offset),
            ack: self.receiver.seq(self.input.next),
            flags,
            window,
            urgent: 0,
            options: self.usual_options(),
            payload_bytes,
            ecn: Ecn::NotCapable,
        };
        if self.has_report(payload_bytes > 0) {
            self.report(&mut segment.options, payload_bytes > 0);
        }
        const SAID: Needs = Needs::ORDER
            .and(Needs::NOTICES)
            .and(Needs::REQUESTS)
            .and(Needs::SPACING)
            .and(Needs::MARKS)
            .and(Needs::TELLING)
            .and(Needs::RATES)
            .and(Needs::PULL);
        if self.needs.has_any(SAID) {
            segment.options.extra = self.extra(offset, payload_bytes, flags);
            if self.is_telling() && payload_bytes > 0 {
                segment.options.told = self.told();
            }
            if self.needs.has(Needs::RATES) {
                segment.options.rates = self.slots.control.rates(&self.public, payload_bytes > 0);
            }
            if self.needs.has(Needs::PULL) {
                segment.options.pull = self.holdings();
            }
            segment.options.fit();
            if self.public.has_ecn {
                self.mark(&mut segment, offset);
            }
        }
        if self.params.displaced_blocks_forgotten && payload_bytes == 0 {
            self.input.forget_all_but(self.params.sack_blocks as usize);
        }
        self.timestamps.last_ack = self.input.next;
        self.receiver.ack_now = false;
        self.receiver.unacknowledged = 0;
        self.timers.delayed_ack = self.next_ack();
        segment
    }

    /// The options of any segment that leaves now.
    fn usual_options(&self) -> Options {
        Options { timestamps: self.timestamps.option(self.public.now), ..Options::default() }
    }

    /// Whether there is something to tell about what came.
    fn has_report(&self, carries_data: bool) -> bool {
        self.receiver.sends_sack
            && (self.input.has_gap() || (self.receiver.duplicate.is_some() && !carries_data))
            && !(carries_data && self.is_asked()) // an answer is as long as what was asked for
    }

    /// Adds what came beyond gaps, newest first (RFC 2018 §4), in up to four blocks or three beside a timestamp; not
    /// with data if that left less than half the room for it. What came twice comes first, once, and the block it is
    /// part of second (RFC 2883 §4).
    #[inline(never)]
    fn report(&self, options: &mut Options, carries_data: bool) {
        let duplicate = self.receiver.duplicate.filter(|_| !carries_data);
        let bytes = options.bytes();
        let mut blocks = self.params.sack_blocks.min(if options.timestamps.is_some() { 3 } else { 4 });
        let mut push = |(start, end)| {
            if blocks > 0 {
                blocks -= 1;
                options.sack.push(self.receiver.seq(start), self.receiver.seq(end));
            }
        };
        let mut whole = None;
        if let Some((start, end)) = duplicate {
            push((start, end));
            whole = self.input.newest().find(|block| block.0 <= start && end <= block.1);
            whole.into_iter().for_each(&mut push);
        }
        self.input.newest().filter(|block| Some(*block) != whole).for_each(push);
        if carries_data && 2 * (options.bytes() - bytes) > self.public.mss {
            options.sack = SackBlocks::default();
        }
    }

    /// When another acknowledgement leaves after the one that leaves now, even if nothing comes.
    fn next_ack(&mut self) -> Time {
        if !(self.needs.has(Needs::REQUESTS) && self.is_receiving()) {
            return Time::NEVER;
        }
        let next = self.slots.acking.on_ack_sent(self.public.now);
        next.map_or(Time::NEVER, |time| self.slots.timeout.fires(time))
    }

    /// What mechanisms say with a segment that leaves now.
    #[inline(always)] // where segments are made
    fn extra(&mut self, offset: u64, payload_bytes: u32, flags: Flags) -> Extra {
        let mut extra = Extra::default();
        if payload_bytes > 0 {
            if self.needs.has(Needs::ORDER) {
                self.order.on_data_sent(&mut extra);
            }
            if self.needs.has(Needs::REQUESTS) {
                let end = offset + u64::from(payload_bytes);
                let leaving = Leaving { start: offset, end, is_last: end >= self.out.end() };
                self.slots.acking.request(&self.public, &leaving, &mut extra);
            }
            if self.needs.has(Needs::SPACING) {
                self.spacing.on_data_sent(&self.public, offset < self.public.max, &mut extra);
            }
        } else if !flags.has(Flags::FIN) {
            if self.needs.has(Needs::ORDER) {
                self.order.on_ack_sent(self.input.next, &mut extra);
            }
            if self.receiver.notice && self.input.has_gap() {
                extra.set_loss_notice();
            }
            if self.needs.has(Needs::SPACING) {
                self.spacing.on_ack_sent(self.slots.offer.told(), &mut extra);
            }
        }
        extra
    }

    /// The largest payload of a segment that leaves now. Under ns-2's handshake headers are of one length, and what
    /// mechanisms add comes on top.
    #[inline]
    pub(super) fn payload_limit(&self) -> u32 {
        let p = &self.public;
        let has_extra = self
            .needs
            .has_any(Needs::ORDER | Needs::REQUESTS | Needs::SPACING | Needs::TELLING | Needs::RATES | Needs::PULL)
            && !self.params.plain_handshake;
        let has_blocks = self.receiver.sends_sack && self.input.has_gap() && !self.is_asked();
        if has_blocks || has_extra { self.room_beside_options(has_blocks, has_extra) } else { p.mss }
    }

    /// What these options leave for data.
    #[inline(never)]
    fn room_beside_options(&self, has_blocks: bool, has_extra: bool) -> u32 {
        let p = &self.public;
        let usual = self.usual_options();
        let mut options = usual;
        if has_blocks {
            self.report(&mut options, true);
        }
        if has_extra {
            if self.needs.has_any(Needs::ORDER | Needs::REQUESTS) {
                options.extra.set_packet_number(0);
            }
            if self.needs.has(Needs::REQUESTS) {
                options.extra.set_ack_period_us(0);
            }
            if self.is_telling() {
                options.told = self.told();
            }
            if self.needs.has(Needs::PULL) {
                options.pull = Pull::Holds(Seq(0));
            }
            if self.needs.has(Needs::RATES) && self.slots.control.tells_rates() {
                options.rates = Rates::Data { number: 0, rtt_us: 0 };
            }
            if self.needs.has(Needs::SPACING) {
                options.extra.set_gap_us(0);
                options.extra.set_window(0);
            } else if options.rates == Rates::Nothing {
                options.fit();
            }
        }
        // Not all of this is on every segment: what is dropped to fit it in here may fit in there.
        let bytes = options.bytes().min(Options::MOST_BYTES);
        p.mss.saturating_sub(bytes - usual.bytes()).max(1)
    }

    /// How far the peer may send from now on, if the step is worth taking. With `ack_rwnd_hold` it does not move while
    /// acknowledgements repeat a number because of a gap: the peer counts those only if their windows are the same
    /// (RFC 5681 §2), and what fills the gap was offered before.
    fn grown_edge(&mut self) -> u64 {
        if self.params.ack_rwnd_hold && self.input.has_gap() && self.timestamps.last_ack == self.input.next {
            return self.receiver.edge;
        }
        let receiver = Receiver {
            now: self.public.now,
            buffer: self.receiver.buffer,
            unread: self.input.unread(),
            delivered: self.public.delivered_bytes,
            mss: self.public.mss,
        };
        let window = self.slots.offer.window(&receiver);
        self.receiver.is_narrow = window < receiver.buffer.saturating_sub(receiver.unread);
        let edge = self.input.next + window;
        if edge >= self.receiver.asked_edge + self.step() {
            self.receiver.asked_edge = edge;
        }
        self.receiver.asked_edge.max(self.receiver.edge)
    }

    /// The window field, scaled as agreed.
    pub(super) fn advertise(&mut self) -> u16 {
        self.receiver.edge = self.grown_edge();
        let shift = if self.receiver.is_scaled || self.params.plain_handshake { self.receiver.shift } else { 0 };
        if self.receiver.is_narrow && shift > 0 {
            self.widen(shift);
        }
        let window = (self.receiver.edge.saturating_sub(self.input.next) >> shift).min(65535);
        if window == 0 {
            self.receiver.closed_at = Some(self.input.next);
        }
        self.receiver.known_window = Some(window as u16);
        window as u16
    }

    /// Where less is offered than there is room for, the steps of the field round it up: rounded down, an offer of whole
    /// segments would be one less.
    #[cold]
    fn widen(&mut self, shift: u8) {
        let room = self.receiver.buffer.saturating_sub(self.input.unread());
        let window = self.receiver.asked_edge.saturating_sub(self.input.next).next_multiple_of(1 << shift);
        if window <= room {
            self.receiver.edge = self.receiver.edge.max(self.input.next + window);
        }
    }

    /// The window field of a SYN, which is never scaled.
    pub(super) fn advertise_unscaled(&mut self) -> u16 {
        let edge = self.grown_edge();
        let window = (edge - self.input.next).min(65535);
        self.receiver.edge = self.input.next + window;
        self.receiver.asked_edge = self.receiver.edge;
        self.receiver.known_window = None;
        window as u16
    }
}
