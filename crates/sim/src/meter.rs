//! What is measured of one flow.

use hopwright_machine::{DropCause, LossCause, Time};
use hopwright_transport::adaptation::{Change, Readings};
use hopwright_transport::atp::Sender as AtpSender;
use hopwright_transport::{Before, Connection, Function, Phase};
use hopwright_wire::tcp;

use crate::bundles::Tally;
use crate::compute::{Begun, JoulesPerEvent, Work};
use crate::setup::{Flow, FlowKind};
use crate::statistics::{Moments, TimeAverage};
use crate::truth::{Confusion, Knowledge};

mod atp;

use atp::AtpMeter;

/// What is known of one flow.
#[derive(Debug)]
pub(crate) struct FlowMeter {
    pub(crate) begin: Time,
    pub(crate) segment_bytes: u32,
    cwnd: TimeAverage,
    /// The largest congestion window from `begin` on, segments.
    max_cwnd: f64,
    data_in_flight: TimeAverage,
    acks_in_flight: TimeAverage,
    pub(crate) rtt: Moments,
    pub(crate) hops: Moments,
    /// When the receiving application last got data.
    pub(crate) last_received: Time,
    phase: Phase,
    phase_since: Time,
    /// Seconds in each phase, in the order of `Phase`.
    pub(crate) phase_s: [f64; 5],
    pub(crate) now: Counts,
    pub(crate) at_begin: Counts,
    /// What the monitors of its triggers said, and before measurement began.
    readings: Readings,
    readings_at_begin: Readings,
    /// Copies of its packets.
    pub(crate) dropped: [u64; DropCause::ALL.len()],
    /// Packets that go the way of its acknowledgements, and of its data.
    pub(crate) lost: [[u64; LossCause::ALL.len()]; 2],
    /// What its transports compute, if that is counted.
    pub(crate) work: Option<Box<Work>>,
    pub(crate) knowledge: Knowledge,
    /// What ATP alone has.
    pub(crate) atp: Option<Box<AtpMeter>>,
    /// What happened to its bundles, if it has any.
    pub(crate) bundles: Option<Box<Tally>>,
    /// The number of the connection by which a relay carries its data on.
    pub(crate) carried_on: Option<usize>,
}

/// The connections that carry a flow, one after the other: the first is its sender's, the last its receiver's.
pub(crate) fn carriers(meters: &[FlowMeter], flow: usize) -> impl Iterator<Item = &FlowMeter> {
    std::iter::successors(Some(&meters[flow]), |meter| Some(&meters[meter.carried_on?]))
}

/// Totals of a flow; results report the difference to those at the beginning of measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Application bytes acknowledged at the sender.
    pub(crate) acked_bytes: u64,
    /// Bytes handed to the receiving application.
    pub(crate) received_bytes: u64,
    /// Those of them that have come there, of whole bundles or not, where bundles carry them.
    pub(crate) arrived_bytes: u64,
    pub(crate) sent: u64,
    pub(crate) retransmissions: u64,
    /// Those of segments of which nothing was lost.
    pub(crate) spurious: u64,
    pub(crate) timeouts: u64,
    pub(crate) silence_probes: u64,
    /// What triggers did, and what was refused of it.
    pub(crate) changes: u64,
    pub(crate) refused: u64,
}

impl FlowMeter {
    /// What is measured from the flow's start and the end of the warm-up on; `charge` is what computation is charged at,
    /// if it is counted.
    pub(crate) fn new(flow: &Flow, warm_up: Time, charge: Option<JoulesPerEvent>) -> Self {
        let begin = flow.start.max(warm_up);
        let segment_bytes = match &flow.kind {
            FlowKind::Tcp { params, .. } => params.segment_bytes,
            FlowKind::Udp(source) => source.payload_bytes,
            FlowKind::Atp { params, .. } => params.segment_bytes,
            FlowKind::Bundles { config, .. } => config.payload_bytes,
        };
        let is_atp = matches!(flow.kind, FlowKind::Atp { .. });
        Self {
            begin,
            atp: is_atp.then(|| Box::new(AtpMeter::new(begin))),
            segment_bytes,
            cwnd: TimeAverage::new(begin),
            max_cwnd: 0.0,
            data_in_flight: TimeAverage::new(begin),
            acks_in_flight: TimeAverage::new(begin),
            rtt: Moments::default(),
            hops: Moments::default(),
            last_received: begin,
            phase: Phase::SlowStart,
            phase_since: begin,
            phase_s: [0.0; 5],
            now: Counts::default(),
            at_begin: Counts::default(),
            readings: Readings::default(),
            readings_at_begin: Readings::default(),
            dropped: [0; DropCause::ALL.len()],
            lost: Default::default(),
            knowledge: Knowledge::default(),
            bundles: matches!(flow.kind, FlowKind::Bundles { .. }).then(Box::default),
            carried_on: None,
            work: charge.map(|charge| Box::new(Work::new(charge))),
        }
    }

