//! Mechanisms and rows that other crates add while the program runs.
//!
//! [`Part::register`] adds a mechanism to its slot, [`Protocol::register`] a row to the table of protocols. From then on
//! both are there by name as if they stood in this crate: in recipes, swaps, triggers and scenarios, and in the lists
//! that messages and schemas print. They come behind those that were there before, in the order of their registration.
//! Nothing is ever taken away: what was found once stays what it is.
//!
//! ```
//! use hopwright_transport::mechanisms::{Ack, avoidance::Avoidance};
//! use hopwright_transport::{Knob, Part, Protocol, Public, Recipe, protocol};
//!
//! const STEP: Knob = Knob::real("plain_step", "segments", 0.5, 0.0..=64.0, "growth per acknowledgement");
//!
//! const PLAIN: Part<dyn Avoidance> =
//!     Part::<dyn Avoidance>::new("plain", "an example", |p| Box::new(Plain(p.number(&STEP)))).with_knobs(&[STEP]);
//!
//! #[derive(Debug)]
//! struct Plain(f64);
//!
//! impl Avoidance for Plain {
//!     fn on_ack(&mut self, p: &Public, _ack: &Ack<'_>) -> f64 {
//!         self.0 * f64::from(p.mss)
//!     }
//! }
//!
//! PLAIN.register()?;
//! Protocol::new("plain", "an example", Recipe { avoidance: PLAIN, ..protocol("newreno").unwrap().recipe }).register()?;
//! assert!(protocol("plain").unwrap().recipe.with("avoidance", "plain").is_ok());
//! assert!(PLAIN.register().is_err()); // the name is taken
//! # Ok::<(), hopwright_transport::Refused>(())
//! ```

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::engine::code_like;
use crate::mechanisms::{Part, Reader, Slot, look_up, slots};
use crate::parameters::{PARAMETERS, parameters, with_reader};
use crate::params::Params;
use crate::protocols::{Protocol, protocol};
use crate::refused::Refused;

/// One registers at a time: between the look whether a name is free and its use nobody else takes it.
fn alone() -> MutexGuard<'static, ()> {
    static REGISTERING: Mutex<()> = Mutex::new(());
    REGISTERING.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Slot + ?Sized> Part<T> {
    /// From now on the mechanism is there by its name, and so are its parameters. A parameter that is there already is
    /// shared if it is the same in everything: name, unit, values and description.
    ///
    /// # Errors
    /// If the slot has a mechanism of this name, a name of a parameter is taken, or what it shares is not there.
    pub fn register(self) -> Result<(), Refused> {
        let _alone = alone();
        let (slot, part) = (T::NAME, self.id);
        if T::table().all().iter().any(|known| known.id == part) {
            return Err(Refused::Part { slot, part });
        }
        if let Some((slot, like)) = code_like(slot, part) {
            return Err(Refused::Code { part, slot, like });
        }
        let is_other_key = |name| OTHER_KEYS.contains(&name) || slots().iter().any(|slot| slot.name == name);
        if let Some(knob) = self.knobs.iter().find(|knob| is_other_key(knob.name)) {
            return Err(Refused::Knob(knob.name));
        }
        let parameters = with_reader(parameters().to_vec(), &Reader::of(&self))?;
        // The parameters first: whoever finds the mechanism finds them, too.
        PARAMETERS.replace(parameters);
        T::table().add(self);
        Ok(())
    }
}

/// Keys of a transport in a scenario that are neither slots nor parameters.
const OTHER_KEYS: [&str; 9] = [
    "protocol",
    "policy",
    "triggers",
    "trigger_hold_s",
    "trigger_period_ms",
    "loss_window_segments",
    "loss_skips_slow_start",
    "jitter_of",
    "monitor_source",
];

/// What scenarios call the transport that is none of the rows.
const NO_ROW: &str = "udp";

impl Protocol {
    /// From now on the row is there by its name. Its mechanisms must be.
    ///
    /// # Errors
    /// If there is a protocol of this name, a mechanism or parameter that it names is not there, or the mechanisms
    /// cannot work together (`Recipe::check`).
    pub fn register(self) -> Result<(), Refused> {
        let _alone = alone();
        let id = self.id;
        if id == NO_ROW || protocol(id).is_some() {
            return Err(Refused::Protocol(id));
        }
        for (slot, part) in self.recipe.parts() {
            look_up(slot, part).map_err(|error| Refused::Unknown(id, error))?;
        }
        let mut params = Params::default();
        for &(name, value) in self.settings {
            params.set(name, value.into()).map_err(|error| Refused::Setting(id, name, error))?;
        }
        self.recipe.check(&params).map_err(|conflict| Refused::Conflict(id, conflict))?;
        crate::protocols::TABLE.add(self);
        Ok(())
    }
}
