//! A simulated network under programs, without the interpreter's lock.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::sync::{Mutex, PoisonError};

use hopwright_emulate::{
    Counts, Emulation as Machine, Layer, Mismatch, Place, Record, Recording, Status, Summary, Watch,
};
use hopwright_machine::{NodeId, Time};
use hopwright_netns::{Error, Layer as DeviceLayer, Namespace, Route, Spec};
use hopwright_sim::Options;
use hopwright_trace::Recorded;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use serde::Serialize;

use crate::control::say;
use crate::errors::{RunError, guarded, refused};
use crate::run::{RunResult, timed};
use crate::scenario::Scenario;
use crate::stepped::recorded_run;

/// Of an attached node: its number, the name of its device, the longest packet, what passes ("ip" or "ethernet"), and the
/// length of its address's prefix.
type Attachment = (u32, String, u16, String, u8);

/// How `Emulation.run` is watched, told things and stopped. Shared between threads.
#[pyclass(module = "hopwright._core", frozen)]
#[derive(Debug)]
pub(crate) struct EmulationWatch {
    watch: Watch<Status>,
}

#[pymethods]
impl EmulationWatch {
    #[new]
    fn new() -> PyResult<Self> {
        Ok(Self { watch: Watch::new()? })
    }

    /// Makes `Emulation.run` return soon.
    fn stop(&self) {
        self.watch.stop();
    }

    /// How things stood a moment ago, as JSON.
    fn status_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.watch.status().1).map_err(|error| RunError::new_err(error.to_string()))
    }

    /// Does what a line says; returns the answer, a line of JSON.
    fn say(&self, py: Python<'_>, line: &str) -> PyResult<String> {
        say(py, &self.watch, line)
    }
}

/// A network with a namespace for each attached node.
#[pyclass(module = "hopwright._core", frozen)]
pub(crate) struct Emulation(Mutex<Option<Running>>);

struct Running {
    machine: Machine<'static>,
    namespaces: Vec<(NodeId, Namespace)>,
    recorded: Option<Receiver<Recorded>>,
    summary: Option<Summary>,
    wall_s: f64,
}

#[pymethods]
impl Emulation {
    /// Makes the namespaces, each with a device `name` and the node's address; `proc` is where threads are numbered as they
    /// are said. With a `folder`, the run writes there
    /// what `[output]` asks for, and `inputs.pcapng`. Raises `OSError` where privileges or devices are lacking.
    #[new]
    #[pyo3(signature = (scenario, seed, attached, *, proc, folder=None, figures=false))]
    fn new(
        py: Python<'_>,
        scenario: &Scenario,
        seed: u64,
        attached: Vec<Attachment>,
        proc: PathBuf,
        folder: Option<PathBuf>,
        figures: bool,
    ) -> PyResult<Self> {
        let places = attached.iter().map(place).collect::<PyResult<Vec<_>>>()?;
        let make = |(of, place): (&Attachment, &Place)| namespace(of, *place, &proc);
        let namespaces = py.detach(|| attached.iter().zip(&places).map(make).collect::<Result<Vec<_>, _>>());
        let namespaces = places.iter().map(|place| place.node).zip(namespaces.map_err(raised)?).collect();
        let file = folder.as_ref().map(|folder| File::create_new(folder.join("inputs.pcapng"))).transpose()?;
        let out = |file| Recording::new(Box::new(BufWriter::new(file)), &places);
        let recording = file.map(out).transpose()?;
        let begin = || {
            let setup = scenario.loaded.setup(seed)?;
            let options = Options { steered: true, ..Options::default() };
            let ((simulation, recorded), wall_s) =
                timed(|| recorded_run(scenario, setup, seed, &options, (folder.as_deref(), figures), true));
            let machine = Machine::new(simulation, scenario.loaded.live_links(), &places, recording);
            Ok(Running { machine, namespaces, recorded, summary: None, wall_s })
        };
        let running = py.detach(|| guarded(begin)).map_err(failed)?.map_err(|errors| refused(&errors))?;
        Ok(Self(Mutex::new(Some(running))))
    }

