//! Hosts in virtual time: packets are bytes, the network is a queue.

mod hogs;
mod net;
mod strangers;
mod town;
mod transfers;
mod work;
