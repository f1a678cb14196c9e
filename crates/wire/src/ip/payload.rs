//! What packets carry.

use std::sync::Arc;

use hopwright_machine::Address;

use super::{DecodeError, Opaque, protocol};
use crate::ecn::Ecn;
use crate::{aodv, arp, atp, dsdv, ethernet, nctp, notice, olsr, tcp, udp};

/// What a packet carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// A TCP segment. It does not change on its way, so copies of the packet share it.
    Tcp(Arc<tcp::Segment>),
    /// A UDP datagram of an application.
    Udp(udp::Datagram),
    /// An ATP segment, shared like TCP's. What stations write on it stands in the packet's stamps.
    Atp(Arc<atp::Segment>),
    /// An AODV message, in UDP to port 654.
    Aodv(aodv::Message),
    /// An OLSR packet, in UDP to port 698.
    Olsr(olsr::Packet),
    /// A DSDV update, in UDP to port 255.
    Dsdv(dsdv::Update),
    /// A packet of NCTP.
    Nctp(nctp::Packet),
    /// What a router tells a transport about a route.
    Notice(notice::Notice),
    /// Nothing: a message of DSR, which lies in its header.
    Nothing,
    /// An address resolution message, without IP.
    Arp(arp::Message),
    /// What a program outside the simulation has sent. It does not change on its way, so copies of the packet share it.
    Opaque(Arc<Opaque>),
    /// An Ethernet frame that a program outside has sent, without IP. Copies share it, too.
    Frame(Arc<ethernet::Frame>),
}

impl Payload {
    /// Source and destination port of a transport's or application's packet.
    #[must_use]
    pub fn ports(&self) -> Option<(u16, u16)> {
        match self {
            Self::Tcp(segment) => Some((segment.source_port, segment.destination_port)),
            Self::Udp(datagram) => Some((datagram.source_port, datagram.destination_port)),
            Self::Atp(segment) => Some((segment.source_port, segment.destination_port)),
            Self::Aodv(_)
            | Self::Olsr(_)
            | Self::Dsdv(_)
            | Self::Nctp(_)
            | Self::Notice(_)
            | Self::Nothing
            | Self::Arp(_)
            | Self::Opaque(_)
            | Self::Frame(_) => None,
        }
    }

    /// Whether the sender of a foreign packet takes congestion marks. Transports of the project say so themselves.
    #[must_use]
    pub fn ecn(&self) -> Ecn {
        match self {
            Self::Opaque(opaque) => opaque.head.as_ref().map_or(Ecn::NotCapable, |head| Ecn::of(head.tos)),
            _ => Ecn::NotCapable,
        }
    }

    /// Whether it is what nodes say to each other, and no transport or application sends: routing, address resolution,
    /// notices.
    #[must_use]
    pub const fn is_message(&self) -> bool {
        match self {
            Self::Tcp(_) | Self::Udp(_) | Self::Atp(_) | Self::Nctp(_) | Self::Opaque(_) | Self::Frame(_) => false,
            Self::Aodv(_) | Self::Olsr(_) | Self::Dsdv(_) | Self::Notice(_) | Self::Nothing | Self::Arp(_) => true,
        }
    }

    pub(super) fn parse(
        protocol: u8,
        source: Address,
        destination: Address,
        bytes: &[u8],
    ) -> Result<Self, DecodeError> {
        Ok(match protocol {
            protocol::TCP => {
                Self::Tcp(Arc::new(tcp::Segment::parse(source, destination, bytes).map_err(DecodeError::Tcp)?.0))
            }
            protocol::UDP => {
                let (datagram, data) = udp::Datagram::parse(source, destination, bytes).map_err(DecodeError::Udp)?;
                match datagram.destination_port {
                    aodv::PORT => Self::Aodv(aodv::Message::parse(data).map_err(DecodeError::Aodv)?),
                    olsr::PORT => Self::Olsr(olsr::Packet::parse(data).map_err(DecodeError::Olsr)?),
                    dsdv::PORT => Self::Dsdv(dsdv::Update::parse(data).map_err(DecodeError::Dsdv)?),
                    _ => Self::Udp(datagram),
                }
            }
            protocol::ATP => Self::Atp(Arc::new(atp::Segment::parse(bytes).map_err(DecodeError::Atp)?)),
            protocol::NCTP => Self::Nctp(nctp::Packet::parse(bytes).map_err(DecodeError::Nctp)?),
            protocol::EXPERIMENT => Self::Notice(notice::Notice::parse(bytes).map_err(DecodeError::Notice)?),
            protocol::NOTHING => Self::Nothing,
            _ => Self::Opaque(Arc::new(Opaque { protocol, bytes: bytes.into(), head: None })),
        })
    }
}
