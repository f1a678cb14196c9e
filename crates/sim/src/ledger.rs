//! The books: every packet and every frame that was made must end, and end once.
//!
//! A packet exists as copies. The hand-over from one station to the next leaves one copy, whatever the sender
//! believes: when the acknowledgement is lost and the sender gives up what the receiver has, there are two. So there are
//! when the receiver has it a second time, because it was down meanwhile and has forgotten what it had.

use hopwright_machine::DropCause;

/// Counts of copies of packets and of frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Packets made by transports and applications.
    pub originated: u64,
    /// Messages made by routing protocols and by address resolution.
    pub control_made: u64,
    /// Second copies, made when a station gave up a packet that its neighbour had received, when that neighbour went
    /// down, came up and received it again, or when a router sent again what nobody had confirmed.
    pub doubled: u64,
    /// Copies made by receiving a broadcast.
    pub broadcast_copies: u64,
    /// Copies that reached their transport.
    pub delivered: u64,
    /// The same that reached their protocol at another node.
    pub absorbed: u64,
    /// Broadcasts whose transmission is over.
    pub broadcast_done: u64,
    /// Copies dropped, by the number of their cause.
    pub dropped: [u64; DropCause::ALL.len()],
    /// Copies still in a queue or buffer at the end.
    pub held: u64,

    /// Frames put on the air.
    pub frames: u64,
    /// Unicast frames that their addressee received.
    pub frames_received: u64,
    /// Unicast frames that their addressee lost to an overlapping frame.
    pub frames_collided: u64,
    /// Unicast frames whose addressee was transmitting, or was occupied by another frame.
    pub frames_missed: u64,
    /// Unicast frames that the channel damaged on the way to their addressee, or made too weak for it though it was in
    /// range.
    pub frames_damaged: u64,
    /// Unicast frames that did not reach their addressee strongly enough to be decoded.
    pub frames_out_of_range: u64,
    /// Unicast frames whose sender or addressee was down, or went down meanwhile.
    pub frames_node_down: u64,
    /// Broadcast frames.
    pub frames_broadcast: u64,
    /// Unicast frames still in the air at the end.
    pub frames_in_air: u64,
}

impl Ledger {
    /// A copy was dropped.
    pub(crate) fn drop(&mut self, cause: DropCause) {
        self.dropped[cause as usize] += 1;
    }

    /// The law of conservation: what was made has ended or is still held; every frame has one fate. The error
    /// names the balance.
    pub fn check(&self) -> Result<(), String> {
        let made = self.originated + self.control_made + self.doubled + self.broadcast_copies;
        let dropped: u64 = self.dropped.iter().sum();
        let ended = self.delivered + self.absorbed + self.broadcast_done + dropped;
        if made != ended + self.held {
            return Err(format!("{made} copies were made, but {ended} ended and {} are held: {self:?}", self.held));
        }
        let fates = self.frames_received
            + self.frames_collided
            + self.frames_missed
            + self.frames_damaged
            + self.frames_out_of_range
            + self.frames_node_down
            + self.frames_broadcast
            + self.frames_in_air;
        if self.frames != fates {
            return Err(format!("{} frames were sent, but {fates} have a fate: {self:?}", self.frames));
        }
        Ok(())
    }
}
