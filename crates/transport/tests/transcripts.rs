//! What every composition does, segment by segment, with the state it leaves its sender in: the same bits in every
//! build, on every machine.
//!
//! Each line of `transcripts.txt` is a sum over some conversations. A change of behaviour changes lines; the failing
//! test names them and says where it has put the new table. Who means the change copies that table, and says in the
//! commit what changed and why; who does not has found a mistake. A protocol, part or parameter without a line is not
//! held to any; its line is in the new table.

use std::fs;
use std::hash::Hasher as _;
use std::path::Path;

use hopwright_transport::params::{EcnMode, WindowValidation};
use hopwright_transport::{PROTOCOLS, Parameter, Params, Public, Recipe, Value, parameters, protocol, slots, whole};
use siphasher::sip::SipHasher13;

use crate::pair::{Line, Network, Pair, Traffic, combinations, stream};

const TABLE: &str = include_str!("transcripts.txt");

/// The circumstances of a conversation.
#[derive(Clone, Copy)]
enum Life {
    /// A long transfer through a line that is the bottleneck.
    Bottleneck,
    /// Losses, copies, disorder; data both ways.
    Losses,
    /// A break of three seconds, and one loss in a hundred.
    Break,
    /// News of the route, true and false, lengths of the route, and congestion marks.
    News,
    /// A break of forty seconds and news that the route has failed, but never that it is back.
    Silence,
    /// Readers that take their time, small windows, both ends opening.
    SlowReader,
    /// Mechanisms that change under way.
    Swaps,
    /// An application that pauses, long and short, before a line that loses now and then.
    Pauses,
    /// The same under RFC 7661.
    Validated,
}

const LIVES: [Life; 9] = [
    Life::Bottleneck,
    Life::Losses,
    Life::Break,
    Life::News,
    Life::Silence,
    Life::SlowReader,
    Life::Swaps,
    Life::Pauses,
    Life::Validated,
];

fn pair(recipe: &Recipe, params: &Params, life: Life) -> Pair {
    let quiet =
        Network { seed: 17, loss: 0, duplication: 0, reordering: 0, jitter_us: 300, dark_from_ms: 0, dark_for_ms: 0 };
    let bulk = Traffic {
        forward: 25_000,
        backward: 0,
        iss: [7, u32::MAX - 5_000],
        window_segments: 40,
        reading_delay_ms: 0,
        is_virtual: false,
        both_open: false,
    };
    let all_on = Params { timestamps: true, selective_acks: true, ..params.clone() };
    match life {
        Life::Bottleneck => {
            let traffic = Traffic { forward: 60_000, ..bulk };
            let mut pair = Pair::new(recipe, params, quiet, traffic);
            pair.line = Some(Line { segment_us: 4_000, queue: 12 });
            pair
        }
        Life::Losses => {
            let network = Network { loss: 5, duplication: 2, reordering: 4, jitter_us: 1_000, ..quiet };
            Pair::new(recipe, params, network, Traffic { backward: 4_000, ..bulk })
        }
        Life::Break => {
            let network = Network { loss: 1, dark_from_ms: 300, dark_for_ms: 3_000, ..quiet };
            let mut pair = Pair::new(recipe, params, network, bulk);
            pair.line = Some(Line { segment_us: 2_000, queue: 30 });
            pair
        }
        Life::News => {
            let network = Network { loss: 3, dark_from_ms: 500, dark_for_ms: 700, ..quiet };
            let params = Params { ecn: EcnMode::On, ..params.clone() };
            let mut pair = Pair::new(recipe, &params, network, bulk);
            (pair.signalled, pair.marks) = (25, 3);
            pair
        }
        Life::Silence => {
            let network = Network { loss: 1, dark_from_ms: 150, dark_for_ms: 40_000, ..quiet };
            let mut pair = Pair::new(recipe, params, network, bulk);
            (pair.signalled, pair.is_told) = (4, false);
            pair
        }
        Life::SlowReader => {
            let network = Network { loss: 2, jitter_us: 1_000, ..quiet };
            let traffic = Traffic {
                forward: 9_000,
                backward: 5_000,
                window_segments: 4,
                reading_delay_ms: 300,
                both_open: true,
                ..bulk
            };
            Pair::new(recipe, params, network, traffic)
        }
        Life::Swaps => {
            let network = Network { loss: 4, reordering: 2, ..quiet };
            let mut pair = Pair::new(recipe, &all_on, network, Traffic { backward: 3_000, ..bulk });
            pair.disturbed = 10;
            for slot in &mut pair.slots {
                slot.parts.retain(|part| is_in_table(&format!("part {} = {}", slot.name, part.id)));
            }
            pair
        }
        Life::Pauses | Life::Validated => {
            let window_validation = match life {
                Life::Validated => WindowValidation::Rfc7661,
                _ => params.window_validation,
            };
            let params = Params { nagle: true, window_validation, ..params.clone() };
            let network = Network { loss: 2, ..quiet };
            let mut pair = Pair::new(recipe, &params, network, Traffic { forward: 6_000, ..bulk });
            pair.line = Some(Line { segment_us: 1_000, queue: 40 });
            pair.bursts = vec![(900, 250), (960, 4_050), (2_500, 9_000), (9_000, 12_000), (9_500, 30), (30_000, 5_000)];
            pair
        }
    }
}

