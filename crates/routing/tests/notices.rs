//! Notices to transports, through networks of routers: who is told that a route failed, and that it is back.

use std::sync::Arc;

use hopwright_machine::{DropCause, Duration, NodeId, PacketId};
use hopwright_routing::{Config, Input, Protocol, Wishes, aodv, dsdv, dsr, olsr};
use hopwright_wire::notice::{Asks, Flow, Kind, Notice, Restored};
use hopwright_wire::{Packet, Payload, ip, tcp};

use crate::field::{Field, Told, address};

const PORTS: (u16, u16) = (33_001, 5001);

fn wishes(from: usize, to: usize, every_detector: bool, restored: Restored) -> Arc<Wishes> {
    let (source, destination) = (address(from), address(to));
    let flow = Flow { source, destination, source_port: PORTS.0, destination_port: PORTS.1 };
    Arc::new(Wishes::from([(flow, Asks { failed: Kind::Rfn, every_detector, restored, seeks: true })]))
}

fn segment(seq: u32) -> Payload {
    let segment = tcp::Segment {
        source_port: PORTS.0,
        destination_port: PORTS.1,
        seq: tcp::Seq(seq),
        ack: tcp::Seq(0),
        flags: tcp::Flags::ACK,
        window: 9,
        urgent: 0,
        options: tcp::Options::default(),
        payload_bytes: 100,
        ecn: ip::Ecn::NotCapable,
    };
    Payload::Tcp(segment.into())
}

