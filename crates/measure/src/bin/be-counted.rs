//! The process whose instructions are counted, for the tests: protocol, cycles, samples. The command line has its own.

use std::env;
use std::process::exit;

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let [protocol, cycles, samples] = words.as_slice() else { exit(2) };
    let protocol = hopwright_transport::protocol(protocol).expect("a known protocol");
    let (cycles, samples) = (cycles.parse().expect("a number"), samples.parse().expect("a number"));
    if let Err(reason) = hopwright_measure::be_counted(protocol, cycles, samples) {
        eprintln!("{reason}");
        exit(1);
    }
}
