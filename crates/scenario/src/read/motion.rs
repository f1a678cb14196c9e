//! How nodes move, and what a script does to them.

use super::document::{Document, Table};
use super::fields::fields;
use super::wording::list;
use crate::model::{
    Down, Event, GaussMarkov, Manhattan, Mobility, Move, RandomWalk, RandomWaypoint, ReferencePointGroup, Scripted,
    Static, Up,
};

pub(super) fn mobility(document: &mut Document, root: &Table<'_>) -> Option<Mobility> {
    let mut table = document.sub_table(root, "", "mobility");
    if !document.is_clean("mobility") {
        return None;
    }
    let model = document.tag(&table, "mobility", "model", Mobility::MODELS, Some(Mobility::DEFAULT))?;
    table.remove("model");
    let none = "";
    let elsewhere = |key: &str| owners(&keys_by_model(), key, "model", &model);
    let (d, t, p) = (document, &table, "mobility");
    Some(match model.as_str() {
        "static" => Mobility::Static(d.read(t, p, none, elsewhere)?),
        "scripted" => Mobility::Scripted(d.read(t, p, none, elsewhere)?),
        "random-waypoint" => Mobility::RandomWaypoint(d.read(t, p, none, elsewhere)?),
        "random-walk" => {
            let mut walk: RandomWalk = d.read(t, p, none, elsewhere)?;
            walk.close();
            Mobility::RandomWalk(walk)
        }
        "gauss-markov" => Mobility::GaussMarkov(d.read(t, p, none, elsewhere)?),
        "reference-point-group" => Mobility::ReferencePointGroup(d.read(t, p, none, elsewhere)?),
        _ => Mobility::Manhattan(d.read(t, p, none, elsewhere)?),
    })
}

fn keys_by_model() -> [(&'static str, &'static [&'static str]); 7] {
    [
        ("static", fields::<Static>()),
        ("scripted", fields::<Scripted>()),
        ("random-waypoint", fields::<RandomWaypoint>()),
        ("random-walk", fields::<RandomWalk>()),
        ("gauss-markov", fields::<GaussMarkov>()),
        ("reference-point-group", fields::<ReferencePointGroup>()),
        ("manhattan", fields::<Manhattan>()),
    ]
}

/// Where a key of another variant belongs.
pub(super) fn owners(all: &[(&str, &[&str])], key: &str, tag: &str, own: &str) -> Option<String> {
    let owners: Vec<&str> = all.iter().filter(|(_, keys)| keys.contains(&key)).map(|(name, _)| *name).collect();
    (!owners.is_empty()).then(|| format!("belongs to {tag} = {}, not to {tag} = '{own}'", list(&owners)))
}

/// More would take many seconds to read: ways that long come from a movement file.
const MOST_EVENTS: usize = 100_000;

/// Reads all events; an error in one does not hide those in others.
pub(super) fn events(document: &mut Document, root: &Table<'_>) -> Option<Vec<Event>> {
    super::entries::entries(document, root, ("", "events"), ("event", MOST_EVENTS), |document, table, path| {
        event(document, table.clone(), path)
    })
}

fn event(document: &mut Document, mut table: Table<'_>, path: &str) -> Option<Event> {
    let kind = document.tag(&table, path, "do", Event::KINDS, None)?;
    table.remove("do");
    let none = "";
    let keys = [("move", fields::<Move>()), ("down", fields::<Down>()), ("up", fields::<Up>())];
    let elsewhere = |key: &str| owners(&keys, key, "do", &kind);
    let (d, t) = (document, &table);
    Some(match kind.as_str() {
        "move" => Event::Move(d.read(t, path, none, elsewhere)?),
        "down" => Event::Down(d.read(t, path, none, elsewhere)?),
        _ => Event::Up(d.read(t, path, none, elsewhere)?),
    })
}
