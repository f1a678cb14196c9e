//! Static routes: tables and forwarding.

use std::sync::Arc;

use hopwright_machine::NodeId;
use hopwright_routing::{NextHops, Protocol, Router, StaticRoutes};
use proptest::prelude::*;

use crate::script::check;

fn neighbours(lists: &[&[u32]]) -> Vec<Vec<NodeId>> {
    lists.iter().map(|list| list.iter().copied().map(NodeId).collect()).collect()
}

fn router(lists: &[&[u32]]) -> Router {
    Router::Static(StaticRoutes::new(NodeId(0), Arc::new(NextHops::shortest(neighbours(lists)))))
}

#[test]
fn of_equally_short_routes_the_lowest_next_hop_is_taken() {
    // A square 0-1-3-2-0 with a tail 3-4, lists unsorted, and node 5 alone.
    let routes = NextHops::shortest(neighbours(&[&[2, 1], &[3, 0], &[3, 0], &[2, 1, 4], &[3], &[]]));
    assert_eq!(routes.of(NodeId(0), NodeId(4)), Some(NodeId(1)));
    assert_eq!(routes.of(NodeId(4), NodeId(0)), Some(NodeId(3)));
    assert_eq!(routes.of(NodeId(3), NodeId(0)), Some(NodeId(1)));
    assert_eq!(routes.of(NodeId(0), NodeId(5)), None);
    assert_eq!(routes.of(NodeId(0), NodeId(0)), None);
    assert_eq!(routes.of(NodeId(0), NodeId(6)), None, "there is no such node");
}

#[test]
fn one_way_links_are_used_in_their_direction_only() {
    let routes = NextHops::shortest(neighbours(&[&[1], &[2], &[0]]));
    assert_eq!(routes.of(NodeId(0), NodeId(2)), Some(NodeId(1)));
    assert_eq!(routes.of(NodeId(2), NodeId(1)), Some(NodeId(0)));
}

/// Hops from each node to a destination, by asking every link again and again.
fn distances(lists: &[Vec<NodeId>], destination: usize) -> Vec<Option<u32>> {
    let mut found = vec![None; lists.len()];
    found[destination] = Some(0);
    loop {
        let next = |node: usize| lists[node].iter().filter_map(|n| found[n.index()]).min().map(|d| d + 1);
        let better: Vec<_> =
            (0..lists.len()).map(|node| if node == destination { Some(0) } else { next(node) }).collect();
        if better == found {
            return found;
        }
        found = better;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Whoever asks first, and in a network of any size: what is worked out is less, never other.
    #[test]
    fn the_order_of_questions_changes_no_answer(
        nodes in prop_oneof![2_usize..40, 257_usize..330],
        links in prop::collection::vec((any::<u32>(), 1_u32..6, any::<bool>()), 0..900),
        questions in prop::collection::vec((any::<u32>(), any::<u32>()), 1..80),
    ) {
        let mut lists = vec![Vec::new(); nodes];
        for (from, step, both) in links {
            let from = from as usize % nodes;
            let to = (from + step as usize) % nodes;
            if from != to {
                lists[from].push(NodeId(to as u32));
                if both {
                    lists[to].push(NodeId(from as u32));
                }
            }
        }
        let routes = NextHops::shortest(lists.clone());
        // Few destinations, or hardly any is asked for twice.
        for (node, destination) in questions {
            let (node, destination) = (node as usize % (nodes + 1), destination as usize % nodes.min(5));
            let hops = distances(&lists, destination);
            let nearer = |next: &&NodeId| hops[next.index()].map(|d| d + 1) == hops[node];
            let expected =
                if node < nodes && hops[node].is_some() { lists[node].iter().filter(nearer).min() } else { None };
            let own = NodeId(node as u32);
            prop_assert_eq!(routes.of(own, NodeId(destination as u32)), expected.copied(), "{} to {}", node, destination);
        }
    }
}

#[test]
fn packets_are_forwarded_delivered_or_dropped() {
    check(
        router(&[&[1, 2], &[0], &[0, 3], &[2], &[]]),
        "
         0ms  < send 3
         0ms  > 2 data 0->3 ttl 64
         0ms  = route 3 via 2 hops 2
         1ms  < get 1 data 1->3 ttl 2
         1ms  > 2 data 1->3 ttl 1
         2ms  < get 1 data 1->3 ttl 1
         2ms  > drop ttl_expired data 1->3 ttl 1
         3ms  < get 1 data 1->0 ttl 1
         3ms  > deliver data 1->0 ttl 1
         4ms  < send 4
         4ms  > drop no_route data 0->4 ttl 64
         4ms  = route 4 none
         5ms  < fail 2 data 0->3 ttl 64
         5ms  > drop retry_limit_rts data 0->3 ttl 64
         6ms  < send 3
         6ms  > 2 data 0->3 ttl 64
         6ms  = held 0
        ",
    );
}

#[test]
fn a_circular_table_has_no_length() {
    let table = vec![vec![None, None, Some(NodeId(1))], vec![None, None, Some(NodeId(0))], vec![]];
    let routes = StaticRoutes::new(NodeId(0), Arc::new(NextHops::written(table)));
    assert_eq!(routes.hops(NodeId(2).address()), None);
}
