//! One host that serves, honest clients, and hogs: peers made of bare segments that take as little as they like.

use std::collections::BTreeMap;

use hopwright_host::{Checksums, Config, Endpoint, EventKind, Handle, Host, Input, Outgoing, Output};
use hopwright_machine::{Address, Duration, Machine, Time};
use hopwright_wire::ip::{self, protocol};
use hopwright_wire::tcp::{Flags, Options, Segment, Seq};

use super::net::{PORT, SERVER, config};

const DELAY: Duration = Duration::from_millis(5);
const SECOND: Duration = Duration::from_secs(1);

/// The first window of a hog.
const WINDOW: u32 = 65_535;

/// What a hog does with what it is sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Appetite {
    /// Takes a window and no more; answers every probe.
    Nothing,
    /// The same, and opens its window by so many bytes a second.
    Opens(u32),
    /// Keeps its window open, and acknowledges so many bytes a second.
    Acknowledges(u32),
    /// Takes everything, but never closes its own end.
    Everything,
}

pub(crate) struct Hog {
    appetite: Appetite,
    /// What it acknowledges, and up to where it offered to take.
    pub(crate) next: Seq,
    edge: Seq,
    /// Where its own stream is.
    pub(crate) seq: Seq,
    pub(crate) is_open: bool,
    /// When it was reset.
    pub(crate) ended: Option<Time>,
}

/// An honest client: reads all there is.
pub(crate) struct Client {
    host: Host,
    pub(crate) received: usize,
    pub(crate) last: Option<EventKind>,
    /// When the server's end came.
    pub(crate) finished: Option<Time>,
}

pub(crate) struct Town {
    pub(crate) server: Host,
    pub(crate) served: Vec<u8>,
    given: BTreeMap<Handle, usize>,
    pub(crate) hogs: BTreeMap<Endpoint, Hog>,
    pub(crate) clients: BTreeMap<Address, Client>,
    pub(crate) now: Time,
    in_flight: BTreeMap<(Time, u64), (Address, Vec<u8>)>,
    packets: u64,
    next_second: Time,
    /// The last events of connections on the server, counted.
    pub(crate) ends: BTreeMap<&'static str, usize>,
    /// Packets to these addresses are lost.
    pub(crate) is_dark: bool,
    /// Whether the server closes both directions at the end, or only its own.
    pub(crate) closes_both: bool,
    /// The most memory that each of these addresses had.
    pub(crate) worst: BTreeMap<Address, u64>,
}

pub(crate) fn packet(source: Address, segment: &Segment, data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    ip::Header {
        source,
        destination: SERVER,
        protocol: protocol::TCP,
        ecn: ip::Ecn::default(),
        ttl: 64,
        identification: 0,
        payload_bytes: segment.bytes() as u16,
    }
    .emit(&mut bytes);
    segment.emit(source, SERVER, [data, &[]], &mut bytes);
    bytes
}

pub(crate) fn segment(from: u16, flags: Flags, seq: Seq, ack: Seq, window: u32) -> Segment {
    Segment {
        source_port: from,
        destination_port: PORT,
        seq,
        ack,
        flags,
        window: window.min(WINDOW) as u16,
        urgent: 0,
        options: Options { mss: flags.has(Flags::SYN).then_some(1460), ..Options::default() },
        payload_bytes: 0,
        ecn: ip::Ecn::NotCapable,
    }
}

impl Town {
    pub(crate) fn new(server: Config) -> Self {
        let mut server = Host::new(server);
        server.listen(PORT, 256).unwrap();
        Self {
            server,
            served: vec![7; 1_000_000],
            given: BTreeMap::new(),
            hogs: BTreeMap::new(),
            clients: BTreeMap::new(),
            now: Time::ZERO,
            in_flight: BTreeMap::new(),
            packets: 0,
            next_second: Time::ZERO + SECOND,
            ends: BTreeMap::new(),
            is_dark: false,
            closes_both: false,
            worst: BTreeMap::new(),
        }
    }

    /// A hog asks for a connection.
    pub(crate) fn hog(&mut self, address: Address, port: u16, appetite: Appetite) {
        let (seq, from) = (Seq(1000), Endpoint { address, port });
        let hog = Hog { appetite, next: Seq(0), edge: Seq(0), seq: seq + 1, is_open: false, ended: None };
        self.hogs.insert(from, hog);
        self.say(address, &segment(port, Flags::SYN, seq, Seq(0), WINDOW), &[]);
    }

    /// A client asks for the file.
    pub(crate) fn client(&mut self, address: Address) {
        let mut host = Host::new(config(address));
        host.connect(self.now, Endpoint { address: SERVER, port: PORT }).unwrap();
        self.clients.insert(address, Client { host, received: 0, last: None, finished: None });
    }

    /// How long a client took to get everything, if it did, from this time on.
    pub(crate) fn time_of(&self, address: Address, since: Time) -> Option<Duration> {
        let client = &self.clients[&address];
        client.finished.filter(|_| client.received == self.served.len()).map(|finished| finished.since(since))
    }

    /// Something is sent to the server.
    pub(crate) fn say(&mut self, from: Address, segment: &Segment, data: &[u8]) {
        self.post(SERVER, packet(from, segment, data));
    }

    fn post(&mut self, to: Address, bytes: Vec<u8>) {
        self.packets += 1;
        if !self.is_dark {
            self.in_flight.insert((self.now + DELAY, self.packets), (to, bytes));
        }
    }

