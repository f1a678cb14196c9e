//! Two hosts, a link between them that may lose packets, and applications that send and receive bytes.

use std::collections::BTreeMap;

use hopwright_host::{Checksums, Config, Endpoint, EventKind, Handle, Host, Input, Outgoing, Output};
use hopwright_machine::{Address, Duration, Machine, NodeId, Purpose, Stream, Time};
use hopwright_transport::{Params, Value, protocol};
use hopwright_wire::ip;
use hopwright_wire::tcp::Segment;

pub(crate) const SERVER: Address = Address(0x0a09_0001);
pub(crate) const CLIENT: Address = Address(0x0a09_0002);
pub(crate) const PORT: u16 = 80;

pub(crate) fn params() -> Params {
    let mut params = Params { explicit_read: true, max_burst_segments: 0, ..Params::default() };
    for name in ["timestamps", "selective_acks"] {
        params.set(name, Value::Bool(true)).unwrap();
    }
    params
}

pub(crate) fn config(address: Address) -> Config {
    let recipe = protocol("newreno").unwrap().recipe;
    Config::new(address, 24, recipe, params(), [address.0 as u8; 16])
}

/// What an application has on a connection.
#[derive(Default)]
pub(crate) struct App {
    pub(crate) to_send: Vec<u8>,
    pub(crate) sent: usize,
    pub(crate) received: Vec<u8>,
    pub(crate) events: Vec<EventKind>,
}

/// When a client that has sent everything closes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Closes {
    AtOnce,
    AfterServer,
    Never,
}

/// A packet that was sent, whether or not it arrived.
pub(crate) struct Sent {
    pub(crate) by: usize,
    pub(crate) header: [u8; 20],
    pub(crate) segment: Segment,
    /// In how many segments the device would cut it.
    pub(crate) segments: u32,
}

pub(crate) struct Net {
    pub(crate) hosts: [Host; 2],
    pub(crate) apps: [BTreeMap<Handle, App>; 2],
    /// What the server sends on every connection that opens.
    pub(crate) served: Vec<u8>,
    pub(crate) now: Time,
    pub(crate) delay: Duration,
    /// Of a thousand packets, so many are lost.
    pub(crate) lost: u32,
    /// Of a thousand that may be marked for congestion, so many are.
    pub(crate) marked: u32,
    stream: Stream,
    in_flight: BTreeMap<(Time, u64), (usize, u16, Vec<u8>)>,
    pub(crate) packets: u64,
    /// Whether the link carries anything.
    pub(crate) is_up: bool,
    pub(crate) clients_close: Closes,
    /// Which ends' applications read.
    pub(crate) reads: [bool; 2],
    pub(crate) log: Vec<Sent>,
}

/// The packet as a router passes it on that meets congestion.
fn with_mark(bytes: &[u8]) -> Vec<u8> {
    let (header, payload) = ip::Header::parse(bytes).unwrap();
    let mut marked = Vec::new();
    ip::Header { ecn: ip::Ecn::Experienced, ..header }.emit(&mut marked);
    marked.extend_from_slice(payload);
    marked
}

impl Net {
    pub(crate) fn new(server: Config, client: Config) -> Self {
        let mut hosts = [Host::new(server), Host::new(client)];
        hosts[0].listen(PORT, 64).unwrap();
        Self {
            hosts,
            apps: Default::default(),
            served: Vec::new(),
            now: Time::ZERO,
            delay: Duration::from_millis(5),
            lost: 0,
            marked: 0,
            stream: Stream::new(1, NodeId(0), Purpose::Application),
            in_flight: BTreeMap::new(),
            packets: 0,
            is_up: true,
            clients_close: Closes::AtOnce,
            reads: [true; 2],
            log: Vec::new(),
        }
    }

    pub(crate) fn connect(&mut self, to_send: &[u8]) -> Handle {
        let handle = self.hosts[1].connect(self.now, Endpoint { address: SERVER, port: PORT }).unwrap();
        self.apps[1].insert(handle, App { to_send: to_send.to_vec(), ..App::default() });
        self.collect();
        handle
    }

    /// Until nothing more happens, or the time is up.
    pub(crate) fn run(&mut self, limit: Duration) {
        let end = self.now + limit;
        loop {
            self.collect();
            let arrival = self.in_flight.first_key_value().map_or(Time::NEVER, |(&(time, _), _)| time);
            let next = arrival.min(self.hosts[0].deadline()).min(self.hosts[1].deadline());
            if next > end {
                self.now = end;
                return;
            }
            assert!(next >= self.now, "a deadline in the past: {next} at {}", self.now);
            self.now = next;
            if let Some(first) = self.in_flight.first_entry().filter(|first| first.key().0 <= self.now) {
                let (to, segment_bytes, bytes) = first.remove();
                let input = Input::Packet { bytes: &bytes, is_verified: false, segment_bytes };
                self.hosts[to].handle(self.now, input);
            }
            for host in &mut self.hosts {
                host.handle(self.now, Input::Wake);
            }
        }
    }

    /// Hands on whatever the hosts want done.
    fn collect(&mut self) {
        for from in [0, 1] {
            while let Some(output) = self.hosts[from].poll() {
                match output {
                    Output::Send(packet) => {
                        let mut bytes = Vec::new();
                        self.hosts[from].emit(&packet, Checksums::Complete, &mut bytes);
                        self.packets += 1;
                        self.note(from, &packet, &bytes);
                        if bytes[1] & 3 != 0 && self.stream.below(1000) < self.marked {
                            bytes = with_mark(&bytes);
                        }
                        if self.is_up && self.stream.below(1000) >= self.lost {
                            let key = (self.now + self.delay, self.packets);
                            self.in_flight.insert(key, (1 - from, packet.segment_bytes().unwrap_or(0), bytes));
                        }
                    }
                    Output::Event(event) => self.on_event(from, event.handle, event.kind),
                }
            }
        }
    }

    fn note(&mut self, by: usize, packet: &Outgoing, bytes: &[u8]) {
        let (Some(&segment), Some(&header)) = (packet.segment(), bytes.first_chunk()) else { return };
        let segments = packet.segment_bytes().map_or(1, |unit| segment.payload_bytes.div_ceil(u32::from(unit)));
        self.log.push(Sent { by, header, segment, segments });
    }

    fn on_event(&mut self, at: usize, handle: Handle, kind: EventKind) {
        let served = &self.served;
        let app = self.apps[at].entry(handle).or_insert_with(|| App { to_send: served.clone(), ..App::default() });
        if app.events.last() != Some(&kind) {
            app.events.push(kind);
        }
        let host = &mut self.hosts[at];
        let (a, b) = host.received(handle);
        let n = a.len() + b.len();
        if self.reads[at] {
            app.received.extend([a, b].concat());
            host.read(self.now, handle, n);
        }
        if app.sent < app.to_send.len() || kind == EventKind::Established {
            app.sent += host.write(self.now, handle, &app.to_send[app.sent..]);
        }
        let may_close = at == 0
            || match self.clients_close {
                Closes::AtOnce => true,
                Closes::AfterServer => app.events.contains(&EventKind::PeerClosed),
                Closes::Never => false,
            };
        if app.sent == app.to_send.len() && may_close {
            host.shutdown(self.now, handle);
        }
    }

    pub(crate) fn app(&self, at: usize) -> &App {
        self.apps[at].values().next_back().unwrap()
    }
}

pub(crate) fn noise(bytes: usize, seed: u64) -> Vec<u8> {
    let mut stream = Stream::new(seed, NodeId(1), Purpose::Application);
    (0..bytes).map(|_| stream.bits() as u8).collect()
}
