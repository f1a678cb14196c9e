//! `[[attach]]`.

use super::document::{Document, Table};
use crate::model::Attach;

/// More would be a slip: each is a network namespace.
const MOST_ATTACHED: usize = 1_000;

/// Reads all attached programs.
pub(super) fn attached(document: &mut Document, root: &Table<'_>) -> Option<Vec<Attach>> {
    super::entries::entries(document, root, ("", "attach"), ("program", MOST_ATTACHED), |document, table, path| {
        document.read(&table.clone(), path, "", |_| None)
    })
}
