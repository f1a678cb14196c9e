//! Where flows end: an application and the transport under it.

use hopwright_machine::{Address, Duration, Machine, NodeId, Purpose, Stream, Time};
use hopwright_routing::{Protocol, Router};
use hopwright_transport::params::GranularityMode;
use hopwright_transport::{Connection, Data, Input, Missing, Needs, Output, Role, Signal, State};
use hopwright_wire::ip::Ecn;
use hopwright_wire::notice::{Asks, Kind, Notice, Restored};
use hopwright_wire::{Packet, Payload, notice, tcp, udp};

use crate::setup::{Flow, FlowKind, Source, address};
use crate::trace::{Event, Sink};
use crate::world::{FIRST_PORT, FIRST_SOURCE_PORT, FlowMeter, World};

/// One end of a flow.
#[derive(Debug)]
pub(crate) struct Socket {
    pub(crate) flow: usize,
    pub(crate) peer: Address,
    /// The length of the route that the transport was told last.
    hops: Option<u32>,
    /// Whether the diagnosis of its losses begins with what the link layer at the receiver sees.
    reads_damage: bool,
    /// What the flow's transport asks of the network.
    asks: Option<Asks>,
    /// The flow, as notices name it.
    address: notice::Flow,
    end: End,
}

#[derive(Debug)]
enum End {
    Sender(Box<Sender>),
    Receiver(Box<Connection>),
    Source(Box<DatagramSource>),
    Sink,
}

/// A TCP sender with its application.
#[derive(Debug)]
struct Sender {
    connection: Connection,
    /// What it was told to be missing, if it wants to know.
    told: Option<Vec<Missing>>,
    /// The round-trip time that was measured last, until a trace has been told.
    rtt: Option<Duration>,
    /// When the application starts, stops. `NEVER` once it has.
    start: Time,
    stop: Time,
    /// Bytes of the application's file; `None`: it has always more.
    file: Option<u64>,
    written: u64,
    /// An application that has always more keeps this many bytes ahead of what is acknowledged.
    ahead: u64,
}

/// An application that sends datagrams.
#[derive(Debug)]
struct DatagramSource {
    source: Source,
    ports: (u16, u16),
    interval: Duration,
    next: Time,
    start: Time,
    stop: Time,
    stream: Stream,
    /// Datagrams due but not yet collected.
    due: u32,
}

impl Socket {
    /// The two ends of a flow: the sender's and the receiver's.
    pub(crate) fn pair(flow: usize, setup: &Flow, seed: u64) -> (Self, Self) {
        let (from, to) = (FIRST_SOURCE_PORT + flow as u16, FIRST_PORT + flow as u16);
        let reads_damage = match &setup.kind {
            FlowKind::Tcp { recipe, .. } => recipe.diagnosis.id == "eln" && recipe.diagnosis.needs.has(Needs::NOTICES),
            FlowKind::Udp(_) => false,
        };
        let (sender, receiver) = match &setup.kind {
            FlowKind::Tcp { recipe, params, bytes, .. } => {
                let mut initial = Stream::new(seed, NodeId(flow as u32), Purpose::Transport);
                let mut params = params.as_ref().clone();
                if params.granularity_mode == GranularityMode::Ns2 {
                    // Each of ns-2's agents starts its clock at a random point of a tick (`boot_time_`).
                    params.granularity_phase = initial.duration_below(params.granularity);
                }
                params.luck = Stream::new(seed, NodeId(flow as u32), Purpose::Diagnosis).bits();
                let mut iss = || tcp::Seq(initial.bits() as u32);
                let sender = Sender {
                    connection: Connection::new(recipe, &params, Role::Active, from, to, iss()),
                    told: None,
                    rtt: None,
                    start: setup.start,
                    stop: setup.stop,
                    file: *bytes,
                    written: 0,
                    ahead: params.window_limit() + 4 * u64::from(params.segment_bytes),
                };
                let mut receiver = Connection::new(recipe, &params, Role::Passive, to, from, iss());
                receiver.handle(Time::ZERO, Input::Open);
                (End::Sender(Box::new(sender)), End::Receiver(Box::new(receiver)))
            }
            FlowKind::Udp(source) => {
                let bits = f64::from(source.payload_bytes) * 8.0;
                let source = DatagramSource {
                    source: *source,
                    ports: (from, to),
                    interval: Duration::from_secs_f64(bits / source.rate_bps),
                    next: setup.start,
                    start: setup.start,
                    stop: setup.stop,
                    stream: Stream::new(seed, NodeId(flow as u32), Purpose::Application),
                    due: 0,
                };
                (End::Source(Box::new(source)), End::Sink)
            }
        };
        let asks = match &setup.kind {
            FlowKind::Tcp { recipe, params, .. } => recipe.asks(params),
            FlowKind::Udp(_) => None,
        };
        let address = address(flow, setup);
        let end = |peer: NodeId, end| Self { flow, peer: peer.address(), reads_damage, asks, address, hops: None, end };
        (end(setup.to, sender), end(setup.from, receiver))
    }

