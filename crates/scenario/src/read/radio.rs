//! The `[radio]` table, and the one of powers below it.

use toml::de::DeValue;

use super::document::{Document, Table};
use super::table::defaults_of;
use super::wording::describe;
use crate::model::{PowerTable, Powers, Profile, Radio};

const ENERGY: &str = "energy";

pub(super) fn radio(document: &mut Document, root: &Table<'_>, profile: Profile) -> Option<Radio> {
    let mut table = document.sub_table(root, "", "radio");
    let powers = match table.get(ENERGY).map(|value| (value.span(), value.get_ref().clone())) {
        None | Some((_, DeValue::String(_))) => None,
        Some((_, DeValue::Table(own))) => {
            table.remove(ENERGY);
            Some(document.read::<Powers>(&own, "radio.energy", "", |_| None))
        }
        Some((span, other)) => {
            table.remove(ENERGY);
            let reason = format!("expected the name of a table of powers, or a table, found {}", describe(&other));
            document.refuse_at(span, "radio.energy", reason);
            Some(None)
        }
    };
    let mut radio: Radio = document.read(&table, "radio", &defaults_of(&Radio::of_profile(profile)), |_| None)?;
    if let Some(powers) = powers {
        let mut powers = powers?;
        powers.close();
        radio.energy = Some(PowerTable::Own(powers));
    }
    Some(radio)
}
