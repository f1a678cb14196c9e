//! No station starts an exchange while its carrier, physical or virtual, is busy: told from the list of frames of
//! a contended run, by somebody who knows positions and air times and nothing of the simulator's receivers.

use hopwright_link::{Eifs, FrameKind};
use hopwright_machine::NodeId;
use hopwright_mobility::{Trajectory, placement};
use hopwright_radio::Interference;
use hopwright_sim::{Flow, FlowKind, FrameRecord, Pattern, Setup, Source};

use crate::support::{at, quiet, traced};

const DIFS: u64 = 50_000;
const SIFS: u64 = 10_000;
/// RTS; CTS and ACK, which are equally long.
const RTS: u64 = 352_000;
const CTS: u64 = 304_000;

/// Up to here, metres, power falls with the square of distance, beyond with the fourth power: 4 pi 1.5^2 / wavelength.
const CROSSOVER_M: f64 = 86.2;

/// A witness of a run in which all data frames are equally long. Times are nanoseconds.
struct Witness {
    /// Metres.
    at: Vec<(f64, f64)>,
    data: u64,
    rts: bool,
}

/// How often each rule was put to the test: starts, starts within a millisecond after another's frame, and within
/// a millisecond after another's reservation.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    starts: usize,
    after_frame: usize,
    after_reservation: usize,
}

impl Witness {
    fn distance_m(&self, a: usize, b: usize) -> f64 {
        (self.at[a].0 - self.at[b].0).hypot(self.at[a].1 - self.at[b].1)
    }

    fn air(&self, kind: FrameKind) -> u64 {
        match kind {
            FrameKind::Rts => RTS,
            FrameKind::Cts | FrameKind::Ack => CTS,
            FrameKind::Data => self.data,
        }
    }

    /// For how long after its end a frame reserves the medium.
    fn reserves(&self, kind: FrameKind) -> u64 {
        match kind {
            FrameKind::Rts => 3 * SIFS + CTS + self.data + CTS,
            FrameKind::Cts => 2 * SIFS + self.data + CTS,
            FrameKind::Data => SIFS + CTS,
            FrameKind::Ack => 0,
        }
    }

    /// When a frame is at a node: the node's own, or one that comes from at most `range_m` away.
    fn present(&self, frame: &FrameRecord, node: usize, range_m: f64) -> Option<(u64, u64)> {
        let distance_m = self.distance_m(frame.from.index(), node);
        let arrives = frame.at.as_nanos() + (distance_m / 299_792_458.0 * 1e9).round() as u64;
        (distance_m <= range_m).then_some((arrives, arrives + self.air(frame.kind)))
    }

    /// Whether `frame` reached `node` alone: nothing else, of others or its own, was there at the same time.
    fn alone(&self, frames: &[FrameRecord], number: usize, node: usize) -> bool {
        let Some((from, until)) = self.present(&frames[number], node, 250.0) else { return false };
        let near = |f: &&FrameRecord| f.at.as_nanos().abs_diff(from) < 2 * self.data;
        let later = frames[number + 1..].iter().take_while(near);
        let earlier = frames[..number].iter().rev().take_while(near);
        let overlaps = |f: &FrameRecord| self.present(f, node, 550.0).is_some_and(|(a, b)| a < until && b > from);
        !later.chain(earlier).any(overlaps)
    }

