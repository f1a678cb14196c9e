//! Network namespaces whose only way out is a TUN device that this process reads and writes.
//!
//! [`Namespace::make`] makes one, with a device, an address and routes in it. Programs that run in it believe in an
//! ordinary network; every packet they send comes out of [`Namespace::device`]. Nothing of the machine's own network is
//! touched, and everything goes when the [`Namespace`] is dropped or its process ends, however that ends.

mod device;
mod error;
mod namespace;
mod netlink;
mod settings;
mod spec;

pub use device::{Device, HEADER_BYTES};
pub use error::Error;
pub use namespace::{Namespace, enter_new};
pub use spec::{DeviceSpec, Layer, Route, Spec};
