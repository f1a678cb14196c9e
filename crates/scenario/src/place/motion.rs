//! The ways of the nodes: as the model draws them, and as events change them.

use hopwright_machine::{NodeId, Purpose, Stream};
use hopwright_mobility::models as ways;
use hopwright_mobility::{Area, Position, Switch, Trajectory};

use crate::check::how_many;
use crate::model::{Event, Mobility, RandomWalk, RandomWaypoint, Scenario, Start};
use crate::read::Document;
use crate::units::{at, seconds};

/// More turning points than this are refused, from models and from files: a run with half of them took 266 MB.
pub(super) const MOST_WAYPOINTS: f64 = 1e7;

/// The ways of nodes that begin at these places.
pub(super) fn ways(
    document: &mut Document,
    scenario: &Scenario,
    places: &[Position],
    seed: u64,
) -> Option<Vec<Trajectory>> {
    let fixed = || Some(places.iter().copied().map(Trajectory::fixed).collect());
    if !scenario.mobility.moves() {
        return fixed();
    }
    let area = area(scenario);
    if let Some(node) = places.iter().position(|&p| !area.bounds().contains(p)) {
        let Position { x_m, y_m } = places[node];
        let reason = format!(
            "node {node} starts at ({x_m}, {y_m}), outside the area of {} m x {} m in which nodes move",
            area.width_m, area.height_m
        );
        document.refuse("area", reason);
        return None;
    }
    let causes = turning_points(scenario);
    let points = causes.iter().map(|(each, _)| each).sum::<f64>() * places.len() as f64;
    if let Some((_, key)) = causes.iter().max_by(|a, b| a.0.total_cmp(&b.0)).filter(|_| points > MOST_WAYPOINTS) {
        let reason = format!(
            "about {points:.1e} turning points would be needed, at most {MOST_WAYPOINTS:.0e} are possible: most of \
             them come from {key}; change {key}, shorten the run (duration_s), or use fewer nodes"
        );
        document.refuse(&format!("mobility.{key}"), reason);
        return None;
    }
    let lasts = seconds(scenario.run.duration_s);
    let each = |make: &dyn Fn(Position, &mut Stream) -> Trajectory| {
        let nodes = places.iter().zip(0..);
        nodes.map(|(&place, n)| make(place, &mut Stream::new(seed, NodeId(n), Purpose::Mobility))).collect()
    };
    Some(match &scenario.mobility {
        Mobility::Static(_) | Mobility::Scripted(_) => return fixed(),
        Mobility::RandomWaypoint(m) => {
            let model = waypoint(m);
            each(&|place, stream| model.trajectory(start(m.start, place), area, lasts, stream))
        }
        Mobility::RandomWalk(m) => {
            let leg = match (m.leg_s, m.leg_m) {
                (_, Some(metres)) => ways::LegLength::Distance(metres),
                (seconds, None) => ways::LegLength::Time(seconds.unwrap_or(RandomWalk::LEG_S)),
            };
            let model = ways::RandomWalk { min_speed_mps: m.min_speed_mps, max_speed_mps: m.max_speed_mps, leg };
            each(&|place, stream| model.trajectory(place, area, lasts, stream))
        }
        Mobility::GaussMarkov(m) => {
            let model = ways::GaussMarkov {
                alpha: m.alpha,
                mean_speed_mps: m.mean_speed_mps,
                speed_sd_mps: m.speed_sd_mps,
                max_speed_mps: m.max_speed_mps,
                direction_sd_rad: m.direction_sd_deg.to_radians(),
                update_interval_s: m.update_interval_s,
                edge_m: m.edge_m,
            };
            each(&|place, stream| model.trajectory(place, area, lasts, stream))
        }
        Mobility::ReferencePointGroup(m) => {
            if m.groups as usize > places.len() {
                let reason =
                    format!("each of the {} groups needs a node as leader: there are {} nodes", m.groups, places.len());
                document.refuse("mobility.groups", reason);
                return None;
            }
            let model = ways::ReferencePointGroup {
                groups: m.groups,
                leader: waypoint(&m.leader()),
                radius_m: m.radius_m,
                deviation_m: m.deviation_m,
                update_interval_s: m.update_interval_s,
            };
            model.trajectories(places.len() as u32, |g| start(m.start, places[g as usize]), area, lasts, seed)
        }
        Mobility::Manhattan(m) => {
            let model = ways::Manhattan {
                blocks_x: m.blocks_x,
                blocks_y: m.blocks_y,
                left: m.turn_left,
                right: m.turn_right,
                min_speed_mps: m.min_speed_mps,
                max_speed_mps: m.max_speed_mps,
                acceleration_mps2: m.acceleration_mps2,
                update_interval_s: m.update_interval_s,
            };
            each(&|_, stream| model.trajectory(area, lasts, stream))
        }
    })
}

