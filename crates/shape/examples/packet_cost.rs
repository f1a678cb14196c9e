//! What a link costs for each packet: offered, woken, and taken out again.
//!
//! ```text
//! cargo run --release -p hopwright-shape --example packet_cost
//! ```
//!
//! Bursts of 45 packets, which is what one 64 KB burst of an offloading host becomes, a millisecond apart, over links that
//! differ in one thing. For instructions instead of nanoseconds, which depend on the machine: one of its links by its
//! number under `valgrind --tool=callgrind --toggle-collect='packet_cost::drive*'`.

use std::time::Instant;

use hopwright_machine::{Duration, Machine as _, Time};
use hopwright_shape::profile::{Mode, Pipe, Profile};
use hopwright_shape::{Config, Following, Input, Jitter, Link, Loss, Output, Rate, Reordering, Share, Streams};

const BURST: u32 = 45;
const BURSTS: u32 = 20_000;

/// The packets of an emulation: a place in a ring of buffers, and a length.
type Packet = (u32, u32);

/// Drives a link as a shaper does: all of a burst comes, and what is due leaves at each deadline.
#[inline(never)]
fn drive(link: &mut Link<Packet>, bursts: u32) -> u64 {
    let mut arrived = 0;
    let mut take = |link: &mut Link<Packet>| {
        while let Some(output) = link.poll() {
            arrived += u64::from(matches!(output, Output::Arrived(_)));
        }
    };
    for n in 0..bursts {
        let now = Time::ZERO + Duration::from_millis(u64::from(n));
        while link.deadline() <= now {
            let due = link.deadline();
            link.handle(due, Input::Wake);
            take(link);
        }
        for k in 0..BURST {
            link.handle(now, Input::Offer { packet: (n * BURST + k, 1500), bytes: 1500 });
        }
        take(link);
    }
    arrived
}

fn main() {
    let path = Config { delay: Duration::from_millis(20), ..Config::default() };
    let lossy = Config { loss: Loss::each(0.01), ..path.clone() };
    let jitter = Jitter { share: 0.3, ..Jitter::default() };
    let links = [
        ("delay", path.clone()),
        ("delay, loss", lossy.clone()),
        ("delay, loss, rate", Config { rate: Rate::Fixed(1e9), ..lossy.clone() }),
        ("delay, jitter in order", Config { jitter, ..path.clone() }),
        ("delay, jitter out of order", Config { jitter: Jitter { reorders: true, ..jitter }, ..path.clone() }),
        ("delay, correlated jitter", Config { jitter: Jitter { correlation: 0.5, ..jitter }, ..path.clone() }),
        ("delay, bursts of losses", Config { loss: Loss::bursts(0.01, 3.0), ..path.clone() }),
        (
            "delay, reordering",
            Config { reordering: Reordering { share: 0.05, ..Reordering::default() }, ..path.clone() },
        ),
        ("delay, loss, copies", Config { copies: 0.01, ..lossy.clone() }),
        ("pipes in turn", Config { profile: Some(profile(Mode::Sequential)), ..Config::default() }),
        ("pipes at once", Config { profile: Some(profile(Mode::Simultaneous)), ..Config::default() }),
    ];
    let only: Option<usize> = std::env::args().nth(1).and_then(|word| word.parse().ok());
    for (name, config) in links.into_iter().enumerate().filter(|(n, _)| only.is_none_or(|o| o == *n)).map(|(_, l)| l) {
        let mut link = Link::new(config, Streams::new(1, 0));
        #[expect(clippy::disallowed_methods, reason = "an example may look at the clock")]
        let start = Instant::now();
        let arrived = drive(&mut link, BURSTS);
        let ns = start.elapsed().as_nanos() as f64 / f64::from(BURST * BURSTS);
        println!("{name:28} {ns:6.1} ns a packet ({arrived} arrived)");
    }
}

/// Twenty pipes of a tenth of a second.
fn profile(mode: Mode) -> Following {
    let pipe = |n: u64| Pipe {
        rtt: Duration::from_millis(20 + n),
        lifetime: Duration::from_millis(100),
        probability: 0.05,
        loss: 0.01,
        rate_bps: None,
    };
    let profile = Profile { mode, pipes: (0..20).map(pipe).collect(), repeats: true };
    Following { profile: profile.into(), share: Share::Half, loses: true }
}
