//! The application on the kernel's side: a socket that never blocks, looked at every few milliseconds.

use std::net::SocketAddrV4;
use std::os::fd::{AsFd, OwnedFd};

use hopwright_converse::script::{Action, Setup};
use hopwright_transport::{Output, Params, Role, State};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, Shutdown, SocketFlags, SocketType, sockopt};
use rustix::net::{accept_with, bind, connect, listen, recv, send, shutdown, socket_with};

use crate::device::{KERNEL, PEER};
use crate::table;

/// See the file's header.
#[derive(Debug)]
pub(crate) struct Application {
    role: Role,
    /// Takes data only when the script says so.
    is_patient: bool,
    nagle: bool,
    /// Whether acknowledgements may be delayed.
    delays: bool,
    user_timeout_ms: u32,
    receive_buffer: u32,
    listener: Option<OwnedFd>,
    socket: Option<OwnedFd>,
    is_open: bool,
    has_peer_closed: bool,
    has_ended: bool,
    /// Bytes not yet written, and whether that will be all.
    unwritten: u64,
    closes: bool,
    has_closed: bool,
    /// Bytes read, how many of them the script knows to be readable, and, of a patient one, those peeked at.
    taken: u64,
    known: u64,
    peeked: Vec<u8>,
}

impl Application {
    pub(crate) fn new(setup: &Setup, params: &Params) -> Self {
        Self {
            role: setup.role,
            is_patient: params.explicit_read,
            nagle: params.nagle,
            delays: setup.slots.iter().any(|(slot, part)| slot == "acking" && part == "delayed"),
            user_timeout_ms: u32::try_from(params.user_timeout.as_nanos() / 1_000_000).unwrap_or(u32::MAX),
            receive_buffer: params.receive_buffer_bytes,
            listener: None,
            socket: None,
            is_open: false,
            has_peer_closed: false,
            has_ended: false,
            unwritten: 0,
            closes: false,
            has_closed: false,
            taken: 0,
            known: 0,
            peeked: Vec::new(),
        }
    }

    pub(crate) fn received(&self) -> String {
        String::from_utf8_lossy(&self.peeked).into_owned()
    }

    pub(crate) const fn unread(&self) -> usize {
        self.peeked.len()
    }

    pub(crate) const fn delivered(&self) -> u64 {
        self.known
    }

    pub(crate) fn act(&mut self, action: &Action) -> Vec<Output> {
        let done = match *action {
            Action::Open => self.open(),
            Action::Write(bytes) => {
                self.unwritten = self.unwritten.saturating_add(bytes);
                self.write()
            }
            Action::Read(bytes) => self.read(bytes),
            Action::Close => {
                self.closes = true;
                self.write()
            }
            Action::CloseBoth => {
                let written = self.write(); // what could not be written yet is the script's mistake, and will be missed
                self.has_ended = true;
                (self.listener, self.socket) = (None, None);
                written
            }
            Action::Abort => {
                self.has_ended = true;
                self.listener = None;
                // Without lingering, what is unsent is given up and the peer gets a reset (RFC 9293 §3.9.1.6).
                if let Some(socket) = self.socket.take() {
                    let _ = sockopt::set_socket_linger(&socket, Some(std::time::Duration::ZERO));
                }
                return vec![Output::Reset];
            }
            Action::Wake | Action::Corrupted(_) | Action::Hops(_) | Action::RouteFailed(_) | Action::RouteRestored => {
                Ok(())
            }
        };
        done.map_or_else(|error| self.end(error), |()| vec![])
    }

    /// What has happened since the last look.
    pub(crate) fn look(&mut self) -> Vec<Output> {
        if self.has_ended {
            return vec![];
        }
        let mut news = vec![];
        if let Err(error) = self.try_look(&mut news) {
            news.extend(self.end(error));
        }
        news
    }

    fn try_look(&mut self, news: &mut Vec<Output>) -> Result<(), Errno> {
        if let (Some(listener), None) = (&self.listener, &self.socket) {
            match accept_with(listener, SocketFlags::NONBLOCK) {
                Ok(socket) => self.socket = Some(self.set(socket)?),
                Err(Errno::AGAIN) => {}
                Err(error) => return Err(error),
            }
        }
        let Some(socket) = &self.socket else { return Ok(()) };
        sockopt::socket_error(socket)??;
        if !self.is_open && ready(socket, PollFlags::OUT) {
            self.is_open = true;
            if self.delays {
                sockopt::set_tcp_quickack(socket, false)?;
            }
            news.push(Output::Established);
        }
        if !self.is_open {
            return Ok(());
        }
        self.write()?;
        self.take_in(news)?;
        let Some(socket) = &self.socket else { return Ok(()) };
        sockopt::socket_error(socket)??;
        if !self.has_peer_closed && ready(socket, PollFlags::RDHUP) {
            self.has_peer_closed = true;
            news.push(Output::PeerClosed);
        }
        if self.has_peer_closed && self.has_closed && matches!(table::state(), State::Closed | State::Listen) {
            self.has_ended = true;
            news.push(Output::Closed);
        }
        Ok(())
    }

