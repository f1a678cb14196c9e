//! What a station counts and remembers: retries, windows, sequence numbers, the back-off after an exchange, and that it
//! forgets all when it is shut down.

use super::*;
use crate::RtsRetries;

/// A whole exchange with RTS, CTS and ACK that begins at `t`; when its acknowledgement has come.
fn acknowledged(s: &mut Station, t: u64) -> u64 {
    s.run(t).frame(t + 352 + 10, FrameKind::Cts, PEER, 0, false);
    let end = t + 352 + 10 + 304 + 10 + 6328 + 10 + 304;
    s.frame(end - 304, FrameKind::Ack, PEER, 0, false);
    end
}

/// The CTS comes, the acknowledgement does not; when the station knows.
fn unacknowledged(s: &mut Station, rts: u64) -> u64 {
    s.run(rts).frame(rts + 352 + 10, FrameKind::Cts, PEER, 0, false);
    let known = rts + 352 + 10 + 304 + 10 + 6328 + 10 + 304 + 4;
    s.run(known);
    known
}

fn count(s: &Station, word: &str) -> usize {
    s.log.iter().filter(|line| line.contains(word)).count()
}

/// Draws from a window of 1, in slots: how long idle stations wait beyond DIFS before frames for everyone.
fn drawn(config: Config) -> Vec<u64> {
    let config = Config { cw_min: 1, cw_max: 1, backoff_always: true, link_delay: Duration::ZERO, ..config };
    let stream = Stream::new(1, ME, Purpose::Backoff);
    let mut dcf: Dcf<&str> = Dcf::new(Arc::new(config), ME, Draws::Random(Box::new(stream)));
    let mut slots: Vec<u64> = (1..200)
        .map(|n| {
            let now = us(n * 10_000);
            dcf.handle(now, Input::Enqueue { packet: "b", bytes: 100, next_hop: None, class: Class::Data });
            let begins = dcf.deadline();
            while !dcf.deadline().is_never() {
                dcf.handle(dcf.deadline(), Input::Wake);
                while dcf.poll().is_some() {}
            }
            begins.since(now).as_nanos().saturating_sub(50_000) / 20_000
        })
        .collect();
    slots.sort_unstable();
    slots.dedup();
    slots
}

#[test]
fn the_standard_draws_up_to_the_window_and_ns2_up_to_one_below() {
    assert_eq!(drawn(Config::default()), [0, 1]); // §9.2.4: a uniform distribution over [0, CW]
    assert_eq!(drawn(Config::ns2()), [0]); // Random::random() % cw_
}

#[test]
fn a_list_of_draws_goes_on_with_zero() {
    let mut s = Station::new(standard(), &[]);
    s.input(0, Input::Carrier { until: us(1000) });
    s.enqueue(10, "a", 1500).run(1050);
    assert_eq!(s.frames(), ["1050 Rts to 1 nav 6966"]);
}

/// §9.2.5.3: without an acknowledgement the next try waits for SIFS, the ACK's time and the way there and back, and draws
/// from a wider window.
#[test]
fn an_acknowledgement_that_does_not_come_costs_its_time_and_widens_the_window() {
    let often = lred::Config { min_threshold: 0.5, ..TOUCHY };
    let mut s = Station::new(standard(), &[3, 2]).with_lred(often);
    s.enqueue(0, "data", 1500);
    let known = unacknowledged(&mut s, 50);
    assert_eq!(s.window(), 63);
    let end = acknowledged(&mut s, known + 50 + 3 * 20);
    assert_eq!(s.log[2], format!("{} Rts to 1 nav 6966", known + 110));
    assert_eq!(s.log.last(), Some(&format!("{end} sent data")));
    assert_eq!(s.retry_average(), Some(1.0), "one try failed");
    assert_eq!(s.window(), 31);
}

/// §9.2.5.3: a CTS resets the short counter, an acknowledgement both.
#[test]
fn the_short_counter_starts_again_with_a_cts() {
    let mut s = Station::new(standard(), &[0; 40]);
    s.enqueue(0, "a", 1500).run(50 + 720 * 6 - 1);
    assert_eq!(count(&s, "Rts"), 6);
    let known = unacknowledged(&mut s, 50 + 720 * 6);
    s.run(known + 50 + 720 * 7 - 51);
    assert_eq!((count(&s, "Rts"), count(&s, "gave up")), (7 + 7, 0));
    s.run(known + 50 + 720 * 7);
    assert_eq!((count(&s, "Rts"), count(&s, "gave up a: retry_limit_rts")), (7 + 7, 1));
}

