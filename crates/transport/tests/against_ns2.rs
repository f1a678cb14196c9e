//! The ns-2 profile against ns-2.35 itself: the same sends at the same times over a bottleneck that loses
//! packets singly, in rows and by overflow, and acknowledgements as well.
//!
//! `golden/ns2.tcl` made the recordings; the network here is its network.

use std::collections::{BTreeMap, VecDeque};

use hopwright_machine::{Duration, Machine as _, Time};
use hopwright_transport::{Connection, Data, Input, Output, Params, Role, protocol};
use hopwright_wire::tcp::{HEADER_BYTES, Segment, Seq};

const IP_HEADER_BYTES: u32 = 20;
const SEGMENT_BYTES: u32 = 1460;
/// ns-2's Vegas sends packets of `packetSize_` bytes, headers and all.
const VEGAS_SEGMENT_BYTES: u32 = 1420;
const END: Duration = Duration::from_secs(26);
const FAST_BPS: u64 = 50_000_000;
const SLOW_BPS: u64 = 800_000;
const FAST_DELAY: Duration = Duration::from_micros(1130);
const SLOW_DELAY: Duration = Duration::from_micros(23_570);

/// A packet on its way: to the receiver (0) or back (1).
#[derive(Clone, Copy)]
struct Packet {
    way: usize,
    segment: Segment,
}

/// A transmission line with a queue in front of it; ns-2's counts the packet being sent.
struct Line {
    bits_per_second: u64,
    delay: Duration,
    limit: usize,
    lost: Vec<u32>,
    seen: u32,
    queue: VecDeque<Packet>,
    is_busy: bool,
}

impl Line {
    fn new(bits_per_second: u64, delay: Duration, limit: usize, lost: Vec<u32>) -> Self {
        Self { bits_per_second, delay, limit, lost, seen: 0, queue: VecDeque::new(), is_busy: false }
    }
}

/// What ns-2 counts: eight bytes for a block of a selective acknowledgement, none for the option's head and padding.
fn bytes(segment: &Segment) -> u32 {
    let blocks = segment.options.sack.as_slice().len() as u32;
    if blocks == 0 { segment.bytes() } else { HEADER_BYTES + segment.payload_bytes + 8 * blocks }
}

enum Event {
    /// The line has sent a packet.
    Idle(usize),
    /// The packet comes out of the line.
    Out(usize, Packet),
}

struct Network {
    now: Time,
    /// To the bottleneck, the bottleneck, the bottleneck back, from there to the sender.
    lines: [Line; 4],
    events: BTreeMap<(Time, u64), Event>,
    count: u64,
    ends: [Connection; 2],
    sends: Vec<(u64, u64)>,
    segment_bytes: u32,
}

impl Network {
    fn offer(&mut self, line: usize, packet: Packet) {
        let l = &mut self.lines[line];
        l.seen += 1;
        let is_full = l.queue.len() + 1 >= l.limit;
        if l.lost.contains(&(l.seen - 1)) || (l.is_busy && is_full) {
            return;
        }
        l.queue.push_back(packet);
        if !l.is_busy {
            self.start(line);
        }
    }

    fn start(&mut self, line: usize) {
        let l = &mut self.lines[line];
        let Some(packet) = l.queue.pop_front() else {
            l.is_busy = false;
            return;
        };
        l.is_busy = true;
        let bits = u64::from(bytes(&packet.segment) + IP_HEADER_BYTES) * 8;
        let sending = Duration::from_nanos(bits * 1_000_000_000 / l.bits_per_second);
        let delay = l.delay;
        self.schedule(sending, Event::Idle(line));
        self.schedule(sending + delay, Event::Out(line, packet));
    }

    fn schedule(&mut self, after: Duration, event: Event) {
        self.count += 1;
        self.events.insert((self.now + after, self.count), event);
    }

    fn handle(&mut self, end: usize, input: Input<'_>) {
        self.ends[end].handle(self.now, input);
        while let Some(output) = self.ends[end].poll() {
            let Output::Segment(segment) = output else { continue };
            if end == 0 {
                let number = segment.seq.0.div_ceil(self.segment_bytes); // the SYN is 0, the first data 1
                self.sends.push((self.now.as_nanos().div_ceil(1000), u64::from(number)));
            }
            self.offer(if end == 0 { 0 } else { 2 }, Packet { way: end, segment });
        }
    }

    fn run(&mut self) {
        let end = Time::ZERO + END;
        self.now = Time::ZERO + Duration::from_secs(1);
        self.handle(1, Input::Open);
        self.handle(0, Input::Write(Data::Count(u64::MAX / 2)));
        self.handle(0, Input::Open);
        loop {
            let event = self.events.first_key_value().map_or(Time::NEVER, |(&(time, _), _)| time);
            let timers = self.ends.each_ref().map(Connection::deadline);
            let next = event.min(timers[0]).min(timers[1]);
            if next >= end {
                return;
            }
            self.now = next;
            if let Some(index) = timers.iter().position(|&t| t == next) {
                self.handle(index, Input::Wake);
                continue;
            }
            match self.events.pop_first() {
                Some((_, Event::Idle(line))) => self.start(line),
                Some((_, Event::Out(line @ (0 | 2), packet))) => self.offer(line + 1, packet),
                Some((_, Event::Out(_, Packet { way, segment }))) => {
                    self.handle(1 - way, Input::Segment { segment: &segment, data: &[] });
                }
                None => return,
            }
        }
    }
}

