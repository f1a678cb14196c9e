//! Two ends of a connection over a network that loses, doubles, delays and marks, with everything checked on the way
//! that holds for every protocol.
#![allow(dead_code, reason = "each test uses a part")]

use std::collections::BTreeMap;

use hopwright_machine::{Duration, Machine as _, NodeId, Purpose, Stream, Time};
use hopwright_transport::adaptation::{Condition, Monitor, Settings, Side, Trigger, Triggers};
use hopwright_transport::params::Place;
use hopwright_transport::{
    Connection, Data, Input, NetworkSignal, Output, PROTOCOLS, Params, Phase, Public, Recipe, Role, SlotInfo, State,
    SwapError, slots,
};
use hopwright_wire::ip::Ecn;
use hopwright_wire::tcp::{Flags, Segment, Seq};

/// A network between two ends that loses, duplicates, delays and now and then goes dark.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Network {
    pub(crate) seed: u64,
    /// Per cent of segments.
    pub(crate) loss: u32,
    pub(crate) duplication: u32,
    pub(crate) reordering: u32,
    /// Of the delay, in microseconds.
    pub(crate) jitter_us: u32,
    /// Nothing passes from this time for so long, in milliseconds.
    pub(crate) dark_from_ms: u64,
    pub(crate) dark_for_ms: u64,
}

impl Network {
    /// The same without anything that changes the order of segments.
    pub(crate) fn in_order(self) -> Self {
        Self { loss: 0, duplication: 0, reordering: 0, jitter_us: 0, dark_for_ms: 0, ..self }
    }
}

/// What the applications do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traffic {
    pub(crate) forward: usize,
    pub(crate) backward: usize,
    pub(crate) iss: [u32; 2],
    pub(crate) window_segments: u32,
    /// Longest wait of the readers.
    pub(crate) reading_delay_ms: u32,
    pub(crate) is_virtual: bool,
    /// Whether both ends open at the same time.
    pub(crate) both_open: bool,
}

pub(crate) const SEGMENT: u32 = 100;

const TOO_LATE: Duration = Duration::from_secs(3 * 3600);
/// More events than any run needs: two ends that answer each other for ever.
const TOO_MANY: u32 = 1_000_000;

enum Event {
    Arrival(usize, Segment, Vec<u8>),
    Read(usize, u32),
    /// The first end's application has more to say.
    Write(usize),
}

/// A line of so many microseconds a segment each way, with a queue that segments beyond its limit do not enter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub(crate) segment_us: u64,
    pub(crate) queue: u64,
}

pub(crate) struct Pair {
    now: Time,
    pub(crate) ends: [Connection; 2],
    network: Network,
    traffic: Traffic,
    random: Stream,
    events: BTreeMap<(Time, u64), Event>,
    count: u64,
    pub(crate) received: [Vec<u8>; 2],
    /// How far each end was ever allowed to send (by what left the other end), and the shift it was told.
    edges: [Option<Seq>; 2],
    shifts: [u8; 2],
    pub(crate) resets: u32,
    /// Every segment that left, and when.
    pub(crate) transcript: Vec<(Time, usize, Segment)>,
    /// One input in so many is preceded by a swap or by news from below; zero: none is.
    pub(crate) disturbed: u32,
    /// The same with news about the route alone.
    pub(crate) signalled: u32,
    /// Whether it is ever told that there is a route again.
    pub(crate) is_told: bool,
    /// Per cent of segments with data that routers mark, where they may.
    pub(crate) marks: u32,
    /// What every segment must go through, and until when it has to do each way.
    pub(crate) line: Option<Line>,
    busy_until: [Time; 2],
    /// What the first end's application writes later: when, in milliseconds, and how much. It closes after the last.
    pub(crate) bursts: Vec<(u64, usize)>,
    written: usize,
    /// What swaps choose from.
    pub(crate) slots: Vec<SlotInfo>,
    pub(crate) swaps: u32,
    /// Whether the handshake is ns-2's.
    is_plain: bool,
    /// Whether windows are Vegas's when the connection opens.
    begins_as_vegas: bool,
    /// How far a swap may move the smoothed round-trip time, in seconds: ns-2 keeps eighths of ticks.
    rounding_s: f64,
}

impl Pair {
    pub(crate) fn new(recipe: &Recipe, params: &Params, network: Network, traffic: Traffic) -> Self {
        Self::with_places(recipe, params, [Place::Sender; 2], network, traffic)
    }

