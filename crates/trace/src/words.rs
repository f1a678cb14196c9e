//! What sentences say of causes, by the cause's name: for `hopwright explain`.
//!
//! Holds     nothing is said here: each sentence stands beside its cause

use std::collections::BTreeMap;

use hopwright_machine::{DropCause, LossCause};
use hopwright_sim::{Miss, Relation, Silence};
use serde::Serialize;

use crate::answer;

/// By what is said of, then by name.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Words {
    /// A packet was dropped, as ...
    pub drops: BTreeMap<&'static str, &'static str>,
    /// The same in a table.
    pub drop_labels: BTreeMap<&'static str, &'static str>,
    /// A packet was lost to ...
    pub losses: BTreeMap<&'static str, &'static str>,
    /// Why a try came to nothing.
    pub tries: BTreeMap<&'static str, &'static str>,
    /// What became of tries, behind their number.
    pub counted_tries: BTreeMap<&'static str, &'static str>,
    /// Of the frame that stood in its way: why nobody waited for it.
    pub relations: BTreeMap<&'static str, &'static str>,
}

impl Words {
    /// Of all causes.
    #[must_use]
    pub fn new() -> Self {
        Self {
            drops: DropCause::ALL.map(|cause| (cause.name(), cause.says())).into(),
            drop_labels: DropCause::ALL.map(|cause| (cause.name(), cause.label())).into(),
            losses: LossCause::ALL.map(|cause| (cause.name(), cause.says())).into(),
            tries: tries().map(|(name, says, _)| (name, says)).collect(),
            counted_tries: tries().map(|(name, _, counted)| (name, counted)).collect(),
            relations: Relation::ALL.map(|relation| (relation.name(), relation.says())).into(),
        }
    }
}

/// Why tries come to nothing: in a word, in a sentence, behind a number.
pub(crate) fn tries() -> impl Iterator<Item = answer::Words> {
    let missed = Miss::ALL.map(|miss| (miss.name(), miss.says(), miss.counted()));
    let silent = Silence::ALL.map(|silence| (silence.name(), silence.says(), silence.counted()));
    missed.into_iter().chain(silent).chain(answer::ALL)
}
