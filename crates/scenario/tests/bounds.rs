//! What keeps a run finite, and what a scenario costs to read: limits, what follows from other keys, hostile files.

use std::collections::BTreeSet;

use hopwright_scenario::limits::limits;
use hopwright_scenario::model::{Aodv, Dsdv, Dsr, Olsr, RoutingTable};
use toml::{Table, Value};

use crate::common::{CHAIN, chain_with, good, lines, read};

const HOPS: &str = "hops = 4\n";

/// Nanoseconds of a key's unit; none if it is no time.
fn nanoseconds(key: &str) -> Option<f64> {
    [("_s", 1e9), ("_ms", 1e6), ("_us", 1e3)].iter().find(|(unit, _)| key.ends_with(unit)).map(|(_, ns)| *ns)
}

#[test]
fn no_time_may_round_to_nothing_but_zero() {
    let mut seen = 0;
    for (_, limit) in limits() {
        let Some(unit) = nanoseconds(limit.key) else { continue };
        seen += 1;
        let least_ns = limit.least * unit;
        assert!(limit.inclusive && (least_ns == 0.0 || least_ns >= 1.0 - 1e-9), "{limit:?}");
    }
    assert!(seen > 60, "only {seen} times were looked at");
}

/// A protocol that does something for ever does so at most a thousand times a second.
#[test]
fn periods_let_time_pass() {
    for (key, protocol) in [
        ("routing.aodv.hello_interval_s", "aodv"),
        ("routing.olsr.hello_interval_s", "olsr"),
        ("routing.olsr.tc_interval_s", "olsr"),
        ("routing.dsdv.update_interval_s", "dsdv"),
    ] {
        let protocol = format!("routing.protocol={protocol}");
        let told = lines(CHAIN, &[&protocol, &format!("{key}=1e-10")]);
        assert!(told.contains(&format!("{key}: must be from 0.001 to")), "{told}");
    }
    let ns2 = ["routing.protocol=aodv", "routing.aodv.profile=ns2", "routing.aodv.purge_interval_ms=1e-7"];
    assert!(lines(CHAIN, &ns2).contains("purge_interval_ms: must be from 1 to"));
    let source = "to = 4\napp = \"cbr\"\nrate_kbps = 1e8\npayload_bytes = 1\n";
    let told = lines(&chain_with("to = 4\n", source), &[]);
    assert!(told.contains("flows.0.rate_kbps: 100000000 kb/s with payload_bytes = 1 is one datagram every"), "{told}");
    let pauses = "to = 4\napp = \"onoff\"\nrate_kbps = 100\non_s = 1e-12\noff_s = 0\n";
    assert!(lines(&chain_with("to = 4\n", pauses), &[]).contains("flows.0.on_s: must be from 0.000001"));
}

#[test]
fn what_follows_from_a_key_and_is_out_of_range_is_refused_at_that_key() {
    let cases = [
        (
            "olsr.tc_interval_s=1500",
            "--set routing.olsr.tc_interval_s=1500: routing.olsr.tc_interval_s: the default of topology_hold_time_s \
             follows from this key, and must be from 0.000001 to 3968, found 4500; give topology_hold_time_s, too, or \
             change this key\n",
        ),
        (
            "olsr.hello_interval_s=3000",
            "routing.olsr.hello_interval_s: the default of neighbour_hold_time_s follows from this key",
        ),
        (
            "aodv.active_route_timeout_s=1e6",
            "routing.aodv.active_route_timeout_s: the default of my_route_timeout_s follows from this key",
        ),
        (
            "aodv.node_traversal_time_ms=1e6",
            "routing.aodv.node_traversal_time_ms: the default of next_hop_wait_ms follows from this key",
        ),
    ];
    for (set, told) in cases {
        let protocol = format!("routing.protocol={}", &set[..4]);
        let found = lines(CHAIN, &[&protocol, &format!("routing.{set}")]);
        assert!(found.contains(told), "{found}");
    }
    // Whoever gives both may have the one; and of two mistakes the one that is made is told.
    let olsr = ["routing.protocol=olsr", "routing.olsr.tc_interval_s=1500", "routing.olsr.topology_hold_time_s=3000"];
    good(CHAIN, &olsr);
    let beyond = lines(CHAIN, &["routing.protocol=olsr", "routing.olsr.tc_interval_s=5000"]);
    assert_eq!(beyond.lines().count(), 1, "{beyond}");
}

