//! Sockets as the ends of a link: datagrams that come to one address go to another, each over the link, and answers back.
//!
//! Who sends to the relay is a client, and has a socket of his own towards the other address: so answers find him. It is
//! closed when nothing has gone through it for some time.
//!
//! Spec      RFC 768; RFC 4787 §4.3 for how long a silent client is remembered; lengths on the link are with the headers
//!           of UDP and IP
//! Holds     what a datagram holds leaves as it came; a client is given answers to what he sent, and no others'

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use hopwright_machine::{Duration, Time};
use hopwright_scenario::LinkPair;
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::net::sockopt::set_socket_recv_buffer_size;
use serde::Serialize;
use thiserror::Error;

use super::run::{Ends, run};
use super::{Coming, Shaper, ShaperStatus, ShaperSummary, Side};
use crate::waiting::Clock;
use crate::watch::Watch;

/// Datagrams read from one socket before another one has its turn.
const BATCH: usize = 64;
/// Clients whose answers are read in one turn.
const READY: usize = 64;

/// What the kernel is asked to keep for a socket until it is read: more than its usual fifth of a megabyte.
const BUFFER_BYTES: usize = 4 << 20;

/// Longer than any datagram.
const LONGEST: usize = 65_536;

/// How often it is looked who is silent.
const LOOK_EACH: Duration = Duration::from_secs(1);

/// A relay that nothing has come to.
#[derive(Debug)]
pub struct Relay {
    listening: UdpSocket,
    to: SocketAddr,
}

/// Whom a relay remembers.
#[derive(Clone, Copy, Debug)]
pub struct Remembers {
    /// How many clients at most: each takes a descriptor.
    pub clients: usize,
    /// Who is silent for so long is forgotten.
    pub idle: Duration,
}

/// Why there is no relay.
#[derive(Debug, Error)]
pub enum Unusable {
    /// It cannot listen there.
    #[error("{0}")]
    Listen(#[source] io::Error),
    /// Nothing can be sent there.
    #[error("{0}")]
    To(#[source] io::Error),
}

/// What a relay has done.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RelaySummary {
    /// What its link has.
    #[serde(flatten)]
    pub link: ShaperSummary,
    /// Clients there were; who came again after he had been forgotten is another one.
    pub clients: u64,
    /// Clients that were silent for so long that they were forgotten.
    pub forgotten_clients: u64,
    /// Datagrams that did not reach the link: there was no room for another client.
    pub refused_packets: u64,
}

impl Relay {
    /// Listens at an address, for datagrams to another one.
    ///
    /// # Errors
    /// If one of them cannot be used.
    pub fn new(listen: SocketAddr, to: SocketAddr) -> Result<Self, Unusable> {
        let to_nobody = |why: &str| Err(Unusable::To(io::Error::new(ErrorKind::InvalidInput, why)));
        if to.ip().is_multicast() || to.ip().is_unspecified() || to.port() == 0 {
            return to_nobody("is not the address of one program on one host");
        }
        let open = || {
            let listening = UdpSocket::bind(listen)?;
            listening.set_nonblocking(true)?;
            let _ = set_socket_recv_buffer_size(&listening, BUFFER_BYTES); // as much as is allowed
            Ok((listening.local_addr()?, listening))
        };
        let (own, listening) = open().map_err(Unusable::Listen)?;
        if own.port() == to.port() && (own.ip() == to.ip() || own.ip().is_unspecified() && to.ip().is_loopback()) {
            return to_nobody("is the address at which the relay itself listens: datagrams would circulate for ever");
        }
        towards(to).map_err(Unusable::To)?;
        Ok(Self { listening, to })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// If the socket is gone.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listening.local_addr()
    }

