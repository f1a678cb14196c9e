//! The engine: what every window or rate transport does the same way.
//!
//! Spec      RFC 9293; RFC 7323 (window scale, timestamps), RFC 2018 (what came), RFC 5961 (strangers)
//! Deviates  no keep-alives (RFC 9293 §3.8.4: optional); the application neither sends nor learns of urgent data
//!           (RFC 6093 §6 advises against it), and cannot push: everything written is
//! Holds     mechanisms are asked, never obeyed blindly: only this module changes state and sends
//!
//! Positions in a stream are 64-bit offsets from the initial sequence number: the SYN is at 0, the first byte
//! at 1, the FIN after the last byte. Only the wire wraps around.

use std::collections::VecDeque;

use hopwright_machine::{Duration, Machine, Time};
use hopwright_wire::tcp::{Segment, Seq};

use crate::adaptation::Adaptation;
use crate::mechanisms::recovery::Release;
use crate::mechanisms::{Missing, Needs, NetworkSignal, Recipe, Slots};
use crate::params::{EcnMode, Params, Place};
use crate::view::{Public, near};

mod acks;
mod answering;
mod arrival;
mod asking;
mod challenge;
mod ecn;
mod handshake;
mod limit;
mod loss;
mod order;
mod reassembly;
mod receiver;
mod route;
mod send;
mod send_buffer;
mod spacing;
mod swap;
mod teardown;
mod telling;
mod timers;
mod timestamps;
mod validation;

pub use limit::Limit;
pub(crate) use telling::code_like;

use reassembly::Reassembly;
use send_buffer::SendBuffer;
use timers::Timers;

/// Which end of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Sends the SYN.
    Active,
    /// Waits for one.
    Passive,
}

/// The state of a connection (RFC 9293 §3.3.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are the RFC's")]
pub enum State {
    Closed,
    Listen,
    SynSent,
    SynReceived,
    Established,
    FinWait1,
    FinWait2,
    CloseWait,
    Closing,
    LastAck,
    TimeWait,
}

/// What an application writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Data<'a> {
    /// So many bytes that nobody will ever look at.
    Count(u64),
    /// These bytes.
    Bytes(&'a [u8]),
}

/// What can happen to a connection.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// The application opens its end: a SYN is sent, or awaited. Once: a connection that has ended stays closed.
    Open,
    /// The application writes. Allowed at any time before `Close`.
    Write(Data<'a>),
    /// The application took so many bytes (with the parameter `explicit_read`; a sink need not say so).
    Read(u32),
    /// The application has written everything; it still reads.
    Close,
    /// The application has written everything and reads no more: the peer is told if any of its data are lost by that.
    CloseBoth,
    /// The application gives up: the peer gets a reset.
    Abort,
    /// A segment arrived, with the congestion field of its packet. `data` is its payload, empty where the bytes are
    /// only counted.
    Segment {
        /// The header.
        segment: &'a Segment,
        /// The payload.
        data: &'a [u8],
    },
    /// The deadline came. Harmless if it has not.
    Wake,
    /// Routing has news.
    Signal(NetworkSignal),
    /// What is missing now, in place of what was told before: for mechanisms with `Needs::TRUTH`. A driver that does not
    /// know never says so.
    Truth(&'a [Missing]),
}

/// What a connection wants done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Output {
    /// Send this, in a packet with its congestion field. Its bytes, where there are any: `Connection::payload`, before
    /// the next input.
    Segment(Segment),
    /// The connection is open.
    Established,
    /// So many more bytes arrived in order.
    Readable(u32),
    /// The peer has sent everything.
    PeerClosed,
    /// Both ends have finished, and the connection is gone.
    Closed,
    /// The peer or the application broke the connection off.
    Reset,
    /// The peer was silent for `user_timeout_s`, or in FIN-WAIT-2 for `fin_wait_2_timeout_s`: the connection is gone.
    TimedOut,
}

/// Who decides what is sent of the peer's stream or of ours, and when (Velayutham 2005 §3.3.3: the transport logic).
#[derive(Debug)]
enum Logic {
    /// Each sender.
    Sender,
    /// Each sender, and this is the half of an end that asks which does so.
    Half,
    /// This end asks for what it receives.
    Asks(Box<asking::Asking>),
    /// The peer asks for what it receives; how far it was told that our stream reaches, and the mechanisms that this end
    /// had before.
    Answers { told: u64, former: Box<Recipe> },
}

