//! What is known of results before any are there.

use hopwright_sim::schema;
use hopwright_trace::{hops, words::words};
use pyo3::prelude::*;

/// The JSON schema of a summary.
#[pyfunction]
pub(crate) fn results_schema_json() -> String {
    schema::results(schema::of_means::<hops::Report>()).to_string()
}

/// What sentences say of causes: by what is said of, then by the cause.
#[pyfunction]
pub(crate) fn words_json() -> String {
    serde_json::to_string(&words()).expect("texts become JSON")
}
