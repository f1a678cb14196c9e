//! Nodes that go down and come up.

use hopwright_link::FrameKind;
use hopwright_machine::{DropCause, NodeId, Time};
use hopwright_mobility::{Switch, Trajectory};
use hopwright_routing::aodv;
use hopwright_sim::{Event, Options, Outcome, Routing, Setup, Trace, Watch, run_traced};

use crate::support::{at, datagrams, outcome, quiet, string, traced};

fn switch(at_s: f64, node: u32, up: bool) -> Switch {
    Switch { at: at(at_s), node: NodeId(node), up }
}

/// Two nodes; node 0 sends a datagram of 1000 bytes at 1 s and one at 2 s. `cut`: between begin and end of the first
/// data frame, of which half is over.
fn two(down: Option<u32>, up_s: f64) -> (Setup, Time) {
    let mut setup = quiet(&[(0.0, 0.0), (200.0, 0.0)], false, 3.0, false);
    setup.flows = vec![datagrams(0, 1, 1000, 1.0, 1), datagrams(0, 1, 1000, 2.0, 1)];
    let frames = traced(&setup, 1, &[&[], &[]]).frames;
    let data = frames.iter().find(|f| f.kind == FrameKind::Data).expect("a data frame").at;
    let half = data.as_secs_f64() + 0.002; // it lasts more than 4 ms
    if let Some(node) = down {
        setup.switches = vec![switch(half, node, false), switch(up_s, node, true)];
    }
    (setup, at(half))
}

fn received(run: &Outcome) -> Vec<f64> {
    run.report.flows.iter().map(|f| (f.received_bps / 8.0 * 1000.0).round() / 1000.0).collect()
}

#[test]
fn a_frame_is_lost_when_its_addressee_goes_down_in_the_middle() {
    let all = traced(&two(None, 0.0).0, 1, &[&[], &[]]);
    assert_eq!((all.ledger.delivered, all.ledger.frames_node_down), (2, 0));
    // Down for 1 ms: the frame's rest is not heard, and its sender tries again.
    let (setup, half) = two(Some(1), 0.0);
    let mut setup = setup;
    setup.switches[1].at = at(half.as_secs_f64() + 0.001);
    let run = traced(&setup, 1, &[&[], &[]]);
    assert_eq!((run.ledger.delivered, run.ledger.frames_node_down), (2, 1));
    assert_eq!(run.frames.iter().filter(|f| f.kind == FrameKind::Data).count(), 3);
    // Down for good: it is tried to the limit, and given up.
    setup.switches.pop();
    let run = traced(&setup, 1, &[&[], &[]]);
    let tries = u64::from(setup.mac.long_retry_limit.min(setup.mac.short_retry_limit));
    assert_eq!(run.ledger.delivered, 0);
    assert!(run.ledger.frames_node_down >= tries, "{:?}", run.ledger);
    assert_eq!(run.ledger.dropped[DropCause::RetryLimitData as usize], 2);
}

#[test]
fn a_frame_is_cut_off_when_its_sender_goes_down() {
    let (setup, _) = two(Some(0), 1.5);
    let run = traced(&setup, 1, &[&[], &[]]);
    // The first datagram ends with its sender, and is not sent again; the second comes through.
    assert_eq!((run.ledger.delivered, run.ledger.frames_node_down), (1, 1));
    assert_eq!(run.ledger.dropped[DropCause::NodeDown as usize], 1);
    assert_eq!(run.frames.iter().filter(|f| f.kind == FrameKind::Data).count(), 2);
    // While it is down, what its application hands down is dropped.
    let (setup, _) = two(Some(0), 2.5);
    let run = traced(&setup, 1, &[&[], &[]]);
    assert_eq!((run.ledger.delivered, run.ledger.dropped[DropCause::NodeDown as usize]), (0, 2));
    assert_eq!(run.report.flows[1].drops["node_down"], 1);
}

