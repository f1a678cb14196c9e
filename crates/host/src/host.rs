//! The host: what its applications call, and how its connections are driven.
//!
//! Spec      RFC 9293 §3.9 (the calls: OPEN, SEND, RECEIVE, CLOSE, ABORT), §3.6.1 (half-closed or closed whole)
//! Deviates  one local address, one protocol for all connections
//! Holds     idle connections cost nothing; whatever strangers send, memory stays bounded

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use hopwright_machine::{Address, Machine, Time};
use hopwright_transport::{self as transport, Connection, Data, Public, State};

use crate::config::Config;
use crate::deadlines::Deadlines;
use crate::events::{Event, EventKind, Input, Output};
use crate::identification::Identifications;
use crate::identity::{Endpoint, Handle};
use crate::limits::Limits;
use crate::listener::Listener;
use crate::secrets::Secrets;
use crate::shares::Shares;
use crate::statistics::Statistics;
use crate::table::{Stage, Table};
use crate::work::Work;

/// One IPv4 address and its connections. See the crate's documentation.
#[derive(Debug)]
pub struct Host {
    pub(crate) config: Config,
    pub(crate) secrets: Secrets,
    pub(crate) table: Table,
    pub(crate) deadlines: Deadlines,
    pub(crate) listeners: BTreeMap<u16, Listener>,
    /// Events, and packets that belong to no connection.
    pub(crate) ready: VecDeque<Output>,
    /// Places of connections with outputs.
    pub(crate) dirty: VecDeque<u32>,
    /// Connections in TIME-WAIT, oldest first, and perhaps some that are gone.
    pub(crate) time_waits: VecDeque<Handle>,
    pub(crate) resets: Limits,
    pub(crate) echoes: Limits,
    pub(crate) identifications: Identifications,
    pub(crate) shares: Shares,
    /// The place after the last one that was looked at for one to displace.
    pub(crate) looked_at: u32,
    pub(crate) statistics: Statistics,
    /// Places whose time has come; kept for its memory.
    pub(crate) due: Vec<u32>,
    /// What connections compute, where it is measured.
    pub(crate) work: Option<Work>,
}

/// Why a port cannot be listened at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ListenError {
    /// It is already.
    InUse,
}

/// Why a connection cannot be asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConnectError {
    /// No host has this address, or it is our own.
    Address,
    /// All ephemeral ports are in use with this peer.
    NoPort,
    /// There are as many connections as there may be, or they keep as many bytes as they may.
    TooMany,
}

impl fmt::Display for ListenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("another listener already has this port")
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Address => "no host can be reached at this address",
            Self::NoPort => "all ports are in use",
            Self::TooMany => "too many connections",
        })
    }
}

impl std::error::Error for ListenError {}
impl std::error::Error for ConnectError {}

