//! A station that waits for nobody: it sends when it is granted the air, which is when its exchange disturbs nobody's.
//!
//! Who is granted what is decided by somebody who sees all stations (in a simulator, `sim/src/run/grants.rs`). No station could: this
//! is no protocol, but what remains of one when contention costs nothing. Exchanges and their durations are those of
//! 802.11; interframe spaces and back-offs before them are not waited for.
//!
//! Spec      decided here
//! Holds     no frame leaves before the air is granted, but for answers; one exchange for each grant

use std::sync::Arc;

use hopwright_machine::Time;

use crate::access::Access;
use crate::exchange::service::Service;
use crate::{Config, Draws};

/// Access to the air as it is granted.
#[derive(Debug, Default)]
pub struct Granted {
    waits_since: Option<Time>,
    granted: Option<Time>,
}

impl Access for Granted {
    const IS_GRANTED: bool = true;

    fn new(_config: Arc<Config>, _draws: Draws) -> Self {
        Self::default()
    }

    fn shut_down(&mut self) {
        *self = Self::default();
    }

    fn wants<P>(&mut self, now: Time, _service: &Service<P>) {
        self.waits_since = Some(now);
    }

    fn at(&self) -> Time {
        self.granted.unwrap_or(Time::NEVER)
    }

    fn granted(&mut self, now: Time) {
        if self.waits_since.take().is_some() {
            self.granted = Some(now);
        }
    }

    fn waits_since(&self) -> Option<Time> {
        self.waits_since
    }

    fn begins(&mut self) {
        self.granted = None;
    }

    fn rests<P>(&mut self, now: Time, _extra_slots: u32, service: &Service<P>) {
        self.waits_since = service.serves().then_some(now);
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::{Duration, Machine, NodeId};

    use crate::{Ask, Class, Config, Draws, FrameKind, Ideal, Input, Mac, Output};

    use super::*;

    const PEER: NodeId = NodeId(1);

    fn us(t: u64) -> Time {
        Time::from_nanos(t * 1000)
    }

    fn station() -> Ideal<&'static str> {
        Ideal::new(Arc::new(Config::default()), NodeId(0), Draws::Scripted([].into()))
    }

    fn enqueue(station: &mut Ideal<&'static str>, t: u64) {
        let packet = Input::Enqueue { packet: "p", bytes: 1500, next_hop: Some(PEER), class: Class::Data };
        station.handle(us(t), packet);
    }

    #[test]
    fn one_exchange_begins_for_each_grant() {
        let mut ideal = station();
        ideal.handle(us(1), Input::Granted);
        assert!(ideal.deadline().is_never() && !ideal.has_air(), "nobody asked");
        enqueue(&mut ideal, 5);
        let lasts = Duration::from_micros(352 + 10 + 304 + 10 + 192 + 1536 * 4 + 10 + 304);
        assert_eq!(ideal.ask(), Some(Ask { since: us(5), next_hop: Some(PEER), lasts }));
        ideal.handle(us(6), Input::Carrier { until: us(900) });
        ideal.handle(us(7), Input::Failed);
        assert!(ideal.deadline().is_never(), "what is heard is nothing to it");
        ideal.handle(us(10), Input::Granted);
        assert_eq!((ideal.ask(), ideal.has_air(), ideal.deadline()), (None, true, us(10)));
        ideal.handle(us(10), Input::Wake);
        let Some(Output::Transmit(rts)) = ideal.poll() else { panic!("an RTS") };
        assert_eq!((rts.kind, ideal.poll()), (FrameKind::Rts, None));
        // No CTS comes: it asks again, from then on.
        let missed = ideal.deadline();
        assert_eq!(missed, us(10 + 352 + 10 + 304 + 4));
        ideal.handle(missed, Input::Wake);
        assert_eq!(ideal.ask().map(|ask| ask.since), Some(missed));
        assert!(!ideal.has_air() && ideal.deadline().is_never());
    }

    #[test]
    fn a_station_that_goes_off_wants_nothing_any_more() {
        let mut ideal = station();
        enqueue(&mut ideal, 5);
        ideal.handle(us(6), Input::Granted);
        ideal.handle(us(6), Input::ShutDown);
        assert!(matches!(ideal.poll(), Some(Output::Dropped { .. })));
        assert!(ideal.ask().is_none() && !ideal.has_air() && ideal.deadline().is_never());
    }
}
