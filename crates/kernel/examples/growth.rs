//! How fast a window grows over a shaped link: the kernel's, in real time, and the engine's, in its own.
//!
//! ```text
//! cargo run --release -p hopwright-kernel --features libbpf --example growth [K] [SECONDS]
//! ```
//!
//! Both send to the same peer over the same link (4 Mb/s, 50 ms each way), and the peer acknowledges every segment. One
//! segment is lost, so that slow start ends with a window that the link holds without a queue: from three seconds on the
//! windows grow by one segment in K + 1 round trips, and the slopes of both lines are told. Needs root.

use std::collections::{BTreeSet, VecDeque};

use hopwright_converse::script::{Action, Name};
use hopwright_converse::subject::{Heard, ISS, PEER_ISS, ZERO};
use hopwright_converse::{Engine, Subject, parse};
use hopwright_kernel::{Loaded, Settings, Watch, mechanism, running};
use hopwright_machine::{Duration, Machine as _, Time};
use hopwright_replay::Kernel;
use hopwright_shape::{Config, Input, Link, Output as Fate, Queue, Rate, Streams};
use hopwright_transport::{Output, Params, protocol};
use hopwright_wire::ip::Ecn;
use hopwright_wire::tcp::{Flags, Options, Segment, Seq};

const DELAY: Duration = Duration::from_millis(50);
const RATE_BPS: f64 = 4e6;
/// The segment that is lost, once.
const LOST: u32 = 12_000;
/// From when on growth is told.
const FROM_S: f64 = 3.0;

fn segment(flags: Flags, seq: Seq, acked: u32) -> Segment {
    let mut options = Options::default();
    if flags.has(Flags::SYN) {
        options.mss = Some(1000);
        options.window_scale = Some(0);
    }
    let ack = ISS + 1 + acked;
    let (source_port, destination_port, ecn) = (2, 1, Ecn::NotCapable);
    Segment {
        source_port,
        destination_port,
        seq,
        ack,
        flags,
        window: 64_000,
        urgent: 0,
        options,
        payload_bytes: 0,
        ecn,
    }
}

/// The peer: what it has, and what it acknowledges when a segment comes.
#[derive(Default)]
struct Peer {
    next: u32,
    beyond: BTreeSet<u32>,
}

impl Peer {
    fn take(&mut self, offset: u32) -> u32 {
        self.beyond.insert(offset);
        while self.beyond.remove(&self.next) {
            self.next += 1000;
        }
        self.beyond.retain(|&beyond| beyond >= self.next);
        self.next
    }
}

/// Sends for so long, and says the windows after each acknowledgement: when, in seconds, and how many segments.
fn windows(subject: &mut dyn Subject, window: &dyn Fn(&dyn Subject) -> f64, seconds: u64) -> Vec<(f64, f64)> {
    let mut heard: VecDeque<Heard> = VecDeque::new();
    subject.listen(Time::ZERO + ZERO.saturating_sub(Duration::from_millis(100)), false, &mut heard);
    subject.act(&Action::Open);
    subject.listen(Time::ZERO + ZERO, false, &mut heard);
    subject.arrive(&segment(Flags::SYN.with(Flags::ACK), PEER_ISS, 0), &[]);
    subject.listen(subject.now() + Duration::from_millis(10), false, &mut heard);
    heard.clear();
    subject.act(&Action::Write(u64::from(u32::MAX)));
    let config = Config {
        rate: Rate::Fixed(RATE_BPS),
        delay: DELAY,
        queue: Queue { packets: 1000, ..Queue::default() },
        ..Config::default()
    };
    let mut link: Link<u32> = Link::new(config, Streams::new(1, 0));
    let (mut peer, mut acks, mut found, mut is_lost) = (Peer::default(), VecDeque::new(), vec![], false);
    let end = subject.now() + Duration::from_millis(seconds * 1000);
    while subject.now() < end {
        let next_ack = acks.front().map_or(end, |(at, _): &(Time, u32)| *at);
        subject.listen(link.deadline().min(next_ack).min(end), true, &mut heard);
        let now = subject.now();
        for heard in heard.drain(..) {
            let Output::Segment(sent) = heard.output else { continue };
            // The kernel hands over several segments at once where it may.
            for part in (0..sent.payload_bytes).step_by(1000) {
                let offset = sent.seq.bytes_since(ISS + 1) + part;
                if offset == LOST && !std::mem::replace(&mut is_lost, true) {
                    continue;
                }
                link.handle(now, Input::Offer { packet: offset, bytes: 1040 });
            }
        }
        while link.deadline() <= now {
            link.handle(link.deadline(), Input::Wake);
        }
        while let Some(fate) = link.poll() {
            if let Fate::Arrived(offset) = fate {
                acks.push_back((now + DELAY, peer.take(offset)));
            }
        }
        while acks.front().is_some_and(|(at, _)| *at <= now) {
            let Some((_, acked)) = acks.pop_front() else { break };
            subject.arrive(&segment(Flags::ACK, PEER_ISS + 1, acked), &[]);
            found.push((subject.now().since(Time::ZERO + ZERO).as_secs_f64(), window(subject)));
        }
    }
    found
}

/// The slope of the least squares from a time on.
fn slope(windows: &[(f64, f64)]) -> (f64, f64, usize) {
    let points: Vec<_> = windows.iter().filter(|(t, _)| *t >= FROM_S).collect();
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(|p| of(p)).sum::<f64>() / n;
    let (t, w) = (mean(|p| p.0), mean(|p| p.1));
    let top: f64 = points.iter().map(|p| (p.0 - t) * (p.1 - w)).sum();
    let bottom: f64 = points.iter().map(|p| (p.0 - t) * (p.0 - t)).sum();
    (top / bottom, w, points.len())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let k = words.next().unwrap_or_else(|| "10".to_owned());
    let seconds: u64 = words.next().unwrap_or_else(|| "33".to_owned()).parse()?;
    let script = parse(&format!(
        "set k {k}\nset initial_window_segments 10\nset limited_transmit true\nset min_rto_ms 1000\n0ms wake\n"
    ))
    .map_err(|m| m.to_string())?;
    let row = protocol("sca-newreno").ok_or("no protocol")?;
    let mut engine = Engine::new(row.recipe, row.params(Params::default()), &script.setup);
    let of_engine =
        |subject: &dyn Subject| subject.value(Name::Base).and_then(|text| text.parse().ok()).unwrap_or(0.0) / 1000.0;
    let (ours, mean, count) = slope(&windows(&mut engine, &of_engine, seconds));
    println!("engine: {ours:.4} segments a second, {mean:.2} segments in the mean, {count} acknowledgements");

    let mechanism = mechanism("sca").ok_or("no algorithm")?;
    let loaded = Loaded::new(mechanism, Some("hop_growth"), &Settings::of(mechanism, [("k", k.as_str())])?, false)?;
    let own = running()
        .into_iter()
        .find(|other| other.name == loaded.name() && other.is_selectable)
        .ok_or("it is not listed")?;
    let watch = Watch::new(&own)?;
    let mut kernel = Kernel::with(&script, loaded.name())?;
    let of_kernel = move |_: &dyn Subject| watch.look().ok().and_then(|all| all.first().map(|c| c.cwnd)).unwrap_or(0.0);
    let (theirs, mean, count) = slope(&windows(&mut kernel, &of_kernel, seconds));
    println!("kernel: {theirs:.4} segments a second, {mean:.2} segments in the mean, {count} acknowledgements");
    println!("kernel / engine: {:.4}", theirs / ours);
    Ok(())
}
