//! Random worlds: setups of any kind, for properties that must hold whatever is set up.

use std::sync::Arc;

use hopwright_bundle as bundle;
use hopwright_link as link;
use hopwright_machine::{Duration, NodeId};
use hopwright_mobility::{Position, Switch, Trajectory};
use hopwright_radio as radio;
use hopwright_routing::{aodv, dsdv, dsr, olsr};
use hopwright_sim::stamps::contention::Until;
use hopwright_sim::stamps::delay;
use hopwright_sim::{Errors, Flow, FlowKind, FrameClass, Pattern, Routing, Setup, Source, Stamp};
use hopwright_transport::params::EcnMode;
use hopwright_transport::{Params, atp, protocol};
use proptest::prelude::*;

use crate::support::at;

fn place() -> impl Strategy<Value = Position> {
    (0.0..1.0, 0.0..1.0).prop_map(|(x, y)| Position::new(x, y))
}

/// Node, time, destination, speed; no speed: a jump.
type Move = (prop::sample::Index, f64, Position, Option<f64>);

fn movement() -> impl Strategy<Value = Move> {
    (any::<prop::sample::Index>(), 0.0..20.0, place(), prop_oneof![2 => (0.0..60.0).prop_map(Some), 1 => Just(None)])
}

/// Nodes in a rectangle in which they may or may not reach each other, standing or on the move.
fn nodes() -> impl Strategy<Value = Vec<Trajectory>> {
    let moves = prop_oneof![Just(vec![]), prop::collection::vec(movement(), 1..12)];
    (prop::collection::vec(place(), 2..25), prop_oneof![3 => 100.0..1200.0, 1 => 50.0..3000.0], 0.0..400.0, moves)
        .prop_map(|(places, width, height, moves)| {
            let scaled = |p: Position| Position::new(p.x_m * width, p.y_m * height);
            let mut nodes: Vec<_> = places.into_iter().map(|p| Trajectory::fixed(scaled(p))).collect();
            let mut moves = moves;
            moves.sort_by(|a, b| a.1.total_cmp(&b.1));
            for (node, at_s, to, speed_mps) in moves {
                let node = node.index(nodes.len());
                match speed_mps {
                    Some(speed_mps) => nodes[node].travel_to(at(at_s), scaled(to), speed_mps),
                    None => nodes[node].place_at(at(at_s), scaled(to)),
                }
            }
            nodes
        })
}

fn tcp() -> impl Strategy<Value = FlowKind> {
    let id = prop::sample::select(vec!["tahoe", "reno", "newreno", "elfn", "fsr", "tcp-f", "atcp", "tcc"]);
    let bytes = prop_oneof![Just(None), (1u64..200_000).prop_map(Some)];
    let base = (any::<bool>(), any::<bool>(), any::<bool>());
    (id, base, bytes, prop::sample::select(vec![100u32, 536, 1460]), 1u32..70).prop_map(
        |(id, (delayed, ns2, ecn), bytes, segment_bytes, window_limit_segments)| {
            let row = protocol(id).expect("a known protocol");
            let mut recipe = row.recipe;
            if delayed {
                recipe = recipe.with("acking", "delayed").expect("a known part");
            }
            let params = row.params(if ns2 { Params::ns2() } else { Params::default() });
            FlowKind::Tcp {
                protocol: id.into(),
                recipe: Box::new(recipe),
                params: Box::new(Params {
                    segment_bytes,
                    window_limit_segments,
                    ecn: if ecn { EcnMode::On } else { params.ecn },
                    ..params
                }),
                bytes,
            }
        },
    )
}

fn udp() -> impl Strategy<Value = FlowKind> {
    let pattern =
        prop_oneof![Just(Pattern::Steady), (0.05..2.0, 0.05..2.0).prop_map(|(on, off)| Pattern::OnOff(on, off))];
    (1u32..1472, 1e4..2e6, 0.0..1.0, pattern).prop_map(|(payload_bytes, rate_bps, jitter, pattern)| {
        FlowKind::Udp(Source { payload_bytes, rate_bps, jitter, pattern })
    })
}

