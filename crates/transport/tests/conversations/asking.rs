//! A receiver that asks for its data (Velayutham 2005 §3.2.5, §3.3).

use hopwright_machine::{Duration, Machine as _, Time};
use hopwright_transport::adaptation::{Condition, Monitor, Settings, Side, Trigger, Triggers};
use hopwright_transport::params::{EcnMode, GranularityMode, Place};
use hopwright_transport::{Connection, Data, Input, Output, Params, Recipe, Role, State, SwapError, Value};
use hopwright_wire::ip::Ecn;
use hopwright_wire::tcp::{Flags, Options, Pull, Segment, Seq};

/// A source that waits to be asked (0) and the end that asks it (1), 50 ms apart.
struct Asked {
    now: Time,
    ends: [Connection; 2],
    /// On the way: when it comes, to whom.
    flying: Vec<(Time, usize, Segment)>,
    /// What left, and when.
    left: Vec<(Time, usize, Segment)>,
    /// What gets lost, by its place in `left`.
    loses: fn(usize, &Segment) -> bool,
}

const WAY: Duration = Duration::from_millis(50);

fn params(changes: impl FnOnce(&mut Params)) -> Params {
    let mut params = Params {
        selective_acks: true,
        max_burst_segments: 0,
        granularity_mode: GranularityMode::Exact,
        ..Params::default()
    };
    changes(&mut params);
    params
}

fn row(id: &str) -> Recipe {
    hopwright_transport::protocol(id).unwrap().recipe
}

impl Asked {
    fn new(recipe: &Recipe, params: &Params) -> Self {
        let end = |place, role, iss| Connection::new(recipe, &Params { place, ..params.clone() }, role, 1, 2, Seq(iss));
        let ends = [end(Place::Sender, Role::Active, 0), end(Place::Receiver, Role::Passive, u32::MAX - 5)];
        let mut asked = Self { now: Time::ZERO, ends, flying: vec![], left: vec![], loses: |_, _| false };
        asked.give(1, Input::Open);
        asked.give(0, Input::Open);
        asked
    }

    fn give(&mut self, end: usize, input: Input<'_>) {
        self.ends[end].handle(self.now, input);
        while let Some(output) = self.ends[end].poll() {
            if let Output::Segment(segment) = output {
                if !(self.loses)(end, &segment) {
                    self.flying.push((self.now + WAY, 1 - end, segment));
                }
                self.left.push((self.now, end, segment));
            }
        }
    }

    fn write(&mut self, bytes: u64) {
        self.give(0, Input::Write(Data::Count(bytes)));
    }

    fn run(&mut self, until_ms: u64) {
        let until = Time::ZERO + Duration::from_millis(until_ms);
        loop {
            let timer = self.ends[0].deadline().min(self.ends[1].deadline());
            let next = self.flying.first().map_or(Time::NEVER, |flying| flying.0).min(timer);
            if next > until {
                self.now = until;
                return;
            }
            self.now = next;
            if timer <= next {
                let end = usize::from(self.ends[0].deadline() > timer);
                self.give(end, Input::Wake);
            } else {
                let (_, end, segment) = self.flying.remove(0);
                self.give(end, Input::Segment { segment: &segment, data: &[] });
            }
        }
    }

    fn half(&self) -> &Connection {
        self.ends[1].asking().expect("it asks")
    }

    /// When each request left, from where, for how many bytes.
    fn requests(&self) -> Vec<(u64, u32, u32)> {
        let request = |(at, _, segment): &(Time, usize, Segment)| match segment.options.pull {
            Pull::Request { from, bytes } => Some((at.as_nanos() / 1_000_000, from.0, bytes.into())),
            _ => None,
        };
        self.left.iter().filter_map(request).collect()
    }

    /// When data left, from where, and how many.
    fn answers(&self) -> Vec<(u64, u32, u32)> {
        let data = self.left.iter().filter(|(_, end, segment)| *end == 0 && segment.payload_bytes > 0);
        data.map(|(at, _, segment)| (at.as_nanos() / 1_000_000, segment.seq.0, segment.payload_bytes)).collect()
    }
}

/// A segment without data, made by hand.
fn bare(flags: Flags, seq: Seq, pull: Pull) -> Segment {
    Segment {
        source_port: 2,
        destination_port: 1,
        seq,
        ack: Seq(1),
        flags,
        window: 65535,
        urgent: 0,
        options: Options { pull, ..Options::default() },
        payload_bytes: 0,
        ecn: Ecn::NotCapable,
    }
}

