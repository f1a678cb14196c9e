//! What senders do about losses, marks and news, and what led to it.

use std::io::Write;

use hopwright_machine::{NodeId, Time};
use hopwright_transport::adaptation::Change;
use hopwright_transport::{Phase, Public};

use super::Lineage;
use super::flows::Seen;
use super::row::{Blame, Row};
use super::story::Event;

impl<W: Write + Send> Lineage<W> {
    /// The triggers of a flow did something.
    pub(super) fn adapted(&mut self, at: Time, node: NodeId, number: usize, change: &Change) {
        let cause = match change {
            Change { refused: Some(_), .. } => "refused",
            Change { is_back: true, .. } => "back",
            _ => "fired",
        };
        let detail = Some(change.to_string().into());
        let row = Row { flow: Some(number), cause: Some(cause), detail, ..self.row(at, "adapt", node) };
        let event = self.matters(row, self.trigger(at, node));
        self.flows[number].adapted = Some((at, event));
    }

    /// The sender of a flow shows how it stands: what it did about what.
    pub(super) fn sender(&mut self, at: Time, node: NodeId, number: usize, public: &Public) {
        let now = Seen::of(public);
        let flow = &mut self.flows[number];
        flow.acknowledged(public.una);
        let before = std::mem::replace(&mut flow.seen, now);
        // What a window was cut for: the reaction of this instant.
        let mut cut = None;
        if now.timeouts > before.timeouts {
            cut = Some(self.reacts(at, node, number, "rto", public, &before));
        } else if now.fast_retransmits > before.fast_retransmits {
            cut = Some(self.reacts(at, node, number, "fast_retransmit", public, &before));
        } else if now.echo_cuts > before.echo_cuts {
            cut = Some(("mark", Blame::default(), self.trigger(at, node)));
        }
        let is_frozen = |seen: &Seen| seen.phase == Phase::Frozen;
        if now.freezes > before.freezes || is_frozen(&now) != is_frozen(&before) {
            let kind = if is_frozen(&now) { "freeze" } else { "thaw" };
            let row = Row { flow: Some(number), ..self.row(at, kind, node) };
            let event = self.matters(row, self.trigger(at, node));
            if cut.is_none() {
                self.flows[number].answer = Some((Event::clone(&event), Blame::default()));
                cut = Some((kind, Blame::default(), Some(event)));
            }
        }
        if now.cwnd < before.cwnd && before.cwnd > 0.0 {
            // At the end of a recovery, the window is set to what the loss left of it.
            let answer = self.flows[number].answer.clone().filter(|_| before.phase == Phase::Recovery);
            let recovery = answer.map(|(event, blame)| ("recovery", blame, Some(event)));
            let adapted = self.flows[number].adapted.take().filter(|(when, _)| *when == at);
            let adapted = adapted.map(|(_, event)| ("adapted", Blame::default(), Some(event)));
            let own = || ("own_measure", Blame::default(), self.trigger(at, node));
            let (cause, blame, because) = cut.or(recovery).or(adapted).unwrap_or_else(own);
            let segments = |bytes: f64| bytes / self.segment_bytes[number];
            let window = Some(Box::new((segments(before.cwnd), segments(now.cwnd))));
            let row = self.row(at, "cut", node);
            self.matters(Row { flow: Some(number), cause: Some(cause), loss: blame.loss, window, ..row }, because);
        }
    }

    /// A sender takes something for lost. Returns what a cut is to be put down to.
    fn reacts(
        &mut self,
        at: Time,
        node: NodeId,
        number: usize,
        kind: &'static str,
        public: &Public,
        before: &Seen,
    ) -> (&'static str, Blame, Option<Event>) {
        let (blame, because) = self.flows[number].gap(public.una, &self.ways);
        let row = Row {
            flow: Some(number),
            first_byte: Some(public.una),
            diagnosis: self.flows[number].seen.diagnosis(before),
            ..self.row(at, kind, node).blaming(blame)
        };
        let event = self.matters(row, because);
        self.flows[number].answer = Some((Event::clone(&event), blame));
        (kind, blame, Some(event))
    }
}
