//! Acknowledgements on request: the sender marks one segment per round trip, and the receiver answers those.
//!
//! Spec      Velayutham 2005 §2.5.3.2 (a bit in one data segment per round trip; an acknowledgement at once when three
//!           segments came out of order), after STP (Henderson and Katz 1997)
//! Deviates  marked as well, so that nothing waits for ever: whatever is sent again, the last segment there is, and
//!           one when the last poll has gone without an answer for a round trip. Answered as well: what comes twice
//!           (the sender has not heard), what fills a gap, and everything from a peer that polls no more: its mechanism
//!           may be another, and each segment would wait for the retransmission timer. RFC 1122 §4.2.3.2 asks for more
//! Holds     while data is outstanding, a poll is, or the retransmission timer is about to send one: after an answer
//!           the next segment is marked, and the last one always. An acknowledgement releases as much as a window:
//!           `max_burst_segments` should be 0. Three segments out of order make one acknowledgement, so that a sender
//!           without selective acknowledgements needs `dupack_threshold` 1 to see a loss in it

use hopwright_machine::{Duration, Time};
use hopwright_wire::tcp::Extra;

use super::{Acking, Arrival, Leaving, When};
use crate::mechanisms::{Needs, Part};
use crate::view::Public;

/// See the file's header.
pub const POLLED: Part<dyn Acking> =
    Part::<dyn Acking>::new("polled", "Velayutham 2005 §2.5.3.2", |_| Box::new(Polled::default()))
        .needing(Needs::REQUESTS);

/// Segments out of order that are answered without a poll.
const UNORDERED: u32 = 3;

/// Segments that came twice, without a poll meanwhile, before the peer is taken for one that polls no more. One that does
/// marks whatever it sends again, but the network may double others.
const UNMARKED: u32 = 3;

#[derive(Debug, Default)]
struct Polled {
    /// The last poll: the position after its segment, and when it left.
    poll: Option<(u64, Time)>,
    /// Segments out of order since the last answer to such.
    unordered: u32,
    /// Segments that came twice since the last poll.
    unmarked: u32,
}

impl Polled {
    /// Whether a poll is on its way, or its answer.
    fn is_polling(&self, p: &Public) -> bool {
        let patience = p.srtt.unwrap_or(Duration::MAX);
        self.poll.is_some_and(|(end, at)| p.una < end && p.now.since(at) < patience)
    }
}

impl Acking for Polled {
    fn on_data(&mut self, arrival: &Arrival) -> When {
        let is_unordered = !arrival.is_in_order && !arrival.is_duplicate;
        self.unordered += u32::from(is_unordered);
        let is_loss = self.unordered >= UNORDERED;
        let fills = arrival.is_in_order && arrival.had_gap;
        if is_loss || fills {
            self.unordered = 0;
        }
        let is_poll = arrival.extra.is_poll();
        self.unmarked = if is_poll { 0 } else { self.unmarked.saturating_add(u32::from(arrival.is_duplicate)) };
        if is_poll || is_loss || fills || arrival.is_duplicate || self.unmarked >= UNMARKED {
            When::Now
        } else {
            When::By(Time::NEVER)
        }
    }

    fn request(&mut self, p: &Public, leaving: &Leaving, extra: &mut Extra) {
        let is_again = leaving.start < p.max;
        if is_again || leaving.is_last || !self.is_polling(p) {
            extra.set_poll();
            self.poll = Some((leaving.end, p.now));
        }
    }
}
