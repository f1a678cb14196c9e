//! What machines take, from the tables of a scenario: a file for each of the layers' configurations.

pub(crate) mod atp;
pub(crate) mod bundles;
mod errors;
mod flow;
pub(crate) mod link;
mod mac;
mod radio;
mod relay;
mod stamps;

pub(crate) use errors::errors;
pub(crate) use flow::kind;
pub(crate) use mac::mac;
pub(crate) use radio::radio;
pub(crate) use relay::relay;
pub(crate) use stamps::{has_contention, stamps};