    /// Measurements start: what was counted so far does not count.
    pub(crate) fn warmed_up(&mut self) {
        self.at_begin = self.now;
        self.readings_at_begin = self.readings;
        self.dropped = Default::default();
        self.lost = Default::default();
        if let Some(tally) = &mut self.bundles {
            tally.warmed_up();
        }
        if let Some(work) = &mut self.work {
            work.forget();
        }
        self.knowledge.confusion = Confusion::default();
        if let Some(atp) = &mut self.atp {
            atp.warmed_up();
        }
    }

    /// Its packets that are on their way, with its data or the other way.
    #[inline]
    pub(crate) fn in_network(&mut self, forward: bool) -> &mut TimeAverage {
        if forward { &mut self.data_in_flight } else { &mut self.acks_in_flight }
    }

    /// Something is about to happen to the sender.
    #[inline]
    pub(crate) fn sender_at(&self, connection: &Connection) -> Begun {
        Begun(self.work.as_ref().map(|_| Before::of(connection.public())))
    }

    /// Something happened to the receiver.
    #[inline]
    pub(crate) fn receiver_worked(&mut self) {
        if let Some(work) = &mut self.work {
            work.count(Function::Receiver);
        }
    }

    /// The sender has done something: read its public state.
    pub(crate) fn observe_sender(&mut self, now: Time, connection: &Connection) {
        let public = connection.public();
        let cwnd = public.cwnd / f64::from(self.segment_bytes);
        if now < self.begin {
            self.max_cwnd = cwnd; // what it begins with
        } else {
            self.max_cwnd = self.max_cwnd.max(cwnd);
        }
        self.cwnd.set(now, cwnd);
        if public.phase() != self.phase {
            self.phase_s[self.phase as usize] += now.since(self.phase_since).as_secs_f64();
            self.phase = public.phase();
            self.phase_since = now.max(self.begin);
        }
        self.now.sent = public.segments_sent;
        self.now.retransmissions = public.retransmissions;
        self.now.timeouts = public.timeouts;
        self.now.silence_probes = public.silence_probes;
        self.now.acked_bytes = public.acked_bytes;
        self.knowledge.observe(public.una, public.diagnosed);
    }

    /// The same of a sender over ATP.
    pub(crate) fn observe_atp(&mut self, now: Time, sender: &AtpSender) {
        let public = sender.public();
        self.now.sent = public.segments_sent;
        self.now.retransmissions = public.retransmissions;
        self.now.acked_bytes = public.acked_bytes;
        if let Some(atp) = &mut self.atp {
            atp.observe(now, sender);
        }
    }

    /// Monitors of triggers may have been looked at.
    pub(crate) const fn observe_monitors(&mut self, readings: &Readings) {
        self.readings = *readings;
    }

    /// What they said since measurement began.
    pub(crate) fn readings(&self) -> Readings {
        self.readings.since(&self.readings_at_begin)
    }

    /// Triggers did something.
    pub(crate) fn adapted(&mut self, changes: &[Change]) {
        let refused = changes.iter().filter(|change| change.refused.is_some()).count() as u64;
        self.now.refused += refused;
        self.now.changes += changes.len() as u64 - refused;
    }

    /// A round-trip time was measured.
    pub(crate) fn observe_rtt(&mut self, now: Time, rtt_s: f64) {
        if now >= self.begin {
            self.rtt.add(rtt_s);
        }
    }

    /// A datagram leaves the sending application.
    pub(crate) fn sent_datagram(&mut self) {
        self.now.sent += 1;
    }

    /// A segment leaves the sender.
    #[inline]
    pub(crate) fn sent_segment(&mut self, segment: &tcp::Segment) {
        if let Some(work) = &mut self.work {
            work.sent(segment.payload_bytes);
        }
    }

    /// The receiving application got data.
    pub(crate) fn received(&mut self, now: Time, bytes: u64) {
        self.now.received_bytes += bytes;
        self.last_received = now;
    }

    /// Seconds in each phase up to `end`.
    pub(crate) fn phases(&self, end: Time) -> [f64; 5] {
        let mut phases = self.phase_s;
        phases[self.phase as usize] += end.since(self.phase_since).as_secs_f64();
        phases
    }

    pub(crate) fn mean_cwnd(&self, end: Time) -> f64 {
        self.cwnd.mean(end)
    }

    pub(crate) const fn max_cwnd(&self) -> f64 {
        self.max_cwnd
    }

    pub(crate) fn mean_data_in_flight(&self, end: Time) -> f64 {
        self.data_in_flight.mean(end)
    }

    pub(crate) fn mean_acks_in_flight(&self, end: Time) -> f64 {
        self.acks_in_flight.mean(end)
    }
}
