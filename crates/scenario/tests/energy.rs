//! `[energy] compute`: the coefficient file is read with the scenario, or it is said what is wrong with it.

use hopwright_scenario::{Carried, parse_carried};

use crate::common::{CHAIN, good, lines};

const FILE: &str = "energy.compute=coefficients.toml";

#[test]
fn the_file_says_what_events_cost() {
    let compute = good(CHAIN, &[FILE]).setup(1).expect("a way").compute.expect("it is charged");
    assert_eq!(compute["newreno"], [1e-6, 2e-6, 3e-6, 4e-6, 5e-6, 6e-6]);
    assert_eq!(compute["reno"][0], 11e-6);
    assert_eq!(good(CHAIN, &[]).setup(1).expect("a way").compute, None);
}

#[test]
fn what_is_wrong_is_said() {
    let cases = ["energy.compute=nowhere.toml", "energy.compute=two.movements", "energy.compute=cut-coefficients.toml"];
    let mut told: Vec<String> = cases.iter().map(|case| format!("# {case}\n{}", lines(CHAIN, &[case]))).collect();
    told.push(format!("# vegas\n{}", lines(CHAIN, &[FILE, "flows.transport.protocol=vegas"])));
    told.push(format!("# misspelt\n{}", lines(CHAIN, &["energy.compte=coefficients.toml"])));
    told.push(format!("# no text\n{}", lines(CHAIN, &["energy.compute=3"])));
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn datagrams_need_no_coefficients() {
    let udp = ["flows.app=cbr", "flows.rate_kbps=8", "flows.transport.protocol=udp", FILE];
    assert!(good(CHAIN, &udp).setup(1).expect("a way").compute.is_some());
}

#[test]
fn a_scenario_travels_with_the_text() {
    let loaded = good(CHAIN, &[FILE]);
    let (toml, text) = (loaded.scenario.to_toml(), loaded.coefficients().expect("the text"));
    let carried = Carried { coefficients: Some(text), ..Carried::default() };
    let again = parse_carried("b.toml", &toml, carried, &[]).expect("it is the same");
    assert_eq!(again.setup(1).expect("a way").compute, loaded.setup(1).expect("a way").compute);
    let without = parse_carried("b.toml", &toml, Carried::default(), &[]).unwrap_err().to_string();
    assert!(without.contains("the text of coefficients.toml did not come with the scenario"), "{without}");
}
