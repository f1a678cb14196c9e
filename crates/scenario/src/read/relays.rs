//! `[[relays]]`.

use hopwright_transport::protocols;

use super::document::{Document, Table};
use super::fields::fields;
use super::motion::owners;
use crate::model::{Relay, Snoop, Split};

/// More would be a slip.
const MOST_RELAYS: usize = 10_000;

/// Reads all relays.
pub(super) fn relays(document: &mut Document, root: &Table<'_>) -> Option<Vec<Relay>> {
    super::entries::entries(document, root, ("", "relays"), ("relay", MOST_RELAYS), |document, table, path| {
        let mut table = table.clone();
        let kind = document.tag(&table, path, "kind", Relay::KINDS, None)?;
        table.remove("kind");
        let keys = [("snoop", fields::<Snoop>()), ("split", fields::<Split>())];
        let elsewhere = |key: &str| owners(&keys, key, "kind", &kind);
        if kind == "snoop" {
            return document.read(&table, path, "", elsewhere).map(Relay::Snoop);
        }
        let names: Vec<&str> = protocols().iter().map(|row| row.id).collect();
        if table.contains_key("protocol") {
            document.tag(&table, path, "protocol", &names, None)?;
        }
        document.read(&table, path, "", elsewhere).map(Relay::Split)
    })
}
