//! Mechanisms change while a connection runs: the public state stays, the stream does not notice.

use hopwright_machine::{Duration, Machine as _, Time};
use hopwright_transport::adaptation::{Change, Condition, Monitor, Settings, Side, Trigger, Triggers};
use hopwright_transport::params::GranularityMode;
use hopwright_transport::{
    Connection, Data, Input, NetworkSignal, Output, Params, Phase, Role, SwapError, UnknownPart, Value, protocol, slots,
};
use hopwright_wire::tcp::{Flags, Options, Segment, Seq};

const MSS: u32 = 536;

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// Reno with eight segments in flight at 100 ms, to a peer without options.
fn sending() -> Connection {
    let params = Params {
        granularity_mode: GranularityMode::Exact,
        initial_window_segments: 8,
        max_burst_segments: 0,
        ..Params::default()
    };
    let mut connection = Connection::new(&protocol("reno").unwrap().recipe, &params, Role::Active, 1, 2, Seq(0));
    connection.handle(at(0), Input::Write(Data::Count(1_000_000)));
    connection.handle(at(0), Input::Open);
    connection.handle(at(100), Input::Segment { segment: &segment(Flags::SYN.with(Flags::ACK), 0, 1), data: &[] });
    assert_eq!(sent(&mut connection), [0, 1, 2, 3, 4, 5, 6, 7]);
    connection
}

fn segment(flags: Flags, seq: u32, ack: u32) -> Segment {
    Segment {
        source_port: 2,
        destination_port: 1,
        seq: Seq(seq),
        ack: Seq(ack),
        flags,
        window: 60_000,
        urgent: 0,
        options: Options::default(),
        payload_bytes: 0,
        ecn: hopwright_wire::ip::Ecn::NotCapable,
    }
}

/// Acknowledges so many segments.
fn acknowledge(connection: &mut Connection, ms: u64, segments: u32) {
    let ack = segment(Flags::ACK, 1, 1 + MSS * segments);
    connection.handle(at(ms), Input::Segment { segment: &ack, data: &[] });
}

/// Numbers of the data segments that left.
fn sent(connection: &mut Connection) -> Vec<u32> {
    let outputs = std::iter::from_fn(|| connection.poll());
    let data = outputs.filter_map(|o| match o {
        Output::Segment(s) if s.payload_bytes > 0 => Some((s.seq.0 - 1) / MSS),
        _ => None,
    });
    data.collect()
}

#[test]
fn a_recovery_goes_on_under_other_rules() {
    let mut reno = sending();
    for _ in 0..3 {
        acknowledge(&mut reno, 200, 0);
    }
    assert_eq!(sent(&mut reno), [0]);
    assert_eq!(reno.swap("recovery", "partial-acks"), Ok("fast-recovery"));
    acknowledge(&mut reno, 300, 3); // Reno would leave recovery; NewReno repairs the next hole
    assert_eq!(sent(&mut reno)[0], 3);
    assert_eq!(reno.public().phase(), Phase::Recovery);
    assert!(reno.mechanisms().any(|id| id == "partial-acks"));
    acknowledge(&mut reno, 400, 8);
    assert_ne!(reno.public().phase(), Phase::Recovery);
}

#[test]
fn the_round_trip_time_is_handed_over() {
    let mut reno = sending();
    acknowledge(&mut reno, 220, 1);
    sent(&mut reno);
    let before = (reno.public().srtt, reno.public().rttvar, reno.public().rto, reno.deadline());
    assert_eq!(reno.swap("timeout", "rfc6298"), Ok("rfc6298"));
    assert_eq!((reno.public().srtt, reno.public().rttvar, reno.public().rto, reno.deadline()), before);
    acknowledge(&mut reno, 330, 2); // smoothed, not started anew
    let srtt = reno.public().srtt.unwrap();
    assert!(srtt > Duration::from_millis(100) && srtt < Duration::from_millis(130), "{srtt}");
}

