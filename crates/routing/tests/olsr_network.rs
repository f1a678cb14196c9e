//! Networks of OLSR routers: what they find, against the links as they are.

use std::collections::{BTreeMap, BTreeSet};

use hopwright_machine::{Duration, NodeId, Time};
use hopwright_routing::olsr::{self, Hysteresis};
use hopwright_routing::{Config, Protocol};
use hopwright_wire::Payload;
use hopwright_wire::olsr::{Body, NeighbourType};
use proptest::prelude::*;

use crate::field::{Field, address, play, steps};

const A: usize = 0;
const C: usize = 2;
const D: usize = 3;
const E: usize = 4;
const F: usize = 5;

fn papanastasiou() -> Config {
    olsr::Config::papanastasiou().into()
}

/// The chain A to E, and F between D and E (Papanastasiou 2006, figure 3.1).
fn chain(seed: u64) -> Field {
    let mut field = Field::new(6, seed, 0, &papanastasiou());
    field.string(0..5);
    field.link(D, F, true);
    field.link(F, E, true);
    field
}

/// The relays that HELLOs name, by sender.
fn relays(field: &Field) -> BTreeMap<NodeId, BTreeSet<NodeId>> {
    let mut relays = BTreeMap::new();
    for (_, from, packet) in field.heard.iter().flatten() {
        let Payload::Olsr(packet) = &packet.payload else { continue };
        for message in packet.messages.iter() {
            let Body::Hello(hello) = &message.body else { continue };
            let groups = hello
                .links
                .iter()
                .filter(|group| group.code.types().is_some_and(|(_, neighbour)| neighbour == NeighbourType::Mpr));
            let named = groups.flat_map(|group| group.neighbours.iter().filter_map(|address| address.node()));
            relays.entry(*from).or_insert_with(BTreeSet::new).extend(named);
        }
    }
    relays
}

#[test]
fn r8_relays_of_the_chain_are_those_of_table_3_4() {
    for seed in 0..20 {
        let mut field = chain(seed);
        field.run(Duration::from_secs(20));
        field.heard = Some(Vec::new());
        field.run(Duration::from_secs(10));
        let set = |nodes: &[usize]| nodes.iter().map(|&n| NodeId(n as u32)).collect::<BTreeSet<_>>();
        let table = [&[1][..], &[C], &[1, D], &[C], &[D], &[D]];
        let table: BTreeMap<_, _> = table.iter().enumerate().map(|(n, r)| (NodeId(n as u32), set(r))).collect();
        assert_eq!(relays(&field), table, "seed {seed}");
    }
}

#[test]
fn r9_routes_are_there_within_15_s_and_a_break_is_noticed_after_the_hold_time() {
    let mut first = Vec::new();
    let mut recovered = Vec::new();
    for seed in 0..40 {
        let mut field = chain(seed);
        let mut routed = Time::NEVER;
        field.run_and(Duration::from_secs(15), |field| {
            if field.routers[A].hops(address(E)) == Some(4) {
                routed = routed.min(field.now);
            }
        });
        assert!(!routed.is_never(), "seed {seed}: no route after 15 s");
        first.push(routed.as_secs_f64());
        field.run(Duration::from_secs(20));
        field.link(D, E, false);
        let broken = field.now;
        let mut restored = Time::NEVER;
        field.run_and(Duration::from_secs(40), |field| {
            // By D, which notices first, through F; A is told by TC messages.
            let next = |from: usize| field.routers[from].next_hop(address(E));
            let leads = next(D) == Some(NodeId(F as u32)) && next(F) == Some(NodeId(E as u32));
            if leads && field.routers[A].hops(address(E)) == Some(5) {
                restored = restored.min(field.now);
            }
        });
        assert!(!restored.is_never(), "seed {seed}: not restored");
        recovered.push(restored.since(broken).as_secs_f64());
    }
    let (least, most) = (
        |all: &[f64]| all.iter().copied().fold(f64::MAX, f64::min),
        |all: &[f64]| all.iter().copied().fold(0.0, f64::max),
    );
    println!("first route {:.1} to {:.1} s", least(&first), most(&first));
    println!("recovery {:.1} to {:.1} s", least(&recovered), most(&recovered));
    // A link is lost NEIGHB_HOLD_TIME after the last HELLO that named it: the last was at most REFRESH_INTERVAL old.
    assert!(least(&recovered) >= 4.0, "{recovered:?}");
    assert!(most(&recovered) <= 20.0, "{recovered:?}");
}

