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
    /// Whether `given` is all there was to give.
    is_given: bool,
    /// Whether everything came that the peer had.
    is_received: bool,
    is_done: bool,
    tally: Tally,
}

impl Client {
    pub(crate) fn new(remote: Endpoint, source: Option<Source>, target: Option<Target>) -> Self {
        Self {
            remote,
            source,
            target,
            handle: None,
            given: 0,
            is_given: false,
            is_received: false,
            is_done: false,
            tally: Tally::default(),
        }
    }

    fn give(&mut self, host: &mut Host, now: Time, handle: Handle) -> Result<(), Error> {
        match &mut self.source {
            Some(source) => {
                self.is_given = give(host, now, handle, source, &mut self.given)?;
                Ok(())
            }
            // With nothing to do in either direction, opening was all.
            None if self.target.is_none() => {
                host.close(now, handle);
                Ok(())
            }
            // Some servers take the end of the request for the end of the wish.
            None => Ok(()),
        }
    }

    /// The connection broke off. Whoever has received everything has what he came for, even if his last word was not
    /// heard; but what was to be sent must have arrived.
    fn on_break(&mut self, host: &Host, how: &str) -> Result<(), Error> {
        let failure = Error::failed(format!("{}: {how}", self.name()));
        if !self.is_received {
            return Err(failure);
        }
        if self.source.is_none() || (self.is_given && host.statistics().acked_bytes >= self.given) {
            self.is_done = true;
            return Ok(());
        }
        self.target.take().map_or(Ok(()), Target::finish)?;
        Err(failure)
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
                self.is_received = self.target.is_some();
                if self.source.is_none() {
                    host.close(now, handle);
                }
            }
            EventKind::Closed => self.is_done = true,
            EventKind::Refused => return Err(Error::failed(format!("{}: connection refused", self.name()))),
            EventKind::Unreachable(_) => return Err(Error::failed(format!("{}: cannot be reached", self.name()))),
            EventKind::TimedOut => self.on_break(host, "does not answer")?,
            EventKind::Reset => self.on_break(host, "broke the connection off")?,
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

/// Gives a connection as much of a file as it has room for, and closes it after the end: then, true.
fn give(host: &mut Host, now: Time, handle: Handle, source: &mut Source, given: &mut u64) -> Result<bool, Error> {
    loop {
        // Without room one byte is offered: refused, it makes the host tell when there is room.
        let bytes = source.at(*given, host.room(handle).max(1))?;
        if bytes.is_empty() {
            host.close(now, handle);
            return Ok(true);
        }
        let taken = host.write(now, handle, bytes);
        *given += taken as u64;
        if taken < bytes.len() {
            return Ok(false);
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use hopwright_host::Config;

    use super::*;
    use crate::defaults::defaults;

    /// What becomes of the file of a client that sends `send`, hears `events`, and then nothing more.
    fn ends(name: &str, send: Option<&[u8]>, events: &[EventKind]) -> (Result<(), String>, bool) {
        let folder: PathBuf = std::env::temp_dir().join(format!("hopwright-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (path, file) = (folder.join("got"), folder.join("file"));
        let source = send.map(|bytes| {
            fs::write(&file, bytes).unwrap();
            Source::open(&file).unwrap()
        });
        let (recipe, params) = defaults("newreno").unwrap();
        let mut host = Host::new(Config::new(Address(0x0a00_0002), 24, recipe, params, [7; 16]));
        let remote = Endpoint { address: Address(0x0a00_0001), port: 80 };
        let mut client = Client::new(remote, source, Some(Target::create(&path).unwrap()));
        client.start(&mut host, Time::ZERO).unwrap();
        let handle = client.handle.unwrap();
        let mut told = events.iter().map(|&kind| client.on_event(&mut host, Time::ZERO, Event { handle, kind }));
        let end = told.find(Result::is_err).unwrap_or(Ok(())).map_err(|error| error.to_string());
        if client.is_done() {
            client.finish().unwrap();
        }
        drop(client);
        let is_kept = path.exists();
        fs::remove_dir_all(&folder).unwrap();
        (end, is_kept)
    }

    #[test]
    fn a_file_that_came_whole_is_kept_however_the_connection_ends() {
        use EventKind::{Established, PeerClosed, Reset, TimedOut};
        let broken = Err("10.0.0.1:80: broke the connection off".to_owned());
        for last in [Reset, TimedOut] {
            assert_eq!(ends("whole", None, &[Established, PeerClosed, last]), (Ok(()), true));
        }
        assert_eq!(ends("half", None, &[Established, Reset]), (broken.clone(), false));
        // Nothing had to be sent; something had to be, and nobody has acknowledged it.
        assert_eq!(ends("empty", Some(b""), &[Established, PeerClosed, Reset]), (Ok(()), true));
        assert_eq!(ends("unsent", Some(b"take this"), &[Established, PeerClosed, Reset]), (broken, true));
    }
}
