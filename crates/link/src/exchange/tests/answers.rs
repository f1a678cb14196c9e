//! Others' frames: reservations, answers, and what the station makes of what it hears meanwhile.

use super::*;

/// A frame received without error ends the extended space even if it began before the one in error had ended
/// (802.11 §9.2.3.4).
#[test]
fn a_good_frame_that_began_earlier_ends_the_extended_space_too() {
    for is_for_me in [false, true] {
        let mut s = Station::new(standard(), &[0]);
        s.input(0, Input::Carrier { until: us(1000) });
        s.enqueue(10, "a", 1500);
        s.input(500, Input::Carrier { until: us(1400) });
        s.input(1000, Input::Failed);
        let nav = Duration::ZERO;
        let (kind, air_time) = (FrameKind::Cts, Duration::from_micros(304));
        let cts = Frame { kind, from: PEER, to: Some(ME), air_time, nav, sequence: 0, retry: false, payload: None };
        s.input(1400, if is_for_me { Input::Received(&cts) } else { Input::Overheard(nav) }).run(5000);
        assert!(s.log[0].starts_with("1450 Rts"), "{:?}", s.log);
    }
}

/// A frame that overlaps the one in reception: ns-2 holds the medium for EIFS after its end.
#[test]
fn an_overlapping_frame_keeps_the_medium_and_in_ns2_for_eifs_more() {
    for (config, begins) in [(standard(), 1500 + 50), (Config::ns2(), 1500 + 364 + 50)] {
        let mut s = Station::new(Config { link_delay: Duration::ZERO, ..config }, &[0]);
        s.input(0, Input::Carrier { until: us(1000) });
        s.enqueue(10, "a", 1500);
        s.input(500, Input::Held { until: us(1500) });
        s.input(1000, Input::Overheard(Duration::ZERO)).run(5000);
        assert!(s.log[0].starts_with(&format!("{begins} Rts")), "{:?}", s.log);
    }
}

/// §9.2.5.4: a station that has promised to receive is bound for the time that it has granted, and the way there and
/// back; not longer.
#[test]
fn who_has_sent_a_cts_is_bound_until_the_data_must_have_come() {
    // CTS from 362 to 666; it leaves 6962 - SIFS - CTS for the data, and the ACK with its SIFS follows these.
    let bound_until = 666 + (6962 - 10 - 304) - (10 + 304) + 4;
    for (ends, answered) in [(bound_until - 1, false), (bound_until, true)] {
        let mut s = Station::new(standard(), &[]);
        s.frame(0, FrameKind::Rts, PEER, 0, false);
        s.frame(ends - 352, FrameKind::Rts, OTHER, 0, false).run(ends + 1000);
        assert_eq!(s.log.iter().any(|line| line.contains("Cts to 2")), answered, "{ends}: {:?}", s.log);
    }
}

