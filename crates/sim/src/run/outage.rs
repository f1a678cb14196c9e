//! Nodes that go down and come up while a run goes on.
//!
//! A node that is down has no radio: it neither sends, receives nor senses. Its transports, its router and their
//! timers go on; what they hand down, and what was in the link layer when the node went down, is dropped as
//! `node_down`. A frame to or from it that is on the air is lost. Others take the energy of a frame that is cut off
//! to last until its announced end, as 802.11's receivers do, which hold the medium busy for the length that the
//! header gave. A node that comes up notices frames that begin from then on.
//!
//! Spec      IEEE 802.11-1999 §15.2.7 (a carrier that is lost in the middle of a frame)
//! Deviates  nothing
//! Holds     a run without switches does nothing of this but ask, once for each frame sent, whether there are any

use hopwright_link::Mac;
use hopwright_machine::{NodeId, Time};
use hopwright_mobility::Switch;
use hopwright_wire::Packet;

use crate::medium::Hearer;
use crate::misses::Miss;
use crate::run::Run;
use crate::trace::{Event, Sink};

/// When which node goes down or comes up, and what of it is on the air.
#[derive(Debug)]
pub(crate) struct Script {
    /// The next one last.
    switches: Vec<Switch>,
    /// Until when each node's latest frame leaves, and who hears it how.
    launched: Vec<(Time, Vec<Hearer>)>,
}

impl Script {
    /// `None` where nothing ever happens, not even from outside (`steered`). Of switches at one time, the order is kept.
    pub(crate) fn new(switches: &[Switch], nodes: usize, steered: bool) -> Option<Box<Self>> {
        let mut switches = switches.to_vec();
        switches.sort_by_key(|s| s.at);
        switches.reverse();
        let launched = vec![(Time::ZERO, Vec::new()); nodes];
        (steered || !switches.is_empty()).then(|| Box::new(Self { switches, launched }))
    }

    /// Something is switched now that was not planned.
    pub(crate) fn now(&mut self, switch: Switch) {
        self.switches.push(switch);
    }

    /// When the next switch happens.
    pub(crate) fn next(&self) -> Time {
        self.switches.last().map_or(Time::NEVER, |s| s.at)
    }

    /// A node puts a frame on the air.
    pub(crate) fn launched(&mut self, node: usize, until: Time, heard: &[Hearer]) {
        let (last, hearers) = &mut self.launched[node];
        *last = until;
        hearers.clear();
        hearers.extend_from_slice(heard);
    }
}

impl<T: Sink, M: Mac<Packet>> Run<T, M> {
    /// Does what is to be done at `now`.
    #[cold]
    pub(crate) fn switch(&mut self, now: Time) {
        while let Some(script) = &mut self.script
            && script.next() <= now
            && let Some(Switch { node, up, .. }) = script.switches.pop()
        {
            if up == self.medium.is_down(node) {
                if up {
                    self.nodes[node.index()].come_up(now, &mut self.medium, &mut self.world);
                } else {
                    self.cut_off(node, now);
                    let antenna = &mut self.antennas[node.index()];
                    self.nodes[node.index()].go_down(now, antenna, &mut self.medium, &mut self.world);
                    if T::PACKETS {
                        self.world.trace.deafen(now, node.0);
                    }
                }
                self.medium.switch(node, up);
                if T::ON {
                    self.world.trace.event(now, node, Event::Switched { up });
                }
                if let Some(meter) = &mut self.energy {
                    meter.switch(now, node, up);
                }
                self.schedule(node.index(), now);
            }
        }
        self.deadlines.set(self.nodes.len(), self.script.as_ref().map_or(Time::NEVER, |s| s.next()));
    }

    /// The node's latest frame, if it is still on its way to anybody, ends in the middle.
    fn cut_off(&mut self, node: NodeId, now: Time) {
        let Some(script) = &mut self.script else { return };
        let (until, hearers) = std::mem::take(&mut script.launched[node.index()]);
        let mut is_cut = false;
        for link in hearers {
            let arrived = until + link.delay;
            if arrived <= now {
                continue;
            }
            is_cut = true;
            let hearer = link.node as usize;
            let antenna = &mut self.antennas[hearer];
            self.nodes[hearer].spoil(now, arrived, link.power_mw, antenna, &mut self.medium, &mut self.world);
            if T::PACKETS {
                self.world.trace.spoil(now, link.node, arrived, link.power_mw);
            }
            self.schedule(hearer, now);
        }
        if is_cut {
            let lost = self.medium.lose(node);
            self.world.ledger.frames_node_down += lost.len() as u64;
            for (place, to) in lost.into_iter().filter(|_| T::PACKETS) {
                self.world.trace.unreached(now, to, place, Miss::CutOff);
            }
        }
    }
}