impl Logic {
    /// Whether this connection sends by its own rules.
    const fn is_usual(&self) -> bool {
        matches!(self, Self::Sender | Self::Half)
    }
}

/// One end of a TCP connection.
#[derive(Debug)]
pub struct Connection {
    params: Params,
    slots: Slots,
    /// What any of them needs.
    needs: Needs,
    public: Public,
    /// Changes mechanisms under way, if anything does.
    adaptation: Option<Box<Adaptation>>,
    /// What that measures beside what mechanisms need.
    measured: Needs,
    /// Which mechanisms the other end shall have, until it knows.
    telling: Option<Box<telling::Telling>>,
    logic: Logic,
    /// The position of the segment whose mechanisms were heeded last.
    heeded: u64,
    role: Role,
    state: State,
    was_opened: bool,
    /// Whether the application reads no more.
    is_deaf: bool,
    local_port: u16,
    remote_port: u16,
    /// Our initial sequence number.
    iss: Seq,
    out: SendBuffer,
    /// The segment being timed: the offset after its last byte, and when it left.
    timed: Option<(u64, Time)>,
    /// Up to here something was sent twice: acknowledgements are ambiguous (Karn).
    resent: u64,
    /// Whether path mechanisms keep the sender still.
    is_frozen: bool,
    /// What was left on the retransmission timer when they last began to, if it ran.
    left_on_timer: Option<Duration>,
    /// Whether path mechanisms keep windows and timer as they are, the sender standing still or not.
    is_constant: bool,
    /// Whether an acknowledgement may be one that opens no window: they are, or both ends agreed on congestion marks.
    may_hold: bool,
    /// Whether they were kept so when the last loss was answered: its recovery leaves the window alone, too.
    is_uncut: bool,
    /// Whether the first unacknowledged segment alone probes the path, until an answer comes or the timer expires.
    is_probing: bool,
    /// Whether a probe of silence waits for an answer.
    awaits_answer: bool,
    /// When data last left.
    last_sent: Time,
    /// The end of the last new segment that was not full (with `nagle`).
    small: u64,
    /// Left shift of the windows the peer advertises.
    peer_shift: u8,
    /// Sequence and acknowledgement number of the segment that last updated the offer (SND.WL1, SND.WL2).
    offer_from: (u64, u64),
    /// What that segment, or one with the same numbers since, offered.
    said_offer: u64,
    /// The largest window the peer ever offered (MAX.SND.WND), and the furthest position.
    max_offer: u64,
    offered: u64,
    timestamps: timestamps::Timestamps,
    challenges: challenge::Challenges,
    order: order::Order,
    spacing: spacing::Spacing,
    ecn: ecn::Ecn,
    validation: validation::Validation,
    input: Reassembly,
    receiver: receiver::Receiving,
    timers: Timers,
    /// What the event at hand lets go: set while it is worked on, acted upon at its end.
    release: Option<Release>,
    outputs: VecDeque<Output>,
}

impl Connection {
    /// One end of a connection, closed. `iss` is its initial sequence number (RFC 9293 §3.4.1: hard to guess).
    #[must_use]
    pub fn new(recipe: &Recipe, params: &Params, role: Role, local_port: u16, remote_port: u16, iss: Seq) -> Self {
        let asks = params.place == Place::Receiver;
        let slots = if asks { asking::receiving(recipe) } else { *recipe }.build(params);
        let needs = slots.needs();
        let mut connection = Self {
            public: public(params),
            adaptation: None,
            measured: Needs::NOTHING,
            telling: None,
            logic: Logic::Sender,
            heeded: 0,
            role,
            state: State::Closed,
            was_opened: false,
            is_deaf: false,
            local_port,
            remote_port,
            iss,
            out: SendBuffer::default(),
            timed: None,
            resent: 0,
            is_frozen: false,
            left_on_timer: None,
            is_constant: false,
            may_hold: false,
            is_uncut: false,
            is_probing: false,
            awaits_answer: false,
            last_sent: Time::ZERO,
            small: 0,
            peer_shift: 0,
            offer_from: (0, 0),
            said_offer: 0,
            max_offer: 0,
            offered: 0,
            timestamps: timestamps::Timestamps::new(params, 0),
            challenges: challenge::Challenges::default(),
            order: order::Order::default(),
            spacing: spacing::Spacing::default(),
            ecn: ecn::Ecn::default(),
            validation: validation::Validation::new(params),
            input: Reassembly::new(params),
            receiver: receiver::Receiving::new(params),
            timers: Timers::default(),
            release: None,
            outputs: VecDeque::with_capacity(16),
            // No request carries an answer to a mark: an end that asks agrees to none.
            params: Params { ecn: if asks { EcnMode::Off } else { params.ecn }, ..params.clone() },
            slots,
            needs,
        };
        if asks {
            let asking = asking::Asking::new(recipe, params, local_port, remote_port);
            connection.logic = Logic::Asks(Box::new(asking));
        }
        connection.refresh_estimate();
        if params.triggers.is_some() && !asks {
            connection.adapt_by(params.triggers.as_deref());
        }
        connection
    }

