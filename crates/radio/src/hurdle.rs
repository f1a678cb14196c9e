//! What stands between a signal and its reception where no other overlaps it.

use hopwright_machine::Stream;

/// Which of the two rates of a network a frame is sent at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// That of control frames and broadcasts.
    Basic = 0,
    /// That of other frames with data.
    Data = 1,
}

/// What the chance of a frame to be without error at a receiver must exceed for it to be so, drawn beforehand, so that
/// nothing depends on when a receiver looks; and at which rate it is sent, which the chance depends on.
// One word, the rate in its last bits and the chance in steps of 2^-29 above them: signals are copied all the
// time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hurdle(u32);

impl Hurdle {
    /// Any chance will do.
    pub const NONE: Self = Self(0);
    /// None will: the frame is damaged, whatever else happens.
    pub const DAMAGED: Self = Self(1 << 31);
    /// The signal is too weak to be decoded at all.
    pub const WEAK: Self = Self(3 << 30);

    /// From 0 up to 1, each step equally likely.
    pub fn draw(stream: &mut Stream) -> Self {
        Self((stream.bits() >> 33) as u32 & !Self::PACE)
    }

    /// The same for a frame at this rate; by itself it is the basic one.
    #[must_use]
    pub const fn sent_at(self, pace: Pace) -> Self {
        Self(self.0 & !Self::PACE | pace as u32)
    }

    /// At which rate the frame is sent, after the preamble.
    #[must_use]
    pub const fn pace(self) -> Pace {
        if self.0 & Self::PACE == Pace::Basic as u32 { Pace::Basic } else { Pace::Data }
    }

    /// As high as a chance, which is then just not enough.
    #[must_use]
    pub const fn at(chance: f64) -> Self {
        Self((chance * Self::ONE) as u32 & !Self::PACE)
    }

    /// Where strength alone matters.
    #[must_use]
    #[inline]
    pub const fn of(decodable: bool) -> Self {
        if decodable { Self::NONE } else { Self::WEAK }
    }

    /// Whether the signal is strong enough to be decoded.
    #[must_use]
    #[inline]
    pub const fn is_decodable(self) -> bool {
        self.0 < Self::WEAK.0
    }

    /// Whether a chance is above.
    #[must_use]
    #[inline]
    pub const fn is_cleared_by(self, chance: f64) -> bool {
        chance * Self::ONE > (self.0 & !Self::PACE) as f64
    }

    /// Whether no chance is.
    #[must_use]
    #[inline]
    pub const fn is_damaged(self) -> bool {
        self.0 >= Self::DAMAGED.0
    }

    const PACE: u32 = 3;
    const ONE: f64 = Self::DAMAGED.0 as f64;
}

#[cfg(test)]
mod tests {
    use hopwright_machine::{NodeId, Purpose};

    use super::*;

    #[test]
    fn a_hurdle_is_cleared_as_often_as_the_chance_says() {
        let mut stream = Stream::new(1, NodeId(0), Purpose::BitErrors);
        for chance in [0.0, 0.01, 0.5, 0.9, 1.0] {
            let cleared = (0..40_000).filter(|_| Hurdle::draw(&mut stream).is_cleared_by(chance)).count() as f64 / 4e4;
            assert!(
                (cleared - chance).abs() <= 4.0 * (chance * (1.0 - chance) / 4e4_f64).sqrt(),
                "{chance}: {cleared}"
            );
        }
        assert!((0..100).all(|_| Hurdle::draw(&mut stream).pace() == Pace::Basic));
        assert!(Hurdle::NONE.is_cleared_by(1e-9) && !Hurdle::NONE.is_cleared_by(0.0));
        assert!(!Hurdle::DAMAGED.is_cleared_by(1.0) && !Hurdle::WEAK.is_cleared_by(1.0));
        assert!(Hurdle::at(0.3).is_cleared_by(0.3 + 4e-9) && !Hurdle::at(0.3).is_cleared_by(0.3 - 4e-9));
        for pace in [Pace::Basic, Pace::Data] {
            let sent = |hurdle: Hurdle| hurdle.sent_at(pace);
            assert_eq!(sent(Hurdle::at(0.7)).pace(), pace);
            assert!(sent(Hurdle::at(0.3)).is_cleared_by(0.3 + 4e-9) && !sent(Hurdle::DAMAGED).is_cleared_by(1.0));
            assert!(sent(Hurdle::DAMAGED).is_damaged() && sent(Hurdle::DAMAGED).is_decodable());
            assert!(!sent(Hurdle::at(0.999)).is_damaged() && !sent(Hurdle::WEAK).is_decodable());
        }
        assert!(Hurdle::DAMAGED.is_decodable() && !Hurdle::WEAK.is_decodable() && Hurdle::of(true) == Hurdle::NONE);
    }
}
