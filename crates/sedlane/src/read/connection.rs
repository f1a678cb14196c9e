//! A connection in a capture that was taken at its sender.
//!
//! The sender is the end that sends more data. What it sent before and sends again is retransmitted; round-trip times
//! come from `Matcher`. On 802.11 the capture also has what neighbours forward: of interest are frames to and from the
//! station that sent the first frame on the sender's side, and of frames that the MAC repeats the first. Of several
//! interfaces that one is of interest on which data was seen first; others have copies. A recording of an emulation has
//! each packet where it was sent, and again where it arrived.
//!
//! Deviates  - a capture taken elsewhere shows only the part of the round trip that lies beyond: nothing here can tell
//!           - keep-alive probes (RFC 9293 3.8.4) are no data
//! Holds     times are counted from the connection's first packet there

use std::collections::BTreeMap;
use std::net::IpAddr;

use hopwright_machine::{Duration, Time};

use super::capture::frames;
use super::flows::{Flow, choose};
use super::frames::{Air, Segment, segment};
use super::{NO_SAMPLE, Options, ReadError};
use crate::matching::Matcher;
use crate::trace::{Builder, Known, Trace};

/// Cards with several queues hand frames over a little out of order; more than this is a mistake.
const TOLERANCE: Duration = Duration::from_secs(1);
/// Where unwrapped sequence numbers begin, so that what is before the first is above zero.
const BASE: u64 = 1 << 32;

type End = (IpAddr, u16);
type Ends = (End, End);

/// A connection of the capture: the same ends may have several, one after the other.
#[derive(Debug)]
struct Found {
    ends: Ends,
    /// The first sequence number of each end's SYN.
    syns: [Option<u32>; 2],
    /// Where each direction was seen first, and its data there.
    interfaces: [Option<u32>; 2],
    bytes: [u64; 2],
}

/// The connections so far, by their ends in the order of addresses.
#[derive(Debug, Default)]
struct Connections {
    found: Vec<Found>,
    latest: BTreeMap<Ends, usize>,
}

impl Connections {
    /// The number of a segment's connection, and whether it goes from the first of its ends to the second.
    fn of(&mut self, segment: &Segment) -> (usize, usize) {
        let key = (segment.from.min(segment.to), segment.from.max(segment.to));
        let direction = |found: &Found| usize::from(found.ends.0 != segment.from);
        let syn = segment.is_syn.then_some(segment.sequence);
        if let Some(&number) = self.latest.get(&key) {
            let found = &mut self.found[number];
            let direction = direction(found);
            // A new first number: a new connection between the same ends.
            let is_other = syn.is_some() && found.syns[direction].is_some_and(|known| Some(known) != syn);
            if !is_other {
                found.syns[direction] = found.syns[direction].or(syn);
                return (number, direction);
            }
        }
        let number = self.found.len();
        let ends = (segment.from, segment.to);
        self.found.push(Found { ends, syns: [syn, None], interfaces: [None; 2], bytes: [0; 2] });
        self.latest.insert(key, number);
        (number, 0)
    }
}

impl Found {
    /// Counts the data of a segment.
    fn count(&mut self, segment: &Segment, direction: usize) {
        if *self.interfaces[direction].get_or_insert(segment.interface) == segment.interface {
            self.bytes[direction] += u64::from(segment.bytes);
        }
    }

    /// The direction that has the data.
    fn sender(&self) -> usize {
        usize::from(self.bytes[1] > self.bytes[0])
    }

    fn flow(&self) -> Flow {
        let sender = self.sender();
        let name = |(address, port): End| match address {
            IpAddr::V4(address) => format!("{address}:{port}"),
            IpAddr::V6(address) => format!("[{address}]:{port}"),
        };
        let (from, to) = if sender == 0 { self.ends } else { (self.ends.1, self.ends.0) };
        Flow { from: name(from), to: name(to), data: format!("{} bytes of data", self.bytes[sender]) }
    }
}

