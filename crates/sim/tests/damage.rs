//! Explicit loss notification: what the receiver's radio saw come damaged is told to the sender.

use hopwright_machine::{LossCause, NodeId};
use hopwright_radio::FrameErrors;
use hopwright_sim::{
    Errors, Event, Flow, FlowKind, FrameClass, Options, Pattern, Setup, Source, Trace, Watch, run_traced,
};
use hopwright_transport::Diagnosed;
use hopwright_wire::Payload;

use crate::support::{at, outcome, quiet, string};

/// What the sender found, and how many acknowledgements brought it a notice.
#[derive(Debug, Default)]
struct Notices {
    brought: u64,
    diagnosed: Diagnosed,
    retransmissions: u64,
}

impl Trace for Notices {
    fn hears(&self, _node: NodeId) -> bool {
        false
    }

    fn event(&mut self, _at: hopwright_machine::Time, node: NodeId, event: Event<'_>) {
        match event {
            Event::Delivered(packet) if node == NodeId(0) => {
                if let Payload::Tcp(segment) = &packet.payload {
                    self.brought += u64::from(segment.options.extra.is_loss_notice());
                }
            }
            Event::Sender { flow: 0, public, .. } => {
                self.diagnosed = public.diagnosed;
                self.retransmissions = public.retransmissions;
            }
            _ => {}
        }
    }
}

/// One hop, and a station that the sender does not hear but the receiver does, sending datagrams away from both.
fn hidden(protocol: &str) -> Setup {
    let mut setup = quiet(&[(0.0, 0.0), (240.0, 0.0), (560.0, 0.0), (760.0, 0.0)], false, 30.0, false);
    setup.flows = string(1, protocol, 30.0, false).flows;
    setup.flows.push(Flow {
        from: NodeId(2),
        to: NodeId(3),
        start: at(1.0),
        stop: setup.end,
        kind: FlowKind::Udp(Source { payload_bytes: 500, rate_bps: 300e3, jitter: 0.9, pattern: Pattern::Steady }),
    });
    setup
}

fn notices(setup: &Setup) -> Notices {
    let mut notices = Notices::default();
    run_traced(setup, 1, &Options::default(), &Watch::default(), &mut notices).expect("nobody cancels");
    notices
}

#[test]
fn damaged_segments_are_told_of() {
    let eln = notices(&hidden("eln"));
    assert!(eln.brought > 0 && eln.diagnosed.channel > 0, "{eln:?}");
}

#[test]
fn what_the_channel_damaged_is_told_of_and_blamed_on_the_channel() {
    let mut setup = string(1, "eln", 30.0, false);
    setup.mac.long_retry_limit = 1;
    let model = FrameErrors::Uniform { probability: 0.05 };
    setup.errors = vec![Errors { from: None, to: None, frames: vec![FrameClass::Data], model }];
    let eln = notices(&setup);
    // Each lost segment was damaged, and is found to have been; but time-outs, after what was sent again was damaged,
    // too, are taken for congestion.
    assert!(eln.brought > 20 && eln.diagnosed.channel > 10 * eln.diagnosed.congestion, "{eln:?}");
    let losses = outcome(&setup, 1).report.flows[0].losses;
    // Both ends may begin in the same slot: that is contention.
    assert!(
        losses.of(LossCause::Channel) > 10 * losses.of(LossCause::Contention)
            && losses.of(LossCause::Channel) + losses.of(LossCause::Contention) == losses.total(),
        "{losses:?}"
    );
    assert!(losses.of(LossCause::Channel) >= eln.diagnosed.channel, "{losses:?}, {eln:?}");
}

#[test]
fn nobody_else_is_told() {
    let newreno = notices(&hidden("newreno"));
    assert!(newreno.retransmissions > 0, "{newreno:?}");
    assert_eq!((newreno.brought, newreno.diagnosed.channel), (0, 0));
}
