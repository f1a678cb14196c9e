//! The nodes' places and ways, the flows' ends on them, and whether packets can get from one end to the other.

use std::collections::BTreeSet;
use std::iter::repeat_n;

use hopwright_machine::{NodeId, Purpose, Stream, Time};
use hopwright_mobility::{Position, Switch, Trajectory, placement};
use hopwright_radio::Radio;

use super::{attach, errors, flows, links, mobility, output, relays, rules};
use crate::model::{Ends, Scenario, Shadowing, Topology};
use crate::read::Document;

/// More nodes than this are refused: a slip of the keyboard, most likely.
const MOST_NODES: u64 = 10_000;

/// Where the nodes are and who sends to whom, for one seed.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) nodes: Vec<Trajectory>,
    /// Who goes down and comes up when, in order of time.
    pub(crate) switches: Vec<Switch>,
    /// Which entry of `[[flows]]`, from whom, to whom.
    pub(crate) ends: Vec<(usize, NodeId, NodeId)>,
}

/// What a movement file says: where nodes are, and when they are there at all.
pub(crate) type Movement<'a> = (&'a [Trajectory], &'a [Switch]);

/// Places the nodes, draws what is left to chance, and checks the flows. `movement`: from the movement file.
pub(crate) fn build(
    document: &mut Document,
    scenario: &Scenario,
    movement: Option<Movement<'_>>,
    seed: u64,
) -> Option<World> {
    let before = document.errors.len();
    let (mut nodes, mut switches) = match movement {
        Some((nodes, switches)) => {
            let points: usize = nodes.iter().map(|node| node.waypoints().len()).sum();
            if points as f64 > mobility::MOST_WAYPOINTS {
                let reason = format!(
                    "the file has {points} turning points, at most {:.0e} are possible: cut it to the nodes and the time \
                     that the run needs",
                    mobility::MOST_WAYPOINTS
                );
                document.refuse("topology.file", reason);
                return None;
            }
            (nodes.to_vec(), switches.to_vec())
        }
        None => {
            let places = places(document, scenario, seed)?;
            (mobility::ways(document, scenario, &places, seed)?, Vec::new())
        }
    };
    if nodes.len() as u64 > MOST_NODES {
        document.refuse("topology", format!("{} nodes are more than the {MOST_NODES} allowed", nodes.len()));
        return None;
    }
    mobility::script(document, scenario, &mut nodes, &mut switches);
    flows::ends(document, scenario, nodes.len());
    errors::nodes(document, scenario, nodes.len());
    output::nodes(document, &scenario.output, nodes.len());
    let moves = nodes.iter().position(|n| !n.is_static());
    if let Some(node) = moves
        && rules::is_static_routing(scenario)
    {
        let reason = format!(
            "static routes are installed before the start, but nodes move (node {node}); use routing.protocol = 'aodv'"
        );
        document.refuse(refused_key(document, scenario), reason);
    } else if let Some(switch) = switches.first()
        && rules::is_static_routing(scenario)
    {
        let reason = format!(
            "static routes are installed before the start, but nodes go down and come up (node {}); use \
             routing.protocol = 'aodv'",
            switch.node.0
        );
        document.refuse(refused_key(document, scenario), reason);
    }
    if document.errors.len() > before {
        return None;
    }
    attach::rules(document, scenario, nodes.len());
    let world = World { ends: ends(scenario, nodes.len() as u32, seed), nodes, switches };
    if rules::has_links(scenario) {
        links::connected(document, scenario, &world.ends, world.nodes.len());
        if document.errors.len() == before {
            relays::ways(document, scenario, &world.ends, world.nodes.len());
        }
        return (document.errors.len() == before).then_some(world);
    }
    let changes = moves.is_some() || !world.switches.is_empty();
    if !changes && (rules::is_static_routing(scenario) || !rules::is_placed_by_chance(scenario)) {
        connected(document, scenario, &world, seed);
    }
    (document.errors.len() == before).then_some(world)
}

/// The key to blame for static routes in a network that changes.
fn refused_key(document: &Document, scenario: &Scenario) -> &'static str {
    if document.gives("routing.protocol") {
        "routing.protocol"
    } else if !scenario.events.is_empty() {
        "events"
    } else if scenario.mobility.moves() {
        "mobility.model"
    } else {
        "topology.file"
    }
}

