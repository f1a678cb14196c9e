//! A mechanism as the tables know it: its name, what it needs, its parameters, and how to make one.

use core::fmt;
use core::ops::BitOr;

use crate::params::{Knob, Params};
use hopwright_wire::notice::Asks;
use hopwright_wire::stamp::Fact;

/// A mechanism that can fill the slot `T`.
pub struct Part<T: ?Sized> {
    /// Its name in scenario files.
    pub id: &'static str,
    /// The document that defines it.
    pub spec: &'static str,
    /// What it cannot work without.
    pub needs: Needs,
    /// The parameters that only it, or it and its kin, read.
    pub knobs: &'static [Knob],
    /// Names of parameters that are somebody else's, and that it reads, too.
    pub shared: &'static [&'static str],
    /// What it asks of the network, if anything.
    pub asks: Option<fn(&Params) -> Asks>,
    /// What it reads that stations write on packets, if anything.
    pub fact: Option<Fact>,
    /// Makes one for a connection.
    pub build: fn(&Params) -> Box<T>,
}

impl<T: ?Sized> Part<T> {
    /// A mechanism without needs and parameters of its own.
    #[must_use]
    pub const fn new(id: &'static str, spec: &'static str, build: fn(&Params) -> Box<T>) -> Self {
        Self { id, spec, needs: Needs::NOTHING, knobs: &[], shared: &[], asks: None, fact: None, build }
    }

    /// The same mechanism, which needs this.
    #[must_use]
    pub const fn needing(self, needs: Needs) -> Self {
        Self { needs, ..self }
    }

    /// The same mechanism, which asks this of the network.
    #[must_use]
    pub const fn asking(self, asks: fn(&Params) -> Asks) -> Self {
        Self { asks: Some(asks), ..self }
    }

    /// The same mechanism, which reads what stations write on packets.
    #[must_use]
    pub const fn reading(self, fact: Fact) -> Self {
        Self { needs: self.needs.and(Needs::STAMPS), fact: Some(fact), ..self }
    }

    /// The same mechanism, with these parameters.
    #[must_use]
    pub const fn with_knobs(self, knobs: &'static [Knob]) -> Self {
        Self { knobs, ..self }
    }

    /// The same mechanism, which reads these parameters of others, too: their names. A parameter that the engine or a
    /// whole slot reads needs no mention.
    #[must_use]
    pub const fn sharing(self, shared: &'static [&'static str]) -> Self {
        Self { shared, ..self }
    }
}

impl<T: ?Sized> Clone for Part<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Part<T> {}

impl<T: ?Sized> fmt::Debug for Part<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

/// What a mechanism needs of the engine, the peer or the driver. The engine provides only what somebody needs:
/// the rest costs nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Needs(u32);

impl Needs {
    /// Nothing.
    pub const NOTHING: Self = Self(0);
    /// When each outstanding segment left, and how often: `Public::sent`, `Ack::delay`.
    pub const SENT_TIMES: Self = Self(1);
    /// Measurements once per round trip: `Public::round`. They come with `SENT_TIMES`.
    pub const ROUNDS: Self = Self(2 | 1);
    /// Selective acknowledgements: `Public::sacked`, `Ack::newly_sacked`.
    pub const SELECTIVE_ACKS: Self = Self(4);
    /// Timestamps: `Ack::echoed`, `Arrival::one_way`.
    pub const TIMESTAMPS: Self = Self(8);
    /// Numbers on segments and acknowledgements that show their order (TCP-DOOR).
    pub const ORDER: Self = Self(16);
    /// What the receiver believes about losses: `Diagnosis::on_arrival` there, `Ack::is_loss_notice` here.
    pub const NOTICES: Self = Self(32);
    /// The hop count of the route, which the driver tells: `Public::hops`.
    pub const HOPS: Self = Self(64);
    /// What the sender asks of the receiver's acknowledgements: `Acking::request`.
    pub const REQUESTS: Self = Self(128);
    /// An acknowledgement at once when routing knows a route again (TCP-FSR's receiver).
    pub const RESTORED_ACK: Self = Self(256);
    /// Routers that tell of failed routes: without them it never does anything.
    pub const ROUTE_NOTICES: Self = Self(1024);
    /// What stations wrote on segments on their way (`Part::reading` says what), which the driver tells:
    /// `Offer::on_data`.
    pub const STAMPS: Self = Self(2048);
    /// What was lost and to what, which only a simulator can tell: `Diagnosis::on_truth`.
    pub const TRUTH: Self = Self(4096);
    /// Segments that come damaged, of which the driver tells the receiver (`NetworkSignal::Corrupted`): `Diagnosis::on_corrupted`.
    pub const DAMAGE: Self = Self(8192);
    /// How far apart data segments leave and come, and what the receiver makes of it: `Ack::segment`'s distance and
    /// window, `Offer::on_separation`.
    pub const SPACING: Self = Self(16384);
    /// What the ends of a rate tell each other: `Control::rates`, `Control::on_rates`.
    pub const RATES: Self = Self(65536);
    /// Telling the other end which mechanisms to have: no mechanism's need, but that of a table of triggers.
    pub(crate) const TELLING: Self = Self(32768);
    /// Saying how far the stream reaches: no mechanism's need, but that of a peer that asks for its data.
    pub(crate) const PULL: Self = Self(131_072);
    /// Congestion marks (RFC 3168), which no mechanism needs, but both ends may agree on.
    pub(crate) const MARKS: Self = Self(512);

    /// What it is called, one word each.
    #[must_use]
    pub fn names(self) -> Vec<&'static str> {
        let all = [
            (Self::ROUNDS, "rounds"),
            (Self::SENT_TIMES, "sent-times"),
            (Self::SELECTIVE_ACKS, "selective-acks"),
            (Self::TIMESTAMPS, "timestamps"),
            (Self::ORDER, "order"),
            (Self::NOTICES, "notices"),
            (Self::HOPS, "hops"),
            (Self::REQUESTS, "requests"),
            (Self::RESTORED_ACK, "restored-ack"),
            (Self::ROUTE_NOTICES, "route-notices"),
            (Self::STAMPS, "stamps"),
            (Self::TRUTH, "truth"),
            (Self::DAMAGE, "damage"),
            (Self::SPACING, "spacing"),
            (Self::RATES, "rates"),
        ];
        all.into_iter().filter(|(needs, _)| self.has(*needs)).map(|(_, name)| name).collect()
    }

    /// Whether all of `other` is among it.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether any of `other` is among it.
    #[must_use]
    pub const fn has_any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Needs {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        self.and(other)
    }
}
