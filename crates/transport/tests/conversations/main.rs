//! Every state machine, packet in and packet out.

mod attacks;
mod closing;
mod connection;
mod differentiation;
mod growth;
mod losses;
mod ns2;
mod path;
mod rebuilding;
mod receiving;
mod scaling;
mod selective;
mod silence;
mod timer;
mod timestamps;
mod windows;
