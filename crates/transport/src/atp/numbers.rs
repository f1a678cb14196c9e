//! Numbers that do not come round, from the 32 bits of them that are on the wire.

/// The number next to `reference` with these last 32 bits; `None` if that would lie before zero.
pub(super) fn near(reference: u64, wire: u32) -> Option<u64> {
    let ahead = wire.wrapping_sub(reference as u32) as i32;
    reference.checked_add_signed(i64::from(ahead))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_the_wrap() {
        let turn = 1u64 << 32;
        assert_eq!(near(5, 7), Some(7));
        assert_eq!(near(5, u32::MAX), None);
        assert_eq!(near(turn - 2, 3), Some(turn + 3));
        assert_eq!(near(turn + 3, u32::MAX - 1), Some(turn - 2));
    }
}
