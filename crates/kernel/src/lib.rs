//! Congestion control of this project in the kernel of this machine: SCA and its kin, limits of the window, Westwood+, Veno,
//! TCP-WELCOME's windows.
//!
//! The kernel lets programs (eBPF, `struct_ops`) be algorithms of its TCP. `bpf/` has them in C; [`Loaded`] gives one to the
//! kernel and takes it back; [`running`] and [`Watch`] say what there is. An algorithm lives as long as the link that
//! its owner holds: nothing is pinned, so it goes with the process, however that ends.
//!
//! A hook gives windows, and nothing else. When a retransmission timer expires, what is sent again, how a recovery lets
//! segments go and when acknowledgements leave are the kernel's: [`Mechanism::kernels`] says it of each.
//!
//! Without the feature `libbpf` the crate is the list [`MECHANISMS`] alone, so that the project builds on a machine that has
//! neither clang nor libelf.

mod error;
mod mechanisms;
mod parameters;

pub use error::Error;
pub use mechanisms::{MECHANISMS, Mechanism, mechanism};
pub use parameters::{Kind, Parameter, Settings};

#[cfg(all(feature = "libbpf", target_os = "linux"))]
mod linux {
    pub(crate) mod bytes;
    pub(crate) mod library;
    pub(crate) mod loaded;
    pub(crate) mod measure;
    pub(crate) mod measured;
    pub(crate) mod needs;
    pub(crate) mod program;
    pub(crate) mod record;
    pub(crate) mod running;
    pub(crate) mod status;
}

#[cfg(all(feature = "libbpf", target_os = "linux"))]
pub use linux::{
    loaded::{Loaded, Recorder},
    measure::Measurement,
    measured::{FUNCTIONS, Measured, Spent},
    needs::{lacking, needs},
    program::{Guard, Network, command_here, command_of, enter_and_run, guard, run},
    record::{Event, What},
    running::{Cost, Running, available, end, running},
    status::{Connection, Watch},
};
