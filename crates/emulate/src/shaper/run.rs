//! The loop of a shaper: packets in, packets out when their time has come, sleep.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{SystemTime, UNIX_EPOCH};

use hopwright_machine::{Duration, Time};
use serde::Serialize;

use super::{Carried, Shaper, Side};
use crate::lateness::{Lateness, Quantiles};
use crate::waiting::{Clock, Rests, cpu_time};
use crate::watch::Watch;

/// How often a loop that does not sleep says how things stand.
const TELL_EACH: Duration = Duration::from_millis(100);

/// What stands at both ends of a link: packets come from there, and go there.
pub(super) trait Ends {
    /// Gives the shaper what has come, at most a batch from each; whether something has.
    ///
    /// # Errors
    /// If an end is gone.
    fn read(&mut self, clock: &Clock, shaper: &mut Shaper) -> io::Result<bool>;

    /// Gives a packet out that came in at `side`; whether there was room for it.
    ///
    /// # Errors
    /// If an end is gone.
    fn write(&mut self, now: Time, side: Side, client: u32, packet: &[u8]) -> io::Result<bool>;

    /// What can be read when something has come.
    fn wakers(&self) -> impl Iterator<Item = BorrowedFd<'_>>;

    /// When they want to be asked though nothing has come.
    fn deadline(&self) -> Time {
        Time::NEVER
    }
}

/// How a shaper stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ShaperStatus {
    /// Wall time since the start, seconds.
    pub wall_s: f64,
    /// The latest packet so far, seconds.
    pub latest_s: f64,
    /// From the near side to the far one.
    pub there: Carried,
    /// And back.
    pub back: Carried,
    /// How often the link has become another.
    pub changes: u64,
}

/// What a shaper has done.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShaperSummary {
    /// When it began, and with it the link's profile: seconds since 1970, as captures have them.
    pub began_s: f64,
    /// Wall time, seconds.
    pub wall_s: f64,
    /// Time of the processor that the shaper's thread took, seconds.
    pub cpu_s: f64,
    /// From the near side to the far one.
    pub there: Carried,
    /// And back.
    pub back: Carried,
    /// How often the link has become another.
    pub changes: u64,
    /// How late packets left: when they were given to the kernel, less when the link says.
    pub lateness: Quantiles,
}

/// Carries packets between both ends over the link, until `watch` is told to stop. A loop that goes before all others
/// (`is_realtime`) leaves them a tenth of the processor.
///
/// # Errors
/// If an end is gone, or cannot be waited for.
pub(super) fn run(
    shaper: &mut Shaper,
    ends: &mut impl Ends,
    watch: &Watch<ShaperStatus>,
    is_realtime: bool,
) -> io::Result<ShaperSummary> {
    let (clock, cpu, mut rests) = (Clock::start(), cpu_time(), Rests::new(is_realtime));
    #[expect(clippy::disallowed_methods, reason = "captures of the same packets have the machine's time")]
    let began_s = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
    let (mut lateness, mut told) = (Lateness::default(), Time::ZERO);
    while !watch.is_stopped() {
        let has_read = ends.read(&clock, shaper)?;
        for (command, told) in watch.heard() {
            let now = clock.now();
            let done = shaper.carry_out(now, &command);
            let _ = told.send(done.map(|()| now)); // whoever asked may be gone
        }
        shaper.wake(clock.now());
        for side in [Side::Near, Side::Far] {
            loop {
                let write = |client, packet: &[u8]| ends.write(clock.now(), side, client, packet);
                let Some((due, written)) = shaper.poll(side, write) else { break };
                if !written? {
                    shaper.unwritten(side);
                }
                lateness.add(clock.now().since(due));
            }
        }
        let now = clock.now();
        if !has_read || now.since(told) >= TELL_EACH {
            told = now;
            watch.tell(now, status(now, shaper, &lateness));
        }
        // Who stops after this question rings a bell that nobody has heard: sleep ends at once.
        if !has_read && !watch.is_stopped() {
            clock.sleep(shaper.deadline().min(ends.deadline()), ends.wakers().chain([watch.as_fd()]))?;
        }
        rests.take(&clock)?;
    }
    let now = clock.now();
    watch.tell(now, status(now, shaper, &lateness));
    let [there, back] = shaper.carried();
    let (wall_s, cpu_s) = (now.as_secs_f64(), cpu_time().saturating_sub(cpu).as_secs_f64());
    Ok(ShaperSummary { began_s, wall_s, cpu_s, there, back, changes: shaper.changes(), lateness: lateness.quantiles() })
}

fn status(now: Time, shaper: &Shaper, lateness: &Lateness) -> ShaperStatus {
    let [there, back] = shaper.carried();
    let (wall_s, latest_s) = (now.as_secs_f64(), lateness.worst().as_secs_f64());
    ShaperStatus { wall_s, latest_s, there, back, changes: shaper.changes() }
}
