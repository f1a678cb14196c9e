//! The ends of a flow over TCP.

use hopwright_machine::{Address, Duration, FlowTag, Machine, NodeId, Purpose, Stream, Time};
use hopwright_transport::adaptation::Change;
use hopwright_transport::params::{GranularityMode, Place};
use hopwright_transport::{
    Conflict, Connection, Data, Input, Missing, Needs, NetworkSignal, Output, Params, Recipe, Role, State, SwapError,
};
use hopwright_wire::ip::Ecn;
use hopwright_wire::notice::{self, Asks, Kind, Notice, Restored};
use hopwright_wire::{Packet, Payload, tcp};

use super::{Endpoint, Outgoing, Relayed, Wants};
use crate::application::{Application, Order, Progress};
use crate::compute::Begun;
use crate::meter::FlowMeter;
use crate::stamps::{Stamp, place_of};
use crate::trace::Event;

/// A connection at one end of a flow, and what the network has to know of it.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) flow: usize,
    /// The tags of packets that come, and of those that it sends.
    comes: FlowTag,
    goes: FlowTag,
    connection: Connection,
    /// The other end.
    peer: Address,
    /// The flow, as notices name it.
    address: notice::Flow,
    /// What the flow's transport asks of the network.
    pub(crate) asks: Option<Asks>,
    /// The length of the route that the connection was told last.
    hops: Option<u32>,
    /// Whether this end decides what is sent: the sender, or a receiver that asks.
    decides: bool,
    /// The round-trip time that was measured last, until a trace has been told.
    rtt: Option<Duration>,
    /// What its triggers did, until a trace has been told.
    changes: Vec<Change>,
}

/// The end that sends the data, and its application.
#[derive(Debug)]
pub(crate) struct Sender {
    pub(crate) end: End,
    application: Box<dyn Application>,
    /// Its deadline.
    acts_at: Time,
    /// What it was told to be missing, if it wants to know.
    told: Option<Vec<Missing>>,
}

/// The end that receives the data.
#[derive(Debug)]
pub(crate) struct Receiver {
    pub(crate) end: End,
    /// The place of what it reads that stations write on packets, or will with mechanisms that triggers set.
    stamp: Option<usize>,
    /// Whether its mechanisms want to be told of damage, or will with those that triggers set.
    may_hear_damage: bool,
}

/// Both ends of a flow.
pub(crate) fn pair(
    flow: usize,
    address: notice::Flow,
    (recipe, params, stamps): (&Recipe, &Params, &[Stamp]),
    (application, relayed): (Box<dyn Application>, Relayed),
    seed: u64,
) -> (Sender, Receiver) {
    let mut initial = Stream::new(seed, NodeId(flow as u32), Purpose::Transport);
    let mut own = params.clone();
    if own.granularity_mode == GranularityMode::Ns2 {
        // Each of ns-2's agents starts its clock at a random point of a tick (`boot_time_`).
        own.granularity_phase = initial.duration_below(own.granularity);
    }
    own.luck = Stream::new(seed, NodeId(flow as u32), Purpose::Diagnosis).bits();
    let (from, to) = (address.source_port, address.destination_port);
    let mut iss = || tcp::Seq(initial.bits() as u32);
    let sender_decides = own.place == Place::Sender;
    // The end that decides measures, and tells the other.
    let without = Params { place: Place::Sender, triggers: None, ..own.clone() };
    let (of_sender, mut of_receiver) = if sender_decides { (&own, without) } else { (&without, own.clone()) };
    let active = Connection::new(recipe, of_sender, Role::Active, from, to, iss());
    if relayed.keeps {
        of_receiver.explicit_read = true;
        of_receiver.receive_buffer_bytes = relayed.buffer_bytes.unwrap_or(own.receive_buffer_bytes);
    }
    let mut passive = Connection::new(recipe, &of_receiver, Role::Passive, to, from, iss());
    passive.handle(Time::ZERO, Input::Open);
    let asks = recipe.asks(params);
    let end = |connection, peer, forward: bool| {
        let (comes, goes) = (FlowTag::new(flow, !forward), FlowTag::new(flow, forward));
        let decides = forward == sender_decides;
        End { flow, comes, goes, connection, peer, address, asks, hops: None, decides, rtt: None, changes: vec![] }
    };
    let acts_at = application.deadline();
    let sender = Sender { end: end(active, address.destination, true), application, acts_at, told: None };
    let later = own.triggers.iter().flat_map(|triggers| triggers.recipes(*recipe));
    let recipes: Vec<Recipe> = std::iter::once(*recipe).chain(later).collect();
    let stamp = recipes.iter().find_map(|recipe| place(recipe, stamps));
    let may_hear_damage = recipes.iter().any(hears_damage);
    (sender, Receiver { end: end(passive, address.source, false), stamp, may_hear_damage })
}

