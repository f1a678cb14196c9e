//! What a segment hears that belongs to no connection.
//!
//! Spec      RFC 9293 §3.10.7.1, §3.5.2 (group 1)
//! Deviates  only so many resets a second for each source
//! Holds     a reset is never answered; nothing is sent to an address that cannot be a host's

use hopwright_machine::Time;
use hopwright_wire::tcp::{Flags, Options, Segment, Seq};

use crate::events::Output;
use crate::host::Host;
use crate::identity::Tuple;
use crate::outgoing::Outgoing;

impl Host {
    pub(crate) fn refuse(&mut self, now: Time, tuple: &Tuple, segment: &Segment) {
        if segment.flags.has(Flags::RST) {
            return;
        }
        if !self.resets.take(now, tuple.remote.address, &self.secrets) {
            self.statistics.answers_withheld += 1;
            return;
        }
        self.statistics.resets_sent += 1;
        let (seq, ack, flags) = if segment.flags.has(Flags::ACK) {
            (segment.ack, Seq(0), Flags::RST)
        } else {
            (Seq(0), segment.end(), Flags::RST.with(Flags::ACK))
        };
        let reset = Segment {
            source_port: tuple.local_port,
            destination_port: tuple.remote.port,
            seq,
            ack,
            flags,
            window: 0,
            urgent: 0,
            options: Options::default(),
            payload_bytes: 0,
            ecn: hopwright_wire::ip::Ecn::NotCapable,
        };
        self.ready.push_back(Output::Send(Outgoing::of_no_connection(tuple.remote.address, reset)));
    }
}