    /// Of each attached node: its number, the descriptor of its namespace, and the thread that keeps it.
    fn namespaces(&self) -> PyResult<Vec<(u32, i32, u32)>> {
        use std::os::fd::AsRawFd;
        let of = |(node, namespace): &(NodeId, Namespace)| {
            (node.0, namespace.descriptor().as_raw_fd(), namespace.thread_id())
        };
        self.with(|running| running.namespaces.iter().map(of).collect())
    }

    /// Runs at the clock's pace until the scenario ends or `watch` is told to stop.
    #[pyo3(signature = (watch, *, realtime=false))]
    fn run(&self, py: Python<'_>, watch: &EmulationWatch, realtime: bool) -> PyResult<()> {
        py.detach(|| {
            self.with(|running| {
                let ports: Vec<_> = running.namespaces.iter().map(|(_, namespace)| namespace.device()).collect();
                let paced = guarded(|| hopwright_emulate::pace(&mut running.machine, &ports, &watch.watch, realtime));
                let summary = paced.map_err(failed)?.map_err(|error| RunError::new_err(error.to_string()))?;
                running.wall_s += summary.wall_s;
                running.summary = Some(summary);
                Ok(())
            })?
        })
    }

    /// Ends it: what was measured, and what is said of the emulation, as JSON. Its namespaces go.
    fn finish(&self, py: Python<'_>) -> PyResult<(RunResult, String)> {
        let Running { machine, namespaces, recorded, summary, wall_s } = self.lock().take().ok_or_else(over)?;
        py.detach(|| {
            drop(namespaces);
            let (result, counts, duration, unwritten) = end(machine, recorded, wall_s)?;
            let about = About {
                attached: counts,
                duration_s: duration.as_secs_f64(),
                pace: summary.as_ref(),
                unrecorded: unwritten.map(|error| error.to_string()),
            };
            let json = serde_json::to_string(&about).map_err(|error| RunError::new_err(error.to_string()))?;
            Ok((result, json))
        })
    }

    /// Ends it without results.
    fn close(&self) {
        self.lock().take();
    }
}

impl Emulation {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Running>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<R>(&self, act: impl FnOnce(&mut Running) -> R) -> PyResult<R> {
        self.lock().as_mut().map(act).ok_or_else(over)
    }
}

/// What is said of an emulation beside its results.
#[derive(Serialize)]
struct About<'a> {
    attached: Vec<Attached>,
    /// Simulated, seconds.
    duration_s: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pace: Option<&'a Summary>,
    /// Why there is no recording.
    #[serde(skip_serializing_if = "Option::is_none")]
    unrecorded: Option<String>,
}

#[derive(Serialize)]
struct Attached {
    node: u32,
    #[serde(flatten)]
    counts: Counts,
}

/// The same emulation again from a recording, at once. Returns what was measured, what is said of the emulation, and
/// where it differs, both as JSON.
#[pyfunction]
#[pyo3(signature = (scenario, seed, inputs, *, folder=None, figures=false))]
pub(crate) fn replay(
    py: Python<'_>,
    scenario: &Scenario,
    seed: u64,
    inputs: PathBuf,
    folder: Option<PathBuf>,
    figures: bool,
) -> PyResult<(RunResult, String, String)> {
    py.detach(|| {
        let wrong = |why: String| PyValueError::new_err(format!("{}: {why}", inputs.display()));
        let file = File::open(&inputs).map_err(|error| wrong(format!("cannot be opened: {error}")))?;
        let record = hopwright_emulate::read(BufReader::new(file)).map_err(|error| wrong(error.to_string()))?;
        let setup = scenario.loaded.setup(seed).map_err(|errors| refused(&errors))?;
        if let Some(Place { node, .. }) = record.places.iter().find(|place| place.node.index() >= setup.nodes.len()) {
            return Err(wrong(format!("has a program at node {node}, which the scenario has not")));
        }
        if !setup.links.is_empty() && record.places.iter().any(|place| place.layer == Layer::Ethernet) {
            return Err(wrong("has frames, and topology.kind = 'links' has no MAC to carry them".to_owned()));
        }
        let again = || {
            let options = Options { steered: true, ..Options::default() };
            let (simulation, recorded) =
                recorded_run(scenario, setup, seed, &options, (folder.as_deref(), figures), true);
            let Record { places, entries } = &record;
            let machine = Machine::new(simulation, scenario.loaded.live_links(), places, None);
            let (outcome, counts, mismatch) = hopwright_emulate::replay(machine, entries, |_| {});
            (outcome, counts, mismatch, recorded)
        };
        let (done, wall_s) = timed(|| guarded(again));
        let (outcome, counts, mismatch, recorded) = done.map_err(failed)?;
        let recorded = recorded.map(|recorded| recorded.recv().unwrap_or_default()).unwrap_or_default();
        let duration = record.entries.last().map_or(Time::ZERO, |(at, _)| *at);
        let attached = record.places.iter().zip(counts).map(|(place, counts)| Attached { node: place.node.0, counts });
        let about =
            About { attached: attached.collect(), duration_s: duration.as_secs_f64(), pace: None, unrecorded: None };
        let text = |json: serde_json::Result<String>| json.map_err(|error| RunError::new_err(error.to_string()));
        let differs = Differs::of(&mismatch);
        let result = RunResult::new(outcome.report, wall_s, recorded);
        Ok((result, text(serde_json::to_string(&about))?, text(serde_json::to_string(&differs))?))
    })
}

