//! What a host needs to make a connection in place of another: of a cookie, or after one in TIME-WAIT.

use hopwright_machine::{Duration, Machine as _, Time};
use hopwright_transport::{Connection, Data, Input, Output, Params, Role, protocol};
use hopwright_wire::tcp::{Flags, Options, Segment, Seq};

/// An end made of the SYN and the acknowledgement of its answer, both at 5 s; the answer had left at 4.9 s.
fn rebuilt(timestamps: bool) -> Connection {
    let params = Params { timestamps, ..Params::default() };
    let mut end = Connection::new(&protocol("newreno").unwrap().recipe, &params, Role::Passive, 1, 2, Seq(0))
        .with_timestamp_offset(70);
    let stamped = |echo| timestamps.then_some((9, echo));
    let now = Time::ZERO + Duration::from_secs(5);
    end.handle(now, Input::Open);
    for (flags, seq, ack, echo) in [(Flags::SYN, 5, 0, 0), (Flags::ACK, 6, 1, 4970)] {
        let segment = Segment {
            source_port: 2,
            destination_port: 1,
            seq: Seq(seq),
            ack: Seq(ack),
            flags,
            window: 1000,
            urgent: 0,
            options: Options { timestamps: stamped(echo), ..Options::default() },
            payload_bytes: 0,
            ecn: hopwright_wire::ip::Ecn::NotCapable,
        };
        end.handle(now, Input::Segment { segment: &segment, data: &[] });
        end.forget_timing();
    }
    assert!(std::iter::from_fn(|| end.poll()).any(|output| output == Output::Established));
    end
}

/// RFC 6298 §2.1: the RTO of a connection that has measured nothing.
#[test]
fn a_rebuilt_end_measures_nothing() {
    let end = rebuilt(false);
    assert_eq!((end.public().srtt, end.public().rto), (None, Duration::from_secs(1)));
}

/// RFC 7323 §4.1.
#[test]
fn unless_the_echo_tells_it() {
    let end = rebuilt(true);
    assert_eq!(end.public().srtt, Some(Duration::from_millis(100)));
    assert_eq!(end.public().rto, Duration::from_millis(300));
}

/// RFC 9293 §3.3.1: the number after the last one sent, be it sent again.
#[test]
fn the_next_number() {
    let mut end = rebuilt(false);
    assert_eq!(end.next_seq(), Seq(1));
    end.handle(Time::ZERO + Duration::from_secs(5), Input::Write(Data::Count(10)));
    end.handle(Time::ZERO + Duration::from_secs(5), Input::Close);
    assert_eq!(end.next_seq(), Seq(12));
    end.handle(end.deadline(), Input::Wake);
    assert_eq!((end.public().timeouts, end.next_seq()), (1, Seq(12)));
}
