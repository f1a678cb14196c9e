//! Keys of routing protocols that would do nothing are refused, and so are settings under which no lost link is
//! noticed.

use hopwright_routing::{Config, aodv, dsr};
use hopwright_sim::Routing;

use crate::common::{CHAIN, good, lines, read};

fn with<'a>(protocol: &'a str, settings: &[&'a str]) -> Vec<String> {
    let own = settings.iter().map(|setting| format!("routing.{protocol}.{setting}"));
    std::iter::once(format!("routing.protocol={protocol}")).chain(own).collect()
}

fn refusals(protocol: &str, settings: &[&str]) -> String {
    let settings = with(protocol, settings);
    lines(CHAIN, &settings.iter().map(String::as_str).collect::<Vec<_>>())
}

fn config(protocol: &str, settings: &[&str]) -> Config {
    let settings = with(protocol, settings);
    match good(CHAIN, &settings.iter().map(String::as_str).collect::<Vec<_>>()).setup(1).expect("a setup").routing {
        Routing::Found(config) => *config,
        other => panic!("{other:?}"),
    }
}

/// What makes the last key idle, and what would make use of it.
const IDLE: &[(&str, &[&str], &str)] = &[
    ("dsr", &["network_acks=true"], "link_layer_feedback = false"),
    ("dsr", &["passive_acks=true"], "link_layer_feedback = false"),
    ("dsr", &["max_maint_rexmt=3"], "link_layer_feedback = false"),
    ("dsr", &["maint_holdoff_ms=100"], "link_layer_feedback = false"),
    ("dsr", &["try_passive_acks=2"], "link_layer_feedback = false"),
    ("dsr", &["passive_ack_timeout_ms=50"], "link_layer_feedback = false"),
    ("dsr", &["maintenance_buffer_packets=5"], "link_layer_feedback = false"),
    ("dsr", &["profile=papanastasiou", "link_layer_feedback=true", "passive_acks=true"], "link_layer_feedback = false"),
    ("dsr", &["link_layer_feedback=false", "network_acks=true", "try_passive_acks=2"], "passive_acks = true"),
    ("dsr", &["route_cache_timeout_s=60"], "cache = path or link-static"),
    ("dsr", &["cache_paths=9"], "cache = path"),
    ("dsr", &["profile=papanastasiou", "cache_paths=9"], "cache = path"),
    ("dsr", &["profile=papanastasiou", "init_stability_s=9"], "cache = link"),
    ("dsr", &["cache=path", "flush_link_cache=true"], "cache = link or link-static"),
    ("dsr", &["cache=path", "cache_links=9"], "cache = link or link-static"),
    ("dsr", &["cache=path", "two_way_links=false"], "cache = link or link-static"),
    ("dsr", &["cache=path", "init_stability_s=9"], "cache = link"),
    ("dsr", &["cache=path", "stability_increase=2"], "cache = link"),
    ("dsr", &["cache=path", "stability_decrease=0.1"], "cache = link"),
    ("dsr", &["cache=path", "min_lifetime_s=9"], "cache = link"),
    ("dsr", &["cache=link-static", "use_extends_s=9"], "cache = link"),
    ("dsr", &["promiscuous=false", "gratuitous_replies=true"], "promiscuous = true"),
    ("dsr", &["profile=ns2", "promiscuous=false", "gratuitous_replies=true"], "promiscuous = true"),
    ("dsr", &["gratuitous_replies=false", "grat_reply_holdoff_s=2"], "gratuitous_replies = true"),
    ("dsr", &["nonpropagating_request=false", "nonprop_request_timeout_ms=50"], "nonpropagating_request = true"),
    ("dsr", &["reply_from_cache=false", "reply_delay_ms=5"], "reply_from_cache = true"),
    ("dsr", &["profile=ns2", "salvage=false", "max_salvage_count=3"], "salvage = true"),
    ("dsr", &["profile=ns2", "flow_state=false", "flow_timeout_s=30"], "flow_state = true"),
    ("dsr", &["profile=ns2", "flow_state=false", "flow_route_interval_s=3"], "flow_state = true"),
    ("aodv", &["hello_always=true"], "hello = true"),
    ("aodv", &["hello_jitter_ms=5"], "hello = true"),
    ("aodv", &["allowed_hello_loss=3"], "hello = true"),
    ("aodv", &["hello_interval_s=2"], "hello = true"),
    ("aodv", &["profile=papanastasiou", "hello_always=false"], "hello = true"),
    ("aodv", &["max_repair_ttl=5"], "local_repair = true"),
    ("aodv", &["profile=papanastasiou-trace", "local_add_ttl=3"], "local_repair = true"),
    ("aodv", &["destination_only=true", "gratuitous=true"], "destination_only = false"),
    ("aodv", &["blacklist_timeout_s=9"], "blacklist = true"),
    ("aodv", &["rrep_ack=true", "next_hop_wait_ms=60"], "blacklist = true"),
    ("aodv", &["blacklist=true", "next_hop_wait_ms=60"], "rrep_ack = true"),
    ("olsr", &["hysteresis_high=0.9"], "hysteresis = true"),
    ("olsr", &["hysteresis_low=0.9"], "hysteresis = true"),
    ("olsr", &["profile=papanastasiou", "hysteresis_scaling=0.4"], "hysteresis = true"),
    ("olsr", &["willingness=0", "tc_redundancy=1"], "willingness above 0"),
];

