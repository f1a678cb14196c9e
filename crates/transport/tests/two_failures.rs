//! Two links of a path fail at once: the timelines of Zhou et al. table 1 and figures 3 and 4, at the ends.
//!
//! Nodes 1 to 5 in a row; the links 2-3 and 3-4 fail at `FAILS`. What node 3 held, and what came to node 2 afterwards,
//! is lost, and so is node 3's notice: only node 2's arrives, which names the segment that node 2 could not forward.
//! From `RESTORED` on everything passes again.

use std::collections::BTreeMap;

use hopwright_machine::{Duration, Machine as _, Time};
use hopwright_transport::params::GranularityMode;
use hopwright_transport::{Connection, Data, Input, NetworkSignal, Output, Params, Phase, Role, Value, protocol};
use hopwright_wire::notice::{Asks, Restored};
use hopwright_wire::tcp::{Segment, Seq};

const ONE_WAY: Duration = Duration::from_millis(100);
const SEGMENT: u32 = 1000;
/// How long the first link needs for one.
const SPACING: Duration = Duration::from_millis(12);
const FAILS: Time = at(3_000);
const RESTORED: Time = at(8_000);
/// Until when the application writes and the run lasts.
const END: Time = at(12_000);

const fn at(ms: u64) -> Time {
    Time::from_nanos(ms * 1_000_000)
}

enum Event {
    Data(Segment),
    Ack(Segment),
    /// At the source (0) or the receiver (1).
    Signal(usize, NetworkSignal),
}

/// What a data segment, or an acknowledgement, can do to the sender.
#[derive(Default, Debug)]
struct Course {
    /// Data segments that left, by number, and when.
    sent: Vec<(Time, u32)>,
    frozen_at: Option<Time>,
    thawed_at: Option<Time>,
    fast_retransmits_at: Vec<Time>,
    timeouts_at: Vec<Time>,
    /// The first segment that was lost, and the one that node 2 could not forward.
    first_lost: u32,
    refused: u32,
    cwnd_before: f64,
    cwnd_at_thaw: f64,
    acked_at_end: u64,
    probes: u64,
}

struct Run {
    ends: [Connection; 2],
    asks: Option<Asks>,
    events: BTreeMap<(Time, u64), Event>,
    count: u64,
    now: Time,
    /// When the route is back, and whether node 3's notice arrives, too.
    restored: Time,
    hears_both: bool,
    /// Whether nodes keep what they cannot forward until the route is back (DSR's send buffer).
    keeps: bool,
    kept: Vec<Segment>,
    /// When the first link has sent what it was given.
    free: Time,
    course: Course,
}

impl Run {
    fn new(id: &str, settings: &[(&str, Value)]) -> Self {
        let row = protocol(id).unwrap();
        let base = Params {
            granularity_mode: GranularityMode::Exact,
            segment_bytes: SEGMENT,
            window_limit_segments: 20,
            max_burst_segments: 0,
            ..Params::default()
        };
        let mut params = row.params(base);
        settings.iter().for_each(|(name, value)| params.set(name, value.clone()).unwrap());
        let end = |role| Connection::new(&row.recipe, &params, role, 1, 2, Seq(0));
        Self {
            ends: [end(Role::Active), end(Role::Passive)],
            asks: row.recipe.asks(&params),
            events: BTreeMap::new(),
            count: 0,
            now: Time::ZERO,
            restored: RESTORED,
            hears_both: false,
            keeps: false,
            kept: vec![],
            free: Time::ZERO,
            course: Course::default(),
        }
    }

    fn schedule(&mut self, time: Time, event: Event) {
        self.count += 1;
        self.events.insert((time, self.count), event);
    }

