//! An application with a file: all of it arrives, once, and the connection ends.

mod support;

use hopwright_sim::FlowKind;
use support::{outcome, string};

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
