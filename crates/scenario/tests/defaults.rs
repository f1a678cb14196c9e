//! Defaults: filled in, printed, switched by the profile, overridden one by one.

use std::collections::BTreeSet;

use hopwright_link as link;
use hopwright_machine::{Duration, NodeId, Time};
use hopwright_routing::aodv;
use hopwright_scenario::limits::{limit, limits};
use hopwright_scenario::model::{Interference, Mac, Profile, Tcp, Transport};
use hopwright_sim::{FlowKind, Routing};
use hopwright_transport::Params;

use crate::common::{CHAIN, good, lines};
use crate::samples::SAMPLES;

/// The parameters of AODV, if that is how routes are found.
fn aodv_of(routing: &Routing) -> Option<&aodv::Config> {
    match routing {
        Routing::Found(found) => match found.as_ref() {
            hopwright_routing::Config::Aodv(config) => Some(config),
            _ => None,
        },
        Routing::Static(_) => None,
    }
}

#[test]
fn what_is_printed_reads_as_the_same_and_prints_the_same() {
    for sample in SAMPLES.iter().chain(&[CHAIN]) {
        let scenario = good(sample, &[]).scenario;
        let printed = scenario.to_toml();
        let again = good(&printed, &[]).scenario;
        assert_eq!(again, scenario, "{printed}");
        assert_eq!(again.to_toml(), printed);
    }
}

#[test]
fn a_short_file_prints_in_full() {
    insta::assert_snapshot!(good(CHAIN, &[]).scenario.to_toml());
}

#[test]
fn a_short_file_prints_in_full_as_ns2_has_it() {
    insta::assert_snapshot!(good(CHAIN, &["profile=ns2", "routing.protocol=aodv"]).scenario.to_toml());
}

#[test]
fn defaults_are_those_of_the_layers() {
    let standard = good(CHAIN, &["routing.protocol=aodv"]).setup(1).unwrap();
    assert_eq!(standard.mac, link::Config::default());
    let radio = hopwright_radio::Config::default();
    assert_eq!(
        standard.radio,
        hopwright_radio::Config { transmit_power_mw: standard.radio.transmit_power_mw, ..radio }
    );
    assert!((standard.radio.transmit_power_mw - 281.838_15).abs() < 1e-3);
    let Some(config) = aodv_of(&standard.routing) else { panic!("{:?}", standard.routing) };
    // RFC 3561 has no such wait: `requests.rs`.
    let waiting = aodv::Config { request_jitter: config.request_jitter, ..aodv::Config::rfc() };
    assert_eq!(*config, waiting);
    let FlowKind::Tcp { params, bytes, .. } = &standard.flows[0].kind else { panic!("TCP is the default") };
    assert_eq!((params.as_ref(), bytes), (&Params::default(), &None));

    let ns2 = good(CHAIN, &["profile=ns2", "routing.protocol=aodv"]).setup(1).unwrap();
    assert_eq!(ns2.mac, link::Config { arp: Some(link::arp::Config::ns2()), ..link::Config::ns2() });
    for protocol in ["dsr", "olsr", "dsdv"] {
        let found = good(CHAIN, &["profile=ns2", &format!("routing.protocol={protocol}")]).setup(1).unwrap();
        assert_eq!(found.mac.arp, Some(link::arp::Config::ns2()), "{protocol}: ns-2 asks under every agent");
        let found = good(CHAIN, &[&format!("routing.protocol={protocol}")]).setup(1).unwrap();
        assert_eq!(found.mac.arp, None, "{protocol}");
    }
    let over_static_routes = good(CHAIN, &["profile=ns2"]).setup(1).unwrap();
    assert_eq!(over_static_routes.mac, link::Config::ns2());
    let asked_for = good(CHAIN, &["mac.arp=true"]).setup(1).unwrap();
    assert_eq!(asked_for.mac.arp, Some(link::arp::Config::default()));
    let Some(config) = aodv_of(&ns2.routing) else { panic!("{:?}", ns2.routing) };
    assert_eq!(*config, aodv::Config::ns2());
    let FlowKind::Tcp { params, .. } = &ns2.flows[0].kind else { panic!("TCP is the default") };
    assert_eq!(**params, Params::ns2());
}

