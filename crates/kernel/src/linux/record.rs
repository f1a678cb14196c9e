//! What an algorithm tells while it is recorded.

use std::net::Ipv4Addr;

use super::bytes::Reader;

/// Bytes of an event.
pub(crate) const SIZE: usize = 48;

/// Something that happened to a connection's windows (`struct event` in bpf/hop.h).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Event {
    /// When, in microseconds of the kernel's clock.
    pub time_us: u64,
    /// What.
    pub what: What,
    /// The connection: its ports, and the other end's address if it is of IP version 4.
    pub local_port: u16,
    /// See there.
    pub remote_port: u16,
    /// See there.
    pub remote: Ipv4Addr,
    /// The sequence number of the first byte that is not acknowledged.
    pub una: u32,
    /// The congestion window in segments.
    pub cwnd: f64,
    /// The threshold in segments; none: not set.
    pub ssthresh: Option<u32>,
    /// Smoothed round-trip time, in microseconds.
    pub rtt_us: u32,
}

/// What happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// An acknowledgement came that may open the window.
    Acked,
    /// A loss was put down to congestion.
    Congestion,
    /// A loss was put down to the channel.
    Channel,
    /// A loss was put down to a route that broke.
    Route,
    /// The windows were set for a restored route.
    Restored,
}

impl What {
    /// A word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Acked => "ack",
            Self::Congestion => "congestion",
            Self::Channel => "channel",
            Self::Route => "route",
            Self::Restored => "restored",
        }
    }
}

/// The bits of a window's fraction.
const FRACTION: f64 = (1 << 20) as f64;

impl Event {
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let mut read = Reader(bytes);
        let time_us = read.u64();
        let what = match read.u32() {
            1 => What::Congestion,
            2 => What::Channel,
            3 => What::Route,
            4 => What::Restored,
            _ => What::Acked,
        };
        let (local_port, remote_port, remote) = (read.u32() as u16, read.u32() as u16, Ipv4Addr::from(read.u32()));
        let (una, cwnd, fraction) = (read.u32(), read.u32(), read.u32());
        let (ssthresh, rtt_us) = (read.u32(), read.u32());
        let cwnd = f64::from(cwnd) + f64::from(fraction) / FRACTION;
        Self { time_us, what, local_port, remote_port, remote, una, cwnd, ssthresh: threshold(ssthresh), rtt_us }
    }

    /// The names of `row`'s columns.
    pub const COLUMNS: &str = "time_s,event,remote,local_port,remote_port,cwnd_segments,ssthresh_segments,srtt_ms,una";

    /// As a line of a CSV file.
    #[must_use]
    pub fn row(&self) -> String {
        let ssthresh = self.ssthresh.map_or_else(String::new, |s| s.to_string());
        format!(
            "{:.6},{},{},{},{},{:.4},{},{:.3},{}",
            self.time_us as f64 / 1e6,
            self.what.word(),
            self.remote,
            self.local_port,
            self.remote_port,
            self.cwnd,
            ssthresh,
            f64::from(self.rtt_us) / 1e3,
            self.una,
        )
    }
}

/// A threshold, unless it is the kernel's infinity.
pub(crate) fn threshold(ssthresh: u32) -> Option<u32> {
    (ssthresh < 0x7fff_ffff).then_some(ssthresh)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_read_as_the_program_writes_it() {
        let mut bytes = 1_500_000_u64.to_ne_bytes().to_vec();
        for number in [2_u32, 4001, 80, 0x0a00_0001, 77, 5, 1 << 19, 0x7fff_ffff, 2500, 0] {
            bytes.extend(number.to_ne_bytes());
        }
        assert_eq!(bytes.len(), SIZE);
        assert_eq!(Event::parse(&bytes).row(), "1.500000,channel,10.0.0.1,4001,80,5.5000,,2.500,77");
        assert_eq!(Event::COLUMNS.split(',').count(), Event::parse(&bytes).row().split(',').count());
    }
}
