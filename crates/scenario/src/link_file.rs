//! A file that says what one link is like, by itself: for who has a link and no scenario.

use std::path::Path;

use hopwright_machine::Time;
use hopwright_shape::Config;

use crate::error::ScenarioErrors;
use crate::link_setup::{self, Records};
use crate::live_links::LiveLink;
use crate::loader::{read_file, read_records, unreadable, utf8};
use crate::model::{LinkChange, LinkState};
use crate::setup::{at, seconds};
use crate::{check, file, read};

/// Both directions of a link; where it follows a profile, `Config::profile` has it.
#[derive(Clone, Debug)]
pub struct LinkPair {
    /// From the first end to the second: the direction of the data.
    pub forward: Config,
    /// The way back.
    pub backward: Config,
    /// What it becomes, in the order of time.
    pub changes: Vec<PairChange>,
    /// The same link, to be changed by what is said while it is used.
    pub live: LiveLink,
}

/// Both directions of a link from some time on.
#[derive(Clone, Debug, PartialEq)]
pub struct PairChange {
    /// Since when.
    pub at: Time,
    /// From the first end to the second.
    pub forward: Config,
    /// The way back.
    pub backward: Config,
    /// Whether what waits for the link is lost.
    pub clears: bool,
}

impl PairChange {
    pub(crate) fn new(at: Time, state: &LinkState, clears: bool, records: &Records) -> Self {
        let [forward, backward] = link_setup::both(state, records);
        Self { at, forward, backward, clears }
    }
}

/// Reads the link file at `path`: the keys of a `[[links]]` entry that say what a link is like, `[reverse]`, `[profile]` and
/// `[[changes]]`.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn load_link(path: &Path) -> Result<LinkPair, ScenarioErrors> {
    let name = path.display().to_string();
    let bytes =
        file::read(path, file::MOST_BYTES).map_err(|error| unreadable(&name, &format!("cannot be read: {error}")))?;
    let text = utf8(&name, bytes)?;
    parse_link(&name, &text, path.parent().unwrap_or(Path::new("")))
}

/// As `load_link`, for a text that is already there. `name` stands for it in messages; `folder` is where paths inside it
/// start.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn parse_link(name: &str, text: &str, folder: &Path) -> Result<LinkPair, ScenarioErrors> {
    let (mut document, root) = read::parse(name, text);
    document.verdict()?; // what is not TOML says nothing else
    let Some(link) = read::only_link(&mut document, &root) else {
        return Err(document.verdict().expect_err("without a link, something was refused"));
    };
    check::link_file(&mut document, &link);
    document.verdict()?;
    let mut records = Records::default();
    let later = link.changes.iter().map(LinkChange::state).enumerate();
    let states = std::iter::once((String::new(), link.state.clone()))
        .chain(later.map(|(n, state)| (format!("changes.{n}"), state)));
    for (key, LinkState { shape, reverse, .. }) in states {
        for (key, shape) in [(key.clone(), Some(&shape)), (read::join(&key, "reverse"), reverse.as_ref())] {
            let Some(shape) = shape else { continue };
            read_records(&mut document, &mut records, &key, shape, |document, key, path| {
                read_file(document, key, &folder.join(path))
            })?;
        }
    }
    let [forward, backward] = link_setup::both(&link.state, &records);
    let change = |change: &LinkChange| {
        PairChange::new(at(seconds(change.when.at_s)), &change.state(), change.when.clear, &records)
    };
    let changes = link.changes.iter().map(change).collect();
    Ok(LinkPair { forward, backward, changes, live: LiveLink::of_a_file(link, records) })
}