    /// Whether it is to be told of damaged frames.
    pub(crate) const fn hears_damage(&self) -> bool {
        self.reads_damage && matches!(self.end, End::Receiver(_))
    }

    /// The link layer saw a segment for it come damaged.
    pub(crate) fn damaged(&mut self, now: Time, payload: &Payload, meter: &mut FlowMeter) {
        if let (End::Receiver(connection), Payload::Tcp(segment)) = (&mut self.end, payload)
            && segment.payload_bytes > 0
        {
            connection.handle(now, Input::Signal(Signal::Corrupted(segment.seq)));
            meter.receiver_worked();
        }
    }

    /// Whether the source's router is to look for a route when this flow is told that it failed.
    pub(crate) fn seeks(&self) -> bool {
        self.asks.is_some_and(|asks| asks.seeks)
    }

    /// Whether this end is the one that a notice is for.
    pub(crate) fn is_told(&self, notice: &Notice) -> bool {
        let is_restored = notice.kind == Kind::Rrn;
        let is_its_end = match self.end {
            End::Sender(_) => !is_restored || self.wants(Restored::Sender),
            End::Receiver(_) => is_restored && self.wants(Restored::Receiver),
            End::Source(_) | End::Sink => false,
        };
        is_its_end && self.asks.is_some() && notice.flow == self.address
    }

    fn wants(&self, end: Restored) -> bool {
        self.asks.is_some_and(|asks| asks.restored == end)
    }

    /// Tells the transport what a notice says.
    pub(crate) fn notify(&mut self, now: Time, notice: &Notice, meter: &mut FlowMeter) {
        let signal = match notice.kind {
            Kind::Rrn => Signal::RouteRestored,
            Kind::Elfn | Kind::Rfn | Kind::Unreachable => Signal::RouteFailed(Some(notice.seq)),
        };
        self.signal(now, signal, meter);
    }

    /// Tells the transport that there is a route to its peer again, if this end asked for that.
    pub(crate) fn route_up(&mut self, now: Time, meter: &mut FlowMeter) {
        let end = match self.end {
            End::Sender(_) => Restored::Sender,
            End::Receiver(_) => Restored::Receiver,
            End::Source(_) | End::Sink => return,
        };
        if self.wants(end) {
            self.signal(now, Signal::RouteRestored, meter);
        }
    }

    fn signal(&mut self, now: Time, signal: Signal, meter: &mut FlowMeter) {
        match &mut self.end {
            End::Sender(sender) => {
                sender.learn(now, meter);
                let begun = meter.sender_at(&sender.connection);
                let input = Input::Signal(signal);
                sender.connection.handle(now, input);
                begun.end(&mut meter.work, &input, &sender.connection);
                meter.observe_sender(now, &sender.connection);
            }
            End::Receiver(connection) => {
                connection.handle(now, Input::Signal(signal));
                meter.receiver_worked();
            }
            End::Source(_) | End::Sink => {}
        }
    }

    pub(crate) fn deadline(&self) -> Time {
        match &self.end {
            End::Sender(sender) => sender.connection.deadline().min(sender.start).min(sender.stop),
            End::Receiver(connection) => connection.deadline(),
            End::Source(source) => source.next,
            End::Sink => Time::NEVER,
        }
    }

    pub(crate) fn wake(&mut self, now: Time, meter: &mut FlowMeter) {
        match &mut self.end {
            End::Sender(sender) => sender.wake(now, meter),
            End::Receiver(connection) => {
                if connection.deadline() <= now {
                    connection.handle(now, Input::Wake);
                    meter.receiver_worked();
                }
            }
            End::Source(source) => source.wake(now),
            End::Sink => {}
        }
    }

