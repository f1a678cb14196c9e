//! A request that is known, by the short way and by the long one.

use hopwright_wire::aodv::{Rrep, Rreq};
use proptest::prelude::*;

use super::*;

/// What a router tells and holds after something has come.
fn told(router: &mut Rfc) -> (Vec<Output>, Time, Counters, usize) {
    let outputs = std::iter::from_fn(|| router.poll()).collect();
    (outputs, router.deadline(), router.counters(), router.held())
}

proptest! {
    /// Whatever comes, a router that looks at every copy in full tells the same.
    #[test]
    fn a_mere_copy_changes_what_it_would_change_in_full(
        hello in any::<bool>(),
        steps in prop::collection::vec((0..400_u64, prop_oneof![1..5_u32, 1..90_u32], 0..2_u32, 0..3_u32, 1..6_u8, 0..12_u8), 1..200),
    ) {
        let config = Config { hello, hello_always: hello, blacklist: true, ..Config::rfc() };
        let router = || Rfc::new(NodeId(0), 1, Arc::default(), config.clone());
        let (mut short, mut long) = (router(), router());
        let mut now = Time::ZERO;
        short.handle(now, Input::Start);
        long.handle(now, Input::Start);
        for (number, (wait, from, originator, id, ttl, kind)) in steps.into_iter().enumerate() {
            now += Duration::from_millis(wait);
            let request = Rreq {
                gratuitous: false,
                destination_only: false,
                unknown_sequence: true,
                hop_count: 1,
                id,
                destination: NodeId(200).address(),
                destination_sequence: 0,
                originator: NodeId(100 + originator).address(),
                originator_sequence: id,
            };
            let payload = Payload::Aodv(Message::Rreq(request));
            let packet = Packet::new(PacketId(number as u64), NodeId(from).address(), Address::BROADCAST, ttl, payload);
            let message = |destination: Address, about: u32| {
                let about = NodeId(about).address();
                let reply = Rrep {
                    ack_required: false,
                    hop_count: 0,
                    destination: about,
                    destination_sequence: 1,
                    originator: about,
                    lifetime_ms: 2000,
                };
                let id = PacketId(1000 + number as u64);
                Packet::new(id, NodeId(from).address(), destination, 1, Payload::Aodv(Message::Rrep(reply)))
            };
            let input = || match kind {
                0 => Input::Wake,
                1 => Input::LinkLost(NodeId(from)),
                2 => Input::Seek(NodeId(200).address()),
                3 => Input::Receive { packet: message(Address::BROADCAST, from), from: NodeId(from) },
                4 => Input::LinkFailed {
                    packet: message(NodeId(from).address(), 0),
                    next_hop: NodeId(from),
                    cause: DropCause::RetryLimitData,
                },
                5 => Input::Receive { packet: message(NodeId(0).address(), 150), from: NodeId(from) },
                _ => Input::Receive { packet: packet.clone(), from: NodeId(from) },
            };
            short.handle(now, input());
            long.quiet_until = Time::ZERO;
            long.handle(now, input());
            prop_assert_eq!(told(&mut short), told(&mut long));
            let until = |router: &Rfc| router.table.valid_until(NodeId(from).address());
            prop_assert_eq!(until(&short), until(&long));
        }
    }
}
