//! Transports that keep a rate, whole: WTCP, STP and TFRC over shaped links.

use std::borrow::Cow;

use hopwright_machine::Time;
use hopwright_sim::{Options, Report, Simulation, Watch, run};

use crate::common::good;

fn text(seconds: u32, link: &str, transport: &str) -> String {
    format!(
        "duration_s = {seconds}\n[topology]\nkind = \"links\"\n[[links]]\nfrom = 0\nto = 1\n{link}\n[[flows]]\nfrom = 0\nto = 1\n\
         [flows.transport]\n{transport}\n[output]\nseries = []\n"
    )
}

fn report(seconds: u32, link: &str, transport: &str, seed: u64) -> Report {
    let setup = good(&text(seconds, link, transport), &[]).setup(seed).unwrap();
    run(&setup, seed, &Options::default(), &Watch::default()).expect("nobody cancels").report
}

/// Data segments and acknowledgements that left between two times.
fn left(link: &str, transport: &str, from_s: f64, to_s: f64) -> [u64; 2] {
    let setup = good(&text(60, link, transport), &[]).setup(1).unwrap();
    let mut simulation = Simulation::new(Cow::Owned(setup), 1, &Options::default());
    let mut counts = |until_s: f64| {
        simulation.advance(Time::from_secs_f64(until_s));
        let data = simulation.flow(0).sent;
        [data, simulation.ledger().frames - data]
    };
    let (before, after) = (counts(from_s), counts(to_s));
    [after[0] - before[0], after[1] - before[1]]
}

const LONG: &str = "rate_kbps = 10000\ndelay_ms = 100";

/// A quarter of a round trip is what acknowledgements make of it, with their wait: where the way takes 200 ms that is 25 ms
/// on average.
#[test]
fn four_tuned_acknowledgements_leave_in_a_round_trip() {
    let transport = "protocol = \"sack\"\nacking = \"tuned\"\nmax_burst_segments = 0\nwindow_limit_segments = 20";
    let [data, acks] = left(LONG, transport, 5.0, 15.0);
    assert!(data > 800, "{data}");
    assert!((175..=179).contains(&acks), "{acks}"); // one each 56.25 ms
}

/// Of 50 segments in a round trip one is answered.
#[test]
fn one_polled_acknowledgement_leaves_in_a_round_trip() {
    let transport = "protocol = \"sack\"\nacking = \"polled\"\nmax_burst_segments = 0\nwindow_limit_segments = 50";
    let [data, acks] = left(LONG, transport, 5.0, 15.0);
    assert!(data > 30 * acks, "{data} and {acks}");
    assert!((47..=50).contains(&acks), "{acks}");
}

/// A pair that comes 20 ms apart is 50 segments a second.
#[test]
fn a_packet_pair_gives_the_first_rate() {
    let link = "rate_kbps = 600\ndelay_ms = 200";
    let [data, _] = left(link, "protocol = \"wtcp\"", 1.5, 2.5);
    assert!((40..=52).contains(&data), "{data}");
    // What the receiver tells of the segments before does not take it back, whether equal distances let it grow or not.
    let [data, _] = left(link, "protocol = \"wtcp\"\nseparation_low = 0", 2.5, 6.5);
    assert!((4 * 35..=4 * 52).contains(&data), "{data}");
}

/// Through two seconds without an acknowledgement WTCP probes, and then goes on at the old rate.
#[test]
fn a_blackout_is_probed_and_costs_no_rate() {
    let link = |changes: &str| format!("rate_kbps = 1000\ndelay_ms = 50\n{changes}");
    let dark = "[[links.changes]]\nat_s = 20\nloss_percent = 100\n[[links.changes]]\nat_s = 22\nloss_percent = 0\n";
    let [data, _] = left(&link(dark), "protocol = \"wtcp\"", 20.8, 22.0);
    assert!(data <= 1, "{data} left in the dark");
    let [after, _] = left(&link(dark), "protocol = \"wtcp\"", 23.0, 28.0);
    let [without, _] = left(&link(""), "protocol = \"wtcp\"", 23.0, 28.0);
    assert!(after as f64 > 0.9 * without as f64, "{after} of {without}");
    let report = report(60, &link(dark), "protocol = \"wtcp\"", 1);
    let tcp = report.flows[0].tcp.as_ref().unwrap();
    // One after two round trips of silence, and one in each from then on; an answer ends it.
    assert!((10..=22).contains(&tcp.silence_probes.unwrap()), "{:?}", tcp.silence_probes);
}

/// A link of their own is filled, with and without losses of the channel but for TFRC, which takes all losses alike; and
/// what was sent and not lost arrives.
#[test]
fn a_rate_fills_a_link() {
    for protocol in ["tfrc", "wtcp", "stp"] {
        for (percent, least) in [(0.0, 0.9), (1.0, if protocol == "wtcp" { 0.7 } else { 0.2 })] {
            let link =
                format!("rate_kbps = 2000\ndelay_ms = 50\nloss_percent = {percent}\n[links.reverse]\nloss_percent = 0");
            let report = report(200, &link, &format!("protocol = \"{protocol}\""), 1);
            let share = report.flows[0].tcp.as_ref().unwrap().goodput_bps / 2e6;
            assert!(share > least, "{protocol} at {percent} %: {share}");
        }
    }
}