    fn check(&self, frames: &[FrameRecord]) -> Result<Seen, String> {
        let mut seen = Seen::default();
        let opening = if self.rts { FrameKind::Rts } else { FrameKind::Data };
        let longest = 2 * self.reserves(FrameKind::Rts);
        for (number, start) in frames.iter().enumerate().filter(|(_, f)| f.kind == opening) {
            let (now, node) = (start.at.as_nanos(), start.from.index());
            seen.starts += 1;
            let (mut frame_ended, mut reservation_ended) = (0, 0);
            let recent = |&i: &usize| now - frames[i].at.as_nanos() < longest;
            for earlier in (0..number).rev().take_while(recent) {
                let frame = &frames[earlier];
                // What arrives in the very instant cannot have been sensed.
                let Some((_, until)) = self.present(frame, node, 550.0).filter(|&(from, _)| from < now) else {
                    continue;
                };
                if now < until + DIFS {
                    return Err(format!("{start:?} starts although {frame:?} is there until {until} ns"));
                }
                frame_ended = frame_ended.max(until);
                let overheard = frame.from.index() != node && frame.to != Some(start.from);
                if overheard && self.alone(frames, earlier, node) {
                    let reserved = until + self.reserves(frame.kind);
                    if now < reserved + DIFS {
                        return Err(format!(
                            "{start:?} starts although {frame:?} reserved the medium to {reserved} ns"
                        ));
                    }
                    reservation_ended = reservation_ended.max(reserved);
                }
            }
            seen.after_frame += usize::from(now < frame_ended + 1_000_000);
            seen.after_reservation += usize::from(now < reservation_ended + 1_000_000);
        }
        Ok(seen)
    }
}

impl Witness {
    /// Whether every CTS and ACK answers a frame that its station can have received: one that ended a SIFS before,
    /// not while the station itself was sending, and at least ten times as strong as every frame that overlapped
    /// it there. Returns how many were captured from another.
    fn check_answers(&self, frames: &[FrameRecord]) -> Result<usize, String> {
        let mut captured = 0;
        let answers = |f: &FrameRecord| matches!(f.kind, FrameKind::Cts | FrameKind::Ack);
        for (number, answer) in frames.iter().enumerate().filter(|(_, f)| answers(f)) {
            let (now, node) = (answer.at.as_nanos(), answer.from.index());
            let near = |f: &&FrameRecord| now - f.at.as_nanos() < 3 * self.data;
            let recent: Vec<_> = frames[..number].iter().rev().take_while(near).collect();
            let asked = recent.iter().find(|f| {
                let ended = self.present(f, node, 250.0).is_some_and(|(_, until)| until + SIFS == now);
                ended && Some(f.from) == answer.to && f.to == Some(answer.from)
            });
            let asked = asked.ok_or_else(|| format!("{answer:?} answers nothing"))?;
            let (from, until) = self.present(asked, node, 250.0).expect("found above");
            let strength = |f: &FrameRecord| {
                let squared = self.distance_m(f.from.index(), node).max(1e-3); // its own: stronger than all
                let squared = squared * squared;
                1.0 / (squared * squared.max(CROSSOVER_M * CROSSOVER_M))
            };
            let mut alone = true;
            for other in recent.iter().filter(|f| *f != asked) {
                if self.present(other, node, 550.0).is_some_and(|(a, b)| a < until && b > from) {
                    alone = false;
                    if strength(asked) < 10.0 * strength(other) {
                        return Err(format!("{answer:?} answers {asked:?} in spite of {other:?}"));
                    }
                }
            }
            captured += usize::from(!alone);
        }
        Ok(captured)
    }
}

/// Flows of datagrams, each more than the medium takes, in a contended network; and its witness.
fn contended(places: Vec<hopwright_mobility::Position>, ends: &[(u32, u32)], rts: bool, ns2: bool) -> (Setup, Witness) {
    let mut setup = quiet(&[], rts, 5.0, ns2);
    let source = Source { payload_bytes: 1000, rate_bps: 8e5, jitter: 0.5, pattern: Pattern::Steady };
    let flow = |(number, &(from, to)): (usize, &(u32, u32))| Flow {
        from: NodeId(from),
        to: NodeId(to),
        start: at(0.001 * number as f64),
        stop: setup.end,
        kind: FlowKind::Udp(source),
    };
    setup.flows = ends.iter().enumerate().map(flow).collect();
    let witness = Witness {
        at: places.iter().map(|p| (p.x_m, p.y_m)).collect(),
        data: 192_000 + u64::from(1028 + setup.mac.header_bytes) * 4_000,
        rts,
    };
    setup.nodes = places.into_iter().map(Trajectory::fixed).collect();
    (setup, witness)
}

const GRID_ENDS: [(u32, u32); 5] = [(0, 4), (10, 14), (20, 24), (2, 22), (23, 3)];

