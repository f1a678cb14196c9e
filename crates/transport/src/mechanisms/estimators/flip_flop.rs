//! Two averages of one signal, an agile and a stable one: the agile is believed while samples keep within the limits
//! of process control.
//!
//! Spec      Kim and Noble 2001 §3.2 (flip-flop filter); Ghaleb-Seddik 2009 §5.6.6 for its gains; d2 = 1.128 and three
//!           sigma are those of control charts of moving ranges
//! Deviates  unverified: which average is the centre line, and the gain of the moving range; both are parameters
//! Holds     constant work per sample

/// d2 of control charts for ranges of two samples.
const D2: f64 = 1.128;

/// The weights of what was estimated before.
#[derive(Clone, Copy, Debug)]
pub(in crate::mechanisms) struct Gains {
    pub(in crate::mechanisms) agile: f64,
    pub(in crate::mechanisms) stable: f64,
    /// Of the moving range.
    pub(in crate::mechanisms) range: f64,
}

/// What the limits lie around.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::mechanisms) enum CentreLine {
    Stable,
    Agile,
}

/// See the file's header.
#[derive(Debug)]
pub(in crate::mechanisms) struct FlipFlop {
    gains: Gains,
    centre_line: CentreLine,
    state: Option<State>,
}

#[derive(Clone, Copy, Debug)]
struct State {
    agile: f64,
    stable: f64,
    centre: f64,
    range: f64,
    former: f64,
    output: f64,
}

impl State {
    const fn at(x: f64) -> Self {
        Self { agile: x, stable: x, centre: x, range: 0.0, former: x, output: x }
    }
}

impl FlipFlop {
    pub(in crate::mechanisms) const fn new(gains: Gains, centre_line: CentreLine) -> Self {
        Self { gains, centre_line, state: None }
    }

    /// The estimate becomes this, and what was before is forgotten.
    pub(in crate::mechanisms) const fn set(&mut self, estimate: f64) {
        self.state = Some(State::at(estimate));
    }

    /// The estimate; `None` before the first sample.
    pub(in crate::mechanisms) fn output(&self) -> Option<f64> {
        self.state.map(|state| state.output)
    }

    /// Takes a sample in. Returns whether it lies above the upper control limit.
    pub(in crate::mechanisms) fn update(&mut self, x: f64) -> bool {
        let Some(s) = &mut self.state else {
            self.state = Some(State::at(x));
            return false;
        };
        let average = |gain: f64, old: f64, new: f64| gain * old + (1.0 - gain) * new;
        s.range = average(self.gains.range, s.range, (x - s.former).abs());
        let limit = 3.0 * s.range / D2;
        let (is_within, is_above) = ((x - s.centre).abs() <= limit, x > s.centre + limit);
        s.agile = average(self.gains.agile, s.agile, x);
        s.stable = average(self.gains.stable, s.stable, x);
        s.output = if is_within { s.agile } else { s.stable };
        s.centre = if self.centre_line == CentreLine::Stable { s.stable } else { s.agile };
        s.former = x;
        is_above
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which samples are outliers, from one, and the outputs.
    fn run(centre_line: CentreLine, samples: impl IntoIterator<Item = u32>) -> (Vec<usize>, Vec<f64>) {
        let gains = Gains { agile: 0.1, stable: 0.9, range: 0.9 };
        let mut filter = FlipFlop::new(gains, centre_line);
        filter.set(100.0);
        let (mut outliers, mut outputs) = (vec![], vec![]);
        for (i, x) in samples.into_iter().enumerate() {
            if filter.update(f64::from(x)) {
                outliers.push(i + 1);
            }
            outputs.push((filter.output().unwrap() * 10.0).round() / 10.0);
        }
        (outliers, outputs)
    }

    #[test]
    fn f1_a_constant_has_no_outliers() {
        for line in [CentreLine::Stable, CentreLine::Agile] {
            assert_eq!(run(line, [100; 20]), (vec![], vec![100.0; 20]));
        }
    }

    #[test]
    fn f2_a_step() {
        let step = || [100; 5].into_iter().chain([200; 25]);
        let (outliers, outputs) = run(CentreLine::Stable, step());
        assert_eq!(outliers, (6..=30).collect::<Vec<_>>());
        assert_eq!(outputs[5..9], [110.0, 119.0, 127.1, 134.4]);
        let (outliers, outputs) = run(CentreLine::Agile, step());
        assert_eq!(outliers, [6]);
        assert_eq!(outputs[5..9], [110.0, 199.0, 199.9, 200.0]);
    }

    #[test]
    fn f3_a_ramp() {
        let ramp = || (0..30).map(|i| 100 + 2 * i);
        assert_eq!(run(CentreLine::Stable, ramp()).0, (2..=30).collect::<Vec<_>>());
        assert_eq!(run(CentreLine::Agile, ramp()).0, [2, 3, 4, 5, 6]);
    }

    #[test]
    fn f4_noise() {
        let noise = || (0..30).map(|i| if i % 2 == 0 { 80 } else { 120 });
        assert_eq!(run(CentreLine::Stable, noise()).0, [2]);
        assert_eq!(run(CentreLine::Agile, noise()).0, [2, 4]);
    }
}