    /// The same, with ends that may ask for what they receive.
    pub(crate) fn with_places(
        recipe: &Recipe,
        params: &Params,
        places: [Place; 2],
        network: Network,
        traffic: Traffic,
    ) -> Self {
        let params = Params {
            segment_bytes: SEGMENT,
            window_limit_segments: traffic.window_segments,
            explicit_read: true,
            msl: Duration::from_secs(1_000), // no TIME-WAIT ends before a backed-off FIN has come through
            ..params.clone()
        };
        let end = |role, index: usize| {
            let params = Params { place: places[index], ..params.clone() };
            Connection::new(recipe, &params, role, 1, 2, Seq(traffic.iss[index]))
        };
        Self {
            now: Time::ZERO,
            ends: [end(Role::Active, 0), end(if traffic.both_open { Role::Active } else { Role::Passive }, 1)],
            network,
            traffic,
            random: Stream::new(network.seed, NodeId(0), Purpose::Transport),
            events: BTreeMap::new(),
            count: 0,
            received: [vec![], vec![]],
            edges: [None, None],
            shifts: [0, 0],
            resets: 0,
            transcript: vec![],
            disturbed: 0,
            signalled: 0,
            is_told: true,
            marks: 0,
            line: None,
            busy_until: [Time::ZERO; 2],
            bursts: vec![],
            written: 0,
            slots: slots(),
            swaps: 0,
            is_plain: params.plain_handshake,
            begins_as_vegas: recipe.avoidance.id == "vegas",
            rounding_s: (params.granularity.as_secs_f64() / 8.0).max(0.002),
        }
    }

    /// Lets the first end change its mechanisms as it measures, as soon as it can.
    pub(crate) fn adapt(&mut self) {
        let row = |monitor, bound, until, set: &[(&str, &str)]| Trigger {
            when: vec![Condition { monitor, side: Side::Above, bound, until }],
            any: false,
            set: set.iter().map(|(slot, part)| ((*slot).to_owned(), (*part).to_owned())).collect(),
            back: true,
        };
        let rows = vec![
            row(
                Monitor::Loss,
                2.0,
                1.5,
                &[("avoidance", "vegas"), ("diagnosis", "blame-channel"), ("response", "spare")],
            ),
            row(Monitor::Jitter, 5.0, 2.0, &[("control", "hybrid"), ("clocking", "paced"), ("acking", "tuned")]),
            row(Monitor::Bandwidth, 100.0, 90.0, &[("timeout", "probe"), ("acking", "polled")]),
            row(Monitor::Delay, 20.0, 10.0, &[("control", "tfrc"), ("clocking", "paced")]),
            row(Monitor::Fluctuation, 300.0, 200.0, &[("recovery", "partial-acks")]),
        ];
        let hold = Some(Duration::from_millis(20));
        let settings = Settings { hold, period: Duration::from_millis(5), loss_window: 100, ..Settings::default() };
        self.ends[0].adapt_by(Some(&Triggers { rows, settings }));
    }

    /// Runs until both ends are done.
    pub(crate) fn run(&mut self) {
        self.run_with(|_| ());
    }

    /// The same, and does something before every event.
    pub(crate) fn run_with(&mut self, mut meddle: impl FnMut(&mut Self)) {
        for (ms, length) in self.bursts.clone() {
            self.schedule(Duration::from_millis(ms), Event::Write(length));
        }
        for (index, length) in [(1, self.traffic.backward), (0, self.traffic.forward)] {
            let bytes = stream(index, length);
            let data = if self.traffic.is_virtual { Data::Count(length as u64) } else { Data::Bytes(&bytes) };
            self.handle(index, Input::Open);
            self.handle(index, Input::Write(data));
        }
        self.written = self.traffic.forward;
        let mut events = 0;
        while !self.is_over() {
            meddle(self);
            events += 1;
            assert!(events < TOO_MANY, "no end, at {}: {:?}", self.now, self.states());
            let arrival = self.events.first_key_value().map_or(Time::NEVER, |(&(time, _), _)| time);
            let timer = self.ends[0].deadline().min(self.ends[1].deadline());
            let next = arrival.min(timer);
            assert!(!next.is_never(), "nobody waits for anything: {:?}", self.states());
            assert!(next.since(Time::ZERO) < TOO_LATE, "no progress: {:?}", self.states());
            assert!(next >= self.now, "a deadline in the past");
            self.now = next;
            if timer <= arrival {
                let index = usize::from(self.ends[0].deadline() > timer);
                self.handle(index, Input::Wake);
                let end = &self.ends[index];
                let at_work = || end.mechanisms().collect::<Vec<_>>();
                assert!(end.deadline() > timer, "a timer fires for ever: {:?} {:?}", at_work(), end.public());
            } else if let Some((_, event)) = self.events.pop_first() {
                match event {
                    Event::Arrival(index, segment, data) => {
                        self.handle(index, Input::Segment { segment: &segment, data: &data });
                    }
                    Event::Write(length) => {
                        let bytes = stream(0, self.written + length);
                        self.handle(0, Input::Write(Data::Bytes(&bytes[self.written..])));
                        self.written += length;
                        self.bursts.pop();
                        if self.bursts.is_empty() {
                            self.handle(0, Input::Close);
                        }
                    }
                    Event::Read(index, n) => {
                        let (a, b) = self.ends[index].received();
                        let bytes: Vec<u8> = a.iter().chain(b).take(n as usize).copied().collect();
                        self.received[index].extend(bytes);
                        self.handle(index, Input::Read(n));
                    }
                }
            }
        }
    }

