//! What a node writes on the packets that pass through its station.
//!
//! The station says when packets come and go; what is measured of that, and how it gets onto a packet, it does not know.

use std::fmt::Debug;

use hopwright_machine::Time;

/// A machine beside a station: it sees all packets of all flows pass, and may write on those that leave.
pub trait Stamper<P>: Debug + Send {
    /// A packet has come that has to wait in the queue.
    fn waits(&mut self, _now: Time, _packet: &P) {}

    /// A packet leaves the queue, or service, and is dropped or given back.
    fn is_gone(&mut self, _packet: &P) {}

    /// A packet has come to the head of the queue, perhaps without waiting, and is in service from now on.
    fn is_served(&mut self, _now: Time, _packet: &P) {}

    /// The station has the channel, and tries to send the packet in service.
    fn is_tried(&mut self, _now: Time) {}

    /// A copy of the packet in service leaves.
    fn leaves(&mut self, now: Time, copy: &mut P);

    /// The packet in service was sent, or given up.
    fn is_done(&mut self, _now: Time) {}

    /// Data of somebody begin to be heard then, whoever they are for. Told where a run has a stamper that asks for it; so
    /// long ahead as signals travel.
    fn hears(&mut self, _at: Time) {}
}

/// The stampers of one station, if it has any.
#[derive(Debug)]
pub(crate) struct Stampers<P>(Option<Box<[Box<dyn Stamper<P>>]>>);

impl<P> Stampers<P> {
    pub(crate) fn new(stampers: Vec<Box<dyn Stamper<P>>>) -> Self {
        Self((!stampers.is_empty()).then(|| stampers.into()))
    }

    /// Shows something to all. A station without stampers pays for a test.
    #[inline(always)]
    pub(crate) fn show(&mut self, show: impl FnMut(&mut Box<dyn Stamper<P>>)) {
        if let Some(stampers) = &mut self.0 {
            each(stampers, show);
        }
    }
}

#[cold]
#[inline(never)]
fn each<P>(stampers: &mut [Box<dyn Stamper<P>>], show: impl FnMut(&mut Box<dyn Stamper<P>>)) {
    stampers.iter_mut().for_each(show);
}
