//! What the channel does to each frame on its way to each receiver: drawn when the frame leaves, so that nothing
//! depends on when a receiver looks.
//!
//! Spec      `hopwright_radio`: `Shadowing`, `Fading`, `FrameErrors`, `Decoding::BitErrors`
//! Deviates  nothing
//! Holds     each purpose draws from a stream of the sender, once or twice for each node that may hear the frame, in
//!           order of node number, whatever comes of it: a change of one model leaves the draws of the others

use hopwright_machine::{NodeId, Purpose, Stream, Time};
use hopwright_radio::{Decoding, Fading, FrameErrors, Hurdle, LinkState, Pace, Shadowing};
use rustc_hash::FxHashMap;

use crate::medium::{FrameClass, Hearer, Medium};
use crate::setup::{Errors, Setup};

/// The channel, where it leaves anything to chance.
#[derive(Debug)]
pub(crate) struct Channel {
    seed: u64,
    shadowing: Shadowing,
    fading: Fading,
    bit_errors: bool,
    errors: Vec<Errors>,
    senders: Vec<Streams>,
    /// Of which entry of `errors`, from whom, to whom.
    states: FxHashMap<(usize, u32, u32), LinkState>,
    /// Those whom the frame drawn last was for, who were in range, and for whom it is too weak.
    pub(crate) faded: Vec<u32>,
    /// While a frame leaves: who hears it but for what varies. Otherwise a list to be used again.
    undrawn: Vec<Hearer>,
}

/// The streams of one sender.
#[derive(Debug)]
struct Streams {
    shadowing: Stream,
    fading: Stream,
    bits: Stream,
    frames: Stream,
}

impl Streams {
    fn new(seed: u64, node: NodeId) -> Self {
        let of = |purpose| Stream::new(seed, node, purpose);
        Self {
            shadowing: of(Purpose::Shadowing),
            fading: of(Purpose::Fading),
            bits: of(Purpose::BitErrors),
            frames: of(Purpose::FrameErrors),
        }
    }
}

impl Channel {
    /// `None` where nothing is left to chance from frame to frame.
    pub(crate) fn new(setup: &Setup, seed: u64) -> Option<Box<Self>> {
        let (shadowing, fading) = (setup.radio.shadowing, setup.radio.fading);
        let bit_errors = setup.radio.rule.decoding != Decoding::Threshold;
        let varies = matches!(shadowing, Shadowing::Frame { .. }) || fading != Fading::None;
        (varies || bit_errors || !setup.errors.is_empty()).then(|| {
            Box::new(Self {
                seed,
                shadowing,
                fading,
                bit_errors,
                errors: setup.errors.clone(),
                senders: (0..setup.nodes.len()).map(|n| Streams::new(seed, NodeId(n as u32))).collect(),
                states: FxHashMap::default(),
                faded: Vec::new(),
                undrawn: Vec::new(),
            })
        })
    }

    /// Who hears a frame that leaves `from` at `now` for a node, or for everyone: comes as all that is known but for
    /// what varies from frame to frame, and is so again after `undraw`.
    pub(crate) fn draw(
        &mut self,
        heard: &mut Vec<Hearer>,
        (from, to): (NodeId, Option<NodeId>),
        now: Time,
        class: FrameClass,
        medium: &Medium,
    ) {
        std::mem::swap(heard, &mut self.undrawn);
        heard.clear();
        self.faded.clear();
        let is_fast = to.is_some() && !matches!(class, FrameClass::RtsCts | FrameClass::MacAck);
        let pace = if is_fast { Pace::Data } else { Pace::Basic };
        for place in 0..self.undrawn.len() {
            let link = self.undrawn[place];
            let streams = &mut self.senders[from.index()];
            let gain = self.shadowing.of_frame(&mut streams.shadowing) * self.fading.of_frame(&mut streams.fading);
            let mut hurdle = match self.bit_errors {
                true => Hurdle::draw(&mut streams.bits).sent_at(pace),
                false => Hurdle::NONE,
            };
            if !self.errors.is_empty() {
                let draw = streams.frames.unit();
                if draw < self.damage(from, NodeId(link.node), now, class) {
                    hurdle = Hurdle::DAMAGED;
                }
            }
            let power_mw = link.power_mw * gain;
            let strength = medium.receive(power_mw);
            if !strength.is_some_and(|strength| strength.decodable) {
                hurdle = Hurdle::WEAK;
                let concerned = link.hurdle.is_decodable() && to.is_none_or(|to| to.0 == link.node);
                if concerned {
                    self.faded.push(link.node);
                }
            }
            if strength.is_some() {
                heard.push(Hearer { power_mw, hurdle, ..link });
            }
        }
    }

    /// Gives back what `draw` took.
    pub(crate) fn undraw(&mut self, heard: &mut Vec<Hearer>) {
        std::mem::swap(heard, &mut self.undrawn);
    }

    /// The probability of damage that power does not explain: as the last entry says that fits.
    fn damage(&mut self, from: NodeId, to: NodeId, now: Time, class: FrameClass) -> f64 {
        let Some(entry) = self.errors.iter().rposition(|errors| errors.fits(from, to, class)) else { return 0.0 };
        match &self.errors[entry].model {
            FrameErrors::Uniform { probability } => *probability,
            FrameErrors::GilbertElliott(bursts) => {
                let start = || bursts.start(self.seed, from, to);
                let state = self.states.entry((entry, from.0, to.0)).or_insert_with(start);
                bursts.probability(state, now)
            }
        }
    }
}
