//! A file that says what one link is like, by itself: for who has a link and no scenario.

use std::path::Path;

use hopwright_shape::Config;

use crate::error::ScenarioErrors;
use crate::link_setup::{self, Records};
use crate::loader::{read_file, read_records, unreadable, utf8};
use crate::{check, file, read};

/// Both directions of a link; where it follows a profile, `Config::profile` has it.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkPair {
    /// From the first end to the second: the direction of the data.
    pub forward: Config,
    /// The way back.
    pub backward: Config,
}

/// Reads the link file at `path`: the keys of a `[[links]]` entry that say what a link is like, `[reverse]` and `[profile]`.
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
    for (key, shape) in [("", Some(&link.shape)), ("reverse", link.reverse.as_ref())] {
        let Some(shape) = shape else { continue };
        read_records(&mut document, &mut records, key, shape, |document, key, path| {
            read_file(document, key, &folder.join(path))
        })?;
    }
    let both = link_setup::both(&link.shape, link.reverse.as_ref(), link.profile.as_ref(), &records);
    let [forward, backward] = both;
    Ok(LinkPair { forward, backward })
}
