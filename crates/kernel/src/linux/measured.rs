//! What was measured of a connection: `struct connection` in bpf/measure.bpf.c, in names and numbers.

use std::net::SocketAddr;

use super::bytes::{Reader, address};

/// The names of what is computed for (`crates/transport/src/function.rs`), in the program's order.
pub const FUNCTIONS: [&str; 5] = ["slow_start", "congestion_avoidance", "recovery", "timers", "receiver"];

/// Behind them: what came before the first data.
const OPENING: usize = FUNCTIONS.len();

/// Bins of a histogram, four to each doubling.
const BINS: usize = 84;

/// Bytes of a connection.
pub(crate) const SIZE: usize = 144 + (FUNCTIONS.len() + 1) * (9 * 8 + BINS * 4);

/// What went into one function of a connection.
#[derive(Clone, PartialEq, Debug)]
pub struct Spent {
    /// Intervals that were not interrupted.
    pub events: u64,
    /// Their time in TCP.
    pub cpu_ns: u64,
    /// Time below TCP.
    pub transmit_ns: u64,
    /// How long the connection was in this phase.
    pub time_ns: u64,
    /// Bytes sent, again or not.
    pub sent_bytes: u64,
    /// Of them, those sent again.
    pub retransmitted_bytes: u64,
    /// Intervals that were interrupted.
    pub interrupted_events: u64,
    /// How long those took, interruptions included.
    pub interrupted_ns: u64,
    histogram: [u64; BINS],
}

impl Spent {
    fn parse(read: &mut Reader<'_>) -> Self {
        let [events, cpu_ns, _transmissions, transmit_ns, time_ns] = [(); 5].map(|()| read.u64());
        let [sent_bytes, retransmitted_bytes, interrupted_events, interrupted_ns] = [(); 4].map(|()| read.u64());
        let histogram = [(); BINS].map(|()| u64::from(read.u32()));
        Self {
            events,
            cpu_ns,
            transmit_ns,
            time_ns,
            sent_bytes,
            retransmitted_bytes,
            interrupted_events,
            interrupted_ns,
            histogram,
        }
    }

    fn add(&mut self, other: &Self) {
        self.events += other.events;
        self.cpu_ns += other.cpu_ns;
        self.transmit_ns += other.transmit_ns;
        self.time_ns += other.time_ns;
        self.sent_bytes += other.sent_bytes;
        self.retransmitted_bytes += other.retransmitted_bytes;
        self.interrupted_events += other.interrupted_events;
        self.interrupted_ns += other.interrupted_ns;
        for (mine, theirs) in self.histogram.iter_mut().zip(other.histogram) {
            *mine += theirs;
        }
    }

    /// The median of its intervals, as exact as bins are: within a bin they are taken to lie evenly.
    #[must_use]
    pub fn median_ns(&self) -> Option<f64> {
        let half = self.histogram.iter().sum::<u64>() as f64 / 2.0;
        let mut below = 0.0;
        for (bin, count) in self.histogram.iter().enumerate() {
            let count = *count as f64;
            if count > 0.0 && below + count >= half {
                let (from, to) = (least_of(bin), least_of(bin + 1));
                return Some(from + (to - from) * (half - below) / count);
            }
            below += count;
        }
        None
    }
}

/// The least length that a bin counts.
fn least_of(bin: usize) -> f64 {
    if bin < 4 {
        return bin as f64;
    }
    let power = (bin / 4 + 1) as i32;
    f64::from(2_u32.pow(power.unsigned_abs())) * (1.0 + (bin % 4) as f64 / 4.0)
}

/// What was measured of a connection.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    /// The kernel's number of its socket (`SO_COOKIE`).
    pub cookie: u64,
    /// `ipv4` or `ipv6`: what its packets are.
    pub family: &'static str,
    /// Its own end.
    pub local: SocketAddr,
    /// The other end.
    pub remote: SocketAddr,
    /// The inode number of its network namespace.
    pub network: u32,
    /// The name of its algorithm.
    pub congestion: String,
    /// Bytes acknowledged while it was measured, as TCP_INFO has them.
    pub acked_bytes: u64,
    /// Bytes received while it was measured, as TCP_INFO has them: the other end's FIN counts for one.
    pub received_bytes: u64,
    /// Whether data has gone either way, before or since.
    pub has_data: bool,
    /// What went into each of `FUNCTIONS`.
    pub functions: Vec<Spent>,
}

