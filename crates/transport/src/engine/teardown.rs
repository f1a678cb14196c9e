//! Closing a connection, in order or not.
//!
//! Spec      RFC 9293 §3.6, §3.6.1 (half-closed or closed whole), §3.10.4, §3.10.5, §3.10.8; RFC 2525 §2.17;
//!           RFC 7323 §3.2 (timestamps on resets)
//! Deviates  giving up in CLOSING and LAST-ACK resets the peer too: it may still lack what was written
//! Holds     a FIN is sent once everything written has been, and counts as acknowledged only after all of it

use hopwright_wire::ip::Ecn;
use hopwright_wire::tcp::{Flags, Options, Segment, Seq};

use super::{Connection, Data, Output, State, Timers};
use crate::mechanisms::recovery::Release;

impl Connection {
    pub(super) fn on_write(&mut self, data: Data<'_>) {
        if self.out.is_closed {
            return; // an application's mistake; nothing may follow the FIN
        }
        let p = &self.public;
        let waiting = self.out.end().saturating_sub(p.nxt.max(1));
        self.out.write(data);
        if waiting < u64::from(p.mss) {
            self.release = Some(Release::Usual);
        } // otherwise it is not data that the sender waits for, and bursts keep their bound
    }

    pub(super) fn on_close(&mut self) {
        match self.state {
            State::Closed => return,
            State::Listen | State::SynSent => return self.vanish(Output::Closed),
            State::SynReceived => {} // the FIN waits for the connection
            State::Established => self.state = State::FinWait1,
            State::CloseWait => self.state = State::LastAck,
            _ => return,
        }
        self.out.is_closed = true;
        self.release = Some(Release::Usual);
    }

    /// Closes both directions (RFC 9293 §3.6.1). What came and was not read is lost: a reset says so, here and in
    /// `on_lost_text`.
    pub(super) fn on_close_both(&mut self) {
        let is_over = matches!(self.state, State::Closed | State::TimeWait);
        if self.input.is_holding() && !is_over {
            return self.on_abort();
        }
        self.is_deaf = true;
        self.on_close();
    }

    /// New data came for an application that reads no more.
    pub(super) fn on_lost_text(&mut self, segment: &Segment) {
        self.refuse(segment);
        self.vanish(Output::Reset);
    }

    pub(super) fn on_abort(&mut self) {
        if !matches!(self.state, State::Closed | State::Listen | State::SynSent | State::TimeWait) {
            self.reset_peer();
        }
        self.vanish(Output::Reset);
    }

    /// Nothing was heard from the peer for too long (§3.10.8), or no FIN.
    pub(super) fn on_silent_peer(&mut self) {
        if self.state != State::SynSent {
            self.reset_peer(); // perhaps only the way back is broken
        }
        self.vanish(Output::TimedOut);
    }

    fn reset_peer(&mut self) {
        let (seq, ack) = (self.seq(self.next_acceptable()), self.receiver.seq(self.input.next));
        self.push_reset(seq, Some(ack));
    }

    /// Whether the state lets data and FIN go out.
    pub(super) const fn can_send(&self) -> bool {
        matches!(self.state, State::Established | State::FinWait1 | State::CloseWait | State::Closing | State::LastAck)
    }

    /// Whether there is a peer to acknowledge to.
    pub(super) const fn has_peer(&self) -> bool {
        self.can_send() || matches!(self.state, State::FinWait2)
    }

    /// Called when `una` moved.
    #[inline(always)] // on the way of every acknowledgement
    pub(super) fn check_fin_acknowledged(&mut self) {
        if !self.out.is_closed || self.public.una <= self.out.end() {
            return;
        }
        match self.state {
            State::FinWait1 => {
                self.state = State::FinWait2;
                self.expect_fin();
            }
            State::Closing => self.wait_out(),
            State::LastAck => self.vanish(Output::Closed),
            _ => {}
        }
    }

    /// The peer's FIN came in order.
    pub(super) fn on_peer_finished(&mut self) {
        self.outputs.push_back(Output::PeerClosed);
        match self.state {
            State::SynReceived | State::Established => self.state = State::CloseWait,
            State::FinWait1 => self.state = State::Closing, // ours is not acknowledged, or it would be FinWait2
            State::FinWait2 => self.wait_out(),
            _ => {}
        }
    }

    /// The connection is gone.
    pub(super) fn vanish(&mut self, output: Output) {
        self.state = State::Closed;
        self.timers = Timers::default();
        self.timed = None;
        self.release = None;
        self.receiver.ack_now = false;
        self.outputs.push_back(output);
    }

    /// Answers a segment that has no business here (RFC 9293 §3.10.7.1).
    pub(super) fn refuse(&mut self, segment: &Segment) {
        if segment.flags.has(Flags::RST) {
            return;
        }
        if segment.flags.has(Flags::ACK) {
            self.push_reset(segment.ack, None);
        } else {
            self.push_reset(Seq(0), Some(segment.end()));
        }
    }

    fn push_reset(&mut self, seq: Seq, ack: Option<Seq>) {
        // Only a connection whose peer has answered has agreed on anything.
        let is_agreed = !matches!(self.state, State::Closed | State::Listen | State::SynSent);
        let timestamps = self.timestamps.option(self.public.now).filter(|_| is_agreed);
        self.push(Segment {
            source_port: self.local_port,
            destination_port: self.remote_port,
            seq,
            ack: ack.unwrap_or_default(),
            flags: if ack.is_some() { Flags::RST.with(Flags::ACK) } else { Flags::RST },
            window: 0,
            urgent: 0,
            options: Options { timestamps, ..Options::default() },
            payload_bytes: 0,
            ecn: Ecn::NotCapable,
        });
    }

    pub(super) fn push(&mut self, segment: Segment) {
        self.outputs.push_back(Output::Segment(segment));
    }
}
