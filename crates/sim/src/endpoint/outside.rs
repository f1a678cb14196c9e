//! A program outside the simulation, attached to a node: it takes what no flow wants. How it sends stands in `simulation`.

use hopwright_machine::Time;
use hopwright_wire::Packet;

use super::{Endpoint, Outgoing};
use crate::meter::FlowMeter;

/// A program outside.
#[derive(Debug, Default)]
pub(crate) struct Outside {
    /// What has come for it, and when.
    come: Vec<(Time, Packet)>,
}

impl Outside {
    /// It takes what has come.
    pub(crate) fn drain(&mut self) -> Vec<(Time, Packet)> {
        std::mem::take(&mut self.come)
    }
}

impl Endpoint for Outside {
    fn is_for(&self, packet: &Packet) -> bool {
        packet.flow.is_none() && !packet.payload.is_message()
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
