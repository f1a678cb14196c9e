//! What one direction of a link is like.

use hopwright_machine::{Duration, NodeId, Purpose, Stream};

use crate::delay::Jitter;
use crate::follow::Following;
use crate::loss::Loss;
use crate::queue::Queue;
use crate::rate::Rate;
use crate::reorder::Reordering;

/// What a link is like.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// How fast it sends.
    pub rate: Rate,
    /// How long the way takes.
    pub delay: Duration,
    /// How much longer or shorter for each packet.
    pub jitter: Jitter,
    /// What is lost on it.
    pub loss: Loss,
    /// What waits for it.
    pub queue: Queue,
    /// Which packets go ahead of those that are on their way.
    pub reordering: Reordering,
    /// The share of packets that arrive twice, of those that arrive.
    pub copies: f64,
    /// The profile that gives delay and loss, and the rate where it has one, in place of those above.
    pub profile: Option<Following>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            rate: Rate::Unlimited,
            delay: Duration::ZERO,
            jitter: Jitter::default(),
            loss: Loss::default(),
            queue: Queue::default(),
            reordering: Reordering::default(),
            copies: 0.0,
            profile: None,
        }
    }
}

/// The random numbers of a link: each thing that may happen to a packet has its own, so that none changes another.
#[derive(Debug)]
pub struct Streams {
    pub(crate) rate: Stream,
    pub(crate) loss: Stream,
    pub(crate) jitter: Stream,
    pub(crate) order: Stream,
    pub(crate) copies: Stream,
    pub(crate) pipes: Stream,
}

impl Streams {
    /// Those of a link with this number in the run with this seed.
    #[must_use]
    pub fn new(seed: u64, link: u32) -> Self {
        let of = |purpose| Stream::new(seed, NodeId(link), purpose);
        Self {
            rate: of(Purpose::LinkRate),
            loss: of(Purpose::LinkLoss),
            jitter: of(Purpose::LinkDelay),
            order: of(Purpose::LinkOrder),
            copies: of(Purpose::LinkCopies),
            pipes: of(Purpose::LinkPipes),
        }
    }
}
