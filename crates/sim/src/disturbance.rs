//! Who disturbs whom: what a trace is told of frames that were not received, and of requests that were not answered.
//!
//! Receivers and stations are told of frames by their places in the medium, which are used again. Here frames have
//! numbers, and are remembered for as long as somebody may still be told that they disturbed.
//!
//! Spec      IEEE 802.11-1999 §9.2: who may send although a frame is in the air
//! Holds     nothing here changes a run: it is used where there is a trace that follows packets

use std::collections::VecDeque;

use hopwright_link::{Config, Eifs, Frame, FrameKind};
use hopwright_machine::{Duration, NodeId, Time};
use hopwright_wire::Packet;

use crate::medium::Medium;
use crate::misses::{Disturber, Relation, Silence};

/// A frame that is, or was lately, in the air.
#[derive(Clone, Copy, Debug)]
struct Known {
    at: Time,
    from: NodeId,
    kind: FrameKind,
    /// Whether its sender sensed before.
    senses: bool,
    /// The number of the frame that was at its place before.
    before: u64,
}

/// Until when a station takes the medium for busy, and for which frame: its place, and a time at which it was there.
#[derive(Clone, Copy, Debug, Default)]
struct Hold {
    until: Time,
    place: u32,
    then: Time,
}

impl Hold {
    fn extend(&mut self, until: Time, place: u32, then: Time) {
        if until > self.until {
            *self = Self { until, place, then };
        }
    }
}

/// What a station holds back for.
#[derive(Clone, Copy, Debug, Default)]
struct Holds {
    carrier: Hold,
    reservation: Hold,
    /// A frame that is to be answered then, and its number.
    asked: Option<(Time, u64)>,
    /// The station's own latest frames, the latest first.
    sent: [Option<u64>; 2],
    busy: Busy,
}

/// For how long a station found the medium busy, or was itself the reason.
#[derive(Clone, Copy, Debug, Default)]
struct Busy {
    time: Duration,
    /// What came before is counted.
    counted: Time,
}

impl Busy {
    fn add(&mut self, from: Time, until: Time) {
        self.time += until.since(from.max(self.counted));
        self.counted = self.counted.max(until);
    }
}

/// Frames in the air, by number.
#[derive(Debug)]
pub(crate) struct Air {
    /// How long after an error, or after a frame that another one captured, the medium counts as reserved.
    eifs: Option<Duration>,
    sifs: Duration,
    slot: Duration,
    frames: VecDeque<Known>,
    /// The number of the oldest of them.
    first: u64,
    /// The number of the frame that was at each place last.
    at_place: Vec<u64>,
    holds: Vec<Holds>,
    /// Whether it is wanted for how long the medium is busy.
    counts_busy: bool,
}

/// The number of no frame.
const NOBODY: u64 = u64::MAX;

/// So long after its beginning a frame may still be asked about: the longest frames last some 20 ms, and the NAV that
/// they set at most 32.767 ms more (802.11-1999 §7.1.3.2).
const REMEMBERED: Duration = Duration::from_millis(200);

impl Air {
    /// `busy_from`: from when on it is wanted for how long the medium is busy, if it is.
    pub(crate) fn new(mac: &Config, nodes: usize, busy_from: Option<Time>) -> Self {
        let busy = Busy { counted: busy_from.unwrap_or_default(), ..Busy::default() };
        Self {
            eifs: (mac.eifs == Eifs::ThenDifs).then(|| mac.eifs_time()),
            sifs: mac.sifs,
            slot: mac.slot,
            frames: VecDeque::with_capacity(64),
            first: 0,
            at_place: Vec::new(),
            holds: vec![Holds { busy, ..Holds::default() }; nodes],
            counts_busy: busy_from.is_some(),
        }
    }

    /// A frame leaves; `senses`: only after its station had found the medium idle.
    pub(crate) fn launch(&mut self, now: Time, frame: &Frame<Packet>, place: u32, senses: bool) {
        if self.frames.len() == self.frames.capacity() {
            self.forget_old(now);
        }
        let number = self.first + self.frames.len() as u64;
        let place = place as usize;
        if self.at_place.len() <= place {
            self.at_place.resize(place + 1, NOBODY);
        }
        let before = std::mem::replace(&mut self.at_place[place], number);
        self.frames.push_back(Known { at: now, from: frame.from, kind: frame.kind, senses, before });
        let sent = &mut self.holds[frame.from.index()].sent;
        *sent = [Some(number), sent[0]];
        self.occupied(frame.from, now, now + frame.air_time);
    }

    /// Makes room: nobody asks about old frames any more.
    #[cold]
    fn forget_old(&mut self, now: Time) {
        let old = self.frames.partition_point(|frame| frame.at + REMEMBERED < now);
        self.frames.drain(..old);
        self.first += old as u64;
    }

    /// The number of the frame that was at a place at a time.
    pub(crate) fn number(&self, place: u32, then: Time) -> Option<u64> {
        let mut number = *self.at_place.get(place as usize)?;
        loop {
            let frame = self.known(number)?;
            if frame.at <= then {
                return Some(number);
            }
            number = frame.before;
        }
    }

