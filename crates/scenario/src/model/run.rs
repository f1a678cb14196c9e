//! The keys at the top of the file.

use super::limit::{LARGEST, LONGEST_S, Limit, SHORTEST_S, from};
use schemars::JsonSchema;
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};

/// The keys at the top of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// The name of the scenario, for its results. It is also part of the name of the default output folder. Default:
    /// the name of the file, without its ending.
    #[serde(default = "default_name")]
    #[schemars(transform = without_default)]
    pub name: String,
    /// The set of default values: those of the standards, or those of ns-2.35.
    #[serde(default)]
    pub profile: Profile,
    /// Simulated time, seconds.
    pub duration_s: f64,
    /// Seed of every random draw.
    #[serde(default = "default_seed", deserialize_with = "number_of_toml")]
    pub seed: u64,
    /// Length of the warm-up, seconds. Measurements start when the warm-up ends.
    #[serde(default)]
    pub warm_up_s: f64,
}

/// What its numbers may be.
pub(super) const LIMITS: &[Limit] =
    &[from("duration_s", SHORTEST_S, LONGEST_S), from("seed", 0.0, LARGEST), from("warm_up_s", 0.0, LONGEST_S)];

/// Which set of defaults holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Defaults are as the standards and RFCs say.
    #[default]
    Standard,
    /// Defaults are as in ns-2.35.
    Ns2,
}

/// What holds if nothing is said depends on more than the key.
fn without_default(schema: &mut schemars::Schema) {
    schema.remove("default");
}

/// Of a text that is no file's.
fn default_name() -> String {
    "scenario".to_owned()
}

const fn default_seed() -> u64 {
    1
}

/// A count that can be printed again: TOML's integers have a sign.
pub(super) fn number_of_toml<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let n = u64::deserialize(deserializer)?;
    match i64::try_from(n) {
        Ok(_) => Ok(n),
        Err(_) => Err(D::Error::invalid_value(Unexpected::Unsigned(n), &"u64")),
    }
}
