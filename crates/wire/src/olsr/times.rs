//! Times in one byte: mantissa and exponent.
//!
//! Spec      RFC 3626 §18.3
//! Deviates  a time beyond the longest becomes the longest
//! Holds     `duration` of `at_least(d)` is not shorter than d, and the next smaller code's is

use hopwright_machine::Duration;

/// A time as it stands in Vtime and Htime: `C (1 + a/16) 2^b` with a in the upper, b in the lower four bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeCode(pub u8);

/// The scaling factor C, a sixteenth of a second, divided by 16: every time is a whole multiple of it.
const SIXTEENTH_OF_C_NS: u64 = 1_000_000_000 / 16 / 16;

impl TimeCode {
    /// The smallest time that can be written and is not shorter than `duration`: 62.5 ms at least, 3968 s at most.
    #[must_use]
    pub const fn at_least(duration: Duration) -> Self {
        let units = duration.as_nanos().div_ceil(SIXTEENTH_OF_C_NS);
        let mut exponent = 0;
        while exponent < 15 && units > 31 << exponent {
            exponent += 1;
        }
        let mantissa = units.div_ceil(1 << exponent);
        let mantissa = match mantissa {
            0..=16 => 0,
            17..=31 => mantissa - 16,
            _ => 15,
        };
        Self((mantissa as u8) << 4 | exponent)
    }

    /// The time.
    #[must_use]
    pub const fn duration(self) -> Duration {
        Duration::from_nanos((SIXTEENTH_OF_C_NS * (16 + (self.0 >> 4) as u64)) << (self.0 & 15))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_times_of_section_18_3_have_their_codes() {
        for (seconds, mantissa, exponent) in [(2, 0, 5), (5, 4, 6), (6, 8, 6), (15, 14, 7), (30, 14, 8)] {
            let code = TimeCode::at_least(Duration::from_secs(seconds));
            assert_eq!(code, TimeCode(mantissa << 4 | exponent), "{seconds} s");
            assert_eq!(code.duration(), Duration::from_secs(seconds));
        }
        assert_eq!(TimeCode(0).duration(), Duration::from_micros(62_500));
        assert_eq!(TimeCode(0xff).duration(), Duration::from_secs(3968));
    }

    #[test]
    fn times_are_rounded_up_to_the_next_code() {
        let mut codes: Vec<TimeCode> = (0..=255).map(TimeCode).collect();
        codes.sort_by_key(|code| code.duration());
        for pair in codes.windows(2) {
            let next = pair[0].duration() + Duration::from_nanos(1);
            assert_eq!(TimeCode::at_least(pair[0].duration()), pair[0]);
            assert_eq!(TimeCode::at_least(next), pair[1], "just beyond {:?}", pair[0]);
        }
        assert_eq!(TimeCode::at_least(Duration::ZERO), TimeCode(0));
        assert_eq!(TimeCode::at_least(Duration::MAX), TimeCode(0xff));
    }
}