/// A name, or a table; what the file leaves open follows from what it gives.
#[test]
fn powers_have_names_or_numbers() {
    use hopwright_radio::Powers;
    let powers = |setting: &str| good(CHAIN, &[setting]).setup(1).unwrap().radio.powers;
    assert_eq!(good(CHAIN, &[]).setup(1).unwrap().radio.powers, None);
    for (name, known) in [("wavelan", Powers::WAVELAN), ("lucent", Powers::LUCENT), ("ns2", Powers::NS2)] {
        assert_eq!(powers(&format!("radio.energy={name}")), Some(known));
    }
    let three = "radio.energy={ transmit_w = 2, receive_w = 1.5, idle_w = 1 }";
    assert_eq!(powers(three), Some(Powers::of(2.0, 1.5, 1.0)));
    let all = "radio.energy={ transmit_w = 6, receive_w = 5, overhear_w = 4, sense_w = 3, idle_w = 2, off_w = 1 }";
    let six = Powers { transmit_w: 6.0, receive_w: 5.0, overhear_w: 4.0, sense_w: 3.0, idle_w: 2.0, off_w: 1.0 };
    assert_eq!(powers(all), Some(six));
    // What a scenario prints in full is the same scenario.
    for setting in ["radio.energy=lucent", three, all] {
        let scenario = good(CHAIN, &[setting]).scenario;
        assert_eq!(good(&scenario.to_toml(), &[]).scenario, scenario, "{}", scenario.to_toml());
    }
}

#[test]
fn single_switches_override_the_profile() {
    let text = format!("profile = \"ns2\"\n{CHAIN}[mac]\nheader_bytes = 28\n[radio]\ninterference = \"all\"\n");
    let scenario = good(&text, &[]).scenario;
    assert_eq!((scenario.mac.header_bytes, scenario.mac.backoff_always), (28, true));
    assert_eq!(scenario.radio.interference, Interference::All);
    let back = good(&text, &["profile=standard"]).scenario;
    assert_eq!((back.run.profile, back.mac.header_bytes, back.mac.backoff_always), (Profile::Standard, 28, false));
    let mixed = good(CHAIN, &["profile=ns2", "routing.protocol=aodv", "routing.aodv.profile=rfc"]).scenario;
    assert_eq!(mixed.routing.aodv.unwrap().net_diameter, 35);
}

/// RFC 3561 §10 has other constants for nodes that hear nothing of lost links from the link layer.
#[test]
fn without_link_feedback_aodv_has_hellos() {
    let over = |more: &[&str]| {
        let settings = [&["routing.protocol=aodv"], more].concat();
        let aodv = good(CHAIN, &settings).scenario.routing.aodv.unwrap();
        (aodv.hello, aodv.active_route_timeout_s, aodv.my_route_timeout_s, aodv.delete_period_s, aodv.ttl_start)
    };
    assert_eq!(over(&[]), (Some(false), 10.0, 20.0, Some(50.0), 1));
    assert_eq!(over(&["routing.aodv.hello=true"]), (Some(true), 10.0, 20.0, Some(50.0), 2));
    assert_eq!(over(&["routing.aodv.link_feedback=false"]), (Some(true), 3.0, 6.0, Some(15.0), 2));
    let chosen =
        ["routing.aodv.link_feedback=false", "routing.aodv.active_route_timeout_s=4", "routing.aodv.ttl_start=1"];
    assert_eq!(over(&chosen), (Some(true), 4.0, 8.0, Some(20.0), 1));
    for (profile, feedback, timeout_s) in
        [("papanastasiou", false, 3.0), ("papanastasiou", true, 3.0), ("papanastasiou-trace", true, 5.0)]
    {
        let profile = format!("routing.aodv.profile={profile}");
        let (hello, active_route_timeout_s, ..) = over(&[&profile, &format!("routing.aodv.link_feedback={feedback}")]);
        assert_eq!((hello, active_route_timeout_s), (Some(!feedback), timeout_s), "{profile}");
    }
}

