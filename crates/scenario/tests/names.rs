//! Nodes by name: vehicles of SUMO, where a key takes the number of a node.

use hopwright_sim::{Options, Watch, run};

use crate::common::{chain_with, good, lines};

/// Two vehicles: node 0 is called `a`, node 1 `b`.
const CARS: &str = "duration_s = 5\nrouting.protocol = 'aodv'\ntopology = { kind = 'sumo-fcd', file = 'cars.xml' }\n";

fn flow(from: &str, to: &str) -> String {
    format!("{CARS}[[flows]]\nfrom = {from}\nto = {to}\n")
}

#[test]
fn a_name_stands_for_the_number() {
    let rest = |a: &str, b: &str| {
        format!(
            "{}[[flows]]\nfrom = 1\nto = {a}\n[[errors]]\nmodel = 'uniform'\nprobability = 0.1\nfrom = {a}\nto = {b}\n\
             [[events]]\nat_s = 1\nnode = {b}\ndo = 'move'\nto_m = [1, 2]\nspeed_mps = 3\n[[attach]]\nnode = {b}\n",
            flow(a, b)
        )
    };
    let named = good(&rest("'a'", "\"b\""), &[]);
    assert_eq!(named.names(), ["a", "b"]);
    assert_eq!(named.scenario, good(&rest("0", "1"), &[]).scenario);
    assert_eq!(good(&named.scenario.to_toml(), &[]).scenario, named.scenario);
    let set = good(&flow("0", "1"), &["flows.0.from=b", "flows.to='a'"]);
    assert_eq!(set.scenario, good(&flow("1", "0"), &[]).scenario);
    assert!(good(&chain_with("to = 4", "to = 3"), &[]).names().is_empty());
}

#[test]
fn results_tell_the_names() {
    let names = |text: &str| {
        let setup = good(text, &["duration_s=5"]).setup(1).unwrap();
        let flow = run(&setup, 1, &Options::default(), &Watch::default()).unwrap().report.flows.remove(0);
        (flow.from, flow.to, flow.from_name, flow.to_name)
    };
    assert_eq!(names(&flow("'b'", "0")), (1, 0, Some("b".to_owned()), Some("a".to_owned())));
    assert_eq!(names(&chain_with("to = 4", "to = 3")), (0, 3, None, None));
}

#[test]
fn a_name_that_nobody_has_is_refused_once() {
    assert_eq!(
        lines(&flow("'a'", "'B'"), &[]),
        "a.toml:6:6: flows.0.to: 'B' is none of the 2 vehicles in tests/files/cars.xml: 'a', 'b'; did you mean 'b'?\n"
    );
    // A number is no name; other mistakes are told with it, and what a flow with itself would be is not.
    assert_eq!(
        lines(&flow("'100'", "0\nstart = 3"), &[]),
        "a.toml:5:8: flows.0.from: '100' is none of the 2 vehicles in tests/files/cars.xml: 'a', 'b'\n\
         a.toml:7:1: flows.0.start: unknown key; did you mean 'start_s'?\n"
    );
    let told = lines(&flow("'a'", "'b'"), &["flows.to=taxi"]);
    assert_eq!(
        told,
        "--set flows.to=taxi: flows.0.to: 'taxi' is none of the 2 vehicles in tests/files/cars.xml: 'a', 'b'\n"
    );
    assert_eq!(lines(&flow("'a'", "'a'"), &[]), "a.toml:6:6: flows.0.to: a flow from node 0 to itself\n");
}

#[test]
fn other_nodes_have_no_names() {
    let why = "nodes have names only with topology.kind = 'sumo-fcd'\n";
    let expected = format!("a.toml:9:6: flows.0.to: expected a whole number, found the string 'b': {why}");
    assert_eq!(lines(&chain_with("to = 4", "to = 'b'"), &[]), expected);
    let ns2 = flow("'a'", "1").replace("sumo-fcd", "ns2").replace("cars.xml", "moving.tcl");
    assert_eq!(
        lines(&ns2, &[]),
        format!("a.toml:5:8: flows.0.from: expected a whole number, found the string 'a': {why}")
    );
}

#[test]
fn a_topology_that_is_wrong_is_the_only_mistake() {
    for (from, to, told) in [
        ("'sumo-fcd'", "'sumo'", "a.toml:3:21: topology.kind: 'sumo' does not exist"),
        ("'cars.xml'", "'nowhere'", "a.toml:3:40: topology.file: tests/files/nowhere cannot be read: No such file"),
        (", file = 'cars.xml'", "", "a.toml:3:12: topology.file: this key is missing"),
        ("'cars.xml'", "'cut.xml'", "tests/files/cut.xml:4:1: the file is cut off"),
        ("'cars.xml'", "3", "a.toml:3:40: topology.file: expected a string"),
    ] {
        let text = flow("'a'", "'b'").replace(from, to);
        let found = lines(&text, &[]);
        assert!(found.starts_with(told) && found.lines().count() == 1, "{found}");
    }
}
