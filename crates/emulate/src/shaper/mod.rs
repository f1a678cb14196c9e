//! A shaped link between two sides, as a machine: packets in at one side, out at the other when their time has come.
//!
//! Spec      `hopwright_shape`: the link of a scenario's `[[links]]`, one for each direction; what it becomes, by its file or
//!           by a command, is as in a simulation
//! Holds     every segment that comes is given out, lost or held; order is the link's

mod burst;
mod devices;
#[cfg(test)]
mod one_model;
mod relay;
mod run;

use std::collections::VecDeque;
use std::ops::Range;

use hopwright_machine::{Machine, Time};
use hopwright_scenario::{LinkPair, LiveLink, PairChange};
use hopwright_shape::{Input, Link, Output, Streams, Why};
use serde::Serialize;

use crate::command::Command;
use burst::Cut;
pub use devices::shape;
pub use relay::{Relay, RelaySummary, Remembers, Unusable};
pub use run::{ShaperStatus, ShaperSummary};

/// Where a packet comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Where the program runs that sends data.
    Near = 0,
    /// The other one.
    Far = 1,
}

/// What is known of a packet that comes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coming {
    /// Where.
    pub(crate) side: Side,
    /// Whose it is, where there are several at a side.
    pub(crate) client: u32,
    /// Bytes that it has on the link beside those that were read.
    pub(crate) headers: u32,
}

impl Coming {
    /// A packet with its headers, at a side where there is one end.
    pub(crate) const fn at(side: Side) -> Self {
        Self { side, client: 0, headers: 0 }
    }
}

/// What a direction has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Carried {
    /// Packets that came: segments of bursts, each by itself.
    pub offered_packets: u64,
    /// Their bytes, IP headers included.
    pub offered_bytes: u64,
    /// Packets that came through, copies too.
    pub arrived_packets: u64,
    /// Copies among them.
    pub copies: u64,
    /// Packets that the link lost.
    pub lost_packets: u64,
    /// Packets that found the queue full, or had waited too long in it.
    pub dropped_packets: u64,
    /// Packets for which the kernel had no room.
    pub unwritten_packets: u64,
}

/// A segment on the link: of which packet, and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Segment {
    burst: u32,
    place: u16,
}

/// A packet of which segments are on the link.
#[derive(Debug)]
struct Burst {
    /// The packet is at its beginning.
    memory: Vec<u8>,
    length: usize,
    cut: Cut,
    client: u32,
    /// Segments whose fate is open.
    left: usize,
}

/// Segments of one packet that leave together.
#[derive(Clone, Debug)]
struct Leaving {
    burst: u32,
    segments: Range<usize>,
    /// When the first of them should have left.
    due: Time,
}

/// One direction.
#[derive(Debug)]
struct Way {
    link: Link<Segment>,
    leaving: VecDeque<Leaving>,
    carried: Carried,
}

/// See the file's header.
#[derive(Debug)]
pub(crate) struct Shaper {
    ways: [Way; 2],
    bursts: Vec<Burst>,
    /// Places in `bursts` of packets that are gone: with memory for short ones, and for any.
    free: [Vec<u32>; 2],
    /// Where a packet is put together of which segments are missing.
    joined: Vec<u8>,
    /// Whether packets have the device's header before them.
    offloads: bool,
    /// What the link becomes.
    planned: VecDeque<PairChange>,
    live: LiveLink,
    /// How often it has become another.
    changes: u64,
}

impl Shaper {
    /// A link that nothing has come to: from the near side to the far one, and back.
    pub(crate) fn new(link: LinkPair, seed: u64, offloads: bool) -> Self {
        let LinkPair { forward: there, backward: back, changes, live } = link;
        let way = |config, number| Way {
            link: Link::new(config, Streams::new(seed, number)),
            leaving: VecDeque::new(),
            carried: Carried::default(),
        };
        Self {
            ways: [way(there, 0), way(back, 1)],
            bursts: Vec::new(),
            free: [Vec::new(), Vec::new()],
            joined: Vec::new(),
            offloads,
            planned: changes.into(),
            live,
            changes: 0,
        }
    }

    /// A packet comes at a side: so many bytes of `read`, which may be other memory of the same length afterwards.
    pub(crate) fn arrive(&mut self, now: Time, coming: Coming, read: &mut Vec<u8>, bytes: usize) {
        let Coming { side, client, headers } = coming;
        let header = if self.offloads { hopwright_netns::HEADER_BYTES } else { 0 };
        let Some(length) = bytes.checked_sub(header) else { return };
        let cut = if self.offloads { Cut::of(&read[..bytes]) } else { Cut::WHOLE };
        let burst = self.keep(read, bytes, cut, client);
        self.change(now);
        self.advance(side as usize, now);
        let way = &mut self.ways[side as usize];
        for place in 0..cut.count {
            let bytes = cut.bytes(place, length) as u32 + headers;
            way.carried.offered_packets += 1;
            way.carried.offered_bytes += u64::from(bytes);
            let packet = Segment { burst, place: place as u16 };
            way.link.handle(now, Input::Offer { packet, bytes });
        }
        self.collect(side as usize, now);
    }

