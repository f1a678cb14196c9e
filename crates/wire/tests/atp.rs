//! Segments of ATP, arbitrary ones, and arbitrary bytes.

use hopwright_machine::Duration;
use hopwright_wire::atp::{Body, Data, Delay, Feedback, Kind, MOST_BLOCKS, Segment};
use proptest::collection::vec;
use proptest::prelude::*;

fn data() -> impl Strategy<Value = Body> {
    let kind = prop_oneof![Just(Kind::Part), Just(Kind::Last), Just(Kind::Probe)];
    (any::<[u32; 2]>(), kind, any::<[u16; 2]>(), 0..1500u32).prop_map(
        |([packet, number], kind, [delay, rate_dpps], bytes)| {
            Body::Data(Data { packet, number, kind, delay: Delay(delay), rate_dpps, payload_bytes: bytes })
        },
    )
}

fn feedback() -> impl Strategy<Value = Body> {
    (any::<bool>(), any::<[u32; 2]>(), any::<u16>(), vec(any::<(u32, u32)>(), 0..=MOST_BLOCKS)).prop_map(
        |(is_answer, [cumulative, rate_mpps], window, blocks)| {
            Body::Feedback(Feedback { is_answer, cumulative, rate_mpps, window, blocks: blocks.into() })
        },
    )
}

fn segment() -> impl Strategy<Value = Segment> {
    (any::<[u16; 2]>(), prop_oneof![data(), feedback()]).prop_map(|([source_port, destination_port], body)| Segment {
        source_port,
        destination_port,
        body,
    })
}

fn emitted(segment: &Segment) -> Vec<u8> {
    let mut bytes = Vec::new();
    segment.emit(Duration::ZERO, &mut bytes);
    bytes
}

proptest! {
    #[test]
    fn what_is_emitted_parses_to_the_same(segment in segment()) {
        let bytes = emitted(&segment);
        prop_assert_eq!(bytes.len() as u32, segment.bytes());
        prop_assert_eq!(Segment::parse(&bytes), Ok(segment));
    }

    #[test]
    fn any_bytes_are_a_segment_or_an_error(bytes in vec(any::<u8>(), 0..80)) {
        if let Ok(segment) = Segment::parse(&bytes) {
            prop_assert_eq!(Segment::parse(&emitted(&segment)), Ok(segment));
        }
    }

    #[test]
    fn a_changed_segment_is_another_or_an_error(segment in segment(), at in 0..18usize, byte in any::<u8>()) {
        let mut bytes = emitted(&segment);
        let at = at.min(bytes.len() - 1);
        bytes[at] = byte;
        if let Ok(segment) = Segment::parse(&bytes) {
            prop_assert_eq!(Segment::parse(&emitted(&segment)), Ok(segment));
        }
    }
}
