//! What somebody outside says to the network while it runs, one JSON object a line.
//!
//! Spec      RFC 8259; the verbs of `[[events]]` in scenario files, without `at_s`
//! Holds     a command that is carried out is read back from its own text as the same command

use hopwright_machine::NodeId;
use hopwright_mobility::Position;
use hopwright_scenario::{LiveLinks, how_many};
use hopwright_sim::Simulation;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Places farther away are a mistake, metres. They are for scenario files, too.
const FARTHEST_M: f64 = 1e6;

/// What is to be done to the network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Command {
    /// The node is here now, and stays: a position as a receiver of GPS reports it.
    Place {
        /// The node.
        node: u32,
        /// `[x, y]`, metres.
        at_m: [f64; 2],
    },
    /// The node sets out for a place, from wherever it is, and stays there.
    Move {
        /// The node.
        node: u32,
        /// `[x, y]`, metres.
        to_m: [f64; 2],
        /// How fast, m/s.
        speed_mps: f64,
    },
    /// The node goes down: its radio is off.
    Down {
        /// The node.
        node: u32,
    },
    /// The node comes up again.
    Up {
        /// The node.
        node: u32,
    },
    /// Mechanisms of a simulated flow are replaced.
    Swap {
        /// The flow's place in the scenario, from 0.
        flow: usize,
        /// Slots, and what is to fill them.
        set: BTreeMap<String, String>,
    },
    /// A link becomes another one.
    Reshape {
        /// The link's place in the scenario, from 0.
        link: usize,
        /// Keys of `[[links.changes]]`, and their values; what they do not say stays.
        set: Map<String, Value>,
    },
}

/// Something that is said on the control socket.
#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// To be done, and kept in the recording.
    Do(Command),
    /// How things stand.
    Status,
    /// The emulation ends.
    Stop,
}

impl Order {
    /// Reads a line.
    ///
    /// # Errors
    /// If it is no JSON object, or says nothing that is known here; with what would be right.
    pub fn parse(line: &str) -> Result<Self, String> {
        let value: serde_json::Value = serde_json::from_str(line).map_err(|error| format!("not JSON: {error}"))?;
        let Some(object) = value.as_object() else {
            return Err("expected an object such as {\"do\": \"down\", \"node\": 3}".to_owned());
        };
        match object.get("do").and_then(serde_json::Value::as_str) {
            Some("status") if object.len() == 1 => Ok(Self::Status),
            Some("stop") if object.len() == 1 => Ok(Self::Stop),
            Some(order @ ("status" | "stop")) => {
                let other = object.keys().find(|key| *key != "do").map_or("", String::as_str);
                Err(format!("unknown field `{other}`: \"{order}\" has no other fields"))
            }
            Some(_) => {
                let refused = |error: serde_json::Error| match error.to_string() {
                    said if said.starts_with("unknown variant") => format!("{said}, `status`, `stop`"),
                    said => said,
                };
                serde_json::from_value(value).map(Self::Do).map_err(refused)
            }
            None => Err("\"do\" is missing: place, move, down, up, swap, reshape, status or stop".to_owned()),
        }
    }
}

impl Command {
    /// Does it, now.
    ///
    /// # Errors
    /// If the network has no such node or flow, or cannot be changed like this. Then nothing has changed.
    pub(crate) fn carry_out(&self, simulation: &mut Simulation<'_>, links: &mut LiveLinks) -> Result<(), String> {
        match self {
            Self::Place { node, at_m } => {
                let node = self::node(simulation, *node)?;
                simulation.place(node, place(*at_m)?).map_err(|error| error.to_string())
            }
            Self::Move { node, to_m, speed_mps } => {
                let node = self::node(simulation, *node)?;
                if !speed_mps.is_finite() || *speed_mps <= 0.0 {
                    return Err(format!("speed_mps: {speed_mps} is not above 0"));
                }
                simulation.travel(node, place(*to_m)?, *speed_mps).map_err(|error| error.to_string())
            }
            Self::Down { node } => {
                let node = self::node(simulation, *node)?;
                simulation.switch(node, false).map_err(|error| error.to_string())
            }
            Self::Up { node } => {
                let node = self::node(simulation, *node)?;
                simulation.switch(node, true).map_err(|error| error.to_string())
            }
            Self::Swap { flow, set } => {
                let flows = simulation.setup().flows.len();
                if *flow >= flows {
                    return Err(format!("flow: there is no flow {flow}: {}", how_many(flows, "flow")));
                }
                if simulation.mechanisms(*flow).next().is_none() {
                    return Err(format!("flow {flow} has no mechanisms"));
                }
                let parts: Vec<_> = set.iter().map(|(slot, part)| (slot.as_str(), part.as_str())).collect();
                simulation.swap(*flow, &parts).map(drop).map_err(|error| error.to_string())
            }
            Self::Reshape { link, set } => {
                let change = links.reshape(simulation.now(), *link, set)?;
                simulation.reshape(*link, &change).map_err(|error| error.to_string())
            }
        }
    }
}

fn node(simulation: &Simulation<'_>, number: u32) -> Result<NodeId, String> {
    let nodes = simulation.setup().nodes.len();
    if (number as usize) < nodes {
        Ok(NodeId(number))
    } else {
        Err(format!("node: there is no node {number}: {}", how_many(nodes, "node")))
    }
}

fn place([x_m, y_m]: [f64; 2]) -> Result<Position, String> {
    if [x_m, y_m].iter().all(|m| m.abs() <= FARTHEST_M) {
        Ok(Position::new(x_m, y_m))
    } else {
        Err(format!("[{x_m}, {y_m}] is too far away: at most {FARTHEST_M} m"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_refused_with_what_would_be_right() {
        let read = |line: &str| Order::parse(line);
        let down = Command::Down { node: 3 };
        assert_eq!(read(r#"{"do": "down", "node": 3}"#), Ok(Order::Do(down.clone())));
        assert_eq!(serde_json::to_string(&down).unwrap(), r#"{"do":"down","node":3}"#);
        let moves = r#"{"do": "move", "node": 0, "to_m": [1.5, -2], "speed_mps": 5}"#;
        assert_eq!(read(moves), Ok(Order::Do(Command::Move { node: 0, to_m: [1.5, -2.0], speed_mps: 5.0 })));
        assert_eq!(read(r#"{"do": "status"}"#), Ok(Order::Status));
        assert_eq!(read(r#"{"do": "stop"}"#), Ok(Order::Stop));
        let said = |line: &str| read(line).unwrap_err();
        assert!(said("hello").starts_with("not JSON"));
        assert!(said("[1]").contains("expected an object"));
        assert!(said("{}").contains("\"do\" is missing"));
        let line = r#"{"do":"reshape","link":1,"set":{"delay_ms":20.1,"reverse":{"loss_percent":1}}}"#;
        let Ok(Order::Do(reshape)) = read(line) else { panic!("{:?}", read(line)) };
        assert_eq!(serde_json::to_string(&reshape).unwrap(), line);
        assert!(said(r#"{"do": "fly"}"#).ends_with("`reshape`, `status`, `stop`"), "{}", said(r#"{"do": "fly"}"#));
        assert!(said(r#"{"do": "down"}"#).contains("missing field `node`"));
        assert!(said(r#"{"do": "down", "node": 1, "at_s": 3}"#).contains("unknown field `at_s`"));
    }
}
