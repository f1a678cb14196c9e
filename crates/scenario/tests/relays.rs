//! Relays in scenarios: what they carry beside ns-2 and closed forms, what is counted, what is refused.

use std::borrow::Cow;

use hopwright_machine::{LossCause, Time};
use hopwright_sim::{Options, Outcome, RelayReport, Simulation, SnoopReport, SplitReport, Watch, run};

use crate::common::{good, lines};

fn outcome(text: &str, seed: u64) -> Outcome {
    let setup = good(text, &[]).setup(seed).unwrap();
    run(&setup, seed, &Options::default(), &Watch::default()).expect("nobody cancels")
}

/// A wired link and a lossy last hop: those of `validation/ns2/snoop.tcl`. There the last hop takes 10.03 ms, and a packet
/// arrives so long after it has begun to be sent; of an acknowledgement's, 5 ms pass after Snoop has seen it.
fn last_hop(loss_percent: f64, seconds: u32, relay: &str, flows: &str) -> String {
    format!(
        "profile = \"ns2\"\nduration_s = {seconds}\n[topology]\nkind = \"links\"\n\
         [[links]]\nfrom = 0\nto = 1\nrate_kbps = 10000\ndelay_ms = 20\n[links.reverse]\ndelay_ms = 25\n\
         [[links]]\nfrom = 1\nto = 2\nrate_kbps = 2000\ndelay_ms = 4.03\nloss_percent = {loss_percent}\n\
         [links.reverse]\ndelay_ms = 4.85\nloss_percent = 0\n{relay}\n{flows}\n[output]\nseries = []\n"
    )
}

fn tcp(from: u32, to: u32, protocol: &str) -> String {
    format!(
        "[[flows]]\nfrom = {from}\nto = {to}\n[flows.transport]\nprotocol = \"{protocol}\"\nwindow_limit_segments = 32\n"
    )
}

const SNOOP: &str = "[[relays]]\nnode = 1\nkind = \"snoop\"\n";
const SPLIT: &str = "[[relays]]\nnode = 1\nkind = \"split\"\n";

fn snooped(outcome: &Outcome) -> SnoopReport {
    match outcome.report.relays.as_slice() {
        [RelayReport::Snoop(report)] => *report,
        other => panic!("{other:?}"),
    }
}

fn split(outcome: &Outcome) -> &SplitReport {
    match outcome.report.relays.as_slice() {
        [RelayReport::Split(report)] => report,
        other => panic!("{other:?}"),
    }
}

/// A row of `validation/ns2/snoop.csv`: loss, whether the base station has Snoop, mean of segments.
fn of_ns2() -> Vec<(f64, bool, f64)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../validation/ns2/snoop.csv");
    let text = std::fs::read_to_string(path).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        (cells[0].parse().unwrap(), cells[1] == "LL/LLSnoop", cells[3].parse().unwrap())
    };
    text.lines().skip(1).map(row).collect()
}

/// ns-2.35: `ns validation/ns2/snoop.tcl LL LOSS 200 SEED`, seeds 1 to 20. Reno by itself, with Snoop, and what Snoop gains.
#[test]
fn snoop_gains_as_much_as_in_ns2() {
    let rows = of_ns2();
    assert_eq!(rows.len(), 6);
    for pair in rows.chunks(2) {
        let [without, with] = [0, 1].map(|n| {
            let (percent, has_snoop, segments) = pair[n];
            assert_eq!(has_snoop, n == 1);
            let text = last_hop(percent, 200, if has_snoop { SNOOP } else { "" }, &tcp(0, 2, "reno"));
            let goodput = |seed| outcome(&text, seed).report.flows[0].tcp.as_ref().unwrap().goodput_segments as f64;
            let ours = (1..=20).map(goodput).sum::<f64>() / 20.0;
            println!("{percent} %, snoop {has_snoop}: {ours} of {segments}, {:.4}", ours / segments);
            (ours, segments)
        });
        let (gain, of_ns2) = (with.0 / without.0, with.1 / without.1);
        println!("{} %: {gain:.4} {of_ns2:.4}", pair[0].0);
        assert!(gain > 1.0 && of_ns2 > 1.0);
        assert!((gain / of_ns2 - 1.0).abs() < 0.1, "{} %: {gain} beside {of_ns2}", pair[0].0);
    }
}

