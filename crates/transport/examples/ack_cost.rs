//! What a sender does per acknowledgement, for counting its instructions: an acknowledgement comes in, and a segment
//! goes out.
//!
//! ```text
//! cargo build --release -p hopwright-transport --example ack_cost
//! valgrind --tool=cachegrind --cache-sim=no target/release/examples/ack_cost newreno 20000
//! ```
//!
//! The words are a protocol, how many acknowledgements, and how many swaps of a mechanism after them. Run twice, the
//! difference of the counts is what one acknowledgement, or one swap, costs.

use std::collections::VecDeque;
use std::process::ExitCode;

use hopwright_machine::{Duration, Machine as _, Time};
use hopwright_transport::{Connection, Data, Input, Output, Params, Role, protocol};
use hopwright_wire::tcp::{Flags, Options, Segment, Seq};

const RTT: Duration = Duration::from_millis(100);

/// A sender, and what it has sent: when, and the number after it.
struct Sender {
    connection: Connection,
    sent: VecDeque<(Time, Seq)>,
    segments: u64,
}

impl Sender {
    fn new(connection: Connection) -> Self {
        Self { connection, sent: VecDeque::with_capacity(1024), segments: 0 }
    }

    fn handle(&mut self, now: Time, input: Input<'_>) {
        self.connection.handle(now, input);
        while let Some(output) = self.connection.poll() {
            if let Output::Segment(segment) = output {
                self.sent.push_back((now, segment.seq + segment.sequence_length()));
                self.segments += 1;
            }
        }
    }

    /// The oldest segment is acknowledged, one round-trip time after it left.
    fn acknowledge(&mut self, flags: Flags, options: Options) {
        let Some((sent, ack)) = self.sent.pop_front() else { return };
        let segment = Segment {
            source_port: 2,
            destination_port: 1,
            seq: if flags.has(Flags::SYN) { Seq(7) } else { Seq(8) },
            ack,
            flags,
            window: 65535,
            urgent: 0,
            options,
            payload_bytes: 0,
        };
        self.handle(sent + RTT, Input::Segment { segment: &segment, data: &[] });
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| words.get(index).map_or(Some(0), |word| word.parse::<u32>().ok());
    let (Some(found), Some(acks), Some(swaps)) = (words.first().and_then(|id| protocol(id)), number(1), number(2))
    else {
        eprintln!("usage: ack_cost PROTOCOL [ACKS [SWAPS]]");
        return ExitCode::from(2);
    };
    let params = found.params(Params::default());
    let mut sender = Sender::new(Connection::new(&found.recipe, &params, Role::Active, 1, 2, Seq(1)));
    sender.handle(Time::ZERO, Input::Write(Data::Count(u64::MAX / 2)));
    sender.handle(Time::ZERO, Input::Open);
    let syn = Options { mss: Some(1460), sack_permitted: true, ..Options::default() };
    sender.acknowledge(Flags::SYN.with(Flags::ACK), syn);
    sender.sent.retain(|&(_, end)| end != Seq(2)); // the third segment of the handshake is not answered
    for _ in 0..acks {
        sender.acknowledge(Flags::ACK, Options::default());
    }
    for index in 0..swaps {
        let part = if index % 2 == 0 { "byte-counting" } else { "additive" };
        sender.connection.swap("avoidance", part).expect("it needs nothing");
    }
    println!("segments {}", sender.segments);
    ExitCode::SUCCESS
}
