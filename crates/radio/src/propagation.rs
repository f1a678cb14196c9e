//! Path loss: two-ray ground with its crossover, free space, log-distance, disc.
//!
//! Spec      Friis 1946; Rappaport, Wireless Communications, §4.6 (two-ray), §4.9.1 (log-distance); ns-2 manual ch. 18
//! Deviates  log-distance is free space up to the reference distance, where ns-2 goes on with its exponent
//! Holds     power falls with distance; a threshold given as a range is met at just that range

use hopwright_machine::Duration;

use crate::{Fading, Powers, Shadowing};

/// Speed of light, m/s.
pub const LIGHT_MPS: f64 = 299_792_458.0;

/// What distance does to power.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Propagation {
    /// Free space up to the crossover distance 4 pi h^2 / lambda, then h^4 / d^4.
    TwoRayGround,
    /// Friis: (lambda / (4 pi d))^2.
    FreeSpace,
    /// Free space up to a distance, from there on a power of the distance.
    LogDistance {
        /// That power: 2 as in free space, 2.7 to 3.5 in towns, up to 6 in buildings (Rappaport, table 4.2).
        exponent: f64,
        /// That distance, metres.
        reference_m: f64,
    },
    /// Everything inside a circle arrives with the same power, nothing outside disturbs.
    Disc,
}

/// A level of received power.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Threshold {
    /// The power that arrives from this far, metres.
    Range(f64),
    /// Milliwatts.
    Power(f64),
}

/// A radio and its thresholds. Antennas have gain 1, all at one height; systems lose nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// What distance does to power.
    pub propagation: Propagation,
    /// What obstacles do to it.
    pub shadowing: Shadowing,
    /// What many paths do to it.
    pub fading: Fading,
    /// Transmit power, milliwatts.
    pub transmit_power_mw: f64,
    /// Carrier frequency, hertz.
    pub frequency_hz: f64,
    /// Antenna height above ground, metres.
    pub antenna_height_m: f64,
    /// From here on a frame can be decoded.
    pub reception: Threshold,
    /// From here on a frame is noticed at all.
    pub carrier_sense: Threshold,
    /// What a receiver makes of frames that overlap.
    pub rule: crate::ReceptionRule,
    /// What it draws; `None`: nobody asks.
    pub powers: Option<Powers>,
}

impl Default for Config {
    /// The 914 MHz WaveLAN card of ns-2: 250 m reception, 550 m carrier sense.
    fn default() -> Self {
        Self {
            propagation: Propagation::TwoRayGround,
            shadowing: Shadowing::None,
            fading: Fading::None,
            transmit_power_mw: 281.838_15,
            frequency_hz: 914e6,
            antenna_height_m: 1.5,
            reception: Threshold::Range(250.0),
            carrier_sense: Threshold::Range(550.0),
            rule: crate::ReceptionRule::default(),
            powers: None,
        }
    }
}

/// How a frame arrives at a receiver that notices it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heard {
    /// Received power, milliwatts.
    pub power_mw: f64,
    /// Whether it is strong enough to be decoded.
    pub decodable: bool,
}

/// A configured radio: answers how a frame arrives over a distance.
#[derive(Clone, Debug)]
pub struct Radio {
    law: Law,
    reception_mw: f64,
    carrier_sense_mw: f64,
    /// With luck a frame is noticed that would arrive with this power if nothing varied from frame to frame.
    audible_mw: f64,
    carrier_sense_range_m: f64,
    reception_range_m: f64,
    reach_m: f64,
    farthest_reception_m: f64,
}

/// The propagation law with its constants.
#[derive(Clone, Copy, Debug)]
enum Law {
    TwoRay(TwoRay),
    /// near / d^2 up to the crossover, far / d^(2 half) beyond.
    Powers {
        near: f64,
        far: f64,
        half: f64,
        crossover_squared: f64,
    },
    /// Full power inside `reception_squared`, a trace of it inside `carrier_squared`.
    Disc {
        power: f64,
        reception_squared: f64,
        carrier_squared: f64,
    },
}

