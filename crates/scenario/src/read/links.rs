//! `[[links]]`.

use super::document::{Document, Table, join};
use super::fields::fields;
use super::table::defaults_of;
use crate::model::{
    Link, LinkChange, LinkEnds, LinkMoment, LinkProfile, LinkShape, LinkState, Preset, ProfilePipe, ProfileRules,
    Variation,
};

/// The key of the way back.
pub(super) const REVERSE: &str = "reverse";
/// The key of what a link follows.
pub(super) const PROFILE: &str = "profile";
/// The key of what a link becomes.
pub(super) const CHANGES: &str = "changes";
/// The key of its pipes.
const PIPES: &str = "pipes";

/// Keys that scenarios have, and no link file.
const OF_A_SCENARIO: [&str; 3] = ["topology", "links", "duration_s"];

/// More would be a slip.
const MOST_LINKS: usize = 10_000;
const MOST_CHANGES: usize = 100_000;
const MOST_PIPES: usize = 100_000;

/// What a file says of a link that is somewhere else.
pub(crate) struct LinkFile {
    /// What it is like in the beginning.
    pub(crate) state: LinkState,
    /// What it becomes, in the order of time.
    pub(crate) changes: Vec<LinkChange>,
}

/// The keys that say what a link is like.
pub(super) fn of_a_state() -> Vec<&'static str> {
    [&["preset", REVERSE, PROFILE], fields::<LinkShape>()].concat()
}

/// Whether what should be a link file is a scenario: that is told once, not of each of its keys.
pub(super) fn is_scenario(document: &mut Document, root: &Table<'_>) -> bool {
    let Some((key, _)) = OF_A_SCENARIO.iter().find_map(|key| root.get_key_value(*key)) else { return false };
    let reason = "this is a scenario, not a link file: a link file has the keys of one [[links]] entry at its top";
    document.refuse_at(key.span(), "", reason.to_owned());
    true
}

/// Reads a file that says what one link is like.
pub(crate) fn only_link(document: &mut Document, root: &Table<'_>) -> Option<LinkFile> {
    if is_scenario(document, root) {
        return None;
    }
    document.survey(root, "");
    document.refuse_unknown(root, "", &[&[CHANGES], &of_a_state()[..]].concat(), |_| None);
    let shape = shape(document, root, "", &LinkShape::default());
    let profile = profile(document, root, "", None);
    let shape = shape?;
    let reverse = reverse(document, root, "", &shape, None)?;
    let state = LinkState { shape, reverse, profile: profile? };
    let changes = changes(document, root, "", &state)?;
    Some(LinkFile { state, changes })
}

/// Reads what a link that is in use becomes now: the keys of a change without its time. What they do not say stays.
pub(crate) fn next_state(
    document: &mut Document,
    root: &Table<'_>,
    before: &LinkState,
) -> Option<(LinkMoment, LinkState)> {
    document.survey(root, "");
    let of_now = fields::<LinkMoment>().iter().filter(|key| **key != "at_s").copied();
    let known: Vec<&str> = of_now.chain(of_a_state()).collect();
    let elsewhere = |key: &str| (key == "at_s").then(|| "does not belong here: the change happens at once".to_owned());
    document.refuse_unknown(root, "", &known, elsewhere);
    let when: Option<LinkMoment> = document.read_part(root, "", "at_s = 0");
    let state = state(document, root, "", before);
    Some((when?, state?))
}

/// Reads all links.
pub(super) fn links(document: &mut Document, root: &Table<'_>) -> Option<Vec<Link>> {
    super::entries::entries(document, root, ("", "links"), ("link", MOST_LINKS), link)
}

fn link(document: &mut Document, table: &Table<'_>, path: &str) -> Option<Link> {
    let known = [&[CHANGES], fields::<LinkEnds>(), &of_a_state()].concat();
    document.refuse_unknown(table, path, &known, |_| None);
    let ends: Option<LinkEnds> = document.read_part(table, path, "");
    let shape = shape(document, table, path, &LinkShape::default());
    let shape = shape.unwrap_or_default(); // what is wrong with it was said
    let reverse = reverse(document, table, path, &shape, None);
    let profile = profile(document, table, path, None);
    let before = LinkState {
        shape: shape.clone(),
        reverse: reverse.clone().unwrap_or_default(),
        profile: profile.clone().unwrap_or_default(),
    };
    let changes = changes(document, table, path, &before);
    Some(Link { ends: ends?, shape, reverse: reverse?, profile: profile?, changes: changes? })
}

/// What a link becomes, entry after entry.
fn changes(document: &mut Document, table: &Table<'_>, path: &str, before: &LinkState) -> Option<Vec<LinkChange>> {
    let mut now = before.clone();
    let name = ("change", MOST_CHANGES);
    super::entries::entries(document, table, (path, CHANGES), name, |document, table, path| {
        let known = [fields::<LinkMoment>(), &of_a_state()].concat();
        document.refuse_unknown(table, path, &known, |_| None);
        let when: Option<LinkMoment> = document.read_part(table, path, "");
        now = state(document, table, path, &now)?;
        let LinkState { shape, reverse, profile } = now.clone();
        Some(LinkChange { when: when?, shape, reverse, profile })
    })
}

/// What a table says a link is like from now on; what it does not say is as `before`.
fn state(document: &mut Document, table: &Table<'_>, path: &str, before: &LinkState) -> Option<LinkState> {
    let shape = shape(document, table, path, &before.shape)?;
    let reverse = reverse(document, table, path, &shape, before.reverse.as_ref());
    let profile = profile(document, table, path, before.profile.as_ref())?;
    Some(LinkState { shape, reverse: reverse?, profile })
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
            let reason = "contradicts 'rate_kbps': the recorded file already says when packets leave".to_owned();
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
