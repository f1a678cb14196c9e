//! Conversations in text: packets in, packets out, silence in between.
//!
//! A script is a list of lines `TIME OP ...`. Before the first one the connection has been opened with a
//! handshake of 100 ms that ended at time zero, unless the script itself says `open`. Positions are byte
//! offsets of the application's data; `ack N` acknowledges the bytes before `N`.
//!
//! ```text
//! set NAME VALUE        a parameter             (before the first timed line)
//! slot NAME PART        another mechanism       (likewise)
//! role passive          wait for the SYN        (likewise)
//! write N | read N | open | close | abort | wake
//! <  ack 1000 1000      acknowledgements arrive, one after the other; `win N` changes the offer
//! <  0:1000 1000:2000   data arrives; `fin 1000`, `fin 1000 ack 5`, `syn`, `syn-ack`, `rst` likewise
//! >  0:1000 1000:2000   these leave, now and in this order; `+fin` marks one that carries the FIN
//! >  ack 1000 seq 0 win 64000 (both optional) | fin 1000 | syn | syn-ack | rst | established | readable N | peer-closed | closed | reset
//! =  cwnd 2000          the public state; see `value`
//! ```
//!
//! Everything that leaves must be in the script, at its time: what it does not mention is asserted not to
//! happen. Timers fire by themselves at their deadlines.

use std::collections::VecDeque;
use std::fmt::Write as _;

use hopwright_machine::{Duration, Machine as _, Time};
use hopwright_transport::{Connection, Data, Input, Output, Params, Role, Value, protocol};
use hopwright_wire::tcp::{Flags, Options, Segment, Seq};

const ISS: Seq = Seq(u32::MAX - 2_500); // every longer conversation wraps around
const PEER_ISS: Seq = Seq(7_000);

/// Checks a conversation with the protocol under the standard profile.
pub(crate) fn check(id: &str, script: &str) {
    converse(id, Params::default(), script);
}

/// Checks a conversation with the protocol under ns-2's profile.
pub(crate) fn check_ns2(id: &str, script: &str) {
    converse(id, Params::ns2(), script);
}

fn converse(id: &str, mut params: Params, script: &str) {
    params.segment_bytes = 1000;
    params.max_burst_segments = 0;
    if params.granularity_mode == hopwright_transport::params::GranularityMode::Heartbeat {
        params.granularity_mode = hopwright_transport::params::GranularityMode::Exact;
    }
    let mut recipe = protocol(id).expect("a protocol").recipe;
    let mut role = Role::Active;
    let mut lines = script.lines().map(str::trim).filter(|l| !l.is_empty()).peekable();
    while let Some(line) = lines.peek() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["set", name, value] => {
                let value = match value.parse() {
                    Ok(n) => Value::Number(n),
                    Err(_) => value.parse().map_or_else(|_| Value::Word(value.into()), Value::Bool),
                };
                params.set(name, value).unwrap_or_else(|e| panic!("{line}: {e}"));
            }
            ["slot", slot, part] => recipe = recipe.with(slot, part).unwrap_or_else(|e| panic!("{line}: {e}")),
            ["role", "passive"] => role = Role::Passive,
            _ => break,
        }
        lines.next();
    }
    let connection = Connection::new(&recipe, &params, role, 1, 2, ISS);
    let mut talk = Talk {
        connection,
        now: Time::ZERO,
        outputs: VecDeque::new(),
        said: String::new(),
        acked: 0,
        sent: 0,
        window: 64_000,
        is_plain: params.plain_handshake,
    };
    if !lines.clone().any(|l| l.split_whitespace().nth(1) == Some("open")) {
        talk.shake_hands(role);
    }
    for line in lines {
        talk.line(line);
    }
    talk.expect_silence("the end");
}

struct Talk {
    connection: Connection,
    now: Time,
    outputs: VecDeque<(Time, String)>,
    /// The conversation so far, for failures.
    said: String,
    /// What the peer acknowledges with its data, what it has sent, and its window.
    acked: u32,
    sent: u32,
    window: u16,
    is_plain: bool,
}

/// Script time zero; whole seconds, so that clock ticks fall on the script's round times.
const ZERO: Duration = Duration::from_secs(1);

