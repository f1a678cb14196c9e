//! Movement files in the format of ns-2, as setdest, BonnMotion's NSFile and SUMO's traceExporter write it.
//!
//! ```text
//! $node_(0) set X_ 852.355                                where node 0 stands at the start
//! $node_(0) set Y_ 100.971
//! $ns_ at 12.5 "$node_(0) setdest 774.561 285.198 10.7"   heads there at 12.5 s, with 10.7 m/s
//! $ns_ at 80.0 "$node_(0) set X_ 20.0"                    is put there at 80 s
//! ```
//!
//! Spec      ns-2.35, common/mobilenode.cc: a destination is approached in a straight line from wherever the
//!           node is, a new one on the way overrides, speed 0 stops, commands of one time apply in file order
//! Deviates  a scheduled `set` also ends the journey, where ns-2 would resume it from the new place; edges of
//!           the area are legal destinations (ns-2 wants them inside); a node that is nowhere placed is an
//!           error (ns-2 puts it at the origin); a `Z_` other than 0 is refused: movement in ns-2 ignores it, but
//!           the distance that a signal goes does not;
//!           lines to `$god_` are ignored, hop counts being the simulator's business; a node's commands must
//!           come in the order of time (ns-2 sorts them); a file must not end right after a coordinate, which
//!           may have been cut: after the quote that closes a command it may
//! Holds     either every node 0..n has a trajectory, or the error says where to look

mod print;

use std::collections::BTreeMap;

use hopwright_machine::Time;

use crate::line::{FARTHEST_M, LATEST_S, Line, MovementError, Place, Word, lines};
use crate::{Position, Trajectory};

pub use print::print;

/// Above the speed of light.
const FASTEST_MPS: f64 = 1e9;

/// Reads a movement file: the trajectory of node 0, of node 1, and so on.
///
/// # Errors
///
/// The first line that cannot be read, or else the first node, by number, that is not fully placed.
pub fn parse(text: &str) -> Result<Vec<Trajectory>, MovementError> {
    let mut nodes = Nodes::new();
    for line in lines(text) {
        read_line(line, &mut nodes)?;
    }
    if nodes.is_empty() {
        let message = "no node in this file: expected lines such as `$node_(0) set X_ 12.5`";
        return Err(MovementError { line: 1, column: 1, message: message.into() });
    }
    let mut trajectories = Vec::with_capacity(nodes.len());
    for (&id, node) in &nodes {
        let expected = trajectories.len();
        if id as usize != expected {
            let message = format!("node {id} without a node {expected}: node numbers must run from 0 without gaps");
            return Err(node.first_seen.error(message));
        }
        trajectories.push(node.trajectory(id)?);
    }
    Ok(trajectories)
}

type Nodes<'a> = BTreeMap<u32, Node<'a>>;

/// What the file says about one node.
struct Node<'a> {
    first_seen: Place<'a>,
    x: Option<Initial<'a>>,
    y: Option<Initial<'a>>,
    commands: Vec<Command<'a>>,
}

/// An initial coordinate.
struct Initial<'a> {
    m: f64,
    word: Word<'a>,
}

/// Something a node does at a time.
struct Command<'a> {
    when: When<'a>,
    action: Action,
}

/// A time, and where the file says it.
#[derive(Clone, Copy)]
struct When<'a> {
    at: Time,
    word: Word<'a>,
}

enum Action {
    Head { to: Position, speed_mps: f64 },
    PutX(f64),
    PutY(f64),
}

fn read_line<'a>(mut line: Line<'a>, nodes: &mut Nodes<'a>) -> Result<(), MovementError> {
    if line.is_done() {
        return Ok(());
    }
    let word = line.word("a command")?;
    match word.text {
        "$god_" => Ok(()),
        "$ns_" | "$ns" => {
            let keyword = line.word("`at`")?;
            if keyword.text != "at" {
                return Err(keyword.place.error(format!("expected `at`, found `{}`", keyword.text)));
            }
            let word = line.word("a time in seconds")?;
            let when = When { at: Time::from_secs_f64(word.number_up_to(LATEST_S, "the time")?), word };
            let mut command = line.quoted()?;
            line.finish("the scheduled command")?;
            let word = command.word("a command such as `$node_(0) setdest X Y SPEED`")?;
            if word.text == "$god_" { Ok(()) } else { read_command(word, command, Some(when), nodes) }
        }
        _ => read_command(word, line, None, nodes),
    }
}

