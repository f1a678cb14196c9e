//! Packet pair: the distance at which two segments arrive that left together is what the slowest link of the path takes
//! for one; the first window is what fits into a round trip at that rate.
//!
//! Spec      Velayutham 2005 §2.5.5.1, §2.5.5.2 (two segments back to back, the distance when they are received, and from
//!           then on usual congestion control), after WTCP (Sinha et al. 1999)
//! Deviates  the document does not say how the sender learns the distance: here the receiver tells it
//!           (`pair_gap_from = "receiver"`), or it is that of the two acknowledgements (`acks`, which needs one per
//!           segment). Nor what becomes of a pair that tells nothing: the next two segments are tried, `pair_tries` pairs
//!           in all, while the window grows as in slow start; after that slow start goes on
//! Holds     two segments at least. Only the first start is by a pair: after a time-out slow start is slow start

use hopwright_machine::{Duration, Time};

use super::slow_start::SlowStart;
use super::{Growth, Startup};
use crate::engine::Public;
use crate::mechanisms::{Ack, Needs, Part};
use crate::params::{Knob, Params};

/// See the file's header.
pub const PACKET_PAIR: Part<dyn Startup> =
    Part::<dyn Startup>::new("packet-pair", "Velayutham 2005 §2.5.5.1", |p| Box::new(PacketPair::new(p)))
        .needing(Needs::SPACING)
        .with_knobs(&[GAP_FROM, TRIES]);

const GAP_FROM: Knob = Knob::word(
    "pair_gap_from",
    &["receiver", "acks"],
    "the distance of a pair is what the receiver tells of it, or that of its two acknowledgements",
);
const TRIES: Knob = Knob::count("pair_tries", "", 3, 1..=1000, "pairs that are tried before slow start takes over");

#[derive(Debug)]
struct PacketPair {
    slow_start: SlowStart,
    by_acks: bool,
    tries: u32,
    /// The pair that is tried: where it begins, and when its first segment was acknowledged alone.
    pair: Option<(u64, Option<Time>)>,
}

impl PacketPair {
    fn new(params: &Params) -> Self {
        Self {
            slow_start: SlowStart::new(params),
            by_acks: params.word(&GAP_FROM) == "acks",
            tries: params.count(&TRIES),
            pair: Some((1, None)),
        }
    }

    /// The distance of the pair, if this acknowledgement completes it and tells.
    fn gap(&self, p: &Public, ack: &Ack<'_>, first: Option<Time>) -> Option<Duration> {
        let gap = if self.by_acks {
            p.now.since(first?)
        } else {
            Duration::from_micros(u64::from(ack.segment.options.extra.gap_us()?))
        };
        (gap > Duration::ZERO).then_some(gap)
    }
}

impl Startup for PacketPair {
    fn initial_window(&mut self, p: &Public) -> f64 {
        self.slow_start.initial_window(p).max(2.0 * f64::from(p.mss))
    }

    fn is_active(&self, p: &Public) -> bool {
        self.slow_start.is_active(p)
    }

    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> Growth {
        let usual = self.slow_start.on_ack(p, ack);
        let Some((from, first)) = self.pair else { return usual };
        let segment = u64::from(p.mss);
        if p.una < from + 2 * segment {
            self.pair = Some((from, (p.una == from + segment).then_some(p.now).or(first)));
            return usual;
        }
        let gap = if p.una == from + 2 * segment { self.gap(p, ack, first) } else { None };
        match (gap, ack.rtt.or(p.srtt)) {
            (Some(gap), Some(rtt)) => {
                self.pair = None;
                let mss = f64::from(p.mss);
                let window = (mss / gap.as_secs_f64() * rtt.as_secs_f64()).max(2.0 * mss);
                Growth::Found { cwnd: window, ssthresh: window }
            }
            _ => {
                self.tries -= 1;
                self.pair = (self.tries > 0).then_some((p.nxt, None));
                usual
            }
        }
    }

    fn adopt(&mut self, p: &Public) {
        self.pair = None; // the path is known by now
        self.slow_start.adopt(p);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;
    use crate::mechanisms::AckKind;
    use crate::mechanisms::testing::empty_segment;

    const MSS: u32 = 1_460;

    /// After an acknowledgement of so many segments, at this time, which tells of this distance.
    fn step(pair: &mut PacketPair, us: u64, segments: u64, gap_us: Option<u32>, rtt_us: u64) -> Growth {
        let una = 1 + segments * u64::from(MSS);
        let p = Public {
            now: Time::ZERO + Duration::from_micros(us),
            mss: MSS,
            una,
            nxt: una + 2 * u64::from(MSS),
            ssthresh: f64::INFINITY,
            ..Public::default()
        };
        let mut segment = empty_segment();
        if let Some(gap) = gap_us {
            segment.options.extra.set_gap_us(gap);
        }
        let rtt = Some(Duration::from_micros(rtt_us));
        pair.on_ack(&p, &Ack { rtt, ..Ack::bare(AckKind::Advance, u64::from(MSS), &segment) })
    }

    fn found(growth: Growth) -> f64 {
        match growth {
            Growth::Found { cwnd, ssthresh } if cwnd == ssthresh => cwnd.round(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_window_is_what_the_slowest_link_holds() {
        for (gap, rtt, window) in
            [(6_000, 126_160, 30_699.0), (40_000, 561_070, 20_479.0), (120_000, 2_143_200, 26_076.0)]
        {
            let mut pair = PacketPair::new(&Params::default());
            assert_eq!(step(&mut pair, rtt, 1, None, rtt), Growth::By(1_460.0));
            assert_eq!(found(step(&mut pair, rtt + 6_000, 2, Some(gap), rtt)), window);
            assert_eq!(step(&mut pair, rtt + 7_000, 3, Some(gap), rtt), Growth::By(1_460.0));
        }
    }

    #[test]
    fn acknowledgements_show_the_distance_if_they_are_asked() {
        let mut params = Params::default();
        params.set("pair_gap_from", Value::Word("acks".into())).unwrap();
        let mut pair = PacketPair::new(&params);
        step(&mut pair, 120_160, 1, None, 120_160);
        assert_eq!(found(step(&mut pair, 126_160, 2, None, 126_160)), 30_699.0);
    }

    #[test]
    fn three_pairs_are_tried() {
        let mut pair = PacketPair::new(&Params::default());
        step(&mut pair, 1_000, 2, None, 1_000); // one acknowledgement for both, which tells nothing
        step(&mut pair, 2_000, 6, Some(0), 1_000); // nor does this
        let mut lucky = PacketPair { slow_start: SlowStart::new(&Params::default()), ..pair };
        assert_eq!(found(step(&mut lucky, 3_000, 10, Some(500), 1_000)), 2_920.0);
        step(&mut pair, 3_000, 11, Some(500), 1_000); // the distance of others: one of the pair was lost
        assert_eq!(step(&mut pair, 4_000, 15, Some(500), 1_000), Growth::By(1_460.0));
    }
}
