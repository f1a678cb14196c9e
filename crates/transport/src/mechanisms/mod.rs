//! The slots, what fills them, and recipes of both.
//!
//! A slot is a trait named for a decision; a mechanism (a part) is a file in the slot's folder. Mechanisms
//! see the connection's public state and the facts of one event, and answer with a number or a verdict;
//! state, timers and sending belong to the engine alone. To add one: write its file, and name it in the list
//! `PARTS` of the slot's folder (`docs/adding-a-protocol.md` does it step by step).

use core::fmt;

use hopwright_machine::{Duration, Time};
use hopwright_wire::notice::Asks;
use hopwright_wire::stamp::Fact;
use hopwright_wire::tcp::{Flags, Segment, Seq};

use crate::params::{Knob, Params};
use crate::table::Table;
use crate::view::Public;

pub mod acking;
pub mod avoidance;
pub mod clocking;
pub mod control;
pub mod detection;
pub mod diagnosis;
mod estimators;
pub mod offer;
pub mod path;
pub mod recovery;
pub mod response;
pub mod startup;
pub mod timeout;

pub(crate) mod conflict;
mod part;
mod slot;
mod slow_growth;

pub use conflict::{Conflict, SwapError};
pub use part::{Needs, Part};
pub use slot::Slot;

pub use crate::view::Cause;

/// What an acknowledgement is to the sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AckKind {
    /// It acknowledges new data.
    Advance,
    /// It is a duplicate (RFC 5681 §2, or ns-2's wider rule; with selective acknowledgements RFC 6675 §2).
    Duplicate,
    /// It is older than one that came before. Only the path slot is shown it.
    Old,
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
    /// The exact round-trip time of the newest segment it acknowledges, where that was sent only once (with
    /// `Needs::SENT_TIMES`): up to one per acknowledgement.
    pub delay: Option<Duration>,
    /// Whether something it acknowledges was sent more than once (with `Needs::SENT_TIMES`): then `delay` may
    /// contain the wait for that.
    pub covers_resent: bool,
    /// When the segment left whose timestamp it echoes, as the timestamp clock showed it (with
    /// `Needs::TIMESTAMPS`).
    pub echoed: Option<Time>,
    /// Bytes beyond `una` it reports for the first time (RFC 2018).
    pub newly_sacked: u64,
    /// Whether it reports a segment that came twice (RFC 2883).
    pub is_dsack: bool,
    /// The segment that carried it, with its options.
    pub segment: &'a Segment,
}

impl<'a> Ack<'a> {
    /// An acknowledgement of so many new bytes that tells nothing else.
    #[must_use]
    pub const fn bare(kind: AckKind, acked: u64, segment: &'a Segment) -> Self {
        Self {
            kind,
            acked,
            rtt: None,
            delay: None,
            covers_resent: false,
            echoed: None,
            newly_sacked: 0,
            is_dsack: false,
            segment,
        }
    }

    /// Whether it says that congestion was met on the way (RFC 3168 §6.1). Whether to believe that: `Public::has_ecn`.
    #[must_use]
    pub const fn echoes_congestion(&self) -> bool {
        self.segment.flags.has(Flags::ECE) && !self.segment.flags.has(Flags::SYN)
    }

    /// Whether the receiver says that the channel lost what is missing.
    #[must_use]
    pub const fn is_loss_notice(&self) -> bool {
        self.segment.options.extra.is_loss_notice()
    }
}

/// What made the sender believe in a loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// Duplicate acknowledgements.
    Duplicates,
    /// Silence: the retransmission timer expired.
    Silence,
}

/// A stretch of the sender's stream that was lost, or of which every acknowledgement was: what an observer of the whole
/// network knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Missing {
    /// Where it begins: a position as in `Public`.
    pub from: u64,
    /// Where it ends: the first position behind it.
    pub to: u64,
    /// What is to blame.
    pub cause: Cause,
}

