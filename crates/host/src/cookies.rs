//! Connections opened from a number: what a full backlog keeps of a request is in the answer, not here.
//!
//! Spec      RFC 4987 §3.6; the layout of the number and of the timestamp are Linux's (tcp_syncookies)
//! Deviates  SipHash-2-4 instead of SHA-1 or MD5; no bit for ECN: who came by a cookie goes without
//! Holds     a request answered with a cookie takes no memory; the rebuilt connection is what the request
//!           would have made, had it offered only what a cookie can tell
//!
//! The number is `hash + client's number + minutes << 24 + (hash of minutes and client's number + segment size)
//! mod 2^24`: so many guesses are right as there are sizes (4) and minutes still good (2): 8 in 2^32. Window scale and
//! SACK are lost, unless both ends speak timestamps: then they are the five lowest bits of ours, which the client
//! echoes.

use hopwright_machine::{Duration, Machine, Time};
use hopwright_transport::{self as transport, Connection, Role, Value};
use hopwright_wire::tcp::{Flags, Options, Segment, Seq};

use crate::events::Output;
use crate::host::Host;
use crate::identity::Tuple;
use crate::outgoing::Outgoing;
use crate::secrets::{Secrets, Use};
use crate::table::Stage;

/// The segment sizes that a cookie can tell, of the commonest paths.
const SIZES: [u16; 4] = [536, 1300, 1440, 1460];

/// How long a "minute" is, and for how many a cookie is good.
const MINUTE: Duration = Duration::from_secs(64);
const GOOD_MINUTES: u8 = 2;

const LOW_24: u32 = 0x00ff_ffff;

/// The bits of a timestamp that tell the window scale, or that there is none, and SACK.
const OPTION_BITS: u32 = 0x1f;
const SCALE_BITS: u32 = 0xf;
const SACK_BIT: u32 = 0x10;

impl Host {
    pub(crate) fn answer_with_cookie(&mut self, now: Time, tuple: &Tuple, syn: &Segment) {
        let size = size_index(syn.options.mss.unwrap_or(SIZES[0]));
        let options = self.tellable(&syn.options, SIZES[size]);
        let cookie = make(&self.secrets, now, tuple, syn.seq, size);
        // A connection is made to give the right answer, and then dropped.
        let mut connection = self.new_passive(now, tuple, cookie);
        let request = Segment { options, flags: Flags::SYN, ..*syn }; // a cookie cannot tell of ECN
        connection.handle(now, transport::Input::Segment { segment: &request, data: &[] });
        let Some(transport::Output::Segment(mut answer)) = connection.poll() else { return };
        if let Some((value, _)) = &mut answer.options.timestamps {
            *value = tell(*value, &options);
        }
        self.ready.push_back(Output::Send(Outgoing::of_no_connection(tuple.remote.address, answer)));
        self.statistics.cookies_sent += 1;
        if let Some(listener) = self.listeners.get_mut(&tuple.local_port) {
            listener.on_cookie_sent(now);
        }
    }

    /// Whether the segment brought a cookie back. If there is room, a connection was opened from it.
    pub(crate) fn redeem_cookie(&mut self, now: Time, tuple: Tuple, segment: &Segment, data: &[u8]) -> bool {
        let (theirs, cookie) = (segment.seq - 1, segment.ack - 1);
        let Some(size) = check(&self.secrets, now, &tuple, theirs, cookie) else { return false };
        if !self.make_room(now, &tuple) {
            self.on_turned_away(&tuple);
            // Not reset if it has data, which will come again and perhaps find room; with none, it would wait for ever.
            return segment.payload_bytes > 0;
        }
        let mut options = Options { mss: Some(size), ..Options::default() };
        if let Some((value, echo)) = segment.options.timestamps {
            options.timestamps = Some((value, 0));
            options.sack_permitted = echo & SACK_BIT != 0;
            options.window_scale = Some((echo & SCALE_BITS) as u8).filter(|&scale| scale != SCALE_BITS as u8);
        }
        let request = Segment {
            seq: theirs,
            ack: Seq(0),
            flags: Flags::SYN,
            options: self.tellable(&options, size),
            payload_bytes: 0,
            ..*segment
        };
        let mut connection = self.new_passive(now, &tuple, cookie);
        connection.handle(now, transport::Input::Segment { segment: &request, data: &[] });
        while connection.poll().is_some() {} // the client has the answer
        connection.forget_timing(); // and has had it for longer than no time
        let index = self.insert(tuple, connection, cookie, Stage::Open);
        self.statistics.cookies_accepted += 1;
        self.drive(index, now, transport::Input::Segment { segment, data });
        true
    }

    fn new_passive(&self, now: Time, tuple: &Tuple, cookie: Seq) -> Connection {
        let mut connection = self.new_connection(Role::Passive, tuple, cookie);
        connection.handle(now, transport::Input::Open);
        connection
    }