/// Which keys of a protocol's table change when one is given, against what the table says of itself.
fn compare_what_follows<T: RoutingTable>() -> usize {
    let table = |overrides: &[&str]| -> Option<Table> {
        let protocol = format!("routing.protocol={}", T::NAME);
        let loaded = read(CHAIN, &[&[protocol.as_str()], overrides].concat()).ok()?;
        let printed: Table = loaded.scenario.to_toml().parse().ok()?;
        printed["routing"].get(T::NAME)?.as_table().cloned()
    };
    let usual = table(&[]).expect("defaults are right");
    let mut seen = 0;
    for (key, value) in usual.iter().filter(|(key, _)| *key != "profile") {
        let others = match value {
            Value::Boolean(b) => vec![(!b).to_string()],
            Value::Integer(n) => vec![(n + 1).to_string(), (n * 2).to_string()],
            Value::Float(x) => vec![format!("{:?}", x * 1.1), format!("{:?}", x * 2.0), format!("{:?}", x / 2.0)],
            _ => continue,
        };
        for other in others {
            let Some(changed) = table(&[&format!("routing.{}.{key}={other}", T::NAME)]) else { continue };
            for (name, value) in changed.iter().filter(|(name, value)| *name != key && usual.get(*name) != Some(*value))
            {
                seen += 1;
                let mut sources: BTreeSet<&str> = BTreeSet::from([name.as_str()]);
                for _ in 0..T::FOLLOWS.len() {
                    let more = T::FOLLOWS.iter().filter(|(name, _)| sources.contains(name));
                    let more: Vec<&str> = more.flat_map(|(_, from)| *from).copied().collect();
                    sources.extend(more);
                }
                assert!(
                    sources.contains(key.as_str()),
                    "{name} becomes {value} with {key}, which FOLLOWS does not say"
                );
            }
        }
    }
    seen
}

#[test]
fn the_tables_say_what_follows_from_what() {
    assert!(compare_what_follows::<Aodv>() > 10);
    assert!(compare_what_follows::<Olsr>() > 4);
    assert!(compare_what_follows::<Dsr>() > 0);
    compare_what_follows::<Dsdv>();
}

/// A parameter that nobody reads is printed if the file gives it another value than it has by itself: there, not
/// elsewhere.
#[test]
fn a_parameter_that_nobody_reads_keeps_its_value_in_either_profile() {
    for (profile, value) in [("ns2", "false"), ("ns2", "true"), ("standard", "true"), ("standard", "false")] {
        let set = format!("flows.transport.delays_acks_of_repeats={value}");
        let loaded = good(CHAIN, &[&format!("profile={profile}"), &set]);
        let printed = loaded.scenario.to_toml();
        let again = good(&printed, &[]);
        assert_eq!(again.scenario, loaded.scenario, "{profile}, {value}");
        assert_eq!(again.scenario.to_toml(), printed, "{profile}, {value}");
    }
    let ns2 = good(&good(CHAIN, &["profile=ns2"]).scenario.to_toml(), &[]);
    assert_eq!(ns2.idle_parameters(), [], "nobody gave them");
}

#[test]
fn a_seed_is_held_to_its_limit_exactly() {
    good(CHAIN, &["seed=9007199254740992"]);
    let told = lines(CHAIN, &["seed=9007199254740993"]);
    assert!(told.contains("seed: must be from 0 to 9007199254740992, found 9007199254740993"), "{told}");
    assert!(lines(CHAIN, &["seed=9223372036854775807"]).contains("seed: must be from 0"));
    let file = chain_with("to = 4\n", "to = 4\napp = \"file\"\nbytes = 9007199254740993\n");
    assert!(lines(&file, &[]).contains("flows.0.bytes: must be from 1 to 9007199254740992"));
}

#[test]
fn a_name_fits_into_a_folders() {
    good(CHAIN, &[&format!("name={}", "x".repeat(200))]);
    let told = lines(CHAIN, &[&format!("name={}", "x".repeat(201))]);
    assert!(told.contains("at most 200 bytes, found 201"), "{told}");
    assert!(lines(CHAIN, &[&format!("name={}", "ü".repeat(101))]).contains("found 202"));
    for odd in ["\\u0007", "\\u007f", "\\u0085", "\\r"] {
        assert!(lines(CHAIN, &[&format!("name=\"a{odd}b\"")]).contains("control characters"), "{odd}");
    }
    good(CHAIN, &["name=\"\\u00ff\""]);
}

