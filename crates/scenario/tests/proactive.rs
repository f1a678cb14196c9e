//! `[routing.olsr]` and `[routing.dsdv]`: defaults, what follows from what, and what cannot be.

use hopwright_machine::Duration;
use hopwright_routing::{Config, dsdv, olsr};
use hopwright_sim::Routing;

use crate::common::{CHAIN, good, lines};

fn config(overrides: &[&str]) -> Config {
    match good(CHAIN, overrides).setup(1).expect("a setup").routing {
        Routing::Found(config) => *config,
        other => panic!("{other:?}"),
    }
}

fn olsr(overrides: &[&str]) -> olsr::Config {
    match config(&[&["routing.protocol=olsr"], overrides].concat()) {
        Config::Olsr(config) => config,
        other => panic!("{other:?}"),
    }
}

#[test]
fn profiles_are_those_of_the_routing_layer() {
    assert_eq!(olsr(&[]), olsr::Config::rfc());
    assert_eq!(olsr(&["profile=ns2"]), olsr::Config::rfc(), "ns-2.35 has no OLSR");
    assert_eq!(olsr(&["routing.olsr.profile=papanastasiou"]), olsr::Config::papanastasiou());
    for (overrides, expected) in [
        (vec![], dsdv::Config::perkins()),
        (vec!["profile=ns2"], dsdv::Config::ns2()),
        (vec!["profile=ns2", "routing.dsdv.profile=perkins"], dsdv::Config::perkins()),
    ] {
        assert_eq!(config(&[vec!["routing.protocol=dsdv"], overrides].concat()), expected.into());
    }
}

#[test]
fn hold_times_and_jitter_follow_the_intervals_as_in_section_18() {
    let config = olsr(&["routing.olsr.hello_interval_s=1", "routing.olsr.tc_interval_s=3"]);
    let seconds = Duration::from_secs;
    assert_eq!((config.refresh_interval, config.neighbour_hold_time), (seconds(1), seconds(3)));
    assert_eq!((config.topology_hold_time, config.max_jitter), (seconds(9), Duration::from_millis(250)));
    let given = olsr(&["routing.olsr.hello_interval_s=1", "routing.olsr.neighbour_hold_time_s=8"]);
    assert_eq!(given.neighbour_hold_time, seconds(8));
    // The thesis' table stands as it is.
    let table = olsr(&["routing.olsr.profile=papanastasiou", "routing.olsr.tc_interval_s=3"]);
    assert_eq!(table, olsr::Config { tc_interval: seconds(3), ..olsr::Config::papanastasiou() });
    let rule = olsr(&["routing.olsr.hysteresis=true", "routing.olsr.hysteresis_low=0.2"]).hysteresis;
    assert_eq!(rule, Some(olsr::Hysteresis { low: 0.2, ..olsr::Hysteresis::default() }));
}

#[test]
fn what_cannot_be_is_refused() {
    let refused = |key: &str, reason: &str| {
        let lines = lines(CHAIN, &["routing.protocol=olsr", &format!("routing.{key}")]);
        assert!(lines.contains(reason), "{key}: {lines}");
    };
    refused("olsr.max_jitter_ms=2000", "must be shorter than hello_interval_s");
    refused("olsr.refresh_interval_s=1", "must not be shorter than hello_interval_s");
    refused("olsr.neighbour_hold_time_s=1", "must not be shorter than refresh_interval_s");
    refused("olsr.topology_hold_time_s=4", "must not be shorter than tc_interval_s");
    refused("olsr={hysteresis=true, hysteresis_low=0.9}", "must not exceed hysteresis_high");
    refused("olsr.willingness=8", "7");
    refused("olsr.tc_redundancy=3", "2");
    refused("olsr.neighbour_hold_time_s=5000", "3968");
    refused("olsr.profile=ns2", "profile");
    refused("olsr.signal_monitoring=true", "signal_monitoring");
    refused("olsr.fast_route_calculation=true", "fast_route_calculation");
    refused("dsdv.settling_weight=1.5", "settling_weight");
    refused("dsdv.profile=rfc", "profile");
}
