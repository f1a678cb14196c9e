//! Emulations under a clock that steps as it likes, and the same ones again from what was recorded.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use hopwright_emulate::{
    Command, Departure, Emulation, Input, Layer, Mismatch, Order, Place, Record, Recorded, Recording, read, replay,
};
use hopwright_machine::{Address, NodeId, Purpose, Stream, Time};
use hopwright_scenario::LiveLinks;
use hopwright_sim::{Options, Setup, Simulation};
use hopwright_wire::Packet;
use hopwright_wire::Payload;
use hopwright_wire::arp::MacAddress;
use hopwright_wire::ethernet::Frame;
use hopwright_wire::ip::Opaque;
use serde_json::{Value, json};

/// Networks over each routing protocol, still and moving; and one of links. Some flood packets to groups.
const NETWORKS: [&str; 5] = [
    "topology = { kind = \"chain\", hops = 4, spacing_m = 200 }\nrouting.protocol = \"static\"",
    "topology = { kind = \"random\", nodes = 20 }\nrouting.protocol = \"aodv\"
     mobility = { model = \"random-waypoint\", min_speed_mps = 1, max_speed_mps = 20 }",
    "topology = { kind = \"grid\", rows = 3, columns = 3, spacing_m = 200 }
     routing = { protocol = \"dsr\", multicast = \"flood\" }",
    "topology = { kind = \"chain\", hops = 3, spacing_m = 200 }
     routing = { protocol = \"olsr\", multicast = \"flood\", multicast_jitter_ms = 0 }",
    "topology.kind = \"links\"
     links = [{ from = 0, to = 1, rate_kbps = 500, delay_ms = 10, jitter_percent = 50, loss_percent = 5 },
              { from = 1, to = 2, rate_kbps = 300, delay_ms = 30 }]",
];

/// A run, and its links as commands change them.
struct World {
    setup: Setup,
    links: LiveLinks,
}

fn world(network: &str, seed: u64) -> World {
    let text = format!(
        "name = \"live\"\nduration_s = 20\narea = {{ width_m = 700, height_m = 300 }}\n{network}\n
         [[flows]]\nfrom = 0\nto = 2\napp = \"bulk\"\nstart_s = 2\n"
    );
    let text =
        if network.contains("links") { text.replace("area = { width_m = 700, height_m = 300 }\n", "") } else { text };
    let loaded = hopwright_scenario::parse("live.toml", &text, "".as_ref(), &[])
        .unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let setup = loaded.setup(seed).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    World { setup, links: loaded.live_links() }
}

/// Where a recording goes: the test keeps it.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A packet of a program at `from`; now and then one that may not enter.
fn packet(dice: &mut Stream, from: NodeId, nodes: usize) -> Vec<u8> {
    let groups = [0xe401_0203, 0xe000_00fb, u32::MAX, 0x0aff_ffff];
    let to = match dice.below(8) {
        0 => Address(groups[dice.below(4) as usize]),
        _ => Address(0x0a00_0001 + dice.below(nodes as u32 + 1)),
    };
    let bytes: Box<[u8]> = (0..dice.below(1200)).map(|n| n as u8).collect();
    let protocol = if dice.below(2) == 0 { 17 } else { 6 };
    let payload = Payload::Opaque(Opaque { protocol, bytes, head: None }.into());
    let mut out = Vec::new();
    Packet::new(hopwright_machine::PacketId(0), from.address(), to, 64, payload).emit(&mut out);
    if dice.below(10) == 0 {
        out[0] = 0x60;
    }
    out
}

/// A frame of a program at `from`; now and then one that may not enter.
fn frame(dice: &mut Stream, from: NodeId, nodes: usize) -> Vec<u8> {
    let destination = match dice.below(3) {
        0 => MacAddress([0x33, 0x33, 0, 0, 0, 1]),
        1 => MacAddress::of(NodeId(dice.below(nodes as u32 + 1))),
        _ => MacAddress::of(NodeId(dice.below(3))), // to where a program is
    };
    let bytes: Box<[u8]> = (0..dice.below(1200)).map(|n| n as u8).collect();
    let ether_type = [0x0800, 0x86dd, 0x0806, 46][dice.below(4) as usize];
    let mut out = Vec::new();
    Frame { destination, ether_type, bytes }.emit(MacAddress::of(from), &mut out);
    out
}

fn command(dice: &mut Stream, setup: &Setup) -> Command {
    let node = dice.below(setup.nodes.len() as u32);
    let mut place = || [f64::from(dice.below(700)), f64::from(dice.below(300))];
    let to_m = place();
    if !setup.links.is_empty() && dice.below(3) > 0 {
        return reshape(dice);
    }
    match dice.below(5) {
        0 => Command::Place { node, at_m: to_m },
        1 => Command::Move { node, to_m, speed_mps: f64::from(dice.below(30)) },
        2 => Command::Down { node },
        3 => Command::Up { node },
        _ => Command::Swap { flow: 0, set: [("avoidance".to_owned(), "vegas".to_owned())].into() },
    }
}

/// A link becomes another one; now and then one that cannot be, or is not there.
fn reshape(dice: &mut Stream) -> Command {
    let share = f64::from(dice.below(1_000_000)) / 7e4;
    let set = match dice.below(9) {
        0 => json!({ "rate_kbps": 100.0 + share * 100.0 }),
        1 => json!({ "delay_ms": 1.0 + share }),
        2 => json!({ "loss_percent": share, "burst_packets": 3 }),
        3 => json!({ "jitter_percent": share, "reorder_percent": 10, "duplicate_percent": 5 }),
        4 => json!({ "reverse": { "delay_ms": share, "rate_kbps": 90 }, "clear": true }),
        5 => json!({ "network": dice.below(5), "queue_packets": 5 }),
        6 => json!({ "preset": "wlan", "queue": "codel" }),
        7 => json!({ "preset": "wwan", "loss_percent": 0 }),
        _ => json!({ "loss_percent": -1 }),
    };
    let Value::Object(set) = set else { unreachable!() };
    Command::Reshape { link: dice.below(9) as usize % 3 % 2, set }
}

/// Programs at the first three nodes: over links all send packets, else one of them frames, or two.
fn places(setup: &Setup, seed: u64) -> [Place; 3] {
    [0, 1, 2].map(|n| {
        let sends_frames = setup.links.is_empty() && (n == 1 || (n == 0 && seed.is_multiple_of(2)));
        Place { node: NodeId(n), layer: if sends_frames { Layer::Ethernet } else { Layer::Ip } }
    })
}

/// A run with programs at the first three nodes.
fn emulation<'a>(world: &'a World, seed: u64, recording: Option<Recording>) -> Emulation<'a> {
    let World { setup, links } = world;
    let options = Options { steered: true, ..Options::default() };
    let simulation = Simulation::new(Cow::Borrowed(setup), seed, &options);
    Emulation::new(simulation, links.clone(), &places(setup, seed), recording)
}

/// Plays a random emulation; returns its recording, what came out, and its results.
fn live(world: &World, seed: u64) -> (Vec<u8>, Vec<Departure>, String) {
    let setup = &world.setup;
    let kept = Kept::default();
    let recording = Recording::new(Box::new(kept.clone()), &places(setup, seed)).unwrap();
    let mut emulation = emulation(world, seed, Some(recording));
    let dice = &mut Stream::new(seed, NodeId(77), Purpose::Placement);
    let (mut now, mut departures) = (Time::ZERO, Vec::new());
    let end = Time::from_nanos(3_000_000_000 + u64::from(dice.below(15_000)) * 1_000_000);
    while now < end {
        // The clock goes on by nothing, by a little, or by much: a machine that has other things to do.
        let step = [0, 1_000, 3_000_000, 200_000_000][dice.below(4) as usize];
        now = Time::from_nanos(now.as_nanos() + u64::from(dice.below(step + 1))).min(end);
        match dice.below(12) {
            0 => {
                let _ = emulation.handle(now, &Input::Command(&command(dice, setup)));
            }
            1..=7 => {
                let port = dice.below(3) as usize;
                let Place { node, layer } = places(setup, seed)[port];
                let make = if layer == Layer::Ip { packet } else { frame };
                let bytes = make(dice, node, setup.nodes.len());
                emulation.handle(now, &Input::Packet { port, bytes: &bytes }).unwrap();
            }
            _ => drop(emulation.advance(now, dice.below(50).into())),
        }
        departures.extend(std::iter::from_fn(|| emulation.poll()));
    }
    emulation.advance(end, u64::MAX);
    departures.extend(std::iter::from_fn(|| emulation.poll()));
    let (outcome, counts, unwritten) = emulation.finish();
    assert!(unwritten.is_none());
    let recorded = kept.0.lock().unwrap().clone();
    (recorded, departures, format!("{} {:?} {counts:?}", outcome.report.fingerprint, outcome.ledger))
}

#[test]
fn twenty_random_emulations_are_replayed_twice() {
    let (mut sent, mut received, mut commands, mut frames, mut reshaped) = (0, 0, 0, 0, 0);
    for n in 0..20 {
        let world = world(NETWORKS[n as usize % NETWORKS.len()], n);
        let (bytes, departures, results) = live(&world, n);
        let Record { places: again, entries: recorded } = read(&bytes[..]).unwrap();
        assert_eq!(again, places(&world.setup, n));
        for (_, what) in &recorded {
            match what {
                Recorded::Sent { .. } => sent += 1,
                Recorded::Received { port, .. } => {
                    received += 1;
                    frames += u32::from(again[*port].layer == Layer::Ethernet);
                }
                Recorded::Command(command) => {
                    commands += 1;
                    reshaped += u32::from(matches!(command, Command::Reshape { .. }));
                }
                Recorded::End => {}
            }
        }
        for _ in 0..2 {
            let (outcome, counts, mismatch) = replay(emulation(&world, n, None), &recorded, |_| {});
            let come = departures.len() as u64;
            assert_eq!(mismatch, Mismatch { packets: (come, come), first: None, refused_commands: 0 }, "run {n}");
            let again = format!("{} {:?} {counts:?}", outcome.report.fingerprint, outcome.ledger);
            assert_eq!(again, results, "run {n}");
        }
    }
    println!("{sent} sent, {received} received, {frames} of them frames, {commands} commands, {reshaped} of links");
    assert!(sent > 1000 && received > 300 && commands > 100, "{sent} {received} {commands}");
    assert!(frames > 100 && reshaped > 50, "{frames} frames, {reshaped} changes of links");
}

/// Another network than that of the recording does not give the same: the comparison sees it.
#[test]
fn a_changed_network_is_told_from_the_same_one() {
    let (bytes, departures, _) = live(&world(NETWORKS[0], 3), 3);
    let mut recorded = read(&bytes[..]).unwrap().entries;
    let other = world(&NETWORKS[0].replace("200", "240"), 3);
    let (.., mismatch) = replay(emulation(&other, 3, None), &recorded, |_| {});
    assert!(mismatch.first.is_some() && mismatch.packets.0 == departures.len() as u64, "{mismatch:?}");
    let place = recorded.iter().position(|(_, what)| matches!(what, Recorded::Received { .. })).unwrap();
    recorded.remove(place);
    let same = world(NETWORKS[0], 3);
    let (.., mismatch) = replay(emulation(&same, 3, None), &recorded, |_| {});
    assert_eq!(mismatch.packets, (departures.len() as u64 - 1, departures.len() as u64));
}

#[test]
fn what_is_no_whole_recording_says_why() {
    let (bytes, ..) = live(&world(NETWORKS[0], 1), 1);
    let said = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
    assert!(read(&bytes[..]).is_ok());
    let last_block = u32::from_le_bytes(*bytes.last_chunk().unwrap()) as usize;
    assert_eq!(said(&bytes[..bytes.len() - last_block]), "is cut off: the end of the run is missing");
    for cut in [100, bytes.len() / 2, bytes.len() - 1] {
        assert_eq!(said(&bytes[..cut]), "is cut off: the end of the run is missing", "cut after {cut} bytes");
    }
    for other in [&b""[..], b"short", b"no capture at all, but long enough to have been one", &bytes[4..]] {
        assert_eq!(said(other), "is not a recording of an emulation: it is not a pcapng file");
    }
    let mut damaged = bytes.clone();
    damaged[bytes.len() - 4] ^= 4;
    assert_eq!(said(&damaged), "cannot be read: Invalid field value: Block: initial_length != trailer_length");
    let folder = std::fs::File::open(env!("CARGO_MANIFEST_DIR")).expect("the folder of this crate");
    assert_eq!(read(folder).unwrap_err().to_string(), "cannot be read: Is a directory (os error 21)");
}

/// What is not said stays, what was planned happens at its time, and what cannot be says why and changes nothing.
#[test]
fn a_link_becomes_what_is_said() {
    let link = "{ from = 0, to = 1, rate_kbps = 500, delay_ms = 10, changes = [{ at_s = 3, delay_ms = 40 }] }";
    let world = world(&format!("topology.kind = \"links\"\nlinks = [{link}, {{ from = 1, to = 2, delay_ms = 1 }}]"), 1);
    let mut emulation = emulation(&world, 1, None);
    let mut say = |at_s: f64, line: &str| {
        let Ok(Order::Do(command)) = Order::parse(line) else { panic!("{line}") };
        emulation.handle(Time::from_secs_f64(at_s), &Input::Command(&command))
    };
    assert_eq!(say(1.0, r#"{"do":"reshape","link":0,"set":{"loss_percent":2.5}}"#), Ok(()));
    let refused = |said: Result<(), String>| said.unwrap_err();
    for (set, reason) in [
        (r#"{"loss_percent":101}"#, "loss_percent: must be from 0 to 100, found 101"),
        (r#"{"los_percent":1}"#, "los_percent: unknown key; did you mean 'loss_percent'?"),
        (r#"{"delay_ms":"long"}"#, "delay_ms: expected a number, found the string 'long'"),
        (r#"{"rate_kbps":null}"#, "set: no key can be null; leave the key out"),
        ("{}", "set: is empty; write what changes from now on, for example {\"rate_kbps\": 500}"),
        (
            r#"{"trace":"a"}"#,
            "trace: names a file, and no file is read while a link is used: write it as a change of the link in the \
             scenario",
        ),
        (r#"{"at_s":3,"delay_ms":3}"#, "at_s: does not belong here: the change happens at once"),
    ] {
        let line = format!(r#"{{"do":"reshape","link":0,"set":{set}}}"#);
        assert_eq!(refused(say(1.5, &line)), reason, "{line}");
    }
    let free = refused(say(2.0, r#"{"do":"reshape","link":1,"set":{"delay_ms":0}}"#));
    assert!(free.starts_with("set: packets would take no time over this link"), "{free}");
    let none = refused(say(2.0, r#"{"do":"reshape","link":2,"set":{"delay_ms":3}}"#));
    assert_eq!(none, "link: there is no link 2: there are 2 links, numbered 0 to 1");
    assert_eq!(say(4.0, r#"{"do":"reshape","link":0,"set":{"loss_percent":0,"clear":true}}"#), Ok(()));
    let chain = self::world(NETWORKS[0], 1);
    let mut chain = self::emulation(&chain, 1, None);
    let Ok(Order::Do(command)) = Order::parse(r#"{"do":"reshape","link":0,"set":{"delay_ms":3}}"#) else { panic!() };
    let refused = refused(chain.handle(Time::ZERO, &Input::Command(&command)));
    assert_eq!(refused, "nodes share a medium: there are no links that could change");
}
