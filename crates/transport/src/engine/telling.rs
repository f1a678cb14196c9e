//! Telling the other end which of its mechanisms change with ours.
//!
//! Spec      Velayutham 2005 §3.4 (connection management reconfigures a connection), §3.6
//! Deviates  the document says that the receiver's mechanisms change, too, and not how it learns of it. Here an option on
//!           data segments names them, until something sent after the change is acknowledged
//! Holds     only what the other end does for the stream at hand is told: when it acknowledges, what it offers, and how it
//!           tells losses of the channel. The last is a mechanism of senders, too: an end that has sent data keeps its
//!           own. What is older than what was heeded last is not heeded. What the other end cannot serve it leaves as
//!           it is

use hopwright_wire::tcp::{Segment, Told};

use super::{Connection, Logic};
use crate::mechanisms::conflict::missing;
use crate::mechanisms::{Filled, Needs, look_up, slots};

/// The slots whose mechanisms act at the end that receives.
const AT_RECEIVER: [&str; Told::PLACES] = ["acking", "offer", "diagnosis"];

/// What is told, and until when.
#[derive(Debug)]
pub(super) struct Telling {
    told: [Option<u16>; Told::PLACES],
    /// What had been sent when it changed last: an acknowledgement of more is one of a segment that told.
    before: u64,
}

/// What stands for a mechanism on the wire: 16 bits of a hash of its names (FNV-1a, 32 bits folded), never zero.
fn code(slot: &str, part: &str) -> u16 {
    let names = slot.bytes().chain([b'.']).chain(part.bytes());
    let hash = names.fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    ((hash >> 16) ^ hash) as u16 | 1
}

/// The mechanism that a code stands for.
fn meant(code_of: u16) -> Option<Filled> {
    let all = slots();
    let there = all.iter().filter(|slot| AT_RECEIVER.contains(&slot.name));
    let mut parts = there.flat_map(|slot| slot.parts.iter().map(|part| (slot.name, part.id)));
    parts.find(|(slot, part)| code(slot, part) == code_of).and_then(|(slot, part)| look_up(slot, part).ok())
}

/// The slot and mechanism that a code stands for which this mechanism would have, too, if it is ever told.
pub(crate) fn code_like(slot: &str, part: &str) -> Option<(&'static str, &'static str)> {
    let like = AT_RECEIVER.contains(&slot).then(|| meant(code(slot, part)))?;
    like.map(|filled| (filled.slot, filled.part))
}

impl Connection {
    /// The other end shall know of these mechanisms.
    pub(super) fn tell(&mut self, parts: &[(&str, &str)]) {
        if matches!(self.logic, Logic::Half) {
            return; // the other end has none
        }
        let mut told = self.telling.as_ref().map_or([None; Told::PLACES], |telling| telling.told);
        let mut is_news = false;
        for (slot, part) in parts {
            if let Some(place) = AT_RECEIVER.iter().position(|name| name == slot) {
                told[place] = Some(code(slot, part));
                is_news = true;
            }
        }
        if is_news {
            self.telling = Some(Box::new(Telling { told, before: self.public.max }));
            self.provide();
        }
    }

    /// Somebody else has put mechanisms into these slots, at both ends: what was told of them is not so any more.
    pub(super) fn forget_told(&mut self, parts: &[(&str, &str)]) {
        let Some(telling) = &mut self.telling else { return };
        for (slot, _) in parts {
            if let Some(place) = AT_RECEIVER.iter().position(|name| name == slot) {
                telling.told[place] = None;
            }
        }
    }

    /// What a data segment that leaves now tells.
    pub(super) fn told(&self) -> Told {
        Told::new(self.telling.iter().flat_map(|telling| telling.told).flatten())
    }

    /// Whether the other end has heard it.
    pub(super) fn end_telling(&mut self) {
        if self.telling.as_ref().is_some_and(|telling| self.public.una > telling.before) {
            self.telling = None;
            self.provide();
        }
    }

    /// A data segment names mechanisms that this end shall have.
    #[cold]
    pub(super) fn heed(&mut self, segment: &Segment, seq: u64) {
        let told = segment.options.told;
        if seq < self.heeded {
            return;
        }
        self.heeded = seq;
        for wanted in told.codes().filter_map(meant) {
            let can = missing(wanted.needs, self.receiver.sends_sack, self.timestamps.is_on).is_none();
            let is_there = self.slots.filled().iter().any(|f| f.slot == wanted.slot && f.part == wanted.part);
            let is_own = wanted.slot == "diagnosis" && self.public.segments_sent > 0;
            if can && !is_there && !is_own {
                let was = self.slots.put(wanted.slot, wanted.part, &self.params, &self.public);
                self.provide();
                self.settle_swap(wanted.slot, was.unwrap_or_default());
            }
        }
    }

    /// Whether it tells the other end something now.
    pub(super) const fn is_telling(&self) -> bool {
        self.needs.has(Needs::TELLING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_mechanisms_have_the_same_code() {
        let mut codes = vec![];
        for slot in slots().iter().filter(|slot| AT_RECEIVER.contains(&slot.name)) {
            for part in &slot.parts {
                let code = code(slot.name, part.id);
                assert!(!codes.contains(&code), "{} {}", slot.name, part.id);
                codes.push(code);
                let found = meant(code).expect("a mechanism");
                assert_eq!((found.slot, found.part), (slot.name, part.id));
            }
        }
        assert!(codes.len() > 20);
    }

    #[test]
    fn a_mechanism_whose_code_is_another_s_is_not_registered() {
        use crate::mechanisms::acking::EVERY;
        let named = |id: &'static str| crate::Part { id, ..EVERY }.register();
        let like = |id: &String| code("acking", id) == code("diagnosis", "eln");
        let id = (0..).map(|n| format!("x{n}")).find(like).expect("one in 2^15 is").leak();
        assert_eq!(named(id), Err(crate::Refused::Code { part: id, slot: "diagnosis", like: "eln" }));
        assert!(look_up("acking", id).is_err());
    }
}
