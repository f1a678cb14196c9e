//! How strongly a frame arrives, and what a receiver makes of frames that overlap.

mod fading;
mod frame_errors;
mod hurdle;
mod modulation;
mod propagation;
mod receiver;
mod reception;
mod sections;
mod shadowing;

pub use fading::Fading;
pub use frame_errors::{FrameErrors, GilbertElliott, LinkState};
pub use hurdle::Hurdle;
pub use modulation::Modulation;
pub use propagation::{Config, Heard, Propagation, Radio, Threshold};
pub use receiver::Receiver;
pub use reception::{Capture, Ended, Interference, Listener, Missed, ReceptionRule, RxEvent, Signal, WeakFrames};
pub use sections::Decoding;
pub use shadowing::{Shadowing, UNHEARD};
