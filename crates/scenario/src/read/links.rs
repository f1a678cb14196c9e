//! `[[links]]`.

use super::document::{Document, Table, join};
use super::fields::fields;
use super::table::defaults_of;
use crate::model::{Link, LinkChange, LinkEnds, LinkMoment, LinkShape, Preset, Variation};

/// More would be a slip.
const MOST_LINKS: usize = 10_000;
const MOST_CHANGES: usize = 100_000;

/// Reads all links.
pub(super) fn links(document: &mut Document, root: &Table<'_>) -> Option<Vec<Link>> {
    super::entries::entries(document, root, ("", "links"), ("link", MOST_LINKS), link)
}

fn link(document: &mut Document, table: &Table<'_>, path: &str) -> Option<Link> {
    let known = [&["preset", "reverse", "changes"], fields::<LinkEnds>(), fields::<LinkShape>()].concat();
    document.refuse_unknown(table, path, &known, |_| None);
    let ends: Option<LinkEnds> = document.read_part(table, path, "");
    let shape = shape(document, table, path, &LinkShape::default());
    let shape = shape.unwrap_or_default(); // what is wrong with it was said
    let reverse = reverse(document, table, path, &shape, None);
    let (mut now, mut back) = (shape.clone(), reverse.clone().unwrap_or_default());
    let name = ("change", MOST_CHANGES);
    let changes = super::entries::entries(document, table, (path, "changes"), name, |document, table, path| {
        let known = [&["preset", "reverse"], fields::<LinkMoment>(), fields::<LinkShape>()].concat();
        document.refuse_unknown(table, path, &known, |_| None);
        let when: Option<LinkMoment> = document.read_part(table, path, "");
        let shape = self::shape(document, table, path, &now)?;
        let reverse = self::reverse(document, table, path, &shape, back.as_ref());
        (now, back) = (shape.clone(), reverse.clone()?);
        Some(LinkChange { when: when?, shape, reverse: reverse? })
    });
    Some(Link { ends: ends?, shape, reverse: reverse?, changes: changes? })
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
    if !table.contains_key("reverse") {
        return Some(before.cloned());
    }
    let own = document.sub_table(table, path, "reverse");
    let path = join(path, "reverse");
    let known = [&["preset"], fields::<LinkShape>()].concat();
    document.refuse_unknown(&own, &path, &known, |_| None);
    shape(document, &own, &path, before.unwrap_or(forward)).map(Some)
}