    /// The same end, with a timestamp clock that shows `offset` at time zero (RFC 7323 §5.4, §7.1: hard to guess,
    /// and different for every connection). To be called before the connection opens.
    #[must_use]
    pub const fn with_timestamp_offset(mut self, offset: u32) -> Self {
        self.timestamps.offset = offset;
        self
    }

    /// Takes no round-trip time from the SYN that was just answered: the real answer left earlier, and this
    /// connection is rebuilt from what came back. With timestamps the echo tells when. To be called between the
    /// SYN and the acknowledgement of its answer.
    pub fn forget_timing(&mut self) {
        self.timed = None;
        self.timestamps.since = Time::ZERO;
    }

    /// The state of the connection.
    #[must_use]
    pub const fn state(&self) -> State {
        self.state
    }

    /// Windows, positions, estimates and counters.
    #[must_use]
    pub const fn public(&self) -> &Public {
        &self.public
    }

    /// Whether a mechanism wants to be told the length of the route (`NetworkSignal::Hops`).
    #[must_use]
    pub const fn wants_hops(&self) -> bool {
        self.needs.has(Needs::HOPS)
    }

    /// Whether a mechanism wants to be told what stations wrote on segments (`NetworkSignal::Stamp`).
    #[must_use]
    pub const fn wants_stamps(&self) -> bool {
        self.needs.has(Needs::STAMPS)
    }

    /// Whether a mechanism wants to be told what was lost (`Input::Truth`).
    #[must_use]
    pub const fn wants_truth(&self) -> bool {
        self.needs.has(Needs::TRUTH)
    }

    /// Whether a mechanism wants to be told what comes damaged (`NetworkSignal::Corrupted`).
    #[must_use]
    pub const fn hears_damage(&self) -> bool {
        self.needs.has(Needs::DAMAGE)
    }

    /// The bytes of a segment just handed out, in up to two pieces; empty where bytes are only counted.
    #[must_use]
    pub fn payload(&self, seq: Seq, len: u32) -> (&[u8], &[u8]) {
        self.out.bytes(near(self.iss, self.public.una, seq).unwrap_or(u64::MAX), len)
    }

    /// The bytes received in order and not yet read, in up to two pieces; empty without `explicit_read`.
    #[must_use]
    pub fn received(&self) -> (&[u8], &[u8]) {
        self.input.readable()
    }

    /// How many bytes were received in order and not yet read, real or counted; zero without `explicit_read`.
    #[must_use]
    pub const fn readable_bytes(&self) -> u64 {
        self.input.unread()
    }

    /// The sequence number after the last one sent (SND.NXT). A connection that follows this one in TIME-WAIT must
    /// begin beyond it (RFC 1122 §4.2.2.13 (a), RFC 9293 §3.6.1).
    #[must_use]
    pub fn next_seq(&self) -> Seq {
        self.seq(self.public.max)
    }

    /// Written bytes that the peer has not acknowledged, sent or not.
    #[must_use]
    pub fn backlog(&self) -> u64 {
        self.out.end().saturating_sub(self.public.una.max(1))
    }

    /// Whether something that was written, or the FIN behind it, is not acknowledged.
    #[must_use]
    pub fn is_owed(&self) -> bool {
        let fin = u64::from(self.out.is_closed);
        self.public.una < self.out.end() + fin
    }