/// Two RTS limits and two data limits in a row, each with all its tries, under either rule for counters.
#[test]
fn a_packet_that_was_given_up_leaves_the_next_one_its_tries() {
    for config in [standard(), Config::ns2()] {
        let mut s = Station::new(config.clone(), &[0; 80]);
        s.enqueue(0, "a", 1500).enqueue(0, "b", 1500).run(100_000);
        assert_eq!((count(&s, "Rts"), count(&s, "gave up")), (14, 2));

        let mut s = Station::new(config.clone(), &[0; 80]);
        s.enqueue(0, "a", 1500).enqueue(0, "b", 1500);
        for _ in 0..8 {
            let rts = s.dcf.deadline().as_nanos() / 1000;
            unacknowledged(&mut s, rts);
        }
        assert_eq!((count(&s, "Data"), count(&s, "retry_limit_data"), s.dcf.held()), (8, 2, 0));

        // Without RTS the limit is that of short frames.
        let mut s = Station::new(Config { rts_threshold_bytes: 3000, ..config }, &[0; 80]);
        s.enqueue(0, "a", 1500).enqueue(0, "b", 1500).run(1_000_000);
        assert_eq!((count(&s, "Data"), count(&s, "retry_limit_data")), (14, 2));
    }
}

/// Hamadani and Rakocevic §V to the letter: four tries of a long packet, whatever was not answered, seven of a short one.
#[test]
fn tries_of_an_rts_are_those_of_its_data_frame_where_that_is_asked_for() {
    let limits = |rts_retries| Config { rts_retries, rts_threshold_bytes: 256, ..standard() };
    for (rts_retries, tries) in [(RtsRetries::Short, 7), (RtsRetries::AsData, 4)] {
        let mut s = Station::new(limits(rts_retries), &[0; 80]);
        s.enqueue(0, "a", 1500).run(1_000_000);
        assert_eq!((count(&s, "Rts"), count(&s, "retry_limit_rts")), (tries, 1), "{rts_retries:?}");
        s.enqueue(1_000_000, "b", 100).run(2_000_000);
        assert_eq!((count(&s, "Data"), count(&s, "retry_limit_data")), (7, 1), "{rts_retries:?}");
        s.enqueue(2_000_000, "c", 1500).run(3_000_000);
        assert_eq!(count(&s, "Rts"), 2 * tries, "each packet has all its tries");
    }
    // Two tries without an acknowledgement: a CTS has come, and the count goes on.
    let mut s = Station::new(limits(RtsRetries::AsData), &[0; 80]);
    s.enqueue(0, "a", 1500);
    for _ in 0..2 {
        let rts = s.dcf.deadline().as_nanos() / 1000;
        unacknowledged(&mut s, rts);
    }
    s.run(1_000_000);
    assert_eq!((count(&s, "Rts"), count(&s, "retry_limit_rts")), (4, 1));
}

/// Two tries without an acknowledgement, then none without a CTS: ns-2 counts on with the next packet, the standard
/// begins anew.
#[test]
fn only_ns2_lets_the_long_counter_outlive_a_packet_that_no_cts_came_for() {
    for (config, tries) in [(standard(), 4), (Config::ns2(), 2)] {
        let mut s = Station::new(config, &[0; 80]);
        s.enqueue(0, "a", 1500).enqueue(0, "b", 1500);
        for _ in 0..2 {
            let rts = s.dcf.deadline().as_nanos() / 1000;
            unacknowledged(&mut s, rts);
        }
        while count(&s, "gave up") == 0 {
            s.run(s.dcf.deadline().as_nanos() / 1000);
        }
        let before = count(&s, "Data");
        while count(&s, "retry_limit_data") == 0 {
            let rts = s.dcf.deadline().as_nanos() / 1000;
            unacknowledged(&mut s, rts);
        }
        assert_eq!(count(&s, "Data") - before, tries);
    }
}

/// The same with an acknowledgement between: it ends all counts.
#[test]
fn an_acknowledgement_resets_both_counters() {
    let mut s = Station::new(Config::ns2(), &[0; 80]);
    for (packet, tries) in [("a", 3), ("b", 3)] {
        s.enqueue(s.now.as_nanos() / 1000 + 1000, packet, 1500);
        for _ in 0..tries {
            let rts = s.dcf.deadline().as_nanos() / 1000;
            unacknowledged(&mut s, rts);
        }
        let rts = s.dcf.deadline().as_nanos() / 1000;
        acknowledged(&mut s, rts);
    }
    assert_eq!((count(&s, "sent"), count(&s, "gave up")), (2, 0));

    let mut s = Station::new(Config { rts_threshold_bytes: 3000, ..Config::ns2() }, &[0; 80]);
    for (packet, tries) in [("a", 7), ("b", 14)] {
        s.enqueue(s.now.as_nanos() / 1000 + 1000, packet, 1500);
        while count(&s, "Data") < tries {
            s.run(s.dcf.deadline().as_nanos() / 1000);
        }
        let ends = s.now.as_nanos() / 1000 + 6328;
        s.frame(ends + 10, FrameKind::Ack, PEER, 0, false);
    }
    assert_eq!((count(&s, "Data"), count(&s, "sent"), count(&s, "gave up")), (14, 2, 0));
}

