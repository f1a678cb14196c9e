//! Whether a node waits for something that is over: a fault of the program, which debug builds look for.

use hopwright_link::Mac;
use hopwright_machine::{Machine as _, Time};
use hopwright_wire::Packet;

use super::Node;
use crate::endpoint::Endpoint;

impl<M: Mac<Packet>> Node<M> {
    /// The machine in it, if there is one, that waits for a time that has passed.
    pub(crate) fn late(&self, now: Time) -> Option<(&'static str, Time)> {
        let sockets = self.sockets.iter().map(Endpoint::deadline).min();
        let machines = [
            ("a transport or an application", sockets),
            ("the router", Some(self.router.deadline())),
            ("flooding", self.smf.as_ref().map(|smf| smf.deadline())),
            ("address resolution", self.arp.as_ref().map(|arp| arp.deadline())),
            ("the way up", Some(self.up.deadline())),
            ("the way down", Some(self.down.deadline())),
            ("the station", Some(self.station.deadline())),
        ];
        machines.into_iter().find_map(|(machine, at)| at.filter(|&at| at < now).map(|at| (machine, at)))
    }
}
