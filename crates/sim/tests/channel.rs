//! The channel at work: what shadowing, fading, noise and damage do to whole runs, against closed forms.

use hopwright_link::FrameKind;
use hopwright_machine::{Duration, LossCause, NodeId};
use hopwright_radio::{
    Bits, Decoding, Fading, FrameErrors, GilbertElliott, Interference, Modulation, Propagation, Shadowing, Threshold,
};
use hopwright_sim::{Errors, Flow, FlowKind, FrameClass, Outcome, Pattern, Report, Routing, Setup, Source};

use crate::support::{at, outcome, quiet, string, traced};

const EVERYTHING: [FrameClass; 5] =
    [FrameClass::RtsCts, FrameClass::Data, FrameClass::Ack, FrameClass::MacAck, FrameClass::Routing];

/// Node 0 sends datagrams of 100 bytes to node 1, `distance_m` away, one every 20 ms from second 1 on; a route leads
/// there however far it is. Frames are tried once, without RTS.
fn pair(distance_m: f64, datagrams: u32) -> Setup {
    let mut setup = quiet(&[(0.0, 0.0), (distance_m, 0.0)], false, 1.0 + 0.02 * f64::from(datagrams), false);
    setup.routing = Routing::Static(Some(vec![(0..2).map(|n| Some(NodeId(n))).collect(); 2]));
    setup.mac.short_retry_limit = 1;
    let source = Source { payload_bytes: 100, rate_bps: 40e3, jitter: 0.0, pattern: Pattern::Steady };
    setup.flows = vec![Flow {
        from: NodeId(0),
        to: NodeId(1),
        start: at(1.0),
        stop: at(1.0 + 0.02 * (f64::from(datagrams) - 0.5)),
        kind: FlowKind::Udp(source),
    }];
    setup
}

fn uniform(probability: f64, frames: &[FrameClass]) -> Errors {
    Errors { from: None, to: None, frames: frames.to_vec(), model: FrameErrors::Uniform { probability } }
}

/// The share of datagrams that arrived.
fn delivered(run: &Outcome) -> f64 {
    run.ledger.delivered as f64 / run.ledger.originated as f64
}

/// Whether a share of `n` is what it should be, but for four standard errors.
fn assert_share(found: f64, expected: f64, n: f64, of: &str) {
    let error = (expected * (1.0 - expected) / n).sqrt();
    assert!((found - expected).abs() <= 4.0 * error + 1e-9, "{of}: {found}, not {expected} +- {error}");
}

#[test]
fn under_rayleigh_fading_frames_arrive_as_the_exponential_distribution_says() {
    // Received power falls with the fourth power of the distance; the threshold is what arrives from 250 m.
    // exp(-(d/250)^4).
    for (distance_m, expected) in [(100.0, 0.974725), (200.0, 0.663916), (250.0, 0.367879), (300.0, 0.125732)] {
        let mut setup = pair(distance_m, 4000);
        setup.radio.fading = Fading::Ricean { k: 0.0 };
        let run = outcome(&setup, 1);
        assert_share(delivered(&run), expected, 4000.0, &format!("{distance_m} m"));
        // In range by mean power, the channel is to blame; beyond, the distance.
        let losses = run.report.flows[0].losses;
        let blamed =
            if distance_m <= 250.0 { losses.of(LossCause::Channel) } else { losses.of(LossCause::LinkFailure) };
        assert_eq!(blamed, losses.total(), "{distance_m} m: {losses:?}");
        assert!(losses.total() > 0);
    }
}

#[test]
fn under_shadowing_frames_arrive_as_the_normal_distribution_says() {
    // 40 dB a decade: 200 m leave a margin of 3.876 dB, 300 m lack 3.167 dB; the standard deviation is 6 dB.
    for (distance_m, expected) in [(200.0, 0.740_9), (250.0, 0.5), (300.0, 0.298_8), (500.0, 0.022_4)] {
        let mut setup = pair(distance_m, 4000);
        setup.radio.shadowing = Shadowing::Frame { sigma_db: 6.0 };
        assert_share(delivered(&outcome(&setup, 1)), expected, 4000.0, &format!("{distance_m} m"));
    }
}