pub(crate) fn read(content: &[u8], options: &Options) -> Result<Trace, ReadError> {
    let mut connections = Connections::default();
    frames(content, |frame| {
        if let Some(segment) = segment(&frame)? {
            let (number, direction) = connections.of(&segment);
            connections.found[number].count(&segment, direction);
        }
        Ok(())
    })?;
    let with_data = |number: &usize| connections.found[*number].bytes != [0, 0];
    let numbers: Vec<usize> = (0..connections.found.len()).filter(with_data).collect();
    let flows: Vec<Flow> = numbers.iter().map(|&number| connections.found[number].flow()).collect();
    let chosen = choose(&flows, options.flow.as_ref())?;
    let number = numbers[chosen];
    let found = &connections.found[number];
    let (sender, interface) = (found.sender(), found.interfaces[found.sender()]);
    let mut connections = Connections::default();
    let mut follow = Follow::new();
    frames(content, |frame| {
        if let Some(segment) = segment(&frame)?
            && let (of, direction) = connections.of(&segment)
            && of == number
            && interface == Some(segment.interface)
        {
            follow.take(frame.number, frame.at, &segment, direction == sender)?;
        }
        Ok(())
    })?;
    follow.builder.finish(flows[chosen].name()).ok_or_else(|| ReadError::whole(NO_SAMPLE))
}

/// What is known while a connection is read.
struct Follow {
    builder: Builder,
    matcher: Matcher,
    /// Where times are counted from, and the latest so far.
    start: Option<Time>,
    latest: Time,
    /// The number on the wire and unwrapped, of the data's latest.
    sequence: Option<(u32, u64)>,
    station: Option<[u8; 6]>,
    /// The last frame each way, on 802.11: a repetition by the MAC is the same again.
    last: [Option<Air>; 2],
}

impl Follow {
    fn new() -> Self {
        Self {
            builder: Builder::new(Known { sent: true, retransmitted: true, dropped: false }),
            matcher: Matcher::default(),
            start: None,
            latest: Time::ZERO,
            sequence: None,
            station: None,
            last: [None; 2],
        }
    }

    fn take(&mut self, number: usize, at: Time, segment: &Segment, is_data: bool) -> Result<(), ReadError> {
        let start = *self.start.get_or_insert(at);
        if self.latest > at + TOLERANCE {
            let back = self.latest.since(at).as_secs_f64();
            return Err(ReadError::packet(number, format!("its time is {back} s before that of a packet before it")));
        }
        self.latest = self.latest.max(at);
        let at = Time::ZERO + self.latest.since(start);
        if !self.is_at_the_sender(segment, is_data) {
            return Ok(());
        }
        self.builder.lasts_until(at);
        if is_data {
            self.data(at, segment);
        } else if let Some(acknowledgement) = segment.acknowledgement.filter(|_| !segment.is_reset)
            && let Some(known) = self.sequence
        {
            let echo = segment.stamps.map(|(_, echo)| echo);
            if let Some(rtt) = self.matcher.acknowledged(at, unwrap(known, acknowledgement), echo) {
                self.builder.measured(at, rtt);
            }
        }
        Ok(())
    }

    fn data(&mut self, at: Time, segment: &Segment) {
        let start = self.sequence.map_or(BASE, |known| unwrap(known, segment.sequence));
        if self.sequence.is_none_or(|(_, latest)| start > latest) {
            self.sequence = Some((segment.sequence, start));
        }
        // SYN and FIN take a number each.
        let end = start + u64::from(segment.bytes) + u64::from(segment.is_syn) + u64::from(segment.is_fin);
        if end == start || segment.is_reset || (segment.bytes <= 1 && self.matcher.is_probe(start, end)) {
            return;
        }
        let again = self.matcher.sent(at, start, end, segment.stamps.map(|(value, _)| value));
        let bytes = u64::from(segment.bytes);
        self.builder.sent(at, bytes, again.min(bytes));
    }

    /// Whether a frame is to or from the sender's station, and not one that was seen before. Elsewhere than on 802.11
    /// every frame is.
    fn is_at_the_sender(&mut self, segment: &Segment, is_data: bool) -> bool {
        let Some(air) = segment.air else { return true };
        if is_data {
            self.station.get_or_insert(air.transmitter);
        }
        let is_its = self.station.is_none_or(|station| station == if is_data { air.transmitter } else { air.receiver });
        is_its && self.last[usize::from(is_data)].replace(air) != Some(air)
    }
}

/// A 32-bit number near a known one, as one that grows for ever.
fn unwrap((wire, known): (u32, u64), number: u32) -> u64 {
    let distance = i64::from(number.wrapping_sub(wire).cast_signed());
    known.saturating_add_signed(distance)
}