    fn handle(&mut self, index: usize, input: Input<'_>) {
        let before = self.ends[0].public().clone();
        self.ends[index].handle(self.now, input);
        let after = self.ends[0].public();
        if before.phase() != Phase::Frozen && after.phase() == Phase::Frozen {
            self.course.frozen_at = Some(self.now);
            self.course.cwnd_before = before.cwnd;
        }
        if before.phase() == Phase::Frozen && after.phase() != Phase::Frozen && self.course.thawed_at.is_none() {
            self.course.thawed_at = Some(self.now);
            self.course.cwnd_at_thaw = after.cwnd;
        }
        if after.fast_retransmits > before.fast_retransmits {
            self.course.fast_retransmits_at.push(self.now);
        }
        if after.timeouts > before.timeouts {
            self.course.timeouts_at.push(self.now);
        }
        self.course.probes = after.path_probes;
        while let Some(output) = self.ends[index].poll() {
            let Output::Segment(segment) = output else { continue };
            if index == 0 { self.send_data(segment) } else { self.send_ack(segment) }
        }
    }

    /// A segment takes a quarter of the way to node 2, another to node 3.
    fn send_data(&mut self, segment: Segment) {
        let number = segment.seq.0 / SEGMENT;
        if segment.payload_bytes > 0 {
            self.course.sent.push((self.now, number));
        }
        let quarter = Duration::from_millis(25);
        self.free = self.free.max(self.now) + SPACING;
        let at_node_2 = self.free + quarter;
        let is_held_by_node_3 = at_node_2 < FAILS && at_node_2 + quarter >= FAILS;
        let comes_too_late = at_node_2 >= FAILS && at_node_2 < self.restored;
        if is_held_by_node_3 {
            self.lose(segment);
            if self.course.first_lost == 0 {
                self.course.first_lost = number;
                if self.hears_both && self.is_heard() {
                    let signal = NetworkSignal::RouteFailed(Some(segment.seq));
                    self.schedule(at_node_2 + quarter * 4, Event::Signal(0, signal));
                }
            }
        } else if comes_too_late {
            self.lose(segment);
            if self.course.refused == 0 {
                self.course.refused = number;
                if self.is_heard() {
                    self.schedule(at_node_2 + quarter, Event::Signal(0, NetworkSignal::RouteFailed(Some(segment.seq))));
                }
            }
        } else {
            self.schedule(at_node_2 + quarter * 3, Event::Data(segment));
        }
    }

    fn is_heard(&self) -> bool {
        self.asks.is_some()
    }

    fn lose(&mut self, segment: Segment) {
        if self.keeps {
            self.kept.push(segment);
        }
    }

    /// Acknowledgements get lost on the same links.
    fn send_ack(&mut self, segment: Segment) {
        let (at_node_4, at_node_2) = (self.now + Duration::from_millis(25), self.now + Duration::from_millis(75));
        if at_node_2 < FAILS || at_node_4 >= self.restored {
            self.schedule(self.now + ONE_WAY, Event::Ack(segment));
        }
    }

    fn finish(mut self) -> Course {
        self.handle(1, Input::Open);
        self.handle(0, Input::Write(Data::Count(u64::MAX / 2)));
        self.handle(0, Input::Open);
        let restored = self.restored;
        match self.asks.map_or(Restored::Nobody, |asks| asks.restored) {
            Restored::Nobody => {}
            Restored::Sender => self.schedule(restored + ONE_WAY, Event::Signal(0, NetworkSignal::RouteRestored)),
            Restored::Receiver => self.schedule(restored, Event::Signal(1, NetworkSignal::RouteRestored)),
        }
        let mut is_restored = false;
        loop {
            let arrival = self.events.first_key_value().map_or(Time::NEVER, |(&(time, _), _)| time);
            let timer = self.ends[0].deadline().min(self.ends[1].deadline());
            let next = arrival.min(timer);
            if !is_restored && next >= self.restored {
                is_restored = true;
                for segment in std::mem::take(&mut self.kept) {
                    self.schedule(self.restored + Duration::from_millis(75), Event::Data(segment));
                }
                continue;
            }
            if next > END {
                break;
            }
            self.now = next;
            if timer <= arrival {
                let index = usize::from(self.ends[0].deadline() > timer);
                self.handle(index, Input::Wake);
                continue;
            }
            match self.events.pop_first().unwrap().1 {
                Event::Data(segment) => self.handle(1, Input::Segment { segment: &segment, data: &[] }),
                Event::Ack(segment) => self.handle(0, Input::Segment { segment: &segment, data: &[] }),
                Event::Signal(index, signal) => self.handle(index, Input::Signal(signal)),
            }
        }
        self.course.acked_at_end = self.ends[0].public().acked_bytes / u64::from(SEGMENT);
        self.course
    }
}