/// The numbers in braces after `set NAME` in the script that made the recordings.
fn losses(name: &str) -> Vec<u32> {
    let script = include_str!("golden/ns2.tcl");
    let (_, rest) = script.split_once(&format!("set {name} {{")).expect("the list");
    let (list, _) = rest.split_once('}').expect("its end");
    list.split_whitespace().map(|n| n.parse().expect("a number")).collect()
}

fn compare(id: &str, acking: &str, recording: &str) {
    let mut lines = recording.lines();
    let boot: f64 = lines.next().and_then(|l| l.strip_prefix("boot ")).expect("the phase").parse().expect("a number");
    let mut recorded = vec![];
    let mut counters = BTreeMap::new();
    for line in lines {
        if let Some(rest) = line.strip_prefix("end ") {
            let words: Vec<&str> = rest.split_whitespace().collect();
            counters.extend(words.chunks(2).map(|c| (c[0], c[1].parse::<f64>().expect("a number"))));
        } else {
            let (time, number) = line.split_once(' ').expect("time and number");
            recorded.push((time.parse::<u64>().expect("a time"), number.parse::<u64>().expect("a number")));
        }
    }

    let segment_bytes = if id == "vegas" { VEGAS_SEGMENT_BYTES } else { SEGMENT_BYTES };
    let params = Params { granularity_phase: Duration::from_secs_f64(boot), segment_bytes, ..Params::ns2() };
    let row = protocol(id).unwrap();
    let params = row.params(params);
    let recipe = row.recipe.with("acking", acking).unwrap();
    let end = |role, iss| Connection::new(&recipe, &params, role, 1, 2, Seq(iss));
    let mut network = Network {
        now: Time::ZERO,
        lines: [
            Line::new(FAST_BPS, FAST_DELAY, 1000, vec![]),
            Line::new(SLOW_BPS, SLOW_DELAY, 12, losses("forward")),
            Line::new(SLOW_BPS, SLOW_DELAY, 1000, losses("back")),
            Line::new(FAST_BPS, FAST_DELAY, 1000, vec![]),
        ],
        events: BTreeMap::new(),
        count: 0,
        ends: [end(Role::Active, 0), end(Role::Passive, 0)],
        sends: vec![],
        segment_bytes,
    };
    network.run();

    for (i, (ours, theirs)) in network.sends.iter().zip(&recorded).enumerate() {
        // Recordings are in whole microseconds.
        let is_same = ours.1 == theirs.1 && ours.0.abs_diff(theirs.0) <= 2;
        let context = &network.sends[i.saturating_sub(8)..=i];
        assert!(
            is_same,
            "{id}: send {i} is {ours:?}, ns-2's {theirs:?}; before: {context:?}\n{:?}",
            network.ends[0].public()
        );
    }
    assert_eq!(network.sends.len(), recorded.len());
    let p = network.ends[0].public();
    let mss = f64::from(segment_bytes);
    assert_eq!(p.acked_bytes as f64 / mss, counters["acked"]);
    assert_eq!(p.timeouts as f64, counters["timeouts"]);
    assert_eq!(p.retransmissions as f64, counters["retransmissions"]);
    assert_eq!(p.segments_sent as f64 + 1.0, counters["sent"]); // ns-2 counts the SYN
    assert_eq!(p.ssthresh / mss, counters["ssthresh"]);
    let cwnd = if id == "vegas" { p.window() } else { p.cwnd } / mss; // its inflation is in `cwnd_`
    assert!((cwnd - counters["cwnd"]).abs() < 1e-3, "{cwnd} {}", counters["cwnd"]);
}

#[test]
fn tahoe() {
    compare("tahoe", "every", include_str!("golden/ns2-tahoe.txt"));
}

#[test]
fn reno() {
    compare("reno", "every", include_str!("golden/ns2-reno.txt"));
}

#[test]
fn newreno() {
    compare("newreno", "every", include_str!("golden/ns2-newreno.txt"));
}

#[test]
fn newreno_with_delayed_acks() {
    compare("newreno", "delayed", include_str!("golden/ns2-newreno-delayed.txt"));
}

#[test]
fn vegas() {
    compare("vegas", "every", include_str!("golden/ns2-vegas.txt"));
}

#[test]
fn vegas_with_delayed_acks() {
    compare("vegas", "delayed", include_str!("golden/ns2-vegas-delayed.txt"));
}

#[test]
fn sack1() {
    compare("sack", "every", include_str!("golden/ns2-sack1.txt"));
}

#[test]
fn sack1_with_delayed_acks() {
    compare("sack", "delayed", include_str!("golden/ns2-sack1-delayed.txt"));
}
