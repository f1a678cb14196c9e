//! The files that a scenario consists of: their texts, what movement files and records say, and what is wrong with them,
//! shown at its place.

use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use hopwright_mobility::sumo::{self, Vehicles};
use hopwright_mobility::{Switch, Trajectory, bonnmotion, ns2};
use hopwright_shape::mahimahi::{self, TraceError};
use hopwright_shape::{LossRecord, LossRecordError};

use crate::config::link::Records;
use crate::error::{ScenarioError, ScenarioErrors};
use crate::file;
use crate::model::{LinkShape, Topology};
use crate::read::{self, Document};
use crate::source::Sources;
use crate::suggest::nearest;

/// The keys that name files.
pub(crate) const MOVEMENT: &str = "topology.file";
pub(crate) const COEFFICIENTS: &str = "energy.compute";

/// Name and text of the file at `path`.
pub(crate) fn whole(path: &Path) -> Result<(String, String), ScenarioErrors> {
    let name = path.display().to_string();
    let bytes =
        file::read(path, file::MOST_BYTES).map_err(|error| unreadable(&name, &format!("cannot be read: {error}")))?;
    let text = utf8(&name, bytes)?;
    Ok((name, text))
}

/// Name and text of the file that a key names.
pub(crate) fn read_file(document: &mut Document, key: &str, path: &Path) -> Result<(String, String), ScenarioErrors> {
    let name = path.display().to_string();
    let bytes = match key {
        MOVEMENT => file::read_unpacked(path, file::MOST_MOVEMENT_BYTES),
        _ => file::read(path, file::MOST_BYTES),
    };
    match bytes {
        Ok(bytes) => utf8(&name, bytes).map(|text| (name, text)),
        Err(error) => {
            let refusal = document.refuse(key, format!("{name} cannot be read: {error}"));
            if error.kind() == ErrorKind::NotFound {
                refusal.did_you_mean = similar(path);
            }
            Err(document.verdict().expect_err("just refused"))
        }
    }
}

/// What lies beside a file that is not there, and is called nearly so.
fn similar(path: &Path) -> Option<String> {
    let beside = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(beside).ok()?;
    let mut names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort(); // no file system has an order
    let found = nearest(path.file_name()?.to_str()?, names.iter().map(String::as_str))?;
    Some(path.with_file_name(found).display().to_string())
}

/// Reads the records that a shape of a link names, each once. `named` gives name and text of the file that a key names.
pub(crate) fn read_records(
    document: &mut Document,
    records: &mut Records,
    key: &str,
    shape: &LinkShape,
    named: impl Fn(&mut Document, &str, &str) -> Result<(String, String), ScenarioErrors>,
) -> Result<(), ScenarioErrors> {
    if let Some(path) = shape.trace.as_ref().filter(|path| !records.rates.contains_key(*path)) {
        let (name, text) = named(document, &read::join(key, "trace"), path)?;
        let record = mahimahi::read(&text).map_err(|error| no_record(&name, &text, &error))?;
        records.rates.insert(path.clone(), (text.into(), record.into()));
    }
    if let Some(path) = shape.loss_trace.as_ref().filter(|path| !records.losses.contains_key(*path)) {
        let (name, text) = named(document, &read::join(key, "loss_trace"), path)?;
        let record = LossRecord::read(&text).map_err(|error| no_losses(&name, &text, &error))?;
        records.losses.insert(path.clone(), (text.into(), record.into()));
    }
    Ok(())
}

/// A movement file, as it was read and what it says.
#[derive(Clone, Debug)]
pub(crate) struct Movement {
    /// What stands for the file in messages.
    pub(crate) name: String,
    pub(crate) text: Arc<str>,
    /// What each node is called; empty if they have no names.
    pub(crate) names: Arc<[String]>,
    pub(crate) trajectories: Arc<[Trajectory]>,
    pub(crate) switches: Arc<[Switch]>,
}