/// Whether a receiver with this recipe wants to be told of packets that come damaged.
fn hears_damage(recipe: &Recipe) -> bool {
    recipe.needs().iter().any(|needs| needs.has(Needs::DAMAGE))
}

/// Where packets carry what a receiver with this recipe reads.
fn place(recipe: &Recipe, stamps: &[Stamp]) -> Option<usize> {
    place_of(stamps, recipe.fact()?)
}

impl End {
    fn is_for(&self, packet: &Packet) -> bool {
        packet.flow == Some(self.comes)
    }

    fn outgoing(&self, segment: tcp::Segment) -> Outgoing {
        Outgoing { to: self.peer, flow: Some(self.goes), ecn: segment.ecn, payload: Payload::Tcp(segment.into()) }
    }

    fn hops_to(&self) -> Option<Address> {
        self.connection.wants_hops().then_some(self.peer)
    }

    /// Whether a signal is news to the connection.
    fn is_news(&mut self, signal: NetworkSignal) -> bool {
        match signal {
            NetworkSignal::Hops(hops) => self.hops.replace(hops) != Some(hops),
            _ => true,
        }
    }

    /// Whether this end asked to be told that the route is there again.
    fn awaits_return(&self, end: Restored) -> bool {
        self.asks.is_some_and(|asks| asks.restored == end)
    }

    /// What there is to do about a notice that is for this end: see `Endpoint::takes`.
    fn takes(&self, notice: &Notice) -> Option<Option<Address>> {
        let asks = self.asks.filter(|_| notice.flow == self.address)?;
        Some((asks.seeks && notice.kind != Kind::Rrn).then_some(self.peer))
    }

    pub(crate) const fn state(&self) -> State {
        self.connection.state()
    }

    /// The connection whose state tells how the flow stands, where this end decides.
    pub(crate) fn deciding(&self) -> &Connection {
        self.connection.asking().unwrap_or(&self.connection)
    }

    pub(crate) const fn decides(&self) -> bool {
        self.decides
    }

    /// Something is about to happen to this end.
    #[inline]
    fn begin(&self, meter: &FlowMeter) -> Begun {
        if self.decides { meter.sender_at(self.deciding()) } else { Begun(None) }
    }

    /// A segment came for it.
    fn hand_over(&mut self, now: Time, segment: &tcp::Segment, ecn: Ecn, meter: &mut FlowMeter) {
        hand_over(&mut self.connection, now, segment, ecn);
        if !self.decides {
            return;
        }
        // Writing forgets the sample.
        self.rtt = self.deciding().public().rtt_sample;
        if let Some(rtt) = self.rtt {
            meter.observe_rtt(now, rtt.as_secs_f64());
        }
    }

    /// Takes account of what triggers did, and of how the sender, or the receiver that asks, stands: at the end of
    /// whatever happened. Returns whether triggers did something.
    #[inline]
    pub(super) fn observe(&mut self, now: Time, meter: &mut FlowMeter) -> bool {
        if !self.decides {
            return false;
        }
        let has_changed = self.connection.is_adaptive() && self.take_changes(meter);
        meter.observe_sender(now, self.deciding());
        has_changed
    }

    #[cold]
    fn take_changes(&mut self, meter: &mut FlowMeter) -> bool {
        if let Some(readings) = self.connection.readings() {
            meter.observe_monitors(readings);
        }
        let changes = self.connection.take_changes();
        if changes.is_empty() {
            return false;
        }
        self.hops = None; // a new mechanism may want to be told
        meter.adapted(&changes);
        self.changes = changes; // of those before, a trace has been told
        true
    }

    /// Tells a trace what there is to tell of the end that decides.
    fn show(&mut self, mut tell: impl FnMut(Event<'_>)) {
        for change in std::mem::take(&mut self.changes) {
            tell(Event::Adapted { flow: self.flow, change: &change });
        }
        let rtt = self.rtt.take();
        let decides = self.deciding();
        tell(Event::Sender { flow: self.flow, public: decides.public(), rtt, limit: decides.limit() });
    }

    pub(crate) fn admits(&self, recipe: &Recipe) -> Result<(), Conflict> {
        self.connection.admits(recipe)
    }

    fn swap(&mut self, parts: &[(&str, &str)]) -> Result<Vec<&'static str>, SwapError> {
        self.hops = None; // a new mechanism may want to be told
        self.connection.swap_all(parts)
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
    pub(crate) const fn connection(&self) -> &Connection {
        &self.end.connection
    }

    /// Does what a relay wants.
    pub(crate) fn order(&mut self, now: Time, order: Order, flows: &mut [FlowMeter]) {
        let input = match order {
            Order::Open => Input::Open,
            Order::Write(bytes) => Input::Write(Data::Count(bytes)),
            Order::Close => Input::Close,
        };
        let meter = &mut flows[self.end.flow];
        self.learn(now, meter);
        self.end.connection.handle(now, input);
        self.observe(now, meter);
    }

    /// Puts mechanisms into slots, pairs of slot and mechanism.
    pub(crate) fn swap(
        &mut self,
        now: Time,
        parts: &[(&str, &str)],
        flows: &mut [FlowMeter],
    ) -> Result<Vec<&'static str>, SwapError> {
        let were = self.end.swap(parts)?;
        self.told = None;
        self.observe(now, &mut flows[self.end.flow]);
        Ok(were)
    }