fn word(word: &str) -> Value {
    Value::Word(word.into())
}

impl Course {
    /// The first data segment that left from this time on.
    fn first_from(&self, time: Time) -> Option<(Time, u32)> {
        self.sent.iter().find(|(sent, _)| *sent >= time).copied()
    }

    /// Whether the window afterwards is that from before; what wakes the sender may open it by a segment.
    fn keeps_its_window(&self) -> bool {
        [0.0, f64::from(SEGMENT)].contains(&(self.cwnd_at_thaw - self.cwnd_before))
    }

    fn sent_between(&self, from: Time, until: Time) -> usize {
        self.sent.iter().filter(|(sent, _)| *sent > from && *sent < until).count()
    }
}

/// Table 1, TCP-F: resumes at t6 from the segment that node 2 named, gets duplicates and retransmits at t7 = t6 + RTT.
#[test]
fn tcp_f_resumes_from_the_wrong_segment() {
    let course = Run::new("tcp-f", &[("tcpf_resume_from", word("rfn-seq"))]).finish();
    assert!(course.first_lost < course.refused, "{course:?}");
    let t3 = course.frozen_at.unwrap();
    assert!(t3 >= FAILS && t3 <= FAILS + ONE_WAY, "t3 - t2 is half a round trip at most");
    let t6 = RESTORED + ONE_WAY;
    assert_eq!(course.sent_between(t3, t6), 0);
    assert_eq!(course.first_from(t6), Some((t6, course.refused)));
    assert_eq!(course.thawed_at, Some(t6));
    assert_eq!(course.cwnd_at_thaw, course.cwnd_before);
    // The answer to the first of the segments from there is the acknowledgement that the failure took; three repeat it.
    let t7 = t6 + ONE_WAY * 2 + SPACING * 4;
    assert_eq!(course.fast_retransmits_at, [t7]);
    let resent = course.sent.iter().find(|(sent, number)| *sent >= t6 && *number == course.first_lost);
    assert_eq!(resent.unwrap().0, t7);
    assert_eq!(course.probes, 0);
}

/// Table 1, TCP-FSR: the receiver's acknowledgement arrives at t6, and the sender goes on from there, whole and without
/// a retransmission that anything but the failure calls for.
#[test]
fn fsr_resumes_where_the_receiver_is() {
    for hears_both in [false, true] {
        let mut run = Run::new("fsr", &[]);
        run.hears_both = hears_both;
        let course = run.finish();
        let t6 = RESTORED + ONE_WAY;
        assert_eq!(course.sent_between(course.frozen_at.unwrap(), t6), 0);
        assert_eq!(course.first_from(t6), Some((t6, course.first_lost)));
        assert!(course.keeps_its_window());
        assert!(course.fast_retransmits_at.is_empty() && course.timeouts_at.is_empty(), "{course:?}");
    }
}

