//! From a packet to the connection it is for.
//!
//! Spec      RFC 1122 §3.2.1.3 (addresses), RFC 9293 §3.10.7, RFC 1337 and RFC 6191 §2 (TIME-WAIT)
//! Deviates  fragments are ignored, and so are packets to broadcast and multicast addresses
//! Holds     no packet makes this panic; what is damaged or impossible is counted and ignored

use hopwright_machine::Time;
use hopwright_transport as transport;
use hopwright_wire::ip::{self, protocol};
use hopwright_wire::tcp::{Flags, Segment};

use crate::host::Host;
use crate::identity::{Endpoint, Tuple};

impl Host {
    pub(crate) fn on_packet(&mut self, now: Time, bytes: &[u8], is_verified: bool, segment_bytes: u16) {
        self.statistics.packets_received += 1;
        let is_taken = match ip::Header::parse(bytes) {
            Ok((header, payload))
                if header.destination == self.config.address && self.config.is_plausible_source(header.source) =>
            {
                match header.protocol {
                    protocol::TCP => self.on_tcp(now, &header, payload, is_verified, segment_bytes),
                    protocol::ICMP => self.on_icmp(now, &header, payload),
                    _ => false,
                }
            }
            _ => false,
        };
        self.statistics.packets_ignored += u64::from(!is_taken);
    }

    fn on_tcp(&mut self, now: Time, header: &ip::Header, bytes: &[u8], is_verified: bool, segment_bytes: u16) -> bool {
        let parsed = if is_verified {
            Segment::parse_unverified(bytes)
        } else {
            Segment::parse(header.source, header.destination, bytes)
        };
        let Ok((segment, data)) = parsed else { return false };
        let segment = Segment { ecn: header.ecn, ..segment };
        let remote = Endpoint { address: header.source, port: segment.source_port };
        let tuple = Tuple { local_port: segment.destination_port, remote };
        if let Some(index) = self.table.find(&tuple) {
            if self.is_reopened(index, &segment) {
                self.reopen(now, index, tuple, &segment);
            } else {
                self.on_own(index, now, &segment, data, segment_bytes);
            }
            return true;
        }
        self.on_stray(now, tuple, &segment, data);
        true
    }

    /// A segment of a connection. What a device put together from several counts as two, so that the acking
    /// slot sees that there was more than one.
    fn on_own(&mut self, index: u32, now: Time, segment: &Segment, data: &[u8], segment_bytes: u16) {
        if let Some(entry) = self.table.at_mut(index) {
            entry.patience.on_heard(now);
        }
        let unit = usize::from(segment_bytes);
        if unit == 0 || data.len() <= unit {
            return self.drive(index, now, transport::Input::Segment { segment, data });
        }
        let last = match data.len() % unit {
            0 => unit,
            rest => rest,
        };
        let (front, back) = data.split_at(data.len() - last);
        let only_at_end = Flags::FIN.with(Flags::PSH).0;
        let head =
            Segment { payload_bytes: front.len() as u32, flags: Flags(segment.flags.0 & !only_at_end), ..*segment };
        let tail = Segment { seq: segment.seq + front.len() as u32, payload_bytes: last as u32, ..*segment };
        self.tell(index, now, transport::Input::Segment { segment: &head, data: front });
        self.drive(index, now, transport::Input::Segment { segment: &tail, data: back });
    }
}
