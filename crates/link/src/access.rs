//! How a station comes by the air: what differs between kinds of MAC that exchange the same frames.

use std::fmt::Debug;
use std::sync::Arc;

use hopwright_machine::{Duration, Time};

use crate::exchange::service::Service;
use crate::fba::Stage;
use crate::{Config, Draws, Forecast};

/// How a station comes by the air. Whoever does not care for something is told of it all the same, and does nothing.
pub trait Access: Debug + Send {
    /// Whether the air is granted by somebody else (`granted`).
    const IS_GRANTED: bool = false;
    /// Whether signals on their way here change `at`: `forecast` says how, so that nobody need be told of each.
    const IS_FORECAST: bool = false;

    /// A station that has sensed nothing, and wants nothing.
    fn new(config: Arc<Config>, draws: Draws) -> Self;

    /// The station goes off: it forgets what it sensed and wanted.
    fn shut_down(&mut self);

    /// The physical carrier is busy from now until then.
    fn on_carrier<P>(&mut self, _now: Time, _until: Time, _service: &Service<P>) {}

    /// Another frame overlaps the one in reception until then, without harm.
    fn on_held(&mut self, _until: Time) {}

    /// A frame for another station has been received, which reserves the medium for so long.
    fn on_overheard(&mut self, _now: Time, _nav: Duration) {}

    /// A frame for this station has been received.
    fn on_received(&mut self) {}

    /// A reception has ended in error.
    fn on_failed(&mut self, _now: Time) {}

    /// Whether no back-off counts down.
    fn is_idle(&self) -> bool {
        false
    }

    /// The sum of `on_carrier`, `on_overheard` and `on_failed` for frames that came one after the other while no back-off
    /// counted down: the last ended at `over_at`, those received reserve the medium until `reserved_until`, the last
    /// that failed ended at `failed_at` (`ZERO`: none did).
    fn on_heard_aside(&mut self, _over_at: Time, _reserved_until: Time, _failed_at: Time) {}

    /// A packet has come to a station that had none: it is about to come into service.
    fn filled(&mut self) {}

    /// A packet has come into service.
    fn wants<P>(&mut self, now: Time, service: &Service<P>);

    /// When the station may begin, as far as it knows; `NEVER` if it does not want to.
    fn at(&self) -> Time;

    /// The same as it changes with signals on their way here.
    fn forecast(&self) -> Option<Forecast> {
        None
    }

    /// Somebody else grants the air.
    fn granted(&mut self, _now: Time) {}

    /// Since when the station has waited for somebody else to grant it the air, if it does.
    fn waits_since(&self) -> Option<Time> {
        None
    }

    /// The station begins an exchange.
    fn begins(&mut self);

    /// A frame of the station is in the air until then.
    fn transmits(&mut self, _until: Time) {}

    /// An exchange, or a try, is over: what comes before the next, which has so many slots more to wait.
    fn rests<P>(&mut self, now: Time, extra_slots: u32, service: &Service<P>);

    /// A try has failed, and another is to come.
    fn try_failed(&mut self) {}

    /// The packet in service is done with: acknowledged, or given up; `None`: it was for everyone.
    fn packet_done(&mut self, _is_acknowledged: Option<bool>) {}

    /// Whether, as far as the station knows, the physical or virtual carrier is busy.
    fn senses_busy(&self, _now: Time) -> bool {
        false
    }

    /// Whether the station takes part in an exchange that another leads.
    fn is_engaged(&self, _now: Time) -> bool {
        false
    }

    /// The station answers a frame now, and is engaged until then.
    fn answers<P>(&mut self, _now: Time, _engaged_until: Time, _service: &Service<P>) {}

    /// The data has come that the station was engaged for.
    fn data_came(&mut self, _now: Time) {}

    /// Contention window, slots, if there is one.
    fn contention_window(&self) -> Option<u32> {
        None
    }

    /// The stage of fair back-off, if there is one.
    fn stage(&self) -> Option<Stage> {
        None
    }
}
