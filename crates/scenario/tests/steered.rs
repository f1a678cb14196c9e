//! What is done to a network from outside while it runs gives what the same thing gives if it was planned.

use std::borrow::Cow;
use std::path::Path;

use hopwright_machine::{Duration, NodeId, Time};
use hopwright_mobility::{Position, Switch};
use hopwright_sim::{LinkChange, Options, Outcome, Setup, Simulation, Unsteerable};

use crate::draw::{Dice, draw};
use crate::stepped::{shorten, time};

/// How many runs are drawn; `DRAWN=2000 cargo test -p hopwright-scenario --test it steered` draws more.
const DRAWN: u64 = 200;

/// Something done to the network.
#[derive(Clone, Debug)]
enum Act {
    Place(NodeId, Position),
    Travel(NodeId, Position, f64),
    Switch(NodeId, bool),
    Reshape(usize, Box<LinkChange>),
}

/// The number of events is not compared: what is planned is one.
fn shown(mut outcome: Outcome) -> String {
    outcome.report.events = 0;
    format!("{:?} {:?}", outcome.report, outcome.ledger)
}

#[test]
fn what_is_planned_and_what_is_done_are_the_same() {
    let drawn = std::env::var("DRAWN").ok().and_then(|n| n.parse().ok()).unwrap_or(DRAWN);
    let (mut ran, mut acted, mut stopped) = (0, [0; 4], 0);
    // Links are drawn seldom: it goes on until all has been done often enough.
    let is_enough = |acted: &[u64; 4]| acted.iter().all(|&n| n > drawn / 40);
    for n in 0..10 * drawn {
        if n >= drawn && is_enough(&acted) {
            break;
        }
        let dice = &mut Dice::of_number(7_000_000 + n);
        let Ok((text, loaded)) = draw(dice, Path::new("tests/files")) else { continue };
        let seed = loaded.scenario.run.seed;
        let mut setup = loaded.setup(seed).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        shorten(&mut setup, seed);
        let acts = acts(dice, &setup);
        // Measurements begin before the end, or they would be of nothing.
        let end = if dice.happens(50) { time(dice, &setup).max(setup.warm_up) } else { setup.end };
        let mut planned = setup.clone();
        planned.end = end;
        acts.iter().for_each(|(at, act)| plan(&mut planned, *at, act));
        let options = Options { steered: true, ..Options::default() };
        let planned = Simulation::new(Cow::Owned(planned), seed, &options).finish();
        let mut live = Simulation::new(Cow::Borrowed(&setup), seed, &options);
        for (at, act) in acts.iter().filter(|(at, _)| *at <= end) {
            live.advance(*at);
            carry_out(&mut live, act);
            acted[match act {
                Act::Place(..) => 0,
                Act::Travel(..) => 1,
                Act::Switch(..) => 2,
                Act::Reshape(..) => 3,
            }] += 1;
        }
        live.advance(end);
        live.stop();
        assert_eq!(shown(live.finish()), shown(planned), "run {n}: until {end}: {acts:?}\n{text}");
        stopped += u64::from(end < setup.end);
        ran += 1;
    }
    println!("{ran} ran, {stopped} stopped, {acted:?}");
    assert!(ran >= drawn * 8 / 10 && stopped > drawn / 5, "what is never done is never tested");
    assert!(is_enough(&acted), "{acted:?}");
}

/// Up to a dozen things to do, in the order of their times.
fn acts(dice: &mut Dice<'_>, setup: &Setup) -> Vec<(Time, Act)> {
    let mut times: Vec<Time> = (0..dice.below(13)).map(|_| time(dice, setup)).collect();
    times.sort_unstable();
    times.dedup();
    times.retain(|&at| at > Time::ZERO); // static routes are those of the places at the start
    let act = |at: Time| {
        if !setup.links.is_empty() {
            let link = dice.below(setup.links.len());
            let mut shape = setup.links[link].shape.clone();
            shape.forward.delay = Duration::from_micros(dice.below(100_000) as u64);
            let change = LinkChange { at, shape, network: None, clears: dice.happens(30) };
            return (at, Act::Reshape(link, Box::new(change)));
        }
        let node = NodeId(dice.below(setup.nodes.len()) as u32);
        let mut somewhere = || Position::new(dice.below(1500) as f64, dice.below(300) as f64);
        let place = somewhere();
        let act = match dice.below(4) {
            0 => Act::Place(node, place),
            1 => Act::Travel(node, place, dice.below(40) as f64),
            2 => Act::Switch(node, true),
            _ => Act::Switch(node, false),
        };
        (at, act)
    };
    times.into_iter().map(act).collect()
}

/// Has it happen at its time.
fn plan(setup: &mut Setup, at: Time, act: &Act) {
    match act {
        // A planned place holds from its time on; one that is given, for what comes after all that happens at its time.
        Act::Place(node, place) => setup.nodes[node.index()].place_at(at + Duration::from_nanos(1), *place),
        Act::Travel(node, place, speed_mps) => setup.nodes[node.index()].travel_to(at, *place, *speed_mps),
        Act::Switch(node, up) => setup.switches.push(Switch { at, node: *node, up: *up }),
        Act::Reshape(link, change) => {
            setup.links[*link].changes.push(change.as_ref().clone());
            setup.links[*link].changes.sort_by_key(|change| change.at);
        }
    }
}

fn carry_out(simulation: &mut Simulation<'_>, act: &Act) {
    let done = match act {
        Act::Place(node, place) => simulation.place(*node, *place),
        Act::Travel(node, place, speed_mps) => simulation.travel(*node, *place, *speed_mps),
        Act::Switch(node, up) => simulation.switch(*node, *up),
        Act::Reshape(link, change) => simulation.reshape(*link, change),
    };
    done.expect("it fits the network");
}

#[test]
fn what_does_not_fit_the_network_is_refused() {
    let loaded = hopwright_scenario::load("../../scenarios/chain.toml".as_ref(), &[]).expect("a scenario");
    let options = Options { steered: true, ..Options::default() };
    let setup = loaded.setup(1).expect("a setup");
    let mut chain = Simulation::new(Cow::Owned(setup), 1, &options);
    let loaded = hopwright_scenario::load("../../scenarios/links/velayutham.toml".as_ref(), &[]).expect("a scenario");
    let setup = loaded.setup(1).expect("a setup");
    let shape = setup.links[0].shape.clone();
    let change = LinkChange { at: Time::ZERO, shape, network: None, clears: false };
    let mut links = Simulation::new(Cow::Owned(setup), 1, &options);
    assert_eq!(chain.reshape(0, &change), Err(Unsteerable::NoLinks));
    assert_eq!(links.place(NodeId(0), Position::ORIGIN), Err(Unsteerable::NoMedium));
    assert_eq!(links.switch(NodeId(0), false), Err(Unsteerable::NoMedium));
    let mut one_way = change;
    one_way.shape.backward = hopwright_sim::Backward::Never;
    assert_eq!(links.reshape(0, &one_way), Err(Unsteerable::Directions));
}