/// How all nodes carry bundles: the readings that concern what happens between nodes.
fn carried() -> impl Strategy<Value = Arc<bundle::Config>> {
    let sizes = (1u16..40, 1u32..1400, 1u32..4);
    let switches = any::<[bool; 8]>();
    (sizes, switches, prop::option::of(1u32..4), 50u64..6000).prop_map(
        |((bundle_packets, payload_bytes, in_transit), on, room, receive_ms)| {
            let [cut_through, source_probes, refuses, keeps, resumes, messages_first, survives_down, is_oldest] = on;
            Arc::new(bundle::Config {
                bundle_packets,
                payload_bytes,
                in_transit,
                receive_timer: Duration::from_millis(receive_ms),
                cut_through,
                source_probes,
                room,
                when_full: if refuses { bundle::WhenFull::Refuse } else { bundle::WhenFull::Drop },
                lets_go: if keeps { bundle::LetsGo::OnAck } else { bundle::LetsGo::OnTransfer },
                resumes: if resumes { bundle::Resumes::WhereItFailed } else { bundle::Resumes::AtTheBeginning },
                service: if is_oldest { bundle::Service::OldestFirst } else { bundle::Service::Turns },
                messages_first,
                survives_down,
                ..bundle::Config::default()
            })
        },
    )
}

fn atp() -> impl Strategy<Value = FlowKind> {
    let bytes = prop_oneof![Just(None), (1u64..200_000).prop_map(Some)];
    (bytes, prop::sample::select(vec![100u32, 536, 1460]), 1u16..200).prop_map(
        |(bytes, segment_bytes, window_segments)| {
            let params = atp::Params { segment_bytes, window_segments, ..atp::Params::default() };
            FlowKind::Atp { params: Box::new(params), bytes }
        },
    )
}

/// Flow between different nodes; from and to as shares of the run.
type Ends = (prop::sample::Index, prop::sample::Index, f64, f64);

fn flows() -> impl Strategy<Value = Vec<(Ends, FlowKind)>> {
    let ends = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0.0..0.7, 0.2..1.2);
    carried().prop_flat_map(move |config| {
        let bytes = prop_oneof![Just(None), (1u64..200_000).prop_map(Some)];
        let bundles = bytes.prop_map(move |bytes| {
            let config = Arc::clone(&config);
            FlowKind::Bundles { protocol: "nctp".into(), config, bytes }
        });
        prop::collection::vec((ends.clone(), prop_oneof![6 => tcp(), 2 => udp(), 2 => atp(), 1 => bundles]), 1..5)
    })
}

/// What varies of the power that arrives; in a quarter of all cases nothing.
fn variation() -> impl Strategy<Value = (radio::Shadowing, radio::Fading)> {
    let shadowing = prop::sample::select(vec![
        radio::Shadowing::None,
        radio::Shadowing::Frame { sigma_db: 4.0 },
        radio::Shadowing::Link { sigma_db: 6.0 },
    ]);
    let fading = prop_oneof![Just(radio::Fading::None), (0.0..10.0).prop_map(|k| radio::Fading::Ricean { k })];
    prop_oneof![1 => Just((radio::Shadowing::None, radio::Fading::None)), 3 => (shadowing, fading)]
}

/// Frames that are damaged for no reason that power gives; in half of all cases none.
fn errors() -> impl Strategy<Value = Vec<Errors>> {
    let node = || prop_oneof![Just(None), (0u32..4).prop_map(|n| Some(NodeId(n)))];
    let classes = vec![FrameClass::RtsCts, FrameClass::Data, FrameClass::Ack, FrameClass::MacAck, FrameClass::Routing];
    let bursts = (0.01..3.0, 0.01..3.0, 0.0..0.5, 0.0..1.0).prop_map(
        |(mean_good_s, mean_bad_s, good_probability, bad_probability)| {
            let bursts = radio::GilbertElliott { mean_good_s, mean_bad_s, good_probability, bad_probability };
            radio::FrameErrors::GilbertElliott(bursts)
        },
    );
    let model = prop_oneof![(0.0..1.0).prop_map(|probability| radio::FrameErrors::Uniform { probability }), bursts];
    let entry = (node(), node(), prop::sample::subsequence(classes, 1..=5), model);
    let entry = entry.prop_map(|(from, to, frames, model)| Errors { from, to, frames, model });
    prop_oneof![Just(vec![]), prop::collection::vec(entry, 1..4)]
}

