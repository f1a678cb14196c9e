//! What ns-2 writes of packets: round-trip times from data and acknowledgements at the sender, and drops.
//!
//! ```text
//! + 0.5 0 1 tcp 1040 ------- 0 0.0 2.0 0 0                                          wired: `trace-all`
//! s 0.5 _0_ AGT --- 0 tcp 1040 [0 0 0 0] ------- [0:0 2:0 32 0] [0 0] 0 0           wireless, the old format
//! s -t 0.5 -Hs 0 -Hd -2 ... -Nl AGT -Nw --- ... -Is 0.0 -Id 2.0 -It tcp -Il 1040 ... -Ii 0 ... -Ps 0    the new one
//! ```
//!
//! Spec      ns-2.35, trace/trace.cc and trace/cmu-trace.cc
//! Deviates  - data bytes are a packet's size less 40, the headers that ns-2's TCP counts
//!           - a packet that several lines drop (the MAC, then the router) is lost once
//! Holds     lines about anything but one-way TCP (`tcp`, `ack`) are left out

use std::collections::BTreeMap;

use hopwright_machine::Time;

use super::flows::{Flow, choose};
use super::line::{Line, check_end, lines};
use super::{NO_SAMPLE, Options, ReadError, text};
use crate::matching::Matcher;
use crate::trace::{Builder, Known, Trace};

/// IP's and TCP's headers, as ns-2 counts them.
const HEADERS: u64 = 40;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// It left its source.
    Sent,
    /// It reached its destination.
    Arrived,
    Dropped,
    /// It is under way.
    Elsewhere,
}

/// A line about a packet of TCP.
#[derive(Debug)]
struct Packet<'a> {
    what: What,
    is_ack: bool,
    from: End<'a>,
    to: End<'a>,
    bytes: u64,
    sequence: u64,
    uid: u64,
}

type End<'a> = (&'a str, &'a str);

pub(crate) fn is_line(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    match words[..] {
        ["s" | "r" | "f" | "d" | "D", "-t", time, ..] => is_number(time),
        ["s" | "r" | "f" | "D", time, node, ..] if node.starts_with('_') && node.ends_with('_') => is_number(time),
        ["+" | "-" | "r" | "d" | "e", time, a, b, ..] => [time, a, b].into_iter().all(is_number),
        // Nodes' places and movements stand before packets.
        ["M", time, ..] => is_number(time),
        _ => false,
    }
}

/// The time of a line, and the packet if it is one of TCP. `None`: of another kind.
fn parse<'a>(line: Line<'a>, words: &[&'a str]) -> Result<Option<(Time, Option<Packet<'a>>)>, ReadError> {
    match *words {
        [op @ ("s" | "r" | "f" | "d" | "D"), "-t", time, ref rest @ ..] => {
            Ok(Some((line.time(time)?, new_format(line, op, rest)?)))
        }
        [op @ ("s" | "r" | "f" | "D"), time, node, ref rest @ ..] if node.starts_with('_') => {
            Ok(Some((line.time(time)?, old_format(line, op, rest)?)))
        }
        [op @ ("+" | "-" | "r" | "d" | "e"), time, ref rest @ ..] => {
            Ok(Some((line.time(time)?, wired(line, op, rest)?)))
        }
        _ => Ok(None),
    }
}

fn is_ack(kind: &str) -> Option<bool> {
    match kind {
        "tcp" => Some(false),
        "ack" => Some(true),
        _ => None,
    }
}

/// `0.1`, and in the old wireless format `0:1`.
fn end<'a>(line: Line<'_>, word: &'a str) -> Result<End<'a>, ReadError> {
    word.rsplit_once(['.', ':']).ok_or_else(|| line.error(format!("'{word}' is no address with a port")))
}

