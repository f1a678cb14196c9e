//! Files: read as scenarios are, and folders that change places in one step.

use std::io;
use std::path::PathBuf;

use hopwright_scenario::file;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rustix::fs::{CWD, RenameFlags, renameat_with};

/// The content of a regular file of up to `most` bytes. Raises `OSError` if it cannot be read, `ValueError` if it is
/// none or larger.
#[pyfunction]
pub(crate) fn read_file(py: Python<'_>, path: PathBuf, most: u64) -> PyResult<Bound<'_, PyBytes>> {
    match py.detach(|| file::read(&path, most)) {
        Ok(content) => Ok(PyBytes::new(py, &content)),
        Err(error) => Err(raised(&error)),
    }
}

/// Has two files or folders change places, in one step. Raises `OSError` if they cannot.
#[pyfunction]
pub(crate) fn exchange(py: Python<'_>, one: PathBuf, other: PathBuf) -> PyResult<()> {
    let done = py.detach(|| renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE));
    done.map_err(|error| raised(&error.into()))
}

/// An error of the system with its number, as Python's own have it.
fn raised(error: &io::Error) -> PyErr {
    let text = error.to_string();
    match error.raw_os_error() {
        Some(number) => {
            let end = format!(" (os error {number})");
            PyOSError::new_err((number, text.strip_suffix(&end).unwrap_or(&text).to_owned()))
        }
        None => PyValueError::new_err(text),
    }
}
