//! Where nodes report to: to nobody, or to a trace that follows flows and queues alone.

use hopwright_link::{Forecast, Frame, FrameKind};
use hopwright_machine::{NodeId, Time};
use hopwright_radio::{Ended, Signal};
use hopwright_wire::Packet;

use super::{Event, Trace};
use crate::disturbance::Air;
use crate::medium::{Hearer, Medium, Tag};
use crate::misses::Miss;

/// Where nodes report to.
pub(crate) trait Sink: Send {
    /// Whether anybody listens. What serves only the trace stands in `if T::ON`.
    const ON: bool;
    /// Whether that is to packets and frames too. What is about these stands in `if T::PACKETS`.
    const PACKETS: bool;

    fn event(&mut self, _at: Time, _node: NodeId, _event: Event<'_>) {}
    /// Everything that traced receivers noticed up to `now`.
    fn listen(&mut self, _now: Time) {}
    /// A node puts a frame on the air; `senses`: only after it had found the medium idle.
    fn launch(&mut self, _now: Time, _frame: &Frame<Packet>, _place: u32, _senses: bool) {}
    /// The frame launched last will arrive at a node.
    fn announce(&mut self, _now: Time, _node: u32, _signal: Signal<Tag>) {}
    /// A node goes down and hears nothing more.
    fn deafen(&mut self, _now: Time, _node: u32) {}
    /// The signal that ends at a node at a time, with this power, is cut off.
    fn spoil(&mut self, _now: Time, _node: u32, _until: Time, _power_mw: f64) {}
    /// Who disturbs whom, where that is followed.
    fn air(&mut self) -> Option<&mut Air> {
        None
    }
    /// A frame is on its way to all who hear it.
    fn heard(&mut self, _now: Time, _sender: NodeId, _heard: &[Hearer]) {}
    /// A station takes the medium for reserved for the frame at a place from `at` until then; it is told so at `now`.
    fn reserved(&mut self, _now: Time, _node: NodeId, _at: Time, _until: Time, _place: u32) {}
    /// A station is told at `at` that it could not receive something that lasts until then.
    fn failed(&mut self, _now: Time, _node: NodeId, _at: Time, _until: Time, _place: u32) {}
    /// Whether it wants to be told of back-offs.
    fn asks_for_waits(&self) -> bool {
        false
    }
    /// Whether it wants to know of everything that each node hears, when the node hears it: then nobody sleeps, and no receiver
    /// forgets what is over.
    fn follows_hearing(&self) -> bool {
        false
    }
    /// A receiver forgets a frame for others whose reception ended at that time.
    fn forgotten(&mut self, _now: Time, _node: NodeId, _at: Time, _how: Ended<Tag>) {}
    /// What a station was told of `at` has changed when it may begin.
    fn counted(&mut self, _now: Time, _node: NodeId, _at: Time, _before: Option<Forecast>, _after: Option<Forecast>) {}
    /// A frame that was for a node, or for everyone, is not received; true from `then` on. Told when the node next acts, so that
    /// it does not matter when the node was asked to take account of what it hears.
    fn missed(&mut self, _then: Time, _node: NodeId, _frame: u32, _lost: LostTo) {}
    /// A node acts: what it has missed so far is told.
    fn tell_missed(&mut self, _now: Time, _node: NodeId, _medium: &mut Medium) {}
    /// A frame does not reach a node that it is for, whatever else is in the air.
    fn unreached(&mut self, _now: Time, _node: NodeId, _frame: u32, _why: Miss) {}
    /// The run is over.
    fn end(&mut self, _now: Time, _nodes: usize) {}
    /// Whether it is to be told of a packet between the layers of a node.
    fn shows(&self, _packet: &Packet) -> bool {
        false
    }
    /// A node has done what it had to do, and sends a frame of this kind, or none.
    fn acted(&mut self, _: Time, _node: NodeId, _sent: impl Fn() -> Option<FrameKind>, _: &mut Medium) {}
}

/// What a frame was lost to: the place of another one, the node's own transmission, or the channel.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LostTo {
    Collision(u32),
    Captured(u32),
    Transmitting,
    Channel,
}

/// Nobody listens.
#[derive(Debug)]
pub(crate) struct Off;

impl Sink for Off {
    const ON: bool = false;
    const PACKETS: bool = false;
}

/// Events of flows and queues go to a trace.
pub(crate) struct Few<'a>(pub(crate) Box<dyn Trace + 'a>);

impl Sink for Few<'_> {
    const ON: bool = true;
    const PACKETS: bool = false;

    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        self.0.event(at, node, event);
    }
}