#[test]
fn nothing_goes_beyond_relays_that_a_flood_needs() {
    // A full mesh: nobody is anybody's relay, so there is no TC message at all.
    let mut field = Field::new(6, 1, 0, &olsr::Config::rfc().into());
    (0..36).for_each(|n| field.link(n / 6, n % 6, true));
    // The first HELLOs do not name all neighbours yet, and relays are chosen that soon prove useless.
    field.run(Duration::from_secs(30));
    field.heard = Some(Vec::new());
    field.run(Duration::from_secs(30));
    let messages = field.heard.iter().flatten().flat_map(|(_, _, packet)| match &packet.payload {
        Payload::Olsr(packet) => packet.messages.to_vec(),
        _ => panic!("{packet:?}"),
    });
    assert!(messages.into_iter().all(|message| matches!(message.body, Body::Hello(_))));
    field.assert_shortest();
}

fn config() -> impl Strategy<Value = olsr::Config> {
    let flags = any::<[bool; 5]>();
    (0..=2u8, 1..=3u8, flags).prop_map(
        |(tc_redundancy, mpr_coverage, [pap, immediate, alone, notified, hysteresis])| olsr::Config {
            tc_redundancy,
            mpr_coverage,
            immediate_tc: immediate,
            immediate_forwarding: alone,
            link_layer_notification: notified,
            hysteresis: hysteresis.then(Hysteresis::default),
            ..if pap { olsr::Config::papanastasiou() } else { olsr::Config::rfc() }
        },
    )
}

/// How long a link that is gone may be believed in: its ends believe their HELLOs, then say so in the next; others
/// believe the last TC message that names it, and the next is at most an interval away.
fn believed(config: &olsr::Config) -> Duration {
    config.neighbour_hold_time + config.refresh_interval + config.topology_hold_time + config.tc_interval
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// However links came about, once they have stood still and lost nothing for as long as anything wrong is believed,
    /// next hops form no loop and every node has shortest routes, whatever the options.
    #[test]
    fn still_networks_have_shortest_routes(
        seed in any::<u64>(), loss in 0..40u32, config in config(), steps in steps(9),
    ) {
        let mut field = Field::new(9, seed, loss, &config.clone().into());
        play(&mut field, &steps, |_| {});
        field.loss = 0;
        field.run(believed(&config));
        field.assert_no_loop();
        field.assert_shortest();
    }

    /// While links come, go and lose packets, next hops may form a loop: nodes learn of a change one after the other. A
    /// packet that is sent into one makes no more hops than its time to live lets it.
    #[test]
    fn who_is_caught_in_a_loop_gets_out(
        seed in any::<u64>(), loss in 0..40u32, config in config(), steps in steps(9),
    ) {
        let mut field = Field::new(9, seed, loss, &config.into());
        for (a, b, kind, wait) in steps {
            play(&mut field, &[(a, b, kind % 8, 1)], |_| {});
            for _ in 0..wait / 50 {
                field.run(Duration::from_millis(50));
                if let Some((destination, nodes)) = field.find_loop() {
                    // A lost packet would leave the loop before its time.
                    field.loss = 0;
                    field.send(nodes[0], destination);
                    field.run(Duration::from_millis(100));
                    field.loss = loss;
                }
            }
        }
        field.run(Duration::from_secs(1));
        field.assert_hops_end();
    }

    /// Every packet sent is delivered, dropped with a cause, or still inside.
    #[test]
    fn no_packet_is_lost_without_a_cause(seed in any::<u64>(), loss in 0..40u32, config in config(), steps in steps(7)) {
        let mut field = Field::new(7, seed, loss, &config.into());
        play(&mut field, &steps, |field| assert_eq!(field.sent, field.delivered + field.dropped + field.held()));
        field.run(Duration::from_secs(1));
        prop_assert_eq!(field.sent, field.delivered + field.dropped, "OLSR keeps no packet");
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