    /// Carries datagrams over the link until `watch` is told to stop. `is_realtime`: the thread goes before all others, and
    /// leaves them a tenth of the processor.
    ///
    /// # Errors
    /// If the socket cannot be waited for.
    pub fn run(
        self,
        link: LinkPair,
        seed: u64,
        remembers: Remembers,
        watch: &Watch<ShaperStatus>,
        is_realtime: bool,
    ) -> io::Result<RelaySummary> {
        let mut shaper = Shaper::new(link, seed, false);
        let mut sockets = Sockets::new(self, remembers)?;
        let link = run(&mut shaper, &mut sockets, watch, is_realtime)?;
        let Sockets { numbers, refused, forgotten, .. } = sockets;
        Ok(RelaySummary { link, clients: numbers.next.into(), forgotten_clients: forgotten, refused_packets: refused })
    }
}

/// Opens the socket of a client: what is sent to it goes to `to`, and only what comes from there is read.
fn towards(to: SocketAddr) -> io::Result<UdpSocket> {
    let any = match to {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind(SocketAddr::new(any, 0))?;
    socket.connect(to)?;
    socket.set_nonblocking(true)?;
    let _ = set_socket_recv_buffer_size(&socket, BUFFER_BYTES);
    Ok(socket)
}

struct Client {
    address: SocketAddr,
    socket: UdpSocket,
    /// When something went through last.
    used: Time,
}

/// Numbers of clients: each is given once.
#[derive(Default)]
struct Numbers {
    of: BTreeMap<SocketAddr, u32>,
    next: u32,
}

struct Sockets {
    listening: UdpSocket,
    to: SocketAddr,
    remembers: Remembers,
    clients: BTreeMap<u32, Client>,
    numbers: Numbers,
    /// Says which of the clients' sockets can be read.
    ready: OwnedFd,
    events: Vec<epoll::Event>,
    incoming: Vec<u8>,
    look: Time,
    refused: u64,
    forgotten: u64,
}

impl Sockets {
    fn new(relay: Relay, remembers: Remembers) -> io::Result<Self> {
        Ok(Self {
            listening: relay.listening,
            to: relay.to,
            remembers,
            clients: BTreeMap::new(),
            numbers: Numbers::default(),
            ready: epoll::create(epoll::CreateFlags::CLOEXEC)?,
            events: Vec::with_capacity(READY),
            incoming: vec![0; LONGEST],
            look: Time::NEVER,
            refused: 0,
            forgotten: 0,
        })
    }

    /// The number of who sent from an address; `None` if there is no room for another one.
    fn number(&mut self, address: SocketAddr, now: Time) -> Option<u32> {
        if let Some(number) = self.numbers.of.get(&address) {
            return Some(*number);
        }
        if self.clients.len() >= self.remembers.clients {
            return None;
        }
        let socket = towards(self.to).ok()?;
        let number = self.numbers.next;
        epoll::add(&self.ready, &socket, epoll::EventData::new_u64(number.into()), epoll::EventFlags::IN).ok()?;
        self.clients.insert(number, Client { address, socket, used: now });
        self.numbers.of.insert(address, number);
        self.numbers.next += 1;
        self.look = self.look.min(now + LOOK_EACH);
        Some(number)
    }

    /// Closes the sockets of those who were silent for too long.
    fn forget(&mut self, now: Time) {
        let Self { clients, numbers, remembers, .. } = self;
        let before = clients.len();
        clients.retain(|_, client| {
            let stays = now.since(client.used) < remembers.idle;
            if !stays {
                numbers.of.remove(&client.address);
            }
            stays
        });
        self.forgotten += (before - clients.len()) as u64;
        self.look = if clients.is_empty() { Time::NEVER } else { now + LOOK_EACH };
    }

    fn read_near(&mut self, clock: &Clock, shaper: &mut Shaper) -> bool {
        let mut has_read = false;
        for _ in 0..BATCH {
            let (length, from) = match self.listening.recv_from(&mut self.incoming) {
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) => continue, // what an earlier answer met; it is told once
            };
            let now = clock.now();
            has_read = true;
            let Some(client) = self.number(from, now) else {
                self.refused += 1;
                continue;
            };
            self.clients.get_mut(&client).expect("it has a number").used = now;
            let coming = Coming { side: Side::Near, client, headers: headers(from) };
            shaper.arrive(now, coming, &mut self.incoming, length);
        }
        has_read
    }

    fn read_far(&mut self, clock: &Clock, shaper: &mut Shaper) -> io::Result<bool> {
        let mut has_read = false;
        self.events.clear();
        epoll::wait(&self.ready, spare_capacity(&mut self.events), Some(&Timespec::default()))?;
        for event in &self.events {
            let client = event.data.u64() as u32;
            let Some(Client { socket, used, .. }) = self.clients.get_mut(&client) else { continue };
            for _ in 0..BATCH {
                let length = match socket.recv(&mut self.incoming) {
                    Ok(length) => length,
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    Err(_) => continue, // nobody listens there, says ICMP; it is told once
                };
                *used = clock.now();
                has_read = true;
                let coming = Coming { side: Side::Far, client, headers: headers(self.to) };
                shaper.arrive(*used, coming, &mut self.incoming, length);
            }
        }
        Ok(has_read)
    }
}

impl Ends for Sockets {
    fn read(&mut self, clock: &Clock, shaper: &mut Shaper) -> io::Result<bool> {
        let now = clock.now();
        if now >= self.look {
            self.forget(now);
        }
        let near = self.read_near(clock, shaper);
        Ok((!self.clients.is_empty() && self.read_far(clock, shaper)?) || near)
    }

    fn write(&mut self, now: Time, side: Side, client: u32, packet: &[u8]) -> io::Result<bool> {
        let Some(Client { address, socket, used }) = self.clients.get_mut(&client) else { return Ok(false) };
        *used = now;
        let send = || match side {
            Side::Near => socket.send(packet),
            Side::Far => self.listening.send_to(packet, *address),
        };
        // That nobody listened to an earlier one is told once, in place of sending.
        let refused = |error: &io::Error| error.kind() == ErrorKind::ConnectionRefused;
        let sent = send().or_else(|error| if refused(&error) { send() } else { Err(error) });
        Ok(sent.is_ok())
    }

    fn wakers(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        [self.listening.as_fd(), self.ready.as_fd()].into_iter()
    }

    fn deadline(&self) -> Time {
        self.look
    }
}

/// Bytes of the headers of UDP and IP, of a datagram from or to an address.
fn headers(address: SocketAddr) -> u32 {
    match address {
        SocketAddr::V4(_) => 28,
        SocketAddr::V6(address) if address.ip().to_ipv4_mapped().is_some() => 28,
        SocketAddr::V6(_) => 48,
    }
}