fn wired<'a>(line: Line<'a>, op: &str, words: &[&'a str]) -> Result<Option<Packet<'a>>, ReadError> {
    let [from, to, kind, size, _flags, _flow, source, destination, sequence, uid, ..] = *words else {
        return Err(line.error("has fewer words than a line of a trace of packets: it was cut off"));
    };
    let Some(is_ack) = is_ack(kind) else { return Ok(None) };
    let (source, destination) = (end(line, source)?, end(line, destination)?);
    let what = match op {
        "+" if from == source.0 => What::Sent,
        "r" if to == destination.0 => What::Arrived,
        "d" | "e" => What::Dropped,
        _ => What::Elsewhere,
    };
    let bytes = line.whole(size, "the size")?.saturating_sub(HEADERS);
    let (sequence, uid) = (line.whole(sequence, "the sequence number")?, line.whole(uid, "the packet's number")?);
    Ok(Some(Packet { what, is_ack, from: source, to: destination, bytes, sequence, uid }))
}

fn of_wireless(op: &str, layer: &str) -> What {
    match (op, layer) {
        ("s", "AGT") => What::Sent,
        ("r", "AGT") => What::Arrived,
        ("D" | "d", _) => What::Dropped,
        _ => What::Elsewhere,
    }
}

fn old_format<'a>(line: Line<'a>, op: &str, words: &[&'a str]) -> Result<Option<Packet<'a>>, ReadError> {
    let cut = || line.error("has fewer words than a line of a wireless trace: it was cut off");
    let [layer, _why, uid, kind, size, ref rest @ ..] = *words else { return Err(cut()) };
    let Some(is_ack) = is_ack(kind) else { return Ok(None) };
    // After the MAC's four words: `-------`, then IP's in brackets, then TCP's.
    let ip = rest.iter().position(|word| *word == "-------").ok_or_else(cut)?;
    let [_, source, destination, _ttl, _next, sequence, _, ..] = rest[ip..] else { return Err(cut()) };
    let what = of_wireless(op, layer);
    let bytes = line.whole(size, "the size")?.saturating_sub(HEADERS);
    let sequence = line.whole(sequence.trim_start_matches('['), "the sequence number")?;
    Ok(Some(Packet {
        what,
        is_ack,
        from: end(line, source.trim_start_matches('['))?,
        to: end(line, destination)?,
        bytes,
        sequence,
        uid: line.whole(uid, "the packet's number")?,
    }))
}

fn new_format<'a>(line: Line<'a>, op: &str, words: &[&'a str]) -> Result<Option<Packet<'a>>, ReadError> {
    let value = |tag: &str| words.iter().position(|word| *word == tag).and_then(|place| words.get(place + 1)).copied();
    let needed = |tag: &str| value(tag).ok_or_else(|| line.error(format!("has no {tag}: it was cut off")));
    let layer = needed("-Nl")?;
    let Some(is_ack) = value("-It").and_then(is_ack) else { return Ok(None) };
    Ok(Some(Packet {
        what: of_wireless(op, layer),
        is_ack,
        from: end(line, needed("-Is")?)?,
        to: end(line, needed("-Id")?)?,
        bytes: line.whole(needed("-Il")?, "-Il")?.saturating_sub(HEADERS),
        sequence: line.whole(needed("-Ps")?, "-Ps")?,
        uid: line.whole(needed("-Ii")?, "-Ii")?,
    }))
}

/// Calls `each` for every packet of TCP.
fn packets<'a>(
    content: &'a str,
    mut each: impl FnMut(Line<'a>, Time, Packet<'a>) -> Result<(), ReadError>,
) -> Result<Time, ReadError> {
    check_end(content)?;
    let mut last = Time::ZERO;
    for line in lines(content) {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let Some((at, packet)) = parse(line, &words)? else { continue };
        line.after(at, &mut last)?;
        if let Some(packet) = packet {
            each(line, at, packet)?;
        }
    }
    Ok(last)
}

/// The connections, in the order in which they begin.
fn connections<'a>(content: &'a str) -> Result<Vec<(End<'a>, End<'a>, Flow)>, ReadError> {
    let mut order: Vec<(End<'_>, End<'_>)> = Vec::new();
    let mut sent: BTreeMap<(End<'_>, End<'_>), u64> = BTreeMap::new();
    packets(content, |_, _, packet| {
        if packet.what == What::Sent && !packet.is_ack {
            let ends = (packet.from, packet.to);
            *sent.entry(ends).or_insert_with(|| {
                order.push(ends);
                0
            }) += 1;
        }
        Ok(())
    })?;
    let flow = |(from, to): (End<'a>, End<'a>)| {
        let data = format!("{} packets with data", sent[&(from, to)]);
        (from, to, Flow { from: name(from), to: name(to), data })
    };
    Ok(order.into_iter().map(flow).collect())
}

fn name((node, port): End<'_>) -> String {
    format!("{node}:{port}")
}

pub(crate) fn read(content: &str, options: &Options) -> Result<Trace, ReadError> {
    let mut known = connections(content)?;
    let flows: Vec<Flow> = known.iter().map(|(.., flow)| flow.clone()).collect();
    let (from, to, flow) = known.swap_remove(choose(&flows, options.flow.as_ref())?);
    let mut matcher = Matcher::default();
    let mut builder = Builder::new(Known { sent: true, retransmitted: true, dropped: true });
    let mut bytes_of: BTreeMap<u64, u64> = BTreeMap::new();
    packets(content, |line, at, packet| {
        if packet.is_ack {
            if packet.what == What::Arrived && (packet.from, packet.to) == (to, from) {
                builder.lasts_until(at);
                if let Some(rtt) = matcher.acknowledged(at, packet.sequence + 1, None) {
                    builder.measured(at, rtt);
                }
            }
        } else if (packet.from, packet.to) == (from, to) {
            match packet.what {
                What::Sent => {
                    if bytes_of.insert(packet.uid, packet.bytes).is_some() {
                        return Err(line.error(format!("packet {} is sent twice", packet.uid)));
                    }
                    let again = matcher.sent(at, packet.sequence, packet.sequence + 1, None);
                    builder.sent(at, packet.bytes, again * packet.bytes);
                    builder.lasts_until(at);
                }
                // Taken out: whoever else drops it does not drop it again.
                What::Dropped => {
                    if let Some(bytes) = bytes_of.insert(packet.uid, 0).filter(|&bytes| bytes > 0) {
                        builder.dropped(at, bytes);
                    }
                }
                What::Arrived | What::Elsewhere => {}
            }
        }
        Ok(())
    })?;
    builder.finish(flow.name()).ok_or_else(|| ReadError::whole(NO_SAMPLE))
}

/// What was dropped of a connection, and when: for a trace of variables, which does not tell.
///
/// # Errors
/// What is wrong with the file, and where; or that it does not know the connection.
pub fn drops(content: &[u8], connection: &str) -> Result<Vec<(Time, u64)>, ReadError> {
    let content = text(content)?;
    if !lines(content).any(|line| is_line(line.text)) {
        return Err(ReadError::whole("is no trace of packets of ns-2"));
    }
    let known = connections(content)?;
    let Some((from, to, _)) = known.iter().find(|(.., flow)| flow.name() == connection) else {
        return Err(ReadError::whole(format!("has no packet of the connection {connection}")));
    };
    let mut bytes_of: BTreeMap<u64, u64> = BTreeMap::new();
    let mut dropped = Vec::new();
    packets(content, |_, at, packet| {
        if !packet.is_ack && (packet.from, packet.to) == (*from, *to) {
            match packet.what {
                What::Sent => drop(bytes_of.insert(packet.uid, packet.bytes)),
                What::Dropped => {
                    dropped.extend(bytes_of.insert(packet.uid, 0).filter(|&bytes| bytes > 0).map(|bytes| (at, bytes)));
                }
                What::Arrived | What::Elsewhere => {}
            }
        }
        Ok(())
    })?;
    Ok(dropped)
}

#[cfg(test)]
mod tests {
    use hopwright_machine::Duration;

    use super::*;

    const WIRED: &str = "\
+ 1 0 1 tcp 1040 ------- 0 0.0 2.0 0 0
+ 1.1 0 1 tcp 1040 ------- 0 0.0 2.0 1 1
d 1.15 1 2 tcp 1040 ------- 0 0.0 2.0 1 1
r 1.2 1 0 ack 40 ------- 0 2.0 0.0 0 2
+ 2 0 1 tcp 1040 ------- 0 0.0 2.0 1 3
r 2.25 1 0 ack 40 ------- 0 2.0 0.0 1 4
+ 2.3 0 1 tcp 1040 ------- 0 0.0 2.0 2 5
r 2.4 1 0 ack 40 ------- 0 2.0 0.0 2 6
+ 2.5 0 1 tcp 1040 ------- 0 0.0 2.0 3 7
";

    #[test]
    fn a_wired_trace_by_hand() {
        let trace = read(WIRED, &Options::default()).expect("good");
        let rtts: Vec<_> = trace.samples.iter().map(|sample| sample.rtt.as_nanos() / 1_000_000).collect();
        // The second packet was sent twice: its answer tells nothing.
        assert_eq!(rtts, [200, 100]);
        // Before the first sample 2000 bytes, of which 1000 were dropped; then the retransmission, and one more.
        assert_eq!(
            (trace.samples[0].sent, trace.samples[0].retransmitted, trace.samples[0].dropped),
            (4000, 1000, 1000)
        );
        assert_eq!((trace.samples[1].sent, trace.lifetime(1)), (1000, Duration::from_millis(100)));
        assert_eq!(drops(WIRED.as_bytes(), "0:0-2:0"), Ok(vec![(Time::from_secs_f64(1.15), 1000)]));
        assert!(drops(WIRED.as_bytes(), "0:1-2:0").is_err());
    }

    #[test]
    fn wireless_lines_of_both_formats_say_the_same() {
        let old = "\
s 1.0 _0_ AGT  --- 7 tcp 1040 [0 0 0 0] ------- [0:0 2:0 32 0] [4 0] 0 0
D 1.1 _1_ MAC  RET 7 tcp 1112 [13a 2 1 800] ------- [0:0 2:0 31 2] [4 0] 1 0
D 1.1 _1_ RTR  CBK 7 tcp 1060 [13a 2 1 800] ------- [0:0 2:0 31 2] [4 0] 1 0
r 1.5 _0_ AGT  --- 9 ack 60 [13a 0 1 800] ------- [2:0 0:0 31 0] [4 0] 2 0
";
        let new = "\
s -t 1.0 -Hs 0 -Hd -2 -Ni 0 -Nl AGT -Nw --- -Ma 0 -Is 0.0 -Id 2.0 -It tcp -Il 1040 -If 0 -Ii 7 -Iv 32 -Pn tcp -Ps 4 -Pa 0
d -t 1.1 -Hs 1 -Hd 2 -Ni 1 -Nl MAC -Nw RET -Ma 0 -Is 0.0 -Id 2.0 -It tcp -Il 1112 -If 0 -Ii 7 -Iv 31 -Pn tcp -Ps 4 -Pa 0
r -t 1.5 -Hs 0 -Hd 0 -Ni 0 -Nl AGT -Nw --- -Ma 0 -Is 2.0 -Id 0.0 -It ack -Il 60 -If 0 -Ii 9 -Iv 31 -Pn tcp -Ps 4 -Pa 0
";
        let read = |text: &str| read(text, &Options::default()).expect("good");
        assert_eq!(read(old), read(new));
        assert_eq!((read(old).samples[0].dropped, read(old).connection.as_str()), (1000, "0:0-2:0"));
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, expected) in [
            (
                "+ 1 0 1 tcp 1040 ------- 0 0.0 2.0 0 0\n+ 0.5 0 1 tcp 1040 ------- 0 0.0 2.0 1 1\n",
                "line 2: the time goes back",
            ),
            ("+ 1 0 1 tcp 1040 -------\n", "line 1: has fewer words"),
            ("+ 1 0 1 tcp 1040 ------- 0 0.0 2.0 0 0", "line 1: the file ends within this line"),
            ("+ 1 0 1 tcp x ------- 0 0.0 2.0 0 0\n", "line 1: the size is 'x'"),
            ("+ 1 0 1 tcp 1040 ------- 0 0.0 2.0 0 0\n", "has no round-trip time"),
            ("+ 1 0 1 cbr 1040 ------- 0 0.0 2.0 0 0\n", "has no connection that sends data"),
        ] {
            let error = read(text, &Options::default()).expect_err(text).to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
