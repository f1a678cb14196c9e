//! Scenarios: loaded, looked at, printed.

use std::path::PathBuf;

use hopwright_scenario::topology::Format;
use hopwright_scenario::{Carried as Files, Loaded, ScenarioErrors};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{RunError, guarded, refused};

/// A checked scenario with every default filled in. Never changes.
#[pyclass(module = "hopwright._core", frozen)]
#[derive(Debug)]
pub(crate) struct Scenario {
    pub(crate) loaded: Loaded,
}

/// What is pickled: the scenario's text, its name, the texts of its movement file, its coefficient file and its links' records.
type Carried = (String, String, Option<String>, Option<String>, Option<String>);

#[pymethods]
impl Scenario {
    #[getter]
    fn node_count(&self) -> usize {
        self.loaded.node_count()
    }

    #[getter]
    fn flow_count(&self) -> usize {
        self.loaded.flow_count()
    }

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

    /// The same, with the files that it names in the folder `beside`, and these: names and texts.
    #[pyo3(signature = (beside=""))]
    fn in_one_folder(&self, beside: &str) -> (String, Vec<(String, String)>) {
        self.loaded.in_one_folder(beside)
    }

    /// As `in_one_folder`, but without defaults: what the file and overrides say.
    fn as_given(&self) -> (String, Vec<(String, String)>) {
        self.loaded.as_given()
    }

    /// Parameters that nobody in the scenario reads: name, and a line that says where and who would.
    fn idle_parameters(&self) -> Vec<(&'static str, String)> {
        self.loaded.idle_parameters()
    }

    /// Numbers that look like those of another unit: name, and a line that says where and what to write.
    fn unit_slips(&self) -> Vec<(&'static str, String)> {
        self.loaded.unit_slips()
    }

    /// Whether nodes share a medium; if not, links join them.
    #[getter]
    fn has_medium(&self) -> bool {
        self.loaded.has_medium()
    }

    /// The text of the movement file, if the scenario names one.
    fn movement(&self) -> Option<&str> {
        self.loaded.movement()
    }

    /// What each node is called in the movement file; empty if nodes have no names.
    fn names(&self) -> Vec<String> {
        self.loaded.names().to_vec()
    }

    /// The text of the coefficient file, if the scenario names one.
    fn coefficients(&self) -> Option<&str> {
        self.loaded.coefficients()
    }

    /// The texts of the records of links, as one text, if the scenario names any.
    fn records(&self) -> Option<String> {
        self.loaded.records()
    }

    /// How a scenario is pickled: as its text, and those of the files that it names.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Carried)> {
        let restore = py.import("hopwright._core")?.getattr("restore")?;
        let (movement, coefficients) = (self.movement().map(str::to_owned), self.coefficients().map(str::to_owned));
        Ok((restore, (self.to_toml(), self.name().to_owned(), movement, coefficients, self.records())))
    }

    /// The `[output]` table, every default filled in, as JSON.
    fn output_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.loaded.scenario.output).map_err(|error| RunError::new_err(error.to_string()))
    }

    /// The list `[[attach]]` as JSON, each with the name of its namespace.
    fn attach_json(&self) -> PyResult<String> {
        let named = |attach: &hopwright_scenario::model::Attach| hopwright_scenario::model::Attach {
            namespace: Some(attach.name()),
            ..attach.clone()
        };
        let all: Vec<_> = self.loaded.scenario.attach.iter().map(named).collect();
        serde_json::to_string(&all).map_err(|error| RunError::new_err(error.to_string()))
    }

    /// The same with another seed.
    fn with_seed(&self, seed: u64) -> Self {
        let mut loaded = self.loaded.clone();
        loaded.scenario.run.seed = seed;
        Self { loaded }
    }

    /// Where each node is at a time of the run, metres; with the scenario's seed, or another.
    #[pyo3(signature = (at_s, seed=None))]
    fn positions(&self, py: Python<'_>, at_s: f64, seed: Option<u64>) -> PyResult<Vec<(f64, f64)>> {
        Ok(self.tracks(py, vec![at_s], seed)?.swap_remove(0))
    }

    /// The same for several times at once.
    #[pyo3(signature = (times_s, seed=None))]
    fn tracks(&self, py: Python<'_>, times_s: Vec<f64>, seed: Option<u64>) -> PyResult<Vec<Vec<(f64, f64)>>> {
        self.check_times(&times_s)?;
        self.looked_at(py, seed, |loaded, seed| loaded.positions(seed, &times_s))
    }

    /// For each time of the run whether each node is up.
    #[pyo3(signature = (times_s, seed=None))]
    fn up(&self, py: Python<'_>, times_s: Vec<f64>, seed: Option<u64>) -> PyResult<Vec<Vec<bool>>> {
        self.check_times(&times_s)?;
        self.looked_at(py, seed, |loaded, seed| loaded.up(seed, &times_s))
    }

    /// For each time of the run whom each node reaches.
    #[pyo3(signature = (times_s, seed=None))]
    fn reached(&self, py: Python<'_>, times_s: Vec<f64>, seed: Option<u64>) -> PyResult<Vec<Vec<Vec<usize>>>> {
        self.check_times(&times_s)?;
        self.looked_at(py, seed, |loaded, seed| loaded.reached(seed, &times_s))
    }

    /// For each time of the run the hops from each node to each node: i32 in little-endian order, -1 without a path.
    #[pyo3(signature = (times_s, seed=None))]
    fn hops<'py>(&self, py: Python<'py>, times_s: Vec<f64>, seed: Option<u64>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        self.check_times(&times_s)?;
        let found = self.looked_at(py, seed, |loaded, seed| loaded.hops(seed, &times_s))?;
        let bytes = |hops: Vec<Option<u32>>| -> Vec<u8> {
            hops.into_iter().flat_map(|far| far.map_or(-1, |far| far as i32).to_le_bytes()).collect()
        };
        Ok(found.into_iter().map(|hops| PyBytes::new(py, &bytes(hops))).collect())
    }

    /// Where nodes are and which are down, between `parts` equal parts of the run or at `times_s`, as JSON.
    #[pyo3(signature = (parts, times_s=None, seed=None))]
    fn network_json(
        &self,
        py: Python<'_>,
        parts: u32,
        times_s: Option<Vec<f64>>,
        seed: Option<u64>,
    ) -> PyResult<String> {
        if parts == 0 {
            return Err(PyValueError::new_err("parts: at least 1"));
        }
        self.check_times(times_s.as_deref().unwrap_or_default())?;
        let found = self.looked_at(py, seed, |loaded, seed| loaded.network(seed, parts, times_s.as_deref()))?;
        serde_json::to_string(&found).map_err(|error| RunError::new_err(error.to_string()))
    }

    /// The network over time, looked at every `step_s` seconds, as JSON.
    #[pyo3(signature = (step_s, seed=None))]
    fn topology_json(&self, py: Python<'_>, step_s: f64, seed: Option<u64>) -> PyResult<String> {
        if !(step_s > 0.0 && step_s.is_finite()) {
            return Err(PyValueError::new_err(format!("step_s: above 0, not {step_s}")));
        }
        let found = self.looked_at(py, seed, |loaded, seed| loaded.topology(seed, step_s))?;
        serde_json::to_string(&found).map_err(|error| RunError::new_err(error.to_string()))
    }

    /// Whose frames could be received at once, `at_s` seconds after the start, as JSON.
    #[pyo3(signature = (at_s, seed=None))]
    fn interference_json(&self, py: Python<'_>, at_s: f64, seed: Option<u64>) -> PyResult<String> {
        self.check_times(&[at_s])?;
        let found = self.looked_at(py, seed, |loaded, seed| loaded.interference(seed, at_s))?;
        serde_json::to_string(&found).map_err(|error| RunError::new_err(error.to_string()))
    }

    /// The nodes' ways in the format of another program: "ns2" or "bonnmotion".
    #[pyo3(signature = (form, seed=None))]
    fn movement_as(&self, py: Python<'_>, form: &str, seed: Option<u64>) -> PyResult<String> {
        let format = match form {
            "ns2" => Format::Ns2,
            "bonnmotion" => Format::BonnMotion,
            other => return Err(PyValueError::new_err(format!("no format called '{other}': ns2 or bonnmotion"))),
        };
        self.looked_at(py, seed, |loaded, seed| loaded.movement_as(seed, format))
    }

    fn __repr__(&self) -> String {
        format!("<Scenario {:?}: {} nodes, {} flows>", self.name(), self.node_count(), self.flow_count())
    }
}

