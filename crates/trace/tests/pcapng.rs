//! What tshark makes of our captures.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use hopwright_link::{FrameKind, arp};
use hopwright_machine::NodeId;
use hopwright_mobility::{Position, Trajectory};
use hopwright_routing::{aodv, dsdv, dsr, olsr};
use hopwright_sim::{FlowKind, FlowReport, Options, Outcome, Routing, Setup, Watch, run_traced};
use hopwright_trace::{Config, Recorder};

use crate::support::{at, datagrams, string};

/// What no frame may be.
const BAD: &str = "_ws.malformed || _ws.expert.severity == error || wlan.fcs.status != \"Good\" \
                   || ip.checksum.status == \"Bad\" || tcp.checksum.status == \"Bad\" || udp.checksum.status == \"Bad\"";

/// Whether tshark is here; says so if not.
pub(crate) fn tshark() -> bool {
    let found = Command::new("tshark").arg("--version").output().is_ok();
    if !found {
        // Past the capture of the test's output: it is to be seen.
        let _ = writeln!(std::io::stderr(), "skipped: tshark is not installed");
    }
    found
}

/// A folder of this test, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

/// Runs a setup with a capture at every node; the frames of the run come along.
fn capture(name: &str, setup: &Setup) -> (PathBuf, Outcome) {
    let folder = folder(name);
    let pcap = (0..setup.nodes.len()).map(|n| NodeId(n as u32)).collect();
    let mut recorder = Recorder::new(&Config { pcap, ..Config::default() }, setup, &folder);
    let options = Options { frames: true, ..Options::default() };
    let outcome = run_traced(setup, 3, &options, &Watch::default(), &mut recorder).expect("nobody cancels");
    assert!(recorder.finish().unwritten.is_empty(), "files can be written");
    (folder, outcome)
}