/// Protocols that announce routes without being asked, with and without the link layer's help.
fn proactive() -> [(Config, &'static str); 4] {
    let olsr = |link_layer_notification| olsr::Config { link_layer_notification, ..olsr::Config::rfc() }.into();
    let dsdv = |link_layer_feedback| dsdv::Config { link_layer_feedback, ..dsdv::Config::perkins() }.into();
    [(olsr(false), "olsr"), (olsr(true), "olsr told"), (dsdv(false), "dsdv"), (dsdv(true), "dsdv told")]
}

fn kinds(field: &Field, node: usize) -> Vec<Kind> {
    let notices = field.told.iter().filter(|(_, at, _)| *at == node).filter_map(|(_, _, told)| match told {
        Told::Notice(notice) => Some(notice.kind),
        Told::Up(_) => None,
    });
    notices.collect()
}

/// The string 0-1-2-3 breaks between 2 and 3: node 2 finds out and tells the source; when the link is back, it tells
/// it so, once, and not before.
#[test]
fn the_node_that_told_of_a_failure_tells_of_the_return() {
    for (config, name) in proactive() {
        let mut field = Field::asked(4, 1, 0, &config, &wishes(0, 3, true, Restored::Sender));
        field.string(0..4);
        field.run(Duration::from_secs(120));
        assert_eq!(field.routers[0].hops(address(3)), Some(3), "{name}");
        field.told.clear();
        field.link(2, 3, false);
        field.send_payload(0, 3, segment(700));
        field.run(Duration::from_secs(1));
        assert_eq!(kinds(&field, 0), [Kind::Rfn], "{name}");
        let Told::Notice(notice) = field.told[0].2 else { panic!("{name}: {:?}", field.told) };
        assert_eq!((notice.seq, notice.hops), (tcp::Seq(700), 2), "{name}");
        field.told.clear();
        field.run(Duration::from_secs(100)); // everybody knows
        assert_eq!(field.routers[0].hops(address(3)), None, "{name}");
        assert_eq!(kinds(&field, 0), [], "{name}: nothing is back");
        assert!(field.told.iter().all(|(_, node, _)| *node != 0), "{name}: {:?}", field.told);
        field.link(2, 3, true);
        field.run(Duration::from_secs(120));
        assert_eq!(field.routers[0].hops(address(3)), Some(3), "{name}");
        assert_eq!(kinds(&field, 0), [Kind::Rrn], "{name}: {:?}", field.told);
        let up = field.told.iter().filter(|(_, node, told)| *node == 0 && *told == Told::Up(address(3)));
        assert_eq!(up.count(), 1, "{name}: its own router says so too, once: {:?}", field.told);
    }
}

/// Every transmission of a notice counts, as a packet of its own and in DSR's route error alike. The string 0-1-2-3
/// breaks at its end: what node 2 tells node 0 goes over two links.
#[test]
fn every_transmission_of_a_notice_is_counted() {
    let aodv = [(Config::from(aodv::Config::rfc()), "aodv")]; // ns-2's would repair the route at 2
    for (config, name) in proactive().into_iter().chain(aodv).chain(dsr()) {
        let mut field = Field::asked(4, 1, 0, &config, &wishes(0, 3, true, Restored::Nobody));
        field.string(0..4);
        field.run(Duration::from_secs(120));
        field.send(0, 3);
        field.run(Duration::from_secs(2));
        field.link(2, 3, false);
        field.send_payload(0, 3, segment(700));
        field.run(Duration::from_secs(1));
        assert_eq!(kinds(&field, 0), [Kind::Rfn], "{name}");
        let counted: Vec<u64> = field.routers.iter().map(|router| router.counters().notices).collect();
        assert_eq!(counted, [0, 1, 1, 0], "{name}");
    }
}

/// Who asks for nothing is told nothing.
#[test]
fn without_a_wish_nothing_is_told() {
    for (config, name) in proactive() {
        let mut field = Field::new(4, 1, 0, &config);
        field.string(0..4);
        field.run(Duration::from_secs(120));
        field.link(2, 3, false);
        field.send_payload(0, 3, segment(700));
        field.run(Duration::from_secs(100));
        field.link(2, 3, true);
        field.run(Duration::from_secs(120));
        assert_eq!(field.told, [], "{name}");
    }
}

/// F4: a notice of a failure on its way to the source ends at a node that sends another way, for TCP-F; for a flow that
/// wants to hear every detector it goes on. The notice is handed to node 1, as if from node 2, which is not on its way.
#[test]
fn f4_a_node_with_another_route_keeps_the_notice_to_itself() {
    let aodv = |config: aodv::Config| (Config::from(config), "aodv");
    let [olsr, _, dsdv, _] = proactive();
    for (config, name) in [aodv(aodv::Config::rfc()), aodv(aodv::Config::ns2()), olsr, dsdv] {
        for (every_detector, from, kind, spared) in [
            (false, 2, Kind::Rfn, true),   // node 1 sends to 4 over 3
            (false, 3, Kind::Rfn, false),  // the only way is the one that failed
            (true, 2, Kind::Rfn, false),   // TCP-FSR
            (false, 2, Kind::Rrn, false),  // good news goes on
            (false, 2, Kind::Elfn, false), // TCP-F's rule alone
        ] {
            let mut field = Field::asked(5, 1, 0, &config, &wishes(0, 4, every_detector, Restored::Nobody));
            field.link(0, 1, true);
            field.link(1, 2, true);
            field.link(1, 3, true);
            field.link(3, 4, true);
            field.run(Duration::from_secs(120));
            field.send(0, 4);
            field.send(0, 4);
            field.run(Duration::from_secs(2));
            assert_eq!(field.routers[1].next_hop(address(4)), Some(NodeId(3)), "{name}");
            let flow = *wishes(0, 4, every_detector, Restored::Nobody).keys().next().expect("one flow");
            let notice = Notice { kind, hops: 1, id: 7, flow, seq: tcp::Seq(1) };
            let packet = Packet::new(PacketId(1 << 50), address(from), address(0), 64, Payload::Notice(notice));
            field.told.clear();
            field.give(1, Input::Receive { packet, from: NodeId(from as u32) });
            field.run(Duration::from_secs(1));
            let case = format!("{name} {kind:?} from {from}, every {every_detector}");
            assert_eq!(field.causes.contains(&DropCause::NoticeSpared), spared, "{case}");
            assert_eq!(kinds(&field, 0).is_empty(), spared, "{case}: {:?}", field.told);
        }
    }
}

/// TCP-F's second rule: who passed a failure on and then learns of a route tells the source, and what others say of it
/// later ends there. The link 3-4 of the string 0-1-2-3-4 breaks: node 3 finds out, 2 and 1 pass it on. Then 4 comes
/// into reach of 2, so that 3 has nothing to tell. With AODV the news goes ahead of the reply that brought it, and 1
/// passes on that of 2; with DSR behind it, and 1 has told by then.
#[test]
fn who_passed_a_failure_on_tells_of_the_return_once() {
    let aodv = [((aodv::Config::rfc().into(), "aodv"), 2)]; // ns-2's would repair the route at 3
    let configs = aodv.into_iter().chain(dsr().map(|config| (config, 1)));
    for (((config, name), hops), every_detector) in configs.flat_map(|c| [(c.clone(), false), (c, true)]) {
        let case = format!("{name}, every detector {every_detector}");
        let mut field = Field::asked(5, 1, 0, &config, &wishes(0, 4, every_detector, Restored::Sender));
        field.string(0..5);
        field.send(0, 4);
        field.run(Duration::from_secs(2));
        field.told.clear();
        field.link(3, 4, false);
        field.send_payload(0, 4, segment(700));
        field.run(Duration::from_secs(1));
        assert_eq!(kinds(&field, 0), [Kind::Rfn], "{case}");
        field.told.clear();
        field.link(2, 4, true);
        field.send(0, 4); // starts a search
        field.run(Duration::from_secs(30));
        let near = |told: &&(_, usize, Told)| matches!(told, (_, 0, Told::Notice(notice)) if notice.kind == Kind::Rrn && notice.hops == hops);
        let told = field.told.iter().filter(near).count();
        assert_eq!(told, usize::from(!every_detector), "{case}: {:?}", field.told);
        if every_detector {
            continue;
        }
        assert_eq!(kinds(&field, 0).len(), 1, "{case}: {:?}", field.told);
        if hops > 1 {
            let flow = *wishes(0, 4, every_detector, Restored::Sender).keys().next().expect("one flow");
            let notice = Notice { kind: Kind::Rrn, hops: 1, id: 7, flow, seq: tcp::Seq(0) };
            let packet = Packet::new(PacketId(1 << 50), address(2), address(0), 64, Payload::Notice(notice));
            field.give(1, Input::Receive { packet, from: NodeId(2) });
            field.run(Duration::from_secs(1));
        }
        assert!(field.causes.contains(&DropCause::NoticeSpared), "{case}");
        assert_eq!(kinds(&field, 0).len(), 1, "{case}: later news");
    }
}

/// DSR with its two dialects, as TCP-FSR's authors have it: nobody replies from its cache.
fn dsr() -> [(Config, &'static str); 2] {
    let of = |config: dsr::Config| Config::from(dsr::Config { reply_from_cache: false, ..config });
    [(of(dsr::Config::rfc()), "dsr"), (of(dsr::Config::ns2()), "dsr ns2")]
}

/// Zhou et al. table 1: the receiver hears of the route after its node has replied to the request, so what it sends
/// then finds a source that knows the route.
#[test]
fn the_receiver_hears_of_a_route_after_the_reply_has_left() {
    let step = Duration::from_micros(50);
    for ((config, name), seed) in
        dsr().into_iter().flat_map(|config| [1, 2, 3, 4, 5].map(|seed| (config.clone(), seed)))
    {
        let mut field = Field::asked(3, seed, 0, &config, &wishes(0, 2, true, Restored::Receiver));
        field.string(0..3);
        field.send_payload(0, 2, segment(700));
        let is_told = |field: &Field| field.told.iter().any(|told| (told.1, told.2) == (2, Told::Up(address(0))));
        while !is_told(&field) {
            field.run(step);
        }
        let id = PacketId(field.sent as u64 + 1);
        field.send(2, 0);
        while !field.arrived.contains(&(address(2), address(0), id)) {
            field.run(step);
        }
        assert_eq!(field.routers[0].hops(address(2)), Some(2), "{name}, seed {seed}");
    }
}

/// Zhou et al. §5.1: the notice of a node that has no way to the source is lost. Both links of node 2 break while it
/// has a segment; what it sends once they are back must not stop the source.
#[test]
fn a_notice_waits_for_no_route() {
    for (config, name) in dsr() {
        let mut field = Field::asked(4, 1, 0, &config, &wishes(0, 3, true, Restored::Receiver));
        field.string(0..4);
        field.send(0, 3);
        field.run(Duration::from_secs(2));
        field.told.clear();
        let id = PacketId(field.sent as u64 + 1);
        field.send_payload(0, 3, segment(700));
        while field.hops.get(&id) != Some(&2) {
            field.run(Duration::from_micros(10));
        }
        field.link(1, 2, false); // node 1 has sent it
        field.link(2, 3, false);
        field.run(Duration::from_secs(1));
        assert_eq!(field.hops.get(&id), Some(&3), "{name}: node 2 has tried to send it on");
        assert_eq!(kinds(&field, 0), [], "{name}: nobody else knows");
        field.link(1, 2, true);
        field.link(2, 3, true);
        field.run(Duration::from_secs(60));
        assert_eq!(kinds(&field, 0), [], "{name}");
    }
}
