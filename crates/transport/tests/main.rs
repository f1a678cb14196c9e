//! All tests in one program: each program of its own would be linked with everything again.

mod against_ns2;
mod conversations;
mod measured_windows;
mod pair;
mod properties;
mod restored_route;
mod transcripts;
mod two_failures;
mod unused_windows;
mod vectors;
