//! What became of a flow's segments and acknowledgements, and what its sender's reactions are due to.
//!
//! A reaction is due to a loss if what the sender missed was lost: the segment, or every acknowledgement that would
//! have told of it. Otherwise it is spurious, and what the sender missed is on its way.
//!
//! Where a receiver asks for its data, that is the sender here: a segment is under way from its request on, and what is
//! missing was lost with the request or with the answer.
//!
//! Holds     - nothing is kept of what the sender knows to have arrived

use std::collections::VecDeque;

use hopwright_machine::{PacketId, Time};
use hopwright_transport::{Phase, Public};
use hopwright_wire::tcp::Seq;

use super::packets::Ways;
use super::row::Blame;
use super::story::Event;

/// What became of a packet.
#[derive(Clone, Debug)]
enum Fate {
    InNetwork,
    /// The event of its arrival.
    Delivered(Event),
    /// The event with which it was lost, and to what.
    Lost(Event, &'static str),
}

/// A packet with a segment, a request for one, or an acknowledgement.
#[derive(Clone, Debug)]
struct Copy {
    packet: PacketId,
    fate: Fate,
    is_request: bool,
}

/// What was sent of a stretch of the stream.
#[derive(Clone, Debug)]
struct Segment {
    start: u64,
    end: u64,
    copies: Vec<Copy>,
}

/// A flow, as its sender stands and as the network has it.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    /// The sender's initial sequence number, once its SYN has left.
    iss: Option<Seq>,
    una: u64,
    /// The highest position sent, plus one.
    sent: u64,
    /// The longest segment or datagram that was sent.
    pub(super) longest_bytes: u32,
    /// Sent, and not known to the sender to have arrived; by start.
    segments: VecDeque<Segment>,
    /// Acknowledgements of what the sender does not know yet, with the position they ask for, in the order they left.
    acks: VecDeque<(u64, Copy)>,
    /// What the sender showed last.
    pub(super) seen: Seen,
    /// Its last reaction: what it resends is due to that.
    pub(super) answer: Option<(Event, Blame)>,
    /// When its triggers last did something.
    pub(super) adapted: Option<(Time, Event)>,
}

/// What is compared with what the sender shows next.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    pub(super) timeouts: u64,
    pub(super) fast_retransmits: u64,
    pub(super) echo_cuts: u64,
    pub(super) freezes: u64,
    pub(super) phase: Phase,
    pub(super) cwnd: f64,
    diagnosed: [u64; 4],
}

impl Seen {
    pub(super) fn of(public: &Public) -> Self {
        let diagnosed = public.diagnosed;
        Self {
            timeouts: public.timeouts,
            fast_retransmits: public.fast_retransmits,
            echo_cuts: public.echo_cuts,
            freezes: public.freezes,
            phase: public.phase(),
            cwnd: public.cwnd,
            diagnosed: [diagnosed.congestion, diagnosed.channel, diagnosed.contention, diagnosed.route],
        }
    }

    /// What the sender took a loss for since `before`, if it asked itself.
    pub(super) fn diagnosis(&self, before: &Self) -> Option<&'static str> {
        let words = ["congestion", "channel", "contention", "route"];
        let more = self.diagnosed.iter().zip(before.diagnosed).position(|(&now, before)| now > before);
        more.map(|cause| words[cause])
    }
}

/// What an acknowledgement or a segment is in its flow's stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Positions from the first to before the second.
    Data(u64, u64),
    /// An acknowledgement: the position it asks for.
    Ack(u64),
    /// A request for positions from the first to before the second.
    Request(u64, u64),
    /// What was requested of them.
    Answer(u64, u64),
}

impl Flow {
    pub(super) fn new() -> Self {
        Self {
            iss: None,
            una: 0,
            sent: 0,
            longest_bytes: 0,
            segments: VecDeque::new(),
            acks: VecDeque::new(),
            seen: Seen::default(),
            answer: None,
            adapted: None,
        }
    }

    /// The position of a sequence number of the sender's; `syn`: its first one.
    pub(super) fn position(&mut self, seq: Seq, syn: bool) -> u64 {
        let iss = *self.iss.get_or_insert(if syn { seq } else { seq - 1 });
        // Numbers come round: the position is the one nearest to what is known of the flow.
        let near = (iss + self.una as u32).0;
        let ahead = i64::from(seq.0.wrapping_sub(near).cast_signed());
        self.una.saturating_add_signed(ahead)
    }

    /// What the sender knows to have arrived.
    pub(super) fn acknowledged(&mut self, una: u64) {
        self.una = una;
        while self.segments.front().is_some_and(|segment| segment.end <= una) {
            self.segments.pop_front();
        }
        while self.acks.front().is_some_and(|&(position, _)| position <= una) {
            self.acks.pop_front();
        }
    }

    /// A packet leaves its end of the flow. Returns, of a segment, how many copies of it have left.
    pub(super) fn leaves(&mut self, packet: PacketId, part: Part) -> usize {
        let copy = Copy { packet, fate: Fate::InNetwork, is_request: matches!(part, Part::Request(..)) };
        let (start, end) = match part {
            Part::Ack(position) => {
                self.acks.push_back((position, copy));
                return 1;
            }
            Part::Data(start, end) | Part::Request(start, end) | Part::Answer(start, end) => (start, end),
        };
        self.sent = self.sent.max(end);
        let place = self.segments.partition_point(|segment| segment.start < start);
        match self.segments.get_mut(place) {
            Some(segment) if segment.start == start && segment.end == end => {
                segment.copies.push(copy);
                segment.copies.len()
            }
            _ => {
                self.segments.insert(place, Segment { start, end, copies: vec![copy] });
                1
            }
        }
    }

