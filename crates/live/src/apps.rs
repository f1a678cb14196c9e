//! The applications: one serves a file, one connects and sends or receives.

use std::collections::BTreeMap;

use hopwright_host::{Endpoint, Event, EventKind, Handle, Host};
use hopwright_machine::{Address, Time};

use crate::error::Error;
use crate::files::{Source, Target};
use crate::summary::Tally;

/// Half-open connections kept before cookies.
const BACKLOG: usize = 256;

/// An application of a host.
pub(crate) trait App {
    /// Listens, or connects.
    fn start(&mut self, host: &mut Host, now: Time) -> Result<(), Error>;

    /// Something happened to a connection.
    fn on_event(&mut self, host: &mut Host, now: Time, event: Event) -> Result<(), Error>;

    /// Whether there is nothing more to do.
    fn is_done(&self) -> bool;

    /// Everything went well: makes it last.
    fn finish(&mut self) -> Result<(), Error>;

    fn tally(&mut self) -> &mut Tally;
}

/// Writes a file to whoever connects, and closes.
#[derive(Debug)]
pub(crate) struct Server {
    source: Source,
    port: u16,
    once: bool,
    /// How much of the file each connection was given.
    given: BTreeMap<Handle, u64>,
    tally: Tally,
}

impl Server {
    pub(crate) fn new(source: Source, port: u16, once: bool) -> Self {
        Self { source, port, once, given: BTreeMap::new(), tally: Tally::default() }
    }

    fn on_end(&mut self, host: &mut Host, now: Time, handle: Handle, is_good: bool) {
        if self.given.remove(&handle).is_some() {
            self.tally.connections += u64::from(is_good);
            self.tally.failed += u64::from(!is_good);
            self.tally.last = now;
            if self.once {
                host.unlisten(self.port);
            }
        }
    }
}

impl App for Server {
    fn start(&mut self, host: &mut Host, _now: Time) -> Result<(), Error> {
        host.listen(self.port, BACKLOG).map_err(|error| Error::failed(format!("port {}: {error}", self.port)))
    }

    fn on_event(&mut self, host: &mut Host, now: Time, event: Event) -> Result<(), Error> {
        let handle = event.handle;
        match event.kind {
            EventKind::Established => {
                if self.once && self.tally.first.is_some() {
                    host.abort(now, handle);
                    return Ok(());
                }
                self.tally.on_open(now);
                self.given.insert(handle, 0);
                give(host, now, handle, &mut self.source, self.given.entry(handle).or_default())?;
            }
            EventKind::Writable => {
                if let Some(given) = self.given.get_mut(&handle) {
                    give(host, now, handle, &mut self.source, given)?;
                }
            }
            // What clients say is of no interest.
            EventKind::Readable => drain(host, now, handle, |_| Ok(()))?,
            EventKind::PeerClosed => {}
            EventKind::Closed => self.on_end(host, now, handle, true),
            _ => self.on_end(host, now, handle, false),
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.once && self.tally.connections + self.tally.failed > 0
    }

    fn finish(&mut self) -> Result<(), Error> {
        if self.tally.connections == 0 {
            return Err(Error::failed("the connection was broken off"));
        }
        Ok(())
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}

/// Connects, sends a file and closes its end, and receives until the peer closes.
#[derive(Debug)]
pub(crate) struct Client {
    remote: Endpoint,
    source: Option<Source>,
    target: Option<Target>,
    handle: Option<Handle>,
    given: u64,
    is_done: bool,
    tally: Tally,
}

impl Client {
    pub(crate) fn new(remote: Endpoint, source: Option<Source>, target: Option<Target>) -> Self {
        Self { remote, source, target, handle: None, given: 0, is_done: false, tally: Tally::default() }
    }

    fn give(&mut self, host: &mut Host, now: Time, handle: Handle) -> Result<(), Error> {
        match &mut self.source {
            Some(source) => give(host, now, handle, source, &mut self.given),
            // With nothing to do in either direction, opening was all.
            None if self.target.is_none() => {
                host.close(now, handle);
                Ok(())
            }
            // Some servers take the end of the request for the end of the wish.
            None => Ok(()),
        }
    }

    fn name(&self) -> String {
        let Endpoint { address: Address(address), port } = self.remote;
        format!("{}:{port}", std::net::Ipv4Addr::from(address))
    }
}

impl App for Client {
    fn start(&mut self, host: &mut Host, now: Time) -> Result<(), Error> {
        let opened = host.connect(now, self.remote);
        self.handle = Some(opened.map_err(|error| Error::failed(format!("{}: {error}", self.name())))?);
        Ok(())
    }

    fn on_event(&mut self, host: &mut Host, now: Time, event: Event) -> Result<(), Error> {
        let handle = event.handle;
        self.tally.last = now;
        match event.kind {
            EventKind::Established => {
                self.tally.on_open(now);
                self.give(host, now, handle)?;
            }
            EventKind::Writable => self.give(host, now, handle)?,
            EventKind::Readable => {
                let target = &mut self.target;
                drain(host, now, handle, |bytes| target.as_mut().map_or(Ok(()), |target| target.write(bytes)))?;
            }
            EventKind::PeerClosed => {
                if self.source.is_none() {
                    host.close(now, handle);
                }
            }
            EventKind::Closed => self.is_done = true,
            EventKind::Refused => return Err(Error::failed(format!("{}: connection refused", self.name()))),
            EventKind::Unreachable(_) => return Err(Error::failed(format!("{}: cannot be reached", self.name()))),
            EventKind::TimedOut => return Err(Error::failed(format!("{}: does not answer", self.name()))),
            EventKind::Reset => return Err(Error::failed(format!("{}: broke the connection off", self.name()))),
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.is_done
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.tally.connections = 1;
        self.target.take().map_or(Ok(()), Target::finish)
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}

/// Gives a connection as much of a file as it has room for, and closes it after the end.
fn give(host: &mut Host, now: Time, handle: Handle, source: &mut Source, given: &mut u64) -> Result<(), Error> {
    loop {
        // Without room one byte is offered: refused, it makes the host tell when there is room.
        let bytes = source.at(*given, host.room(handle).max(1))?;
        if bytes.is_empty() {
            host.close(now, handle);
            return Ok(());
        }
        let taken = host.write(now, handle, bytes);
        *given += taken as u64;
        if taken < bytes.len() {
            return Ok(());
        }
    }
}

/// Takes everything that arrived.
fn drain(
    host: &mut Host,
    now: Time,
    handle: Handle,
    mut take: impl FnMut(&[u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let (a, b) = host.received(handle);
    let length = a.len() + b.len();
    if length > 0 {
        take(a)?;
        take(b)?;
        host.read(now, handle, length);
    }
    Ok(())
}
