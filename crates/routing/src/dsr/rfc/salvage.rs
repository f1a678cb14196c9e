//! Packet salvaging: another way for a packet whose next hop is lost.
//!
//! Spec      RFC 4728 §3.4.1, §8.3.6
//! Deviates  nothing, unless `own_packets_wait` is off: DSR-UU drops what a source knows no other way for
//! Holds     a packet is salvaged at most MAX_SALVAGE_COUNT times

use hopwright_machine::DropCause;
use hopwright_wire::dsr::DsrOption;
use hopwright_wire::{Packet, Payload};

use super::Rfc;
use crate::dsr::route::Route;

impl Rfc {
    /// Sends a packet on over another route, or drops it. One of this node's own waits for a new route if it has to and
    /// `own_packets_wait` is set.
    pub(super) fn rescue(&mut self, mut packet: Packet) {
        if !is_more_than_reply(&packet) {
            return self.out.drop(packet, DropCause::NextHopLost);
        }
        if let Some(header) = packet.dsr.as_deref_mut() {
            header.options.retain(|option| !matches!(option, DsrOption::Reply(_)));
        }
        if packet.source == self.me() {
            if !self.config.own_packets_wait && self.cache.find(self.now, packet.destination).is_none() {
                return self.out.drop(packet, DropCause::NextHopLost);
            }
            if let Some(header) = packet.dsr.as_deref_mut() {
                header
                    .options
                    .retain(|o| !matches!(o, DsrOption::SourceRoute(_) | DsrOption::AcknowledgementRequest(_)));
            }
            packet.dsr = packet.dsr.filter(|header| !header.options.is_empty());
            return self.originate(packet);
        }
        let salvaged = Route::of(&packet).map_or(u8::MAX, |route| route.salvage);
        let is_worth = self.config.salvage
            && salvaged < self.config.max_salvage_count
            && !matches!(packet.payload, Payload::Notice(_));
        let Some(path) = self.cache.find(self.now, packet.destination).filter(|_| is_worth) else {
            self.miss(packet.destination);
            return self.out.drop(packet, DropCause::NextHopLost);
        };
        let Some(next) = path.get(1).and_then(|node| node.node()) else { return };
        self.cache.used(self.now, &path);
        if let Some(header) = packet.dsr.as_deref_mut() {
            header.options.retain(|option| !matches!(option, DsrOption::AcknowledgementRequest(_)));
        }
        Route { path, at: 1, salvage: salvaged + 1 }.write(&mut packet);
        self.hand_down(packet, next);
    }
}

/// Whether something is left of the packet without its replies, which take no other way: they are to prove the links
/// they tell of.
fn is_more_than_reply(packet: &Packet) -> bool {
    let mut options = packet.dsr.iter().flat_map(|header| &header.options);
    !matches!(packet.payload, Payload::Nothing)
        || options.any(|option| {
            !matches!(option, DsrOption::Reply(_) | DsrOption::SourceRoute(_) | DsrOption::AcknowledgementRequest(_))
        })
}
