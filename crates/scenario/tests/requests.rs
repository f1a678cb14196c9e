//! `request_jitter_ms`: flows that begin in one instant find their routes (RFC 5148).

use hopwright_machine::Duration;
use hopwright_routing::{Config, aodv, dsr};
use hopwright_sim::{Options, Report, Routing, Watch, run};

use crate::common::{good, lines};

/// The ends of a string of two hops, which do not hear each other, ask at once; the node between hears both.
const AT_ONCE: &str = "duration_s = 60\ntopology = { kind = \"chain\", hops = 2, spacing_m = 240 }\n\
                       [[flows]]\nfrom = 0\nto = 2\nstart_s = 1\n[[flows]]\nfrom = 2\nto = 0\nstart_s = 1\n\
                       [output]\nseries = []\n";

fn report(overrides: &[&str], seed: u64) -> Report {
    let setup = good(AT_ONCE, overrides).setup(seed).expect("a setup");
    run(&setup, seed, &Options::default(), &Watch::default()).expect("nobody cancels").report
}

fn config(overrides: &[&str]) -> Config {
    match good(AT_ONCE, overrides).setup(1).expect("a setup").routing {
        Routing::Found(config) => *config,
        other => panic!("{other:?}"),
    }
}

#[test]
fn flows_that_begin_in_one_instant_find_their_routes() {
    for protocol in ["aodv", "dsr"] {
        let routing = format!("routing.protocol={protocol}");
        for seed in 1..=5 {
            let found = report(&[&routing], seed);
            assert!(found.flows.iter().all(|flow| flow.received_bps > 50e3), "{protocol}, seed {seed}");
        }
        // Without it each request meets the other's, however often they ask.
        let none = format!("routing.{protocol}.request_jitter_ms=0");
        let lost = report(&[&routing, &none], 1);
        assert!(lost.flows.iter().all(|flow| flow.received_bps == 0.0), "{protocol}: {:?}", lost.flows);
    }
}

#[test]
fn only_the_standards_wait() {
    let ten = Duration::from_millis(10);
    let aodv = |overrides: &[&str]| config(&[&["routing.protocol=aodv"], overrides].concat());
    let dsr = |overrides: &[&str]| config(&[&["routing.protocol=dsr"], overrides].concat());
    assert_eq!(aodv(&[]), aodv::Config { request_jitter: ten, ..aodv::Config::rfc() }.into());
    assert_eq!(dsr(&[]), Config::Dsr(dsr::Config { request_jitter: ten, ..dsr::Config::rfc() }));
    assert_eq!(aodv(&["profile=ns2"]), aodv::Config::ns2().into());
    assert_eq!(aodv(&["routing.aodv.profile=papanastasiou"]), aodv::Config::papanastasiou().into());
    assert_eq!(aodv(&["routing.aodv.profile=papanastasiou-trace"]), aodv::Config::papanastasiou_trace().into());
    assert_eq!(dsr(&["profile=ns2"]), Config::Dsr(dsr::Config::ns2()));
    assert_eq!(dsr(&["routing.dsr.profile=papanastasiou"]), Config::Dsr(dsr::Config::papanastasiou()));
    let refused = lines(AT_ONCE, &["routing.protocol=aodv", "profile=ns2", "routing.aodv.request_jitter_ms=5"]);
    assert!(refused.contains("request_jitter_ms"), "{refused}");
}
