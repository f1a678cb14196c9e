//! What a link is like, as the link's machine takes it: of a scenario, or of a file by itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use hopwright_machine::NodeId;
use hopwright_shape::profile::{Pipe, Profile};
use hopwright_shape::{
    Codel, Config, Discipline, Following, GilbertElliott, Jitter, Loss, LossRecord, Opportunities, Queue, Rate,
    Reordering, Shape, Share,
};
use hopwright_sim::{Backward, LinkChange, ShapedLink, TwoWays};

use crate::model::{
    self, Directions, LinkProfile, LinkShape, LinkState, ProfileDelays, ProfileLosses, QueueKind, Variation,
};
use crate::units::{at, millis, seconds};

/// What the files say that links name, by their names, with their texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Records {
    /// Opportunities (`trace`).
    pub(crate) rates: BTreeMap<String, (Arc<str>, Arc<Opportunities>)>,
    /// Losses (`loss_trace`).
    pub(crate) losses: BTreeMap<String, (Arc<str>, Arc<LossRecord>)>,
}

impl Records {
    /// Name and text of each file, each once.
    pub(crate) fn texts(&self) -> BTreeMap<&str, &str> {
        let rates = self.rates.iter().map(|(path, (text, _))| (path.as_str(), &**text));
        rates.chain(self.losses.iter().map(|(path, (text, _))| (path.as_str(), &**text))).collect()
    }
}

/// A shaped link.
pub(crate) fn link(link: &model::Link, records: &Records) -> ShapedLink {
    let both = |state: &LinkState| two_ways(state, link.ends.directions, records);
    let change = |change: &model::LinkChange| LinkChange {
        at: at(seconds(change.when.at_s)),
        shape: both(&change.state()),
        network: change.when.network,
        clears: change.when.clear,
    };
    ShapedLink {
        ends: [NodeId(link.ends.from), NodeId(link.ends.to)],
        shape: both(&link.state()),
        changes: link.changes.iter().map(change).collect(),
    }
}

/// Both directions, each as if it had a queue and a rate of its own.
pub(crate) fn both(state: &LinkState, records: &Records) -> [Config; 2] {
    let LinkState { shape, reverse, profile: follows } = state;
    let mut both = [self::shape(shape, records), self::shape(reverse.as_ref().unwrap_or(shape), records)];
    if let Some(follows) = follows {
        let shared = Arc::new(profile(follows));
        for (config, is_back) in both.iter_mut().zip([false, true]) {
            let loses = match follows.rules.losses {
                ProfileLosses::Forward => !is_back,
                ProfileLosses::Reverse => is_back,
                ProfileLosses::Both => true,
            };
            let share = match (follows.rules.delays, is_back) {
                (ProfileDelays::Both, false) => Share::Half,
                (ProfileDelays::Both, true) => Share::OtherHalf,
                (ProfileDelays::Forward, false) | (ProfileDelays::Reverse, true) => Share::All,
                (ProfileDelays::Forward, true) | (ProfileDelays::Reverse, false) => Share::Nothing,
            };
            config.profile = Some(Following { profile: Arc::clone(&shared), share, loses });
        }
    }
    both
}

/// Both directions, as they go together.
pub(crate) fn two_ways(state: &LinkState, directions: Directions, records: &Records) -> TwoWays {
    let [forward, back] = both(state, records);
    let backward = match directions {
        Directions::OneWay => Backward::Never,
        Directions::Shared => Backward::Shared,
        Directions::Separate => Backward::Own(Box::new(back)),
    };
    TwoWays { forward, backward }
}

fn profile(of: &LinkProfile) -> Profile {
    // What was rounded in the file adds up to 1 here.
    let sum: f64 = of.pipes.iter().map(|pipe| pipe.probability).sum();
    let pipe = |pipe: &model::ProfilePipe| Pipe {
        rtt: millis(pipe.rtt_ms),
        lifetime: seconds(pipe.lifetime_s),
        probability: if sum > 0.0 { pipe.probability / sum } else { 0.0 },
        loss: pipe.loss_percent / 100.0,
        rate_bps: pipe.rate_kbps.map(|kbps| kbps * 1e3),
    };
    Profile { mode: of.rules.mode, pipes: of.pipes.iter().map(pipe).collect(), repeats: of.rules.repeat }
}

fn shape(link: &LinkShape, records: &Records) -> Config {
    Config {
        rate: rate(link, records),
        delay: millis(link.delay_ms),
        jitter: Jitter {
            share: link.jitter_percent / 100.0,
            law: link.jitter_law,
            reorders: link.reorder,
            correlation: link.jitter_correlation_percent / 100.0,
        },
        loss: loss(link, records),
        queue: Queue {
            packets: link.queue_packets as usize,
            discipline: match link.queue {
                QueueKind::DropTail => Discipline::DropTail,
                QueueKind::Codel => Discipline::Codel(Codel {
                    target: millis(link.codel_target_ms),
                    interval: millis(link.codel_interval_ms),
                }),
            },
        },
        reordering: Reordering {
            share: link.reorder_percent / 100.0,
            gap: link.reorder_gap,
            correlation: link.reorder_correlation_percent / 100.0,
        },
        copies: link.duplicate_percent / 100.0,
        profile: None,
    }
}

fn rate(link: &LinkShape, records: &Records) -> Rate {
    let varying = |shape| Rate::Varying {
        mean_bps: link.rate_kbps.unwrap_or_default() * 1e3,
        amplitude: link.amplitude_percent / 100.0,
        period: millis(link.delay_ms * link.period_percent / 100.0),
        shape,
    };
    match link.variation {
        _ if let Some((_, record)) = link.trace.as_ref().and_then(|path| records.rates.get(path)) => {
            Rate::Trace(Arc::clone(record))
        }
        Variation::None => link.rate_kbps.map_or(Rate::Unlimited, |kbps| Rate::Fixed(kbps * 1e3)),
        Variation::Square => varying(Shape::Square),
        Variation::Sine => varying(Shape::Sine),
        Variation::Random => varying(Shape::Random),
    }
}

fn loss(link: &LinkShape, records: &Records) -> Loss {
    let probability = link.loss_percent / 100.0;
    if let Some((_, record)) = link.loss_trace.as_ref().and_then(|path| records.losses.get(path)) {
        return Loss::Recorded(Arc::clone(record));
    }
    if link.bad_begins_percent > 0.0 {
        return Loss::States(GilbertElliott {
            begins: link.bad_begins_percent / 100.0,
            ends: link.bad_ends_percent / 100.0,
            good: link.good_loss_percent / 100.0,
            bad: link.bad_loss_percent / 100.0,
            bad_delay: millis(link.bad_delay_ms),
        });
    }
    if link.burst_packets > 1.0 {
        return Loss::bursts(probability, link.burst_packets);
    }
    Loss::Each { probability, per: link.loss_per, delay_correlation: link.loss_delay_correlation_percent / 100.0 }
}
