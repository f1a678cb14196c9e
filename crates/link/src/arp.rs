//! Address resolution: which station has a neighbour's IPv4 address.
//!
//! Stands between a router and the interface queue. A packet whose next hop is known passes; another waits
//! while its next hop is asked for.
//!
//! Spec      RFC 826; RFC 1122 §2.3.2.1 (old entries, flooding), §2.3.2.2 (the latest packet is saved)
//! Deviates  what waits is given up after `Config::requests` requests without an answer, on which both are silent;
//!           a sender that is being asked for is learnt from any message of its own, as if it stood in the table;
//!           switches of `Config` for ns-2.35
//! Holds     at most one packet waits for each neighbour; each packet comes out once; a packet that passes never
//!           overtakes another that passes

use std::collections::VecDeque;
use std::collections::btree_map::{BTreeMap, Entry};

use hopwright_machine::{Address, DropCause, Duration, Machine, NodeId, Time};
use hopwright_wire::arp::{MacAddress, Message, Operation};

use crate::DelayLine;

/// How addresses are resolved. `Default` follows the RFCs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// When a request that was not answered is repeated.
    pub repeat: Repeat,
    /// Requests without an answer after which the neighbour counts as unreachable: 3.
    pub requests: u32,
    /// For how long an address holds after a message has told or confirmed it: 20 minutes.
    pub lifetime: Duration,
    /// Whether the sender of every message is entered in the table (ns-2), or only that of a message which is for
    /// this node (RFC 826).
    pub learns_from_all: bool,
    /// Time that the protocol's own messages and packets that have waited take to the queue. ns-2: 5 µs, whatever
    /// the link layer's delay is.
    pub delay: Duration,
}

/// When a request that was not answered is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// After this long, and never earlier (RFC 1122 §2.3.2.1: one second).
    After(Duration),
    /// With each further packet for the same neighbour, and never without one (ns-2).
    WithEachPacket,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            repeat: Repeat::After(Duration::from_secs(1)),
            requests: 3,
            lifetime: Duration::from_secs(20 * 60),
            learns_from_all: false,
            delay: Duration::ZERO,
        }
    }
}

impl Config {
    /// Every switch as ns-2.35 has it.
    #[must_use]
    pub const fn ns2() -> Self {
        Self {
            repeat: Repeat::WithEachPacket,
            requests: 3,
            lifetime: Duration::MAX,
            learns_from_all: true,
            delay: Duration::from_micros(5),
        }
    }
}

/// What can happen to address resolution.
#[derive(Debug)]
pub enum Input<'a, P> {
    /// A packet is to be sent to this neighbour.
    Send {
        /// The packet.
        packet: P,
        /// The neighbour.
        next_hop: NodeId,
    },
    /// A message has come off the air.
    Received(&'a Message),
    /// The deadline has come.
    Wake,
}

/// What address resolution wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output<P> {
    /// The next hop was known: the packet goes its way through the link layer.
    Pass {
        /// The packet.
        packet: P,
        /// The station to send it to.
        next_hop: NodeId,
    },
    /// The packet has waited, and goes to the interface queue now.
    Release {
        /// The packet.
        packet: P,
        /// The station to send it to.
        next_hop: NodeId,
    },
    /// A message goes to the interface queue now.
    Message {
        /// The message.
        message: Message,
        /// The station to send it to; `None` for everyone.
        to: Option<NodeId>,
    },
    /// The packet ends here: a newer one waits in its place.
    Dropped {
        /// The packet.
        packet: P,
        /// `ArpReplaced`.
        cause: DropCause,
    },
    /// The neighbour does not answer.
    Failed {
        /// The packet.
        packet: P,
        /// The neighbour.
        next_hop: NodeId,
        /// `ArpUnanswered`.
        cause: DropCause,
    },
}

/// A neighbour whose address is known.
#[derive(Clone, Copy, Debug)]
struct Known {
    station: NodeId,
    until: Time,
}

/// A neighbour that has been asked for, and what waits for the answer.
#[derive(Clone, Debug)]
struct Asked<P> {
    next_hop: NodeId,
    packet: P,
    requests: u32,
    /// When it is asked for again.
    again: Time,
}

/// Address resolution of one node.
#[derive(Clone, Debug)]
pub struct Arp<P> {
    config: Config,
    me: NodeId,
    known: BTreeMap<Address, Known>,
    asked: BTreeMap<Address, Asked<P>>,
    made: u64,
    late: DelayLine<Output<P>>,
    out: VecDeque<Output<P>>,
}

impl<P> Arp<P> {
    /// A node that knows nobody.
    #[must_use]
    pub const fn new(config: Config, me: NodeId) -> Self {
        let late = DelayLine::new(config.delay);
        Self { config, me, known: BTreeMap::new(), asked: BTreeMap::new(), made: 0, late, out: VecDeque::new() }
    }

