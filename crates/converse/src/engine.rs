//! The engine as a subject: in virtual time, to the nanosecond.

use std::collections::VecDeque;

use hopwright_machine::{Machine as _, Time};
use hopwright_transport::params::GranularityMode;
use hopwright_transport::{Connection, Data, Input, NetworkSignal, Output, Params, Recipe};
use hopwright_wire::tcp::Segment;

use crate::script::{Action, Detail, Name, Setup};
use crate::subject::{Heard, ISS, PEER_ISS, Subject, Tolerance};

/// One end of ours.
#[derive(Debug)]
pub struct Engine {
    connection: Connection,
    now: Time,
    outputs: VecDeque<Heard>,
    /// Whether the application has gone: news is for nobody.
    is_alone: bool,
}

impl Engine {
    /// An end with this recipe and these parameters, changed as the script wishes. Segments carry 1000 bytes,
    /// timers are exact and bursts unlimited unless it says otherwise.
    #[must_use]
    pub fn new(recipe: Recipe, mut params: Params, setup: &Setup) -> Self {
        params.segment_bytes = 1000;
        params.max_burst_segments = 0;
        if params.granularity_mode == GranularityMode::Heartbeat {
            params.granularity_mode = GranularityMode::Exact;
        }
        let params = setup.params(params);
        let connection = Connection::new(&setup.recipe(recipe), &params, setup.role, 1, 2, ISS);
        Self { connection, now: Time::ZERO, outputs: VecDeque::new(), is_alone: false }
    }

    fn handle(&mut self, input: Input<'_>) {
        self.connection.handle(self.now, input);
        while let Some(output) = self.connection.poll() {
            if !self.is_alone || is_segment(&output) {
                self.outputs.push_back(Heard { at: self.now, output });
            }
        }
    }
}

impl Subject for Engine {
    fn tolerance(&self) -> Option<Tolerance> {
        None
    }

    fn now(&self) -> Time {
        self.now
    }

    fn listen(&mut self, until: Time, briefly: bool, heard: &mut VecDeque<Heard>) {
        heard.append(&mut self.outputs);
        while self.connection.deadline() <= until {
            self.now = self.connection.deadline().max(self.now);
            self.handle(Input::Wake);
            let is_over = briefly && !self.outputs.is_empty();
            heard.append(&mut self.outputs);
            if is_over {
                return;
            }
        }
        self.now = self.now.max(until);
    }

    fn act(&mut self, action: &Action) {
        self.is_alone |= *action == Action::CloseBoth;
        self.handle(match *action {
            Action::Open => Input::Open,
            Action::Write(bytes) => Input::Write(Data::Count(bytes)),
            Action::Read(bytes) => {
                Input::Read(u32::try_from(self.connection.readable_bytes()).map_or(bytes, |all| bytes.min(all)))
            }
            Action::Close => Input::Close,
            Action::CloseBoth => Input::CloseBoth,
            Action::Abort => Input::Abort,
            Action::Wake => Input::Wake,
            Action::Hops(hops) => Input::Signal(NetworkSignal::Hops(hops)),
            Action::Corrupted(place) => Input::Signal(NetworkSignal::Corrupted(PEER_ISS + 1 + place)),
            Action::RouteFailed(place) => Input::Signal(NetworkSignal::RouteFailed(place.map(|place| ISS + 1 + place))),
            Action::RouteRestored => Input::Signal(NetworkSignal::RouteRestored),
        });
    }

    fn arrive(&mut self, segment: &Segment, data: &[u8]) {
        self.handle(Input::Segment { segment, data });
    }

    fn value(&self, name: Name) -> Option<String> {
        let p = self.connection.public();
        Some(match name {
            Name::Cwnd => format!("{:.0}", p.window()),
            Name::Base => format!("{:.0}", p.cwnd),
            Name::Ssthresh => format!("{:.0}", p.ssthresh),
            Name::Phase => format!("{:?}", p.phase()),
            Name::State => format!("{:?}", self.connection.state()),
            Name::Flight => p.flight().to_string(),
            Name::Rto => format!("{}ms", p.rto.as_nanos() / 1_000_000),
            Name::Srtt => p.srtt.map_or("none".into(), |d| format!("{}ms", d.as_nanos() / 1_000_000)),
            Name::Timeouts => p.timeouts.to_string(),
            Name::Retransmissions => p.retransmissions.to_string(),
            Name::Segments => p.segments_sent.to_string(),
            Name::Acked => p.acked_bytes.to_string(),
            Name::Delivered => p.delivered_bytes.to_string(),
            Name::Duplicates => p.duplicate_segments.to_string(),
            Name::Mss => p.mss.to_string(),
            Name::Readable => self.connection.readable_bytes().to_string(),
            Name::Backlog => self.connection.backlog().to_string(),
            Name::Spurious => p.spurious_timeouts.to_string(),
            Name::Needless => p.needless_retransmits.to_string(),
            Name::DuplicateAcks => p.duplicate_acks.to_string(),
            Name::Dsacks => p.dsacks.to_string(),
            Name::Congestion => p.diagnosed.congestion.to_string(),
            Name::Channel => p.diagnosed.channel.to_string(),
            Name::Route => p.diagnosed.route.to_string(),
            Name::Freezes => p.freezes.to_string(),
            Name::Probes => p.path_probes.to_string(),
            Name::Received => {
                let (a, b) = self.connection.received();
                String::from_utf8_lossy(&[a, b].concat()).into_owned()
            }
        })
    }

    fn admits_reopening(&self, segment: &Segment) -> Option<bool> {
        Some(self.connection.admits_reopening(segment))
    }

    fn agrees(&self, _detail: Detail, found: &str, wanted: &str) -> bool {
        found == wanted
    }
}

/// Whether an output is a segment.
pub(crate) const fn is_segment(output: &Output) -> bool {
    matches!(output, Output::Segment(_))
}