/// Losses there and back, and packets that overtake each other.
const BAD: &str =
    "rate_kbps = 1500\ndelay_ms = 15\njitter_percent = 30\nreorder = true\nloss_percent = 4\nqueue_packets = 8";
const WIRED: &str = "rate_kbps = 5000\ndelay_ms = 10";

fn links(list: &[(u32, u32, &str)]) -> String {
    let link = |(from, to, keys): &(u32, u32, &str)| format!("[[links]]\nfrom = {from}\nto = {to}\n{keys}\n");
    format!("[topology]\nkind = \"links\"\n{}", list.iter().map(link).collect::<String>())
}

fn scenario(seconds: u32, rest: &str) -> String {
    format!("duration_s = {seconds}\n{rest}\n[output]\nseries = []\n")
}

const UDP: &str = "[[flows]]\nfrom = 0\nto = 2\napp = \"cbr\"\nrate_kbps = 100\n";

/// The books are in balance (`Ledger::check` at the end of each run), and relay, flows and books count the same.
#[test]
fn what_snoop_does_is_in_the_books() {
    let flows = tcp(0, 2, "sack") + &tcp(0, 2, "newreno") + &tcp(2, 0, "reno") + UDP;
    let text = scenario(60, &(links(&[(0, 1, WIRED), (1, 2, BAD)]) + SNOOP + &flows));
    let outcome = outcome(&text, 3);
    let did = snooped(&outcome);
    let again = did.sent_again_by_duplicates + did.sent_again_by_timer;
    assert!(did.sent_again_by_duplicates > 50 && did.sent_again_by_timer > 5, "{did:?}");
    assert_eq!(outcome.ledger.doubled, again);
    let dropped = |flow: usize| outcome.report.flows[flow].drops.get("suppressed").copied().unwrap_or(0);
    assert_eq!((0..4).map(dropped).sum::<u64>(), did.suppressed_acks);
    assert!(dropped(0) > 20 && dropped(1) > 20);
    assert_eq!(dropped(3), 0);
    // A loss that a copy made good is none.
    let lost = |flow: usize| outcome.report.flows[flow].losses.of(LossCause::Channel);
    let damaged = outcome.report.links.iter().find(|link| (link.from, link.to) == (1, 2)).unwrap().lost;
    assert!(lost(0) + lost(1) + lost(3) < damaged / 2, "{} of {damaged}", lost(0) + lost(1) + lost(3));
    assert!(did.cached > 1_000);
}

/// What of a file comes, and that all of it does: whatever stands between.
#[test]
fn a_file_arrives_whole_through_any_relays() {
    let path = links(&[(0, 1, WIRED), (1, 2, BAD), (2, 3, WIRED), (3, 4, BAD)]);
    let file = |from, to| {
        format!(
            "[[flows]]\nfrom = {from}\nto = {to}\napp = \"file\"\nbytes = 300001\n[flows.transport]\nprotocol = \"sack\"\n"
        )
    };
    let relay = |node, kind: &str| format!("[[relays]]\nnode = {node}\nkind = \"{kind}\"\n");
    let chosen = [
        String::new(),
        relay(1, "snoop"),
        relay(1, "split"),
        relay(1, "split") + "buffer_bytes = 4000\nprotocol = \"westwood\"\n",
        relay(1, "snoop") + &relay(2, "split"),
        relay(1, "split") + &relay(2, "snoop") + &relay(3, "split"),
    ];
    for relays in chosen {
        let text = scenario(300, &format!("{path}{relays}{}{}", file(0, 4), file(4, 0)));
        for seed in 1..=3 {
            let report = outcome(&text, seed).report;
            for flow in &report.flows {
                let bytes = flow.received_bps * flow.measured_s / 8.0;
                assert!((bytes - 300_001.0).abs() < 0.5, "{bytes} with {relays} and seed {seed}");
                assert_eq!(flow.mean_hops.map(|hops| hops > 3.9 && hops < 4.3), Some(true), "{:?}", flow.mean_hops);
            }
        }
    }
}

