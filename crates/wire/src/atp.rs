//! Segments of ATP, the Ad hoc Transport Protocol: data, probes, and the receiver's feedback.
//!
//! ```text
//! DATA, PROBE   ports 4, flags 2, packet number 4, data number 4, D 2, S 2: 18 bytes, and the data, or what fills a probe
//! FEEDBACK      ports 4, flags 1, n 1, cumulative 4, rate 4, window 2, n blocks of 8: 16 bytes and the blocks
//! ```
//!
//! Spec      Sundaresan, Anantharaman, Hsieh and Sivakumar 2003 (ATP) for what is said; it fixes no layout, so this one,
//!           its lengths and its units are the project's, under an IP protocol number that IANA has not assigned
//! Deviates  there is no checksum: frames have one. The flags stand behind the ports, where both kinds have them, since
//!           nothing else tells one from the other
//! Holds     what is emitted parses to the same segment; no bytes make `parse` panic

use core::fmt;

use hopwright_machine::Duration;

/// Length of the header of data and probes, in bytes.
pub const DATA_HEADER_BYTES: u32 = 18;
/// Length of feedback without its blocks, in bytes.
pub const FEEDBACK_HEADER_BYTES: u32 = 16;
/// Length of a block of feedback, in bytes.
pub const BLOCK_BYTES: u32 = 8;
/// Blocks of a feedback, at most: their number has one byte.
pub const MOST_BLOCKS: usize = u8::MAX as usize;

/// In the first byte of the flags: this is feedback.
const FEEDBACK: u8 = 0x80;
/// In the only byte of the flags of feedback: it answers a probe.
const ANSWER: u8 = 0x01;
/// In the second byte of the flags of data: a probe, the last of the stream.
const PROBE: u8 = 0x01;
const LAST: u8 = 0x02;

/// A segment. The ports are those of the packet's own direction, as in TCP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Port of who sends it.
    pub source_port: u16,
    /// Port of who receives it.
    pub destination_port: u16,
    /// What it says.
    pub body: Body,
}

/// What a segment says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// Data, or a probe.
    Data(Data),
    /// What the receiver has.
    Feedback(Feedback),
}

/// Data, or a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// Counts what the sender sends: no two packets have the same.
    pub packet: u32,
    /// Which data: those sent again keep it. In a probe, those that would come next.
    pub number: u32,
    /// What it is.
    pub kind: Kind,
    /// D, the largest delay on the way so far.
    pub delay: Delay,
    /// S, the rate that the sender sends at, tenths of packets per second. Nobody acts upon it.
    pub rate_dpps: u16,
    /// Bytes behind the header: of application data, or what fills a probe up.
    pub payload_bytes: u32,
}

/// What data are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A part of the stream.
    Part,
    /// Its end.
    Last,
    /// None: a question how long packets take. What is behind its header fills it up.
    Probe,
}

/// What the receiver has, and what the way bears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// Whether it answers a probe; if not, an epoch is over.
    pub is_answer: bool,
    /// Everything before this data number has come.
    pub cumulative: u32,
    /// R, thousandths of packets per second; zero: no station has written how long it takes.
    pub rate_mpps: u32,
    /// So many data numbers from `cumulative` on have room.
    pub window: u16,
    /// Data numbers beyond the first gap that have come: each block's first, and the one behind its last.
    pub blocks: Box<[(u32, u32)]>,
}

/// A delay as segments carry it: in steps of 100 microseconds, rounded up, 6.5535 s at most. Zero: nobody wrote any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Delay(pub u16);

impl Delay {
    /// Nobody has written any.
    pub const NONE: Self = Self(0);
    const STEP: Duration = Duration::from_micros(100);

    /// The step in which, or at whose end, a delay lies.
    #[must_use]
    pub fn of(delay: Duration) -> Self {
        let steps = delay.as_nanos().div_ceil(Self::STEP.as_nanos());
        Self(u16::try_from(steps).unwrap_or(u16::MAX))
    }

    /// How long it is.
    #[must_use]
    pub fn duration(self) -> Duration {
        Self::STEP * u64::from(self.0)
    }
}

