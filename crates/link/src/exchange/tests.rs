//! Frames in, frames out. Times in microseconds; the numbers M1.. are those of the validation list in
//! `docs/validation.md`.

use std::sync::Mutex;

use hopwright_machine::Purpose;

use hopwright_machine::{Duration, Stream};

use super::*;
use crate::fba::{self, Buffered, Emptied, LostRace};
use crate::lred::{self, Told};
use crate::{Class, Dcf, Frame, FrameKind};

const ME: NodeId = NodeId(0);
const PEER: NodeId = NodeId(1);
const OTHER: NodeId = NodeId(2);

fn us(t: u64) -> Time {
    Time::from_nanos(t * 1000)
}

/// A station with scripted draws, driven by hand.
struct Station {
    dcf: Dcf<&'static str>,
    now: Time,
    log: Vec<String>,
}

impl Station {
    fn new(config: Config, draws: &[u32]) -> Self {
        let draws = Draws::Scripted(draws.iter().copied().collect());
        Self { dcf: Dcf::new(Arc::new(config), ME, draws), now: Time::ZERO, log: Vec::new() }
    }

    /// With Link RED, which only packets named "data" take to heart; a packet named "markable" is renamed.
    fn with_lred(self, config: lred::Config) -> Self {
        let tell = |packet: &mut &'static str| match *packet {
            "data" => Told::ByLoss,
            "markable" => {
                *packet = "marked";
                Told::Marked
            }
            _ => Told::Spared,
        };
        let lred = Lred::new(config, tell, Stream::new(1, ME, Purpose::LinkRed));
        Self { dcf: self.dcf.with_lred(lred), ..self }
    }

    /// A packet on an idle medium whose first RTS nobody answers; returns when its acknowledgement has come.
    fn packet_with_a_failed_try(&mut self, t: u64) -> u64 {
        self.enqueue(t, "first", 1500).run(t + 50);
        let rts = t + 50 + 352 + 10 + 304 + 4 + 50;
        self.run(rts);
        self.frame(rts + 352 + 10, FrameKind::Cts, PEER, 0, false);
        let end = rts + 352 + 10 + 304 + 10 + 6328 + 10 + 304;
        self.frame(end - 304, FrameKind::Ack, PEER, 0, false);
        end
    }

    fn window(&self) -> u32 {
        self.dcf.contention_window().expect("it contends")
    }

    /// Link RED's average of failed tries per packet, if it is kept.
    fn retry_average(&self) -> Option<f64> {
        self.dcf.lred.as_ref().map(|lred| lred.average())
    }

    fn collect(&mut self) {
        self.gather();
        if self.dcf.awaits_resume() {
            self.dcf.handle(self.now, Input::Resume);
            self.gather();
        }
    }

    fn gather(&mut self) {
        while let Some(output) = self.dcf.poll() {
            let t = self.now.as_nanos() / 1000;
            self.log.push(match output {
                Output::Transmit(f) => {
                    let to = f.to.map_or("all".into(), |n| n.to_string());
                    let retry = if f.retry { " retry" } else { "" };
                    format!("{t} {:?} to {to} nav {}{retry}", f.kind, f.nav.as_nanos() / 1000)
                }
                Output::Deliver { packet, from } => format!("{t} deliver {packet} from {from}"),
                Output::Sent { packet, .. } => format!("{t} sent {packet}"),
                Output::GaveUp { packet, cause, .. } => format!("{t} gave up {packet}: {cause}"),
                Output::Dropped { packet, cause, .. } => format!("{t} dropped {packet}: {cause}"),
                Output::Reclaimed { packet, next_hop } => format!("{t} reclaimed {packet} from {next_hop:?}"),
                Output::Repeated { .. } => format!("{t} repeated"),
            });
        }
    }

    /// Wakes the station at each of its deadlines up to `t`.
    fn run(&mut self, t: u64) -> &mut Self {
        while self.dcf.deadline() <= us(t) {
            assert!(self.dcf.deadline() >= self.now, "a deadline in the past: {} at {}", self.dcf.deadline(), self.now);
            self.now = self.dcf.deadline();
            self.dcf.handle(self.now, Input::Wake);
            self.collect();
        }
        self.now = us(t);
        self
    }

    fn input(&mut self, t: u64, input: Input<'_, &'static str>) -> &mut Self {
        self.run(t);
        self.dcf.handle(us(t), input);
        self.collect();
        self
    }

    fn enqueue(&mut self, t: u64, packet: &'static str, bytes: u32) -> &mut Self {
        self.input(t, Input::Enqueue { packet, bytes, next_hop: Some(PEER), class: Class::Data })
    }

    /// A frame that arrives from `t` on, is decoded, and is for this station.
    fn frame(&mut self, t: u64, kind: FrameKind, from: NodeId, sequence: u16, retry: bool) -> &mut Self {
        let config = Config::default();
        let (air_time, nav) = match kind {
            FrameKind::Rts => (config.rts_time(), Duration::from_micros(6962)),
            FrameKind::Cts | FrameKind::Ack => (config.cts_time(), Duration::ZERO),
            FrameKind::Data => (Duration::from_micros(1000), Duration::from_micros(314)),
        };
        let payload = (kind == FrameKind::Data).then_some("p");
        let frame = Frame { kind, from, to: Some(ME), air_time, nav, sequence, retry, payload };
        let end = t + air_time.as_nanos() / 1000;
        self.input(t, Input::Carrier { until: us(end) });
        self.input(end, Input::Received(&frame))
    }

    fn frames(&self) -> Vec<&str> {
        self.log.iter().map(String::as_str).collect()
    }
}

