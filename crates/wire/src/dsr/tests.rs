//! Headers to the byte, as the figures of RFC 4728 §6 draw them.

use hopwright_machine::{Address, NodeId};

use super::*;
use crate::notice;

const NEXT: u8 = 59; // no next header

fn address(n: u32) -> Address {
    NodeId(n - 1).address()
}

fn emitted(header: &Header) -> Vec<u8> {
    let mut bytes = Vec::new();
    header.emit(NEXT, &mut bytes);
    bytes
}

/// The header has these bytes, and these bytes are the header, whatever follows.
#[track_caller]
fn laid_out(header: &Header, bytes: &[u8]) {
    assert_eq!(emitted(header), bytes);
    assert_eq!(header.bytes() as usize, bytes.len());
    let mut followed = bytes.to_vec();
    followed.extend([1, 2, 3]);
    assert_eq!(Header::parse(&followed), Ok((header.clone(), NEXT, &[1, 2, 3][..])));
}

#[test]
fn request_is_laid_out_as_in_section_6_2() {
    let request = Request { id: 0x1234, target: address(9), addresses: vec![address(2), address(3)] };
    #[rustfmt::skip]
    laid_out(&Header::with(DsrOption::Request(request)), &[
        59, 0, 0, 16, // next header; F, reserved; payload length (§6.1)
        1, 14, 0x12, 0x34,
        10, 0, 0, 9,
        10, 0, 0, 2,  10, 0, 0, 3,
    ]);
}

#[test]
fn reply_is_laid_out_as_in_section_6_3() {
    let reply = Reply { last_hop_external: false, addresses: vec![address(2), address(9)] };
    #[rustfmt::skip]
    laid_out(&Header::with(DsrOption::Reply(reply)), &[
        59, 0, 0, 12,
        2, 9, 0,  10, 0, 0, 2,  10, 0, 0, 9,
        224, // Pad1 (§6.8)
    ]);
    let external = Reply { last_hop_external: true, addresses: vec![address(9)] };
    laid_out(&Header::with(DsrOption::Reply(external)), &[59, 0, 0, 8, 2, 5, 0x80, 10, 0, 0, 9, 224]);
}

#[test]
fn error_is_laid_out_as_in_section_6_4() {
    let error =
        |kind| Header::with(DsrOption::Error(Error { salvage: 3, source: address(4), destination: address(1), kind }));
    #[rustfmt::skip]
    laid_out(&error(ErrorKind::NodeUnreachable(address(5))), &[
        59, 0, 0, 16,
        3, 14, 1, 3,
        10, 0, 0, 4,  10, 0, 0, 1,  10, 0, 0, 5,
    ]);
    #[rustfmt::skip]
    laid_out(&error(ErrorKind::FlowStateNotSupported), &[59, 0, 0, 12, 3, 10, 2, 3, 10, 0, 0, 4, 10, 0, 0, 1]);
    #[rustfmt::skip]
    laid_out(&error(ErrorKind::OptionNotSupported(77)), &[
        59, 0, 0, 16,
        3, 11, 3, 3,
        10, 0, 0, 4,  10, 0, 0, 1,  77,
        0, 1, 0, // PadN (§6.9)
    ]);
    #[rustfmt::skip]
    laid_out(&error(ErrorKind::UnknownFlow { destination: address(9), id: 7 }), &[
        59, 0, 0, 20,
        3, 16, 129, 3,
        10, 0, 0, 4,  10, 0, 0, 1,  10, 0, 0, 9,  0, 7,
        0, 0, // PadN without data
    ]);
    #[rustfmt::skip]
    laid_out(&error(ErrorKind::DefaultFlowUnknown(address(9))), &[
        59, 0, 0, 16,
        3, 14, 130, 3,
        10, 0, 0, 4,  10, 0, 0, 1,  10, 0, 0, 9,
    ]);
}

#[test]
fn acknowledgements_are_laid_out_as_in_sections_6_5_and_6_6() {
    laid_out(&Header::with(DsrOption::AcknowledgementRequest(0xabcd)), &[59, 0, 0, 4, 160, 2, 0xab, 0xcd]);
    let acknowledgement = Acknowledgement { id: 0xabcd, source: address(2), destination: address(1) };
    #[rustfmt::skip]
    laid_out(&Header::with(DsrOption::Acknowledgement(acknowledgement)), &[
        59, 0, 0, 12,
        32, 10, 0xab, 0xcd,
        10, 0, 0, 2,  10, 0, 0, 1,
    ]);
}

