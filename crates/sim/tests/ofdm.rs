//! Stations with the rates of 802.11a and 802.11g: times by hand, saturation by Bianchi's model, noise.
//!
//! Bianchi, IEEE JSAC 18(3), 2000: equations (7), (9), (12) to (14).

use hopwright_link::ofdm::Band;
use hopwright_link::{Config, Eifs, FrameKind, ofdm};
use hopwright_machine::NodeId;
use hopwright_radio::{Bits, Decoding, Interference, Modulation, Ofdm, Radio, Threshold};
use hopwright_sim::{FlowKind, Pattern, Setup, Source};

use crate::support::{at, datagrams, outcome, quiet, star, traced};

const BANDS: [Band; 2] = [Band::FiveGhz, Band::TwoGhz];

/// The star of the other closed forms with these stations, without RTS.
fn cell(senders: u32, band: Band, mbps: u64, seconds: f64) -> Setup {
    let mut setup = star(senders, false, seconds, false);
    setup.mac = Config { rts_threshold_bytes: 3000, ..Config::ofdm(band, mbps * 1_000_000) };
    for flow in &mut setup.flows {
        let source = Source { payload_bytes: 1460, rate_bps: mbps as f64 * 1e6, jitter: 0.5, pattern: Pattern::Steady };
        flow.kind = FlowKind::Udp(source);
    }
    setup
}

/// 50 m at the speed of light.
const DELAY_NS: u64 = 167;

/// Data, SIFS and ACK with a datagram of 1460 bytes, microseconds, by hand: 20 for the preamble and 4 for each symbol. The
/// frame has 1460 + 28 + 36 bytes, 12214 bits with SERVICE and tail; the ACK 134 at the mandatory rate.
fn exchange_us(band: Band, mbps: u64) -> u64 {
    let (data, ack) = match mbps {
        6 => (20 + 4 * 509, 20 + 4 * 6),
        24 => (20 + 4 * 128, 20 + 4 * 2),
        54 => (20 + 4 * 57, 20 + 4 * 2),
        _ => unreachable!("not worked out"),
    };
    match band {
        Band::FiveGhz => data + 16 + ack,
        Band::TwoGhz => data + 6 + 10 + ack + 6,
    }
}

/// DIFS, microseconds.
const fn difs_us(band: Band) -> u64 {
    match band {
        Band::FiveGhz => 16 + 2 * 9,
        Band::TwoGhz => 10 + 2 * 9,
    }
}

#[test]
fn one_saturated_sender_keeps_its_cycle_to_the_nanosecond() {
    for band in BANDS {
        for mbps in [6, 24, 54] {
            let (counters, rounds) = (16, 5);
            let draws: Vec<u32> = (0..counters * (rounds + 2)).map(|i| i % counters).collect();
            let run = traced(&cell(1, band, mbps, 2.0), 1, &[&[], &draws]);
            let starts: Vec<u64> = run
                .frames
                .iter()
                .filter(|f| f.from == NodeId(1) && f.kind == FrameKind::Data)
                .map(|f| f.at.as_nanos())
                .skip(counters as usize) // by then the queue is never empty
                .collect();
            let cycles = (counters * rounds) as usize;
            // 9 µs times half the largest counter.
            let cycle_ns = (difs_us(band) + exchange_us(band, mbps)) * 1000 + 2 * DELAY_NS + 4500 * 15;
            assert_eq!(starts[cycles] - starts[0], cycles as u64 * cycle_ns, "{band:?}, {mbps} Mb/s");
        }
    }
}

fn power(x: f64, n: u32) -> f64 {
    (0..n).fold(1.0, |product, _| product * x)
}

/// The share of slots in which a station sends: W = 16, m = 6.
fn attempt_probability(stations: u32) -> f64 {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        let p = 1.0 - power(1.0 - middle, stations - 1);
        let stages: f64 = (0..6).map(|k| power(2.0 * p, k)).sum();
        let tau = 2.0 / (1.0 + 16.0 + p * 16.0 * stages);
        if tau > middle { low = middle } else { high = middle }
    }
    low
}

/// Payload received when every station always has a datagram, bit/s. The model has all go on after DIFS when frames have
/// collided. With EIFS they wait for the 44 or 50 µs of an ACK at 6 Mb/s and SIFS longer, which is not small beside frames of
/// OFDM.
fn bianchi_bps(stations: u32, band: Band, mbps: u64, eifs: bool) -> f64 {
    let tau = attempt_probability(stations);
    let some = 1.0 - power(1.0 - tau, stations);
    let alone = f64::from(stations) * tau * power(1.0 - tau, stations - 1);
    let (difs, delay) = (difs_us(band) as f64, DELAY_NS as f64 * 1e-3);
    let (data, ack) = match band {
        Band::FiveGhz => (exchange_us(band, mbps) - 16, 44.0 + 16.0),
        Band::TwoGhz => (exchange_us(band, mbps) - 10, 50.0 + 10.0),
    };
    let own_ack = Config::ofdm(band, mbps * 1_000_000).ack_time().as_secs_f64() * 1e6;
    let success = exchange_us(band, mbps) as f64 + 2.0 * delay + difs;
    let collision = data as f64 - own_ack + delay + difs + if eifs { ack } else { 0.0 };
    alone * 1460.0 * 8.0 / ((1.0 - some) * 9.0 + alone * success + (some - alone) * collision) * 1e6
}