/// The standard with ns-2's 34 bytes: 1500 bytes take 6328 µs.
fn standard() -> Config {
    Config { header_bytes: 34, ..Config::default() }
}

#[test]
fn m1_one_packet_on_an_idle_medium_takes_the_time_of_the_standard() {
    let mut s = Station::new(standard(), &[]);
    s.enqueue(0, "a", 1500).run(50);
    // NAV: 3 SIFS + CTS 304 + DATA 6328 + ACK 304.
    s.frame(402 + 10, FrameKind::Cts, PEER, 0, false);
    s.frame(726 + 6328 + 10, FrameKind::Ack, PEER, 0, false).run(20_000);
    assert_eq!(s.frames(), ["50 Rts to 1 nav 6966", "726 Data to 1 nav 314", "7368 sent a"]);
}

#[test]
fn m2_no_cts_seven_times_and_the_packet_is_given_up() {
    let mut s = Station::new(standard(), &[0; 20]);
    s.enqueue(0, "a", 1500).run(100_000);
    // From RTS to RTS: 352 + 10 + 304 + 4 and DIFS.
    let tries: Vec<u64> = (0..7).map(|i| 50 + 720 * i).collect();
    let mut expected: Vec<String> = tries.iter().map(|t| format!("{t} Rts to 1 nav 6966 retry")).collect();
    expected[0] = "50 Rts to 1 nav 6966".into();
    expected.push(format!("{} gave up a: retry_limit_rts", tries[6] + 670));
    assert_eq!(s.frames(), expected);
    assert_eq!(s.window(), 31);
}

#[test]
fn m3_no_ack_four_times_each_after_a_new_rts() {
    let mut s = Station::new(standard(), &[0; 20]);
    s.enqueue(0, "a", 1500).run(50);
    let mut rts = 50;
    for _ in 0..4 {
        s.frame(rts + 352 + 10, FrameKind::Cts, PEER, 0, false);
        rts = rts + 352 + 10 + 304 + 10 + 6328 + 10 + 304 + 4 + 50;
        s.run(rts);
    }
    s.run(100_000);
    let kinds: Vec<_> = s.log.iter().map(|l| l.split(' ').nth(1).unwrap()).collect();
    assert_eq!(kinds, ["Rts", "Data", "Rts", "Data", "Rts", "Data", "Rts", "Data", "gave"]);
    assert!(s.log[8].ends_with("retry_limit_data"));
    assert!(s.log[3].ends_with("retry") && !s.log[1].ends_with("retry"));
}

#[test]
fn without_rts_a_short_frame_is_tried_seven_times() {
    let mut s = Station::new(Config { rts_threshold_bytes: 3000, ..standard() }, &[0; 20]);
    s.enqueue(0, "a", 1500).run(200_000);
    assert_eq!(s.log.iter().filter(|l| l.contains("Data")).count(), 7);
    assert!(!s.log.iter().any(|l| l.contains("Rts")));
    assert!(s.log[7].ends_with("retry_limit_data"));
}

#[test]
fn m4_an_overheard_reservation_holds_the_station_back() {
    let mut s = Station::new(standard(), &[3]);
    s.input(0, Input::Carrier { until: us(352) });
    s.enqueue(100, "a", 100);
    s.input(352, Input::Overheard(Duration::from_micros(6942))).run(352 + 6942 + 50 + 59);
    assert!(s.log.is_empty());
    s.run(352 + 6942 + 50 + 60);
    assert_eq!(s.frames(), ["7404 Rts to 1 nav 1366"]);
}

#[test]
fn m5_a_broadcast_is_tried_once_at_the_basic_rate() {
    let mut s = Station::new(standard(), &[]);
    s.input(0, Input::Enqueue { packet: "b", bytes: 100, next_hop: None, class: Class::Data }).run(10_000);
    // 192 + 134 * 8 at 1 Mb/s = 1264 µs
    assert_eq!(s.frames(), ["50 Data to all nav 0", "1314 sent b"]);
}

#[test]
fn m8_a_repeated_frame_is_acknowledged_again_and_delivered_once() {
    let mut s = Station::new(standard(), &[]);
    s.frame(0, FrameKind::Data, PEER, 7, false).run(1500);
    s.frame(3000, FrameKind::Data, PEER, 7, true).run(5000);
    s.frame(6000, FrameKind::Data, PEER, 8, false).run(8000);
    assert_eq!(
        s.frames(),
        [
            "1000 deliver p from 1",
            "1010 Ack to 1 nav 0",
            "4000 repeated",
            "4010 Ack to 1 nav 0",
            "7000 deliver p from 1",
            "7010 Ack to 1 nav 0"
        ]
    );
}

