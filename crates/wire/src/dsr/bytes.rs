//! The bytes of DSR headers.
//!
//! Spec      RFC 4728 §6, §7.1 to §7.3
//! Deviates  see the parent module
//! Holds     see the parent module

use hopwright_machine::Address;

use crate::notice::{self, Notice};

use super::{
    Acknowledgement, DecodeError, DsrOption, Error, ErrorKind, FIXED_BYTES, Flow, Header, PROTOCOL, Reply, Request,
    SourceRoute,
};

const PAD_N: u8 = 0;
const REQUEST: u8 = 1;
const REPLY: u8 = 2;
const ERROR: u8 = 3;
const ACKNOWLEDGEMENT: u8 = 32;
const SOURCE_ROUTE: u8 = 96;
/// A number that no RFC assigns, with the three high bits zero (§6: Unk 0, Act 00): a node that does not know the
/// option ignores it, passes it on and reports nothing.
const NOTICE: u8 = 0b0001_1011;
const TIMEOUT: u8 = 128;
const ACKNOWLEDGEMENT_REQUEST: u8 = 160;
const PAD_1: u8 = 224;

const NODE_UNREACHABLE: u8 = 1;
const FLOW_STATE_NOT_SUPPORTED: u8 = 2;
const OPTION_NOT_SUPPORTED: u8 = 3;
const UNKNOWN_FLOW: u8 = 129;
const DEFAULT_FLOW_UNKNOWN: u8 = 130;

/// The F bit that tells a Flow State header from the fixed portion of an Options header (§6.1, §7.1).
const FLOW_STATE: u8 = 0x80;

impl DsrOption {
    /// Option Type.
    #[must_use]
    pub const fn kind(&self) -> u8 {
        match self {
            Self::Request(_) => REQUEST,
            Self::Reply(_) => REPLY,
            Self::Error(_) => ERROR,
            Self::AcknowledgementRequest(_) => ACKNOWLEDGEMENT_REQUEST,
            Self::Acknowledgement(_) => ACKNOWLEDGEMENT,
            Self::SourceRoute(_) => SOURCE_ROUTE,
            Self::Timeout(_) => TIMEOUT,
            Self::Notice(_) => NOTICE,
            Self::Other { kind, .. } => *kind,
        }
    }

