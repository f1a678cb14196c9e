//! All tests in one program: each program of its own would be linked with everything again.

mod atp;
mod outsider;
mod proactive;