#[test]
fn m9_the_window_doubles_to_its_limit_and_is_reset() {
    let mut s = Station::new(standard(), &[0; 20]);
    let mut windows = vec![s.window()];
    s.enqueue(0, "a", 1500);
    for i in 0..7 {
        s.run(50 + 720 * i + 671);
        windows.push(s.window());
    }
    assert_eq!(windows, [31, 63, 127, 255, 511, 1023, 1023, 31]);
}

#[test]
fn m10_after_a_bad_frame_eifs_takes_the_place_of_difs_or_precedes_it() {
    for (config, resumes) in [(standard(), 1000 + 364), (Config::ns2(), 1000 + 364 + 50)] {
        let mut s = Station::new(config, &[0]);
        s.input(0, Input::Carrier { until: us(1000) });
        s.enqueue(10, "a", 1500);
        s.input(1000, Input::Failed).run(5000);
        assert!(s.log[0].starts_with(&format!("{resumes} Rts")), "{:?}", s.log);
    }
}

#[test]
fn a_good_frame_ends_the_extended_space() {
    let mut s = Station::new(standard(), &[0]);
    s.input(0, Input::Carrier { until: us(1000) });
    s.enqueue(10, "a", 1500);
    s.input(1000, Input::Failed);
    s.input(1100, Input::Carrier { until: us(1400) });
    s.input(1400, Input::Overheard(Duration::ZERO)).run(5000);
    assert!(s.log[0].starts_with("1450 Rts"), "{:?}", s.log);
}

#[test]
fn backoff_keeps_the_slots_that_have_not_passed() {
    let mut s = Station::new(Config::ns2(), &[10]);
    s.enqueue(1000, "a", 1500);
    // 1000 + 50 + 3 slots and 13 µs: three slots are used up.
    s.input(1123, Input::Carrier { until: us(2000) });
    s.input(2000, Input::Overheard(Duration::ZERO)).run(2000 + 50 + 7 * 20 - 1);
    assert!(s.log.is_empty());
    s.run(2000 + 50 + 7 * 20);
    assert!(s.log[0].starts_with("2190 Rts"));
}

#[test]
fn a_medium_that_turns_busy_before_difs_has_passed_costs_a_backoff() {
    let mut s = Station::new(standard(), &[4]);
    s.input(0, Input::Carrier { until: us(1000) });
    s.input(1000, Input::Overheard(Duration::ZERO));
    s.enqueue(1010, "a", 1500);
    s.input(1030, Input::Carrier { until: us(2000) });
    s.input(2000, Input::Overheard(Duration::ZERO)).run(5000);
    assert!(s.log[0].starts_with("2130 Rts"), "{:?}", s.log);
}

#[test]
fn success_is_followed_by_a_backoff_that_a_later_packet_may_find_run_out() {
    let config = Config { rts_threshold_bytes: 3000, ..standard() };
    let mut s = Station::new(config, &[5]);
    s.enqueue(0, "a", 100).run(50);
    let acked = 50 + 192 + 134 * 4 + 10 + 304;
    s.frame(acked - 304, FrameKind::Ack, PEER, 0, false);
    // Within DIFS + 5 slots: waits for the rest. The scripted draws are used up, so nothing is drawn.
    s.enqueue(acked + 60, "b", 100).run(acked + 149);
    assert_eq!(s.log.len(), 2);
    s.run(acked + 150);
    assert!(s.log[2].starts_with(&format!("{} Data", acked + 150)), "{:?}", s.log);
}

#[test]
fn cts_only_when_the_medium_is_free() {
    let mut s = Station::new(standard(), &[]);
    s.frame(0, FrameKind::Rts, PEER, 0, false).run(1000);
    assert_eq!(s.frames(), ["362 Cts to 1 nav 6648"]); // 6962 - SIFS - CTS
    let mut s = Station::new(standard(), &[]);
    s.input(0, Input::Carrier { until: us(100) });
    s.input(100, Input::Overheard(Duration::from_micros(1000)));
    s.frame(200, FrameKind::Rts, PEER, 0, false).run(2000);
    assert!(s.log.is_empty(), "{:?}", s.log);
}

#[test]
fn a_station_that_waits_for_data_answers_nobody_else() {
    let mut s = Station::new(standard(), &[]);
    s.frame(0, FrameKind::Rts, PEER, 0, false).run(700);
    s.frame(700, FrameKind::Rts, OTHER, 0, false).run(3000);
    assert_eq!(s.log.len(), 1, "{:?}", s.log);
}

#[test]
fn ns2_asks_again_when_the_medium_is_not_idle_after_the_cts() {
    for (config, expected) in [(standard(), "726 Data"), (Config::ns2(), "Rts")] {
        let mut s = Station::new(config, &[0, 0]);
        s.enqueue(0, "a", 1500).run(50);
        s.frame(412, FrameKind::Cts, PEER, 0, false);
        s.input(720, Input::Carrier { until: us(2000) });
        s.input(2000, Input::Overheard(Duration::ZERO)).run(2100);
        assert!(s.log[1].contains(expected), "{:?}", s.log);
    }
}

