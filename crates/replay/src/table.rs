//! The state of the connection, from the kernel's table of the calling thread's namespace.

use std::fs;

use hopwright_transport::State;

use crate::device::{KERNEL, PEER};

/// The state; `Listen` or `Closed` if there is no connection.
pub(crate) fn state() -> State {
    let table = fs::read_to_string("/proc/thread-self/net/tcp").unwrap_or_default();
    find(&table)
}

fn find(table: &str) -> State {
    let mut otherwise = State::Closed;
    for row in table.lines().skip(1) {
        let mut columns = row.split_whitespace().skip(1);
        let (Some(local), Some(remote), Some(code)) = (columns.next(), columns.next(), columns.next()) else {
            continue;
        };
        if port(local) != Some(KERNEL.1) {
            continue;
        }
        let state = state_of(code);
        if port(remote) == Some(PEER.1) {
            return state;
        }
        if state == State::Listen {
            otherwise = state;
        }
    }
    otherwise
}

fn port(column: &str) -> Option<u16> {
    u16::from_str_radix(column.split_once(':')?.1, 16).ok()
}

/// Numbers of linux/tcp_states.h; the twelfth is a SYN-RECEIVED that has no socket yet.
fn state_of(code: &str) -> State {
    match code {
        "01" => State::Established,
        "02" => State::SynSent,
        "03" | "0C" => State::SynReceived,
        "04" => State::FinWait1,
        "05" => State::FinWait2,
        "06" => State::TimeWait,
        "08" => State::CloseWait,
        "09" => State::LastAck,
        "0A" => State::Listen,
        "0B" => State::Closing,
        _ => State::Closed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_connection_comes_before_the_listener() {
        let listener = "   0: 00000000:0FA1 00000000:0000 0A 00000000:00000000 00:00000000 00000000";
        let connection = "   1: 010012C6:0FA1 020012C6:0FA2 03 00000000:00000000 01:00000019 00000000";
        assert_eq!(find("header"), State::Closed);
        assert_eq!(find(&format!("header\n{listener}")), State::Listen);
        assert_eq!(find(&format!("header\n{listener}\n{connection}")), State::SynReceived);
    }
}