#[test]
fn a_back_off_is_handed_over() {
    let mut reno = sending();
    reno.handle(reno.deadline(), Input::Wake);
    let backed_off = reno.public().rto;
    assert_eq!(backed_off, Duration::from_millis(600));
    reno.swap("timeout", "rfc6298").unwrap();
    assert_eq!(reno.public().rto, backed_off);
}

#[test]
fn the_window_keeps_its_size_and_grows_otherwise() {
    let mut reno = sending();
    let before = (reno.public().cwnd, reno.public().ssthresh, reno.public().flight());
    assert_eq!(reno.swap("avoidance", "byte-counting"), Ok("additive"));
    assert_eq!((reno.public().cwnd, reno.public().ssthresh, reno.public().flight()), before);
    assert_eq!(sent(&mut reno), [], "a swap sends nothing");
}

#[test]
fn every_mechanism_takes_every_place() {
    for slot in slots() {
        for part in &slot.parts {
            let mut reno = sending();
            match reno.swap(slot.name, part.id) {
                Ok(_) => assert!(reno.mechanisms().any(|id| id == part.id)),
                Err(SwapError::Conflict(conflict)) => {
                    let needs_another = conflict.reason.contains("; set clocking = ");
                    assert!(needs_another || !part.needs.names().is_empty(), "{conflict}");
                }
                Err(error @ SwapError::Unknown { .. }) => panic!("{error}"),
            }
            acknowledge(&mut reno, 200, 8);
            reno.handle(at(200), Input::Wake);
            while reno.poll().is_some() {}
            assert_eq!(reno.public().acked_bytes, u64::from(8 * MSS), "{} {}", slot.name, part.id);
        }
    }
}

/// Another path mechanism in the middle of a freeze: the sender goes on with the next event, as it was.
#[test]
fn a_frozen_sender_goes_on_under_another_path() {
    for former in ["tcp-f", "elfn", "atcp", "simelfn", "fsr"] {
        for next in ["ignore", "tcp-f", "elfn", "atcp", "simelfn", "fsr", "door"] {
            let mut reno = sending();
            reno.swap("path", former).unwrap();
            reno.handle(at(150), Input::Signal(NetworkSignal::RouteFailed(None)));
            let before = (reno.public().cwnd, reno.public().ssthresh, reno.public().rto);
            assert_eq!(reno.public().phase(), Phase::Frozen, "{former}");
            assert_eq!(reno.swap("path", next), Ok(former));
            assert_eq!(sent(&mut reno), [], "a swap sends nothing");
            let woken = reno.deadline();
            reno.handle(woken, Input::Wake);
            assert_ne!(reno.public().phase(), Phase::Frozen, "{next}");
            assert_eq!((reno.public().cwnd, reno.public().ssthresh, reno.public().rto), before);
            assert_eq!(reno.deadline(), woken + before.2, "the timer runs again");
            reno.handle(woken, Input::Signal(NetworkSignal::RouteFailed(None)));
            let is_frozen = reno.public().phase() == Phase::Frozen;
            assert_eq!(is_frozen, !["ignore", "door"].contains(&next), "{next}");
        }
    }
}

#[test]
fn what_the_connection_cannot_serve_is_refused_with_the_reason() {
    let refused = sending().swap("recovery", "sack").unwrap_err();
    let reason = "recovery 'sack' reads selective acknowledgements; set selective_acks = true";
    assert_eq!(refused.to_string(), reason);
}

#[test]
fn what_does_not_exist_changes_nothing() {
    let mut reno = sending();
    let before: Vec<_> = reno.mechanisms().collect();
    assert!(matches!(reno.swap("recovery", "prayer"), Err(SwapError::Unknown { why: UnknownPart::Part(_), .. })));
    assert!(matches!(reno.swap("recover", "sack"), Err(SwapError::Unknown { why: UnknownPart::Slot(_), .. })));
    assert!(reno.set("dupack_threshold", Value::Bool(true)).is_err());
    assert_eq!(reno.mechanisms().collect::<Vec<_>>(), before);
}

