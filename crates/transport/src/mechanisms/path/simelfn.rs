//! simELFN: a notice of a broken link stops the sender until something new is acknowledged: by what nodes on the way
//! kept while there was no route. It sends no probes, whose duplicate acknowledgements would look like losses.
//!
//! Spec      Zhou, Shi, Zou and Shen §4.1
//! Deviates  alpha, for which the paper names only a range, is a parameter; so is what the timer shows afterwards.
//!           Before there is a round-trip time, the time-out stands in for it
//! Holds     it goes on before the nodes throw away what they keep, and is standard TCP from then on

use hopwright_machine::{Duration, Time};
use hopwright_wire::notice::{Asks, Kind, Restored};

use super::{Path, PathEvent, Ruling, Standing, THAW_TIMER};
use crate::mechanisms::{AckKind, Needs, Part};
use crate::params::{Knob, Params};
use crate::view::Public;

const SEND_TIMEOUT: Knob = Knob::real(
    "simelfn_send_timeout_s",
    "s",
    30.0,
    0.001..=1e6,
    "how long nodes keep a packet without a route (SEND_TIMEOUT). The sender does not wait longer",
);
const ALPHA: Knob = Knob::real(
    "simelfn_alpha",
    "smoothed RTTs",
    0.5,
    0.0..=1.0,
    "how much earlier than this time the sender continues, in smoothed round-trip times. Unverified: the paper gives the range",
);
const SEEKS: Knob = Knob::switch(
    "simelfn_seeks",
    false,
    "whether the sender's node searches for a route while the sender waits, although no packet needs a route",
);

/// See the file's header.
pub const SIMELFN: Part<dyn Path> = Part::<dyn Path>::new("simelfn", "Zhou et al. §4", |p| Box::new(SimElfn::new(p)))
    .needing(Needs::ROUTE_NOTICES)
    .with_knobs(&[SEND_TIMEOUT, ALPHA, SEEKS, THAW_TIMER])
    .asking(|p| Asks { failed: Kind::Elfn, every_detector: false, restored: Restored::Nobody, seeks: p.is(&SEEKS) });

#[derive(Debug)]
struct SimElfn {
    send_timeout: Duration,
    alpha: f64,
    /// When it goes on at the latest, while it is frozen.
    until: Option<Time>,
}

impl SimElfn {
    fn new(params: &Params) -> Self {
        let send_timeout = Duration::from_secs_f64(params.number(&SEND_TIMEOUT));
        Self { send_timeout, alpha: params.number(&ALPHA), until: None }
    }
}

impl Path for SimElfn {
    fn on_event(&mut self, p: &Public, event: PathEvent<'_>) -> Ruling {
        match (self.until, event) {
            (None, PathEvent::RouteFailed(_)) => {
                let early = p.srtt.unwrap_or(p.rto).as_secs_f64() * self.alpha;
                self.until = Some(p.now + self.send_timeout.saturating_sub(Duration::from_secs_f64(early)));
            }
            (Some(_), PathEvent::Ack(ack)) if ack.kind == AckKind::Advance => self.until = None,
            (Some(until), PathEvent::Timer) if until <= p.now => self.until = None,
            _ => {}
        }
        if self.until.is_some() { Standing::Frozen.into() } else { Standing::Open.into() }
    }

    fn deadline(&self) -> Time {
        self.until.unwrap_or(Time::NEVER)
    }
}
