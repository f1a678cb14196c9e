//! The application that writes a file to whoever connects.
//!
//! Spec      RFC 9293 §3.6.1 (half-closed, then closed whole)
//! Deviates  nothing
//! Holds     only a connection that was given all of the file, as it was when it opened, gets an end; whoever has it
//!           all is listened to for a while, for a reset could cost him what he has not read, and then no more

use std::collections::{BTreeMap, VecDeque};

use hopwright_host::{Event, EventKind, Handle, Host};
use hopwright_machine::{Duration, Time};

use crate::apps::{App, Given, drain, give};
use crate::error::Error;
use crate::limits::Limits;
use crate::source::Source;
use crate::summary::Tally;

/// See the file's header.
#[derive(Debug)]
pub(crate) struct Server {
    source: Source,
    port: u16,
    once: bool,
    backlog: usize,
    linger: Duration,
    /// How much of the file each connection was given.
    given: BTreeMap<Handle, Given>,
    /// Connections that were given all of it, and when each has been listened to for long enough: oldest first.
    lingering: VecDeque<(Time, Handle)>,
    tally: Tally,
}

impl Server {
    pub(crate) fn new(source: Source, port: u16, once: bool, limits: &Limits) -> Self {
        let (backlog, linger) = (limits.backlog(), limits.linger());
        let (given, lingering) = (BTreeMap::new(), VecDeque::new());
        Self { source, port, once, backlog, linger, given, lingering, tally: Tally::default() }
    }

    fn give(&mut self, host: &mut Host, now: Time, handle: Handle) -> Result<(), Error> {
        let Some(given) = self.given.get_mut(&handle) else { return Ok(()) };
        match give(host, now, handle, &mut self.source, given)? {
            Some(true) => self.lingering.push_back((now + self.linger, handle)),
            Some(false) => {
                self.tally.changed += 1;
                self.tally.error = Some(self.source.changed());
            }
            None => {}
        }
        Ok(())
    }

    fn on_end(&mut self, host: &mut Host, now: Time, event: Event) {
        if self.given.remove(&event.handle).is_some() {
            self.tally.on_end(now, event.kind);
            if self.once {
                host.unlisten(self.port);
            }
        }
    }
}

impl App for Server {
    fn start(&mut self, host: &mut Host, _now: Time) -> Result<(), Error> {
        host.listen(self.port, self.backlog).map_err(|error| Error::failed(format!("port {}: {error}", self.port)))
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
                self.given.insert(handle, Given::of(&self.source)?);
                self.give(host, now, handle)?;
            }
            EventKind::Writable => self.give(host, now, handle)?,
            // What clients say is of no interest.
            EventKind::Readable => drain(host, now, handle, |_| Ok(()))?,
            EventKind::PeerClosed => {}
            _ => self.on_end(host, now, event),
        }
        Ok(())
    }

    fn deadline(&self) -> Time {
        self.lingering.front().map_or(Time::NEVER, |&(time, _)| time)
    }

    fn on_wake(&mut self, host: &mut Host, now: Time) {
        while let Some(&(time, handle)) = self.lingering.front().filter(|(time, _)| *time <= now) {
            self.lingering.pop_front();
            if host.is_owed(handle) {
                self.lingering.push_back((time + self.linger, handle)); // the host says how long that may take
            } else {
                host.close(now, handle);
            }
        }
    }

    fn is_done(&self) -> bool {
        self.once && self.tally.connections + self.tally.failed > 0
    }

    fn finish(&mut self) -> Result<(), Error> {
        if self.tally.connections == 0 && self.tally.error.is_none() {
            return Err(Error::failed("the connection was broken off"));
        }
        Ok(())
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}