#[test]
fn a_parameter_is_for_what_is_swapped_in_later() {
    let mut reno = sending();
    reno.set("dupack_threshold", Value::Number(2.0)).unwrap();
    acknowledge(&mut reno, 200, 0);
    acknowledge(&mut reno, 200, 0);
    assert_eq!(sent(&mut reno), [], "the mechanism at work has read its parameters");
    let mut reno = sending();
    reno.set("dupack_threshold", Value::Number(2.0)).unwrap();
    reno.swap("detection", "duplicate-acks").unwrap();
    acknowledge(&mut reno, 200, 0);
    acknowledge(&mut reno, 200, 0);
    assert_eq!(sent(&mut reno)[0], 0);
}

#[test]
fn several_slots_change_together_or_not_at_all() {
    let mut reno = sending();
    let before: Vec<_> = reno.mechanisms().collect();
    // The peer reports nothing, so the second is refused, and the first stays as it was.
    let refused = reno.swap_all(&[("avoidance", "vegas"), ("detection", "sack")]).unwrap_err();
    assert!(refused.to_string().contains("reads selective acknowledgements"), "{refused}");
    assert_eq!(reno.mechanisms().collect::<Vec<_>>(), before);
    assert!(matches!(reno.swap_all(&[("avoidance", "vegas"), ("pacing", "x")]), Err(SwapError::Unknown { .. })));
    assert_eq!(reno.mechanisms().collect::<Vec<_>>(), before);
    // A rate and who keeps it: one without the other is refused.
    let refused = reno.swap("control", "hybrid").unwrap_err();
    assert!(refused.to_string().contains("does not keep"), "{refused}");
    assert_eq!(reno.swap_all(&[("clocking", "paced"), ("control", "hybrid")]), Ok(vec!["self-clocked", "window"]));
    assert!(matches!(reno.swap("clocking", "self-clocked"), Err(SwapError::Conflict(_))));
    assert_eq!(reno.swap_all(&[("control", "window"), ("clocking", "self-clocked")]), Ok(vec!["hybrid", "paced"]));
}

#[test]
fn a_rate_begins_with_what_the_window_carried_and_the_other_way_round() {
    let mut reno = sending();
    acknowledge(&mut reno, 200, 4);
    sent(&mut reno);
    let (cwnd, srtt) = (reno.public().cwnd, reno.public().srtt.unwrap());
    reno.swap_all(&[("control", "tfrc"), ("clocking", "paced")]).unwrap();
    acknowledge(&mut reno, 210, 5);
    let rate = cwnd / srtt.as_secs_f64();
    assert!((reno.public().rate / rate - 1.0).abs() < 0.01, "{} for {rate}", reno.public().rate);
    reno.swap_all(&[("control", "window"), ("clocking", "self-clocked")]).unwrap();
    assert!(reno.public().cwnd <= 1.01 * cwnd, "{} for {cwnd}", reno.public().cwnd);
    assert!(reno.public().cwnd >= 0.99 * cwnd, "{} for {cwnd}", reno.public().cwnd);
}

/// Vector A1: of a row's two slots the second is refused, as nothing is acknowledged selectively: neither changes, and the
/// row tells so once, with the reason.
#[test]
fn a_trigger_sets_all_its_slots_or_none() {
    let short = Condition { monitor: Monitor::Delay, side: Side::Above, bound: 10.0, until: 10.0 };
    for (detection, is_refused) in [("sack", true), ("duplicate-acks", false)] {
        let set = [("avoidance", "vegas"), ("detection", detection)];
        let set = set.map(|(slot, part)| (slot.to_owned(), part.to_owned())).to_vec();
        let row = Trigger { when: vec![short], any: false, set, back: false };
        let mut reno = sending();
        reno.adapt_by(Some(&Triggers { rows: vec![row], settings: Settings::default() }));
        let before: Vec<_> = reno.mechanisms().collect();
        acknowledge(&mut reno, 200, 1);
        let [Change { at: when, row: 0, is_back: false, refused, .. }] = &reno.take_changes()[..] else {
            panic!("one change of the one row");
        };
        let reason = "detection 'sack' reads selective acknowledgements; set selective_acks = true";
        assert_eq!((*when, refused.as_deref()), (at(200), is_refused.then_some(reason)));
        assert_eq!(reno.mechanisms().any(|id| id == "vegas"), !is_refused);
        assert_eq!(reno.mechanisms().collect::<Vec<_>>() == before, is_refused);
        assert_eq!(reno.take_changes(), []);
    }
}

