//! All tests in one program: each program of its own would be linked with everything again.

mod air;
mod bundles;
mod errors;
mod flow_time;
mod frames;
mod lineage;
mod medium_use;
mod ns2;
mod opaque;
mod pcapng;
mod programs;
mod progress;
mod series;
#[path = "../../sim/tests/support/mod.rs"]
mod support;
#[path = "../../sim/tests/support/worlds.rs"]
mod worlds;
