//! Bundles over links that fail, nodes that go down, and full relays, without a medium.

mod vectors;
mod world;
mod worlds;