/// A connection whose row changes what the receiver does: it learns of it with the data, whatever is lost of that.
#[test]
fn the_receiver_follows_a_row() {
    let now_and_later = Condition { monitor: Monitor::Interface, side: Side::Is, bound: 1.0, until: 1.0 };
    let set = [("acking", "delayed"), ("avoidance", "vegas"), ("diagnosis", "veno")];
    let set = set.map(|(slot, part)| (slot.to_owned(), part.to_owned())).to_vec();
    let rows = vec![Trigger { when: vec![now_and_later], any: false, set, back: true }];
    let settings = Settings { hold: Some(Duration::ZERO), ..Settings::default() };
    let params = Params { granularity_mode: GranularityMode::Exact, ..Params::default() };
    let recipe = protocol("reno").unwrap().recipe;
    let mut passive = Connection::new(&recipe, &params, Role::Passive, 2, 1, Seq(7));
    let params = Params { triggers: Some(Triggers { rows, settings }.into()), ..params };
    let mut active = Connection::new(&recipe, &params, Role::Active, 1, 2, Seq(0));
    passive.handle(at(0), Input::Open);
    active.handle(at(0), Input::Write(Data::Count(1_000_000)));
    active.handle(at(0), Input::Open);
    let segments = |end: &mut Connection| -> Vec<Segment> {
        let outputs = std::iter::from_fn(|| end.poll());
        outputs.filter_map(|output| if let Output::Segment(segment) = output { Some(segment) } else { None }).collect()
    };
    let acking = |end: &Connection| end.mechanisms().nth(10).unwrap();
    // Every tenth segment is lost. The row fires at 0.5 s and goes back at 1 s.
    let (mut sent, mut told) = (0, vec![]);
    for ms in (0..2_000).step_by(10) {
        if ms == 500 || ms == 1_000 {
            active.handle(at(ms), Input::Signal(NetworkSignal::Interface(u32::from(ms == 500))));
        }
        for segment in segments(&mut active) {
            sent += 1;
            if !segment.options.told.is_empty() {
                told.push(ms);
            }
            if sent % 10 != 0 {
                passive.handle(at(ms), Input::Segment { segment: &segment, data: &[] });
            }
        }
        passive.handle(at(ms), Input::Wake);
        for segment in segments(&mut passive) {
            active.handle(at(ms), Input::Segment { segment: &segment, data: &[] });
        }
        active.handle(at(ms), Input::Wake);
        match ms {
            0..500 | 1_300.. => assert_eq!((acking(&active), acking(&passive)), ("every", "every"), "{ms}"),
            800..1_000 => assert_eq!((acking(&active), acking(&passive)), ("delayed", "delayed"), "{ms}"),
            _ => {}
        }
    }
    let parts: Vec<_> = passive.mechanisms().collect();
    assert!(!parts.contains(&"vegas"), "what the sender alone does is not told");
    assert!(active.take_changes().iter().all(|change| change.refused.is_none()));
    assert!(active.public().retransmissions > 0);
    // It is told until it is known, and not for ever.
    assert!(told.iter().all(|&ms| (500..800).contains(&ms) || (1_000..1_300).contains(&ms)), "{told:?}");
    assert!(told.iter().any(|&ms| ms < 800) && told.iter().any(|&ms| ms >= 1_000), "{told:?}");
}
