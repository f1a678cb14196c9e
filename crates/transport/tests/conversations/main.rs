//! Every state machine, packet in and packet out.

mod connection;
mod growth;
mod losses;
mod ns2;
mod path;
mod receiving;
mod scaling;
mod script;
mod timer;
