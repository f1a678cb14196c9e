//! From the checked scenario to what the simulator takes. Units are converted here and nowhere else.

use std::sync::Arc;

use hopwright_link as link;
use hopwright_machine::{Duration, NodeId, Time};
use hopwright_radio as phy;
use hopwright_sim as sim;
use hopwright_sim::stamps::contention;
use hopwright_transport::{Fact, Protocol, protocol};

use crate::check::World;
use crate::coefficients::Coefficients;
use crate::link_setup::{self, Records};
use crate::model::{
    App, Backoff, Capture, Card, ContentionDelay, Eifs, Errors, Fading, FbaBuffered, FbaEmptied, Flow, FrameClass,
    GilbertElliott, Interference, Link, LinkChange, LinkState, LostNotices, LostRace, Mac, MacKind, PowerTable,
    Profile, Propagation, QueueDiscipline, Relay, RetryCounters, RtsRetries, Scenario, Shadowing, Tcp, Transport,
    WeakFrames,
};

/// Speed of light, m/s.
const LIGHT_MPS: f64 = 299_792_458.0;

/// The setup of one run.
pub(crate) fn setup(scenario: &Scenario, world: World, compute: Option<Coefficients>, records: &Records) -> sim::Setup {
    let flows = world.ends.iter().map(|&(n, from, to)| {
        let flow = &scenario.flows[n];
        let (start, stop) = (seconds(flow.times.start_s), seconds(flow.times.stop_s));
        sim::Flow { from, to, start: at(start), stop: at(stop), kind: kind(flow) }
    });
    sim::Setup {
        end: at(seconds(scenario.run.duration_s)),
        warm_up: at(seconds(scenario.run.warm_up_s)),
        flows: flows.collect(),
        compute,
        nodes: world.nodes,
        switches: world.switches,
        radio: radio(scenario),
        errors: scenario.errors.iter().map(errors).collect(),
        mac: mac(scenario),
        stamps: stamps(scenario),
        links: scenario.links.iter().map(|of| link(of, records)).collect(),
        relays: scenario.relays.iter().map(|of| relay(of, scenario.run.profile)).collect(),
        mark_from_packets: scenario.mac.ecn_threshold_packets as usize,
        multicast: scenario.routing.flooding(),
        keeps_notices: scenario.routing.lost_notices == LostNotices::SentAgain,
        routing: scenario
            .routing
            .found()
            .map_or(sim::Routing::Static(None), |found| sim::Routing::Found(Box::new(found))),
    }
}

/// The radio's configuration.
pub(crate) fn radio(scenario: &Scenario) -> phy::Config {
    let radio = &scenario.radio;
    let threshold = |range_m: Option<f64>, power_dbm: Option<f64>| match (range_m, power_dbm) {
        (Some(m), _) => phy::Threshold::Range(m),
        (None, Some(dbm)) => phy::Threshold::Power(decibels(dbm)),
        (None, None) => unreachable!("thresholds are filled in when a scenario is read"),
    };
    phy::Config {
        propagation: match radio.propagation {
            Propagation::TwoRayGround => phy::Propagation::TwoRayGround,
            Propagation::FreeSpace => phy::Propagation::FreeSpace,
            Propagation::LogDistance => phy::Propagation::LogDistance {
                exponent: radio.path_loss_exponent,
                reference_m: radio.reference_distance_m,
            },
            Propagation::Disc => phy::Propagation::Disc,
        },
        shadowing: match radio.shadowing {
            Shadowing::None => phy::Shadowing::None,
            Shadowing::Frame => phy::Shadowing::Frame { sigma_db: radio.shadowing_sigma_db },
            Shadowing::Link => phy::Shadowing::Link { sigma_db: radio.shadowing_sigma_db },
        },
        fading: match radio.fading {
            Fading::None => phy::Fading::None,
            Fading::Rayleigh => phy::Fading::Ricean { k: 0.0 },
            Fading::Ricean => phy::Fading::Ricean { k: decibels(radio.ricean_k_db) },
        },
        transmit_power_mw: decibels(radio.transmit_power_dbm),
        frequency_hz: radio.frequency_mhz * 1e6,
        antenna_height_m: radio.antenna_height_m,
        reception: threshold(radio.reception_range_m, radio.reception_threshold_dbm),
        carrier_sense: threshold(radio.carrier_sense_range_m, radio.carrier_sense_threshold_dbm),
        rule: phy::ReceptionRule {
            capture_ratio: decibels(radio.capture_threshold_db),
            capture: match radio.capture {
                Capture::First => phy::Capture::First,
                Capture::Any => phy::Capture::Any,
            },
            weak_frames: match radio.weak_frames {
                WeakFrames::Lock => phy::WeakFrames::Lock,
                WeakFrames::Energy => phy::WeakFrames::Energy,
            },
            interference: match radio.interference {
                Interference::All => phy::Interference::All,
                Interference::Locked => phy::Interference::Locked,
                Interference::Sum => phy::Interference::Sum,
            },
            noise_mw: match radio.interference {
                Interference::Sum => decibels(radio.noise_floor_dbm),
                Interference::All | Interference::Locked => 0.0,
            },
            decoding: match radio.bit_errors {
                true => phy::Decoding::BitErrors(bits(&scenario.mac)),
                false => phy::Decoding::Threshold,
            },
        },
        powers: radio.energy.as_ref().map(powers),
    }
}

