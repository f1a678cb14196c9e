//! Where each flow's time went: what kept its sender from sending more, and where its packets were.
//!
//! Of the network, a moment counts for the first of these that holds for any packet of the flow, whichever way it goes: a
//! frame of its exchange is on the air; a station has it in service; it waits for a station; it is in the network. Each
//! of these is a set of spans that overlap; their union is measured, of the first, of the first two, and so on.
//!
//! Spec      decided here
//! Holds     only the measured time counts; the parts of either account add up to it

use std::collections::BTreeMap;

use hopwright_link::Frame;
use hopwright_machine::{DropCause, Duration, FlowTag, NodeId, PacketId, Time};
use hopwright_sim::{Event, FlowKind, Layer, NetworkTimes, PacketTimes, SenderTimes, Setup};
use hopwright_transport::Limit;
use hopwright_wire::Packet;

use crate::packet_time::PacketTime;

/// What was found of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// Of the sender, over TCP.
    pub sender: Option<SenderTimes>,
    /// Of the flow's time.
    pub network: NetworkTimes,
    /// Of its packets with data that arrived.
    pub packet: PacketTimes,
}

/// What was found of each flow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// In the scenario's order.
    pub flows: Vec<Times>,
}

impl Report {
    /// Puts it into the report of its run.
    pub fn write_into(&self, report: &mut hopwright_sim::Report) {
        for (flow, times) in report.flows.iter_mut().zip(&self.flows) {
            flow.network_time_s = Some(times.network);
            flow.packet_time_s = Some(times.packet);
            if let Some(tcp) = &mut flow.tcp {
                tcp.sender_time_s = times.sender;
            }
        }
    }
}

/// Spans of time that may overlap, measured as one set.
#[derive(Clone, Debug, Default)]
struct Spans {
    /// Apart and in order up to `sorted`; behind that as they came.
    spans: Vec<(Time, Time)>,
    sorted: usize,
}

/// So many spans are kept before those that touch are joined.
const LOOSE: usize = 1 << 12;

impl Spans {
    fn add(&mut self, from: Time, until: Time) {
        if from < until {
            self.spans.push((from, until));
        }
        if self.spans.len() - self.sorted > LOOSE.max(self.sorted) {
            self.join();
        }
    }

    fn join(&mut self) {
        self.spans.sort_unstable();
        self.spans.dedup_by(|next, span| {
            let touches = next.0 <= span.1;
            if touches {
                span.1 = span.1.max(next.1);
            }
            touches
        });
        self.sorted = self.spans.len();
    }

    fn length(&mut self) -> Duration {
        self.join();
        self.spans.iter().map(|&(from, until)| until.since(from)).fold(Duration::ZERO, |sum, span| sum + span)
    }
}

/// From when until when there is a number of something.
#[derive(Clone, Copy, Debug, Default)]
struct Present {
    count: u32,
    since: Time,
}

impl Present {
    /// One more.
    fn comes(&mut self, at: Time) {
        if self.count == 0 {
            self.since = at;
        }
        self.count += 1;
    }

    /// One less: since when there were some, if none is left.
    fn goes(&mut self) -> Option<Time> {
        self.count = self.count.saturating_sub(1);
        (self.count == 0).then_some(self.since)
    }
}

/// What is known of a flow.
#[derive(Debug)]
struct Account {
    begin: Time,
    is_tcp: bool,
    limit: Limit,
    limit_since: Time,
    limits: [Duration; Limit::ALL.len()],
    on_air: Spans,
    served: Spans,
    held: Spans,
    inside: Spans,
    at_stations: Present,
    /// Since when packets are in the network, with its data and the other way.
    in_network: [Option<Time>; 2],
}

impl Account {
    fn limited(&mut self, at: Time, limit: Limit) {
        self.limits[self.limit as usize] += at.since(self.limit_since.max(self.begin));
        (self.limit, self.limit_since) = (limit, at);
    }
}

/// A packet that a station serves.
#[derive(Clone, Copy, Debug)]
struct Service {
    packet: PacketId,
    /// Whose it is, if it is of a flow.
    flow: Option<usize>,
    since: Time,
}

/// A station.
#[derive(Clone, Copy, Debug, Default)]
struct Station {
    service: Option<Service>,
    /// When its last service ended.
    free_since: Time,
}

/// A packet that a station has, in its queue or in service.
#[derive(Clone, Copy, Debug)]
struct Held {
    flow: Option<usize>,
    came: Time,
    copies: u32,
}