    fn is_over(&self) -> bool {
        let has_reads = self.events.values().any(|e| matches!(e, Event::Read(..)));
        !has_reads && self.states().iter().all(|s| matches!(s, State::Closed | State::TimeWait))
    }

    /// How much the first end's application has written.
    pub(crate) fn written(&self) -> usize {
        self.written
    }

    pub(crate) fn states(&self) -> [State; 2] {
        [self.ends[0].state(), self.ends[1].state()]
    }

    fn handle(&mut self, index: usize, input: Input<'_>) {
        if self.disturbed > 0 && self.random.below(self.disturbed) == 0 {
            self.disturb(index);
        }
        if self.signalled > 0 && self.random.below(self.signalled) == 0 {
            self.signal(index);
        }
        self.feed(index, input);
    }

    /// News about the route: true, late, forged, told twice.
    fn signal(&mut self, index: usize) {
        let (first, p) = (Seq(self.traffic.iss[index]), self.ends[index].public());
        let outstanding = first + (p.una + u64::from(self.random.below(p.flight().max(1) as u32))) as u32;
        let anywhere = first + self.random.below(20_000);
        let signal = match self.random.below(8) {
            0 => NetworkSignal::RouteFailed(None),
            1..=3 => NetworkSignal::RouteFailed(Some(outstanding)),
            4 => NetworkSignal::RouteFailed(Some(anywhere)),
            _ if self.is_told => NetworkSignal::RouteRestored,
            _ => return,
        };
        self.feed(index, Input::Signal(signal));
    }

    fn feed(&mut self, index: usize, input: Input<'_>) {
        let before = self.ends[index].public().clone();
        let limits_window = matches!(input, Input::Signal(NetworkSignal::Hops(_))); // that of the route's length
        self.ends[index].handle(self.now, input);
        if !limits_window {
            check_standing(&before, self.ends[index].public());
        }
        let mut close = false;
        while let Some(output) = self.ends[index].poll() {
            match output {
                Output::Segment(segment) => self.send(index, segment),
                Output::Established => close = index == 1 || self.bursts.is_empty(),
                Output::Readable(n) => {
                    let delay = self.random.below(self.traffic.reading_delay_ms + 1);
                    self.schedule(Duration::from_millis(u64::from(delay)), Event::Read(index, n));
                }
                Output::Reset => self.resets += 1,
                Output::PeerClosed | Output::Closed | Output::TimedOut => {}
            }
        }
        self.check_invariants(index);
        if close {
            self.handle(index, Input::Close);
        }
    }

    /// Another mechanism in some slot, or news from below.
    fn disturb(&mut self, index: usize) {
        let number = self.random.below(1000);
        let seq = Seq(self.traffic.iss[1 - index]) + number;
        let signal = match self.random.below(8) {
            0 => NetworkSignal::Hops(number % 20),
            1 => NetworkSignal::Corrupted(seq),
            2 | 3 => return self.signal(index),
            _ => return self.swap(index),
        };
        self.feed(index, Input::Signal(signal));
    }

