//! The commands of the binary. Exit codes: 0 done, 1 it failed or something is lacking, 2 the input is wrong.

use std::fs::OpenOptions;
use std::io::{BufWriter, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ExitCode, ExitStatus};
use std::time::Duration;

use hopwright_kernel::{
    Connection, Error, Guard, Loaded, MECHANISMS, Mechanism, Network, Settings, Watch, command_of, end, enter_and_run,
    guard, mechanism, run, running,
};
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::Pid;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};

mod measure;
mod spill;

type Result<T> = std::result::Result<T, Error>;

pub(crate) fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let ran = |code: Result<u8>| code.map(ExitCode::from);
    let done = match words.first().map(String::as_str) {
        Some("load") => ran(load(&words[1..])),
        Some("measure") => ran(measure::measure(&words[1..])),
        _ => others(&words).map(|()| ExitCode::SUCCESS),
    };
    done.unwrap_or_else(|error| {
        complain(&error.to_string());
        ExitCode::from(if matches!(error, Error::Input(_)) { 2 } else { 1 })
    })
}

fn others(words: &[String]) -> Result<()> {
    match words.first().map(String::as_str) {
        Some("list") => list(&words[1..]),
        Some("status") => status(&words[1..]),
        Some("unload") => unload(&words[1..]),
        Some("mechanisms") => mechanisms(),
        // What `load` and `measure` start.
        Some("enter") if words.len() > 4 => Err(enter_and_run(&words[1], &words[2], &words[4..])),
        Some("run") if words.len() > 1 => Err(run(&words[1..])),
        Some("guard") if words.len() == 3 => guard(&words[1], &words[2]),
        _ => Err(Error::Input(
            "hopwright-kernel load|list|status|unload|measure|mechanisms; `hopwright kernel --help` says more".into(),
        )),
    }
}

fn complain(what: &str) {
    let _ = writeln!(std::io::stderr(), "hopwright: {what}");
}

fn print(text: &str) -> Result<()> {
    writeln!(std::io::stdout(), "{text}").map_err(|error| Error::Failed(format!("cannot write: {error}")))
}

/// The words of `load`.
#[derive(Default)]
struct Options {
    mechanism: String,
    name: Option<String>,
    set: Vec<(String, String)>,
    record: Option<String>,
    namespace: Option<String>,
    program: Vec<String>,
}

fn options(words: &[String]) -> Result<Options> {
    let mut found = Options::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let mut value = || rest.next().cloned().ok_or_else(|| Error::Input(format!("{word} needs a value")));
        match word.as_str() {
            "--name" => found.name = Some(value()?),
            "--record" => found.record = Some(value()?),
            "--namespace" => found.namespace = Some(value()?),
            "--set" => {
                let pair = value()?;
                let (name, value) =
                    pair.split_once('=').ok_or_else(|| Error::Input(format!("--set {pair}: expected NAME=VALUE")))?;
                found.set.push((name.to_owned(), value.to_owned()));
            }
            "--" => found.program = rest.by_ref().cloned().collect(),
            other if found.mechanism.is_empty() && !other.starts_with('-') => found.mechanism = other.to_owned(),
            other => return Err(Error::Input(format!("'{other}' is one argument too many"))),
        }
    }
    Ok(found)
}

fn find(id: &str) -> Result<&'static Mechanism> {
    let known = || MECHANISMS.iter().map(|m| m.id).collect::<Vec<_>>().join(", ");
    mechanism(id).ok_or_else(|| Error::Input(format!("no algorithm '{id}': there are {}", known())))
}

/// Returns the exit code: the program's, if there is one.
fn load(words: &[String]) -> Result<u8> {
    let options = options(words)?;
    let mechanism = find(&options.mechanism)?;
    if options.namespace.is_some() && options.program.is_empty() {
        return Err(Error::Input("--namespace needs a program after --".into()));
    }
    let settings = Settings::of(mechanism, options.set.iter().map(|(name, value)| (name.as_str(), value.as_str())))?;
    let signals = hold_signals()?;
    let mut file = match &options.record {
        None => None,
        Some(path) => {
            let opened = OpenOptions::new().write(true).create_new(true).open(path);
            Some(BufWriter::new(opened.map_err(|error| Error::Input(format!("cannot make {path}: {error}")))?))
        }
    };
    let began = begin(&options, mechanism, &settings);
    let (loaded, guard, child) = match began {
        Ok(began) => began,
        Err(error) => {
            if let Some(path) = &options.record {
                let _ = std::fs::remove_file(path); // nothing half done is left
            }
            return Err(error);
        }
    };
    let mut broken = None;
    if let Some(file) = &mut file {
        let _ = writeln!(file, "{}", hopwright_kernel::Event::COLUMNS);
    }
    let hear = |event: hopwright_kernel::Event| {
        if let Some(Err(error)) = file.as_mut().map(|file| writeln!(file, "{}", event.row())) {
            broken.get_or_insert(error);
        }
    };
    let result = {
        let recorder = if options.record.is_some() { Some(loaded.recorder(hear)?) } else { None };
        wait(&signals, child, || {
            if let Some(recorder) = &recorder {
                recorder.listen(Duration::ZERO);
            }
        })
    };
    drop(guard);
    drop(loaded);
    if let Some(Err(error)) = file.as_mut().map(|file| file.flush()) {
        broken.get_or_insert(error);
    }
    match broken {
        Some(error) => Err(Error::Failed(format!("cannot write {}: {error}", options.record.unwrap_or_default()))),
        None => result,
    }
}

