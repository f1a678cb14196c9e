//! What is wrong with bytes that are no packet.

use core::fmt;

use crate::{aodv, atp, dsdv, dsr, nctp, notice, olsr, tcp, udp};

/// Why bytes are no IPv4 packet that a host here takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// Fewer bytes than the header says.
    Truncated,
    /// Not version 4.
    Version(u8),
    /// The header length lies inside the fixed header.
    HeaderLength(u8),
    /// The checksum of the header is wrong.
    Checksum,
    /// A fragment.
    Fragment,
    /// The TCP segment inside is bad.
    Tcp(tcp::DecodeError),
    /// The UDP datagram inside is bad.
    Udp(udp::DecodeError),
    /// The AODV message inside is bad.
    Aodv(aodv::DecodeError),
    /// The OLSR packet inside is bad.
    Olsr(olsr::DecodeError),
    /// The DSDV update inside is bad.
    Dsdv(dsdv::DecodeError),
    /// The notice inside is bad.
    Notice(notice::DecodeError),
    /// The packet of NCTP inside is bad.
    Nctp(nctp::DecodeError),
    /// The DSR header inside is bad.
    Dsr(dsr::DecodeError),
    /// The ATP segment inside is bad.
    Atp(atp::DecodeError),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => f.write_str("IP packet is cut short"),
            Self::Version(version) => write!(f, "IP version {version}"),
            Self::HeaderLength(words) => write!(f, "IP header of {words} words"),
            Self::Checksum => f.write_str("IP header with a wrong checksum"),
            Self::Fragment => f.write_str("IP fragment"),
            Self::Tcp(error) => error.fmt(f),
            Self::Udp(error) => error.fmt(f),
            Self::Aodv(error) => error.fmt(f),
            Self::Olsr(error) => error.fmt(f),
            Self::Dsdv(error) => error.fmt(f),
            Self::Notice(error) => error.fmt(f),
            Self::Nctp(error) => error.fmt(f),
            Self::Dsr(error) => error.fmt(f),
            Self::Atp(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DecodeError {}