/// Vector A4: the request for [1, 1461) is lost, three later ones are answered. It is repeated once, and the window is cut
/// once.
#[test]
fn a_lost_request_is_repeated_when_three_later_ones_were_answered() {
    for id in ["newreno", "sack", "reno"] {
        // An answer has 1460 bytes, and eight of option, in which the source tells what it holds.
        let mut asked = Asked::new(&row(id), &params(|p| (p.initial_window_segments, p.segment_bytes) = (8, 1_468)));
        asked.loses = |_, segment| {
            static LOST: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
            matches!(segment.options.pull, Pull::Request { from: Seq(1), .. })
                && LOST.fetch_add(1, std::sync::atomic::Ordering::Relaxed).is_multiple_of(2)
        };
        asked.write(1_000_000);
        asked.run(9_000);
        let of_first = asked.requests().into_iter().filter(|&(_, from, _)| from == 1).collect::<Vec<_>>();
        assert_eq!(of_first, [(150, 1, 1460), (250, 1, 1460)], "{id}"); // after the handshake, and a round trip later
        let p = asked.half().public();
        assert_eq!((p.fast_retransmits, p.timeouts, p.retransmissions), (1, 0, 1), "{id}");
        assert_eq!(p.diagnosed.counts(), [1, 0, 0, 0], "{id}"); // each would cut the window
        assert_eq!(p.ssthresh, 4.0 * 1460.0, "{id}"); // once by half
        assert_eq!(p.acked_bytes, 1_000_000, "{id}");
        // Lost data would look the same to it. The source answered each request that came.
        assert_eq!(asked.ends[0].public().segments_sent, p.segments_sent - 1, "{id}");
    }
}

/// A request takes the place of a segment, and an answer that of its acknowledgement: the window doubles each round trip.
#[test]
fn requests_leave_as_a_sender_s_segments_would() {
    let mut asked = Asked::new(&row("newreno"), &params(|_| ()));
    asked.write(100_000);
    asked.run(530);
    let at = |ms| asked.requests().iter().filter(|&&(when, ..)| when == ms).count();
    assert_eq!([150, 250, 350, 450].map(at), [2, 4, 8, 16]);
    assert_eq!(asked.half().public().srtt, Some(WAY * 2));
    // 40 bytes of headers and twelve of option; the answer fills a segment beside its option of eight.
    let (_, _, request) = asked.left.iter().find(|(_, _, s)| matches!(s.options.pull, Pull::Request { .. })).unwrap();
    assert_eq!(request.bytes(), 20 + 12);
    let (_, _, data) = asked.left.iter().find(|(_, end, s)| *end == 0 && s.payload_bytes > 0).unwrap();
    assert_eq!(data.bytes(), 20 + 1460);
    assert_eq!(data.options.pull, Pull::Holds(Seq(100_001)));
    asked.run(2_000);
    assert_eq!(asked.ends[1].public().delivered_bytes, 100_000);
    // The last is acknowledged, so that the source can forget it; nothing else was without asking.
    assert_eq!(asked.ends[0].public().una, 100_001);
    assert_eq!(asked.ends[1].public().pure_acks_sent, 1);
}

/// Timestamps show the round trip of requests that were repeated, too.
#[test]
fn the_echo_is_of_the_request() {
    let mut asked = Asked::new(&row("newreno"), &params(|p| p.timestamps = true));
    asked.loses = |end, segment| {
        end == 0 && segment.payload_bytes > 0 && segment.seq == Seq(1) && {
            static LOST: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
            LOST.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0
        }
    };
    asked.write(1440);
    asked.run(90_000);
    let p = asked.half().public();
    assert_eq!((p.acked_bytes, p.timeouts), (1440, 1));
    assert_eq!(p.srtt, Some(WAY * 2)); // 1440: a segment less timestamps and what an answer says
    let echo =
        |at_ms: u64| asked.left.iter().rev().find(|(at, end, _)| *end == 0 && at.as_nanos() == at_ms * 1_000_000);
    assert_eq!(echo(500).unwrap().2.options.timestamps.unwrap().1, 450);
    assert_eq!(asked.answers(), [(200, 1, 1440), (500, 1, 1440)]);
}