#[test]
fn a_full_queue_and_a_lost_hop_drop_with_their_causes() {
    let mut s = Station::new(Config { queue_packets: 2, ..standard() }, &[]);
    for packet in ["a", "b", "c", "d"] {
        s.enqueue(0, packet, 100);
    }
    s.input(10, Input::Purge(PEER));
    assert_eq!(s.frames(), ["0 dropped d: queue_full", "10 dropped b: next_hop_lost", "10 dropped c: next_hop_lost"]);
    assert_eq!(s.dcf.held(), 1); // what is in service is not the queue's any more
}

/// After one packet with a failed try, and the newest alone counting, the average is one.
const TOUCHY: lred::Config = lred::Config {
    min_threshold: 1.0,
    max_threshold: 0.001,
    max_probability: 1.0,
    weight: 1.0,
    signals: false,
    paces: false,
};

#[test]
fn contention_drops_or_marks_what_is_served_next_and_spares_what_no_transport_would_miss() {
    // The second failed try makes it certain: (1 - 0.5) / 0.001 is more than one.
    let certain = lred::Config { min_threshold: 0.5, signals: true, ..TOUCHY };
    let mut s = Station::new(standard(), &[0; 20]).with_lred(certain);
    s.enqueue(0, "data", 1500);
    assert!(s.log.is_empty(), "no contention yet: {:?}", s.log);
    let mut s = Station::new(standard(), &[0; 20]).with_lred(certain);
    s.enqueue(0, "data", 1500).enqueue(0, "data", 1500).enqueue(0, "markable", 1500).enqueue(0, "route", 1500);
    s.run(100_000); // nobody answers: seven tries each
    let fates: Vec<&str> =
        s.frames().into_iter().filter(|l| !l.contains("Rts")).map(|l| l.split_once(' ').unwrap().1).collect();
    assert_eq!(
        fates,
        [
            "gave up data: retry_limit_rts",
            "dropped data: link_red",
            "gave up marked: retry_limit_rts",
            "gave up route: retry_limit_rts"
        ]
    );
    assert_eq!((s.dcf.held(), s.retry_average()), (0, Some(7.0)));
    // One that comes to an idle station is treated alike.
    s.enqueue(200_000, "data", 1500);
    assert_eq!(s.log.last().unwrap(), "200000 dropped data: link_red");
    assert_eq!(s.dcf.held(), 0);
    s.input(200_000, Input::ShutDown).enqueue(200_000, "data", 1500);
    assert_eq!(s.retry_average(), Some(0.0));
    assert_eq!(s.dcf.held(), 1);
}

#[test]
fn l2_pacing_makes_the_back_off_longer_by_the_packet_that_was_acknowledged() {
    let next_rts = |config| {
        let mut s = Station::new(standard(), &[0; 20]).with_lred(config);
        let rts = s.packet_with_a_failed_try(0) + 10_000; // idle for longer than DIFS: it leaves at once
        let end = rts + 352 + 10 + 304 + 10 + 6328 + 10 + 304;
        s.enqueue(rts, "a", 1500).run(rts);
        s.frame(rts + 352 + 10, FrameKind::Cts, PEER, 0, false);
        s.frame(end - 304, FrameKind::Ack, PEER, 0, false);
        s.enqueue(end, "b", 1500).run(end + 20_000);
        let rts = s.log.iter().rfind(|l| l.contains("Rts") && !l.contains("retry")).unwrap();
        rts.split(' ').next().unwrap().parse::<u64>().unwrap() - end
    };
    let paced = lred::Config { paces: true, ..TOUCHY };
    assert_eq!(next_rts(TOUCHY), 50); // DIFS, and a counter of zero
    assert_eq!(next_rts(lred::Config { min_threshold: 1.5, ..paced }), 50);
    assert_eq!(next_rts(paced), 50 + 317 * 20); // 6328 µs in whole slots
}

#[test]
fn a_paced_back_off_stands_still_while_others_send() {
    let mut s =
        Station::new(standard(), &[0; 20]).with_lred(lred::Config { paces: true, min_threshold: 0.0, ..TOUCHY });
    s.enqueue(0, "a", 1500).run(50);
    let end = 50 + 352 + 10 + 304 + 10 + 6328 + 10 + 304;
    s.frame(412, FrameKind::Cts, PEER, 0, false);
    s.frame(end - 304, FrameKind::Ack, PEER, 0, false);
    s.enqueue(end, "b", 1500);
    // DIFS and 100 slots, then others for 3 ms.
    s.input(end + 2050, Input::Carrier { until: us(end + 5050) });
    s.input(end + 5050, Input::Overheard(Duration::ZERO)).run(end + 20_000);
    assert!(s.log[3].starts_with(&format!("{} Rts", end + 5050 + 50 + 217 * 20)), "{:?}", s.log);
}