#[test]
fn more_entries_than_ports_or_patience_are_refused_at_once() {
    let flows = CHAIN.to_owned() + &"[[flows]]\nfrom = 0\nto = 4\n".repeat(28_000);
    assert_eq!(lines(&flows, &[]), "a.toml:7:1: flows: 28001 entries are more than the 28000 allowed\n");
    let drawn = chain_with("\"chain\"\nhops = 4", "\"random\"\nnodes = 500\n[area]\nwidth_m = 10\nheight_m = 10\n");
    let drawn = drawn.replace("from = 0\nto = 4\n", "pairs = \"random\"\ncount = 10000\n");
    let drawn = drawn + &"[[flows]]\npairs = \"random\"\ncount = 10000\n".repeat(2);
    let told = lines(&drawn, &["routing.protocol=aodv"]);
    assert!(
        told.contains("flows.2.count: with this entry there are 30000 flows: there are ports for at most 28000 flows"),
        "{told}"
    );
    let parallel = CHAIN.replace("from = 0\n", "from = 0\nparallel = 10000\n");
    let parallel = parallel + &"[[flows]]\nfrom = 0\nto = 1\nparallel = 10000\n".repeat(2);
    let told = lines(&parallel, &[]);
    assert!(
        told.contains(
            "flows.2.parallel: with this entry there are 30000 flows: there are ports for at most 28000 flows"
        ),
        "{told}"
    );
    let events = chain_with(HOPS, HOPS) + &"[[events]]\nat_s = 1\nnode = 1\ndo = \"up\"\n".repeat(100_001);
    assert!(lines(&events, &[]).contains("events: 100001 entries are more than the 100000 allowed"));
}

#[test]
fn hostile_texts_are_refused_in_few_words() {
    let long = "k".repeat(1_000_000);
    let unknown: String = (0..50_000).map(|n| format!("k{n} = 1\n")).collect();
    let nested = format!(
        "{}\"{long}\".x = 1\n",
        (0..1_000).map(|n| format!("\"{}\".k{n} = 1\n", "t".repeat(1_000))).collect::<String>()
    );
    let listed = format!("output.pcap = {:?}\n", (0..100_000).collect::<Vec<_>>());
    for text in [
        format!("{long} = 1\n{CHAIN}"),
        format!("name = \"{long}\"\n{CHAIN}"),
        chain_with("\"chain\"", &format!("\"{long}\"")),
        chain_with("to = 4\n", &format!("to = 4\n{long} = 1\n")),
        chain_with("to = 4\n", &format!("to = 4\ntransport.protocol = \"{long}\"\n")),
        chain_with("to = 4\n", &format!("to = 4\ntransport.acking = \"{long}\"\n")),
        chain_with("to = 4\n", &format!("to = 4\ntransport.granularity_mode = \"{long}\"\n")),
        chain_with(HOPS, &format!("hops = 4\n[radio]\npropagation = \"{long}\"\n")),
        chain_with(HOPS, &format!("hops = 4\n[radio]\nenergy = \"{long}\"\n")),
        format!("{unknown}{CHAIN}"),
        format!("{nested}{CHAIN}"),
        format!("{listed}{CHAIN}"),
    ] {
        let errors = read(&text, &[]).expect_err("nothing of this is right");
        let told = errors.errors();
        assert!(told.len() <= 100, "{} errors", told.len());
        for error in told {
            assert!(error.to_string().len() < 3_000 && error.line > 0, "{} bytes", error.to_string().len());
        }
        let shown = errors.render(false).len();
        assert!(shown < 1_100_000, "{shown} bytes are shown");
    }
}

#[test]
fn a_model_that_turns_too_often_says_by_which_key() {
    let moving = |mobility: &str| {
        let nodes = format!("\"random\"\nnodes = 100\n[mobility]\n{mobility}");
        lines(&chain_with("\"chain\"\nhops = 4", &nodes), &["routing.protocol=aodv", "duration_s=1e4"])
    };
    for (model, key) in [
        ("model = \"random-walk\"\nleg_s = 0.01\n", "leg_s"),
        ("model = \"random-walk\"\nleg_m = 0.01\n", "leg_m"),
        ("model = \"random-walk\"\nmax_speed_mps = 10000\n", "max_speed_mps"),
        ("model = \"random-waypoint\"\nmax_speed_mps = 10000\n", "max_speed_mps"),
        ("model = \"gauss-markov\"\nupdate_interval_s = 0.01\n", "update_interval_s"),
        ("model = \"manhattan\"\nupdate_interval_s = 0.01\n", "update_interval_s"),
        ("model = \"reference-point-group\"\nupdate_interval_s = 0.01\n", "update_interval_s"),
    ] {
        let told = moving(model);
        let wanted = format!("at most 1e7 are possible: most of them come from {key}");
        assert!(told.contains(&format!("mobility.{key}: about")) && told.contains(&wanted), "{told}");
    }
}