/// The source sends nothing of its own accord but word of what it holds, less and less often, until it is asked.
#[test]
fn the_source_waits_to_be_asked() {
    let mut asked = Asked::new(&row("newreno"), &params(|_| ()));
    asked.run(1_000);
    asked.loses = |end, _| end == 1;
    asked.left.clear();
    asked.write(5_000);
    asked.run(9_000);
    assert_eq!(asked.answers(), []);
    let calls = asked.left.iter().filter(|(_, end, _)| *end == 0);
    let calls: Vec<u64> = calls.map(|(at, ..)| at.as_nanos() / 1_000_000).collect();
    assert_eq!(calls, [1_000, 2_000, 4_000, 8_000]); // at once, a second later, and then half as often each time
    asked.loses = |_, _| false;
    asked.run(20_000);
    assert_eq!(asked.ends[1].public().delivered_bytes, 5_000);
}

/// What is written later is told at once, and the end of the stream comes with its last byte.
#[test]
fn a_stream_that_grows_is_followed_to_its_end() {
    let mut asked = Asked::new(&row("sack"), &params(|_| ()));
    for n in 1..=5 {
        asked.write(700);
        asked.run(400 * n);
        assert_eq!(asked.ends[1].public().delivered_bytes, 700 * n);
    }
    let to = |ms| move |&&(at, ..): &&(u64, u32, u32)| at == ms;
    assert_eq!(asked.requests().iter().filter(to(450)).collect::<Vec<_>>(), [&(450, 701, 700)]);
    asked.give(0, Input::Close);
    asked.run(2_500);
    assert_eq!((asked.ends[0].state(), asked.ends[1].state()), (State::FinWait2, State::CloseWait));
    asked.give(1, Input::Close);
    asked.run(3_000);
    assert_eq!((asked.ends[0].state(), asked.ends[1].state()), (State::TimeWait, State::Closed));
    let fins = asked.left.iter().filter(|(_, end, s)| *end == 0 && s.flags.has(Flags::FIN)).count();
    assert_eq!(fins, 1);
}

/// Silence is asked about, and the source answers: nothing is cut, and what it does not have is requested again.
#[test]
fn probes_of_silence_are_questions() {
    let recipe = row("newreno").with("timeout", "probe").unwrap();
    let mut asked = Asked::new(&recipe, &params(|_| ()));
    asked.write(2_000_000);
    asked.run(1_000);
    asked.loses = |_, segment| segment.sequence_length() == 0 && segment.options.pull != Pull::Nothing;
    asked.run(1_600);
    asked.loses = |_, _| false;
    asked.run(6_000);
    let p = asked.half().public();
    assert!(p.silence_probes > 0 && p.timeouts == 0, "{p:?}");
    assert!(asked.requests().iter().any(|&(_, _, bytes)| bytes == 0));
    assert_eq!(p.acked_bytes, 2_000_000);
}

/// Mechanisms are those of the half that asks; what it does not have to do cannot be set.
#[test]
fn mechanisms_change_at_the_receiver() {
    let mut asked = Asked::new(&row("newreno"), &params(|_| ()));
    assert_eq!(asked.ends[1].swap("avoidance", "veno").unwrap(), "additive"); // before it is open
    asked.write(1_000_000);
    asked.run(1_000);
    assert_eq!(asked.half().recipe().avoidance.id, "veno");
    assert_eq!(asked.ends[1].swap("avoidance", "vegas").unwrap(), "veno");
    assert_eq!(asked.ends[1].recipe().avoidance.id, "vegas");
    for (slot, part) in [("acking", "delayed"), ("offer", "tcc")] {
        let Err(SwapError::Conflict(conflict)) = asked.ends[1].swap(slot, part) else { panic!("{slot} was set") };
        assert!(conflict.reason.starts_with("has nothing to do where the receiver asks"), "{conflict}");
    }
    assert!(matches!(asked.ends[1].swap("acking", "never"), Err(SwapError::Unknown { .. })));
    let Err(SwapError::Conflict(conflict)) = asked.ends[1].swap("path", "door") else { panic!("door was set") };
    assert!(conflict.reason.starts_with("needs what a sender writes on its data"), "{conflict}");
}

/// The table of triggers works there, too, on what the requests and their answers show.
#[test]
fn triggers_work_at_the_receiver() {
    let condition = Condition { monitor: Monitor::Loss, side: Side::Above, bound: 2.0, until: 1.5 };
    let set = [("avoidance", "vegas"), ("diagnosis", "blame-channel"), ("response", "spare")];
    let set = set.map(|(slot, part)| (slot.to_owned(), part.to_owned())).into();
    let rows = vec![Trigger { when: vec![condition], any: false, set, back: false }];
    let triggers = Triggers { rows, settings: Settings::default() };
    let mut asked = Asked::new(&row("newreno"), &params(|p| p.triggers = Some(triggers.into())));
    asked.loses = |end, segment| {
        end == 0 && segment.payload_bytes > 0 && (segment.seq.0 / 1452) % 20 == 19 && {
            static LOST: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
            LOST.fetch_add(1, std::sync::atomic::Ordering::Relaxed).is_multiple_of(2)
        }
    };
    asked.write(1_000_000);
    asked.run(60_000);
    assert!(asked.ends[1].is_adaptive());
    let changes = asked.ends[1].take_changes();
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert_eq!(asked.half().recipe().avoidance.id, "vegas");
    assert_eq!(asked.ends[1].public().delivered_bytes, 1_000_000);
    assert!(!asked.ends[0].take_changes().iter().any(|_| true));
}

