//! An application with a file: all of it arrives, once, and the connection ends.

use hopwright_sim::FlowKind;

use crate::support::{at, outcome, star, string};

#[test]
fn a_file_arrives_whole() {
    for (ns2, sent_bytes) in [(false, 100_001), (true, 100_001), (false, 1)] {
        let mut setup = string(3, "newreno", 20.0, ns2);
        if let FlowKind::Tcp { bytes, .. } = &mut setup.flows[0].kind {
            *bytes = Some(sent_bytes);
        }
        let outcome = outcome(&setup, 1);
        let flow = &outcome.report.flows[0];
        assert_eq!((flow.received_bps * 20.0 / 8.0).round() as u64, sent_bytes);
        let goodput_bps = flow.tcp.as_ref().expect("TCP").goodput_bps;
        assert_eq!((goodput_bps * 20.0 / 8.0).round() as u64, sent_bytes);
        assert_eq!(outcome.ledger.held, 0, "the connection has ended: {:?}", outcome.ledger);
    }
}

#[test]
fn how_long_a_file_took_is_told_once_all_of_it_is_there() {
    let mut setup = string(3, "newreno", 20.0, false);
    setup.flows[0].start = at(1.5);
    assert_eq!(outcome(&setup, 1).report.flows[0].completed_s, None, "there is no file");
    if let FlowKind::Tcp { bytes, .. } = &mut setup.flows[0].kind {
        *bytes = Some(100_001);
    }
    let took_s = outcome(&setup, 1).report.flows[0].completed_s.expect("it arrives");
    setup.end = at(1.5 + took_s + 1e-9);
    assert_eq!(outcome(&setup, 1).report.flows[0].completed_s, Some(took_s));
    setup.end = at(1.5 + took_s - 1e-6);
    let cut = outcome(&setup, 1).report.flows[0].clone();
    assert_eq!(cut.completed_s, None, "the last segment is on its way");
    assert!((100_001 - 1460..100_001).contains(&((cut.received_bps * cut.measured_s / 8.0).round() as u64)), "{cut:?}");
    setup.warm_up = at(3.0);
    setup.end = at(20.0);
    assert_eq!(outcome(&setup, 1).report.flows[0].completed_s, Some(took_s), "from the start, whatever is measured");
}

#[test]
fn what_applications_offer_and_how_long_they_could_send_is_told() {
    let mut setup = string(3, "newreno", 20.0, false);
    setup.warm_up = at(3.0);
    setup.flows[0].stop = at(8.0);
    let flow = outcome(&setup, 1).report.flows[0].clone();
    assert_eq!((flow.measured_s, flow.sending_s, flow.offered_bps), (18.0, 5.0, None), "it has always more");
    setup.flows[0].stop = at(2.0);
    assert_eq!(outcome(&setup, 1).report.flows[0].sending_s, 0.0, "it stops before anything is measured");
    if let FlowKind::Tcp { bytes, .. } = &mut setup.flows[0].kind {
        *bytes = Some(4_000_000);
    }
    setup.warm_up = at(0.0);
    let offered = outcome(&setup, 1).report.flows[0].offered_bps.expect("a file ends");
    assert_eq!((offered * 20.0 / 8.0).round() as u64, 4_000_000, "though it does not arrive in time");
    let crowd = outcome(&star(8, true, 5.0, false), 1).report;
    for flow in &crowd.flows {
        let offered = flow.offered_bps.expect("datagrams have a rate");
        assert!((offered / 2e6 - 1.0).abs() < 0.1 && flow.received_bps < offered, "{flow:?}");
    }
    let worst = crowd.flows.iter().map(|flow| flow.received_bps).fold(f64::INFINITY, f64::min);
    assert_eq!(crowd.fairness.worst_goodput_bps, worst);
}
