//! A link that follows a profile: which pipe a packet takes, and when the next one begins.
//!
//! Spec      `profile`. One after another: each pipe lasts for its lifetime, from when the link began to follow the profile;
//!           the last one stays, or the first begins again. All at once: each packet draws one
//! Holds     where a pipe begins depends on the profile and the time alone: not on what is sent

use std::sync::Arc;

use hopwright_machine::{Duration, Stream, Time};

use crate::profile::{Mode, Pipe, Profile};

/// The part that one direction of a link has in a profile.
#[derive(Clone, Debug, PartialEq)]
pub struct Following {
    /// The profile.
    pub profile: Arc<Profile>,
    /// What this way takes of a pipe's round trip.
    pub share: Share,
    /// Whether the losses of the pipes are on this way.
    pub loses: bool,
}

/// What a way takes of a round trip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Share {
    /// Half of it: there. Of odd nanoseconds the shorter half.
    #[default]
    Half,
    /// What is left by `Half`: back.
    OtherHalf,
    /// All of it.
    All,
    /// Nothing: the other way takes all.
    Nothing,
}

impl Following {
    fn pipe(&self, place: usize) -> &Pipe {
        &self.profile.pipes[place]
    }

    /// How long the way through a pipe takes.
    pub(crate) fn delay(&self, place: usize) -> Duration {
        let rtt = self.pipe(place).rtt;
        match self.share {
            Share::Half => rtt / 2,
            Share::OtherHalf => rtt - rtt / 2,
            Share::All => rtt,
            Share::Nothing => Duration::ZERO,
        }
    }

    pub(crate) fn loss(&self, place: usize) -> f64 {
        if self.loses { self.pipe(place).loss } else { 0.0 }
    }

    pub(crate) fn rate_bps(&self, place: usize) -> Option<f64> {
        self.pipe(place).rate_bps
    }
}

/// A profile as time goes on.
#[derive(Debug)]
pub(crate) struct Follower {
    pub(crate) following: Following,
    /// The pipe of now, one after another.
    pub(crate) place: usize,
    /// When the next one begins.
    pub(crate) until: Time,
    /// How long all of them last, if they repeat.
    round: Option<Duration>,
    /// All at once: the probability of each and those before it.
    up_to: Vec<f64>,
}

impl Follower {
    /// The profile begins at `start`.
    pub(crate) fn new(following: Following, start: Time) -> Self {
        let Profile { mode, pipes, repeats } = following.profile.as_ref();
        assert!(!pipes.is_empty(), "a profile without pipes");
        let all = pipes.iter().fold(Duration::ZERO, |sum, pipe| sum + pipe.lifetime);
        let mut sum = 0.0;
        let up_to = pipes.iter().map(|pipe| {
            sum += pipe.probability;
            sum
        });
        let is_at_once = *mode == Mode::Simultaneous;
        let up_to = if is_at_once { up_to.collect() } else { Vec::new() };
        let round = (*repeats && all > Duration::ZERO).then_some(all);
        let mut new = Self { following, place: 0, until: start, round, up_to };
        new.until = new.end(start);
        new
    }

    /// Whether one pipe follows another, or all pipes are used at once.
    pub(crate) fn is_in_turn(&self) -> bool {
        self.up_to.is_empty()
    }

    /// When a pipe that began at a time ends.
    fn end(&self, began: Time) -> Time {
        let profile = &self.following.profile;
        let is_last = self.place + 1 == profile.pipes.len();
        if profile.mode == Mode::Simultaneous || (is_last && self.round.is_none()) {
            return Time::NEVER;
        }
        began + self.following.pipe(self.place).lifetime
    }

    /// Goes on to the pipe of a time that is not before the next one begins.
    pub(crate) fn go_on(&mut self, now: Time) {
        if let Some(round) = self.round {
            self.until += round * now.since(self.until).whole(round); // rounds in which nothing was sent
        }
        while self.until <= now {
            self.place = (self.place + 1) % self.following.profile.pipes.len();
            self.until = self.end(self.until);
        }
    }

    /// All at once: the pipe of the next packet.
    pub(crate) fn pick(&self, stream: &mut Stream) -> Option<usize> {
        let drawn = if self.is_in_turn() { return None } else { stream.unit() };
        // Probabilities that are a little less than 1 together leave the rest to the last.
        Some(self.up_to.partition_point(|&up_to| up_to <= drawn).min(self.up_to.len() - 1))
    }
}
