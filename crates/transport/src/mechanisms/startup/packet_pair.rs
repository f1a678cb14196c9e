//! Packet pair: the distance at which two segments arrive that left together is what the slowest link of the path takes
//! for one; the first window is what fits into a round trip at that rate.
//!
//! Spec      Velayutham 2005 §2.5.5.1, §2.5.5.2 (two segments back to back, the distance when they are received, and
//!           from then on usual congestion control), after WTCP (Sinha et al. 1999)
//! Deviates  the document does not say how the sender learns the distance: here the receiver tells it
//!           (`pair_gap_from = "receiver"`), or it is that of the two acknowledgements (`acks`, which needs one per
//!           segment). Nor what becomes of a pair that tells nothing: the next is tried, `pair_tries` of them in all,
//!           while the window grows as in slow start; after that slow start goes on. The window that was found leaves
//!           as the clocking slot lets it
//! Holds     two segments at least. Only the first start is by a pair: once anything was sent again, slow start is
//!           slow start

use hopwright_machine::{Duration, Time};

use super::slow_start::{LIMIT, SlowStart};
use super::{Growth, Startup};
use crate::mechanisms::{Ack, Needs, Part};
use crate::params::{Knob, Params};
use crate::view::Public;

/// See the file's header.
pub const PACKET_PAIR: Part<dyn Startup> =
    Part::<dyn Startup>::new("packet-pair", "Velayutham 2005 §2.5.5.1", |p| Box::new(PacketPair::new(p)))
        .needing(Needs::SPACING)
        .with_knobs(&[GAP_FROM, TRIES, LIMIT]);

const GAP_FROM: Knob = Knob::word(
    "pair_gap_from",
    &["receiver", "acks"],
    "from where the sender knows the time between the packets of a pair: the receiver tells it, or it is the time between the two acknowledgements",
);
const TRIES: Knob =
    Knob::count("pair_tries", "", 3, 1..=1000, "number of pairs that are tried before slow start begins");

#[derive(Debug)]
struct PacketPair {
    slow_start: SlowStart,
    by_acks: bool,
    tries: u32,
    /// Whether the window is still to be found.
    is_open: bool,
    /// Acknowledgements so far, and when the last came if it was of a single segment.
    acks: u32,
    single: Option<Time>,
}

impl PacketPair {
    fn new(params: &Params) -> Self {
        Self {
            slow_start: SlowStart::new(params),
            by_acks: params.word(&GAP_FROM) == "acks",
            tries: params.count(&TRIES),
            is_open: true,
            acks: 0,
            single: None,
        }
    }

    /// The distance of a pair, if this acknowledgement tells one.
    fn gap(&mut self, p: &Public, ack: &Ack<'_>) -> Option<Duration> {
        // In slow start each acknowledgement lets two segments go together: every other one is of the second of two.
        self.acks += 1;
        let single = (ack.acked <= u64::from(p.mss)).then_some(p.now);
        let former = core::mem::replace(&mut self.single, single);
        let gap = if self.by_acks {
            single.and(former).filter(|_| self.acks.is_multiple_of(2)).map(|former| p.now.since(former))
        } else if ack.segment.payload_bytes == 0 {
            ack.segment.options.extra.gap_us().map(|us| Duration::from_micros(u64::from(us)))
        } else {
            None // what is said beside data is about those
        };
        gap.filter(|gap| *gap > Duration::ZERO)
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
        let mss = f64::from(p.mss);
        self.is_open &= p.retransmissions == 0;
        if !self.is_open {
            return usual;
        }
        if let (Some(gap), Some(rtt)) = (self.gap(p, ack), ack.rtt.or(p.srtt)) {
            self.is_open = false;
            let window = (mss / gap.as_secs_f64() * rtt.as_secs_f64()).max(2.0 * mss);
            return Growth::Found { cwnd: window, ssthresh: window };
        }
        self.is_open = p.una as f64 <= 2.0 * mss * f64::from(self.tries);
        usual
    }

