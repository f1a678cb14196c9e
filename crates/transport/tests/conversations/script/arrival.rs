//! What arrives: the lines of a script that begin with `<`.

use hopwright_transport::Input;
use hopwright_wire::tcp::{Flags, Options, Segment, Seq};

use super::{ISS, PEER_ISS, Talk};

/// What a line says about the segment beside its numbers.
#[derive(Default)]
pub(super) struct Details {
    echo: Option<u32>,
    is_unstamped: bool,
    is_urgent: bool,
    sack: Vec<(u32, u32)>,
}

impl Talk {
    /// Segments from the peer.
    pub(super) fn arrive(&mut self, words: &[&str]) {
        let number = |w: &str| w.parse::<u32>().unwrap_or_else(|_| panic!("{w} is no number"));
        let range = |w: &str| {
            let (start, end) = w.split_once(':').unwrap_or_else(|| panic!("{w} is no range"));
            (number(start), number(end))
        };
        let mut words = words.to_vec();
        let mut details = Details::default();
        let mut take = |name: &str, count: usize| {
            let at = words.iter().position(|w| *w == name)?;
            words.drain(at..=at + count).next_back()
        };
        self.window = take("win", 1).map_or(self.window, |w| w.parse().expect("a window"));
        self.stamp = take("ts", 1).map_or(self.stamp, number);
        details.echo = take("ecr", 1).map(number);
        details.is_unstamped = take("no-ts", 0).is_some();
        details.is_urgent = take("urg", 0).is_some();
        details.sack = take("sack", 1).map_or(vec![], |w| w.split(',').map(range).collect());
        let d = &details;
        match words[..] {
            ["raw", flags, ref rest @ ..] => self.raw(flags, rest, d),
            ["reopening", verdict, "seq", n] => {
                let syn = self.header(Flags::SYN, PEER_ISS + 1 + number(n), 0, 0, d);
                let admits = self.connection.admits_reopening(&syn);
                assert_eq!(if admits { "admitted" } else { "refused" }, verdict, "{}", self.said);
            }
            ["ack", ref numbers @ ..] => {
                for n in numbers {
                    self.acked = number(n);
                    self.segment(Flags::ACK, PEER_ISS + 1 + self.sent, self.acked, 0, d);
                }
            }
            ["fin", at, "ack", n] => {
                self.acked = number(n);
                self.segment(Flags::FIN.with(Flags::ACK), PEER_ISS + 1 + number(at), self.acked, 0, d);
            }
            ["fin", at] => {
                self.sent = self.sent.max(number(at) + 1);
                self.segment(Flags::FIN.with(Flags::ACK), PEER_ISS + 1 + number(at), self.acked, 0, d);
            }
            ["syn"] => self.segment(Flags::SYN, PEER_ISS, 0, 0, d),
            ["syn-ack"] => self.segment(Flags::SYN.with(Flags::ACK), PEER_ISS, 0, 0, d),
            ["rst"] => self.segment(Flags::RST, PEER_ISS + 1 + self.sent, self.acked, 0, d),
            ["rst", at] => self.segment(Flags::RST, PEER_ISS + 1 + number(at), self.acked, 0, d),
            ref ranges => {
                for (start, end) in ranges.iter().map(|w| range(w)) {
                    self.sent = self.sent.max(end);
                    self.segment(Flags::ACK, PEER_ISS + 1 + start, self.acked, end - start, d);
                }
            }
        }
    }

    /// A segment from anybody.
    fn raw(&mut self, letters: &str, words: &[&str], details: &Details) {
        let value = |name: &str| words.chunks(2).find(|pair| pair[0] == name).map(|pair| pair[1]);
        let number = |name: &str| value(name).map_or(0, |w| w.parse::<i64>().expect("a number")) as u32;
        let flag = |c| match c {
            'S' => Flags::SYN,
            'A' => Flags::ACK,
            'F' => Flags::FIN,
            'R' => Flags::RST,
            'P' => Flags::PSH,
            _ => panic!("no flag {c}"),
        };
        let flags = letters.chars().map(flag).fold(Flags::default(), Flags::with);
        let data = value("text").unwrap_or_default().as_bytes();
        let length = if data.is_empty() { number("len") } else { data.len() as u32 };
        let segment = self.header(flags, PEER_ISS + 1 + number("seq"), number("ack"), length, details);
        self.handle(Input::Segment { segment: &segment, data });
    }

    pub(super) fn segment(&mut self, flags: Flags, seq: Seq, acked: u32, payload_bytes: u32, details: &Details) {
        let segment = self.header(flags, seq, acked, payload_bytes, details);
        self.handle(Input::Segment { segment: &segment, data: &[] });
    }

    fn header(&self, flags: Flags, seq: Seq, acked: u32, payload_bytes: u32, details: &Details) -> Segment {
        let mut options = Options::default();
        if flags.has(Flags::SYN) && !self.is_bare {
            options.mss = Some(1000);
            options.window_scale = Some(0);
            options.sack_permitted = self.selects;
        }
        if self.stamps && !details.is_unstamped {
            options.timestamps = Some((self.stamp, details.echo.unwrap_or(self.seen)));
        }
        for &(start, end) in &details.sack {
            options.sack.push(ISS + 1 + start, ISS + 1 + end);
        }
        Segment {
            source_port: 2,
            destination_port: 1,
            seq,
            ack: if flags.has(Flags::ACK) { ISS + 1 + acked } else { Seq(0) },
            flags: if details.is_urgent { flags.with(Flags::URG) } else { flags },
            window: self.window,
            urgent: if details.is_urgent { 1 } else { 0 },
            options,
            payload_bytes,
        }
    }
}
