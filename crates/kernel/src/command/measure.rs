//! `measure`: what the kernel's TCP costs, while a program runs or until an interrupt.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, ErrorKind, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use hopwright_kernel::{Error, Measured, Measurement, command_here};
use serde_json::{Map, Value, json};

use super::spill::Spill;
use super::{Result, hold_signals, wait};

/// The words of `measure`.
#[derive(Default)]
struct Options {
    is_json: bool,
    has_all: bool,
    out: Option<String>,
    overwrite: bool,
    network_of: Option<u32>,
    room: Option<u32>,
    program: Vec<String>,
}

fn options(words: &[String]) -> Result<Options> {
    let mut found = Options::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| Error::Input(format!("{word} needs a value")));
        match word.as_str() {
            "--json" => found.is_json = true,
            "--all" => found.has_all = true,
            "--overwrite" => found.overwrite = true,
            "--out" => found.out = Some(value()?.clone()),
            "--network-of" => found.network_of = Some(number(word, value()?, u32::MAX)?),
            "--connections" => found.room = Some(number(word, value()?, 1 << 20)?),
            "--" => found.program = rest.by_ref().cloned().collect(),
            other => return Err(Error::Input(format!("'{other}' is one argument too many"))),
        }
    }
    Ok(found)
}

fn number(word: &str, text: &str, most: u32) -> Result<u32> {
    let number = text.parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| Error::Input(format!("{word} {text}: a whole number from 1 to {most}")))
}

/// The inode number of a process's network namespace.
fn network_of(process: u32) -> Result<u64> {
    let path = format!("/proc/{process}/ns/net");
    let found = std::fs::metadata(&path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Error::Input(format!("--network-of {process}: this process does not exist")),
        _ => Error::Failed(format!("cannot inspect {path}: {error}")),
    })?;
    Ok(found.ino())
}

/// The file for results. Nothing is written into it yet.
fn open(path: &str, overwrite: bool) -> Result<File> {
    let opened = if overwrite {
        OpenOptions::new().write(true).create(true).truncate(false).open(path)
    } else {
        OpenOptions::new().write(true).create_new(true).open(path)
    };
    opened.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Error::Input(format!("{path} exists: choose another --out, or say --overwrite")),
        _ => Error::Input(format!("cannot make {path}: {error}")),
    })
}

/// How many connections there is room for unless it is said.
const ROOM: u32 = 4096;

/// Returns the exit code: the program's, if there is one.
pub(super) fn measure(words: &[String]) -> Result<u8> {
    let options = options(words)?;
    let network = options.network_of.map(network_of).transpose()?;
    let signals = hold_signals()?;
    let mut rows = Spill::new()?;
    let was_there = options.out.as_deref().is_some_and(|path| Path::new(path).exists());
    let mut file = options.out.as_deref().map(|path| open(path, options.overwrite)).transpose()?;
    let room = options.room.unwrap_or(ROOM);
    let began = Measurement::new(room, network).and_then(|measurement| {
        let child = (!options.program.is_empty()).then(|| {
            let _ = writeln!(std::io::stderr(), "measuring");
            command_here("/proc/self/exe", &options.program).spawn()
        });
        let child = child.transpose().map_err(|error| Error::Failed(format!("cannot start a process: {error}")))?;
        Ok((measurement, child))
    });
    let (mut measurement, child) = match (began, &options.out) {
        (Ok(began), _) => began,
        (Err(error), Some(path)) if !was_there => {
            let _ = std::fs::remove_file(path); // nothing half done is left
            return Err(error);
        }
        (Err(error), _) => return Err(error),
    };
    if let Some(file) = &mut file {
        file.set_len(0).map_err(|error| Error::Failed(format!("cannot empty the file: {error}")))?;
    }
    if child.is_none() {
        let _ = writeln!(std::io::stderr(), "measuring");
    }
    let mut broken = None;
    let mut keep = |measured: Vec<Measured>| {
        for each in measured.into_iter().filter(|each| options.has_all || each.has_data) {
            let row = as_json(&each).to_string();
            if let Some(Err(error)) = file.as_mut().map(|file| file.write_all(format!("{row}\n").as_bytes())) {
                broken.get_or_insert(error);
            }
            rows.add(&if options.is_json { row } else { as_table(&each) });
        }
    };
    let code = wait(&signals, child, || keep(measurement.closed()));
    keep(measurement.end());
    let (without_room, missed) = (measurement.without_room(), measurement.missed());
    if without_room > 0 {
        let _ = writeln!(
            std::io::stderr(),
            "hopwright: {without_room} connections were not measured, as there was room for {room} (--connections)"
        );
    }
    let mut to = BufWriter::new(std::io::stdout().lock());
    if options.is_json {
        write(&mut to, "{\"connections\":[")?;
        rows.write(&mut to, ",")?;
        let rest = json!({"empty_ns": measurement.empty_ns(), "missed_events": missed, "without_room": without_room});
        write(&mut to, &format!("],{}\n", rest.to_string().trim_start_matches('{')))?;
    } else if rows.rows() == 0 {
        write(&mut to, "no connections\n")?;
    } else {
        rows.write(&mut to, "\n")?;
        write(&mut to, "\n")?;
    }
    to.flush().map_err(|error| unwritten(&error))?;
    match broken {
        Some(error) => Err(Error::Failed(format!("cannot write {}: {error}", options.out.unwrap_or_default()))),
        None => code,
    }
}

