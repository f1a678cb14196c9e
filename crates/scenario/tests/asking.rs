//! Receivers that ask for their data, over links and over a wireless string (Velayutham 2005 §3.2.5).

use std::borrow::Cow;

use hopwright_machine::{LossCause, Time};
use hopwright_sim::{Options, Report, Simulation, Watch, run};

use crate::common::good;

fn text(link: &str, transport: &str) -> String {
    format!(
        "duration_s = 300\n[topology]\nkind = \"links\"\n[[links]]\nfrom = 0\nto = 1\n{link}\n[[flows]]\nfrom = 0\nto = 1\n\
         [flows.transport]\nprotocol = \"newreno\"\n{transport}\n[output]\nseries = []\n"
    )
}

fn report(text: &str, seed: u64) -> Report {
    let setup = good(text, &[]).setup(seed).unwrap();
    run(&setup, seed, &Options::default(), &Watch::default()).expect("nobody cancels").report
}

fn goodput(link: &str, transport: &str, seed: u64) -> f64 {
    report(&text(link, transport), seed).flows[0].tcp.as_ref().unwrap().goodput_bps
}

const ASKS: &str = "place = \"receiver\"";

/// As full a link as a sender fills, less eight bytes of option in each segment.
#[test]
fn requests_fill_a_link() {
    for kbps in [100, 2_000, 20_000] {
        let share = goodput(&format!("rate_kbps = {kbps}\ndelay_ms = 5"), ASKS, 1) / (f64::from(kbps) * 1e3);
        let full = 1452.0 / 1500.0;
        assert!((0.995 * full..=full).contains(&share), "{kbps} kb/s: {share}");
    }
}

/// A receiver uses its whole window, as a sender does: what the application has ready is enough for both.
#[test]
fn a_long_link_is_filled_as_far_as_the_window_reaches() {
    let link = "rate_kbps = 20000\ndelay_ms = 50\nqueue_packets = 500";
    let (receiver, sender) = (goodput(link, ASKS, 1), goodput(link, "segment_bytes = 1452", 1));
    assert!((0.97..=1.01).contains(&(receiver / sender)), "{receiver} and {sender}");
}

/// Requests that overtake each other are answered all the same, with timestamps, too.
#[test]
fn overtaken_requests_are_answered() {
    let run = |transport: &str| {
        let text = format!(
            "duration_s = 60\n[topology]\nkind = \"links\"\n[[links]]\nfrom = 0\nto = 1\nrate_kbps = 2000\ndelay_ms = 50\n\
             directions = \"one-way\"\nqueue_packets = 200\n[[links]]\nfrom = 1\nto = 0\nrate_kbps = 20000\ndelay_ms = 50\n\
             jitter_percent = 16\nreorder = true\ndirections = \"one-way\"\n[[flows]]\nfrom = 0\nto = 1\n\
             [flows.transport]\nprotocol = \"sack\"\n{ASKS}\n{transport}\n[output]\nseries = []\n"
        );
        report(&text, 1).flows[0].tcp.as_ref().unwrap().goodput_bps
    };
    let (without, with) = (run("timestamps = false"), run("timestamps = true"));
    assert!(with > 0.9 * without, "{with} and {without}");
}

/// A handshake that takes longer than the warm-up leaves nothing below zero.
#[test]
fn what_is_counted_only_grows() {
    let text = format!(
        "duration_s = 60\nwarm_up_s = 8\n[topology]\nkind = \"links\"\n[[links]]\nfrom = 0\nto = 1\nrate_kbps = 2000\ndelay_ms = 5\n\
         directions = \"one-way\"\n[[links]]\nfrom = 1\nto = 0\nrate_kbps = 2000\ndelay_ms = 5\ndirections = \"one-way\"\n\
         loss_percent = 99.9\n[[links.changes]]\nat_s = 10\nloss_percent = 0\n[[flows]]\nfrom = 0\nto = 1\n\
         [flows.transport]\nprotocol = \"newreno\"\n{ASKS}\n[output]\nseries = []\n"
    );
    assert!(report(&text, 1).flows[0].tcp.as_ref().unwrap().goodput_segments > 5_000);
}

/// A mechanism that works where data come does so when a trigger has set it.
#[test]
fn a_trigger_sets_what_works_where_data_come() {
    let trigger = format!(
        "{ASKS}\n[[flows.transport.triggers]]\nwhen = [{{ monitor = \"loss\", above = 0.5, until = 0.1 }}]\nset = {{ diagnosis = \
         \"eln\", response = \"spare\" }}\n"
    );
    let report = report(&text("rate_kbps = 2000\ndelay_ms = 50\nloss_percent = 2", &trigger), 1);
    let diagnoses = &report.flows[0].tcp.as_ref().unwrap().diagnoses;
    assert!(diagnoses.get("channel_as_channel").is_some_and(|&count| count > 100), "{diagnoses:?}");
}

/// A lost request and lost data look the same: an exchange is lost with probability 1 - (1 - p)^2. A sender loses its data
/// alone, if acknowledgements pass. Both have the same goodput then.
#[test]
fn an_exchange_is_lost_both_ways() {
    let mean = |link: &str, transport: &str| (1..=8).map(|seed| goodput(link, transport, seed)).sum::<f64>() / 8.0;
    for percent in [1.0, 3.0] {
        let there_and_back = mean(&format!("delay_ms = 50\nloss_percent = {percent}"), ASKS);
        let p = percent / 100.0;
        let joined = 100.0 * (1.0 - (1.0 - p) * (1.0 - p));
        let there = format!(
            "directions = \"one-way\"\ndelay_ms = 50\nloss_percent = {joined}\n[[links]]\nfrom = 1\nto = 0\n\
             directions = \"one-way\"\ndelay_ms = 50\n"
        );
        let ratio = there_and_back / mean(&there, "segment_bytes = 1452");
        assert!((0.93..1.07).contains(&ratio), "{percent} %: {ratio}");
    }
}

