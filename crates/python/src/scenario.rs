//! Scenarios: loaded, looked at, printed.

use std::path::PathBuf;

use hopwright_scenario::Loaded;
use pyo3::prelude::*;

use crate::errors::{RunError, guarded, refused};

/// A checked scenario with every default filled in. Never changes.
#[pyclass(module = "hopwright._core", frozen)]
#[derive(Debug)]
pub(crate) struct Scenario {
    pub(crate) loaded: Loaded,
    #[pyo3(get)]
    node_count: usize,
    #[pyo3(get)]
    flow_count: usize,
}

#[pymethods]
impl Scenario {
    #[getter]
    fn name(&self) -> &str {
        &self.loaded.scenario.run.name
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.loaded.scenario.run.seed
    }

    #[getter]
    fn duration_s(&self) -> f64 {
        self.loaded.scenario.run.duration_s
    }

    /// The scenario as a file that `load` reads back, every default written out.
    fn to_toml(&self) -> String {
        self.loaded.scenario.to_toml()
    }

    /// The `[output]` table, every default filled in, as JSON.
    fn output_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.loaded.scenario.output).map_err(|error| RunError::new_err(error.to_string()))
    }

    /// The same with another seed.
    fn with_seed(&self, seed: u64) -> Self {
        let mut loaded = self.loaded.clone();
        loaded.scenario.run.seed = seed;
        Self { loaded, node_count: self.node_count, flow_count: self.flow_count }
    }

    fn __repr__(&self) -> String {
        format!("<Scenario {:?}: {} nodes, {} flows>", self.name(), self.node_count, self.flow_count)
    }
}

/// Reads a scenario file and sets keys in it; a value is TOML, a bare word a string.
#[pyfunction]
pub(crate) fn load(py: Python<'_>, path: PathBuf, overrides: Vec<(String, String)>) -> PyResult<Scenario> {
    py.detach(|| {
        guarded(|| {
            let loaded = hopwright_scenario::load(&path, &overrides)?;
            let setup = loaded.setup(loaded.scenario.run.seed)?;
            Ok(Scenario { loaded, node_count: setup.nodes.len(), flow_count: setup.flows.len() })
        })
    })
    .map_err(|panic| RunError::new_err(format!("a fault of this program in {}: {panic}", path.display())))?
    .map_err(|errors| refused(&errors))
}

/// The JSON schema of the scenario file.
#[pyfunction]
pub(crate) fn schema_json() -> String {
    hopwright_scenario::schema().to_string()
}
