//! A program outside the simulation, attached to a node: it takes what no flow wants. How it sends stands in `simulation`.

use hopwright_machine::Time;
use hopwright_wire::{Packet, Payload};

use super::{Endpoint, Outgoing};
use crate::meter::FlowMeter;

/// What a program outside takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outlet {
    /// Packets for the node that no flow wants.
    Packets,
    /// Ethernet frames.
    Frames,
}

/// A program outside.
#[derive(Debug, Default)]
pub(crate) struct Outside {
    takes_packets: bool,
    takes_frames: bool,
    /// What has come for it, and when.
    come: Vec<(Time, Packet)>,
}

impl Outside {
    /// It takes this from now on, too.
    pub(crate) fn wants(&mut self, what: Outlet) {
        match what {
            Outlet::Packets => self.takes_packets = true,
            Outlet::Frames => self.takes_frames = true,
        }
    }

    /// It takes what has come.
    pub(crate) fn drain(&mut self) -> Vec<(Time, Packet)> {
        std::mem::take(&mut self.come)
    }
}

impl Endpoint for Outside {
    fn is_for(&self, packet: &Packet) -> bool {
        match packet.payload {
            Payload::Frame(_) => self.takes_frames,
            _ => self.takes_packets && packet.flow.is_none() && !packet.payload.is_message(),
        }
    }

    fn receive(&mut self, now: Time, packet: &Packet, _flows: &mut [FlowMeter]) {
        self.come.push((now, packet.clone()));
    }

    fn poll(&mut self, _now: Time, _flows: &mut [FlowMeter]) -> Option<Outgoing> {
        None
    }

    fn deadline(&self) -> Time {
        Time::NEVER
    }

    fn wake(&mut self, _now: Time, _flows: &mut [FlowMeter]) {}
}
