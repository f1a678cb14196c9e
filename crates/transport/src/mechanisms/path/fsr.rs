//! TCP-FSR: every node where the route failed names the segment it could not forward, and the sender stops. When the
//! receiver's node knows a route again, the receiver acknowledges at once, and from there the sender goes on.
//!
//! Spec      Zhou, Shi, Zou and Shen §5.2, table 1
//! Deviates  where it resumes is a parameter. The paper's table 1 goes on where the acknowledgement points, though the
//!           notice that names this place has found no way to the source (§5.1); its step 6 goes on from the state kept,
//!           where the notices pointed. The table is what the paper's gain over TCP-F rests on, so it is the default. A
//!           later notice lowers the place of the earlier ones, as the paper's purpose wants: nothing is to be missing. The
//!           paper says that it updates the state; that it takes the place of the earlier ones is the other way to read this.
//!           What the timer shows afterwards is a parameter, too
//! Holds     no acknowledgement within SEND_TIMEOUT: the sender is standard TCP from then on

use hopwright_machine::{Duration, Time};
use hopwright_wire::notice::{Asks, Kind, Restored};

use super::{Path, PathEvent, Ruling, Standing, THAW_TIMER, Then};
use crate::mechanisms::{AckKind, Needs, Part};
use crate::params::{Knob, Params};
use crate::view::Public;

const SEND_TIMEOUT: Knob = Knob::real(
    "fsr_send_timeout_s",
    "s",
    30.0,
    0.001..=1e6,
    "how long the sender waits for an acknowledgement: as long as nodes keep a packet without a route (SEND_TIMEOUT)",
);
const RESUME_FROM: Knob = Knob::word(
    "fsr_resume_from",
    &["ack", "rfn-seq", "last-rfn-seq"],
    "where the sender continues: where the acknowledgement points, at the first of the segments that the notices name, \
     or at the segment that the latest notice names",
);
const SEEKS: Knob = Knob::switch(
    "fsr_seeks",
    true,
    "whether the sender's node searches for a route while the sender waits, although no packet needs a route",
);

/// See the file's header.
pub const FSR: Part<dyn Path> = Part::<dyn Path>::new("fsr", "Zhou et al. §5", |p| Box::new(Fsr::new(p)))
    .needing(Needs::RESTORED_ACK.and(Needs::ROUTE_NOTICES))
    .with_knobs(&[SEND_TIMEOUT, RESUME_FROM, SEEKS, THAW_TIMER])
    .asking(|p| Asks { failed: Kind::Rfn, every_detector: true, restored: Restored::Receiver, seeks: p.is(&SEEKS) });

#[derive(Debug)]
struct Fsr {
    send_timeout: Duration,
    resume: Resume,
    /// While it is frozen: until when at the latest, and the position that was named: the first of them, or the latest.
    frozen: Option<(Time, u64)>,
}

/// Where it goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Resume {
    Ack,
    FirstNamed,
    LatestNamed,
}

impl Fsr {
    fn new(params: &Params) -> Self {
        Self {
            send_timeout: Duration::from_secs_f64(params.number(&SEND_TIMEOUT)),
            resume: match params.word(&RESUME_FROM) {
                "rfn-seq" => Resume::FirstNamed,
                "last-rfn-seq" => Resume::LatestNamed,
                _ => Resume::Ack,
            },
            frozen: None,
        }
    }
}

impl Path for Fsr {
    fn on_event(&mut self, p: &Public, event: PathEvent<'_>) -> Ruling {
        match (self.frozen, event) {
            (None, PathEvent::RouteFailed(at)) => {
                self.frozen = Some((p.now + self.send_timeout, at.unwrap_or(p.una)));
            }
            (Some((until, named)), PathEvent::RouteFailed(at)) => {
                let new = at.unwrap_or(p.una);
                let is_taken = new < named || self.resume == Resume::LatestNamed;
                self.frozen = Some((until, if is_taken { new } else { named }));
            }
            (Some((_, named)), PathEvent::Ack(ack)) if ack.kind != AckKind::Old => {
                self.frozen = None;
                return Ruling::open(Then::ResumeFrom(if self.resume == Resume::Ack { p.una } else { named }));
            }
            (Some((until, _)), PathEvent::Timer) if until <= p.now => self.frozen = None,
            _ => {}
        }
        if self.frozen.is_some() { Standing::Frozen.into() } else { Standing::Open.into() }
    }

    fn deadline(&self) -> Time {
        self.frozen.map_or(Time::NEVER, |(until, _)| until)
    }
}
