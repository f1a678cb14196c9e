//! What tests of links share: packets offered at stated times, and what became of them.

use hopwright_machine::{Duration, Machine as _, Time};
use hopwright_shape::{Config, Input, Link, Output, Streams, Why};

pub(crate) fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

pub(crate) fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// What became of packets, and when: each by its number; one that arrived twice is there twice.
pub(crate) type Fates = Vec<(Time, u32, Option<Why>)>;

/// Offers packets of these lengths at these times, the numbers of which are their places.
pub(crate) fn play(config: Config, seed: u64, offers: &[(Time, u32)]) -> Fates {
    let mut link = Link::new(config, Streams::new(seed, 0));
    let (mut fates, mut next) = (vec![], 0);
    loop {
        let due = offers.get(next).map_or(Time::NEVER, |(at, _)| *at);
        let now = due.min(link.deadline());
        if now.is_never() {
            assert_eq!(link.held(), 0);
            return fates;
        }
        if link.deadline() <= due {
            link.handle(now, Input::Wake);
        } else {
            link.handle(now, Input::Offer { packet: next as u32, bytes: offers[next].1 });
            next += 1;
        }
        while let Some(output) = link.poll() {
            let (packet, gone) = match output {
                Output::Arrived(packet) => (packet, None),
                Output::ArrivedTwice(packet) => {
                    fates.push((now, packet, None));
                    (packet, None)
                }
                Output::Gone(packet, why) => (packet, Some(why)),
            };
            fates.push((now, packet, gone));
        }
    }
}