    /// The length of the option, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u32 {
        match self {
            Self::Request(request) => 8 + 4 * request.addresses.len() as u32,
            Self::Reply(reply) => 3 + 4 * reply.addresses.len() as u32,
            Self::Error(error) => 12 + error.kind.bytes(),
            Self::AcknowledgementRequest(_) | Self::Timeout(_) => 4,
            Self::Acknowledgement(_) => 12,
            Self::SourceRoute(route) => 4 + 4 * route.addresses.len() as u32,
            Self::Notice(_) => 2 + notice::BYTES,
            Self::Other { data, .. } => 2 + data.len() as u32,
        }
    }

    fn emit(&self, out: &mut Vec<u8>) {
        out.extend([self.kind(), (self.bytes() - 2) as u8]);
        match self {
            Self::Request(request) => {
                out.extend(request.id.to_be_bytes());
                put(out, &[request.target]);
                put(out, &request.addresses);
            }
            Self::Reply(reply) => {
                out.push((reply.last_hop_external as u8) << 7);
                put(out, &reply.addresses);
            }
            Self::Error(error) => {
                out.extend([error.kind.number(), error.salvage & 15]);
                put(out, &[error.source, error.destination]);
                error.kind.emit(out);
            }
            Self::AcknowledgementRequest(word) | Self::Timeout(word) => out.extend(word.to_be_bytes()),
            Self::Acknowledgement(acknowledgement) => {
                out.extend(acknowledgement.id.to_be_bytes());
                put(out, &[acknowledgement.source, acknowledgement.destination]);
            }
            Self::SourceRoute(route) => {
                let flags = (route.first_hop_external as u16) << 15 | (route.last_hop_external as u16) << 14;
                let counts = u16::from(route.salvage & 15) << 6 | u16::from(route.segments_left & 63);
                out.extend((flags | counts).to_be_bytes());
                put(out, &route.addresses);
            }
            Self::Notice(notice) => out.extend(notice.emit()),
            Self::Other { data, .. } => out.extend(data),
        }
    }

    fn parse(kind: u8, data: &[u8]) -> Result<Self, DecodeError> {
        let wrong = || DecodeError::OptionLength(kind);
        let word = |at: usize| data.get(at..at + 2).map(|b| u16::from_be_bytes([b[0], b[1]])).ok_or_else(wrong);
        Ok(match kind {
            REQUEST => {
                let all = addresses(data.get(2..).unwrap_or_default()).ok_or_else(wrong)?;
                let (&target, rest) = all.split_first().ok_or_else(wrong)?;
                Self::Request(Request { id: word(0)?, target, addresses: rest.to_vec() })
            }
            REPLY => {
                let (&flags, rest) = data.split_first().ok_or_else(wrong)?;
                let addresses = addresses(rest).filter(|all| !all.is_empty()).ok_or_else(wrong)?;
                Self::Reply(Reply { last_hop_external: flags & 0x80 != 0, addresses })
            }
            ERROR => {
                let ends = addresses(data.get(2..10).ok_or_else(wrong)?).ok_or_else(wrong)?;
                let kind = ErrorKind::parse(data[0], &data[10..]).ok_or_else(wrong)?;
                Self::Error(Error { salvage: data[1] & 15, source: ends[0], destination: ends[1], kind })
            }
            ACKNOWLEDGEMENT_REQUEST if data.len() == 2 => Self::AcknowledgementRequest(word(0)?),
            TIMEOUT if data.len() == 2 => Self::Timeout(word(0)?),
            ACKNOWLEDGEMENT if data.len() == 10 => {
                let ends = addresses(&data[2..]).ok_or_else(wrong)?;
                Self::Acknowledgement(Acknowledgement { id: word(0)?, source: ends[0], destination: ends[1] })
            }
            ACKNOWLEDGEMENT_REQUEST | TIMEOUT | ACKNOWLEDGEMENT => return Err(wrong()),
            SOURCE_ROUTE => {
                let counts = word(0)?;
                Self::SourceRoute(SourceRoute {
                    first_hop_external: counts & 0x8000 != 0,
                    last_hop_external: counts & 0x4000 != 0,
                    salvage: (counts >> 6 & 15) as u8,
                    segments_left: (counts & 63) as u8,
                    addresses: addresses(&data[2..]).ok_or_else(wrong)?,
                })
            }
            NOTICE => Self::Notice(Notice::parse(data).map_err(|_| wrong())?),
            kind => Self::Other { kind, data: data.to_vec() },
        })
    }
}

impl ErrorKind {
    const fn number(&self) -> u8 {
        match self {
            Self::NodeUnreachable(_) => NODE_UNREACHABLE,
            Self::FlowStateNotSupported => FLOW_STATE_NOT_SUPPORTED,
            Self::OptionNotSupported(_) => OPTION_NOT_SUPPORTED,
            Self::UnknownFlow { .. } => UNKNOWN_FLOW,
            Self::DefaultFlowUnknown(_) => DEFAULT_FLOW_UNKNOWN,
            Self::Other { kind, .. } => *kind,
        }
    }

    /// The length of the type-specific information.
    fn bytes(&self) -> u32 {
        match self {
            Self::NodeUnreachable(_) | Self::DefaultFlowUnknown(_) => 4,
            Self::FlowStateNotSupported => 0,
            Self::OptionNotSupported(_) => 1,
            Self::UnknownFlow { .. } => 6,
            Self::Other { data, .. } => data.len() as u32,
        }
    }

    fn emit(&self, out: &mut Vec<u8>) {
        match self {
            Self::NodeUnreachable(address) | Self::DefaultFlowUnknown(address) => put(out, &[*address]),
            Self::FlowStateNotSupported => {}
            Self::OptionNotSupported(kind) => out.push(*kind),
            Self::UnknownFlow { destination, id } => {
                put(out, &[*destination]);
                out.extend(id.to_be_bytes());
            }
            Self::Other { data, .. } => out.extend(data),
        }
    }

    fn parse(kind: u8, data: &[u8]) -> Option<Self> {
        let address = |bytes: &[u8]| addresses(bytes)?.first().copied();
        Some(match (kind, data.len()) {
            (NODE_UNREACHABLE, 4) => Self::NodeUnreachable(address(data)?),
            (FLOW_STATE_NOT_SUPPORTED, 0) => Self::FlowStateNotSupported,
            (OPTION_NOT_SUPPORTED, 1) => Self::OptionNotSupported(data[0]),
            (UNKNOWN_FLOW, 6) => {
                Self::UnknownFlow { destination: address(&data[..4])?, id: u16::from_be_bytes([data[4], data[5]]) }
            }
            (DEFAULT_FLOW_UNKNOWN, 4) => Self::DefaultFlowUnknown(address(data)?),
            (
                NODE_UNREACHABLE
                | FLOW_STATE_NOT_SUPPORTED
                | OPTION_NOT_SUPPORTED
                | UNKNOWN_FLOW
                | DEFAULT_FLOW_UNKNOWN,
                _,
            ) => return None,
            (kind, _) => Self::Other { kind, data: data.to_vec() },
        })
    }
}