/// What routing tells the transport.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NetworkSignal {
    /// A node could not forward a segment of this connection: the number of its first byte, where known.
    RouteFailed(Option<Seq>),
    /// A route is there again.
    RouteRestored,
    /// The route has this many hops.
    Hops(u32),
    /// The link layer at the receiver saw this segment of the peer come damaged: the number of its first byte.
    Corrupted(Seq),
    /// What stations wrote on the segment of the peer that comes next, and the hops it made.
    Stamp(Duration, u32),
    /// The link below is part of this network now, of those that it has; 0 before this is told.
    Interface(u32),
    /// What the path is like from now on: for monitors that are told, not for mechanisms.
    Path(PathFacts),
}

/// What a path is like, as whoever made it knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PathFacts {
    /// Packets lost on the way of the data, of a million.
    pub loss_ppm: u32,
    /// How long that way takes, nothing waiting, microseconds.
    pub delay_us: u32,
    /// Bits per second that it carries on average; `u64::MAX`: nothing limits it.
    pub bandwidth_bps: u64,
    /// How long one up and down of that takes, of a thousandth of the delay; `u32::MAX`: it is steady.
    pub fluctuation_permille: u32,
    /// How much the delay differs from packet to packet, of a thousandth of it.
    pub jitter_permille: u32,
}

/// A part as users see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartInfo {
    /// Its name in scenario files.
    pub id: &'static str,
    /// The document that defines it.
    pub spec: &'static str,
    /// What it cannot work without.
    pub needs: Needs,
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

/// A mechanism in its slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filled {
    pub(crate) slot: &'static str,
    pub(crate) part: &'static str,
    pub(crate) needs: Needs,
}

/// Which parameters a part reads.
pub(crate) struct Reader {
    /// The part, as `slot.part`; or a transport without slots.
    pub(crate) name: String,
    pub(crate) knobs: &'static [Knob],
    pub(crate) shared: &'static [&'static str],
}

impl Reader {
    pub(crate) fn of<T: Slot + ?Sized>(part: &Part<T>) -> Self {
        Self { name: format!("{}.{}", T::NAME, part.id), knobs: part.knobs, shared: part.shared }
    }
}

