//! Links that carry frames only one way.
//!
//! Spec      RFC 3561 §6.8 (blacklist), §6.7 (flag A), §5.4 (RREP-ACK)
//! Deviates  with `rrep_ack` every reply asks for an acknowledgement, not only those over links that are
//!           likely to have errors
//! Holds     a request from a neighbour in the blacklist leaves no trace

use std::collections::BTreeMap;

use hopwright_machine::{NodeId, Time};
use hopwright_wire::Payload;
use hopwright_wire::aodv::Message;

use super::Rfc;

/// What a node knows about its links' other direction.
#[derive(Debug, Default)]
pub(super) struct Unidirectional {
    /// Neighbours that owe an acknowledgement, and until when.
    owing: BTreeMap<NodeId, Time>,
    /// Neighbours that did not get a reply, and until when their requests are ignored.
    blacklist: BTreeMap<NodeId, Time>,
}

impl Unidirectional {
    /// Whether requests of some neighbours are ignored.
    pub(super) fn ignores_some(&self) -> bool {
        !self.blacklist.is_empty()
    }

    pub(super) fn deadline(&self) -> Time {
        self.owing.values().copied().min().unwrap_or(Time::NEVER)
    }
}

impl Rfc {
    /// A reply goes to this neighbour. The acknowledgement does not say which reply it is for, so the
    /// oldest one counts.
    pub(super) fn await_acknowledgement(&mut self, neighbour: NodeId) {
        let until = self.now + self.config.next_hop_wait;
        self.unidirectional.owing.entry(neighbour).or_insert(until);
    }

    pub(super) fn on_acknowledgement(&mut self, from: NodeId) {
        self.unidirectional.owing.remove(&from);
    }

    pub(super) fn acknowledge(&mut self, to: NodeId) {
        let packet = self.out.message(to.address(), 1, Payload::Aodv(Message::RrepAck));
        self.out.transmit(packet, Some(to));
    }

    /// A reply to this neighbour has failed.
    pub(super) fn note_reply_lost(&mut self, neighbour: NodeId) {
        self.unidirectional.owing.remove(&neighbour);
        if self.config.blacklist {
            self.unidirectional.blacklist.insert(neighbour, self.now + self.config.blacklist_timeout);
        }
    }

    /// Whether this neighbour's requests are ignored now.
    pub(super) fn is_blacklisted(&self, neighbour: NodeId) -> bool {
        self.unidirectional.blacklist.get(&neighbour).is_some_and(|until| self.now < *until)
    }

    /// Draws the conclusion where an acknowledgement is missing.
    pub(super) fn check_acknowledgements(&mut self) {
        if self.unidirectional.deadline() > self.now {
            return;
        }
        let missing = self.unidirectional.owing.iter().filter(|(_, until)| **until <= self.now);
        let missing: Vec<NodeId> = missing.map(|(neighbour, _)| *neighbour).collect();
        for neighbour in missing {
            self.note_reply_lost(neighbour);
        }
    }
}
