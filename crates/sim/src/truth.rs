//! What a sender believed about its losses, and what was true.
//!
//! A diagnosis is about the first position that the sender knows nothing of, when it is made. If that was lost, and is not
//! on its way again, the truth is what it was lost to. If it has arrived, and all acknowledgements that would have told
//! of it were lost, the truth is what the last of them was lost to, and counted apart. Otherwise nothing was lost: what
//! the sender missed is on its way.
//!
//! Spec      Biaz and Vaidya 1998, Cen, Cosman and Voelker 2002 (accuracy against what a simulator knows)
//! Deviates  several diagnoses in one event are about the same position, and have the same truth. The SYN's, which
//!           changes only a threshold, is not counted (`Diagnosed`)
//! Holds     every diagnosis is counted once

use std::collections::BTreeMap;

use hopwright_machine::{LossCause, PacketId};
use hopwright_transport::{Cause, Diagnosed, Missing};
use hopwright_wire::tcp;
use hopwright_wire::tcp::{Flags, Pull};

use crate::answers::Answers;
use crate::repairs::Repairs;

/// What a diagnosis should have found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Truth {
    /// What the sender missed was lost.
    Data(LossCause),
    /// It has arrived, and what told of that was lost.
    Acks(LossCause),
    /// Neither.
    Nothing,
}

const CAUSES: usize = LossCause::ALL.len();

impl Truth {
    const fn index(self) -> usize {
        match self {
            Self::Data(cause) => cause as usize,
            Self::Acks(cause) => CAUSES + cause as usize,
            Self::Nothing => 2 * CAUSES,
        }
    }

    fn name(index: usize) -> String {
        match index {
            _ if index < CAUSES => LossCause::ALL[index].name().to_owned(),
            _ if index < 2 * CAUSES => format!("ack_{}", LossCause::ALL[index - CAUSES].name()),
            _ => "nothing".to_owned(),
        }
    }

    fn title(index: usize) -> String {
        match index {
            _ if index < CAUSES => format!("lost because of {}", LossCause::ALL[index].says()),
            _ if index < 2 * CAUSES => {
                format!("acknowledgements lost because of {}", LossCause::ALL[index - CAUSES].says())
            }
            _ => "nothing lost".to_owned(),
        }
    }

    /// What a transport that knew would call it; `None` for what no transport could answer well.
    const fn cause(self) -> Option<Cause> {
        let (Self::Data(cause) | Self::Acks(cause)) = self else { return None };
        match cause {
            LossCause::Queue => Some(Cause::Congestion),
            LossCause::Contention => Some(Cause::Contention),
            LossCause::LinkFailure | LossCause::NoRoute | LossCause::NodeDown => Some(Cause::Route),
            LossCause::Channel => Some(Cause::Channel),
            LossCause::Other => None,
        }
    }
}

/// What truths are called in results, and by people.
pub(crate) fn names() -> impl Iterator<Item = (String, String)> {
    (0..2 * CAUSES + 1).map(|index| (Truth::name(index), Truth::title(index)))
}

/// Diagnoses, by what was true and what was believed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Confusion([[u64; Cause::ALL.len()]; 2 * CAUSES + 1]);

impl Confusion {
    /// `queue_as_channel`: how often, for all that occurred.
    pub(crate) fn counts(&self) -> BTreeMap<String, u64> {
        let cells = self.0.iter().enumerate().flat_map(|(truth, row)| {
            let named = Cause::ALL.into_iter().zip(row).filter(|&(_, &count)| count > 0);
            named.map(move |(believed, &count)| (format!("{}_as_{}", Truth::name(truth), believed.name()), count))
        });
        cells.collect()
    }
}

/// What is known of one flow's stream, beyond what its sender knows.
#[derive(Debug, Default)]
pub(crate) struct Knowledge {
    repairs: Repairs,
    answers: Answers,
    una: u64,
    diagnosed: Diagnosed,
    pub(crate) confusion: Confusion,
}

impl Knowledge {
    /// A segment leaves the sender. Returns whether that is a spurious retransmission. What answers a request left with
    /// that.
    pub(crate) fn leaves(&mut self, segment: &tcp::Segment) -> bool {
        let is_answer = matches!(segment.options.pull, Pull::Holds(_)) && segment.payload_bytes > 0;
        !is_answer && self.repairs.leaves(segment)
    }

