//! How strongly a frame arrives, and what a receiver makes of frames that overlap.

mod propagation;
mod reception;

pub use propagation::{Config, Heard, Propagation, Radio, Threshold};
pub use reception::{
    Capture, Ended, Interference, Listener, Missed, Receiver, ReceptionRule, RxEvent, Signal, WeakFrames,
};
