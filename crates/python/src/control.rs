//! What is said to a loop beside the clock, and its answer: lines of JSON.

use std::time::Duration;

use hopwright_emulate::{Command, Order, Watch};
use pyo3::prelude::*;
use serde::Serialize;

use crate::errors::RunError;

/// How long whoever says something waits for an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Does what a line says; returns the answer, a line of JSON.
pub(crate) fn say<S>(py: Python<'_>, watch: &Watch<S>, line: &str) -> PyResult<String>
where
    S: Clone + Default + Serialize + Send + Sync,
{
    let (at, status) = watch.status();
    let answer = match Order::parse(line) {
        Err(error) => Answer::refused(error),
        Ok(Order::Status) => Answer { status: Some(status), ..Answer::at(at.as_secs_f64()) },
        Ok(Order::Stop) => {
            watch.stop();
            Answer::at(at.as_secs_f64())
        }
        Ok(Order::Do(command)) => py.detach(|| carry_out(watch, command)),
    };
    serde_json::to_string(&answer).map_err(|error| RunError::new_err(error.to_string()))
}

fn carry_out<S: Clone + Default>(watch: &Watch<S>, command: Command) -> Answer<S> {
    match watch.say(command).recv_timeout(PATIENCE) {
        Ok(Ok(at)) => Answer::at(at.as_secs_f64()),
        Ok(Err(why)) => Answer::refused(why),
        Err(_) => Answer::refused("no answer: it is over".to_owned()),
    }
}

/// What is said back.
#[derive(Serialize)]
struct Answer<S> {
    ok: bool,
    /// When it took effect, seconds of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    at_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<S>,
}

impl<S> Answer<S> {
    const fn at(at_s: f64) -> Self {
        Self { ok: true, at_s: Some(at_s), error: None, status: None }
    }

    const fn refused(error: String) -> Self {
        Self { ok: false, at_s: None, error: Some(error), status: None }
    }
}
