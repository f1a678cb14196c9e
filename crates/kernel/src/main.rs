//! `hopwright-kernel`: what `hopwright kernel` runs. Its words are few, as Python has the user's.

#[cfg(target_os = "linux")]
mod command;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    command::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> std::process::ExitCode {
    eprintln!("hopwright: there is no Linux kernel here");
    std::process::ExitCode::FAILURE
}