/// Fields of the frames of a file that a filter lets pass, with every checksum checked.
pub(crate) fn fields(file: &Path, filter: &str, names: &[&str]) -> Vec<Vec<String>> {
    let mut command = Command::new("tshark");
    command.arg("-r").arg(file).args(["-n", "-T", "fields", "-Y", filter]);
    for check in ["tcp.check_checksum", "ip.check_checksum", "udp.check_checksum", "wlan.check_checksum"] {
        command.args(["-o", &format!("{check}:TRUE")]);
    }
    for name in names {
        command.args(["-e", name]);
    }
    let output = command.output().expect("tshark runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

fn files(folder: &Path, setup: &Setup) -> Vec<PathBuf> {
    (0..setup.nodes.len()).map(|n| folder.join(format!("node-{n}.pcapng"))).collect()
}

/// A chain of 4 hops over AODV with address resolution, TCP and UDP; node 2 walks away for a while.
fn everything() -> Setup {
    let mut setup = string(4, "newreno", 9.0, false);
    setup.routing = Routing::Found(aodv::Config::rfc().into());
    setup.mac.arp = Some(arp::Config::default());
    setup.flows.push(datagrams(4, 1, 512, 2.0, 200));
    setup.nodes[2].travel_to(at(4.0), Position::new(400.0, 400.0), 200.0);
    setup.nodes[2].travel_to(at(7.0), Position::new(400.0, 0.0), 200.0);
    setup
}

/// The same over DSR: acknowledgements are asked for, so that every option is on the air; in ns-2's dialect, flow
/// state.
fn everything_over_dsr(config: dsr::Config) -> Setup {
    let mut setup = everything();
    setup.routing = Routing::Found(config.into());
    setup
}

#[test]
fn wireshark_finds_nothing_wrong_with_dsr() {
    if !tshark() {
        return;
    }
    let asking = dsr::Config { link_layer_feedback: false, network_acks: true, ..dsr::Config::rfc() };
    let mut seen = BTreeSet::new();
    for (name, config) in [("dsr", asking), ("dsr-ns2", dsr::Config::ns2())] {
        let setup = everything_over_dsr(config);
        let (folder, _) = capture(name, &setup);
        for file in files(&folder, &setup) {
            let wrong = fields(&file, BAD, &["frame.number", "frame.protocols", "_ws.expert.message"]);
            assert!(wrong.is_empty(), "{}: {} frames, the first {:?}", file.display(), wrong.len(), wrong[0]);
            for row in fields(&file, "dsr", &["dsr.option.type", "dsr.flowstate", "frame.protocols"]) {
                seen.extend(row[0].split(',').map(|kind| format!("option {kind}")));
                seen.insert(format!("flow state {}", row[1]));
                seen.insert(row[2].rsplit(':').next().unwrap_or_default().to_owned());
            }
        }
    }
    for kind in [1, 2, 3, 32, 96, 128, 160, 224] {
        assert!(seen.contains(&format!("option {kind}")), "no option {kind} in {seen:?}");
    }
    assert!(seen.contains("tcp"), "{seen:?}");
}

/// Nine nodes and two connections that cross.
fn grid() -> Setup {
    let mut setup = string(2, "reno", 5.0, true);
    let place = |n: u32| Position::new(f64::from(n % 3) * 200.0, f64::from(n / 3) * 200.0);
    setup.nodes = (0..9).map(|n| Trajectory::fixed(place(n))).collect();
    let mut second = setup.flows[0].clone();
    (setup.flows[0].to, second.from, second.to) = (NodeId(8), NodeId(6), NodeId(2));
    setup.flows.push(second);
    setup
}

#[test]
fn wireshark_finds_nothing_wrong() {
    if !tshark() {
        return;
    }
    let setup = everything();
    let (folder, _) = capture("nothing-wrong", &setup);
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for file in files(&folder, &setup) {
        let wrong = fields(&file, BAD, &["frame.number", "frame.protocols", "_ws.expert.message"]);
        assert!(wrong.is_empty(), "{}: {} frames, the first {:?}", file.display(), wrong.len(), wrong[0]);
        let frames = fields(&file, "frame", &["frame.protocols", "frame.time_epoch"]);
        for frame in &frames {
            *seen.entry(frame[0].clone()).or_default() += 1;
        }
        let times: Vec<f64> = frames.iter().map(|row| row[1].parse().expect("seconds")).collect();
        assert!(times.windows(2).all(|w| w[0] <= w[1]), "{}: times go back", file.display());
    }
    for stack in ["radiotap:wlan_radio:wlan", "llc:ip:tcp", "llc:ip:udp:aodv", "llc:ip:udp:data", "llc:arp"] {
        assert!(seen.keys().any(|k| k.ends_with(stack)), "no {stack} in {seen:?}");
    }
    assert!(seen.keys().all(|k| !k.contains("malformed")), "{seen:?}");
}

/// The messages of OLSR as tshark reads them are those that the protocol must send: HELLOs from everybody, and TC
/// messages from the three relays of the chain.
#[test]
fn wireshark_reads_olsr_and_finds_nothing_wrong() {
    if !tshark() {
        return;
    }
    let mut setup = string(4, "newreno", 15.0, false);
    setup.routing = Routing::Found(olsr::Config::papanastasiou().into());
    setup.flows.push(datagrams(4, 1, 512, 2.0, 200));
    let (folder, _) = capture("olsr", &setup);
    let mut senders: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for (file, node) in files(&folder, &setup).iter().zip(0..) {
        let wrong = fields(file, BAD, &["frame.number", "frame.protocols", "_ws.expert.message"]);
        assert!(wrong.is_empty(), "{}: {} frames, the first {:?}", file.display(), wrong.len(), wrong[0]);
        let names = ["olsr.message_type", "olsr.origin_addr", "ip.src", "olsr.vtime", "olsr.ttl"];
        for row in fields(file, &format!("olsr && ip.src == 10.0.0.{}", node + 1), &names) {
            let [kinds, origins, holds, ttls] = [0, 1, 3, 4].map(|column: usize| row[column].split(','));
            for (((kind, origin), hold), ttl) in kinds.zip(origins).zip(holds).zip(ttls) {
                let (kind, origin) = (kind.to_owned(), origin.to_owned());
                let (hold, ttl): (f64, u8) = (hold.parse().expect("seconds"), ttl.parse().expect("a number"));
                match kind.as_str() {
                    "1" => assert_eq!((origin.as_str(), hold, ttl), (row[2].as_str(), 6.0, 1)),
                    "2" => assert!((hold, ttl > 200) == (15.0, true), "{row:?}"),
                    other => panic!("message type {other}"),
                }
                senders.entry((kind, origin)).or_default().insert(row[2].clone());
            }
        }
    }
    let origins = |kind: &str| senders.keys().filter(|(k, _)| k == kind).map(|(_, o)| o.as_str()).collect::<Vec<_>>();
    assert_eq!(origins("1"), ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5"]);
    assert_eq!(origins("2"), ["10.0.0.2", "10.0.0.3", "10.0.0.4"]);
    // What the second says is sent on by the third and fourth, which are relays, and not by the ends.
    let second = &senders[&("2".to_owned(), "10.0.0.2".to_owned())];
    assert_eq!(second.iter().map(String::as_str).collect::<Vec<_>>(), ["10.0.0.2", "10.0.0.3", "10.0.0.4"]);
}

#[test]
fn wireshark_finds_nothing_wrong_with_dsdv() {
    if !tshark() {
        return;
    }
    let mut setup = string(2, "newreno", 30.0, false);
    setup.routing = Routing::Found(dsdv::Config::perkins().into());
    let (folder, _) = capture("dsdv", &setup);
    for file in files(&folder, &setup) {
        assert!(fields(&file, BAD, &["frame.number"]).is_empty());
        assert!(!fields(&file, "udp.port == 255", &["frame.number"]).is_empty());
    }
}

/// A chain over AODV with all its messages. Node 3 walks away, and node 2 repairs the route over nodes 5 and 6, which
/// come; then node 5 walks away, and there is no other way.
fn all_of_aodv() -> Setup {
    let mut setup = string(4, "newreno", 12.0, false);
    let config =
        aodv::Config { hello: true, rrep_ack: true, blacklist: true, local_repair: true, ..aodv::Config::rfc() };
    setup.routing = Routing::Found(config.into());
    for x_m in [420.0, 620.0] {
        let mut node = Trajectory::fixed(Position::new(x_m, 2000.0));
        node.place_at(at(4.5), Position::new(x_m, 150.0)); // no earlier: the first route is to be the shorter one
        setup.nodes.push(node);
    }
    setup.nodes[3].travel_to(at(5.0), Position::new(600.0, -800.0), 300.0);
    setup.nodes[5].travel_to(at(8.0), Position::new(420.0, 2000.0), 300.0);
    setup
}

/// RFC 3561 §5: tshark reads each kind of message, HELLO, RREP-ACK and RERR with N among them, as we mean it.
#[test]
fn every_message_of_aodv_is_decoded() {
    if !tshark() {
        return;
    }
    let setup = all_of_aodv();
    let (folder, _) = capture("all-of-aodv", &setup);
    let mut kinds: BTreeMap<String, u32> = BTreeMap::new();
    for file in files(&folder, &setup) {
        assert_eq!(fields(&file, BAD, &["frame.number"]), Vec::<Vec<String>>::new());
        let names =
            ["aodv.type", "ip.dst", "ip.ttl", "aodv.hopcount", "aodv.flags.rerr_nodelete", "aodv.flags.rrep_ack"];
        let names = [&names[..], &["udp.length", "aodv.dest_ip", "aodv.orig_ip", "aodv.lifetime", "ip.src"]].concat();
        for row in fields(&file, "aodv", &names) {
            let [kind, to, ttl, hops, no_delete, ack, bytes, about, originator, lifetime, from] = &row[..] else {
                panic!("{row:?}")
            };
            let is_to_all = to == "255.255.255.255";
            let kind = match (kind.as_str(), is_to_all) {
                ("1", true) => "RREQ",
                ("2", true) => {
                    let said = (ttl.as_str(), hops.as_str(), about, originator, lifetime.as_str(), bytes.as_str());
                    assert_eq!(said, ("1", "0", from, from, "2000", "28"), "{row:?}");
                    "HELLO"
                }
                ("2", false) if is_set(ack) => "RREP with A",
                ("3", _) if is_set(no_delete) => "RERR with N",
                ("3", _) => "RERR",
                ("4", false) => {
                    assert_eq!((bytes.as_str(), ttl.as_str()), ("10", "1"), "{row:?}");
                    "RREP-ACK"
                }
                _ => panic!("{row:?}"),
            };
            *kinds.entry(kind.to_owned()).or_default() += 1;
        }
    }
    for kind in ["RREQ", "HELLO", "RREP with A", "RREP-ACK", "RERR", "RERR with N"] {
        assert!(kinds.contains_key(kind), "no {kind} in {kinds:?}");
    }
}

/// Whether tshark shows a flag as set.
fn is_set(flag: &str) -> bool {
    matches!(flag, "1" | "True")
}

#[test]
fn a_damaged_capture_would_be_noticed() {
    if !tshark() {
        return;
    }
    let (folder, _) = capture("damaged", &string(1, "newreno", 0.2, false));
    let file = folder.join("node-1.pcapng");
    let mut bytes = std::fs::read(&file).expect("a capture");
    let snap = bytes.windows(8).position(|w| w == [0xaa, 0xaa, 3, 0, 0, 0, 8, 0]).expect("a data frame");
    bytes[snap + 8 + 8] ^= 1; // the time to live
    std::fs::write(&file, bytes).expect("the file can be written");
    assert_eq!(fields(&file, BAD, &["frame.number"]).len(), 1);
}

#[test]
fn headers_say_what_the_simulator_knows() {
    if !tshark() {
        return;
    }
    let setup = string(2, "newreno", 1.0, false);
    let (folder, _) = capture("headers", &setup);
    let file = folder.join("node-1.pcapng");
    let data = fields(
        &file,
        "tcp.flags.syn == 1 && wlan.ta == 02:00:00:00:00:00",
        &[
            "wlan.ra",
            "wlan.bssid",
            "wlan.duration",
            "wlan.seq",
            "radiotap.datarate",
            "radiotap.dbm_antsignal",
            "radiotap.channel.freq",
            "radiotap.flags.fcs",
            "frame.interface_name",
            "frame.comment",
            "ip.src",
            "ip.dst",
            "ip.ttl",
            "tcp.dstport",
            "wlan.fc.ds",
            "frame.packet_flags_direction",
        ],
    );
    let expected = [
        "02:00:00:00:00:01",
        "02:01:00:00:00:00",
        "314",
        "1",
        "2",
        "-60",
        "914",
        "1",
        "node-1",
        "packet 0:1",
        "10.0.0.1",
        "10.0.0.3",
        "64",
        "5001",
        "0x00",
        "0x00000001",
    ];
    assert_eq!(data, [expected]);
    // The RTS for the SYN reserves 3 SIFS, CTS and ACK of 304 us, and the data frame: 192 us, and header and packet at
    // 2 Mb/s.
    let packet: u32 = fields(&file, "tcp.flags.syn == 1", &["ip.len"])[0][0].parse().expect("a length");
    let reserved = (30 + 304 + 304 + 192 + (36 + packet) * 4).to_string();
    let rts = fields(&file, "wlan.fc.type_subtype == 0x1b", &["wlan.duration", "wlan.ra", "wlan.ta"]);
    assert_eq!(rts[0], [reserved.as_str(), "02:00:00:00:00:01", "02:00:00:00:00:00"]);
    // Both captures have the end of the frame, at the sender and, 200 m away, at the receiver.
    let nanos = |node: u32| {
        let file = folder.join(format!("node-{node}.pcapng"));
        let first = &fields(&file, "wlan.fc.type_subtype == 0x1b", &["frame.time_epoch"])[0][0];
        first.split_once('.').expect("a point").1.parse::<u64>().expect("digits")
    };
    assert_eq!(nanos(1) - nanos(0), 667);
}

/// What every node's own capture says it sent is what the run says.
/// `is_finished`: every flow has delivered its file. Returns how many segments are in the captures again.
fn sent_frames_agree(name: &str, setup: &Setup, is_finished: bool) -> u64 {
    let mut resent = 0;
    let (folder, outcome) = capture(name, setup);
    let mut run: BTreeMap<(u32, &str), u64> = BTreeMap::new();
    for frame in &outcome.frames {
        let subtype = match frame.kind {
            FrameKind::Rts => "0x001b",
            FrameKind::Cts => "0x001c",
            FrameKind::Ack => "0x001d",
            FrameKind::Data => "0x0020",
        };
        *run.entry((frame.from.0, subtype)).or_default() += 1;
    }
    let mut captured: BTreeMap<(u32, String), u64> = BTreeMap::new();
    for (node, file) in files(&folder, setup).iter().enumerate() {
        for row in fields(file, "frame.packet_flags_direction == 2", &["wlan.fc.type_subtype"]) {
            *captured.entry((node as u32, row[0].clone())).or_default() += 1;
        }
    }
    assert_eq!(captured.len(), run.len(), "{name}");
    for ((node, subtype), count) in &captured {
        assert_eq!(run.get(&(*node, subtype.as_str())), Some(count), "{name}: {subtype} of node {node}");
    }

    for (index, (flow, report)) in setup.flows.iter().zip(&outcome.report.flows).enumerate() {
        let (FlowKind::Tcp { .. }, FlowReport { tcp: Some(tcp), segments_sent, .. }) = (&flow.kind, report) else {
            continue;
        };
        // Packets as the sender's transport made them: one IP identification each, however often the MAC tried.
        let file = folder.join(format!("node-{}.pcapng", flow.from));
        let filter = format!("frame.packet_flags_direction == 2 && tcp.dstport == {} && tcp.len > 0", 5001 + index);
        let mut packets: BTreeMap<String, u64> = BTreeMap::new();
        for row in fields(&file, &filter, &["frame.comment", "tcp.seq_raw"]) {
            packets.insert(row[0].clone(), row[1].parse().expect("a number"));
        }
        let on_the_air = packets.len() as u64;
        let distinct = packets.values().collect::<BTreeSet<_>>().len() as u64;
        // Packets that the station gave up because no CTS came, or that were dropped before, are not on the air.
        let unsent = segments_sent - on_the_air;
        if is_finished {
            assert_eq!(on_the_air - distinct, tcp.retransmissions - unsent, "{name}: {unsent} never left");
            resent += on_the_air - distinct;
        } else {
            assert!(on_the_air - distinct <= tcp.retransmissions, "{name}");
        }
    }
    resent
}

/// All flows of the setup send so much and are done with it before the end, over stations that give up soon.
fn files_of(mut setup: Setup, sent_bytes: u64) -> Setup {
    setup.end = at(30.0);
    (setup.mac.short_retry_limit, setup.mac.long_retry_limit) = (3, 2);
    for flow in &mut setup.flows {
        if let FlowKind::Tcp { bytes, params, .. } = &mut flow.kind {
            *bytes = Some(sent_bytes);
            params.window_limit_segments = 40; // the queue holds 50
        }
    }
    setup
}

#[test]
fn frames_by_kind_and_retransmissions_are_those_of_the_run() {
    if !tshark() {
        return;
    }
    let chain = sent_frames_agree("chain", &files_of(string(5, "newreno", 8.0, true), 200_000), true);
    let grid = sent_frames_agree("grid", &files_of(grid(), 150_000), true);
    assert!(chain > 0 && grid > 0, "nothing was sent again: {chain} {grid}");
    sent_frames_agree("everything", &everything(), false);
}