/// Free space up to the crossover, near / d^2, and two-ray ground beyond, far / d^4.
#[derive(Clone, Copy, Debug)]
pub struct TwoRay {
    near: f64,
    far: f64,
    crossover_squared: f64,
}

impl TwoRay {
    /// The power that arrives over the square root of `distance_squared` (square metres), milliwatts.
    #[must_use]
    #[inline(always)] // once for each frame and candidate
    pub const fn power_mw(&self, distance_squared: f64) -> f64 {
        // Which it is cannot be foreseen: chosen, not branched on.
        let (sent, loss) = if distance_squared < self.crossover_squared {
            (self.near, distance_squared.max(NEAREST_SQUARED))
        } else {
            (self.far, distance_squared * distance_squared)
        };
        sent / loss
    }
}

/// One millimetre, squared: two nodes in one place are so far apart.
const NEAREST_SQUARED: f64 = 1e-6;

/// Power of a frame that a disc's receiver senses but that disturbs nothing, relative to one inside the disc.
const DISC_TRACE: f64 = 1e-12;

impl Law {
    #[inline]
    fn power_mw(&self, distance_squared: f64) -> f64 {
        match *self {
            Self::TwoRay(two_ray) => two_ray.power_mw(distance_squared),
            Self::Powers { near, far, half, crossover_squared } => {
                if distance_squared < crossover_squared {
                    near / distance_squared.max(NEAREST_SQUARED)
                } else {
                    far / libm::pow(distance_squared, half)
                }
            }
            Self::Disc { power, reception_squared, carrier_squared } => {
                if distance_squared <= reception_squared {
                    power
                } else if distance_squared <= carrier_squared {
                    power * DISC_TRACE
                } else {
                    0.0
                }
            }
        }
    }

    /// The largest distance from which `power_mw` still arrives, metres.
    fn range_m(&self, power_mw: f64) -> f64 {
        match *self {
            Self::TwoRay(TwoRay { near, far, crossover_squared }) => {
                let near_range = (near / power_mw).sqrt();
                let is_near = near_range * near_range < crossover_squared;
                if is_near { near_range } else { (far / power_mw).sqrt().sqrt() }
            }
            Self::Powers { near, far, half, crossover_squared } => {
                let near_range = (near / power_mw).sqrt();
                let is_near = near_range * near_range < crossover_squared;
                if is_near { near_range } else { libm::pow(far / power_mw, 0.5 / half) }
            }
            Self::Disc { power, reception_squared, carrier_squared } => {
                if power_mw > power * DISC_TRACE {
                    reception_squared.sqrt()
                } else {
                    carrier_squared.sqrt()
                }
            }
        }
    }
}

/// The whole number nearest to one from 0 to 2^51. Of two that are as near it is the even one.
// A conversion by `as` would be of seven instructions: it looks for numbers that are out of range.
#[inline(always)] // once for each frame and candidate
const fn nearest(number: f64) -> u64 {
    /// From here on, up to twice as far, numbers are a whole apart: what is added to this is rounded.
    const WHOLES: f64 = (1_u64 << 52) as f64;
    (number + WHOLES).to_bits() - WHOLES.to_bits()
}

