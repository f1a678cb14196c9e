//! Marks from end to end: a queue, or a link that meets contention, marks; the receiver echoes until the sender says
//! that it heard; the sender cuts its window once per window of data, and sends nothing again.

use hopwright_link::lred;
use hopwright_machine::{NodeId, Time};
use hopwright_sim::{Event, FlowKind, Options, Report, Setup, Trace, Watch, run_traced};
use hopwright_transport::params::EcnMode;
use hopwright_wire::Payload;
use hopwright_wire::ip::Ecn;
use hopwright_wire::tcp::Flags;

use crate::support::string;

/// What RFC 3168 §6.1 says of every segment, followed at both ends.
#[derive(Debug, Default)]
struct Marks {
    receiver: Option<NodeId>,
    /// Marked data that arrived.
    marked: u64,
    /// Whether the receiver has to echo.
    echoes: bool,
    echoed: u64,
    cuts: u64,
    /// What had been sent when the window was cut last.
    sent: u64,
    /// Segments that say that it was.
    told: u64,
}

impl Trace for Marks {
    fn event(&mut self, _: Time, node: NodeId, event: Event<'_>) {
        match event {
            Event::Delivered(packet) if Some(node) == self.receiver => {
                let Payload::Tcp(segment) = &packet.payload else { panic!("{packet:?}") };
                if segment.payload_bytes > 0 {
                    self.echoes &= !segment.flags.has(Flags::CWR);
                    self.marked += u64::from(packet.ecn == Ecn::Experienced);
                    self.echoes |= packet.ecn == Ecn::Experienced;
                }
            }
            Event::Originated(packet) => {
                let Payload::Tcp(segment) = &packet.payload else { panic!("{packet:?}") };
                if segment.flags.has(Flags::SYN) {
                    assert_eq!(packet.ecn, Ecn::NotCapable);
                } else if Some(node) == self.receiver {
                    assert_eq!(segment.flags.has(Flags::ECE), self.echoes, "{segment:?}");
                    assert_eq!(packet.ecn, Ecn::NotCapable, "acknowledgements take no marks");
                    self.echoed += u64::from(self.echoes);
                } else if segment.payload_bytes > 0 {
                    assert_eq!(packet.ecn, Ecn::Capable0, "{segment:?}");
                    self.told += u64::from(segment.flags.has(Flags::CWR));
                }
            }
            Event::Sender { public, .. } if public.echo_cuts > self.cuts => {
                assert_eq!(public.echo_cuts, self.cuts + 1);
                assert!(public.una > self.sent, "a second cut for what left before the first");
                (self.cuts, self.sent) = (public.echo_cuts, public.max);
            }
            _ => {}
        }
    }

    fn hears(&self, _: NodeId) -> bool {
        false
    }
}

fn taking_marks(mut setup: Setup) -> Setup {
    let FlowKind::Tcp { params, .. } = &mut setup.flows[0].kind else { panic!("TCP") };
    params.ecn = EcnMode::On;
    setup
}

fn traced(setup: &Setup) -> (Report, Marks) {
    let mut marks = Marks { receiver: Some(setup.flows[0].to), ..Marks::default() };
    let outcome = run_traced(setup, 3, &Options::default(), &Watch::default(), &mut marks).expect("nobody cancels");
    (outcome.report, marks)
}

/// Marked, answered, and nothing lost or sent again.
fn check(setup: Setup, cause: &str) {
    let unmarked = crate::support::outcome(&setup, 3).report;
    let flow = &unmarked.flows[0];
    assert!(flow.drops[cause] > 0, "without marks packets are lost: {flow:?}");
    assert!(flow.tcp.as_ref().expect("TCP").retransmissions > 0);

    let (report, marks) = traced(&taking_marks(setup));
    let flow = &report.flows[0];
    let tcp = flow.tcp.as_ref().expect("TCP");
    assert!(marks.marked > 1 && marks.echoed >= marks.marked, "{marks:?}");
    assert!(marks.cuts > 1 && marks.cuts <= marks.marked, "{marks:?}");
    assert!((marks.cuts - 1..=marks.cuts).contains(&marks.told), "each cut is told once: {marks:?}");
    assert_eq!((tcp.retransmissions, tcp.rto_count), (0, 0), "{flow:?}");
    assert_eq!(flow.losses.total(), 0, "{flow:?}");
}

#[test]
fn a_queue_that_marks_loses_nothing() {
    for ns2 in [false, true] {
        let mut setup = string(1, "newreno", 30.0, ns2);
        setup.mark_from_packets = 10;
        check(setup, "queue_full");
    }
}

#[test]
fn a_link_that_marks_loses_no_data() {
    for ns2 in [false, true] {
        // Two hops: all stations hear each other, so that nothing is lost but what Link RED drops.
        let mut setup = string(2, "newreno", 60.0, ns2);
        setup.mac.lred = Some(lred::Config { min_threshold: 0.15, max_probability: 0.02, ..lred::Config::default() });
        check(setup, "link_red");
    }
}
