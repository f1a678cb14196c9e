//! How connections begin: asked for by us, or by a stranger.
//!
//! Spec      RFC 9293 §3.10.1 (OPEN), §3.10.7.2 (a segment at a listening port)
//! Deviates  nothing
//! Holds     a request keeps memory here only while its port and its address have few that are half-open; what is no
//!           request, acknowledgement or reset is dropped at a listening port without a word

use hopwright_machine::{Machine, Time};
use hopwright_transport::{self as transport, Connection, Role};
use hopwright_wire::tcp::{Flags, Segment, Seq};

use crate::admission::Place;
use crate::host::{ConnectError, Host};
use crate::identity::{Endpoint, Handle, Tuple};
use crate::listener::Listener;
use crate::patience::Patience;
use crate::table::Stage;

impl Host {
    pub(crate) fn open_actively(&mut self, now: Time, remote: Endpoint) -> Result<Handle, ConnectError> {
        if !self.config.is_plausible_source(remote.address) || remote.port == 0 {
            return Err(ConnectError::Address);
        }
        let table = &self.table;
        let local_port = self
            .secrets
            .port(remote, |local_port| table.find(&Tuple { local_port, remote }).is_none())
            .ok_or(ConnectError::NoPort)?;
        let tuple = Tuple { local_port, remote };
        if !self.make_room(now, &tuple) {
            return Err(ConnectError::TooMany);
        }
        let iss = self.secrets.isn(now, &tuple);
        let connection = self.new_connection(Role::Active, &tuple, iss);
        let index = self.insert(tuple, connection, iss, Stage::Connecting);
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
            let may_redeem = !flags.has(Flags::SYN) && listener.takes_cookies(now);
            match (flags.has(Flags::ACK), flags.has(Flags::SYN)) {
                (false, true) => return self.on_request(now, tuple, segment, None),
                (false, false) => return, // whoever listens has said nothing that this could be about
                (true, _) if may_redeem && self.redeem_cookie(now, tuple, segment, data) => return,
                (true, _) => {}
            }
        }
        self.refuse(now, &tuple, segment);
    }

    /// `least`: the connection may not start below this number.
    pub(crate) fn on_request(&mut self, now: Time, tuple: Tuple, syn: &Segment, least: Option<Seq>) {
        match self.place_for(now, &tuple) {
            Place::Free if self.may_keep_half_open(&tuple) => {}
            // Whoever comes back with the cookie is there, and may have that place.
            Place::Free | Place::Of(_) => return self.answer_with_cookie(now, &tuple, syn),
            Place::None => return self.on_turned_away(&tuple),
        }
        let Some(listener) = self.listeners.get_mut(&tuple.local_port) else { return };
        listener.on_half_open();
        let usual = self.secrets.isn(now, &tuple);
        let iss = least.map_or(usual, |least| usual.max(least));
        let mut connection = self.new_connection(Role::Passive, &tuple, iss);
        connection.handle(now, transport::Input::Open);
        let index = self.insert(tuple, connection, iss, Stage::HalfOpen);
        self.drive(index, now, transport::Input::Segment { segment: syn, data: &[] });
    }

    /// Whether another half-open connection may be kept for this port and this address.
    pub(crate) fn may_keep_half_open(&self, tuple: &Tuple) -> bool {
        let has_room = self.listeners.get(&tuple.local_port).is_some_and(Listener::has_room);
        has_room && self.shares.of(tuple.remote.address).half_open < self.config.max_half_open_per_address
    }

    /// Takes a connection into the table.
    pub(crate) fn insert(&mut self, tuple: Tuple, connection: Connection, iss: Seq, stage: Stage) -> u32 {
        self.shares.change(tuple.remote.address, |share| {
            share.entries += 1;
            share.connections += 1;
            share.half_open += usize::from(stage == Stage::HalfOpen);
        });
        self.table.insert(tuple, connection, iss, stage, Patience::new(&self.config, stage == Stage::Connecting))
    }

    pub(crate) fn new_connection(&self, role: Role, tuple: &Tuple, iss: Seq) -> Connection {
        let (recipe, params) = (&self.config.recipe, &self.config.params);
        let connection = Connection::new(recipe, params, role, tuple.local_port, tuple.remote.port, iss);
        connection.with_timestamp_offset(self.secrets.timestamp_offset(tuple))
    }
}