#[test]
fn source_route_is_laid_out_as_in_section_6_7() {
    let route = SourceRoute { salvage: 15, segments_left: 1, ..SourceRoute::over(vec![address(2), address(3)]) };
    #[rustfmt::skip]
    laid_out(&Header::with(DsrOption::SourceRoute(route.clone())), &[
        59, 0, 0, 12,
        96, 10, 0b0000_0011, 0b1100_0001, // F L Reserved(4) Salvage(4) Segs Left(6)
        10, 0, 0, 2,  10, 0, 0, 3,
    ]);
    assert_eq!(route.next(), Some(address(3)));
    let flags = SourceRoute { first_hop_external: true, last_hop_external: true, ..SourceRoute::default() };
    laid_out(&Header::with(DsrOption::SourceRoute(flags.clone())), &[59, 0, 0, 4, 96, 2, 0b1100_0000, 0]);
    assert_eq!(flags.next(), None);
    assert_eq!(SourceRoute { segments_left: 9, ..SourceRoute::over(vec![address(2)]) }.next(), None);
}

#[test]
fn a_flow_state_header_stands_alone_or_before_the_options() {
    let flow = Some(Flow { hop_count: 5, id: 0x0102 });
    laid_out(&Header { flow, options: Vec::new() }, &[59, 0x85, 1, 2]);
    laid_out(&Header { flow, options: vec![DsrOption::Timeout(60)] }, &[48, 0x85, 1, 2, 59, 0, 0, 4, 128, 2, 0, 60]);
}

/// §6 (and IANA's registry): the high bits are Unk and Act. Whoever does not know a notice passes it on unread and
/// reports nothing; no number of the registry is taken.
#[test]
fn a_notice_has_a_type_that_strangers_ignore() {
    let ends = notice::Flow { source: address(1), destination: address(9), source_port: 1, destination_port: 2 };
    let notice = Notice { kind: notice::Kind::Elfn, hops: 0, id: 1, flow: ends, seq: crate::tcp::Seq(7) };
    let header = Header::with(DsrOption::Notice(notice));
    let bytes = emitted(&header);
    assert_eq!(Header::parse(&bytes), Ok((header, NEXT, &[][..])));
    let kind = bytes[4];
    assert_eq!((kind >> 7, kind >> 5 & 3), (0, 0b00), "Unk, Act");
    assert!(![0, 1, 2, 3].contains(&kind), "assigned");
}

#[test]
fn padding_is_skipped_and_unknown_options_are_kept() {
    let bytes = [6, 0, 0, 12, 224, 224, 0, 2, 9, 9, 122, 3, 1, 2, 3, 224];
    let other = DsrOption::Other { kind: 122, data: vec![1, 2, 3] };
    assert_eq!(Header::parse(&bytes), Ok((Header::with(other), 6, &[][..])));
    assert_eq!(Header::parse(&[6, 0, 0, 0, 1]), Ok((Header::default(), 6, &[1][..])));
}

#[test]
fn bad_bytes_are_refused() {
    for cut in [&[][..], &[59, 0, 0], &[59, 0, 0, 4, 96, 2, 0], &[48, 0x80, 0, 1], &[59, 0, 0, 4, 0, 0, 0, 9]] {
        assert_eq!(Header::parse(cut), Err(DecodeError::Truncated), "{cut:?}");
    }
    assert_eq!(Header::parse(&[59, 0, 0, 3, 0, 1, 0]), Err(DecodeError::Unaligned(3)));
    for twice in [&[48, 0, 0, 0][..], &[48, 0x80, 0, 1, 59, 0x80, 0, 1], &[48, 0x80, 0, 1, 48, 0, 0, 0]] {
        assert_eq!(Header::parse(twice), Err(DecodeError::SecondHeader), "{twice:?}");
    }
    for (kind, length) in [(1, 2), (1, 8), (2, 0), (2, 1), (2, 6), (3, 9), (3, 13), (32, 2), (96, 1), (96, 5), (160, 6)]
    {
        let mut bytes = vec![59, 0, 0, 16, kind, length, 1];
        bytes.extend([0; 13]);
        assert_eq!(Header::parse(&bytes), Err(DecodeError::OptionLength(kind)), "type {kind} with {length}");
    }
    assert_eq!(Header::parse(&[59, 0, 0, 12, 3, 10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]), Err(DecodeError::OptionLength(3)));
}