/// How the bits of frames are sent.
fn bits(mac: &Mac) -> phy::Bits {
    let modulation = |mbps| phy::Modulation::of_rate(bps(mbps)).unwrap_or(phy::Modulation::Dbpsk);
    let rates = [mac.basic_rate_mbps, mac.data_rate_mbps].map(modulation);
    let preamble = micros(mac.preamble_us);
    match mac.phy.band() {
        None => phy::Bits::dsss(preamble, rates),
        Some(band) => phy::Bits::ofdm(preamble, band.extension(), rates),
    }
}

/// What a radio draws.
fn powers(energy: &PowerTable) -> phy::Powers {
    match energy {
        PowerTable::Named(Card::Wavelan) => phy::Powers::WAVELAN,
        PowerTable::Named(Card::Lucent) => phy::Powers::LUCENT,
        PowerTable::Named(Card::Ns2) => phy::Powers::NS2,
        PowerTable::Own(own) => phy::Powers {
            overhear_w: own.overhear_w.unwrap_or(own.receive_w),
            sense_w: own.sense_w.unwrap_or(own.receive_w),
            off_w: own.off_w,
            ..phy::Powers::of(own.transmit_w, own.receive_w, own.idle_w)
        },
    }
}

/// Damage to frames that power does not explain.
fn errors(errors: &Errors) -> sim::Errors {
    let (from, to, frames) = errors.frames();
    let class = |class: &FrameClass| match class {
        FrameClass::RtsCts => sim::FrameClass::RtsCts,
        FrameClass::Data => sim::FrameClass::Data,
        FrameClass::Ack => sim::FrameClass::Ack,
        FrameClass::MacAck => sim::FrameClass::MacAck,
        FrameClass::Routing => sim::FrameClass::Routing,
    };
    let model = match errors {
        Errors::Uniform(e) => phy::FrameErrors::Uniform { probability: e.probability },
        &Errors::GilbertElliott(GilbertElliott {
            mean_good_s, mean_bad_s, good_probability, bad_probability, ..
        }) => phy::FrameErrors::GilbertElliott(phy::GilbertElliott {
            mean_good_s,
            mean_bad_s,
            good_probability,
            bad_probability,
        }),
    };
    sim::Errors { from: from.map(NodeId), to: to.map(NodeId), frames: frames.iter().map(class).collect(), model }
}

/// Whether some flow reads for how long packets contended: then stations measure it.
pub(crate) fn has_contention(scenario: &Scenario) -> bool {
    scenario.flows.iter().any(|flow| fact(flow) == Some(Fact::Contention))
}

/// What a flow's transport reads, or may come to read, that stations write on packets.
fn fact(flow: &Flow) -> Option<Fact> {
    match &flow.transport {
        Transport::Tcp(tcp) => tcp.recipes().find_map(|recipe| recipe.fact()),
        Transport::Whole(_) => crate::atp::stations(flow).map(|_| Fact::LargestDelay),
        Transport::Udp => None,
    }
}