/// Makes everything that must agree on the list of slots from one list of slots.
macro_rules! table {
    ($($slot:ident: $kind:path, $decides:literal, $parts:path;)+) => {
        /// Which mechanism fills which slot.
        #[derive(Clone, Copy, Debug)]
        pub struct Recipe {
            $(#[doc = $decides] pub $slot: Part<dyn $kind>,)+
        }

        /// The mechanisms of one connection.
        #[derive(Debug)]
        pub(crate) struct Slots {
            $(pub(crate) $slot: Box<dyn $kind>,)+
            /// The ids of the mechanisms and what each needs, in the order of the table.
            parts: [(&'static str, Needs); SLOTS],
        }

        /// How many slots there are.
        const SLOTS: usize = SLOT_NAMES.len();

        /// The names of the slots, in the order of the table.
        pub const SLOT_NAMES: &[&str] = &[$(stringify!($slot)),+];

        impl Recipe {
            /// The same recipe with another mechanism in one slot.
            ///
            /// # Errors
            /// If there is no such slot, or no such mechanism for it.
            pub fn with(mut self, slot: &str, part: &str) -> Result<Self, UnknownPart> {
                match slot {
                    $(stringify!($slot) => self.$slot = find(part)?,)+
                    _ => return Err(unknown_slot()),
                }
                Ok(self)
            }

            /// Slot names and the parts in them, in the order of the table.
            #[must_use]
            pub fn parts(&self) -> [(&'static str, &'static str); SLOTS] {
                [$((stringify!($slot), self.$slot.id)),+]
            }

            /// What the transport asks of the network with these parameters, if anything.
            #[must_use]
            pub fn asks(&self, params: &Params) -> Option<Asks> {
                [$(self.$slot.asks),+].into_iter().flatten().next().map(|asks| asks(params))
            }

            /// What its parts read that stations write on packets, if anything.
            #[must_use]
            pub fn fact(&self) -> Option<Fact> {
                [$(self.$slot.fact),+].into_iter().flatten().next()
            }

            /// What is in each slot, in the order of the table.
            pub(crate) fn filled(&self) -> [Filled; SLOTS] {
                [$(Filled { slot: stringify!($slot), part: self.$slot.id, needs: self.$slot.needs }),+]
            }

            /// What each slot's part needs, in the order of the table.
            #[must_use]
            pub fn needs(&self) -> [Needs; SLOTS] {
                [$(self.$slot.needs),+]
            }

            pub(crate) fn build(&self, params: &Params) -> Slots {
                Slots {
                    $($slot: (self.$slot.build)(params),)+
                    parts: [$((self.$slot.id, self.$slot.needs)),+],
                }
            }
        }

        impl Slots {
            /// What is in each slot, in the order of the table.
            pub(crate) fn filled(&self) -> [Filled; SLOTS] {
                let mut parts = self.parts.iter();
                [$({
                    let &(part, needs) = parts.next().expect("a part per slot");
                    Filled { slot: stringify!($slot), part, needs }
                }),+]
            }

            /// What is in each slot.
            pub(crate) fn recipe(&self) -> Recipe {
                let mut ids = self.parts.iter().map(|(id, _)| *id);
                Recipe { $($slot: find(ids.next().expect("a part per slot")).expect("a part of its slot")),+ }
            }

            /// Puts another mechanism into a slot; it takes over from the public state. Returns the id of the one that
            /// was there.
            pub(crate) fn put(
                &mut self,
                slot: &str,
                part: &str,
                params: &Params,
                p: &Public,
            ) -> Result<&'static str, UnknownPart> {
                let mut index = 0;
                $(
                    if slot == stringify!($slot) {
                        let found: Part<dyn $kind> = find(part)?;
                        let former = core::mem::replace(&mut self.parts[index], (found.id, found.needs));
                        self.$slot = (found.build)(params);
                        self.$slot.adopt(p);
                        return Ok(former.0);
                    }
                    index += 1;
                )+
                debug_assert_eq!(index, SLOTS);
                Err(unknown_slot())
            }
        }

        /// The slot and the mechanism of these names.
        pub(crate) fn look_up(slot: &str, part: &str) -> Result<Filled, UnknownPart> {
            $(
                if slot == stringify!($slot) {
                    let found: Part<dyn $kind> = find(part)?;
                    return Ok(Filled { slot: stringify!($slot), part: found.id, needs: found.needs });
                }
            )+
            Err(unknown_slot())
        }

        /// Every slot with everything that can fill it.
        #[must_use]
        pub fn slots() -> Vec<SlotInfo> {
            vec![$(SlotInfo {
                name: stringify!($slot),
                decides: $decides,
                parts: all::<dyn $kind>().iter().map(|p| PartInfo { id: p.id, spec: p.spec, needs: p.needs }).collect(),
            }),+]
        }

        /// What every part reads.
        pub(crate) fn readers() -> Vec<Reader> {
            let mut readers = vec![];
            $(readers.extend(all::<dyn $kind>().iter().map(Reader::of));)+
            readers
        }

        fn unknown_slot() -> UnknownPart {
            UnknownPart::Slot(SLOT_NAMES.to_vec())
        }

        $(impl Slot for dyn $kind {
            const NAME: &'static str = stringify!($slot);

            fn table() -> &'static Table<Part<Self>> {
                static TABLE: Table<Part<dyn $kind>> = Table::new($parts);
                &TABLE
            }
        })+
    };
}

/// Everything that can fill a slot, what was registered last.
fn all<T: Slot + ?Sized>() -> &'static [Part<T>] {
    T::table().all()
}

