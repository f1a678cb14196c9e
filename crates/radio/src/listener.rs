//! What a receiver tells.

use hopwright_machine::Time;

/// What happened at a receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RxEvent<F> {
    /// A signal arrived: the carrier is busy until then, as far as the receiver knows.
    Carrier(Time),
    /// The newcomer was captured by the frame in reception; the medium is held until the newcomer's end
    /// (`Interference::Locked`).
    Held(Time),
    /// A frame is spoilt, which would have been received otherwise.
    Collided {
        /// The frame that is lost.
        frame: F,
        /// The one that spoilt it.
        by: F,
    },
    /// A frame that is strong enough is not taken up.
    Missed {
        /// The frame that is lost.
        frame: F,
        /// Why.
        why: Missed<F>,
    },
    /// The frame the receiver was locked on has ended.
    Ended(Ended<F>),
}

/// Why a receiver does not take up a frame that it could decode, though nothing spoils it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missed<F> {
    /// It is busy with this one, which is stronger by the capture ratio.
    Captured(F),
    /// The station is transmitting.
    Transmitting,
}

/// Who is told, in order, what happens at a receiver. Functions of an `RxEvent` are listeners; one that is called often
/// has a method for each kind, so that nothing is packed and unpacked on the way.
pub trait Listener<F> {
    /// `RxEvent::Carrier`, and the frame that keeps it busy for the longest time.
    fn carrier(&mut self, at: Time, until: Time, of: F);
    /// `RxEvent::Held`, and the newcomer.
    fn held(&mut self, at: Time, until: Time, of: F);
    /// `RxEvent::Collided`.
    fn collided(&mut self, at: Time, frame: F, by: F);
    /// `RxEvent::Missed`.
    fn missed(&mut self, at: Time, frame: F, why: Missed<F>);
    /// `RxEvent::Ended`.
    fn ended(&mut self, at: Time, how: Ended<F>);
}

impl<F, T: FnMut(Time, RxEvent<F>)> Listener<F> for T {
    fn carrier(&mut self, at: Time, until: Time, _: F) {
        self(at, RxEvent::Carrier(until));
    }

    fn held(&mut self, at: Time, until: Time, _: F) {
        self(at, RxEvent::Held(until));
    }

    fn collided(&mut self, at: Time, frame: F, by: F) {
        self(at, RxEvent::Collided { frame, by });
    }

    fn missed(&mut self, at: Time, frame: F, why: Missed<F>) {
        self(at, RxEvent::Missed { frame, why });
    }

    fn ended(&mut self, at: Time, how: Ended<F>) {
        self(at, RxEvent::Ended(how));
    }
}

/// How a reception ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended<F> {
    /// The frame was received.
    Received(F),
    /// Something was received, but not without error: this frame, or what it collided with.
    Failed(F),
    /// The same, and no other frame is to blame, but noise, or chance.
    Damaged(F),
    /// The station was transmitting: it noticed nothing.
    Unnoticed,
}