/// Whether there is a line of this name. What is new has none, and changes no other line: swaps leave it out.
fn is_in_table(name: &str) -> bool {
    TABLE.lines().any(|line| &line[24..] == name)
}

/// What left, when, and what its sender thought then.
fn sum(recipe: &Recipe, params: &Params, name: &str) -> (usize, u64) {
    let (mut segments, mut sum) = (0, SipHasher13::new());
    for life in LIVES {
        let mut pair = pair(recipe, params, life);
        let (mut seen, mut bytes) = (0, vec![]);
        pair.run_with(|pair| {
            for (time, from, segment) in &pair.transcript[seen..] {
                bytes.clear();
                segment.emit_header(&mut bytes);
                number(&mut sum, time.as_nanos());
                number(&mut sum, *from as u64);
                number(&mut sum, u64::from(segment.payload_bytes));
                number(&mut sum, segment.ecn as u64);
                sum.write(&bytes);
            }
            if pair.transcript.len() > seen {
                seen = pair.transcript.len();
                pair.ends.iter().for_each(|end| state(&mut sum, end.public()));
            }
        });
        assert_eq!(pair.resets, 0, "{name}");
        let written = pair.written();
        assert!(pair.received[1] == stream(0, written), "{name}: the stream differs");
        segments += pair.transcript.len();
    }
    (segments, sum.finish())
}

/// In one order of bytes on every machine.
fn number(sum: &mut SipHasher13, number: u64) {
    sum.write(&number.to_le_bytes());
}

fn state(sum: &mut SipHasher13, p: &Public) {
    for window in [p.cwnd, p.ssthresh, p.inflation] {
        number(sum, window.to_bits());
    }
    for duration in [p.rto, p.srtt.unwrap_or_default(), p.rttvar] {
        number(sum, duration.as_nanos());
    }
    let told = [p.diagnosed.congestion, p.diagnosed.channel, p.diagnosed.contention, p.diagnosed.route];
    for count in told.into_iter().chain([p.una, p.nxt, p.timeouts, p.fast_retransmits, p.freezes, p.retransmissions]) {
        number(sum, count);
    }
}

/// A value that is not the default: the other words, the other way, less and more.
fn others(possible: &str, default: &Value) -> Vec<Value> {
    match default {
        Value::Bool(is_on) => vec![Value::Bool(!is_on)],
        Value::Word(word) => {
            let words = possible.strip_prefix("one of ").expect("a list of words").split([' ', ',']);
            words.filter(|w| !w.is_empty() && w != word).map(|w| Value::Word(w.to_owned())).collect()
        }
        Value::Number(n) => {
            let range = possible.split_once("from ").and_then(|(_, range)| range.split_once(" to "));
            let (least, most) = range.expect("a range");
            let bounds: [f64; 2] = [least, most].map(|bound| bound.parse().expect("a number"));
            let wanted = if *n == 0.0 { vec![1.0, 3.0] } else { vec![n / 2.0, n * 2.0] };
            let near = wanted.into_iter().map(|w| w.clamp(bounds[0], bounds[1])).filter(|w| w != n);
            near.map(Value::Number).collect()
        }
    }
}