fn unwritten(error: &std::io::Error) -> Error {
    Error::Failed(format!("cannot write: {error}"))
}

fn write(to: &mut impl std::io::Write, text: &str) -> Result<()> {
    to.write_all(text.as_bytes()).map_err(|error| unwritten(&error))
}

fn as_json(m: &Measured) -> Value {
    let functions: Map<String, Value> = m
        .by_name()
        .map(|(name, s)| {
            let spent = json!({"events": s.events, "cpu_ns": s.cpu_ns, "transmit_ns": s.transmit_ns,
                "median_ns": s.median_ns().map(f64::round), "time_s": s.time_ns as f64 / 1e9, "sent_bytes": s.sent_bytes,
                "retransmitted_bytes": s.retransmitted_bytes, "interrupted_events": s.interrupted_events,
                "interrupted_ns": s.interrupted_ns});
            (name.to_owned(), spent)
        })
        .collect();
    json!({"cookie": m.cookie, "family": m.family, "local": m.local.ip().to_string(), "local_port": m.local.port(),
        "remote": m.remote.ip().to_string(), "remote_port": m.remote.port(), "network": m.network,
        "congestion": m.congestion, "sent_bytes": m.sum(|s| s.sent_bytes),
        "retransmitted_bytes": m.sum(|s| s.retransmitted_bytes), "acked_bytes": m.acked_bytes,
        "received_bytes": m.received_bytes, "functions": functions})
}

/// A line about the connection, one of titles, and one for each function that it was in.
fn as_table(m: &Measured) -> String {
    let mut lines = vec![
        format!(
            "{} to {}, {}, network {}: {} bytes sent, {} of them again; {} received",
            m.local,
            m.remote,
            m.congestion,
            m.network,
            m.sum(|s| s.sent_bytes),
            m.sum(|s| s.retransmitted_bytes),
            m.received_bytes
        ),
        format!(
            "    {:20} {:>9} {:>10} {:>10} {:>10} {:>9} {:>12} {:>12} {:>11}",
            "", "events", "TCP ms", "below ms", "median ns", "in it s", "bytes", "sent again", "interrupted"
        ),
    ];
    for (name, s) in m.by_name().filter(|(_, s)| s.events + s.sent_bytes + s.time_ns > 0) {
        let median = s.median_ns().map_or_else(|| "-".to_owned(), |ns| format!("{ns:.0}"));
        lines.push(format!(
            "    {name:20} {:>9} {:>10.3} {:>10.3} {median:>10} {:>9.3} {:>12} {:>12} {:>11}",
            s.events,
            s.cpu_ns as f64 / 1e6,
            s.transmit_ns as f64 / 1e6,
            s.time_ns as f64 / 1e9,
            s.sent_bytes,
            s.retransmitted_bytes,
            s.interrupted_events
        ));
    }
    lines.join("\n")
}