    fn known(&self, number: u64) -> Option<&Known> {
        self.frames.get(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    /// What was in the air together with a frame.
    pub(crate) fn disturber(&self, lost: u64, by: u64, now: Time, medium: &mut Medium) -> Option<Disturber> {
        let (frame, other) = (*self.known(lost)?, *self.known(by)?);
        let (earlier, later) = if other.at < frame.at { (&other, &frame) } else { (&frame, &other) };
        let relation = if !medium.senses(later.from, earlier.from, now) {
            Relation::Hidden
        } else if !later.senses {
            Relation::Answer
        } else if later.at.since(earlier.at) <= self.slot {
            Relation::Tie
        } else {
            Relation::Deaf
        };
        Some(Disturber { number: by, from: other.from, kind: other.kind, at: other.at, relation })
    }

    /// What an RTS is not answered for.
    fn withholder(&self, rts: u64, hold: Hold, now: Time, medium: &mut Medium) -> Option<Disturber> {
        let number = self.number(hold.place, hold.then)?;
        let (frame, other) = (*self.known(rts)?, *self.known(number)?);
        let relation = if !medium.senses(frame.from, other.from, now) {
            Relation::Hidden
        } else if !medium.in_range(frame.from, other.from, now) {
            Relation::Unread
        } else if frame.at.since(other.at).max(other.at.since(frame.at)) <= self.slot {
            Relation::Tie
        } else {
            Relation::Deaf
        };
        Some(Disturber { number, from: other.from, kind: other.kind, at: other.at, relation })
    }

    /// The frame that a node was sending at a time.
    pub(crate) fn own(&self, node: NodeId, then: Time) -> Option<u64> {
        let mut sent = self.holds[node.index()].sent.into_iter().flatten();
        sent.find(|&number| self.known(number).is_some_and(|frame| frame.at <= then))
    }

    /// A station senses the carrier until then.
    pub(crate) fn carrier(&mut self, node: NodeId, at: Time, until: Time, place: u32) {
        self.holds[node.index()].carrier.extend(until, place, at);
        self.occupied(node, at, until);
    }

    fn occupied(&mut self, node: NodeId, from: Time, until: Time) {
        if self.counts_busy {
            self.holds[node.index()].busy.add(from, until);
        }
    }

    /// For how long the medium was busy up to `end`, as far as the station has taken account of what it heard.
    pub(crate) fn busy(&self, node: NodeId, end: Time) -> Duration {
        let Busy { time, counted } = self.holds[node.index()].busy;
        time.saturating_sub(counted.since(end))
    }

    /// A station takes the medium for reserved until then.
    pub(crate) fn reserved(&mut self, node: NodeId, at: Time, until: Time, place: u32) {
        self.holds[node.index()].reservation.extend(until, place, at);
        self.occupied(node, at, until);
    }

    /// Something could not be received up to `until`, which was told at `at`. Returns until when the station holds back
    /// for that, where it takes the medium for reserved.
    pub(crate) fn failed(&mut self, node: NodeId, at: Time, until: Time, place: u32) -> Option<Time> {
        let held_until = until + self.eifs?;
        self.reserved(node, at, held_until, place);
        Some(held_until)
    }

    /// A node has received a frame that asks for an answer.
    pub(crate) fn asked(&mut self, node: NodeId, at: Time, place: u32) {
        self.holds[node.index()].asked = self.number(place, at).map(|number| (at + self.sifs, number));
    }

    /// Whether a node should have answered a frame by `now`.
    #[inline(always)] // asked after each event
    pub(crate) fn should_answer(&self, now: Time, node: NodeId) -> bool {
        self.holds[node.index()].asked.is_some_and(|(due, _)| due <= now)
    }

    /// A node has done what it had to do at `now`, and sent a frame, or none: the frame that it should have answered,
    /// and why it did not.
    pub(crate) fn unanswered(
        &mut self,
        now: Time,
        node: NodeId,
        sent: Option<FrameKind>,
        medium: &mut Medium,
    ) -> Option<(u64, Silence)> {
        let holds = &mut self.holds[node.index()];
        let (_, asking) = holds.asked.take_if(|(due, _)| *due <= now)?;
        if sent.is_some_and(FrameKind::is_answer) {
            return None;
        }
        let (carrier, reservation) = (holds.carrier, holds.reservation);
        let mut by = |hold| self.withholder(asking, hold, now, medium);
        let why = if reservation.until > now {
            Silence::Reserved(by(reservation))
        } else if carrier.until > now {
            Silence::Carrier(by(carrier))
        } else {
            Silence::Engaged
        };
        Some((asking, why))
    }

    /// A node goes down, and forgets what it heard: the frame that it has not answered yet.
    pub(crate) fn forget(&mut self, node: NodeId) -> Option<u64> {
        let holds = &mut self.holds[node.index()];
        let asking = holds.asked.map(|(_, asking)| asking);
        *holds = Holds { sent: holds.sent, busy: holds.busy, ..Holds::default() };
        asking
    }
}
