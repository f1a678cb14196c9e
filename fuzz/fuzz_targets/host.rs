//! A host that listens, and packets from anywhere: some of bytes that make no sense, most of segments that nearly
//! do. Nothing panics, the number of connections stays within its limit, and so does what is sent in answer.
#![no_main]

use arbitrary::Arbitrary;
use hopwright_host::{Checksums, Config, Host, Input, Output};
use hopwright_machine::{Address, Duration, Machine as _, PacketId, Time};
use hopwright_transport::{Params, protocol};
use hopwright_wire::ip::Ecn;
use hopwright_wire::tcp::{Flags, Options, Segment, Seq};
use hopwright_wire::{Packet, Payload};
use libfuzzer_sys::fuzz_target;

const HERE: Address = Address(0x0a09_0002);
const MOST_CONNECTIONS: usize = 8;

#[derive(Arbitrary, Debug)]
enum Step {
    Bytes(Vec<u8>),
    Segment { from: u8, port: u8, to: bool, seq: u32, ack: Ack, flags: u8, window: u16, payload: u8, options: u8 },
    Connect(u8),
    Write(u8, u16),
    Read(u8),
    Shutdown(u8),
    Close(u8),
    Abort(u8),
    Wait(u16),
}

#[derive(Arbitrary, Debug)]
enum Ack {
    Number(u32),
    /// What acknowledges everything the host sent last, give or take.
    OfLast(i8),
}

fuzz_target!(|steps: Vec<Step>| {
    let params = Params { explicit_read: true, timestamps: true, selective_acks: true, ..Params::default() };
    let recipe = protocol("newreno").expect("a protocol").recipe;
    let mut config = Config::new(HERE, 24, recipe, params, [7; 16]);
    config.max_connections = MOST_CONNECTIONS;
    config.max_connections_per_address = MOST_CONNECTIONS / 2;
    config.max_half_open_per_address = 2;
    let mut world = World { host: Host::new(config), now: Time::ZERO, handles: vec![], last: Seq(0) };
    world.host.listen(80, 3).expect("a free port");
    for step in steps.iter().take(300) {
        world.step(step);
    }
});

struct World {
    host: Host,
    now: Time,
    handles: Vec<hopwright_host::Handle>,
    last: Seq,
}

impl World {
    fn step(&mut self, step: &Step) {
        match *step {
            Step::Bytes(ref bytes) => self.packet(bytes),
            Step::Segment { from, port, to, seq, ref ack, flags, window, payload, options } => {
                let ack = match *ack {
                    Ack::Number(n) => Seq(n),
                    Ack::OfLast(off) => self.last + off as u32,
                };
                let segment = Segment {
                    source_port: 1000 + u16::from(port),
                    destination_port: if to { 80 } else { 1025 },
                    seq: Seq(seq),
                    ack,
                    flags: Flags(flags),
                    window,
                    urgent: 0,
                    options: Options {
                        mss: (options & 1 != 0).then_some(u16::from(options) * 8),
                        window_scale: (options & 2 != 0).then_some(options >> 4),
                        sack_permitted: options & 4 != 0,
                        timestamps: (options & 8 != 0).then_some((seq, ack.0)),
                        ..Options::default()
                    },
                    payload_bytes: u32::from(payload),
                    ecn: Ecn::default(), // the packet's counts
                };
                let source = Address(0x0a09_0000 + u32::from(from));
                let mut packet = Packet::new(PacketId(0), source, HERE, 64, Payload::Tcp(segment.into()));
                packet.ecn = Ecn::of(options >> 2);
                let mut bytes = Vec::new();
                packet.emit(&mut bytes);
                self.packet(&bytes);
            }
            Step::Connect(to) => {
                let remote = hopwright_host::Endpoint { address: Address(0x0a09_0000 + u32::from(to)), port: 80 };
                if let Ok(handle) = self.host.connect(self.now, remote) {
                    self.handles.push(handle);
                }
                self.collect();
            }
            Step::Write(which, n) => self.of(which, |host, now, handle| {
                host.write(now, handle, &vec![1; usize::from(n)]);
            }),
            Step::Read(which) => self.of(which, |host, now, handle| {
                let (a, b) = host.received(handle);
                let n = a.len() + b.len();
                host.read(now, handle, n);
            }),
            Step::Shutdown(which) => self.of(which, |host, now, handle| host.shutdown(now, handle)),
            Step::Close(which) => self.of(which, |host, now, handle| host.close(now, handle)),
            Step::Abort(which) => self.of(which, |host, now, handle| host.abort(now, handle)),
            Step::Wait(ms) => {
                let until = self.now + Duration::from_millis(u64::from(ms));
                for _ in 0..1000 {
                    let deadline = self.host.deadline();
                    if deadline > until {
                        break;
                    }
                    self.now = self.now.max(deadline);
                    self.host.handle(self.now, Input::Wake);
                    self.collect();
                    assert!(self.host.deadline() > self.now, "a deadline comes for ever");
                }
                self.now = self.now.max(until);
            }
        }
    }

    fn of(&mut self, which: u8, what: impl FnOnce(&mut Host, Time, hopwright_host::Handle)) {
        if !self.handles.is_empty() {
            let handle = self.handles[usize::from(which) % self.handles.len()];
            what(&mut self.host, self.now, handle);
            self.collect();
        }
    }

    fn packet(&mut self, bytes: &[u8]) {
        self.host.handle(self.now, Input::packet(bytes));
        self.collect();
    }

    fn collect(&mut self) {
        let mut sent = 0;
        let mut bytes = Vec::new();
        while let Some(output) = self.host.poll() {
            match output {
                Output::Send(outgoing) => {
                    sent += 1;
                    assert!(sent < 10_000, "one event lets out too much");
                    bytes.clear();
                    self.host.emit(&outgoing, Checksums::Complete, &mut bytes);
                    if let Ok(Packet { payload: Payload::Tcp(segment), .. }) = Packet::parse(&bytes) {
                        self.last = segment.end();
                    }
                }
                Output::Event(event) => {
                    if !self.handles.contains(&event.handle) && self.handles.len() < 64 {
                        self.handles.push(event.handle);
                    }
                }
            }
        }
        assert!(self.host.connection_count() <= MOST_CONNECTIONS, "more connections than may be");
    }
}
