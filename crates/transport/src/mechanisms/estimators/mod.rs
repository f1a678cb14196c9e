//! Estimates that mechanisms of several slots are made of.

mod backlog;
mod bandwidth;
mod flip_flop;
mod loss_intervals;
mod throughput_equation;

#[cfg(test)]
pub(super) use backlog::measured;
pub(super) use backlog::{BASE_RESET, Backlog, VENO_BETA};
pub(super) use bandwidth::{Bandwidth, KNOBS as BANDWIDTH_KNOBS};
pub(super) use flip_flop::{CentreLine, FlipFlop, Gains};
pub(super) use loss_intervals::LossIntervals;
pub(super) use throughput_equation::{loss_at, throughput};
