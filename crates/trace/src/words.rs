//! What sentences say of causes, by the cause's name: for `hopwright explain`.
//!
//! Holds     nothing is said here: each sentence stands beside its cause

use std::collections::BTreeMap;

use hopwright_machine::{DropCause, LossCause};
use hopwright_sim::{Miss, Relation, Silence};

use crate::answer;
use crate::lineage::reasons;

/// By what is said of, then by the cause's name.
pub type Words = BTreeMap<&'static str, BTreeMap<&'static str, &'static str>>;

/// What is said of all causes.
#[must_use]
pub fn words() -> Words {
    let mut words = Words::from([
        ("drops", DropCause::ALL.map(|cause| (cause.name(), cause.says())).into()),
        ("drop_labels", DropCause::ALL.map(|cause| (cause.name(), cause.label())).into()),
        ("losses", LossCause::ALL.map(|cause| (cause.name(), cause.says())).into()),
        ("tries", tries().map(|[name, says, _]| (name, says)).collect()),
        ("counted_tries", tries().map(|[name, _, counted]| (name, counted)).collect()),
        ("relations", Relation::ALL.map(|relation| relation.words().into()).into()),
    ]);
    words.extend(reasons::ALL.map(|(name, said)| (name, said.iter().copied().collect())));
    words
}

/// Why tries come to nothing: in a word, in a sentence, behind a number.
pub(crate) fn tries() -> impl Iterator<Item = [&'static str; 3]> {
    let silent = Silence::ALL.map(Silence::words);
    Miss::ALL.map(Miss::words).into_iter().chain(silent).chain(answer::ALL)
}
