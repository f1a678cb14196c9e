//! What the application wrote and the peer has not acknowledged.
//!
//! Spec      RFC 9293 §3.9.1 (SEND)
//! Deviates  nothing
//! Holds     counted bytes cost nothing but a counter

use std::collections::VecDeque;

use super::Data;

/// See the file's header. Positions are stream offsets; the first byte is at 1.
#[derive(Debug, Default)]
pub(super) struct SendBuffer {
    /// Bytes written so far.
    written: u64,
    /// The bytes themselves, if they are real, from position `base` on.
    bytes: VecDeque<u8>,
    base: u64,
    /// Whether everything was written: a FIN follows the last byte.
    pub(super) is_closed: bool,
}

impl SendBuffer {
    /// Appends. Real and counted bytes do not mix.
    pub(super) fn write(&mut self, data: Data<'_>) {
        match data {
            Data::Count(n) => {
                assert!(self.bytes.is_empty(), "counted bytes written after real ones");
                self.written = self.written.saturating_add(n).min(u64::MAX / 2);
                self.base = u64::MAX;
            }
            Data::Bytes(bytes) => {
                assert!(self.base != u64::MAX, "real bytes written after counted ones");
                self.base = self.base.max(1);
                self.bytes.extend(bytes);
                self.written += bytes.len() as u64;
            }
        }
    }

    /// The position after the last byte; the FIN's, if there is one.
    pub(super) const fn end(&self) -> u64 {
        self.written + 1
    }

    /// Whether anything remains to be sent from this position on, be it the FIN.
    pub(super) const fn has_beyond(&self, offset: u64) -> bool {
        offset < self.end() || (self.is_closed && offset == self.end())
    }

    /// Forgets what lies before this position.
    pub(super) fn acknowledge(&mut self, offset: u64) {
        if self.bytes.is_empty() {
            return;
        }
        let n = (offset.saturating_sub(self.base) as usize).min(self.bytes.len());
        self.bytes.drain(..n);
        self.base += n as u64;
    }

    /// Memory that the bytes take.
    pub(super) fn memory(&self) -> u64 {
        self.bytes.capacity() as u64
    }

    /// Whether it has much more room than bytes.
    pub(super) fn is_roomy(&self) -> bool {
        is_roomy(&self.bytes)
    }

    /// Gives back room that the bytes do not need.
    pub(super) fn give_back(&mut self) {
        give_back(&mut self.bytes);
    }

    /// Up to `len` bytes from this position on.
    pub(super) fn bytes(&self, offset: u64, len: u32) -> (&[u8], &[u8]) {
        if self.bytes.is_empty() || offset < self.base {
            return (&[], &[]);
        }
        let from = ((offset - self.base) as usize).min(self.bytes.len());
        let to = (from + len as usize).min(self.bytes.len());
        let (a, b) = self.bytes.as_slices();
        (&a[from.min(a.len())..to.min(a.len())], &b[from.saturating_sub(a.len())..to.saturating_sub(a.len())])
    }
}

/// Bytes of room that any buffer may keep, used or not.
const LEAST_ROOM: usize = 4096;

/// Whether a buffer has so much more room than bytes that some is worth giving back: one that held much once, and now
/// little, would keep it for as long as the connection lives.
pub(super) fn is_roomy(bytes: &VecDeque<u8>) -> bool {
    bytes.capacity() > LEAST_ROOM && bytes.len() < bytes.capacity() / 4
}

/// Gives back room of a roomy buffer; never so much that the next few bytes would need it again.
pub(super) fn give_back(bytes: &mut VecDeque<u8>) {
    if is_roomy(bytes) {
        bytes.shrink_to(2 * bytes.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_found_by_position_until_acknowledged() {
        let mut buffer = SendBuffer::default();
        buffer.write(Data::Bytes(b"hello "));
        buffer.write(Data::Bytes(b"world"));
        let read = |b: &SendBuffer, at, n| {
            let (x, y) = b.bytes(at, n);
            [x, y].concat()
        };
        assert_eq!(buffer.end(), 12);
        assert_eq!(read(&buffer, 1, 5), b"hello");
        buffer.acknowledge(7);
        assert_eq!(read(&buffer, 7, 100), b"world");
        assert_eq!(read(&buffer, 1, 5), b"");
        buffer.acknowledge(12);
        buffer.write(Data::Bytes(b"!"));
        assert_eq!(read(&buffer, 12, 1), b"!");
    }

    #[test]
    fn a_buffer_that_held_much_gives_back_what_it_does_not_need() {
        let mut buffer = SendBuffer::default();
        buffer.write(Data::Bytes(&[7; 1 << 20]));
        assert!(buffer.memory() >= 1 << 20 && !buffer.is_roomy());
        buffer.acknowledge(1 + (1 << 20) - 10_000);
        assert!(buffer.memory() >= 1 << 20 && buffer.is_roomy());
        buffer.give_back();
        assert!((10_000..=40_000).contains(&buffer.memory()), "{}", buffer.memory());
        assert!(!buffer.is_roomy());
        assert_eq!(buffer.bytes(1 + (1 << 20) - 10_000, 20_000).0.len(), 10_000);
        buffer.acknowledge(1 + (1 << 20));
        buffer.give_back();
        assert!(buffer.memory() <= LEAST_ROOM as u64, "{}", buffer.memory());
    }

    #[test]
    fn the_fin_comes_after_the_last_byte() {
        let mut buffer = SendBuffer::default();
        buffer.write(Data::Count(u64::MAX / 2));
        buffer.write(Data::Count(u64::MAX / 2));
        assert!(buffer.has_beyond(u64::MAX / 2));
        let mut buffer = SendBuffer::default();
        buffer.write(Data::Count(3));
        assert!(!buffer.has_beyond(4));
        buffer.is_closed = true;
        assert!(buffer.has_beyond(4) && !buffer.has_beyond(5));
    }
}