/// Reads the rest of a command that begins with `word` and happens at a time, or before the start.
fn read_command<'a>(
    word: Word<'a>,
    mut line: Line<'a>,
    when: Option<When<'a>>,
    nodes: &mut Nodes<'a>,
) -> Result<(), MovementError> {
    if !word.text.starts_with("$node_") {
        let known = "`$node_(I) ...`, `$ns_ at T \"...\"`, `$god_ ...` or a comment";
        return Err(word.place.error(format!("unknown command `{}`: expected {known}", word.text)));
    }
    let id = word.node()?;
    let node = nodes.entry(id).or_insert_with(|| Node::new(word.place));
    let verb = line.word("`set` or `setdest`")?;
    match (verb.text, when) {
        ("set", _) => {
            let axis = line.word("`X_`, `Y_` or `Z_`")?;
            let value = line.word("a coordinate in metres")?;
            if line.is_used_up() {
                line.refuse_cut()?;
            }
            match axis.text {
                "X_" => node.set(id, true, value, when)?,
                "Y_" => node.set(id, false, value, when)?,
                "Z_" if value.number("Z_")? == 0.0 => {}
                "Z_" => {
                    let message =
                        format!("Z_ is {}: nodes move in a plane; set it to 0, or leave the line out", value.text);
                    return Err(value.place.error(message));
                }
                other => {
                    return Err(axis.place.error(format!("unknown variable `{other}`: expected `X_`, `Y_` or `Z_`")));
                }
            }
            line.finish("the coordinate")
        }
        ("setdest", Some(when)) => {
            let x_m = line.word("the destination's X")?.number_up_to(FARTHEST_M, "the destination's X")?;
            let y_m = line.word("the destination's Y")?.number_up_to(FARTHEST_M, "the destination's Y")?;
            let speed_mps = line.word("the speed")?.number_up_to(FASTEST_MPS, "the speed")?;
            line.finish("the speed")?;
            node.command(id, when, Action::Head { to: Position { x_m, y_m }, speed_mps })
        }
        ("setdest", None) => {
            let message = "`setdest` without a time: write `$ns_ at T \"$node_(I) setdest X Y SPEED\"`";
            Err(verb.place.error(message))
        }
        (other, _) => {
            Err(verb.place.error(format!("unknown command `{other}` to a node: expected `set` or `setdest`")))
        }
    }
}

impl<'a> Node<'a> {
    fn new(first_seen: Place<'a>) -> Self {
        Self { first_seen, x: None, y: None, commands: Vec::new() }
    }

    /// Notes a coordinate. An initial one may be repeated, not changed.
    fn set(&mut self, id: u32, is_x: bool, word: Word<'a>, when: Option<When<'a>>) -> Result<(), MovementError> {
        let (axis, slot) = if is_x { ("X_", &mut self.x) } else { ("Y_", &mut self.y) };
        let m = word.number_up_to(FARTHEST_M, axis)?;
        if let Some(when) = when {
            return self.command(id, when, if is_x { Action::PutX(m) } else { Action::PutY(m) });
        }
        match slot {
            Some(first) if first.m != m => {
                let (line, was, now) = (first.word.place.line(), first.word.text, word.text);
                let message = format!("{axis} of node {id} is {now} here, but {was} in line {line}: keep one of them");
                return Err(word.place.error(message));
            }
            Some(_) => {}
            None => *slot = Some(Initial { m, word }),
        }
        Ok(())
    }

    /// Notes a command. Those of one time apply in file order; a time before that of the last is a fault of the file.
    fn command(&mut self, id: u32, when: When<'a>, action: Action) -> Result<(), MovementError> {
        if let Some(last) = self.commands.last().map(|c| c.when).filter(|last| when.at < last.at) {
            let (now, was, line) = (when.word.text, last.word.text, last.word.place.line());
            let message = format!(
                "time goes backwards for node {id}: {now} s after {was} s in line {line}; \
                 put the commands of a node in the order of time"
            );
            return Err(when.word.place.error(message));
        }
        self.commands.push(Command { when, action });
        Ok(())
    }

    fn trajectory(&self, id: u32) -> Result<Trajectory, MovementError> {
        let mut path = Trajectory::fixed(self.start(id)?);
        for &Command { when: When { at, .. }, ref action } in &self.commands {
            match *action {
                Action::Head { to, speed_mps } => path.travel_to(at, to, speed_mps),
                Action::PutX(x_m) => path.place_at(at, Position { x_m, ..path.position(at) }),
                Action::PutY(y_m) => path.place_at(at, Position { y_m, ..path.position(at) }),
            }
        }
        Ok(path)
    }

    /// Where the node is at time zero. A `set` scheduled for that very time will do, if no journey comes first.
    fn start(&self, id: u32) -> Result<Position, MovementError> {
        let (mut x, mut y) = (self.x.as_ref().map(|v| v.m), self.y.as_ref().map(|v| v.m));
        for command in self.commands.iter().take_while(|c| c.when.at == Time::ZERO) {
            match command.action {
                Action::PutX(m) => x = Some(m),
                Action::PutY(m) => y = Some(m),
                Action::Head { .. } => break,
            }
        }
        let missing = match (x, y) {
            (Some(x_m), Some(y_m)) => return Ok(Position { x_m, y_m }),
            (None, None) => format!("position: add `$node_({id}) set X_ ...` and `$node_({id}) set Y_ ...`"),
            (Some(_), None) => format!("Y_: add `$node_({id}) set Y_ ...`"),
            (None, Some(_)) => format!("X_: add `$node_({id}) set X_ ...`"),
        };
        Err(self.first_seen.error(format!("node {id} has no initial {missing}")))
    }
}