/// Data that come earlier than the reservation allows set it free, once it has acknowledged them.
#[test]
fn who_has_received_the_data_is_bound_no_longer() {
    let mut s = Station::new(standard(), &[]);
    s.frame(0, FrameKind::Rts, PEER, 0, false);
    s.frame(676, FrameKind::Data, PEER, 1, false);
    s.frame(2100, FrameKind::Rts, OTHER, 0, false).run(3000);
    let kinds: Vec<_> = s.log.iter().map(|line| line.split(' ').take(4).collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(kinds, ["362 Cts to 1", "1676 deliver p from", "1686 Ack to 1", "2462 Cts to 2"]);
}

/// Its own exchange does not end with data that somebody else sends it meanwhile, which it acknowledges.
#[test]
fn data_from_another_in_the_middle_of_an_exchange_are_acknowledged_and_change_nothing() {
    let mut s = Station::new(standard(), &[0, 0]);
    s.enqueue(0, "a", 1500).run(50);
    let until = 50 + 352 + 10 + 304 + 4;
    // The data end 300 µs before the CTS must have come.
    let config = Config::default();
    let data = Frame {
        kind: FrameKind::Data,
        from: OTHER,
        to: Some(ME),
        air_time: Duration::from_micros(10),
        nav: Duration::ZERO,
        sequence: 3,
        retry: false,
        payload: Some("p"),
    };
    s.input(until - 310, Input::Carrier { until: us(until - 300) });
    s.input(until - 300, Input::Received(&data)).run(5000);
    let acked = until - 300 + 10;
    let free = (until).max(acked + config.ack_time().as_nanos() / 1000);
    assert_eq!(s.log[2], format!("{acked} Ack to 2 nav 0"));
    assert_eq!(s.log[3], format!("{} Rts to 1 nav 6966 retry", free + 50));
}

/// While an answer is due, nothing else is taken: there is one radio, and one answer.
#[test]
fn who_is_about_to_answer_takes_nothing_else() {
    let mut s = Station::new(standard(), &[]);
    s.frame(0, FrameKind::Data, PEER, 1, false);
    let air_time = Duration::from_micros(1000);
    let (kind, nav, payload) = (FrameKind::Data, Duration::ZERO, Some("q"));
    let other = Frame { kind, from: OTHER, to: Some(ME), air_time, nav, sequence: 5, retry: false, payload };
    s.input(1005, Input::Received(&other)).run(3000);
    assert_eq!(s.frames(), ["1000 deliver p from 1", "1010 Ack to 1 nav 0"]);
}

/// A packet that comes between a frame and its answer finds a medium that is not idle for DIFS: it draws.
#[test]
fn a_packet_that_comes_before_the_answer_has_left_backs_off() {
    let mut s = Station::new(standard(), &[4]);
    s.frame(0, FrameKind::Data, PEER, 1, false);
    s.enqueue(1005, "a", 1500).run(3000);
    assert_eq!(s.log[1], "1010 Ack to 1 nav 0");
    assert_eq!(s.log[2], format!("{} Rts to 1 nav 6966", 1010 + 304 + 50 + 4 * 20));
}

/// A frame for everyone is not acknowledged: it says nothing of contention, and is not paced.
#[test]
fn link_red_and_pacing_leave_frames_for_everyone_alone() {
    let paced = lred::Config { paces: true, min_threshold: 0.5, ..TOUCHY };
    let mut s = Station::new(standard(), &[0; 20]).with_lred(paced);
    let end = s.packet_with_a_failed_try(0);
    assert_eq!(s.retry_average(), Some(1.0));
    let begins = end + 20_000;
    s.input(begins, Input::Enqueue { packet: "hello", bytes: 100, next_hop: None, class: Class::Routing });
    s.enqueue(begins, "a", 1500).run(begins + 5000);
    assert_eq!(s.retry_average(), Some(1.0), "of packets with a next hop");
    let rts = s.log.iter().rfind(|line| line.contains("Rts") && !line.contains("retry"));
    assert_eq!(rts, Some(&format!("{} Rts to 1 nav 6966", begins + 192 + 134 * 8 + 50)));
}

/// A race is lost to who begins when DIFS has passed, not to who begins earlier.
#[test]
fn a_race_begins_with_the_end_of_difs() {
    for (gap, stage) in [(49, Stage::Normal), (50, Stage::Greedy), (51, Stage::Greedy)] {
        let mut s = Station::new(fair(LostRace::Redraw), &[10, 2]);
        s.input(0, Input::Carrier { until: us(1000) });
        s.enqueue(500, "a", 1500);
        s.input(1000, Input::Overheard(Duration::ZERO));
        s.input(1000 + gap, Input::Carrier { until: us(2000) });
        assert_eq!(s.dcf.stage(), Some(stage), "{gap}");
    }
}

/// Of pacing's slots only those are kept that are still left, and a packet without pacing has none.
#[test]
fn a_counter_that_is_drawn_anew_keeps_what_is_left_of_pacing() {
    let config = fair(LostRace::Redraw);
    let slots = u64::from(crate::pacing::extra_slots(Duration::from_micros(6328), config.slot));
    let lred = lred::Config { paces: true, min_threshold: 0.0, ..TOUCHY };
    let mut s = Station::new(config, &[0, 3, 1]).with_lred(lred);
    s.enqueue(0, "a", 1500).enqueue(0, "b", 1500).run(50);
    s.frame(50 + 352 + 10, FrameKind::Cts, PEER, 0, false);
    let acknowledged = 50 + 352 + 10 + 304 + 10 + 6328 + 10 + 304;
    s.frame(acknowledged - 304, FrameKind::Ack, PEER, 0, false);
    // Of three slots and pacing's, 100 have passed: of pacing's are left all but 97.
    s.input(acknowledged + 50 + 2000, Input::Carrier { until: us(acknowledged + 5000) });
    s.input(acknowledged + 5000, Input::Overheard(Duration::ZERO)).run(acknowledged + 20_000);
    let begins = acknowledged + 5000 + 50 + 20 * (1 + slots - 97);
    assert!(s.log.iter().any(|line| line.starts_with(&format!("{begins} Rts"))), "{:?}", s.log);

    let idle = Config { backoff_always: false, ..fair(LostRace::Redraw) };
    let mut s = Station::new(idle, &[4, 2]);
    s.enqueue(0, "a", 1500);
    s.input(30, Input::Carrier { until: us(1000) }); // before DIFS: four are drawn
    s.input(1000, Input::Overheard(Duration::ZERO));
    s.input(1000 + 50 + 25, Input::Carrier { until: us(2000) }); // a race is lost: two are drawn
    s.input(2000, Input::Overheard(Duration::ZERO)).run(3000);
    assert_eq!(s.log[0], format!("{} Rts to 1 nav 6966", 2000 + 50 + 2 * 20));
}

/// What a stamper is shown of a packet that has to wait, and whose first try fails.
#[test]
fn a_packet_is_served_when_it_comes_and_tried_when_the_medium_is_free() {
    let shown = Arc::new(Mutex::new(Vec::new()));
    let draws = Draws::Scripted([3, 3].into());
    let mut dcf = Dcf::new(Arc::new(standard()), ME, draws).with_stampers(vec![Box::new(Shown(Arc::clone(&shown)))]);
    dcf.handle(us(0), Input::Carrier { until: us(500) });
    dcf.handle(us(100), Input::Enqueue { packet: 7, bytes: 1500, next_hop: Some(PEER), class: Class::Data });
    let first = 500 + 50 + 3 * 20;
    let second = first + 352 + 10 + 304 + 4 + 50 + 3 * 20;
    while dcf.deadline() <= us(second) {
        dcf.handle(dcf.deadline(), Input::Wake);
        while dcf.poll().is_some() {}
    }
    let expected = [(100, "served", 7), (first, "tried", 0), (second, "tried", 0)];
    assert_eq!(*shown.lock().unwrap(), expected);
}
