//! A bundle at one node: how much of it is there, and what is to become of it.

use std::sync::Arc;

use hopwright_machine::{Address, NodeId, Time};
use hopwright_wire::nctp::Packet;

use crate::parts::Parts;
use crate::source::Shape;

/// The way of a bundle from the node that owns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// Who is to have it next.
    pub next_hop: NodeId,
    /// All nodes to the destination, if they are known: a source route, which may begin before the owner. Otherwise
    /// nothing.
    pub path: Arc<[Address]>,
    /// The owner's place there.
    pub at: usize,
    /// Hops to the destination, if they are known.
    pub hops: Option<u32>,
}

/// What a node is to a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Source,
    Relay,
    Destination,
}

/// What is known of the way ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Probe {
    NotSent,
    /// The answer is waited for until then.
    Sent(Time),
    Alive,
    /// No answer has come, or an error: another way is needed, which is not asked about again.
    Silent,
}

/// What is done with a bundle.
#[derive(Clone, Debug)]
pub(crate) enum Stage {
    /// It comes in, or is whole and waits for the answer to a probe.
    Gathering,
    /// It may go, and wants a way.
    Routing { since: Time },
    /// Its packets are handed to the link, one at a time.
    Sending(Transfer),
    /// The next owner has all of it, unless it refuses it until then.
    Lingering { until: Time },
    /// It is on its way to the destination; this node keeps a copy until that has it.
    Away,
}

/// The transfer of a bundle over one hop.
#[derive(Clone, Debug)]
pub(crate) struct Transfer {
    pub(crate) way: Way,
    /// The next packet to be handed to the link, or the one that the link has.
    pub(crate) next: u16,
    /// The packet that the link has.
    pub(crate) in_link: Option<u16>,
    /// How often the link has given the next packet up.
    pub(crate) failures: u32,
    /// Nothing is handed to the link before.
    pub(crate) resumes: Time,
}

/// A bundle at a node.
#[derive(Clone, Debug)]
pub(crate) struct Bundle {
    pub(crate) role: Role,
    pub(crate) destination: Address,
    pub(crate) shape: Shape,
    pub(crate) parts: Parts,
    pub(crate) stage: Stage,
    pub(crate) probe: Probe,
    /// The source route with which it came, and this node's place there; nothing if packets have none.
    pub(crate) route: Arc<[Address]>,
    pub(crate) at: usize,
    /// Hops that it has made.
    pub(crate) hops_made: u8,
    /// When the part of it is deleted; `NEVER` for one that is whole or is not deleted.
    pub(crate) deleted_at: Time,
    /// Bundles that came first have the lower ones.
    pub(crate) order: u64,
    /// Of a source: hops of its way, if they are known.
    pub(crate) hops: Option<u32>,
    /// Of a source: since when its answer is waited for, and when the bundle is sent again.
    pub(crate) timed_since: Time,
    pub(crate) due: Time,
    /// Of a source: it has been sent again, so that an answer gives no sample.
    pub(crate) was_resent: bool,
    /// Where it failed: the next owner, and the packet.
    pub(crate) failed_at: Option<(NodeId, u16)>,
    /// Since when the next owner has refused it; `NEVER` if it has not.
    pub(crate) refused_since: Time,
    /// No packet of it is handed to the link before.
    pub(crate) rests_until: Time,
}

impl Bundle {
    pub(crate) fn new(role: Role, destination: Address, shape: Shape, parts: Parts) -> Self {
        Self {
            role,
            destination,
            shape,
            parts,
            stage: Stage::Gathering,
            probe: Probe::NotSent,
            route: [].into(),
            at: 0,
            hops_made: 0,
            deleted_at: Time::NEVER,
            order: 0,
            hops: None,
            timed_since: Time::NEVER,
            due: Time::NEVER,
            was_resent: false,
            failed_at: None,
            refused_since: Time::NEVER,
            rests_until: Time::ZERO,
        }
    }

    /// The length of a packet says how long the bundle is.
    pub(crate) fn note_bytes(&mut self, packet: &Packet) {
        if packet.number == self.shape.packets {
            self.shape.tail_bytes = packet.payload_bytes;
        } else {
            self.shape.full_bytes = packet.payload_bytes;
        }
    }

    /// The way on which it came, further on.
    pub(crate) fn way_ahead(&self) -> Option<Way> {
        let next_hop = self.route.get(self.at + 1)?.node()?;
        let hops = (self.route.len() - 1 - self.at) as u32;
        Some(Way { next_hop, path: Arc::clone(&self.route), at: self.at, hops: Some(hops) })
    }

    /// Whether it was asked over this link whether the way ahead is alive, and no answer has come.
    pub(crate) fn asks_over(&self, from: Address, to: Address) -> bool {
        let ahead = self.route.get(self.at..).unwrap_or_default();
        matches!(self.probe, Probe::Sent(_)) && ahead.windows(2).any(|link| link == [from, to])
    }

    pub(crate) fn transfer(&mut self) -> Option<&mut Transfer> {
        match &mut self.stage {
            Stage::Sending(transfer) => Some(transfer),
            _ => None,
        }
    }

    /// When something is due: an answer, an acknowledgement, the end of a part or of a refusal's time.
    pub(crate) fn due_at(&self) -> Time {
        let probe = match (&self.stage, self.probe) {
            (Stage::Gathering | Stage::Routing { .. }, Probe::Sent(until)) => until,
            _ => Time::NEVER,
        };
        let lingers = if let Stage::Lingering { until } = self.stage { until } else { Time::NEVER };
        probe.min(lingers).min(self.deleted_at).min(self.due)
    }

    /// Since when it has come no further; `NEVER` if it is on its way.
    pub(crate) fn stuck_since(&self) -> Time {
        let since = if let Stage::Routing { since } = self.stage { since } else { Time::NEVER };
        since.min(self.refused_since)
    }

    /// When its next packet may be handed to the link, if that is later than now.
    pub(crate) fn resumes_after(&self, now: Time) -> Time {
        match &self.stage {
            Stage::Sending(Transfer { in_link: None, resumes, .. }) if *resumes > now => *resumes,
            _ => Time::NEVER,
        }
    }
}