#[test]
fn under_shadowing_as_many_frames_arrive_as_in_ns2() {
    // What arrived of 12,000 datagrams in ns-2.35 (validation/ns2/shadowing.tcl, seeds 1 to 3).
    for (distance_m, in_ns2) in
        [(60.0, 11_864.0), (80.0, 11_103.0), (100.0, 9_520.0), (120.0, 7_353.0), (140.0, 5_180.0), (170.0, 2_692.0)]
    {
        let mut setup = pair(distance_m, 4000);
        setup.radio.propagation = Propagation::LogDistance { exponent: 2.7, reference_m: 1.0 };
        setup.radio.shadowing = Shadowing::Frame { sigma_db: 4.0 };
        // RXThresh_ and CSThresh_ of ns-2's WaveLAN.
        setup.radio.reception = Threshold::Power(3.652e-7);
        setup.radio.carrier_sense = Threshold::Power(1.559e-8);
        let ours: u64 = (1..=3).map(|seed| outcome(&setup, seed).ledger.delivered).sum();
        let (p, ours) = (in_ns2 / 12_000.0, ours as f64 / 12_000.0);
        println!("{:.1} %", 100.0 * ours);
        let error = (2.0_f64 * p * (1.0 - p) / 12_000.0).sqrt();
        assert!((ours - p).abs() < 4.0 * error, "{distance_m} m: {ours}, in ns-2 {p} +- {error}");
    }
}

#[test]
fn a_shadowed_link_is_there_or_not_for_the_whole_run_and_both_ways() {
    let mut there = 0;
    for seed in 0..400 {
        let mut setup = pair(200.0, 3);
        setup.mac.short_retry_limit = 7;
        setup.radio.shadowing = Shadowing::Link { sigma_db: 6.0 };
        let run = outcome(&setup, seed);
        // All or none; where data arrives, so does the acknowledgement.
        assert!([0, 3].contains(&run.ledger.delivered), "seed {seed}: {}", run.ledger.delivered);
        assert_eq!(run.ledger.frames_received, 2 * run.ledger.delivered, "seed {seed}");
        assert_eq!(run.report.mac.channel_errors, None, "nothing changes from frame to frame");
        assert_eq!(run.report.flows[0].losses.of(LossCause::LinkFailure), 3 - run.ledger.delivered);
        // Static routes know only links that are there.
        setup.routing = Routing::Static(None);
        let routed = outcome(&setup, seed).report.flows[0].losses;
        assert_eq!(routed.of(LossCause::NoRoute), 3 - run.ledger.delivered, "seed {seed}");
        there += u32::from(run.ledger.delivered > 0);
    }
    assert_share(f64::from(there) / 400.0, 0.740_9, 400.0, "links at 200 m");
}

#[test]
fn noise_costs_what_the_modulation_says() {
    // -4, -1, 3.2 and 6.3 dB.
    for (rate_bps, snr) in [(1_000_000, 0.398), (2_000_000, 0.794), (5_500_000, 2.089), (11_000_000, 4.266)] {
        let mut setup = pair(200.0, 3000);
        setup.mac.data_rate_bps = rate_bps;
        setup.mac.basic_rate_bps = 1_000_000;
        let power_mw = hopwright_radio::Radio::new(&setup.radio).hear(200.0 * 200.0, 1.0).expect("in range").power_mw;
        setup.radio.reception = Threshold::Power(power_mw / 100.0);
        setup.radio.carrier_sense = Threshold::Power(power_mw / 100.0);
        setup.radio.rule.interference = Interference::Sum;
        setup.radio.rule.noise_mw = power_mw / snr;
        let modulation = Modulation::of_rate(rate_bps).expect("a rate of 802.11b");
        let bits = Bits::dsss(Duration::from_micros(192), [Modulation::Dbpsk, modulation]);
        setup.radio.rule.decoding = Decoding::BitErrors(bits);
        // 100 bytes with UDP, IP and MAC: 164; the PLCP header has 48 bits.
        let expected = Modulation::Dbpsk.success(snr, 48.0) * modulation.success(snr, 164.0 * 8.0);
        assert!(expected > 0.2 && expected < 0.95, "{rate_bps}: {expected} tells nothing");
        let run = outcome(&setup, 1);
        assert_share(delivered(&run), expected, 3000.0, &format!("{rate_bps} bit/s"));
        let errors = run.report.mac.channel_errors.expect("there is a channel");
        assert_eq!((errors.data, run.report.mac.collisions.total), (3000 - run.ledger.delivered, 0));
    }
}

