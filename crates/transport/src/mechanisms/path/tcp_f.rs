//! TCP-F: a message from the node where the route failed stops the sender, a message that there is a route again lets
//! it go on as it was.
//!
//! Spec      Chandran, Raghunathan, Venkatesan and Prakash 2001, as summarised by Ghaleb-Seddik 2009 §2.4.2.2 and Zhou
//!           et al. §3.3, §5.1
//! Deviates  unverified against the paper: where it resumes (Zhou et al. §5.1: at the segment that the first message
//!           names, which Ghaleb-Seddik does not have, and which makes duplicates wherever an earlier one is missing)
//!           and how long it waits (Zhou et al. wait as long as DSR keeps a packet) are parameters, and so is what the
//!           timer shows afterwards. Acknowledgements that come meanwhile are taken in; they end nothing
//! Holds     further failures change nothing; without any news the time-out runs when the wait is over

use hopwright_machine::{Duration, Time};
use hopwright_wire::notice::{Asks, Kind, Restored};

use super::{Path, PathEvent, Ruling, Standing, THAW_TIMER, Then};
use crate::mechanisms::{Needs, Part};
use crate::params::{Knob, Params};
use crate::view::Public;

const ROUTE_FAILURE: Knob = Knob::real(
    "tcpf_route_failure_s",
    "s",
    30.0,
    0.001..=1e6,
    "the longest time that the sender waits for a route (route failure timer); unverified",
);
const RESUME_FROM: Knob = Knob::word(
    "tcpf_resume_from",
    &["una", "rfn-seq"],
    "where the sender continues: at the first unacknowledged segment, or at the segment that the first notice names; unverified",
);
const SEEKS: Knob = Knob::switch(
    "tcpf_seeks",
    true,
    "whether the sender's node searches for a route while the sender waits, although no packet needs a route",
);

/// See the file's header.
pub const TCP_F: Part<dyn Path> = Part::<dyn Path>::new("tcp-f", "Chandran et al. 2001", |p| Box::new(TcpF::new(p)))
    .needing(Needs::ROUTE_NOTICES)
    .with_knobs(&[ROUTE_FAILURE, RESUME_FROM, SEEKS, THAW_TIMER])
    .asking(|p| Asks { failed: Kind::Rfn, every_detector: false, restored: Restored::Sender, seeks: p.is(&SEEKS) });

#[derive(Debug)]
struct TcpF {
    wait: Duration,
    resumes_at_failure: bool,
    /// While it snoozes: until when at the latest, and the position that the first notice named.
    snooze: Option<(Time, u64)>,
}

impl TcpF {
    fn new(params: &Params) -> Self {
        Self {
            wait: Duration::from_secs_f64(params.number(&ROUTE_FAILURE)),
            resumes_at_failure: params.word(&RESUME_FROM) == "rfn-seq",
            snooze: None,
        }
    }
}

impl Path for TcpF {
    fn on_event(&mut self, p: &Public, event: PathEvent<'_>) -> Ruling {
        match (self.snooze, event) {
            (None, PathEvent::RouteFailed(at)) => {
                self.snooze = Some((p.now + self.wait, at.unwrap_or(p.una)));
                Standing::Frozen.into()
            }
            (Some((_, failed)), PathEvent::RouteRestored) => {
                self.snooze = None;
                Ruling::open(Then::ResumeFrom(if self.resumes_at_failure { failed } else { p.una }))
            }
            (Some((until, _)), PathEvent::Timer) if until <= p.now => {
                self.snooze = None;
                Ruling::open(Then::TimeOut)
            }
            (Some(_), _) => Standing::Frozen.into(),
            (None, _) => Standing::Open.into(),
        }
    }

    fn deadline(&self) -> Time {
        self.snooze.map_or(Time::NEVER, |(until, _)| until)
    }
}
