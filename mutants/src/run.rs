//! Runs tests: each one once without a mutant, for its time and for the mutants that it comes by; then, mutant by mutant,
//! those that come by it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::resource::{UsageWho, getrusage};

use crate::Fault;
use crate::crates::Program;

/// The number that makes the program list the mutants that it comes by.
const LIST: u32 = u32::MAX;
/// A mutant may cost a test so many times its usual time, and a second at least: processor time, which does not depend on
/// what else the machine does.
const TIMES: f64 = 10.0;
/// A test may take so much memory, KiB.
const MEMORY_KIB: u32 = 6 << 20;

/// A test.
#[derive(Debug)]
pub(crate) struct Test {
    program: Program,
    pub(crate) name: String,
    /// Of processor time.
    pub(crate) seconds: f64,
    pub(crate) meets: BTreeSet<u32>,
}

impl Test {
    /// What people call it.
    pub(crate) fn title(&self) -> String {
        format!("{} {} {}", self.program.package, self.program.name, self.name)
    }

    /// Whether it passes with a mutant.
    pub(crate) fn passes(&self, mutant: u32) -> Result<bool, Fault> {
        let limit = (self.seconds * TIMES).max(1.0);
        run(&self.program, &self.name, mutant, limit, None)
    }
}

/// Processor time that all tests have taken so far, seconds.
fn spent() -> Result<f64, Fault> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}

/// All tests of these programs that pass without a mutant in so many seconds, the fastest first.
pub(crate) fn tests(programs: &[Program], patience_s: f64, scratch: &Path) -> Result<Vec<Test>, Fault> {
    let seen = scratch.join("seen");
    let mut tests = Vec::new();
    for program in programs {
        let output = Command::new(&program.executable)
            .args(["--list", "--format", "terse"])
            .current_dir(&program.folder)
            .output()?;
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let Some(name) = line.strip_suffix(": test") else { continue };
            let before = spent()?;
            if !run(program, name, 0, patience_s, None)? {
                eprintln!("left out, as it takes too long, or fails, in the copy: {} {name}", program.name);
                continue;
            }
            let seconds = spent()? - before;
            fs::write(&seen, "")?;
            run(program, name, LIST, 10.0 * patience_s, Some(&seen))?;
            let meets = fs::read_to_string(&seen)?.lines().filter_map(|line| line.parse().ok()).collect();
            tests.push(Test { program: program.clone(), name: name.to_owned(), seconds, meets });
        }
    }
    tests.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    Ok(tests)
}

fn run(program: &Program, test: &str, mutant: u32, limit_s: f64, seen: Option<&Path>) -> Result<bool, Fault> {
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg(format!("ulimit -c 0; ulimit -t {:.0}; ulimit -v {MEMORY_KIB}; exec \"$@\"", limit_s.ceil()))
        .arg("sh")
        .arg(&program.executable)
        .args(["--exact", test, "--test-threads", "1"])
        .current_dir(&program.folder)
        .env("CARGO_MANIFEST_DIR", &program.folder)
        .env("MUTANT", mutant.to_string())
        // A failing property need not be made small, nor be remembered.
        .env("PROPTEST_RNG_SEED", "1")
        .env("PROPTEST_MAX_SHRINK_ITERS", "0")
        .env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "true")
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Some(seen) = seen {
        command.env("MUTANTS_SEEN", seen);
    }
    Ok(command.status()?.success())
}
