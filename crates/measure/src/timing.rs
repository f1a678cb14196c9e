//! CPU time by function: a tape is played once more, and the clock is read where the function changes.
//!
//! Reading a clock costs as much as an event. So it is read between stretches of events of one function, and what an
//! empty interval shows is taken off each stretch.

use hopwright_transport::Function;

use crate::clock::{cpu_ns, overhead_ns};
use crate::tape::{Tape, happen};

/// Plays a tape once. Returns nanoseconds of CPU time per function, in the order of `Function::ALL`, over all its
/// events; 0 where it has none.
pub(crate) fn time(tape: &Tape) -> [f64; Function::ALL.len()] {
    let overhead = overhead_ns();
    let mut spent = [0.0; Function::ALL.len()];
    let mut end = tape.start();
    let events = tape.all();
    for stretch in events.chunk_by(|a, b| a.function == b.function) {
        let start = cpu_ns();
        for event in stretch {
            happen(&mut end, event);
        }
        let ns = (cpu_ns() - start) as f64;
        spent[stretch[0].function as usize] += ns - overhead;
    }
    spent
}