/// What waits for a neighbour that does not answer can be had back, the next packet too.
#[test]
fn the_queue_rests_until_others_know_of_a_packet_given_up() {
    let mut s = Station::new(Config { short_retry_limit: 1, ..standard() }, &[0; 9]);
    for packet in ["a", "b"] {
        s.enqueue(0, packet, 1500);
    }
    while !s.dcf.awaits_resume() {
        s.now = s.dcf.deadline();
        s.dcf.handle(s.now, Input::Wake);
        s.gather();
    }
    s.dcf.handle(s.now, Input::Reclaim(PEER));
    s.gather();
    let told: Vec<&str> = s.log.iter().skip(1).map(|line| line.split_once(' ').expect("a time").1).collect();
    assert_eq!(told, ["gave up a: retry_limit_rts", "reclaimed b from n1"]);
    s.dcf.handle(s.now, Input::Resume);
    assert_eq!((s.dcf.held(), s.dcf.awaits_resume()), (0, false));
}

#[test]
fn what_waits_for_a_hop_is_given_back_on_request() {
    let mut s = Station::new(standard(), &[]);
    for packet in ["a", "b", "c"] {
        s.enqueue(0, packet, 100);
    }
    s.input(10, Input::Reclaim(NodeId(99))).input(10, Input::Reclaim(PEER));
    assert_eq!(s.frames(), ["10 reclaimed b from n1", "10 reclaimed c from n1"]);
    assert_eq!(s.dcf.held(), 1);
}

/// Fair back-off, with a counter for every packet.
fn fair(lost_race: LostRace) -> Config {
    Config { backoff_always: true, fba: Some(fba::Config { lost_race, ..Default::default() }), ..standard() }
}

#[test]
fn a_station_that_lost_a_race_draws_anew_or_goes_on_counting() {
    // Three of ten slots have passed when another begins; what comes within DIFS of its end is no race.
    for (lost_race, begins, stage) in [
        (LostRace::Redraw, 2000 + 50 + 2 * 20, Stage::Greedy),
        (LostRace::KeepCounter, 2000 + 50 + 7 * 20, Stage::Greedy),
        (LostRace::Ignore, 2000 + 50 + 7 * 20, Stage::Normal),
    ] {
        let mut s = Station::new(fair(lost_race), &[10, 2, 30]);
        s.enqueue(1000, "a", 1500);
        assert_eq!((s.dcf.stage(), s.window()), (Some(Stage::Normal), 310));
        s.input(1123, Input::Carrier { until: us(1500) });
        s.input(1500, Input::Failed);
        s.input(1520, Input::Carrier { until: us(2000) });
        s.input(2000, Input::Overheard(Duration::ZERO)).run(3000);
        assert_eq!(s.log.first().map(String::as_str), Some(&*format!("{begins} Rts to 1 nav 6966")), "{lost_race:?}");
        // The RTS stays without an answer: one failure more.
        let expected = if stage == Stage::Greedy { 62 } else { 31 };
        assert_eq!((s.dcf.stage(), s.window()), (Some(Stage::Greedy), expected), "{lost_race:?}");
    }
}

/// Equation 7 counts the packets in the MAC's buffer. The one that is to be sent next is among them, whether the counter
/// is drawn while it waits in the queue, right after a success, or when it is in service already.
#[test]
fn a_packet_counts_for_the_window_in_the_queue_and_in_service() {
    let config = || Config { queue_packets: 2, ..fair(LostRace::Ignore) };
    let acknowledged = 50 + 352 + 10 + 304 + 10 + 6328 + 10 + 304;
    let first = |s: &mut Station, then: &[&'static str]| {
        s.enqueue(0, "a", 1500);
        for packet in then {
            s.enqueue(0, packet, 1500);
        }
        s.run(50).frame(50 + 352 + 10, FrameKind::Cts, PEER, 0, false);
        s.frame(acknowledged - 304, FrameKind::Ack, PEER, 0, false);
        assert_eq!(s.dcf.stage(), Some(Stage::Restrictive));
    };
    // One success and half of the limit: b is 1/2, and the window CWmin * 1.5.
    let mut waits = Station::new(config(), &[0, 5]);
    first(&mut waits, &["b"]);
    assert_eq!(waits.window(), 46);
    let mut served = Station::new(config(), &[0, 5, 5]);
    first(&mut served, &[]);
    assert_eq!(served.window(), 62, "nothing to send");
    served.enqueue(acknowledged + 2000, "b", 1500);
    assert_eq!(served.window(), 46, "the back-off after the success has run out");
}

