//! Where each flow's time went, beside closed forms.

use hopwright_machine::Time;
use hopwright_sim::{
    FlowKind, NetworkTimes, Options, PacketTimes, Pattern, Report, SenderTimes, Setup, Source, Watch, run, run_traced,
};
use hopwright_trace::{Config, Recorder, flow_time};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::support::{at, quiet, string};
use crate::worlds;

/// A run with what was found, whose report an untraced run makes alike.
fn used(setup: &Setup) -> (flow_time::Report, Report) {
    let config = Config { flow_time: true, ..Config::default() };
    let mut recorder = Recorder::new(&config, setup, "".as_ref());
    let (options, watch) = (Options::default(), Watch::default());
    let traced = run_traced(setup, 1, &options, &watch, &mut recorder).expect("nobody cancels");
    let plain = run(setup, 1, &options, &watch).expect("nobody cancels");
    assert_eq!(traced.report, plain.report);
    (recorder.finish().flow_time.expect("it was asked for"), plain.report)
}

fn of_sender(t: &SenderTimes) -> [f64; 8] {
    [t.opening, t.application, t.pacing, t.receiver_window, t.congestion_window, t.recovery, t.time_out, t.frozen]
}

fn of_network(t: &NetworkTimes) -> [f64; 5] {
    [t.on_air, t.medium, t.queued, t.elsewhere, t.nothing]
}

/// Of packets some of which arrived.
fn of_packet(t: &PacketTimes) -> [f64; 4] {
    [t.on_air, t.medium, t.queued, t.elsewhere].map(|part| part.expect("some arrived"))
}

/// 19 measured seconds of one hop of 100 m, whose sender has more datagrams of 532 bytes than the medium takes.
fn saturated() -> Setup {
    let mut setup = quiet(&[(0.0, 0.0), (100.0, 0.0)], true, 20.0, false);
    setup.warm_up = at(2.0);
    let source = Source { payload_bytes: 532, rate_bps: 2e6, jitter: 0.0, pattern: Pattern::Steady };
    let flow = hopwright_sim::Flow {
        from: hopwright_machine::NodeId(0),
        to: hopwright_machine::NodeId(1),
        start: at(1.0),
        stop: setup.end,
        kind: FlowKind::Udp(source),
    };
    setup.flows = vec![flow];
    setup
}

/// 28 measured seconds of one flow over TCP, its parameters changed.
fn tcp(hops: u32, id: &str, change: impl FnOnce(&mut hopwright_transport::Params, &mut Option<u64>)) -> Setup {
    let mut setup = string(hops, id, 30.0, false);
    setup.warm_up = at(3.0);
    if let FlowKind::Tcp { params, bytes, .. } = &mut setup.flows[0].kind {
        change(params, bytes);
    }
    setup
}

#[test]
fn a_saturated_hop_is_on_the_air_as_the_formula_says() {
    let (found, _) = used(&saturated());
    let flow_time::Times { sender, network, packet } = found.flows[0];
    // RTS, CTS, 560 bytes of IP, ACK; and DIFS, the mean back-off, three SIFS.
    let frames_us = 352.0 + 304.0 + 192.0 + 4.0 * (560.0 + 36.0) + 304.0;
    let waits_us = 50.0 + 310.0 + 30.0;
    let share = frames_us / (frames_us + waits_us);
    assert!((network.on_air / 19.0 - share).abs() < 0.005, "{network:?}, not {share}");
    assert!((network.medium / 19.0 - (1.0 - share)).abs() < 0.005, "{network:?}");
    assert_eq!((sender, network.nothing), (None, 0.0), "nothing is acknowledged, and there is always work");
    // Of a packet: all but its ACK and the space before it, which come when it has arrived; a queue of 50 before that.
    let [on_air, medium, queued, elsewhere] = of_packet(&packet).map(|part| 1e6 * part);
    assert!((on_air - (frames_us - 304.0)).abs() < 1e-6, "{packet:?}");
    assert!((medium - (waits_us - 10.0)).abs() < 10.0, "{packet:?}");
    assert!((queued / (frames_us + waits_us) - 50.0).abs() < 1.0, "{packet:?}");
    assert_eq!(elsewhere, 0.0, "a neighbour's datagrams need no router's time");
}

#[test]
fn a_packet_that_the_end_finds_before_its_first_try_waits_for_the_medium() {
    let mut setup = saturated();
    // The other way, while an exchange of the first flow is on the air.
    let late = hopwright_sim::Flow {
        from: hopwright_machine::NodeId(1),
        to: hopwright_machine::NodeId(0),
        start: Time::from_nanos(setup.end.as_nanos() - 20_000),
        ..setup.flows[0].clone()
    };
    setup.flows.push(late);
    let network = used(&setup).0.flows[1].network;
    assert!((network.medium - 20e-6).abs() < 1e-9, "{network:?}");
    assert_eq!((network.on_air, network.queued), (0.0, 0.0));
}