    fn adopt(&mut self, p: &Public) {
        self.is_open = false; // the path is known by now
        self.slow_start.adopt(p);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;
    use crate::mechanisms::AckKind;
    use crate::mechanisms::control::HYBRID;
    use crate::mechanisms::testing::empty_segment;

    const MSS: u32 = 1_460;

    fn at(us: u64, segments: u64) -> Public {
        Public {
            now: Time::ZERO + Duration::from_micros(us),
            mss: MSS,
            una: 1 + segments * u64::from(MSS),
            ssthresh: f64::INFINITY,
            ..Public::default()
        }
    }

    /// After an acknowledgement of a segment that makes it so many, at this time, which tells of this distance.
    fn step(pair: &mut PacketPair, us: u64, segments: u64, gap_us: Option<u32>, rtt_us: u64) -> Growth {
        let mut segment = empty_segment();
        if let Some(gap) = gap_us {
            segment.options.extra.set_gap_us(gap);
        }
        let rtt = Some(Duration::from_micros(rtt_us));
        let ack = Ack { rtt, ..Ack::bare(AckKind::Advance, u64::from(MSS), &segment) };
        pair.on_ack(&at(us, segments), &ack)
    }

    fn found(growth: Growth) -> f64 {
        match growth {
            Growth::Found { cwnd, ssthresh } if cwnd == ssthresh => cwnd.round(),
            other => panic!("{other:?}"),
        }
    }

    const GROWS: Growth = Growth::By(1_460.0);

    /// The window that a pair finds which comes so far apart, with such a round trip, both in microseconds.
    fn window(gap: u32, rtt: u64) -> f64 {
        let mut pair = PacketPair::new(&Params::default());
        assert_eq!(step(&mut pair, rtt, 1, None, rtt), GROWS);
        let window = found(step(&mut pair, rtt + 6_000, 2, Some(gap), rtt));
        assert_eq!(step(&mut pair, rtt + 7_000, 3, Some(gap), rtt), GROWS);
        window
    }

    /// Vector X13: pairs of 1460 bytes that come 6, 40 and 120 ms apart make windows of 30 699, 20 479 and 26 076 bytes with
    /// round trips of 126.16, 561.07 and 2143.2 ms. The first is 243 333 B/s and 21.0 segments, for which slow start would
    /// have doubled its two 3.4 times.
    #[test]
    fn the_window_is_what_the_slowest_link_holds() {
        let first = window(6_000, 126_160);
        assert_eq!([first, window(40_000, 561_070), window(120_000, 2_143_200)], [30_699.0, 20_479.0, 26_076.0]);
        let begin = PacketPair::new(&Params::default()).initial_window(&at(0, 0));
        let told = [first / 0.126_16 / 1e6, first / f64::from(MSS), (first / begin).log2()];
        for (told, wanted, off) in [(told[0], 0.243_333, 1e-6), (told[1], 21.0, 0.05), (told[2], 3.4, 0.05)] {
            assert!((told - wanted).abs() < off, "{told} for {wanted}");
        }
    }

    /// Vector W1: after a pair that comes 20 ms apart 50 segments leave in a second.
    #[test]
    fn the_rate_is_that_of_the_pair() {
        let srtt = Some(Duration::from_millis(400));
        let p = Public { cwnd: window(20_000, 400_000), srtt, offer: 1 << 20, ..at(400_000, 2) };
        assert_eq!((HYBRID.build)(&Params::default()).allowance(&p).rate, 50.0 * f64::from(MSS));
    }

    #[test]
    fn acknowledgements_show_the_distance_if_they_are_asked() {
        let mut params = Params::default();
        params.set("pair_gap_from", Value::Word("acks".into())).unwrap();
        let mut pair = PacketPair::new(&params);
        assert_eq!(step(&mut pair, 120_160, 1, Some(9), 120_160), GROWS);
        assert_eq!(found(step(&mut pair, 126_160, 2, None, 126_160)), 30_699.0);
    }

    #[test]
    fn three_pairs_are_tried() {
        let mut pair = PacketPair::new(&Params::default());
        step(&mut pair, 2_000, 2, None, 1_000); // one acknowledgement for both, which tells nothing
        step(&mut pair, 3_000, 4, Some(0), 1_000); // nor does this
        let mut lucky = PacketPair { slow_start: SlowStart::new(&Params::default()), ..pair };
        assert_eq!(found(step(&mut lucky, 4_000, 5, Some(500), 1_000)), 2_920.0);
        step(&mut pair, 4_000, 6, None, 1_000);
        assert_eq!(step(&mut pair, 5_000, 7, Some(500), 1_000), GROWS);
    }

    #[test]
    fn a_start_after_a_loss_is_slow_start_and_data_tell_of_themselves() {
        let mut segment = empty_segment();
        segment.options.extra.set_gap_us(500);
        let rtt = Some(Duration::from_millis(1));
        let after = |p: &Public, segment: &hopwright_wire::tcp::Segment| {
            let ack = Ack { rtt, ..Ack::bare(AckKind::Advance, u64::from(MSS), segment) };
            PacketPair::new(&Params::default()).on_ack(p, &ack)
        };
        assert_ne!(after(&at(1_000, 2), &segment), GROWS);
        assert_eq!(after(&Public { retransmissions: 1, ..at(1_000, 2) }, &segment), GROWS);
        segment.payload_bytes = 9;
        assert_eq!(after(&at(1_000, 2), &segment), GROWS);
    }
}