fn reception() -> impl Strategy<Value = radio::Config> {
    let propagation = prop::sample::select(vec![
        radio::Propagation::TwoRayGround,
        radio::Propagation::FreeSpace,
        radio::Propagation::LogDistance { exponent: 3.0, reference_m: 10.0 },
        radio::Propagation::Disc,
    ]);
    let capture = prop::sample::select(vec![radio::Capture::First, radio::Capture::Any]);
    let weak_frames = prop::sample::select(vec![radio::WeakFrames::Lock, radio::WeakFrames::Energy]);
    use radio::Interference::{All, Locked, Sum};
    let interference = prop::sample::select(vec![All, Locked, Sum]);
    let bits = radio::Bits::dsss(Duration::ZERO, [radio::Modulation::Dbpsk; 2]); // till the stations' rates are known
    let decoding = prop::sample::select(vec![radio::Decoding::Threshold, radio::Decoding::BitErrors(bits)]);
    // Up to as much as arrives from 250 m.
    let noise_mw = 1e-10..3e-7;
    let rule = (1.0..20.0, capture, weak_frames, interference, noise_mw, decoding).prop_map(
        |(capture_ratio, capture, weak_frames, interference, noise_mw, decoding)| radio::ReceptionRule {
            capture_ratio,
            capture,
            weak_frames,
            interference,
            noise_mw,
            decoding: if interference == Sum { decoding } else { radio::Decoding::Threshold },
        },
    );
    (propagation, variation(), rule).prop_map(|(propagation, (shadowing, fading), rule)| {
        let mut config = radio::Config { propagation, shadowing, fading, rule, ..radio::Config::default() };
        if config.rule.decoding == radio::Decoding::Threshold {
            // Scenarios with noise that would damage every frame that is just strong enough are refused.
            let reception_mw = radio::Radio::new(&config).reception_mw();
            config.rule.noise_mw = config.rule.noise_mw.min(reception_mw / config.rule.capture_ratio);
        }
        config
    })
}

/// Fair back-off in some cases.
fn backoff() -> impl Strategy<Value = Option<link::fba::Config>> {
    use link::fba::LostRace::{Ignore, KeepCounter, Redraw};
    let lost_race = prop::sample::select(vec![Redraw, KeepCounter, Ignore]);
    let fair = (1u32..34, lost_race)
        .prop_map(|(tradeoff, lost_race)| Some(link::fba::Config { tradeoff, lost_race, ..Default::default() }));
    prop_oneof![2 => Just(None), 1 => fair]
}

/// What stations write on packets, in some cases.
fn stamps() -> impl Strategy<Value = Vec<Stamp>> {
    use Until::{FirstTry, Sent};
    let delay = Stamp::Delay(delay::Config::default());
    let contention = Stamp::Contention;
    prop::sample::select(vec![vec![], vec![], vec![contention(Sent)], vec![delay, contention(FirstTry)]])
}

/// How the frames of these stations are sent.
fn bits(mac: &link::Config) -> radio::Bits {
    let rates = [mac.basic_rate_bps, mac.data_rate_bps].map(|bps| radio::Modulation::of_rate(bps).expect("a rate"));
    radio::Bits::dsss(mac.preamble, rates)
}

fn mac() -> impl Strategy<Value = (link::Config, Vec<Stamp>)> {
    let threshold = prop::sample::select(vec![0u32, 400, 3000]);
    let arp = prop::sample::select(vec![None, Some(link::arp::Config::default()), Some(link::arp::Config::ns2())]);
    let kind = prop_oneof![3 => Just(link::Kind::Dcf), 1 => Just(link::Kind::Ideal)];
    (any::<bool>(), threshold, 1usize..50, any::<bool>(), arp, (backoff(), stamps(), kind)).prop_map(
        |(ns2, rts_threshold_bytes, queue_packets, fast, arp, (fba, stamps, kind))| {
            let config = if ns2 { link::Config::ns2() } else { link::Config::default() };
            let data_rate_bps = if fast { 11_000_000 } else { 2_000_000 };
            (link::Config { kind, rts_threshold_bytes, queue_packets, data_rate_bps, arp, fba, ..config }, stamps)
        },
    )
}