/// What is reported is of the end that decides: its windows, round trips, time-outs, losses; and nothing is asked for twice
/// for nothing where nothing is late.
#[test]
fn results_are_of_the_end_that_asks() {
    let report = report(&text("rate_kbps = 2000\ndelay_ms = 50\nloss_percent = 2\nqueue_packets = 200", ASKS), 1);
    let flow = &report.flows[0];
    let tcp = flow.tcp.as_ref().unwrap();
    assert!(tcp.mean_cwnd_segments > 4.0 && tcp.retransmissions > 100, "{tcp:?}");
    assert!((0.1..0.13).contains(&tcp.mean_rtt_s.unwrap()), "{tcp:?}");
    // What was not needless is what was lost, there or back, but for what was under way at the end.
    let lost = flow.losses.of(LossCause::Channel) + tcp.ack_losses.of(LossCause::Channel);
    assert!(
        lost.abs_diff(tcp.retransmissions - tcp.spurious_retransmissions) < 20
            && tcp.spurious_retransmissions < tcp.retransmissions / 5,
        "{lost}: {tcp:?}"
    );
    assert!(tcp.ack_losses.of(LossCause::Channel) > 0 && flow.segments_sent > 3_000);
}

/// A table of triggers works at the receiver, on what it measures and on what it is told; a hand-over is seen there.
#[test]
fn triggers_work_at_the_receiver() {
    let trigger = |when: &str| {
        format!(
            "{ASKS}\n[[flows.transport.triggers]]\nwhen = [{{ {when} }}]\nset = {{ avoidance = \"vegas\", diagnosis = \
             \"blame-channel\", response = \"spare\" }}\n"
        )
    };
    let link = "rate_kbps = 2000\ndelay_ms = 50\nloss_percent = 3\n[[links.changes]]\nat_s = 100\nnetwork = 1\n";
    for (when, told) in [
        ("monitor = \"loss\", above = 2.0, until = 1.5", ""),
        ("monitor = \"loss\", above = 2.0, until = 1.5", "monitor_source = \"told\"\n"),
        ("monitor = \"interface\", equals = 1", ""),
    ] {
        let setup = good(&text(link, &(told.to_owned() + &trigger(when))), &[]).setup(1).unwrap();
        let mut simulation = Simulation::new(Cow::Owned(setup), 1, &Options::default());
        assert!(simulation.mechanisms(0).any(|part| part == ("avoidance", "additive")));
        simulation.advance(Time::from_secs_f64(99.9));
        let is_vegas =
            |simulation: &Simulation<'_>| simulation.mechanisms(0).any(|part| part == ("avoidance", "vegas"));
        assert_eq!(is_vegas(&simulation), !when.contains("interface"), "{when} {told}");
        simulation.advance(Time::from_secs_f64(100.1));
        assert!(is_vegas(&simulation), "{when} {told}");
        let report = simulation.finish().report;
        assert_eq!(report.flows[0].tcp.as_ref().unwrap().adaptation.as_ref().unwrap().changes, 1);
    }
}

/// Mechanisms are swapped at the receiver.
#[test]
fn a_swap_from_outside_reaches_the_receiver() {
    let setup = good(&text("rate_kbps = 2000\ndelay_ms = 50", ASKS), &[]).setup(1).unwrap();
    let mut simulation = Simulation::new(Cow::Owned(setup), 1, &Options::default());
    for (at_s, part, was) in [(0.0, "veno", "additive"), (10.0, "vegas", "veno")] {
        simulation.advance(Time::from_secs_f64(at_s));
        assert_eq!(simulation.swap(0, &[("avoidance", part)]).unwrap(), [was]);
        assert!(simulation.mechanisms(0).any(|known| known == ("avoidance", part)));
    }
    let error = simulation.swap(0, &[("acking", "delayed")]).unwrap_err().to_string();
    assert!(error.contains("has nothing to do where the receiver asks"), "{error}");
    simulation.advance(Time::from_secs_f64(60.0));
    assert!(simulation.flow(0).sender.unwrap().cwnd > 20_000.0);
}

/// Over a wireless string a transfer of known length arrives whole, with either profile.
#[test]
fn a_transfer_over_a_string_arrives_whole() {
    for profile in ["standard", "ns2"] {
        let text = format!(
            "duration_s = 300\nprofile = \"{profile}\"\n[topology]\nkind = \"chain\"\nhops = 3\nspacing_m = 200\n[[flows]]\n\
             from = 0\nto = 3\napp = \"file\"\nbytes = 500000\n[flows.transport]\nprotocol = \"newreno\"\n{ASKS}\n"
        );
        let report = report(&text, 1);
        let flow = &report.flows[0];
        assert_eq!(flow.tcp.as_ref().unwrap().goodput_segments, 500_000 / 1460, "{profile}");
        assert_eq!((flow.received_bps * flow.measured_s / 8.0).round(), 500_000.0, "{profile}");
    }
}