#[test]
fn a_short_file_is_limited_by_its_application() {
    let (found, report) = used(&tcp(1, "newreno", |_, bytes| *bytes = Some(20_000)));
    let flow_time::Times { sender, network, .. } = found.flows[0];
    assert!(report.flows[0].completed_s.is_some_and(|s| s < 2.0), "{report:?}");
    assert_eq!(sender.expect("TCP").application, 28.0);
    assert_eq!(network.nothing, 28.0);
}

#[test]
fn a_window_that_is_offered_small_is_what_limits() {
    let (found, _) = used(&tcp(2, "newreno", |params, _| params.window_limit_segments = 2));
    let sender = found.flows[0].sender.expect("TCP");
    assert!(sender.receiver_window > 27.0, "{sender:?}");
}

#[test]
fn a_congestion_window_is_what_limits_vegas_and_one_that_is_bounded() {
    let (found, _) = used(&tcp(8, "vegas", |_, _| {}));
    let sender = found.flows[0].sender.expect("TCP");
    assert!(sender.congestion_window > 20.0, "{sender:?}");
}

#[test]
fn a_sender_that_keeps_a_rate_is_limited_by_pacing() {
    let (found, _) = used(&tcp(4, "tfrc", |_, _| {}));
    let sender = found.flows[0].sender.expect("TCP");
    assert!(sender.pacing > 10.0, "{sender:?}");
    let (found, _) = used(&tcp(4, "newreno", |_, _| {}));
    assert_eq!(found.flows[0].sender.expect("TCP").pacing, 0.0);
}

#[test]
fn it_goes_into_the_report_of_its_run() {
    let (found, mut report) = used(&tcp(3, "newreno", |_, _| {}));
    found.write_into(&mut report);
    assert_eq!(report.flows[0].network_time_s, Some(found.flows[0].network));
    assert_eq!(report.flows[0].packet_time_s, Some(found.flows[0].packet));
    assert_eq!(report.flows[0].tcp.as_ref().map(|tcp| tcp.sender_time_s), Some(found.flows[0].sender));
}

/// Whatever the setup: the parts of either account add up to the flow's time, none is below zero, time-outs and frozen
/// times are those that the run itself measures, and the run is the same.
#[test]
fn in_any_world_the_parts_add_up() {
    let mut runner = TestRunner::deterministic();
    let (mut timed_out, mut queued, mut arrived, mut of_tcp) = (0, 0, 0, 0);
    for _ in 0..60 {
        let mut setup = worlds::setup().new_tree(&mut runner).expect("a setup").current();
        setup.warm_up = setup.warm_up.min(setup.end);
        let (found, report) = used(&setup);
        assert_eq!(found.flows.len(), report.flows.len());
        for (flow_time::Times { sender, network, packet }, flow) in found.flows.iter().zip(&report.flows) {
            let parts = of_network(network);
            let measured = if flow.measured_s > 2e-9 { flow.measured_s } else { 0.0 };
            assert!(parts.iter().all(|&part| part >= 0.0), "{network:?}");
            assert!((parts.iter().sum::<f64>() - measured).abs() < 1e-6, "{network:?} of {measured}");
            queued += usize::from(network.queued > 0.0);
            if packet.on_air.is_some() {
                assert!(of_packet(packet).iter().all(|&part| part >= 0.0), "{packet:?}");
                arrived += 1;
            }
            assert_eq!(sender.is_some(), flow.tcp.is_some());
            let (Some(sender), Some(tcp)) = (sender, &flow.tcp) else { continue };
            let parts = of_sender(sender);
            assert!(parts.iter().all(|&part| part >= 0.0), "{sender:?}");
            assert!((parts.iter().sum::<f64>() - measured).abs() < 1e-6, "{sender:?} of {measured}");
            assert!((sender.time_out - tcp.phase_time_s.rto).abs() < 1e-6, "{sender:?}, {:?}", tcp.phase_time_s);
            assert!((sender.frozen - tcp.phase_time_s.frozen).abs() < 1e-6, "{sender:?}, {:?}", tcp.phase_time_s);
            assert!((sender.recovery - tcp.phase_time_s.recovery).abs() < 1e-6, "{sender:?}, {:?}", tcp.phase_time_s);
            timed_out += usize::from(sender.time_out > 0.0);
            of_tcp += 1;
        }
    }
    assert!(
        timed_out > 3 && queued > 3 && arrived > 10 && of_tcp > 10,
        "{timed_out}, {queued}, {arrived}, {of_tcp}: too little happens"
    );
}
