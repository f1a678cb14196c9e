//! Any bytes as a segment of TCP or ATP, or a UDP datagram: what is accepted is emitted and read again as the same.
#![no_main]

use hopwright_machine::{Address, Duration};
use hopwright_wire::atp;
use hopwright_wire::tcp::Segment;
use hopwright_wire::udp::Datagram;
use libfuzzer_sys::fuzz_target;

const A: Address = Address(0x0a00_0001);
const B: Address = Address(0x0a00_0002);

fuzz_target!(|bytes: &[u8]| {
    let _ = Segment::parse(A, B, bytes);
    if let Ok((segment, data)) = Segment::parse_unverified(bytes) {
        assert!(data.len() + 20 <= bytes.len());
        let mut emitted = Vec::new();
        segment.emit(A, B, [data, &[]], &mut emitted);
        assert_eq!(emitted.len() as u32, segment.bytes());
        assert_eq!(Segment::parse(A, B, &emitted), Ok((segment, data)));
    }
    if let Ok(segment) = atp::Segment::parse(bytes) {
        let mut emitted = Vec::new();
        segment.emit(Duration::ZERO, &mut emitted);
        assert_eq!(emitted.len() as u32, segment.bytes());
        assert_eq!(atp::Segment::parse(&emitted), Ok(segment));
    }
    if let Ok((datagram, data)) = Datagram::parse(A, B, bytes) {
        let mut emitted = Vec::new();
        datagram.emit(A, B, data, &mut emitted);
        assert_eq!(Datagram::parse(A, B, &emitted), Ok((datagram, data)));
    }
});
