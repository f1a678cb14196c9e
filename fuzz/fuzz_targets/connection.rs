//! A pair of connections with a network between them that does whatever the input says, and a stranger who
//! forges segments, while mechanisms change and routing has news. Nothing panics, no stretch of data lies beyond what
//! the peer ever offered, and neither buffers nor answers grow without bound.
#![no_main]

use std::collections::VecDeque;

use arbitrary::Arbitrary;
use hopwright_machine::{Duration, Machine as _, Time};
use hopwright_transport::params::{EcnMode, WindowValidation};
use hopwright_transport::{Connection, Data, Input, NetworkSignal, Output, PROTOCOLS, Params, Role, slots};
use hopwright_wire::ip::Ecn;
use hopwright_wire::tcp::{Extra, Flags, Options, SackBlocks, Segment, Seq};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Case {
    protocol: u8,
    is_ns2: bool,
    delayed: bool,
    /// Parameters that are switches, a bit each.
    switches: u8,
    segment_bytes: u16,
    window_segments: u8,
    iss: [u32; 2],
    is_virtual: bool,
    asks_for_marks: bool,
    validates: bool,
    steps: Vec<Step>,
}

#[derive(Arbitrary, Debug)]
enum Step {
    Open(bool),
    Write(bool, u16),
    Read(bool, u16),
    Close(bool),
    Abort(bool),
    /// Time goes on, by this many milliseconds or to the next deadline.
    Wait(u16),
    Tick,
    /// The oldest segment under way to this end arrives; or is lost; or arrives and stays under way.
    Arrive(bool),
    Lose(bool),
    Repeat(bool),
    /// One that is under way overtakes the others.
    Overtake(bool, u8),
    Forge(bool, Forged),
    /// Another mechanism.
    Swap(bool, u8, u8),
    Signal(bool, u8, i16),
}

/// A forged segment, its numbers near those that the victim expects.
#[derive(Arbitrary, Debug)]
struct Forged {
    seq: i32,
    ack: i32,
    is_near: bool,
    flags: u8,
    window: u16,
    urgent: u16,
    payload: u16,
    mss: Option<u16>,
    window_scale: Option<u8>,
    sack_permitted: bool,
    timestamps: Option<(u32, u32)>,
    sack: [Option<(i16, i16)>; 3],
    extra: Option<(u8, u16, u32, u8)>,
}

/// What one event may let out: more than any window here in segments, and the answers.
const MOST_OUTPUTS: usize = 70_000;

struct End {
    connection: Connection,
    /// Segments under way to this end.
    under_way: VecDeque<(Segment, Vec<u8>)>,
    iss: Seq,
    /// How far it may send, by all that ever arrived: a position in its stream.
    edge: u64,
    /// The highest position it sent, plus one.
    highest: u64,
    shift: u8,
    /// The largest numbers it sent, for forgeries.
    last: Option<Segment>,
}

impl End {
    /// Where in its stream a number is, near the highest one sent.
    fn position(&self, seq: Seq) -> Option<u64> {
        let ahead = seq.0.wrapping_sub(self.iss.0.wrapping_add(self.highest as u32)) as i32;
        self.highest.checked_add_signed(i64::from(ahead))
    }
}

fuzz_target!(|case: Case| run(&case));

fn run(case: &Case) {
    let protocol = &PROTOCOLS[usize::from(case.protocol) % PROTOCOLS.len()];
    let mut recipe = protocol.recipe;
    if case.delayed {
        recipe = recipe.with("acking", "delayed").expect("a mechanism");
    }
    let mut params = protocol.params(if case.is_ns2 { Params::ns2() } else { Params::default() });
    params.segment_bytes = u32::from(case.segment_bytes).clamp(1, 9000);
    params.window_limit_segments = u32::from(case.window_segments).clamp(1, 64);
    params.explicit_read = case.switches & 1 != 0;
    params.limited_transmit = case.switches & 2 != 0;
    params.timestamps |= case.switches & 4 != 0;
    params.selective_acks |= case.switches & 8 != 0;
    params.duplicate_sacks = case.switches & 128 != 0;
    params.nagle = case.switches & 16 != 0;
    if case.asks_for_marks {
        params.ecn = EcnMode::On;
    }
    if case.validates {
        params.window_validation = WindowValidation::Rfc7661;
    }
    if case.switches & 32 != 0 {
        params.user_timeout = Duration::from_secs(30);
    }
    let role = |second| if second || case.switches & 64 == 0 { Role::Active } else { Role::Passive };
    let end = |second: bool| {
        let iss = Seq(case.iss[usize::from(second)]);
        let (local, remote) = (1 + u16::from(second), 2 - u16::from(second));
        End {
            connection: Connection::new(&recipe, &params, role(!second), local, remote, iss),
            under_way: VecDeque::new(),
            iss,
            edge: 0,
            highest: 0,
            shift: 0,
            last: None,
        }
    };
    let mut talk = Talk {
        now: Time::ZERO,
        ends: [end(false), end(true)],
        is_virtual: case.is_virtual,
        params: &params,
        written: [0; 2],
    };
    for step in case.steps.iter().take(400) {
        talk.step(step);
    }
}