/// Checks the events against the nodes, lets them move nodes, and adds who goes down and comes up.
pub(super) fn script(
    document: &mut Document,
    scenario: &Scenario,
    nodes: &mut [Trajectory],
    switches: &mut Vec<Switch>,
) {
    let of_file = !switches.is_empty();
    let mut order: Vec<(usize, &Event)> = scenario.events.iter().enumerate().collect();
    order.sort_by(|a, b| a.1.at_s().total_cmp(&b.1.at_s())); // stable: of one time, in the order of the file
    let mut down = vec![false; nodes.len()];
    for (n, event) in order {
        let time = at(seconds(event.at_s()));
        let node = event.node();
        let key = |key: &str| format!("events.{n}.{key}");
        let Some(path) = nodes.get_mut(node as usize) else {
            document.refuse(&key("node"), format!("there is no node {node}: {}", how_many(nodes.len(), "node")));
            continue;
        };
        let up = match event {
            Event::Move(_) if scenario.mobility.moves() => {
                let reason = format!(
                    "mobility.model = '{}' moves the nodes: 'move' needs 'static' or 'scripted'",
                    scenario.mobility.model()
                );
                document.refuse(&key("do"), reason);
                continue;
            }
            Event::Move(m) => {
                path.travel_to(time, Position::new(m.to_m[0], m.to_m[1]), m.speed_mps);
                continue;
            }
            Event::Down(_) => false,
            Event::Up(_) => true,
        };
        if of_file {
            let reason = "the movement file already says when its vehicles are present".to_owned();
            document.refuse(&key("do"), reason);
        } else if down[node as usize] != up {
            let is = if up { "up" } else { "down" };
            document.refuse(&key("do"), format!("node {node} is {is} already at {} s", event.at_s()));
        }
        down[node as usize] = !up;
        switches.push(Switch { at: time, node: NodeId(node), up });
    }
}

/// About how many turning points a node's way has, by the keys that they are due to.
fn turning_points(scenario: &Scenario) -> Vec<(f64, &'static str)> {
    let (duration_s, area) = (scenario.run.duration_s, area(scenario));
    let (longer_m, smaller_m) = (area.width_m.max(area.height_m), area.width_m.min(area.height_m));
    let journeys = |speed: f64, pause_s: f64| (duration_s / (longer_m / 3.0 / speed + pause_s), "max_speed_mps");
    let bounces = |speed: f64| (duration_s * speed / smaller_m, "max_speed_mps");
    let updates = |interval_s: f64| (duration_s / interval_s, "update_interval_s");
    match &scenario.mobility {
        Mobility::Static(_) | Mobility::Scripted(_) => Vec::new(),
        Mobility::RandomWaypoint(m) => vec![journeys(m.max_speed_mps, m.pause_s)],
        Mobility::ReferencePointGroup(m) => {
            vec![journeys(m.max_speed_mps, m.pause_s), updates(m.update_interval_s)]
        }
        Mobility::RandomWalk(m) => {
            let legs = match (m.leg_s, m.leg_m) {
                (_, Some(leg_m)) => (duration_s * m.max_speed_mps / leg_m, "leg_m"),
                (leg_s, None) => (duration_s / leg_s.unwrap_or(RandomWalk::LEG_S), "leg_s"),
            };
            vec![legs, bounces(m.max_speed_mps)]
        }
        Mobility::GaussMarkov(m) => vec![updates(m.update_interval_s), bounces(m.max_speed_mps)],
        Mobility::Manhattan(m) => {
            let (x_m, y_m) = (area.width_m / f64::from(m.blocks_x), area.height_m / f64::from(m.blocks_y));
            let corners = (duration_s * m.max_speed_mps / x_m.min(y_m), "max_speed_mps");
            vec![updates(m.update_interval_s), corners]
        }
    }
}

fn area(scenario: &Scenario) -> Area {
    Area { width_m: scenario.area.width_m, height_m: scenario.area.height_m }
}

fn waypoint(m: &RandomWaypoint) -> ways::RandomWaypoint {
    let pause = ways::Pause { least_s: m.pause_s, most_s: m.pause_max_s.unwrap_or(m.pause_s) };
    ways::RandomWaypoint { min_speed_mps: m.min_speed_mps, max_speed_mps: m.max_speed_mps, pause }
}

fn start(start: Start, place: Position) -> ways::Start {
    match start {
        Start::SteadyState => ways::Start::SteadyState,
        Start::Yoon => ways::Start::Yoon,
        Start::Uniform => ways::Start::At(place),
    }
}
