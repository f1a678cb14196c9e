//! What the connections of an algorithm are like now.

use std::fmt;
use std::io::Read as _;
use std::net::SocketAddr;
use std::os::fd::AsFd as _;

use libbpf_rs::{ErrorKind, Iter, Link, MapHandle, ObjectBuilder};

use super::bytes::{Reader, address};
use super::library;
use super::needs::release;
use super::record::threshold;
use super::running::Running;
use crate::Error;

/// A connection of an algorithm (`struct row` in bpf/status.bpf.c).
#[derive(Clone, PartialEq, Debug)]
pub struct Connection {
    /// Its own end.
    pub local: SocketAddr,
    /// The other end.
    pub remote: SocketAddr,
    /// The congestion window, in segments.
    pub cwnd: f64,
    /// The threshold, in segments; none: not set.
    pub ssthresh: Option<u32>,
    /// Smoothed round-trip time, in microseconds; zero: not measured.
    pub srtt_us: u32,
    /// Bytes of a segment.
    pub mss: u32,
    /// Segments that are not acknowledged.
    pub outstanding: u32,
    /// Acknowledgements that opened the window, or could have.
    pub acks: u32,
    /// Losses put down to congestion.
    pub congestion: u32,
    /// Losses put down to the channel.
    pub channel: u32,
    /// Losses put down to a route that broke.
    pub route: u32,
    /// Times that the retransmission timer expired.
    pub timeouts: u32,
    /// What it does: `open`, `disorder`, `reduction`, `recovery`, `loss`.
    pub phase: &'static str,
}

/// Bytes of a row: what is kept of a connection, and what the socket says.
const SIZE: usize = 4 * (14 + 18);

/// A way to look at the connections of an algorithm, again and again.
#[derive(Debug)]
pub struct Watch {
    link: Link,
    name: String,
}

impl Watch {
    /// A way to look at these.
    ///
    /// # Errors
    /// If the kernel does not show them.
    pub fn new(of: &Running) -> Result<Self, Error> {
        library::listen();
        let failed = |error: &dyn fmt::Display| failed(&of.name, error);
        let image = include_bytes!(concat!(env!("OUT_DIR"), "/status.o"));
        let mut open = ObjectBuilder::default().open_memory(image).map_err(|e| failed(&e))?;
        for mut map in open.maps_mut() {
            map.set_autocreate(false).map_err(|e| failed(&e))?; // the maps of an algorithm, which the look is not
        }
        let object = open.load().map_err(|error| match error.kind() {
            // `needs` has found that the user has the rights, so it is the kernel that refuses. Seen on a Linux 6.18.
            ErrorKind::PermissionDenied => Error::Lacking(format!(
                "the connections of {} cannot be shown (Linux {}): the kernel refuses programs that read all sockets (BPF iterators)",
                of.name,
                release()
            )),
            _ => failed(&error),
        })?;
        let map = MapHandle::from_map_id(of.connections).map_err(|e| failed(&e))?;
        let Some(program) = object.progs_mut().next() else { return Err(failed(&"there is no program")) };
        let link = program.attach_iter(map.as_fd()).map_err(|e| failed(&e))?;
        Ok(Self { link, name: of.name.clone() })
    }

    /// Every connection now, in whichever network namespace it is.
    ///
    /// # Errors
    /// If the kernel does not show them.
    pub fn look(&self) -> Result<Vec<Connection>, Error> {
        let mut bytes = vec![];
        let mut iter = Iter::new(&self.link).map_err(|e| failed(&self.name, &e))?;
        iter.read_to_end(&mut bytes).map_err(|e| failed(&self.name, &e))?;
        let mut all: Vec<Connection> = bytes.chunks_exact(SIZE).filter_map(parse).collect();
        all.sort_by_key(|connection| (connection.remote, connection.local));
        Ok(all)
    }
}

fn failed(name: &str, error: &dyn fmt::Display) -> Error {
    let text = format!("cannot inspect the connections of {name}: {error:#}\n{}", library::said());
    Error::Failed(text.trim_end().to_owned())
}

/// The numbers of linux/tcp_states.h.
const LISTEN: u32 = 10;

fn parse(bytes: &[u8]) -> Option<Connection> {
    let mut read = Reader(bytes);
    let [congestion, channel, route, timeouts, acks, kept, fraction] = [(); 7].map(|()| read.u32());
    read.bytes(4 * 7);
    let [family, state, local_port, remote_port] = [(); 4].map(|()| read.u32());
    let [local, remote] = [(); 2].map(|()| address(read.bytes(16), family));
    let [cwnd, ssthresh, srtt_us, mss, outstanding, phase] = [(); 6].map(|()| read.u32());
    let fraction = if cwnd == kept { f64::from(fraction) / f64::from(1 << 20) } else { 0.0 };
    let phase = ["open", "disorder", "reduction", "recovery", "loss"].get(phase as usize).copied().unwrap_or("?");
    (state != LISTEN).then(|| Connection {
        local: SocketAddr::new(local, local_port as u16),
        remote: SocketAddr::new(remote, remote_port as u16),
        cwnd: f64::from(cwnd) + fraction,
        ssthresh: threshold(ssthresh),
        srtt_us,
        mss,
        outstanding,
        acks,
        congestion,
        channel,
        route,
        timeouts,
        phase,
    })
}