struct Talk<'a> {
    now: Time,
    ends: [End; 2],
    is_virtual: bool,
    params: &'a Params,
    written: [u64; 2],
}

impl Talk<'_> {
    fn step(&mut self, step: &Step) {
        match *step {
            Step::Open(e) => self.handle(e, Input::Open),
            Step::Write(e, n) if self.is_virtual => {
                self.written[usize::from(e)] += u64::from(n);
                self.handle(e, Input::Write(Data::Count(u64::from(n))));
            }
            Step::Write(e, n) => {
                self.written[usize::from(e)] += u64::from(n);
                self.handle(e, Input::Write(Data::Bytes(&vec![n as u8; usize::from(n)])));
            }
            Step::Read(e, n) => self.handle(e, Input::Read(u32::from(n))),
            Step::Close(e) => self.handle(e, Input::Close),
            Step::Abort(e) => self.handle(e, Input::Abort),
            Step::Wait(ms) => {
                let until = self.now + Duration::from_millis(u64::from(ms));
                for _ in 0..1000 {
                    if !self.tick(until) {
                        break;
                    }
                }
                self.now = self.now.max(until);
            }
            Step::Tick => {
                self.tick(Time::NEVER);
            }
            Step::Arrive(e) => {
                if let Some((segment, data)) = self.ends[usize::from(e)].under_way.pop_front() {
                    self.arrive(e, &segment, &data);
                }
            }
            Step::Lose(e) => drop(self.ends[usize::from(e)].under_way.pop_front()),
            Step::Repeat(e) => {
                if let Some((segment, data)) = self.ends[usize::from(e)].under_way.front().cloned() {
                    self.arrive(e, &segment, &data);
                }
            }
            Step::Overtake(e, n) => {
                let under_way = &mut self.ends[usize::from(e)].under_way;
                if !under_way.is_empty() {
                    let n = usize::from(n) % under_way.len();
                    let (segment, data) = under_way.remove(n).expect("inside");
                    self.arrive(e, &segment, &data);
                }
            }
            Step::Forge(e, ref forged) => self.forge(e, forged),
            Step::Swap(e, slot, part) => {
                let slots = slots();
                let slot = &slots[usize::from(slot) % slots.len()];
                let part = slot.parts[usize::from(part) % slot.parts.len()].id;
                let _ = self.ends[usize::from(e)].connection.swap(slot.name, part); // refused where it cannot work
            }
            Step::Signal(e, kind, number) => {
                let [own, peers] = [e, !e].map(|of| self.ends[usize::from(of)].last.map_or(Seq(0), |s| s.seq));
                let [own, peers] = [own + number as u32, peers + number as u32];
                let signal = match kind % 5 {
                    0 => NetworkSignal::Hops(number.unsigned_abs().into()),
                    1 => NetworkSignal::Corrupted(peers),
                    2 => NetworkSignal::RouteFailed(None),
                    3 => NetworkSignal::RouteFailed(Some(own)),
                    _ => NetworkSignal::RouteRestored,
                };
                self.handle(e, Input::Signal(signal));
            }
        }
    }

    /// The next timer up to `until` fires; false if there is none.
    fn tick(&mut self, until: Time) -> bool {
        let next = self.ends.each_ref().map(|end| end.connection.deadline());
        let (e, at) = if next[0] <= next[1] { (false, next[0]) } else { (true, next[1]) };
        // Time-outs of years would only wrap numbers that no connection lives to see.
        if at.is_never() || at > until || at.since(Time::ZERO) > Duration::from_secs(100 * 24 * 3600) {
            return false;
        }
        self.now = self.now.max(at);
        self.handle(e, Input::Wake);
        assert!(self.ends[usize::from(e)].connection.deadline() > self.now, "a timer fires for ever");
        true
    }

    fn arrive(&mut self, e: bool, segment: &Segment, data: &[u8]) {
        let end = &mut self.ends[usize::from(e)];
        if segment.flags.has(Flags::SYN) {
            end.shift = end.shift.max(segment.options.window_scale.unwrap_or(0).min(14));
        }
        // The most generous reading: whatever arrived may have been believed, scaled or not, unless it
        // acknowledges what was never sent.
        let start = match segment.flags {
            flags if flags.has(Flags::ACK) => end.position(segment.ack).filter(|&start| start <= end.highest),
            flags if flags.has(Flags::SYN) => Some(1),
            _ => None,
        };
        let shift = if self.params.plain_handshake { 14 } else { end.shift };
        if let Some(start) = start {
            end.edge = end.edge.max(start + (u64::from(segment.window) << shift));
        }
        self.handle(e, Input::Segment { segment, data });
    }

    fn forge(&mut self, e: bool, forged: &Forged) {
        // The stranger sees what both ends sent last, or guesses.
        let (own, peer) = (&self.ends[usize::from(e)], &self.ends[usize::from(!e)]);
        let seq = peer.last.map_or(Seq(0), |s| s.end()) + forged.seq as u32;
        let ack = own.last.map_or(Seq(0), |s| s.end()) + forged.ack as u32;
        let (seq, ack) = if forged.is_near {
            (seq - forged.seq as u32 + (forged.seq % 5000) as u32, ack - forged.ack as u32 + (forged.ack % 5000) as u32)
        } else {
            (seq, ack)
        };
        let mut sack = SackBlocks::default();
        for (left, right) in forged.sack.into_iter().flatten() {
            sack.push(ack + left as u32, ack + right as u32);
        }
        let mut extra = Extra::default();
        if let Some((duplicate, packet, period, flags)) = forged.extra {
            extra.set_duplicate_number(duplicate);
            extra.set_packet_number(packet);
            extra.set_ack_period_us(period);
            if flags & 1 != 0 {
                extra.set_out_of_order();
            }
            if flags & 2 != 0 {
                extra.set_loss_notice();
            }
            if flags & 4 != 0 {
                extra.set_poll();
            }
            if flags & 8 != 0 {
                extra.set_gap_us(period >> 8);
            }
            if flags & 16 != 0 {
                extra.set_window(period.rotate_left(9));
            }
        }
        let data = vec![0xee; usize::from(forged.payload % 3000)];
        let segment = Segment {
            source_port: 2 - u16::from(e),
            destination_port: 1 + u16::from(e),
            seq,
            ack,
            flags: Flags(forged.flags),
            window: forged.window,
            urgent: forged.urgent,
            options: Options {
                mss: forged.mss,
                window_scale: forged.window_scale,
                sack_permitted: forged.sack_permitted,
                timestamps: forged.timestamps,
                sack,
                extra,
                ..Options::default()
            },
            payload_bytes: data.len() as u32,
            ecn: Ecn::of(forged.urgent as u8),
        };
        self.arrive(e, &segment, if self.is_virtual { &[] } else { &data });
    }

    fn handle(&mut self, e: bool, input: Input<'_>) {
        let index = usize::from(e);
        self.ends[index].connection.handle(self.now, input);
        let mut outputs = 0;
        while let Some(output) = self.ends[index].connection.poll() {
            outputs += 1;
            assert!(outputs < MOST_OUTPUTS, "one event lets out too much");
            if let Output::Segment(segment) = output {
                self.sent(e, segment);
            }
        }
        let connection = &self.ends[index].connection;
        let (a, b) = connection.received();
        assert!((a.len() + b.len()) as u64 <= self.params.window_limit(), "more is kept than was offered");
        assert!(connection.backlog() <= self.written[index] + 2, "more waits than was written");
    }

    fn sent(&mut self, e: bool, segment: Segment) {
        let index = usize::from(e);
        let (a, b) = self.ends[index].connection.payload(segment.seq, segment.payload_bytes);
        let data = [a, b].concat();
        // What ns-2's Vegas sends with its SYN is only a length.
        let is_counted = self.is_virtual || segment.flags.has(Flags::SYN);
        assert!(is_counted || data.len() as u32 == segment.payload_bytes, "data and header differ");
        let Some(last) = self.ends[index].position(segment.end()) else { return }; // a reset with a borrowed number
        if segment.payload_bytes > 1 && !segment.flags.has(Flags::SYN) {
            let edge = self.ends[index].edge;
            assert!(
                last - u64::from(segment.flags.has(Flags::FIN)) <= edge,
                "beyond the peer's offer, {edge}: {segment:?}"
            );
        }
        if segment.sequence_length() > 0 {
            self.ends[index].highest = self.ends[index].highest.max(last);
        }
        self.ends[index].last = Some(segment);
        let to = &mut self.ends[1 - index].under_way;
        to.push_back((segment, data));
        if to.len() > 256 {
            to.pop_front();
        }
    }
}
