//! The congestion windows of a run over time.

use hopwright_machine::{NodeId, Time};
use hopwright_sim::{Event, FlowKind, Setup, Trace};
use serde::Serialize;

/// A value over time: it holds from one sample to the next.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Curve {
    /// Seconds since the start of the run.
    time_s: Vec<f64>,
    /// Segments.
    segments: Vec<f64>,
}

impl Curve {
    fn push(&mut self, at: Time, value: f64) {
        if self.segments.last() == Some(&value) {
            return;
        }
        self.time_s.push(at.as_secs_f64());
        self.segments.push(value);
    }
}

/// Keeps the windows while a run goes on.
#[derive(Debug)]
pub(crate) struct Curves {
    segment_bytes: Vec<f64>,
    pub(crate) windows: Vec<Curve>,
}

impl Curves {
    pub(crate) fn of(setup: &Setup) -> Self {
        let segment_bytes = setup.flows.iter().map(|flow| match &flow.kind {
            FlowKind::Tcp { params, .. } => f64::from(params.segment_bytes),
            FlowKind::Udp(_) | FlowKind::Atp { .. } | FlowKind::Bundles { .. } => f64::NAN, // they have no window
        });
        Self { segment_bytes: segment_bytes.collect(), windows: setup.flows.iter().map(|_| Curve::default()).collect() }
    }
}

impl Trace for Curves {
    fn event(&mut self, at: Time, _node: NodeId, event: Event<'_>) {
        if let Event::Sender { flow, public, .. } = event {
            let bytes = self.segment_bytes[flow];
            if bytes.is_finite() {
                self.windows[flow].push(at, public.cwnd / bytes);
            }
        }
    }

    fn hears(&self, _node: NodeId) -> bool {
        false
    }

    fn follows_packets(&self) -> bool {
        false
    }
}
