//! A run in steps: what is done from outside, and in which order it and what happens inside come. That steps change
//! nothing is shown over drawn scenarios in `scenario/tests/stepped.rs`.

use std::borrow::Cow;

use hopwright_machine::{Duration, NodeId, Time};
use hopwright_routing as routing;
use hopwright_sim::{Options, Routing, Setup, Simulation};
use hopwright_transport::SwapError;
use hopwright_wire::Payload;
use hopwright_wire::udp::Datagram;

use crate::support::{at, outcome, quiet, string};

fn simulation(setup: &Setup) -> Simulation<'_> {
    Simulation::new(Cow::Borrowed(setup), 1, &Options::default())
}

fn datagram(port: u16) -> Payload {
    Payload::Udp(Datagram { source_port: port, destination_port: port, payload_bytes: 100 })
}

#[test]
fn it_may_change_threads_between_steps() {
    let setup = string(2, "newreno", 4.0, false);
    let mut simulation = Simulation::new(Cow::Owned(setup.clone()), 1, &Options::default());
    simulation.advance(at(2.0));
    let report = std::thread::spawn(move || simulation.finish().report).join().expect("it runs there, too");
    assert_eq!(report, outcome(&setup, 1).report);
}

#[test]
fn it_stands_where_it_was_sent_and_never_beyond_the_end() {
    let setup = string(2, "newreno", 4.0, false);
    let mut simulation = simulation(&setup);
    assert_eq!(simulation.now(), Time::ZERO);
    assert_eq!(simulation.next(), at(1.0), "the application starts");
    simulation.advance(at(0.5));
    assert_eq!((simulation.now(), simulation.events(), simulation.ledger().frames), (at(0.5), 0, 0));
    simulation.advance(at(0.2)); // it does not go back
    assert_eq!(simulation.now(), at(0.5));
    simulation.advance(at(1.0)); // what is due then is done
    assert!(simulation.flow(0).sender.is_some() && simulation.next() > at(1.0));
    assert_eq!(simulation.ledger().originated, 1, "the SYN has left its transport");
    simulation.advance(Time::NEVER);
    assert_eq!(simulation.now(), setup.end);
    assert_eq!(simulation.finish().report, outcome(&setup, 1).report);
}

#[test]
fn a_step_that_breaks_off_goes_on_where_it_was() {
    let setup = string(3, "newreno", 2.0, true);
    let mut simulation = simulation(&setup);
    let mut pieces = 0;
    while !simulation.advance_some(setup.end, 1) {
        pieces += 1;
        assert_eq!(simulation.events(), pieces);
    }
    assert!(pieces > 1000);
    assert_eq!(simulation.finish().report, outcome(&setup, 1).report);
}

#[test]
fn a_packet_given_to_a_node_comes_out_where_somebody_is_attached() {
    let setup = quiet(&[(0.0, 0.0), (200.0, 0.0), (400.0, 0.0)], true, 3.0, false);
    let mut simulation = simulation(&setup);
    simulation.advance(at(1.0));
    let lost = simulation.inject(NodeId(0), NodeId(2).address(), datagram(9));
    simulation.advance(at(1.5));
    assert!(simulation.drain(NodeId(2)).is_empty(), "nobody was attached: {lost:?} is dropped");
    simulation.attach(NodeId(2));
    let sent = simulation.inject(NodeId(0), NodeId(2).address(), datagram(9));
    assert_eq!(simulation.node(NodeId(0)).held, 1);
    simulation.advance(at(2.0));
    let come = simulation.drain(NodeId(2));
    let [(when, packet)] = come.as_slice() else { panic!("{come:?}") };
    assert_eq!((packet.id, packet.source, packet.ttl), (sent, NodeId(0).address(), 63));
    assert!(*when > at(1.5) + Duration::from_millis(1) && *when < at(1.6), "{when}");
    assert!(simulation.drain(NodeId(2)).is_empty(), "it comes once");
    let ledger = simulation.finish().ledger;
    assert_eq!((ledger.originated, ledger.delivered, ledger.dropped.iter().sum::<u64>()), (2, 1, 1));
}

#[test]
fn what_is_done_at_one_time_happens_in_the_order_in_which_it_is_done() {
    let setup = quiet(&[(0.0, 0.0), (200.0, 0.0)], true, 3.0, false);
    let mut simulation = simulation(&setup);
    simulation.attach(NodeId(1));
    simulation.advance(at(1.0));
    let sent: Vec<_> = (0..5).map(|n| simulation.inject(NodeId(0), NodeId(1).address(), datagram(n))).collect();
    assert_eq!(simulation.now(), at(1.0));
    simulation.advance(at(2.0));
    let come: Vec<_> = simulation.drain(NodeId(1)).into_iter().map(|(_, packet)| packet.id).collect();
    assert_eq!(come, sent);
}

#[test]
fn what_is_due_inside_comes_before_what_is_done_outside() {
    // A datagram of a flow and one from outside, both at second 1: the flow's comes first.
    let mut setup = quiet(&[(0.0, 0.0), (200.0, 0.0)], true, 3.0, false);
    setup.flows = vec![crate::support::datagrams(0, 1, 100, 1.0, 1)];
    let mut simulation = simulation(&setup);
    simulation.attach(NodeId(1));
    simulation.advance(at(1.0));
    simulation.inject(NodeId(0), NodeId(1).address(), datagram(9));
    simulation.advance(at(1.01));
    let (when, _) = simulation.drain(NodeId(1))[0];
    let other = {
        let mut simulation = Simulation::new(Cow::Borrowed(&setup), 1, &Options::default());
        simulation.attach(NodeId(1));
        simulation.advance(Time::from_nanos(at(1.0).as_nanos() - 1));
        simulation.inject(NodeId(0), NodeId(1).address(), datagram(9));
        simulation.advance(at(1.01));
        simulation.drain(NodeId(1))[0].0
    };
    assert!(when > other + Duration::from_micros(500), "{when} after the flow's, {other} before");
}

