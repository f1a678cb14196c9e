//! What became of the tries of the packet that each station has in service: whether the channel is to blame if it is
//! given up.
//!
//! A try is an RTS, or a data frame, with the answer to it. One without answer has failed to the channel if the latest
//! of its frames that was lost was lost to the channel, and else to contention: a collision, a busy receiver, a CTS
//! withheld.
//!
//! Spec      `LossCause::Channel`
//! Deviates  nothing
//! Holds     nothing here changes a run

use hopwright_link::FrameKind;
use hopwright_machine::{NodeId, Time};

/// Tries, by station.
#[derive(Debug)]
pub(crate) struct Tries {
    stations: Vec<Tally>,
}

/// The tries of one packet.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    /// One that is not answered yet, and whether the channel is to blame for that.
    open: Option<bool>,
    /// Failed to the channel.
    channel: u32,
    /// Failed otherwise.
    contention: u32,
    /// When a packet was given up because of the channel, and for whom it was.
    blamed: Option<(Time, NodeId)>,
}

impl Tally {
    fn close(&mut self) {
        match self.open.take() {
            Some(true) => self.channel += 1,
            Some(false) => self.contention += 1,
            None => {}
        }
    }
}

impl Tries {
    pub(crate) fn new(stations: usize) -> Self {
        Self { stations: vec![Tally::default(); stations] }
    }

    /// A station puts a frame of this kind for one other on the air.
    pub(crate) fn launched(&mut self, node: NodeId, kind: FrameKind) {
        if !kind.is_answer() {
            let tally = &mut self.stations[node.index()];
            tally.close();
            tally.open = Some(false);
        }
    }

    /// A frame for one station is lost to the channel.
    pub(crate) fn damaged(&mut self, kind: FrameKind, from: NodeId, to: NodeId) {
        let owner = if kind.is_answer() { to } else { from };
        let open = &mut self.stations[owner.index()].open;
        *open = open.map(|_| true);
    }

    /// A station has received a frame of this kind.
    pub(crate) fn received(&mut self, node: NodeId, kind: FrameKind) {
        if kind.is_answer() {
            self.stations[node.index()].open = None;
        }
    }

    /// A station is done with its packet, in whatever way.
    pub(crate) fn done(&mut self, node: NodeId) {
        let tally = &mut self.stations[node.index()];
        *tally = Tally { blamed: tally.blamed, ..Tally::default() };
    }

    /// A station gives its packet up: the channel is to blame if most tries failed to it.
    pub(crate) fn gave_up(&mut self, now: Time, node: NodeId, next_hop: NodeId) {
        let tally = &mut self.stations[node.index()];
        tally.close();
        let blamed = (tally.channel > tally.contention).then_some((now, next_hop));
        *tally = Tally { blamed, ..Tally::default() };
    }

    /// Whether the channel is to blame that a station takes the next hop for lost at `now`: also for the packets that
    /// waited for that hop.
    pub(crate) fn blame_channel(&self, now: Time, node: NodeId, next_hop: NodeId) -> bool {
        self.stations[node.index()].blamed == Some((now, next_hop))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: NodeId = NodeId(0);
    const B: NodeId = NodeId(1);

    /// Whether the channel is blamed after these frames of an exchange from A to B: the letter says which, '!' that the
    /// channel damaged it, '?' that it was lost otherwise.
    fn blamed(frames: &str) -> bool {
        let mut tries = Tries::new(2);
        for frame in frames.split(' ') {
            let (kind, from, to) = match &frame[..1] {
                "r" => (FrameKind::Rts, A, B),
                "c" => (FrameKind::Cts, B, A),
                "d" => (FrameKind::Data, A, B),
                _ => (FrameKind::Ack, B, A),
            };
            tries.launched(from, kind);
            match &frame[1..] {
                "!" => tries.damaged(kind, from, to),
                "?" => {}
                _ => tries.received(to, kind),
            }
        }
        tries.gave_up(Time::ZERO, A, B);
        tries.blame_channel(Time::ZERO, A, B)
    }

    #[test]
    fn most_tries_decide_and_ties_go_to_contention() {
        assert!(blamed("r! r! r! r? r!"));
        assert!(!blamed("r! r?"));
        assert!(!blamed("r? r? r!"));
        assert!(blamed("r! r? r!"));
    }

    #[test]
    fn answers_and_data_belong_to_the_try() {
        assert!(blamed("d!"));
        assert!(blamed("d a!"), "the acknowledgement");
        assert!(blamed("r c d! r c d!"), "an answered RTS is no failed try");
        assert!(!blamed("r c d? r c d? r!"));
        assert!(!blamed("r c d?"), "the CTS came, the data collided");
        assert!(!blamed("r"), "received, and not answered");
        assert!(blamed("r c!"));
    }

    #[test]
    fn a_packet_starts_anew_and_blame_is_of_the_moment() {
        let mut tries = Tries::new(2);
        for _ in 0..5 {
            tries.launched(A, FrameKind::Data);
            tries.damaged(FrameKind::Data, A, B);
        }
        tries.done(A);
        tries.launched(A, FrameKind::Data);
        tries.gave_up(Time::from_nanos(5), A, B);
        assert!(!tries.blame_channel(Time::from_nanos(5), A, B));
        tries.launched(A, FrameKind::Data);
        tries.damaged(FrameKind::Data, A, B);
        tries.gave_up(Time::from_nanos(9), A, B);
        assert!(tries.blame_channel(Time::from_nanos(9), A, B));
        assert!(!tries.blame_channel(Time::from_nanos(10), A, B) && !tries.blame_channel(Time::from_nanos(9), B, A));
    }
}