fn find<T: Slot + ?Sized>(id: &str) -> Result<Part<T>, UnknownPart> {
    let parts = all::<T>();
    let found = parts.iter().find(|p| p.id == id).copied();
    found.ok_or_else(|| UnknownPart::Part(parts.iter().map(|p| p.id).collect()))
}

impl Slots {
    /// What any of the mechanisms needs.
    pub(crate) fn needs(&self) -> Needs {
        self.parts.iter().fold(Needs::NOTHING, |all, (_, needs)| all | *needs)
    }

    /// The id of the mechanism in each slot, in the order of the table.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &'static str> {
        self.parts.iter().map(|(id, _)| *id)
    }
}

#[rustfmt::skip]
table! {
    control: control::Control, "What the sender regulates: a window, a rate, or a rate made from a window.", control::PARTS;
    clocking: clocking::Clocking, "When the next segment may leave.", clocking::PARTS;
    startup: startup::Startup, "How the window grows before the first sign of congestion.", startup::PARTS;
    avoidance: avoidance::Avoidance, "How the window grows after the first sign of congestion.", avoidance::PARTS;
    detection: detection::Detection, "What counts as a loss.", detection::PARTS;
    diagnosis: diagnosis::Diagnosis, "Why a segment was lost.", diagnosis::PARTS;
    response: response::Response, "Window and threshold after a loss.", response::PARTS;
    recovery: recovery::Recovery, "What the sender sends again, and when recovery ends.", recovery::PARTS;
    timeout: timeout::Timeout, "What it means if no acknowledgement comes.", timeout::PARTS;
    path: path::Path, "What the sender does about signals from routing.", path::PARTS;
    acking: acking::Acking, "When the receiver sends an acknowledgement.", acking::PARTS;
    offer: offer::Offer, "The window that the receiver offers to the sender.", offer::PARTS;
}

#[cfg(test)]
pub(crate) mod testing {
    //! What the tests of mechanisms share.

    use hopwright_wire::tcp::{Flags, Options, Segment, Seq};

    /// An empty acknowledgement, for tests of mechanisms that do not look at it.
    pub(crate) fn empty_segment() -> Segment {
        Segment {
            source_port: 1,
            destination_port: 2,
            seq: Seq(0),
            ack: Seq(0),
            flags: Flags::ACK,
            window: 0,
            urgent: 0,
            options: Options::default(),
            payload_bytes: 0,
            ecn: hopwright_wire::ip::Ecn::NotCapable,
        }
    }
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
        assert!(error.to_string().starts_with("the slot has no such mechanism; it can be every, delayed"));
        assert!(matches!(recipe.with("ackin", "every"), Err(UnknownPart::Slot(s)) if s.len() == 12));
    }

    #[test]
    fn every_parameter_is_read_by_something_that_exists() {
        let all = slots();
        for parameter in crate::parameters() {
            for reader in &parameter.used_by {
                let (slot, part) = reader.split_once('.').unwrap_or((reader, ""));
                let found = all.iter().find(|s| s.name == slot);
                let is_there = |s: &SlotInfo| part.is_empty() || s.parts.iter().any(|p| p.id == part);
                let is_whole = crate::whole(slot).is_some();
                assert!(slot == "engine" || is_whole || found.is_some_and(is_there), "{}", parameter.name);
            }
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
    fn every_part_declares_what_it_reads_and_what_the_parts_inside_it_read() {
        use crate::params::testing::take_read;
        let recipe = crate::protocol("reno").unwrap().recipe;
        for slot in slots() {
            for part in &slot.parts {
                let changed = recipe.with(slot.name, part.id).unwrap();
                let declared: Vec<_> = changed.parameters().map(|p| p.name).collect();
                for params in [Params::default(), Params::ns2()] {
                    take_read();
                    changed.build(&params);
                    let _asks = changed.asks(&params);
                    for name in take_read() {
                        assert!(declared.contains(&name), "{} {} reads {name}", slot.name, part.id);
                    }
                }
            }
        }
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
