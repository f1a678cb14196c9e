//! Windows beyond 65535 bytes (RFC 7323 §2), between two ends of ours and with other peers.

use hopwright_machine::{Machine as _, Time};
use hopwright_transport::{Connection, Data, Input, Output, Params, Role, protocol};
use hopwright_wire::tcp::{Flags, Options, Segment, Seq};

fn end(role: Role, params: &Params) -> Connection {
    let mut end = Connection::new(&protocol("newreno").unwrap().recipe, params, role, 1, 2, Seq(0));
    end.handle(Time::ZERO, Input::Open);
    end
}

/// Hands segments from one end to the other until both are silent.
fn exchange(ends: &mut [Connection; 2]) {
    loop {
        let mut is_silent = true;
        for index in [0, 1] {
            while let Some(output) = ends[index].poll() {
                if let Output::Segment(segment) = output {
                    is_silent = false;
                    ends[1 - index].handle(Time::ZERO, Input::Segment { segment: &segment, data: &[] });
                }
            }
        }
        if is_silent {
            return;
        }
    }
}

#[test]
fn sixty_four_segments_can_be_offered() {
    for params in [Params::default(), Params::ns2()] {
        let mut ends = [end(Role::Active, &params), end(Role::Passive, &params)];
        ends[0].handle(Time::ZERO, Input::Write(Data::Count(14 * 1460)));
        exchange(&mut ends);
        assert_eq!(ends[0].public().acked_bytes, 14 * 1460);
        assert_eq!(ends[0].public().offer, 64 * 1460);
    }
}

/// The end after a handshake with a peer of these options, which then offers a window field of 1000.
fn meets(window_scale: Option<u8>) -> Connection {
    let mut active = end(Role::Active, &Params::default());
    for (flags, seq, scale) in [(Flags::SYN.with(Flags::ACK), 5, window_scale), (Flags::ACK, 6, None)] {
        let segment = Segment {
            source_port: 2,
            destination_port: 1,
            seq: Seq(seq),
            ack: Seq(1),
            flags,
            window: 1000,
            urgent: 0,
            options: Options { window_scale: scale, ..Options::default() },
            payload_bytes: 0,
            ecn: hopwright_wire::ip::Ecn::NotCapable,
        };
        active.handle(Time::ZERO, Input::Segment { segment: &segment, data: &[] });
    }
    active
}

#[test]
fn the_peers_shift_is_used_up_to_fourteen() {
    assert_eq!(meets(Some(3)).public().offer, 8000);
    assert_eq!(meets(Some(15)).public().offer, 1000 << 14);
}

#[test]
fn without_the_peers_consent_nothing_is_scaled() {
    let mut active = meets(None);
    assert_eq!(active.public().offer, 1000);
    let acks = std::iter::from_fn(|| active.poll()).filter_map(|output| match output {
        Output::Segment(s) if !s.flags.has(Flags::SYN) => Some(s.window),
        _ => None,
    });
    assert_eq!(acks.collect::<Vec<_>>(), [65535]);
}

/// RFC 7323 §2.3: the least shift with which the whole buffer fits into the window field; 14 is the most.
#[test]
fn the_shift_is_the_least_that_offers_the_whole_buffer() {
    for (bytes, shift) in [(65_535, 0), (65_536, 1), (131_071, 1), (131_072, 2), (1 << 29, 14), (1 << 30, 14)] {
        let params = Params { receive_buffer_bytes: bytes.min(1_073_725_440), ..Params::default() };
        let mut active = end(Role::Active, &params);
        let Some(Output::Segment(syn)) = active.poll() else { panic!("a SYN") };
        assert_eq!(syn.options.window_scale, Some(shift), "{bytes} bytes");
    }
}
