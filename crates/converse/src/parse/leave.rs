//! Lines with `>`: what leaves.

use hopwright_machine::Duration;

use super::words::{Words, blocks, number, offset, pair};
use crate::mistake::Mistake;
use crate::script::{Deed, Detail, Expected, Leaves};

const KINDS: &str = "START:END, START:END+fin, fin N, ack N, syn, syn+options, syn-ack, rst, probe N, established, \
                     readable N, peer-closed, closed, reset, timed-out";

pub(super) fn leave(words: &mut Words<'_>) -> Result<Deed, Mistake> {
    let within = words.take("within", "a time")?.map_or(Ok(Duration::ZERO), super::time)?;
    let mut expected: Vec<Expected> = vec![];
    while words.peek().is_some() || expected.is_empty() {
        let word = words.next(KINDS)?;
        match (detail(word), expected.last_mut()) {
            (Some(detail), Some(last)) => last.details.push((detail, value(detail, words)?)),
            _ => expected.push(Expected { what: kind(word, words)?, details: vec![] }),
        }
    }
    Ok(Deed::Leave { expected, within })
}

fn kind(word: &str, words: &mut Words<'_>) -> Result<Leaves, Mistake> {
    Ok(match word {
        "ack" => Leaves::Ack(number(words.next("a number")?)?),
        "fin" => Leaves::Fin(number(words.next("a number")?)?),
        "probe" => Leaves::Probe(number(words.next("a number")?)?),
        "readable" => Leaves::Readable(number(words.next("a number of bytes")?)?),
        "syn" => Leaves::Syn { options: false },
        "syn+options" => Leaves::Syn { options: true },
        "syn-ack" => Leaves::SynAck,
        "rst" => Leaves::Rst,
        "established" => Leaves::Established,
        "peer-closed" => Leaves::PeerClosed,
        "closed" => Leaves::Closed,
        "reset" => Leaves::Reset,
        "timed-out" => Leaves::TimedOut,
        _ => {
            let (range, fin) = word.strip_suffix("+fin").map_or((word, false), |range| (range, true));
            let (start, end) = pair(range).map_err(|_| Mistake::new(word, KINDS))?;
            Leaves::Data { start, end, fin }
        }
    })
}

fn detail(word: &str) -> Option<Detail> {
    Some(match word {
        "seq" => Detail::Seq,
        "win" => Detail::Window,
        "ts" => Detail::Stamp,
        "ecr" => Detail::Echo,
        "sack" => Detail::Sack,
        "mss" => Detail::Mss,
        "scale" => Detail::Scale,
        "poll" => Detail::Poll,
        "period" => Detail::Period,
        "adsn" => Detail::DuplicateNumber,
        "tpsn" => Detail::PacketNumber,
        "ooo" => Detail::OutOfOrder,
        "eln" => Detail::LossNotice,
        "ect" => Detail::Capable,
        "ece" => Detail::Congestion,
        "cwr" => Detail::Reduced,
        _ => return None,
    })
}

/// A detail's value in the form in which it is compared.
fn value(detail: Detail, words: &mut Words<'_>) -> Result<String, Mistake> {
    let word = words.next("a value, or none")?;
    match detail {
        _ if word == "none" => Ok(word.into()),
        Detail::Seq => Ok((offset(word)? as i32).to_string()),
        Detail::Window | Detail::Mss => Ok(number::<u16>(word)?.to_string()),
        Detail::Poll if word == "asked" => Ok(word.into()),
        Detail::Poll => Err(Mistake::new(word, "asked, or none")),
        Detail::Stamp | Detail::Echo | Detail::Period => Ok(number::<u32>(word)?.to_string()),
        Detail::OutOfOrder | Detail::LossNotice | Detail::Capable | Detail::Congestion | Detail::Reduced => {
            if word == "yes" { Ok(word.into()) } else { Err(Mistake::new(word, "yes, or none")) }
        }
        Detail::PacketNumber => Ok(number::<u16>(word)?.to_string()),
        Detail::Scale | Detail::DuplicateNumber => Ok(number::<u8>(word)?.to_string()),
        Detail::Sack => blocks(word).map(|_| word.into()),
    }
}