    /// An acknowledgement leaves the receiver, or a request. Returns whether that is a spurious retransmission.
    pub(crate) fn answers(&mut self, packet: PacketId, segment: &tcp::Segment) -> bool {
        if let Some(asked) = asked(segment) {
            return self.repairs.leaves(&asked);
        }
        if let Some(asks_for) = self.asks_for(segment) {
            self.answers.leaves(packet, asks_for);
        }
        false
    }

    /// A packet is lost.
    #[cold]
    pub(crate) fn lost(&mut self, packet: PacketId, segment: &tcp::Segment, forward: bool, cause: LossCause) {
        if forward {
            self.repairs.lost(segment, cause);
        } else if let Some(asked) = asked(segment) {
            self.repairs.lost(&asked, cause);
        } else if let Some(asks_for) = self.asks_for(segment) {
            self.answers.lost(packet, asks_for, cause);
        }
    }

    /// A packet has arrived.
    pub(crate) fn arrives(&mut self, packet: PacketId, segment: &tcp::Segment, forward: bool) {
        if forward {
            self.repairs.arrives(segment);
        } else if asked(segment).is_none()
            && let Some(asks_for) = self.asks_for(segment)
        {
            self.answers.ended(packet, asks_for);
        }
    }

    fn asks_for(&self, segment: &tcp::Segment) -> Option<i64> {
        segment.flags.has(Flags::ACK).then(|| self.repairs.position(segment.ack)).flatten()
    }

    /// The sender has done something, and nothing that it sent for it has left yet.
    #[inline]
    pub(crate) fn observe(&mut self, una: u64, diagnosed: Diagnosed) {
        if una != self.una {
            self.una = una;
            self.answers.known(una.cast_signed());
        }
        if diagnosed != self.diagnosed {
            self.judge(diagnosed);
        }
    }

    #[cold]
    fn judge(&mut self, diagnosed: Diagnosed) {
        let former = std::mem::replace(&mut self.diagnosed, diagnosed).counts();
        let row = &mut self.confusion.0[self.at(self.una.cast_signed()).index()];
        for (count, (now, before)) in row.iter_mut().zip(diagnosed.counts().into_iter().zip(former)) {
            *count += now - before;
        }
    }

    /// What is true of a position.
    fn at(&self, position: i64) -> Truth {
        if let Some(cause) = self.repairs.lost_at(position) {
            return Truth::Data(cause);
        }
        let silenced = self.answers.silenced_at(position).filter(|_| self.repairs.has_arrived(position));
        silenced.map_or(Truth::Nothing, Truth::Acks)
    }

    /// What is missing from here on, for a transport that is told.
    pub(crate) fn missing(&self) -> Vec<Missing> {
        if self.repairs.is_whole() && self.answers.is_whole() {
            return Vec::new();
        }
        let una = self.una.cast_signed();
        let beyond = self.answers.edges().filter(|&edge| edge > una);
        let mut edges: Vec<i64> = self.repairs.edges(una).chain(beyond).chain([una]).collect();
        edges.sort_unstable();
        edges.dedup();
        let stretches = edges.windows(2).filter_map(|edges| {
            let cause = self.at(edges[0]).cause()?;
            Some(Missing { from: edges[0].cast_unsigned(), to: edges[1].cast_unsigned(), cause })
        });
        stretches.collect()
    }
}

/// The stretch of the stream that a request stands for until its answer has come: what one asks for is lost with either.
fn asked(segment: &tcp::Segment) -> Option<tcp::Segment> {
    let Pull::Request { from, bytes } = segment.options.pull else { return None };
    Some(tcp::Segment { seq: from, payload_bytes: bytes.into(), flags: Flags::ACK, ..*segment })
}

#[cfg(test)]
mod tests {
    use hopwright_machine::PacketId;

    use super::*;

    fn segment(seq: u32, bytes: u32, ack: u32, flags: Flags) -> tcp::Segment {
        tcp::Segment {
            source_port: 1,
            destination_port: 2,
            seq: tcp::Seq(seq),
            ack: tcp::Seq(ack),
            flags,
            window: 0,
            urgent: 0,
            options: tcp::Options::default(),
            payload_bytes: bytes,
            ecn: hopwright_wire::ip::Ecn::NotCapable,
        }
    }

    /// A flow of which four segments of a hundred bytes have left, as packets 1 to 4.
    fn flow() -> (Knowledge, impl Fn(u32) -> tcp::Segment) {
        let mut flow = Knowledge::default();
        let data = |n: u32| segment(1 + 100 * (n - 1), 100, 0, Flags::ACK);
        flow.leaves(&segment(0, 0, 0, Flags::SYN));
        for n in 1..=4 {
            flow.leaves(&data(n));
        }
        flow.observe(1, Diagnosed::default());
        (flow, data)
    }

