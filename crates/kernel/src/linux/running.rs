//! Which algorithms of ours the kernel has, found by the map that each brings: no file says it.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use libbpf_rs::query::{MapInfoIter, ProgInfoIter, ProgInfoQueryOptions, ProgramInfo};
use libbpf_rs::{MapCore as _, MapFlags, MapHandle};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::bytes::Reader;
use crate::parameters::MOST;
use crate::{Error, MECHANISMS, Mechanism, Settings};

/// Where the kernel lists its algorithms.
const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";

/// What the map `hop_settings` holds (`struct settings` in bpf/hop.h).
#[derive(Clone, Debug)]
pub(crate) struct Card {
    pub(crate) name: String,
    pub(crate) owner: u32,
    pub(crate) mechanism: &'static Mechanism,
    pub(crate) recording: bool,
    pub(crate) connections: u32,
    pub(crate) settings: Settings,
}

impl Card {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.name.clone().into_bytes();
        bytes.resize(16, 0);
        let place = MECHANISMS.iter().position(|m| m.id == self.mechanism.id).unwrap_or(0);
        for number in [self.owner, place as u32] {
            bytes.extend(number.to_ne_bytes());
        }
        bytes.extend(started(self.owner).to_ne_bytes());
        for number in [u32::from(self.recording), self.connections] {
            bytes.extend(number.to_ne_bytes());
        }
        bytes.extend(self.settings.values.iter().flat_map(|value| value.to_ne_bytes()));
        bytes
    }

    /// The card, and when its owner began.
    fn parse(bytes: &[u8]) -> Option<(Self, u64)> {
        let mut read = Reader(bytes);
        let name =
            read.bytes(16).split(|byte| *byte == 0).next().and_then(|name| String::from_utf8(name.to_vec()).ok())?;
        let (owner, place, since) = (read.u32(), read.u32(), read.u64());
        let (recording, connections) = (read.u32() != 0, read.u32());
        let mechanism = MECHANISMS.get(usize::try_from(place).ok()?)?;
        let mut values = [0; MOST];
        values.fill_with(|| read.u64());
        (!name.is_empty())
            .then_some((Self { name, owner, mechanism, recording, connections, settings: Settings { values } }, since))
    }
}

/// When a process began, in ticks of the clock since the machine did: a number that was given again is another process.
fn started(process: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let after = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    after.split_whitespace().nth(19).and_then(|field| field.parse().ok()).unwrap_or(0)
}

/// An algorithm of ours that the kernel has.
#[derive(Clone, Debug)]
pub struct Running {
    /// Its name.
    pub name: String,
    /// What it is.
    pub mechanism: &'static Mechanism,
    /// Its parameters.
    pub settings: Settings,
    /// The process that it belongs to.
    pub owner: u32,
    /// Whether it tells of every acknowledgement.
    pub recording: bool,
    /// Whether connections can choose it; otherwise its owner is gone, and connections of before still have it.
    pub is_selectable: bool,
    /// The kernel's number of the map of its connections.
    pub(crate) connections: u32,
}

/// The algorithms that the kernel has, by name.
#[must_use]
pub fn available() -> Vec<String> {
    let text = fs::read_to_string(AVAILABLE).unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}

/// Every map of the kernel's with this name.
fn maps_called(name: &str) -> Vec<u32> {
    MapInfoIter::default().filter(|info| info.name == name).map(|info| info.id).collect()
}

/// All of them, by name. Nothing where this user may not ask.
#[must_use]
pub fn running() -> Vec<Running> {
    let names = available();
    let mut found: Vec<Running> = maps_called("hop_settings")
        .into_iter()
        .filter_map(|id| {
            let map = MapHandle::from_map_id(id).ok()?;
            let (card, since) = Card::parse(&map.lookup(&0_u32.to_ne_bytes(), MapFlags::ANY).ok()??)?;
            let lives = Path::new(&format!("/proc/{}", card.owner)).exists() && started(card.owner) == since;
            let is_selectable = lives && names.contains(&card.name);
            let Card { name, owner, mechanism, recording, connections, settings } = card;
            Some(Running { name, mechanism, settings, owner, recording, is_selectable, connections })
        })
        .collect();
    found.sort_by(|a, b| (&a.name, a.owner).cmp(&(&b.name, b.owner)));
    found
}

/// What one of its programs has cost: its name, how often it ran, and how long that took in all, in nanoseconds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cost {
    /// The hook.
    pub hook: String,
    /// Runs.
    pub runs: u64,
    /// Nanoseconds of all.
    pub ns: u64,
}

impl Running {
    /// What its programs have cost since they were loaded; runs count while `kernel.bpf_stats_enabled` is 1.
    #[must_use]
    pub fn costs(&self) -> Vec<Cost> {
        let programs = ProgInfoIter::with_query_opts(ProgInfoQueryOptions::default().include_map_ids(true));
        let own = programs.filter(|program| program.map_ids.contains(&self.connections) && program.run_cnt > 0);
        let cost = |program: ProgramInfo| {
            let hook = program.name.to_string_lossy().trim_start_matches("hop_").to_owned();
            Cost { hook, runs: program.run_cnt, ns: program.run_time_ns }
        };
        let mut costs: Vec<Cost> = own.map(cost).collect();
        costs.sort_by(|a, b| a.hook.cmp(&b.hook));
        costs
    }
}

/// How long an owner may take to go.
const PATIENCE: Duration = Duration::from_secs(10);

/// Ends the owner of an algorithm, and waits until nobody can choose it any more.
///
/// # Errors
/// If there is none of this name, or it stays.
pub fn end(name: &str) -> Result<Running, Error> {
    let all = running();
    let Some(found) = all.iter().find(|other| other.name == name && other.is_selectable) else {
        let names: Vec<_> = all.iter().filter(|other| other.is_selectable).map(|other| other.name.as_str()).collect();
        let known = if names.is_empty() {
            "no algorithm is loaded".to_owned()
        } else {
            format!("loaded: {}", names.join(", "))
        };
        return Err(Error::Input(format!("no algorithm '{name}' of Hopwright is loaded ({known})")));
    };
    let pid = Pid::from_raw(i32::try_from(found.owner).unwrap_or(i32::MAX));
    kill(pid, Signal::SIGTERM)
        .map_err(|error| Error::Failed(format!("cannot end process {pid}, which owns {name}: {error}")))?;
    let until = now() + PATIENCE;
    while available().iter().any(|other| other == name) {
        if now() > until {
            return Err(Error::Failed(format!("process {pid}, which owns {name}, does not end")));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    // The kernel frees maps a little later; those of connections that go on stay.
    for _ in 0..20 {
        if !running().iter().any(|other| (other.name.as_str(), other.owner) == (name, found.owner)) {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(found.clone())
}

#[expect(clippy::disallowed_methods, reason = "processes live in real time")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_is_read_as_it_was_written() {
        let mechanism = crate::mechanism("ssca").unwrap();
        let settings = Settings::of(mechanism, [("k", "7")]).unwrap();
        let owner = std::process::id();
        let card = Card { name: "hop_x".into(), owner, mechanism, recording: true, connections: 9, settings };
        let (read, since) = Card::parse(&card.bytes()).unwrap();
        assert_eq!(
            (read.name.as_str(), read.mechanism.id, read.recording, read.connections),
            ("hop_x", "ssca", true, 9)
        );
        assert_eq!((read.settings, since), (card.settings, started(owner)));
        assert!(since > 0);
    }

    #[test]
    fn what_is_no_card_is_none() {
        assert!(Card::parse(&[0; 40]).is_none());
        assert!(Card::parse(&[7; 208]).is_none());
    }
}