    pub(crate) fn run(&mut self, limit: Duration) {
        let end = self.now + limit;
        loop {
            self.collect();
            let arrival = self.in_flight.first_key_value().map_or(Time::NEVER, |(&(time, _), _)| time);
            let clients = self.clients.values().map(|client| client.host.deadline()).min().unwrap_or(Time::NEVER);
            let next = arrival.min(self.server.deadline()).min(clients).min(self.next_second);
            if next > end {
                self.now = end;
                return;
            }
            assert!(next >= self.now, "a deadline in the past: {next} at {}", self.now);
            self.now = next;
            while let Some(first) = self.in_flight.first_entry().filter(|first| first.key().0 <= self.now) {
                let (to, bytes) = first.remove();
                self.deliver(to, &bytes);
            }
            if self.next_second <= self.now {
                self.next_second += SECOND;
                self.nibble();
            }
            self.server.handle(self.now, Input::Wake);
            for client in self.clients.values_mut() {
                client.host.handle(self.now, Input::Wake);
            }
        }
    }

    fn deliver(&mut self, to: Address, bytes: &[u8]) {
        if to == SERVER {
            return self.server.handle(self.now, Input::packet(bytes));
        }
        let (header, payload) = ip::Header::parse(bytes).unwrap();
        let (segment, _) = Segment::parse(header.source, header.destination, payload).unwrap();
        let from = Endpoint { address: to, port: segment.destination_port };
        if let Some(hog) = self.hogs.get_mut(&from) {
            if let Some(answer) = hog.hear(self.now, from.port, &segment) {
                self.say(to, &answer, &[]);
            }
        } else if let Some(client) = self.clients.get_mut(&to) {
            client.host.handle(self.now, Input::packet(bytes));
        }
    }

    /// A second has passed for those who take a little every second.
    fn nibble(&mut self) {
        let mut bites = vec![];
        for (from, hog) in self.hogs.iter_mut().filter(|(_, hog)| hog.is_open && hog.ended.is_none()) {
            match hog.appetite {
                Appetite::Opens(bytes) => hog.edge += bytes,
                Appetite::Acknowledges(bytes) => hog.next += bytes,
                _ => continue,
            }
            bites.push((*from, hog.answer(from.port)));
        }
        for (from, bite) in bites {
            self.say(from.address, &bite, &[]);
        }
    }

    fn collect(&mut self) {
        while let Some(output) = self.server.poll() {
            match output {
                Output::Send(outgoing) => {
                    let bytes = emitted(&self.server, &outgoing);
                    let to = ip::Header::parse(&bytes).unwrap().0.destination;
                    self.post(to, bytes);
                }
                Output::Event(event) => self.serve(event.handle, event.kind),
            }
        }
        for (address, worst) in &mut self.worst {
            *worst = (*worst).max(self.server.buffered_bytes(*address));
        }
        let mut posts = vec![];
        for client in self.clients.values_mut() {
            while let Some(output) = client.host.poll() {
                match output {
                    Output::Send(outgoing) => posts.push(emitted(&client.host, &outgoing)),
                    Output::Event(event) => client.on_event(self.now, event.handle, event.kind),
                }
            }
        }
        for bytes in posts {
            self.post(SERVER, bytes);
        }
    }

    fn serve(&mut self, handle: Handle, kind: EventKind) {
        if kind.is_last() {
            *self.ends.entry(name(kind)).or_default() += 1;
            self.given.remove(&handle);
            return;
        }
        let (a, b) = self.server.received(handle);
        let unread = a.len() + b.len();
        self.server.read(self.now, handle, unread);
        let given = self.given.entry(handle).or_default();
        *given += self.server.write(self.now, handle, &self.served[*given..]);
        if *given == self.served.len() && self.closes_both {
            self.server.close(self.now, handle);
        } else if *given == self.served.len() {
            self.server.shutdown(self.now, handle);
        }
    }
}

const fn name(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Closed => "closed",
        EventKind::Reset => "reset",
        EventKind::TimedOut => "timed out",
        EventKind::Stalled => "stalled",
        EventKind::Displaced => "displaced",
        _ => "other",
    }
}

fn emitted(host: &Host, outgoing: &Outgoing) -> Vec<u8> {
    let mut bytes = Vec::new();
    host.emit(outgoing, Checksums::Complete, &mut bytes);
    bytes
}

impl Client {
    fn on_event(&mut self, now: Time, handle: Handle, kind: EventKind) {
        self.last = Some(kind);
        let (a, b) = self.host.received(handle);
        let length = a.len() + b.len();
        self.received += length;
        self.host.read(now, handle, length);
        if kind == EventKind::PeerClosed {
            self.finished = Some(now);
            self.host.close(now, handle);
        }
    }
}

impl Hog {
    /// What it says to a segment, if anything.
    fn hear(&mut self, now: Time, port: u16, heard: &Segment) -> Option<Segment> {
        if heard.flags.has(Flags::RST) {
            self.ended.get_or_insert(now);
            return None;
        }
        if heard.flags.has(Flags::SYN) {
            self.is_open = true;
            self.next = heard.seq + 1;
            self.edge = self.next + WINDOW;
            return Some(self.answer(port));
        }
        if !self.is_open || heard.sequence_length() == 0 {
            return None;
        }
        let takes_all = self.appetite == Appetite::Everything;
        if takes_all {
            self.edge = heard.end() + WINDOW;
        }
        if matches!(self.appetite, Appetite::Acknowledges(_)) {
            return None; // in its own time
        }
        if heard.seq == self.next || (heard.seq.is_before(self.next) && heard.end().is_after(self.next)) {
            self.next = if heard.end().is_after(self.edge) { self.edge } else { heard.end() };
        }
        Some(self.answer(port))
    }

    fn answer(&self, port: u16) -> Segment {
        let window = match self.appetite {
            Appetite::Acknowledges(_) => WINDOW,
            _ => self.edge.bytes_since(self.next),
        };
        segment(port, Flags::ACK, self.seq, self.next, window)
    }
}
