//! Floating-car data of SUMO: where each vehicle is at each time step, as XML.
//!
//! ```text
//! <fcd-export>
//!     <timestep time="0.00">
//!         <vehicle id="north.0" x="95.20" y="498.40" angle="180.00" speed="0.00" pos="1.60" lane="n_0"/>
//!     </timestep>
//! </fcd-export>
//! ```
//!
//! Spec      SUMO's `--fcd-output`: `timestep` with `time` in seconds, in it `vehicle` and `person` with `id` and
//!           with `x` and `y` in metres; other elements and attributes are of no interest here
//! Deviates  a height, `z`, is not read: nodes move in a plane
//! Holds     vehicles are nodes in the order of their first appearance; between time steps they go straight; until
//!           the first step that has a vehicle, and from the first that no longer has it, its node is down

use std::borrow::Cow;
use std::collections::BTreeMap;

use hopwright_machine::{NodeId, Time};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::line::{FARTHEST_M, LATEST_S, MovementError};
use crate::{Position, Switch, Trajectory, Waypoint};

/// What the data says of its vehicles and persons. The lists by node have the same length.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Vehicles {
    /// What each is called.
    pub names: Vec<String>,
    /// Where each is.
    pub nodes: Vec<Trajectory>,
    /// Who goes and comes, in order of time.
    pub switches: Vec<Switch>,
}

/// Reads the data.
///
/// # Errors
///
/// The first place that is not XML, or not such data.
pub fn parse(text: &str) -> Result<Vehicles, MovementError> {
    let mut reader = Reader::from_str(text);
    let mut data = Data { text, ..Data::default() };
    loop {
        let start = offset(reader.buffer_position());
        let event = reader.read_event().map_err(|error| {
            let at = offset(reader.error_position());
            data.error(at, format!("not XML: {error}"))
        })?;
        match event {
            Event::Start(tag) => data.open(start, &tag, true)?,
            Event::Empty(tag) => data.open(start, &tag, false)?,
            Event::End(tag) => {
                data.depth -= 1;
                if tag.name().as_ref() == "timestep" {
                    data.close();
                }
            }
            Event::Eof if data.depth > 0 => {
                return Err(data.error(text.len(), "the file is cut off: an element is not closed".into()));
            }
            Event::Eof => return data.finish(),
            _ => {}
        }
    }
}

/// A position of the reader. Texts are in memory, so it fits.
fn offset(position: u64) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

/// What has been read so far.
#[derive(Default)]
struct Data<'a> {
    text: &'a str,
    depth: usize,
    /// The time of the step that is being read, or was last.
    now: Option<Time>,
    in_step: bool,
    ids: BTreeMap<String, usize>,
    vehicles: Vec<Vehicle>,
    switches: Vec<Switch>,
}

/// A vehicle, and where it has been.
struct Vehicle {
    waypoints: Vec<Waypoint>,
    is_up: bool,
}

