//! Any bytes as an ICMP message: what is accepted is emitted and read again as the same message; what it quotes is
//! looked at.
#![no_main]

use hopwright_wire::checksum::Checksum;
use hopwright_wire::icmp::{Message, QuotedSegment};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = QuotedSegment::parse(bytes);
    let mut bytes = bytes.to_vec();
    let _ = Message::parse(&bytes);
    // The checksum would keep nearly everything out.
    if bytes.len() >= 4 {
        bytes[2..4].fill(0);
        let mut sum = Checksum::default();
        sum.add(&bytes);
        bytes[2..4].copy_from_slice(&sum.finish().to_be_bytes());
    }
    let Ok(message) = Message::parse(&bytes) else { return };
    match message {
        Message::Unreachable { quoted, .. } => drop(QuotedSegment::parse(quoted)),
        Message::EchoRequest(_) | Message::EchoReply(_) | Message::TimeExceeded { .. } => {
            let mut emitted = Vec::new();
            message.emit(&mut emitted);
            assert_eq!(Message::parse(&emitted), Ok(message));
        }
        Message::Other(_) => {}
    }
});
