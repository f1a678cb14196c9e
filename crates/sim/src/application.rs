//! What produces the data of flows: applications, which know of their transport only how far it has come.

use std::fmt::Debug;

use hopwright_machine::{Duration, NodeId, Purpose, Stream, Time};
use hopwright_transport::params::Place;

use crate::setup::{self, Flow, FlowKind, Pattern};

/// What an application wants of its transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Begin. Datagrams need no beginning.
    Open,
    /// Send so many bytes: of a stream, or as one datagram.
    Write(u64),
    /// Nothing more will be written.
    Close,
}

/// How far a transport has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Bytes that the peer acknowledged.
    pub(crate) acked_bytes: u64,
    /// Whether the peer has answered.
    pub(crate) is_open: bool,
}

/// An application. Its driver calls `wake` when its deadline has come, and after that or any progress `poll` until
/// `None`.
pub(crate) trait Application: Debug + Send {
    /// When it does something of its own accord.
    fn deadline(&self) -> Time;

    /// Its deadline may have come.
    fn wake(&mut self, now: Time);

    /// What it wants next.
    fn poll(&mut self, progress: Progress) -> Option<Order>;
}

/// The application of a flow of the run.
pub(crate) fn of(number: usize, flow: &Flow, seed: u64) -> Box<dyn Application> {
    let hours = Hours { start: flow.start, stop: flow.stop, opens: false, closes: false };
    match &flow.kind {
        FlowKind::Tcp { params, bytes, .. } => {
            let data = match bytes {
                Some(bytes) => Data::File { bytes: *bytes, is_written: false },
                None => {
                    // What a receiver that asks knows of is half a round trip old, and what the sender knows to have
                    // arrived as well.
                    let windows = if params.place == Place::Receiver { 2 } else { 1 };
                    let ahead = windows * params.window_limit() + 4 * u64::from(params.segment_bytes);
                    Data::Endless { ahead, written: 0 }
                }
            };
            Box::new(Writer { hours, data })
        }
        FlowKind::Atp { params, bytes } => {
            let data = match bytes {
                Some(bytes) => Data::File { bytes: *bytes, is_written: false },
                None => {
                    let ahead = params.window_bytes() + 4 * u64::from(params.segment_bytes);
                    Data::Endless { ahead, written: 0 }
                }
            };
            Box::new(Writer { hours, data })
        }
        FlowKind::Bundles { config, bytes, .. } => {
            let data = match bytes {
                Some(bytes) => Data::File { bytes: *bytes, is_written: false },
                None => {
                    // One bundle more than may be on its way: the next is there when the last is acknowledged.
                    let bundle = u64::from(config.bundle_packets) * u64::from(config.payload_bytes);
                    Data::Endless { ahead: (u64::from(config.in_transit) + 1) * bundle, written: 0 }
                }
            };
            Box::new(Writer { hours, data })
        }
        FlowKind::Udp(source) => match source.pattern {
            Pattern::Steady | Pattern::OnOff(..) => Box::new(Datagrams::new(number, flow, *source, seed)),
        },
    }
}

/// One that never does anything of its own accord: somebody else orders.
#[derive(Debug)]
pub(crate) struct Idle;

impl Application for Idle {
    fn deadline(&self) -> Time {
        Time::NEVER
    }

    fn wake(&mut self, _now: Time) {}

    fn poll(&mut self, _progress: Progress) -> Option<Order> {
        None
    }
}

/// When an application over a stream starts and stops.
#[derive(Clone, Copy, Debug)]
struct Hours {
    /// `NEVER` once it has.
    start: Time,
    stop: Time,
    /// Whether `Open` and `Close` are yet to be ordered.
    opens: bool,
    closes: bool,
}

impl Hours {
    fn pass(&mut self, now: Time) {
        if self.start <= now {
            (self.start, self.opens) = (Time::NEVER, true);
        }
        if self.stop <= now {
            (self.stop, self.closes) = (Time::NEVER, true);
        }
    }

    /// Whether it may write: it has started and not ended.
    fn is_at_work(&self) -> bool {
        self.start.is_never() && (!self.stop.is_never() || self.closes)
    }

    /// Its last word: nothing is ordered after it.
    fn end(&mut self) -> Order {
        (self.stop, self.closes) = (Time::NEVER, false);
        Order::Close
    }
}

/// It writes to a byte stream.
#[derive(Debug)]
struct Writer {
    hours: Hours,
    data: Data,
}

/// What an application writes to a byte stream.
#[derive(Debug)]
enum Data {
    /// It has always more, and keeps so many bytes ahead of what is acknowledged that the window always finds data.
    Endless { ahead: u64, written: u64 },
    /// All of a file at once; then it closes.
    File { bytes: u64, is_written: bool },
}

impl Application for Writer {
    fn deadline(&self) -> Time {
        self.hours.start.min(self.hours.stop)
    }

    fn wake(&mut self, now: Time) {
        self.hours.pass(now);
    }

