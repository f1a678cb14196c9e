//! Networks of DSDV routers: what they find, against the links as they are.

use std::collections::BTreeSet;

use hopwright_machine::{Duration, NodeId, Time};
use hopwright_routing::{Protocol, dsdv};
use hopwright_wire::Payload;
use hopwright_wire::dsdv::INFINITE;
use proptest::prelude::*;

use crate::field::{Field, address, play, steps};

fn both() -> [(dsdv::Config, &'static str); 2] {
    [(dsdv::Config::perkins(), "perkins"), (dsdv::Config::ns2(), "ns2")]
}

fn config() -> impl Strategy<Value = dsdv::Config> {
    any::<[bool; 3]>().prop_map(|[ns2, link_layer_feedback, trigger_on_sequence]| dsdv::Config {
        link_layer_feedback,
        trigger_on_sequence,
        ..if ns2 { dsdv::Config::ns2() } else { dsdv::Config::perkins() }
    })
}

/// R10: the neighbour that loses a link makes the numbers odd and tells it at once; in Perkins' rules each that hears
/// of it does too.
#[test]
fn r10_a_break_is_told_with_odd_numbers_within_the_trigger_spacing() {
    let config = dsdv::Config { link_layer_feedback: true, ..dsdv::Config::perkins() };
    let mut field = Field::new(5, 3, 0, &config.clone().into());
    field.string(0..5);
    field.run(Duration::from_secs(120));
    field.assert_shortest();
    field.link(3, 4, false);
    field.heard = Some(Vec::new());
    let broken = field.now;
    field.send(0, 4); // finds the break
    field.run(Duration::from_secs(5));
    let told = |node: u32| {
        field.heard.iter().flatten().find_map(|(time, from, packet)| {
            let Payload::Dsdv(update) = &packet.payload else { return None };
            let entry = update.entries.iter().find(|entry| entry.destination == address(4))?;
            (*from == NodeId(node) && entry.metric == INFINITE).then_some((time.since(broken), entry.sequence))
        })
    };
    let mut before = Duration::ZERO;
    for node in [3, 2, 1, 0] {
        let (after, sequence) = told(node).expect("it tells of the break");
        assert!(sequence % 2 == 1, "the number {sequence} is the destination's own");
        assert!(after <= before + config.trigger_spacing + Duration::from_millis(20), "{node} after {after}");
        before = after;
        assert_eq!(field.routers[node as usize].hops(address(4)), None);
    }
}

/// The first routes of a string, and those after a break without any help of the link layer: the times that the rules
/// add up to.
#[test]
fn cold_start_and_recovery_take_what_settling_and_silence_add_up_to() {
    for (config, name) in both() {
        let config = dsdv::Config { link_layer_feedback: false, ..config };
        let (mut starts, mut recoveries) = (Vec::new(), Vec::new());
        for seed in 0..10 {
            let mut field = Field::new(6, seed, 0, &config.clone().into());
            field.string(0..5);
            field.link(3, 5, true);
            field.link(5, 4, true);
            let mut routed = Time::NEVER;
            field.run_and(Duration::from_secs(200), |field| {
                if field.routers[0].hops(address(4)) == Some(4) {
                    routed = routed.min(field.now);
                }
            });
            starts.push(routed.as_secs_f64());
            field.link(3, 4, false);
            let broken = field.now;
            let mut restored = Time::NEVER;
            field.run_and(Duration::from_secs(200), |field| {
                if field.routers[0].hops(address(4)) == Some(5)
                    && field.routers[3].next_hop(address(4)) == Some(NodeId(5))
                {
                    restored = restored.min(field.now);
                }
            });
            recoveries.push(restored.since(broken).as_secs_f64());
        }
        let span =
            |all: &[f64]| (all.iter().copied().fold(f64::MAX, f64::min), all.iter().copied().fold(0.0, f64::max));
        let (start, recovery) = (span(&starts), span(&recoveries));
        println!("{name}: start {start:.1?} s, recovery {recovery:.1?} s");
        // Each of three relays waits twice the initial settling time before it tells of a new destination.
        assert!(start.0 >= 36.0 && start.1 <= 90.0, "{name}: {starts:?}");
        // The lost route is replaced when a newer number comes over the other neighbour, or silence shows the break.
        // ns-2's rules keep that number back until it has settled, again after every update.
        let most = if config.rules == dsdv::Rules::Perkins { 60.0 } else { 150.0 };
        assert!(recovery.1 <= most, "{name}: {recoveries:?}");
    }
}

/// With DSDV-SQ every node passes each new number on at once, but answers none with a number of its own: numbers come
/// with periodic updates alone.
#[test]
fn numbers_that_trigger_updates_raise_no_numbers() {
    let config = dsdv::Config { trigger_on_sequence: true, ..dsdv::Config::perkins() };
    let mut field = Field::new(5, 1, 0, &config.clone().into());
    field.string(0..5);
    field.run(Duration::from_secs(120));
    field.heard = Some(Vec::new());
    let span = Duration::from_secs(150);
    field.run(span);
    for node in 0..5 {
        let own = field.heard.iter().flatten().filter(|(_, from, _)| *from == NodeId(node));
        let numbers: BTreeSet<u32> = own
            .filter_map(|(.., packet)| match &packet.payload {
                Payload::Dsdv(update) => {
                    assert_eq!(update.entries[0].destination, address(node as usize), "its own route comes first");
                    Some(update.entries[0].sequence)
                }
                _ => None,
            })
            .collect();
        // From three quarters of the interval to all of it, and one more for where the span begins.
        assert!((10..=15).contains(&numbers.len()), "node {node}: {numbers:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever links do and however many packets are lost, next hops never form a loop.
    #[test]
    fn r10_next_hops_never_form_a_loop(seed in any::<u64>(), loss in 0..40u32, config in config(), steps in steps(8)) {
        let mut field = Field::new(8, seed, loss, &config.into());
        play(&mut field, &steps, Field::assert_no_loop);
    }

    /// Once links have stood still for long enough every node has routes to those that it can reach, and to nobody
    /// else. A newer number may come over a longer way first and be shorter at once, or with the next full update of
    /// the better neighbour: so a route may be longer for a while, never shorter than a path there is, and shortest
    /// again and again.
    #[test]
    fn still_networks_have_shortest_routes(seed in any::<u64>(), config in config(), steps in steps(8)) {
        let mut field = Field::new(8, seed, 15, &config.into());
        play(&mut field, &steps, |_| {});
        field.loss = 0;
        field.run(Duration::from_secs(400));
        let shortest: Vec<_> = (0..8).map(|from| field.true_hops(from)).collect();
        let mut seen = [[false; 8]; 8];
        // Looked at after every event: nodes that trigger on every number send in step, once in a trigger spacing, and
        // a look in the same rhythm may meet a route always in its longer half.
        let pairs = || (0..64).map(|n| (n / 8, n % 8)).filter(|(from, to)| from != to);
        // For sixteen full updates of each node: while a better neighbour's come just after a newer number has come the
        // longer way, nobody hears of the shorter one, which over four updates happens in one of some 2,000 networks.
        field.run_and(Duration::from_secs(240), |field| {
            for (from, to) in pairs() {
                let (known, least) = (field.routers[from].hops(address(to)), shortest[from][to]);
                assert_eq!(known.is_some(), least.is_some(), "{from} to {to} at {}", field.now);
                assert!(known >= least, "{from} to {to} at {}: {known:?}, but {least:?}", field.now);
                seen[from][to] |= known == least;
            }
        });
        for (from, to) in pairs() {
            prop_assert!(seen[from][to], "{} to {} never shortest", from, to);
        }
    }

    /// Every packet sent is delivered, dropped with a cause, or still inside.
    #[test]
    fn no_packet_is_lost_without_a_cause(seed in any::<u64>(), loss in 0..40u32, config in config(), steps in steps(7)) {
        let mut field = Field::new(7, seed, loss, &config.into());
        play(&mut field, &steps, |_| {});
        field.run(Duration::from_millis(100));
        // Held are kept packets and own updates that wait for their jitter.
        let made = field.routers.iter().map(|router| router.counters()).map(|c| c.control_made - c.control_packets);
        let own = made.sum::<u64>() as usize;
        prop_assert_eq!(field.sent + own, field.delivered + field.dropped + field.held());
    }

    #[test]
    fn the_same_seed_gives_the_same_run(seed in any::<u64>(), config in config(), steps in steps(6)) {
        let run = || {
            let mut field = Field::new(6, seed, 10, &config.clone().into());
            play(&mut field, &steps, |_| {});
            field.log
        };
        prop_assert_eq!(run(), run());
    }
}