/// What needs the sender of data to do more than answer is refused.
#[test]
fn what_no_source_does_is_refused() {
    let why = |id: &str, parts: &[(&str, &str)], changes: &dyn Fn(&mut Params)| {
        let row = hopwright_transport::protocol(id).unwrap();
        let recipe = parts.iter().fold(row.recipe, |recipe, (slot, part)| recipe.with(slot, part).unwrap());
        let mut params = Params { place: Place::Receiver, ..row.params(Params::default()) };
        changes(&mut params);
        recipe.check(&params).err().map_or(String::new(), |conflict| conflict.to_string())
    };
    let none = |_: &mut Params| ();
    for id in ["newreno", "sack", "vegas", "westwood", "veno", "cwl", "sca-reno"] {
        assert_eq!(why(id, &[], &none), "", "{id}");
    }
    for (id, parts, begins) in [
        ("door", &[][..], "path 'door' needs what a sender writes on its data"),
        ("newreno", &[("acking", "tuned")], "acking 'tuned' has nothing to do where the receiver asks"),
        ("newreno", &[("offer", "tcc")], "offer 'tcc' has nothing to do where the receiver asks"),
        ("daa", &[], "acking 'daa' has nothing to do where the receiver asks"),
        ("elfn", &[], "path 'elfn' is told of routes by notices"),
        ("tfrc", &[], "control 'tfrc' has losses found by the receiver"),
    ] {
        let reason = why(id, parts, &none);
        assert!(reason.starts_with(begins) && reason.contains("set "), "{id}: {reason}");
    }
    let at_sender = |p: &mut Params| p.set("rate_loss_at", Value::Word("sender".into())).unwrap();
    assert_eq!(why("tfrc", &[], &at_sender), "");
    assert!(why("newreno", &[], &|p| p.ecn = EcnMode::On).contains("set ecn = false"));
}

/// Whatever the mechanisms are, the end of the stream arrives although it was lost: the source goes by none of them.
#[test]
fn a_lost_end_is_sent_again() {
    for (timeout, closes_late) in [("probe", false), ("probe", true), ("fixed-rto", true), ("rfc6298", true)] {
        let recipe = row("sack").with("timeout", timeout).unwrap();
        let mut asked = Asked::new(&recipe, &params(|_| ()));
        asked.write(20_000);
        asked.run(if closes_late { 2_000 } else { 160 });
        asked.loses = |end, segment| end == 0 && segment.flags.has(Flags::FIN);
        asked.give(0, Input::Close);
        asked.run(2_100);
        asked.loses = |_, _| false;
        asked.run(30_000);
        assert_eq!((asked.ends[0].state(), asked.ends[1].state()), (State::FinWait2, State::CloseWait), "{timeout}");
        assert_eq!(asked.ends[1].public().delivered_bytes, 20_000, "{timeout}");
    }
}

/// However much waits, nobody speaks while the window is closed, but for the source once in a while.
#[test]
fn a_closed_window_is_quiet() {
    for bytes in [500_000_000, 3_000_000_000] {
        let mut asked = Asked::new(&row("newreno"), &params(|p| p.explicit_read = true));
        asked.write(bytes);
        asked.run(10_000);
        asked.left.clear();
        asked.run(70_000);
        let spoke = [0, 1].map(|end| asked.left.iter().filter(|(_, who, _)| *who == end).count());
        assert!(spoke[0] <= 61 && spoke[0] > 0 && spoke[1] <= spoke[0], "{bytes}: {spoke:?}");
        asked.give(1, Input::Read(50_000));
        asked.run(71_000);
        assert!(asked.ends[1].public().delivered_bytes > 93_440, "it goes on");
    }
}

