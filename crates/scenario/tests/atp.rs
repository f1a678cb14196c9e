//! ATP in scenario files: its keys, what is refused of them, and runs.

use hopwright_sim::stamps::delay;
use hopwright_sim::{FlowKind, Options, Report, Stamp, Watch, run};
use hopwright_transport::atp::Params;

use crate::common::{chain_with, good, lines};

fn chain(transport: &str) -> String {
    chain_with("to = 4\n", &format!("to = 4\n[flows.transport]\nprotocol = \"atp\"\n{transport}"))
}

fn report(text: &str, overrides: &[&str]) -> Report {
    let setup = good(text, overrides).setup(1).unwrap();
    run(&setup, 1, &Options::default(), &Watch::default()).expect("nobody cancels").report
}

#[test]
fn defaults_are_those_of_ends_and_stations() {
    let setup = good(&chain(""), &[]).setup(1).unwrap();
    let FlowKind::Atp { params, bytes: None } = &setup.flows[0].kind else { panic!("ATP") };
    assert_eq!(**params, Params::default());
    assert_eq!(setup.stamps, [Stamp::Delay(delay::Config::default())]);
    // The field is part of its own header.
    assert_eq!(setup.mac.header_bytes, good(&chain_with("to = 4", "to = 4"), &[]).setup(1).unwrap().mac.header_bytes);
}

#[test]
fn every_key_reaches_whom_it_is_for_and_is_printed() {
    let keys = "atp_segment_bytes = 512\natp_window_segments = 100\natp_epoch_s = 0.5\natp_phi = 0.2\natp_k = 4\n\
                atp_receiver_weight = 0.8\natp_sack_blocks = 10\natp_halve_epochs = 3\natp_probe_epochs = 4\n\
                atp_probe_fill_bytes = 512\natp_early_change = 0.2\natp_node_weight = 0.7\natp_probe_factor = 2\n\
                atp_idle_s = 0.2\natp_stale_s = 2\n";
    let loaded = good(&chain(keys), &["flows.app=file", "flows.bytes=77"]);
    let printed = loaded.scenario.to_toml();
    assert!(keys.lines().all(|line| printed.contains(&format!("{line}\n"))), "{printed}");
    assert_eq!(good(&printed, &[]).scenario, loaded.scenario);
    let setup = loaded.setup(1).unwrap();
    let FlowKind::Atp { params, bytes: Some(77) } = &setup.flows[0].kind else { panic!("a file over ATP") };
    let seconds = hopwright_machine::Duration::from_secs_f64;
    let expected = Params {
        segment_bytes: 512,
        window_segments: 100,
        epoch: seconds(0.5),
        phi: 0.2,
        k: 4.0,
        receiver_weight: 0.8,
        sack_blocks: 10,
        halve_epochs: 3,
        probe_epochs: 4,
        probe_fill_bytes: 512,
        early_change: 0.2,
    };
    assert_eq!(**params, expected);
    let stations = delay::Config { weight: 0.7, probe_factor: 2.0, idle: seconds(0.2), stale: seconds(2.0) };
    assert_eq!(setup.stamps, [Stamp::Delay(stations)]);
}

#[test]
fn what_is_wrong_is_said_where_it_stands() {
    let second = "[[flows]]\nfrom = 4\nto = 0\ntransport = { protocol = \"atp\", atp_node_weight = 0.5 }\n";
    let links = "duration_s = 9\n[topology]\nkind = \"links\"\n[[links]]\nfrom = 0\nto = 1\n[[flows]]\nfrom = 0\nto = 1\n\
                 transport = { protocol = \"atp\" }\n";
    let cases = [
        (chain("atp_phy = 1\n"), "a.toml:12:1: flows.0.transport.atp_phy: unknown key; did you mean 'atp_phi'?"),
        (chain("atp_k = 0\n"), "a.toml:12:9: flows.0.transport.atp_k: expected a number from 1 to 1000000, found 0"),
        (
            chain("atp_sack_blocks = 2.5\n"),
            "a.toml:12:19: flows.0.transport.atp_sack_blocks: expected a whole number, found 2.5",
        ),
        (
            chain("acking = \"every\"\n"),
            "a.toml:12:1: flows.0.transport.acking: has no effect: 'atp' is not composed of mechanisms",
        ),
        (
            chain(second),
            "a.toml:15:51: flows.1.transport.atp_node_weight: stations do the same for all flows: \
             flows.1.transport.atp_node_weight and flows.0.transport.atp_node_weight must be equal",
        ),
        (
            links.to_owned(),
            "a.toml:10:26: flows.0.transport.protocol: 'atp' needs information from stations of a wireless network; \
             shaped links do not give it",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(lines(&text, &[]).trim_end(), expected, "{text}");
    }
}

/// Beside TCC both facts are written, each in its place.
#[test]
fn it_runs_beside_tcp_and_datagrams() {
    let others = "[[flows]]\nfrom = 4\nto = 0\ntransport = { protocol = \"tcc\" }\n\
                  [[flows]]\nfrom = 0\nto = 4\napp = \"cbr\"\nrate_kbps = 20\n";
    let overrides = ["duration_s=30", "routing.protocol=aodv"];
    let report = report(&chain(others), &overrides);
    let [atp, tcc, datagrams] = &report.flows[..] else { panic!("three flows") };
    assert_eq!((atp.protocol.as_str(), tcc.protocol.as_str(), datagrams.protocol.as_str()), ("atp", "tcc", "udp"));
    assert!(atp.goodput_bps() > Some(5e3) && tcc.goodput_bps() > Some(5e3) && datagrams.received_bps > 5e3);
    let measured = atp.atp.expect("a flow over ATP");
    assert!(measured.openings > 0 && measured.mean_rate_pps < measured.mean_told_pps, "{measured:?}");
    let setup = good(&chain(others), &overrides).setup(1).unwrap();
    assert_eq!(setup.stamps.len(), 2);
}