/// Why bytes are no segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// Fewer bytes than the header has.
    Truncated,
    /// Feedback whose length does not fit its number of blocks.
    Length(usize),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => f.write_str("ATP segment is cut short"),
            Self::Length(bytes) => write!(f, "ATP feedback of {bytes} bytes, which its blocks do not fill"),
        }
    }
}

impl std::error::Error for DecodeError {}

impl Segment {
    /// What it says, if it is data or a probe.
    #[must_use]
    pub const fn data(&self) -> Option<&Data> {
        match &self.body {
            Body::Data(data) => Some(data),
            Body::Feedback(_) => None,
        }
    }

    /// Whether the receiver of the data sent it.
    #[must_use]
    pub const fn is_feedback(&self) -> bool {
        matches!(self.body, Body::Feedback(_))
    }

    /// Bytes behind the header of data.
    #[must_use]
    pub const fn payload_bytes(&self) -> u32 {
        match &self.body {
            Body::Data(data) => data.payload_bytes,
            Body::Feedback(_) => 0,
        }
    }

    /// Length with the header, in bytes.
    #[must_use]
    pub const fn bytes(&self) -> u32 {
        match &self.body {
            Body::Data(data) => DATA_HEADER_BYTES + data.payload_bytes,
            Body::Feedback(feedback) => FEEDBACK_HEADER_BYTES + BLOCK_BYTES * feedback.blocks.len() as u32,
        }
    }

    /// Appends the bytes; the data, which are only counted, are zeros. `stamped`: what stations have written on the packet
    /// beside the segment. The larger one of that and the segment's own D is emitted.
    ///
    /// # Panics
    /// If there are more than [`MOST_BLOCKS`] blocks.
    pub fn emit(&self, stamped: Duration, out: &mut Vec<u8>) {
        out.extend(self.source_port.to_be_bytes());
        out.extend(self.destination_port.to_be_bytes());
        match &self.body {
            Body::Data(data) => {
                let flags = match data.kind {
                    Kind::Part => 0,
                    Kind::Last => LAST,
                    Kind::Probe => PROBE,
                };
                out.extend([0, flags]);
                out.extend(data.packet.to_be_bytes());
                out.extend(data.number.to_be_bytes());
                out.extend(data.delay.max(Delay::of(stamped)).0.to_be_bytes());
                out.extend(data.rate_dpps.to_be_bytes());
                out.resize(out.len() + data.payload_bytes as usize, 0);
            }
            Body::Feedback(feedback) => {
                let blocks = u8::try_from(feedback.blocks.len()).expect("feedback has 255 blocks at most");
                out.extend([FEEDBACK | if feedback.is_answer { ANSWER } else { 0 }, blocks]);
                out.extend(feedback.cumulative.to_be_bytes());
                out.extend(feedback.rate_mpps.to_be_bytes());
                out.extend(feedback.window.to_be_bytes());
                out.extend(feedback.blocks.iter().flat_map(|block| [block.0, block.1]).flat_map(u32::to_be_bytes));
            }
        }
    }

    /// Reads a segment. Data are counted and forgotten; flags that mean nothing here are not looked at.
    ///
    /// # Errors
    /// If the bytes are none.
    pub fn parse(bytes: &[u8]) -> Result<Self, DecodeError> {
        let Some(fixed) = bytes.first_chunk::<{ FEEDBACK_HEADER_BYTES as usize }>() else {
            return Err(DecodeError::Truncated);
        };
        let short = |at: usize| u16::from_be_bytes([fixed[at], fixed[at + 1]]);
        let body = if fixed[4] & FEEDBACK == 0 { data(bytes)? } else { feedback(fixed, bytes)? };
        Ok(Self { source_port: short(0), destination_port: short(2), body })
    }
}

fn data(bytes: &[u8]) -> Result<Body, DecodeError> {
    let Some((fixed, payload)) = bytes.split_first_chunk::<{ DATA_HEADER_BYTES as usize }>() else {
        return Err(DecodeError::Truncated);
    };
    let kind = match (fixed[5] & PROBE != 0, fixed[5] & LAST != 0) {
        (true, _) => Kind::Probe,
        (false, true) => Kind::Last,
        (false, false) => Kind::Part,
    };
    Ok(Body::Data(Data {
        packet: long(fixed, 6),
        number: long(fixed, 10),
        kind,
        delay: Delay(u16::from_be_bytes([fixed[14], fixed[15]])),
        rate_dpps: u16::from_be_bytes([fixed[16], fixed[17]]),
        payload_bytes: payload.len() as u32,
    }))
}

