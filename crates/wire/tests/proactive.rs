//! Packets of OLSR and DSDV, arbitrary ones, and arbitrary bytes.

use hopwright_machine::Address;
use hopwright_wire::olsr::{Body, Hello, LinkCode, LinkMessage, Message, Packet, Tc, TimeCode};
use hopwright_wire::{dsdv, olsr};
use proptest::collection::vec;
use proptest::prelude::*;

fn address() -> impl Strategy<Value = Address> {
    any::<u32>().prop_map(Address)
}

fn body() -> impl Strategy<Value = Body> {
    let group = (any::<u8>(), vec(address(), 0..4))
        .prop_map(|(code, neighbours)| LinkMessage { code: LinkCode(code), neighbours });
    let hello = (any::<[u8; 2]>(), vec(group, 0..4)).prop_map(|([interval, willingness], links)| {
        Body::Hello(Hello { interval: TimeCode(interval), willingness, links }.into())
    });
    prop_oneof![
        hello,
        (any::<u16>(), vec(address(), 0..9))
            .prop_map(|(ansn, advertised)| Body::Tc(Tc { ansn, advertised: advertised.into() }.into())),
        vec(address(), 0..4).prop_map(|addresses| Body::Mid(addresses.into())),
        vec((address(), address()), 0..4).prop_map(|networks| Body::Hna(networks.into())),
        (5..=u8::MAX, vec(any::<u8>(), 0..9))
            .prop_map(|(kind, content)| Body::Unknown { kind, content: content.into() }),
    ]
}

fn packet() -> impl Strategy<Value = Packet> {
    let message = (any::<[u8; 3]>(), address(), any::<u16>(), body()).prop_map(
        |([validity, ttl, hop_count], originator, sequence, body)| Message {
            validity: TimeCode(validity),
            originator,
            ttl,
            hop_count,
            sequence,
            body,
        },
    );
    (any::<u16>(), vec(message, 0..5)).prop_map(|(sequence, messages)| Packet { sequence, messages: messages.into() })
}

fn update() -> impl Strategy<Value = dsdv::Update> {
    let entry = (address(), any::<u32>(), any::<u32>()).prop_map(|(destination, metric, sequence)| dsdv::Entry {
        destination,
        metric,
        sequence,
    });
    vec(entry, 0..9).prop_map(|entries| dsdv::Update { entries: entries.into() })
}

proptest! {
    #[test]
    fn what_is_emitted_parses_to_the_same(packet in packet(), update in update()) {
        let bytes = packet.emit();
        prop_assert_eq!(bytes.len() as u32, packet.bytes());
        prop_assert_eq!(Packet::parse(&bytes), Ok(packet));
        let bytes = update.emit();
        prop_assert_eq!(bytes.len() as u32, update.bytes());
        prop_assert_eq!(dsdv::Update::parse(&bytes), Ok(update));
    }

    /// Good packets with some bytes changed come past more checks than noise does. What is taken is a packet.
    #[test]
    fn no_bytes_make_a_parser_panic(packet in packet(), changes in vec((any::<u16>(), any::<u8>()), 0..6)) {
        let mut bytes = packet.emit();
        for (place, byte) in changes {
            let place = usize::from(place) % bytes.len();
            bytes[place] = byte;
        }
        if let Ok(packet) = Packet::parse(&bytes) {
            prop_assert_eq!(Packet::parse(&packet.emit()), Ok(packet));
        }
        let _ = dsdv::Update::parse(&bytes);
    }

    #[test]
    fn noise_neither(bytes in vec(any::<u8>(), 0..64)) {
        let _ = olsr::Packet::parse(&bytes);
        let _ = dsdv::Update::parse(&bytes);
    }
}
