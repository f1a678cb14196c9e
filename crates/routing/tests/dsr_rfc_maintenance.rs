//! Route Maintenance of DSR by acknowledgements (RFC 4728 §4.5, §8.3): the maintenance buffer, and what errors leave behind.
//! The router under test is node 0.

use hopwright_machine::{Machine, NodeId, PacketId};
use hopwright_routing::dsr::Config;
use hopwright_routing::{Input, Output, Protocol};
use hopwright_wire::Packet;
use hopwright_wire::dsr::{Acknowledgement, DsrOption, Error, ErrorKind};

use crate::talk::{Talk, a, control, data, error, failed, reply, routed, with};

fn asking() -> Config {
    Config { link_layer_feedback: false, network_acks: true, ..Config::rfc() }
}

fn answer(id: u16, from: u32) -> Packet {
    let answer = Acknowledgement { id, source: a(from), destination: a(0) };
    control(500 + u64::from(id), from, a(0), 1, DsrOption::Acknowledgement(answer))
}

fn dropped(packet: u64) -> Input<'static> {
    Input::Left { packet: PacketId(packet), sent: false }
}

/// The identification in the acknowledgement request of the one packet that is sent.
fn asked_id(talk: &mut Talk, packet: Packet) -> u16 {
    let id = packet.id;
    talk.router.handle(talk.now, Input::Send(packet));
    let Some(Output::Transmit { packet, .. }) = talk.router.poll() else { panic!("nothing is sent") };
    talk.router.handle(talk.now, Input::Left { packet: id, sent: true });
    packet.dsr.and_then(|header| header.acknowledgement_request()).expect("an acknowledgement request")
}

/// Times and packets of what is sent to node 1 until then.
fn to_1(talk: &mut Talk, ms: u64) -> Vec<u64> {
    talk.until(ms).into_iter().filter(|(_, line)| line.starts_with("to 1: ")).map(|(ms, _)| ms).collect()
}

/// §8.3.3: an acknowledgement names the packet that it is for; one for another packet or from another node proves nothing.
#[test]
fn each_acknowledgement_request_has_a_number_of_its_own() {
    let mut talk = Talk::new(asking());
    talk.get(1, reply(&[1, 9]));
    talk.get(2, reply(&[2, 8]));
    let ids = [(1, 9), (2, 9), (3, 8)].map(|(id, to)| asked_id(&mut talk, data(id, 0, to)));
    assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2], "{ids:?}");
    talk.get(2, answer(ids[0], 2));
    talk.get(1, answer(999, 1));
    assert_eq!(to_1(&mut talk, 100).len(), 2, "neither is confirmed");
    talk.get(2, answer(ids[2], 2));
    talk.get(1, answer(ids[1], 1));
    assert_eq!(talk.until(10_000), [], "one confirms all that a neighbour has had");
}

/// §8.3.3: what a node takes for lost with a neighbour is all that it sent there and that nobody confirmed, oldest first.
#[test]
fn with_a_neighbour_everything_that_was_sent_to_it_is_lost() {
    let mut talk = Talk::new(asking());
    talk.get(2, reply(&[2, 3, 4, 9]));
    talk.get(1, reply(&[1, 9]));
    for id in 1..=3 {
        asked_id(&mut talk, data(id, 0, 9));
    }
    assert_eq!(to_1(&mut talk, 699).len(), 6, "two repetitions of each");
    let said = talk.lines_until(700);
    let other = "to 2: 0->9, by 2-3-4 left 3 salvage 0, ACKREQ, ttl 64";
    assert_eq!(said, ["again 1", "again 2", "again 3", other, other, other, "reclaim 1"]);
    let counters = talk.router.counters();
    assert_eq!((counters.link_failures, counters.route_breaks), (1, 1));
    assert_eq!(talk.router.next_hop(a(1)), Some(NodeId(2)), "there is another way to it");
}

