//! Link RED and adaptive pacing on long strings, with and without, on the same seeds.

use hopwright_link::{arp, lred};
use hopwright_machine::LossCause;
use hopwright_routing::aodv;
use hopwright_sim::{Report, Routing, Setup};

use crate::support::{outcome, string};

const SEEDS: u64 = 20;

fn over_aodv(hops: u32) -> Setup {
    let mut setup = string(hops, "newreno", 120.0, true);
    setup.routing = Routing::Found(aodv::Config::ns2().into());
    setup.mac.arp = Some(arp::Config::ns2());
    setup
}

fn reports(hops: u32, lred: Option<lred::Config>) -> Vec<Report> {
    let mut setup = over_aodv(hops);
    setup.mac.lred = lred;
    (1..=SEEDS).map(|seed| outcome(&setup, seed).report).collect()
}

/// Mean of the differences, and how many standard errors it is away from nothing.
fn paired(with: &[Report], without: &[Report], of: impl Fn(&Report) -> f64) -> (f64, f64) {
    let differences: Vec<f64> = with.iter().zip(without).map(|(a, b)| of(a) - of(b)).collect();
    let n = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let variance = differences.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / (n - 1.0);
    (mean, mean / (variance / n).sqrt())
}

fn goodput_bps(report: &Report) -> f64 {
    report.flows[0].tcp.as_ref().expect("TCP").goodput_bps
}

#[test]
fn on_a_long_string_link_red_gains_goodput_and_gives_up_less() {
    let without = reports(8, None);
    let with = reports(8, Some(lred::Config::default()));
    let (goodput, errors) = paired(&with, &without, goodput_bps);
    assert!(goodput > 0.0 && errors > 3.0, "{goodput} bit/s, {errors} standard errors");
    let (given_up, errors) = paired(&with, &without, |r| r.mac.failures.lost_packets as f64);
    assert!(given_up < 0.0 && errors < -3.0, "{given_up} packets given up, {errors} standard errors");
    let (false_breaks, errors) = paired(&with, &without, |r| r.routing.false_route_breaks as f64);
    assert!(false_breaks < 0.0 && errors < -3.0, "{false_breaks} false breaks, {errors} standard errors");
    for report in &with {
        let flow = &report.flows[0];
        assert!(flow.drops["link_red"] > 0, "{flow:?}");
        let acks = flow.tcp.as_ref().expect("TCP").ack_losses;
        assert!(
            flow.losses.of(LossCause::Contention) + acks.of(LossCause::Contention) >= flow.drops["link_red"],
            "contention is to blame: {flow:?}"
        );
    }
    assert!(without.iter().all(|r| !r.flows[0].drops.contains_key("link_red")));
}

#[test]
fn on_a_long_string_pacing_alone_gains_goodput_and_drops_nothing() {
    let without = reports(8, None);
    let with = reports(8, Some(lred::Config { signals: false, paces: true, ..lred::Config::default() }));
    let (goodput, errors) = paired(&with, &without, goodput_bps);
    assert!(goodput > 0.0 && errors > 3.0, "{goodput} bit/s, {errors} standard errors");
    assert!(with.iter().all(|r| !r.flows[0].drops.contains_key("link_red")));
}

#[test]
fn what_is_never_contended_is_left_alone() {
    let mut setup = string(1, "newreno", 20.0, false);
    let plain = outcome(&setup, 1).report;
    // On one hop an RTS meets an acknowledgement's now and then, but never on average.
    setup.mac.lred = Some(lred::Config { paces: true, ..lred::Config::default() });
    assert_eq!(outcome(&setup, 1).report, plain);
}
