//! Who gets a place among the connections, and who loses his to somebody else.
//!
//! Spec      RFC 4987 §3 (bounds against floods), RFC 9293 §3.6.1 (TIME-WAIT given up early)
//! Deviates  where there is no place, the oldest connection in TIME-WAIT goes, and then one whose peer takes next to
//!           nothing (`patience.rs`)
//! Holds     never more than `max_connections`, nor more than `max_connections_per_address` with one address; only who
//!           has proven to be there takes another's place; whatever is asked, few connections are looked at

use hopwright_machine::{Machine, Time};
use hopwright_transport as transport;
use hopwright_wire::tcp::Flags;

use crate::events::{Event, EventKind, Output};
use crate::host::Host;
use crate::identity::Tuple;
use crate::outgoing::Outgoing;

/// How many connections are looked at for one to displace.
const LOOKS: usize = 16;

/// What there is for a new connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Free,
    /// That of the connection at this place in the table.
    Of(u32),
    None,
}

impl Host {
    /// What there is for a new connection. Connections in TIME-WAIT go, if need be.
    pub(crate) fn place_for(&mut self, now: Time, tuple: &Tuple) -> Place {
        let address = tuple.remote.address;
        if self.shares.of(address).connections >= self.config.max_connections_per_address {
            return self.idler_with(now, tuple);
        }
        while self.table.len() >= self.config.max_connections {
            let Some(handle) = self.time_waits.pop_front() else { return self.idler(now) };
            if let Some(index) = self.table.place(handle) {
                self.statistics.time_waits_recycled += 1;
                self.cut_wait_short(index);
            }
        }
        if self.is_crowded() { self.idler(now) } else { Place::Free }
    }

    /// Makes room for somebody who is there; false if there is none.
    pub(crate) fn make_room(&mut self, now: Time, tuple: &Tuple) -> bool {
        match self.place_for(now, tuple) {
            Place::Free => true,
            Place::Of(index) => {
                self.displace(now, index);
                true
            }
            Place::None => false,
        }
    }

    /// Where somebody has to wait for memory, one who takes next to nothing goes; false if there is none.
    pub(crate) fn make_free(&mut self, now: Time, tuple: &Tuple) -> bool {
        let share = self.shares.of(tuple.remote.address).buffered;
        let is_of_address = share >= self.config.max_buffered_bytes_per_address / 2;
        let place = if is_of_address { self.idler_with(now, tuple) } else { self.idler(now) };
        let Place::Of(index) = place else { return false };
        self.displace(now, index);
        true
    }

    fn displace(&mut self, now: Time, index: u32) {
        self.statistics.connections_displaced += 1;
        self.cut(now, index, EventKind::Displaced);
    }

    /// A request was dropped.
    pub(crate) fn on_turned_away(&mut self, tuple: &Tuple) {
        let share = self.shares.of(tuple.remote.address);
        let is_over = share.connections >= self.config.max_connections_per_address;
        self.statistics.requests_dropped += 1;
        self.statistics.requests_over_address += u64::from(is_over);
    }

    /// Breaks a connection off at once: its peer is told, and so is its application, why.
    pub(crate) fn cut(&mut self, now: Time, index: u32, kind: EventKind) {
        let Some(entry) = self.table.at_mut(index) else { return };
        let (handle, to) = (entry.handle, entry.tuple.remote.address);
        entry.connection.handle(now, transport::Input::Abort);
        let mut reset = None;
        while let Some(output) = entry.connection.poll() {
            if let transport::Output::Segment(segment) = output {
                reset = Some(segment).filter(|segment| segment.flags.has(Flags::RST));
            }
        }
        self.forget(index);
        self.ready.extend(reset.map(|segment| Output::Send(Outgoing::of_no_connection(to, segment))));
        self.ready.push_back(Output::Event(Event { handle, kind }));
    }

    /// One of the connections with an address at a port whose peer takes next to nothing, if a few looks find one.
    fn idler_with(&mut self, now: Time, tuple: &Tuple) -> Place {
        let from = self.shares.of(tuple.remote.address).looked_at;
        let places: Vec<u32> = self.table.beside(tuple, from).take(LOOKS).collect();
        let found = self.heaviest_of(now, &places);
        if found == Place::None
            && let Some(last) = places.last().and_then(|&index| self.table.at(index))
        {
            let next = last.tuple.remote.port.wrapping_add(1);
            self.shares.change(tuple.remote.address, |share| share.looked_at = next);
        }
        found
    }

    /// The same, of all connections.
    fn idler(&mut self, now: Time) -> Place {
        let places: Vec<u32> = self.table.all_after(self.looked_at).take(LOOKS).collect();
        let found = self.heaviest_of(now, &places);
        if found == Place::None {
            self.looked_at = places.last().map_or(0, |last| last + 1);
        }
        found
    }

    /// Of these, the one that keeps most, among those whose peers take next to nothing.
    fn heaviest_of(&self, now: Time, places: &[u32]) -> Place {
        let weight = |&index: &u32| {
            let entry = self.table.at(index)?;
            entry.patience.is_thin(now).then_some((entry.buffered, index))
        };
        places.iter().filter_map(weight).max().map_or(Place::None, |(_, index)| Place::Of(index))
    }
}
