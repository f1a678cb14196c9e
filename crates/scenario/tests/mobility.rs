//! What `[mobility]`, `[[events]]` and movement files make of the nodes.

use hopwright_machine::{NodeId, Time};
use hopwright_mobility::{Position, Switch, Trajectory, placement};
use proptest::prelude::*;

use crate::common::{good, lines};

fn s(seconds: f64) -> Time {
    Time::from_secs_f64(seconds)
}

fn random(mobility: &str) -> String {
    format!(
        "duration_s = 50\nrouting.protocol = 'aodv'\ntopology = {{ kind = 'random', nodes = 40 }}\n\
         area = {{ width_m = 700, height_m = 500 }}\n[mobility]\n{mobility}\n"
    )
}

fn starts(nodes: &[Trajectory]) -> Vec<Position> {
    nodes.iter().map(|n| n.position(Time::ZERO)).collect()
}

#[test]
fn every_model_moves_nodes_within_the_area() {
    for model in ["random-waypoint", "random-walk", "gauss-markov", "reference-point-group", "manhattan"] {
        let loaded = good(&random(&format!("model = '{model}'")), &[]);
        let nodes = loaded.setup(1).unwrap().nodes;
        assert_eq!(nodes.len(), 40);
        for node in &nodes {
            assert!(!node.is_static(), "{model}");
            let within = |p: Position| (0.0..=700.0).contains(&p.x_m) && (0.0..=500.0).contains(&p.y_m);
            assert!(node.waypoints().iter().all(|w| within(w.position)), "{model}");
        }
        assert_ne!(nodes, loaded.setup(2).unwrap().nodes, "{model}: the seed moves nothing");
        // Printed and read again, the same.
        let again = good(&loaded.scenario.to_toml(), &[]);
        assert_eq!(again.scenario, loaded.scenario);
        assert_eq!(again.setup(1).unwrap().nodes, nodes);
    }
}

#[test]
fn a_uniform_start_is_where_the_topology_puts_nodes_and_others_are_not() {
    let places = placement::random(40, 700.0, 500.0, 1);
    let nodes = |mobility: &str| good(&random(mobility), &[]).setup(1).unwrap().nodes;
    assert_eq!(starts(&nodes("model = 'random-waypoint'\nstart = 'uniform'")), places);
    assert_eq!(starts(&nodes("model = 'random-walk'")), places);
    assert_ne!(starts(&nodes("model = 'random-waypoint'")), places);
    let grid = "duration_s = 50\nrouting.protocol = 'aodv'\ntopology = { kind = 'grid', rows = 2, columns = 2 }\n\
                mobility = { model = 'random-waypoint', start = 'uniform' }\n";
    assert_eq!(starts(&good(grid, &[]).setup(1).unwrap().nodes), placement::grid(2, 2, 200.0));
}

const CHAIN: &str = "duration_s = 50\nrouting.protocol = 'aodv'\ntopology = { kind = 'chain', hops = 3 }\n";

#[test]
fn events_move_nodes_and_switch_them_in_order_of_time() {
    let event = |at: f64, node: u32, rest: &str| format!("[[events]]\nat_s = {at}\nnode = {node}\ndo = {rest}\n");
    let text = [
        CHAIN.to_owned(),
        event(20.0, 2, "'up'"),
        event(10.0, 2, "'down'"),
        event(30.0, 1, "'move'\nto_m = [200, 0]\nspeed_mps = 10"),
        event(5.0, 1, "'move'\nto_m = [200, 300]\nspeed_mps = 10"),
    ];
    let setup = good(&text.concat(), &[]).setup(1).unwrap();
    let expected =
        [Switch { at: s(10.0), node: NodeId(2), up: false }, Switch { at: s(20.0), node: NodeId(2), up: true }];
    assert_eq!(setup.switches, expected);
    let places = [(5.0, 0.0), (15.0, 100.0), (30.0, 250.0), (40.0, 150.0), (55.0, 0.0)];
    for (at_s, y_m) in places {
        let p = setup.nodes[1].position(s(at_s));
        assert!(p.distance(Position::new(200.0, y_m)) < 1e-6, "at {at_s} s: {p:?}");
    }
}

#[test]
fn an_event_after_the_end_is_refused_whatever_it_does() {
    for deed in ["'down'", "'move'\nto_m = [200, 0]\nspeed_mps = 10"] {
        let at = |at_s: &str| format!("{CHAIN}[[events]]\nat_s = {at_s}\nnode = 1\ndo = {deed}\n");
        let told = lines(&at("50"), &[]);
        let reason = "events.0.at_s: must be before the end of the run (duration_s = 50), found 50";
        assert!(told.contains(reason) && told.lines().count() == 1, "{told}");
        assert_eq!(lines(&at("49.9"), &[]), "accepted\n");
        assert!(lines(&at("49.9"), &["duration_s=20"]).contains("(duration_s = 20), found 49.9"));
        assert!(!lines(&at("50"), &["duration_s=-1"]).contains("events"), "one mistake, one error");
    }
}