/// Two connections, each with a round trip of its own, and a goodput that is the receiver's.
#[test]
fn split_counts_at_the_receiver() {
    let of = |relay| outcome(&last_hop(2.0, 100, relay, &tcp(0, 2, "reno")), 1);
    let (plain, halved) = (of(""), of(SPLIT));
    let flow = &halved.report.flows[0];
    let tcp_of = |outcome: &Outcome| outcome.report.flows[0].tcp.clone().unwrap();
    let (ours, before) = (tcp_of(&halved), tcp_of(&plain));
    assert_eq!(ours.goodput_bps.to_bits(), flow.received_bps.to_bits());
    assert!(ours.goodput_bps > 1.3 * before.goodput_bps, "{} {}", ours.goodput_bps, before.goodput_bps);
    // Nothing is lost on the wired side: what is sent again are the bytes with which a closed window was probed.
    assert!(ours.rto_count == 0 && ours.retransmissions < 20 && before.rto_count > 20, "{ours:?}");
    let own = &split(&halved).connections[0];
    assert!(own.retransmissions > 50 && own.protocol == "reno" && own.flow == 0);
    let rtt = own.mean_rtt_s.unwrap();
    assert!((0.018..0.1).contains(&rtt), "{rtt}"); // of the last hop alone
    assert!(flow.losses.of(LossCause::Channel) > 50 && ours.mean_rtt_s.unwrap() > 0.04);
    // What the receiver has not acknowledged fills the buffer, and no more is offered: the flow's window.
    assert!(own.most_buffered_bytes <= 32 * 1460 && own.mean_buffered_bytes > 20.0 * 1460.0, "{own:?}");
}

/// However small the buffer, the sender is held back by it, and the fast link loses nothing.
#[test]
fn the_buffer_of_a_split_holds_the_sender_back() {
    let path = links(&[(0, 1, "rate_kbps = 100000\ndelay_ms = 1"), (1, 2, "rate_kbps = 500\ndelay_ms = 1")]);
    for bytes in [3_000_u32, 20_000, 60_000] {
        let relay = format!("{SPLIT}buffer_bytes = {bytes}\n");
        let found = outcome(&scenario(30, &(path.clone() + &relay + &tcp(0, 2, "newreno"))), 1);
        let own = &split(&found).connections[0];
        assert!(own.most_buffered_bytes <= u64::from(bytes), "{own:?}");
        assert!(own.most_buffered_bytes + 3 * 1460 > u64::from(bytes), "{own:?}");
        let flow = &found.report.flows[0];
        assert!(flow.received_bps > 400e3, "{}", flow.received_bps);
        assert_eq!(flow.losses.total(), 0);
    }
}

/// The protocol of the relay is its own, with the flow's lengths.
#[test]
fn a_split_may_speak_another_protocol() {
    let relay = format!("{SPLIT}protocol = \"westwood\"\n");
    let found = outcome(&last_hop(5.0, 60, &relay, &tcp(0, 2, "reno")), 1);
    assert_eq!(found.report.flows[0].protocol, "reno");
    let westwood = split(&found).connections[0].clone();
    let reno = split(&outcome(&last_hop(5.0, 60, SPLIT, &tcp(0, 2, "reno")), 1)).connections[0].clone();
    assert_eq!(westwood.protocol, "westwood");
    assert_ne!(westwood.segments_sent, reno.segments_sent);
}

/// Only flows that send to the wireless side are helped; the others pass, and datagrams pass everywhere.
#[test]
fn the_wireless_side_says_who_is_helped() {
    let flows = tcp(0, 2, "sack") + &tcp(2, 0, "sack") + UDP;
    let path = links(&[(0, 1, WIRED), (1, 2, BAD)]);
    let with = |relay: &str, side: u32| outcome(&scenario(30, &format!("{path}{relay}towards = {side}\n{flows}")), 1);
    for (side, flow) in [(2, 0), (0, 1)] {
        let halved = with(SPLIT, side);
        assert_eq!(split(&halved).connections.iter().map(|own| own.flow).collect::<Vec<_>>(), [flow]);
        assert!(halved.report.flows.iter().all(|flow| flow.received_bps > 5e4));
    }
    let (both, towards) = (outcome(&scenario(30, &format!("{path}{SNOOP}{flows}")), 1), with(SNOOP, 2));
    assert_eq!(snooped(&both).loss_notices, 0);
    assert!(snooped(&towards).loss_notices > 50 && snooped(&towards).cached < snooped(&both).cached);
}