    /// A row of mechanisms: up to four, and who keeps the rate or the count that one of them gives.
    fn swap(&mut self, index: usize) {
        let mut row = vec![];
        for _ in 0..1 + self.random.below(4) {
            let slot = &self.slots[self.random.below(self.slots.len() as u32) as usize];
            let part = slot.parts[self.random.below(slot.parts.len() as u32) as usize].id;
            row.push((slot.name, part));
            row.extend(companions(part));
        }
        let kept = |end: &Connection| {
            let p = end.public();
            (p.una, p.max, p.srtt.map(Duration::as_secs_f64), p.sacked.bytes(), end.mechanisms().collect::<Vec<_>>())
        };
        let before = kept(&self.ends[index]);
        match self.ends[index].swap_all(&row) {
            Ok(_) => {
                self.swaps += 1;
                let after = kept(&self.ends[index]);
                assert_eq!((before.0, before.1), (after.0, after.1), "{row:?}");
                let moved = after.2.unwrap_or(0.0) - before.2.unwrap_or(0.0);
                assert!(moved.abs() <= self.rounding_s, "{row:?}: another round-trip time, by {moved} s");
                assert!(after.3 == before.3 || after.3 == 0, "{row:?}: the scoreboard is kept, or not needed any more");
            }
            // Both ends did not agree on what one needs, or the others do not give it.
            Err(SwapError::Conflict(_)) => assert_eq!(before, kept(&self.ends[index]), "{row:?}"),
            Err(error @ SwapError::Unknown { .. }) => panic!("{row:?}: {error}"),
        }
    }

    fn send(&mut self, index: usize, segment: Segment) {
        self.transcript.push((self.now, index, segment));
        self.check_segment(index, &segment);
        let (a, b) = self.ends[index].payload(segment.seq, segment.payload_bytes);
        let data = [a, b].concat();
        let is_empty = self.traffic.is_virtual || segment.flags.has(Flags::SYN);
        let expected = if is_empty { 0 } else { segment.payload_bytes };
        assert_eq!(data.len() as u32, expected, "bytes missing for {segment:?}");
        let dark = self.now.since(Time::ZERO + Duration::from_millis(self.network.dark_from_ms));
        let is_dark = dark > Duration::ZERO && dark < Duration::from_millis(self.network.dark_for_ms);
        let copies = 1 + u32::from(self.random.below(100) < self.network.duplication);
        let is_capable = !matches!(segment.ecn, Ecn::NotCapable);
        for _ in 0..copies {
            let is_marked = is_capable && self.random.below(100) < self.marks;
            let segment = Segment { ecn: if is_marked { Ecn::Experienced } else { segment.ecn }, ..segment };
            let is_lost = self.random.below(100) < self.network.loss || is_dark;
            let is_late = self.random.below(100) < self.network.reordering;
            let delay = 20_000
                + self.random.below(self.network.jitter_us + 1)
                + if is_late { self.random.below(300_000) } else { 0 };
            let Some(wait) = self.pass_line(index) else { continue };
            if !is_lost {
                let event = Event::Arrival(1 - index, segment, data.clone());
                self.schedule(wait + Duration::from_micros(u64::from(delay)), event);
            }
        }
    }

    /// How long a segment needs until it is out of the line; nothing if it finds the queue full.
    fn pass_line(&mut self, from: usize) -> Option<Duration> {
        let Some(line) = self.line else { return Some(Duration::ZERO) };
        let segment = Duration::from_micros(line.segment_us);
        let free = self.busy_until[from].max(self.now);
        if free.since(self.now) > segment * line.queue {
            return None;
        }
        self.busy_until[from] = free + segment;
        Some((free + segment).since(self.now))
    }

    fn schedule(&mut self, after: Duration, event: Event) {
        self.count += 1;
        self.events.insert((self.now + after, self.count), event);
    }

    fn check_segment(&mut self, index: usize, segment: &Segment) {
        // What ns-2's Vegas sends with its SYN is no data.
        if segment.payload_bytes > 0 && !segment.flags.has(Flags::SYN) {
            let options = if self.is_plain { 0 } else { segment.options.bytes() }; // ns-2's come on top
            assert!(segment.payload_bytes + options <= SEGMENT, "{segment:?}");
            // One byte may probe beyond what the peer offered.
            let allowed = self.edges[index].expect("data before the handshake") + 1;
            assert!(!segment.seq.is_after(allowed) && !(segment.seq + segment.payload_bytes).is_after(allowed));
        }
        if let Some(shift) = segment.options.window_scale {
            self.shifts[index] = shift;
        }
        let is_reset = segment.flags.has(Flags::RST);
        if segment.flags.has(Flags::ACK) && !is_reset {
            let shift = if segment.flags.has(Flags::SYN) { 0 } else { self.shifts[index] };
            let edge = segment.ack + (u32::from(segment.window) << shift);
            let edges = &mut self.edges[1 - index];
            assert!(edges.is_none_or(|e| !edge.is_before(e - (1 << shift))), "an offer was taken back");
            *edges = Some(edges.map_or(edge, |e| e.max(edge)));
        }
    }

