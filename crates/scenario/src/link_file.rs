//! A file that says what one link is like, by itself: for who has a link and no scenario.

use std::path::Path;

use hopwright_shape::Config;

use crate::config::link::{self, Records};
use crate::error::ScenarioErrors;
use crate::files::{self, read_file, read_records};
use crate::live_links::{LiveLink, PairChange};
use crate::model::{LinkChange, LinkState};
use crate::units::{at, seconds};
use crate::{check, read};

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

/// Reads the link file at `path`: the keys of a `[[links]]` entry that say what a link is like, `[reverse]`, `[profile]` and
/// `[[changes]]`.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn load_link(path: &Path) -> Result<LinkPair, ScenarioErrors> {
    let (name, text) = files::whole(path)?;
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
    let [forward, backward] = link::both(&link.state, &records);
    let change = |change: &LinkChange| {
        PairChange::new(at(seconds(change.when.at_s)), &change.state(), change.when.clear, &records)
    };
    let changes = link.changes.iter().map(change).collect();
    Ok(LinkPair { forward, backward, changes, live: LiveLink::of_a_file(link, records) })
}