#[test]
fn on_a_grid_nobody_starts_while_the_carrier_is_busy() {
    for (ns2, rts) in [(false, true), (false, false), (true, true), (true, false)] {
        let (setup, witness) = contended(placement::grid(5, 5, 200.0), &GRID_ENDS, rts, ns2);
        let run = traced(&setup, 1, &[]);
        let seen = witness.check(&run.frames).unwrap_or_else(|error| panic!("ns2 {ns2}, rts {rts}: {error}"));
        assert!(seen.starts > 1000 && seen.after_frame > 500, "ns2 {ns2}, rts {rts}: too little happened: {seen:?}");
        assert!(!rts || seen.after_reservation > 200, "ns2 {ns2}: too little was reserved: {seen:?}");
        assert!(run.report.mac.collisions.total > 50, "no contention");
    }
}

#[test]
fn nobody_answers_what_it_cannot_have_received() {
    for rts in [true, false] {
        let mut captured = 0;
        for seed in 0..12 {
            let ends: Vec<_> = (0..8).map(|n| (n, n + 10)).collect();
            let (setup, witness) = contended(placement::random(30, 1500.0, 900.0, seed), &ends, rts, false);
            let frames = traced(&setup, seed, &[]).frames;
            let seen = witness.check_answers(&frames);
            captured += seen.unwrap_or_else(|error| panic!("rts {rts}, seed {seed}: {error}"));
        }
        assert!(captured > 100, "rts {rts}: only {captured} frames survived another");
    }
}

#[test]
fn among_scattered_nodes_nobody_starts_while_the_carrier_is_busy() {
    for seed in 0..6 {
        for (ns2, rts) in [(false, true), (false, false), (true, true), (true, false)] {
            let places = placement::random(30, 1200.0, 600.0, seed);
            let ends: Vec<_> = (0..8).map(|n| (n, n + 10)).collect();
            let (setup, witness) = contended(places, &ends, rts, ns2);
            let run = traced(&setup, seed, &[]);
            let seen = witness.check(&run.frames);
            let seen = seen.unwrap_or_else(|error| panic!("ns2 {ns2}, rts {rts}, seed {seed}: {error}"));
            assert!(seen.starts > 300, "ns2 {ns2}, rts {rts}, seed {seed}: {seen:?}");
        }
    }
}

#[test]
fn the_rules_of_reception_and_of_eifs_may_be_mixed() {
    for eifs in [Eifs::InsteadOfDifs, Eifs::ThenDifs, Eifs::Never] {
        for interference in [Interference::All, Interference::Locked] {
            let (mut setup, witness) = contended(placement::grid(5, 5, 200.0), &GRID_ENDS, false, false);
            setup.mac.eifs = eifs;
            setup.radio.rule.interference = interference;
            let seen = witness.check(&traced(&setup, 1, &[]).frames);
            let seen = seen.unwrap_or_else(|error| panic!("{eifs:?}, {interference:?}: {error}"));
            assert!(seen.starts > 1000, "{seen:?}");
        }
    }
}

#[test]
fn the_witness_would_see_a_start_on_a_busy_medium() {
    let (setup, witness) = contended(placement::grid(5, 5, 200.0), &GRID_ENDS, true, false);
    let frames = traced(&setup, 1, &[]).frames;
    assert!(witness.check(&frames).is_ok());
    // The first RTS of node 0 to which an answer comes, put 100 µs into what node 1, in range, sends next.
    let plant = |into: FrameKind, after_ns: u64| {
        let mut frames = frames.clone();
        let heard = frames.iter().position(|f| f.from == NodeId(1) && f.kind == into && f.to != Some(NodeId(0)));
        let heard = heard.expect("node 1 sends");
        let planted = FrameRecord {
            at: frames[heard].at + hopwright_machine::Duration::from_nanos(after_ns),
            from: NodeId(0),
            to: Some(NodeId(1)),
            kind: FrameKind::Rts,
        };
        let place = frames.partition_point(|f| f.at <= planted.at);
        frames.insert(place, planted);
        witness.check(&frames)
    };
    assert!(plant(FrameKind::Rts, 100_000).is_err_and(|e| e.contains("is there until")));
    assert!(plant(FrameKind::Data, witness.data + 60_000).is_err());
}