    fn poll(&mut self, progress: Progress) -> Option<Order> {
        if std::mem::take(&mut self.hours.opens) {
            return Some(Order::Open);
        }
        if self.hours.is_at_work() {
            match &mut self.data {
                Data::Endless { ahead, written } => {
                    let wanted = progress.acked_bytes + *ahead;
                    if wanted > *written {
                        return Some(Order::Write(wanted - std::mem::replace(written, wanted)));
                    }
                }
                Data::File { bytes, is_written } if !*is_written => {
                    *is_written = true;
                    return Some(Order::Write(*bytes));
                }
                // Closed before its SYN is answered, a connection forgets what was written (RFC 9293 §3.10.4).
                Data::File { .. } => self.hours.closes |= progress.is_open,
            }
        }
        self.hours.closes.then(|| self.hours.end())
    }
}

/// It sends datagrams of one size.
#[derive(Debug)]
struct Datagrams {
    source: setup::Source,
    interval: Duration,
    next: Time,
    start: Time,
    stop: Time,
    stream: Stream,
    /// Datagrams due and not yet ordered.
    due: u32,
}

impl Datagrams {
    fn new(number: usize, flow: &Flow, source: setup::Source, seed: u64) -> Self {
        let bits = f64::from(source.payload_bytes) * 8.0;
        Self {
            source,
            interval: Duration::from_secs_f64(bits / source.rate_bps),
            next: flow.start,
            start: flow.start,
            stop: flow.stop,
            stream: Stream::new(seed, NodeId(number as u32), Purpose::Application),
            due: 0,
        }
    }
}

impl Application for Datagrams {
    fn deadline(&self) -> Time {
        self.next
    }

    fn wake(&mut self, now: Time) {
        if self.next > now {
            return;
        }
        if now >= self.stop {
            self.next = Time::NEVER;
            return;
        }
        let mut gap = self.interval;
        if self.source.jitter > 0.0 {
            let factor = 1.0 + self.source.jitter * (2.0 * self.stream.unit() - 1.0);
            gap = Duration::from_secs_f64(gap.as_secs_f64() * factor);
        }
        if let Pattern::OnOff(on_s, off_s) = self.source.pattern {
            let (on, off) = (Duration::from_secs_f64(on_s), Duration::from_secs_f64(off_s));
            let into = now.since(self.start).as_nanos() % (on + off).as_nanos();
            if into >= on.as_nanos() {
                self.next = now + Duration::from_nanos((on + off).as_nanos() - into);
                return;
            }
        }
        self.due += 1;
        self.next = now + gap;
    }

    fn poll(&mut self, _progress: Progress) -> Option<Order> {
        self.due = self.due.checked_sub(1)?;
        Some(Order::Write(u64::from(self.source.payload_bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    fn hours(start: Time, stop: Time) -> Hours {
        Hours { start, stop, opens: false, closes: false }
    }

    fn orders(application: &mut dyn Application, acked_bytes: u64, is_open: bool) -> Vec<Order> {
        std::iter::from_fn(|| application.poll(Progress { acked_bytes, is_open })).collect()
    }

    #[test]
    fn bulk_keeps_ahead_of_what_is_acknowledged_until_it_stops() {
        let mut bulk = Writer { hours: hours(at(1), at(5)), data: Data::Endless { ahead: 100, written: 0 } };
        assert_eq!((bulk.deadline(), orders(&mut bulk, 0, false)), (at(1), vec![]));
        bulk.wake(at(1));
        assert_eq!(orders(&mut bulk, 0, false), [Order::Open, Order::Write(100)]);
        assert_eq!((bulk.deadline(), orders(&mut bulk, 30, true)), (at(5), vec![Order::Write(30)]));
        bulk.wake(at(5));
        assert_eq!(orders(&mut bulk, 30, true), [Order::Close]);
        assert_eq!((bulk.deadline(), orders(&mut bulk, 130, true)), (Time::NEVER, vec![]));
    }

    #[test]
    fn a_file_is_closed_once_the_peer_has_answered_or_time_is_up() {
        for is_late in [false, true] {
            let data = Data::File { bytes: 1000, is_written: false };
            let mut file = Writer { hours: hours(at(1), at(5)), data };
            file.wake(at(1));
            assert_eq!(orders(&mut file, 0, false), [Order::Open, Order::Write(1000)]);
            if is_late {
                file.wake(at(5));
            }
            assert_eq!(orders(&mut file, 0, !is_late), [Order::Close]);
            assert_eq!((file.deadline(), orders(&mut file, 1000, true)), (Time::NEVER, vec![]));
        }
    }

    #[test]
    fn datagrams_come_at_their_rate_while_the_source_is_on() {
        let source =
            setup::Source { payload_bytes: 100, rate_bps: 8e5, jitter: 0.0, pattern: Pattern::OnOff(0.003, 0.002) };
        let flow = Flow { from: NodeId(0), to: NodeId(1), start: at(10), stop: at(17), kind: FlowKind::Udp(source) };
        let mut datagrams = Datagrams::new(0, &flow, source, 1);
        let mut sent = Vec::new();
        while !datagrams.deadline().is_never() {
            let now = datagrams.deadline();
            datagrams.wake(now);
            sent.extend(orders(&mut datagrams, 0, false).into_iter().map(|order| (now, order)));
        }
        let times = [10, 11, 12, 15, 16].map(|ms| (at(ms), Order::Write(100)));
        assert_eq!(sent, times, "a millisecond each, three on, two off, none from the stop on");
    }
}
