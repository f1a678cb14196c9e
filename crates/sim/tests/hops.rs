//! A transport that wants to know the length of the route is told by routing; one that does not is left alone.

use std::collections::BTreeSet;

use hopwright_machine::{NodeId, Time};
use hopwright_mobility::Position;
use hopwright_routing::aodv;
use hopwright_sim::{Event, Options, Routing, Setup, Trace, Watch, run_traced};

use crate::support::{at, string};

/// What the sender was told, and how it kept to it.
#[derive(Debug, Default)]
struct Told {
    hops: BTreeSet<u32>,
    /// The largest flight, in segments, after something new was sent under the last hop count.
    most_in_flight: u64,
    /// The largest window since then, in segments.
    largest_window: f64,
    last: Option<u32>,
    sent: u64,
}

impl Trace for Told {
    fn event(&mut self, _at: Time, _node: NodeId, event: Event<'_>) {
        let Event::Sender { public, .. } = event else { return };
        let flight = public.flight().div_ceil(u64::from(public.mss));
        if public.hops != self.last {
            self.hops.extend(public.hops);
            (self.last, self.most_in_flight, self.largest_window) = (public.hops, 0, 0.0);
        }
        if public.max > self.sent {
            self.most_in_flight = self.most_in_flight.max(flight);
        }
        self.sent = public.max;
        if public.inflation == 0.0 {
            self.largest_window = self.largest_window.max(public.cwnd / f64::from(public.mss));
        }
    }

    fn hears(&self, _: NodeId) -> bool {
        false
    }
}

fn told(setup: &Setup) -> Told {
    let mut told = Told::default();
    run_traced(setup, 1, &Options::default(), &Watch::default(), &mut told).expect("nobody cancels");
    told
}

fn routings(ns2: bool) -> [Routing; 2] {
    [Routing::Static(None), Routing::Found(if ns2 { aodv::Config::ns2() } else { aodv::Config::rfc() }.into())]
}

#[test]
fn the_limit_is_that_of_the_route() {
    for ns2 in [false, true] {
        for routing in routings(ns2) {
            for (hops, limit) in [(2, 2), (4, 1), (6, 2), (7, 3)] {
                let setup = Setup { routing: routing.clone(), ..string(hops, "adaptive-cwl", 10.0, ns2) };
                let told = told(&setup);
                assert_eq!(told.hops, BTreeSet::from([hops]), "{ns2} {routing:?}");
                assert_eq!(told.most_in_flight, limit, "{hops} hops, {ns2} {routing:?}");
                assert!(told.largest_window <= limit as f64, "{hops} hops, {ns2} {routing:?}: {told:?}");
            }
        }
    }
}

#[test]
fn a_new_route_has_a_new_limit() {
    for ns2 in [false, true] {
        let mut setup = string(7, "adaptive-cwl", 60.0, ns2);
        setup.routing = routings(ns2)[1].clone();
        // The far end walks back to the side of the second node.
        setup.nodes[7].travel_to(at(10.0), Position::new(200.0, 100.0), 60.0);
        let told = told(&setup);
        assert!(told.hops.contains(&7) && told.last.is_some_and(|hops| hops <= 2), "{told:?}");
        assert_eq!(told.most_in_flight, 2, "{told:?}");
    }
}

#[test]
fn who_does_not_ask_is_not_told() {
    let setup = Setup { routing: routings(false)[1].clone(), ..string(4, "reno", 5.0, false) };
    let told = told(&setup);
    assert!(told.hops.is_empty() && told.most_in_flight > 2, "{told:?}");
}
