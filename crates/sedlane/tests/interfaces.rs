//! Captures of several interfaces, as a recording of an emulation is one: each packet where it was sent, and again where it
//! arrived.

use std::borrow::Cow;
use std::time::Duration;

use etherparse::PacketBuilder;
use hopwright_sedlane::read::{Choice, Kind, Options, read};
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::{InterfaceDescriptionBlock, InterfaceDescriptionOption};
use pcap_file::pcapng::{PcapNgBlock, PcapNgWriter};
use pcap_file::{DataLink, Endianness};

/// The interfaces: of the node that receives the data and opens the connection, of the node that sends, of commands.
const RECEIVER: u32 = 0;
const SENDER: u32 = 1;
const CONTROL: u32 = 2;

/// How long every packet is under way.
const DELAY_MS: u64 = 10;

/// A packet at an interface.
type At = (u64, u32, Vec<u8>);

/// A segment, where it is sent and where it arrives, if it does.
fn segment(sent_ms: u64, from: u32, numbers: (u32, u32), bytes: usize, is_lost: bool) -> Vec<At> {
    let [source, destination] = if from == SENDER { [1, 2] } else { [2, 1] };
    let ports = if from == SENDER { (5201, 40000) } else { (40000, 5201) };
    let builder =
        PacketBuilder::ipv4([10, 0, 0, source], [10, 0, 0, destination], 64).tcp(ports.0, ports.1, numbers.0, 9000);
    let builder = if bytes == 0 && numbers.1 == 0 { builder.syn() } else { builder.ack(numbers.1) };
    let mut packet = Vec::new();
    builder.write(&mut packet, &vec![7; bytes]).expect("memory has room");
    let arrives = (sent_ms + DELAY_MS, if from == SENDER { RECEIVER } else { SENDER }, packet.clone());
    [(sent_ms, from, packet)].into_iter().chain((!is_lost).then_some(arrives)).collect()
}

/// What is sent: five segments, of which the third is lost and sent again.
fn packets() -> Vec<At> {
    let data = |ms, number: u32, is_lost| segment(ms, SENDER, (1 + 1000 * number, 1), 1000, is_lost);
    let acknowledged = |ms, number: u32| segment(ms, RECEIVER, (1, 1 + 1000 * number), 0, false);
    let mut all = [
        segment(0, RECEIVER, (0, 0), 0, false),
        data(20, 0, false),
        data(25, 1, false),
        data(30, 2, true),
        acknowledged(30, 1),
        acknowledged(36, 2),
        data(60, 2, false),
        acknowledged(70, 3),
        data(80, 3, false),
        acknowledged(95, 4),
        data(110, 4, false),
        acknowledged(121, 5),
        acknowledged(160, 5), // so that the last round-trip time has a time to last
    ]
    .concat();
    all.push((50, CONTROL, br#"{"do":"down","node":3}"#.to_vec()));
    all.sort_by_key(|(at, ..)| *at);
    all
}

/// A capture of those packets that `is_seen` chooses.
fn capture(is_seen: impl Fn(&At) -> bool, control: &str) -> Vec<u8> {
    let mut writer = PcapNgWriter::with_endianness(Vec::new(), Endianness::Little).expect("memory has room");
    let links = [("node-1", DataLink::RAW), ("node-0", DataLink::RAW), (control, DataLink::USER0)];
    for (name, link) in links {
        let mut interface = InterfaceDescriptionBlock::new(link, 0);
        interface.options =
            vec![InterfaceDescriptionOption::IfName(name.into()), InterfaceDescriptionOption::IfTsResol(9)];
        writer.write_block(&interface.into_block()).expect("memory has room");
    }
    for (at_ms, interface_id, bytes) in packets().into_iter().filter(is_seen) {
        let block = EnhancedPacketBlock {
            interface_id,
            timestamp: Duration::from_millis(at_ms),
            original_len: bytes.len() as u32,
            data: Cow::Borrowed(&bytes),
            options: vec![],
        };
        writer.write_block(&block.into_block()).expect("memory has room");
    }
    writer.into_inner()
}

#[test]
fn of_several_interfaces_only_that_of_the_sender_counts() {
    let (whole, at_the_sender) = (capture(|_| true, "control"), capture(|(_, at, _)| *at == SENDER, "control"));
    let trace = |content: &[u8]| read(Kind::Capture, content, &Options::default()).expect("a connection");
    let found = trace(&whole);
    let rtts: Vec<f64> = found.samples.iter().map(|sample| sample.rtt.as_secs_f64() * 1e3).collect();
    assert_eq!(rtts, [20.0, 21.0, 25.0, 21.0]);
    let sum = |of: fn(&hopwright_sedlane::Sample) -> u64| found.samples.iter().map(of).sum::<u64>();
    assert_eq!((sum(|sample| sample.sent), sum(|sample| sample.retransmitted)), (6000, 1000));
    assert_eq!(found, trace(&at_the_sender));
    let none = Options { flow: Some(Choice::Number(1)), ..Options::default() };
    let listed = read(Kind::Capture, &whole, &none).expect_err("there is one").to_string();
    assert!(listed.ends_with("0: 10.0.0.1:5201-10.0.0.2:40000, 6000 bytes of data"), "{listed}");
}

/// Commands are no packets of a link, but they are counted: other programs number them, too.
#[test]
fn commands_of_an_emulation_are_passed_over() {
    let of_another =
        read(Kind::Capture, &capture(|_| true, "usb"), &Options::default()).expect_err("unknown").to_string();
    assert!(of_another.contains("link type 147 is not known"), "{of_another}");
    let cut = capture(|_| true, "control");
    let number = packets().len();
    let error = read(Kind::Capture, &cut[..cut.len() - 1], &Options::default()).expect_err("cut").to_string();
    assert_eq!(error, format!("packet {number}: the file ends within this packet: it was cut off"));
}