#[test]
fn a_key_without_effect_is_refused_with_what_it_needs() {
    for (protocol, settings, needed) in IDLE {
        let [.., last] = settings else { panic!("{settings:?}") };
        let key = last.split('=').next().unwrap_or_default();
        let told = refusals(protocol, settings);
        let reason = format!("routing.{protocol}.{key}: has no effect here: it needs {needed}");
        assert!(told.contains(&reason) && told.lines().count() == 1, "{settings:?}: {told}");
    }
}

#[test]
fn the_same_key_is_taken_where_it_counts() {
    for (protocol, settings) in [
        ("dsr", vec!["link_layer_feedback=false", "network_acks=true", "max_maint_rexmt=3", "maint_holdoff_ms=100"]),
        ("dsr", vec!["link_layer_feedback=false", "passive_acks=true", "try_passive_acks=2"]),
        ("dsr", vec!["profile=papanastasiou", "route_cache_timeout_s=60", "flush_link_cache=false"]),
        ("dsr", vec!["cache=path", "cache_paths=9", "route_cache_timeout_s=60"]),
        ("dsr", vec!["init_stability_s=9", "flush_link_cache=true"]),
        ("dsr", vec!["cache=link-static", "route_cache_timeout_s=5"]),
        ("aodv", vec!["link_feedback=false", "hello_interval_s=2", "allowed_hello_loss=3", "hello_always=true"]),
        ("dsr", vec!["salvage=false", "max_salvage_count=3"]), // errors carry no more than that (§8.3.5)
        ("dsr", vec!["profile=ns2", "flow_timeout_s=30", "flow_route_interval_s=3", "max_salvage_count=3"]),
        ("aodv", vec!["hello_interval_s=20"]), // DELETE_PERIOD follows from it
        ("aodv", vec!["local_repair=true", "max_repair_ttl=5", "local_add_ttl=3"]),
        ("aodv", vec!["blacklist=true", "blacklist_timeout_s=9"]),
        ("aodv", vec!["blacklist=true", "rrep_ack=true", "next_hop_wait_ms=60"]),
        ("olsr", vec!["hysteresis=true", "hysteresis_high=0.9", "hysteresis_low=0.2", "hysteresis_scaling=0.4"]),
        ("olsr", vec!["willingness=1", "tc_redundancy=1"]),
    ] {
        assert_eq!(refusals(protocol, &settings), "accepted\n", "{settings:?}");
    }
}

/// RFC 4728 §8.3, RFC 3561 §6.10: a route that has died would be used for ever.
#[test]
fn some_sign_of_lost_links_there_must_be() {
    for (protocol, settings, key) in [
        ("dsr", &["link_layer_feedback=false"][..], "link_layer_feedback"),
        ("dsr", &["profile=papanastasiou", "passive_acks=false"], "passive_acks"),
        ("dsr", &["link_layer_feedback=false", "network_acks=false"], "link_layer_feedback"),
        ("aodv", &["link_feedback=false", "hello=false"], "link_feedback"),
        ("aodv", &["profile=papanastasiou-trace", "hello=false"], "hello"),
        ("aodv", &["profile=papanastasiou", "link_feedback=false", "hello=false"], "link_feedback"),
    ] {
        let told = refusals(protocol, settings);
        let reason = format!("routing.{protocol}.{key}: nothing would notice a lost link");
        assert!(told.contains(&reason) && told.lines().count() == 1, "{settings:?}: {told}");
    }
    for (protocol, settings) in [
        ("dsr", vec!["link_layer_feedback=false", "passive_acks=true"]),
        ("dsr", vec!["link_layer_feedback=false", "network_acks=true"]),
        ("dsr", vec!["profile=papanastasiou", "passive_acks=false", "network_acks=true"]),
        ("aodv", vec!["hello=true"]),
        ("aodv", vec!["link_feedback=false"]),
        ("aodv", vec!["profile=papanastasiou", "link_feedback=false"]),
        ("aodv", vec!["profile=papanastasiou-trace"]),
    ] {
        assert_eq!(refusals(protocol, &settings), "accepted\n", "{settings:?}");
    }
}

