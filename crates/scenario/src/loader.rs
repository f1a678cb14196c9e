//! The way in: a file and overrides become a checked scenario, or a list of what is wrong.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use hopwright_mobility::{MovementError, Switch, Trajectory, bonnmotion, ns2, sumo};
use hopwright_radio::Radio;
use hopwright_shape::mahimahi::{self, TraceError};
use hopwright_shape::{LossRecord, LossRecordError};
use hopwright_sim::Setup;
use hopwright_transport::adaptation::{Source, Triggers};

use crate::check;
use crate::coefficients::{self, Coefficients};
use crate::error::{ScenarioError, ScenarioErrors};
use crate::file;
use crate::link_setup::Records;
use crate::live_links::LiveLinks;
use crate::model::{LinkShape, Scenario, Topology};
use crate::read::{self, Document, LinkText, Policy};
use crate::source::Sources;

/// A scenario that has passed every check.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The scenario, every default filled in.
    pub scenario: Scenario,
    document: Document,
    movement: Option<Movement>,
    computing: Option<Computing>,
    records: Records,
}

/// A coefficient file, as it was read and what it says.
#[derive(Clone, Debug)]
struct Computing {
    text: Arc<str>,
    coefficients: Arc<Coefficients>,
}

/// The texts of the files that a scenario names, where it comes without its folder.
#[derive(Clone, Copy, Debug, Default)]
pub struct Carried<'a> {
    /// Of its movement file.
    pub movement: Option<&'a str>,
    /// Of its coefficient file.
    pub coefficients: Option<&'a str>,
    /// Of the records of its links, as `Loaded::records` gives them.
    pub records: Option<&'a str>,
}

/// A movement file, as it was read and what it says.
#[derive(Clone, Debug)]
struct Movement {
    text: Arc<str>,
    trajectories: Arc<[Trajectory]>,
    switches: Arc<[Switch]>,
}

/// Reads and checks the scenario file at `path`. Each override is a dotted key and a value, as in
/// `--set flows.0.transport.protocol=reno`; a key without a position, `flows.start_s`, means all flows.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn load(path: &Path, overrides: &[(String, String)]) -> Result<Loaded, ScenarioErrors> {
    let name = path.display().to_string();
    let bytes =
        file::read(path, file::MOST_BYTES).map_err(|error| unreadable(&name, &format!("cannot be read: {error}")))?;
    let text = utf8(&name, bytes)?;
    parse(&name, &text, path.parent().unwrap_or(Path::new("")), overrides)
}

/// Reads the triggers of a file that has nothing else: `[[triggers]]`, and beside them the keys that say how they are
/// served. Whether they suit a transport is not looked at.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn load_triggers(path: &Path) -> Result<Triggers, ScenarioErrors> {
    let name = path.display().to_string();
    let bytes =
        file::read(path, file::MOST_BYTES).map_err(|error| unreadable(&name, &format!("cannot be read: {error}")))?;
    let text = utf8(&name, bytes)?;
    let (mut document, root) = read::parse(&name, &text);
    document.verdict()?; // what is not TOML says nothing else
    let triggers = read::only_triggers(&mut document, &root).unwrap_or_default();
    for key in check::of_interfaces(&triggers.rows) {
        document.refuse(&key, "'interface' belongs to shaped links: nobody tells a host of a hand-over".to_owned());
    }
    if triggers.settings.source == Source::Told {
        let reason = "'told' belongs to shaped links: nobody knows what a path between hosts is like".to_owned();
        document.refuse("monitor_source", reason);
    }
    document.verdict()?;
    Ok(triggers)
}

/// As `load`, for a text that is already there. `name` stands for it in messages; `folder` is where paths inside
/// the scenario start.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn parse(name: &str, text: &str, folder: &Path, overrides: &[(String, String)]) -> Result<Loaded, ScenarioErrors> {
    parse_with(name, text, overrides, |document, key, file| read_file(document, key, &folder.join(file)))
}

/// As `parse`, for a scenario that comes without its folder: the texts of the files that it names are given.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn parse_carried(
    name: &str,
    text: &str,
    carried: Carried<'_>,
    overrides: &[(String, String)],
) -> Result<Loaded, ScenarioErrors> {
    parse_with(name, text, overrides, |document, key, file| {
        let text = match key {
            MOVEMENT => carried.movement.map(str::to_owned),
            COEFFICIENTS => carried.coefficients.map(str::to_owned),
            _ => carried
                .records
                .and_then(|records| serde_json::from_str::<BTreeMap<String, String>>(records).ok()?.remove(file)),
        };
        match text {
            Some(text) => Ok((file.to_owned(), text)),
            None => {
                document.refuse(key, format!("the text of {file} did not come with the scenario"));
                Err(document.verdict().expect_err("just refused"))
            }
        }
    })
}

/// The keys that name files.
const MOVEMENT: &str = "topology.file";
const COEFFICIENTS: &str = "energy.compute";