#[test]
fn moves_go_on_top_of_a_movement_file_but_of_no_model() {
    let moves = "[[events]]\nat_s = 6\nnode = 4\ndo = 'move'\nto_m = [20, 40]\nspeed_mps = 100\n";
    let file = "duration_s = 50\nrouting.protocol = 'aodv'\ntopology = { kind = 'ns2', file = 'moving.tcl' }\n";
    let setup = good(&format!("{file}{moves}"), &[]).setup(1).unwrap();
    assert_eq!(setup.nodes[4].position(s(10.0)), Position::new(20.0, 40.0));
    let told = lines(&format!("{}{moves}", random("model = 'gauss-markov'")), &[]);
    assert!(told.contains("mobility.model = 'gauss-markov' moves the nodes: 'move' needs"), "{told}");
}

#[test]
fn whoever_is_not_there_is_down_in_the_network() {
    let text = "duration_s = 8\nrouting.protocol = 'aodv'\ntopology = { kind = 'sumo-fcd', file = 'cars.xml' }\n";
    let loaded = good(text, &[]);
    let found = loaded.network(1, 4, None).unwrap();
    assert!(found.moves);
    assert_eq!(found.times_s, [0.0, 2.0, 4.0, 6.0, 8.0]);
    assert_eq!(found.down, [vec![1], vec![], vec![0], vec![0], vec![0]]);
    let up = loaded.topology(1, 2.0).unwrap().snapshots.up;
    assert!(up.iter().zip(&found.down).all(|(&up, down)| up as usize + down.len() == 2), "{up:?}");
    let asked = loaded.network(1, 4, Some(&[1.0, 3.0])).unwrap();
    assert_eq!((asked.times_s, asked.down), (vec![1.0, 3.0], vec![vec![1], vec![]]));
    // Of what never changes there is one look.
    let still = good(CHAIN, &["duration_s=7"]).network(1, 10, Some(&[3.0])).unwrap();
    assert_eq!((still.times_s, still.down.len(), still.moves), (vec![0.0], 0, false));
}

proptest! {
    /// A tenth of a run, ten times, is its end: not what comes of it in seconds.
    #[test]
    fn snapshots_are_within_the_run_however_long_it_is(duration_s in prop_oneof![
        (1u64..1_000_000).prop_map(|ms| ms as f64 / 1e3), 1e-3..1e5, Just(31795.809144396495),
    ]) {
        let loaded = good(CHAIN, &[&format!("duration_s={duration_s}")]);
        let event = "[[events]]\nat_s = 0\nnode = 1\ndo = 'down'\n";
        let changing = good(&format!("{CHAIN}{event}"), &[&format!("duration_s={duration_s}")]);
        let found = changing.network(1, 10, None).unwrap();
        prop_assert_eq!(found.times_s.len(), 11);
        prop_assert!(found.times_s.is_sorted() && found.times_s[10] <= duration_s, "{:?}", found.times_s);
        prop_assert!((found.times_s[10] - duration_s).abs() < 1e-9);
        for tenth in 0..=10 {
            prop_assert!(loaded.is_within(duration_s * f64::from(tenth) / 10.0), "{duration_s} s, {tenth}");
        }
        for outside in [-1e-3, -1.0, f64::NAN, f64::INFINITY, duration_s + 1e-6, duration_s * 2.0, 1e300] {
            prop_assert!(!loaded.is_within(outside), "{duration_s} s: {outside} s");
        }
    }
}

#[test]
fn vehicles_are_down_while_they_are_not_there() {
    let text = "duration_s = 50\nrouting.protocol = 'aodv'\ntopology = { kind = 'sumo-fcd', file = 'cars.xml' }\n";
    let setup = good(text, &[]).setup(1).unwrap();
    let switch = |at_s, node, up| Switch { at: s(at_s), node: NodeId(node), up };
    assert_eq!(setup.switches, [switch(0.0, 1, false), switch(2.0, 1, true), switch(4.0, 0, false)]);
    assert_eq!(setup.nodes[0].position(s(1.0)), Position::new(10.0, 0.0));
    let told = lines(&format!("{text}[[events]]\nat_s = 1\nnode = 0\ndo = 'down'\n"), &[]);
    assert!(told.contains("the movement file already says when its vehicles are present"), "{told}");
}