    /// Tells the transport how long the route is, if it wants to know and that has changed. A route that is down tells
    /// nothing.
    pub(crate) fn note_route(&mut self, now: Time, router: &Router, meter: &mut FlowMeter) {
        let connection = match &self.end {
            End::Sender(sender) => &sender.connection,
            End::Receiver(connection) => connection,
            End::Source(_) | End::Sink => return,
        };
        if !connection.wants_hops() {
            return;
        }
        if let Some(hops) = router.hops(self.peer)
            && self.hops != Some(hops)
        {
            self.hops = Some(hops);
            self.tell_hops(now, hops, meter);
        }
    }

    #[cold]
    #[inline(never)]
    fn tell_hops(&mut self, now: Time, hops: u32, meter: &mut FlowMeter) {
        self.signal(now, Signal::Hops(hops), meter);
    }

    /// Tells the transport for how long the packet that comes next has contended, per hop, if it wants to know.
    pub(crate) fn note_contention(&mut self, now: Time, packet: &Packet, first_ttl: u8, meter: &mut FlowMeter) {
        if let End::Receiver(connection) = &mut self.end
            && connection.wants_contention()
        {
            let hops = u64::from(first_ttl.saturating_sub(packet.ttl)) + 1;
            let per_hop = Duration::from_nanos(u64::from(packet.contention_us) * 1000 / hops);
            connection.handle(now, Input::Signal(Signal::Contention(per_hop)));
            meter.receiver_worked();
        }
    }

    /// Tells a trace how the flow stands at this end.
    #[inline]
    pub(crate) fn tell<T: Sink>(&mut self, now: Time, node: NodeId, world: &mut World<T>) {
        if !T::ON {
            return;
        }
        match &mut self.end {
            End::Sender(sender) => {
                let (public, rtt) = (sender.connection.public(), sender.rtt.take());
                world.trace.event(now, node, Event::Sender { flow: self.flow, public, rtt });
            }
            End::Sink => {
                let received_bytes = world.flows[self.flow].now.received_bytes;
                world.trace.event(now, node, Event::Arrived { flow: self.flow, received_bytes });
            }
            End::Receiver(_) | End::Source(_) => {}
        }
    }

    /// Whether a payload belongs to this flow.
    pub(crate) fn is_for(&self, payload: &Payload) -> bool {
        let Some((source, destination)) = payload.ports() else { return false };
        let port = FIRST_PORT + self.flow as u16;
        match self.end {
            End::Sender(_) | End::Source(_) => source == port,
            End::Receiver(_) | End::Sink => destination == port,
        }
    }

    /// A packet has come; returns whether anybody here wanted it.
    pub(crate) fn receive(&mut self, now: Time, packet: &Packet, meter: &mut FlowMeter) -> bool {
        match (&mut self.end, &packet.payload) {
            (End::Sender(sender), Payload::Tcp(segment)) => {
                sender.learn(now, meter);
                let begun = meter.sender_at(&sender.connection);
                hand_over(&mut sender.connection, now, segment, packet.ecn);
                // Writing forgets the sample.
                sender.rtt = sender.connection.public().rtt_sample;
                if let Some(rtt) = sender.rtt {
                    meter.observe_rtt(now, rtt.as_secs_f64());
                }
                sender.write(now);
                begun.end(&mut meter.work, &Input::Segment { segment, data: &[] }, &sender.connection);
                meter.observe_sender(now, &sender.connection);
            }
            (End::Receiver(connection), Payload::Tcp(segment)) => {
                hand_over(connection, now, segment, packet.ecn);
                meter.receiver_worked();
            }
            (End::Sink, Payload::Udp(datagram)) => {
                meter.observe_received(u64::from(datagram.payload_bytes));
            }
            _ => return false,
        }
        true
    }

