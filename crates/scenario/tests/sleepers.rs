//! Nodes that nothing is asked of sleep through frames for others. Neither results nor traces must show it.
//!
//! A run that a program can control is the same without sleepers, and so is one whose trace asks what a node hears: so each
//! scenario is run both ways.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use hopwright_machine::{NodeId, Time};
use hopwright_sim::{Event, Options, Outcome, Setup, Simulation, Trace, Watch, run_traced};

use crate::common::good;
use crate::draw::Dice;

/// How many are drawn; `DRAWN=2000 cargo test -p hopwright-scenario --test it sleepers` draws more, `FIRST=126 DRAWN=1`
/// only one.
const DRAWN: u64 = 300;

#[test]
fn nobody_can_tell_that_nodes_sleep() {
    let (mut frames, drawn) = (0, drawn(DRAWN));
    for n in drawn.clone() {
        let (text, setup) = scenario(n);
        let (sleeping, wakeful) = (finished(&setup, n, false), finished(&setup, n, true));
        assert_eq!(format!("{sleeping:?}"), format!("{wakeful:?}"), "scenario {n}:\n{text}");
        frames += sleeping.report.frames;
    }
    assert!(frames > 1000 * drawn.count() as u64, "{frames} frames: too few to sleep through");
}

#[test]
fn no_trace_is_told_that_nodes_sleep() {
    let (mut missed, drawn) = (0, drawn(DRAWN / 3));
    for n in drawn.clone() {
        let (text, setup) = scenario(n);
        let told = |hears| {
            let mut told = Told { hears, ..Told::default() };
            run_traced(&setup, n, &Options::default(), &Watch::default(), &mut told).expect("nobody cancels");
            told
        };
        let (sleeping, wakeful) = (told(false), told(true));
        let differs = sleeping.events.iter().zip(&wakeful.events).find(|(a, b)| a != b);
        assert_eq!(differs, None, "scenario {n}:\n{text}");
        assert_eq!(sleeping.events.len(), wakeful.events.len(), "scenario {n}:\n{text}");
        missed += sleeping.missed;
    }
    assert!(missed > 100 * drawn.count(), "only {missed} frames were missed");
}

/// The numbers of the scenarios that are drawn.
fn drawn(many: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let first = number("FIRST").unwrap_or(0);
    first..first + number("DRAWN").unwrap_or(many)
}

fn scenario(n: u64) -> (String, Setup) {
    let text = drawn_text(&mut Dice::of_number(9_000_000 + n));
    let setup = good(&text, &[]).setup(n).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    (text, setup)
}

/// What a trace is told, but for what nodes hear.
#[derive(Default)]
struct Told {
    /// Whether it asks what nodes hear.
    hears: bool,
    /// When, where, and what: as a number.
    events: Vec<(Time, NodeId, u64)>,
    missed: usize,
}

impl Trace for Told {
    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        let mut hasher = DefaultHasher::new();
        std::mem::discriminant(&event).hash(&mut hasher);
        match event {
            Event::Received { .. } | Event::Collided { .. } => return,
            Event::Missed { .. } | Event::Unanswered { .. } => {
                self.missed += 1;
                format!("{event:?}").hash(&mut hasher);
            }
            Event::Backoff { .. } | Event::RouteBroke { .. } => format!("{event:?}").hash(&mut hasher),
            Event::Dropped { packet, cause, lost, .. } => {
                format!("{:?} {cause:?} {lost:?}", packet.id).hash(&mut hasher)
            }
            _ => {}
        }
        self.events.push((at, node, hasher.finish()));
    }

    fn hears(&self, node: NodeId) -> bool {
        self.hears && node.0 == 0
    }
}

fn finished(setup: &Setup, seed: u64, steered: bool) -> Outcome {
    let options = Options { steered, frames: true, ..Options::default() };
    Simulation::new(Cow::Borrowed(setup), seed, &options).finish()
}

/// Some dozens of nodes, few of which have something to send.
fn drawn_text(dice: &mut Dice<'_>) -> String {
    let mut one = |of: &[&str]| of[dice.below(of.len())].to_owned();
    let profile = one(&["profile = 'ns2'", ""]);
    let routing = one(&["aodv", "aodv", "dsr", "dsr", "dsdv", "olsr", "static"]);
    let area = one(&[
        "area = { width_m = 1500, height_m = 300 }",
        "area = { width_m = 4000, height_m = 200 }",
        "area = { width_m = 900, height_m = 1000 }",
        "area = { width_m = 2500, height_m = 1500 }",
    ]);
    let mobility = match routing.as_str() {
        "static" => String::new(),
        _ => one(&[
            "",
            "mobility = { model = 'random-waypoint', max_speed_mps = 5 }",
            "mobility = { model = 'random-waypoint', min_speed_mps = 20, max_speed_mps = 80 }",
            "mobility = { model = 'reference-point-group' }",
            "mobility = { model = 'random-walk', min_speed_mps = 10, max_speed_mps = 300 }",
        ]),
    };
    let eifs = one(&["", "eifs = 'instead-of-difs'", "eifs = 'then-difs'", "eifs = 'never'"]);
    let rts = one(&["", "rts_threshold_bytes = 0", "rts_threshold_bytes = 3000"]);
    let delay = one(&["", "", "link_delay_us = 5", "link_delay_us = 10\narp = true"]);
    let radio = one(&[
        "",
        "capture = 'any'",
        "weak_frames = 'energy'",
        "interference = 'locked'",
        "interference = 'all'\ncapture = 'any'",
        "interference = 'sum'",
    ]);
    let (rows, columns) = (1 + dice.below(5), 17 + dice.below(5));
    let (topology, nodes) = match routing.as_str() {
        "static" => (format!("topology = {{ kind = 'grid', rows = {rows}, columns = {columns} }}"), rows * columns),
        _ => {
            let nodes = 17 + dice.below(50);
            (format!("topology = {{ kind = 'random', nodes = {nodes} }}\n{area}"), nodes)
        }
    };
    let dsr = match routing.as_str() {
        "dsr" => [
            "",
            "profile = 'rfc'",
            "profile = 'ns2'",
            "profile = 'papanastasiou'",
            "profile = 'dsr-uu'",
            "promiscuous = false",
            "profile = 'rfc', cache = 'path'",
            "profile = 'rfc', link_layer_feedback = false, passive_acks = true",
        ][dice.below(8)],
        _ => "",
    };
    let dsr = if dsr.is_empty() { String::new() } else { format!("routing.dsr = {{ {dsr} }}") };
    let mut text = format!(
        "{profile}\nduration_s = 12\n{mobility}\nrouting.protocol = '{routing}'\n{dsr}\n{topology}\n\
         [mac]\n{eifs}\n{rts}\n{delay}\n[radio]\n{radio}\n"
    );
    for _ in 0..1 + dice.below(4) {
        let (from, apart) = (dice.below(nodes), 1 + dice.below(nodes - 1));
        let app = [
            "transport.protocol = 'newreno'",
            "transport.protocol = 'vegas'",
            "app = 'cbr'\ntransport.protocol = 'udp'\nrate_kbps = 8",
            "app = 'cbr'\ntransport.protocol = 'udp'\nrate_kbps = 400",
        ][dice.below(4)];
        let start_s = dice.below(8);
        text += &format!("[[flows]]\nfrom = {from}\nto = {}\nstart_s = {start_s}\n{app}\n", (from + apart) % nodes);
    }
    text
}