#[test]
fn saturation_is_that_of_bianchis_model() {
    for band in BANDS {
        for mbps in [6, 24, 54] {
            for stations in [1, 2, 5, 10] {
                let run = outcome(&cell(stations, band, mbps, 14.0), 1);
                let found: f64 = run.report.flows.iter().map(|flow| flow.received_bps).sum();
                let ratio = found / bianchi_bps(stations, band, mbps, true);
                assert!((ratio - 1.0).abs() < 0.02, "{band:?}, {mbps} Mb/s, {stations}: {ratio} of the model");
            }
        }
    }
}

/// Without EIFS those who only heard a collision go on before those who sent in it, whose answer has to fail to come
/// first; the model knows no such difference.
#[test]
fn without_eifs_more_is_carried_as_the_model_says() {
    let total = |setup: &Setup| outcome(setup, 1).report.flows.iter().map(|flow| flow.received_bps).sum::<f64>();
    let with = cell(5, Band::FiveGhz, 54, 22.0);
    let mut without = with.clone();
    without.mac.eifs = Eifs::Never;
    let gain = total(&without) / total(&with);
    let model = bianchi_bps(5, Band::FiveGhz, 54, false) / bianchi_bps(5, Band::FiveGhz, 54, true);
    assert!(gain > 1.015 && (gain / model - 1.0).abs() < 0.01, "{gain}, in the model {model}");
}

/// One datagram after the other, over one link with noise, each tried once: what arrives is the chance of SIGNAL and of
/// the symbols, and of nothing behind them.
#[test]
fn noise_costs_what_the_modulation_says() {
    // 3.5, 9.2, 20.7 and 22 dB.
    for (rate, snr) in [(Ofdm::Mbps6, 2.239), (Ofdm::Mbps18, 8.318), (Ofdm::Mbps48, 117.5), (Ofdm::Mbps54, 158.5)] {
        for band in BANDS {
            let mbps = u64::from(rate.mbps());
            let mut setup = quiet(&[(0.0, 0.0), (200.0, 0.0)], false, 13.0, false);
            setup.mac =
                Config { rts_threshold_bytes: 3000, short_retry_limit: 1, ..Config::ofdm(band, mbps * 1_000_000) };
            let each_4_ms =
                Source { payload_bytes: 1472, rate_bps: 1472.0 * 8.0 / 0.004, jitter: 0.0, pattern: Pattern::Steady };
            setup.flows = vec![datagrams(0, 1, 1472, 1.0, 1)];
            (setup.flows[0].stop, setup.flows[0].kind) = (at(12.998), FlowKind::Udp(each_4_ms));
            let power_mw = Radio::new(&setup.radio).hear(200.0 * 200.0, 1.0).expect("in range").power_mw;
            setup.radio.reception = Threshold::Power(power_mw / 100.0);
            setup.radio.carrier_sense = Threshold::Power(power_mw / 100.0);
            setup.radio.rule.interference = Interference::Sum;
            setup.radio.rule.noise_mw = power_mw / snr;
            // The answers are sent so that they always arrive.
            let bits =
                Bits::ofdm(ofdm::PREAMBLE, band.extension(), [Modulation::Ofdm(Ofdm::Mbps6), Modulation::Ofdm(rate)]);
            setup.radio.rule.decoding = Decoding::BitErrors(bits);
            let symbols = (22 + 8 * 1536_u64).div_ceil(mbps * 4);
            let expected = Modulation::Ofdm(Ofdm::Mbps6).success(snr, 24.0)
                * Modulation::Ofdm(rate).success(snr, (symbols * mbps * 4) as f64);
            assert!(expected > 0.2 && expected < 0.95, "{rate:?}: {expected} tells nothing");
            let run = outcome(&setup, 1);
            let errors = run.report.mac.channel_errors.expect("there is a channel");
            let sent = 3000.0;
            let (found, deviation) = (1.0 - errors.data as f64 / sent, (expected * (1.0 - expected) / sent).sqrt());
            assert!((found - expected).abs() < 4.0 * deviation, "{rate:?}, {band:?}: {found}, not {expected}");
        }
    }
}
