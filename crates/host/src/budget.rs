//! How many bytes a connection may be given to send.
//!
//! Spec      RFC 9293 §3.9.1 (SEND: what is taken is the host's choice); Choudhury and Hahne 1998 (dynamic thresholds:
//!           nobody keeps more than a part of what is still free)
//! Deviates  nothing
//! Holds     the buffer of a connection grows with what its peer takes; neither an address nor one of its connections
//!           is given more than a part of what is still free; a connection that keeps nothing always gets two segments
//!
//! Thresholds leave room for newcomers without anybody being told to give back what he has. But who takes nothing gives
//! nothing back: where others have to wait for that, he goes (`admission.rs`).

use hopwright_machine::{Address, Time};

use crate::host::Host;
use crate::table::Entry;

/// Everybody may have one part in so many of what is free.
const PART: u64 = 8;

impl Host {
    /// How many bytes a connection may be given now.
    pub(crate) fn room_of(&self, entry: &Entry) -> u64 {
        let backlog = entry.connection.backlog();
        let room = self.send_limit(entry).saturating_sub(backlog).min(self.left_for(entry));
        let least = if backlog == 0 { 2 * u64::from(entry.connection.public().mss) } else { 0 };
        room.max(least.min(self.config.send_buffer_bytes))
    }

    /// Whether a connection whose peer takes what it gets has to wait for memory that others keep.
    pub(crate) fn is_starved(&self, now: Time, entry: &Entry) -> bool {
        let least = self.config.first_send_buffer_bytes;
        let is_short = entry.connection.backlog() < least && self.left_for(entry) < least / 2;
        is_short && !entry.patience.is_thin(now)
    }

    /// Whether so much room has come free that an application which waits for it should hear of it.
    pub(crate) fn has_room(&self, entry: &Entry) -> bool {
        entry.connection.backlog() <= self.send_limit(entry) / 2 && self.room_of(entry) > 0
    }

    /// The buffer of a connection, for now: two windows, one that is on its way and one to be sent next. What the peer
    /// does not offer to take is no window.
    fn send_limit(&self, entry: &Entry) -> u64 {
        let (least, most) = (self.config.first_send_buffer_bytes, self.config.send_buffer_bytes);
        let p = entry.connection.public();
        let window = (p.cwnd as u64).min(p.offer);
        window.saturating_mul(2).max(least).min(most)
    }

    /// How much more memory a connection may take.
    fn left_for(&self, entry: &Entry) -> u64 {
        let of_address = self.config.max_buffered_bytes_per_address.min(self.free() / PART);
        let left = of_address.saturating_sub(self.shares.of(entry.tuple.remote.address).buffered);
        (left / PART).saturating_sub(entry.buffered).min(left)
    }

    const fn free(&self) -> u64 {
        self.config.max_buffered_bytes.saturating_sub(self.shares.buffered)
    }

    /// Whether the connections with an address keep more than they may: then nothing is kept beyond gaps.
    pub(crate) fn keeps_too_much(&self, address: Address) -> bool {
        self.shares.of(address).buffered > self.config.max_buffered_bytes_per_address.min(self.free())
    }

    /// Whether all connections keep as many bytes as they may.
    pub(crate) const fn is_crowded(&self) -> bool {
        self.shares.buffered >= self.config.max_buffered_bytes
    }
}
