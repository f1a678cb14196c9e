//! The path slot is really asked: a mechanism made here stands still on a route failure.

use hopwright_machine::{Duration, Machine as _, Time};
use hopwright_transport::mechanisms::path::{Path, PathEvent, Ruling, Standing};
use hopwright_transport::params::GranularityMode;
use hopwright_transport::{
    Connection, Data, Input, NetworkSignal, Output, Params, Part, Phase, Public, Recipe, Role, protocol,
};
use hopwright_wire::tcp::{Flags, Options, Segment, Seq};

#[derive(Debug)]
struct StandStill {
    standing: Standing,
}

impl Path for StandStill {
    fn on_event(&mut self, _p: &Public, event: PathEvent<'_>) -> Ruling {
        match event {
            PathEvent::RouteFailed(_) => self.standing = Standing::Frozen,
            PathEvent::RouteRestored => self.standing = Standing::Open,
            _ => {}
        }
        self.standing.into()
    }
}

const STAND_STILL: Part<dyn Path> = Part::new("stand-still", "", |_| Box::new(StandStill { standing: Standing::Open }));

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// An open connection with two segments in flight at 100 ms.
fn sending(recipe: &Recipe) -> Connection {
    let params = Params { granularity_mode: GranularityMode::Exact, ..Params::default() };
    let mut connection = Connection::new(recipe, &params, Role::Active, 1, 2, Seq(0));
    connection.handle(at(0), Input::Write(Data::Count(1_000_000)));
    connection.handle(at(0), Input::Open);
    let answer = segment(Flags::SYN.with(Flags::ACK), Seq(0), Seq(1));
    connection.handle(at(100), Input::Segment { segment: &answer, data: &[] });
    while connection.poll().is_some() {}
    assert_eq!(connection.public().flight(), 2 * 536);
    connection
}

fn segment(flags: Flags, seq: Seq, ack: Seq) -> Segment {
    let options = Options::default();
    Segment {
        source_port: 2,
        destination_port: 1,
        seq,
        ack,
        flags,
        window: 60_000,
        urgent: 0,
        options,
        payload_bytes: 0,
        ecn: hopwright_wire::ip::Ecn::NotCapable,
    }
}

#[test]
fn a_frozen_sender_keeps_everything_and_goes_on() {
    let recipe = Recipe { path: STAND_STILL, ..protocol("newreno").unwrap().recipe };
    let mut sender = sending(&recipe);
    let cwnd = sender.public().cwnd;

    sender.handle(at(150), Input::Signal(NetworkSignal::RouteFailed(None)));
    assert_eq!(sender.public().phase(), Phase::Frozen);
    assert!(sender.deadline().is_never(), "the retransmission timer stands still");
    let ack = segment(Flags::ACK, Seq(1), Seq(1 + 536));
    sender.handle(at(200), Input::Segment { segment: &ack, data: &[] });
    sender.handle(at(210), Input::Write(Data::Count(1)));
    assert_eq!(sender.poll(), None);
    assert!(sender.public().rtt_sample.is_none(), "a time that contains a stand-still is no round trip");

    sender.handle(at(5000), Input::Signal(NetworkSignal::RouteRestored));
    let Some(Output::Segment(first)) = sender.poll() else { panic!("nothing left") };
    assert_eq!(first.seq, Seq(1 + 2 * 536));
    assert_eq!(sender.public().phase(), Phase::SlowStart);
    assert_eq!((sender.public().timeouts, sender.public().cwnd), (0, cwnd));
    assert_eq!(sender.deadline(), at(5300));
}

#[test]
fn a_frozen_recovery_repairs_its_hole_when_it_thaws() {
    let recipe = Recipe { path: STAND_STILL, ..protocol("newreno").unwrap().recipe };
    let mut sender = sending(&recipe);
    let arrive = |sender: &mut Connection, ms, ack: u32| {
        let ack = segment(Flags::ACK, Seq(1), Seq(1 + 536 * ack));
        sender.handle(at(ms), Input::Segment { segment: &ack, data: &[] });
    };
    let sent = |sender: &mut Connection| {
        let outputs = std::iter::from_fn(|| sender.poll());
        let numbers = outputs.map(|o| if let Output::Segment(s) = o { (s.seq.0 - 1) / 536 } else { panic!("{o:?}") });
        numbers.collect::<Vec<_>>()
    };
    arrive(&mut sender, 200, 1);
    arrive(&mut sender, 200, 2);
    assert_eq!(sent(&mut sender), [2, 3, 4, 5]);
    for _ in 0..3 {
        arrive(&mut sender, 300, 2);
    }
    assert_eq!(sent(&mut sender), [2, 6]);
    sender.handle(at(310), Input::Signal(NetworkSignal::RouteFailed(None)));
    arrive(&mut sender, 400, 3); // partial
    assert_eq!(sent(&mut sender), []);
    sender.handle(at(500), Input::Signal(NetworkSignal::RouteRestored));
    assert_eq!(sent(&mut sender)[0], 3);
}

#[test]
fn ignoring_signals_changes_nothing() {
    let mut sender = sending(&protocol("newreno").unwrap().recipe);
    let deadline = sender.deadline();
    sender.handle(at(150), Input::Signal(NetworkSignal::RouteFailed(Some(Seq(1)))));
    assert_eq!((sender.poll(), sender.deadline(), sender.public().phase()), (None, deadline, Phase::SlowStart));
}
