//! The per-hop report: what each link, each node and each flow had to do with the medium.
//!
//! A station's *service* of a packet lasts from when it could first have tried it to when it had handed it over or
//! given it up: contention, exchanges and retries. Packets for everyone are in the shares of nodes alone.
//!
//! Holds     only what happens in the measured time counts; a service counts when it ends

use std::collections::{BTreeMap, VecDeque};

use hopwright_link::{Frame, FrameKind};
use hopwright_machine::{DropCause, Duration, FlowTag, NodeId, PacketId, Time};
use hopwright_sim::{Event, Miss, Setup, annotations};
use hopwright_wire::Packet;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use crate::{answer, words};

/// The per-hop report: how links, nodes and flows used the medium in the measured time. With several runs, each number
/// is the mean over the runs; a link that a run did not use counts as 0 in this run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "Hops", extend("x-when" = [annotations::when::otherwise("the per-hop report is asked for (`--per-hop`)")]))]
pub struct Report {
    /// One entry for each link, in the order of sender and receiver.
    pub links: Vec<Link>,
    /// One entry for each node, in the order of node numbers.
    pub nodes: Vec<Node>,
    /// One entry for each flow, in the order of flow numbers.
    pub flows: Vec<Flow>,
}

/// What a station and one of its next hops did with packets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "HopsOfLink")]
pub struct Link {
    /// The sending node.
    pub from: u32,
    /// The receiving node.
    pub to: u32,
    /// Tries to hand over a packet.
    #[schemars(title = "tries", extend("x-better" = "lower"))]
    pub tries: u64,
    /// Packets that were handed over.
    #[schemars(title = "packets handed over", extend("x-better" = "higher"))]
    pub handed_over: u64,
    /// Packets that were given up.
    #[schemars(title = "packets given up", extend("x-better" = "lower"))]
    pub given_up: u64,
    /// Failed tries, by the frame that was lost or not answered.
    #[schemars(extend("x-each" = "failed tries", "x-better" = "lower"))]
    pub lost: ByFrame,
    /// Failed tries, by the cause of the failure; causes that did not occur are absent.
    #[schemars(schema_with = "causes", extend("x-each" = "failed tries", "x-better" = "lower", "x-tally" = true))]
    pub causes: BTreeMap<&'static str, u64>,
    /// Share of the measured time in which frames of the link's exchanges were on the air, answers included.
    #[schemars(title = "share of air time", extend("x-unit" = "ratio"))]
    pub airtime_share: f64,
    /// Mean length of a service; null if there was none.
    #[schemars(title = "mean service time", extend("x-better" = "lower"))]
    pub mean_service_s: Option<f64>,
    /// How often a failure of this link took routes out of use.
    #[schemars(title = "route breaks", extend("x-better" = "lower"))]
    pub route_breaks: u64,
    /// Route breaks in which the receiving node was in range.
    #[schemars(title = "false route breaks", extend("x-better" = "lower"))]
    pub false_route_breaks: u64,
}

fn causes(_: &mut SchemaGenerator) -> Schema {
    let told = words::tries().filter(|[name, ..]| *name != answer::UNFINISHED[0]); // such a try is in no report
    annotations::named(told.map(|[name, _, counted]| (name.to_owned(), "", counted.to_owned())), &annotations::count())
}

/// A number for each kind of frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(title = "ByFrame")]
pub struct ByFrame {
    /// RTS.
    #[schemars(title = "RTS")]
    pub rts: u64,
    /// CTS.
    #[schemars(title = "CTS")]
    pub cts: u64,
    /// Data.
    #[schemars(title = "data")]
    pub data: u64,
    /// Acknowledgements of the MAC.
    #[schemars(title = "acknowledgements of the MAC")]
    pub ack: u64,
}

impl ByFrame {
    const fn count(&mut self, kind: FrameKind) {
        match kind {
            FrameKind::Rts => self.rts += 1,
            FrameKind::Cts => self.cts += 1,
            FrameKind::Data => self.data += 1,
            FrameKind::Ack => self.ack += 1,
        }
    }
}

