//! An emulation again, off line: what came is given to the network at the times at which it came.
//!
//! Holds     with the same scenario and seed, everything that went goes again, at the same times

use hopwright_machine::Time;
use hopwright_sim::Outcome;

use crate::attachment::Counts;
use crate::emulation::{Departure, Emulation};
use crate::input::Input;
use crate::recording::Recorded;

/// Where a replay does something else than the emulation did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mismatch {
    /// Packets for programs: in the recording, and in the replay.
    pub packets: (u64, u64),
    /// When the first one differs, if one does: the earlier of both times.
    pub first: Option<Time>,
    /// Commands that the network refuses now.
    pub refused_commands: u64,
}

/// Plays a recording to `emulation`, which nothing has happened to, and ends it when the recording ends.
///
/// # Panics
/// If the recording is of more programs than are attached; and as [`Emulation::finish`].
#[must_use]
pub fn replay(
    mut emulation: Emulation<'_>,
    recording: &[(Time, Recorded)],
    mut watch: impl FnMut(Time),
) -> (Outcome, Vec<Counts>, Mismatch) {
    let mut mismatch = Mismatch::default();
    let mut again = Vec::new();
    for (at, what) in recording {
        let done = match what {
            Recorded::Sent { port, bytes } => emulation.handle(*at, &Input::Packet { port: *port, bytes }),
            Recorded::Command(command) => emulation.handle(*at, &Input::Command(command)),
            Recorded::End => {
                emulation.advance(*at, u64::MAX);
                Ok(())
            }
            Recorded::Received { .. } => Ok(()),
        };
        mismatch.refused_commands += u64::from(done.is_err());
        again.extend(std::iter::from_fn(|| emulation.poll()));
        watch(*at);
    }
    let before = recording.iter().filter_map(|(at, what)| match what {
        Recorded::Received { port, bytes } => Some((*at, *port, bytes)),
        _ => None,
    });
    let mut before = before.peekable();
    let mut now = again.iter().peekable();
    loop {
        let (then, again) = (before.next(), now.next());
        mismatch.packets.0 += u64::from(then.is_some());
        mismatch.packets.1 += u64::from(again.is_some());
        let differ = match (&then, again) {
            (None, None) => break,
            (Some((at, port, bytes)), Some(Departure { at: again, port: same, bytes: b })) => {
                (at != again || port != same || *bytes != b).then(|| (*at).min(*again))
            }
            (Some((at, ..)), None) => Some(*at),
            (None, Some(departure)) => Some(departure.at),
        };
        mismatch.first = mismatch.first.or(differ);
    }
    let (outcome, counts, _) = emulation.finish();
    (outcome, counts, mismatch)
}