/// The other reading of step 6: what the notices named. With node 3's notice it is the same segment; with node 2's
/// alone TCP-FSR has the gap of TCP-F.
#[test]
fn fsr_by_the_notices_needs_both() {
    for hears_both in [false, true] {
        let mut run = Run::new("fsr", &[("fsr_resume_from", word("rfn-seq"))]);
        run.hears_both = hears_both;
        let course = run.finish();
        let t6 = RESTORED + ONE_WAY;
        let expected = if hears_both { course.first_lost } else { course.refused };
        assert_eq!(course.first_from(t6), Some((t6, expected)));
        assert_eq!(course.fast_retransmits_at.is_empty(), hears_both);
    }
}

/// §5.3: TCP-FSR is ahead of TCP-F, which is ahead of Reno.
#[test]
fn fsr_is_ahead_of_tcp_f_and_that_of_reno() {
    let fsr = Run::new("fsr", &[]).finish();
    let tcp_f = Run::new("tcp-f", &[("tcpf_resume_from", word("rfn-seq"))]).finish();
    let reno = Run::new("reno", &[]).finish();
    assert!(fsr.acked_at_end > tcp_f.acked_at_end, "{} {}", fsr.acked_at_end, tcp_f.acked_at_end);
    assert!(tcp_f.acked_at_end > reno.acked_at_end, "{} {}", tcp_f.acked_at_end, reno.acked_at_end);
    assert!(reno.timeouts_at.len() > 2 && reno.frozen_at.is_none());
}

/// §5.3, no failure: all are equal, to the segment.
#[test]
fn without_failures_all_are_reno() {
    let sent = |id: &str| {
        let mut run = Run::new(id, &[]);
        run.restored = FAILS; // nothing is ever lost
        let course = run.finish();
        assert_eq!(course.frozen_at, None);
        // Node 3 still loses what it holds at that moment; before that, nothing differs.
        course.sent.into_iter().filter(|(time, _)| *time < FAILS).collect::<Vec<_>>()
    };
    let reno = sent("reno");
    assert!(reno.len() > 100);
    for id in ["tcp-f", "elfn", "simelfn", "fsr"] {
        assert_eq!(sent(id), reno, "{id}");
    }
}

/// §4.1, figure 3: where nodes keep what they cannot forward, simELFN is woken by it, with the old window and no fast
/// retransmit. TCP-ELFN's probes wait there, too, and come as duplicates that look like a loss.
#[test]
fn what_nodes_kept_wakes_simelfn() {
    let run = |id: &str| {
        let mut run = Run::new(id, &[]);
        run.keeps = true;
        run.finish()
    };
    let (simelfn, elfn, reno) = (run("simelfn"), run("elfn"), run("reno"));
    assert!(simelfn.keeps_its_window() && simelfn.probes == 0);
    assert!(simelfn.fast_retransmits_at.is_empty() && simelfn.timeouts_at.is_empty(), "{simelfn:?}");
    assert!(elfn.keeps_its_window());
    assert_eq!((elfn.timeouts_at.len(), elfn.probes), (0, 2));
    assert!(reno.timeouts_at.len() > 2);
    assert!(simelfn.acked_at_end >= elfn.acked_at_end, "{} {}", simelfn.acked_at_end, elfn.acked_at_end);
    assert!(elfn.acked_at_end > reno.acked_at_end, "{} {}", elfn.acked_at_end, reno.acked_at_end);
}

/// §4.3, figure 4: a failure longer than SEND_TIMEOUT. Everything kept was thrown away; simELFN goes on by force and
/// times out like Reno, TCP-ELFN still has its window. Who is ahead in the end depends on when the last probe and the
/// last time-out fall.
#[test]
fn after_a_long_failure_elfn_has_its_window() {
    let run = |id: &str, settings: &[(&str, Value)]| Run::new(id, settings).finish();
    let simelfn = run("simelfn", &[("simelfn_send_timeout_s", Value::Number(2.0))]);
    let elfn = run("elfn", &[]);
    assert!(!simelfn.timeouts_at.is_empty() && simelfn.timeouts_at[0] > FAILS + Duration::from_secs(2));
    assert!(elfn.keeps_its_window());
}
