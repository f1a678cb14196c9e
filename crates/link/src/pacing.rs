//! Adaptive pacing: who has got a packet through a contended neighbourhood waits until it can have been forwarded.
//!
//! A station is kept from contending while its next hop receives, but not while the next hop forwards to a station that
//! this one may not even hear: the next packet would meet it there. While the average of Link RED says that the link is
//! contended, the back-off after each acknowledged packet is longer by the time that the packet took.
//!
//! Spec      Fu et al., INFOCOM 2003, algorithm 2, unverified (see `lred`): after an acknowledgement the back-off is
//!           random plus, with pacing, the transmission time of the data and its overhead
//! Deviates  the time is that of the data frame, preamble and header included, without RTS, CTS and acknowledgement; in
//!           whole slots, rounded up, so that it stands still with the rest of the back-off while the medium is busy
//! Holds     the extra back-off is less than a slot longer than the frame, and comes once after each acknowledged
//!           packet

use hopwright_machine::Duration;

/// How many slots a back-off is longer after a data frame of this air time.
pub(crate) fn extra_slots(air_time: Duration, slot: Duration) -> u32 {
    u32::try_from(air_time.as_nanos().div_ceil(slot.as_nanos())).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn l2_a_packet_of_1500_bytes_costs_its_6304_microseconds_in_slots() {
        let slot = Duration::from_micros(20);
        assert_eq!(extra_slots(Duration::from_micros(6304), slot), 316); // 6320 µs
        assert_eq!(extra_slots(Duration::from_micros(6320), slot), 316);
        assert_eq!(extra_slots(Duration::ZERO, slot), 0);
    }

    proptest! {
        #[test]
        fn slots_cover_the_frame_and_no_more(air_ns in 0u64..1_000_000_000, slot_ns in 1u64..1_000_000) {
            let slots = u64::from(extra_slots(Duration::from_nanos(air_ns), Duration::from_nanos(slot_ns)));
            prop_assert!(slots * slot_ns >= air_ns);
            prop_assert!(slots == 0 || (slots - 1) * slot_ns < air_ns);
        }
    }
}
