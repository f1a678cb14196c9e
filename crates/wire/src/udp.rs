//! UDP datagrams (RFC 768).

/// Length of a UDP header, in bytes.
pub const HEADER_BYTES: u32 = 8;

/// A UDP datagram of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// Port of the sender.
    pub source_port: u16,
    /// Port of the receiver.
    pub destination_port: u16,
    /// Bytes of application data.
    pub payload_bytes: u32,
}

impl Datagram {
    /// Length with the header, in bytes.
    #[must_use]
    pub const fn bytes(&self) -> u32 {
        HEADER_BYTES + self.payload_bytes
    }
}