    fn open(&mut self) -> Result<(), Errno> {
        let socket = socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::NONBLOCK, None)?;
        sockopt::set_socket_reuseaddr(&socket, true)?;
        let socket = self.set(socket)?;
        bind(&socket, &SocketAddrV4::new(KERNEL.0.into(), KERNEL.1))?;
        if self.role == Role::Passive {
            listen(&socket, 1)?;
            self.listener = Some(socket);
            return Ok(());
        }
        let connected = connect(&socket, &SocketAddrV4::new(PEER.0.into(), PEER.1));
        self.socket = Some(socket);
        match connected {
            Err(Errno::INPROGRESS) => Ok(()),
            other => other,
        }
    }

    /// The options of a socket that the script asks for. Urgent data are data (RFC 6093 §6).
    fn set(&self, socket: OwnedFd) -> Result<OwnedFd, Errno> {
        sockopt::set_tcp_nodelay(&socket, !self.nagle)?;
        sockopt::set_socket_oobinline(&socket, true)?;
        if self.user_timeout_ms > 0 {
            sockopt::set_tcp_user_timeout(&socket, self.user_timeout_ms)?;
        }
        if self.receive_buffer > 0 {
            sockopt::set_socket_recv_buffer_size(&socket, self.receive_buffer as usize)?;
        }
        Ok(socket)
    }

    fn write(&mut self) -> Result<(), Errno> {
        let Some(socket) = self.socket.as_ref().filter(|_| self.is_open) else { return Ok(()) };
        while self.unwritten > 0 {
            let bytes = vec![b'x'; self.unwritten.min(1 << 20) as usize];
            match send(socket, &bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Ok(written) => self.unwritten -= written as u64,
                Err(Errno::AGAIN) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        if self.closes && !self.has_closed {
            self.has_closed = true;
            shutdown(socket, Shutdown::Write)?; // the other direction stays open, as the engine's does
        }
        Ok(())
    }

    /// Reads what is there, or looks at it.
    fn take_in(&mut self, news: &mut Vec<Output>) -> Result<(), Errno> {
        if !self.socket.as_ref().is_some_and(|socket| ready(socket, PollFlags::IN)) {
            return Ok(());
        }
        let before = self.known;
        let mut bytes = vec![0; 1 << 20];
        while let Some(socket) = &self.socket {
            let flags = if self.is_patient { RecvFlags::PEEK } else { RecvFlags::empty() };
            match recv(socket, &mut bytes[..], flags | RecvFlags::DONTWAIT) {
                Ok((0, _)) | Err(Errno::AGAIN) => break,
                Ok((length, _)) if self.is_patient => {
                    self.peeked = bytes[..length].to_vec();
                    self.known = self.taken + length as u64;
                    break;
                }
                Ok((length, _)) => {
                    self.taken += length as u64;
                    self.known = self.taken;
                }
                Err(error) => return Err(error),
            }
        }
        if self.known > before {
            news.push(Output::Readable(u32::try_from(self.known - before).unwrap_or(u32::MAX)));
        }
        Ok(())
    }

    /// The script takes bytes.
    fn read(&mut self, wanted: u32) -> Result<(), Errno> {
        let Some(socket) = &self.socket else { return Ok(()) };
        let mut bytes = vec![0; wanted.min(1 << 20) as usize];
        let (length, _) = recv(socket, &mut bytes[..], RecvFlags::DONTWAIT)?;
        self.taken += length as u64;
        self.peeked.drain(..length.min(self.peeked.len()));
        Ok(())
    }

    /// The connection has failed.
    fn end(&mut self, error: Errno) -> Vec<Output> {
        self.has_ended = true;
        vec![if error == Errno::TIMEDOUT { Output::TimedOut } else { Output::Reset }]
    }
}

/// Whether a socket is ready for this, now.
fn ready(socket: &OwnedFd, what: PollFlags) -> bool {
    let mut one = [PollFd::from_borrowed_fd(socket.as_fd(), what)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut one, Some(&now)).is_ok_and(|count| count > 0 && one[0].revents().contains(what))
}