/// RFC 4728 §8.3.2: a passive acknowledgement is overheard.
#[test]
fn passive_acknowledgements_need_ears() {
    for (settings, key) in [
        (&["link_layer_feedback=false", "passive_acks=true", "promiscuous=false"][..], "passive_acks"),
        (&["link_layer_feedback=false", "passive_acks=true", "network_acks=true", "promiscuous=false"], "passive_acks"),
        (&["profile=papanastasiou", "promiscuous=false"], "promiscuous"),
    ] {
        let told = refusals("dsr", settings);
        let reason = format!("routing.dsr.{key}: without promiscuous a node does not hear");
        assert!(told.contains(&reason) && told.lines().count() == 1, "{settings:?}: {told}");
    }
    for settings in [
        vec!["link_layer_feedback=false", "network_acks=true", "promiscuous=false"],
        vec!["profile=papanastasiou", "promiscuous=false", "passive_acks=false", "network_acks=true"],
        vec!["profile=papanastasiou", "promiscuous=false", "link_layer_feedback=true"],
    ] {
        assert_eq!(refusals("dsr", &settings), "accepted\n", "{settings:?}");
    }
}

/// The full text of a scenario gives every key with its value, those without effect, too: it is taken again.
#[test]
fn the_full_text_is_accepted_whatever_the_switches() {
    let switches = |protocol: &str| match protocol {
        "dsr" => vec![
            "cache=path",
            "cache=link",
            "cache=link-static",
            "link_layer_feedback=false",
            "link_layer_feedback=true",
            "network_acks=true",
            "promiscuous=false",
            "gratuitous_replies=false",
            "nonpropagating_request=false",
            "reply_from_cache=false",
        ],
        "aodv" => vec![
            "hello=true",
            "hello=false",
            "link_feedback=true",
            "link_feedback=false",
            "local_repair=true",
            "local_repair=false",
            "destination_only=true",
            "blacklist=true",
            "rrep_ack=true",
        ],
        _ => vec!["hysteresis=true", "willingness=0"],
    };
    let mut taken = 0;
    for (protocol, profile) in [
        ("dsr", "rfc"),
        ("dsr", "papanastasiou"),
        ("dsr", "ns2"),
        ("aodv", "rfc"),
        ("aodv", "papanastasiou"),
        ("aodv", "papanastasiou-trace"),
        ("aodv", "ns2"),
        ("olsr", "rfc"),
        ("olsr", "papanastasiou"),
    ] {
        let profile = format!("profile={profile}");
        let switches = switches(protocol);
        for chosen in 0..1u32 << switches.len() {
            let mut settings = vec![profile.as_str()];
            settings.extend((0..switches.len()).filter(|bit| chosen >> bit & 1 == 1).map(|bit| switches[bit]));
            let overrides = with(protocol, &settings);
            let overrides: Vec<&str> = overrides.iter().map(String::as_str).collect();
            let Ok(loaded) = read(CHAIN, &overrides) else { continue };
            let full = loaded.scenario.to_toml();
            let again = read(&full, &[]).unwrap_or_else(|errors| panic!("{settings:?}:\n{errors}"));
            assert_eq!(again.scenario, loaded.scenario, "{settings:?}");
            taken += 1;
        }
    }
    assert!(taken > 100, "{taken}");
}

/// Table A.2: a route cache timeout of 300 for the links of a link cache.
#[test]
fn the_thesis_links_live_for_the_route_cache_timeout() {
    let Config::Dsr(usual) = config("dsr", &["profile=papanastasiou"]) else { panic!("DSR was asked for") };
    assert_eq!(usual, dsr::Config::papanastasiou());
    assert_eq!((usual.cache, usual.route_cache_timeout.as_secs_f64()), (dsr::CacheKind::LinkStatic, 300.0));
    let Config::Dsr(rfc) = config("dsr", &["request_jitter_ms=0"]) else { panic!("DSR was asked for") };
    assert_eq!(rfc, dsr::Config::rfc());
    let Config::Aodv(aodv) = config("aodv", &["profile=papanastasiou", "link_feedback=false"]) else { panic!("AODV") };
    assert_eq!(aodv, aodv::Config { link_feedback: false, hello: true, ..aodv::Config::papanastasiou() });
}