/// What stations write on packets. ATP's have a field for what it reads: it takes no bytes more.
fn stamps(scenario: &Scenario) -> Vec<sim::Stamp> {
    let until = match scenario.mac.contention_delay {
        ContentionDelay::Sent => contention::Until::Sent,
        ContentionDelay::FirstTry => contention::Until::FirstTry,
    };
    let contention = has_contention(scenario).then_some(sim::Stamp::Contention(until));
    let delay = scenario.flows.iter().find_map(crate::atp::stations).map(sim::Stamp::Delay);
    contention.into_iter().chain(delay).collect()
}

/// The MAC's configuration.
fn mac(scenario: &Scenario) -> link::Config {
    let mac = &scenario.mac;
    let usual = link::Config::default();
    // Waiting for an answer must outlast the way there and back between the farthest neighbours.
    let farthest_m = phy::Radio::new(&radio(scenario)).farthest_reception_m();
    link::Config {
        kind: match mac.kind {
            MacKind::Dcf => link::Kind::Dcf,
            MacKind::Ideal => link::Kind::Ideal,
        },
        slot: micros(mac.slot_us),
        sifs: micros(mac.sifs_us),
        difs: micros(mac.difs_us),
        preamble: micros(mac.preamble_us),
        framing: match mac.phy.band() {
            None => link::Framing::Bits,
            Some(band) => link::Framing::Symbols { extension: band.extension() },
        },
        propagation_allowance: usual.propagation_allowance.max(Duration::from_secs_f64(farthest_m / LIGHT_MPS)),
        data_rate_bps: bps(mac.data_rate_mbps),
        basic_rate_bps: bps(mac.basic_rate_mbps),
        lowest_rate_bps: match mac.phy.band() {
            None => usual.lowest_rate_bps,
            Some(_) => link::ofdm::MANDATORY_BPS[0],
        },
        cw_min: mac.cw_min,
        cw_max: mac.cw_max,
        rts_threshold_bytes: mac.rts_threshold(),
        short_retry_limit: mac.short_retry_limit,
        long_retry_limit: mac.long_retry_limit,
        rts_retries: match mac.rts_retries {
            RtsRetries::Short => link::RtsRetries::Short,
            RtsRetries::AsData => link::RtsRetries::AsData,
        },
        queue_packets: mac.queue_packets as usize,
        queue_discipline: match mac.queue_discipline {
            QueueDiscipline::RoutingFirst => link::Discipline::RoutingFirst,
            QueueDiscipline::ByClass => link::Discipline::ByClass,
        },
        fba: (mac.backoff == Backoff::Fba).then_some(link::fba::Config {
            tradeoff: mac.fba_tradeoff,
            min_threshold: mac.fba_min_threshold,
            max_threshold: mac.fba_max_threshold,
            lost_race: match mac.fba_lost_race {
                LostRace::Redraw => link::fba::LostRace::Redraw,
                LostRace::KeepCounter => link::fba::LostRace::KeepCounter,
                LostRace::Ignore => link::fba::LostRace::Ignore,
            },
            emptied: match mac.fba_emptied {
                FbaEmptied::Keep => link::fba::Emptied::Keep,
                FbaEmptied::Restart => link::fba::Emptied::Restart,
            },
            buffered: match mac.fba_buffered {
                FbaBuffered::All => link::fba::Buffered::All,
                FbaBuffered::Waiting => link::fba::Buffered::Waiting,
            },
        }),
        lred: (mac.lred || mac.adaptive_pacing).then_some(link::lred::Config {
            min_threshold: mac.lred_min_threshold_tries,
            max_threshold: mac.lred_max_threshold_tries,
            max_probability: mac.lred_max_probability,
            weight: mac.lred_weight,
            signals: mac.lred,
            paces: mac.adaptive_pacing,
        }),
        header_bytes: mac.header_bytes + if has_contention(scenario) { contention::FIELD_BYTES } else { 0 },
        backoff_includes_cw: mac.backoff_includes_cw,
        backoff_always: mac.backoff_always,
        eifs: match mac.eifs {
            Eifs::InsteadOfDifs => link::Eifs::InsteadOfDifs,
            Eifs::ThenDifs => link::Eifs::ThenDifs,
            Eifs::Never => link::Eifs::Never,
        },
        data_waits_for_idle: mac.data_waits_for_idle,
        rts_counts_preamble: mac.rts_counts_preamble,
        retry_counters: match mac.retry_counters {
            RetryCounters::PerPacket => link::RetryCounters::PerPacket,
            RetryCounters::PerStation => link::RetryCounters::PerStation,
        },
        link_delay: micros(mac.link_delay_us),
        arp: mac.arp.then(|| match scenario.run.profile {
            Profile::Standard => link::arp::Config { delay: micros(mac.link_delay_us), ..Default::default() },
            Profile::Ns2 => link::arp::Config::ns2(),
        }),
    }
}

