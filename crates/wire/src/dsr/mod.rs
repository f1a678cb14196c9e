//! The DSR Options header, between the IP header and what the packet carries (RFC 4728 §6, §7.1).
//!
//! Spec      RFC 4728 §6.1 to §6.9; of the flow state extension the header (§7.1) and the options and errors that
//!           use it (§7.2, §7.3)
//! Deviates  option type 27, which no RFC assigns and whose high bits say "ignore" to who does not know it, carries a
//!           notice to a transport; padding stands at the end only; where §8 names option types of older drafts, those
//!           of §6 count
//! Holds     what is emitted parses to the same header; no bytes make `parse` panic

mod bytes;
mod options;
#[cfg(test)]
mod tests;

use core::fmt;

use crate::notice::Notice;
pub use options::{Acknowledgement, Error, ErrorKind, Reply, Request, SourceRoute};

/// The IP protocol number of DSR (RFC 4728 §11).
pub const PROTOCOL: u8 = 48;

/// Length of the fixed portion and of the Flow State header, in bytes (§6.1, §7.1).
pub const FIXED_BYTES: u32 = 4;

/// The most addresses an option can list: its length has eight bits (§6.2: 4 n + 6).
pub const MAX_ADDRESSES: usize = 62;

/// A DSR Options header, or a Flow State header, or both.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Header {
    /// The Flow State header (§7.1), which goes first.
    pub flow: Option<Flow>,
    /// The options in their order, without padding.
    pub options: Vec<DsrOption>,
}

/// The Flow State header (§7.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Hops made so far; seven bits.
    pub hop_count: u8,
    /// The flow, chosen by the source.
    pub id: u16,
}

/// An option of the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DsrOption {
    /// Route Request (§6.2).
    Request(Request),
    /// Route Reply (§6.3).
    Reply(Reply),
    /// Route Error (§6.4).
    Error(Error),
    /// Acknowledgement Request (§6.5): its identification.
    AcknowledgementRequest(u16),
    /// Acknowledgement (§6.6).
    Acknowledgement(Acknowledgement),
    /// DSR Source Route (§6.7).
    SourceRoute(SourceRoute),
    /// Timeout of a flow (§7.2.1), seconds.
    Timeout(u16),
    /// What a transport is told about its flow: an option of the project's own, of type 27.
    Notice(Notice),
    /// An option that no section of the RFC names, as it came.
    Other {
        /// Option Type.
        kind: u8,
        /// Its data, at most 255 bytes.
        data: Vec<u8>,
    },
}

impl Header {
    /// A header with one option.
    #[must_use]
    pub fn with(option: DsrOption) -> Self {
        Self { flow: None, options: vec![option] }
    }

    /// The length of the header with its padding, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u32 {
        let flow = if self.flow.is_some() { FIXED_BYTES } else { 0 };
        if self.flow.is_some() && self.options.is_empty() {
            return flow;
        }
        flow + FIXED_BYTES + self.option_bytes().next_multiple_of(4)
    }

    /// The length of all options without padding.
    fn option_bytes(&self) -> u32 {
        self.options.iter().map(DsrOption::bytes).sum()
    }

    /// The Route Request, if the header has one.
    #[must_use]
    pub fn request(&self) -> Option<&Request> {
        self.options.iter().find_map(|o| if let DsrOption::Request(request) = o { Some(request) } else { None })
    }

    /// The first Route Reply.
    #[must_use]
    pub fn reply(&self) -> Option<&Reply> {
        self.options.iter().find_map(|o| if let DsrOption::Reply(reply) = o { Some(reply) } else { None })
    }

    /// The Route Errors, first to last.
    pub fn errors(&self) -> impl Iterator<Item = &Error> {
        self.options.iter().filter_map(|o| if let DsrOption::Error(error) = o { Some(error) } else { None })
    }

    /// The source route, if the header has one.
    #[must_use]
    pub fn source_route(&self) -> Option<&SourceRoute> {
        self.options.iter().find_map(|o| if let DsrOption::SourceRoute(route) = o { Some(route) } else { None })
    }

    /// The notice to a transport, if there is one.
    #[must_use]
    pub fn notice(&self) -> Option<Notice> {
        self.options.iter().find_map(|o| if let DsrOption::Notice(notice) = o { Some(*notice) } else { None })
    }

    /// The identification of the Acknowledgement Request, if there is one.
    #[must_use]
    pub fn acknowledgement_request(&self) -> Option<u16> {
        self.options.iter().find_map(|o| if let DsrOption::AcknowledgementRequest(id) = o { Some(*id) } else { None })
    }
}

/// Why bytes are no DSR header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// Fewer bytes than the header or an option says.
    Truncated,
    /// An option whose length does not fit its type.
    OptionLength(u8),
    /// Payload Length is no multiple of four (§6.1).
    Unaligned(u16),
    /// A DSR header of the same kind, or any behind the options: a packet has one of each at most (§6, §7.1).
    SecondHeader,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => f.write_str("DSR header is cut short"),
            Self::OptionLength(kind) => write!(f, "DSR option of type {kind} with a wrong length"),
            Self::Unaligned(length) => write!(f, "DSR header with {length} bytes of options, not a multiple of 4"),
            Self::SecondHeader => f.write_str("DSR header behind a DSR header"),
        }
    }
}

impl std::error::Error for DecodeError {}
