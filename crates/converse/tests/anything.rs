//! Conversations about nothing in particular: whatever arrives and whatever the application does, the engine goes on.

use std::collections::VecDeque;

use hopwright_converse::script::{Action, Detail, Name};
use hopwright_converse::subject::{Heard, Tolerance};
use hopwright_converse::{Engine, Subject, converse, parse};
use hopwright_machine::Time;
use hopwright_transport::{Params, protocol};
use hopwright_wire::tcp::Segment;
use proptest::prelude::*;

/// An engine whose words nobody hears, so that no script can be wrong about them.
struct Unheard(Engine);

impl Subject for Unheard {
    fn tolerance(&self) -> Option<Tolerance> {
        None
    }

    fn now(&self) -> Time {
        self.0.now()
    }

    fn listen(&mut self, until: Time, _briefly: bool, _heard: &mut VecDeque<Heard>) {
        self.0.listen(until, false, &mut VecDeque::new());
    }

    fn act(&mut self, action: &Action) {
        self.0.act(action);
    }

    fn arrive(&mut self, segment: &Segment, data: &[u8]) {
        self.0.arrive(segment, data);
    }

    fn value(&self, name: Name) -> Option<String> {
        self.0.value(name)
    }

    fn admits_reopening(&self, segment: &Segment) -> Option<bool> {
        self.0.admits_reopening(segment)
    }

    fn agrees(&self, detail: Detail, found: &str, wanted: &str) -> bool {
        self.0.agrees(detail, found, wanted)
    }
}

/// Setups that go together in any selection.
const SETUP: [&str; 10] = [
    "role passive",
    "peer bare",
    "set timestamps true",
    "set selective_acks true",
    "set nagle true",
    "set explicit_read true",
    "set receive_buffer_bytes 1500",
    "slot acking delayed",
    "set limited_transmit true",
    "set user_timeout_s 2",
];

/// What may happen. `{i}` is any number, `{m}` and `{n}` are not negative.
const DEEDS: [&str; 20] = [
    "write {n}",
    "write {n}",
    "read {n}",
    "close",
    "abort",
    "< ack {n}",
    "< ack {n}",
    "< ack {m} {m} {m} {n}",
    "< {m}:6000",
    "< 0:{n} {n}:6000",
    "< fin {n}",
    "< fin {n} ack {m}",
    "< syn",
    "< syn-ack",
    "< rst {n}",
    "< raw A seq {i} ack {m} len {n}",
    "< raw FA seq {i} ack {m}",
    "< raw SA seq {i} ack {i}",
    "< ack {n} win {m}",
    "< ack {n} sack {m}:{n},{n}:{m} ts {m} ecr {n}",
];

fn script(setup: &[&str], steps: &[(u32, usize, i64, u32, u32)]) -> String {
    let mut text = setup.join("\n");
    let mut at = 0;
    for (pause, deed, i, m, n) in steps {
        at += pause;
        let deed = DEEDS[*deed].replace("{i}", &i.to_string());
        text += &format!("\n{at}ms {}", deed.replace("{m}", &m.to_string()).replace("{n}", &n.to_string()));
    }
    text
}

proptest! {
    #[test]
    fn nothing_makes_the_engine_panic(
        setup in prop::sample::subsequence(&SETUP[..], 0..6),
        steps in prop::collection::vec((0u32..400, 0..DEEDS.len(), -20i64..4000, 0u32..4000, 0u32..6000), 1..40),
    ) {
        let script = parse(&script(&setup, &steps)).unwrap();
        let params = Params::default();
        let mut engine = Unheard(Engine::new(protocol("newreno").unwrap().recipe, params.clone(), &script.setup));
        prop_assert!(converse(&script, &params, &mut engine).is_ok());
    }
}
