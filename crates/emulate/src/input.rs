//! What comes from outside.

use crate::command::Command;

/// A packet of a program, or a command.
#[derive(Clone, Debug, PartialEq)]
pub enum Input<'a> {
    /// A program sends a packet.
    Packet {
        /// Which of the attached programs.
        port: usize,
        /// The packet, from its IP header on; or the frame, from its Ethernet header on.
        bytes: &'a [u8],
    },
    /// Somebody changes the network.
    Command(&'a Command),
}
