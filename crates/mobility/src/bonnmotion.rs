//! Movement files in the native format of BonnMotion, two-dimensional: a line for each node, with the time and the place
//! of each of its waypoints.
//!
//! ```text
//! 0.0 10.0 20.0 12.5 110.0 20.0       node 0 goes from (10, 20) to (110, 20) in 12.5 s
//! 0.0 50.0 60.0                       node 1 stands
//! ```
//!
//! Spec      BonnMotion 3 (Aschenbruck et al. 2010): times in seconds, places in metres, straight and evenly
//!           between; lines that begin with `#` are comments, `#3D` says that places have a height
//! Deviates  three dimensions, with `#3D` or without, and the states that its disaster area writes, are refused; so is
//!           a last line without a line end, which may have been cut within a number
//! Holds     either every line is a trajectory, or the error says where to look

use core::fmt::Write;

use hopwright_machine::{Duration, Time};

use crate::line::{FARTHEST_M, LATEST_S, Line, MovementError, Place, lines};
use crate::{Position, Trajectory, Waypoint};

/// What to do with heights.
const FLAT: &str =
    "nodes move in a plane; make the file with a 2D model of BonnMotion, or leave out each Z and the line #3D";

/// Reads a movement file: the trajectory of node 0, of node 1, and so on.
///
/// # Errors
///
/// The first line that cannot be read.
pub fn parse(text: &str) -> Result<Vec<Trajectory>, MovementError> {
    let mut nodes = Vec::new();
    for mut line in lines(text) {
        if line.text().trim_start().starts_with("#3D") {
            return Err(line.here().error(format!("three coordinates: {FLAT}")));
        }
        if !line.is_done() {
            line.refuse_cut()?;
            let text = line.text();
            nodes.push(node(&mut line).map_err(|error| match has_heights(text) {
                true => MovementError { message: format!("{}; if it is `TIME X Y Z`: {FLAT}", error.message), ..error },
                false => error,
            })?);
        }
    }
    if nodes.is_empty() {
        let message = "no node in this file: expected a line `TIME X Y TIME X Y ...` for each";
        return Err(MovementError { line: 1, column: 1, message: message.into() });
    }
    Ok(nodes)
}

/// Whether the numbers of a line make waypoints of four.
fn has_heights(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.clone().count().is_multiple_of(4) && words.all(|word| word.parse::<f64>().is_ok())
}

fn node(line: &mut Line<'_>) -> Result<Trajectory, MovementError> {
    let mut waypoints: Vec<Waypoint> = Vec::new();
    while !line.is_done() {
        let word = line.word("a time in seconds")?;
        let at = Time::from_secs_f64(word.number_up_to(LATEST_S, "the time")?);
        let cut = |place: Place<'_>, what: &str| {
            place.error(format!("the line ends before {what}: each waypoint is `TIME X Y`"))
        };
        let mut coordinate = |what: &str| {
            if line.is_done() {
                return Err(cut(line.here(), what));
            }
            line.word(what)?.number_within(FARTHEST_M, what)
        };
        let x_m = coordinate("the X")?;
        let waypoint = Waypoint { at, position: Position { x_m, y_m: coordinate("the Y")? } };
        match waypoints.last() {
            Some(last) if at < last.at => {
                let message = format!("time goes backwards: {} s after {} s", word.text, last.at.as_secs_f64());
                return Err(word.place.error(message));
            }
            Some(last) if at == last.at && waypoint.position != last.position => {
                return Err(word.place.error(format!("two places at the same time, {} s", word.text)));
            }
            Some(last) if at == last.at => {}
            _ => waypoints.push(waypoint),
        }
    }
    Ok(Trajectory::through(waypoints))
}

/// The movement as such a file. Reading it gives each place within a micrometre; a jump takes a nanosecond there.
#[must_use]
pub fn print(nodes: &[Trajectory]) -> String {
    let mut text = String::new();
    for node in nodes {
        let mut last: Option<Waypoint> = None;
        for waypoint in node.waypoints() {
            let mut at = waypoint.at;
            if let Some(before) = last {
                if before == *waypoint {
                    continue;
                }
                if at <= before.at {
                    at = before.at + Duration::from_nanos(1);
                }
            }
            let gap = if last.is_some() { " " } else { "" };
            let Position { x_m, y_m } = waypoint.position;
            let _ = write!(text, "{gap}{} {x_m} {y_m}", at.as_secs_f64()); // a string takes everything
            last = Some(Waypoint { at, ..*waypoint });
        }
        text.push('\n');
    }
    text
}
