//! How strongly a frame arrives, what a receiver makes of frames that overlap, and what a radio draws.

mod energy;
mod fading;
mod frame_errors;
mod hurdle;
mod listener;
mod modulation;
mod ofdm;
mod past;
mod propagation;
mod receiver;
mod reception;
mod sections;
mod shadowing;
mod signal;

pub use energy::{Powers, RadioState};
pub use fading::Fading;
pub use frame_errors::{FrameErrors, GilbertElliott, LinkState};
pub use hurdle::{Hurdle, Pace};
pub use listener::{Ended, Listener, Missed, RxEvent};
pub use modulation::Modulation;
pub use ofdm::Ofdm;
pub use past::Past;
pub use propagation::{Config, Heard, LIGHT_MPS, Propagation, Radio, Threshold};
pub use receiver::Receiver;
pub use reception::{Capture, Interference, ReceptionRule, WeakFrames};
pub use sections::{Bits, Decoding};
pub use shadowing::{Shadowing, UNHEARD};
pub use signal::Signal;
