//! Any bytes as an IPv4 packet: what is accepted is emitted and read again as the same packet.
#![no_main]

use hopwright_wire::Packet;
use hopwright_wire::checksum::Checksum;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.to_vec();
    check(&bytes);
    // Checksums would keep nearly everything out: put them right, and look again.
    if bytes.len() >= 20 {
        let header = (usize::from(bytes[0] & 15) * 4).clamp(20, bytes.len());
        bytes[10..12].fill(0);
        let mut sum = Checksum::default();
        sum.add(&bytes[..header]);
        bytes[10..12].copy_from_slice(&sum.finish().to_be_bytes());
        if bytes[9] == 17 && bytes.len() >= header + 8 {
            bytes[header + 6..header + 8].fill(0);
        }
        check(&bytes);
    }
});

fn check(bytes: &[u8]) {
    let Ok(packet) = Packet::parse(bytes) else { return };
    let mut emitted = Vec::new();
    packet.emit(&mut emitted);
    assert_eq!(emitted.len() as u32, packet.bytes());
    assert_eq!(Packet::parse(&emitted), Ok(packet));
}