/// Signals wait to be read: to be called before anything begins, so that none comes too early.
fn hold_signals() -> Result<SignalFd> {
    let mut signals = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGCHLD] {
        signals.add(signal);
    }
    let failed = |what: &str, error: nix::Error| Error::Failed(format!("cannot {what}: {error}"));
    signals.thread_block().map_err(|error| failed("hold signals", error))?;
    SignalFd::with_flags(&signals, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)
        .map_err(|error| failed("wait for signals", error))
}

fn begin(
    options: &Options,
    mechanism: &'static Mechanism,
    settings: &Settings,
) -> Result<(Loaded, Option<Guard>, Option<Child>)> {
    let loaded = Loaded::new(mechanism, options.name.as_deref(), settings, options.record.is_some())?;
    let name = loaded.name();
    let said: Vec<String> = settings.pairs(mechanism).iter().map(|(name, value)| format!("{name} {value}")).collect();
    let _ = writeln!(
        std::io::stderr(),
        "{name} is loaded: {}, {}. The kernel itself does: {}.",
        mechanism.runs,
        said.join(", "),
        kernels(mechanism)
    );
    if options.program.is_empty() {
        let how = format!("sysctl net.ipv4.tcp_congestion_control={name}, or a program's option (iperf3 -C {name})");
        let _ = writeln!(std::io::stderr(), "Choose the algorithm with {how}. It is unloaded when this command ends.");
        return Ok((loaded, None, None));
    }
    let network = options.namespace.clone().map_or(Network::New, Network::Named);
    let this = "/proc/self/exe";
    let guard = Guard::new(this, name, &network)?;
    let child = command_of(this, name, &network, &options.program).spawn();
    let child = child.map_err(|error| Error::Failed(format!("cannot start a process: {error}")))?;
    Ok((loaded, guard, Some(child)))
}

fn kernels(mechanism: &Mechanism) -> String {
    let more = if mechanism.kernels.is_empty() { String::new() } else { format!("; {}", mechanism.kernels) };
    format!("{}{more}", Mechanism::ALWAYS)
}

/// How often what is recorded is read.
const STEP_MS: i64 = 20;

/// Waits for a signal, or for the program's end.
fn wait(signals: &SignalFd, mut child: Option<Child>, mut meanwhile: impl FnMut()) -> Result<u8> {
    loop {
        let step = Timespec { tv_sec: 0, tv_nsec: STEP_MS * 1_000_000 };
        let _ = poll(&mut [PollFd::new(signals, PollFlags::IN)], Some(&step));
        meanwhile();
        if let Some(child) = &mut child
            && let Ok(Some(status)) = child.try_wait()
        {
            meanwhile();
            return Ok(code_of(status));
        }
        while let Ok(Some(info)) = signals.read_signal() {
            let signal = i32::try_from(info.ssi_signo).ok().and_then(|number| Signal::try_from(number).ok());
            let Some(signal @ (Signal::SIGINT | Signal::SIGTERM | Signal::SIGHUP)) = signal else { continue };
            let Some(child) = &mut child else { return Ok(0) }; // a signal is how it ends
            stop(child, signal);
            return Ok(128 + signal as u8);
        }
    }
}

/// As a shell tells it: 128 and the signal's number if a signal ended it.
fn code_of(status: ExitStatus) -> u8 {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    u8::try_from(code).unwrap_or(1)
}

