//! Holds a conversation: plays the peer and the application, and compares what leaves with the script.

use core::fmt;
use std::collections::VecDeque;
use std::fmt::Write as _;

use hopwright_machine::{Duration, Time};
use hopwright_transport::{Output, Params, Role};
use hopwright_wire::tcp::Flags;

use crate::describe;
use crate::engine::is_segment;
use crate::peer::Peer;
use crate::script::{Action, Arrival, Arrives, Deed, Details, Expected, Leaves, Line, Name, Script};
use crate::subject::{Heard, Subject, Tolerance, ZERO};

/// Where the subject left the script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// What was wrong.
    pub what: String,
    /// The conversation up to there.
    pub said: String,
    /// How late we ourselves were at the worst, where time is real. Beyond some tens of milliseconds the machine was
    /// too busy to hold this conversation, and its failure says nothing.
    pub lag: Duration,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.what, self.said)
    }
}

impl core::error::Error for Failure {}

/// Holds the conversation with a subject; `params` are those it was made with, before the script's own.
///
/// # Errors
/// The first thing that is not as the script says.
pub fn converse(script: &Script, params: &Params, subject: &mut dyn Subject) -> Result<(), Failure> {
    let params = script.setup.params(params.clone());
    let peer = Peer::new(&params, &script.setup);
    let mut talk = Talk { subject, peer, heard: VecDeque::new(), surplus: 0, said: String::new(), lag: Duration::ZERO };
    let end = |talk: &Talk<'_>, what| Failure { what, said: talk.said.clone(), lag: talk.lag };
    if !script.opens()
        && let Err(what) = talk.shake_hands(script.setup.role)
    {
        return Err(end(&talk, what));
    }
    for line in &script.lines {
        let _ = writeln!(talk.said, "{}", line.text);
        if let Err(what) = talk.line(line) {
            return Err(end(&talk, format!("line {}: {}\n  {what}", line.number, line.text)));
        }
    }
    let late = talk.tolerance().late;
    talk.listen(talk.subject.now() + late, false);
    talk.expect_silence().map_err(|what| end(&talk, format!("at the end\n  {what}")))
}

struct Talk<'a> {
    subject: &'a mut dyn Subject,
    peer: Peer,
    heard: VecDeque<Heard>,
    /// Bytes that were readable beyond what the script has asked for so far.
    surplus: u32,
    /// How late we were so far at the worst: what the subject says may be late by as much.
    lag: Duration,
    /// The conversation so far, for failures.
    said: String,
}

