//! Random waypoint: choose a place, go there straight, pause, choose another.
//!
//! Spec      Johnson and Maltz 1996; Broch et al. 1998 (a uniform start begins with a pause); Navidi and Camp,
//!           IEEE TMC 3(1), 2004 (steady state); Yoon, Liu and Noble, INFOCOM 2003, as ns-2's setdest 2 has it
//! Deviates  nothing
//! Holds     with `Start::SteadyState`, position, speed, remaining way and residual pause have at every time the
//!           distribution that they have in the long run; with `Start::Yoon` the speed alone has

use hopwright_machine::{Duration, Stream};

use super::path::Path;
use super::{anywhere, between};
use crate::{Area, Position, Trajectory};

/// Random waypoint.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RandomWaypoint {
    /// Each journey's speed is drawn evenly from here, metres per second. Zero only with `Start::At`, and then
    /// the mean speed falls towards zero for ever: slow journeys last longest (Yoon, Liu and Noble 2003).
    pub min_speed_mps: f64,
    /// To here.
    pub max_speed_mps: f64,
    /// Between journeys.
    pub pause: Pause,
}

/// How long a node stands between journeys: evenly from `least_s` to `most_s`, seconds. Equal: constant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pause {
    /// The shortest.
    pub least_s: f64,
    /// The longest; not below `least_s`.
    pub most_s: f64,
}

/// How a node begins.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Start {
    /// As if it had moved for ever.
    SteadyState,
    /// At any place; its first speed is that of the steady state, its first pause a whole one.
    Yoon,
    /// At this place, with a pause.
    At(Position),
}

impl RandomWaypoint {
    /// One node's way, for as long as `lasts`.
    #[must_use]
    pub fn trajectory(&self, start: Start, area: Area, lasts: Duration, stream: &mut Stream) -> Trajectory {
        let mut path = match start {
            Start::SteadyState => self.steady_state(area, stream),
            Start::Yoon => self.yoon(area, stream),
            Start::At(place) => {
                let mut path = Path::new(area, place);
                path.pause(self.pause.draw(stream));
                path
            }
        };
        while path.lasts() < lasts {
            let to = anywhere(stream, area);
            let speed_mps = self.speed(stream);
            path.travel(to, speed_mps);
            path.pause(self.pause.draw(stream));
        }
        path.finish()
    }

    /// The share of time that a node pauses, in the long run: 0 to 1.
    #[must_use]
    pub fn paused_share(&self, area: Area) -> f64 {
        let pause_s = self.pause.mean_s();
        if pause_s == 0.0 { 0.0 } else { pause_s / (pause_s + self.mean_travel_s(area)) }
    }

    /// The mean speed over time, pauses included, in the long run, metres per second.
    #[must_use]
    pub fn mean_speed_mps(&self, area: Area) -> f64 {
        mean_leg_m(area) / (self.pause.mean_s() + self.mean_travel_s(area))
    }

    /// Mean time of a journey: distance and speed are independent, so L E\[1/v\].
    fn mean_travel_s(&self, area: Area) -> f64 {
        let (v0, v1) = (self.min_speed_mps, self.max_speed_mps);
        let inverse = if v0 == v1 { 1.0 / v0 } else { libm::log(v1 / v0) / (v1 - v0) };
        mean_leg_m(area) * inverse
    }

    /// A journey's speed: evenly in (min, max], so that nobody ever sets out with speed zero.
    fn speed(&self, stream: &mut Stream) -> f64 {
        between(stream, self.max_speed_mps, self.min_speed_mps)
    }

    /// The speed of a node met on the way: density proportional to 1/v, as slow journeys last longer.
    fn speed_met(&self, stream: &mut Stream) -> f64 {
        let (v0, v1) = (self.min_speed_mps, self.max_speed_mps);
        (v0 * libm::pow(v1 / v0, stream.unit())).clamp(v0, v1)
    }

    /// Navidi and Camp 2004, section 4.
    fn steady_state(&self, area: Area, stream: &mut Stream) -> Path {
        if stream.unit() < self.paused_share(area) {
            let mut path = Path::new(area, anywhere(stream, area));
            path.pause(self.pause.residual(stream.unit()));
            return path;
        }
        // A journey is met with a chance proportional to its length: by rejection.
        let longest_m = area.bounds().min.distance(area.bounds().max);
        let (from, to) = loop {
            let (from, to) = (anywhere(stream, area), anywhere(stream, area));
            if stream.unit() < from.distance(to) / longest_m {
                break (from, to);
            }
        };
        let done = stream.unit();
        let here = Position::new(from.x_m + done * (to.x_m - from.x_m), from.y_m + done * (to.y_m - from.y_m));
        let mut path = Path::new(area, here);
        path.travel(to, self.speed_met(stream));
        path.pause(self.pause.draw(stream));
        path
    }

    fn yoon(&self, area: Area, stream: &mut Stream) -> Path {
        let mut path = Path::new(area, anywhere(stream, area));
        if stream.unit() >= self.paused_share(area) {
            let to = anywhere(stream, area);
            path.travel(to, self.speed_met(stream));
        }
        path.pause(self.pause.draw(stream));
        path
    }
}

impl Pause {
    /// Always as long.
    #[must_use]
    pub const fn constant(seconds: f64) -> Self {
        Self { least_s: seconds, most_s: seconds }
    }

    fn mean_s(&self) -> f64 {
        (self.least_s + self.most_s) / 2.0
    }

    fn draw(&self, stream: &mut Stream) -> f64 {
        // A constant needs no draw, but takes one: a change of the bounds moves nothing else.
        between(stream, self.least_s, self.most_s)
    }

    /// What is left of a pause in which a node is met, the `u`-th part of all being shorter. Density
    /// P(pause > t) / E(pause): flat up to the shortest pause, then falling linearly.
    fn residual(&self, u: f64) -> f64 {
        let (p0, p1) = (self.least_s, self.most_s);
        if u < 2.0 * p0 / (p0 + p1) { u * (p0 + p1) / 2.0 } else { p1 - ((1.0 - u) * (p1 * p1 - p0 * p0)).sqrt() }
    }
}

/// The mean distance of two points of the area, metres (Mathai, Moschopoulos and Pederzoli 1999).
#[must_use]
pub fn mean_leg_m(area: Area) -> f64 {
    let (a, b) = (area.width_m, area.height_m);
    let diagonal = (a * a + b * b).sqrt();
    // Their last two terms, rewritten: as they stand, they cancel each other in a narrow area.
    (b * b / a * libm::asinh(a / b) + a * a / b * libm::asinh(b / a)) / 6.0
        + (3.0 * diagonal - a * a / (a + diagonal) - b * b / (b + diagonal)) / 15.0
}

#[cfg(test)]
mod tests;
