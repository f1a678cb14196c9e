//! Hosts in virtual time: packets are bytes, the network is a queue.

mod net;
mod strangers;
mod transfers;