fn feedback(fixed: &[u8; FEEDBACK_HEADER_BYTES as usize], bytes: &[u8]) -> Result<Body, DecodeError> {
    let (blocks, rest) = bytes[fixed.len()..].as_chunks::<{ BLOCK_BYTES as usize }>();
    if !rest.is_empty() || blocks.len() != usize::from(fixed[5]) {
        return Err(DecodeError::Length(bytes.len()));
    }
    Ok(Body::Feedback(Feedback {
        is_answer: fixed[4] & ANSWER != 0,
        cumulative: long(fixed, 6),
        rate_mpps: long(fixed, 10),
        window: u16::from_be_bytes([fixed[14], fixed[15]]),
        blocks: blocks.iter().map(|block| (long(block, 0), long(block, 4))).collect(),
    }))
}

fn long(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(segment: &Segment, stamped: Duration) -> Vec<u8> {
        let mut bytes = Vec::new();
        segment.emit(stamped, &mut bytes);
        bytes
    }

    fn probe() -> Segment {
        let body = Body::Data(Data {
            packet: 0x0102_0304,
            number: 0x0506_0708,
            kind: Kind::Probe,
            delay: Delay(300),
            rate_dpps: 0x0a0b,
            payload_bytes: 0,
        });
        Segment { source_port: 33_001, destination_port: 5001, body }
    }

    #[test]
    fn the_layout_is_the_documented_one() {
        let expected = [0x80, 0xe9, 0x13, 0x89, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 1, 44, 10, 11];
        assert_eq!(bytes(&probe(), Duration::ZERO), expected);
        assert_eq!(Segment::parse(&expected), Ok(probe()));
        let body = Body::Feedback(Feedback {
            is_answer: true,
            cumulative: 7,
            rate_mpps: 33_333,
            window: 0x0203,
            blocks: [(9, 11), (12, 13)].into(),
        });
        let feedback = Segment { source_port: 5001, destination_port: 33_001, body };
        let fixed = [0x13, 0x89, 0x80, 0xe9, 0x81, 2, 0, 0, 0, 7, 0, 0, 0x82, 0x35, 2, 3];
        let blocks = [0, 0, 0, 9, 0, 0, 0, 11, 0, 0, 0, 12, 0, 0, 0, 13];
        assert_eq!(bytes(&feedback, Duration::from_secs(1)), [fixed, blocks].concat());
        assert_eq!(Segment::parse(&[fixed, blocks].concat()), Ok(feedback));
    }

    #[test]
    fn what_stations_wrote_beside_it_is_emitted_if_it_is_more() {
        let shown = |us| bytes(&probe(), Duration::from_micros(us))[14..16].to_vec();
        assert_eq!(shown(29_999), [1, 44], "300 steps of its own");
        assert_eq!(shown(30_001), [1, 45], "rounded up");
        assert_eq!(shown(7_000_000), [0xff, 0xff]);
        assert_eq!(Delay::of(Duration::from_micros(30_000)), Delay(300));
        assert_eq!(Delay(300).duration(), Duration::from_millis(30));
    }

    #[test]
    fn what_is_no_segment_is_refused() {
        let probe = bytes(&probe(), Duration::ZERO);
        assert_eq!(Segment::parse(&probe[..17]), Err(DecodeError::Truncated));
        assert_eq!(Segment::parse(&probe[..15]), Err(DecodeError::Truncated));
        let mut feedback = vec![0, 1, 0, 2, 0x80, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        feedback.extend([0; 8]);
        assert!(Segment::parse(&feedback).is_ok());
        for bytes in [&feedback[..23], &feedback[..16], &[&feedback[..], &[0; 8]].concat()[..]] {
            assert_eq!(Segment::parse(bytes), Err(DecodeError::Length(bytes.len())));
        }
    }
}