    /// When something is due.
    pub(crate) fn deadline(&self) -> Time {
        let links = self.ways.iter().map(|way| way.link.deadline());
        links.chain(self.planned.front().map(|change| change.at)).min().unwrap_or(Time::NEVER)
    }

    /// Does what is due up to `now`.
    pub(crate) fn wake(&mut self, now: Time) {
        self.change(now);
        self.advance(0, now);
        self.advance(1, now);
    }

    /// Gives the next packet for the side opposite to `side`, and whose it is, to `write`; returns what that says, and when
    /// the packet should have been given.
    pub(crate) fn poll<R>(&mut self, side: Side, write: impl FnOnce(u32, &[u8]) -> R) -> Option<(Time, R)> {
        let Leaving { burst, segments, due } = self.ways[side as usize].leaving.pop_front()?;
        let Burst { memory, length, cut, client, .. } = &self.bursts[burst as usize];
        let written = if segments.len() == cut.count {
            write(*client, &memory[..*length])
        } else {
            self.joined.clear();
            cut.join(&memory[..*length], &segments, &mut self.joined);
            write(*client, &self.joined)
        };
        self.release(burst, segments.len());
        Some((due, written))
    }

    /// The kernel had no room for what was polled last.
    pub(crate) fn unwritten(&mut self, side: Side) {
        self.ways[side as usize].carried.unwritten_packets += 1;
    }

    pub(crate) fn carried(&self) -> [Carried; 2] {
        [self.ways[0].carried, self.ways[1].carried]
    }

    /// Does what somebody says.
    ///
    /// # Errors
    /// If the link cannot be like this, or a network is meant. Then nothing has changed.
    pub(crate) fn carry_out(&mut self, now: Time, command: &Command) -> Result<(), String> {
        match command {
            Command::Reshape { link: 0, set } => {
                self.change(now);
                let change = self.live.reshape(now, set)?;
                self.reshape(now, change);
                Ok(())
            }
            Command::Reshape { link, .. } => Err(format!("link: there is no link {link}; the only link is 0")),
            _ => Err("here there is one link, without nodes and flows: expected reshape, status or stop".to_owned()),
        }
    }

    /// How often the link has become another.
    pub(crate) const fn changes(&self) -> u64 {
        self.changes
    }

    /// Has the link become what is planned for up to `now`, each time at its own.
    fn change(&mut self, now: Time) {
        while self.planned.front().is_some_and(|change| change.at <= now) {
            if let Some(change) = self.planned.pop_front() {
                self.reshape(change.at, change);
            }
        }
    }

    fn reshape(&mut self, at: Time, PairChange { forward, backward, clears, .. }: PairChange) {
        for (way, config) in [forward, backward].into_iter().enumerate() {
            self.advance(way, at);
            if clears {
                self.ways[way].link.handle(at, Input::Clear);
            }
            self.ways[way].link.handle(at, Input::Reshape(Box::new(config)));
            self.collect(way, at);
        }
        self.changes += 1;
    }

    /// Lets a link do what is due, each thing at its own time: so it is known when a packet should have left.
    fn advance(&mut self, way: usize, now: Time) {
        loop {
            let due = self.ways[way].link.deadline();
            if due > now {
                return;
            }
            self.ways[way].link.handle(due, Input::Wake);
            self.collect(way, due);
        }
    }

    fn collect(&mut self, number: usize, due: Time) {
        while let Some(output) = self.ways[number].link.poll() {
            let way = &mut self.ways[number];
            match output {
                Output::Arrived(segment) => {
                    way.carried.arrived_packets += 1;
                    leave(&mut way.leaving, segment, due);
                }
                Output::ArrivedTwice(segment) => {
                    way.carried.arrived_packets += 2;
                    way.carried.copies += 1;
                    leave(&mut way.leaving, segment, due);
                    let place = usize::from(segment.place);
                    way.leaving.push_back(Leaving { burst: segment.burst, segments: place..place + 1, due });
                    self.bursts[segment.burst as usize].left += 1;
                }
                Output::Gone(segment, why) => {
                    match why {
                        Why::Lost => way.carried.lost_packets += 1,
                        Why::Full | Why::Late | Why::Cleared => way.carried.dropped_packets += 1,
                    }
                    self.release(segment.burst, 1);
                }
            }
        }
    }

    /// Keeps a packet: a short one is copied, a long one stays where it was read.
    fn keep(&mut self, read: &mut Vec<u8>, length: usize, cut: Cut, client: u32) -> u32 {
        let is_long = length > LONGEST_COPIED;
        let place = self.free[usize::from(is_long)].pop().unwrap_or_else(|| {
            let memory = vec![0; if is_long { read.len() } else { LONGEST_COPIED }];
            self.bursts.push(Burst { memory, length, cut, client, left: 0 });
            (self.bursts.len() - 1) as u32
        });
        let burst = &mut self.bursts[place as usize];
        if is_long {
            std::mem::swap(&mut burst.memory, read);
        } else {
            burst.memory[..length].copy_from_slice(&read[..length]);
        }
        (burst.length, burst.cut, burst.client, burst.left) = (length, cut, client, cut.count);
        place
    }

