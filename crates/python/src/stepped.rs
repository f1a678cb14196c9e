//! One run in steps.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hopwright_machine::{NodeId, Time};
use hopwright_scenario::how_many;
use hopwright_sim::{Options, Setup, Simulation};
use hopwright_trace::{Config, Recorded, Recorder};
use hopwright_transport::Phase;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{RunError, guarded, refused};
use crate::record;
use crate::run::{RunResult, timed};
use crate::scenario::Scenario;

/// A run that is taken in steps. Shared between threads, one of which steps at a time.
#[pyclass(module = "hopwright._core", frozen)]
#[derive(Debug)]
pub(crate) struct Stepped(Mutex<Option<Running>>);

#[derive(Debug)]
struct Running {
    simulation: Simulation<'static>,
    recorded: Option<Receiver<Recorded>>,
    wall_s: f64,
}

#[pymethods]
impl Stepped {
    /// With a `folder`, the run writes there what the scenario's `[output]` asks for; with `figures`, it keeps what
    /// they show.
    #[new]
    #[pyo3(signature = (scenario, seed, *, folder=None, figures=false))]
    fn new(py: Python<'_>, scenario: &Scenario, seed: u64, folder: Option<PathBuf>, figures: bool) -> PyResult<Self> {
        let begin = || {
            let setup = scenario.loaded.setup(seed)?;
            let options = Options::default();
            let ((simulation, recorded), wall_s) =
                timed(|| recorded_run(scenario, setup, seed, &options, (folder.as_deref(), figures), false));
            Ok(Running { simulation, recorded, wall_s })
        };
        let running = py.detach(|| guarded(begin)).map_err(failed)?.map_err(|errors| refused(&errors))?;
        Ok(Self(Mutex::new(Some(running))))
    }

    #[getter]
    fn now_ns(&self) -> PyResult<u64> {
        self.look(|simulation| simulation.now().as_nanos())
    }

    #[getter]
    fn end_ns(&self) -> PyResult<u64> {
        self.look(|simulation| simulation.end().as_nanos())
    }

    /// Lets happen what is due up to and including this time, in at most so many events; returns whether all of it is
    /// done.
    fn advance(&self, py: Python<'_>, to_ns: u64, most_events: u64) -> PyResult<bool> {
        py.detach(|| {
            self.with(|running| {
                let step = || running.simulation.advance_some(Time::from_nanos(to_ns), most_events);
                let (done, wall_s) = timed(|| guarded(step));
                running.wall_s += wall_s;
                done
            })?
            .map_err(|panic| self.fail(panic))
        })
    }

