//! The slots, what fills them, and recipes of both.
//!
//! A slot is a trait named for a decision; a mechanism (a part) is a file in the slot's folder. Mechanisms
//! see the connection's public state and the facts of one event, and answer with a number or a verdict;
//! state, timers and sending belong to the engine alone. To add one: write its file, add one `mod` line in the
//! slot's folder and one name in the list at the end of this file.

use core::fmt;

use hopwright_machine::Duration;
use hopwright_wire::tcp::{Segment, Seq};

use crate::params::{PARAMETERS, Parameter, Params};

pub mod acking;
pub mod avoidance;
pub mod clocking;
pub mod control;
pub mod detection;
pub mod diagnosis;
pub mod offer;
pub mod path;
pub mod recovery;
pub mod response;
pub mod startup;
pub mod timeout;

/// A mechanism that can fill the slot `T`.
pub struct Part<T: ?Sized> {
    /// Its name in scenario files.
    pub id: &'static str,
    /// The document that defines it.
    pub spec: &'static str,
    /// Makes one for a connection.
    pub build: fn(&Params) -> Box<T>,
}

impl<T: ?Sized> Clone for Part<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Part<T> {}

impl<T: ?Sized> fmt::Debug for Part<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

/// What an acknowledgement is to the sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AckKind {
    /// It acknowledges new data.
    Advance,
    /// It is a duplicate (RFC 5681 §2, or ns-2's wider rule).
    Duplicate,
}

/// The facts of one acknowledgement. The public state beside it is that after the acknowledgement's number
/// was taken in, and before any window changed.
#[derive(Debug)]
pub struct Ack<'a> {
    /// What it is.
    pub kind: AckKind,
    /// Bytes it acknowledges for the first time.
    pub acked: u64,
    /// The round-trip time: exact if the segment being timed is among them (Karn's rule applied); by the echoed
    /// timestamp, in its ticks, if none could be timed.
    pub rtt: Option<Duration>,
    /// The segment that carried it, with its options.
    pub segment: &'a Segment,
}

/// What made the sender believe in a loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// Duplicate acknowledgements.
    Duplicates,
    /// Silence: the retransmission timer expired.
    Silence,
}

/// Why a segment is missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// A queue was full.
    Congestion,
    /// The channel damaged it.
    Channel,
    /// The medium was contended for too long.
    Contention,
    /// The route broke.
    Route,
}

/// What routing tells the transport.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signal {
    /// A node could not forward a segment of this connection: the number of its first byte, where known.
    RouteFailed(Option<Seq>),
    /// A route is there again.
    RouteRestored,
    /// The route has this many hops.
    Hops(u32),
}

/// A part as users see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartInfo {
    /// Its name in scenario files.
    pub id: &'static str,
    /// The document that defines it.
    pub spec: &'static str,
}

/// A slot as users see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SlotInfo {
    /// Its name in scenario files.
    pub name: &'static str,
    /// The question it answers.
    pub decides: &'static str,
    /// What can fill it.
    pub parts: Vec<PartInfo>,
}

/// A slot or part that does not exist.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnknownPart {
    /// There is no slot of this name; these are the slots.
    Slot(Vec<&'static str>),
    /// The slot has no such part; these are its parts.
    Part(Vec<&'static str>),
}

impl fmt::Display for UnknownPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Slot(slots) => write!(f, "no such slot; slots are {}", slots.join(", ")),
            Self::Part(parts) => write!(f, "the slot has no such mechanism; it can be {}", parts.join(", ")),
        }
    }
}

impl core::error::Error for UnknownPart {}

