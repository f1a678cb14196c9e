//! Measures the time that the kernel's TCP takes, connection by connection, for as long as this lives.
//!
//! Spec      the kernel's tracepoints (`tp_btf`); Ghaleb-Seddik 2009 §4.3.3
//! Deviates  nothing
//! Holds     nothing is pinned: programs and maps go with the process. What an empty interval shows is measured first, and
//!           taken off each

use std::fmt;
use std::fs;
use std::os::fd::AsFd as _;
use std::sync::mpsc::{Receiver, channel};

use libbpf_rs::btf::{Btf, types::Typedef};
use libbpf_rs::query::{ProgInfoIter, ProgInfoQueryOptions};
use libbpf_rs::{Link, MapCore as _, MapFlags, MapInfo, MapMut, Object, ObjectBuilder, RingBuffer, RingBufferBuilder};
use rustix::time::{ClockId, clock_gettime};

use super::bytes::Reader;
use super::library;
use super::measured::Measured;
use super::needs::{lacking, release};
use crate::Error;

/// A closed connection's last event ends a little after it was closed.
const SETTLED_NS: u64 = 50_000_000;

/// Empty intervals that are looked at.
const EMPTY: usize = 1001;

/// See the file's header.
pub struct Measurement {
    /// Taken first: nothing is written any more when maps go.
    links: Vec<Link>,
    object: Object,
    ring: RingBuffer<'static>,
    closed: Receiver<u64>,
    /// Those that were closed, and when.
    waiting: Vec<(u64, u64)>,
    empty_ns: u64,
}

impl fmt::Debug for Measurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Measurement({} links)", self.links.len())
    }
}

/// What `hop_measure` holds (`struct settings` in bpf/measure.bpf.c).
#[derive(Clone, Copy, Default)]
struct Card {
    empty_ns: u64,
    last_ns: u64,
    without_room: u64,
    network: u64,
    write_timer: u64,
    process: u64,
}

impl Card {
    fn bytes(self) -> Vec<u8> {
        [self.empty_ns, self.last_ns, self.without_room, self.network, self.write_timer, self.process]
            .iter()
            .flat_map(|number| number.to_ne_bytes())
            .collect()
    }

    fn of(object: &Object) -> Self {
        let map = object.maps().find(|map| map.name() == "hop_measure");
        let bytes = map.and_then(|map| map.lookup(&0_u32.to_ne_bytes(), MapFlags::ANY).ok().flatten());
        let bytes = bytes.unwrap_or_default();
        let mut read = Reader(&bytes);
        let [empty_ns, last_ns, without_room, network, write_timer, process] = [(); 6].map(|()| read.u64());
        Self { empty_ns, last_ns, without_room, network, write_timer, process }
    }

    fn set(self, object: &mut Object) -> Result<(), Error> {
        find(object, "hop_measure")?
            .update(&0_u32.to_ne_bytes(), &self.bytes(), MapFlags::ANY)
            .map_err(|error| failed("set what it measures", &error))
    }
}

fn failed(what: &str, error: &dyn fmt::Display) -> Error {
    let text = format!("the kernel's TCP is not measured: cannot {what}: {error:#}\n{}", library::said());
    Error::Failed(text.trim_end().to_owned())
}

fn find<'a>(object: &'a mut Object, name: &str) -> Result<MapMut<'a>, Error> {
    let missing = || Error::Failed(format!("the program of the algorithm has no map {name}"));
    object.maps_mut().find(|map| map.name() == name).ok_or_else(missing)
}

/// Where the kernel has a function. Users without rights read zeros.
fn place_of(function: &str) -> Option<u64> {
    let text = fs::read_to_string("/proc/kallsyms").ok()?;
    let line =
        text.lines().find(|line| line.ends_with(function) && line.split_whitespace().nth(2) == Some(function))?;
    let place = u64::from_str_radix(line.split_whitespace().next()?, 16).ok()?;
    (place != 0).then_some(place)
}

