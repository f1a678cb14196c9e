//! Scripts that are not so. A checker that lets them pass checks nothing.

#[cfg(target_os = "linux")]
use hopwright_converse::kernel::{is_available, replay};
use hopwright_converse::{Engine, Script, converse, parse};
use hopwright_transport::{Params, protocol};

const WRONG: [&str; 16] = [
    "0ms < 0:1000\n 0ms > readable 1000\n 0ms > ack 999",
    "0ms < 0:1000\n 0ms > readable 999\n 0ms > ack 1000",
    "0ms < 0:1000\n 0ms > readable 1000",
    "0ms < 0:1000\n 0ms > readable 1000\n 0ms > ack 1000\n 0ms > ack 1000",
    "0ms < 0:1000\n 0ms > readable 1000\n 0ms > ack 1000 seq 1",
    "0ms < 0:1000\n 0ms > readable 1000\n 0ms > ack 1000 win 0",
    "0ms write 500\n 0ms > 0:501\n 100ms < ack 500",
    "0ms write 500\n 0ms > 0:500\n 600ms > 0:500\n 700ms < ack 500",
    "0ms write 500\n 0ms > 0:500\n 150ms > 0:500\n 160ms < ack 500",
    "0ms write 500\n 0ms > 0:500\n 600ms = state Established",
    "0ms < fin 0\n 0ms > peer-closed\n 0ms > ack 1\n 10ms = state Established",
    "0ms < fin 0\n 0ms > ack 1\n 10ms = state CloseWait",
    "0ms < rst\n 0ms = state Closed",
    "0ms < rst\n 0ms > timed-out",
    "set explicit_read true\n 0ms < raw A seq 0 text ab\n 0ms > readable 2\n 0ms > ack 2\n 0ms = received ac",
    "set timestamps true\n 0ms < 0:10 ts 600\n 0ms > readable 10\n 0ms > ack 10 ecr 500",
];

fn scripts() -> impl Iterator<Item = Script> {
    WRONG.iter().map(|text| parse(text).unwrap())
}

#[test]
fn the_engine_does_not_keep_to_them() {
    for (script, text) in scripts().zip(WRONG) {
        let params = Params::default();
        let mut engine = Engine::new(protocol("newreno").unwrap().recipe, params.clone(), &script.setup);
        assert!(converse(&script, &params, &mut engine).is_err(), "{text}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn neither_does_the_kernel() {
    if is_available().is_err() {
        return; // said where the right ones are played
    }
    std::thread::scope(|scope| {
        for (script, text) in scripts().zip(WRONG) {
            scope.spawn(move || assert!(replay(&script).is_err(), "{text}"));
        }
    });
}
