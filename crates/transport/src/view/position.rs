//! Positions in a stream: 64-bit offsets from the initial sequence number. Only the wire wraps around.

use hopwright_wire::tcp::Seq;

/// The position in a stream that starts at `origin` and has the wire number `seq`: the one nearest to
/// `reference`. `None` if that lies before the start.
pub(crate) fn near(origin: Seq, reference: u64, seq: Seq) -> Option<u64> {
    let ahead = seq.0.wrapping_sub(origin.0.wrapping_add(reference as u32)) as i32;
    reference.checked_add_signed(i64::from(ahead))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_survive_the_wrap() {
        let origin = Seq(u32::MAX - 10);
        assert_eq!(near(origin, 0, Seq(5)), Some(16));
        assert_eq!(near(origin, 16, Seq(u32::MAX)), Some(10));
        assert_eq!(near(origin, 5_000_000_000, origin + 5_000_000_007u64 as u32), Some(5_000_000_007));
        assert_eq!(near(origin, 3, origin - 4), None);
    }
}
