//! Every state machine, packet in and packet out.

mod attacks;
mod closing;
mod connection;
mod differentiation;
mod ecn;
mod freezing;
mod growth;
mod limits;
mod losses;
mod ns2;
mod path;
mod rebuilding;
mod receiving;
mod route;
mod sack;
mod scaling;
mod selective;
mod silence;
mod slow;
mod spurious;
mod swapping;
mod thinning;
mod timer;
mod timestamps;
mod vegas;
mod windows;