/// A station that was down knows nothing of what it received before: what its sender sends again because the
/// acknowledgement was cut off arrives a second time, and is a second copy.
#[test]
fn who_was_down_takes_a_repeated_frame_for_a_new_one() {
    let (mut setup, _) = two(None, 0.0);
    let frames = traced(&setup, 1, &[&[], &[]]).frames;
    let ack = frames.iter().find(|f| f.kind == FrameKind::Ack).expect("an acknowledgement").at.as_secs_f64();
    setup.switches = vec![switch(ack + 0.0001, 1, false), switch(ack + 0.0004, 1, true)];
    let run = traced(&setup, 1, &[&[], &[]]);
    assert_eq!((run.ledger.delivered, run.ledger.doubled, run.ledger.frames_node_down), (3, 1, 1));
    assert_eq!(run.ledger.dropped.iter().sum::<u64>(), 0);
}

/// Who overhears a frame that is cut off takes it for a damaged one, not for one to another station.
#[test]
fn others_hear_a_frame_that_is_cut_off_as_damaged() {
    struct Ears(u32);
    impl Trace for Ears {
        fn event(&mut self, _: Time, node: NodeId, event: Event<'_>) {
            if let Event::Received { frame, .. } = event {
                self.0 += u32::from(node == NodeId(2) && frame.kind == FrameKind::Data);
            }
        }
        fn hears(&self, _: NodeId) -> bool {
            true
        }
    }
    let overheard = |switches: bool| {
        let (mut setup, _) = two(Some(0), 1.5);
        setup.nodes.push(Trajectory::fixed(hopwright_mobility::Position::new(100.0, 100.0)));
        if !switches {
            setup.switches.clear();
        }
        let mut ears = Ears(0);
        run_traced(&setup, 1, &Options::default(), &Watch::default(), &mut ears).expect("nobody cancels");
        ears.0
    };
    assert_eq!((overheard(false), overheard(true)), (2, 1));
}

#[test]
fn a_relay_that_is_down_stops_the_flow_and_one_that_is_up_again_carries_it() {
    let bytes = |switches: Vec<Switch>| {
        let mut setup = string(4, "newreno", 30.0, false);
        setup.routing = Routing::Found(aodv::Config::rfc().into());
        setup.switches = switches;
        let run = outcome(&setup, 1);
        (received(&run)[0], run)
    };
    let (whole, _) = bytes(vec![]);
    let (never, run) = bytes(vec![switch(0.0, 2, false)]);
    assert_eq!(never, 0.0);
    assert!(run.ledger.frames_node_down > 0 || run.ledger.frames_broadcast > 0);
    let (cut, _) = bytes(vec![switch(8.0, 2, false)]);
    let (back, run) = bytes(vec![switch(8.0, 2, false), switch(11.0, 2, true)]);
    assert!(0.15 * whole < cut && cut < 0.35 * whole, "{cut} of {whole} in 7 of 30 s");
    // AODV's search that began in the outage asks again only seconds after it (RFC 3561 §6.3).
    assert!(back > 1.5 * cut, "{back} with the relay back, {cut} without, {whole} without outage");
    assert!(
        run.ledger.frames_node_down > 0 && run.ledger.dropped[DropCause::NodeDown as usize] > 0,
        "{:?}",
        run.ledger
    );
}

/// A station that is down senses nothing, so its own side is free at once when it comes up; and nobody waits for it.
#[test]
fn who_is_down_is_no_neighbour() {
    // Node 2 would be hidden from 0; while 1 is down, neither has anybody to talk to and nothing collides.
    let mut setup = quiet(&[(0.0, 0.0), (200.0, 0.0), (400.0, 0.0)], false, 2.0, false);
    setup.flows = vec![datagrams(0, 1, 500, 1.0, 3), datagrams(2, 1, 500, 1.0, 3)];
    setup.switches = vec![switch(0.5, 1, false)];
    let run = outcome(&setup, 1);
    assert_eq!((run.ledger.delivered, run.ledger.frames_received, run.ledger.frames_collided), (0, 0, 0));
    assert_eq!(run.ledger.frames, run.ledger.frames_node_down);
}

#[test]
fn switches_that_change_nothing_change_nothing() {
    let mut setup = string(3, "reno", 5.0, true);
    let plain = outcome(&setup, 1);
    setup.switches = vec![switch(2.0, 1, true), switch(100.0, 1, false)];
    let run = outcome(&setup, 1);
    assert_eq!(run.report.fingerprint, plain.report.fingerprint);
    assert_eq!(run.ledger, plain.ledger);
}
