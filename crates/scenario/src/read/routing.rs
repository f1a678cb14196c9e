//! The `[routing]` table and those below it.

use super::document::{Document, Table, join};
use super::fields::fields;
use super::table::defaults_of;
use super::wording::list;
use crate::model::{Profile, Routing, RoutingHead, RoutingTable, TableReader};

pub(super) fn routing(document: &mut Document, root: &Table<'_>, profile: Profile) -> Option<Routing> {
    let table = document.sub_table(root, "", "routing");
    let mut known = fields::<RoutingHead>().to_vec();
    known.extend(Routing::TABLES.iter().map(|(name, _)| *name));
    document.refuse_unknown(&table, "routing", &known, of_a_protocol);
    let head: Option<RoutingHead> = document.read_part(&table, "routing", "");
    let mut tables = Tables { document, routing: &table, profile };
    let routing = Routing::read(head.clone().unwrap_or_default(), |name| table.contains_key(name), &mut tables);
    head.and(routing)
}

/// Where a key belongs that stands in `[routing]` itself.
fn of_a_protocol(key: &str) -> Option<String> {
    let mut owners = Owners { key, names: Vec::new() };
    Routing::read(RoutingHead::default(), |_| true, &mut owners);
    match owners.names.as_slice() {
        [] => None,
        [name] => Some(format!("belongs to the table [routing.{name}]: write it there, or routing.{name}.{key}")),
        names => {
            let tables: Vec<String> = names.iter().map(|name| format!("[routing.{name}]")).collect();
            Some(format!("belongs to the table of a protocol: {}", tables.join(", ")))
        }
    }
}

/// Asks every table whether it has a key.
struct Owners<'a> {
    key: &'a str,
    names: Vec<&'static str>,
}

impl TableReader for Owners<'_> {
    fn read<T: RoutingTable>(&mut self, _wanted: bool) -> Option<Option<T>> {
        if fields::<T>().contains(&self.key) {
            self.names.push(T::NAME);
        }
        Some(None)
    }
}

/// Reads the table of any protocol.
struct Tables<'a, 'i> {
    document: &'a mut Document,
    routing: &'a Table<'i>,
    profile: Profile,
}

impl TableReader for Tables<'_, '_> {
    fn read<T: RoutingTable>(&mut self, wanted: bool) -> Option<Option<T>> {
        let table = self.document.sub_table(self.routing, "routing", T::NAME);
        if !wanted {
            return Some(None);
        }
        let path = join("routing", T::NAME);
        let own = table.get("profile").and_then(|value| value.get_ref().as_str());
        let (profile, name) = match own.and_then(profile_called::<T>) {
            Some(profile) => (profile, own.unwrap_or_default().to_owned()),
            None => (T::Profile::from(self.profile), name_of::<T>(self.profile)),
        };
        for (key, value) in &table {
            let only = T::ONLY.iter().find(|(_, keys)| keys.contains(&key.get_ref().as_ref()));
            if let Some((knowing, _)) = only.filter(|(knowing, _)| !knowing.contains(&name.as_str())) {
                let reason = format!("has no effect here: it needs profile = {}", list(knowing));
                self.document.refuse_at(value.span(), &join(&path, key.get_ref()), reason);
            }
        }
        let mut read: T = self.document.read(&table, &path, &defaults_of(&T::of_profile(profile)), |_| None)?;
        read.derive(|key| table.contains_key(key));
        Some(Some(read))
    }
}

fn profile_called<T: RoutingTable>(name: &str) -> Option<T::Profile> {
    let name = serde::de::value::StrDeserializer::<serde::de::value::Error>::new(name);
    serde::Deserialize::deserialize(name).ok()
}

/// The name of the profile that a table has by default, as it writes it itself.
fn name_of<T: RoutingTable>(profile: Profile) -> String {
    let written = serde_json::to_value(T::of_profile(profile.into())).unwrap_or_default();
    written["profile"].as_str().unwrap_or_default().to_owned()
}
