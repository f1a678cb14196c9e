//! The flows.

use hopwright_sim::MOST_FLOWS;

use super::document::{Document, Table, join};
use super::fields::fields;
use super::table::in_file_order;
use super::wording::list;
use crate::model::{App, Bulk, Cbr, Copies, Ends, File, Flow, FlowTimes, OnOff, Profile, RandomEnds, TwoEnds};

/// Reads all flows; an error in one does not hide those in others.
pub(super) fn flows(document: &mut Document, root: &Table<'_>, profile: Profile) -> Option<Vec<Flow>> {
    super::entries::entries(document, root, ("", "flows"), ("flow", MOST_FLOWS), |document, table, path| {
        flow(document, table, path, profile)
    })
}

fn flow(document: &mut Document, table: &Table<'_>, path: &str, profile: Profile) -> Option<Flow> {
    let kind = document.tag(table, path, "app", App::KINDS, Some(App::DEFAULT));
    refuse_foreign_keys(document, table, path, kind.as_deref());
    let ends = ends(document, table, path);
    let copies: Option<Copies> = document.read_part(table, path, "");
    let times: Option<FlowTimes> = document.read_part(table, path, "");
    let app = kind.and_then(|kind| app(document, table, path, &kind));
    let carrier = document.sub_table(table, path, "transport");
    let carried = app.as_ref().map(|app| (app.kind(), app.sends_datagrams()));
    let transport = super::transport::transport(document, &carrier, &join(path, "transport"), carried, profile);
    Some(Flow { ends: ends?, copies: copies?, app: app?, times: times?, transport: transport? })
}

fn ends(document: &mut Document, table: &Table<'_>, path: &str) -> Option<Ends> {
    let drawn = fields::<RandomEnds>().iter().any(|key| table.contains_key(*key));
    if !drawn {
        return document.read_part(table, path, "").map(Ends::Two);
    }
    let mut contradictory = false;
    for (key, _) in in_file_order(table) {
        if fields::<TwoEnds>().contains(&key.get_ref().as_ref()) {
            let reason = "contradicts 'pairs': the ends are either named or drawn at random".to_owned();
            document.refuse_key(key, path, Some(reason), &[]);
            contradictory = true;
        }
    }
    let ends: Option<RandomEnds> = document.read_part(table, path, "");
    ends.filter(|_| !contradictory).map(Ends::Random)
}

fn app(document: &mut Document, table: &Table<'_>, path: &str, kind: &str) -> Option<App> {
    let none = "";
    Some(match kind {
        "bulk" => App::Bulk(document.read_part(table, path, none)?),
        "cbr" => App::Cbr(document.read_part(table, path, none)?),
        "onoff" => App::OnOff(document.read_part(table, path, none)?),
        _ => App::File(document.read_part(table, path, none)?),
    })
}

/// Refuses keys that no flow has, and those of another application.
fn refuse_foreign_keys(document: &mut Document, table: &Table<'_>, path: &str, kind: Option<&str>) {
    let apps = [
        ("bulk", fields::<Bulk>()),
        ("cbr", fields::<Cbr>()),
        ("onoff", fields::<OnOff>()),
        ("file", fields::<File>()),
    ];
    let common =
        [&["app", "transport"], fields::<TwoEnds>(), fields::<RandomEnds>(), fields::<Copies>(), fields::<FlowTimes>()]
            .concat();
    let own = apps.iter().filter(|(app, _)| kind.is_none_or(|k| k == *app)).flat_map(|(_, keys)| *keys).copied();
    let known: Vec<&str> = common.into_iter().chain(own).collect();
    document.refuse_unknown(table, path, &known, |key| {
        let owners: Vec<&str> = apps.iter().filter(|(_, keys)| keys.contains(&key)).map(|(app, _)| *app).collect();
        if !owners.is_empty() {
            return Some(format!(
                "belongs to app = {}, not to app = '{}'",
                list(&owners),
                kind.unwrap_or(App::DEFAULT)
            ));
        }
        let of_transport = super::transport::is_key(key);
        of_transport
            .then(|| format!("belongs to the table [flows.transport]: write it there, or {path}.transport.{key}"))
    });
}