    /// The fate of some segments is known.
    fn release(&mut self, place: u32, segments: usize) {
        let burst = &mut self.bursts[place as usize];
        burst.left -= segments;
        if burst.left == 0 {
            self.free[usize::from(burst.memory.len() > LONGEST_COPIED)].push(place);
        }
    }
}

/// Packets up to this length are copied into memory of this length; others have that of the longest.
const LONGEST_COPIED: usize = 2048;

/// A segment leaves: with the one before it, if that was its neighbour and leaves now, too.
fn leave(leaving: &mut VecDeque<Leaving>, Segment { burst, place }: Segment, due: Time) {
    let place = usize::from(place);
    match leaving.back_mut() {
        Some(last) if last.burst == burst && last.segments.end == place => last.segments.end += 1,
        _ => leaving.push_back(Leaving { burst, segments: place..place + 1, due }),
    }
}

#[cfg(test)]
mod tests {
    use hopwright_scenario::parse_link;

    use super::*;

    fn shaper(link: &str, seed: u64, offloads: bool) -> Shaper {
        let link = parse_link("link.toml", link, "".as_ref()).unwrap_or_else(|errors| panic!("{errors}"));
        Shaper::new(link, seed, offloads)
    }

    fn ms(n: u64) -> Time {
        Time::from_nanos(n * 1_000_000)
    }

    /// Offers a packet, as a device would give it.
    fn offer(shaper: &mut Shaper, now: Time, side: Side, bytes: &[u8]) {
        let mut read = vec![0; 66_000];
        read[..bytes.len()].copy_from_slice(bytes);
        shaper.arrive(now, Coming::at(side), &mut read, bytes.len());
        assert_eq!(read.len(), 66_000);
    }

    fn polled(shaper: &mut Shaper, side: Side) -> Option<(Time, Vec<u8>)> {
        shaper.poll(side, |_, packet| packet.to_vec())
    }

    #[test]
    fn packets_leave_when_their_time_has_come_and_say_when_that_was() {
        let mut shaper =
            shaper("rate_kbps = 1000\ndelay_ms = 10\n[reverse]\ndelay_ms = 3\nrate_kbps = 400\n", 1, false);
        offer(&mut shaper, ms(0), Side::Near, &[1; 125]);
        offer(&mut shaper, ms(0), Side::Near, &[2; 125]);
        offer(&mut shaper, ms(0), Side::Far, &[3; 50]);
        shaper.wake(ms(2));
        assert_eq!(shaper.deadline(), ms(4));
        shaper.wake(ms(40)); // late
        assert_eq!(polled(&mut shaper, Side::Near), Some((ms(11), vec![1; 125])));
        assert_eq!(polled(&mut shaper, Side::Near), Some((ms(12), vec![2; 125])));
        assert_eq!(polled(&mut shaper, Side::Far), Some((ms(4), vec![3; 50])));
        assert_eq!((polled(&mut shaper, Side::Near), polled(&mut shaper, Side::Far)), (None, None));
        assert_eq!(shaper.free[0].len(), 3, "nothing is kept that is gone");
    }

    #[test]
    fn what_is_lost_of_a_burst_is_cut_out() {
        let mut shaper = shaper("delay_ms = 1\nloss_percent = 30\n[reverse]\nloss_percent = 0\n", 7, true);
        // UDP, ten segments: each says which it is. Short bursts are copied, long ones are not.
        let burst = |data: usize| {
            let mut burst = vec![1, 5, 28, 0, data as u8, (data >> 8) as u8, 20, 0, 6, 0];
            let length = (28 + 10 * data) as u16;
            burst.extend([0x45, 0, (length >> 8) as u8, length as u8, 0, 1, 0x40, 0, 64, 17, 0, 0]);
            burst.extend([10, 0, 0, 1, 10, 0, 0, 2, 0, 1, 0, 2, 0, 108, 0, 0]);
            (0..10).for_each(|n| burst.extend(vec![n; data]));
            burst
        };
        for n in 0..100 {
            let data = if n % 2 == 0 { 10 } else { 1000 };
            offer(&mut shaper, ms(n), Side::Near, &burst(data));
            shaper.wake(ms(n + 1));
            let mut seen = Vec::new();
            while let Some((_, out)) = polled(&mut shaper, Side::Near) {
                seen.extend(out[38..].iter().step_by(data).copied());
            }
            assert!(seen.is_sorted() && seen.iter().all(|n| *n < 10));
            assert_eq!(shaper.free.iter().map(Vec::len).sum::<usize>(), shaper.bursts.len(), "memory is free again");
        }
        assert_eq!(shaper.bursts.len(), 2);
        let carried = shaper.carried()[0];
        assert_eq!(carried.offered_packets, 1000);
        assert_eq!(carried.arrived_packets + carried.lost_packets, 1000);
        assert!((230..370).contains(&carried.lost_packets), "{carried:?}");
    }
}