impl Radio {
    /// Works out the constants once.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        let range = |threshold| match threshold {
            Threshold::Range(m) => m,
            Threshold::Power(_) => 0.0,
        };
        let wavelength_m = LIGHT_MPS / config.frequency_hz;
        let friis = wavelength_m / (4.0 * core::f64::consts::PI);
        let near = config.transmit_power_mw * friis * friis;
        let height_squared = config.antenna_height_m * config.antenna_height_m;
        let far = config.transmit_power_mw * height_squared * height_squared;
        let crossover_m = height_squared / friis; // 4 pi h^2 / lambda
        let law = match config.propagation {
            Propagation::TwoRayGround => {
                Law::TwoRay(TwoRay { near, far, crossover_squared: crossover_m * crossover_m })
            }
            Propagation::FreeSpace => Law::TwoRay(TwoRay { near, far, crossover_squared: f64::INFINITY }),
            // The square of a square is cheaper than `pow`, and rounds otherwise: results of this exponent hang on it.
            Propagation::LogDistance { exponent: 4.0, reference_m } => Law::TwoRay(TwoRay {
                near,
                far: near * libm::pow(reference_m, 2.0),
                crossover_squared: reference_m * reference_m,
            }),
            Propagation::LogDistance { exponent, reference_m } => Law::Powers {
                near,
                far: near * libm::pow(reference_m, exponent - 2.0),
                half: exponent / 2.0,
                crossover_squared: reference_m * reference_m,
            },
            Propagation::Disc => Law::Disc {
                power: config.transmit_power_mw,
                reception_squared: range(config.reception) * range(config.reception),
                carrier_squared: range(config.carrier_sense) * range(config.carrier_sense),
            },
        };
        let power = |threshold| match threshold {
            Threshold::Range(m) => law.power_mw(m * m),
            Threshold::Power(mw) => mw,
        };
        let (reception_mw, carrier_sense_mw) = (power(config.reception), power(config.carrier_sense));
        let luck = config.shadowing.most_of_frame() * config.fading.most();
        let reach_luck = config.shadowing.most() * config.fading.most();
        Self {
            law,
            reception_mw,
            carrier_sense_mw,
            audible_mw: carrier_sense_mw / luck,
            reach_m: law.range_m(carrier_sense_mw / reach_luck),
            farthest_reception_m: law.range_m(reception_mw / reach_luck),
            carrier_sense_range_m: law.range_m(carrier_sense_mw),
            reception_range_m: law.range_m(reception_mw),
        }
    }

    /// How a frame arrives over the square root of `distance_squared` (square metres), but for what varies from frame
    /// to frame; `None` where it is not noticed, or, where that makes a difference, hardly ever. `gain`: what else the
    /// link does to power.
    #[must_use]
    #[inline]
    pub fn hear(&self, distance_squared: f64, gain: f64) -> Option<Heard> {
        let heard = self.heard(distance_squared, gain);
        self.is_audible(heard).then_some(heard)
    }

    /// How a frame would arrive if it were noticed, as `hear` has it.
    #[must_use]
    #[inline]
    pub fn heard(&self, distance_squared: f64, gain: f64) -> Heard {
        self.arriving(self.law.power_mw(distance_squared) * gain)
    }

    /// How a frame would arrive that arrives with this power.
    #[must_use]
    #[inline]
    pub const fn arriving(&self, power_mw: f64) -> Heard {
        Heard { power_mw, decodable: power_mw >= self.reception_mw }
    }

    /// The law of power over distance, if it is that of two rays: whoever asks for many distances chooses it once.
    #[must_use]
    #[inline]
    pub const fn two_ray(&self) -> Option<TwoRay> {
        if let Law::TwoRay(two_ray) = self.law { Some(two_ray) } else { None }
    }

    /// Whether it is noticed.
    #[must_use]
    #[inline]
    pub const fn is_audible(&self, heard: Heard) -> bool {
        heard.power_mw >= self.audible_mw
    }

    /// How a frame arrives that arrives with this power, milliwatts, or not at all.
    #[must_use]
    pub fn receive(&self, power_mw: f64) -> Option<Heard> {
        (power_mw >= self.carrier_sense_mw).then_some(self.arriving(power_mw))
    }

    /// The distance up to which frames are looked for, metres: `carrier_sense_range_m`, farther where power varies. See
    /// `UNHEARD`.
    #[must_use]
    pub const fn reach_m(&self) -> f64 {
        self.reach_m
    }

    /// The same for frames that are decoded.
    #[must_use]
    pub const fn farthest_reception_m(&self) -> f64 {
        self.farthest_reception_m
    }

    /// The distance up to which a frame is noticed, metres.
    #[must_use]
    pub const fn carrier_sense_range_m(&self) -> f64 {
        self.carrier_sense_range_m
    }

    /// The distance up to which a frame can be decoded, metres.
    #[must_use]
    pub const fn reception_range_m(&self) -> f64 {
        self.reception_range_m
    }

    /// The power from which on a frame can be decoded, milliwatts.
    #[must_use]
    pub const fn reception_mw(&self) -> f64 {
        self.reception_mw
    }

    /// How long a frame travels over `distance_m`.
    #[must_use]
    #[inline]
    pub fn delay(&self, distance_m: f64) -> Duration {
        Duration::from_nanos(nearest(distance_m * (1e9 / LIGHT_MPS)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squared(m: f64) -> f64 {
        m * m
    }

    #[test]
    fn wavelan_thresholds_are_those_of_ns2() {
        let radio = Radio::new(&Config::default());
        assert!(
            (radio.reception_mw - 3.652e-7).abs() < 0.001e-7,
            "RXThresh 3.652e-10 W, got {} mW",
            radio.reception_mw
        );
        assert!((radio.carrier_sense_mw - 1.559e-8).abs() < 0.001e-8, "CSThresh 1.559e-11 W");
    }

    #[test]
    fn ranges_are_met_exactly() {
        let log_distance = |exponent, reference_m| Propagation::LogDistance { exponent, reference_m };
        for propagation in [
            Propagation::TwoRayGround,
            Propagation::FreeSpace,
            Propagation::Disc,
            log_distance(3.3, 1.0),
            log_distance(4.0, 300.0),
            log_distance(2.0, 1000.0),
        ] {
            let radio = Radio::new(&Config { propagation, ..Config::default() });
            assert!(radio.hear(squared(250.0), 1.0).unwrap().decodable);
            assert!(!radio.hear(squared(250.1), 1.0).unwrap().decodable);
            assert!(radio.hear(squared(550.0), 1.0).is_some());
            assert!(radio.hear(squared(550.1), 1.0).is_none());
            assert!((radio.reception_range_m() - 250.0).abs() < 1e-6, "{propagation:?}: {}", radio.reception_range_m());
            assert!((radio.carrier_sense_range_m() - 550.0).abs() < 1e-6, "{}", radio.carrier_sense_range_m());
        }
    }

    /// Friis: the power sent, times (wavelength / 4 pi d) squared.
    #[test]
    fn near_by_power_is_that_of_free_space() {
        let radio = Radio::new(&Config::default());
        let friis = |m: f64| 281.838_15 * squared(299_792_458.0 / 914e6 / (4.0 * core::f64::consts::PI * m));
        for m in [1.0, 50.0, 80.0] {
            assert!((radio.law.power_mw(squared(m)) / friis(m) - 1.0).abs() < 1e-12, "{m} m");
        }
        // Two nodes in one place are a millimetre apart.
        assert!((radio.law.power_mw(0.0) / friis(0.001) - 1.0).abs() < 1e-12);
        // A link's own gain multiplies it.
        let heard = radio.hear(squared(50.0), 0.25).unwrap();
        assert!((heard.power_mw / friis(50.0) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn what_arrives_with_a_power_is_noticed_and_decoded_from_the_thresholds_on() {
        let (reception, carrier_sense) = (Threshold::Power(4e-7), Threshold::Power(2e-8));
        let radio = Radio::new(&Config { reception, carrier_sense, ..Config::default() });
        assert_eq!(radio.reception_mw(), 4e-7);
        let decodable = |power_mw| radio.receive(power_mw).map(|heard| heard.decodable);
        let below = |power: f64| power * (1.0 - 1e-12);
        assert_eq!((decodable(4e-7), decodable(below(4e-7))), (Some(true), Some(false)));
        assert_eq!((decodable(2e-8), decodable(below(2e-8))), (Some(false), None));
        // A disc has no powers to compare: without ranges it hears nobody.
        let disc = Config { propagation: Propagation::Disc, reception, carrier_sense, ..Config::default() };
        assert!(Radio::new(&disc).hear(squared(0.5), 1.0).is_none());
    }

    #[test]
    fn a_frame_travels_at_the_speed_of_light_to_the_nearest_nanosecond() {
        let radio = Radio::new(&Config::default());
        for (m, ns) in [(0.0, 0), (0.14, 0), (0.16, 1), (29.979_245_8, 100), (250.0, 834), (550.0, 1835)] {
            assert_eq!(radio.delay(m), Duration::from_nanos(ns), "{m} m");
        }
        for number in (0..200_000).map(|i| f64::from(i) * 0.37) {
            assert_eq!(nearest(number), number.round_ties_even() as u64, "{number}");
        }
        assert_eq!([0.5, 1.5, 2.5, 2_251_799_813_685_247.0].map(nearest), [0, 2, 2, (1 << 51) - 1]);
    }

    #[test]
    fn the_two_laws_meet_at_the_crossover() {
        let two_ray = Radio::new(&Config::default());
        let free = Radio::new(&Config { propagation: Propagation::FreeSpace, ..Config::default() });
        let crossover = 4.0 * core::f64::consts::PI * 2.25 * 914e6 / LIGHT_MPS; // 86.2 m
        assert!((crossover - 86.2).abs() < 0.1);
        let ratio = two_ray.law.power_mw(squared(crossover + 1e-6)) / free.law.power_mw(squared(crossover));
        assert!((ratio - 1.0).abs() < 1e-6);
        assert_eq!(two_ray.law.power_mw(squared(50.0)).to_bits(), free.law.power_mw(squared(50.0)).to_bits());
        assert!(
            (two_ray.hear(squared(200.0), 1.0).unwrap().power_mw / two_ray.hear(squared(400.0), 1.0).unwrap().power_mw
                - 16.0)
                .abs()
                < 1e-9
        );
    }

    #[test]
    fn log_distance_loses_ten_times_the_exponent_each_decade_beyond_its_reference() {
        let free = Radio::new(&Config { propagation: Propagation::FreeSpace, ..Config::default() });
        for (exponent, reference_m) in [(2.7, 1.0), (4.0, 10.0), (6.0, 3.0)] {
            let propagation = Propagation::LogDistance { exponent, reference_m };
            let radio = Radio::new(&Config { propagation, ..Config::default() });
            let db = |m: f64| 10.0 * libm::log10(radio.law.power_mw(squared(m)));
            assert!((db(20.0) - db(200.0) - 10.0 * exponent).abs() < 1e-9);
            let (near, reference) = (0.5 * reference_m, reference_m * (1.0 + 1e-12));
            assert_eq!(radio.law.power_mw(squared(near)), free.law.power_mw(squared(near)));
            assert!(
                (radio.law.power_mw(squared(reference)) / free.law.power_mw(squared(reference)) - 1.0).abs() < 1e-9
            );
        }
        let square = Propagation::LogDistance { exponent: 2.0, reference_m: 1.0 };
        let square = Radio::new(&Config { propagation: square, ..Config::default() });
        let ratio = square.law.power_mw(squared(321.0)) / free.law.power_mw(squared(321.0));
        assert!((ratio - 1.0).abs() < 1e-12, "exponent 2 is free space");
    }

    #[test]
    fn reach_grows_with_what_varies_and_nominal_ranges_stay() {
        let radio = Radio::new(&Config { fading: Fading::Ricean { k: 0.0 }, ..Config::default() });
        // The fourth power of the distance, and a gain of -ln 1e-4 = 9.21: 550 m x 9.21^(1/4).
        assert!((radio.reach_m() - 550.0 * libm::pow(9.210_340, 0.25)).abs() < 1e-3, "{}", radio.reach_m());
        assert!((radio.farthest_reception_m() - 250.0 * libm::pow(9.210_340, 0.25)).abs() < 1e-3);
        assert!(
            (radio.carrier_sense_range_m() - 550.0).abs() < 1e-6 && (radio.reception_range_m() - 250.0).abs() < 1e-6
        );
        assert!(radio.hear(squared(900.0), 1.0).is_some_and(|heard| !heard.decodable));
        assert!(radio.hear(squared(960.0), 1.0).is_none());
        let still = Radio::new(&Config::default());
        assert_eq!(still.reach_m().to_bits(), still.carrier_sense_range_m().to_bits());
    }

    #[test]
    fn thresholds_given_as_powers_have_ranges() {
        let config = Config {
            reception: Threshold::Power(3.652e-7),
            carrier_sense: Threshold::Power(1.559e-8),
            ..Config::default()
        };
        let radio = Radio::new(&config);
        assert!((radio.reception_range_m() - 250.0).abs() < 0.1);
        assert!((radio.carrier_sense_range_m() - 550.0).abs() < 0.1);
    }
}
