//! An algorithm that is in the kernel for as long as this lives.
//!
//! Spec      the kernel's bpf_struct_ops.c: a map that is attached through a link is unregistered with the link
//! Deviates  nothing
//! Holds     nothing is pinned: the link goes with its last descriptor, which only this process has. Connections that have
//!           the algorithm by then keep it until they end; nobody can choose it any more

use std::fmt;
use std::os::fd::AsFd as _;
use std::process;
use std::time::Duration;

use libbpf_rs::{Link, MapCore as _, MapFlags, MapMut, MapType, Object, ObjectBuilder, RingBuffer, RingBufferBuilder};

use super::library;
use super::needs::needs;
use super::record::{Event, SIZE};
use super::running::{Card, available, running};
use crate::{Error, Mechanism, Settings};

/// See the file's header.
pub struct Loaded {
    /// Taken first: the algorithm is not selectable any more when its maps go.
    _link: Link,
    object: Object,
    name: String,
}

impl fmt::Debug for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Loaded({})", self.name)
    }
}

impl Loaded {
    /// Gives an algorithm to the kernel, under its own name or this one. With `recording`, every acknowledgement is told
    /// to a [`Recorder`].
    ///
    /// # Errors
    /// If the name is taken or no name, if something is lacking, or if the kernel refuses: nothing is left then.
    pub fn new(
        mechanism: &'static Mechanism,
        name: Option<&str>,
        settings: &Settings,
        recording: bool,
    ) -> Result<Self, Error> {
        let name = name.unwrap_or(mechanism.name);
        check_name(name)?;
        needs()?;
        if available().iter().any(|taken| taken == name) {
            let owner = running().into_iter().find(|other| other.name == name && other.is_selectable);
            let of = owner.map_or_else(String::new, |other| format!(", loaded by process {}", other.owner));
            return Err(Error::Input(format!(
                "the kernel has an algorithm '{name}' already{of}: choose another --name"
            )));
        }
        library::listen();
        let failed = |what: &str, error: &dyn fmt::Display| {
            Error::Failed(
                format!("the kernel does not take {name}: cannot {what}: {error:#}\n{}", library::said())
                    .trim_end()
                    .to_owned(),
            )
        };
        let mut open =
            ObjectBuilder::default().open_memory(image(mechanism.program)).map_err(|e| failed("open it", &e))?;
        for mut map in open.maps_mut() {
            if map.map_type() == MapType::StructOps {
                let value = map.initial_value_mut().ok_or_else(|| failed("name it", &"it has no value"))?;
                value[..16].fill(0);
                value[..name.len()].copy_from_slice(name.as_bytes());
            }
        }
        let mut object = open.load().map_err(|e| failed("load it", &e))?;
        let connections = id_of(&object, "hop_connections")?;
        let card = Card {
            name: name.to_owned(),
            owner: process::id(),
            mechanism,
            recording,
            connections,
            settings: settings.clone(),
        };
        find(&mut object, "hop_settings")?
            .update(&0_u32.to_ne_bytes(), &card.bytes(), MapFlags::ANY)
            .map_err(|e| failed("set its parameters", &e))?;
        let link = find(&mut object, "hop_ops")?.attach_struct_ops().map_err(|e| failed("register it", &e))?;
        Ok(Self { _link: link, object, name: name.to_owned() })
    }

    /// The kernel's name of it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What tells of every event from now on.
    ///
    /// # Errors
    /// If the kernel does not share its buffer.
    pub fn recorder<'a>(&'a self, mut hear: impl FnMut(Event) + 'a) -> Result<Recorder<'a>, Error> {
        let failed = |error| Error::Failed(format!("cannot read what {} reports: {error}", self.name));
        let Some(map) = self.object.maps().find(|map| map.name() == "hop_events") else {
            return Err(Error::Failed("the program of the algorithm reports nothing".to_owned()));
        };
        let mut builder = RingBufferBuilder::new();
        let each = move |bytes: &[u8]| {
            if bytes.len() >= SIZE {
                hear(Event::parse(bytes));
            }
            0
        };
        builder.add(&map, each).map_err(failed)?;
        builder.build().map(Recorder).map_err(failed)
    }
}

/// Hears what an algorithm tells.
#[derive(Debug)]
pub struct Recorder<'a>(RingBuffer<'a>);

impl Recorder<'_> {
    /// Waits for events, but not longer than this, and tells them.
    pub fn listen(&self, time: Duration) {
        let _ = self.0.poll(time);
    }
}

/// What the build made of a file in `bpf/`.
fn image(program: &str) -> &'static [u8] {
    match program {
        "slow" => include_bytes!(concat!(env!("OUT_DIR"), "/slow.o")),
        "cwl" => include_bytes!(concat!(env!("OUT_DIR"), "/cwl.o")),
        "westwood" => include_bytes!(concat!(env!("OUT_DIR"), "/westwood.o")),
        "veno" => include_bytes!(concat!(env!("OUT_DIR"), "/veno.o")),
        "vegas" => include_bytes!(concat!(env!("OUT_DIR"), "/vegas.o")),
        "welcome" => include_bytes!(concat!(env!("OUT_DIR"), "/welcome.o")),
        _ => &[],
    }
}

fn find<'a>(object: &'a mut Object, name: &str) -> Result<MapMut<'a>, Error> {
    let missing = || Error::Failed(format!("the program of the algorithm has no map {name}"));
    object.maps_mut().find(|map| map.name() == name).ok_or_else(missing)
}

/// The kernel's number of a map, by which others find it.
fn id_of(object: &Object, name: &str) -> Result<u32, Error> {
    let map = object.maps().find(|map| map.name() == name);
    let info = map.and_then(|map| libbpf_rs::MapInfo::new(map.as_fd()).ok());
    info.map(|info| info.info.id)
        .ok_or_else(|| Error::Failed(format!("the program of the algorithm has no map {name}")))
}

/// The kernel's names have 15 characters of these (`bpf_obj_name_cpy`); ours are told from its own by how they begin.
fn check_name(name: &str) -> Result<(), Error> {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    if name.len() > 15 || !name.starts_with("hop_") || name.len() == 4 || !name.chars().all(is_fine) {
        let rule = "'hop_' and 1 to 11 letters, digits, '_' or '.'";
        return Err(Error::Input(format!("name '{name}': {rule}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_ours() {
        for name in ["cubic", "hop_", "hop_a_name_of_17_", "hop_a b", "hop_sca-25", "hop_\u{e9}"] {
            assert!(check_name(name).unwrap_err().to_string().starts_with(&format!("name '{name}'")), "{name}");
        }
        assert_eq!(check_name("hop_sca.25"), Ok(()));
    }
}