/// A mobile host that sends, and reads notices, does not take losses of its hop for congestion.
#[test]
fn a_mobile_sender_is_told_what_its_hop_lost() {
    let path = links(&[(0, 1, WIRED), (1, 2, "rate_kbps = 2000\ndelay_ms = 10\nloss_percent = 3")]);
    let flow = tcp(2, 0, "newreno") + "detection = \"eln\"\ndiagnosis = \"eln\"\nresponse = \"spare\"\n";
    let goodput = |relay: &str| {
        let of = |seed| outcome(&scenario(60, &(path.clone() + relay + &flow)), seed).report.flows[0].received_bps;
        (1..=5).map(of).sum::<f64>() / 5.0
    };
    let (without, with) = (goodput(""), goodput(&format!("{SNOOP}towards = 2\n")));
    assert!(with > 1.15 * without, "{without} {with}");
}

/// The same in steps of any length; a swap reaches the sender's connection, and what arrives is the receiver's.
#[test]
fn steps_change_nothing_with_relays() {
    let relays = "[[relays]]\nnode = 1\nkind = \"snoop\"\n[[relays]]\nnode = 2\nkind = \"split\"\n";
    let path = links(&[(0, 1, WIRED), (1, 2, BAD), (2, 3, BAD)]);
    let text = scenario(20, &(path + relays + &tcp(0, 3, "sack") + &tcp(3, 0, "newreno")));
    let setup = good(&text, &[]).setup(7).unwrap();
    let whole = run(&setup, 7, &Options::default(), &Watch::default()).unwrap();
    for step_s in [0.003, 1.7] {
        let mut simulation = Simulation::new(Cow::Borrowed(&setup), 7, &Options::default());
        let mut now_s = 0.0;
        while now_s < 20.0 {
            now_s += step_s;
            simulation.advance(Time::from_secs_f64(now_s));
        }
        let received = simulation.flow(0).received_bytes;
        let stepped = simulation.finish();
        assert_eq!((&stepped.report, &stepped.ledger), (&whole.report, &whole.ledger));
        assert_eq!(received as f64 * 8.0 / 20.0, stepped.report.flows[0].received_bps);
    }
    let mut simulation = Simulation::new(Cow::Borrowed(&setup), 7, &Options::default());
    simulation.advance(Time::from_secs_f64(5.0));
    simulation.swap(0, &[("avoidance", "vegas")]).unwrap();
    assert!(simulation.mechanisms(0).any(|pair| pair == ("avoidance", "vegas")));
    assert_ne!(simulation.finish().report, whole.report);
}

/// The hand-over of a link beyond a relay is nothing to the sender before it.
#[test]
fn a_hand_over_behind_a_split_is_not_told_before_it() {
    let plain = "rate_kbps = 1000\ndelay_ms = 5\n";
    let path = links(&[(0, 1, plain), (1, 2, &format!("{plain}[[links.changes]]\nat_s = 5\nnetwork = 1\n"))]);
    let flow = tcp(0, 2, "sack")
        + "[[flows.transport.triggers]]\nwhen = [{ monitor = \"interface\", equals = 1 }]\nset = { avoidance = \"vegas\" }\n";
    let changes = |relay: &str| {
        let report = outcome(&scenario(10, &(path.clone() + relay + &flow)), 1).report;
        report.flows[0].tcp.as_ref().unwrap().adaptation.unwrap().changes
    };
    assert_eq!([changes(""), changes(SNOOP), changes(SPLIT)], [1, 1, 0]);
}