/// What a node had to do with the medium.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "HopsOfNode")]
pub struct Node {
    /// The number of the node.
    pub node: u32,
    /// Share of the measured time in which the node sent.
    #[schemars(title = "share of time sending", extend("x-unit" = "ratio"))]
    pub sent_share: f64,
    /// Share of the measured time in which the node sent, sensed the carrier, or regarded the medium as reserved.
    #[schemars(title = "share of time busy", extend("x-unit" = "ratio"))]
    pub busy_share: f64,
    /// Packets in the interface queue of the node, averaged over the measured time.
    #[schemars(title = "mean queue")]
    pub mean_queue_packets: f64,
    /// Largest number of packets in the interface queue of the node.
    #[schemars(title = "longest queue")]
    pub longest_queue_packets: u64,
}

/// Which link held a flow back.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "HopsOfFlow")]
pub struct Flow {
    /// The number of the flow.
    pub flow: usize,
    /// The links that carried data of the flow, in the order of `from` and `to`.
    pub hops: Vec<FlowHop>,
    /// The link that spent the most time on packets of the flow; null if no link carried data.
    pub held_back_by: Option<(u32, u32)>,
}

/// What a link did for a flow's data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "FlowHop")]
pub struct FlowHop {
    /// The sending node.
    pub from: u32,
    /// The receiving node.
    pub to: u32,
    /// Packets of the flow that the link handed over or gave up.
    #[schemars(title = "packets")]
    pub packets: u64,
    /// Mean number of tries for each of these packets.
    #[schemars(title = "mean tries", extend("x-better" = "lower"))]
    pub mean_tries: f64,
    /// Mean length of the services of these packets.
    #[schemars(title = "mean service time", extend("x-better" = "lower"))]
    pub mean_service_s: f64,
    /// Share of the measured time that these services took.
    #[schemars(title = "share of time in service", extend("x-unit" = "ratio"))]
    pub service_share: f64,
}

