//! Files that other programs wrote: ns-2.35's own, of `recorded/small.tcl` (`ns small.tcl` writes both).

use std::path::Path;

use hopwright_sedlane::Trace;
use hopwright_sedlane::read::{Counters, Kind, Options, counters, detect, drops, read};

fn recorded(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded").join(name);
    std::fs::read(path).expect("it is there")
}

fn sum(trace: &Trace, of: fn(&hopwright_sedlane::Sample) -> u64) -> u64 {
    trace.samples.iter().map(of).sum()
}

#[test]
fn ns2_and_this_program_agree_on_ns2s_connection() {
    let (variables, packets) = (recorded("variables.tr"), recorded("standard.tr"));
    assert_eq!(detect(&variables), Some(Kind::Ns2Variables));
    assert_eq!(detect(&packets), Some(Kind::Ns2Packets));
    let mut own = read(Kind::Ns2Variables, &variables, &Options::default()).expect("ns-2 wrote it");
    let seen = read(Kind::Ns2Packets, &packets, &Options::default()).expect("ns-2 wrote it");
    assert_eq!((own.connection.as_str(), seen.connection.as_str()), ("0:0-2:0", "0:0-2:0"));
    // Bytes, sent again ones, and drops are counted by ns-2 and found in its packets.
    assert_eq!(sum(&own, |s| s.sent), sum(&seen, |s| s.sent));
    assert_eq!(sum(&own, |s| s.retransmitted), sum(&seen, |s| s.retransmitted));
    own.add_drops(&drops(&packets, "0:0-2:0").expect("the same run"));
    assert_eq!(sum(&own, |s| s.dropped), sum(&seen, |s| s.dropped));
    let text = String::from_utf8(packets).expect("a text");
    let dropped = text.lines().filter(|line| line.starts_with("d ")).count() as u64;
    assert_eq!(sum(&seen, |s| s.dropped), 1000 * dropped);
    // ns-2 times one packet at a time, in ticks of 10 ms, and prints 10 us: each of its values is one of ours, rounded.
    let printed = hopwright_machine::Duration::from_micros(10);
    for sample in &own.samples {
        let ours = seen.samples.iter().rfind(|ours| ours.at <= sample.at + printed).expect("it was measured");
        let difference = sample.rtt.as_secs_f64() - ours.rtt.as_secs_f64();
        assert!(difference.abs() <= 0.010 + 1e-9, "{sample:?} {ours:?}");
    }
}

#[test]
fn ticks_have_to_be_said() {
    let text = "0.5 0 0 2 0 rtt_ 7\n0.6 0 0 2 0 rtt_ 9\n0.7 0 0 2 0 maxseq_ 12\n";
    let error = read(Kind::Ns2Variables, text.as_bytes(), &Options::default()).expect_err("ticks").to_string();
    assert_eq!(error, "line 1: rtt_ is '7', a whole number: ticks; say --tick, ns-2's tcpTick_");
    let tick = Some(hopwright_machine::Duration::from_millis(10));
    let trace = read(Kind::Ns2Variables, text.as_bytes(), &Options { tick, ..Options::default() }).expect("said");
    assert_eq!(trace.samples[0].rtt, hopwright_machine::Duration::from_millis(70));
    assert!(trace.known.sent && !trace.known.retransmitted);
}

#[test]
fn everything_traced_at_once_is_read_too() {
    let line = |time: f64, seq: i32, rtt: f64| {
        format!(
            "time: {time:<8.5} saddr: 0  sport: 0  daddr: 2  dport: 0  maxseq: {seq:<4} hiack: 1    seqno: 3    cwnd: 2.000  \
             ssthresh: 20  dupacks: 0  rtt: {rtt:<6.3} srtt: 0.070  rttvar: 0.035  bkoff: 1 \n"
        )
    };
    let text = [line(0.5, -1, 0.0), line(0.6, 1, 0.07), line(0.7, 3, 0.08), line(0.8, 3, 0.08)].concat();
    assert_eq!(detect(text.as_bytes()), Some(Kind::Ns2Variables));
    let trace = read(Kind::Ns2Variables, text.as_bytes(), &Options::default()).expect("good");
    assert_eq!((trace.samples.len(), sum(&trace, |s| s.sent)), (2, 4000));
}

#[test]
fn what_is_cut_off_is_refused_wherever_it_is_cut() {
    for (name, kind) in [("variables.tr", Kind::Ns2Variables), ("standard.tr", Kind::Ns2Packets)] {
        let whole = recorded(name);
        for cut in [whole.len() - 1, whole.len() / 2 + 7, 20_003] {
            if whole[cut - 1] != b'\n' {
                let error = read(kind, &whole[..cut], &Options::default()).expect_err("cut").to_string();
                assert!(error.starts_with("line ") && error.contains("cut off"), "{error}");
            }
        }
    }
    assert_eq!(detect(b"\x7fELF whatever"), None);
    assert_eq!(detect(b""), None);
}

#[test]
fn counters_become_bytes() {
    let nan = f64::NAN;
    let columns = Counters {
        time_s: &[1.0, 1.5, 2.0],
        rtt_s: &[nan, 0.1, nan],
        new_bytes: &[1000.0, 3000.0, 4000.0],
        again_bytes: &[0.0, 0.0, 500.0],
        drops: Some((&[1.7], &[1000.0])),
    };
    let trace = counters(columns, "flow 0".into()).expect("good");
    let sample = trace.samples[0];
    assert_eq!((sample.sent, sample.retransmitted, sample.dropped), (4500, 500, 1000));
    assert_eq!(trace.end, hopwright_machine::Time::from_secs_f64(2.0));
    let back = Counters { new_bytes: &[1000.0, 500.0, 4000.0], ..columns };
    assert!(counters(back, String::new()).is_err());
}

/// Small damage anywhere: an error with its place, or a trace; never a panic.
#[test]
fn damage_is_an_error_or_another_trace() {
    let mut state = 7_u64;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for (name, kind) in
        [("variables.tr", Kind::Ns2Variables), ("standard.tr", Kind::Ns2Packets), ("small.pcap", Kind::Capture)]
    {
        let whole = recorded(name);
        let whole = &whole[..whole.len().min(20_000)];
        for _ in 0..300 {
            let mut content = whole.to_vec();
            for _ in 0..=draw(4) {
                let place = draw(content.len());
                content[place] = draw(256) as u8;
            }
            content.truncate(content.len() - draw(40));
            if let Err(error) = read(kind, &content, &Options::default()) {
                assert!(!error.to_string().is_empty());
            }
        }
    }
}
