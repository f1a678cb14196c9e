//! The sender: paced at the rate that it is told, and silent but for probes where it is told none.
//!
//! Spec      Sundaresan et al. 2003: probing until an answer comes, data at the rate, missing data before new ones, no
//!           time-outs, an explicit notice of a route's failure
//! Deviates  decided here: only the answer to a probe that a station has written on opens; what feedback comes late from
//!           before a failure does not. A probe leaves at once when probing begins and when the route is said to be there
//!           again, then one an epoch. A sender that had nothing to send for as many epochs as make it probe in silence
//!           begins with a probe. Probing stops while there is nothing to send. The round-trip time, which only says how old
//!           missing data must be, is that of a probe, then that of the newest data that feedback tells of
//! Holds     between two data segments at least the inverse of the rate passes, or an epoch where that is shorter; after a
//!           route failed no data leave until a probe is answered

use std::collections::VecDeque;

use hopwright_machine::{Duration, Machine, Time};
use hopwright_wire::atp::{Body, Data, Delay, Feedback, Kind, Segment};

use super::Params;
use super::epochs::{Epochs, Silence};
use super::numbers::near;
use super::rate::Rate;
use super::scoreboard::{Piece, Scoreboard};

/// How a sender stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Not opened yet.
    Closed,
    /// It asks what the way bears.
    Probing,
    /// It sends data.
    Open,
    /// Everything was written, and has come.
    Done,
}

/// What can happen to a sender.
#[derive(Clone, Copy, Debug)]
pub enum SenderInput<'a> {
    /// The application begins. Once.
    Open,
    /// The application writes so many bytes. Allowed at any time before `Close`.
    Write(u64),
    /// The application has written everything.
    Close,
    /// A segment has come.
    Segment(&'a Segment),
    /// A node could not forward a segment of this connection.
    RouteFailed,
    /// There is a route again.
    RouteRestored,
    /// The deadline may have come.
    Wake,
}

/// What a sender wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SenderOutput {
    /// Send this.
    Segment(Segment),
    /// Everything was written, and has come.
    Done,
}

/// What a sender shows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Public {
    /// S, packets per second; 0 before the first answer.
    pub rate_pps: f64,
    /// R, the rate that it was told last, packets per second.
    pub told_pps: f64,
    /// Segments with data that have left, those sent again included.
    pub segments_sent: u64,
    /// Those sent again.
    pub retransmissions: u64,
    /// Probes that have left.
    pub probes: u64,
    /// Feedback that has come, answers to probes included.
    pub feedbacks: u64,
    /// Answers that opened it.
    pub openings: u64,
    /// Bytes acknowledged with all before them.
    pub acked_bytes: u64,
}

/// What the application wrote.
#[derive(Clone, Copy, Debug, Default)]
struct Stream {
    written: u64,
    /// Of these, those that are in segments.
    cut: u64,
    is_closed: bool,
    /// Whether the segment that says so has been made.
    has_last: bool,
}

impl Stream {
    const fn has_more(&self) -> bool {
        self.cut < self.written || (self.is_closed && !self.has_last)
    }

    /// The next segment's data.
    fn cut(&mut self, most: u32) -> (u32, bool) {
        let bytes = (self.written - self.cut).min(u64::from(most));
        self.cut += bytes;
        self.has_last = self.is_closed && self.cut == self.written;
        (bytes as u32, self.has_last)
    }
}

/// Asks what the way bears.
#[derive(Clone, Copy, Debug)]
struct Probing {
    next: Time,
    last: Option<Time>,
    /// How many have left since it began.
    count: u32,
}

/// See the file's header.
#[derive(Debug)]
pub struct Sender {
    params: Params,
    /// Its own port, and the receiver's.
    ports: (u16, u16),
    state: State,
    public: Public,
    rate: Rate,
    stream: Stream,
    board: Scoreboard,
    /// The data number from which on the receiver has no room.
    limit: u64,
    /// Counts what leaves.
    packets: u64,
    /// When data last left.
    last_sent: Option<Time>,
    /// When feedback last came.
    last_heard: Time,
    round_trip: Option<Duration>,
    epochs: Epochs,
    probing: Probing,
    outputs: VecDeque<SenderOutput>,
}

