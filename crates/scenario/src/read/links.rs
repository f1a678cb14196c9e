//! `[[links]]`.

use super::document::{Document, Table, join};
use super::fields::fields;
use super::table::defaults_of;
use crate::model::{
    Link, LinkChange, LinkEnds, LinkMoment, LinkProfile, LinkShape, Preset, ProfilePipe, ProfileRules, Variation,
};

/// The key of the way back.
pub(super) const REVERSE: &str = "reverse";
/// The key of what a link follows.
pub(super) const PROFILE: &str = "profile";
/// The key of its pipes.
const PIPES: &str = "pipes";

/// More would be a slip.
const MOST_LINKS: usize = 10_000;
const MOST_CHANGES: usize = 100_000;
const MOST_PIPES: usize = 100_000;

/// What a file says of a link that is somewhere else.
pub(crate) struct LinkFile {
    /// From the first end to the second.
    pub(crate) shape: LinkShape,
    /// The way back, where that is not the same.
    pub(crate) reverse: Option<LinkShape>,
    /// What it follows.
    pub(crate) profile: Option<LinkProfile>,
}

/// The keys of such a file.
pub(super) fn of_a_file() -> Vec<&'static str> {
    [&["preset", REVERSE, PROFILE], fields::<LinkShape>()].concat()
}

/// Reads a file that says what one link is like.
pub(crate) fn only_link(document: &mut Document, root: &Table<'_>) -> Option<LinkFile> {
    document.survey(root, "");
    document.refuse_unknown(root, "", &of_a_file(), |_| None);
    let shape = shape(document, root, "", &LinkShape::default());
    let profile = profile(document, root, "", None);
    let shape = shape?;
    let reverse = reverse(document, root, "", &shape, None)?;
    Some(LinkFile { shape, reverse, profile: profile? })
}

/// Reads all links.
pub(super) fn links(document: &mut Document, root: &Table<'_>) -> Option<Vec<Link>> {
    super::entries::entries(document, root, ("", "links"), ("link", MOST_LINKS), link)
}

fn link(document: &mut Document, table: &Table<'_>, path: &str) -> Option<Link> {
    let known = [&["changes"], fields::<LinkEnds>(), &of_a_file()].concat();
    document.refuse_unknown(table, path, &known, |_| None);
    let ends: Option<LinkEnds> = document.read_part(table, path, "");
    let shape = shape(document, table, path, &LinkShape::default());
    let shape = shape.unwrap_or_default(); // what is wrong with it was said
    let reverse = reverse(document, table, path, &shape, None);
    let profile = profile(document, table, path, None);
    let (mut now, mut back) = (shape.clone(), reverse.clone().unwrap_or_default());
    let mut followed = profile.clone().unwrap_or_default();
    let name = ("change", MOST_CHANGES);
    let changes = super::entries::entries(document, table, (path, "changes"), name, |document, table, path| {
        let known = [fields::<LinkMoment>(), &of_a_file()].concat();
        document.refuse_unknown(table, path, &known, |_| None);
        let when: Option<LinkMoment> = document.read_part(table, path, "");
        let shape = self::shape(document, table, path, &now)?;
        let reverse = self::reverse(document, table, path, &shape, back.as_ref());
        let profile = self::profile(document, table, path, followed.as_ref())?;
        (now, back) = (shape.clone(), reverse.clone()?);
        followed.clone_from(&profile);
        Some(LinkChange { when: when?, shape, reverse: reverse?, profile })
    });
    Some(Link { ends: ends?, shape, reverse: reverse?, profile: profile?, changes: changes? })
}

/// What a table says a link is like; what it does not say is as `before`, or as its preset.
fn shape(document: &mut Document, table: &Table<'_>, path: &str, before: &LinkShape) -> Option<LinkShape> {
    let base = match table.contains_key("preset") {
        true => Preset::named(&document.tag(table, path, "preset", Preset::NAMES, None)?)?.shape(),
        false => before.clone(),
    };
    let mut usual = base.clone();
    // A rate takes the place of a record, and the other way round.
    match (table.contains_key("trace"), table.contains_key("rate_kbps")) {
        (true, true) => {
            let reason = "contradicts 'rate_kbps': a recorded link says itself what it carries".to_owned();
            document.refuse(&join(path, "trace"), reason);
        }
        (true, false) => (usual.rate_kbps, usual.variation) = (None, Variation::None),
        (false, true) => usual.trace = None,
        (false, false) => {}
    }
    // So do the ways to say what is lost.
    let given = |key: &str| table.contains_key(key);
    if given("loss_percent") || given("loss_trace") {
        usual.bad_begins_percent = 0.0;
    }
    if given("loss_percent") || given("bad_begins_percent") {
        usual.loss_trace = None;
    }
    if given("loss_trace") || given("bad_begins_percent") {
        usual.loss_percent = 0.0;
    }
    let defaults = defaults_of(&usual);
    let mut shape: LinkShape = document.read_part(table, path, &defaults)?;
    let has_period = table.contains_key("period_percent");
    if has_period && !table.contains_key("variation") && shape.variation == Variation::None {
        shape.variation = Variation::Square;
    }
    Some(shape)
}

/// The way back, if the table has one of its own, or the link had. `None`: something is wrong with it.
#[expect(clippy::option_option, reason = "the outer one is of reading, as everywhere here")]
fn reverse(
    document: &mut Document,
    table: &Table<'_>,
    path: &str,
    forward: &LinkShape,
    before: Option<&LinkShape>,
) -> Option<Option<LinkShape>> {
    if !table.contains_key(REVERSE) {
        return Some(before.cloned());
    }
    let own = document.sub_table(table, path, REVERSE);
    let path = join(path, REVERSE);
    let known = [&["preset"], fields::<LinkShape>()].concat();
    document.refuse_unknown(&own, &path, &known, |_| None);
    shape(document, &own, &path, before.unwrap_or(forward)).map(Some)
}

/// What the link follows, if the table says so, or it did before. `None`: something is wrong with it.
#[expect(clippy::option_option, reason = "the outer one is of reading, as everywhere here")]
fn profile(
    document: &mut Document,
    table: &Table<'_>,
    path: &str,
    before: Option<&LinkProfile>,
) -> Option<Option<LinkProfile>> {
    if !table.contains_key(PROFILE) {
        return Some(before.cloned());
    }
    let errors = document.errors.len();
    let own = document.sub_table(table, path, PROFILE);
    if document.errors.len() > errors {
        return None; // no table
    }
    let path = join(path, PROFILE);
    let known = [&[PIPES], fields::<ProfileRules>()].concat();
    document.refuse_unknown(&own, &path, &known, |_| None);
    let rules: Option<ProfileRules> = document.read_part(&own, &path, "");
    let name = ("pipe", MOST_PIPES);
    let pipes = super::entries::entries(document, &own, (&path, PIPES), name, |document, table, path| {
        document.read::<ProfilePipe>(table, path, "", |_| None)
    });
    Some(Some(LinkProfile { rules: rules?, pipes: pipes? }))
}