/// `named` gives name and text of the file that a key names.
fn parse_with(
    name: &str,
    text: &str,
    overrides: &[(String, String)],
    named: impl Fn(&mut Document, &str, &str) -> Result<(String, String), ScenarioErrors>,
) -> Result<Loaded, ScenarioErrors> {
    let (mut policies, mut links) = (Vec::new(), Vec::new());
    let (mut document, mut root) = read::parse(name, text);
    document.verdict()?; // what is not TOML says nothing else
    for (key, value) in overrides {
        read::apply(&mut document, &mut root, key, value);
    }
    for (flow, path) in read::policies(&mut document, &root) {
        let (name, text) = named(&mut document, &read::policy_key(flow), &path)?;
        policies.push(Policy { flow, name, text });
    }
    read::include(&mut document, &mut root, &policies);
    for (place, path) in read::link_files(&mut document, &root) {
        let (name, text) = named(&mut document, &place.key(), &path)?;
        links.push(LinkText { place, path, name, text });
    }
    read::include_links(&mut document, &mut root, &links);
    let Some(mut scenario) = read::scenario(&mut document, &root) else {
        return Err(document.verdict().expect_err("without a scenario, something was refused"));
    };
    if root.get("name").is_none()
        && let Some(stem) = Path::new(name).file_stem().and_then(|stem| stem.to_str())
        && check::is_name(stem)
    {
        stem.clone_into(&mut scenario.run.name);
    }
    drop_unreached(&document, &mut scenario);
    check::values(&mut document, &scenario);
    document.verdict()?;
    let movement = match scenario.topology.file() {
        Some(path) => {
            let (name, text) = named(&mut document, MOVEMENT, path)?;
            let (nodes, switches) = moved(&scenario.topology, &text).map_err(|e| at_line(name, &text, e))?;
            Some(Movement { text: text.into(), trajectories: nodes.into(), switches: switches.into() })
        }
        None => None,
    };
    let computing = match &scenario.energy.compute {
        Some(path) => {
            let (name, text) = named(&mut document, COEFFICIENTS, path)?;
            let coefficients = coefficients::parse(&text).map_err(|mistake| misread(name.clone(), &text, mistake))?;
            check::coefficients(&mut document, &scenario, &name, &coefficients);
            document.verdict()?;
            Some(Computing { text: text.into(), coefficients: coefficients.into() })
        }
        None => None,
    };
    let mut records = Records::default();
    for (n, link) in scenario.links.iter().enumerate() {
        for (key, shape) in link.shapes(n) {
            read_records(&mut document, &mut records, &key, shape, &named)?;
        }
    }
    let loaded = Loaded { scenario, document, movement, computing, records };
    loaded.setup(loaded.scenario.run.seed)?;
    Ok(loaded)
}

impl Loaded {
    /// The text of the movement file, if the scenario names one.
    #[must_use]
    pub fn movement(&self) -> Option<&str> {
        self.movement.as_ref().map(|movement| &*movement.text)
    }

    /// The text of the coefficient file, if the scenario names one.
    #[must_use]
    pub fn coefficients(&self) -> Option<&str> {
        self.computing.as_ref().map(|computing| &*computing.text)
    }

    /// The texts of the records of links, as one text, if the scenario names any.
    #[must_use]
    pub fn records(&self) -> Option<String> {
        let texts = self.records.texts();
        (!texts.is_empty()).then(|| serde_json::to_string(&texts).expect("texts can be written"))
    }

    /// Name and text of each record.
    pub(crate) fn record_texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.records.texts().into_iter()
    }

    /// What the simulator takes, for one seed: nodes placed and ends drawn with it.
    ///
    /// # Errors
    ///
    /// Where nodes are placed at random, another seed than the scenario's may leave a flow without a way.
    pub fn setup(&self, seed: u64) -> Result<Setup, ScenarioErrors> {
        let mut document = self.document.clone();
        let movement = self.movement.as_ref().map(|m| (&*m.trajectories, &*m.switches));
        let world = check::build(&mut document, &self.scenario, movement, seed);
        document.verdict()?;
        let compute = self.computing.as_ref().map(|computing| computing.coefficients.as_ref().clone());
        let world = world.expect("without a world, something was refused");
        Ok(crate::setup::setup(&self.scenario, world, compute, &self.records))
    }

    /// Parameters of transports and of the MAC that are given, but that nobody reads: their names, and where they
    /// stand with who would read them. No mistake: one scenario may serve for several protocols, and states the
    /// parameters of each once.
    #[must_use]
    pub fn idle_parameters(&self) -> Vec<(&'static str, String)> {
        let mut document = self.document.clone();
        check::idle_parameters(&mut document, &self.scenario)
    }

    /// The links, to be changed while they are used.
    #[must_use]
    pub fn live_links(&self) -> LiveLinks {
        LiveLinks::new(&self.scenario, &self.records)
    }

    /// Whether nodes share a medium; if not, links join them.
    #[must_use]
    pub fn has_medium(&self) -> bool {
        self.scenario.links.is_empty()
    }

    /// Refuses to say what only a network with a medium has: places, ranges, neighbours.
    pub(crate) fn needs_medium(&self) -> Result<(), ScenarioErrors> {
        if self.has_medium() {
            return Ok(());
        }
        let mut document = self.document.clone();
        let reason = "'links' join these nodes: they have no places, and no medium is between them".to_owned();
        document.refuse("topology.kind", reason);
        document.verdict()
    }

    /// How far a frame can be received, metres.
    pub fn reception_range_m(&self) -> f64 {
        Radio::new(&crate::setup::radio(&self.scenario)).reception_range_m()
    }
}