    /// Messages made so far.
    #[must_use]
    pub const fn made(&self) -> u64 {
        self.made
    }

    /// Packets and messages inside.
    #[must_use]
    pub fn held(&self) -> usize {
        self.asked.len() + self.late.len()
    }

    /// The node goes down: gives up what waits for an answer, or for its turn. What is known stays.
    pub fn shut_down(&mut self) -> Vec<Output<P>> {
        let cause = DropCause::NodeDown;
        let asked = std::mem::take(&mut self.asked).into_values();
        let mut out: Vec<_> = asked.map(|asked| Output::Dropped { packet: asked.packet, cause }).collect();
        out.extend(std::iter::from_fn(|| self.late.pop(Time::NEVER)));
        out
    }

    fn send(&mut self, now: Time, packet: P, next_hop: NodeId) {
        let address = next_hop.address();
        match self.known.get(&address) {
            Some(known) if now < known.until => {
                self.out.push_back(Output::Pass { packet, next_hop: known.station });
                return;
            }
            Some(_) => drop(self.known.remove(&address)),
            None => {}
        }
        let with_each_packet = self.config.repeat == Repeat::WithEachPacket;
        match self.asked.entry(address) {
            Entry::Vacant(nobody) => {
                nobody.insert(Asked { next_hop, packet, requests: 0, again: Time::NEVER });
                self.ask(now, address);
            }
            Entry::Occupied(asked) if with_each_packet && asked.get().requests >= self.config.requests => {
                let older = asked.remove().packet;
                self.fail(older, next_hop);
                self.fail(packet, next_hop);
            }
            Entry::Occupied(mut asked) => {
                let older = std::mem::replace(&mut asked.get_mut().packet, packet);
                self.out.push_back(Output::Dropped { packet: older, cause: DropCause::ArpReplaced });
                if with_each_packet {
                    self.ask(now, address);
                }
            }
        }
    }

    fn fail(&mut self, packet: P, next_hop: NodeId) {
        self.out.push_back(Output::Failed { packet, next_hop, cause: DropCause::ArpUnanswered });
    }

    /// Broadcasts a request for a neighbour that a packet waits for.
    fn ask(&mut self, now: Time, address: Address) {
        let Some(asked) = self.asked.get_mut(&address) else { return };
        asked.requests += 1;
        asked.again = match self.config.repeat {
            Repeat::After(gap) => now + gap,
            Repeat::WithEachPacket => Time::NEVER,
        };
        self.tell(now, Operation::Request, MacAddress::UNKNOWN, address, None);
    }

    fn tell(
        &mut self,
        now: Time,
        operation: Operation,
        target_hardware: MacAddress,
        target_protocol: Address,
        to: Option<NodeId>,
    ) {
        let message = Message {
            operation,
            sender_hardware: MacAddress::of(self.me),
            sender_protocol: self.me.address(),
            target_hardware,
            target_protocol,
        };
        self.made += 1;
        self.put(now, Output::Message { message, to });
    }

    /// Lets something go to the queue, after the delay.
    fn put(&mut self, now: Time, output: Output<P>) {
        if self.config.delay == Duration::ZERO {
            self.out.push_back(output);
        } else {
            self.late.push(now, output);
        }
    }

    /// RFC 826, "Packet Reception": first what the sender tells of itself, then what it asks.
    fn on_received(&mut self, now: Time, message: &Message) {
        let address = message.sender_protocol;
        let Some(station) = message.sender_hardware.node().filter(|_| address != self.me.address()) else {
            return; // nobody that could be sent to
        };
        let mine = message.target_protocol == self.me.address();
        let asked = self.asked.remove(&address);
        if asked.is_some() || mine || self.config.learns_from_all || self.known.contains_key(&address) {
            self.known.insert(address, Known { station, until: now + self.config.lifetime });
        }
        if let Some(Asked { packet, .. }) = asked {
            self.put(now, Output::Release { packet, next_hop: station });
        }
        if mine && message.operation == Operation::Request {
            self.tell(now, Operation::Reply, message.sender_hardware, address, Some(station));
        }
    }

    fn on_wake(&mut self, now: Time) {
        while let Some(output) = self.late.pop(now) {
            self.out.push_back(output);
        }
        let due = |(_, asked): &(&Address, &Asked<P>)| asked.again <= now;
        while let Some((&address, asked)) = self.asked.iter().find(due) {
            if asked.requests < self.config.requests {
                self.ask(now, address);
            } else if let Some(Asked { packet, next_hop, .. }) = self.asked.remove(&address) {
                self.fail(packet, next_hop);
            }
        }
    }
}