/// What this kernel, or this user, lacks of what is used.
fn check(tracepoints: &[String], write_timer: Option<u64>) -> Result<(), Error> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let types = Btf::from_vmlinux().ok();
    let mut what = lacking(&status, types.as_ref().map(|_| &(|_: &str| true) as &dyn Fn(&str) -> bool));
    if let Some(types) = &types {
        what.extend(absent(tracepoints, |name| types.type_by_name::<Typedef<'_>>(name).is_some()));
    }
    if what.is_empty() && write_timer.is_none() {
        what.push("/proc/kallsyms does not contain the address of tcp_write_timer (kernel.kptr_restrict)".to_owned());
    }
    if what.is_empty() {
        return Ok(());
    }
    Err(Error::Lacking(format!("the kernel's TCP cannot be measured (Linux {}): {}", release(), what.join("; "))))
}

/// The tracepoints whose types a kernel does not have.
fn absent(tracepoints: &[String], has: impl Fn(&str) -> bool) -> Vec<String> {
    let is_absent = |name: &&String| !has(&format!("btf_trace_{name}"));
    tracepoints.iter().filter(is_absent).map(|name| format!("the kernel lacks the tracepoint {name}")).collect()
}

/// The clock that programs read.
fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

impl Measurement {
    /// Begins: with room for so many connections at a time, of this network namespace or of all.
    ///
    /// # Errors
    /// If something is lacking, or the kernel refuses: nothing is left then.
    pub fn new(room: u32, network: Option<u64>) -> Result<Self, Error> {
        library::listen();
        let image = include_bytes!(concat!(env!("OUT_DIR"), "/measure.o"));
        let mut open = ObjectBuilder::default().open_memory(image).map_err(|e| failed("open its program", &e))?;
        let mut tracepoints: Vec<String> = open
            .progs()
            .filter_map(|program| program.section().to_string_lossy().strip_prefix("tp_btf/").map(str::to_owned))
            .collect();
        tracepoints.sort();
        tracepoints.dedup();
        let write_timer = place_of("tcp_write_timer");
        check(&tracepoints, write_timer)?;
        for mut map in open.maps_mut() {
            if map.name() == "hop_measured" {
                map.set_max_entries(room).map_err(|e| failed("make room", &e))?;
            }
        }
        let mut object = open.load().map_err(|e| failed("load its program", &e))?;
        let empty_ns = empty(&mut object)?;
        let write_timer = write_timer.unwrap_or(0);
        Card { empty_ns, write_timer, network: network.unwrap_or(0), ..Card::default() }.set(&mut object)?;
        let (tell, closed) = channel();
        let ring = ring(&object, move |cookie| {
            let _ = tell.send(cookie);
        })?;
        let links = attach(&mut object, |name| !name.starts_with("empty_"))?;
        Ok(Self { links, object, ring, closed, waiting: vec![], empty_ns })
    }

    /// What an empty interval shows, in nanoseconds.
    #[must_use]
    pub fn empty_ns(&self) -> u64 {
        self.empty_ns
    }

    /// Connections that were closed since the last call, or a little before. They make room for others.
    pub fn closed(&mut self) -> Vec<Measured> {
        let _ = self.ring.consume();
        let now = now();
        self.waiting.extend(self.closed.try_iter().map(|cookie| (now, cookie)));
        let is_settled = |since: u64| now.saturating_sub(since) >= SETTLED_NS;
        let settled: Vec<u64> = self.waiting.iter().filter(|(since, _)| is_settled(*since)).map(|(_, c)| *c).collect();
        self.waiting.retain(|(since, _)| !is_settled(*since));
        settled.into_iter().filter_map(|cookie| self.take(cookie, None)).collect()
    }

    fn take(&mut self, cookie: u64, now: Option<u64>) -> Option<Measured> {
        let map = find(&mut self.object, "hop_measured").ok()?;
        let key = cookie.to_ne_bytes();
        let bytes = map.lookup(&key, MapFlags::ANY).ok()??;
        let _ = map.delete(&key);
        Measured::parse(cookie, &bytes, now)
    }

    /// Ends measuring. All that were not told before.
    pub fn end(&mut self) -> Vec<Measured> {
        self.links.clear();
        let now = now();
        let _ = self.ring.consume();
        let mut closed: Vec<u64> = self.closed.try_iter().collect();
        closed.extend(self.waiting.drain(..).map(|(_, cookie)| cookie));
        let keys: Vec<Vec<u8>> =
            find(&mut self.object, "hop_measured").map_or_else(|_| vec![], |map| map.keys().collect());
        let mut cookies: Vec<u64> = keys.iter().map(|key| Reader(key).u64()).collect();
        cookies.sort_unstable();
        let open = |cookie: u64| (!closed.contains(&cookie)).then_some(now);
        cookies.into_iter().filter_map(|cookie| self.take(cookie, open(cookie))).collect()
    }

    /// Connections that found no room.
    #[must_use]
    pub fn without_room(&self) -> u64 {
        Card::of(&self.object).without_room
    }

    /// Events that the kernel did not tell, as its program was at work on another one when they came.
    #[must_use]
    pub fn missed(&self) -> u64 {
        let map = self.object.maps().find(|map| map.name() == "hop_stacks");
        let Some(id) = map.and_then(|map| MapInfo::new(map.as_fd()).ok()).map(|info| info.info.id) else { return 0 };
        let programs = ProgInfoIter::with_query_opts(ProgInfoQueryOptions::default().include_map_ids(true));
        programs.filter(|program| program.map_ids.contains(&id)).map(|program| program.recursion_misses).sum()
    }
}

fn attach(object: &mut Object, which: impl Fn(&str) -> bool) -> Result<Vec<Link>, Error> {
    let chosen = object.progs_mut().filter(|program| which(&program.name().to_string_lossy()));
    let mut links = vec![];
    for program in chosen {
        let link = program.attach();
        links.push(link.map_err(|e| failed(&format!("attach {}", program.section().to_string_lossy()), &e))?);
    }
    Ok(links)
}

/// The median of what empty intervals show: two programs at one place, of which the second ends what the first begins.
fn empty(object: &mut Object) -> Result<u64, Error> {
    Card { process: u64::from(std::process::id()), ..Card::default() }.set(object)?;
    let links = attach(object, |name| name.starts_with("empty_"))?;
    let look = |_| {
        let _system_call = std::os::unix::process::parent_id();
        Card::of(object).last_ns
    };
    let mut seen: Vec<u64> = (0..EMPTY).map(look).filter(|ns| *ns > 0).collect();
    drop(links);
    seen.sort_unstable();
    let nothing = || failed("measure an empty interval", &"none was seen");
    seen.get(seen.len() / 2).copied().ok_or_else(nothing)
}

fn ring(object: &Object, mut hear: impl FnMut(u64) + 'static) -> Result<RingBuffer<'static>, Error> {
    let Some(map) = object.maps().find(|map| map.name() == "hop_closed") else {
        return Err(Error::Failed("the program has no map hop_closed".to_owned()));
    };
    let mut builder = RingBufferBuilder::new();
    let each = move |bytes: &[u8]| {
        hear(Reader(bytes).u64());
        0
    };
    builder.add(&map, each).map_err(|e| failed("hear of it", &e))?;
    builder.build().map_err(|e| failed("hear of it", &e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tracepoint_that_is_missing_is_named() {
        let tracepoints = ["tcp_probe", "tcp_sendmsg_locked"].map(str::to_owned);
        let said = absent(&tracepoints, |name| name == "btf_trace_tcp_probe");
        assert_eq!(said, ["the kernel lacks the tracepoint tcp_sendmsg_locked"]);
    }

    #[test]
    fn the_kernel_says_where_a_function_is_to_those_who_may_know() {
        assert_eq!(place_of("no_such_function"), None);
    }
}