/// A station that serves a packet.
#[derive(Clone, Copy, Debug)]
struct Service {
    packet: PacketId,
    /// The flow whose data it carries.
    flow: Option<usize>,
    to: Option<NodeId>,
    since: Time,
    tries: u64,
    lost: Option<(FrameKind, &'static str)>,
    /// The last CTS or ACK for this try.
    answer: Option<FrameKind>,
}

/// A station.
#[derive(Clone, Debug, Default)]
struct Station {
    service: Option<Service>,
    /// When its last service ended.
    free_since: Time,
    /// Packets that wait for it: when they came.
    waiting: BTreeMap<PacketId, Time>,
    sent: Duration,
    busy: Duration,
    queue: u64,
    queue_since: Time,
    queue_time: f64,
    longest_queue: u64,
}

/// What is added up of a link.
#[derive(Clone, Debug, Default)]
struct Sums {
    link: Link,
    airtime: Duration,
    service: Duration,
    by_flow: BTreeMap<usize, (u64, u64, Duration)>,
}

/// Makes the per-hop report of a run.
#[derive(Debug)]
pub struct Hops {
    begin: Time,
    end: Time,
    data_waits_for_idle: bool,
    flows: usize,
    stations: Vec<Station>,
    links: BTreeMap<(u32, u32), Sums>,
    /// The stations whose exchanges the latest frames belong to, the first with this number.
    frames: VecDeque<(NodeId, FrameKind)>,
    first_frame: u64,
}

/// So many frames are remembered, to know whose exchange a lost one belongs to.
const FRAMES: usize = 1 << 14;

impl Hops {
    /// Of a run of `setup`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self {
            begin: setup.warm_up,
            end: setup.end,
            data_waits_for_idle: setup.mac.data_waits_for_idle,
            flows: setup.flows.len(),
            stations: vec![Station { queue_since: setup.warm_up, ..Station::default() }; setup.nodes.len()],
            links: BTreeMap::new(),
            frames: VecDeque::new(),
            first_frame: 0,
        }
    }

    /// Something has happened at a node.
    pub fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        match event {
            Event::Enqueued { packet, .. } => {
                self.stations[node.index()].waiting.insert(packet.id, at);
            }
            Event::Attempt { packet, next_hop } => self.tries(at, node, packet, next_hop),
            Event::Transmitted(frame) => self.transmitted(at, node, frame),
            Event::Missed { frame, why } => self.in_vain(frame, why.name()),
            Event::Unanswered { frame, why } => self.in_vain(frame, why.name()),
            Event::Sent(packet) => self.served(at, node, packet.id, true),
            Event::GaveUp { packet, .. } => {
                self.end_try(at, node);
                self.served(at, node, packet.id, false);
            }
            Event::Dropped { packet, cause, .. } => {
                self.stations[node.index()].waiting.remove(&packet.id);
                if cause == DropCause::NodeDown {
                    self.breaks_off(at, node, packet.id);
                }
            }
            Event::RouteBroke { neighbour, in_range } if at >= self.begin => {
                let link = &mut self.link(node, neighbour).link;
                link.route_breaks += 1;
                link.false_route_breaks += u64::from(in_range);
            }
            Event::QueueLength(packets) => self.queue(at, node, packets as u64),
            Event::Busy(time) => self.stations[node.index()].busy = time,
            _ => {}
        }
    }

    /// The report, once the run is over.
    #[must_use]
    pub fn finish(mut self) -> Report {
        let span_s = self.end.since(self.begin).as_secs_f64();
        let share = |time: Duration| if span_s > 0.0 { time.as_secs_f64() / span_s } else { 0.0 };
        for node in 0..self.stations.len() {
            let queue = self.stations[node].queue;
            self.queue(self.end, NodeId(node as u32), queue);
            // A frame of its last try is known to be lost, though the station did not find that out any more.
            if self.stations[node].service.as_ref().is_some_and(|service| service.lost.is_some()) {
                self.end_try(self.end, NodeId(node as u32));
            }
        }
        let node = |(number, station): (usize, &Station)| Node {
            node: number as u32,
            sent_share: share(station.sent),
            busy_share: share(station.busy),
            mean_queue_packets: if span_s > 0.0 { station.queue_time / span_s } else { 0.0 },
            longest_queue_packets: station.longest_queue,
        };
        let nodes = self.stations.iter().enumerate().map(node).collect();
        let flows = (0..self.flows).map(|flow| flow_report(flow, &self.links, share)).collect();
        let link = |sums: Sums| {
            let served = sums.link.handed_over + sums.link.given_up;
            let mean_service_s = (served > 0).then(|| sums.service.as_secs_f64() / served as f64);
            Link { airtime_share: share(sums.airtime), mean_service_s, ..sums.link }
        };
        Report { links: self.links.into_values().map(link).collect(), nodes, flows }
    }

    fn link(&mut self, from: NodeId, to: NodeId) -> &mut Sums {
        let link = Link { from: from.0, to: to.0, ..Link::default() };
        self.links.entry((from.0, to.0)).or_insert_with(|| Sums { link, ..Sums::default() })
    }

    fn tries(&mut self, at: Time, node: NodeId, packet: &Packet, next_hop: Option<NodeId>) {
        self.end_try(at, node);
        let flow = packet.flow.filter(|tag| tag.is_forward()).map(FlowTag::flow);
        let station = &mut self.stations[node.index()];
        match &mut station.service {
            Some(service) if service.packet == packet.id => {
                (service.tries, service.answer) = (service.tries + 1, None);
            }
            _ => {
                // It could have been tried once it was there and nothing else was served.
                let came = station.waiting.remove(&packet.id).unwrap_or(at);
                let since = came.max(station.free_since);
                let service =
                    Service { packet: packet.id, flow, to: next_hop, since, tries: 1, lost: None, answer: None };
                station.service = Some(service);
            }
        }
        if let Some(to) = next_hop
            && at >= self.begin
        {
            self.link(node, to).link.tries += 1;
        }
    }

    /// If a station's last try came to nothing, that counts now: another one begins, or it gives up.
    fn end_try(&mut self, at: Time, node: NodeId) {
        let Some(service) = &mut self.stations[node.index()].service else { return };
        let failing = answer::failing(service.answer, self.data_waits_for_idle);
        let (frame, cause) = service.lost.take().unwrap_or(failing);
        let Some(to) = service.to.filter(|_| at >= self.begin) else { return };
        let link = &mut self.link(node, to).link;
        link.lost.count(frame);
        *link.causes.entry(cause).or_default() += 1;
    }

    /// A node goes down: if its station was serving that packet, it does no longer.
    fn breaks_off(&mut self, at: Time, node: NodeId, packet: PacketId) {
        let serving = self.stations[node.index()].service.as_mut().filter(|service| service.packet == packet);
        let Some(service) = serving else { return };
        let (frame, _) = answer::failing(service.answer, self.data_waits_for_idle);
        service.lost.get_or_insert((frame, Miss::CutOff.name()));
        self.end_try(at, node);
        self.stations[node.index()].service = None;
    }

    fn transmitted(&mut self, at: Time, node: NodeId, frame: &Frame<Packet>) {
        let owner = frame.tries();
        if self.frames.len() == FRAMES {
            self.frames.pop_front();
            self.first_frame += 1;
        }
        self.frames.push_back((owner, frame.kind));
        let to = self.stations[owner.index()].service.as_mut().and_then(|service| {
            if frame.kind.is_answer() {
                service.answer = Some(frame.kind);
            }
            service.to
        });
        let air_time = (at + frame.air_time).min(self.end).since(at.max(self.begin));
        self.stations[node.index()].sent += air_time;
        if let Some(to) = to.filter(|_| at + frame.air_time > self.begin) {
            self.link(owner, to).airtime += air_time;
        }
    }

    fn in_vain(&mut self, frame: u64, cause: &'static str) {
        let place = frame.checked_sub(self.first_frame).and_then(|place| usize::try_from(place).ok());
        let Some(&(owner, kind)) = place.and_then(|place| self.frames.get(place)) else { return };
        if let Some(service) = &mut self.stations[owner.index()].service {
            service.lost.get_or_insert((kind, cause));
        }
    }

    fn served(&mut self, at: Time, node: NodeId, packet: PacketId, well: bool) {
        let station = &mut self.stations[node.index()];
        station.free_since = at;
        let Some(service) = station.service.take().filter(|service| service.packet == packet) else { return };
        let Some(to) = service.to.filter(|_| at >= self.begin) else { return };
        let lasted = at.since(service.since.max(self.begin));
        let sums = self.link(node, to);
        if well {
            sums.link.handed_over += 1;
        } else {
            sums.link.given_up += 1;
        }
        sums.service += lasted;
        if let Some(flow) = service.flow {
            let (packets, tries, time) = sums.by_flow.entry(flow).or_default();
            (*packets, *tries, *time) = (*packets + 1, *tries + service.tries, *time + lasted);
        }
    }

    fn queue(&mut self, at: Time, node: NodeId, packets: u64) {
        let station = &mut self.stations[node.index()];
        if at >= self.begin {
            station.longest_queue = station.longest_queue.max(station.queue).max(packets);
        }
        station.queue_time += station.queue as f64 * at.since(station.queue_since).as_secs_f64();
        station.queue_since = station.queue_since.max(at);
        station.queue = packets;
    }
}

fn flow_report(flow: usize, links: &BTreeMap<(u32, u32), Sums>, share: impl Fn(Duration) -> f64) -> Flow {
    let hop = |(&(from, to), sums): (&(u32, u32), &Sums)| {
        let &(packets, tries, time) = sums.by_flow.get(&flow)?;
        let mean = |sum: f64| sum / packets as f64;
        let (mean_tries, mean_service_s) = (mean(tries as f64), mean(time.as_secs_f64()));
        Some(FlowHop { from, to, packets, mean_tries, mean_service_s, service_share: share(time) })
    };
    let hops: Vec<FlowHop> = links.iter().filter_map(hop).collect();
    let slowest = hops.iter().max_by(|a, b| a.service_share.total_cmp(&b.service_share));
    let held_back_by = slowest.map(|hop| (hop.from, hop.to));
    Flow { flow, hops, held_back_by }
}
