//! The ends of a flow over UDP.

use hopwright_machine::{Address, FlowTag, Time};
use hopwright_wire::ip::Ecn;
use hopwright_wire::{Packet, Payload, notice, udp};

use super::{Endpoint, Outgoing};
use crate::application::{Application, Order, Progress};
use crate::meter::FlowMeter;
use crate::trace::Event;

/// Where datagrams come from.
#[derive(Debug)]
pub(crate) struct Source {
    flow: usize,
    to: Address,
    source_port: u16,
    destination_port: u16,
    application: Box<dyn Application>,
}

impl Source {
    pub(crate) fn new(flow: usize, address: notice::Flow, application: Box<dyn Application>) -> Self {
        let notice::Flow { destination: to, source_port, destination_port, .. } = address;
        Self { flow, to, source_port, destination_port, application }
    }
}

impl Endpoint for Source {
    fn is_for(&self, _packet: &Packet) -> bool {
        false
    }

    fn receive(&mut self, _now: Time, _packet: &Packet, _flows: &mut [FlowMeter]) {}

    fn poll(&mut self, _now: Time, flows: &mut [FlowMeter]) -> Option<Outgoing> {
        let Self { source_port, destination_port, .. } = *self;
        loop {
            let Order::Write(bytes) = self.application.poll(Progress::default())? else { continue };
            let datagram = udp::Datagram { source_port, destination_port, payload_bytes: bytes as u32 };
            flows[self.flow].sent_datagram();
            let flow = Some(FlowTag::new(self.flow, true));
            return Some(Outgoing { to: self.to, flow, ecn: Ecn::NotCapable, payload: Payload::Udp(datagram) });
        }
    }

    fn deadline(&self) -> Time {
        self.application.deadline()
    }

    fn wake(&mut self, now: Time, _flows: &mut [FlowMeter]) {
        self.application.wake(now);
    }

    fn peer(&self) -> Option<Address> {
        Some(self.to)
    }
}

/// Where they go.
#[derive(Debug)]
pub(crate) struct Sink {
    flow: usize,
    from: Address,
}

impl Sink {
    pub(crate) const fn new(flow: usize, address: notice::Flow) -> Self {
        Self { flow, from: address.source }
    }
}

impl Endpoint for Sink {
    fn is_for(&self, packet: &Packet) -> bool {
        packet.flow == Some(FlowTag::new(self.flow, true))
    }

    fn receive(&mut self, now: Time, packet: &Packet, flows: &mut [FlowMeter]) {
        if let Payload::Udp(datagram) = &packet.payload {
            flows[self.flow].received(now, u64::from(datagram.payload_bytes));
        }
    }

    fn poll(&mut self, _now: Time, _flows: &mut [FlowMeter]) -> Option<Outgoing> {
        None
    }

    fn deadline(&self) -> Time {
        Time::NEVER
    }

    fn wake(&mut self, _now: Time, _flows: &mut [FlowMeter]) {}

    fn peer(&self) -> Option<Address> {
        Some(self.from)
    }

    fn show(&mut self, flows: &[FlowMeter], mut tell: impl FnMut(Event<'_>)) {
        let received_bytes = flows[self.flow].now.received_bytes;
        tell(Event::Arrived { flow: self.flow, received_bytes });
    }
}