    /// Of these options, those that a cookie can tell.
    fn tellable(&self, options: &Options, size: u16) -> Options {
        let speaks_timestamps = self.config.params.value("timestamps") == Some(Value::Bool(true));
        let mut kept = Options { mss: Some(size), ..Options::default() };
        if options.timestamps.is_some() && speaks_timestamps {
            kept.timestamps = options.timestamps;
            kept.sack_permitted = options.sack_permitted;
            kept.window_scale = options.window_scale.map(|scale| scale.min(14));
        }
        kept
    }
}

/// The largest size not above the client's.
fn size_index(mss: u16) -> usize {
    SIZES.iter().rposition(|&size| size <= mss).unwrap_or(0)
}

fn minute(now: Time) -> u8 {
    now.since(Time::ZERO).whole(MINUTE) as u8
}

fn make(secrets: &Secrets, now: Time, tuple: &Tuple, theirs: Seq, size: usize) -> Seq {
    let minute = minute(now);
    let base = secrets.hash(Use::Cookie, tuple) as u32;
    let dated = secrets.hash(Use::DatedCookie(minute, theirs), tuple) as u32;
    theirs + base + (u32::from(minute) << 24) + (dated.wrapping_add(size as u32) & LOW_24)
}

/// The client's segment size, if this is a cookie of ours and still good.
fn check(secrets: &Secrets, now: Time, tuple: &Tuple, theirs: Seq, cookie: Seq) -> Option<u16> {
    let base = secrets.hash(Use::Cookie, tuple) as u32;
    let told = cookie.0.wrapping_sub(base).wrapping_sub(theirs.0);
    let made = (told >> 24) as u8;
    if minute(now).wrapping_sub(made) >= GOOD_MINUTES {
        return None;
    }
    let dated = secrets.hash(Use::DatedCookie(made, theirs), tuple) as u32;
    let size = told.wrapping_sub(dated) & LOW_24;
    SIZES.get(size as usize).copied()
}

/// The largest timestamp not after `value` whose lowest bits tell the options.
fn tell(value: u32, options: &Options) -> u32 {
    let scale = options.window_scale.map_or(SCALE_BITS, u32::from);
    let bits = scale | if options.sack_permitted { SACK_BIT } else { 0 };
    let told = value & !OPTION_BITS | bits;
    if bits > value & OPTION_BITS { told.wrapping_sub(OPTION_BITS + 1) } else { told }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::Address;

    use super::*;
    use crate::identity::Endpoint;

    const TUPLE: Tuple = Tuple { local_port: 80, remote: Endpoint { address: Address(0x0a00_0001), port: 40_000 } };

    #[test]
    fn a_cookie_is_good_for_its_client_and_two_minutes() {
        let secrets = Secrets::new([3; 16]);
        let at = |s| Time::ZERO + Duration::from_secs(s);
        for (size, mss) in SIZES.into_iter().enumerate() {
            let cookie = make(&secrets, at(100), &TUPLE, Seq(5), size);
            assert_eq!(check(&secrets, at(100), &TUPLE, Seq(5), cookie), Some(mss));
            assert_eq!(check(&secrets, at(190), &TUPLE, Seq(5), cookie), Some(mss));
            assert_eq!(check(&secrets, at(192), &TUPLE, Seq(5), cookie), None);
            assert_eq!(check(&secrets, at(100), &TUPLE, Seq(6), cookie), None);
            let other = Tuple { local_port: 81, ..TUPLE };
            assert_eq!(check(&secrets, at(100), &other, Seq(5), cookie), None);
        }
    }

    #[test]
    fn guesses_are_right_as_seldom_as_promised() {
        let secrets = Secrets::new([3; 16]);
        let right = (0..1u32 << 20).filter(|n| {
            let guess = Seq(n.wrapping_mul(0x9e37_79b9));
            check(&secrets, Time::ZERO + MINUTE * 9, &TUPLE, Seq(5), guess).is_some()
        });
        assert!(right.count() <= 1);
    }

    #[test]
    fn timestamps_tell_options_and_never_lie_ahead() {
        for value in [0u32, 1, 31, 32, 1000, u32::MAX] {
            for (scale, sack) in [(None, false), (Some(0), true), (Some(14), true), (Some(7), false)] {
                let options = Options { window_scale: scale, sack_permitted: sack, ..Options::default() };
                let told = tell(value, &options);
                assert!(value.wrapping_sub(told) <= OPTION_BITS + 1);
                assert_eq!(told & SACK_BIT != 0, sack);
                assert_eq!(Some((told & SCALE_BITS) as u8).filter(|&s| s != 15), scale);
            }
        }
        assert_eq!([535, 536, 1299, 1459, 9000].map(|mss| SIZES[size_index(mss)]), [536, 536, 536, 1440, 1460]);
    }
}
