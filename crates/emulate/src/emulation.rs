//! The network with programs attached, as a machine: packets and commands in, packets out.
//!
//! Spec      what comes at a time takes effect when everything due up to then has happened; what is told at an earlier
//!           time than the last one takes effect at the last one
//! Holds     the same inputs at the same times give the same outputs at the same times, whoever paces it

use std::collections::VecDeque;

use hopwright_machine::{NodeId, Time};
use hopwright_scenario::LiveLinks;
use hopwright_sim::{Outcome, Simulation};

use crate::attachment::{Attachment, Counts, Layer, Place};
use crate::input::Input;
use crate::recording::{Recorded, Recording};

/// A packet that has come for a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure {
    /// When it came, in simulated time.
    pub at: Time,
    /// For which of the attached programs.
    pub port: usize,
    /// The packet, from its IP header on; or the frame, from its Ethernet header on.
    pub bytes: Vec<u8>,
}

/// See the file's header.
#[derive(Debug)]
pub struct Emulation<'a> {
    simulation: Simulation<'a>,
    links: LiveLinks,
    attachments: Vec<Attachment>,
    departures: VecDeque<Departure>,
    recording: Option<Recording>,
}

impl<'a> Emulation<'a> {
    /// Attaches programs to nodes of a run that has not begun, whose links are `links`. What comes and goes is kept in
    /// `recording`.
    ///
    /// # Panics
    /// If there is no such node, if frames are wanted of a run over links, or if the run was begun without [`hopwright_sim::Options::steered`] and somebody moves or
    /// switches nodes.
    #[must_use]
    pub fn new(
        mut simulation: Simulation<'a>,
        links: LiveLinks,
        places: &[Place],
        recording: Option<Recording>,
    ) -> Self {
        for place in places {
            match place.layer {
                Layer::Ip => simulation.attach(place.node),
                Layer::Ethernet => simulation.attach_frames(place.node),
            }
        }
        simulation.answer();
        let attachments = places.iter().copied().map(Attachment::new).collect();
        Self { simulation, links, attachments, departures: VecDeque::new(), recording }
    }

    /// The network.
    #[must_use]
    pub fn simulation(&self) -> &Simulation<'a> {
        &self.simulation
    }

    /// The node of each attached program, and what has gone through.
    pub fn attached(&self) -> impl Iterator<Item = (NodeId, &Counts)> {
        self.attachments.iter().map(|attachment| (attachment.place.node, &attachment.counts))
    }

    /// When something happens by itself next.
    #[must_use]
    pub fn next(&self) -> Time {
        if self.departures.is_empty() { self.simulation.next() } else { self.simulation.now() }
    }

    /// Something comes at `now`.
    ///
    /// # Errors
    /// If the network cannot be changed like this. Then nothing has changed.
    pub fn handle(&mut self, now: Time, input: &Input<'_>) -> Result<(), String> {
        self.advance(now, u64::MAX);
        let now = self.simulation.now();
        match *input {
            Input::Packet { port, bytes } => {
                let setup = self.simulation.setup();
                let (nodes, floods) = (setup.nodes.len(), setup.multicast.is_some());
                let attachment = &mut self.attachments[port];
                if let Some((destination, payload)) = attachment.take(bytes, nodes, floods) {
                    self.simulation.inject(attachment.place.node, destination, payload);
                }
            }
            Input::Command(command) => command.carry_out(&mut self.simulation, &mut self.links)?,
        }
        // Kept in the order in which they took effect. Packets that were refused, too: whoever replays refuses them again.
        if let Some(recording) = &mut self.recording {
            recording.keep(now, &Recorded::of(input));
        }
        self.collect();
        Ok(())
    }

    /// Lets happen what is due up to and including `until`, in at most so many events; returns whether all is done.
    pub fn advance(&mut self, until: Time, most_events: u64) -> bool {
        let done = self.simulation.advance_some(until, most_events);
        self.collect();
        done
    }

    /// The next packet that has come for a program, in the order of time.
    pub fn poll(&mut self) -> Option<Departure> {
        self.departures.pop_front()
    }

    /// Takes what has come for programs.
    fn collect(&mut self) {
        let before = self.departures.len();
        for (port, attachment) in self.attachments.iter_mut().enumerate() {
            for (at, packet) in self.simulation.drain(attachment.place.node) {
                let bytes = match attachment.place.layer {
                    Layer::Ip => packet.foreign_bytes(self.simulation.routers(&packet)),
                    Layer::Ethernet => packet.foreign_frame(),
                };
                let Some(bytes) = bytes else {
                    attachment.counts.expired_packets += 1;
                    continue;
                };
                attachment.counts.received_packets += 1;
                attachment.counts.received_bytes += bytes.len() as u64;
                self.departures.push_back(Departure { at, port, bytes });
            }
        }
        let new = self.departures.make_contiguous();
        new[before..].sort_by_key(|departure| departure.at);
        if let Some(recording) = &mut self.recording {
            for departure in &new[before..] {
                let Departure { at, port, bytes } = departure;
                recording.keep(*at, &Recorded::Received { port: *port, bytes: bytes.clone() });
            }
        }
    }

    /// Ends it now; returns what was measured, what went through the attachments, and what could not be recorded.
    ///
    /// # Panics
    /// As [`Simulation::finish`].
    #[must_use]
    pub fn finish(mut self) -> (Outcome, Vec<Counts>, Option<std::io::Error>) {
        self.simulation.stop();
        self.collect();
        let end = self.simulation.now();
        let unwritten = self.recording.and_then(|recording| recording.finish(end).err());
        let counts = self.attachments.into_iter().map(|attachment| attachment.counts).collect();
        (self.simulation.finish(), counts, unwritten)
    }
}
