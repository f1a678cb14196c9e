//! Explicit congestion notification: routers mark instead of dropping, the receiver echoes, the sender reacts as to a
//! loss, once per window.
//!
//! Spec      RFC 3168 §6.1
//! Deviates  a SYN that is sent again asks for it again (§6.1.1.1 lets it not). A window of one segment, which cannot
//!           be halved, waits for the timer, but that expiry counts as no time-out
//! Holds     off unless one end's SYN asked for it and the other's answer agreed. Retransmissions, probes of closed windows, SYNs and
//!           acknowledgements without data are not marked capable (§6.1.4 to §6.1.6)

use hopwright_wire::ip;
use hopwright_wire::tcp::{Flags, Segment};

use super::{Connection, Role};
use crate::mechanisms::path::PathEvent;
use crate::mechanisms::{Cause, Sign};
use crate::params::EcnMode;

/// See the file's header. Whether it is on: `Public::has_ecn`.
#[derive(Debug, Default)]
pub(super) struct Ecn {
    /// Whether acknowledgements echo that congestion was met, until the peer says that it knows.
    pub(super) echoes: bool,
    /// Whether the next new data tell the peer that the window was cut.
    pub(super) tells: bool,
    /// What had been sent when the window was last cut for an echo.
    pub(super) answered: u64,
}

impl Connection {
    /// The flags by which a SYN asks for it, and its answer agrees (§6.1.1).
    pub(super) const fn ecn_on_syn(&self, is_answer: bool) -> Flags {
        match (is_answer, self.params.ecn) {
            _ if self.params.plain_handshake => Flags(0),
            (true, _) if self.public.has_ecn => Flags::ECE,
            (false, EcnMode::On) => Flags::ECE.with(Flags::CWR),
            _ => Flags(0),
        }
    }

    /// The peer's SYN came, or its answer to ours. An answer with both flags is of a peer that only reflects them. Whoever
    /// has sent a SYN that did not ask accepts nothing: a peer that opens at the same time has seen that.
    pub(super) fn agree_on_ecn(&mut self, syn: &Segment) {
        let (ece, cwr) = (syn.flags.has(Flags::ECE), syn.flags.has(Flags::CWR));
        let is_asked = ece && cwr != syn.flags.has(Flags::ACK);
        self.public.has_ecn = match self.params.ecn {
            EcnMode::Off => false,
            EcnMode::Accept => is_asked && self.role == Role::Passive,
            EcnMode::On => is_asked || self.params.plain_handshake,
        };
        self.needs = self.all_needs();
        self.may_hold = self.is_constant || self.public.has_ecn;
    }

    /// Echoes congestion, and marks data that leave from `offset` on as capable, if they are new and there is room.
    #[inline(never)]
    pub(super) fn mark(&mut self, segment: &mut Segment, offset: u64) {
        if self.ecn.echoes {
            segment.flags = segment.flags.with(Flags::ECE);
        }
        let end = offset + u64::from(segment.payload_bytes);
        let room = self.public.una + self.public.offer;
        if segment.payload_bytes == 0 || offset < self.public.max || end > room {
            return;
        }
        segment.ecn = ip::Ecn::Capable0;
        if core::mem::take(&mut self.ecn.tells) {
            segment.flags = segment.flags.with(Flags::CWR);
        }
    }

    /// Data in the window came: marked on the way, or with the word that the last echo was heard.
    #[inline(never)]
    pub(super) fn note_congestion(&mut self, segment: &Segment) {
        self.ecn.echoes &= !segment.flags.has(Flags::CWR);
        self.ecn.echoes |= segment.ecn == ip::Ecn::Experienced;
    }

    /// An acknowledgement echoes congestion: the window is cut as for a loss, unless it was for anything since what is
    /// acknowledged left (§6.1.2).
    #[inline(never)]
    pub(super) fn on_congestion_echo(&mut self) {
        let is_answered = self.is_answered() || self.public.una <= self.public.recover;
        if is_answered || self.public.is_recovering() || !self.can_send() {
            return;
        }
        self.consult_path(PathEvent::Loss(Sign::Duplicates));
        if self.is_constant {
            return;
        }
        let former = self.public.cwnd;
        let used = self.used_window();
        let cut = self.slots.response.on_loss(&self.public, Sign::Duplicates, Cause::Congestion);
        self.public.cwnd = cut.cwnd.min(former); // two segments, at least, may be more than there were
        self.public.cwnd = self.grown(0.0); // and ns-2's half of one is none
        self.public.ssthresh = cut.ssthresh;
        self.bound_window();
        self.note_cut(used, false);
        self.slots.avoidance.on_cut(&self.public, used);
        self.settle_phase();
        self.public.echo_cuts += 1;
        self.ecn.answered = self.public.max;
        self.ecn.tells = true;
        if former <= f64::from(self.public.mss) {
            self.is_probing = true;
            self.arm_retransmit();
        }
    }

    /// Whether the window was cut for an echo since the first unacknowledged segment left.
    pub(super) const fn is_answered(&self) -> bool {
        self.public.has_ecn && self.public.una <= self.ecn.answered
    }
}