impl Talk<'_> {
    /// A handshake of 100 ms that ends at the script's zero.
    fn shake_hands(&mut self, role: Role) -> Result<(), String> {
        let zero = Time::ZERO + ZERO;
        let at = Time::ZERO + ZERO.saturating_sub(Duration::from_millis(100));
        self.listen(at, false);
        self.subject.act(&Action::Open);
        let arrival = |what| Arrival { what, details: Details::default() };
        if role == Role::Passive {
            self.arrive(&arrival(Arrives::Syn));
        }
        self.listen(zero, false);
        let last = if role == Role::Passive { Arrives::Acks(vec![0]) } else { Arrives::SynAck };
        self.arrive(&arrival(last));
        let is_third = |o: &Output| matches!(o, Output::Segment(s) if s.flags == Flags::ACK);
        let limit = self.subject.now() + self.tolerance().late;
        loop {
            let has = |wanted: &dyn Fn(&Output) -> bool| self.heard.iter().any(|heard| wanted(&heard.output));
            if has(&|o| *o == Output::Established) && (role == Role::Passive || has(&is_third)) {
                break;
            }
            if self.subject.now() >= limit {
                break;
            }
            self.listen(limit, true);
        }
        self.heard.clear();
        match self.subject.value(Name::State).as_deref() {
            Some("Established") | None => Ok(()),
            Some(state) => Err(format!("the handshake ends in {state}")),
        }
    }

    fn tolerance(&self) -> Tolerance {
        self.subject.tolerance().unwrap_or(Tolerance { early: Duration::ZERO, late: Duration::ZERO })
    }

    fn listen(&mut self, until: Time, briefly: bool) {
        let known = self.heard.len();
        self.subject.listen(until, briefly, &mut self.heard);
        for heard in self.heard.iter_mut().skip(known) {
            if let Output::Segment(segment) = &mut heard.output {
                self.peer.hear(segment);
            }
            let _ = writeln!(self.said, "    {} -> {}", stamp(heard.at), describe::whole(&heard.output));
        }
    }

    fn line(&mut self, line: &Line) -> Result<(), String> {
        let at = Time::ZERO + ZERO + line.at;
        self.listen(at, false);
        if !matches!(line.deed, Deed::Leave { .. }) {
            self.lag = self.lag.max(self.subject.now().since(at));
            self.lag = self.lag.max(self.subject.lag());
            self.expect_silence()?;
        }
        match &line.deed {
            Deed::Do(action) => self.act(action),
            Deed::Arrive(arrival) => self.arrive(arrival),
            Deed::Fill => self.fill()?,
            Deed::Reopening { admitted, seq, details } => {
                let syn = self.peer.reopening(*seq, details);
                if self.subject.admits_reopening(&syn).is_some_and(|verdict| verdict != *admitted) {
                    return Err(format!("it was {}", if *admitted { "refused" } else { "admitted" }));
                }
            }
            Deed::Leave { expected, within } => {
                for expected in expected {
                    self.expect(expected, at, *within)?;
                }
            }
            Deed::Hold(pairs) => {
                for (name, value) in pairs {
                    self.hold(*name, value)?;
                }
            }
        }
        Ok(())
    }

    fn act(&mut self, action: &Action) {
        self.subject.act(action);
        self.listen(self.subject.now(), false);
    }

    fn arrive(&mut self, arrival: &Arrival) {
        for (segment, data) in self.peer.segments(arrival) {
            self.subject.arrive(&segment, &data);
            self.listen(self.subject.now(), false);
        }
    }

    /// The peer sends until the window is closed. What is said meanwhile of what arrived is not looked at.
    fn fill(&mut self) -> Result<(), String> {
        let said = self.said.len();
        for _ in 0..MOST {
            match self.peer.fills() {
                Some(segment) => {
                    self.subject.arrive(&segment, &[]);
                    self.listen(self.subject.now(), false);
                }
                None => {
                    self.listen(self.subject.now() + self.tolerance().late, false);
                    if self.peer.is_shut_out() {
                        self.peer.count_from_here();
                        self.said.truncate(said); // nobody wants to read all that
                        self.heard.retain(|heard| !is_receipt(&heard.output));
                        return Ok(());
                    }
                }
            }
            self.heard.retain(|heard| !is_receipt(&heard.output));
        }
        Err("the window does not close".into())
    }

    fn expect(&mut self, expected: &Expected, at: Time, within: Duration) -> Result<(), String> {
        let Tolerance { early, late } = self.tolerance();
        let is_exact = self.subject.tolerance().is_none();
        let deadline = at + self.lag + within + late;
        if let (Leaves::Readable(bytes), false) = (expected.what, is_exact) {
            return self.expect_bytes(bytes, deadline);
        }
        let is_news = matches!(
            expected.what,
            Leaves::Established | Leaves::PeerClosed | Leaves::Closed | Leaves::Reset | Leaves::TimedOut
        );
        let found = loop {
            let alike = |heard: &Heard| is_exact || is_segment(&heard.output) != is_news;
            if let Some(found) = self.heard.iter().position(alike) {
                break self.heard.remove(found);
            }
            self.lag = self.lag.max(self.subject.lag());
            if self.subject.now() >= deadline {
                break None;
            }
            self.listen(deadline, true);
        };
        let Some(Heard { at: found_at, output }) = found else { return Err(format!("nothing left, not {expected}")) };
        let text = describe::whole(&output);
        if !describe::is_kind(&output, expected.what) {
            return Err(format!("{text} left at {}, not {expected}", stamp(found_at)));
        }
        for (detail, wanted) in &expected.details {
            if !self.subject.agrees(*detail, &describe::detail(&output, *detail), wanted) {
                return Err(format!("{text} left, not {expected}"));
            }
        }
        self.lag = self.lag.max(self.subject.lag());
        if found_at + early < at || found_at > at + self.lag + within + late {
            return Err(format!("{text} left at {}", stamp(found_at)));
        }
        Ok(())
    }

    /// So many bytes more become readable, in whatever pieces.
    fn expect_bytes(&mut self, bytes: u32, deadline: Time) -> Result<(), String> {
        loop {
            let mut found = self.surplus;
            self.heard.retain(|heard| {
                let Output::Readable(more) = heard.output else { return true };
                found = found.saturating_add(more);
                false
            });
            self.surplus = found;
            if let Some(rest) = found.checked_sub(bytes) {
                self.surplus = rest;
                return Ok(());
            }
            if self.subject.now() >= deadline {
                return Err(format!("only {found} bytes are readable"));
            }
            self.listen(deadline, true);
        }
    }

    fn hold(&mut self, name: Name, wanted: &str) -> Result<(), String> {
        let limit = self.subject.now() + self.tolerance().late;
        loop {
            match self.subject.value(name) {
                Some(found) if found != wanted => {
                    if self.subject.now() >= limit {
                        return Err(format!("it is {found}, not {wanted}"));
                    }
                }
                _ => return Ok(()),
            }
            let step = self.subject.now() + Duration::from_millis(5);
            self.listen(step, false);
        }
    }

    /// Nothing has left that the script does not mention.
    fn expect_silence(&self) -> Result<(), String> {
        if let Some(heard) = self.heard.front() {
            let text = describe::whole(&heard.output);
            return Err(format!("at {} nobody expected {text}", stamp(heard.at)));
        }
        if self.surplus > 0 { Err(format!("nobody expected {} readable bytes", self.surplus)) } else { Ok(()) }
    }
}

/// Segments, or waits for room, after which the window should be closed.
const MOST: usize = 10_000;

/// Whether this only says that something arrived.
fn is_receipt(output: &Output) -> bool {
    matches!(output, Output::Readable(_)) || matches!(output, Output::Segment(segment) if segment.is_pure_ack())
}

fn stamp(time: Time) -> String {
    let us = i128::from(time.as_nanos() / 1000) - i128::from(ZERO.as_nanos() / 1000);
    format!("{}{}.{:03}ms", if us < 0 { "-" } else { "" }, us.abs() / 1000, us.abs() % 1000)
}