impl Host {
    /// A host without connections.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            secrets: Secrets::new(config.secret),
            work: config.stopwatch.map(Work::new),
            config,
            table: Table::default(),
            deadlines: Deadlines::default(),
            listeners: BTreeMap::new(),
            ready: VecDeque::new(),
            dirty: VecDeque::new(),
            time_waits: VecDeque::new(),
            resets: Limits::new(0),
            echoes: Limits::new(1),
            identifications: Identifications::default(),
            shares: Shares::default(),
            looked_at: 0,
            statistics: Statistics::default(),
            due: Vec::new(),
        }
    }

    /// Welcomes connections at a port, keeping up to `backlog` half-open ones; beyond that, cookies.
    ///
    /// # Errors
    /// If somebody listens there already.
    pub fn listen(&mut self, port: u16, backlog: usize) -> Result<(), ListenError> {
        if self.listeners.contains_key(&port) {
            return Err(ListenError::InUse);
        }
        self.listeners.insert(port, Listener::new(backlog));
        Ok(())
    }

    /// Welcomes no more connections at a port. Those that are there stay.
    pub fn unlisten(&mut self, port: u16) {
        self.listeners.remove(&port);
    }

    /// Asks a peer for a connection. Bytes may be written at once.
    ///
    /// # Errors
    /// If there is no such peer, or no room.
    pub fn connect(&mut self, now: Time, remote: Endpoint) -> Result<Handle, ConnectError> {
        self.open_actively(now, remote)
    }

    /// Writes as many of the bytes as there is room for, and says how many. If not all: `Writable` will come.
    pub fn write(&mut self, now: Time, handle: Handle, bytes: &[u8]) -> usize {
        let room = self.room(handle).min(bytes.len());
        if let Some(index) = self.table.place(handle) {
            if room > 0 {
                self.drive(index, now, transport::Input::Write(Data::Bytes(&bytes[..room])));
            }
            if room < bytes.len()
                && let Some(entry) = self.table.at_mut(index)
            {
                entry.wants_room = true;
            }
        }
        room
    }

    /// How many bytes can be written now.
    #[must_use]
    pub fn room(&self, handle: Handle) -> usize {
        let Some(entry) = self.table.place(handle).and_then(|index| self.table.at(index)) else { return 0 };
        self.room_of(entry) as usize
    }

    /// The bytes that arrived in order and were not yet taken, in up to two pieces.
    #[must_use]
    pub fn received(&self, handle: Handle) -> (&[u8], &[u8]) {
        self.connection(handle).map_or((&[], &[]), Connection::received)
    }

    /// Takes so many of the received bytes.
    pub fn read(&mut self, now: Time, handle: Handle, bytes: usize) {
        if let Some(index) = self.table.place(handle) {
            self.drive(index, now, transport::Input::Read(bytes as u32));
        }
    }

    /// The application has written everything; it still reads (RFC 9293 §3.6.1, half-closed).
    pub fn shutdown(&mut self, now: Time, handle: Handle) {
        if let Some(index) = self.table.place(handle) {
            self.drive(index, now, transport::Input::Close);
        }
    }

    /// The application has written everything and reads no more. If data lie unread, or come later, the peer gets a
    /// reset: they are lost (RFC 9293 §3.6.1, RFC 2525 §2.17). A peer that asked us, has everything and does not
    /// close its own end is forgotten after `Config::stall_timeout`.
    pub fn close(&mut self, now: Time, handle: Handle) {
        if let Some(index) = self.table.place(handle) {
            if let Some(entry) = self.table.at_mut(index) {
                entry.is_deaf = true;
            }
            self.drive(index, now, transport::Input::CloseBoth);
        }
    }

    /// Breaks a connection off; the peer is told.
    pub fn abort(&mut self, now: Time, handle: Handle) {
        if let Some(index) = self.table.place(handle) {
            if let Some(entry) = self.table.at_mut(index)
                && entry.stage == Stage::Connecting
            {
                entry.stage = Stage::Open; // that it ends is our own doing: nobody refused it
            }
            self.drive(index, now, transport::Input::Abort);
        }
    }

    /// Breaks every connection off.
    pub fn abort_all(&mut self, now: Time) {
        let handles: Vec<_> = self.table.iter().map(|entry| entry.handle).collect();
        for handle in handles {
            self.abort(now, handle);
        }
    }

    /// Whether something that was written, or the end behind it, is not acknowledged.
    #[must_use]
    pub fn is_owed(&self, handle: Handle) -> bool {
        self.connection(handle).is_some_and(Connection::is_owed)
    }

    /// Memory that the buffers of all connections with an address take, in bytes.
    #[must_use]
    pub fn buffered_bytes(&self, address: Address) -> u64 {
        self.shares.of(address).buffered
    }

    /// Who is at the other end.
    #[must_use]
    pub fn remote(&self, handle: Handle) -> Option<Endpoint> {
        Some(self.table.at(self.table.place(handle)?)?.tuple.remote)
    }

    /// The port at our end.
    #[must_use]
    pub fn local_port(&self, handle: Handle) -> Option<u16> {
        Some(self.table.at(self.table.place(handle)?)?.tuple.local_port)
    }

    /// The state of a connection (RFC 9293 §3.3.2).
    #[must_use]
    pub fn state(&self, handle: Handle) -> Option<State> {
        self.connection(handle).map(Connection::state)
    }

    /// Windows, estimates and counters of a connection.
    #[must_use]
    pub fn public(&self, handle: Handle) -> Option<&Public> {
        self.connection(handle).map(Connection::public)
    }

    /// How many connections are kept, half-open ones and those in TIME-WAIT among them.
    #[must_use]
    pub fn connection_count(&self) -> usize {
        self.table.len()
    }

    /// What was counted so far, of connections past and present.
    #[must_use]
    pub const fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// What connections past and present took to compute, if it is measured.
    #[must_use]
    pub const fn work(&self) -> Option<&Work> {
        self.work.as_ref()
    }

    fn connection(&self, handle: Handle) -> Option<&Connection> {
        Some(&self.table.at(self.table.place(handle)?)?.connection)
    }
}

impl Machine for Host {
    type Input<'a> = Input<'a>;
    type Output = Output;

    fn handle(&mut self, now: Time, input: Input<'_>) {
        match input {
            Input::Packet { bytes, is_verified, segment_bytes } => {
                self.on_packet(now, bytes, is_verified, segment_bytes);
            }
            Input::Wake => self.on_wake(now),
        }
    }

    fn poll(&mut self) -> Option<Output> {
        loop {
            if let Some(output) = self.ready.pop_front() {
                return Some(output);
            }
            let &index = self.dirty.front()?;
            if let Some(output) = self.collect(index) {
                return Some(output);
            }
            self.dirty.pop_front();
            let Some(entry) = self.table.at_mut(index) else { continue };
            entry.is_dirty = false;
            // Told after everything else: applications need not know about TIME-WAIT.
            if entry.stage == Stage::TimeWait && !entry.is_told_closed {
                entry.is_told_closed = true;
                return Some(Output::Event(Event { handle: entry.handle, kind: EventKind::Closed }));
            }
        }
    }

    fn deadline(&self) -> Time {
        self.deadlines.earliest()
    }
}
