//! Any bytes as an AODV or ARP message: what is accepted is emitted and read again as the same message.
#![no_main]

use hopwright_wire::{aodv, arp};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(message) = aodv::Message::parse(bytes) {
        let emitted = message.emit();
        assert_eq!(emitted.len() as u32, message.bytes());
        assert_eq!(aodv::Message::parse(&emitted), Ok(message));
    }
    if let Ok(message) = arp::Message::parse(bytes) {
        assert_eq!(arp::Message::parse(&message.emit()), Ok(message));
    }
});
