//! What applications of a host are, and the one that connects and sends or receives. The other one: `server.rs`.

use hopwright_host::{Endpoint, Event, EventKind, Handle, Host};
use hopwright_machine::{Address, Time};

use crate::error::Error;
use crate::source::{Source, Version};
use crate::summary::Tally;
use crate::target::Target;

/// An application of a host.
pub(crate) trait App {
    /// Listens, or connects.
    fn start(&mut self, host: &mut Host, now: Time) -> Result<(), Error>;

    /// Something happened to a connection.
    fn on_event(&mut self, host: &mut Host, now: Time, event: Event) -> Result<(), Error>;

    /// When it wants to be woken.
    fn deadline(&self) -> Time {
        Time::NEVER
    }

    /// Its deadline has come.
    fn on_wake(&mut self, _host: &mut Host, _now: Time) {}

    /// Whether there is nothing more to do.
    fn is_done(&self) -> bool;

    /// Everything went well: makes it last.
    fn finish(&mut self) -> Result<(), Error>;

    fn tally(&mut self) -> &mut Tally;
}

/// Connects, sends a file and closes its end, and receives until the peer closes.
#[derive(Debug)]
pub(crate) struct Client {
    remote: Endpoint,
    source: Option<Source>,
    target: Option<Target>,
    handle: Option<Handle>,
    given: Option<Given>,
    /// Whether that is all there was to give.
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
            given: None,
            is_given: false,
            is_received: false,
            is_done: false,
            tally: Tally::default(),
        }
    }

    fn give(&mut self, host: &mut Host, now: Time, handle: Handle) -> Result<(), Error> {
        let Some(source) = &mut self.source else { return Ok(()) };
        let mut given = match self.given {
            Some(given) => given,
            None => Given::of(source)?,
        };
        let end = give(host, now, handle, source, &mut given)?;
        self.given = Some(given);
        self.is_given |= end == Some(true);
        if end == Some(false) {
            return Err(Error::failed(source.changed()));
        }
        Ok(())
    }

    /// The connection broke off. Whoever has received everything has what he came for, even if his last word was not
    /// heard; but what was to be sent must have arrived.
    fn on_break(&mut self, host: &Host, how: &str) -> Result<(), Error> {
        let failure = Error::failed(format!("{}: {how}", self.name()));
        if !self.is_received {
            return Err(failure);
        }
        if self.source.is_none()
            || (self.is_given && self.given.is_some_and(|given| host.statistics().acked_bytes >= given.bytes))
        {
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
                if self.source.is_none() && self.target.is_none() {
                    host.close(now, handle); // with nothing to do in either direction, opening was all
                }
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
            EventKind::Stalled => self.on_break(host, "takes next to nothing")?,
            EventKind::Reset | EventKind::Displaced => self.on_break(host, "broke the connection off")?,
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

/// How much of a file a connection was given, and which content that file had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Given {
    bytes: u64,
    version: Version,
}

impl Given {
    /// Nothing yet of the file as it is now.
    pub(crate) fn of(source: &Source) -> Result<Self, Error> {
        Ok(Self { bytes: 0, version: source.version()? })
    }
}

/// Gives a connection as much of a file as it has room for, and half-closes it after the end: then, true. If the file is
/// not what it was, the peer must not believe that it has it: the connection is broken off, and the answer is false.
pub(crate) fn give(
    host: &mut Host,
    now: Time,
    handle: Handle,
    source: &mut Source,
    given: &mut Given,
) -> Result<Option<bool>, Error> {
    loop {
        let left = given.version.length.saturating_sub(given.bytes);
        // Without room one byte is offered: refused, it makes the host tell when there is room.
        let most = left.min(host.room(handle).max(1) as u64);
        let bytes = source.at(given.bytes, most as usize)?;
        if bytes.is_empty() {
            if left > 0 || source.version()? != given.version {
                host.abort(now, handle);
                return Ok(Some(false));
            }
            host.shutdown(now, handle);
            return Ok(Some(true));
        }
        let taken = host.write(now, handle, bytes);
        given.bytes += taken as u64;
        if taken < bytes.len() {
            return Ok(None);
        }
    }
}

/// Takes everything that arrived.
pub(crate) fn drain(
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
