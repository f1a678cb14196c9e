//! The same conversations with the engine and with the kernel: windows after every acknowledgement.
//!
//! `vectors/*.talk` are conversation scripts (`hopwright-converse`) of which the peer's part counts: what arrives, and when. The
//! engine is held to the windows that a script says (`=`), which are worked out by hand. The kernel's algorithm gets the same
//! acknowledgements over a TUN device, in real time; its windows must be the engine's within a segment. While a loss is
//! repaired they are told, not compared: the engine has the new window at once, the kernel works its way to it (RFC 6937).

use std::collections::VecDeque;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use hopwright_converse::script::{Action, Detail, Name, Script};
use hopwright_converse::subject::{Heard, Tolerance, ZERO};
use hopwright_converse::{Engine, Subject, converse, parse};
use hopwright_machine::Time;
use hopwright_transport::{Params, protocol};
use hopwright_wire::tcp::Segment;

/// Windows after an acknowledgement, in segments; no threshold before the first loss.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Windows {
    at_ms: f64,
    cwnd: f64,
    ssthresh: Option<f64>,
    is_repairing: bool,
}

/// How the windows of a subject are seen.
type Look<S> = Box<dyn Fn(&S, Time) -> Option<Windows>>;

/// A subject whose windows are looked at after every segment that arrives, and whose words nobody hears once the script has
/// begun.
struct Watched<S> {
    subject: S,
    look: Look<S>,
    acts: usize,
    seen: Vec<Windows>,
    /// When the application did something and segments arrived, in milliseconds.
    done_ms: Vec<f64>,
}

impl<S: Subject> Watched<S> {
    fn new(subject: S, look: impl Fn(&S, Time) -> Option<Windows> + 'static) -> Self {
        Self { subject, look: Box::new(look), acts: 0, seen: vec![], done_ms: vec![] }
    }
}

impl<S: Subject> Subject for Watched<S> {
    fn tolerance(&self) -> Option<Tolerance> {
        self.subject.tolerance()
    }

    fn now(&self) -> Time {
        self.subject.now()
    }

    fn lag(&self) -> hopwright_machine::Duration {
        self.subject.lag()
    }

    fn listen(&mut self, until: Time, briefly: bool, heard: &mut VecDeque<Heard>) {
        let is_opening = self.acts < 2; // after `open`, the script's own first
        self.subject.listen(until, briefly && is_opening, heard);
        if !is_opening {
            heard.clear();
        }
    }

    fn act(&mut self, action: &Action) {
        self.acts += 1;
        self.subject.act(action);
        self.done_ms.push(ms(self.subject.now()));
    }

    fn arrive(&mut self, segment: &Segment, data: &[u8]) {
        self.subject.arrive(segment, data);
        self.done_ms.push(ms(self.subject.now()));
        if self.acts > 1 {
            let windows = (self.look)(&self.subject, self.subject.now()).expect("the connection lasts");
            self.seen.push(windows);
        }
    }

    fn value(&self, name: Name) -> Option<String> {
        // The kernel's table of connections takes ten milliseconds to read, and the script has begun.
        if self.subject.tolerance().is_some() { None } else { self.subject.value(name) }
    }

    fn admits_reopening(&self, segment: &Segment) -> Option<bool> {
        self.subject.admits_reopening(segment)
    }

    fn agrees(&self, detail: Detail, found: &str, wanted: &str) -> bool {
        self.subject.agrees(detail, found, wanted)
    }
}

/// Every vector, by name, with its text as script.
fn vectors() -> Vec<(String, Script)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let named = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    let script =
        |path: &Path| parse(&fs::read_to_string(path).unwrap()).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    paths.iter().map(|path| (named(path), script(path))).collect()
}

fn ms(time: Time) -> f64 {
    time.since(Time::ZERO + ZERO).as_secs_f64() * 1e3
}

fn of_engine(engine: &Engine, now: Time) -> Option<Windows> {
    let segments = |name| engine.value(name).and_then(|text| text.parse().ok()).map(|bytes: f64| bytes / 1000.0);
    let ssthresh = segments(Name::Ssthresh).filter(|threshold| threshold.is_finite());
    let is_repairing = engine.value(Name::Phase).as_deref() == Some("Recovery");
    Some(Windows { at_ms: ms(now), cwnd: segments(Name::Base)?, ssthresh, is_repairing })
}

/// What the engine's windows are, and when what was done.
fn engine_windows(script: &Script) -> Result<(Vec<Windows>, Vec<f64>), String> {
    let row = protocol(script.protocol.as_deref().unwrap()).unwrap();
    let params = row.params(Params::default());
    let mut engine = Watched::new(Engine::new(row.recipe, params.clone(), &script.setup), of_engine);
    converse(script, &params, &mut engine).map_err(|failure| failure.to_string())?;
    Ok((engine.seen, engine.done_ms))
}

