//! What a node does to packets when it meets congestion.
//!
//! Spec      RFC 3168 §5: a router marks the packets of transports that take marks instead of dropping them

use hopwright_link::lred::Told;
use hopwright_wire::Packet;
use hopwright_wire::ip::Ecn;

/// Marks a packet; returns whether it takes marks.
pub(super) fn mark(packet: &mut Packet) -> bool {
    let takes_marks = packet.ecn != Ecn::NotCapable;
    if takes_marks {
        packet.ecn = Ecn::Experienced;
    }
    takes_marks
}

/// How Link RED tells a packet's transport of contention. Messages of routing and of address resolution have none, and
/// nobody would send them again.
pub(crate) fn tell_contention(packet: &mut Packet) -> Told {
    match (!packet.payload.is_message()).then(|| mark(packet)) {
        Some(true) => Told::Marked,
        Some(false) => Told::ByLoss,
        None => Told::Spared,
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::{Address, PacketId};
    use hopwright_wire::Payload;
    use hopwright_wire::udp::Datagram;

    use super::*;

    fn packet(payload: Payload, ecn: Ecn) -> Packet {
        Packet { ecn, ..Packet::new(PacketId(1), Address::BROADCAST, Address::BROADCAST, 1, payload) }
    }

    #[test]
    fn transports_are_told_by_a_mark_or_a_loss_and_routing_not_at_all() {
        let datagram = || Payload::Udp(Datagram { source_port: 1, destination_port: 2, payload_bytes: 3 });
        for (payload, ecn, told, after) in [
            (datagram(), Ecn::NotCapable, Told::ByLoss, Ecn::NotCapable),
            (datagram(), Ecn::Capable0, Told::Marked, Ecn::Experienced),
            (datagram(), Ecn::Experienced, Told::Marked, Ecn::Experienced),
            (Payload::Nothing, Ecn::NotCapable, Told::Spared, Ecn::NotCapable),
        ] {
            let mut packet = packet(payload, ecn);
            assert_eq!((tell_contention(&mut packet), packet.ecn), (told, after));
        }
    }
}
