//! Python's exceptions, and how a panic becomes one.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hopwright_scenario::ScenarioErrors;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(hopwright, ScenarioError, PyValueError);
create_exception!(hopwright, RunError, PyRuntimeError);
create_exception!(hopwright, Cancelled, PyException);

/// A refused scenario as Python's exception.
pub(crate) fn refused(errors: &ScenarioErrors) -> PyErr {
    ScenarioError::new_err(errors.render(false).trim_end().to_owned())
}

thread_local! {
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps panics off standard error: they are reported as exceptions.
pub(crate) fn silence_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(|l| format!(" ({}:{})", l.file(), l.line())).unwrap_or_default();
        let text = panic.payload_as_str().unwrap_or("no message");
        LAST_PANIC.with(|last| *last.borrow_mut() = Some(format!("{text}{place}")));
    }));
}

/// Calls `work`; a panic in it is an error with the panic's text and place.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // What a panicking run leaves behind is dropped with it: nobody sees a broken state.
    catch_unwind(AssertUnwindSafe(work))
        .map_err(|_| LAST_PANIC.with(|last| last.borrow_mut().take()).unwrap_or_else(|| "no message".to_owned()))
}
