//! What every radio is busy with, and for whose sake: the time that energy is made of.
//!
//! The meter is told of each frame when it leaves, with the times at which it will arrive and end. It takes account of
//! a radio only when it must: before that sends, goes down, or has a handful of frames waiting. So receivers stay as
//! lazy as they are.
//!
//! Spec      ns-2.35, `mac/wireless-phy.cc`, which charges a reception from where the one before it has ended
//! Deviates  a transmission is charged in full, also while something arrives (ns-2 charges it as reception then); what
//!           is idle is charged up to the end of the run (in ns-2, up to the last frame)
//! Holds     the times of each radio add up to the measured time, to the nanosecond; all that is neither idle nor off is
//!           on the account of one packet

use std::collections::{BTreeMap, VecDeque};

use hopwright_link::Frame;
use hopwright_machine::{NodeId, PacketId, Time};
use hopwright_radio::{Powers, RadioState};
use hopwright_wire::Packet;

use crate::medium::Hearer;
use crate::setup::Setup;

/// States in which a radio is busy with a frame: the first ones of `RadioState`.
const BUSY: usize = RadioState::Idle as usize;
/// So many frames on their way to a radio may wait to be taken account of.
const BACKLOG: usize = 8;

/// Nanoseconds in each state.
pub(crate) type Spent = [u64; RadioState::ALL.len()];
/// Nanoseconds in each state in which a radio is busy.
type Airtime = [u64; BUSY];

/// For whose sake a frame is in the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Payer {
    pub(crate) account: usize,
    pub(crate) packet: PacketId,
}

/// A frame at a radio that sends or hears it.
#[derive(Clone, Copy, Debug)]
struct Busy {
    from: Time,
    until: Time,
    state: RadioState,
    payer: Payer,
}

/// One node's radio.
#[derive(Debug, Default)]
struct Device {
    /// Everything before is taken account of.
    settled: Time,
    /// Its latest transmission.
    sent: Option<Busy>,
    /// Frames that arrive, by when they do; the first may be there already.
    arriving: VecDeque<Busy>,
    is_down: bool,
    /// Who pays for its latest RTS or data, and for what is answered.
    exchange: Option<Payer>,
    /// Nanoseconds in each state.
    spent: Spent,
}

/// Who pays for what.
#[derive(Debug)]
struct Books {
    accounts: Vec<Airtime>,
    packets: Option<BTreeMap<PacketId, Airtime>>,
}

impl Books {
    fn charge(&mut self, payer: Payer, state: RadioState, ns: u64) {
        self.accounts[payer.account][state as usize] += ns;
        if let Some(packets) = &mut self.packets {
            packets.entry(payer.packet).or_default()[state as usize] += ns;
        }
    }
}

/// The account of the messages of routing and address resolution.
pub(crate) const ROUTING: usize = 0;

/// The account of what goes the way of a flow's data, or the other way.
pub(crate) const fn account_of(flow: usize, forward: bool) -> usize {
    1 + 2 * flow + forward as usize
}

/// The radios of all nodes.
#[derive(Debug)]
pub(crate) struct Meter {
    /// What happens before does not count.
    begin: Time,
    pub(crate) powers: Powers,
    devices: Vec<Device>,
    books: Books,
}

impl Meter {
    /// `None` where nobody asks for energy. `by_packet`: whether each packet is asked for, too.
    pub(crate) fn new(setup: &Setup, by_packet: bool) -> Option<Box<Self>> {
        let meter = |powers| Self::of(powers, setup.warm_up, setup.nodes.len(), setup.flows.len(), by_packet);
        setup.radio.powers.map(|powers| Box::new(meter(powers)))
    }

    fn of(powers: Powers, begin: Time, nodes: usize, flows: usize, by_packet: bool) -> Self {
        Self {
            begin,
            powers,
            devices: (0..nodes).map(|_| Device::default()).collect(),
            books: Books {
                accounts: vec![Airtime::default(); account_of(flows, false)],
                packets: by_packet.then(BTreeMap::new),
            },
        }
    }

