//! The `[mac]` table, and those of its kinds below it.
//!
//! What only one kind reads stands in a table of the kind, `[mac.dcf]`, or, as there was but one kind once, in `[mac]`
//! itself: the two are the same key.

use super::document::{Document, Table, join};
use super::fields::fields;
use super::table::{defaults_of, in_file_order};
use crate::model::{Mac, Phy, Profile, RoutingProtocol};

pub(super) fn mac(
    document: &mut Document,
    root: &Table<'_>,
    profile: Profile,
    protocol: RoutingProtocol,
) -> Option<Mac> {
    let mut table = document.sub_table(root, "", "mac");
    for (kind, keys) in Mac::KINDS {
        let own = document.sub_table(&table, "mac", kind);
        table.remove(*kind);
        lift(document, &mut table, &own, &join("mac", kind), keys);
    }
    // A name that is none is refused when the table is read.
    let phy = table.get("phy").and_then(|value| Phy::named(value.get_ref().as_str()?)).unwrap_or_default();
    let usual = Mac::of_profile(profile, protocol).with_phy(phy);
    let mut mac: Mac = document.read(&table, "mac", &defaults_of(&usual), |_| None)?;
    mac.follow(|key| document.gives(&join("mac", key)));
    Some(mac)
}

/// Moves the keys of a kind's table into the table of the MAC.
fn lift<'i>(document: &mut Document, mac: &mut Table<'i>, own: &Table<'i>, path: &str, keys: &[&str]) {
    for (key, value) in in_file_order(own) {
        let name = key.get_ref().as_ref();
        if !keys.contains(&name) {
            let owner = Mac::KINDS.iter().find(|(_, others)| others.contains(&name));
            let elsewhere = match owner {
                Some((kind, _)) => Some(format!("belongs to kind = {kind}: write it in the table [mac.{kind}]")),
                None => fields::<Mac>()
                    .contains(&name)
                    .then(|| format!("does not belong to this kind only: write it in the table [mac], or mac.{name}")),
            };
            document.refuse_key(key, path, elsewhere, keys);
            continue;
        }
        let (flat, here) = (join("mac", name), join(path, name));
        if !document.gives(&flat) || (document.is_overridden(&here) && !document.is_overridden(&flat)) {
            document.also_called(&here, &flat);
            mac.insert(key.clone(), value.clone());
        } else if document.is_overridden(&flat) == document.is_overridden(&here) {
            document.refuse_at(value.span(), &here, format!("is given twice: {flat} is the same key"));
        }
    }
}