#[test]
fn the_engine_keeps_to_the_vectors() {
    let mut failures = vec![];
    for (name, script) in vectors() {
        match engine_windows(&script) {
            Ok((windows, _)) if std::env::var("SHOW").is_ok_and(|wanted| name.contains(&wanted)) => {
                windows.iter().for_each(|w| say(&format!("{name}: {w:?}\n")));
            }
            Ok((windows, _)) => assert!(!windows.is_empty(), "{name}"),
            Err(failure) => failures.push(format!("{name}: {failure}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Not through the test harness, which hides what passing tests print.
fn say(text: &str) {
    std::io::stderr().write_all(text.as_bytes()).unwrap();
}

#[cfg(not(all(feature = "libbpf", target_os = "linux")))]
#[test]
fn the_kernel_keeps_to_the_vectors() {
    say("skipped: the kernel's windows, as this was built without libbpf (make kernel says what it needs)\n");
}

#[cfg(all(feature = "libbpf", target_os = "linux"))]
mod kernel {
    use std::fmt::Write as _;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use hopwright_converse::script::Deed;
    use hopwright_kernel::{Error, Loaded, Settings, Watch, mechanism, needs, running};
    use hopwright_replay::{Kernel, is_available};

    use super::*;

    fn of_kernel(watch: &Watch, now: Time) -> Option<Windows> {
        let connections = watch.look().ok()?;
        let connection = connections.first()?;
        let is_repairing = connection.phase == "recovery";
        Some(Windows {
            at_ms: ms(now),
            cwnd: connection.cwnd,
            ssthresh: connection.ssthresh.map(f64::from),
            is_repairing,
        })
    }

    static ATTEMPT: AtomicUsize = AtomicUsize::new(0);

    /// What the kernel's windows are, and when what was done, with the algorithm and the parameters of the script's protocol.
    fn kernel_windows(script: &Script) -> Result<(Vec<Windows>, Vec<f64>), String> {
        let id = script.protocol.as_deref().unwrap().trim_end_matches("-sack");
        let mechanism = mechanism(id).ok_or_else(|| format!("no algorithm {id}"))?;
        let known = |name: &str| mechanism.parameters.iter().any(|parameter| parameter.name == name);
        let text = |value: &hopwright_transport::Value| match value {
            hopwright_transport::Value::Number(n) => n.to_string(),
            hopwright_transport::Value::Bool(b) => b.to_string(),
            hopwright_transport::Value::Word(w) => w.clone(),
        };
        let mut set: Vec<(String, String)> = script
            .setup
            .params
            .iter()
            .filter(|(name, _)| known(name))
            .map(|(name, value)| (name.clone(), text(value)))
            .collect();
        set.push(("counting".to_owned(), "acks".to_owned())); // as the engine counts
        for line in &script.lines {
            if let Deed::Do(Action::Hops(hops)) = line.deed {
                set.push(("hops".to_owned(), hops.to_string()));
            }
        }
        let settings =
            Settings::of(mechanism, set.iter().map(|(n, v)| (n.as_str(), v.as_str()))).map_err(|e| e.to_string())?;
        // Connections of an earlier attempt linger, and so does what is kept of them: each attempt has a name of its own.
        let name = format!("hop_vec{}", ATTEMPT.fetch_add(1, Ordering::Relaxed));
        let loaded = Loaded::new(mechanism, Some(&name), &settings, false).map_err(|e| e.to_string())?;
        let mut heard = script.clone();
        heard.lines.retain(|line| !matches!(line.deed, Deed::Hold(_) | Deed::Leave { .. }));
        let watch = watch(&loaded).map_err(|e| e.to_string())?;
        let mut kernel = Watched::new(Kernel::with(&heard, loaded.name())?, move |_, now| of_kernel(&watch, now));
        converse(&heard, &Params::default(), &mut kernel).map_err(|failure| failure.to_string())?;
        Ok((kernel.seen, kernel.done_ms))
    }

    /// A way to look at an algorithm's connections.
    fn watch(loaded: &Loaded) -> Result<Watch, Error> {
        let listed = running().into_iter().find(|other| other.name == loaded.name() && other.is_selectable);
        Watch::new(&listed.ok_or_else(|| Error::Failed("it is not listed".to_owned()))?)
    }

    /// Whether the kernel shows connections at all; `Err`: why not.
    fn is_shown() -> Result<(), String> {
        let mechanism = mechanism("sca").ok_or("no algorithm sca")?;
        let settings = Settings::of(mechanism, []).map_err(|e| e.to_string())?;
        let loaded = Loaded::new(mechanism, Some("hop_vec_any"), &settings, false).map_err(|e| e.to_string())?;
        match watch(&loaded) {
            Err(Error::Lacking(why)) => Err(why),
            _ => Ok(()), // any other failure is a fault, which the vectors will tell
        }
    }

    /// By how much what was done came too late at the worst, in milliseconds.
    fn lag(engine: &[f64], kernel: &[f64]) -> f64 {
        engine.iter().zip(kernel).map(|(e, k)| k - e).fold(0.0, f64::max)
    }

    /// How the windows differ; `Err` where they do by more than a segment outside repair.
    fn compared(name: &str, engine: &[Windows], kernel: &[Windows]) -> Result<String, String> {
        if engine.len() != kernel.len() {
            return Err(format!("{name}: {} acknowledgements, and {} at the kernel", engine.len(), kernel.len()));
        }
        let (mut told, mut largest, mut apart, mut wrong) = (String::new(), 0.0_f64, 0, 0);
        for (number, (e, k)) in engine.iter().zip(kernel).enumerate() {
            let difference = (e.cwnd - k.cwnd).abs();
            let of_threshold = match (e.ssthresh, k.ssthresh) {
                (Some(a), Some(b)) => (a - b).abs(),
                (None, None) => 0.0,
                _ => f64::INFINITY,
            };
            if e.is_repairing || k.is_repairing {
                apart += usize::from(difference > 1.0);
                continue;
            }
            largest = largest.max(difference).max(of_threshold);
            if difference > 1.0 || of_threshold > 1.0 {
                wrong += 1;
                if wrong > 5 {
                    continue; // the first say it all
                }
                let _ = writeln!(told, "  {number} at {} ms: engine {e:?}\n    kernel {k:?}", e.at_ms);
            }
        }
        let whole = format!(
            "{name}: {} acknowledgements, largest difference {largest:.2} segments; during repair {apart} windows are more than one apart",
            engine.len()
        );
        if wrong > 0 { Err(format!("{whole}\n{told}")) } else { Ok(whole) }
    }

    /// Conversations at the same time: they mostly wait.
    const AT_ONCE: usize = 4;

    /// What comes later than this has other round-trip times than the script, and is played again, so many times.
    const TOO_LATE_MS: f64 = 5.0;
    /// Vegas takes a round trip that is longer by a hundredth for a queue: of a third of a segment, with windows as here.
    const TOO_LATE_FOR_VEGAS_MS: f64 = 1.0;
    const PATIENCE: usize = 5;
    /// So many times, too, where the windows differ.
    const ATTEMPTS: usize = 3;

    /// Plays a vector until it tells something: how the windows agree, or, `Err`, how they do not.
    fn tell(name: &str, script: &Script) -> Result<String, String> {
        let (engine, due) = engine_windows(script)?;
        let too_late = if name.starts_with("vegas") { TOO_LATE_FOR_VEGAS_MS } else { TOO_LATE_MS };
        let (mut told, mut result) = (0, Ok(format!("{name}: this machine is too busy to tell")));
        for _ in 0..PATIENCE {
            let (kernel, done) = kernel_windows(script).map_err(|error| format!("{name}: {error}"))?;
            let lag = lag(&due, &done);
            if lag > too_late {
                continue; // it says nothing, either way
            }
            match compared(name, &engine, &kernel) {
                Ok(said) => return Ok(format!("{said} (late by {lag:.1} ms at most)")),
                Err(failure) => {
                    told += 1;
                    result = Err(format!("{failure}  (late by {lag:.1} ms at most)"));
                }
            }
            if told == ATTEMPTS {
                break;
            }
        }
        result
    }

    #[test]
    fn the_kernel_keeps_to_the_vectors() {
        if let Err(reason) = needs().map_err(|e| e.to_string()).and_then(|()| is_available()).and_then(|()| is_shown())
        {
            return say(&format!("skipped: the kernel's windows ({reason})\n"));
        }
        let only = std::env::var("ONLY").unwrap_or_default();
        let queue: Mutex<Vec<_>> = Mutex::new(vectors().into_iter().filter(|(name, _)| name.contains(&only)).collect());
        let failures = Mutex::new(vec![]);
        thread::scope(|scope| {
            for _ in 0..AT_ONCE {
                scope.spawn(|| {
                    loop {
                        let Some((name, script)) = queue.lock().unwrap().pop() else { return };
                        // A thread of its own, whose network namespace goes with it.
                        match thread::scope(|scope| scope.spawn(|| tell(&name, &script)).join().unwrap()) {
                            Ok(said) => say(&format!("{said}\n")),
                            Err(failure) => failures.lock().unwrap().push(failure),
                        }
                    }
                });
            }
        });
        let failures = failures.into_inner().unwrap();
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }
}
