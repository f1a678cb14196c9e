//! Damage to frames that power does not explain.

use super::document::{Document, Table};
use super::fields::fields;
use super::motion::owners;
use crate::model::{Errors, GilbertElliott, Uniform};

/// Every entry is looked at for every frame.
const MOST_ENTRIES: usize = 10_000;

/// Reads all of `[[errors]]`.
pub(super) fn errors(document: &mut Document, root: &Table<'_>) -> Option<Vec<Errors>> {
    super::entries::entries(document, root, ("", "errors"), ("entry", MOST_ENTRIES), |document, table, path| {
        let mut table = table.clone();
        let model = document.tag(&table, path, "model", Errors::MODELS, None)?;
        table.remove("model");
        let keys = [("uniform", fields::<Uniform>()), ("gilbert-elliott", fields::<GilbertElliott>())];
        let elsewhere = |key: &str| owners(&keys, key, "model", &model);
        Some(match model.as_str() {
            "uniform" => Errors::Uniform(document.read(&table, path, "", elsewhere)?),
            _ => Errors::GilbertElliott(document.read(&table, path, "", elsewhere)?),
        })
    })
}