impl Header {
    /// Appends the header; behind it comes what `next_header` names (an IP protocol number).
    ///
    /// # Panics
    /// If an option is longer than its length field can say.
    pub fn emit(&self, next_header: u8, out: &mut Vec<u8>) {
        let alone = self.flow.is_some() && self.options.is_empty();
        if let Some(flow) = self.flow {
            out.extend([if alone { next_header } else { PROTOCOL }, FLOW_STATE | flow.hop_count]);
            out.extend(flow.id.to_be_bytes());
        }
        if alone {
            return;
        }
        let bytes = self.option_bytes();
        let payload = u16::try_from(bytes.next_multiple_of(4)).expect("options of at most 65535 bytes");
        out.extend([next_header, 0]);
        out.extend(payload.to_be_bytes());
        for option in &self.options {
            assert!(option.bytes() <= 257, "an option's length has eight bits");
            option.emit(out);
        }
        match bytes.next_multiple_of(4) - bytes {
            0 => {}
            1 => out.push(PAD_1),
            more => {
                out.extend([PAD_N, (more - 2) as u8]);
                out.extend(std::iter::repeat_n(0, (more - 2) as usize));
            }
        }
    }

    /// Reads a header; says what comes behind it and where.
    ///
    /// # Errors
    /// If the bytes are no whole DSR header.
    pub fn parse(bytes: &[u8]) -> Result<(Self, u8, &[u8]), DecodeError> {
        let (first, rest) = fixed_portion(bytes)?;
        let number = u16::from_be_bytes([first[2], first[3]]);
        let (header, next, rest) = if first[1] & FLOW_STATE == 0 {
            let (options, rest) = parse_options(number, rest)?;
            (Self { flow: None, options }, first[0], rest)
        } else {
            let flow = Some(Flow { hop_count: first[1] & !FLOW_STATE, id: number });
            if first[0] == PROTOCOL {
                let (second, rest) = fixed_portion(rest)?;
                if second[1] & FLOW_STATE != 0 {
                    return Err(DecodeError::SecondHeader);
                }
                let (options, rest) = parse_options(u16::from_be_bytes([second[2], second[3]]), rest)?;
                (Self { flow, options }, second[0], rest)
            } else {
                (Self { flow, options: Vec::new() }, first[0], rest)
            }
        };
        if next == PROTOCOL {
            return Err(DecodeError::SecondHeader);
        }
        Ok((header, next, rest))
    }
}

type Fixed = [u8; FIXED_BYTES as usize];

fn fixed_portion(bytes: &[u8]) -> Result<(&Fixed, &[u8]), DecodeError> {
    bytes.split_first_chunk().ok_or(DecodeError::Truncated)
}

fn parse_options(length: u16, bytes: &[u8]) -> Result<(Vec<DsrOption>, &[u8]), DecodeError> {
    if !length.is_multiple_of(4) {
        return Err(DecodeError::Unaligned(length));
    }
    let (mut left, rest) = bytes.split_at_checked(usize::from(length)).ok_or(DecodeError::Truncated)?;
    let mut options = Vec::new();
    while let Some((&kind, behind)) = left.split_first() {
        if kind == PAD_1 {
            left = behind;
            continue;
        }
        let (&length, behind) = behind.split_first().ok_or(DecodeError::Truncated)?;
        let (data, behind) = behind.split_at_checked(usize::from(length)).ok_or(DecodeError::Truncated)?;
        if kind != PAD_N {
            options.push(DsrOption::parse(kind, data)?);
        }
        left = behind;
    }
    Ok((options, rest))
}

fn put(out: &mut Vec<u8>, addresses: &[Address]) {
    out.extend(addresses.iter().flat_map(|address| address.0.to_be_bytes()));
}

/// The addresses in these bytes, if they are whole.
fn addresses(bytes: &[u8]) -> Option<Vec<Address>> {
    let (words, rest) = bytes.as_chunks::<4>();
    rest.is_empty().then(|| words.iter().map(|word| Address(u32::from_be_bytes(*word))).collect())
}