/// The same, if the one that is sent next does not count: two that wait behind it are half of a limit of four.
#[test]
fn a_packet_that_is_sent_next_does_not_count_where_only_those_behind_it_do() {
    let mut config = fair(LostRace::Ignore);
    config.fba = config.fba.map(|fba| fba::Config { buffered: Buffered::Waiting, ..fba });
    for (behind, window) in [(0, 62), (1, 59), (2, 46), (3, 33)] {
        let mut s = Station::new(Config { queue_packets: 4, ..config.clone() }, &[0, 5]);
        for _ in 0..2 + behind {
            s.enqueue(0, "a", 1500);
        }
        s.run(50).frame(50 + 352 + 10, FrameKind::Cts, PEER, 0, false);
        s.frame(50 + 352 + 10 + 304 + 10 + 6328 + 10, FrameKind::Ack, PEER, 0, false);
        assert_eq!((s.dcf.held(), s.window()), (1 + behind, window));
    }
}

/// A relay that gets its packets one by one, and hands each on at the first try: it holds back more and more, unless an
/// empty buffer ends the row.
#[test]
fn a_relay_that_is_never_crowded_drifts_to_the_widest_window_or_begins_anew_with_each_packet() {
    for (emptied, windows) in [(Emptied::Keep, [62, 93, 124, 155]), (Emptied::Restart, [62; 4])] {
        let mut config = fair(LostRace::Redraw);
        config.fba = config.fba.map(|fba| fba::Config { emptied, ..fba });
        let mut s = Station::new(config, &[0; 20]);
        for (n, window) in (0..).zip(windows) {
            let t = 100_000 * n;
            s.enqueue(t, "a", 1500).run(t + 50).frame(t + 50 + 352 + 10, FrameKind::Cts, PEER, 0, false);
            s.frame(t + 50 + 352 + 10 + 304 + 10 + 6328 + 10, FrameKind::Ack, PEER, 0, false);
            assert_eq!((s.dcf.held(), s.dcf.stage(), s.window()), (0, Some(Stage::Restrictive), window), "{emptied:?}");
        }
        // The next packet finds what the last one left; a second one behind it changes nothing.
        s.enqueue(900_000, "a", 1500).enqueue(900_000, "b", 1500);
        let expected = if emptied == Emptied::Keep { (Stage::Restrictive, 155) } else { (Stage::Normal, 310) };
        assert_eq!((s.dcf.stage(), s.window()), (Some(expected.0), expected.1), "{emptied:?}");
    }
}

#[test]
fn a_station_with_nothing_to_send_loses_no_race() {
    let mut s = Station::new(fair(LostRace::Redraw), &[5, 30, 4]);
    let end = s.enqueue(0, "a", 1500).run(150).now.as_nanos() / 1000;
    assert_eq!(end, 150);
    s.frame(150 + 352 + 10, FrameKind::Cts, PEER, 0, false);
    let acknowledged = 150 + 352 + 10 + 304 + 10 + 6328 + 10;
    s.frame(acknowledged, FrameKind::Ack, PEER, 0, false);
    assert_eq!((s.dcf.stage(), s.window()), (Some(Stage::Restrictive), 62));
    s.input(acknowledged + 500, Input::Carrier { until: us(acknowledged + 900) });
    assert_eq!(s.dcf.stage(), Some(Stage::Restrictive));
}

#[test]
fn a_frame_for_everyone_is_neither_success_nor_failure() {
    let mut s = Station::new(fair(LostRace::Redraw), &[0; 20]);
    for t in [0, 20_000, 40_000] {
        s.input(t, Input::Enqueue { packet: "hello", bytes: 100, next_hop: None, class: Class::Routing })
            .run(t + 10_000);
    }
    assert_eq!(s.frames().iter().filter(|line| line.ends_with("sent hello")).count(), 3);
    assert_eq!((s.dcf.stage(), s.window()), (Some(Stage::Normal), 310));
}

#[test]
fn a_counter_that_is_drawn_anew_keeps_the_slots_that_pacing_added() {
    let config = fair(LostRace::Redraw);
    let slots = u64::from(crate::pacing::extra_slots(Duration::from_micros(6328), config.slot));
    let lred = lred::Config { paces: true, min_threshold: 0.0, ..TOUCHY };
    let mut s = Station::new(config, &[0, 3, 1, 0]).with_lred(lred);
    s.enqueue(0, "a", 1500).enqueue(0, "b", 1500).run(50);
    s.frame(50 + 352 + 10, FrameKind::Cts, PEER, 0, false);
    let acknowledged = 50 + 352 + 10 + 304 + 10 + 6328 + 10 + 304;
    s.frame(acknowledged - 304, FrameKind::Ack, PEER, 0, false);
    // Two of three slots and those of pacing have passed when another begins: one is drawn, and pacing's are all left.
    s.input(acknowledged + 50 + 45, Input::Carrier { until: us(acknowledged + 1000) });
    s.input(acknowledged + 1000, Input::Overheard(Duration::ZERO));
    let begins = acknowledged + 1000 + 50 + 20 * (1 + slots);
    s.run(begins);
    assert!(s.frames().last().is_some_and(|line| line.starts_with(&format!("{begins} Rts"))), "{:?}", s.log);
}

