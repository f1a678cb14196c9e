//! All tests in one program: each program of its own would be linked with everything again.

mod any_text;
mod asking;
mod atp;
mod bounds;
mod cases;
mod common;
mod defaults;
mod determinism;
mod draw;
mod drawn;
mod energy;
mod idle_keys;
mod idle_parameters;
mod links;
mod mac;
mod mistakes;
mod mobility;
mod policies;
mod proactive;
mod rates;
mod relays;
mod route_notices;
mod samples;
mod scenarios;
mod schema;
mod stepped;