/// Tables 3.1 and A.1 of the thesis, and what it does not print from the RFC.
#[test]
fn the_thesis_has_two_profiles() {
    let config = |profile: &str| {
        let setup =
            good(CHAIN, &["routing.protocol=aodv", &format!("routing.aodv.profile={profile}")]).setup(1).unwrap();
        aodv_of(&setup.routing).expect("AODV was asked for").clone()
    };
    let full = config("papanastasiou");
    assert_eq!(full, aodv::Config::papanastasiou());
    let seconds = |d: hopwright_machine::Duration| d.as_secs_f64();
    assert_eq!((seconds(full.active_route_timeout), full.ttl_start, full.local_repair), (3.0, 2, true));
    assert_eq!((full.link_feedback, full.hello, full.gratuitous, full.rrep_ack), (true, false, false, false));
    assert_eq!((full.rreq_ratelimit, full.hello_always, seconds(full.hello_jitter)), (10, true, 0.0));
    let trace = config("papanastasiou-trace");
    assert_eq!(trace, aodv::Config::papanastasiou_trace());
    assert_eq!((seconds(trace.active_route_timeout), trace.ttl_start, trace.ttl_increment), (5.0, 2, 2));
    assert_eq!((trace.link_feedback, trace.hello, trace.local_repair, trace.gratuitous), (false, true, false, false));
    assert_eq!((seconds(trace.hello_interval), trace.allowed_hello_loss), (1.0, 2));
}

#[test]
fn derived_constants_follow_unless_given() {
    let shorter = ["routing.protocol=aodv", "routing.aodv.active_route_timeout_s=3"];
    let aodv = good(CHAIN, &shorter).scenario.routing.aodv.unwrap();
    assert_eq!((aodv.my_route_timeout_s, aodv.delete_period_s), (6.0, Some(15.0)));
    let given = [&shorter[..], &["routing.aodv.my_route_timeout_s=10"]].concat();
    assert_eq!(good(CHAIN, &given).scenario.routing.aodv.unwrap().my_route_timeout_s, 10.0);
    let settings = ["routing.protocol=aodv", "routing.aodv.node_traversal_time_ms=30", "routing.aodv.net_diameter=20"];
    let aodv = good(CHAIN, &[&settings[..], &["routing.aodv.hello_interval_s=20"]].concat()).scenario.routing.aodv;
    let aodv = aodv.unwrap();
    assert_eq!((aodv.max_repair_ttl, aodv.next_hop_wait_ms), (Some(6), Some(40.0)));
    assert_eq!((aodv.blacklist_timeout_s, aodv.path_discovery_time_ms), (Some(2.4), 2400.0));
    assert_eq!(aodv.delete_period_s, Some(100.0), "RFC 3561 §10: the longer of two times");
    let disc = good(CHAIN, &["radio.propagation=disc", "radio.reception_range_m=240"]).scenario;
    assert_eq!(disc.radio.carrier_sense_range_m, Some(240.0));
}

