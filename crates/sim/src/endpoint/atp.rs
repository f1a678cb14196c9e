//! The ends of a flow over ATP.

use hopwright_machine::{Address, FlowTag, Machine, Time};
use hopwright_transport::atp::{
    Params, Receiver, ReceiverInput, ReceiverOutput, Sender, SenderInput, SenderOutput, State,
};
use hopwright_transport::{Fact, NetworkSignal};
use hopwright_wire::atp::{Delay, Segment};
use hopwright_wire::ip::Ecn;
use hopwright_wire::notice::{self, Kind, Notice};
use hopwright_wire::{Packet, Payload};

use super::{Endpoint, Outgoing, Wants};
use crate::application::{Application, Order, Progress};
use crate::meter::FlowMeter;
use crate::stamps::{Stamp, place_of};
use crate::trace::Event;

/// What the network has to know of an end.
#[derive(Clone, Copy, Debug)]
struct End {
    flow: usize,
    /// The tags of packets that come, and of those that it sends.
    comes: FlowTag,
    goes: FlowTag,
    peer: Address,
}

impl End {
    fn new(flow: usize, peer: Address, forward: bool) -> Self {
        Self { flow, comes: FlowTag::new(flow, !forward), goes: FlowTag::new(flow, forward), peer }
    }

    fn outgoing(&self, segment: Segment) -> Outgoing {
        let (to, flow) = (self.peer, Some(self.goes));
        Outgoing { to, flow, ecn: Ecn::NotCapable, payload: Payload::Atp(segment.into()) }
    }
}

/// The end that sends the data, and its application.
#[derive(Debug)]
pub(crate) struct Source {
    end: End,
    sender: Sender,
    /// The flow, as notices name it.
    address: notice::Flow,
    application: Box<dyn Application>,
    /// Its deadline.
    acts_at: Time,
}

/// The end that receives them.
#[derive(Debug)]
pub(crate) struct Sink {
    end: End,
    receiver: Receiver,
    /// Where packets carry what stations write.
    stamp: Option<usize>,
    /// What they wrote on the segment that comes next.
    stamped: Delay,
}

/// Both ends of a flow.
pub(crate) fn pair(
    flow: usize,
    address: notice::Flow,
    (params, stamps): (&Params, &[Stamp]),
    application: Box<dyn Application>,
) -> (Source, Sink) {
    let (from, to) = (address.source_port, address.destination_port);
    let source = Source {
        end: End::new(flow, address.destination, true),
        sender: Sender::new(params, from, to),
        address,
        acts_at: application.deadline(),
        application,
    };
    let sink = Sink {
        end: End::new(flow, address.source, false),
        receiver: Receiver::new(params, to, from),
        stamp: place_of(stamps, Fact::LargestDelay),
        stamped: Delay::NONE,
    };
    (source, sink)
}

impl Source {
    /// Something has happened: does what the application wants, and takes account of how the sender stands.
    fn go_on(&mut self, now: Time, flows: &mut [FlowMeter]) {
        loop {
            let public = self.sender.public();
            let progress = Progress { acked_bytes: public.acked_bytes, is_open: public.openings > 0 };
            let Some(order) = self.application.poll(progress) else { break };
            let input = match order {
                Order::Open => SenderInput::Open,
                Order::Write(bytes) => SenderInput::Write(bytes),
                Order::Close => SenderInput::Close,
            };
            self.sender.handle(now, input);
        }
        self.acts_at = self.application.deadline();
        flows[self.end.flow].observe_atp(now, &self.sender);
    }
}

impl Endpoint for Source {
    fn is_for(&self, packet: &Packet) -> bool {
        packet.flow == Some(self.end.comes)
    }

    fn receive(&mut self, now: Time, packet: &Packet, flows: &mut [FlowMeter]) {
        let Payload::Atp(segment) = &packet.payload else { return };
        self.sender.handle(now, SenderInput::Segment(segment));
        self.go_on(now, flows);
    }

    fn poll(&mut self, _now: Time, _flows: &mut [FlowMeter]) -> Option<Outgoing> {
        loop {
            if let SenderOutput::Segment(segment) = self.sender.poll()? {
                return Some(self.end.outgoing(segment));
            }
        }
    }

    fn deadline(&self) -> Time {
        self.sender.deadline().min(self.acts_at)
    }

    fn wake(&mut self, now: Time, flows: &mut [FlowMeter]) {
        self.application.wake(now);
        self.sender.handle(now, SenderInput::Wake);
        self.go_on(now, flows);
    }

    fn signal(&mut self, now: Time, signal: NetworkSignal, flows: &mut [FlowMeter]) {
        let input = match signal {
            NetworkSignal::RouteFailed(_) => SenderInput::RouteFailed,
            NetworkSignal::RouteRestored => SenderInput::RouteRestored,
            NetworkSignal::Hops(_)
            | NetworkSignal::Corrupted(_)
            | NetworkSignal::Stamp(..)
            | NetworkSignal::Interface(_)
            | NetworkSignal::Path(_) => {
                return;
            }
        };
        self.sender.handle(now, input);
        self.go_on(now, flows);
    }

    /// Its probes have routes searched for.
    fn takes(&self, notice: &Notice) -> Option<Option<Address>> {
        (notice.flow == self.address && notice.kind != Kind::Rrn && self.sender.state() != State::Done).then_some(None)
    }

    fn peer(&self) -> Option<Address> {
        Some(self.end.peer)
    }
}

impl Endpoint for Sink {
    fn is_for(&self, packet: &Packet) -> bool {
        packet.flow == Some(self.end.comes)
    }

    fn receive(&mut self, now: Time, packet: &Packet, _flows: &mut [FlowMeter]) {
        let Payload::Atp(segment) = &packet.payload else { return };
        let stamped = std::mem::take(&mut self.stamped);
        self.receiver.handle(now, ReceiverInput::Segment { segment, stamped });
    }

    fn poll(&mut self, now: Time, flows: &mut [FlowMeter]) -> Option<Outgoing> {
        loop {
            match self.receiver.poll()? {
                ReceiverOutput::Segment(segment) => return Some(self.end.outgoing(segment)),
                ReceiverOutput::Readable(bytes) => flows[self.end.flow].received(now, bytes),
                ReceiverOutput::PeerClosed => {}
            }
        }
    }

    fn deadline(&self) -> Time {
        self.receiver.deadline()
    }

    fn wake(&mut self, now: Time, _flows: &mut [FlowMeter]) {
        self.receiver.handle(now, ReceiverInput::Wake);
    }

    fn show(&mut self, flows: &[FlowMeter], mut tell: impl FnMut(Event<'_>)) {
        let (flow, received_bytes) = (self.end.flow, flows[self.end.flow].now.received_bytes);
        tell(Event::Arrived { flow, received_bytes });
    }

    fn wants(&self) -> Wants {
        Wants { hops_to: None, stamp: self.stamp }
    }

    fn signal(&mut self, _now: Time, signal: NetworkSignal, _flows: &mut [FlowMeter]) {
        if let NetworkSignal::Stamp(delay, _) = signal {
            self.stamped = Delay::of(delay);
        }
    }

    fn peer(&self) -> Option<Address> {
        Some(self.end.peer)
    }
}