    /// Puts mechanisms into slots of a flow, all or none; returns those that were there.
    fn swap(&self, flow: usize, parts: Vec<(String, String)>) -> PyResult<Vec<&'static str>> {
        self.with(|running| {
            check(flow, running.simulation.setup().flows.len(), "flow")?;
            if running.simulation.mechanisms(flow).next().is_none() {
                return Err(PyValueError::new_err(format!("flow {flow} has no mechanisms: it is not over TCP")));
            }
            let parts: Vec<_> = parts.iter().map(|(slot, part)| (slot.as_str(), part.as_str())).collect();
            guarded(|| running.simulation.swap(flow, &parts))
                .map(|swapped| swapped.map_err(|error| PyValueError::new_err(error.to_string())))
                .map_err(failed)?
        })?
    }

    /// The sending and the receiving node of each flow.
    fn flow_ends(&self) -> PyResult<Vec<(u32, u32)>> {
        self.look(|simulation| simulation.setup().flows.iter().map(|flow| (flow.from.0, flow.to.0)).collect())
    }

    /// How a flow stands.
    fn flow<'py>(&self, py: Python<'py>, flow: usize) -> PyResult<Bound<'py, PyDict>> {
        self.with(|running| {
            let simulation = &running.simulation;
            check(flow, simulation.setup().flows.len(), "flow")?;
            let state = simulation.flow(flow);
            let about = PyDict::new(py);
            about.set_item("sent", state.sent)?;
            about.set_item("received_bytes", state.received_bytes)?;
            about.set_item("mechanisms", simulation.mechanisms(flow).collect::<Vec<_>>())?;
            let Some(sender) = state.sender else { return Ok(about) };
            let segments = |bytes: f64| bytes / f64::from(sender.mss);
            about.set_item("acked_bytes", sender.acked_bytes)?;
            about.set_item("retransmissions", sender.retransmissions)?;
            about.set_item("rto_count", sender.timeouts)?;
            about.set_item("cwnd_segments", segments(sender.cwnd))?;
            about.set_item("ssthresh_segments", segments(sender.ssthresh))?;
            about.set_item("in_flight_segments", segments(sender.flight() as f64))?;
            about.set_item("srtt_s", sender.srtt.map(|srtt| srtt.as_secs_f64()))?;
            about.set_item("rto_s", sender.rto.as_secs_f64())?;
            about.set_item("phase", phase(sender.phase()))?;
            Ok(about)
        })?
    }

    /// How a node stands.
    fn node<'py>(&self, py: Python<'py>, node: usize) -> PyResult<Bound<'py, PyDict>> {
        self.with(|running| {
            check(node, running.simulation.setup().nodes.len(), "node")?;
            let state = running.simulation.node(NodeId(node as u32));
            let about = PyDict::new(py);
            about.set_item("x_m", state.position.x_m)?;
            about.set_item("y_m", state.position.y_m)?;
            about.set_item("is_up", state.is_up)?;
            about.set_item("queue_packets", state.queued)?;
            about.set_item("held_packets", state.held)?;
            about.set_item("contention_window_slots", state.contention_window)?;
            about.set_item("control_packets", state.routing.control_packets)?;
            about.set_item("route_breaks", state.routing.route_breaks)?;
            Ok(about)
        })?
    }

    /// The route in use from a node to another: next hop, and hops where the protocol knows them.
    fn route(&self, node: usize, destination: usize) -> PyResult<Option<(u32, Option<u32>)>> {
        self.with(|running| {
            let nodes = running.simulation.setup().nodes.len();
            check(node, nodes, "node")?;
            check(destination, nodes, "node")?;
            let route = running.simulation.route(NodeId(node as u32), NodeId(destination as u32).address());
            Ok(route.map(|route| (route.next_hop.0, route.hops)))
        })?
    }

    /// What was measured; what is left of the run happens first. It is over with that.
    fn finish(&self, py: Python<'_>) -> PyResult<RunResult> {
        let Running { simulation, recorded, wall_s } = self.lock().take().ok_or_else(over)?;
        py.detach(|| {
            let (outcome, more_s) = timed(|| guarded(|| simulation.finish()));
            let report = outcome.map_err(failed)?.report;
            // The recorder went with the simulation, and said its last word.
            let recorded = recorded.map(|recorded| recorded.recv().unwrap_or_default()).unwrap_or_default();
            Ok(RunResult::new(report, wall_s + more_s, recorded))
        })
    }

    /// Ends the run without results.
    fn close(&self) {
        self.lock().take();
    }
}

/// A run that has not begun, and where its recorder says its last word, if it has one. With a `folder`, the run writes
/// there what the scenario's `[output]` asks for; with `figures`, it keeps what they show; with `programs`, it tells all that
/// happens to the packets of programs.
pub(crate) fn recorded_run(
    scenario: &Scenario,
    setup: Setup,
    seed: u64,
    options: &Options,
    (folder, figures): (Option<&Path>, bool),
    programs: bool,
) -> (Simulation<'static>, Option<Receiver<Recorded>>) {
    let config = folder.map(|_| record::config(&scenario.loaded.scenario, &setup, seed, programs));
    let output = &scenario.loaded.scenario.output;
    let (medium_use, flow_time) = (output.medium_use, output.flow_time);
    let config = Config { picture: figures, medium_use, flow_time, ..config.unwrap_or_default() };
    if config == Config::default() {
        return (Simulation::new(Cow::Owned(setup), seed, options), None);
    }
    let (recorder, recorded) = Recorder::new(&config, &setup, folder.unwrap_or(Path::new(""))).handed_over();
    (Simulation::traced(Cow::Owned(setup), seed, options, Box::new(recorder)), Some(recorded))
}

impl Stepped {
    fn lock(&self) -> MutexGuard<'_, Option<Running>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<R>(&self, act: impl FnOnce(&mut Running) -> R) -> PyResult<R> {
        self.lock().as_mut().map(act).ok_or_else(over)
    }

    fn look<R>(&self, act: impl FnOnce(&Simulation<'static>) -> R) -> PyResult<R> {
        self.with(|running| act(&running.simulation))
    }

    /// What panicked is not used again.
    fn fail(&self, panic: String) -> PyErr {
        self.lock().take();
        failed(panic)
    }
}

fn over() -> PyErr {
    PyValueError::new_err("the simulation is over")
}

fn failed(panic: String) -> PyErr {
    RunError::new_err(format!("the run failed: {panic}"))
}

fn check(number: usize, count: usize, what: &str) -> PyResult<()> {
    match number < count {
        true => Ok(()),
        false => Err(PyIndexError::new_err(format!("there is no {what} {number}: {}", how_many(count, what)))),
    }
}

/// As the results' `phase_time_s` names it.
const fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::SlowStart => "slow_start",
        Phase::CongestionAvoidance => "congestion_avoidance",
        Phase::Recovery => "recovery",
        Phase::Rto => "rto",
        Phase::Frozen => "frozen",
    }
}
