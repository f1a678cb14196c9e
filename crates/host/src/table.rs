//! The connections of a host, by four-tuple and by handle.
//!
//! Spec      RFC 9293 §3.3.1 (a connection is a pair of sockets)
//! Deviates  nothing
//! Holds     a handle finds its own connection or none, never a later one in the same place; nobody can make
//!           the search slow by choosing ports, for the tree is balanced

use std::collections::BTreeMap;

use hopwright_machine::Time;
use hopwright_transport::{Connection, Output};
use hopwright_wire::tcp::Seq;

use crate::identity::{Endpoint, Handle, Tuple};
use crate::patience::Patience;
use crate::spare::Spare;
use crate::statistics::Counted;

/// A connection and what the host knows about it.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) handle: Handle,
    pub(crate) tuple: Tuple,
    pub(crate) connection: Connection,
    /// Its initial sequence number.
    pub(crate) iss: Seq,
    /// What `Deadlines` has for it.
    pub(crate) registered: Time,
    /// An output taken from the connection to look at, and not yet handed on.
    pub(crate) peeked: Option<Output>,
    /// The newest acknowledgement that left.
    pub(crate) acked: Seq,
    pub(crate) stage: Stage,
    pub(crate) patience: Patience,
    pub(crate) spare: Spare,
    /// What of its counters and of its memory is in the host's totals.
    pub(crate) counted: Counted,
    pub(crate) buffered: u64,
    /// Whether its outputs will be collected.
    pub(crate) is_dirty: bool,
    /// Whether its application waits for room.
    pub(crate) wants_room: bool,
    /// Whether its application has closed both directions, and reads no more.
    pub(crate) is_deaf: bool,
    /// Whether its application knows that both ends have finished.
    pub(crate) is_told_closed: bool,
}

/// How far a connection has come, for the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// A stranger asked for it; nobody has been told.
    HalfOpen,
    /// We asked for it.
    Connecting,
    /// Its application knows it as open.
    Open,
    /// It waits for stray segments.
    TimeWait,
}

/// See the file's header.
#[derive(Debug, Default)]
pub(crate) struct Table {
    by_tuple: BTreeMap<Tuple, u32>,
    /// Boxed: places are many and most are empty after a rush.
    places: Vec<Option<Box<Entry>>>,
    /// The generation that the next connection in a place gets.
    generations: Vec<u32>,
    free: Vec<u32>,
}

impl Table {
    pub(crate) fn len(&self) -> usize {
        self.by_tuple.len()
    }

    pub(crate) fn find(&self, tuple: &Tuple) -> Option<u32> {
        self.by_tuple.get(tuple).copied()
    }

    /// The place of a connection, if the handle is still good.
    pub(crate) fn place(&self, handle: Handle) -> Option<u32> {
        self.at(handle.index).filter(|entry| entry.handle == handle).map(|_| handle.index)
    }

    pub(crate) fn at(&self, index: u32) -> Option<&Entry> {
        self.places.get(index as usize)?.as_deref()
    }

    pub(crate) fn at_mut(&mut self, index: u32) -> Option<&mut Entry> {
        self.places.get_mut(index as usize)?.as_deref_mut()
    }

    /// Every connection, by place.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.places.iter().filter_map(|place| place.as_deref())
    }

    /// The places of the connections with an address at a port of ours: first those with the ports from this one on.
    pub(crate) fn beside(&self, tuple: &Tuple, port: u16) -> impl Iterator<Item = u32> {
        let at = |port| Tuple { remote: Endpoint { port, ..tuple.remote }, ..*tuple };
        let later = self.by_tuple.range(at(port)..=at(u16::MAX));
        later.chain(self.by_tuple.range(at(0)..at(port))).map(|(_, &index)| index)
    }

    /// Places of connections, first those from this one on.
    pub(crate) fn all_after(&self, place: u32) -> impl Iterator<Item = u32> {
        let all = self.places.len() as u32;
        let place = place.min(all);
        (place..all).chain(0..place).filter(|&index| self.at(index).is_some())
    }

    pub(crate) fn insert(
        &mut self,
        tuple: Tuple,
        connection: Connection,
        iss: Seq,
        stage: Stage,
        patience: Patience,
    ) -> u32 {
        let index = self.free.pop().unwrap_or_else(|| {
            self.places.push(None);
            self.generations.push(0);
            (self.places.len() - 1) as u32
        });
        let handle = Handle { index, generation: self.generations[index as usize] };
        let entry = Entry {
            handle,
            tuple,
            connection,
            iss,
            registered: Time::NEVER,
            peeked: None,
            acked: Seq(0),
            stage,
            patience,
            spare: Spare::NONE,
            counted: Counted::default(),
            buffered: 0,
            is_dirty: false,
            wants_room: false,
            is_deaf: false,
            is_told_closed: false,
        };
        let former = self.by_tuple.insert(tuple, index);
        assert!(former.is_none(), "two connections with the same ends");
        self.places[index as usize] = Some(Box::new(entry));
        index
    }

    pub(crate) fn remove(&mut self, index: u32) -> Option<Box<Entry>> {
        let entry = self.places.get_mut(index as usize)?.take()?;
        self.by_tuple.remove(&entry.tuple);
        self.generations[index as usize] = entry.handle.generation.wrapping_add(1);
        self.free.push(index);
        Some(entry)
    }
}