impl Sender {
    /// A sender that has not been opened.
    #[must_use]
    pub fn new(params: &Params, port: u16, peer: u16) -> Self {
        Self {
            params: params.clone(),
            ports: (port, peer),
            state: State::Closed,
            public: Public::default(),
            rate: Rate::default(),
            stream: Stream::default(),
            board: Scoreboard::default(),
            limit: 0,
            packets: 0,
            last_sent: None,
            last_heard: Time::ZERO,
            round_trip: None,
            epochs: Epochs::IDLE,
            probing: Probing { next: Time::NEVER, last: None, count: 0 },
            outputs: VecDeque::new(),
        }
    }

    /// How it stands.
    #[must_use]
    pub const fn state(&self) -> State {
        self.state
    }

    /// Rates and counters.
    #[must_use]
    pub const fn public(&self) -> &Public {
        &self.public
    }

    /// The time after which what was sent must have been told of.
    fn told_after(&self) -> Duration {
        self.params.epoch + self.round_trip.unwrap_or(self.params.epoch)
    }

    fn set_rate(&mut self, rate: Rate) {
        self.rate = rate;
        self.public.rate_pps = rate.per_second();
    }

    /// Whether there is anything that may be sent.
    fn has_any(&self) -> bool {
        self.board.has_missing() || (self.stream.has_more() && self.board.next() < self.limit)
    }

    /// Whether there is anything that is to be sent, or to be acknowledged.
    fn is_busy(&self) -> bool {
        self.board.outstanding() > 0 || self.stream.has_more()
    }

    /// When the next data may leave.
    fn tick(&self) -> Time {
        self.last_sent.map_or(Time::ZERO, |last| last + self.rate.gap(&self.params))
    }

    /// Data stop. The next probe leaves at `next`.
    fn probe_from(&mut self, next: Time) {
        self.state = State::Probing;
        self.epochs.end();
        self.probing = Probing { next, last: None, count: 0 };
    }

    fn on_feedback(&mut self, now: Time, feedback: &Feedback) {
        let Some(cumulative) = near(self.board.first(), feedback.cumulative).filter(|&n| self.board.can_have(n)) else {
            return; // of no data of ours
        };
        self.public.feedbacks += 1;
        let blocks = feedback.blocks.iter().filter_map(|&(start, end)| {
            let start = near(cumulative, start)?;
            Some((start, near(start, end)?))
        });
        let news = self.board.acknowledge(cumulative, blocks);
        self.public.acked_bytes += news.bytes;
        self.limit = self.limit.max(cumulative + u64::from(feedback.window));
        let told = (feedback.rate_mpps > 0).then(|| f64::from(feedback.rate_mpps) / 1000.0);
        match self.state {
            State::Probing if feedback.is_answer => {
                if let Some(told) = told {
                    self.open(now, told);
                }
            }
            // One to a probe that did not open tells of the way as it was then.
            State::Open if !feedback.is_answer => {
                self.last_heard = now;
                if let Some(sent) = news.newest_sent {
                    self.round_trip = Some(now.since(sent));
                }
                if let Some(told) = told {
                    let mut rate = self.rate;
                    rate.follow(told, &self.params);
                    self.set_rate(rate);
                    self.public.told_pps = told;
                }
                self.find_missing(now, false);
                self.epochs.end();
            }
            _ => {}
        }
        if self.stream.has_last && self.board.outstanding() == 0 && self.state != State::Done {
            self.epochs.end();
            self.state = State::Done;
            self.outputs.push_back(SenderOutput::Done);
        }
    }

    fn open(&mut self, now: Time, told: f64) {
        self.state = State::Open;
        self.public.openings += 1;
        self.public.told_pps = told;
        self.set_rate(Rate::of(told));
        // Of several probes, nobody knows which was answered.
        if let (Some(sent), 1) = (self.probing.last, self.probing.count) {
            self.round_trip = Some(now.since(sent));
        }
        self.last_heard = now;
        self.find_missing(now, true);
    }

    fn find_missing(&mut self, now: Time, all: bool) {
        let past = now.as_nanos().checked_sub(self.told_after().as_nanos());
        if let Some(past) = past {
            self.board.find_missing(Time::from_nanos(past), all);
        }
    }

