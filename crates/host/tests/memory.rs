//! What connections that do nothing take of a host's memory.

use std::fs;

use hopwright_host::{Config, EventKind, Handle, Host, Input, Output};
use hopwright_machine::{Address, Duration, Machine as _, Time};
use hopwright_transport::{Params, protocol};
use hopwright_wire::ip::{self, Ecn, protocol::TCP};
use hopwright_wire::tcp::{Flags, Options, Segment, Seq};

const SERVER: Address = Address(0x0a00_0001);
const PORT: u16 = 7000;
const CONNECTIONS: u32 = 100_000;
/// What each asks for, and gets.
const TALK: &[u8] = &[7; 1_000];

/// Resident memory of this process in bytes, as the kernel says.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux tells it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line of it");
    line.trim().trim_end_matches("kB").trim().parse::<u64>().expect("a number") * 1024
}

/// A packet of the peer with this number.
fn packet(number: u32, flags: Flags, seq: u32, ack: Seq, payload: &[u8]) -> Vec<u8> {
    let source = Address(0x0b00_0000 + number);
    let options = Options { mss: flags.has(Flags::SYN).then_some(1460), ..Options::default() };
    let segment = Segment {
        source_port: 1024,
        destination_port: PORT,
        seq: Seq(seq),
        ack,
        flags,
        window: 60_000,
        urgent: 0,
        options,
        payload_bytes: payload.len() as u32,
        ecn: Ecn::NotCapable,
    };
    let (payload_bytes, ecn) = (segment.bytes() as u16, ip::Ecn::default());
    let mut bytes = Vec::new();
    ip::Header { source, destination: SERVER, protocol: TCP, ecn, ttl: 64, identification: 0, payload_bytes }
        .emit(&mut bytes);
    segment.emit(source, SERVER, [payload, &[]], &mut bytes);
    bytes
}

/// What the host sends, and who it says has something to read.
fn answers(host: &mut Host) -> (Vec<Segment>, Vec<Handle>) {
    let (mut sent, mut readable) = (vec![], vec![]);
    while let Some(output) = host.poll() {
        match output {
            Output::Send(packet) => sent.extend(packet.segment().copied()),
            Output::Event(event) if event.kind == EventKind::Readable => readable.push(event.handle),
            Output::Event(_) => {}
        }
    }
    (sent, readable)
}

/// A peer opens a connection, asks, and takes the answer.
fn talk(host: &mut Host, now: Time, number: u32) {
    let give = |host: &mut Host, flags, seq, ack, payload: &[u8]| {
        host.handle(now, Input::packet(&packet(number, flags, seq, ack, payload)));
        answers(host)
    };
    let (sent, _) = give(host, Flags::SYN, 0, Seq(0), &[]);
    let first = sent[0].end();
    give(host, Flags::ACK, 1, first, &[]);
    let (_, readable) = give(host, Flags::ACK.with(Flags::PSH), 1, first, TALK);
    let handle = readable[0];
    let asked = host.received(handle).0.to_vec();
    host.read(now, handle, asked.len());
    assert_eq!(host.write(now, handle, &asked), TALK.len());
    let (sent, _) = answers(host);
    let last = sent.iter().rfind(|segment| segment.payload_bytes > 0).expect("the answer").end();
    give(host, Flags::ACK, 1 + TALK.len() as u32, last, &[]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_hundred_thousand_idle_connections_take_less_than_a_gigabyte() {
    let recipe = protocol("sack").expect("a protocol").recipe;
    let params = Params { selective_acks: true, timestamps: false, explicit_read: true, ..Params::default() };
    let config = Config {
        max_connections: 2 * CONNECTIONS as usize,
        max_half_open_per_address: 64,
        ..Config::new(SERVER, 8, recipe, params, [7; 16])
    };
    let before = resident();
    let mut host = Host::new(config);
    host.listen(PORT, 1024).expect("nobody listens there");
    for number in 0..CONNECTIONS {
        let now = Time::ZERO + Duration::from_micros(100) * u64::from(number);
        talk(&mut host, now, number);
    }
    // A minute in which nothing happens but timers.
    let end = Time::ZERO + Duration::from_secs(60) + Duration::from_micros(100) * u64::from(CONNECTIONS);
    while host.deadline() < end {
        let now = host.deadline();
        host.handle(now, Input::Wake);
        answers(&mut host);
    }
    assert_eq!(host.connection_count(), CONNECTIONS as usize);
    let taken = resident().saturating_sub(before);
    println!("{} bytes, {} a connection", taken, taken / u64::from(CONNECTIONS));
    assert!(taken < 1_000_000_000, "{taken}");
}