impl<P: 'static> Machine for Arp<P> {
    type Input<'a> = Input<'a, P>;
    type Output = Output<P>;

    fn handle(&mut self, now: Time, input: Input<'_, P>) {
        match input {
            Input::Send { packet, next_hop } => self.send(now, packet, next_hop),
            Input::Received(message) => self.on_received(now, message),
            Input::Wake => self.on_wake(now),
        }
    }

    fn poll(&mut self) -> Option<Output<P>> {
        self.out.pop_front()
    }

    fn deadline(&self) -> Time {
        let late = self.late.deadline();
        if self.asked.is_empty() {
            return late; // nearly always, and all events ask
        }
        self.asked.values().fold(late, |next, asked| next.min(asked.again))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays a script against node 1. A line is a time in milliseconds and one of
    /// `send PACKET to NODE`, `request from NODE for NODE`, `reply from NODE`; or, behind `>`, all that comes out
    /// from then until the next line.
    fn check(config: Config, script: &str) {
        let mut arp = Arp::new(config, NodeId(1));
        let mut said: Vec<String> = Vec::new();
        for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let node = |word: &str| NodeId(word.parse().expect("a node number"));
            let at = |ms: &str| Time::from_secs_f64(ms.parse::<f64>().expect("milliseconds") / 1e3);
            run(&mut arp, at(words[0]), &mut said);
            let now = at(words[0]);
            match words[1..] {
                ["send", packet, "to", hop] => {
                    arp.handle(now, Input::Send { packet: packet.to_owned(), next_hop: node(hop) });
                }
                ["request", "from", from, "for", target] => {
                    arp.handle(now, Input::Received(&message(Operation::Request, node(from), node(target))));
                }
                ["reply", "from", from] => {
                    arp.handle(now, Input::Received(&message(Operation::Reply, node(from), NodeId(1))));
                }
                [">", ..] => {
                    let wanted = line.split_once('>').expect("just seen").1;
                    let wanted: Vec<_> = wanted.split(',').map(|w| format!("{} {}", words[0], w.trim())).collect();
                    let number = wanted.len().min(said.len());
                    assert_eq!(said.drain(..number).collect::<Vec<_>>(), wanted, "{line}");
                    continue;
                }
                _ => panic!("cannot read {line}"),
            }
            collect(&mut arp, now, &mut said);
        }
        run(&mut arp, Time::from_secs_f64(1e6), &mut said);
        assert_eq!(said, [""; 0], "nobody has spoken of this");
        assert_eq!(arp.held(), 0);
    }

    fn message(operation: Operation, from: NodeId, target: NodeId) -> Message {
        let target_hardware = if operation == Operation::Reply { MacAddress::of(target) } else { MacAddress::UNKNOWN };
        Message {
            operation,
            sender_hardware: MacAddress::of(from),
            sender_protocol: from.address(),
            target_hardware,
            target_protocol: target.address(),
        }
    }

    fn run(arp: &mut Arp<String>, until: Time, said: &mut Vec<String>) {
        while arp.deadline() <= until && !arp.deadline().is_never() {
            let now = arp.deadline();
            arp.handle(now, Input::Wake);
            collect(arp, now, said);
        }
    }

    fn collect(arp: &mut Arp<String>, now: Time, said: &mut Vec<String>) {
        while let Some(output) = arp.poll() {
            let what = match output {
                Output::Pass { packet, next_hop } => format!("pass {packet} to {next_hop}"),
                Output::Release { packet, next_hop } => format!("release {packet} to {next_hop}"),
                Output::Dropped { packet, cause } => format!("drop {packet}: {cause}"),
                Output::Failed { packet, next_hop, cause } => format!("fail {packet} to {next_hop}: {cause}"),
                Output::Message { message, to } => {
                    assert_eq!(message.sender_hardware.node(), Some(NodeId(1)));
                    assert_eq!(message.sender_protocol, NodeId(1).address());
                    assert_eq!(message.target_hardware.node(), to);
                    let target = message.target_protocol.node().expect("a node's address");
                    match message.operation {
                        Operation::Request => format!("ask for {target}"),
                        Operation::Reply => format!("answer {target}"),
                    }
                }
            };
            said.push(format!("{} {what}", now.as_nanos() as f64 / 1e6));
        }
    }

    #[test]
    fn the_first_packet_waits_for_the_answer_and_later_ones_pass() {
        check(
            Config::default(),
            "0 send a to 2
             0 > ask for 2
             3 reply from 2
             3 > release a to 2
             4 send b to 2
             4 > pass b to 2",
        );
    }

    #[test]
    fn only_the_latest_packet_waits() {
        check(
            Config::default(),
            "0 send a to 2
             0 > ask for 2
             1 send b to 2
             1 > drop a: arp_replaced
             2 send c to 3
             2 > ask for 3
             3 reply from 2
             3 > release b to 2
             4 reply from 3
             4 > release c to 3",
        );
    }

    #[test]
    fn a_request_is_repeated_once_a_second_and_given_up_after_the_third() {
        check(
            Config::default(),
            "   0 send a to 2
                0 > ask for 2
              500 send b to 2
              500 > drop a: arp_replaced
             1000 > ask for 2
             2000 > ask for 2
             3000 > fail b to 2: arp_unanswered
             3001 send c to 2
             3001 > ask for 2
             3002 reply from 2
             3002 > release c to 2",
        );
    }

    #[test]
    fn a_request_for_this_node_is_answered_and_teaches() {
        check(
            Config::default(),
            "0 request from 2 for 1
             0 > answer 2
             1 send a to 2
             1 > pass a to 2",
        );
    }

    #[test]
    fn a_request_for_another_node_teaches_only_whom_it_concerns() {
        check(
            Config::default(),
            "0 request from 2 for 3
             1 send a to 2
             1 > ask for 2
             2 request from 2 for 3
             2 > release a to 2",
        );
    }

    #[test]
    fn an_address_grows_old_unless_it_is_confirmed() {
        check(
            Config { lifetime: Duration::from_secs(60), ..Config::default() },
            "     0 request from 2 for 1
                  0 > answer 2
              50000 request from 2 for 3
             109999 send a to 2
             109999 > pass a to 2
             110000 send b to 2
             110000 > ask for 2
             110001 reply from 2
             110001 > release b to 2",
        );
    }

    #[test]
    fn ns2_asks_with_each_packet_and_gives_up_with_the_fourth() {
        check(
            Config { delay: Duration::ZERO, ..Config::ns2() },
            "   0 send a to 2
                0 > ask for 2
                1 send b to 2
                1 > drop a: arp_replaced, ask for 2
             5000 send c to 2
             5000 > drop b: arp_replaced, ask for 2
             9000 send d to 2
             9000 > fail c to 2: arp_unanswered, fail d to 2: arp_unanswered
             9001 send e to 2
             9001 > ask for 2
             9002 reply from 2
             9002 > release e to 2",
        );
    }

    #[test]
    fn ns2_learns_from_everything_and_forgets_nothing() {
        check(
            Config { delay: Duration::ZERO, ..Config::ns2() },
            "         0 request from 2 for 3
             100000000 send a to 2
             100000000 > pass a to 2",
        );
    }

    #[test]
    fn ns2_lets_five_microseconds_pass_before_what_it_sends_itself() {
        check(
            Config::ns2(),
            "0 send a to 2
             0.005 > ask for 2
             3 request from 2 for 1
             3.005 > release a to 2, answer 2
             4 send b to 2
             4 > pass b to 2",
        );
    }

    #[test]
    fn neighbours_are_asked_for_each_at_its_time() {
        check(
            Config::default(),
            "   0 send a to 2
                0 > ask for 2
              500 send b to 3
              500 > ask for 3
             1000 > ask for 2
             1500 > ask for 3
             1600 reply from 2
             1600 > release a to 2
             2500 > ask for 3
             3500 > fail b to 3: arp_unanswered",
        );
    }

    #[test]
    fn an_address_holds_for_twenty_minutes() {
        check(
            Config::default(),
            "      0 request from 2 for 1
                   0 > answer 2
             1199999 send a to 2
             1199999 > pass a to 2
             1200000 send b to 2
             1200000 > ask for 2
             1200001 reply from 2
             1200001 > release b to 2",
        );
    }

    #[test]
    fn what_is_inside_is_counted_and_given_up_when_the_node_goes_down() {
        let mut arp = Arp::new(Config::ns2(), NodeId(1));
        assert_eq!((arp.held(), arp.made()), (0, 0));
        arp.handle(Time::ZERO, Input::Send { packet: "a".to_owned(), next_hop: NodeId(2) });
        arp.handle(Time::ZERO, Input::Received(&message(Operation::Request, NodeId(3), NodeId(1))));
        // A packet that waits; a request and an answer that have not left yet.
        assert_eq!((arp.held(), arp.made()), (3, 2));
        let given_up = arp.shut_down();
        let lost = |output: &Output<_>| matches!(output, Output::Dropped { cause: DropCause::NodeDown, .. });
        let late = |output: &Output<_>| matches!(output, Output::Message { .. });
        assert_eq!(given_up.iter().filter(|output| lost(output)).count(), 1);
        assert_eq!(given_up.iter().filter(|output| late(output)).count(), 2);
        assert!(arp.held() == 0 && arp.deadline().is_never());
    }

    #[test]
    fn a_message_under_this_nodes_own_address_teaches_nothing() {
        check(Config::ns2(), "0 request from 1 for 1");
    }
}