    fn check_invariants(&self, index: usize) {
        self.check_public(index, self.ends[index].public());
        if let Some(half) = self.ends[index].asking() {
            self.check_public(index, half.public());
        }
    }

    fn check_public(&self, index: usize, p: &Public) {
        assert!(p.una <= p.nxt && p.nxt <= p.max, "{p:?}");
        // ns-2's Vegas closes its window soon after a time-out; a sender that waits has a timer all the same.
        let is_vegas = self.begins_as_vegas || self.ends[index].mechanisms().any(|id| id == "vegas");
        let closes = self.is_plain && is_vegas;
        let at_work = || self.ends[index].mechanisms().collect::<Vec<_>>();
        assert!(closes || p.window() >= f64::from(p.mss) / 2.0, "{:?} {p:?}", at_work());
        assert!(p.ssthresh >= f64::from(p.mss * self.traffic.window_segments.min(2)), "{p:?}");
        assert!(p.retransmissions <= p.segments_sent);
        assert!(p.rate >= f64::from(p.mss) / 64.0, "{:?} {p:?}", at_work());
        let may_wait = p.flight() == 0 || !matches!(self.ends[index].state(), State::Established);
        assert!(may_wait || !self.ends[index].deadline().is_never(), "outstanding data and no timer: {p:?}");
        let is_frozen = p.phase() == Phase::Frozen && !matches!(self.states()[index], State::Closed | State::TimeWait);
        assert!(!is_frozen || !self.ends[index].deadline().is_never(), "nobody wakes a frozen sender: {p:?}");
    }
}

/// Through an event that finds the sender standing still and leaves it so, only probes leave, and windows and time-out
/// stay, but for what an acknowledgement of new data ends: a recovery, a back-off.
fn check_standing(before: &Public, after: &Public) {
    if before.phase() != Phase::Frozen || after.phase() != Phase::Frozen || before.freezes != after.freezes {
        return;
    }
    let (sent, probes) = (after.segments_sent - before.segments_sent, after.path_probes - before.path_probes);
    assert!(sent <= probes, "{after:?}"); // a FIN alone is no data
    assert_eq!((after.max, after.timeouts), (before.max, before.timeouts), "{after:?}");
    // What is acknowledged for the first time ends a back-off (RFC 6298 §5.7), also while the sender waits.
    assert!(after.rto == before.rto || after.una > before.una && after.rto < before.rto, "{before:?} {after:?}");
    if !before.is_recovering() {
        let cwnd = before.cwnd.max(f64::from(before.mss)); // ns-2 halves one segment, too; an acknowledgement mends that
        assert!(after.cwnd == before.cwnd || after.cwnd == cwnd, "{before:?} {after:?}");
        assert_eq!((after.ssthresh, after.inflation), (before.ssthresh, before.inflation));
        assert!(after.dupacks == before.dupacks || after.una > before.una);
    }
}

/// Who keeps the rate or the count that a mechanism gives.
pub(crate) fn companions(part: &'static str) -> &'static [(&'static str, &'static str)] {
    match part {
        "hybrid" | "tfrc" => &[("clocking", "paced")],
        "explicit" => &[("control", "explicit"), ("clocking", "explicit")],
        "self-clocked" => &[("control", "window")],
        "told" | "separation" => {
            &[("control", "hybrid"), ("clocking", "paced"), ("avoidance", "told"), ("offer", "separation")]
        }
        _ => &[],
    }
}

/// Bytes that differ from position to position and from end to end.
pub(crate) fn stream(index: usize, length: usize) -> Vec<u8> {
    (0..length).map(|i| ((i * 31 + i / 251 + index * 7) % 256) as u8).collect()
}

/// Every protocol under both profiles, as it is, and with delayed acknowledgements where it acknowledges every segment.
pub(crate) fn combinations() -> Vec<(String, Recipe, Params)> {
    let mut all = vec![];
    for protocol in PROTOCOLS {
        for (profile, params) in [("standard", Params::default()), ("ns2", Params::ns2())] {
            let own = protocol.recipe.acking.id;
            for acking in if own == "every" { vec!["every", "delayed"] } else { vec![own] } {
                let recipe = protocol.recipe.with("acking", acking).unwrap();
                let params = Params { limited_transmit: acking == "every", ..protocol.params(params.clone()) };
                recipe.check(&params).unwrap();
                all.push((format!("{} {profile} {acking}", protocol.id), recipe, params));
            }
        }
    }
    all
}