/// Ends the program: kindly at first.
fn stop(child: &mut Child, signal: Signal) {
    if let Ok(id) = i32::try_from(child.id()) {
        let _ = kill(Pid::from_raw(id), signal);
    }
    for _ in 0..100 {
        if matches!(child.try_wait(), Ok(Some(_))) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let _ = child.kill();
    let _ = child.wait();
}

fn wants_json(words: &[String]) -> Result<(bool, Option<&str>)> {
    let is_json = words.iter().any(|word| word == "--json");
    let others: Vec<&str> = words.iter().map(String::as_str).filter(|word| *word != "--json").collect();
    match others[..] {
        [] => Ok((is_json, None)),
        [name] => Ok((is_json, Some(name))),
        [_, other, ..] => Err(Error::Input(format!("'{other}' is one argument too many"))),
    }
}

fn list(words: &[String]) -> Result<()> {
    let (is_json, _) = wants_json(words)?;
    hopwright_kernel::needs()?;
    let all = running();
    if is_json {
        let rows: Vec<Value> = all
            .iter()
            .map(|r| {
                let costs: Vec<Value> =
                    r.costs().iter().map(|c| json!({"hook": c.hook, "runs": c.runs, "ns": c.ns})).collect();
                let parameters: Value = r.settings.pairs(r.mechanism).into_iter().map(|(k, v)| (k.to_owned(), json!(v))).collect();
                json!({"name": r.name, "mechanism": r.mechanism.id, "parameters": parameters, "owner": r.owner,
                    "recording": r.recording, "selectable": r.is_selectable, "runs": r.mechanism.runs, "kernels": kernels(r.mechanism), "costs": costs})
            })
            .collect();
        return print(&Value::from(rows).to_string());
    }
    if all.is_empty() {
        return print("no algorithm is loaded");
    }
    for r in &all {
        let parameters: Vec<String> = r.settings.pairs(r.mechanism).iter().map(|(k, v)| format!("{k} {v}")).collect();
        let state = if r.is_selectable {
            format!("process {}", r.owner)
        } else {
            "its process has ended; older connections still use it".into()
        };
        print(&format!(
            "{:15} {:14} {state}\n    {}\n    runs: {}",
            r.name,
            r.mechanism.id,
            parameters.join(", "),
            r.mechanism.runs
        ))?;
        print(&format!("    the kernel itself does: {}", kernels(r.mechanism)))?;
    }
    Ok(())
}

fn status(words: &[String]) -> Result<()> {
    let (is_json, name) = wants_json(words)?;
    hopwright_kernel::needs()?;
    let mut all = running();
    if let Some(name) = name {
        let known: Vec<String> = all.iter().map(|r| r.name.clone()).collect();
        all.retain(|r| r.name == name);
        if all.is_empty() {
            let known = if known.is_empty() {
                "no algorithm is loaded".into()
            } else {
                format!("loaded: {}", known.join(", "))
            };
            return Err(Error::Input(format!("no algorithm '{name}' of Hopwright is loaded ({known})")));
        }
    }
    let mut rows = vec![];
    for r in &all {
        rows.extend(Watch::new(r)?.look()?.into_iter().map(|connection| (r.name.as_str(), connection)));
    }
    if is_json {
        let rows: Vec<Value> = rows.iter().map(|(name, c)| as_json(name, c)).collect();
        return print(&Value::from(rows).to_string());
    }
    if rows.is_empty() {
        return print(if all.is_empty() { "no algorithm is loaded" } else { "no connections" });
    }
    print(&format!(
        "{:15} {:>21} {:>21} {:>8} {:>8} {:>9} {:>5} {:>10} {:>7} {:>5} {:>8} {}",
        "name",
        "local",
        "remote",
        "window",
        "thresh.",
        "RTT ms",
        "out",
        "congestion",
        "channel",
        "route",
        "timeouts",
        "phase"
    ))?;
    for (name, c) in &rows {
        let ssthresh = c.ssthresh.map_or_else(|| "-".to_owned(), |s| s.to_string());
        print(&format!(
            "{name:15} {:>21} {:>21} {:>8.2} {ssthresh:>8} {:>9.3} {:>5} {:>10} {:>7} {:>5} {:>8} {}",
            c.local.to_string(),
            c.remote.to_string(),
            c.cwnd,
            f64::from(c.srtt_us) / 1e3,
            c.outstanding,
            c.congestion,
            c.channel,
            c.route,
            c.timeouts,
            c.phase
        ))?;
    }
    Ok(())
}

fn as_json(name: &str, c: &Connection) -> Value {
    json!({"name": name, "local": c.local.to_string(), "remote": c.remote.to_string(), "cwnd_segments": c.cwnd,
        "ssthresh_segments": c.ssthresh, "srtt_ms": f64::from(c.srtt_us) / 1e3, "mss_bytes": c.mss,
        "outstanding_segments": c.outstanding, "acks": c.acks, "phase": c.phase, "timeouts": c.timeouts,
        "diagnosed": {"congestion": c.congestion, "channel": c.channel, "route": c.route}})
}

fn unload(words: &[String]) -> Result<()> {
    let [name] = words else {
        return Err(Error::Input("name one algorithm; `hopwright kernel list` says which are loaded".into()));
    };
    hopwright_kernel::needs()?;
    let ended = end(name)?;
    print(&format!("{name} is unloaded (process {} ended)", ended.owner))
}

fn mechanisms() -> Result<()> {
    let rows: Vec<Value> = MECHANISMS
        .iter()
        .map(|m| {
            let parameters: Vec<Value> = m.parameters.iter().map(|p| json!({"name": p.name, "what": p.what})).collect();
            json!({"id": m.id, "name": m.name, "source": m.source, "protocol": m.protocol, "runs": m.runs, "kernels": kernels(m),
                "parameters": parameters})
        })
        .collect();
    print(&Value::from(rows).to_string())
}