    fn believes(flow: &mut Knowledge, una: u64, diagnosed: Diagnosed) -> BTreeMap<String, u64> {
        flow.observe(una, diagnosed);
        flow.confusion.counts()
    }

    fn counts(expected: &[(&str, u64)]) -> BTreeMap<String, u64> {
        expected.iter().map(|&(name, count)| (name.to_owned(), count)).collect()
    }

    #[test]
    fn lost_data_lost_acknowledgements_and_neither() {
        let (mut flow, data) = flow();
        flow.lost(PacketId(2), &data(2), true, LossCause::Channel);
        let mut said = Diagnosed { congestion: 1, ..Diagnosed::default() };
        assert_eq!(believes(&mut flow, 1, said), counts(&[("nothing_as_congestion", 1)]), "it is on its way");
        said.congestion = 2;
        let told = believes(&mut flow, 101, said);
        assert_eq!(told, counts(&[("channel_as_congestion", 1), ("nothing_as_congestion", 1)]));
        flow.leaves(&data(2));
        flow.arrives(PacketId(5), &data(2), true);
        let answer = segment(9, 0, 201, Flags::ACK);
        flow.answers(PacketId(6), &answer);
        said.route = 1;
        assert_eq!(believes(&mut flow, 101, said)["nothing_as_route"], 1, "the news is on its way");
        flow.lost(PacketId(6), &answer, false, LossCause::NoRoute);
        said.route = 2;
        assert_eq!(believes(&mut flow, 101, said)["ack_no_route_as_route"], 1);
        assert_eq!(believes(&mut flow, 101, said).values().sum::<u64>(), 4, "none is counted twice");
    }

    /// Where a receiver asks, a segment is lost with its request or with its data; asking again for what was lost with
    /// neither is spurious.
    #[test]
    fn requests_and_their_answers_are_one() {
        let mut flow = Knowledge::default();
        flow.leaves(&segment(0, 0, 0, Flags::SYN));
        let request = |n: u32| {
            let pull = Pull::Request { from: tcp::Seq(1 + 100 * (n - 1)), bytes: 100 };
            let options = tcp::Options { pull, ..tcp::Options::default() };
            tcp::Segment { options, ..segment(9, 0, 1, Flags::ACK) }
        };
        let answer = |n: u32| {
            let options = tcp::Options { pull: Pull::Holds(tcp::Seq(401)), ..tcp::Options::default() };
            tcp::Segment { options, ..segment(1 + 100 * (n - 1), 100, 9, Flags::ACK) }
        };
        assert!((1..=4).all(|n| !flow.answers(PacketId(n.into()), &request(n))), "for the first time");
        flow.lost(PacketId(1), &request(1), false, LossCause::Queue);
        assert_eq!(flow.at(1), Truth::Data(LossCause::Queue));
        for n in 2..=4 {
            flow.arrives(PacketId(n.into()), &request(n), false);
            assert!(!flow.leaves(&answer(n)));
        }
        flow.lost(PacketId(5), &answer(2), true, LossCause::Channel);
        assert_eq!(flow.at(101), Truth::Data(LossCause::Channel));
        flow.arrives(PacketId(6), &answer(3), true);
        assert_eq!([201, 301].map(|position| flow.at(position)), [Truth::Nothing; 2]);
        let again = [1, 2, 3, 4].map(|n| flow.answers(PacketId(10 + u64::from(n)), &request(n)));
        assert_eq!(again, [false, false, true, true]);
    }

    #[test]
    fn what_is_told_is_what_is_judged() {
        let (mut flow, data) = flow();
        flow.arrives(PacketId(1), &data(1), true);
        let answer = segment(9, 0, 101, Flags::ACK);
        flow.answers(PacketId(7), &answer);
        flow.lost(PacketId(7), &answer, false, LossCause::Contention);
        flow.lost(PacketId(2), &data(2), true, LossCause::Queue);
        flow.lost(PacketId(3), &data(3), true, LossCause::Other);
        flow.lost(PacketId(4), &data(4), true, LossCause::NodeDown);
        let missing = |from, to, cause| Missing { from, to, cause };
        assert_eq!(
            flow.missing(),
            [missing(1, 101, Cause::Contention), missing(101, 201, Cause::Congestion), missing(301, 401, Cause::Route),]
        );
        for (position, told) in [(1, Some(Cause::Contention)), (201, None), (301, Some(Cause::Route)), (401, None)] {
            assert_eq!(flow.at(position).cause(), told);
        }
    }
}
