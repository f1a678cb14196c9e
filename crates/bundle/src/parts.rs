//! Which packets of a bundle have come.

/// The packets of a bundle, numbered from 1.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    words: Box<[u64]>,
    missing: u16,
}

impl Parts {
    /// None of so many.
    pub(crate) fn none(packets: u16) -> Self {
        Self { words: vec![0; usize::from(packets).div_ceil(64)].into(), missing: packets }
    }

    /// All of so many.
    pub(crate) fn all(packets: u16) -> Self {
        Self { words: vec![u64::MAX; usize::from(packets).div_ceil(64)].into(), missing: 0 }
    }

    /// One has come; whether it had not before.
    pub(crate) fn add(&mut self, number: u16) -> bool {
        let (word, bit) = Self::place(number);
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        self.missing -= u16::from(is_new);
        is_new
    }

    pub(crate) fn has(&self, number: u16) -> bool {
        let (word, bit) = Self::place(number);
        self.words[word] & bit != 0
    }

    pub(crate) const fn is_whole(&self) -> bool {
        self.missing == 0
    }

    const fn place(number: u16) -> (usize, u64) {
        let place = number as usize - 1;
        (place / 64, 1 << (place % 64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_packet_counts_once() {
        let mut parts = Parts::none(130);
        for number in 1..=130 {
            assert!(!parts.has(number) && !parts.is_whole());
            assert!(parts.add(number) && !parts.add(number) && parts.has(number));
        }
        assert!(parts.is_whole());
        assert!(Parts::all(65).is_whole() && Parts::all(65).has(65));
    }
}