#[test]
fn failed_exchanges_widen_the_greedy_window_and_a_packet_given_up_is_one_more() {
    let mut s = Station::new(fair(LostRace::Redraw), &[0; 20]);
    s.enqueue(0, "a", 1500);
    let mut windows = vec![s.window()];
    for i in 0..7 {
        s.run(50 + 720 * i + 671);
        windows.push(s.window());
    }
    assert_eq!(windows, [310, 31, 62, 93, 124, 155, 186, 217]);
    assert_eq!(s.dcf.stage(), Some(Stage::Greedy));
    s.input(20_000, Input::ShutDown);
    assert_eq!(s.dcf.stage(), Some(Stage::Normal));
}

/// Equation 7: the fuller its queue, the less a station that has had the channel holds back.
#[test]
fn the_restrictive_window_is_drawn_with_what_waits_then() {
    // Part of the queue's limit that waits, and CWmin (1 + S (1 - b)) after one success and after two.
    for (waiting, windows) in [(0, [62, 93]), (4, [62, 93]), (10, [46, 62]), (20, [31, 31])] {
        let mut s = Station::new(Config { queue_packets: 20, ..fair(LostRace::Redraw) }, &[0; 20]);
        for _ in 0..=waiting {
            s.enqueue(0, "a", 1500); // one is in service
        }
        let mut begins = 50;
        for window in windows {
            assert_eq!(s.dcf.queued(), waiting);
            let end = begins + 352 + 10 + 304 + 10 + 6328 + 10 + 304;
            s.run(begins).frame(begins + 352 + 10, FrameKind::Cts, PEER, 0, false);
            s.frame(end - 304, FrameKind::Ack, PEER, 0, false);
            let drawn = (s.dcf.stage(), s.window());
            assert_eq!(drawn, (Some(Stage::Restrictive), window), "{waiting} of 20 wait");
            s.enqueue(end, "a", 1500); // another takes the place of the one that is in service now
            begins = end + 50;
        }
    }
}