    fn on_deadline(&mut self, now: Time) {
        match self.epochs.pass(now, &self.params) {
            Silence::Short => {}
            Silence::Halves => {
                let mut rate = self.rate;
                rate.halve();
                self.set_rate(rate);
            }
            Silence::Ends => self.probe_from(now),
        }
    }

    /// Sends what is due: a probe, or one segment of data.
    fn send(&mut self, now: Time) {
        let silence = self.params.epoch * u64::from(self.params.probe_epochs);
        if self.state == State::Open
            && self.board.outstanding() == 0
            && self.has_any()
            && self.last_heard + silence < now
        {
            self.probe_from(now); // what it was told is no longer true
        }
        match self.state {
            State::Probing if self.probing.next <= now && self.asks() => self.send_probe(now),
            State::Open if self.has_any() && self.tick() <= now => self.send_data(now),
            _ => {}
        }
        if self.state == State::Open && self.board.outstanding() > 0 && !self.epochs.is_waiting() {
            self.epochs.begin(now, self.round_trip.unwrap_or_default());
        }
    }

    /// Whether it asks what the way bears: while it has something to send, and in the beginning.
    fn asks(&self) -> bool {
        self.is_busy() || self.public.openings == 0
    }

    fn send_probe(&mut self, now: Time) {
        self.probing = Probing { next: now + self.params.epoch, last: Some(now), count: self.probing.count + 1 };
        self.public.probes += 1;
        self.push(
            Piece { number: self.board.next(), bytes: self.params.probe_fill_bytes, is_last: false },
            Kind::Probe,
        );
    }

    fn send_data(&mut self, now: Time) {
        let missing = self.board.send_again(now);
        self.public.retransmissions += u64::from(missing.is_some());
        self.public.segments_sent += 1;
        let piece = missing.unwrap_or_else(|| {
            let (bytes, is_last) = self.stream.cut(self.params.segment_bytes);
            self.board.send(now, bytes, is_last)
        });
        self.last_sent = Some(now);
        self.push(piece, if piece.is_last { Kind::Last } else { Kind::Part });
    }

    fn push(&mut self, piece: Piece, kind: Kind) {
        let (source_port, destination_port) = self.ports;
        let data = Data {
            packet: self.packets as u32,
            number: piece.number as u32,
            kind,
            delay: Delay::NONE,
            rate_dpps: (self.rate.per_second() * 10.0 + 0.5) as u16,
            payload_bytes: piece.bytes,
        };
        self.packets += 1;
        self.outputs.push_back(SenderOutput::Segment(Segment {
            source_port,
            destination_port,
            body: Body::Data(data),
        }));
    }
}

impl Machine for Sender {
    type Input<'a> = SenderInput<'a>;
    type Output = SenderOutput;

    fn handle(&mut self, now: Time, input: SenderInput<'_>) {
        match input {
            SenderInput::Open if self.state == State::Closed => self.probe_from(now),
            SenderInput::Write(bytes) if !self.stream.is_closed => {
                self.stream.written = self.stream.written.saturating_add(bytes);
            }
            SenderInput::Close => self.stream.is_closed = true,
            SenderInput::Segment(Segment { body: Body::Feedback(feedback), .. }) => self.on_feedback(now, feedback),
            SenderInput::RouteFailed if self.state == State::Open => self.probe_from(now),
            SenderInput::RouteRestored if self.state == State::Probing => self.probing.next = now,
            SenderInput::Wake => self.on_deadline(now),
            SenderInput::Open
            | SenderInput::Write(_)
            | SenderInput::Segment(_)
            | SenderInput::RouteFailed
            | SenderInput::RouteRestored => {}
        }
        self.send(now);
    }

    fn poll(&mut self) -> Option<SenderOutput> {
        self.outputs.pop_front()
    }

    fn deadline(&self) -> Time {
        match self.state {
            State::Closed | State::Done => Time::NEVER,
            State::Probing if self.asks() => self.probing.next,
            State::Probing => Time::NEVER,
            State::Open => {
                let tick = if self.has_any() { self.tick() } else { Time::NEVER };
                tick.min(self.epochs.deadline(&self.params))
            }
        }
    }
}
