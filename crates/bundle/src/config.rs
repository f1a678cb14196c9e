//! How bundles are carried: the rules that the thesis leaves open, each with its readings.

use hopwright_machine::Duration;

/// How every node carries bundles. The defaults are those of Velayutham 2005, and where that is silent, what is decided
/// here.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Packets in a bundle, at least 1 (§7.1: 1000 where nodes stand still, 500 where they move).
    pub bundle_packets: u16,
    /// Bytes of application data in a packet, at least 1.
    pub payload_bytes: u32,
    /// Bundles of a connection that may be in the network at once, at least 1 (§6.1: one).
    pub in_transit: u32,
    /// Whether connections between the same two nodes share that number.
    pub merges_connections: bool,
    /// How long a source waits for the first answer.
    pub initial_timer: InitialTimer,
    /// The most that doubling makes of it.
    pub max_timer: Duration,
    /// When a source's timer starts.
    pub timer_starts: TimerStarts,
    /// After so long without a packet of it, a part of a bundle is deleted.
    pub receive_timer: Duration,
    /// How long an answer to a probe is waited for.
    pub probe_timer: Duration,
    /// Whether an error about a link ahead ends that (§6.5.2).
    pub heeds_errors: bool,
    /// So many packets before the end of a bundle a relay asks whether the way is alive (§6.4.5: 10).
    pub probe_lead: u16,
    /// Whether a source asks as well, before it sends the first packet.
    pub source_probes: bool,
    /// How long an owner waits after a full queue, its own or the next owner's.
    pub retry: Duration,
    /// How long a relay keeps a bundle for which there is no way, or which the next owner refuses; `None`: for ever. Without
    /// it, relays that refuse can wait for each other for ever: each has what the other has no room for.
    pub hold: Option<Duration>,
    /// Which packet of a bundle that the destination has makes it acknowledge the bundle again.
    pub acks_again: AcksAgain,
    /// In which order a node serves bundles.
    pub service: Service,
    /// Whether a relay sends packets of a bundle on before it has the whole of it.
    pub cut_through: bool,
    /// Bundles for which a relay has room; `None`: for all.
    pub room: Option<u32>,
    /// What a relay without room does.
    pub when_full: WhenFull,
    /// When a relay lets go of a bundle.
    pub lets_go: LetsGo,
    /// How often the link may give a packet up before it counts as lost, at least 1 (§6.5.4: once).
    pub link_tries: u32,
    /// Where a bundle begins again after its link has failed.
    pub resumes: Resumes,
    /// Whether messages about bundles go before data in interface queues.
    pub messages_first: bool,
    /// Whether a relay that goes down has its bundles when it comes up.
    pub survives_down: bool,
}

/// How long a source waits for the first answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialTimer {
    /// So long (§7.1: 5 s).
    Fixed(Duration),
    /// So long for each hop of the way.
    PerHop(Duration),
    /// For ever: there is no timer before the first round trip is known.
    Unlimited,
}

/// When a source's timer starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerStarts {
    /// When the first hop is done (§6.5.1).
    AfterTransfer,
    /// When it begins.
    BeforeTransfer,
}

/// Which packet of a bundle that the destination has makes it acknowledge the bundle again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcksAgain {
    /// The last: when the bundle has come again.
    Complete,
    /// The first.
    FirstPacket,
}

/// In which order a node serves bundles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// Each has one packet in the queue: they take turns.
    Turns,
    /// One after the other, the one that came first first.
    OldestFirst,
    /// One after the other, the one with the shortest way left first.
    NearestFirst,
}

/// What a relay without room does with packets of a further bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    /// It drops them, although the MAC has acknowledged them.
    Drop,
    /// It tells their owner, who tries again later (an extension).
    Refuse,
}

/// When a relay lets go of a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LetsGo {
    /// When the next owner has all of it.
    OnTransfer,
    /// When the destination's acknowledgement passes by.
    OnAck,
}

/// Where a bundle begins again after its link has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resumes {
    /// At its first packet (§6.5.4).
    AtTheBeginning,
    /// At the packet that failed, if the next owner is the same.
    WhereItFailed,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            bundle_packets: 1000,
            payload_bytes: 512,
            in_transit: 1,
            merges_connections: false,
            initial_timer: InitialTimer::Fixed(Duration::from_secs(5)),
            max_timer: Duration::from_secs(60),
            timer_starts: TimerStarts::AfterTransfer,
            receive_timer: Duration::from_secs(5),
            probe_timer: Duration::from_secs(1),
            heeds_errors: true,
            probe_lead: 10,
            source_probes: false,
            retry: Duration::from_millis(100),
            hold: None,
            acks_again: AcksAgain::Complete,
            service: Service::Turns,
            cut_through: false,
            room: None,
            when_full: WhenFull::Drop,
            lets_go: LetsGo::OnTransfer,
            link_tries: 1,
            resumes: Resumes::AtTheBeginning,
            messages_first: false,
            survives_down: false,
        }
    }
}
