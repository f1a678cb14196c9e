//! Where nodes stand and how they move.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Links;
use super::limit::{Limit, SHORTEST_M, from};

/// Where the nodes stand. The variant is chosen by the key `kind`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Topology {
    /// Nodes in a row: `hops` + 1 of them.
    Chain(Chain),
    /// Nodes in rows and columns, numbered row by row.
    Grid(Grid),
    /// Two chains that cross in the middle.
    Cross(Cross),
    /// Node 0 in the middle, the other nodes on a circle around node 0.
    Star(Star),
    /// Nodes that shaped links connect, without a medium: see `[[links]]`.
    Links(Links),
    /// Nodes at random places, evenly distributed over the area.
    Random(Random),
    /// A list of positions.
    Positions(Positions),
    /// Positions and movements from an ns-2 movement file.
    Ns2(Ns2),
    /// Positions and movements from a two-dimensional file of BonnMotion (`.movements.gz`).
    #[serde(rename = "bonnmotion")]
    BonnMotion(BonnMotion),
    /// Positions and movements from floating-car data of SUMO. A node is down while its vehicle is absent.
    SumoFcd(SumoFcd),
}

/// What its numbers may be.
pub(super) const LIMITS: &[Limit] = &[
    from("hops", 1.0, 9_999.0),
    from("rows", 1.0, 10_000.0),
    from("columns", 1.0, 10_000.0),
    from("arm_hops", 1.0, 2_499.0),
    from("leaves", 1.0, 9_999.0),
    from("nodes", 2.0, 10_000.0),
    from("spacing_m", SHORTEST_M, 1e6),
    from("radius_m", SHORTEST_M, 1e6),
    from("list", -1e6, 1e6),
];

impl Topology {
    /// The values of `kind`.
    pub const KINDS: &[&str] =
        &["chain", "grid", "cross", "star", "links", "random", "positions", "ns2", "bonnmotion", "sumo-fcd"];

    /// The movement file that it names.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::Ns2(Ns2 { file }) | Self::BonnMotion(BonnMotion { file }) | Self::SumoFcd(SumoFcd { file }) => {
                Some(file)
            }
            _ => None,
        }
    }

    pub(crate) const fn file_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Ns2(Ns2 { file }) | Self::BonnMotion(BonnMotion { file }) | Self::SumoFcd(SumoFcd { file }) => {
                Some(file)
            }
            _ => None,
        }
    }
}

/// Nodes in a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Chain {
    /// Number of hops from the first node to the last.
    pub hops: u32,
    /// Distance between neighbours, metres.
    #[serde(default = "default_spacing_m")]
    pub spacing_m: f64,
}

/// Rows and columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// Number of rows.
    pub rows: u32,
    /// Number of columns.
    pub columns: u32,
    /// Distance between neighbours, metres.
    #[serde(default = "default_spacing_m")]
    pub spacing_m: f64,
}

/// Two chains that cross in the middle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cross {
    /// Hops from the middle to the end of each of the four arms.
    pub arm_hops: u32,
    /// Distance between neighbours, metres.
    #[serde(default = "default_spacing_m")]
    pub spacing_m: f64,
}

/// One node in the middle of a circle of others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Star {
    /// Number of nodes on the circle.
    pub leaves: u32,
    /// Radius of the circle, metres.
    #[serde(default = "default_spacing_m")]
    pub radius_m: f64,
}

/// Nodes at random places, evenly distributed over the area.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Random {
    /// Number of nodes.
    pub nodes: u32,
}

/// A list of positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Positions {
    /// The position of each node, `[x, y]`, metres.
    #[serde(deserialize_with = "super::place::places")]
    pub list: Vec<[f64; 2]>,
}

/// Positions and movements from an ns-2 movement file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ns2 {
    /// Path of the movement file, relative to the scenario file; gzip may have packed it. Nodes move in a plane, as the models
    /// of propagation know one height of all antennas: a file with heights is refused.
    pub file: String,
}

/// Positions and movements from a two-dimensional file of BonnMotion (`.movements.gz`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BonnMotion {
    /// Path of the movement file, relative to the scenario file; gzip may have packed it. Nodes move in a plane, as the models
    /// of propagation know one height of all antennas: a file with heights is refused.
    pub file: String,
}

/// Positions and movements from floating-car data of SUMO. A node is down while its vehicle is absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SumoFcd {
    /// Path of the file, relative to the scenario file; gzip may have packed it. Vehicles and persons are numbered from 0 in the
    /// order in which the file names them first; `hopwright check` lists numbers and names. `from`, `to` and `node` take the
    /// name in quotation marks as well as the number. Nodes move in a plane: heights (`z`) are left out.
    pub file: String,
}

/// The area in which nodes are placed at random and move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Area {
    /// Width of the area, in x, metres.
    pub width_m: f64,
    /// Height of the area, in y, metres.
    pub height_m: f64,
}

/// What its numbers may be.
pub(super) const AREA_LIMITS: &[Limit] = &[from("width_m", SHORTEST_M, 1e6), from("height_m", SHORTEST_M, 1e6)];

impl Default for Area {
    fn default() -> Self {
        Self { width_m: 1500.0, height_m: 300.0 }
    }
}

const fn default_spacing_m() -> f64 {
    200.0
}