/// ns-2 asks for the medium again, from a wider window.
#[test]
fn a_cts_that_cannot_be_used_widens_ns2s_window() {
    let mut s = Station::new(Config::ns2(), &[0, 0]);
    s.enqueue(0, "a", 1500).run(50);
    s.frame(412, FrameKind::Cts, PEER, 0, false);
    s.input(720, Input::Carrier { until: us(2000) }).run(1000);
    assert_eq!(s.window(), 63);
}

#[test]
fn a_packet_that_was_given_up_is_followed_by_a_back_off_of_one_draw() {
    let mut s = Station::new(Config { short_retry_limit: 1, ..standard() }, &[4]);
    s.enqueue(0, "a", 1500).enqueue(0, "b", 1500).run(2000);
    assert_eq!(s.log[2], format!("{} Rts to 1 nav 6966", 50 + 670 + 50 + 4 * 20));
}

/// §9.2.9, §7.1.3.4.1: numbers are those of packets, not of tries, one after the other, modulo 4096.
#[test]
fn sequence_numbers_count_packets_modulo_4096() {
    let mut dcf: Dcf<&str> = Dcf::new(Arc::new(standard()), ME, Draws::Scripted([].into()));
    let mut numbers = Vec::new();
    for n in 0..4100 {
        let packet = Input::Enqueue { packet: "b", bytes: 100, next_hop: None, class: Class::Data };
        dcf.handle(us(n * 10_000), packet);
        while !dcf.deadline().is_never() {
            dcf.handle(dcf.deadline(), Input::Wake);
            while let Some(output) = dcf.poll() {
                if let Output::Transmit(frame) = output {
                    numbers.push(frame.sequence);
                }
            }
        }
    }
    assert_eq!(numbers.len(), 4100);
    assert!(numbers.windows(2).all(|pair| pair[1] == (pair[0] + 1) % 4096));
    assert_eq!(numbers.iter().max(), Some(&4095));
}

/// §9.2.9: a repeated frame is one with the retry bit and the number received last from there.
#[test]
fn a_frame_is_repeated_if_its_bit_and_its_number_say_so() {
    let mut s = Station::new(standard(), &[]);
    // 7; 8, of which the first try was lost; 8 again; 9; 9 again; 9 as a new packet, 4096 later.
    for (n, (sequence, retry)) in
        [(7, false), (8, true), (8, true), (9, false), (9, true), (9, false)].into_iter().enumerate()
    {
        s.frame(n as u64 * 3000, FrameKind::Data, PEER, sequence, retry).run(n as u64 * 3000 + 2000);
    }
    let told: Vec<_> = s.log.iter().filter(|line| !line.contains("Ack")).map(|line| &line[line.len() - 8..]).collect();
    assert_eq!(told, ["p from 1", "p from 1", "repeated", "p from 1", "repeated", "p from 1"]);
    assert_eq!(count(&s, "Ack"), 6);
}

/// §9.2.5.2: the back-off after an exchange stands still while others send, and is over when it has run out.
#[test]
fn the_back_off_after_an_exchange_goes_on_after_others_frames_or_ends() {
    // DIFS and 2 of 5 slots have passed; all of them; and more.
    for (gap, begins) in [(50 + 45, 50 + 3 * 20), (50 + 5 * 20, 50 + 9 * 20), (500, 50 + 9 * 20)] {
        let mut s = Station::new(standard(), &[5, 9]);
        let end = acknowledged(s.enqueue(0, "a", 1500), 50);
        let busy = end + gap;
        s.input(busy, Input::Carrier { until: us(busy + 1000) });
        s.input(busy + 1000, Input::Overheard(Duration::ZERO));
        // The second packet comes while the medium is busy again.
        s.input(busy + 1010, Input::Carrier { until: us(busy + 2000) });
        s.enqueue(busy + 1500, "b", 1500);
        s.input(busy + 2000, Input::Overheard(Duration::ZERO)).run(busy + 5000);
        let rts = s.log.iter().rfind(|line| line.contains("Rts") && !line.contains("retry"));
        assert_eq!(rts, Some(&format!("{} Rts to 1 nav 6966", busy + 2000 + begins)), "{gap}");
    }
}

/// ns-2 has every packet draw, also one that comes in the instant in which the last back-off has run out.
#[test]
fn a_back_off_that_has_just_run_out_is_over() {
    let mut s = Station::new(Config { link_delay: Duration::ZERO, ..Config::ns2() }, &[0, 5, 7]);
    let end = acknowledged(s.enqueue(0, "a", 1500), 50);
    let out = end + 50 + 5 * 20;
    s.enqueue(out, "b", 1500).run(out + 500);
    assert_eq!(s.log.last(), Some(&format!("{} Rts to 1 nav 6966", out + 50 + 7 * 20)));
}

