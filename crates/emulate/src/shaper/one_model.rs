//! Over the same link, at the same times, the same packets come out of a shaper and of a simulated network: one model.

use std::borrow::Cow;

use hopwright_machine::{NodeId, PacketId, Purpose, Stream, Time};
use hopwright_sim::{Options, Simulation};
use hopwright_wire::ip::Opaque;
use hopwright_wire::{Packet, Payload};

use super::{Coming, Shaper, Side};
use crate::attachment::{Layer, Place};
use crate::command::{Command, Order};
use crate::emulation::Emulation;
use crate::input::Input;

/// All that a link can do, and what it becomes.
const LINK: &str = "rate_kbps = 400\ndelay_ms = 30\njitter_percent = 40\njitter_correlation_percent = 50\n\
     loss_percent = 4\nqueue_packets = 8\nduplicate_percent = 5\nreorder_percent = 5\n\
     [reverse]\nrate_kbps = 150\n\
     [[changes]]\nat_s = 2\ndelay_ms = 5\nloss_percent = 20\n\
     [[changes]]\nat_s = 4\nrate_kbps = 60\nclear = true\nreverse = { queue = \"codel\" }\n\
     [[changes]]\nat_s = 6\ndelay_ms = 0\nloss_percent = 0\n\
     profile = { pipes = [{ rtt_ms = 90, lifetime_s = 1, loss_percent = 30 }, { rtt_ms = 10, rate_kbps = 900 }] }\n\
     reverse = { delay_ms = 0, loss_percent = 0 }\n";

const SAID: &str = r#"{"do":"reshape","link":0,"set":{"rate_kbps":220.7,"reverse":{"rate_kbps":80}}}"#;

/// What comes out: when, where, and the number that the packet carries.
type Out = (Time, usize, u32);

/// When, and a packet with the side where it comes in; `None`: somebody changes the link.
type In = (Time, Option<(usize, Vec<u8>)>);

/// A packet that says which it is.
fn packet(from: usize, number: u32, bytes: u32) -> Vec<u8> {
    let mut data = number.to_be_bytes().to_vec();
    data.resize(4 + bytes as usize, 0);
    let payload = Payload::Opaque(Opaque { protocol: 17, bytes: data.into(), head: None }.into());
    let node = |n: usize| NodeId(n as u32).address();
    let mut out = Vec::new();
    Packet::new(PacketId(0), node(from), node(1 - from), 64, payload).emit(&mut out);
    out
}

fn number(bytes: &[u8]) -> u32 {
    u32::from_be_bytes([bytes[20], bytes[21], bytes[22], bytes[23]])
}

/// Packets from both sides, at random times over 10 s; at 5 s somebody changes the link.
fn inputs() -> Vec<In> {
    let dice = &mut Stream::new(3, NodeId(0), Purpose::Placement);
    let (mut now, mut inputs, mut is_said) = (0, Vec::new(), false);
    for n in 0.. {
        now += u64::from(dice.below(20_000_000));
        if now > 5_000_000_000 && !is_said {
            inputs.push((Time::from_nanos(5_000_000_000), None));
            is_said = true;
        }
        if now > 10_000_000_000 {
            break;
        }
        let from = dice.below(2) as usize;
        inputs.push((Time::from_nanos(now), Some((from, packet(from, n, dice.below(1400))))));
    }
    inputs
}

fn command() -> Command {
    match Order::parse(SAID) {
        Ok(Order::Do(command)) => command,
        other => panic!("{other:?}"),
    }
}

fn emulated(seed: u64, end: Time) -> Vec<Out> {
    let folder = std::env::temp_dir().join(format!("hopwright-one-model-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("link.toml"), LINK).expect("a file");
    let text = "duration_s = 20\ntopology.kind = \"links\"\nlinks = [{ from = 0, to = 1, profile = \"link.toml\" }]\n";
    let loaded = hopwright_scenario::parse("a.toml", text, &folder, &[]);
    std::fs::remove_dir_all(&folder).expect("it was ours");
    let loaded = loaded.unwrap_or_else(|errors| panic!("{errors}"));
    let setup = loaded.setup(seed).expect("a setup");
    let simulation = Simulation::new(Cow::Borrowed(&setup), seed, &Options { steered: true, ..Options::default() });
    let places = [0, 1].map(|n| Place { node: NodeId(n), layer: Layer::Ip });
    let mut emulation = Emulation::new(simulation, loaded.live_links(), &places, None);
    let said = command();
    for (at, input) in &inputs() {
        let input = input.as_ref().map_or(Input::Command(&said), |(port, bytes)| Input::Packet { port: *port, bytes });
        emulation.handle(*at, &input).expect("it is taken");
    }
    emulation.advance(end, u64::MAX);
    std::iter::from_fn(|| emulation.poll()).map(|out| (out.at, out.port, number(&out.bytes))).collect()
}

fn shaped(seed: u64, end: Time) -> Vec<Out> {
    let link =
        hopwright_scenario::parse_link("link.toml", LINK, "".as_ref()).unwrap_or_else(|errors| panic!("{errors}"));
    let mut shaper = Shaper::new(link, seed, false);
    let mut read = vec![0; 2_000];
    for (at, input) in &inputs() {
        match input {
            None => shaper.carry_out(*at, &command()).expect("it is taken"),
            Some((side, bytes)) => {
                read[..bytes.len()].copy_from_slice(bytes);
                let coming = Coming::at([Side::Near, Side::Far][*side]);
                shaper.arrive(*at, coming, &mut read, bytes.len());
            }
        }
    }
    shaper.wake(end);
    assert_eq!(shaper.changes(), 4);
    let mut out = Vec::new();
    for (side, to) in [(Side::Near, 1), (Side::Far, 0)] {
        out.extend(
            std::iter::from_fn(|| shaper.poll(side, |_, packet| number(packet))).map(|(at, number)| (at, to, number)),
        );
    }
    out
}

#[test]
fn a_shaper_and_a_simulation_do_the_same() {
    let end = Time::from_nanos(15_000_000_000);
    for seed in [1, 2] {
        let (mut emulated, mut shaped) = (emulated(seed, end), shaped(seed, end));
        emulated.sort_unstable();
        shaped.sort_unstable();
        assert!(emulated.len() > 400, "{} packets", emulated.len());
        assert_eq!(emulated, shaped);
    }
}
