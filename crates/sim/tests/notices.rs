//! Transports are told of failures of their route, and of its return, by messages that cross the network.

use hopwright_machine::{DropCause, NodeId};
use hopwright_mobility::Position;
use hopwright_radio::FrameErrors;
use hopwright_routing::{aodv, dsr, notice_in};
use hopwright_sim::{Errors, Event, FrameClass, Options, Report, Routing, Setup, Trace, Watch, run_traced};
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

/// Notices that node 1, whose links are there, dropped, and those that arrived.
#[derive(Debug, Default, PartialEq, Eq)]
struct Fates {
    dropped: u32,
    arrived: u32,
}

impl Trace for Fates {
    fn event(&mut self, _: hopwright_machine::Time, node: NodeId, event: Event<'_>) {
        match event {
            // One that says what is known already ends on purpose (TCP-F).
            Event::Dropped { packet, cause, .. } if node == NodeId(1) && cause != DropCause::NoticeSpared => {
                self.dropped += u32::from(notice_in(packet).is_some());
            }
            Event::Routing { packet, .. } if packet.destination == node.address() => {
                self.arrived += u32::from(notice_in(packet).is_some());
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

/// The link by which the source is told is there all the time, but damages three of four messages. A notice is lost on
/// it as any packet is, or never (Zhou et al. §2).
#[test]
fn a_notice_is_lost_on_a_link_that_is_there_or_is_not() {
    for config in [aodv::Config::rfc().into(), dsr::Config::rfc().into(), dsr::Config::ns2().into()] {
        let config: hopwright_routing::Config = config;
        let fates = [false, true].map(|keeps_notices| {
            let mut setup = interrupted("tcp-f");
            setup.end = at(16.0);
            setup.routing = Routing::Found(Box::new(config.clone()));
            setup.keeps_notices = keeps_notices;
            let model = FrameErrors::Uniform { probability: 0.75 };
            let (from, to) = (Some(NodeId(1)), Some(NodeId(0)));
            setup.errors = vec![Errors { from, to, frames: vec![FrameClass::Routing], model }];
            let mut fates = Fates::default();
            for seed in 1..7 {
                run_traced(&setup, seed, &Options::default(), &Watch::default(), &mut fates).expect("nobody cancels");
            }
            fates
        });
        assert!(fates[0].dropped > 0 && fates[0].arrived > 0, "{fates:?} {config:?}");
        assert!(fates[1].dropped == 0 && fates[1].arrived > 0, "{fates:?} {config:?}");
    }
}