    #[inline]
    fn observe(&mut self, now: Time, meter: &mut FlowMeter) {
        if self.end.observe(now, meter) {
            self.told = None;
        }
    }

    /// Tells a connection that wants to know what was lost, before whatever may make it ask.
    fn learn(&mut self, now: Time, meter: &FlowMeter) {
        if !self.end.connection.wants_truth() {
            return;
        }
        let missing = Some(meter.knowledge.missing());
        if self.told != missing {
            self.told = missing;
            self.end.connection.handle(now, Input::Truth(self.told.as_deref().unwrap_or_default()));
        }
    }

    /// Does what the application wants, but does not close: returns whether it is to.
    fn obey(&mut self, now: Time) -> bool {
        let connection = &mut self.end.connection;
        let closes = loop {
            let is_open = connection.state() != State::SynSent;
            let progress = Progress { acked_bytes: connection.public().acked_bytes, is_open };
            match self.application.poll(progress) {
                Some(Order::Open) => connection.handle(now, Input::Open),
                Some(Order::Write(bytes)) => connection.handle(now, Input::Write(Data::Count(bytes))),
                Some(Order::Close) => break true,
                None => break false,
            }
        };
        self.acts_at = self.application.deadline();
        closes
    }
}

impl Endpoint for Sender {
    fn is_for(&self, packet: &Packet) -> bool {
        self.end.is_for(packet)
    }

    fn receive(&mut self, now: Time, packet: &Packet, flows: &mut [FlowMeter]) {
        let Payload::Tcp(segment) = &packet.payload else { return };
        let meter = &mut flows[self.end.flow];
        self.learn(now, meter);
        let begun = self.end.begin(meter);
        self.end.hand_over(now, segment, packet.ecn, meter);
        if !self.end.decides {
            meter.receiver_worked(); // what serves a request does as little
        }
        if self.obey(now) {
            self.end.connection.handle(now, Input::Close);
        }
        begun.end(&mut meter.work, &Input::Segment { segment, data: &[] }, &self.end.connection);
        self.observe(now, meter);
    }

    fn poll(&mut self, now: Time, flows: &mut [FlowMeter]) -> Option<Outgoing> {
        let meter = &mut flows[self.end.flow];
        loop {
            let output = self.end.connection.poll()?;
            if self.end.decides {
                meter.observe_sender(now, &self.end.connection);
            }
            if let Output::Segment(segment) = output {
                meter.sent_segment(&segment);
                return Some(self.end.outgoing(segment));
            }
        }
    }

    fn deadline(&self) -> Time {
        self.end.connection.deadline().min(self.acts_at)
    }

    fn wake(&mut self, now: Time, flows: &mut [FlowMeter]) {
        let meter = &mut flows[self.end.flow];
        let mut closes = false;
        if self.acts_at <= now {
            let (begun, was) = (self.end.begin(meter), self.end.connection.state());
            self.application.wake(now);
            closes = self.obey(now);
            if self.end.connection.state() != was {
                begun.end(&mut meter.work, &Input::Open, &self.end.connection);
            }
        }
        if self.end.connection.deadline() <= now {
            self.learn(now, meter);
            let begun = self.end.begin(meter);
            self.end.connection.handle(now, Input::Wake);
            begun.end(&mut meter.work, &Input::Wake, &self.end.connection);
        }
        if closes {
            let begun = self.end.begin(meter);
            self.end.connection.handle(now, Input::Close);
            begun.end(&mut meter.work, &Input::Close, &self.end.connection);
        }
        self.observe(now, meter);
    }

