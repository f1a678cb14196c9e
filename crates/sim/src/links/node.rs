//! A node of a network of links.

use hopwright_machine::NodeId;
use hopwright_routing::Router;

use crate::endpoint::{Outside, Socket};
use crate::relay::Guard;
use crate::relay::split::Joint;

/// A node: what sits at it, and its router.
pub(super) struct Node {
    pub(super) id: NodeId,
    pub(super) sockets: Vec<Socket>,
    pub(super) router: Router,
    /// The relay that watches packets pass, if there is one.
    pub(super) guard: Option<Box<Guard>>,
    /// Where connections go over into others.
    pub(super) joints: Vec<Joint>,
    pub(super) packets: u64,
    /// Packets in the queues of its links.
    pub(super) queued: usize,
}

impl Node {
    /// The socket of a flow's end here.
    pub(super) fn end_of(&mut self, flow: usize) -> &mut Socket {
        let is_its_end = |socket: &&mut Socket| socket.end().is_some_and(|end| end.flow == flow);
        self.sockets.iter_mut().find(is_its_end).expect("one end of the flow is here")
    }

    pub(super) fn outside(&mut self) -> Option<&mut Outside> {
        self.sockets.iter_mut().find_map(|socket| match socket {
            Socket::Outside(outside) => Some(outside),
            _ => None,
        })
    }
}
