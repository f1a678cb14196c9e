//! All tests in one program: each program of its own would be linked with everything again.

mod files;
mod imports;
mod models;
mod ns2;
