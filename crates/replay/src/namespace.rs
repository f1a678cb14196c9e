//! A network namespace for one thread, and the switches in it.

use std::fs;
use std::io::ErrorKind;

use hopwright_transport::Params;
use hopwright_transport::params::EcnMode;
use nix::sched::{CloneFlags, unshare};

/// What makes the kernel comparable with the documents: none of these is part of what the scripts speak of.
const SWITCHES: [(&str, &str); 21] = [
    // Losses are found by three duplicates and the timer alone (RFC 5681, RFC 6298): no early or time-based
    // detection (RFC 8985), no undoing of time-outs (RFC 5682).
    ("tcp_early_retrans", "0"),
    ("tcp_recovery", "0"),
    ("tcp_frto", "0"),
    ("tcp_dsack", "0"),
    ("tcp_reordering", "3"),
    // The SYN's timer doubles from its first expiry (RFC 6298 §5.5); the kernel's own way is linear four times.
    ("tcp_syn_linear_timeouts", "0"),
    // Acknowledgements leave when they are due, in the number in which they are.
    ("tcp_comp_sack_nr", "0"),
    ("tcp_backlog_ack_defer", "0"),
    ("tcp_invalid_ratelimit", "0"),
    ("tcp_challenge_ack_limit", "1000"),
    // Data leave when they may.
    ("tcp_autocorking", "0"),
    ("tcp_tso_win_divisor", "0"),
    ("tcp_min_tso_segs", "1"),
    // Nothing is learnt from other connections or negotiated beside what the script says.
    ("tcp_no_metrics_save", "1"),
    ("tcp_moderate_rcvbuf", "0"),
    ("tcp_mtu_probing", "0"),
    ("tcp_syncookies", "0"),
    ("tcp_fastopen", "0"),
    ("tcp_ecn_fallback", "0"),
    ("tcp_rfc1337", "1"), // RFC 1337 §3: TIME-WAIT outlasts resets
    ("tcp_window_scaling", "1"),
];

/// Moves the calling thread into a new network namespace.
pub(crate) fn enter() -> Result<(), String> {
    unshare(CloneFlags::CLONE_NEWNET).map_err(|error| format!("no network namespace: {error}"))
}

/// Sets the switches of the namespace. Those that a kernel does not have are left out.
pub(crate) fn set(params: &Params, congestion: &str) -> Result<(), String> {
    let flag = |on: bool| if on { "1" } else { "0" };
    let ecn = match params.ecn {
        EcnMode::Off => "0",
        EcnMode::On => "1",
        EcnMode::Accept => "2",
    };
    let asked = [
        ("tcp_congestion_control", congestion),
        ("tcp_timestamps", flag(params.timestamps)),
        ("tcp_sack", flag(params.selective_acks)),
        ("tcp_ecn", ecn),
    ];
    for (name, value) in SWITCHES.into_iter().chain(asked) {
        match fs::write(format!("/proc/sys/net/ipv4/{name}"), value) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(format!("{name}: {error}")),
            _ => {}
        }
    }
    Ok(())
}
