//! `hopwright._core`: the simulator as a Python module. It converts and never computes.
//!
//! `python/hopwright/_core.pyi` documents it for Python's side.

mod control;
mod emulation;
mod energy;
mod errors;
mod files;
mod host;
mod namespaces;
mod places;
mod progress;
mod protocols;
mod record;
mod results;
mod run;
mod scenario;
mod sedlane;
mod shaper;
mod stepped;

use pyo3::prelude::*;

/// The module as Python sees it.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    errors::silence_panics();
    let py = module.py();
    module.add("ScenarioError", py.get_type::<errors::ScenarioError>())?;
    module.add("RunError", py.get_type::<errors::RunError>())?;
    module.add("Cancelled", py.get_type::<errors::Cancelled>())?;
    module.add_class::<scenario::Scenario>()?;
    module.add_class::<progress::Progress>()?;
    module.add_class::<run::RunResult>()?;
    module.add_class::<stepped::Stepped>()?;
    module.add_class::<shaper::ShaperWatch>()?;
    module.add_class::<shaper::Shaper>()?;
    module.add_class::<shaper::UdpRelay>()?;
    module.add_function(wrap_pyfunction!(shaper::check_link, module)?)?;
    module.add_class::<emulation::EmulationWatch>()?;
    module.add_class::<emulation::Emulation>()?;
    module.add_function(wrap_pyfunction!(emulation::replay, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::load, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::parse, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::restore, module)?)?;
    module.add_function(wrap_pyfunction!(build, module)?)?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(protocols::protocols_json, module)?)?;
    module.add_function(wrap_pyfunction!(protocols::slots_json, module)?)?;
    module.add_function(wrap_pyfunction!(protocols::parameters_json, module)?)?;
    module.add_function(wrap_pyfunction!(results::results_schema_json, module)?)?;
    module.add_function(wrap_pyfunction!(results::words_json, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::schema_json, module)?)?;
    module.add_function(wrap_pyfunction!(energy::measure_energy, module)?)?;
    module.add_function(wrap_pyfunction!(energy::measure_power, module)?)?;
    module.add_function(wrap_pyfunction!(energy::child, module)?)?;
    module.add_class::<sedlane::ConnectionTrace>()?;
    module.add_function(wrap_pyfunction!(sedlane::read_connection, module)?)?;
    module.add_function(wrap_pyfunction!(sedlane::counted_connection, module)?)?;
    module.add_class::<host::HostWatch>()?;
    module.add_class::<host::Host>()?;
    module.add_class::<namespaces::Namespace>()?;
    module.add_function(wrap_pyfunction!(namespaces::unshare, module)?)?;
    module.add_function(wrap_pyfunction!(namespaces::enter_network, module)?)?;
    module.add_function(wrap_pyfunction!(namespaces::die_with_parent, module)?)?;
    module.add_function(wrap_pyfunction!(namespaces::execute_unprivileged, module)?)?;
    module.add_function(wrap_pyfunction!(namespaces::keep_network_privileges, module)?)?;
    module.add_function(wrap_pyfunction!(namespaces::make_mounts_private, module)?)?;
    module.add_function(wrap_pyfunction!(namespaces::mount_new, module)?)?;
    module.add_function(wrap_pyfunction!(namespaces::mount_over, module)?)?;
    module.add_function(wrap_pyfunction!(namespaces::unmount, module)?)?;
    module.add_function(wrap_pyfunction!(namespaces::lock_memory, module)?)?;
    module.add_function(wrap_pyfunction!(files::read_file, module)?)?;
    module.add_function(wrap_pyfunction!(files::exchange, module)?)?;
    module.add_function(wrap_pyfunction!(places::links, module)?)?;
    module.add_function(wrap_pyfunction!(places::hop_counts, module)?)?;
    module.add_function(wrap_pyfunction!(version, module)?)
}

/// Twelve digits that stand for the sources of the simulator: where they are equal, so are results.
#[pyfunction]
fn build() -> &'static str {
    env!("HOPWRIGHT_BUILD")
}

/// The version of the whole program.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