#[test]
fn a_packet_is_given_up_as_often_as_all_its_tries_are_damaged() {
    let mut setup = pair(200.0, 4000);
    setup.mac.short_retry_limit = 4;
    setup.errors = vec![uniform(0.6, &[FrameClass::Data])];
    let run = outcome(&setup, 1);
    assert_share(1.0 - delivered(&run), 0.6 * 0.6 * 0.6 * 0.6, 4000.0, "given up");
    let lost = 4000 - run.ledger.delivered;
    let flow = &run.report.flows[0];
    assert_eq!(
        (flow.losses.of(LossCause::Channel), flow.losses.total(), flow.drops["retry_limit_data"]),
        (lost, lost, lost)
    );
    // Tries of a packet: 1 + p + p^2 + p^3, each of which is damaged with probability p.
    let errors = run.report.mac.channel_errors.expect("there is a channel");
    let expected = 4000.0 * 0.6 * (1.0 + 0.6 + 0.36 + 0.216);
    assert!((errors.data as f64 / expected - 1.0).abs() < 0.05, "{errors:?}, not {expected}");
    assert_eq!((errors.total, run.ledger.frames_damaged), (errors.data, errors.data));
    // Acknowledgements of the MAC alone: nothing is lost, much is sent again, and nothing arrives twice.
    setup.errors = vec![uniform(0.6, &[FrameClass::MacAck])];
    let run = outcome(&setup, 1);
    assert_eq!((run.ledger.delivered, run.report.flows[0].losses.total()), (4000, 0));
    assert!(run.report.mac.channel_errors.is_some_and(|errors| errors.mac_ack > 4000 && errors.data == 0));
}

#[test]
fn goodput_under_damage_is_that_of_the_renewal_cycle() {
    for p in [0.1_f64, 0.3, 0.5] {
        let mut setup = quiet(&[(0.0, 0.0), (1.0, 0.0)], false, 500.0, false);
        let source = Source { payload_bytes: 1460, rate_bps: 3e6, jitter: 0.5, pattern: Pattern::Steady };
        let (from, to) = (NodeId(0), NodeId(1));
        setup.flows = vec![Flow { from, to, start: at(1.0), stop: setup.end, kind: FlowKind::Udp(source) }];
        setup.errors = vec![uniform(p, &[FrameClass::Data])];
        // Microseconds. Data: 192 + (1460 + 28 + 36) x 4; a failed try waits for the end of an ACK and 2 us each way.
        let (difs, data, sifs, ack) = (50.0, 192.0 + 1524.0 * 4.0, 10.0, 304.0);
        let (mut cycle, mut window, mut reached) = (0.0, 31.0_f64, 1.0);
        for _ in 0..setup.mac.short_retry_limit {
            let access = difs + 20.0 * window / 2.0 + data + sifs + ack;
            cycle += reached * (access + p * 4.0);
            reached *= p;
            window = (2.0 * window + 1.0).min(1023.0);
        }
        let expected = (1.0 - reached) * 1460.0 * 8.0 / cycle * 1e6;
        let found = outcome(&setup, 1).report.flows[0].received_bps;
        // Some 25,000 packets, whose times have a standard deviation of up to 0.8 of their mean: 0.5 %.
        assert!((found / expected - 1.0).abs() < 0.015, "p = {p}: {found} bit/s, not {expected}");
    }
}

#[test]
fn bursts_take_the_share_of_time_that_they_last() {
    let bursts = GilbertElliott { mean_good_s: 0.6, mean_bad_s: 0.2, good_probability: 0.0, bad_probability: 1.0 };
    let mut setup = pair(200.0, 10_000);
    setup.errors =
        vec![Errors { from: None, to: None, frames: EVERYTHING.to_vec(), model: FrameErrors::GilbertElliott(bursts) }];
    let run = outcome(&setup, 1);
    // 200 s hold some 250 bursts: the share's standard error is sqrt(2 x 0.25 x 0.75 x 0.15 / 200) = 0.017.
    assert!((1.0 - delivered(&run) - 0.25).abs() < 0.068, "{}", delivered(&run));
    // Time, not draws: half as many frames meet the same good and bad times.
    let mut other = setup.clone();
    for flow in &mut other.flows {
        if let FlowKind::Udp(source) = &mut flow.kind {
            source.rate_bps /= 2.0;
        }
    }
    let (a, b) = (delivered(&run), delivered(&outcome(&other, 1)));
    assert!((a - b).abs() < 0.005, "{a}, {b}");
}

