//! What sentences say of causes, by the cause's name: for `hopwright explain`.
//!
//! Holds     nothing is said here: each sentence stands beside its cause

use std::collections::BTreeMap;

use hopwright_machine::{DropCause, LossCause};
use hopwright_sim::{Miss, Relation, Silence};

use crate::answer;
use crate::lineage::reasons::{self, Said};

/// By what is said of, then by the cause's name.
pub type Words = BTreeMap<&'static str, BTreeMap<&'static str, &'static str>>;

/// What is said of all causes.
#[must_use]
pub fn words() -> Words {
    let reasons = |said: &[Said]| said.iter().copied().collect();
    Words::from([
        ("drops", DropCause::ALL.map(|cause| (cause.name(), cause.says())).into()),
        ("drop_labels", DropCause::ALL.map(|cause| (cause.name(), cause.label())).into()),
        ("losses", LossCause::ALL.map(|cause| (cause.name(), cause.says())).into()),
        ("losses_of_bundles", reasons(&reasons::LOSSES)),
        ("tries", tries().map(|(name, says, _)| (name, says)).collect()),
        ("counted_tries", tries().map(|(name, _, counted)| (name, counted)).collect()),
        ("relations", Relation::ALL.map(|relation| (relation.name(), relation.says())).into()),
        ("reactions", reasons(&reasons::REACTIONS)),
        ("cuts", reasons(&reasons::CUTS)),
        ("bundle_resent", reasons(&reasons::RESENT)),
        ("resent_shortly", reasons(&reasons::RESENT_SHORTLY)),
        ("bundle_part_deleted", reasons(&reasons::DELETED)),
        ("bundle_lost", reasons(&reasons::LOST)),
        ("bundle_silent", reasons(&reasons::SILENT)),
    ])
}

/// Why tries come to nothing: in a word, in a sentence, behind a number.
pub(crate) fn tries() -> impl Iterator<Item = answer::Words> {
    let missed = Miss::ALL.map(|miss| (miss.name(), miss.says(), miss.counted()));
    let silent = Silence::ALL.map(|silence| (silence.name(), silence.says(), silence.counted()));
    missed.into_iter().chain(silent).chain(answer::ALL)
}
