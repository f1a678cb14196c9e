//! A run that is taken in steps is the run that is taken in one piece: the same things done at the same times give the
//! same results, whatever the steps, whoever looks and whoever listens.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};

use hopwright_machine::{NodeId, Time};
use hopwright_sim::{Event, FlowKind, Options, Outcome, Setup, Simulation, Trace, Watch, run};
use hopwright_transport::slots;
use hopwright_wire::Payload;
use hopwright_wire::ip::Opaque;
use hopwright_wire::udp::Datagram;

use crate::draw::{Dice, draw};

/// How many runs are drawn; `DRAWN=2000 cargo test -p hopwright-scenario --test it stepped` draws more.
const DRAWN: u64 = 250;

/// A run is short: it ends with about this event.
const EVENTS: u64 = 2_500;

/// Something done from outside.
#[derive(Clone, Debug)]
enum Act {
    Attach(NodeId),
    Inject { from: NodeId, to: NodeId, bytes: u32 },
    Drain(NodeId),
    Swap { flow: usize, slot: &'static str, part: &'static str },
}

#[test]
fn steps_change_nothing() {
    let drawn = std::env::var("DRAWN").ok().and_then(|n| n.parse().ok()).unwrap_or(DRAWN);
    let (mut ran, mut swaps, mut arrived, mut routers) = (0, 0, 0, std::collections::BTreeSet::new());
    for n in 0..drawn {
        println!("run {n}");
        let dice = &mut Dice::of_number(1_000_000 + n);
        let Ok((text, loaded)) = draw(dice, Path::new("tests/files")) else { continue };
        let seed = loaded.scenario.run.seed;
        let mut setup = loaded.setup(seed).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        shorten(&mut setup, seed);
        let acts = acts(dice, &setup);
        let (plain, told) = play(&setup, seed, &acts, &[], None);
        assert_eq!(
            play(&setup, seed, &acts, &stops(dice, &setup, &acts), None),
            (plain.clone(), told.clone()),
            "{text}"
        );
        let heard = Arc::default();
        assert_eq!(play(&setup, seed, &acts, &[], Some(&heard)), (plain.clone(), told.clone()), "{text}");
        let heard_in_steps = Arc::default();
        let stops = stops(dice, &setup, &acts);
        assert_eq!(play(&setup, seed, &acts, &stops, Some(&heard_in_steps)), (plain.clone(), told.clone()), "{text}");
        assert_eq!(*heard.lock().unwrap(), *heard_in_steps.lock().unwrap(), "traces differ: {acts:?}\n{text}");
        if acts.is_empty() {
            let whole = run(&setup, seed, &Options::default(), &Watch::default()).expect("nobody cancels");
            assert_eq!(shown(&whole), plain, "{text}");
        }
        ran += 1;
        swaps += told.matches("swapped").count();
        arrived += told.matches("arrived").count();
        routers.insert(format!("{:?}", loaded.scenario.routing.protocol));
    }
    println!("{ran} ran, {swaps} swaps, {arrived} packets arrived outside, {routers:?}");
    // What is never done is never tested.
    assert!(ran >= drawn * 8 / 10 && swaps as u64 > drawn / 2 && arrived as u64 > drawn / 10 && routers.len() == 5);
}

/// Ends the run early where it has much to do.
pub(crate) fn shorten(setup: &mut Setup, seed: u64) {
    // What is shown of a sender lists its whole window: with the largest that are drawn, gigabytes.
    for flow in &mut setup.flows {
        if let FlowKind::Tcp { params, .. } = &mut flow.kind {
            params.window_limit_segments = params.window_limit_segments.min(100);
        }
    }
    let mut simulation = Simulation::new(Cow::Borrowed(setup), seed, &Options::default());
    let end = if simulation.advance_some(setup.end, EVENTS) { setup.end } else { simulation.now() };
    drop(simulation);
    setup.end = end;
    setup.warm_up = setup.warm_up.min(end);
}

/// Up to a dozen things to do, in the order of their times, some of them at one time.
fn acts(dice: &mut Dice<'_>, setup: &Setup) -> Vec<(Time, Act)> {
    let nodes = setup.nodes.len();
    let tcp: Vec<usize> =
        (0..setup.flows.len()).filter(|&flow| matches!(setup.flows[flow].kind, FlowKind::Tcp { .. })).collect();
    let mut times: Vec<Time> = (0..dice.below(13)).map(|_| time(dice, setup)).collect();
    if times.len() > 2 && dice.happens(30) {
        times[1] = times[0];
    }
    times.sort_unstable();
    let mut acts = Vec::new();
    if !times.is_empty() && dice.happens(70) {
        acts.extend((0..nodes as u32).map(|node| (Time::ZERO, Act::Attach(NodeId(node)))));
    }
    for at in times {
        let node = |dice: &mut Dice<'_>| NodeId(dice.below(nodes) as u32);
        let act = match dice.below(8) {
            0 => Act::Attach(node(dice)),
            1 => Act::Drain(node(dice)),
            2..=4 => Act::Inject { from: node(dice), to: node(dice), bytes: dice.below(1500) as u32 },
            _ if tcp.is_empty() => continue,
            _ => {
                let slots = slots();
                let slot = dice.one_of(&slots);
                Act::Swap { flow: *dice.one_of(&tcp), slot: slot.name, part: dice.one_of(&slot.parts).id }
            }
        };
        acts.push((at, act));
    }
    acts
}

