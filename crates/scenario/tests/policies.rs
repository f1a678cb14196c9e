//! Triggers from a file that a flow names: as if they stood in the scenario, and wrong at their own places.

use crate::common::{CHAIN, good, lines, read};

fn naming(file: &str, more: &str) -> String {
    format!("{CHAIN}[flows.transport]\nprotocol = \"sack\"\n{more}policy = \"{file}\"\n")
}

const ROW: &str = "[[flows.transport.triggers]]
when = [{ monitor = \"loss\", above = 2.0, until = 1.5 }]
set = { avoidance = \"vegas\", response = \"spare\" }
back = true
";

#[test]
fn a_file_is_as_good_as_the_tables() {
    let own = format!("{CHAIN}[flows.transport]\nprotocol = \"sack\"\nloss_window_segments = 200\n{ROW}");
    let named = good(&naming("policy.toml", ""), &[]).scenario.to_toml();
    assert_eq!(named, good(&own, &[]).scenario.to_toml());
    // Everything that it says is in the printed scenario, which needs no file.
    assert!(!named.contains("policy"), "{named}");
    assert_eq!(good(&named, &[]).scenario.to_toml(), named);
}

#[test]
fn what_the_scenario_says_itself_holds() {
    let own = good(&naming("policy.toml", "loss_window_segments = 300\n"), &[]).scenario.to_toml();
    assert!(own.contains("loss_window_segments = 300"), "{own}");
}

#[test]
fn the_command_line_may_name_one() {
    let plain = format!("{CHAIN}[flows.transport]\nprotocol = \"sack\"\n");
    let named = good(&plain, &["flows.transport.policy=policy.toml"]).scenario.to_toml();
    assert_eq!(named, good(&naming("policy.toml", ""), &[]).scenario.to_toml());
}

#[test]
fn mistakes_are_shown_in_their_file() {
    let said = lines(&naming("wrong-policy.toml", ""), &[]);
    for told in [
        "tests/files/wrong-policy.toml:1:1: flows.0.transport.losses_window: unknown key",
        "tests/files/wrong-policy.toml:4:21: flows.0.transport.triggers.0.when.0.monitor",
        "tests/files/wrong-policy.toml:5:21: flows.0.transport.triggers.0.set.avoidance: no mechanism called 'vegs'",
    ] {
        assert!(said.contains(told), "{told}\n{said}");
    }
    assert!(lines(&naming("broken-policy.toml", ""), &[]).starts_with("tests/files/broken-policy.toml:1:"));
    assert!(
        lines(&naming("no-policy.toml", ""), &[])
            .contains("there is no trigger: each trigger starts with [[triggers]]")
    );
    assert!(
        lines(&naming("empty-policy.toml", ""), &[])
            .contains("there is no trigger: each trigger starts with [[triggers]]")
    );
}

#[test]
fn mistakes_about_the_file_are_shown_where_it_is_named() {
    let absent = lines(&naming("absent.toml", ""), &[]);
    assert!(
        absent.starts_with("a.toml:12:10: flows.0.transport.policy: tests/files/absent.toml cannot be read"),
        "{absent}"
    );
    let number = lines(&naming("policy.toml", "").replace("\"policy.toml\"", "7"), &[]);
    assert_eq!(number, "a.toml:12:10: flows.0.transport.policy: expected the path of a file, found 7\n");
    let both = lines(&(naming("policy.toml", "") + ROW), &[]);
    assert!(
        both.contains("a.toml:12:10: flows.0.transport.policy: names a file with triggers, and the flow has"),
        "{both}"
    );
}

#[test]
fn triggers_must_suit_the_flow_that_names_them() {
    let said = lines(&naming("policy.toml", "").replace("sack", "udp"), &[]);
    assert!(said.contains("'udp' has no slots"), "{said}");
    assert!(read(&naming("policy.toml", "").replace("sack", "newreno"), &[]).is_ok());
}