impl Measured {
    /// Of a connection that is open, `now` is the kernel's time.
    pub(crate) fn parse(cookie: u64, bytes: &[u8], now: Option<u64>) -> Option<Self> {
        if bytes.len() < SIZE {
            return None;
        }
        let mut read = Reader(bytes);
        let [since_ns, _, _, _, _, acked_bytes, received_bytes, _] = [(); 8].map(|()| read.u64());
        let [family, local_port, remote_port, network] = [(); 4].map(|()| read.u32());
        let [local, remote] = [(); 2].map(|()| address(read.bytes(16), family));
        let [phase, has_data, opened_for, _] = [(); 4].map(|()| read.u32() as usize);
        let name = read.bytes(16).split(|byte| *byte == 0).next().unwrap_or_default();
        let congestion = String::from_utf8_lossy(name).into_owned();
        let mut functions: Vec<Spent> = (0..=OPENING).map(|_| Spent::parse(&mut read)).collect();
        if let Some(now) = now {
            functions.get_mut(phase)?.time_ns += now.saturating_sub(since_ns);
        }
        let opening = functions.pop()?;
        functions.get_mut(opened_for)?.add(&opening);
        Some(Self {
            cookie,
            family: if local.is_ipv4() { "ipv4" } else { "ipv6" },
            local: SocketAddr::new(local, local_port as u16),
            remote: SocketAddr::new(remote, remote_port as u16),
            network,
            congestion,
            acked_bytes,
            received_bytes,
            has_data: has_data != 0,
            functions,
        })
    }

    /// The functions by name.
    pub fn by_name(&self) -> impl Iterator<Item = (&'static str, &Spent)> {
        FUNCTIONS.into_iter().zip(&self.functions)
    }

    /// A sum over all functions.
    #[must_use]
    pub fn sum(&self, of: impl Fn(&Spent) -> u64) -> u64 {
        self.functions.iter().map(of).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(opened_for: u32) -> Vec<u8> {
        let mut bytes: Vec<u8> = [1000_u64, 0, 0, 0, 0, 77, 88, 0].iter().flat_map(|n| n.to_ne_bytes()).collect();
        let local = u32::from_ne_bytes([10, 0, 0, 1]);
        for number in [2, 4001, 80, 9, local, 0, 0, 0, local, 0, 0, 0, 1, 1, opened_for, 0] {
            bytes.extend(number.to_ne_bytes());
        }
        bytes.extend(b"reno\0\0\0\0\0\0\0\0\0\0\0\0");
        for function in 0..=OPENING as u64 {
            for field in 0..9 {
                bytes.extend((100 * function + field).to_ne_bytes());
            }
            for bin in 0..BINS {
                bytes.extend(u32::from(bin == 40).to_ne_bytes());
            }
        }
        bytes
    }

    #[test]
    fn a_connection_is_read_as_the_program_writes_it() {
        assert_eq!(bytes(4).len(), SIZE);
        let read = Measured::parse(5, &bytes(4), Some(1500)).unwrap();
        assert_eq!((read.cookie, read.local.to_string()), (5, "10.0.0.1:4001".into()));
        assert_eq!((read.remote.port(), read.network, read.congestion.as_str()), (80, 9, "reno"));
        assert_eq!((read.acked_bytes, read.received_bytes, read.family), (77, 88, "ipv4"));
        // What came before the first data is the receiver's here, and the last half microsecond passed in congestion avoidance.
        let events: Vec<u64> = read.functions.iter().map(|spent| spent.events).collect();
        assert_eq!(events, [0, 100, 200, 300, 400 + 500]);
        assert_eq!(read.functions[1].time_ns, 104 + 500);
        assert_eq!(read.functions[0].median_ns(), Some(2048.0 + 256.0));
        assert!(Measured::parse(5, &bytes(4)[1..], None).is_none());
        assert!(Measured::parse(5, &bytes(9), None).is_none());
    }

    #[test]
    fn a_median_lies_within_its_bin() {
        let mut spent = Measured::parse(5, &bytes(0), None).unwrap().functions.remove(1);
        spent.histogram = [0; BINS];
        assert_eq!(spent.median_ns(), None);
        spent.histogram[3] = 1;
        spent.histogram[40] = 4;
        spent.histogram[83] = 2;
        assert_eq!(spent.median_ns(), Some(2048.0 + 512.0 * 2.5 / 4.0));
        assert_eq!([4, 7, 8, 64].map(least_of), [4.0, 7.0, 8.0, 131_072.0]);
    }
}