/// A time of the run; sometimes one that means something.
pub(crate) fn time(dice: &mut Dice<'_>, setup: &Setup) -> Time {
    match dice.below(10) {
        0 => Time::ZERO,
        1 => setup.warm_up,
        2 => setup.end,
        _ => Time::from_nanos((setup.end.as_nanos() as f64 * dice.below(10_000) as f64 / 1e4) as u64),
    }
}

/// Times at which to stop, those of the acts among them.
fn stops(dice: &mut Dice<'_>, setup: &Setup, acts: &[(Time, Act)]) -> Vec<Time> {
    let mut stops: Vec<Time> = (0..dice.below(40)).map(|_| time(dice, setup)).collect();
    stops.extend(acts.iter().map(|&(at, _)| at));
    stops.sort_unstable();
    stops
}

/// Does it; returns results, and what came of each act.
fn play(
    setup: &Setup,
    seed: u64,
    acts: &[(Time, Act)],
    stops: &[Time],
    heard: Option<&Arc<Mutex<String>>>,
) -> (String, String) {
    let (setup, options) = (Cow::Borrowed(setup), Options::default());
    let mut simulation = match heard {
        None => Simulation::new(setup, seed, &options),
        Some(heard) => Simulation::traced(setup, seed, &options, Box::new(Listener(Arc::clone(heard)))),
    };
    let mut told = String::new();
    let mut stops = stops.iter().copied().peekable();
    for (at, act) in acts {
        while let Some(stop) = stops.next_if(|stop| stop <= at) {
            step(&mut simulation, stop);
        }
        simulation.advance(*at);
        assert_eq!(simulation.now(), *at);
        do_it(&mut simulation, act, &mut told);
    }
    for stop in stops {
        step(&mut simulation, stop);
    }
    simulation.advance(simulation.end());
    for node in 0..simulation.setup().nodes.len() as u32 {
        do_it(&mut simulation, &Act::Drain(NodeId(node)), &mut told);
    }
    (shown(&simulation.finish()), told)
}

/// A step, in pieces, and a look around: which changes nothing.
fn step(simulation: &mut Simulation<'_>, until: Time) {
    assert!(simulation.now() <= until);
    while !simulation.advance_some(until, 7) {}
    assert_eq!(simulation.now(), until);
    assert!(simulation.next() > until, "something was left to be done at {until}");
    for node in (0..simulation.setup().nodes.len() as u32).map(NodeId) {
        let _ = (simulation.node(node), simulation.route(node, NodeId(0).address()));
    }
    for flow in 0..simulation.setup().flows.len() {
        let _ = (simulation.flow(flow), simulation.mechanisms(flow).count());
    }
}

fn do_it(simulation: &mut Simulation<'_>, act: &Act, told: &mut String) {
    match *act {
        Act::Attach(node) => simulation.attach(node),
        Act::Inject { from, to, bytes } => {
            // The ports are those of a flow, whose packet it is not.
            let datagram = Datagram { source_port: 33_001, destination_port: 5001, payload_bytes: bytes };
            let payload = match bytes % 2 {
                0 => Payload::Udp(datagram),
                _ => Payload::Opaque(Opaque { protocol: 1, bytes: vec![7; bytes as usize].into(), head: None }.into()),
            };
            let id = simulation.inject(from, to.address(), payload);
            let _ = write!(told, "{id:?} ");
        }
        Act::Drain(node) => {
            for (at, packet) in simulation.drain(node) {
                let _ = write!(told, "{:?} arrived {at} ", packet.id);
            }
        }
        Act::Swap { flow, slot, part } => {
            let _ = match simulation.swap(flow, &[(slot, part)]) {
                Ok(were) => write!(told, "swapped {were:?} "),
                Err(error) => write!(told, "{error} "),
            };
        }
    }
}

fn shown(outcome: &Outcome) -> String {
    format!("{:?} {:?}", outcome.report, outcome.ledger)
}

/// Writes down everything.
struct Listener(Arc<Mutex<String>>);

impl Trace for Listener {
    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        let _ = writeln!(self.0.lock().unwrap(), "{at} {node} {event:?}");
    }

    fn hears(&self, node: NodeId) -> bool {
        node.0.is_multiple_of(2)
    }

    fn asks_how_busy(&self) -> bool {
        true
    }
}