/// Leaves out what a link file says of a time after the end: the file may serve longer runs, too.
fn drop_unreached(document: &Document, scenario: &mut Scenario) {
    let end_s = scenario.run.duration_s;
    for (n, link) in scenario.links.iter_mut().enumerate() {
        let mut place = 0;
        link.changes.retain(|change| {
            place += 1;
            change.when.at_s <= end_s || document.is_own(&format!("links.{n}.changes.{}.at_s", place - 1))
        });
    }
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
        let record = mahimahi::read(&text).map_err(|error| no_record(name, &text, &error))?;
        records.rates.insert(path.clone(), (text.into(), record.into()));
    }
    if let Some(path) = shape.loss_trace.as_ref().filter(|path| !records.losses.contains_key(*path)) {
        let (name, text) = named(document, &read::join(key, "loss_trace"), path)?;
        let record = LossRecord::read(&text).map_err(|error| no_losses(name, &text, &error))?;
        records.losses.insert(path.clone(), (text.into(), record.into()));
    }
    Ok(())
}

/// Name and text of the file that a key names.
pub(crate) fn read_file(document: &mut Document, key: &str, path: &Path) -> Result<(String, String), ScenarioErrors> {
    let name = path.display().to_string();
    let most = if key == MOVEMENT { file::MOST_MOVEMENT_BYTES } else { file::MOST_BYTES };
    match file::read(path, most) {
        Ok(bytes) => utf8(&name, bytes).map(|text| (name, text)),
        Err(error) => {
            document.refuse(key, format!("{name} cannot be read: {error}"));
            Err(document.verdict().expect_err("just refused"))
        }
    }
}

/// What a movement file says, in the format that the topology names.
fn moved(topology: &Topology, text: &str) -> Result<(Vec<Trajectory>, Vec<Switch>), MovementError> {
    let always_there = |nodes| (nodes, Vec::new());
    match topology {
        Topology::BonnMotion(_) => bonnmotion::parse(text).map(always_there),
        Topology::SumoFcd(_) => sumo::parse(text),
        _ => ns2::parse(text).map(always_there),
    }
}

/// What is wrong with a movement file, shown at its place.
fn at_line(name: String, text: &str, error: MovementError) -> ScenarioErrors {
    let mut sources = Sources::default();
    sources.add(name.clone(), text);
    let span = sources.first().map(|s| s.rest_of_line(error.line, error.column)).unwrap_or_default();
    misread(name, text, (span, error.message))
}

/// What is wrong with a recorded link, shown at its place.
fn no_record(name: String, text: &str, error: &TraceError) -> ScenarioErrors {
    let line = match error {
        TraceError::NoNumber(line, _) | TraceError::Backwards(line, _) => *line,
        TraceError::Empty => 1,
    };
    let mut sources = Sources::default();
    sources.add(name.clone(), text);
    let span = sources.first().map(|s| s.rest_of_line(line, 1)).unwrap_or_default();
    let said = error.to_string();
    let reason = said.split_once(": ").filter(|_| said.starts_with("line ")).map_or(said.as_str(), |(_, rest)| rest);
    misread(name, text, (span, reason.to_owned()))
}

/// What is wrong with recorded losses, shown at its place.
fn no_losses(name: String, text: &str, error: &LossRecordError) -> ScenarioErrors {
    let (line, column) = match error {
        LossRecordError::Unknown(line, column, _) => (*line, *column),
        LossRecordError::Empty => (1, 1),
    };
    let mut sources = Sources::default();
    sources.add(name.clone(), text);
    let span = sources.first().map(|s| s.rest_of_line(line, column)).unwrap_or_default();
    misread(name, text, (span, error.to_string()))
}

/// What is wrong with a file that the scenario names, shown at its place.
fn misread(name: String, text: &str, (span, reason): (Range<usize>, String)) -> ScenarioErrors {
    let mut sources = Sources::default();
    sources.add(name, text);
    let mut own = Document::about(sources);
    own.refuse_at(span, "", reason);
    own.verdict().expect_err("just refused")
}

/// The text of a file, or where it stops being text.
pub(crate) fn utf8(name: &str, bytes: Vec<u8>) -> Result<String, ScenarioErrors> {
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