impl Data<'_> {
    /// What is wrong at a byte of the text.
    fn error(&self, at: usize, message: String) -> MovementError {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &self.text[..at];
        let line_start = before.rfind('\n').map_or(0, |n| n + 1);
        let (line, column) = (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1);
        MovementError { line, column, message }
    }

    fn open(&mut self, at: usize, tag: &BytesStart<'_>, has_content: bool) -> Result<(), MovementError> {
        let name = tag.name();
        match name.as_ref() {
            "timestep" => {
                if self.in_step {
                    return Err(self.error(at, "a timestep within a timestep".into()));
                }
                let (time, shown) = self.number(at, tag, "time", LATEST_S)?;
                let now = Time::from_secs_f64(time.max(0.0));
                if time < 0.0 {
                    return Err(self.error(at, format!("the time is {shown}: it must not be negative")));
                }
                if let Some(last) = self.now.filter(|&last| now <= last) {
                    let message = format!(
                        "time goes backwards: {shown} s after {} s; each step must be later",
                        last.as_secs_f64()
                    );
                    return Err(self.error(at, message));
                }
                self.now = Some(now);
                self.in_step = has_content;
                if !has_content {
                    self.close();
                }
            }
            "vehicle" | "person" => self.vehicle(at, tag)?,
            _ => {}
        }
        self.depth += usize::from(has_content);
        Ok(())
    }

    fn vehicle(&mut self, at: usize, tag: &BytesStart<'_>) -> Result<(), MovementError> {
        let Some(now) = self.now.filter(|_| self.in_step) else {
            return Err(self.error(at, "a vehicle outside of all timesteps: its time is not known".into()));
        };
        let id = self.attribute(at, tag, "id")?.into_owned();
        let (x_m, _) = self.number(at, tag, "x", FARTHEST_M)?;
        let (y_m, _) = self.number(at, tag, "y", FARTHEST_M)?;
        let waypoint = Waypoint { at: now, position: Position { x_m, y_m } };
        let known = self.ids.get(&id).copied();
        let index = known.unwrap_or(self.vehicles.len());
        let node = NodeId(index as u32);
        if known.is_none() {
            self.ids.insert(id, index);
            self.vehicles.push(Vehicle { waypoints: Vec::new(), is_up: true });
            if now > Time::ZERO {
                self.switches.push(Switch { at: Time::ZERO, node, up: false });
                self.switches.push(Switch { at: now, node, up: true });
            }
        } else if self.vehicles[index].waypoints.last().is_some_and(|last| last.at == now) {
            return Err(self.error(at, format!("vehicle '{id}' appears twice in one timestep")));
        }
        let vehicle = &mut self.vehicles[index];
        vehicle.waypoints.push(waypoint);
        if !vehicle.is_up {
            vehicle.is_up = true;
            self.switches.push(Switch { at: now, node, up: true });
        }
        Ok(())
    }

    /// A time step is over: who was not in it is gone.
    fn close(&mut self) {
        self.in_step = false;
        let Some(now) = self.now else { return };
        for (index, vehicle) in self.vehicles.iter_mut().enumerate() {
            if vehicle.is_up && vehicle.waypoints.last().is_some_and(|last| last.at < now) {
                vehicle.is_up = false;
                self.switches.push(Switch { at: now, node: NodeId(index as u32), up: false });
            }
        }
    }

    fn finish(mut self) -> Result<Vehicles, MovementError> {
        if self.vehicles.is_empty() {
            return Err(self.error(0, "no vehicle in this file: expected SUMO's <fcd-export>".into()));
        }
        self.switches.sort_by_key(|s| s.at); // stable
        let mut names = vec![String::new(); self.vehicles.len()];
        for (name, index) in self.ids {
            names[index] = name;
        }
        let nodes = self.vehicles.into_iter().map(|vehicle| Trajectory::through(straight(vehicle.waypoints)));
        Ok(Vehicles { names, nodes: nodes.collect(), switches: self.switches })
    }

    fn attribute<'t>(&self, at: usize, tag: &'t BytesStart<'_>, name: &str) -> Result<Cow<'t, str>, MovementError> {
        let element = tag.name();
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|error| self.error(at, format!("not XML: {error}")))?;
            if attribute.key.as_ref() == name {
                let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0);
                return value.map_err(|error| self.error(at, format!("{name}: not XML: {error}")));
            }
        }
        Err(self.error(at, format!("this {} has no {name}", element.as_ref())))
    }

    /// An attribute as a number, and as it is written.
    fn number<'t>(
        &self,
        at: usize,
        tag: &'t BytesStart<'_>,
        name: &str,
        most: f64,
    ) -> Result<(f64, Cow<'t, str>), MovementError> {
        let text = self.attribute(at, tag, name)?;
        match text.trim().parse::<f64>() {
            Ok(v) if v.is_finite() && v.abs() <= most => Ok((v, text)),
            Ok(_) => Err(self.error(at, format!("{name} is `{text}`: it must be a number within {most:e}"))),
            Err(_) => Err(self.error(at, format!("{name} is `{text}`: expected a number such as 12.5"))),
        }
    }
}

/// Without the waypoints between two others at which nothing changes: where a vehicle stands for long.
fn straight(waypoints: Vec<Waypoint>) -> Vec<Waypoint> {
    let mut kept: Vec<Waypoint> = Vec::with_capacity(waypoints.len());
    for waypoint in waypoints {
        if let [.., before, last] = kept.as_slice()
            && before.position == last.position
            && last.position == waypoint.position
        {
            kept.pop();
        }
        kept.push(waypoint);
    }
    kept
}