/// Reads the movement file that the topology names, if it does. `named` gives name and text of the file that a key names.
pub(crate) fn movement(
    document: &mut Document,
    topology: &Topology,
    named: impl Fn(&mut Document, &str, &str) -> Result<(String, String), ScenarioErrors>,
) -> Result<Option<Movement>, ScenarioErrors> {
    let Some(path) = topology.file() else { return Ok(None) };
    let (name, text) = named(document, MOVEMENT, path)?;
    let nameless = |nodes| Vehicles { nodes, ..Vehicles::default() };
    let read = match topology {
        Topology::BonnMotion(_) => bonnmotion::parse(&text).map(nameless),
        Topology::SumoFcd(_) => sumo::parse(&text),
        _ => ns2::parse(&text).map(nameless),
    };
    let Vehicles { names, nodes, switches } =
        read.map_err(|error| at(&name, &text, (error.line, error.column), error.message))?;
    let (text, names) = (text.into(), names.into());
    Ok(Some(Movement { name, text, names, trajectories: nodes.into(), switches: switches.into() }))
}

/// What is wrong with a recorded link.
fn no_record(name: &str, text: &str, error: &TraceError) -> ScenarioErrors {
    let line = match error {
        TraceError::NoNumber(line, _) | TraceError::Backwards(line, _) => *line,
        TraceError::Empty => 1,
    };
    let said = error.to_string();
    let reason = said.split_once(": ").filter(|_| said.starts_with("line ")).map_or(said.as_str(), |(_, rest)| rest);
    at(name, text, (line, 1), reason.to_owned())
}

/// What is wrong with recorded losses.
fn no_losses(name: &str, text: &str, error: &LossRecordError) -> ScenarioErrors {
    let place = match error {
        LossRecordError::Unknown(line, column, _) => (*line, *column),
        LossRecordError::Empty => (1, 1),
    };
    at(name, text, place, error.to_string())
}

/// What is wrong from a line and column of a file that the scenario names.
fn at(name: &str, text: &str, (line, column): (usize, usize), reason: String) -> ScenarioErrors {
    let mut sources = Sources::default();
    sources.add(name, text);
    let span = sources.first().map(|s| s.rest_of_line(line, column)).unwrap_or_default();
    misread(name, text, (span, reason))
}

/// What is wrong with a file that the scenario names, shown at its place.
pub(crate) fn misread(name: &str, text: &str, (span, reason): (Range<usize>, String)) -> ScenarioErrors {
    let mut sources = Sources::default();
    sources.add(name, text);
    let mut own = Document::about(sources);
    own.refuse_at(span, "", reason);
    own.verdict().expect_err("just refused")
}

/// The text of a file, without the byte order mark that some editors begin it with, or where it stops being text.
fn utf8(name: &str, bytes: Vec<u8>) -> Result<String, ScenarioErrors> {
    if bytes.contains(&0) {
        // No terminal can show what stands there.
        return Err(unreadable(name, "not a text file: it has bytes of value 0, as packed files and UTF-16 have"));
    }
    let bytes = match bytes.strip_prefix("\u{feff}".as_bytes()) {
        Some(rest) => rest.to_vec(),
        None => bytes,
    };
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let mut sources = Sources::default();
        sources.add(name, String::from_utf8_lossy(error.as_bytes()));
        let mut own = Document::about(sources);
        own.refuse_at(valid..valid, "", "not a text file: not UTF-8 from here on".to_owned());
        own.verdict().expect_err("just refused")
    })
}

/// An error about a file as a whole.
pub(crate) fn unreadable(name: &str, reason: &str) -> ScenarioErrors {
    let error = ScenarioError {
        origin: name.to_owned(),
        line: 0,
        column: 0,
        key: String::new(),
        reason: reason.to_owned(),
        did_you_mean: None,
        help: None,
        span: None,
    };
    ScenarioErrors::new(vec![error], Sources::default())
}