fn places(document: &mut Document, scenario: &Scenario, seed: u64) -> Option<Vec<Position>> {
    let area = &scenario.area;
    Some(match &scenario.topology {
        Topology::Chain(c) => placement::chain(c.hops, c.spacing_m),
        Topology::Grid(g) => {
            if u64::from(g.rows) * u64::from(g.columns) > MOST_NODES {
                let reason = format!("{} x {} nodes are more than the {MOST_NODES} allowed", g.rows, g.columns);
                document.refuse("topology.rows", reason);
                return None;
            }
            placement::grid(g.rows, g.columns, g.spacing_m)
        }
        Topology::Cross(c) => placement::cross(c.arm_hops, c.spacing_m),
        Topology::Star(s) => placement::star(s.leaves, s.radius_m),
        Topology::Random(r) => placement::random(r.nodes, area.width_m, area.height_m, seed),
        Topology::Links(_) => (0..links::nodes(scenario)).map(|_| Position::default()).collect(),
        Topology::Positions(p) if p.list.is_empty() => {
            document.refuse("topology.list", "at least one position is needed".to_owned());
            return None;
        }
        Topology::Positions(p) => placement::positions(&p.list),
        Topology::Ns2(_) | Topology::BonnMotion(_) | Topology::SumoFcd(_) => {
            unreachable!("a movement file comes with its nodes")
        }
    })
}

/// The ends of every flow, those left to chance being drawn.
fn ends(scenario: &Scenario, nodes: u32, seed: u64) -> Vec<(usize, NodeId, NodeId)> {
    let mut all = Vec::new();
    for (n, flow) in scenario.flows.iter().enumerate() {
        let copies = flow.copies.parallel as usize;
        match &flow.ends {
            Ends::Two(ends) => all.extend(repeat_n((n, NodeId(ends.from), NodeId(ends.to)), copies)),
            Ends::Random(drawn) => {
                // A stream per entry: a new entry leaves the draws of the others alone.
                let mut stream = Stream::new(seed, NodeId(n as u32), Purpose::Traffic);
                let mut taken = BTreeSet::new();
                while taken.len() < drawn.count as usize {
                    let from = stream.below(nodes);
                    let other = stream.below(nodes - 1);
                    let to = if other >= from { other + 1 } else { other };
                    if taken.insert((from, to)) {
                        all.extend(repeat_n((n, NodeId(from), NodeId(to)), copies));
                    }
                }
            }
        }
    }
    all
}

/// Refuses flows whose ends no chain of links joins. Only where nothing moves.
fn connected(document: &mut Document, scenario: &Scenario, world: &World, seed: u64) {
    let config = crate::setup::radio(scenario);
    let radio = Radio::new(&config);
    let at: Vec<Position> = world.nodes.iter().map(|n| n.position(Time::ZERO)).collect();
    let island = islands(at.len(), |a, b| {
        let gain = config.shadowing.of_link(seed, NodeId(a as u32), NodeId(b as u32));
        radio.hear(at[a].distance_squared(at[b]), gain).is_some_and(|heard| heard.decodable)
    });
    let mut told = BTreeSet::new();
    for &(n, from, to) in &world.ends {
        if island[from.index()] == island[to.index()] || !told.insert(n) {
            continue;
        }
        let (last, next, gap_m) = gap(&at, &island, island[from.index()]);
        let drawn = match scenario.flows[n].ends {
            Ends::Two(_) if scenario.radio.shadowing != Shadowing::Link && !rules::is_placed_by_chance(scenario) => {
                String::new()
            }
            _ => format!(" with seed {seed}"),
        };
        let reason = format!(
            "node {to} cannot be reached from node {from}{drawn}: the way ends at node {last}; the nearest node beyond, \
             {next}, is {gap_m:.1} m away, and reception reaches {:.1} m{}",
            radio.reception_range_m(),
            if scenario.radio.shadowing == Shadowing::Link { " but for what shadowing does to each link" } else { "" }
        );
        let key = if matches!(scenario.flows[n].ends, Ends::Two(_)) { "to" } else { "pairs" };
        document.refuse(&format!("flows.{n}.{key}"), reason);
    }
}

/// Numbers the groups of nodes that links join.
fn islands(nodes: usize, linked: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut island = vec![usize::MAX; nodes];
    let mut unseen: Vec<usize> = (0..nodes).collect();
    let mut number = 0;
    while let Some(first) = unseen.pop() {
        let mut reached = vec![first];
        while let Some(node) = reached.pop() {
            island[node] = number;
            unseen.retain(|&other| {
                let near = linked(node, other);
                if near {
                    reached.push(other);
                }
                !near
            });
        }
        number += 1;
    }
    island
}

/// The shortest step out of an island: from which node, to which, how far.
fn gap(at: &[Position], island: &[usize], own: usize) -> (usize, usize, f64) {
    let (inside, outside): (Vec<usize>, Vec<usize>) = (0..at.len()).partition(|&n| island[n] == own);
    let steps = inside.iter().flat_map(|&a| outside.iter().map(move |&b| (a, b)));
    let (a, b) = steps
        .min_by(|x, y| at[x.0].distance_squared(at[x.1]).total_cmp(&at[y.0].distance_squared(at[y.1])))
        .expect("a disconnected island has an outside");
    (a, b, at[a].distance(at[b]))
}