/// Makes everything that must agree on the list of slots from one list of slots.
macro_rules! table {
    ($($slot:ident: $kind:path, $decides:literal, [$($part:path),+];)+) => {
        /// Which mechanism fills which slot.
        #[derive(Clone, Copy, Debug)]
        pub struct Recipe {
            $(#[doc = $decides] pub $slot: Part<dyn $kind>,)+
        }

        /// The mechanisms of one connection.
        #[derive(Debug)]
        pub(crate) struct Slots {
            $(pub(crate) $slot: Box<dyn $kind>,)+
        }

        impl Recipe {
            /// The same recipe with another mechanism in one slot.
            pub fn with(mut self, slot: &str, part: &str) -> Result<Self, UnknownPart> {
                match slot {
                    $(stringify!($slot) => {
                        let parts = [$($part),+];
                        let found = parts.iter().find(|p| p.id == part);
                        self.$slot = *found.ok_or_else(|| UnknownPart::Part(parts.iter().map(|p| p.id).collect()))?;
                    })+
                    _ => return Err(UnknownPart::Slot(vec![$(stringify!($slot)),+])),
                }
                Ok(self)
            }

            /// Slot names and the parts in them, in the order of the table.
            #[must_use]
            pub fn parts(&self) -> [(&'static str, &'static str); 12] {
                [$((stringify!($slot), self.$slot.id)),+]
            }

            /// The parameters that matter to this recipe.
            pub fn parameters(&self) -> impl Iterator<Item = &'static Parameter> + use<> {
                let parts = self.parts();
                let is_read = move |reader: &str| match reader.split_once('.') {
                    Some((slot, part)) => parts.contains(&(slot, part)),
                    None => reader == "engine" || parts.iter().any(|(slot, _)| *slot == reader),
                };
                PARAMETERS.iter().filter(move |p| is_read(p.used_by))
            }

            pub(crate) fn build(&self, params: &Params) -> Slots {
                Slots { $($slot: (self.$slot.build)(params)),+ }
            }
        }

        /// Every slot with everything that can fill it.
        #[must_use]
        pub fn slots() -> Vec<SlotInfo> {
            vec![$(SlotInfo {
                name: stringify!($slot),
                decides: $decides,
                parts: [$($part),+].iter().map(|p| PartInfo { id: p.id, spec: p.spec }).collect(),
            }),+]
        }
    };
}

#[rustfmt::skip]
table! {
    control: control::Control, "What is regulated: a window, a rate, or a rate made of a window.", [control::WINDOW];
    clocking: clocking::Clocking, "When the next segment may leave.", [clocking::SELF_CLOCKED];
    startup: startup::Startup, "The window before the first sign of congestion.", [startup::SLOW_START];
    avoidance: avoidance::Avoidance, "Growth of the window afterwards.", [avoidance::ADDITIVE, avoidance::BYTE_COUNTING];
    detection: detection::Detection, "What counts as a loss.", [detection::DUPLICATE_ACKS];
    diagnosis: diagnosis::Diagnosis, "Why it was lost.", [diagnosis::BLAME_CONGESTION];
    response: response::Response, "The window and threshold after a loss.", [response::HALVE, response::RESTART];
    recovery: recovery::Recovery, "What is sent again, and when recovery ends.", [recovery::GO_BACK, recovery::FAST_RECOVERY, recovery::PARTIAL_ACKS];
    timeout: timeout::Timeout, "What silence means.", [timeout::RFC6298, timeout::NS2_TICKS];
    path: path::Path, "What signals from routing do.", [path::IGNORE];
    acking: acking::Acking, "When an acknowledgement leaves.", [acking::EVERY, acking::DELAYED];
    offer: offer::Offer, "The window offered to the peer.", [offer::FREE_BUFFER];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_overridden_by_name() {
        let recipe = crate::protocol("reno").unwrap().recipe;
        let changed = recipe.with("avoidance", "byte-counting").unwrap();
        assert!(changed.parts().contains(&("avoidance", "byte-counting")));
        assert!(recipe.parts().contains(&("avoidance", "additive")));
        let error = recipe.with("acking", "never").unwrap_err();
        assert_eq!(error.to_string(), "the slot has no such mechanism; it can be every, delayed");
        assert!(matches!(recipe.with("ackin", "every"), Err(UnknownPart::Slot(s)) if s.len() == 12));
    }

    #[test]
    fn every_parameter_is_read_by_something_that_exists() {
        let all = slots();
        for parameter in PARAMETERS {
            let (slot, part) = parameter.used_by.split_once('.').unwrap_or((parameter.used_by, ""));
            let found = all.iter().find(|s| s.name == slot);
            let is_there = |s: &SlotInfo| part.is_empty() || s.parts.iter().any(|p| p.id == part);
            assert!(slot == "engine" || found.is_some_and(is_there), "{}", parameter.name);
        }
    }

    #[test]
    fn a_recipe_lists_its_own_parameters_only() {
        let names = |recipe: Recipe| recipe.parameters().map(|p| p.name).collect::<Vec<_>>();
        let newreno = crate::protocol("newreno").unwrap().recipe;
        assert!(names(newreno).contains(&"partial_ack_timer") && names(newreno).contains(&"min_rto_ms"));
        assert!(!names(newreno).contains(&"delayed_ack_ms"));
        assert!(names(newreno.with("acking", "delayed").unwrap()).contains(&"delayed_ack_ms"));
        assert!(!names(crate::protocol("reno").unwrap().recipe).contains(&"partial_ack_timer"));
    }

    #[test]
    fn every_part_of_every_slot_can_be_chosen() {
        let recipe = crate::protocol("reno").unwrap().recipe;
        for slot in slots() {
            for part in &slot.parts {
                let changed = recipe.with(slot.name, part.id).unwrap();
                assert!(changed.parts().contains(&(slot.name, part.id)));
                changed.build(&Params::default());
            }
        }
    }
}
