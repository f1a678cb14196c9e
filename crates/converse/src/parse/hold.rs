//! Lines with `=`: what holds.

use super::words::Words;
use crate::mistake::Mistake;
use crate::script::{Deed, Name, STATES};

/// What can be asked, by its word.
const NAMES: [(&str, Name); 27] = [
    ("state", Name::State),
    ("cwnd", Name::Cwnd),
    ("base", Name::Base),
    ("ssthresh", Name::Ssthresh),
    ("phase", Name::Phase),
    ("flight", Name::Flight),
    ("rto", Name::Rto),
    ("srtt", Name::Srtt),
    ("timeouts", Name::Timeouts),
    ("retransmissions", Name::Retransmissions),
    ("segments", Name::Segments),
    ("acked", Name::Acked),
    ("delivered", Name::Delivered),
    ("duplicates", Name::Duplicates),
    ("mss", Name::Mss),
    ("readable", Name::Readable),
    ("backlog", Name::Backlog),
    ("received", Name::Received),
    ("spurious", Name::Spurious),
    ("needless", Name::Needless),
    ("duplicate_acks", Name::DuplicateAcks),
    ("dsacks", Name::Dsacks),
    ("congestion", Name::Congestion),
    ("channel", Name::Channel),
    ("route", Name::Route),
    ("freezes", Name::Freezes),
    ("probes", Name::Probes),
];

pub(super) fn hold(words: &mut Words<'_>) -> Result<Deed, Mistake> {
    let mut pairs = vec![];
    while words.peek().is_some() || pairs.is_empty() {
        let all = || NAMES.map(|(word, _)| word).join(", ");
        let word = words.next(&all())?;
        let known = NAMES.iter().find(|(name, _)| *name == word);
        let (_, name) = known.ok_or_else(|| Mistake::new(word, all()))?;
        let value = words.next("a value")?;
        if *name == Name::State && !STATES.iter().any(|state| format!("{state:?}") == value) {
            return Err(Mistake::new(value, STATES.map(|state| format!("{state:?}")).join(", ")));
        }
        pairs.push((*name, value.into()));
    }
    Ok(Deed::Hold(pairs))
}