    /// Whether something before this position has been sent.
    pub(super) const fn has_sent(&self, position: u64) -> bool {
        position < self.sent
    }

    /// A packet has arrived at the other end.
    pub(super) fn arrives(&mut self, packet: PacketId, part: Part, event: Event) {
        if let Part::Request(start, _) = part {
            return self.is_answered(packet, start);
        }
        self.set(packet, part, Fate::Delivered(event));
    }

    /// A request has arrived: from now on its answer is what is under way.
    fn is_answered(&mut self, packet: PacketId, start: u64) {
        let place = self.segments.partition_point(|segment| segment.start < start);
        for segment in self.segments.range_mut(place..).take_while(|segment| segment.start == start) {
            segment.copies.retain(|copy| copy.packet != packet);
        }
    }

    /// A packet is lost.
    pub(super) fn loses(&mut self, packet: PacketId, part: Part, event: Event, to: &'static str) {
        self.set(packet, part, Fate::Lost(event, to));
    }

    /// A copy of a packet is under way, whatever became of it before; what has arrived stays so.
    pub(super) fn goes_on(&mut self, packet: PacketId, part: Part) {
        let copies = self.segments.iter().flat_map(|segment| &segment.copies).chain(self.acks.iter().map(|ack| &ack.1));
        let is_lost = |copy: &Copy| copy.packet == packet && matches!(copy.fate, Fate::Lost(..));
        if copies.into_iter().any(is_lost) {
            self.set(packet, part, Fate::InNetwork);
        }
    }

    fn set(&mut self, packet: PacketId, part: Part, fate: Fate) {
        let copy = match part {
            Part::Ack(position) => {
                let place = self.acks.partition_point(|&(other, _)| other < position);
                self.acks.range_mut(place..).map(|ack| &mut ack.1).find(|copy| copy.packet == packet)
            }
            Part::Data(start, end) | Part::Request(start, end) | Part::Answer(start, end) => {
                let place = self.segments.partition_point(|segment| segment.start < start);
                let same = |segment: &&mut Segment| segment.start == start && segment.end == end;
                let segment = self.segments.range_mut(place..).take_while(|s| s.start == start).find(same);
                segment.and_then(|segment| segment.copies.iter_mut().find(|copy| copy.packet == packet))
            }
        };
        if let Some(copy) = copy {
            copy.fate = fate;
        }
    }

    /// Why the sender knows nothing of the arrival of what is at a position, and the event that tells more.
    pub(super) fn gap(&self, position: u64, ways: &Ways) -> (Blame, Option<Event>) {
        let covers = |segment: &&Segment| segment.start <= position && position < segment.end;
        let near = self.segments.iter().take_while(|segment| segment.start <= position);
        let copies = || near.clone().filter(covers).flat_map(|segment| &segment.copies);
        let arrived = copies().find_map(|copy| match &copy.fate {
            Fate::Delivered(event) => Some(event),
            Fate::InNetwork | Fate::Lost(..) => None,
        });
        let Some(arrival) = arrived else {
            let not_sent = (Blame { cause: Some("not_sent"), ..Blame::default() }, None);
            return missing(copies(), &IN_DATA, ways).unwrap_or(not_sent);
        };
        // Why no acknowledgement has told of it.
        let telling = self.acks.iter().filter(|&&(asks_for, _)| asks_for > position).map(|ack| &ack.1);
        let unasked = Blame { cause: Some("not_acknowledged"), ..Blame::default() };
        missing(telling, &IN_ANSWERS, ways).unwrap_or((unasked, Some(Event::clone(arrival))))
    }
}

/// What is said of packets that are on their way, and of such as were lost: of segments, and of requests for them.
type Words = [[&'static str; 2]; 2];
const IN_DATA: Words = [["data_late", "data_lost"], ["request_late", "request_lost"]];
const IN_ANSWERS: Words = [["ack_late", "ack_lost"]; 2];

/// What keeps all of these packets away: the first word if one of them is on its way, the second if all were lost, the
/// last of them as told.
fn missing<'a>(copies: impl Iterator<Item = &'a Copy>, words: &Words, ways: &Ways) -> Option<(Blame, Option<Event>)> {
    let mut last: Option<(&Event, &'static str, bool)> = None;
    for copy in copies {
        match &copy.fate {
            Fate::InNetwork => {
                let peer = ways.get(copy.packet).map(|way| way.node);
                let cause = Some(words[usize::from(copy.is_request)][0]);
                return Some((Blame { cause, loss: None, peer }, ways.last(copy.packet)));
            }
            Fate::Lost(event, to) if last.is_none_or(|(other, ..)| other.id() < event.id()) => {
                last = Some((event, to, copy.is_request));
            }
            Fate::Lost(..) | Fate::Delivered(_) => {}
        }
    }
    let (event, to, is_request) = last?;
    Some((
        Blame { cause: Some(words[usize::from(is_request)][1]), loss: Some(to), peer: None },
        Some(Event::clone(event)),
    ))
}
