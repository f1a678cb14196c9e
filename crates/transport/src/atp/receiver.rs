//! The receiver: it averages what stations have written, and tells the sender once in an epoch what the way bears and what
//! has come.
//!
//! Spec      Sundaresan et al. 2003: the average over what comes, feedback in every epoch in which anything came, a probe
//!           answered at once
//! Deviates  decided here: a probe's delay takes the place of the average, which may be that of another way; its answer tells
//!           that delay alone. An epoch begins with what comes after a silence. Feedback before the epoch is over, because
//!           the average has changed, is a parameter, and off
//! Holds     who sends nothing is told nothing

use std::collections::VecDeque;

use hopwright_machine::{Machine, Time};
use hopwright_wire::atp::{Body, Data, Delay, Feedback, Kind, MOST_BLOCKS, Segment};

use super::Params;
use super::arrivals::Arrivals;
use super::numbers::near;

/// What can happen to a receiver.
#[derive(Clone, Copy, Debug)]
pub enum ReceiverInput<'a> {
    /// A segment has come.
    Segment {
        /// The segment.
        segment: &'a Segment,
        /// What stations wrote beside it, where they do not write into its bytes.
        stamped: Delay,
    },
    /// The deadline may have come.
    Wake,
}

/// What a receiver wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReceiverOutput {
    /// Send this.
    Segment(Segment),
    /// So many more bytes have come in order.
    Readable(u64),
    /// All have.
    PeerClosed,
}

/// See the file's header.
#[derive(Debug)]
pub struct Receiver {
    params: Params,
    /// Its own port, and the sender's.
    ports: (u16, u16),
    arrivals: Arrivals,
    /// Of delays, seconds.
    average_s: Option<f64>,
    /// The one told last.
    told_s: Option<f64>,
    /// When the epoch ends, if one has begun.
    epoch_ends: Time,
    /// Whether anything has come in it.
    has_news: bool,
    outputs: VecDeque<ReceiverOutput>,
}

impl Receiver {
    /// A receiver to which nothing has come.
    #[must_use]
    pub fn new(params: &Params, port: u16, peer: u16) -> Self {
        Self {
            params: params.clone(),
            ports: (port, peer),
            arrivals: Arrivals::default(),
            average_s: None,
            told_s: None,
            epoch_ends: Time::NEVER,
            has_news: false,
            outputs: VecDeque::new(),
        }
    }

    fn on_data(&mut self, now: Time, data: &Data, delay: Delay) {
        if let Some(number) = near(self.arrivals.next(), data.number) {
            let was_complete = self.arrivals.is_complete();
            let window = u64::from(self.params.window_segments);
            let bytes = self.arrivals.insert(number, data.payload_bytes, data.kind == Kind::Last, window);
            if bytes > 0 {
                self.outputs.push_back(ReceiverOutput::Readable(bytes));
            }
            if self.arrivals.is_complete() && !was_complete {
                self.outputs.push_back(ReceiverOutput::PeerClosed);
            }
        }
        if delay > Delay::NONE {
            let (weight, sample_s) = (self.params.receiver_weight, delay.duration().as_secs_f64());
            let average_s = self.average_s.map_or(sample_s, |former| weight * former + (1.0 - weight) * sample_s);
            self.average_s = Some(average_s);
        }
        self.has_news = true;
        if self.epoch_ends.is_never() {
            self.epoch_ends = now + self.params.epoch;
        }
        if self.has_changed() {
            self.end_epoch(now);
        }
    }

    /// Whether the average is so much another than the one told last that the sender is to know now.
    fn has_changed(&self) -> bool {
        let (Some(now_s), Some(told_s)) = (self.average_s, self.told_s) else { return false };
        self.params.early_change > 0.0 && (now_s - told_s).abs() > self.params.early_change * told_s
    }

    fn on_probe(&mut self, delay: Delay) {
        self.average_s = (delay > Delay::NONE).then(|| delay.duration().as_secs_f64());
        self.tell(true);
    }

    fn end_epoch(&mut self, now: Time) {
        if !std::mem::take(&mut self.has_news) {
            self.epoch_ends = Time::NEVER;
            return;
        }
        self.epoch_ends = now + self.params.epoch;
        self.tell(false);
    }

    fn tell(&mut self, is_answer: bool) {
        self.told_s = self.average_s;
        let most = (self.params.sack_blocks as usize).min(MOST_BLOCKS);
        let blocks = self.arrivals.blocks(most).into_iter().map(|(start, end)| (start as u32, end as u32));
        let feedback = Feedback {
            is_answer,
            cumulative: self.arrivals.next() as u32,
            rate_mpps: self.average_s.map_or(0, |average_s| (1000.0 / average_s + 0.5) as u32),
            window: self.params.window_segments,
            blocks: blocks.collect(),
        };
        let (source_port, destination_port) = self.ports;
        let body = Body::Feedback(feedback);
        self.outputs.push_back(ReceiverOutput::Segment(Segment { source_port, destination_port, body }));
    }
}

impl Machine for Receiver {
    type Input<'a> = ReceiverInput<'a>;
    type Output = ReceiverOutput;

    fn handle(&mut self, now: Time, input: ReceiverInput<'_>) {
        match input {
            ReceiverInput::Segment { segment, stamped } => {
                let Some(data) = segment.data() else { return };
                let delay = data.delay.max(stamped);
                match data.kind {
                    Kind::Part | Kind::Last => self.on_data(now, data, delay),
                    Kind::Probe => self.on_probe(delay),
                }
            }
            ReceiverInput::Wake if self.epoch_ends <= now => self.end_epoch(now),
            ReceiverInput::Wake => {}
        }
    }

    fn poll(&mut self) -> Option<ReceiverOutput> {
        self.outputs.pop_front()
    }

    fn deadline(&self) -> Time {
        self.epoch_ends
    }
}
