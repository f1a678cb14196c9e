//! Conversations in text: packets in, packets out, silence in between.
//!
//! A script is played against a [`Subject`]: the [`Engine`] in virtual time, or the kernel in real time
//! (`hopwright-replay`). Scripts that speak of what the documents fix are files, `scripts/<topic>/<name>.talk`; the
//! kernel checks the scripts as much as the scripts check the engine.
//!
//! ```text
//! # RFC 5681 §3.2: the third duplicate acknowledgement resends the first segment.
//! on engine kernel
//! set initial_window_segments 10
//!   0ms < ack 0                                  # the peer acknowledges nothing yet
//!  10ms write 4000                               # the application writes
//!  10ms > 0:1000 1000:2000 2000:3000 3000:4000   # four segments leave, now
//! 100ms < ack 0 0 0                              # three duplicates arrive
//! 100ms > 0:1000                                 # the first segment leaves again
//! 200ms < ack 4000
//! 200ms = state Established                      # and nothing else has left
//! ```
//!
//! Before the first line the connection has been opened with a handshake of 100 ms that ended at time zero, unless
//! the script itself says `open`. Numbers are byte offsets of the data of whoever sends them; `ack N` acknowledges
//! the bytes before `N`. The subject's segments carry 1000 bytes, and the peer offers 64000. Timers fire by
//! themselves. Everything that leaves must be in the script, at its time: what it does not mention is asserted
//! not to happen. Text after `#` is a comment.
//!
//! | first | then | what it says |
//! | --- | --- | --- |
//! | `on` | `engine kernel`, or `engine: WHY` | who keeps to the script, and why not the other |
//! | `protocol` | `NAME` | the engine's protocol; `newreno` if there is no such line |
//! | `set` | `NAME VALUE` | a parameter, by its name in scenario files |
//! | `slot` | `NAME PART` | another mechanism |
//! | `role` | `passive` | the subject waits for the SYN |
//! | `peer` | `bare` | a peer whose SYN has no options |
//! | TIME | `open`, `close`, `abort`, `write N`, `read N`, `read all`, `wake` | the application; `read` only with `set explicit_read true` |
//! | TIME | `close-both` | the application closes both directions and is gone: there is no news for it from then on |
//! | TIME | `hops 4` | routing says how long the route is |
//! | TIME | `corrupted 1000` | the link layer sees the peer's segment with this byte first come damaged |
//! | TIME | `route-failed`, `route-failed 2000`, `route-restored` | routing says that some segment could not be forwarded, or the one with this byte first; that there is a route again |
//! | TIME `<` | `ack 1000 1000` | acknowledgements arrive, one after the other |
//! | | `0:1000 1000:2000` | data arrive |
//! | | `fin 1000`, `fin 1000 ack 5`, `syn`, `syn-ack`, `rst`, `rst 7` | likewise |
//! | | `raw SA seq -5 ack 9 len 10`, `raw A seq 0 text hello` | any segment: flags by letter, numbers as offsets |
//! | | `fill` | full segments until the window is closed; the peer's next byte is its byte 0 from then on |
//! | | `... win 500` | the offer; it stays |
//! | | `... ts 5 ecr 3`, `no-ts` | timestamps, with `set timestamps true`; the value stays |
//! | | `... sack 2000:3000,5000:6000`, `urg`, `mss 500`, `scale 7` | blocks, urgent pointer, options of a SYN |
//! | | `... poll`, `period 50000` | the peer asks for an acknowledgement, or for one every so many microseconds |
//! | | `... adsn 3`, `tpsn 7`, `ooo` | TCP-DOOR's numbers and its bit |
//! | | `... ce`, `ece`, `cwr` | a router marked it; the flags of explicit congestion notification |
//! | | `reopening admitted seq 9` | a SYN for a new connection is only asked about: `admitted` or `refused` |
//! | | `... eln` | a loss notice |
//! | TIME `>` | `0:1000 1000:2000+fin` | data leave, in this order; `+fin`: the FIN with them |
//! | | `ack 1000`, `fin 1000`, `syn`, `syn+options`, `syn-ack`, `rst` | likewise |
//! | | `probe 1000` | one byte at 1000, or an empty segment numbered 999: both make the peer answer |
//! | | `established`, `readable N`, `peer-closed`, `closed`, `reset`, `timed-out` | news for the application |
//! | | `... seq 0 win 64000 ts 5 ecr 3 sack 2000:3000 mss 1000 scale 1 adsn 3 tpsn 7 ooo yes eln yes` | with any of these, where asked for |
//! | | `... ect yes ece none cwr yes` | likewise whether its packet is ECN-capable, and those flags |
//! | | `... poll asked`, `poll none`, `period 50000` | likewise what is asked of the peer's acknowledgements |
//! | | `... within 200ms` | the whole line may take so long |
//! | TIME `=` | `state Established cwnd 2000` | the subject's state (RFC 9293 §3.3.2), and the engine's numbers |
//!
//! `TIME` is `100ms` or `1.5s`.
//!
//! `cargo test -p hopwright-converse` plays all scripts against the engine, `cargo test -p hopwright-replay` against the
//! kernel: that needs root and `/dev/net/tun`. With `ONLY=losses` in the environment it plays those with that in their
//! names; with `LEFT_OUT=1`, those that leave the kernel out, and tells how it differs from them.

mod describe;
mod engine;
mod library;
mod mistake;
mod parse;
mod peer;
pub mod script;
pub mod subject;
mod talk;

use hopwright_transport::{Params, protocol};

pub use engine::Engine;
pub use library::{WRONG, library};
pub use mistake::Mistake;
pub use parse::parse;
pub use script::Script;
pub use subject::Subject;
pub use talk::{Failure, converse};

/// Checks a conversation with a protocol of the engine under the standard profile.
///
/// ```
/// hopwright_converse::check("newreno", "
///       0ms < 0:1000
///       0ms > readable 1000
///       0ms > ack 1000
/// ");
/// ```
///
/// # Panics
/// If the script has a mistake, or the engine does not keep to it.
#[track_caller]
pub fn check(id: &str, script: &str) {
    check_with(id, Params::default(), script);
}

/// Checks a conversation with a protocol of the engine under ns-2's profile.
///
/// # Panics
/// If the script has a mistake, or the engine does not keep to it.
#[track_caller]
pub fn check_ns2(id: &str, script: &str) {
    check_with(id, Params::ns2(), script);
}

#[track_caller]
fn check_with(id: &str, params: Params, script: &str) {
    let script = parse(script).unwrap_or_else(|mistake| panic!("{mistake}"));
    let row = protocol(id).unwrap_or_else(|| panic!("no protocol {id}"));
    let params = row.params(params);
    let mut engine = Engine::new(row.recipe, params.clone(), &script.setup);
    converse(&script, &params, &mut engine).unwrap_or_else(|failure| panic!("{failure}"));
}
