//! The tables of the MAC's kinds: their keys are those of `[mac]`, wherever they stand.

use hopwright_link::Kind;

use crate::common::{CHAIN, good, lines};

/// The chain with these lines in its file: tables at the end, keys of the root at the top.
fn with(lines: &str) -> String {
    if lines.starts_with('[') { format!("{CHAIN}\n{lines}\n") } else { format!("{lines}\n{CHAIN}") }
}

#[test]
fn keys_of_a_kind_mean_the_same_in_its_table_and_outside() {
    let flat = good(&with("[mac]\ncw_min = 15\nslot_us = 9\nqueue_packets = 20"), &[]);
    let own = good(&with("[mac]\nqueue_packets = 20\n[mac.dcf]\ncw_min = 15\nslot_us = 9"), &[]);
    assert_eq!(own.scenario, flat.scenario);
    assert_eq!(own.scenario.to_toml(), flat.scenario.to_toml());
    assert_eq!(good(CHAIN, &["mac.dcf.cw_min=15"]).scenario.mac.cw_min, 15);
    // An override wins over the file, whichever way either says it.
    assert_eq!(good(&with("mac.cw_min = 15"), &["mac.dcf.cw_min=7"]).scenario.mac.cw_min, 7);
    assert_eq!(good(&with("mac.dcf.cw_min = 15"), &["mac.cw_min=7"]).scenario.mac.cw_min, 7);
}

#[test]
fn the_kind_arrives_at_the_stations() {
    let kind = |settings: &[&str]| good(CHAIN, settings).setup(1).expect("a setup").mac.kind;
    assert_eq!((kind(&[]), kind(&["mac.kind=dcf"]), kind(&["mac.kind=ideal"])), (Kind::Dcf, Kind::Dcf, Kind::Ideal));
    assert_eq!(good(&with("[mac.ideal]"), &["mac.kind=ideal"]).scenario.mac.kind, Kind::Ideal);
}

#[test]
fn what_is_wrong_in_a_table_of_a_kind_is_told_where_it_stands() {
    let told = |table: &str| lines(&with(table), &[]);
    for (table, expected) in [
        ("mac.cw_min = 7\nmac.dcf.cw_min = 15", "mac.dcf.cw_min: is given twice: mac.cw_min is the same key"),
        ("mac.dcf.cw_min = 0", "mac.cw_min: must be from 1 to 65535, found 0"),
        ("mac.dcf.cw_min = 2000", "mac.cw_min: cw_min (2000) must not exceed cw_max (1023)"),
        ("mac.dcf.cw_min = \"few\"", "mac.cw_min: expected"),
        ("mac.dcf.cw_mni = 15", "mac.dcf.cw_mni: unknown key; did you mean 'cw_min'?"),
        (
            "mac.dcf.queue_packets = 15",
            "mac.dcf.queue_packets: does not belong to this kind only: write it in the table [mac]",
        ),
        ("mac.ideal.cw_min = 15", "mac.ideal.cw_min: belongs to kind = dcf: write it in the table [mac.dcf]"),
        ("mac.dcf = 3", "mac.dcf: expected a table"),
    ] {
        let found = told(table);
        assert!(found.contains(expected) && found.lines().count() == 1, "{table}:\n{found}");
        let line = table.lines().count();
        assert!(found.starts_with(&format!("a.toml:{line}:")), "{table}:\n{found}");
    }
}

#[test]
fn keys_of_another_kind_are_taken_and_told_of() {
    let told = good(&with("mac.kind = \"ideal\"\nmac.dcf.cw_min = 15\nmac.fba_tradeoff = 20"), &[]).idle_parameters();
    let names: Vec<&str> = told.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["fba_tradeoff", "cw_min"]);
    assert!(told[1].1.contains("has no effect without kind = dcf"), "{told:?}");
    assert!(good(&with("mac.dcf.cw_min = 15"), &[]).idle_parameters().is_empty());
}

#[test]
fn back_offs_of_stations_that_do_not_back_off_cannot_be_written() {
    let told = lines(CHAIN, &["mac.kind=ideal", "output.series=[\"cwnd\", \"backoff\"]"]);
    assert!(told.contains("output.series.1: 'backoff' needs mac.kind = 'dcf'"), "{told}");
    good(CHAIN, &["output.series=[\"cwnd\", \"backoff\"]"]);
}