/// Where a replay differs from the emulation.
#[derive(Serialize)]
struct Differs {
    recorded_packets: u64,
    replayed_packets: u64,
    first_difference_s: Option<f64>,
    refused_commands: u64,
}

impl Differs {
    fn of(mismatch: &Mismatch) -> Self {
        Self {
            recorded_packets: mismatch.packets.0,
            replayed_packets: mismatch.packets.1,
            first_difference_s: mismatch.first.map(Time::as_secs_f64),
            refused_commands: mismatch.refused_commands,
        }
    }
}

type Ended = (RunResult, Vec<Attached>, Time, Option<std::io::Error>);

fn end(machine: Machine<'static>, recorded: Option<Receiver<Recorded>>, wall_s: f64) -> PyResult<Ended> {
    let nodes: Vec<NodeId> = machine.attached().map(|(node, _)| node).collect();
    let now = machine.simulation().now();
    let (outcome, counts, unwritten) = guarded(|| machine.finish()).map_err(failed)?;
    // The recorder went with the simulation, and said its last word.
    let recorded = recorded.map(|recorded| recorded.recv().unwrap_or_default()).unwrap_or_default();
    let attached = nodes.into_iter().zip(counts).map(|(node, counts)| Attached { node: node.0, counts }).collect();
    Ok((RunResult::new(outcome.report, wall_s, recorded), attached, now, unwritten))
}

fn place((node, _, _, layer, _): &Attachment) -> PyResult<Place> {
    let layer = match layer.as_str() {
        "ip" => Layer::Ip,
        "ethernet" => Layer::Ethernet,
        _ => return Err(PyValueError::new_err(format!("no layer '{layer}': ip, ethernet"))),
    };
    Ok(Place { node: NodeId(*node), layer })
}

fn namespace((_, name, mtu, _, prefix): &Attachment, place: Place, proc: &Path) -> Result<Namespace, Error> {
    let mut spec = Spec::new(name.clone(), place.node.address().into(), *prefix);
    spec.proc = proc.to_owned();
    spec.device.mtu = *mtu;
    if place.layer == Layer::Ethernet {
        spec.device.layer = DeviceLayer::Ethernet { mac: place.mac() };
    }
    spec.routes = vec![Route::MULTICAST, Route::BROADCAST];
    Namespace::make(&spec)
}

pub(crate) fn raised(error: Error) -> PyErr {
    match error {
        Error::Input(text) => PyValueError::new_err(text),
        Error::Lacking(text) => PyOSError::new_err(text),
        Error::Failed(text) => RunError::new_err(text),
    }
}

fn over() -> PyErr {
    PyValueError::new_err("the emulation is over")
}

fn failed(panic: String) -> PyErr {
    RunError::new_err(format!("the run failed: {panic}"))
}