impl Talk {
    fn shake_hands(&mut self, role: Role) {
        self.advance(Time::ZERO + Duration::from_millis(900));
        self.handle(Input::Open);
        match role {
            Role::Active => {
                self.advance(Time::ZERO + ZERO);
                self.segment(Flags::SYN.with(Flags::ACK), PEER_ISS, 0, 0);
            }
            Role::Passive => {
                self.segment(Flags::SYN, PEER_ISS, 0, 0);
                self.advance(Time::ZERO + ZERO);
                self.segment(Flags::ACK, PEER_ISS + 1, 0, 0);
            }
        }
        assert_eq!(self.connection.state(), hopwright_transport::State::Established);
        self.outputs.clear();
    }

    fn handle(&mut self, input: Input<'_>) {
        self.connection.handle(self.now, input);
        self.collect();
    }

    fn collect(&mut self) {
        while let Some(output) = self.connection.poll() {
            let text = self.describe(&output);
            let _ = writeln!(self.said, "    {} -> {text}", self.stamp());
            self.outputs.push_back((self.now, text));
        }
    }

    /// Lets timers fire up to `time`.
    fn advance(&mut self, time: Time) {
        while self.connection.deadline() <= time {
            self.now = self.connection.deadline().max(self.now);
            self.handle(Input::Wake);
        }
        self.now = time;
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.said, "{line}");
        let mut words = line.split_whitespace();
        let time = words.next().expect("a time");
        self.advance(Time::ZERO + ZERO + parse_time(time));
        let operation = words.next().unwrap_or_else(|| panic!("no operation: {line}"));
        let rest: Vec<&str> = words.collect();
        if operation != ">" {
            self.expect_silence(line);
        }
        let count = |i: usize| rest[i].parse::<u32>().expect("a number");
        match operation {
            "write" => self.handle(Input::Write(Data::Count(rest[0].parse().expect("a number")))),
            "read" => self.handle(Input::Read(count(0))),
            "open" => self.handle(Input::Open),
            "close" => self.handle(Input::Close),
            "abort" => self.handle(Input::Abort),
            "wake" => self.handle(Input::Wake),
            "<" => self.arrive(&rest),
            ">" => self.expect(&rest, line),
            "=" => {
                for pair in rest.chunks(2) {
                    let found = self.value(pair[0]);
                    assert_eq!(found, pair[1], "{} in: {line}\n{}", pair[0], self.said);
                }
            }
            _ => panic!("what is {operation}?"),
        }
    }

    /// Segments from the peer.
    fn arrive(&mut self, words: &[&str]) {
        let mut words = words.to_vec();
        if let Some(at) = words.iter().position(|w| *w == "win") {
            self.window = words[at + 1].parse().expect("a window");
            words.drain(at..at + 2);
        }
        let number = |w: &str| w.parse::<u32>().expect("a number");
        match words[..] {
            ["ack", ref numbers @ ..] => {
                for n in numbers {
                    self.acked = number(n);
                    self.segment(Flags::ACK, PEER_ISS + 1 + self.sent, self.acked, 0);
                }
            }
            ["fin", at, "ack", n] => {
                self.acked = number(n);
                self.segment(Flags::FIN.with(Flags::ACK), PEER_ISS + 1 + number(at), self.acked, 0);
            }
            ["fin", at] => {
                self.sent = self.sent.max(number(at) + 1);
                self.segment(Flags::FIN.with(Flags::ACK), PEER_ISS + 1 + number(at), self.acked, 0);
            }
            ["syn"] => self.segment(Flags::SYN, PEER_ISS, 0, 0),
            ["syn-ack"] => self.segment(Flags::SYN.with(Flags::ACK), PEER_ISS, 0, 0),
            ["rst"] => self.segment(Flags::RST, PEER_ISS + 1 + self.sent, self.acked, 0),
            ["rst", at] => self.segment(Flags::RST, PEER_ISS + 1 + number(at), self.acked, 0),
            ref ranges => {
                for range in ranges {
                    let (start, end) = range.split_once(':').expect("start:end");
                    let (start, end) = (number(start), number(end));
                    self.sent = self.sent.max(end);
                    self.segment(Flags::ACK, PEER_ISS + 1 + start, self.acked, end - start);
                }
            }
        }
    }

    fn segment(&mut self, flags: Flags, seq: Seq, acked: u32, payload_bytes: u32) {
        let mut options = Options::default();
        if flags.has(Flags::SYN) && !self.is_plain {
            options.mss = Some(1000);
            options.window_scale = Some(0);
        }
        let segment = Segment {
            source_port: 2,
            destination_port: 1,
            seq,
            ack: if flags.has(Flags::ACK) { ISS + 1 + acked } else { Seq(0) },
            flags,
            window: self.window,
            urgent: 0,
            options,
            payload_bytes,
        };
        self.handle(Input::Segment { segment: &segment, data: &[] });
    }

    fn expect(&mut self, words: &[&str], line: &str) {
        let expected: Vec<String> = match words {
            ["ack" | "fin" | "readable" | "syn-ack" | "rst", _, ..] => vec![words.join(" ")],
            _ => words.iter().map(|w| (*w).to_string()).collect(),
        };
        for text in expected {
            let found = self.outputs.pop_front();
            let found = found.unwrap_or_else(|| panic!("nothing left instead of {text} in: {line}\n{}", self.said));
            let shown = abridged(&found.1, &text);
            assert_eq!((found.0, shown), (self.now, text), "in: {line}\n{}", self.said);
        }
    }

    fn expect_silence(&mut self, where_: &str) {
        if let Some((time, text)) = self.outputs.front() {
            panic!("at {time} nobody expected {text}, before: {where_}\n{}", self.said);
        }
    }

    fn describe(&self, output: &Output) -> String {
        let Output::Segment(s) = output else {
            return match output {
                Output::Established => "established".into(),
                Output::Readable(n) => format!("readable {n}"),
                Output::PeerClosed => "peer-closed".into(),
                Output::Closed => "closed".into(),
                Output::Reset => "reset".into(),
                Output::Segment(_) => unreachable!(),
            };
        };
        let start = s.seq.0.wrapping_sub(ISS.0 + 1);
        let ack = s.ack.0.wrapping_sub(PEER_ISS.0 + 1);
        let window = s.window;
        let flags = s.flags;
        if flags.has(Flags::RST) {
            "rst".into()
        } else if flags.has(Flags::SYN) && flags.has(Flags::ACK) {
            "syn-ack".into()
        } else if flags.has(Flags::SYN) {
            assert_eq!(s.seq, ISS);
            format!("syn{}", if s.bytes() > 20 { "+options" } else { "" })
        } else if s.payload_bytes > 0 {
            let fin = if flags.has(Flags::FIN) { "+fin" } else { "" };
            format!("{start}:{}{fin}", start.wrapping_add(s.payload_bytes))
        } else if flags.has(Flags::FIN) {
            format!("fin {start}")
        } else {
            format!("ack {ack} seq {start} win {window}")
        }
    }

    fn value(&self, name: &str) -> String {
        let p = self.connection.public();
        match name {
            "cwnd" => format!("{:.0}", p.window()),
            "base" => format!("{:.0}", p.cwnd),
            "ssthresh" => format!("{:.0}", p.ssthresh),
            "phase" => format!("{:?}", p.phase()),
            "state" => format!("{:?}", self.connection.state()),
            "flight" => p.flight().to_string(),
            "rto" => format!("{}ms", p.rto.as_nanos() / 1_000_000),
            "srtt" => p.srtt.map_or("none".into(), |d| format!("{}ms", d.as_nanos() / 1_000_000)),
            "timeouts" => p.timeouts.to_string(),
            "retransmissions" => p.retransmissions.to_string(),
            "segments" => p.segments_sent.to_string(),
            "acked" => p.acked_bytes.to_string(),
            "delivered" => p.delivered_bytes.to_string(),
            "duplicates" => p.duplicate_segments.to_string(),
            "mss" => p.mss.to_string(),
            _ => panic!("no value {name}"),
        }
    }

    fn stamp(&self) -> String {
        let ms = self.now.as_nanos() as i128 / 1000 - i128::from(ZERO.as_nanos() / 1000);
        format!("{}.{:03}ms", ms / 1000, (ms % 1000).abs())
    }
}

/// What was said without the details that the script does not ask for.
fn abridged(said: &str, script: &str) -> String {
    let words: Vec<&str> = said.split(' ').collect();
    let is_asked = |pair: &&[&str]| pair.len() < 2 || !matches!(pair[0], "seq" | "win") || script.contains(pair[0]);
    words.chunks(2).filter(is_asked).map(|pair| pair.join(" ")).collect::<Vec<_>>().join(" ")
}

fn parse_time(text: &str) -> Duration {
    if let Some(ms) = text.strip_suffix("ms") {
        Duration::from_secs_f64(ms.parse::<f64>().expect("milliseconds") / 1e3)
    } else {
        Duration::from_secs_f64(text.strip_suffix('s').expect("a unit").parse().expect("seconds"))
    }
}
