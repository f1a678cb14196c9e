//! Split TCP at a base station: the sender's connection ends at the relay, which has another of its own to the receiver.
//!
//! Spec      Bakre and Badrinath 1995 (I-TCP); Ghaleb 2009 §2.3: "two separate, independent connections with a proxy". What
//!           the receiver has not acknowledged lies in the relay's buffer: the sender's connection offers as much window
//!           as there is room
//! Deviates  - each end knows the relay's address as its peer's: I-TCP has the relay pass for the mobile host
//!           - no hand-over of a connection from one relay to another
//! Holds     what the sender was told to have arrived is in the buffer or with the receiver; the buffer never holds more
//!           than was offered. It is not end-to-end: the sender may have closed, content, before the receiver has everything

use hopwright_machine::Time;
use hopwright_transport::{Params, State};

use crate::application::Order;
use crate::endpoint::{Receiver, Sender, Socket};
use crate::meter::FlowMeter;
use crate::setup::{FlowKind, Split};
use crate::statistics::TimeAverage;

impl Split {
    /// What carries on a connection of this kind, and the name of its protocol: without triggers, for nobody has said what they should be here.
    pub(super) fn carries_on(&self, kind: &FlowKind) -> Option<(String, FlowKind)> {
        let FlowKind::Tcp { protocol, recipe, params, .. } = kind else { return None };
        let own = match &self.transport {
            None => params.as_ref().clone(),
            Some((_, _, own)) => Params {
                segment_bytes: params.segment_bytes,
                window_limit_segments: params.window_limit_segments,
                receive_buffer_bytes: params.receive_buffer_bytes,
                ..own.as_ref().clone()
            },
        };
        let (protocol, recipe) = match &self.transport {
            None => (protocol, recipe),
            Some((protocol, recipe, _)) => (protocol, recipe),
        };
        let params = Box::new(Params { triggers: None, ..own });
        let kind = FlowKind::Tcp { protocol: protocol.clone(), recipe: recipe.clone(), params, bytes: None };
        Some((protocol.clone(), kind))
    }
}

/// Where one connection goes over into another.
#[derive(Debug)]
pub(crate) struct Joint {
    /// The number of the flow.
    pub(crate) flow: usize,
    /// The outgoing connection's protocol.
    pub(crate) protocol: String,
    /// The numbers of the connection that ends here, and of the one that begins.
    pub(crate) incoming: usize,
    pub(crate) outgoing: usize,
    /// The buffer; `None`: as large as the flow's receiver would have it.
    pub(crate) buffer_bytes: Option<u32>,
    stage: Stage,
    /// Bytes written to the outgoing connection, and bytes that its receiver has acknowledged: the buffer holds the
    /// difference.
    written: u64,
    freed: u64,
    pub(crate) held: TimeAverage,
    /// The most that it held.
    pub(crate) most_held: u64,
}

/// How far the outgoing connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The sender's is not open yet.
    Waiting,
    Open,
    /// The sender has closed, and all was written.
    Closed,
    /// It has failed, and the sender's was broken off.
    Broken,
}

impl Joint {
    pub(super) fn new(
        (flow, protocol): (usize, String),
        (incoming, outgoing): (usize, usize),
        buffer_bytes: Option<u32>,
        warm_up: Time,
    ) -> Self {
        let (stage, held) = (Stage::Waiting, TimeAverage::new(warm_up));
        Self { flow, protocol, incoming, outgoing, buffer_bytes, stage, written: 0, freed: 0, held, most_held: 0 }
    }

    /// Carries on what has come, and makes room for what has arrived; whether there was anything to do.
    pub(crate) fn carry(&mut self, now: Time, sockets: &mut [Socket], flows: &mut [FlowMeter]) -> bool {
        let Some((receiver, sender)) = self.ends(sockets) else { return false };
        let (incoming, outgoing) = (receiver.end.state(), sender.end.state());
        let is_over = !matches!(
            incoming,
            State::Listen
                | State::SynSent
                | State::SynReceived
                | State::Established
                | State::FinWait1
                | State::FinWait2
        );
        let received = flows[self.incoming].now.received_bytes;
        let acked = sender.connection().public().acked_bytes;
        if self.stage == Stage::Waiting && (is_over || incoming == State::Established) {
            self.stage = Stage::Open;
            sender.order(now, Order::Open, flows);
        } else if self.stage == Stage::Open && outgoing == State::Closed {
            self.stage = Stage::Broken;
            receiver.abort(now);
        } else if self.stage == Stage::Open && received > self.written {
            let bytes = received - std::mem::replace(&mut self.written, received);
            sender.order(now, Order::Write(bytes), flows);
        } else if acked > self.freed {
            let bytes = acked - std::mem::replace(&mut self.freed, acked);
            receiver.take(now, bytes as u32);
        } else if self.stage == Stage::Open && is_over && outgoing != State::SynSent {
            self.stage = Stage::Closed;
            sender.order(now, Order::Close, flows);
        } else {
            return false;
        }
        let held = self.written - self.freed;
        self.held.set(now, held as f64);
        self.most_held = self.most_held.max(held);
        true
    }

    fn ends<'a>(&self, sockets: &'a mut [Socket]) -> Option<(&'a mut Receiver, &'a mut Sender)> {
        let (mut receiver, mut sender) = (None, None);
        for socket in sockets {
            match socket {
                Socket::Receiver(end) if end.end.flow == self.incoming => receiver = Some(end.as_mut()),
                Socket::Sender(end) if end.end.flow == self.outgoing => sender = Some(end.as_mut()),
                _ => {}
            }
        }
        receiver.zip(sender)
    }
}
