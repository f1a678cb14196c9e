//! What a sender does per acknowledgement, for counting its instructions: an acknowledgement comes in, and a segment
//! goes out.
//!
//! ```text
//! cargo build --release -p hopwright-transport --example ack_cost
//! valgrind --tool=callgrind --toggle-collect='ack_cost::process*' target/release/examples/ack_cost newreno 20000
//! ```
//!
//! The words are a protocol, how many acknowledgements, how many swaps of a mechanism after them, and of how many
//! segments one is lost (0: none); how many monitors a trigger asks for that never fires (0: no trigger), and how many slots
//! a swap changes (1, or 4). Run twice, the difference of the counts is what one acknowledgement, or one swap,
//! costs. Only the functions `process_...` are counted: not the receiver, a connection of the same kind, nor the path
//! between them.

use std::collections::VecDeque;
use std::process::ExitCode;
use std::sync::Arc;

use hopwright_machine::{Duration, Machine as _, Time};
use hopwright_transport::adaptation::{Condition, Monitor, Settings, Side, Trigger, Triggers};
use hopwright_transport::{Connection, Data, Input, Output, Params, Protocol, Role, protocol};
use hopwright_wire::tcp::{Segment, Seq};

const ONE_WAY: Duration = Duration::from_millis(50);

#[inline(never)]
fn process_input(sender: &mut Connection, now: Time, input: Input<'_>) {
    sender.handle(now, input);
}

#[inline(never)]
fn process_output(sender: &mut Connection) -> Option<Output> {
    sender.poll()
}

/// Something happens to the sender, and what it lets go goes out.
fn tell(sender: &mut Connection, now: Time, input: Input<'_>, sent: &mut VecDeque<(Time, Segment)>) {
    process_input(sender, now, input);
    while let Some(output) = process_output(sender) {
        if let Output::Segment(segment) = output {
            sent.push_back((now + ONE_WAY, segment));
        }
    }
}

#[inline(never)]
fn process_swap(sender: &mut Connection, parts: &[(&str, &str)]) {
    sender.swap_all(parts).expect("they need nothing");
}

/// There, and back.
const SWAPS: [[(&str, &str); 4]; 2] = [
    [("avoidance", "byte-counting"), ("diagnosis", "blame-channel"), ("response", "spare"), ("acking", "delayed")],
    [("avoidance", "additive"), ("diagnosis", "blame-congestion"), ("response", "halve"), ("acking", "every")],
];

/// A trigger that asks for so many monitors, and never fires.
fn watching(monitors: u32) -> Option<Arc<Triggers>> {
    let asked = &Monitor::ALL[..monitors as usize];
    let never = |&monitor: &Monitor| Condition { monitor, side: Side::Below, bound: -1.0, until: -1.0 };
    let set = vec![("response".to_owned(), "spare".to_owned())];
    let row = Trigger { when: asked.iter().map(never).collect(), any: true, set, back: false };
    (monitors > 0).then(|| Arc::new(Triggers { rows: vec![row], settings: Settings::default() }))
}

/// Both ends, and the segments on their way to either, with the times of their arrival.
struct Path {
    sender: Connection,
    receiver: Connection,
    data: VecDeque<(Time, Segment)>,
    answers: VecDeque<(Time, Segment)>,
    /// One in so many segments is lost; zero: none.
    loss: u32,
    segments: u32,
    acks: u32,
}

impl Path {
    fn new(found: &Protocol, loss: u32, monitors: u32) -> Self {
        let params = found.params(Params::default());
        let watching = Params { triggers: watching(monitors), ..params.clone() };
        Self {
            sender: Connection::new(&found.recipe, &watching, Role::Active, 1, 2, Seq(1)),
            receiver: Connection::new(&found.recipe, &params, Role::Passive, 2, 1, Seq(1)),
            data: VecDeque::with_capacity(1024),
            answers: VecDeque::with_capacity(1024),
            loss,
            segments: 0,
            acks: 0,
        }
    }

    fn open(&mut self) {
        hear(&mut self.receiver, Time::ZERO, Input::Open, &mut self.answers);
        let everything = Input::Write(Data::Count(u64::MAX / 2));
        tell(&mut self.sender, Time::ZERO, everything, &mut self.data);
        tell(&mut self.sender, Time::ZERO, Input::Open, &mut self.data);
    }

    /// Whatever happens next.
    fn step(&mut self) {
        let arrival = |queue: &VecDeque<(Time, Segment)>| queue.front().map_or(Time::NEVER, |first| first.0);
        let (data, answer) = (arrival(&self.data), arrival(&self.answers));
        let (sends, receives) = (self.sender.deadline(), self.receiver.deadline());
        let now = data.min(answer).min(sends).min(receives);
        assert!(!now.is_never(), "nothing will ever happen again");
        if answer == now {
            let (_, segment) = self.answers.pop_front().expect("there is a first one");
            self.acks += 1;
            tell(&mut self.sender, now, Input::Segment { segment: &segment, data: &[] }, &mut self.data);
        } else if data == now {
            let (_, segment) = self.data.pop_front().expect("there is a first one");
            self.segments += 1;
            if self.loss == 0 || !self.segments.is_multiple_of(self.loss) {
                hear(&mut self.receiver, now, Input::Segment { segment: &segment, data: &[] }, &mut self.answers);
            }
        } else if sends == now {
            tell(&mut self.sender, now, Input::Wake, &mut self.data);
        } else {
            hear(&mut self.receiver, now, Input::Wake, &mut self.answers);
        }
    }
}

/// The same for the receiver, which is not counted.
fn hear(receiver: &mut Connection, now: Time, input: Input<'_>, answers: &mut VecDeque<(Time, Segment)>) {
    receiver.handle(now, input);
    while let Some(output) = receiver.poll() {
        if let Output::Segment(segment) = output {
            answers.push_back((now + ONE_WAY, segment));
        }
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| words.get(index).map_or(Some(0), |word| word.parse::<u32>().ok());
    let found = words.first().and_then(|id| protocol(id));
    let (Some(found), Some(acks), Some(swaps), Some(loss)) = (found, number(1), number(2), number(3)) else {
        eprintln!("usage: ack_cost PROTOCOL [ACKS [SWAPS [LOSS [MONITORS [SLOTS]]]]]");
        return ExitCode::from(2);
    };
    let monitors = number(4).unwrap_or(0).min(5);
    let slots = number(5).map_or(1, |slots| slots.clamp(1, 4)) as usize;
    let mut path = Path::new(found, loss, monitors);
    path.open();
    while path.acks < acks {
        path.step();
    }
    for index in 0..swaps {
        process_swap(&mut path.sender, &SWAPS[index as usize % 2][..slots]);
    }
    println!("segments {}", path.segments);
    ExitCode::SUCCESS
}