#[test]
fn the_last_entry_that_fits_a_frame_holds() {
    let mut setup = pair(200.0, 500);
    let exempt = Errors { from: Some(NodeId(0)), to: Some(NodeId(1)), ..uniform(0.0, &[FrameClass::Data]) };
    setup.errors = vec![uniform(1.0, &[FrameClass::Data]), exempt.clone()];
    assert_eq!(outcome(&setup, 1).ledger.delivered, 500);
    setup.errors.reverse();
    assert_eq!(outcome(&setup, 1).ledger.delivered, 0);
    setup.errors = vec![uniform(1.0, &[FrameClass::Data]), Errors { from: Some(NodeId(1)), ..exempt }];
    assert_eq!(outcome(&setup, 1).ledger.delivered, 0, "that is the other direction");
}

#[test]
fn a_channel_that_damages_nothing_changes_nothing() {
    let mut setup = string(4, "newreno", 20.0, false);
    let without = outcome(&setup, 3).report;
    setup.errors = vec![uniform(0.0, &EVERYTHING)];
    let with = outcome(&setup, 3).report;
    assert!(with.mac.channel_errors.is_some_and(|errors| errors.total == 0) && without.mac.channel_errors.is_none());
    let mac = hopwright_sim::MacReport { channel_errors: None, ..with.mac.clone() };
    assert_eq!(Report { mac, ..with }, without);
}

#[test]
fn collisions_and_the_channel_are_told_apart_in_one_run() {
    let mut setup = string(6, "newreno", 60.0, true);
    let clean = outcome(&setup, 1).report;
    setup.errors = vec![uniform(0.2, &[FrameClass::Data, FrameClass::Ack])];
    setup.mac.long_retry_limit = 2;
    let run = outcome(&setup, 1).report;
    let (losses, before) = (run.flows[0].losses, clean.flows[0].losses);
    assert_eq!(before.of(LossCause::Channel), 0, "{before:?}");
    assert!(losses.of(LossCause::Channel) > 2 * losses.of(LossCause::Contention), "{losses:?}");
    let (collisions, errors) = (run.mac.collisions, run.mac.channel_errors.expect("there is a channel"));
    assert!(collisions.rts_cts > 0 && errors.rts_cts == 0 && errors.data > 0, "{collisions:?}, {errors:?}");
}

#[test]
fn eifs_follows_a_damaged_frame() {
    // Node 0 sends to 1; node 2 overhears both and has a datagram for 1 meanwhile, with no slot to wait. It begins DIFS
    // (50 us) after the acknowledgement if it could read what it heard, and EIFS (364 us) if not.
    for (damaged, space_us) in [(false, 50.0), (true, 364.0)] {
        let mut setup = quiet(&[(0.0, 0.0), (100.0, 0.0), (100.0, 100.0)], false, 1.0, false);
        setup.flows =
            vec![crate::support::datagrams(0, 1, 1000, 1.0, 1), crate::support::datagrams(2, 1, 1000, 1.001, 1)];
        if damaged {
            setup.errors = vec![Errors { to: Some(NodeId(2)), ..uniform(1.0, &EVERYTHING) }];
        }
        let run = traced(&setup, 1, &[&[0], &[0], &[0]]);
        let start =
            run.frames.iter().find(|f| f.from == NodeId(2) && f.kind == FrameKind::Data).expect("it is sent").at;
        let heard_us = 192.0 + 1064.0 * 4.0 + 10.0 + 304.0;
        let found_us = start.since(at(1.0)).as_secs_f64() * 1e6 - heard_us;
        assert!((found_us - space_us).abs() < 3.0, "damaged {damaged}: {found_us} us"); // less than 3 us on the way
    }
}
