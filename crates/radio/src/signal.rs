//! A frame at one receiver.

use hopwright_machine::Time;

use crate::Hurdle;

/// A frame on its way to, or at, one receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signal<F> {
    /// When its first bit arrives.
    pub from: Time,
    /// When its last bit has arrived.
    pub until: Time,
    /// Received power, milliwatts.
    pub power_mw: f64,
    /// Whether it can be decoded, and what its chance of that must exceed.
    pub hurdle: Hurdle,
    /// Which frame it is.
    pub frame: F,
}

/// A signal that is in the air.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Active<F> {
    pub(crate) until: Time,
    pub(crate) power_mw: f64,
    pub(crate) frame: F,
}