/// What has not left when its neighbour is lost comes back from the interface queue, and is not sent twice.
#[test]
fn what_is_queued_when_its_neighbour_is_lost_waits_for_the_queue() {
    let mut talk = Talk::new(asking());
    talk.get(2, reply(&[2, 3, 4, 9]));
    talk.get(1, reply(&[1, 9]));
    asked_id(&mut talk, data(1, 0, 9));
    talk.keeps = true;
    talk.give(Input::Send(data(2, 0, 9)));
    for ms in [100, 300] {
        assert_eq!(to_1(&mut talk, ms), [ms]);
        talk.give(Input::Left { packet: PacketId(1), sent: true });
    }
    let said = talk.lines_until(700);
    assert_eq!(said.iter().filter(|line| line.starts_with("to 2")).count(), 1, "{said:?}");
    assert!(!said.contains(&"again 2".to_owned()), "{said:?}");
    talk.give(Input::Reclaimed { packet: routed(data(2, 0, 9), &[1], 1, 0), next_hop: NodeId(1) });
    assert_eq!(talk.lines_until(700), ["to 2: 0->9, by 2-3-4 left 3 salvage 0, ACKREQ, ttl 64"]);
    talk.give(Input::Left { packet: PacketId(2), sent: true });
    assert_eq!(talk.until(799), []);
    let said = talk.lines_until(800);
    assert_eq!(said, ["again 2", "to 2: 0->9, by 2-3-4 left 3 salvage 0, ACKREQ, ttl 64"], "the way it took last");
}

/// The round trips of a neighbour that was lost say nothing of it when it is back.
#[test]
fn a_lost_neighbour_is_waited_for_as_a_new_one() {
    let mut talk = Talk::new(asking());
    talk.get(1, reply(&[1, 9]));
    let id = asked_id(&mut talk, data(1, 0, 9));
    talk.until(90);
    talk.get(1, answer(id, 1)); // 90 + 4 x 45 = 270 ms from now on
    talk.until(1000);
    asked_id(&mut talk, data(2, 0, 9));
    assert_eq!(to_1(&mut talk, 2889), [1270, 1810]);
    assert!(talk.lines_until(2890).contains(&"reclaim 1".to_owned()));
    talk.until(40_000);
    talk.get(1, reply(&[1, 9]));
    asked_id(&mut talk, data(3, 0, 9));
    assert_eq!(to_1(&mut talk, 40_299), [40_100]);
}

/// §8.3.3: MaintHoldoffTime from an acknowledgement on, none is asked for.
#[test]
fn a_confirmed_neighbour_is_left_alone_for_a_while() {
    for (wait, asks) in [(249, false), (250, true)] {
        let mut talk = Talk::new(asking());
        talk.get(1, reply(&[1, 9]));
        let id = asked_id(&mut talk, data(1, 0, 9));
        talk.get(1, answer(id, 1));
        talk.until(wait);
        assert_eq!(talk.give(Input::Send(data(2, 0, 9)))[0].contains("ACKREQ"), asks);
    }
}

/// What the interface queue drops untried is gone, and so is its copy; of others the copies stay.
#[test]
fn a_packet_dropped_untried_is_not_repeated() {
    let mut talk = Talk::new(asking());
    talk.get(1, reply(&[1, 9]));
    talk.keeps = true;
    talk.give(Input::Send(data(1, 0, 9)));
    talk.give(Input::Send(data(2, 0, 9)));
    talk.give(dropped(1));
    talk.give(Input::Left { packet: PacketId(1), sent: true });
    assert_eq!(talk.until(1000), []);
    talk.give(Input::Left { packet: PacketId(2), sent: true });
    assert_eq!(to_1(&mut talk, 1100), [1100]);

    // What has left is waited for, whatever becomes of another copy of it.
    let mut talk = Talk::new(asking());
    talk.get(1, reply(&[1, 9]));
    asked_id(&mut talk, data(1, 0, 9));
    talk.give(dropped(1));
    assert_eq!(to_1(&mut talk, 100), [100]);
}

/// RexmtBufferSize: what finds the buffer full is sent, but not watched.
#[test]
fn a_full_maintenance_buffer_watches_no_more() {
    let mut talk = Talk::new(Config { maintenance_buffer_packets: 2, ..asking() });
    talk.get(1, reply(&[1, 9]));
    for id in 1..=3 {
        asked_id(&mut talk, data(id, 0, 9));
    }
    assert_eq!(to_1(&mut talk, 299).len(), 2);
}