/// IEEE 802.11-2020 table 17-21 and clause 18; derived keys follow those that are given.
#[test]
fn a_physical_layer_sets_what_goes_with_it() {
    let mac = |settings: &[&str]| good(CHAIN, settings).scenario.mac;
    let times = |mac: &Mac| (mac.slot_us, mac.sifs_us, mac.difs_us, mac.preamble_us, mac.cw_min);
    let rates = |mac: &Mac| (mac.data_rate_mbps, mac.basic_rate_mbps);
    let a = mac(&["mac.phy=802.11a"]);
    assert_eq!((times(&a), rates(&a)), ((9.0, 16.0, 34.0, 20.0, 15), (24.0, 24.0)));
    let g = mac(&["mac.phy=802.11g", "mac.data_rate_mbps=18"]);
    assert_eq!((times(&g), rates(&g)), ((9.0, 10.0, 28.0, 20.0, 15), (18.0, 12.0)));
    let long = mac(&["mac.phy=802.11g", "mac.dcf.slot_us=20", "mac.basic_rate_mbps=6", "mac.cw_min=31"]);
    assert_eq!((times(&long), rates(&long)), ((20.0, 10.0, 50.0, 20.0, 31), (24.0, 6.0)));
    assert_eq!(mac(&["mac.phy=802.11g", "mac.slot_us=20", "mac.dcf.difs_us=28"]).difs_us, 28.0);
    let b = mac(&["mac.phy=802.11b", "mac.slot_us=9"]);
    assert_eq!((times(&b), rates(&b)), ((9.0, 10.0, 50.0, 192.0, 31), (2.0, 1.0)), "as it always was");
    // The full text of a scenario means the same.
    let printed = good(CHAIN, &["mac.phy=802.11g", "mac.slot_us=20"]).scenario.to_toml();
    assert_eq!(good(&printed, &[]).scenario.to_toml(), printed);
    let setup = good(CHAIN, &["mac.phy=802.11g", "mac.data_rate_mbps=54"]).setup(1).unwrap();
    let config = link::Config::ofdm(link::ofdm::Band::TwoGhz, 54_000_000);
    assert_eq!(setup.mac, link::Config { propagation_allowance: setup.mac.propagation_allowance, ..config });
    // A packet of 1500 bytes, and the six microseconds behind it.
    assert_eq!(setup.mac.air_time(1500 + setup.mac.header_bytes, 54_000_000), Duration::from_micros(248 + 6));
}

#[test]
fn overrides_reach_one_flow_or_all() {
    let two = format!("{CHAIN}[[flows]]\nfrom = 4\nto = 0\n");
    let protocols = |overrides: &[&str]| -> Vec<String> {
        good(&two, overrides).scenario.flows.iter().map(|f| f.transport.protocol().to_owned()).collect()
    };
    assert_eq!(protocols(&["flows.transport.protocol=reno"]), ["reno", "reno"]);
    assert_eq!(protocols(&["flows.1.transport.protocol=reno"]), ["newreno", "reno"]);
    assert_eq!(protocols(&["flows.1.transport.protocol=\"reno\""]), ["newreno", "reno"]);
    assert_eq!(protocols(&["flows.transport.protocol=reno", "flows.0.transport.protocol=tahoe"]), ["tahoe", "reno"]);
    let spaced = good(CHAIN, &["topology.spacing_m=150", "radio={ capture = 'any' }", "name=a-b"]).scenario;
    assert_eq!((spaced.run.name.as_str(), spaced.radio.capture_threshold_db), ("a-b", 10.0));
    let moved = "topology={ kind = 'positions', list = [[0, 0], [9, 9]] }";
    assert_eq!(good(CHAIN, &[moved, "flows.to=1"]).setup(1).unwrap().nodes.len(), 2);
}

#[test]
fn a_setup_has_the_units_of_the_layers() {
    let setup = good(SAMPLES[0], &[]).setup(7).unwrap();
    assert_eq!((setup.end, setup.warm_up), (Time::from_secs_f64(301.0), Time::from_secs_f64(1.5)));
    assert_eq!(setup.nodes.len(), 9);
    assert_eq!(setup.nodes[8].position(Time::ZERO).x_m, 1600.0);
    assert_eq!((setup.mac.data_rate_bps, setup.mac.preamble), (5_500_000, Duration::from_nanos(96_500)));
    let flow = &setup.flows[0];
    assert_eq!((flow.from, flow.to, flow.start), (NodeId(0), NodeId(8), Time::from_secs_f64(1.0)));
    let FlowKind::Tcp { recipe, params, .. } = &flow.kind else { panic!("TCP") };
    assert!(
        recipe.parts().contains(&("acking", "delayed")) && recipe.parts().contains(&("avoidance", "byte-counting"))
    );
    assert_eq!(params.min_rto, Duration::from_micros(250_500));
    let FlowKind::Tcp { bytes, .. } = setup.flows[1].kind else { panic!("TCP") };
    assert_eq!(bytes, Some(1_000_000));
}

