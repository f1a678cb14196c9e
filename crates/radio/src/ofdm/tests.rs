use super::*;

fn ratio(db: f64) -> f64 {
    libm::pow(10.0, db / 10.0)
}

/// Output taps of the generators 133 and 171 (octal), by the six bits before and the one that comes.
const GENERATORS: [usize; 2] = [0o133, 0o171];
const STATES: usize = 64;

/// Wrong bits by distance, up to `most`, over all error events: paths through the trellis that leave the path of zeros
/// and come back to it for the first time. `keeps[n]`: whether the two coded bits of the n-th bit of a period are sent.
fn spectrum(keeps: &[[bool; 2]], most: usize) -> Vec<f64> {
    let mut wrong = vec![0.0; most + 1];
    for start in 0..keeps.len() {
        // Paths and wrong bits on them, by state and distance.
        let mut now = vec![vec![(0.0_f64, 0.0_f64); most + 1]; STATES];
        let step = |now: &[Vec<(f64, f64)>], next: &mut [Vec<(f64, f64)>], state: usize, bit: usize, at: usize| {
            let register = bit << 6 | state;
            let weight: usize = (0..2)
                .filter(|&n| keeps[at % keeps.len()][n])
                .map(|n| (register & GENERATORS[n]).count_ones() as usize % 2)
                .sum();
            let to = register >> 1;
            for distance in 0..=most - weight {
                let (paths, bits) = now[state][distance];
                let entry = &mut next[to][distance + weight];
                entry.0 += paths;
                entry.1 += bits + paths * bit as f64;
            }
        };
        let empty = now.clone();
        now[0][0] = (1.0, 0.0);
        let mut next = empty.clone();
        step(&now, &mut next, 0, 1, start);
        let mut at = start + 1;
        while next.iter().flatten().any(|&(paths, _)| paths > 0.0) {
            now = std::mem::replace(&mut next, empty.clone());
            for state in 1..STATES {
                step(&now, &mut next, state, 0, at);
                step(&now, &mut next, state, 1, at);
            }
            for (distance, &(_, bits)) in next[0].iter().enumerate() {
                wrong[distance] += bits;
            }
            at += 1;
        }
    }
    wrong
}

/// §17.3.5.6: of 2/3 every fourth coded bit is left out, of 3/4 the fourth and the fifth of six. From twice the free
/// distance on, where two events may follow each other, the published terms of these differ by up to two thousandths;
/// such terms hardly count.
#[test]
fn spectra_are_those_of_the_punctured_code() {
    let codes: [(&Code, &[[bool; 2]], usize, usize); 3] = [
        (&HALF, &[[true, true]], 2, 9),
        (&TWO_THIRDS, &[[true, true], [true, false]], 1, 7),
        (&THREE_QUARTERS, &[[true, true], [true, false], [false, true]], 1, 5),
    ];
    for (code, keeps, step, exact) in codes {
        assert_eq!(code.period, keeps.len() as f64);
        let free = code.free_distance as usize;
        let found = spectrum(keeps, free + step * (code.spectrum.len() - 1));
        assert!(found[..free].iter().all(|&wrong| wrong == 0.0), "{found:?}");
        let terms = found[free..].iter().step_by(step);
        for (n, (term, published)) in terms.zip(code.spectrum).enumerate() {
            let apart = (published / term - 1.0).abs();
            assert!(if n < exact { apart == 0.0 } else { apart < 0.002 }, "term {n}: {term}, published {published}");
        }
        let mut between = found[free..].iter().skip(1).step_by(2);
        assert!(step == 1 || between.all(|&wrong| wrong == 0.0), "odd distances");
    }
}

/// ns-3's NistErrorRateModel, 3.37: chances of 1500 bytes (`validation/ns3/ofdm_errors.cc`).
#[test]
fn ns3_has_the_same_chances() {
    let table = include_str!("../../../../validation/ns3/ofdm-errors.csv");
    let (mut compared, mut between) = (0, 0);
    for line in table.lines().skip(1) {
        let mut fields = line.split(',').map(|field| field.parse::<f64>().expect("a number"));
        let mut next = || fields.next().expect("three numbers");
        let (mbps, db, theirs) = (next(), next(), next());
        let rate = Ofdm::ALL.into_iter().find(|rate| f64::from(rate.mbps()) == mbps).expect("a rate");
        let ours = crate::Modulation::Ofdm(rate).success(ratio(db), 12_000.0);
        assert!((ours - theirs).abs() < 1e-9, "{mbps} Mb/s, {db} dB: {ours}, not {theirs}");
        compared += 1;
        between += u32::from(theirs > 0.01 && theirs < 0.99);
    }
    assert!(compared == 8 * 71 && between > 20, "{compared}, {between}");
}

#[test]
fn bits_before_decoding_are_those_of_the_textbook() {
    // BPSK at Eb/N0 of 9.6 dB, QPSK at 3 dB more in its symbol: 1e-5.
    assert!((libm::log10(Constellation::Bpsk.error(ratio(9.59))) + 5.0).abs() < 0.01);
    assert!((libm::log10(Constellation::Qpsk.error(ratio(9.59) * 2.0)) + 5.0).abs() < 0.01);
    // Gray-coded square constellations, to the first order: Q(sqrt(3 log2 M/(M - 1) Eb/N0)) (4/log2 M) (1 - 1/sqrt M).
    let q = |x: f64| 0.5 * libm::erfc(x / core::f64::consts::SQRT_2);
    for (constellation, m, bits) in [(Constellation::Qam16, 16.0_f64, 4.0), (Constellation::Qam64, 64.0, 6.0)] {
        let ebn0 = 10.0;
        let expected = 4.0 / bits * (1.0 - 1.0 / m.sqrt()) * q((3.0 * bits / (m - 1.0) * ebn0).sqrt());
        let found = constellation.error(ebn0 * bits);
        assert!((found / expected - 1.0).abs() < 1e-9, "{constellation:?}: {found}, not {expected}");
    }
}

#[test]
fn less_noise_never_hurts_and_above_the_limit_no_bit_is_wrong() {
    for rate in Ofdm::ALL {
        let modulation = crate::Modulation::Ofdm(rate);
        let mut last = 0.0;
        for tenths in -150..320 {
            let now = modulation.success(ratio(f64::from(tenths) / 10.0), 12_000.0);
            assert!(now >= last && now <= 1.0, "{rate:?}, {tenths}");
            last = now;
        }
        assert_eq!((last, modulation.success(0.0, 1.0)), (1.0, 0.0), "{rate:?}");
        let (constellation, code) = rate.sent();
        assert!(code.error(constellation.error(PERFECT)) < 1e-24, "{rate:?}");
        assert_eq!(crate::Modulation::of_rate(modulation.rate_bps() as u64), Some(modulation));
    }
}

/// Table 17-18: nine of ten frames of 1000 bytes at these powers, with thermal noise in 20 MHz, -101 dBm, and 10 dB for the
/// receiver's noise (§17.3.10.2). The table leaves 5 dB for what else a receiver lacks; a decoder that is told 0 or 1, and
/// nothing of how sure that is, needs some of them.
#[test]
fn sensitivities_are_within_reach() {
    for rate in Ofdm::ALL {
        let snr_db = rate.sensitivity_dbm() + 101.0 - 10.0;
        let lost = 1.0 - crate::Modulation::Ofdm(rate).success(ratio(snr_db), 8000.0);
        assert!(lost < 0.1, "{rate:?}: {lost} at {snr_db} dB");
    }
}