/// A request gets one segment, however much it names.
#[test]
fn a_request_gets_a_segment() {
    let mut asked = Asked::new(&row("newreno"), &params(|_| ()));
    asked.run(1_000);
    asked.loses = |_, _| true;
    asked.write(1_000_000);
    asked.left.clear();
    let request = bare(Flags::ACK, Seq(u32::MAX - 4), Pull::Request { from: Seq(1), bytes: u16::MAX });
    asked.give(0, Input::Segment { segment: &request, data: &[] });
    assert_eq!(asked.answers(), [(1_000, 1, 1452)]);
}

/// Where the peer does not know the option, or asks as well, this end is like any other: its table of triggers acts on what
/// it sends, and its mechanisms change.
#[test]
fn who_is_not_answered_is_like_any_other() {
    let condition = Condition { monitor: Monitor::Loss, side: Side::Above, bound: 2.0, until: 1.5 };
    let set = vec![("avoidance".to_owned(), "vegas".to_owned())];
    let rows = vec![Trigger { when: vec![condition], any: false, set, back: false }];
    let triggers = Some(Triggers { rows, settings: Settings::default() }.into());
    let mut asked = Asked::new(&row("newreno"), &params(|_| ()));
    let asks = params(|p| (p.place, p.triggers) = (Place::Receiver, triggers));
    let other = params(|p| p.place = Place::Receiver);
    asked.ends = [
        Connection::new(&row("newreno"), &other, Role::Passive, 1, 2, Seq(0)),
        Connection::new(&row("newreno").with("acking", "every").unwrap(), &asks, Role::Active, 1, 2, Seq(9)),
    ];
    asked.flying.clear();
    asked.give(0, Input::Open);
    asked.give(1, Input::Open);
    asked.loses = |end, segment| {
        end == 1 && segment.payload_bytes > 0 && (segment.seq.0 / 1460).is_multiple_of(20) && {
            static SEEN: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
            SEEN.fetch_add(1, std::sync::atomic::Ordering::Relaxed).is_multiple_of(2)
        }
    };
    asked.give(1, Input::Write(Data::Count(1_000_000)));
    asked.run(60_000);
    assert!(asked.ends.iter().all(|end| end.asking().is_none()));
    assert_eq!(asked.ends[0].public().delivered_bytes, 1_000_000);
    assert_eq!(asked.ends[1].take_changes().len(), 1);
    assert_eq!(asked.ends[1].recipe().avoidance.id, "vegas");
    assert_eq!(asked.ends[1].swap("avoidance", "veno").unwrap(), "vegas");
    assert!(asked.ends[1].mechanisms().any(|id| id == "veno"));
}

/// What works where data come changes, too, when it changes at the half that asks.
#[test]
fn mechanisms_that_work_where_data_come_change_as_well() {
    let mut asked = Asked::new(&row("newreno"), &params(|_| ()));
    asked.write(500_000);
    asked.run(500);
    assert!(!asked.ends[1].hears_damage());
    asked.ends[1].swap_all(&[("diagnosis", "eln"), ("response", "spare")]).unwrap();
    assert!(asked.ends[1].hears_damage());
    asked.ends[1].swap("control", "adaptive-cwl").unwrap();
    assert!(asked.ends[1].wants_hops());
}

/// Who was asked by a peer that then broke off listens as before.
#[test]
fn a_listener_that_was_asked_listens_as_before() {
    let condition = Condition { monitor: Monitor::Loss, side: Side::Above, bound: 2.0, until: 1.5 };
    let set = vec![("avoidance".to_owned(), "vegas".to_owned())];
    let rows = vec![Trigger { when: vec![condition], any: false, set, back: false }];
    let triggers = Some(Triggers { rows, settings: Settings::default() }.into());
    let recipe = row("newreno").with("timeout", "eifel").unwrap();
    let listens = params(|p| (p.triggers, p.timestamps) = (triggers, true));
    let mut listener = Connection::new(&recipe, &listens, Role::Passive, 1, 2, Seq(0));
    listener.handle(Time::ZERO, Input::Open);
    let before: Vec<_> = listener.mechanisms().collect();
    let syn = bare(Flags::SYN, Seq(100), Pull::Asks);
    listener.handle(Time::ZERO, Input::Segment { segment: &syn, data: &[] });
    assert_ne!(listener.mechanisms().collect::<Vec<_>>(), before);
    let reset = bare(Flags::RST, Seq(101), Pull::Nothing);
    listener.handle(Time::ZERO, Input::Segment { segment: &reset, data: &[] });
    assert_eq!(listener.state(), State::Listen);
    assert!(listener.is_adaptive());
    assert_eq!(listener.mechanisms().collect::<Vec<_>>(), before);
}