/// §3.4.4: errors told to a node go along with its next request, of which the newest matter most: the last three, once to the
/// whole network.
#[test]
fn the_last_errors_go_with_the_next_request() {
    let mut talk = Talk::new(Config::rfc());
    for from in [20, 21, 22, 23, 23] {
        talk.get(1, error(from, 9, 0, &[1], 0));
    }
    talk.get(1, error(24, 9, 5, &[1, 0, 2], 1)); // told to another
    let errors = "RERR 21-9 tell 0 salvage 0, RERR 22-9 tell 0 salvage 0, RERR 23-9 tell 0 salvage 0";
    let said = talk.give(Input::Send(data(1, 0, 9)));
    assert_eq!(said, [format!("to all: 0->all, RREQ 0 for 9 by , {errors}, ttl 1")]);
    assert_eq!(talk.lines_until(30), [format!("to all: 0->all, RREQ 1 for 9 by , {errors}, ttl 255")]);
    assert_eq!(talk.lines_until(530), ["to all: 0->all, RREQ 2 for 9 by , ttl 255"]);
}

/// §8.3.2: a neighbour that is heard to pass a packet on has that one; others' packets are not confirmed by it.
#[test]
fn a_passive_acknowledgement_is_of_one_neighbour() {
    let mut talk = Talk::new(Config::papanastasiou());
    talk.get(1, reply(&[1, 3, 9]));
    talk.get(2, reply(&[2, 4, 8]));
    talk.give(Input::Send(data(1, 0, 9)));
    talk.give(Input::Send(data(2, 0, 8)));
    talk.hear(1, 3, &routed(data(1, 0, 9), &[1, 3], 1, 0));
    assert_eq!(talk.lines_until(100), ["again 2", "to 2: 0->8, by 2-4 left 2 salvage 0, ttl 64"]);
    talk.hear(2, 4, &routed(data(2, 0, 8), &[2, 4], 2, 0)); // not yet passed on
    assert!(!talk.lines_until(200).is_empty());
}

/// §8.3.4: of the packets for a lost neighbour each source is told once.
#[test]
fn each_source_is_told_once_of_a_broken_link() {
    let mut talk = Talk::new(Config::rfc());
    talk.give(failed(routed(data(1, 7, 9), &[3, 0, 4], 1, 0), 4));
    for (id, source, over) in [(2, 7, &[5, 0, 4]), (3, 8, &[3, 0, 4])] {
        let packet = routed(data(id, source, 9), over, 1, 0);
        talk.give(Input::Reclaimed { packet, next_hop: NodeId(4) });
    }
    let told: Vec<String> = talk.lines_until(0).into_iter().filter(|line| line.contains("RERR")).collect();
    let expected = ["7", "8"]
        .map(|source| format!("to 3: 0->{source}, RERR 0-4 tell {source} salvage 0, by 3 left 1 salvage 0, ttl 255"));
    assert_eq!(told, expected);
}

/// §8.3.6: a salvaged packet keeps what else it carries.
#[test]
fn a_salvaged_packet_keeps_its_options() {
    let mut talk = Talk::new(Config::rfc());
    talk.get(5, reply(&[5, 9]));
    let kind = ErrorKind::NodeUnreachable(a(21));
    let option = DsrOption::Error(Error { salvage: 0, source: a(20), destination: a(9), kind });
    talk.give(failed(routed(with(data(1, 7, 9), option), &[3, 0, 4], 1, 0), 4));
    let said = talk.lines_until(0);
    let salvaged = "to 5: 7->9, RERR 20-21 tell 9 salvage 0, by 0-5 left 1 salvage 1, ttl 64";
    assert!(said.contains(&salvaged.to_owned()), "{said:?}");
}

/// Where passive acknowledgements are not used, hearing a packet passed on confirms nothing.
#[test]
fn without_passive_acknowledgements_only_an_answer_confirms() {
    let mut talk = Talk::new(asking());
    talk.get(1, reply(&[1, 2, 9]));
    asked_id(&mut talk, data(1, 0, 9));
    talk.hear(1, 2, &routed(data(1, 0, 9), &[1, 2], 1, 0));
    assert_eq!(to_1(&mut talk, 100), [100]);
}

/// §8.3.3: an acknowledgement says nothing of a packet that leaves when MaintHoldoffTime is over.
#[test]
fn what_leaves_long_after_an_acknowledgement_is_still_to_be_confirmed() {
    let mut talk = Talk::new(asking());
    talk.get(1, reply(&[1, 9]));
    let id = asked_id(&mut talk, data(1, 0, 9));
    talk.keeps = true;
    talk.give(Input::Send(data(2, 0, 9)));
    talk.get(1, answer(id, 1));
    talk.until(400);
    talk.give(Input::Left { packet: PacketId(2), sent: true });
    assert_eq!(to_1(&mut talk, 500), [500]);
}