    /// A frame leaves. `own`: who pays for it, if it does not answer one of its addressee's.
    pub(crate) fn launched(&mut self, now: Time, frame: &Frame<Packet>, own: Option<Payer>, heard: &[Hearer]) {
        let asked_by = frame.to.and_then(|to| self.devices[to.index()].exchange);
        let payer = own.or(asked_by).expect("a frame that carries nothing answers one that its addressee sent");
        if own.is_some() {
            self.devices[frame.from.index()].exchange = own;
        }
        self.sends(now, frame.from, now + frame.air_time, payer);
        for link in heard {
            let state = match link.hurdle.is_decodable() {
                false => RadioState::Sense,
                true if frame.to.is_none_or(|to| to.0 == link.node) => RadioState::Receive,
                true => RadioState::Overhear,
            };
            let from = now + link.delay;
            self.hears(now, link.node as usize, Busy { from, until: from + frame.air_time, state, payer });
        }
    }

    /// A node puts a frame on the air, which is over there at `until`.
    fn sends(&mut self, now: Time, node: NodeId, until: Time, payer: Payer) {
        self.settle(now, node.index());
        self.devices[node.index()].sent = Some(Busy { from: now, until, state: RadioState::Transmit, payer });
    }

    /// A frame that leaves at `now` will be at a node.
    fn hears(&mut self, now: Time, node: usize, busy: Busy) {
        if self.devices[node].arriving.len() >= BACKLOG {
            self.settle(now, node);
        }
        let arriving = &mut self.devices[node].arriving;
        let later = arriving.iter().rev().take_while(|b| b.from > busy.from).count();
        arriving.insert(arriving.len() - later, busy);
    }

    /// A node goes down, and forgets what is on its way, or comes up.
    pub(crate) fn switch(&mut self, now: Time, node: NodeId, up: bool) {
        self.settle(now, node.index());
        let device = &mut self.devices[node.index()];
        device.is_down = !up;
        device.sent = None;
        device.arriving.clear();
    }

    /// Takes account of everything before `now`, when all frames that left before are known.
    fn settle(&mut self, now: Time, node: usize) {
        let device = &mut self.devices[node];
        while device.settled < now {
            let (until, state, payer) = device.state();
            let until = until.min(now);
            let ns = until.since(device.settled.max(self.begin)).as_nanos();
            device.settled = until;
            device.spent[state as usize] += ns;
            if let Some(payer) = payer {
                self.books.charge(payer, state, ns);
            }
        }
    }

    /// The run is over.
    ///
    /// # Panics
    /// If the times of a radio do not add up: a fault of this program.
    pub(crate) fn end(&mut self, now: Time) {
        let measured = now.since(self.begin).as_nanos();
        for node in 0..self.devices.len() {
            self.settle(now, node);
            let spent: u64 = self.devices[node].spent.iter().sum();
            assert_eq!(spent, measured, "the radio of node {node} does not add up");
        }
    }

    /// Nanoseconds of each node in each state, up to the end.
    pub(crate) fn of_nodes(&self) -> impl Iterator<Item = &Spent> {
        self.devices.iter().map(|device| &device.spent)
    }

    /// Joules on an account.
    pub(crate) fn of_account_j(&self, account: usize) -> f64 {
        self.joules(&self.books.accounts[account])
    }

    /// Joules of each packet, if asked for.
    pub(crate) fn of_packets_j(&self) -> Vec<(PacketId, f64)> {
        let packets = self.books.packets.iter().flatten();
        packets.map(|(&packet, airtime)| (packet, self.joules(airtime))).collect()
    }

    /// What it takes to be in states for so many nanoseconds each.
    pub(crate) fn joules(&self, spent: &[u64]) -> f64 {
        RadioState::ALL.into_iter().zip(spent).map(|(state, &ns)| self.powers.joules(state, ns)).sum()
    }
}

impl Device {
    /// The state that it is in where it is settled, until when if nothing comes between, and who pays. One radio does
    /// one thing at a time: it sends, or else follows of the frames that are there the one that came first.
    fn state(&mut self) -> (Time, RadioState, Option<Payer>) {
        if self.is_down {
            return (Time::NEVER, RadioState::Off, None);
        }
        if let Some(sent) = self.sent.filter(|sent| sent.until > self.settled) {
            return (sent.until, sent.state, Some(sent.payer));
        }
        while self.arriving.front().is_some_and(|busy| busy.until <= self.settled) {
            self.arriving.pop_front();
        }
        match self.arriving.front() {
            Some(busy) if busy.from <= self.settled => (busy.until, busy.state, Some(busy.payer)),
            Some(busy) => (busy.from, RadioState::Idle, None),
            None => (Time::NEVER, RadioState::Idle, None),
        }
    }
}

#[cfg(test)]
mod tests;