fn kind(flow: &Flow) -> sim::FlowKind {
    let source = |rate_kbps: f64, payload_bytes, jitter, pattern| {
        sim::FlowKind::Udp(sim::Source { payload_bytes, rate_bps: rate_kbps * 1e3, jitter, pattern })
    };
    let bytes = match &flow.app {
        App::Cbr(c) => return source(c.rate_kbps, c.payload_bytes, c.jitter, sim::Pattern::Steady),
        App::OnOff(o) => return source(o.rate_kbps, o.payload_bytes, o.jitter, sim::Pattern::OnOff(o.on_s, o.off_s)),
        App::Bulk(_) => None,
        App::File(file) => Some(file.bytes),
    };
    match &flow.transport {
        Transport::Tcp(tcp) => tcp_kind(tcp, bytes),
        Transport::Whole(whole) => {
            if let Some(params) = crate::atp::ends(flow) {
                return sim::FlowKind::Atp { params: Box::new(params), bytes };
            }
            let config = crate::bundles::config(flow).expect("the only other transport without slots");
            sim::FlowKind::Bundles { protocol: whole.id.clone(), config: Arc::new(config), bytes }
        }
        Transport::Udp => unreachable!("a byte stream over UDP is refused when a scenario is checked"),
    }
}

fn tcp_kind(tcp: &Tcp, bytes: Option<u64>) -> sim::FlowKind {
    sim::FlowKind::Tcp {
        protocol: tcp.protocol.clone(),
        recipe: Box::new(tcp.recipe()),
        params: Box::new(tcp.params.clone()),
        bytes,
    }
}

/// A shaped link.
fn link(link: &Link, records: &Records) -> sim::ShapedLink {
    let both = |state: &LinkState| link_setup::two_ways(state, link.ends.directions, records);
    let change = |change: &LinkChange| sim::LinkChange {
        at: at(seconds(change.when.at_s)),
        shape: both(&change.state()),
        network: change.when.network,
        clears: change.when.clear,
    };
    sim::ShapedLink {
        ends: [NodeId(link.ends.from), NodeId(link.ends.to)],
        shape: both(&link.state()),
        changes: link.changes.iter().map(change).collect(),
    }
}

/// A relay.
fn relay(relay: &Relay, profile: Profile) -> sim::Relay {
    let (node, towards) = relay.place();
    let kind = match relay {
        Relay::Snoop(snoop) => sim::RelayKind::Snoop(sim::SnoopConfig {
            cache_packets: snoop.cache_packets as usize,
            min_timeout: millis(snoop.min_timeout_ms),
            most_tries: snoop.retry_limit,
        }),
        Relay::Split(split) => {
            let row = split.protocol.as_deref().and_then(protocol);
            let own = |row: &Protocol| {
                let params = row.params(Tcp::params_of_profile(profile));
                (row.id.to_owned(), Box::new(row.recipe), Box::new(params))
            };
            sim::RelayKind::Split(sim::Split { buffer_bytes: split.buffer_bytes, transport: row.map(own) })
        }
    };
    sim::Relay { node: NodeId(node), towards: towards.map(NodeId), kind }
}

fn bps(mbps: f64) -> u64 {
    (mbps * 1e6 + 0.5) as u64
}

fn decibels(db: f64) -> f64 {
    libm::pow(10.0, db / 10.0)
}

fn micros(us: f64) -> Duration {
    Duration::from_secs_f64(us * 1e-6)
}

pub(crate) fn millis(ms: f64) -> Duration {
    micros(ms * 1e3)
}

pub(crate) fn seconds(s: f64) -> Duration {
    Duration::from_secs_f64(s)
}

pub(crate) fn at(since_start: Duration) -> Time {
    Time::ZERO + since_start
}
