//! Places on the plane, as scenarios write them.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, SeqAccess, Visitor};

/// `[x, y]`, metres. Serde's own arrays leave unread what follows: a third coordinate would be lost without a word.
pub(super) fn place<'de, D: Deserializer<'de>>(source: D) -> Result<[f64; 2], D::Error> {
    source.deserialize_seq(Place)
}

/// A list of them.
pub(super) fn places<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<[f64; 2]>, D::Error> {
    #[derive(Deserialize)]
    #[serde(transparent)]
    struct One(#[serde(deserialize_with = "place")] [f64; 2]);
    Ok(Vec::<One>::deserialize(source)?.into_iter().map(|one| one.0).collect())
}

struct Place;

impl<'de> Visitor<'de> for Place {
    type Value = [f64; 2];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of length 2")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<[f64; 2], A::Error> {
        let mut place = [0.0; 2];
        for (n, number) in place.iter_mut().enumerate() {
            *number = numbers.next_element()?.ok_or_else(|| A::Error::invalid_length(n, &self))?;
        }
        let mut count = place.len();
        while numbers.next_element::<IgnoredAny>()?.is_some() {
            count += 1;
        }
        if count > place.len() { Err(A::Error::invalid_length(count, &self)) } else { Ok(place) }
    }
}