    /// Memory that buffers take, in bytes: what is kept of both streams, and room that they have beside.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.out.memory() + self.input.memory()
    }

    /// Whether a buffer has much more room than it needs for what it holds now. A stream that flows needs that room again
    /// soon; one that does not should `give_back`.
    #[must_use]
    pub fn is_roomy(&self) -> bool {
        self.out.is_roomy() || self.input.is_roomy()
    }

    /// Gives back the room of buffers that have much more than they need.
    pub fn give_back(&mut self) {
        self.out.give_back();
        self.input.give_back();
    }

    /// Gives up what came beyond gaps, of which nothing was acknowledged: the peer sends it again (RFC 2018 §8).
    pub fn forget_beyond_gaps(&mut self) {
        self.input.forget_beyond_gaps();
        self.receiver.known_window = None;
    }

    /// The sequence number on the wire of a position in our stream.
    fn seq(&self, offset: u64) -> Seq {
        self.iss + offset as u32
    }

    /// What happens beside the arrival of a segment, which is told apart first: in one `match` with these it cost eight
    /// instructions more.
    #[inline(never)]
    fn on_other(&mut self, input: Input<'_>) {
        match input {
            Input::Segment { .. } => {} // arrived
            Input::Wake => self.on_wake(),
            Input::Write(data) => self.on_write(data),
            Input::Read(bytes) => self.on_read(bytes),
            Input::Open => self.on_open(),
            Input::Close => self.on_close(),
            Input::CloseBoth => self.on_close_both(),
            Input::Abort => self.on_abort(),
            Input::Signal(_) if self.is_asked() => {} // whoever only answers has nothing to decide
            Input::Signal(signal) => {
                self.on_signal(signal);
                self.signal_asking(signal);
            }
            Input::Truth(missing) => self.slots.diagnosis.on_truth(missing),
        }
    }

    /// Ends every event: what it released is sent, and what must be acknowledged is.
    fn finish(&mut self) {
        if !self.logic.is_usual() {
            self.before_sending();
        }
        if self.adaptation.is_some() && !self.is_asked() {
            self.adapt();
        }
        if let Some(release) = self.release.take() {
            self.send_released(release);
        }
        if !self.logic.is_usual() {
            self.after_sending();
        }
        if self.receiver.ack_now {
            self.send_ack();
        }
        self.watch_window();
    }
}

impl Connection {
    /// What an end that asks, or one that waits to be asked, does before it sends what else it has to send.
    #[inline(never)]
    fn before_sending(&mut self) {
        if self.with_asking(Self::ask).is_none() {
            self.keep_data_back();
        }
    }

    /// What it does after that.
    #[inline(never)]
    fn after_sending(&mut self) {
        if self.with_asking(Self::settle_report).is_none() {
            self.call_if_idle();
        }
    }
}

impl Machine for Connection {
    type Input<'a> = Input<'a>;
    type Output = Output;

    fn handle(&mut self, now: Time, input: Input<'_>) {
        debug_assert!(now >= self.public.now, "time runs backwards: {now} after {}", self.public.now);
        self.public.now = now;
        self.public.rtt_sample = None;
        self.public.round.has_ended = false;
        if let Input::Segment { segment, data } = input {
            self.on_segment(segment, data);
        } else {
            self.on_other(input);
        }
        self.finish();
    }

    fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn deadline(&self) -> Time {
        self.timers.earliest()
    }
}

/// What everybody sees of a connection that begins.
fn public(params: &Params) -> Public {
    let mss = params.segment_bytes;
    let offer = params.window_limit();
    Public {
        mss,
        cwnd: f64::from(mss), // until the handshake is over
        ssthresh: if params.threshold_starts_at_offer { offer as f64 } else { f64::INFINITY },
        offer,
        rate: f64::INFINITY,
        ..Public::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_that_of_both_streams() {
        let params = Params { explicit_read: true, ..Params::default() };
        let recipe = crate::protocol("newreno").expect("a protocol").recipe;
        let mut end = Connection::new(&recipe, &params, Role::Active, 1, 2, Seq(0));
        end.handle(Time::ZERO, Input::Write(Data::Bytes(&[7; 5_000])));
        let of_ours = end.memory();
        assert!(of_ours >= 5_000, "{of_ours}");
        end.input.insert(100, 3_100, &[8; 3_000]);
        assert!(end.memory() >= of_ours + 3_000, "{of_ours} then {}", end.memory());
    }
}
