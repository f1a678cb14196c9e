//! What a station has to send, and how far it is with that.

use hopwright_machine::{NodeId, Time};

use crate::queue::Waiting;
use crate::{Config, Queue};

/// What a station has to send, and how far it is with that.
#[derive(Debug)]
#[repr(C)] // what every event asks stands first
pub struct Service<P> {
    pub(super) exchange: Exchange,
    pub(super) current: Option<Current<P>>,
    pub(super) queue: Queue<P>,
}

impl<P> Service<P> {
    /// Packets in the station: queued and in service.
    pub(crate) fn held(&self) -> usize {
        self.queue.len() + usize::from(self.current.is_some())
    }

    /// Whether there is a packet in service.
    pub(crate) const fn serves(&self) -> bool {
        self.current.is_some()
    }

    /// Whether there is one, and no exchange of the station's own is under way: it may begin one when it has the air.
    #[inline]
    pub(crate) const fn is_ready(&self) -> bool {
        self.current.is_some() && matches!(self.exchange, Exchange::None)
    }
}

/// The packet in service.
#[derive(Debug)]
pub(super) struct Current<P> {
    pub(super) waiting: Waiting<P>,
    pub(super) sequence: u16,
    /// Whether its RTS, or its data frame, has been tried before.
    pub(super) rts_retry: bool,
    pub(super) data_retry: bool,
}

impl<P> Current<P> {
    pub(super) fn needs_rts(&self, config: &Config) -> bool {
        self.waiting.next_hop.is_some() && config.needs_rts(self.waiting.bytes)
    }

    pub(super) const fn next_hop(&self) -> Option<NodeId> {
        self.waiting.next_hop
    }

    pub(super) const fn packet(&self) -> &P {
        &self.waiting.packet
    }

    pub(super) fn into_waiting(self) -> Waiting<P> {
        self.waiting
    }
}

/// How far the station's own exchange is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Exchange {
    /// There is none.
    None,
    /// RTS sent; a CTS must have come by then.
    AwaitCts { until: Time },
    /// CTS received; the data frame leaves then.
    SendData { at: Time },
    /// Data sent; an ACK must have come by then.
    AwaitAck { until: Time },
    /// Broadcast sent; it ends then.
    Broadcast { until: Time },
}

impl Exchange {
    pub(super) const fn until(self) -> Time {
        match self {
            Self::None => Time::NEVER,
            Self::SendData { at } => at,
            Self::AwaitCts { until } | Self::AwaitAck { until } | Self::Broadcast { until } => until,
        }
    }
}