#[test]
fn a_mechanism_that_is_swapped_in_is_the_one_at_work() {
    let setup = string(4, "newreno", 20.0, false);
    let mut changed = simulation(&setup);
    changed.advance(at(3.0));
    let retransmissions = changed.flow(0).sender.expect("TCP").retransmissions;
    assert_eq!(changed.swap(0, &[("avoidance", "vegas"), ("acking", "delayed")]), Ok(vec!["additive", "every"]));
    let now: Vec<_> = changed.mechanisms(0).collect();
    assert!(now.contains(&("avoidance", "vegas")) && now.contains(&("acking", "delayed")), "{now:?}");
    let state = changed.flow(0);
    assert_eq!(state.sender.expect("TCP").retransmissions, retransmissions, "public state stays");
    changed.advance(setup.end);
    let acks = changed.finish().report;
    let plain = outcome(&setup, 1).report;
    assert_ne!(acks.fingerprint, plain.fingerprint);
    // Vegas keeps its window small where NewReno fills the queues.
    let window = |report: &hopwright_sim::Report| report.flows[0].tcp.as_ref().expect("TCP").mean_cwnd_segments;
    assert!(window(&acks) < 0.7 * window(&plain), "{} of {}", window(&acks), window(&plain));
}

#[test]
fn a_swap_that_cannot_be_changes_nothing() {
    let setup = string(3, "newreno", 4.0, false);
    let mut simulation = simulation(&setup);
    simulation.advance(at(2.0));
    let refused = |error: SwapError| error.to_string();
    for (parts, why) in [
        (
            vec![("avoidance", "vegas"), ("ackin", "every")],
            "ackin = 'every': no such slot; slots are control, clocking",
        ),
        (
            vec![("avoidance", "vegas"), ("acking", "never")],
            "acking = 'never': the slot has no such mechanism; it can be every, delayed",
        ),
        (vec![("avoidance", "vegas"), ("recovery", "sack")], "recovery 'sack' reads selective acknowledgements"),
        (vec![("avoidance", "vegas"), ("detection", "eln")], "detection 'eln' waits for loss notices"),
        (vec![("avoidance", "vegas"), ("offer", "tcc")], "offer 'tcc' reads what stations of this run do not write"),
    ] {
        let error = refused(simulation.swap(0, &parts).expect_err("it cannot work"));
        assert!(error.starts_with(why), "{error}");
    }
    assert_eq!(simulation.finish().report, outcome(&setup, 1).report);
}

#[test]
fn routers_tell_a_flow_that_begins_to_ask() {
    // Node 2 of a string over AODV goes down at second 10; ELFN comes in at second 5, and in other runs goes at second 8.
    let mut setup = string(4, "newreno", 20.0, true);
    setup.routing = Routing::Found(routing::aodv::Config::ns2().into());
    setup.switches = vec![hopwright_mobility::Switch { at: at(10.0), node: NodeId(2), up: false }];
    let frozen = |seed: u64, goes: bool| {
        let mut simulation = Simulation::new(Cow::Borrowed(&setup), seed, &Options::default());
        simulation.advance(at(5.0));
        simulation.swap(0, &[("path", "elfn")]).expect("it can work");
        simulation.advance(at(8.0));
        let notices = simulation.node(NodeId(1)).routing.notices;
        if goes {
            simulation.swap(0, &[("path", "ignore")]).expect("it can work");
        }
        let report = simulation.finish().report;
        (report.routing.notices - notices, report.flows[0].tcp.as_ref().expect("TCP").phase_time_s.frozen)
    };
    let seeds = 1..=6;
    // Some notices find no way, and are not sent.
    let told = seeds.clone().filter(|&seed| matches!(frozen(seed, false), (1.., 5.0..))).count();
    assert!(told >= 2, "in {told} runs of 6");
    for seed in seeds {
        assert_eq!(frozen(seed, true).0, 0, "seed {seed}: nobody asks any more");
        assert_eq!(outcome(&setup, seed).report.routing.notices, 0);
    }
}

#[test]
fn one_looks_at_places_queues_and_routes() {
    let setup = string(3, "newreno", 4.0, false);
    let mut simulation = simulation(&setup);
    simulation.advance(at(3.0));
    let node = simulation.node(NodeId(2));
    assert_eq!((node.position.x_m, node.position.y_m, node.is_up), (400.0, 0.0, true));
    let route = simulation.route(NodeId(0), NodeId(3).address()).expect("it is static");
    assert_eq!((route.next_hop, route.hops), (NodeId(1), Some(3)));
    let held: usize = (0..4).map(|n| simulation.node(NodeId(n)).held).sum();
    assert!(held > 0 && (0..4).all(|n| simulation.node(NodeId(n)).queued <= held));
    let flow = simulation.flow(0);
    let sender = flow.sender.expect("TCP");
    assert!(flow.received_bytes > 0 && sender.cwnd > 0.0 && sender.srtt.is_some());
    assert_eq!(flow.sent, sender.segments_sent);
}