impl Scenario {
    fn check_times(&self, times_s: &[f64]) -> PyResult<()> {
        match times_s.iter().find(|time_s| !self.loaded.is_within(**time_s)) {
            Some(time_s) => {
                let end_s = self.duration_s();
                Err(PyValueError::new_err(format!("{time_s} s is not within the run, 0 to {end_s} s")))
            }
            None => Ok(()),
        }
    }

    /// Something that may have to be refused for a seed.
    fn looked_at<V: Send>(
        &self,
        py: Python<'_>,
        seed: Option<u64>,
        look: impl Fn(&Loaded, u64) -> Result<V, ScenarioErrors> + Send + Sync,
    ) -> PyResult<V> {
        let seed = seed.unwrap_or(self.loaded.scenario.run.seed);
        py.detach(|| guarded(|| look(&self.loaded, seed)))
            .map_err(|panic| RunError::new_err(format!("a fault of this program with seed {seed}: {panic}")))?
            .map_err(|errors| refused(&errors))
    }
}

/// Reads a scenario file and sets keys in it; a value is TOML, a bare word a string.
#[pyfunction]
pub(crate) fn load(py: Python<'_>, path: PathBuf, overrides: Vec<(String, String)>) -> PyResult<Scenario> {
    checked(py, &path.display().to_string(), || hopwright_scenario::load(&path, &overrides))
}

/// As `load`, for a text. `name` stands for the file in messages, and paths in the text start at `folder`.
#[pyfunction]
#[pyo3(signature = (text, name, overrides, *, folder=PathBuf::new()))]
pub(crate) fn parse(
    py: Python<'_>,
    text: &str,
    name: &str,
    overrides: Vec<(String, String)>,
    folder: PathBuf,
) -> PyResult<Scenario> {
    checked(py, name, || hopwright_scenario::parse(name, text, &folder, &overrides))
}

/// A scenario from what pickling wrote.
#[pyfunction]
#[pyo3(signature = (text, name, movement, coefficients, records=None))]
pub(crate) fn restore(
    py: Python<'_>,
    text: &str,
    name: &str,
    movement: Option<&str>,
    coefficients: Option<&str>,
    records: Option<&str>,
) -> PyResult<Scenario> {
    let files = Files { movement, coefficients, records };
    checked(py, name, || hopwright_scenario::parse_carried(name, text, files, &[]))
}

fn checked(
    py: Python<'_>,
    name: &str,
    read: impl FnOnce() -> Result<Loaded, ScenarioErrors> + Send,
) -> PyResult<Scenario> {
    py.detach(|| guarded(|| read().map(|loaded| Scenario { loaded })))
        .map_err(|panic| RunError::new_err(format!("a fault of this program in {name}: {panic}")))?
        .map_err(|errors| refused(&errors))
}

/// The JSON schema of the scenario file.
#[pyfunction]
pub(crate) fn schema_json() -> String {
    hopwright_scenario::schema().to_string()
}
