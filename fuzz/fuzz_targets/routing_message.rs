//! Any bytes as a message of AODV, OLSR, DSDV or ARP, or a DSR header: what is accepted is emitted and read again as
//! the same message.
#![no_main]

use hopwright_wire::{aodv, arp, dsdv, dsr, olsr};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(message) = aodv::Message::parse(bytes) {
        let emitted = message.emit();
        assert_eq!(emitted.len() as u32, message.bytes());
        assert_eq!(aodv::Message::parse(&emitted), Ok(message));
    }
    if let Ok((header, next, _)) = dsr::Header::parse(bytes) {
        let mut emitted = Vec::new();
        header.emit(next, &mut emitted);
        assert_eq!(emitted.len() as u32, header.bytes());
        assert_eq!(dsr::Header::parse(&emitted), Ok((header, next, &[][..])));
    }
    if let Ok(packet) = olsr::Packet::parse(bytes) {
        let emitted = packet.emit();
        assert_eq!(emitted.len() as u32, packet.bytes());
        assert_eq!(olsr::Packet::parse(&emitted), Ok(packet));
    }
    if let Ok(update) = dsdv::Update::parse(bytes) {
        assert_eq!(dsdv::Update::parse(&update.emit()), Ok(update));
    }
    if let Ok(message) = arp::Message::parse(bytes) {
        assert_eq!(arp::Message::parse(&message.emit()), Ok(message));
    }
});
