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
//! peer bare             a peer whose SYN has no options (likewise)
//! write N | read N | open | close | abort | wake
//! <  ack 1000 1000      acknowledgements arrive, one after the other; `win N` changes the offer
//! <  0:1000 1000:2000   data arrives; `fin 1000`, `fin 1000 ack 5`, `syn`, `syn-ack`, `rst` likewise
//! <  raw SA seq -5 ack 9 len 10   any segment: flags by letter, numbers as offsets (`ack` and `len` optional);
//!                       `text hello` instead of `len` carries real bytes
//! <  reopening admitted seq 9      a SYN for a new connection is only asked about: `admitted` or `refused`
//! <  ... ts 5 ecr 3 | no-ts | sack 2000:3000,5000:6000 | urg      with any of these; the timestamp stays
//! >  0:1000 1000:2000   these leave, now and in this order; `+fin` marks one that carries the FIN
//! >  ack 1000 | fin 1000 | syn | syn-ack | rst | established | readable N | peer-closed | closed | reset | timed-out
//! >  ... seq 0 win 64000 ts 5 ecr 3 sack 2000:3000,5000:6000      with any of these, where they are asked for
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

mod arrival;

use arrival::Details;

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
    let mut is_bare = params.plain_handshake;
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
            ["peer", "bare"] => is_bare = true,
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
        is_bare,
        stamps: params.timestamps && !is_bare,
        selects: params.selective_acks && !is_bare,
        stamp: 500,
        seen: 0,
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
    is_bare: bool,
    /// Whether the peer uses timestamps and selective acknowledgements; its timestamp, and ours that it echoes.
    stamps: bool,
    selects: bool,
    stamp: u32,
    seen: u32,
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
                self.segment(Flags::SYN.with(Flags::ACK), PEER_ISS, 0, 0, &Details::default());
            }
            Role::Passive => {
                self.segment(Flags::SYN, PEER_ISS, 0, 0, &Details::default());
                self.advance(Time::ZERO + ZERO);
                self.segment(Flags::ACK, PEER_ISS + 1, 0, 0, &Details::default());
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
            if let Output::Segment(Segment { options: Options { timestamps: Some((value, _)), .. }, .. }) = output {
                self.seen = value;
            }
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

    fn expect(&mut self, words: &[&str], line: &str) {
        let mut expected: Vec<String> = vec![];
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let is_pair = is_detail(word) || matches!(*word, "ack" | "fin" | "readable");
            let text = if is_pair { format!("{word} {}", words.next().expect("a value")) } else { (*word).into() };
            match expected.last_mut() {
                Some(last) if is_detail(word) => *last = format!("{last} {text}"),
                _ => expected.push(text),
            }
        }
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
                Output::TimedOut => "timed-out".into(),
                Output::Segment(_) => unreachable!(),
            };
        };
        let start = s.seq.0.wrapping_sub(ISS.0 + 1);
        let ack = s.ack.0.wrapping_sub(PEER_ISS.0 + 1);
        let flags = s.flags;
        let mut text = if flags.has(Flags::RST) {
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
            format!("ack {ack}")
        };
        let _ = write!(text, " seq {} win {}", start as i32, s.window);
        if let Some((value, echo)) = s.options.timestamps {
            let _ = write!(text, " ts {value} ecr {echo}");
        }
        let block =
            |(a, b): &(Seq, Seq)| format!("{}:{}", a.0.wrapping_sub(PEER_ISS.0 + 1), b.0.wrapping_sub(PEER_ISS.0 + 1));
        if !s.options.sack.is_empty() {
            let blocks: Vec<String> = s.options.sack.as_slice().iter().map(block).collect();
            let _ = write!(text, " sack {}", blocks.join(","));
        }
        text
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
            "readable" => self.connection.readable_bytes().to_string(),
            "backlog" => self.connection.backlog().to_string(),
            "received" => {
                let (a, b) = self.connection.received();
                String::from_utf8([a, b].concat()).expect("text")
            }
            _ => panic!("no value {name}"),
        }
    }

    fn stamp(&self) -> String {
        let ms = self.now.as_nanos() as i128 / 1000 - i128::from(ZERO.as_nanos() / 1000);
        format!("{}.{:03}ms", ms / 1000, (ms % 1000).abs())
    }
}

const fn is_detail(word: &str) -> bool {
    matches!(word.as_bytes(), b"seq" | b"win" | b"ts" | b"ecr" | b"sack")
}

/// What was said without the details that the script does not ask for.
fn abridged(said: &str, script: &str) -> String {
    let asked: Vec<&str> = script.split(' ').collect();
    let mut words = said.split(' ');
    let mut kept = vec![];
    while let Some(word) = words.next() {
        if !is_detail(word) {
            kept.push(word);
        } else if let Some(value) = words.next()
            && asked.contains(&word)
        {
            kept.extend([word, value]);
        }
    }
    kept.join(" ")
}

fn parse_time(text: &str) -> Duration {
    if let Some(ms) = text.strip_suffix("ms") {
        Duration::from_secs_f64(ms.parse::<f64>().expect("milliseconds") / 1e3)
    } else {
        Duration::from_secs_f64(text.strip_suffix('s').expect("a unit").parse().expect("seconds"))
    }
}
