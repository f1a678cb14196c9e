//! The way in: a file and overrides become a checked scenario, or a list of what is wrong.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hopwright_radio::Radio;
use hopwright_sim::Setup;
use hopwright_transport::adaptation::{Source, Triggers};

use crate::check;
use crate::coefficients::{self, Coefficients};
use crate::config;
use crate::config::link::Records;
use crate::error::ScenarioErrors;
use crate::files::{self, COEFFICIENTS, MOVEMENT, Movement, misread, read_file, read_records};
use crate::model::Scenario;
use crate::place::{self, Layout};
use crate::read::{self, Document, LinkText, Policy};

/// A scenario that has passed every check.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The scenario, every default filled in.
    pub scenario: Scenario,
    /// What the file says, with overrides and without defaults. Files with triggers and links are read into it; nodes
    /// have their numbers.
    pub(crate) given: toml::Table,
    document: Document,
    movement: Option<Movement>,
    computing: Option<Computing>,
    pub(crate) records: Records,
    nodes: usize,
    flows: usize,
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

/// Reads and checks the scenario file at `path`. Each override is a dotted key and a value, as in
/// `--set flows.0.transport.protocol=reno`; a key without a position, `flows.start_s`, means all flows.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn load(path: &Path, overrides: &[(String, String)]) -> Result<Loaded, ScenarioErrors> {
    let (name, text) = files::whole(path)?;
    parse(&name, &text, path.parent().unwrap_or(Path::new("")), overrides)
}

/// Reads the triggers of a file that has nothing else: `[[triggers]]`, and beside them the keys that say how they are
/// served. Whether they suit a transport is not looked at.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn load_triggers(path: &Path) -> Result<Triggers, ScenarioErrors> {
    let (name, text) = files::whole(path)?;
    let (mut document, root) = read::parse(&name, &text);
    document.verdict()?; // what is not TOML says nothing else
    let triggers = read::only_triggers(&mut document, &root).unwrap_or_default();
    for key in check::of_interfaces(&triggers.rows) {
        document.refuse(&key, "'interface' needs shaped links: a real host is not told of hand-overs".to_owned());
    }
    if triggers.settings.source == Source::Told {
        let reason = "'told' needs shaped links: the properties of a path between real hosts are not known".to_owned();
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

/// `named` gives name and text of the file that a key names.
fn parse_with(
    name: &str,
    text: &str,
    overrides: &[(String, String)],
    named: impl Fn(&mut Document, &str, &str) -> Result<(String, String), ScenarioErrors>,
) -> Result<Loaded, ScenarioErrors> {
    let (mut policies, mut links) = (Vec::new(), Vec::new());
    let numbers;
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
    let by_name = read::named(&root);
    let mut movement = None;
    if !by_name.is_empty() {
        numbers = match read::topology(&mut document.clone(), &root) {
            Some(topology) => {
                document.survey(&root, ""); // whoever cannot read its file says where it is named
                movement = files::movement(&mut document, &topology, &named)?;
                let (file, names) = movement.as_ref().map_or(("", &[][..]), |m| (m.name.as_str(), &*m.names));
                read::numbers(&mut document, &by_name, file, names)
            }
            // The topology is wrong: that is told below, and nothing of names.
            None => vec!["0".to_owned(); by_name.len()],
        };
        read::number(&mut root, &by_name, &numbers);
    }
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
    if movement.is_none() {
        movement = files::movement(&mut document, &scenario.topology, &named)?;
    }
    let computing = match &scenario.energy.compute {
        Some(path) => {
            let (name, text) = named(&mut document, COEFFICIENTS, path)?;
            let coefficients = coefficients::parse(&text).map_err(|mistake| misread(&name, &text, mistake))?;
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
    let given = read::plain(root);
    let mut loaded = Loaded { scenario, given, document, movement, computing, records, nodes: 0, flows: 0 };
    let layout = loaded.layout(loaded.scenario.run.seed)?;
    (loaded.nodes, loaded.flows) = (layout.nodes.len(), layout.ends.len());
    Ok(loaded)
}

impl Loaded {
    /// The text of the movement file, if the scenario names one.
    #[must_use]
    pub fn movement(&self) -> Option<&str> {
        self.movement.as_ref().map(|movement| &*movement.text)
    }

    /// What each node is called in the movement file; empty if nodes have no names.
    #[must_use]
    pub fn names(&self) -> &[String] {
        self.movement.as_ref().map_or(&[], |movement| &movement.names)
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
        let layout = self.layout(seed)?;
        let compute = self.computing.as_ref().map(|computing| computing.coefficients.as_ref().clone());
        let names = self.movement.as_ref().map(|movement| Arc::clone(&movement.names)).unwrap_or_default();
        Ok(crate::setup::setup(&self.scenario, layout, compute, &self.records, names))
    }

    /// The nodes placed and the ends drawn with a seed.
    fn layout(&self, seed: u64) -> Result<Layout, ScenarioErrors> {
        let mut document = self.document.clone();
        let movement = self.movement.as_ref().map(|m| (&*m.trajectories, &*m.switches));
        let layout = place::build(&mut document, &self.scenario, movement, seed);
        document.verdict()?;
        Ok(layout.expect("without a layout, something was refused"))
    }

    /// How many nodes there are, with any seed.
    #[must_use]
    pub const fn node_count(&self) -> usize {
        self.nodes
    }

    /// How many flows there are, with any seed.
    #[must_use]
    pub const fn flow_count(&self) -> usize {
        self.flows
    }

    /// Parameters of transports and of the MAC that are given, but that nobody reads: their names, and where they
    /// stand with who would read them. No mistake: one scenario may serve for several protocols, and states the
    /// parameters of each once.
    #[must_use]
    pub fn idle_parameters(&self) -> Vec<(&'static str, String)> {
        let mut document = self.document.clone();
        check::idle_parameters(&mut document, &self.scenario)
    }

    /// Numbers that are allowed but look like those of another unit, such as kb/s where the key is in Mb/s: the names of
    /// the keys, and lines that say where they stand and what to write. No mistake: a study may want them.
    #[must_use]
    pub fn unit_slips(&self) -> Vec<(&'static str, String)> {
        let mut document = self.document.clone();
        check::unit_slips(&mut document, &self.scenario, self.reception_range_m())
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
        let reason =
            "'links' connect these nodes: the nodes have no places, and there is no medium between them".to_owned();
        document.refuse("topology.kind", reason);
        document.verdict()
    }

    /// How far a frame can be received, metres.
    pub fn reception_range_m(&self) -> f64 {
        Radio::new(&config::radio(&self.scenario)).reception_range_m()
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