/// What cannot be is refused where it stands.
#[test]
fn relays_that_cannot_be_are_refused() {
    let refused = |relays: &str, flows: &str| {
        let path = links(&[(0, 1, WIRED), (1, 2, WIRED), (2, 3, WIRED)]);
        lines(&scenario(10, &(path + relays + flows)), &[])
    };
    let flow = tcp(0, 2, "reno");
    let relay = |node: u32, rest: &str| format!("[[relays]]\nnode = {node}\nkind = \"snoop\"\n{rest}\n");
    assert_eq!(refused(&relay(1, ""), &flow), "accepted\n");
    for (relays, told) in [
        (relay(9, ""), "a.toml:20:8: relays.0.node: there is no node 9: there are 4 nodes, numbered 0 to 3\n"),
        (
            relay(2, ""),
            "a.toml:20:8: relays.0.node: no flow over TCP passes node 2: a relay must be between two links of a flow\n",
        ),
        (
            relay(1, "") + &relay(1, ""),
            "a.toml:24:8: relays.1.node: relay 0 is already at node 1: a node can have one relay\n",
        ),
        (
            relay(1, "towards = 3"),
            "a.toml:22:11: relays.0.towards: no link leads from node 1 to node 3: the wireless side must be a \
             neighbour\n",
        ),
        (
            relay(1, "buffer_bytes = 9000"),
            "a.toml:22:1: relays.0.buffer_bytes: belongs to kind = 'split', not to kind = 'snoop'\n",
        ),
        (
            SPLIT.to_owned() + "towards = 0\n",
            "a.toml:22:11: relays.0.towards: no flow over TCP that passes node 1 sends its data through node 0\n",
        ),
        (
            SPLIT.to_owned() + "protocol = \"elfn\"\n",
            "a.toml:22:12: relays.0.protocol: path = 'elfn' needs information from routers or stations of a wireless \
             network; shaped links do not give it\n",
        ),
    ] {
        assert_eq!(refused(&relays, &flow), told);
    }
    let misspelt = refused("[[relays]]\nnode = 1\nkind = \"snop\"\n", &flow);
    assert!(
        misspelt.contains("relays.0.kind: 'snop' does not exist; possible: 'snoop', 'split'; did you mean 'snoop'?"),
        "{misspelt}"
    );
    let unknown = refused(&(SPLIT.to_owned() + "protocol = \"renoo\"\n"), &flow);
    assert!(unknown.contains("relays.0.protocol: 'renoo' does not exist"), "{unknown}");
    let few = refused(&relay(1, "cache_packets = 0\nmin_timeout_ms = 0\nretry_limit = 0"), &flow);
    assert_eq!(few.lines().count(), 3, "{few}");
    // Datagrams pass, but for them alone nobody needs a relay.
    assert!(refused(&relay(1, ""), UDP).contains("no flow over TCP passes node 1"));
    let medium = "[topology]\nkind = \"chain\"\nhops = 2\n[routing]\nprotocol = \"static\"\n";
    let told = lines(&scenario(10, &(medium.to_owned() + &relay(1, "") + &flow)), &[]);
    assert_eq!(told, "a.toml:7:1: relays: needs topology.kind = 'links': on a medium no node is between two links\n");
    // One way there by node 1, back by node 3.
    let ring = [(0, 1), (1, 2), (2, 3), (3, 0)].map(|(from, to)| (from, to, "delay_ms = 5\ndirections = \"one-way\""));
    let around = |kind: &str| {
        let relay = format!("[[relays]]\nnode = 1\nkind = \"{kind}\"\n");
        lines(&scenario(10, &(links(&ring) + &relay + &flow)), &[])
    };
    assert_eq!(
        around("snoop"),
        "a.toml:25:8: relays.0.node: acknowledgements of flow 0 come back on another path: 'snoop' must see both \
         directions\n"
    );
    assert_eq!(around("split"), "accepted\n");
}

#[test]
fn the_full_text_of_relays_is_the_same_scenario() {
    let relays = format!("{SNOOP}towards = 2\n{}protocol = \"sack\"\nbuffer_bytes = 9000\n", SPLIT.replace('1', "2"));
    let path = links(&[(0, 1, WIRED), (1, 2, WIRED), (2, 3, WIRED)]);
    let loaded = good(&scenario(10, &(path + &relays + &tcp(0, 3, "reno"))), &[]);
    let printed = loaded.scenario.to_toml();
    let again = good(&printed, &[]);
    assert_eq!(again.scenario, loaded.scenario);
    assert_eq!(again.scenario.to_toml(), printed);
    assert!(printed.contains("cache_packets = 100\nmin_timeout_ms = 100.0\nretry_limit = 10\n"), "{printed}");
}
