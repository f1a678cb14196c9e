//! A movement written as ns-2 reads it.
//!
//! Spec      ns-2.35, common/mobilenode.cc: a destination must lie inside the area, not on its edge
//! Deviates  nothing
//! Holds     reading the text gives every place within a millimetre, at every time

use core::fmt::Write;

use crate::{Position, Trajectory, bounding_box};

/// Destinations on the lower edges are moved inwards by this, metres: ns-2 refuses the edge itself.
const INWARDS_M: f64 = 1e-4;

/// The movement as an ns-2 movement file. Negative coordinates, which ns-2 refuses, stay as they are.
#[must_use]
pub fn print(nodes: &[Trajectory]) -> String {
    let mut text = String::new();
    if let Some(used) = bounding_box(nodes) {
        let (x, y) = (used.max.x_m.floor() + 1.0, used.max.y_m.floor() + 1.0);
        line(&mut text, format_args!("# {} nodes; topology at least: load_flatgrid {x} {y}", nodes.len()));
    }
    for (id, node) in nodes.iter().enumerate() {
        let Position { x_m, y_m } = node.waypoints()[0].position;
        line(&mut text, format_args!("$node_({id}) set X_ {x_m}"));
        line(&mut text, format_args!("$node_({id}) set Y_ {y_m}"));
        line(&mut text, format_args!("$node_({id}) set Z_ 0"));
    }
    for (id, node) in nodes.iter().enumerate() {
        for pair in node.waypoints().windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let at = a.at.as_secs_f64();
            if a.position == b.position {
                continue;
            }
            if a.at == b.at {
                let Position { x_m, y_m } = b.position;
                line(&mut text, format_args!("$ns_ at {at} \"$node_({id}) set X_ {x_m}\""));
                line(&mut text, format_args!("$ns_ at {at} \"$node_({id}) set Y_ {y_m}\""));
                continue;
            }
            let inside = |m: f64| if (0.0..INWARDS_M).contains(&m) { INWARDS_M } else { m };
            let (x_m, y_m) = (inside(b.position.x_m), inside(b.position.y_m));
            let speed = a.position.distance(b.position) / b.at.since(a.at).as_secs_f64();
            line(&mut text, format_args!("$ns_ at {at} \"$node_({id}) setdest {x_m} {y_m} {speed}\""));
        }
    }
    text
}

fn line(text: &mut String, of: core::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{of}"); // a string takes everything
}
