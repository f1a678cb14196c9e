//! The keys that a structure has, asked of its own `Deserialize`, so that no list is kept twice.

use core::fmt;

use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};

/// The names of the fields of `T`, in the order of its definition.
pub(crate) fn fields<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    let mut found: &'static [&'static str] = &[];
    let _ = T::deserialize(Probe(&mut found));
    found
}

/// A deserializer that holds nothing and only notes what it is asked for.
struct Probe<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = Nothing;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Nothing> {
        *self.0 = fields;
        Err(Nothing)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Nothing> {
        Err(Nothing)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The probe's only answer.
#[derive(Debug)]
struct Nothing;

impl fmt::Display for Nothing {
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

impl core::error::Error for Nothing {}

impl Error for Nothing {
    fn custom<T: fmt::Display>(_msg: T) -> Self {
        Self
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn fields_come_in_order() {
        assert_eq!(super::fields::<crate::model::Chain>(), ["hops", "spacing_m"]);
        assert!(super::fields::<crate::model::Bulk>().is_empty());
    }
}
