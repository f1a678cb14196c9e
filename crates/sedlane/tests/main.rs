//! Tests of the crate as others use it.

mod from_outside;
mod interfaces;
mod properties;