fn routing() -> impl Strategy<Value = Routing> {
    prop_oneof![
        Just(Routing::Static(None)),
        any::<[bool; 6]>().prop_map(|on| Routing::Found(aodv_with(on).into())),
        Just(Routing::Found(aodv::Config::ns2().into())),
        Just(Routing::Found(dsr::Config::rfc().into())),
        Just(Routing::Found(dsr::Config::papanastasiou().into())),
        Just(Routing::Found(dsr::Config::ns2().into())),
        Just(Routing::Found(olsr::Config::papanastasiou().into())),
        Just(Routing::Found(dsdv::Config::perkins().into())),
        Just(Routing::Found(dsdv::Config::ns2().into())),
    ]
}

/// Node, time, up or down.
type Outage = (prop::sample::Index, f64, bool);

/// Nodes that go down and come up; in half of all cases none.
fn outages() -> impl Strategy<Value = Vec<Outage>> {
    prop_oneof![Just(vec![]), prop::collection::vec((any::<prop::sample::Index>(), 0.0..20.0, any::<bool>()), 1..20)]
}

/// RFC 3561 with these options; with none, the usual.
fn aodv_with([hello, deaf, repair, gratuitous, acknowledged, blacklist]: [bool; 6]) -> aodv::Config {
    aodv::Config {
        hello,
        link_feedback: !deaf,
        local_repair: repair,
        gratuitous,
        rrep_ack: acknowledged,
        blacklist,
        ..aodv::Config::rfc()
    }
}

/// Any setup.
pub(crate) fn setup() -> impl Strategy<Value = Setup> {
    (nodes(), flows(), (reception(), errors()), mac(), routing(), outages(), 2.0..20.0).prop_map(
        |(nodes, flows, (mut radio, errors), (mac, stamps), routing, outages, end_s): (
            Vec<Trajectory>,
            _,
            (radio::Config, _),
            (link::Config, _),
            _,
            Vec<Outage>,
            f64,
        )| {
            let switches = outages.into_iter().map(|(node, at_s, up)| Switch {
                at: at(at_s),
                node: NodeId(node.index(nodes.len()) as u32),
                up,
            });
            let switches = switches.collect();
            let flows = flows.into_iter().map(|((from, to, start, stop), kind)| {
                let from = from.index(nodes.len());
                let to = (from + 1 + to.index(nodes.len() - 1)) % nodes.len();
                Flow {
                    from: NodeId(from as u32),
                    to: NodeId(to as u32),
                    start: at(start * end_s),
                    stop: at((start + stop * (1.0 - start)) * end_s),
                    kind,
                }
            });
            let flows = flows.collect();
            if radio.rule.decoding != radio::Decoding::Threshold {
                radio.rule.decoding = radio::Decoding::BitErrors(bits(&mac));
            }
            Setup {
                end: at(end_s),
                warm_up: at(0.0),
                nodes,
                names: std::sync::Arc::new([]),
                switches,
                radio,
                errors,
                mac,
                stamps,
                links: Vec::new(),
                relays: Vec::new(),
                mark_from_packets: 2,
                multicast: None,
                keeps_notices: false,
                compute: None,
                routing,
                flows,
            }
        },
    )
}

/// The same; with three of four seeds, stations do something about contention.
pub(crate) fn contended(mut setup: Setup, seed: u64) -> Setup {
    let (signals, paces) = (seed % 2 == 1, seed / 2 % 2 == 1);
    let config = link::lred::Config {
        min_threshold: 0.2,
        max_probability: 0.3,
        signals,
        paces,
        ..link::lred::Config::default()
    };
    setup.mac.lred = (signals || paces).then_some(config);
    setup
}

/// Cases to try: some seconds' worth, or as many as asked for.
pub(crate) fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(64);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}
