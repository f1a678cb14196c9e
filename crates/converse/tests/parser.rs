//! What the parser says about texts that are no scripts.

use hopwright_converse::{Script, parse};
use hopwright_machine::Duration;
use proptest::prelude::*;

fn mistake(text: &str) -> String {
    parse(text).expect_err("a mistake").to_string()
}

#[test]
fn a_mistake_names_its_line_and_what_would_be_right() {
    for (text, line, right) in [
        ("0ms wrte 5", 1, "write N"),
        ("# a comment\n\n0ms write", 3, "a number of bytes"),
        ("0ms write 5 6", 1, "the end of the line"),
        ("0ms write many", 1, "a number"),
        ("zero write 5", 1, "set NAME VALUE"),
        ("5 write 5", 1, "100ms or 1.5s"),
        ("-1s write 5", 1, "set NAME VALUE"),
        ("0ms close\nset nagle true", 2, "100ms or 1.5s"),
        ("1s open\n 999ms close", 2, "a time from 1 s on"),
        ("0ms > ack 0 within 5ms\n4ms close", 2, "a time from 0.005 s on"),
        ("0ms < 5:1", 1, "START:END"),
        ("0ms < ak 1", 1, "ack N..."),
        ("0ms < ack", 1, "a number"),
        ("0ms < raw SX", 1, "S, A, F, R, P"),
        ("0ms < ack 1 sack 1:2,3:4,5:6,7:8,9:10", 1, "four blocks"),
        ("0ms < ack 1 win 70000", 1, "not too large"),
        ("0ms > ak 1", 1, "ack N"),
        ("0ms hops many", 1, "a number"),
        ("0ms < 0:5 period soon", 1, "a number"),
        ("0ms > 0:5 poll 1", 1, "asked, or none"),
        ("0ms > win 5", 1, "ack N"),
        ("0ms = stat Open", 1, "state, cwnd"),
        ("0ms = state Open", 1, "Established"),
        ("on moon", 1, "engine or kernel"),
        ("on engine", 1, "why the other subject is left out"),
        ("protocol newrino", 1, "newreno"),
        ("set mss 5", 1, "a parameter"),
        ("slot acking never", 1, "delayed"),
        ("slot nose delayed", 1, "acking"),
    ] {
        let said = mistake(text);
        assert!(said.starts_with(&format!("line {line}: ")) && said.contains(right), "{text:?}: {said}");
    }
}

#[test]
fn what_is_not_said_has_its_default() {
    let script = parse("10ms > ack 5 # soon\n 1.5s close").unwrap();
    assert!(script.subjects.engine && !script.subjects.kernel);
    assert_eq!(script.lines.iter().map(|line| line.at).collect::<Vec<_>>(), [10, 1500].map(Duration::from_millis));
    assert_eq!(script.lines[0].text, "10ms > ack 5");
    assert_eq!(parse("").unwrap(), Script::default());
}

/// Words of the language, and some that are none.
const WORDS: [&str; 51] = [
    "0ms",
    "1s",
    "<",
    ">",
    "=",
    "on",
    "engine",
    "kernel:",
    "why",
    "set",
    "nagle",
    "true",
    "slot",
    "acking",
    "delayed",
    "role",
    "passive",
    "peer",
    "bare",
    "open",
    "close",
    "abort",
    "write",
    "read",
    "wake",
    "hops",
    "poll",
    "period",
    "ack",
    "fin",
    "syn",
    "syn-ack",
    "rst",
    "raw",
    "SA",
    "seq",
    "-5",
    "4294967295",
    "len",
    "text",
    "win",
    "ts",
    "sack",
    "0:1000",
    "9:1",
    "within",
    "reopening",
    "admitted",
    "state",
    "Closed",
    "\n",
];

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in ".{0,200}") {
        let _ = parse(&text);
    }

    #[test]
    fn nor_do_its_own_words(words in prop::collection::vec(prop::sample::select(&WORDS[..]), 0..40)) {
        let _ = parse(&words.join(" "));
    }
}
