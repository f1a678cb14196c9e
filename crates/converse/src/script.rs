//! A script as the parser leaves it: every word understood, every number in range.

use hopwright_machine::Duration;
use hopwright_transport::{Params, Recipe, Role, State, Value};
use hopwright_wire::tcp::Flags;

/// A conversation.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Script {
    /// The comment at the top, line by line.
    pub about: Vec<String>,
    /// Who can be asked to keep to it.
    pub subjects: Subjects,
    /// The protocol of the engine.
    pub protocol: Option<String>,
    /// What is agreed before it begins.
    pub setup: Setup,
    /// What happens, in order.
    pub lines: Vec<Line>,
}

impl Script {
    /// Whether the script opens the connection itself.
    #[must_use]
    pub fn opens(&self) -> bool {
        self.lines.iter().any(|line| line.deed == Deed::Do(Action::Open))
    }
}

/// The line `on`: which subjects keep to a script, and why not both.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subjects {
    /// The engine of this project.
    pub engine: bool,
    /// The kernel.
    pub kernel: bool,
    /// What follows the colon.
    pub reason: String,
}

impl Default for Subjects {
    fn default() -> Self {
        Self { engine: true, kernel: false, reason: String::new() }
    }
}

/// What stands before the first timed line.
#[derive(Clone, PartialEq, Debug)]
pub struct Setup {
    /// Parameters of the subject.
    pub params: Vec<(String, Value)>,
    /// Mechanisms of the subject.
    pub slots: Vec<(String, String)>,
    /// Who sends the SYN: the subject is active or passive.
    pub role: Role,
    /// A peer whose SYN has no options.
    pub is_bare: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self { params: Vec::new(), slots: Vec::new(), role: Role::Active, is_bare: false }
    }
}

impl Setup {
    /// The parameters with what the script sets.
    #[must_use]
    pub fn params(&self, mut params: Params) -> Params {
        for (name, value) in &self.params {
            let set = params.set(name, value.clone());
            debug_assert!(set.is_ok(), "the parser let {name} through");
        }
        params
    }

    /// The recipe with the mechanisms that the script asks for.
    #[must_use]
    pub fn recipe(&self, recipe: Recipe) -> Recipe {
        self.slots.iter().fold(recipe, |recipe, (slot, part)| recipe.with(slot, part).unwrap_or(recipe))
    }
}

/// A timed line.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// Its number in the text, from one.
    pub number: usize,
    /// When, after the script's zero.
    pub at: Duration,
    /// What it says.
    pub deed: Deed,
    /// The line itself.
    pub text: String,
}

/// What a line says.
#[derive(Clone, PartialEq, Debug)]
pub enum Deed {
    /// The application does something.
    Do(Action),
    /// Segments arrive from the peer.
    Arrive(Arrival),
    /// The peer sends full segments until the window is closed; its next byte is its byte 0 from then on.
    Fill,
    /// A SYN for a new connection would be let in, or not.
    Reopening {
        /// Whether it would.
        admitted: bool,
        /// Its number.
        seq: u32,
        /// What else it carries.
        details: Details,
    },
    /// These leave the subject, in this order, within a time.
    Leave {
        /// What leaves.
        expected: Vec<Expected>,
        /// How long it may take.
        within: Duration,
    },
    /// These are the values of the subject's state.
    Hold(Vec<(Name, String)>),
}

/// What an application does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// Connects or listens.
    Open,
    /// Writes so many bytes.
    Write(u64),
    /// Takes so many bytes, or all there are.
    Read(u32),
    /// Has written everything.
    Close,
    /// Has written everything, reads no more and is gone: it hears no news.
    CloseBoth,
    /// Gives up.
    Abort,
    /// Nothing: a timer that comes too early.
    Wake,
    /// Routing says how long the route is.
    Hops(u32),
    /// The subject's link layer sees the peer's segment that begins here come damaged.
    Corrupted(u32),
    /// Routing says that a node could not forward the subject's segment that begins here, or one that it does not name.
    RouteFailed(Option<u32>),
    /// Routing knows a route again.
    RouteRestored,
}

/// What arrives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// The kind and the numbers.
    pub what: Arrives,
    /// What the segments carry beside.
    pub details: Details,
}

/// Kinds of segments that arrive; numbers are offsets of the data, 0 the first byte.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are those of the segments' parts")]
pub enum Arrives {
    Acks(Vec<u32>),
    Data(Vec<(u32, u32)>),
    Fin { at: u32, ack: Option<u32> },
    Syn,
    SynAck,
    Rst(Option<u32>),
    Raw { flags: Flags, seq: u32, ack: u32, bytes: u32, text: String },
}

/// What arriving segments carry beside their numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[expect(missing_docs, reason = "the names are those of the fields and options")]
pub struct Details {
    pub window: Option<u16>,
    pub stamp: Option<u32>,
    pub echo: Option<u32>,
    pub is_unstamped: bool,
    pub is_urgent: bool,
    pub is_loss_notice: bool,
    pub sack: Vec<(u32, u32)>,
    pub mss: Option<u16>,
    pub scale: Option<u8>,
    pub is_poll: bool,
    /// In microseconds.
    pub period: Option<u32>,
    pub duplicate_number: Option<u8>,
    pub packet_number: Option<u16>,
    pub is_out_of_order: bool,
    /// The mark of a router that met congestion.
    pub is_marked: bool,
    /// The flags ECE and CWR.
    pub is_echo: bool,
    pub is_reduced: bool,
}

/// What leaves, with the details that the script asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expected {
    /// The kind and the numbers.
    pub what: Leaves,
    /// Details by name, and their values as text.
    pub details: Vec<(Detail, String)>,
}

/// Kinds of what leaves a subject: segments, and news for the application.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are those of the words")]
pub enum Leaves {
    Data {
        start: u32,
        end: u32,
        fin: bool,
    },
    Fin(u32),
    Ack(u32),
    Syn {
        options: bool,
    },
    SynAck,
    Rst,
    /// Whatever makes the peer tell its window: a byte at this place, or an empty segment just before it.
    Probe(u32),
    Established,
    Readable(u32),
    PeerClosed,
    Closed,
    Reset,
    TimedOut,
}

/// Fields and options of what leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are those of the words")]
pub enum Detail {
    Seq,
    Window,
    Stamp,
    Echo,
    Sack,
    Mss,
    Scale,
    Poll,
    Period,
    DuplicateNumber,
    PacketNumber,
    OutOfOrder,
    LossNotice,
    Capable,
    Congestion,
    Reduced,
}

/// What can be asked of a subject's state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are those of the words")]
pub enum Name {
    State,
    Cwnd,
    Base,
    Ssthresh,
    Phase,
    Flight,
    Rto,
    Srtt,
    Timeouts,
    Retransmissions,
    Segments,
    Acked,
    Delivered,
    Duplicates,
    Mss,
    Readable,
    Backlog,
    Received,
    Spurious,
    Needless,
    DuplicateAcks,
    Dsacks,
    Congestion,
    Channel,
    Route,
    Freezes,
    Probes,
}

/// The states by their names in scripts.
pub const STATES: [State; 11] = [
    State::Closed,
    State::Listen,
    State::SynSent,
    State::SynReceived,
    State::Established,
    State::FinWait1,
    State::FinWait2,
    State::CloseWait,
    State::Closing,
    State::LastAck,
    State::TimeWait,
];