#[test]
fn chance_follows_the_seed() {
    let drawn = good(SAMPLES[1], &[]);
    let ends = |seed| -> Vec<_> { drawn.setup(seed).unwrap().flows.iter().map(|f| (f.from, f.to)).collect() };
    assert_eq!(ends(1), ends(1));
    assert_ne!(ends(1), ends(2));
    assert!(ends(1).iter().all(|(from, to)| from != to));
    let FlowKind::Udp(source) = &drawn.setup(1).unwrap().flows[0].kind else { panic!("UDP") };
    assert_eq!((source.rate_bps, source.payload_bytes, source.jitter), (64e3, 160, 0.5));
}

#[test]
fn far_neighbours_are_given_time_to_answer() {
    let far = ["topology.spacing_m=2000", "radio.reception_range_m=3000", "radio.carrier_sense_range_m=3000"];
    assert_eq!(good(CHAIN, &far).setup(1).unwrap().mac.propagation_allowance, Duration::from_nanos(10_007));
}

#[test]
fn a_lost_way_is_nobodys_slip_where_chance_places_and_routes_are_sought() {
    let text = "duration_s = 5\ntopology = { kind = 'random', nodes = 3 }\narea = { width_m = 9e4, height_m = 9e4 }\n\
                [[flows]]\nfrom = 0\nto = 1\n";
    assert!(lines(text, &[]).contains("with seed 1"));
    good(text, &["routing.protocol=aodv"]);
}

#[test]
fn every_number_has_a_limit_and_every_limit_a_number() {
    let mut numbers = BTreeSet::new();
    for sample in SAMPLES {
        let printed: toml::Table = toml::from_str(&good(sample, &[]).scenario.to_toml()).unwrap();
        collect(&toml::Value::Table(printed), "", &mut numbers);
    }
    let of_transport: BTreeSet<String> = Tcp::parameter_names().map(|n| format!("flows.transport.{n}")).collect();
    for key in &numbers {
        assert!(limit(key).is_some() || of_transport.contains(key), "{key} has no limit");
    }
    for (table, limit) in limits() {
        let key = if table.is_empty() { limit.key.to_owned() } else { format!("{table}.{}", limit.key) };
        assert!(numbers.contains(&key), "no number {key}");
    }
}

fn collect(value: &toml::Value, key: &str, numbers: &mut BTreeSet<String>) {
    match value {
        toml::Value::Table(table) => {
            for (part, inner) in table {
                collect(inner, &if key.is_empty() { part.clone() } else { format!("{key}.{part}") }, numbers);
            }
        }
        toml::Value::Array(list) => list.iter().for_each(|inner| collect(inner, key, numbers)),
        toml::Value::Integer(_) | toml::Value::Float(_) => {
            numbers.insert(key.to_owned());
        }
        _ => {}
    }
}

#[test]
fn the_transports_defaults_are_within_its_own_limits() {
    for profile in [Profile::Standard, Profile::Ns2] {
        let mut params = Tcp::params_of_profile(profile);
        for name in Tcp::parameter_names() {
            let value = params.value(name).unwrap();
            assert_eq!(params.set(name, value), Ok(()), "{name}");
        }
    }
    let Transport::Tcp(tcp) = &good(CHAIN, &[]).scenario.flows[0].transport else { panic!("TCP") };
    assert!(tcp.slots.is_empty());
}

#[test]
fn the_end_of_a_flow_is_written_out_only_if_the_file_gives_it() {
    let printed = good(CHAIN, &[]).scenario.to_toml();
    assert!(!printed.contains("stop_s"), "{printed}");
    // Printed, and run for a longer and a shorter time: the flow lasts as long as the run.
    for duration_s in [300.0, 3.0] {
        let setup = good(&printed, &[&format!("duration_s={duration_s}")]).setup(1).unwrap();
        assert_eq!(setup.flows[0].stop, setup.end);
    }
    let printed = good(CHAIN, &["flows.stop_s=100"]).scenario.to_toml();
    assert!(printed.contains("stop_s = 100.0"), "{printed}");
}
