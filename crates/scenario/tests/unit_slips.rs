//! Numbers that look like those of another unit: taken, and told of.

use crate::common::{CHAIN, good};

fn slips(text: &str, settings: &[&str]) -> Vec<String> {
    good(text, settings).unit_slips().into_iter().map(|(_, line)| line).collect()
}

#[test]
fn what_looks_like_another_unit_is_told_with_what_to_write() {
    let told = [
        (
            "mac.data_rate_mbps=2000",
            "is 2000 Mb/s, but stations of 802.11b, a and g send at 1 to 54 Mb/s; if 2000 kb/s is meant, write 2",
        ),
        ("topology.spacing_m=0.2", "is 0.2 m, but a radio reaches 250 m; if 0.2 km is meant, write 200"),
        ("mac.slot_us=0.02", "is 0.02 µs, but the times of 802.11 are from 9 to 192 µs; if 0.02 ms is meant, write 20"),
        ("radio.frequency_mhz=2.4", "is 2.4 MHz, but 802.11 uses 2,400 to 5,900 MHz; if 2.4 GHz is meant, write 2400"),
        (
            "flows.transport.min_rto_ms=0.2",
            "is 0.2 ms, but timers of TCP are from 10 ms to minutes; if 0.2 s is meant, write 200",
        ),
        (
            "flows.transport.initial_rto_ms=1000000",
            "is 1000000 ms, but timers of TCP are from 10 ms to minutes; if 1000000 µs is meant, write 1000",
        ),
    ];
    for (setting, reason) in told {
        let [line] = &slips(CHAIN, &[setting])[..] else { panic!("not one line about {setting}") };
        assert!(line.ends_with(reason), "{setting}: {line}");
    }
}

#[test]
fn a_range_in_kilometres_leaves_no_way_but_is_told_where_nodes_are_near() {
    let settings = ["radio.reception_range_m=0.25", "radio.carrier_sense_range_m=0.55", "topology.spacing_m=0.2"];
    let lines = slips(CHAIN, &settings);
    assert_eq!(lines.len(), 2, "the nodes are as near as the radio says: {lines:?}");
    assert!(lines.iter().all(|line| line.contains("_range_m: is 0.")), "{lines:?}");
}

#[test]
fn a_source_that_offers_far_more_than_the_medium_carries() {
    let cbr = "duration_s = 10\ntopology = { kind = \"chain\", hops = 1 }\n\
               [[flows]]\napp = \"cbr\"\nfrom = 0\nto = 1\nrate_kbps = 64\ntransport = { protocol = \"udp\" }\n";
    assert_eq!(slips(cbr, &["flows.rate_kbps=19999"]), [""; 0], "it may be there to fill the medium");
    let lines = slips(cbr, &["flows.rate_kbps=64000"]);
    let reason = "is 64000 kb/s, but the medium carries 2000 kb/s; if 64000 b/s is meant, write 64";
    assert!(lines.len() == 1 && lines[0].ends_with(reason), "{lines:?}");
    assert_eq!(slips(cbr, &["flows.rate_kbps=64000", "mac.data_rate_mbps=54"]), [""; 0]);
}

#[test]
fn links_and_their_changes() {
    let text = "duration_s = 10\ntopology = { kind = \"links\" }\n[[links]]\nfrom = 0\nto = 1\ndelay_ms = 50000\n\
                [[links.changes]]\nat_s = 5\nbad_delay_ms = 20000\n[[flows]]\nfrom = 0\nto = 1\n";
    let lines = slips(text, &[]);
    assert!(lines[1].starts_with("a.toml:6:12: links.0.delay_ms: is 50000 ms, but"), "{lines:?}");
    assert!(lines[0].starts_with("a.toml:9:16: links.0.changes.0.bad_delay_ms: is 20000 ms"), "{lines:?}");
    assert_eq!(lines.len(), 2);
}

#[test]
fn a_key_is_told_of_once() {
    let two = format!("{CHAIN}[[flows]]\nfrom = 4\nto = 0\n");
    assert_eq!(slips(&two, &["flows.transport.min_rto_ms=0.2"]).len(), 1);
}

#[test]
fn what_studies_use_or_what_means_none_is_not_told() {
    for setting in [
        "mac.data_rate_mbps=600",
        "mac.data_rate_mbps=0.02",
        "mac.preamble_us=0",
        "topology.spacing_m=10",
        "flows.transport.min_rto_ms=0",
        "flows.transport.delayed_ack_ms=0",
        "flows.transport.min_rto_ms=10",
        "flows.transport.max_rto_s=240",
        "duration_s=100000",
        "seed=123456789",
    ] {
        assert_eq!(slips(CHAIN, &[setting]), [""; 0], "{setting}");
    }
    assert_eq!(slips(CHAIN, &["routing.protocol=aodv", "routing.aodv.active_route_timeout_s=100000"]), [""; 0]);
    assert_eq!(slips(CHAIN, &["routing.protocol=aodv", "routing.aodv.active_route_timeout_s=3000"]).len(), 1);
    // Defaults, written out, are no slips.
    assert_eq!(slips(&good(CHAIN, &[]).scenario.to_toml(), &[]), [""; 0]);
}

/// Each row of the list is about a key that scenarios have.
#[test]
fn every_scenario_of_the_repository_is_free_of_slips() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    for entry in std::fs::read_dir(folder).expect("scenarios").flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let loaded = hopwright_scenario::load(&path, &[]).unwrap_or_else(|errors| panic!("{errors}"));
            assert_eq!(loaded.unit_slips(), [], "{}", path.display());
        }
    }
}
