//! A station that is idle may be told in sum what it overheard: it contends as if it had been told one by one.

use std::sync::Arc;

use hopwright_link::{Class, Config, Dcf, Draws, Eifs, Input, Mac as _};
use hopwright_machine::{Duration, Machine as _, NodeId, Time};
use proptest::prelude::*;

fn station(config: &Config) -> Dcf<&'static str> {
    Dcf::new(Arc::new(config.clone()), NodeId(0), Draws::Scripted([7].into()))
}

/// A frame: so long after the one before, how long it lasts, and what comes of it: received, with how long it reserves
/// the medium, failed, or only sensed.
type Frame = (u64, u64, Option<Result<u64, ()>>);

fn frame() -> impl Strategy<Value = Frame> {
    let ends = prop_oneof![(0..20_000_u64).prop_map(|ns| Some(Ok(ns))), Just(Some(Err(()))), Just(None)];
    (0..60_000_u64, 1..60_000_u64, ends)
}

proptest! {
    #[test]
    fn told_in_sum_is_told_one_by_one(
        frames in prop::collection::vec(frame(), 1..8),
        comes_after in 0..600_000_u64,
        eifs in prop_oneof![Just(Eifs::InsteadOfDifs), Just(Eifs::ThenDifs), Just(Eifs::Never)],
    ) {
        let config = Config { eifs, ..Config::default() };
        let (mut single, mut summed) = (station(&config), station(&config));
        prop_assert!(summed.is_idle());
        let (mut reserved_until, mut failed_at, mut over_at) = (Time::ZERO, Time::ZERO, Time::ZERO);
        for (gap, lasts, ends) in frames {
            let from = over_at + Duration::from_nanos(gap);
            over_at = from + Duration::from_nanos(lasts);
            single.handle(from, Input::Carrier { until: over_at });
            match ends {
                Some(Ok(ns)) => {
                    let nav = Duration::from_nanos(ns);
                    single.handle(over_at, Input::Overheard(nav));
                    reserved_until = reserved_until.max(over_at + nav);
                }
                Some(Err(())) => {
                    single.handle(over_at, Input::Failed);
                    failed_at = over_at;
                }
                None => {}
            }
        }
        summed.handle(over_at, Input::HeardAside { over_at, reserved_until, failed_at });
        let now = over_at + Duration::from_nanos(comes_after);
        for each in [&mut single, &mut summed] {
            each.handle(now, Input::Enqueue { packet: "", bytes: 1000, next_hop: Some(NodeId(1)), class: Class::Data });
        }
        prop_assert_eq!(single.deadline(), summed.deadline());
    }
}
