//! Instructions are counted exactly, or it is said why they are not.

use std::process::Command;

use hopwright_measure::{Uncounted, count, record};
use hopwright_transport::{Function, protocol};

fn counted(id: &str, cycles: u64, samples: u64) -> Result<Vec<Vec<u64>>, Uncounted> {
    let recording = record(protocol(id).expect("a known protocol"), cycles);
    let mut child = Command::new(env!("CARGO_BIN_EXE_be-counted"));
    count(&recording, samples, child.args([id, &cycles.to_string(), &samples.to_string()]))
}

/// Whether processes may be stepped here; if not, says that what needs it is skipped.
fn may_step() -> bool {
    let refused = counted("newreno", 1, 1).err().filter(|why| matches!(why, Uncounted::Forbidden(_)));
    if let Some(why) = &refused {
        eprintln!("skipped: {why}");
    }
    refused.is_none()
}

#[test]
fn two_counts_of_the_same_events_are_the_same() {
    if !may_step() {
        return;
    }
    let first = counted("sack", 4, 8).expect("processes may be stepped here");
    assert_eq!(first, counted("sack", 4, 8).expect("processes may be stepped here"));
    for function in Function::ALL {
        let counts = &first[function as usize];
        assert!(counts.len() == 8 && counts.iter().all(|&n| n > 20), "{}: {counts:?}", function.name());
    }
}

#[test]
fn a_child_that_does_something_else_is_noticed() {
    if !may_step() {
        return;
    }
    let recording = record(protocol("newreno").expect("a known protocol"), 4);
    let mut other = Command::new(env!("CARGO_BIN_EXE_be-counted"));
    let refused = count(&recording, 4, other.args(["newreno", "4", "5"])).unwrap_err();
    assert_eq!(refused, Uncounted::Ended("it does more than was recorded".to_owned()));
    let mut fewer = Command::new(env!("CARGO_BIN_EXE_be-counted"));
    assert!(matches!(count(&recording, 4, fewer.args(["newreno", "4", "3"])), Err(Uncounted::Ended(_))));
}

#[test]
fn a_child_that_cannot_be_counted_says_why() {
    let recording = record(protocol("newreno").expect("a known protocol"), 1);
    let nobody = count(&recording, 4, &mut Command::new("/nonexistent")).unwrap_err();
    assert!(matches!(nobody, Uncounted::NotStarted(_)), "{nobody}");
    let silent = count(&recording, 4, Command::new("sh").args(["-c", "echo not allowed >&2; exit 1"])).unwrap_err();
    assert_eq!(silent, Uncounted::Forbidden("not allowed".to_owned()));
}
