//! Transports are told of failures of their route, and of its return, by messages that cross the network.

use hopwright_machine::NodeId;
use hopwright_mobility::Position;
use hopwright_routing::aodv;
use hopwright_sim::{Event, Options, Report, Routing, Setup, Trace, Watch, run_traced};
use hopwright_transport::Phase;
use hopwright_wire::{Payload, notice};

use crate::support::{at, outcome, string};

/// Node 3 of a string of four hops is away from second 10 to second 14.
fn interrupted(id: &str) -> Setup {
    let mut setup = string(4, id, 29.0, false);
    setup.routing = Routing::Found(aodv::Config::rfc().into());
    setup.nodes[3].place_at(at(10.0), Position::new(600.0, 5000.0));
    setup.nodes[3].place_at(at(14.0), Position::new(600.0, 0.0));
    setup
}

fn report(id: &str) -> Report {
    outcome(&interrupted(id), 1).report
}

#[test]
fn senders_that_ask_stand_still_while_the_route_is_gone() {
    for id in ["elfn", "tcp-f", "fsr", "simelfn", "atcp"] {
        let report = report(id);
        let tcp = report.flows[0].tcp.as_ref().expect("a TCP flow");
        assert!(report.routing.notices > 0, "{id}: {report:?}");
        assert!(tcp.phase_time_s.frozen > 1.0, "{id}: {report:?}");
        // simELFN asks for no search and sends no probe: where routers keep nothing of its flight, only its timer of
        // some 30 s wakes it.
        assert!(tcp.goodput_segments > 100 || id == "simelfn", "{id} went on: {report:?}");
    }
}

#[test]
fn who_does_not_ask_is_told_nothing() {
    for id in ["reno", "door", "fixed-rto"] {
        let report = report(id);
        assert_eq!(report.routing.notices, 0, "{id}");
        assert_eq!(report.flows[0].tcp.as_ref().expect("a TCP flow").phase_time_s.frozen, 0.0, "{id}");
    }
}

/// Follows the notices and what the sender does.
#[derive(Debug, Default)]
struct Story {
    /// Notices put on their way: when, by whom, what.
    sent: Vec<(f64, NodeId, notice::Kind)>,
    /// Notices that arrived: when, where.
    arrived: Vec<(f64, NodeId)>,
    /// From when to when the sender stood still.
    frozen: Vec<(f64, f64)>,
}

impl Trace for Story {
    fn event(&mut self, now: hopwright_machine::Time, node: NodeId, event: Event<'_>) {
        let s = now.as_secs_f64();
        match event {
            Event::Routed { packet, .. } => {
                if let Payload::Notice(notice) = &packet.payload
                    && notice.hops == 1
                {
                    self.sent.push((s, node, notice.kind));
                }
            }
            Event::Routing { packet, .. }
                if matches!(packet.payload, Payload::Notice(_)) && packet.destination == node.address() =>
            {
                self.arrived.push((s, node));
            }
            Event::Sender { public, .. } => {
                let is_frozen = public.phase() == Phase::Frozen;
                match self.frozen.last_mut() {
                    Some(last) if last.1.is_infinite() && !is_frozen => last.1 = s,
                    Some(last) if last.1.is_infinite() => {}
                    _ if is_frozen => self.frozen.push((s, f64::INFINITY)),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn hears(&self, _: NodeId) -> bool {
        false
    }

    fn follows_packets(&self) -> bool {
        true
    }
}

fn story(setup: &Setup) -> Story {
    let mut story = Story::default();
    run_traced(setup, 1, &Options::default(), &Watch::default(), &mut story).expect("nobody cancels");
    story
}

#[test]
fn a_notice_needs_time_and_air() {
    let story = story(&interrupted("tcp-f"));
    let (sent, by, kind) = *story.sent.iter().find(|s| s.0 > 10.0).expect("a notice is sent");
    assert_eq!((by, kind), (NodeId(2), notice::Kind::Rfn), "the node before the gap tells");
    let &(arrived, at) = story.arrived.iter().find(|a| a.0 > sent).expect("it arrives");
    assert_eq!(at, NodeId(0));
    // Two hops of 40 bytes: more than 2 ms with RTS and CTS.
    assert!(arrived - sent > 0.002, "{story:?}");
    let frozen = story.frozen.iter().find(|f| f.0 >= arrived).expect("the sender stands still");
    assert!(frozen.0 - arrived < 1e-9, "{story:?}");
    assert!(frozen.1 > 14.0 && frozen.1 < 20.0, "{story:?}");
}

/// The receiver of TCP-FSR learns of the new route from the sender's search, and answers at once.
#[test]
fn the_receiver_wakes_the_sender() {
    let story = story(&interrupted("fsr"));
    let frozen = story.frozen.iter().find(|f| f.0 > 10.0).expect("the sender stands still");
    assert!(frozen.1 > 14.0 && frozen.1 < 20.0, "{story:?}");
}
