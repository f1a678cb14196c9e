//! How connections begin: asked for by us, or by a stranger.
//!
//! Spec      RFC 9293 §3.10.1 (OPEN), §3.10.7.2 (a SYN at a listening port), §3.6.1 (TIME-WAIT given up early)
//! Deviates  where there is no room, the oldest connection in TIME-WAIT goes
//! Holds     never more than `max_connections`, and no new ones beyond `max_buffered_bytes`

use hopwright_machine::{Machine, Time};
use hopwright_transport::{self as transport, Connection, Role};
use hopwright_wire::tcp::{Flags, Segment, Seq};

use crate::host::{ConnectError, Host};
use crate::table::{Endpoint, Handle, Stage, Tuple};

impl Host {
    pub(crate) fn open_actively(&mut self, now: Time, remote: Endpoint) -> Result<Handle, ConnectError> {
        if !self.config.is_plausible_source(remote.address) || remote.port == 0 {
            return Err(ConnectError::Address);
        }
        if !self.make_room() {
            return Err(ConnectError::TooMany);
        }
        let table = &self.table;
        let local_port = self
            .secrets
            .port(remote, |local_port| table.find(&Tuple { local_port, remote }).is_none())
            .ok_or(ConnectError::NoPort)?;
        let tuple = Tuple { local_port, remote };
        let iss = self.secrets.isn(now, &tuple);
        let connection = self.new_connection(Role::Active, &tuple, iss);
        let index = self.table.insert(tuple, connection, iss, Stage::Connecting);
        self.drive(index, now, transport::Input::Open);
        self.table.at(index).map(|entry| entry.handle).ok_or(ConnectError::TooMany)
    }

    /// A segment that belongs to no connection.
    pub(crate) fn on_stray(&mut self, now: Time, tuple: Tuple, segment: &Segment, data: &[u8]) {
        let flags = segment.flags;
        if flags.has(Flags::RST) {
            return;
        }
        if let Some(listener) = self.listeners.get(&tuple.local_port) {
            let is_request = flags.has(Flags::SYN) && !flags.has(Flags::ACK) && !flags.has(Flags::FIN);
            let may_redeem = flags.has(Flags::ACK) && !flags.has(Flags::SYN) && listener.takes_cookies(now);
            if is_request {
                return self.on_request(now, tuple, segment, None);
            }
            if may_redeem && self.redeem_cookie(now, tuple, segment, data) {
                return;
            }
        }
        self.refuse(now, &tuple, segment);
    }

    /// `least`: the connection may not start below this number.
    pub(crate) fn on_request(&mut self, now: Time, tuple: Tuple, syn: &Segment, least: Option<Seq>) {
        if !self.make_room() {
            self.statistics.requests_dropped += 1;
            return;
        }
        let Some(listener) = self.listeners.get_mut(&tuple.local_port) else { return };
        if !listener.has_room() {
            return self.answer_with_cookie(now, &tuple, syn);
        }
        listener.on_half_open();
        let usual = self.secrets.isn(now, &tuple);
        let iss = least.map_or(usual, |least| usual.max(least));
        let mut connection = self.new_connection(Role::Passive, &tuple, iss);
        connection.handle(now, transport::Input::Open);
        let index = self.table.insert(tuple, connection, iss, Stage::HalfOpen);
        self.drive(index, now, transport::Input::Segment { segment: syn, data: &[] });
    }

    pub(crate) fn new_connection(&self, role: Role, tuple: &Tuple, iss: Seq) -> Connection {
        let (recipe, params) = (&self.config.recipe, &self.config.params);
        let connection = Connection::new(recipe, params, role, tuple.local_port, tuple.remote.port, iss);
        connection.with_timestamp_offset(self.secrets.timestamp_offset(tuple))
    }

    /// Whether there is room for another connection, made if need be.
    pub(crate) fn make_room(&mut self) -> bool {
        if self.is_crowded() {
            return false;
        }
        while self.table.len() >= self.config.max_connections {
            let Some(handle) = self.time_waits.pop_front() else { return false };
            if let Some(index) = self.table.place(handle) {
                self.statistics.time_waits_recycled += 1;
                self.cut_wait_short(index);
            }
        }
        true
    }
}
