//! What the processor's package took, as it says itself: RAPL, through the kernel's powercap files.
//!
//! Spec      Linux, Documentation/power/powercap/powercap.rst: `energy_uj` counts microjoules and starts again at zero
//!           beyond `max_energy_range_uj`
//! Deviates  nothing
//!
//! Ghaleb-Seddik (2009), eq. 4.4: E_comp = E_total - E_idle - E_radio. Here the package is measured, which has no
//! radio: E_radio is 0.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

/// Where the kernel shows its counters.
pub const POWERCAP: &str = "/sys/class/powercap";

/// Why there are no joules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRapl {
    /// The machine, or what confines this process, shows no such counter.
    #[error("no RAPL counter of a processor package in {0}")]
    Absent(String),
    /// They are for root's eyes.
    #[error("{0} cannot be read: {1}")]
    Unreadable(String, String),
    /// What is read is no number, or stands still.
    #[error("{0}")]
    Senseless(String),
}

/// The counters of all packages of the machine.
#[derive(Debug)]
pub struct Rapl {
    packages: Vec<Package>,
}

#[derive(Debug)]
struct Package {
    counter: PathBuf,
    /// The count after which it starts again, microjoules.
    largest: u64,
}

/// What the counters showed, microjoules per package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading(Vec<u64>);

impl Rapl {
    /// The counters in a folder like `POWERCAP`.
    ///
    /// # Errors
    /// Why there are none.
    pub fn open(folder: &Path) -> Result<Self, NoRapl> {
        let mut packages = Vec::new();
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut zones: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| is_zone(path)).collect();
        zones.sort();
        for zone in zones {
            // Parts of a package (cores, memory) and the whole platform would be counted twice.
            if !text(&zone.join("name"))?.starts_with("package") {
                continue;
            }
            let counter = zone.join("energy_uj");
            number(&counter)?;
            packages.push(Package { counter, largest: number(&zone.join("max_energy_range_uj"))? });
        }
        match packages.is_empty() {
            true => Err(NoRapl::Absent(folder.display().to_string())),
            false => Ok(Self { packages }),
        }
    }

    /// What they show now.
    ///
    /// # Errors
    /// Why they cannot be read any longer.
    pub fn read(&self) -> Result<Reading, NoRapl> {
        self.packages.iter().map(|package| number(&package.counter)).collect::<Result<_, _>>().map(Reading)
    }

    /// Joules between two readings, between which no counter may have started again twice.
    #[must_use]
    pub fn joules(&self, before: &Reading, after: &Reading) -> f64 {
        let pairs = self.packages.iter().zip(before.0.iter().zip(&after.0));
        let micro = |(package, (&before, &after)): (&Package, (&u64, &u64))| match after.checked_sub(before) {
            Some(joules) => joules,
            None => (package.largest - before.min(package.largest)) + after,
        };
        pairs.map(micro).sum::<u64>() as f64 * 1e-6
    }
}

/// What the package took for the transport's work alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Power {
    /// Joules of the package while the work was done.
    pub total_j: f64,
    /// Joules of the package in the same time without it.
    pub idle_j: f64,
    /// CPU time of the work, seconds.
    pub cpu_s: f64,
    /// E_comp over CPU time, watts.
    pub watts: f64,
}

impl Power {
    /// By the definition, E_total - E_idle; E_radio is none.
    ///
    /// # Errors
    /// Where the work took no more than the pause: the counter stands still, or other programs were busy.
    pub fn of(total_j: f64, idle_j: f64, cpu_s: f64) -> Result<Self, NoRapl> {
        let watts = (total_j - idle_j) / cpu_s;
        if watts > 0.0 && watts.is_finite() {
            return Ok(Self { total_j, idle_j, cpu_s, watts });
        }
        let reason = "the RAPL counter shows no more energy for the work than for a pause of the same length";
        Err(NoRapl::Senseless(format!("{reason}: {total_j:.3} J, {idle_j:.3} J")))
    }
}

/// `intel-rapl:0`, but neither its parts (`intel-rapl:0:1`) nor a second way to the same counter (`intel-rapl-mmio:0`).
fn is_zone(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.strip_prefix("intel-rapl:").is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn text(path: &Path) -> Result<String, NoRapl> {
    fs::read_to_string(path).map_err(|error| NoRapl::Unreadable(path.display().to_string(), error.to_string()))
}

fn number(path: &Path) -> Result<u64, NoRapl> {
    let read = text(path)?;
    read.trim().parse().map_err(|_| NoRapl::Senseless(format!("{} holds no number: {}", path.display(), read.trim())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A powercap folder: two packages, a part of one, the platform, and a second way to the first package.
    fn machine() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let zones = [
            ("intel-rapl:0", "package-0"),
            ("intel-rapl:0:0", "core"),
            ("intel-rapl:1", "package-1"),
            ("intel-rapl:2", "psys"),
            ("intel-rapl-mmio:0", "package-0"),
        ];
        for (zone, name) in zones {
            fs::create_dir(folder.path().join(zone)).expect("made");
            for (file, content) in [("name", name), ("energy_uj", "900"), ("max_energy_range_uj", "1000")] {
                fs::write(folder.path().join(zone).join(file), content).expect("written");
            }
        }
        folder
    }

    fn set(folder: &Path, zone: &str, energy: &str) {
        fs::write(folder.join(zone).join("energy_uj"), energy).expect("written");
    }

    #[test]
    fn packages_are_added_up_and_counted_once() {
        let folder = machine();
        let rapl = Rapl::open(folder.path()).expect("two packages");
        let before = rapl.read().expect("readable");
        for zone in ["intel-rapl:0", "intel-rapl:0:0", "intel-rapl:2", "intel-rapl-mmio:0"] {
            set(folder.path(), zone, "950\n");
        }
        set(folder.path(), "intel-rapl:1", "907");
        let joules = rapl.joules(&before, &rapl.read().expect("readable"));
        assert!((joules - 57e-6).abs() < 1e-12, "{joules}");
    }

    #[test]
    fn a_counter_that_starts_again_goes_on() {
        let folder = machine();
        let rapl = Rapl::open(folder.path()).expect("two packages");
        let before = rapl.read().expect("readable");
        set(folder.path(), "intel-rapl:0", "40");
        let joules = rapl.joules(&before, &rapl.read().expect("readable"));
        assert!((joules - 140e-6).abs() < 1e-12, "{joules}");
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let folder = machine();
        let nowhere = folder.path().join("nowhere");
        assert_eq!(Rapl::open(&nowhere).unwrap_err(), NoRapl::Absent(nowhere.display().to_string()));
        set(folder.path(), "intel-rapl:1", "much");
        assert!(matches!(Rapl::open(folder.path()), Err(NoRapl::Senseless(text)) if text.ends_with("no number: much")));
        fs::remove_file(folder.path().join("intel-rapl:1/energy_uj")).expect("removed");
        assert!(matches!(Rapl::open(folder.path()), Err(NoRapl::Unreadable(..))));
    }

    #[test]
    fn the_idle_machine_is_taken_off() {
        assert_eq!(Power::of(50.0, 20.0, 2.0).expect("more than idle").watts, 15.0);
        assert!(Power::of(20.0, 20.0, 2.0).unwrap_err().to_string().contains("no more energy"));
    }
}