    /// The next payload to be sent to the peer.
    pub(crate) fn poll(&mut self, now: Time, meter: &mut FlowMeter) -> Option<Payload> {
        match &mut self.end {
            End::Sender(sender) => loop {
                match sender.connection.poll()? {
                    Output::Segment(segment) => {
                        meter.observe_sender(now, &sender.connection);
                        if let Some(work) = &mut meter.work {
                            work.sent(segment.payload_bytes);
                        }
                        return Some(Payload::Tcp(segment.into()));
                    }
                    _ => meter.observe_sender(now, &sender.connection),
                }
            },
            End::Receiver(connection) => loop {
                match connection.poll()? {
                    Output::Segment(segment) => return Some(Payload::Tcp(segment.into())),
                    Output::Readable(bytes) => meter.observe_received(u64::from(bytes)),
                    Output::PeerClosed => connection.handle(now, Input::Close),
                    _ => {}
                }
            },
            End::Source(source) => {
                source.due = source.due.checked_sub(1)?;
                let (source_port, destination_port) = source.ports;
                let payload_bytes = source.source.payload_bytes;
                meter.now.sent += 1;
                Some(Payload::Udp(udp::Datagram { source_port, destination_port, payload_bytes }))
            }
            End::Sink => None,
        }
    }
}

/// Gives a segment to its connection, with the mark that its packet got on the way.
fn hand_over(connection: &mut Connection, now: Time, segment: &tcp::Segment, ecn: Ecn) {
    if ecn == segment.ecn {
        return connection.handle(now, Input::Segment { segment, data: &[] });
    }
    connection.handle(now, Input::Segment { segment: &tcp::Segment { ecn, ..*segment }, data: &[] });
}

impl Sender {
    /// Tells a connection that wants to know what was lost, before whatever may make it ask.
    fn learn(&mut self, now: Time, meter: &FlowMeter) {
        if !self.connection.wants_truth() {
            return;
        }
        let missing = Some(meter.knowledge.missing());
        if self.told != missing {
            self.told = missing;
            self.connection.handle(now, Input::Truth(self.told.as_deref().unwrap_or_default()));
        }
    }

    fn wake(&mut self, now: Time, meter: &mut FlowMeter) {
        if self.start <= now {
            self.start = Time::NEVER;
            let begun = meter.sender_at(&self.connection);
            self.connection.handle(now, Input::Open);
            self.write(now);
            begun.end(&mut meter.work, &Input::Open, &self.connection);
        }
        if self.connection.deadline() <= now {
            self.learn(now, meter);
            let begun = meter.sender_at(&self.connection);
            self.connection.handle(now, Input::Wake);
            begun.end(&mut meter.work, &Input::Wake, &self.connection);
        }
        if self.stop <= now {
            self.stop = Time::NEVER;
            let begun = meter.sender_at(&self.connection);
            self.close(now);
            begun.end(&mut meter.work, &Input::Close, &self.connection);
        }
        meter.observe_sender(now, &self.connection);
    }

    /// Writes what the application has: all of a file at once, or enough that the window always finds data.
    fn write(&mut self, now: Time) {
        if !self.start.is_never() || self.stop.is_never() {
            return;
        }
        if let Some(bytes) = self.file {
            if self.written == 0 {
                self.connection.handle(now, Input::Write(Data::Count(bytes)));
                self.written = bytes;
            }
            // Closed before its SYN is answered, a connection forgets what was written (RFC 9293 §3.10.4).
            if self.connection.state() != State::SynSent {
                self.close(now);
            }
            return;
        }
        let wanted = self.connection.public().acked_bytes + self.ahead;
        if wanted > self.written {
            self.connection.handle(now, Input::Write(Data::Count(wanted - self.written)));
            self.written = wanted;
        }
    }

    fn close(&mut self, now: Time) {
        self.stop = Time::NEVER;
        self.connection.handle(now, Input::Close);
    }
}

impl DatagramSource {
    fn wake(&mut self, now: Time) {
        if self.next > now {
            return;
        }
        if now >= self.stop {
            self.next = Time::NEVER;
            return;
        }
        let mut gap = self.interval;
        if self.source.jitter > 0.0 {
            let factor = 1.0 + self.source.jitter * (2.0 * self.stream.unit() - 1.0);
            gap = Duration::from_secs_f64(gap.as_secs_f64() * factor);
        }
        if let Some((on_s, off_s)) = self.source.on_off_s {
            let (on, off) = (Duration::from_secs_f64(on_s), Duration::from_secs_f64(off_s));
            let into = now.since(self.start).as_nanos() % (on + off).as_nanos();
            if into >= on.as_nanos() {
                self.next = now + Duration::from_nanos((on + off).as_nanos() - into);
                return;
            }
        }
        self.due += 1;
        self.next = now + gap;
    }
}
