//! Two devices as the ends of a link.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use hopwright_machine::Time;
use hopwright_netns::Device;
use hopwright_scenario::LinkPair;

use super::run::{Ends, run};
use super::{Coming, Shaper, ShaperStatus, ShaperSummary, Side};
use crate::waiting::Clock;
use crate::watch::Watch;

/// Packets read from one side before the other one has its turn.
const BATCH: usize = 64;

struct Devices<'a> {
    sides: [(Side, &'a Device); 2],
    incoming: Vec<u8>,
}

/// Carries packets between both devices over the link, until `watch` is told to stop. `is_realtime`: the thread goes before
/// all others, and leaves them a tenth of the processor.
///
/// # Errors
/// If a device is gone, or cannot be waited for.
pub fn shape(
    [near, far]: [&Device; 2],
    link: LinkPair,
    seed: u64,
    watch: &Watch<ShaperStatus>,
    is_realtime: bool,
) -> io::Result<ShaperSummary> {
    let mut shaper = Shaper::new(link, seed, near.offloads());
    let incoming = vec![0; hopwright_netns::HEADER_BYTES + 65_536];
    run(&mut shaper, &mut Devices { sides: [(Side::Near, near), (Side::Far, far)], incoming }, watch, is_realtime)
}

impl Ends for Devices<'_> {
    fn read(&mut self, clock: &Clock, shaper: &mut Shaper) -> io::Result<bool> {
        let mut has_read = false;
        for (side, from) in self.sides {
            for _ in 0..BATCH {
                let Some(length) = from.read(&mut self.incoming).map_err(io::Error::other)? else { break };
                shaper.arrive(clock.now(), Coming::at(side), &mut self.incoming, length);
                has_read = true;
            }
        }
        Ok(has_read)
    }

    fn write(&mut self, _now: Time, side: Side, _client: u32, packet: &[u8]) -> io::Result<bool> {
        let (_, to) = self.sides[1 - side as usize];
        to.write(packet).map_err(io::Error::other)
    }

    fn wakers(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.sides.iter().map(|(_, device)| device.as_fd())
    }
}
