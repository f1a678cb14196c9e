//! What the program says to every kind of mistake: place, reason, suggestion.

use crate::cases::{COMBINATIONS, Case, LINKS, OUT_OF_RANGE, SLIPS, TRIGGERS, WRONG_TYPES};
use crate::common::{CHAIN, chain_with, lines, read};

fn report(cases: &[Case]) -> String {
    let told = cases.iter().map(|(title, from, to)| format!("# {title}\n{}\n", lines(&chain_with(from, to), &[])));
    told.collect()
}

const HOPS: &str = "hops = 4\n";

#[test]
fn slips_of_the_pen() {
    insta::assert_snapshot!(report(SLIPS));
}

#[test]
fn wrong_types() {
    insta::assert_snapshot!(report(WRONG_TYPES));
}

#[test]
fn out_of_range() {
    insta::assert_snapshot!(report(OUT_OF_RANGE));
}

#[test]
fn impossible_combinations() {
    insta::assert_snapshot!(report(COMBINATIONS));
}

#[test]
fn links() {
    insta::assert_snapshot!(report(LINKS));
}

#[test]
fn triggers() {
    insta::assert_snapshot!(report(TRIGGERS));
}

#[test]
fn overrides() {
    let cases = [
        "mac.data_rate_mpbs=2",
        "mac.data_rate_mbps=fast",
        "mac.data_rate_mbps=-1",
        "flows.transport.protocol=westwod",
        "flows.0.transport.protocol=newremo",
        "flows.transport.ecn=on",
        "flows.transport.window_validation=true",
        "flows.1.to=2",
        "flows.-1.to=2",
        "flows.+0.to=2",
        "flows.0x0.to=2",
        "flows.99999999999999999999999.to=2",
        "flows.to=9",
        "topology.kind=grid",
        "duration_s.x=1",
        "topology..hops=3",
        "duration_s=",
        "topology.hops=[1",
        "flows=1",
        "flows.0=1",
        "nonsense.at.all=1",
        "hops=3",
        "data_rate_mbps=11",
        "aodv.ttl_start=2",
        "protocol=aodv",
        "output.pcap=[0, 9]",
        "output.figures=rtt",
        "mac={ cw_min = 'a', cw_max = 1023 }",
        "mac={ cw_max = 1023, cw_mni = 15 }",
        "radio.energy={ transmit_w = 2, receive_w = 'x', idle_w = 1 }",
    ];
    let told = cases.iter().map(|o| format!("# {o}\n{}\n", lines(CHAIN, &[o])));
    insta::assert_snapshot!(told.collect::<String>());
}

#[test]
fn as_people_see_it() {
    let two = chain_with(HOPS, "hops = 4\n\n[mac]\ndata_rate_mpbs = 2  # a slip\nqueue_packets = \"50\"\n");
    let shown = |text: &str, overrides: &[&str]| read(text, overrides).unwrap_err().render(false);
    insta::assert_snapshot!(
        [
            shown(&two, &["flows.transport.protocol=westwod"]),
            shown(&chain_with(HOPS, ""), &[]),
            shown(&chain_with("\"chain\"\nhops = 4", "\"ns2\"\nfile = \"broken.tcl\""), &[]),
            shown(CHAIN, &["protocol=aodv"]),
            shown("\u{feff}name = \"ü\"\r\nduration_s = [1,\r\n2]\r\n", &[]),
        ]
        .join("\n----\n")
    );
    let coloured = read(&two, &[]).unwrap_err().render(true);
    assert!(coloured.contains("\u{1b}["));
}

#[test]
fn what_is_wrong_with_each_flow_alike_is_told_once() {
    let flows = "\n[[flows]]\nfrom = 1\nto = 3\ntransport.protocol = \"renoo\"\n".repeat(4);
    let text = format!("{CHAIN}{flows}");
    let shown = |overrides: &[&str]| read(&text, overrides).unwrap_err().render(false);
    let typed = shown(&[]);
    assert_eq!(typed.matches("error:").count(), 1, "{typed}");
    assert!(typed.starts_with("error: flows.1.transport.protocol (and 3 more): 'renoo'"), "{typed}");
    assert_eq!(typed.matches("did you mean").count(), 1, "{typed}");
    assert_eq!(typed.matches("a.toml:").count(), 3, "three places are enough: {typed}");
    let set = shown(&["flows.transport.protocol=vegsa"]);
    assert_eq!((set.matches("error:").count(), set.matches("^^^^^").count()), (1, 1), "{set}");
    let different = shown(&["flows.2.transport.protocol=vegsa"]);
    assert_eq!(different.matches("error:").count(), 2, "{different}");
    assert_eq!(read(&text, &[]).unwrap_err().errors().len(), 4, "programs are told of each");
}

#[test]
fn of_many_errors_the_first_are_shown_and_the_others_counted() {
    let flow = |n: u32| format!("\n[[flows]]\nfrom = 1\nto = 3\ntransport.protocol = \"renoo{n}\"\n");
    let text = format!("{CHAIN}{}", (0..30).map(flow).collect::<String>());
    let errors = read(&text, &[]).unwrap_err();
    assert_eq!(errors.errors().len(), 30, "programs are told of each");
    let shown = errors.render(false);
    assert_eq!(shown.matches("'renoo").count(), 10, "{shown}");
    assert!(shown.ends_with("error: 20 more errors are not shown\n"), "{shown}");
}