    fn show(&mut self, _flows: &[FlowMeter], tell: impl FnMut(Event<'_>)) {
        if self.end.decides {
            self.end.show(tell);
        }
    }

    fn wants(&self) -> Wants {
        Wants { hops_to: self.end.hops_to(), stamp: None }
    }

    fn signal(&mut self, now: Time, signal: NetworkSignal, flows: &mut [FlowMeter]) {
        if !self.end.is_news(signal) {
            return;
        }
        let meter = &mut flows[self.end.flow];
        self.learn(now, meter);
        let begun = self.end.begin(meter);
        let input = Input::Signal(signal);
        self.end.connection.handle(now, input);
        begun.end(&mut meter.work, &input, &self.end.connection);
        self.observe(now, meter);
    }

    fn takes(&self, notice: &Notice) -> Option<Option<Address>> {
        let is_told = notice.kind != Kind::Rrn || self.end.awaits_return(Restored::Sender);
        self.end.takes(notice).filter(|_| is_told)
    }

    fn peer(&self) -> Option<Address> {
        Some(self.end.peer)
    }

    fn awaits_return(&self) -> bool {
        self.end.awaits_return(Restored::Sender)
    }
}

impl Receiver {
    /// A relay has passed on so many bytes: there is room for others.
    pub(crate) fn take(&mut self, now: Time, bytes: u32) {
        self.end.connection.handle(now, Input::Read(bytes));
    }

    /// A relay cannot pass anything on any more.
    pub(crate) fn abort(&mut self, now: Time) {
        self.end.connection.handle(now, Input::Abort);
    }

    /// Puts mechanisms into slots, pairs of slot and mechanism, and the sender's into the others: triggers change those at
    /// the sender alone. The flow has this recipe from then on.
    pub(crate) fn swap(
        &mut self,
        parts: &[(&str, &str)],
        recipe: &Recipe,
        stamps: &[Stamp],
    ) -> Result<Vec<&'static str>, SwapError> {
        self.stamp = place(recipe, stamps).or(self.stamp);
        self.may_hear_damage |= hears_damage(recipe);
        let ours = self.end.connection.recipe().parts();
        let is_changed = |pair: &(&str, &str)| !ours.contains(pair) && !parts.iter().any(|(slot, _)| *slot == pair.0);
        let others = recipe.parts().into_iter().filter(is_changed);
        let all: Vec<(&str, &str)> = parts.iter().copied().chain(others).collect();
        let mut were = self.end.swap(&all)?;
        were.truncate(parts.len());
        Ok(were)
    }
}

impl Endpoint for Receiver {
    fn is_for(&self, packet: &Packet) -> bool {
        self.end.is_for(packet)
    }

    fn receive(&mut self, now: Time, packet: &Packet, flows: &mut [FlowMeter]) {
        let Payload::Tcp(segment) = &packet.payload else { return };
        let meter = &mut flows[self.end.flow];
        let begun = self.end.begin(meter);
        self.end.hand_over(now, segment, packet.ecn, meter);
        meter.receiver_worked();
        begun.end(&mut meter.work, &Input::Segment { segment, data: &[] }, self.end.deciding());
        self.end.observe(now, meter);
    }

    fn poll(&mut self, now: Time, flows: &mut [FlowMeter]) -> Option<Outgoing> {
        loop {
            match self.end.connection.poll()? {
                Output::Segment(segment) => return Some(self.end.outgoing(segment)),
                Output::Readable(bytes) => flows[self.end.flow].received(now, u64::from(bytes)),
                Output::PeerClosed => self.end.connection.handle(now, Input::Close),
                _ => {}
            }
        }
    }

    fn deadline(&self) -> Time {
        self.end.connection.deadline()
    }

    fn wake(&mut self, now: Time, flows: &mut [FlowMeter]) {
        if self.end.connection.deadline() <= now {
            let meter = &mut flows[self.end.flow];
            let begun = self.end.begin(meter);
            self.end.connection.handle(now, Input::Wake);
            meter.receiver_worked();
            begun.end(&mut meter.work, &Input::Wake, self.end.deciding());
            self.end.observe(now, meter);
        }
    }

    fn show(&mut self, _flows: &[FlowMeter], tell: impl FnMut(Event<'_>)) {
        if self.end.decides {
            self.end.show(tell);
        }
    }

    fn wants(&self) -> Wants {
        let stamp = self.stamp.filter(|_| self.end.connection.wants_stamps());
        Wants { hops_to: self.end.hops_to(), stamp }
    }

    fn signal(&mut self, now: Time, signal: NetworkSignal, flows: &mut [FlowMeter]) {
        if self.end.is_news(signal) {
            let meter = &mut flows[self.end.flow];
            let begun = self.end.begin(meter);
            let input = Input::Signal(signal);
            self.end.connection.handle(now, input);
            meter.receiver_worked();
            begun.end(&mut meter.work, &input, self.end.deciding());
            self.end.observe(now, meter);
        }
    }

    fn takes(&self, notice: &Notice) -> Option<Option<Address>> {
        let is_told = notice.kind == Kind::Rrn && self.end.awaits_return(Restored::Receiver);
        self.end.takes(notice).filter(|_| is_told)
    }

    fn peer(&self) -> Option<Address> {
        Some(self.end.peer)
    }

    fn awaits_return(&self) -> bool {
        self.end.awaits_return(Restored::Receiver)
    }

    fn hears_damage(&self) -> bool {
        self.may_hear_damage
    }
}
