//! The nodes' places and ways, the flows' ends on them, and whether packets can get from one end to the other.

mod motion;
mod reach;

use std::collections::BTreeSet;
use std::iter::repeat_n;

use hopwright_machine::{NodeId, Purpose, Stream};
use hopwright_mobility::{Position, Switch, Trajectory, placement};

use crate::check;
use crate::model::{Ends, Fading, Scenario, Topology};
use crate::read::Document;

/// More nodes than this are refused: a slip of the keyboard, most likely.
const MOST_NODES: u64 = 10_000;

/// Where the nodes are and who sends to whom, for one seed.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
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
) -> Option<Layout> {
    let before = document.errors.len();
    let (mut nodes, mut switches) = match movement {
        Some((nodes, switches)) => {
            let points: usize = nodes.iter().map(|node| node.waypoints().len()).sum();
            if points as f64 > motion::MOST_WAYPOINTS {
                let reason = format!(
                    "the file has {points} turning points, at most {:.0e} are possible: cut the file to the nodes and \
                     the time that the run needs",
                    motion::MOST_WAYPOINTS
                );
                document.refuse("topology.file", reason);
                return None;
            }
            (nodes.to_vec(), switches.to_vec())
        }
        None => {
            let places = places(document, scenario, seed)?;
            (motion::ways(document, scenario, &places, seed)?, Vec::new())
        }
    };
    if nodes.len() as u64 > MOST_NODES {
        document.refuse("topology", format!("{} nodes are more than the {MOST_NODES} allowed", nodes.len()));
        return None;
    }
    motion::script(document, scenario, &mut nodes, &mut switches);
    check::nodes(document, scenario, nodes.len());
    let moves = nodes.iter().position(|n| !n.is_static());
    if let Some(node) = moves
        && scenario.has_static_routes()
    {
        let reason = format!(
            "static routes are installed before the start, but nodes move (node {node}); use routing.protocol = 'aodv'"
        );
        document.refuse(refused_key(document, scenario), reason);
    } else if let Some(switch) = switches.first()
        && scenario.has_static_routes()
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
    check::attach(document, scenario, nodes.len());
    let layout = Layout { ends: ends(scenario, nodes.len() as u32, seed), nodes, switches };
    if scenario.has_links() {
        check::joined(document, scenario, &layout.ends, layout.nodes.len());
        return (document.errors.len() == before).then_some(layout);
    }
    let changes = moves.is_some() || !layout.switches.is_empty();
    // Under fading a frame may reach any distance; routes that are fixed before the start go only as far as the mean power.
    let is_sure = scenario.radio.fading == Fading::None && !scenario.is_placed_by_chance();
    if !changes && (scenario.has_static_routes() || is_sure) {
        reach::connected(document, scenario, &layout, seed);
    }
    (document.errors.len() == before).then_some(layout)
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
        Topology::Links(_) => (0..check::linked_nodes(scenario)).map(|_| Position::default()).collect(),
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