/// NewReno with every option on, and with this part in this slot. Diagnoses get a response that heeds them, responses a
/// diagnosis that often blames the channel; who gives a rate gets who keeps it.
fn with_part(slot: &str, part: &str) -> (Recipe, Params) {
    let fill = |recipe: Recipe, slot, part| recipe.with(slot, part).expect("a part");
    let newreno = protocol("newreno").expect("a protocol").recipe;
    let paced = |recipe| fill(fill(recipe, "control", "hybrid"), "clocking", "paced");
    let recipe = match (slot, part) {
        ("diagnosis", _) => fill(newreno, "response", "spare"),
        ("response", _) => fill(newreno, "diagnosis", "veno"),
        ("control", "hybrid" | "tfrc") | ("clocking", "paced") => paced(newreno),
        ("control" | "clocking", "explicit") => fill(fill(newreno, "clocking", "explicit"), "control", "explicit"),
        ("offer", "separation") => fill(paced(newreno), "avoidance", "told"),
        ("avoidance", "told") => fill(paced(newreno), "offer", "separation"),
        _ => newreno,
    };
    (fill(recipe, slot, part), Params { timestamps: true, selective_acks: true, ..Params::default() })
}

/// Whose parameter it is: the first protocol that has the part, if there is one.
fn reader(slot: &str, part: &str) -> (Recipe, Params) {
    let has = |recipe: &Recipe| recipe.parts().contains(&(slot, part));
    let is_known = |id: &str| TABLE.lines().any(|line| line[24..].starts_with(&format!("protocol {id} ")));
    PROTOCOLS.iter().find(|protocol| has(&protocol.recipe) && is_known(protocol.id)).map_or_else(
        || with_part(slot, part),
        |protocol| (protocol.recipe, Params { timestamps: true, ..protocol.params(Params::default()) }),
    )
}

/// Lines of the table as they are found.
#[derive(Default)]
struct Lines(Vec<String>);

impl Lines {
    fn add(&mut self, name: &str, recipe: &Recipe, params: &Params) {
        if recipe.check(params).is_ok() {
            let (segments, sum) = sum(recipe, params, name);
            self.0.push(format!("{segments:>6} {sum:016x} {name}"));
        }
    }

    /// Whether these are the table's lines that begin with this word, but for new ones.
    fn check(&self, word: &str) {
        let is_of = |line: &&str| line[24..].starts_with(word);
        let table: Vec<_> = TABLE.lines().filter(is_of).collect();
        if self.0.iter().filter(|line| is_in_table(&line[24..])).eq(&table) {
            return;
        }
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("transcripts-{word}.txt"));
        fs::write(&path, self.0.join("\n") + "\n").expect("a folder for files of tests");
        let changed: Vec<_> = self.0.iter().filter(|line| !table.contains(&line.as_str())).cloned().collect();
        let (count, changed, path) = (changed.len(), changed.join("\n"), path.display());
        panic!(
            "{count} lines of transcripts.txt have changed:\n{changed}\nall that begin with {word} are now in {path}"
        );
    }
}

#[test]
fn every_protocol_speaks_as_it_did() {
    let mut lines = Lines::default();
    for (name, recipe, params) in combinations() {
        lines.add(&format!("protocol {name}"), &recipe, &params);
    }
    lines.check("protocol");
}

#[test]
fn every_part_speaks_as_it_did() {
    let mut lines = Lines::default();
    for slot in slots() {
        for part in slot.parts {
            let (recipe, params) = with_part(slot.name, part.id);
            lines.add(&format!("part {} = {}", slot.name, part.id), &recipe, &params);
        }
    }
    lines.check("part");
}

#[test]
fn every_parameter_acts_as_it_did() {
    let mut lines = Lines::default();
    // With these connections end before their streams.
    let ends = |name: &str| ["user_timeout_s", "fin_wait_2_timeout_s"].contains(&name);
    // Those of other transports are not a connection's.
    let is_own = |parameter: &&Parameter| whole(&parameter.used_by[0]).is_none();
    for parameter in parameters().iter().filter(is_own).filter(|parameter| !ends(parameter.name)) {
        let (recipe, params) = match parameter.used_by[0].split_once('.') {
            Some((slot, part)) => reader(slot, part),
            None => with_part("acking", "delayed"),
        };
        for value in others(&parameter.possible(), &parameter.default_value()) {
            let mut params = params.clone();
            if params.set(parameter.name, value.clone()).is_ok() {
                let value = match value {
                    Value::Bool(is_on) => is_on.to_string(),
                    Value::Number(number) => number.to_string(),
                    Value::Word(word) => word,
                };
                lines.add(&format!("set {} = {value}", parameter.name), &recipe, &params);
            }
        }
    }
    lines.check("set");
}
