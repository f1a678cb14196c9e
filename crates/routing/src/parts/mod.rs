//! What routing protocols share.

mod buffer;
mod limiter;
mod notifier;
mod outbox;
mod seen;
mod watch;

pub(crate) use buffer::Buffer;
pub(crate) use limiter::Limiter;
pub(crate) use notifier::Notifier;
pub use notifier::Wishes;
pub(crate) use outbox::Outbox;
pub use outbox::notice_in;
pub(crate) use seen::Seen;
pub(crate) use watch::Watch;