/// When (microseconds), what, and which packet.
type Pass = (u64, &'static str, u32);

/// Writes down what it is shown, and a number on what leaves.
#[derive(Debug)]
struct Shown(Arc<Mutex<Vec<Pass>>>);

impl Shown {
    fn note(&self, at: Time, what: &'static str, packet: u32) {
        self.0.lock().unwrap().push((at.as_nanos() / 1000, what, packet));
    }
}

impl Stamper<u32> for Shown {
    fn waits(&mut self, now: Time, packet: &u32) {
        self.note(now, "waits", *packet);
    }

    fn is_gone(&mut self, packet: &u32) {
        self.note(Time::ZERO, "gone", *packet);
    }

    fn is_served(&mut self, now: Time, packet: &u32) {
        self.note(now, "served", *packet);
    }

    fn is_tried(&mut self, now: Time) {
        self.note(now, "tried", 0);
    }

    fn leaves(&mut self, now: Time, copy: &mut u32) {
        self.note(now, "leaves", *copy);
        *copy += 100;
    }

    fn hears(&mut self, at: Time) {
        self.note(at, "hears", 0);
    }

    fn is_done(&mut self, now: Time) {
        self.note(now, "done", 0);
    }
}

#[test]
fn stampers_are_shown_what_passes_and_write_on_what_leaves() {
    let shown = Arc::new(Mutex::new(Vec::new()));
    let take = || std::mem::take(&mut *shown.lock().unwrap());
    let draws = Draws::Scripted([3].into());
    let mut dcf = Dcf::new(Arc::new(standard()), ME, draws).with_stampers(vec![Box::new(Shown(Arc::clone(&shown)))]);
    for (at, packet) in [(1000, 7), (1001, 8), (1002, 9)] {
        dcf.handle(us(at), Input::Enqueue { packet, bytes: 1500, next_hop: Some(PEER), class: Class::Data });
    }
    assert_eq!(take(), [(1000, "served", 7), (1001, "waits", 8), (1002, "waits", 9)]);
    let mut tries = Vec::new();
    while dcf.deadline() <= us(1780) {
        tries.push(dcf.deadline().as_nanos() / 1000);
        dcf.handle(dcf.deadline(), Input::Wake);
        while dcf.poll().is_some() {}
    }
    let tried: Vec<_> = take().into_iter().map(|(at, what, _)| (at, what)).collect();
    assert_eq!(tried.len(), 2, "two RTS: {tried:?}");
    assert!(tried.iter().all(|(at, what)| *what == "tried" && tries.contains(at)), "{tried:?}");
    let cts = 1780 + 352 + 10;
    let frame = |kind| {
        let air_time = Duration::from_micros(304);
        Frame {
            kind,
            from: PEER,
            to: Some(ME),
            air_time,
            nav: Duration::ZERO,
            sequence: 0,
            retry: false,
            payload: None,
        }
    };
    dcf.handle(us(cts + 304), Input::Received(&frame(FrameKind::Cts)));
    dcf.handle(dcf.deadline(), Input::Wake);
    let Some(Output::Transmit(data)) = dcf.poll() else { panic!("no data") };
    assert_eq!((data.payload, dcf.serving()), (Some(107), Some(&7)), "what is kept is as it came");
    assert_eq!(take(), [(cts + 304 + 10, "leaves", 7)]);
    let end = cts + 304 + 10 + data.air_time.as_nanos() / 1000 + 10 + 304;
    dcf.hears(us(cts + 1000));
    assert_eq!(take(), [(cts + 1000, "hears", 0)]);
    dcf.handle(us(end), Input::Received(&frame(FrameKind::Ack)));
    while dcf.poll().is_some() {}
    assert_eq!(take(), [(end, "done", 0), (end, "served", 8)]);
    dcf.handle(us(end), Input::Purge(PEER));
    assert_eq!(take(), [(0, "gone", 9)]);
    dcf.handle(us(end), Input::ShutDown);
    assert_eq!(take(), [(0, "gone", 8)]);
}

mod answers;
mod counters;

mod properties {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug)]
    enum Step {
        Enqueue(u32, Option<NodeId>),
        Busy { length: u64, how: u8, nav: u64 },
        ForMe(u8, bool),
    }

    fn step() -> impl Strategy<Value = (u64, Step)> {
        let what = prop_oneof![
            (20u32..1500, prop_oneof![Just(Some(PEER)), Just(None)]).prop_map(|(n, to)| Step::Enqueue(n, to)),
            (20u64..3000, 0u8..3, 0u64..7000).prop_map(|(length, how, nav)| Step::Busy { length, how, nav }),
            (0u8..4, any::<bool>()).prop_map(|(kind, retry)| Step::ForMe(kind, retry)),
        ];
        (0u64..3000, what)
    }

    proptest! {
        /// Whatever a station hears, it begins no exchange while the carrier, physical or virtual, is busy;
        /// it never has two frames in the air; and every packet it took ends once or is still held.
        #[test]
        fn a_station_never_begins_on_a_busy_medium(
            ns2 in any::<bool>(), rts in any::<bool>(), lred in any::<bool>(), fair in any::<bool>(),
            steps in proptest::collection::vec(step(), 1..60),
            draws in proptest::collection::vec(0u32..31, 60),
        ) {
            let fba = fair.then(fba::Config::default);
            let config = Config { fba, ..if ns2 { Config::ns2() } else { Config::default() } };
            let threshold = if rts { 0 } else { 3000 };
            let mut s = Station::new(Config { rts_threshold_bytes: threshold, queue_packets: 5, ..config }, &draws);
            if lred {
                let often = lred::Config { min_threshold: 0.1, max_probability: 0.5, weight: 0.5, ..TOUCHY };
                s = s.with_lred(lred::Config { signals: true, paces: true, ..often });
            }
            let (mut carrier, mut nav, mut taken) = (0, 0, 0usize);
            let mut idle_since = Vec::new(); // (from, until) of busy periods, as an observer notes them
            let mut t = 0;
            for (gap, step) in steps {
                t += gap;
                t = t.max(carrier); // one sound after the other
                match step {
                    Step::Enqueue(bytes, next_hop) => {
                        taken += 1;
                        s.input(t, Input::Enqueue { packet: "data", bytes, next_hop, class: Class::Data });
                    }
                    Step::Busy { length, how, nav: reserve } => {
                        carrier = t + length;
                        s.input(t, Input::Carrier { until: us(carrier) });
                        idle_since.push((t, carrier));
                        let input = match how {
                            0 => Input::Failed,
                            _ => Input::Overheard(Duration::from_micros(reserve)),
                        };
                        if how > 0 {
                            nav = nav.max(carrier + reserve);
                            idle_since.push((carrier, carrier + reserve));
                        }
                        s.input(carrier, input);
                    }
                    Step::ForMe(kind, retry) => {
                        let kind = [FrameKind::Rts, FrameKind::Cts, FrameKind::Data, FrameKind::Ack][kind as usize];
                        let air = match kind { FrameKind::Rts => 352, FrameKind::Data => 1000, _ => 304 };
                        carrier = t + air;
                        idle_since.push((t, carrier));
                        s.frame(t, kind, PEER, 1, retry);
                    }
                }
            }
            s.run(t + 1_000_000);
            let mut in_air_until = 0;
            for line in &s.log {
                let mut words = line.split(' ');
                let at: u64 = words.next().unwrap().parse().unwrap();
                let kind = words.next().unwrap();
                if !["Rts", "Cts", "Data", "Ack"].contains(&kind) { continue; }
                prop_assert!(at >= in_air_until, "two frames in the air: {line}");
                in_air_until = at + 300;
                let begins = kind == "Rts" || (kind == "Data" && (!rts || line.contains("all")));
                if begins {
                    for &(from, until) in &idle_since {
                        // DIFS at least has passed since any busy period that had begun by then.
                        prop_assert!(!(from < at && at < until + 50), "{line} in or after {from}..{until}");
                    }
                }
            }
            let count = |what: &str| s.log.iter().filter(|l| l.contains(what)).count();
            prop_assert_eq!(taken, count("sent data") + count("gave up data") + count("dropped data") + s.dcf.held());
            prop_assert_eq!(s.dcf.held(), 0, "something is stuck: {:?}", s.log);
        }
    }
}
