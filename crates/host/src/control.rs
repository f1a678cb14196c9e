//! Internet control messages.
//!
//! Spec      RFC 1122 §3.2.2.6 (echo), §4.2.3.9; RFC 5461 §2, §4 (soft errors), RFC 5927 §4.1 (is it about data in
//!           flight?)
//! Deviates  no path MTU discovery (RFC 1191): routers may fragment whatever carries data, so nobody is believed who
//!           says that a packet was too long; soft errors are ignored also while connecting: SYNs are repeated anyway
//! Holds     an established connection is never ended by a control message; only so many echoes a second and source

use hopwright_machine::Time;
use hopwright_transport::{self as transport, State};
use hopwright_wire::icmp::{Message, QuotedSegment, unreachable};
use hopwright_wire::ip::{self, protocol};

use crate::events::{Event, EventKind, Output};
use crate::host::Host;
use crate::identity::{Endpoint, Tuple};
use crate::outgoing::Outgoing;

impl Host {
    /// False if it is no message.
    pub(crate) fn on_icmp(&mut self, now: Time, header: &ip::Header, bytes: &[u8]) -> bool {
        match Message::parse(bytes) {
            Ok(Message::EchoRequest(echo)) => {
                if self.echoes.take(now, header.source, &self.secrets) {
                    self.ready.push_back(Output::Send(self.reply(header, &Message::EchoReply(echo), bytes.len())));
                } else {
                    self.statistics.answers_withheld += 1;
                }
            }
            Ok(Message::Unreachable { code, quoted }) => self.on_unreachable(now, code, quoted),
            Ok(Message::EchoReply(_) | Message::TimeExceeded { .. } | Message::Other(_)) => {}
            Err(_) => return false,
        }
        true
    }

    fn reply(&self, to: &ip::Header, message: &Message<'_>, length: usize) -> Outgoing {
        let mut bytes = Vec::with_capacity(ip::HEADER_BYTES as usize + length);
        let header = ip::Header {
            source: self.config.address,
            destination: to.source,
            protocol: protocol::ICMP,
            ecn: ip::Ecn::NotCapable,
            ttl: ip::DEFAULT_TTL,
            identification: 0, // it may not be fragmented: any number will do
            payload_bytes: length as u16,
        };
        header.emit(&mut bytes);
        message.emit(&mut bytes);
        Outgoing::ready_made(bytes)
    }

    fn on_unreachable(&mut self, now: Time, code: u8, quoted: &[u8]) {
        let Some(quoted) = QuotedSegment::parse(quoted) else { return };
        if quoted.source != self.config.address {
            return;
        }
        let remote = Endpoint { address: quoted.destination, port: quoted.destination_port };
        let Some(index) = self.table.find(&Tuple { local_port: quoted.source_port, remote }) else { return };
        let Some(entry) = self.table.at(index) else { return };
        let is_hard = matches!(code, unreachable::PROTOCOL | unreachable::PORT);
        // While connecting, only the SYN is in flight.
        if !is_hard || entry.connection.state() != State::SynSent || quoted.seq != entry.iss {
            return;
        }
        let handle = entry.handle;
        self.drive(index, now, transport::Input::Abort);
        self.forget(index);
        self.ready.push_back(Output::Event(Event { handle, kind: EventKind::Unreachable(code) }));
    }
}