/// Makes the report from the events of a run.
#[derive(Debug)]
pub struct FlowTime {
    end: Time,
    flows: Vec<Account>,
    stations: Vec<Station>,
    held: BTreeMap<(NodeId, PacketId), Held>,
    packets: PacketTime,
}

impl FlowTime {
    /// Of a run of `setup`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        let account = |flow: &hopwright_sim::Flow| Account {
            begin: flow.start.max(setup.warm_up).min(setup.end),
            is_tcp: matches!(flow.kind, FlowKind::Tcp { .. }),
            limit: Limit::Application,
            limit_since: Time::ZERO,
            limits: [Duration::ZERO; Limit::ALL.len()],
            on_air: Spans::default(),
            served: Spans::default(),
            held: Spans::default(),
            inside: Spans::default(),
            at_stations: Present::default(),
            in_network: [None; 2],
        };
        let flows: Vec<Account> = setup.flows.iter().map(account).collect();
        Self {
            end: setup.end,
            packets: PacketTime::new(flows.iter().map(|account| account.begin).collect()),
            flows,
            stations: vec![Station::default(); setup.nodes.len()],
            held: BTreeMap::new(),
        }
    }

    /// Something has happened at a node.
    pub fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        match event {
            Event::Sender { flow, limit, .. } => self.flows[flow].limited(at, limit),
            Event::InNetwork { flow, forward, packets } => self.in_network(at, flow, forward, packets > 0.0),
            Event::Originated(packet) => self.packets.made(at, node, packet),
            Event::Delivered(packet) => self.packets.arrives(at, packet.id),
            Event::Enqueued { packet, .. } => self.comes(at, node, packet),
            Event::Attempt { packet, .. } => self.tries(at, node, packet),
            Event::Transmitted(frame) => self.transmitted(at, frame),
            Event::Sent(packet) | Event::GaveUp { packet, .. } | Event::TakenBack(packet) => {
                self.goes(at, node, packet.id);
            }
            // A packet that its sender's station still has is none of this one's.
            Event::Dropped { cause: DropCause::MistakenRepeat, .. } => {}
            Event::Dropped { packet, layer, lost, .. } => {
                if matches!(layer, Layer::Queue | Layer::Mac) {
                    self.goes(at, node, packet.id);
                }
                if lost.is_some() {
                    self.packets.is_lost(packet.id);
                }
            }
            _ => {}
        }
    }

    /// The report, once the run is over.
    #[must_use]
    pub fn finish(mut self) -> Report {
        let end = self.end;
        self.first_tries_are_awaited();
        for node in 0..self.stations.len() {
            self.ends_service(end, node);
        }
        for account in &mut self.flows {
            account.limited(end, account.limit);
            if account.at_stations.count > 0 {
                add(&mut account.held, account.begin, account.at_stations.since, end, end);
            }
            for since in account.in_network.into_iter().flatten() {
                add(&mut account.inside, account.begin, since, end, end);
            }
        }
        let flows = self.flows.into_iter().zip(self.packets.finish());
        Report { flows: flows.map(|(account, packet)| times(account, packet, end)).collect() }
    }

    /// A station that serves nothing, but has packets, waits for the medium with the one that came first.
    fn first_tries_are_awaited(&mut self) {
        let mut first: BTreeMap<NodeId, (PacketId, Held)> = BTreeMap::new();
        for (&(node, packet), &held) in &self.held {
            let known = first.entry(node).or_insert((packet, held));
            if held.came < known.1.came {
                *known = (packet, held);
            }
        }
        for (node, (packet, held)) in first {
            let station = &mut self.stations[node.index()];
            let since = held.came.max(station.free_since);
            station.service.get_or_insert(Service { packet, flow: held.flow, since });
        }
    }

    fn in_network(&mut self, at: Time, flow: usize, forward: bool, is_there: bool) {
        let (account, end) = (&mut self.flows[flow], self.end);
        let since = &mut account.in_network[usize::from(forward)];
        if is_there {
            since.get_or_insert(at);
        } else if let Some(since) = since.take() {
            add(&mut account.inside, account.begin, since, at, end);
        }
    }

    fn comes(&mut self, at: Time, node: NodeId, packet: &Packet) {
        let flow = packet.flow.map(FlowTag::flow).filter(|&flow| flow < self.flows.len());
        let held = self.held.entry((node, packet.id)).or_insert(Held { flow, came: at, copies: 0 });
        held.copies += 1;
        if let Some(flow) = flow {
            self.flows[flow].at_stations.comes(at);
            self.packets.comes(at, node, packet.id);
        }
    }

    fn tries(&mut self, at: Time, node: NodeId, packet: &Packet) {
        let station = &self.stations[node.index()];
        if station.service.is_some_and(|service| service.packet == packet.id) {
            return;
        }
        self.ends_service(at, node.index());
        let held = self.held.get(&(node, packet.id));
        // It could have been tried once it was there and nothing else was served.
        let since = held.map_or(at, |held| held.came).max(self.stations[node.index()].free_since);
        let service = Service { packet: packet.id, flow: held.and_then(|held| held.flow), since };
        self.stations[node.index()].service = Some(service);
        if service.flow.is_some() {
            self.packets.is_served(since, node, packet.id);
        }
    }

    fn transmitted(&mut self, at: Time, frame: &Frame<Packet>) {
        let end = self.end;
        let Some(service) = self.stations[frame.tries().index()].service else { return };
        if let Some(flow) = service.flow {
            let account = &mut self.flows[flow];
            add(&mut account.on_air, account.begin, at, at + frame.air_time, end);
            self.packets.is_on_air(frame.tries(), service.packet, frame.air_time);
        }
    }

    /// A station has no longer what it had.
    fn goes(&mut self, at: Time, node: NodeId, packet: PacketId) {
        if self.stations[node.index()].service.is_some_and(|service| service.packet == packet) {
            self.ends_service(at, node.index());
        }
        let Some(held) = self.held.get_mut(&(node, packet)) else { return };
        held.copies -= 1;
        let (flow, copies) = (held.flow, held.copies);
        if flow.is_some() {
            self.packets.goes(at, node, packet);
        }
        if copies == 0 {
            self.held.remove(&(node, packet));
        }
        let end = self.end;
        if let Some(account) = flow.map(|flow| &mut self.flows[flow])
            && let Some(since) = account.at_stations.goes()
        {
            add(&mut account.held, account.begin, since, at, end);
        }
    }

    fn ends_service(&mut self, at: Time, node: usize) {
        let end = self.end;
        let Some(service) = self.stations[node].service.take() else { return };
        self.stations[node].free_since = at;
        if let Some(flow) = service.flow {
            let account = &mut self.flows[flow];
            add(&mut account.served, account.begin, service.since, at, end);
        }
    }
}