/// Brings a station into one.
type State = fn(&mut Station) -> &mut Station;

/// A station that is shut down comes back as one that was never up: sequence numbers aside, which count on.
#[test]
fn a_station_that_was_shut_down_begins_as_a_new_one() {
    let states: [State; 10] = [
        |s| s.input(100, Input::Carrier { until: us(90_000) }),
        |s| s.input(100, Input::Overheard(Duration::from_millis(90))),
        |s| s.input(100, Input::Failed),
        |s| s.frame(100, FrameKind::Rts, PEER, 0, false), // an answer is due
        |s| s.frame(100, FrameKind::Rts, PEER, 0, false).run(500), // data are due
        |s| s.input(100, Input::Carrier { until: us(900) }).enqueue(200, "a", 1500),
        |s| s.enqueue(0, "a", 1500).run(51),
        |s| s.enqueue(0, "a", 1500).enqueue(0, "b", 1500).run(500),
        |s| {
            let known = unacknowledged(s.enqueue(0, "a", 1500), 50);
            s.run(known + 50 + 2 * 720)
        },
        |s| {
            s.enqueue(0, "a", 1500);
            while !s.dcf.awaits_resume() {
                s.now = s.dcf.deadline();
                s.dcf.handle(s.now, Input::Wake);
                s.gather();
            }
            s
        },
    ];
    for (config, asked) in [(standard(), false), (standard(), true), (Config::ns2(), false), (Config::ns2(), true)] {
        for (n, state) in states.into_iter().enumerate() {
            let mut s = Station::new(config.clone(), &[]);
            state(&mut s);
            let now = s.now;
            let (held, told) = (s.dcf.held(), s.log.len());
            s.dcf.handle(now, Input::ShutDown);
            s.gather();
            let dropped = &s.log[told..];
            assert!(dropped.len() == held && dropped.iter().all(|line| line.ends_with("node_down")), "{dropped:?}");
            assert!(s.dcf.deadline().is_never() && !s.dcf.awaits_resume() && s.dcf.held() == 0);
            assert!(!s.dcf.access.senses_busy(now) && s.window() == 31);
            // It comes up within what it had heard and said: with packets, every other time after a frame for it.
            let mut new = Station::new(config.clone(), &[]);
            s.log.clear();
            for s in [&mut s, &mut new] {
                s.now = now;
                let t = now.as_nanos() / 1000 + 10;
                if asked {
                    s.frame(t, FrameKind::Rts, OTHER, 0, false);
                }
                s.enqueue(t + 400, "x", 1500).enqueue(t + 400, "y", 1500).run(t + 60_000);
            }
            assert_eq!(s.log, new.log, "state {n}");
        }
    }
}

#[test]
fn a_station_that_was_shut_down_knows_of_no_frame_before() {
    let deliveries = |is_shut_down: bool| {
        let mut s = Station::new(standard(), &[]);
        s.frame(100, FrameKind::Data, PEER, 7, false).run(2000);
        if is_shut_down {
            s.input(2000, Input::ShutDown);
        }
        s.frame(2100, FrameKind::Data, PEER, 7, true).run(4000);
        s.frames().iter().filter(|line| line.contains("deliver")).count()
    };
    assert_eq!((deliveries(false), deliveries(true)), (1, 2));
}

#[test]
fn a_station_says_what_it_does() {
    let mut s = Station::new(standard(), &[]);
    assert!(s.dcf.begins_a_try(FrameKind::Data) && !s.dcf.has_output());
    s.enqueue(0, "a", 1500);
    assert!(!s.dcf.begins_a_try(FrameKind::Data), "an RTS comes first");
    s.dcf.handle(us(50), Input::Wake);
    assert!(s.dcf.has_output());
    s.gather();
    assert!(!s.dcf.has_output());
    let mut s = Station::new(standard(), &[]);
    s.input(0, Input::Enqueue { packet: "b", bytes: 100, next_hop: None, class: Class::Data });
    assert!(s.dcf.begins_a_try(FrameKind::Data), "nobody is asked before a frame for everyone");
    // Either carrier is idle at its end, not after it.
    let mut s = Station::new(standard(), &[]);
    s.input(0, Input::Carrier { until: us(100) });
    let at = |ns| Time::from_nanos(ns);
    assert!(s.dcf.access.senses_busy(at(99_999)) && !s.dcf.access.senses_busy(us(100)));
    s.input(100, Input::Overheard(Duration::from_micros(50)));
    assert!(s.dcf.access.senses_busy(at(149_999)) && !s.dcf.access.senses_busy(us(150)));
}