#[test]
fn a_file_without_a_name_lends_it_its_own() {
    assert_eq!(read(CHAIN, &[]).unwrap().scenario.run.name, "a");
    assert_eq!(read(CHAIN, &["name=b"]).unwrap().scenario.run.name, "b");
    assert_eq!(read(&format!("name = \"c\"\n{CHAIN}"), &[]).unwrap().scenario.run.name, "c");
    let here = std::path::Path::new(".");
    let name = |file: &str| hopwright_scenario::parse(file, CHAIN, here, &[]).unwrap().scenario.run.name;
    assert_eq!(
        (name("nets/my net.v2.toml").as_str(), name("standard input").as_str()),
        ("my net.v2", "standard input")
    );
    assert_eq!(
        (name("nets/.toml").as_str(), name("").as_str(), name("..").as_str()),
        ("scenario", "scenario", "scenario")
    );
}

#[test]
fn files_that_cannot_be_read() {
    let told = |path: &str| match hopwright_scenario::load(std::path::Path::new(path), &[]) {
        Ok(_) => "accepted".to_owned(),
        Err(errors) => errors.to_string(),
    };
    assert!(told("tests/files/nowhere.toml").starts_with("error: tests/files/nowhere.toml: cannot be read: "));
    let not_text = told("tests/files/latin1.toml");
    assert!(not_text.contains("not UTF-8 from here on") && not_text.contains("latin1.toml:2:10"), "{not_text}");
}

#[test]
fn a_file_may_begin_with_a_byte_order_mark() {
    let told = |text: &str| {
        let path = std::env::temp_dir().join(format!("byte-order-mark-{}.tcl", std::process::id()));
        std::fs::write(&path, text).unwrap();
        let file = format!("\"ns2\"\nfile = '{}'", path.display());
        let told = read(&chain_with("\"chain\"\nhops = 4", &file), &[]).map(|_| ()).map_err(|error| error.to_string());
        std::fs::remove_file(path).unwrap();
        told
    };
    let nodes: String = (0..5).map(|node| format!("$node_({node}) set X_ 1\n$node_({node}) set Y_ 1\n")).collect();
    assert_eq!(told(&nodes), Ok(()));
    assert_eq!(told(&format!("\u{feff}{nodes}")), Ok(()));
    let wrong = told("\u{feff}$nod_(0) set X_ 1\n").unwrap_err();
    assert!(wrong.contains(".tcl:1:1\n"), "{wrong}");
}

#[test]
fn the_most_that_bits_hold_is_not_told_of_a_number_below_the_least() {
    let told = |set: &str| lines(CHAIN, &[set]);
    assert_eq!(
        told("flows.from=-1"),
        "--set flows.from=-1: flows.0.from: expected a whole number from 0 up, found -1\n"
    );
    assert_eq!(
        told("flows.from=5000000000"),
        "--set flows.from=5000000000: flows.0.from: expected a whole number from 0 to 4294967295, found 5000000000\n"
    );
}

#[test]
fn the_same_mistake_in_the_syntax_at_two_places_is_told_once() {
    let shown = read("a = \nb = \n", &[]).unwrap_err().render(false);
    let first = shown.lines().next().unwrap();
    assert!(first.starts_with("error: not TOML: ") && first.ends_with(" (and 1 more)"), "{shown}");
    assert_eq!(shown.matches("error:").count(), 1, "{shown}");
}

#[test]
fn a_bare_word_is_told_to_be_quoted_whatever_it_begins_with() {
    let told = |word: &str| lines(&chain_with("\"chain\"", word), &[]);
    let quoted = "a.toml:4:8: not TOML: string values must be quoted";
    for word in ["vegas", "newreno", "none", "nctp", "tahoe", "fsr", "information", "inf-words"] {
        assert_eq!(told(word), format!("{quoted}, expected literal string\n"), "{word}");
    }
    for word in ["True", "FALSE"] {
        assert_eq!(told(word), format!("{quoted}; a boolean is `true` or `false`\n"), "{word}");
    }
    assert!(told("0.x").starts_with("a.toml:4:10: not TOML: invalid fraction, "), "{}", told("0.x"));
}

#[test]
fn a_flow_to_oneself_is_told_where_its_end_was_set() {
    let told = |overrides: &[&str]| lines(CHAIN, overrides);
    let itself = |node: u32| format!("a flow from node {node} to itself\n");
    assert_eq!(told(&["flows.from=4"]), format!("--set flows.from=4: flows.0.from: {}", itself(4)));
    assert_eq!(told(&["flows.to=0"]), format!("--set flows.to=0: flows.0.to: {}", itself(0)));
    assert_eq!(told(&["flows.from=2", "flows.to=2"]), format!("--set flows.to=2: flows.0.to: {}", itself(2)));
}

#[test]
fn a_file_of_nearly_the_same_name_is_suggested() {
    let told = |file: &str| lines(&chain_with("\"chain\"\nhops = 4", &format!("\"ns2\"\nfile = \"{file}\"")), &[]);
    assert!(told("brokne.tcl").ends_with("; did you mean 'tests/files/broken.tcl'?\n"), "{}", told("brokne.tcl"));
    assert!(!told("nowhere.tcl").contains("did you mean"), "{}", told("nowhere.tcl"));
    assert!(!told("nowhere/broken.tcl").contains("did you mean"), "{}", told("nowhere/broken.tcl"));
}

#[test]
fn a_key_of_the_top_in_a_table_is_not_suggested_to_itself() {
    let shown = read(&chain_with("to = 4", "to = 4\nname = \"a\""), &[]).unwrap_err().render(false);
    assert!(shown.starts_with("error: flows.0.name: unknown key\n"), "{shown}");
    assert!(shown.contains("help: 'name' is a key at the top of the scenario"), "{shown}");
}

#[test]
fn a_value_that_is_no_word_is_told_the_words() {
    let told = lines(CHAIN, &["output.lineage=true"]);
    assert!(
        told.ends_with("output.lineage: expected a string, found true; possible: 'off', 'losses', 'all'\n"),
        "{told}"
    );
}
