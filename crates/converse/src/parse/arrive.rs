//! Lines with `<`: what arrives.

use hopwright_wire::tcp::Flags;

use super::words::{LARGEST, Words, blocks, number, offset, range};
use crate::mistake::Mistake;
use crate::script::{Arrival, Arrives, Deed, Details};

const KINDS: &str = "ack N..., START:END..., fin N, syn, syn-ack, rst, raw FLAGS ..., fill, reopening ...";

pub(super) fn arrive(words: &mut Words<'_>) -> Result<Deed, Mistake> {
    // Bytes first: they may spell anything.
    let text = if words.peek() == Some("raw") { words.take("text", "bytes")? } else { None };
    let details = details(words)?;
    if words.peek() == Some("reopening") {
        return reopening(words, details);
    }
    let what = match words.next(KINDS)? {
        "fill" => return Ok(Deed::Fill),
        "ack" => Arrives::Acks(many(words, "a number", number)?),
        "fin" => {
            let at = number(words.next("the place of the FIN")?)?;
            let ack = words.take("ack", "a number")?.map(number).transpose()?;
            Arrives::Fin { at, ack }
        }
        "syn" => Arrives::Syn,
        "syn-ack" => Arrives::SynAck,
        "rst" => Arrives::Rst(words.peek().is_some().then(|| words.next("")).transpose()?.map(number).transpose()?),
        "raw" => raw(words, text.unwrap_or_default())?,
        first if first.contains(':') => {
            let mut ranges = vec![range(first)?];
            while words.peek().is_some() {
                ranges.push(range(words.next("START:END")?)?);
            }
            Arrives::Data(ranges)
        }
        other => return Err(Mistake::new(other, KINDS)),
    };
    Ok(Deed::Arrive(Arrival { what, details }))
}

fn many<T>(words: &mut Words<'_>, right: &str, read: fn(&str) -> Result<T, Mistake>) -> Result<Vec<T>, Mistake> {
    let mut all = vec![read(words.next(right)?)?];
    while words.peek().is_some() {
        all.push(read(words.next(right)?)?);
    }
    Ok(all)
}

fn details(words: &mut Words<'_>) -> Result<Details, Mistake> {
    Ok(Details {
        window: words.take("win", "a window")?.map(number).transpose()?,
        stamp: words.take("ts", "a timestamp")?.map(number).transpose()?,
        echo: words.take("ecr", "a timestamp")?.map(number).transpose()?,
        is_unstamped: words.take_word("no-ts"),
        is_urgent: words.take_word("urg"),
        is_loss_notice: words.take_word("eln"),
        sack: words.take("sack", "START:END,START:END")?.map(blocks).transpose()?.unwrap_or_default(),
        mss: words.take("mss", "a number of bytes")?.map(number).transpose()?,
        scale: words.take("scale", "a shift")?.map(number).transpose()?,
        is_poll: words.take_word("poll"),
        period: words.take("period", "a number of microseconds")?.map(number).transpose()?,
        duplicate_number: words.take("adsn", "a number")?.map(number).transpose()?,
        packet_number: words.take("tpsn", "a number")?.map(number).transpose()?,
        is_out_of_order: words.take_word("ooo"),
        is_marked: words.take_word("ce"),
        is_echo: words.take_word("ece"),
        is_reduced: words.take_word("cwr"),
    })
}

fn raw(words: &mut Words<'_>, text: &str) -> Result<Arrives, Mistake> {
    let letters = words.next("flags by letter, such as SA")?;
    let mut flags = Flags::default();
    for letter in letters.chars() {
        flags = flags.with(match letter {
            'S' => Flags::SYN,
            'A' => Flags::ACK,
            'F' => Flags::FIN,
            'R' => Flags::RST,
            'P' => Flags::PSH,
            'E' => Flags::ECE,
            'W' => Flags::CWR,
            _ => return Err(Mistake::new(letters, "flags by letter: S, A, F, R, P, E, W")),
        });
    }
    let seq = words.take("seq", "an offset")?.map_or(Ok(0), offset)?;
    let ack = words.take("ack", "an offset")?.map_or(Ok(0), offset)?;
    let length = words.take("len", "a number of bytes")?.map_or(Ok(0), number)?;
    let bytes = if text.is_empty() { length } else { u32::try_from(text.len()).unwrap_or(u32::MAX) };
    if bytes > LARGEST {
        return Err(Mistake::new(format!("len {bytes}"), "65000 bytes at most"));
    }
    Ok(Arrives::Raw { flags, seq, ack, bytes, text: text.into() })
}

fn reopening(words: &mut Words<'_>, details: Details) -> Result<Deed, Mistake> {
    let right = "reopening admitted seq N, or reopening refused seq N";
    words.next(right)?;
    let admitted = match words.next(right)? {
        "admitted" => true,
        "refused" => false,
        other => return Err(Mistake::new(other, right)),
    };
    let seq = words.take("seq", "an offset")?.map(offset).transpose()?;
    Ok(Deed::Reopening { admitted, seq: seq.ok_or_else(|| Mistake::new("reopening", right))?, details })
}
