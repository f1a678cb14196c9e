//! Every conversation script that is about the kernel too, against the kernel of this machine. Needs root.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::Write as _;
use std::sync::Mutex;
use std::thread;

use hopwright_converse::{Failure, Script, WRONG, library, parse};
use hopwright_machine::Duration;
use hopwright_replay::{is_available, replay};

/// How many conversations are held at the same time: they mostly wait.
const AT_ONCE: usize = 12;

/// A machine that is busy elsewhere makes everything late: who fails is asked again, alone, so many times.
const ATTEMPTS: usize = 3;

/// Conversations in which we ourselves were later than this say nothing, and are held again, up to so many times.
const TOO_LATE: Duration = Duration::from_millis(30);
const PATIENCE: usize = 10;

#[test]
fn the_kernel_keeps_to_the_scripts() {
    if let Err(reason) = is_available() {
        return say(&format!("skipped: needs root and /dev/net/tun ({reason})\n"));
    }
    // `ONLY=opening/active` plays the scripts whose names contain that; `LEFT_OUT=1` those that leave the kernel
    // out, to see how it differs.
    let only = std::env::var("ONLY").unwrap_or_default();
    let is_asked = std::env::var("LEFT_OUT").is_err();
    let mut scripts = library();
    scripts.retain(|(name, script)| script.subjects.kernel == is_asked && name.contains(&only));
    let (count, mut kept) = (scripts.len(), scripts.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>());
    let queue = Mutex::new(scripts);
    let failures = Mutex::new(vec![]);
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let Some((name, script)) = queue.lock().unwrap().pop() else { return };
                    if replay(&script).is_err() {
                        failures.lock().unwrap().push((name, script));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    let (mut lasting, mut untold) = (vec![], 0);
    for (name, script) in failures {
        say(&format!("{name}: once more, alone\n"));
        match ask(&script) {
            Ok(()) => {}
            Err(failure) if failure.lag > TOO_LATE => {
                untold += 1;
                say(&format!("{name}: this machine is too busy to tell\n"));
            }
            Err(failure) => {
                lasting.push(format!("{name}: {failure}"));
                kept.retain(|other| *other != name);
            }
        }
    }
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let who = format!("Linux {} (the scripts were written with 6.18)", release.trim());
    if !is_asked {
        return say(&format!("{}\n{who} differs from {}, not from {kept:?}\n", lasting.join("\n"), lasting.len()));
    }
    assert!(lasting.is_empty(), "{who}: {} of {count} fail:\n{}", lasting.len(), lasting.join("\n"));
    say(&format!("{who} keeps to {} scripts\n", count - untold));
}

#[test]
fn the_kernel_does_not_keep_to_wrong_scripts() {
    if is_available().is_err() {
        return; // said where the right ones are played
    }
    thread::scope(|scope| {
        for text in WRONG {
            scope.spawn(move || {
                // A reader that a busy machine keeps from running misses what the kernel sent besides.
                let is_kept = |_| replay(&parse(text).unwrap()).is_ok();
                assert!(!(0..ATTEMPTS).all(is_kept), "{text}");
            });
        }
    });
}

fn ask(script: &Script) -> Result<(), Failure> {
    let (mut heard, mut result) = (0, Ok(()));
    for _ in 0..PATIENCE {
        result = replay(script);
        heard += usize::from(result.as_ref().is_err_and(|failure| failure.lag <= TOO_LATE));
        if result.is_ok() || heard == ATTEMPTS {
            break;
        }
    }
    result
}

/// Not through the test harness, which hides what passing tests print.
fn say(text: &str) {
    std::io::stderr().write_all(text.as_bytes()).unwrap();
}