/// What of a span is measured counts.
fn add(spans: &mut Spans, begin: Time, from: Time, until: Time, end: Time) {
    spans.add(from.max(begin), until.min(end));
}

fn times(mut account: Account, packet: PacketTimes, end: Time) -> Times {
    let measured = end.since(account.begin);
    let mut all = Spans::default();
    let mut up_to = [Duration::ZERO; 4];
    let sets = [&mut account.on_air, &mut account.served, &mut account.held, &mut account.inside];
    for (length, set) in up_to.iter_mut().zip(sets) {
        all.spans.append(&mut set.spans);
        *length = all.length();
    }
    let [on_air, served, held, inside] = up_to;
    let s = |longer: Duration, shorter: Duration| longer.saturating_sub(shorter).as_secs_f64();
    let network = NetworkTimes {
        on_air: on_air.as_secs_f64(),
        medium: s(served, on_air),
        queued: s(held, served),
        elsewhere: s(inside, held),
        nothing: s(measured, inside),
    };
    let [opening, application, pacing, receiver_window, congestion_window, recovery, time_out, frozen] =
        account.limits.map(Duration::as_secs_f64);
    let sender =
        SenderTimes { opening, application, pacing, receiver_window, congestion_window, recovery, time_out, frozen };
    Times { sender: account.is_tcp.then_some(sender), network, packet }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_that_overlap_count_once() {
        let t = Time::from_nanos;
        let mut spans = Spans::default();
        for (from, until) in [(30, 40), (0, 5), (3, 10), (10, 12), (40, 40), (35, 36)] {
            spans.add(t(from), t(until));
        }
        assert_eq!(spans.length(), Duration::from_nanos(22));
        assert_eq!(spans.spans, [(t(0), t(12)), (t(30), t(40))]);
    }

    #[test]
    fn what_is_joined_meanwhile_is_as_long() {
        let t = Time::from_nanos;
        let mut spans = Spans::default();
        for n in 0..3 * LOOSE as u64 {
            spans.add(t(10 * (n % 5000)), t(10 * (n % 5000) + 4));
        }
        assert_eq!(spans.length(), Duration::from_nanos(4 * 5000));
    }
}
