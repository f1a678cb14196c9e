//! Points of the plane, in metres.
//!
//! Spec      none
//! Deviates  nodes live in two dimensions; heights of antennas belong to the propagation model
//! Holds     only + − × ÷ and the square root, which IEEE 754 rounds alike everywhere

use crate::Trajectory;

/// A point, in metres from the origin.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Position {
    /// Metres to the right.
    pub x_m: f64,
    /// Metres upwards.
    pub y_m: f64,
}

impl Position {
    /// The point (0, 0).
    pub const ORIGIN: Self = Self { x_m: 0.0, y_m: 0.0 };

    /// The point (`x_m`, `y_m`).
    #[must_use]
    pub const fn new(x_m: f64, y_m: f64) -> Self {
        Self { x_m, y_m }
    }

    /// The distance to `other`, in metres.
    #[must_use]
    pub fn distance(self, other: Self) -> f64 {
        self.distance_squared(other).sqrt()
    }

    /// The square of the distance to `other`: enough for comparing, and cheaper.
    #[must_use]
    pub const fn distance_squared(self, other: Self) -> f64 {
        let (dx, dy) = (other.x_m - self.x_m, other.y_m - self.y_m);
        dx * dx + dy * dy
    }

    /// Whether both coordinates are numbers.
    #[must_use]
    pub const fn is_finite(self) -> bool {
        self.x_m.is_finite() && self.y_m.is_finite()
    }
}

/// Metres per second along each axis.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Velocity {
    /// Metres per second to the right.
    pub x_mps: f64,
    /// Metres per second upwards.
    pub y_mps: f64,
}

impl Velocity {
    /// Standing still.
    pub const ZERO: Self = Self { x_mps: 0.0, y_mps: 0.0 };

    /// Metres per second along the way.
    #[must_use]
    pub fn speed_mps(self) -> f64 {
        (self.x_mps * self.x_mps + self.y_mps * self.y_mps).sqrt()
    }
}

/// A rectangle with sides along the axes, its edges included.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bounds {
    /// The lower left corner.
    pub min: Position,
    /// The upper right corner.
    pub max: Position,
}

impl Bounds {
    /// From left to right.
    #[must_use]
    pub const fn width_m(self) -> f64 {
        self.max.x_m - self.min.x_m
    }

    /// From bottom to top.
    #[must_use]
    pub const fn height_m(self) -> f64 {
        self.max.y_m - self.min.y_m
    }

    /// Whether `p` is inside or on the edge.
    #[must_use]
    pub const fn contains(self, p: Position) -> bool {
        self.min.x_m <= p.x_m && p.x_m <= self.max.x_m && self.min.y_m <= p.y_m && p.y_m <= self.max.y_m
    }
}

/// The rectangle in which nodes are placed and move: from the origin to (`width_m`, `height_m`), edges included.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Area {
    /// Extent in x, metres. Above zero.
    pub width_m: f64,
    /// Extent in y, metres. Above zero.
    pub height_m: f64,
}

impl Area {
    /// The area as a rectangle between two corners.
    #[must_use]
    pub const fn bounds(self) -> Bounds {
        Bounds { min: Position::ORIGIN, max: Position::new(self.width_m, self.height_m) }
    }

    /// The point of the area that is nearest to `p`.
    #[must_use]
    pub const fn clamp(self, p: Position) -> Position {
        Position::new(p.x_m.clamp(0.0, self.width_m), p.y_m.clamp(0.0, self.height_m))
    }
}

/// The smallest rectangle that no node ever leaves; `None` without nodes.
#[must_use]
pub fn bounding_box(trajectories: &[Trajectory]) -> Option<Bounds> {
    // Between two waypoints a node is between them on each axis too, so the waypoints are enough.
    let mut points = trajectories.iter().flat_map(Trajectory::waypoints).map(|w| w.position);
    let first = points.next()?;
    Some(points.fold(Bounds { min: first, max: first }, |b, p| Bounds {
        min: Position::new(b.min.x_m.min(p.x_m), b.min.y_m.min(p.y_m)),
        max: Position::new(b.max.x_m.max(p.x_m), b.max.y_m.max(p.y_m)),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_four_five() {
        let (a, b) = (Position::new(1.0, 2.0), Position::new(4.0, 6.0));
        assert_eq!(a.distance(b), 5.0);
        assert_eq!(b.distance_squared(a), 25.0);
        assert_eq!(Velocity { x_mps: 3.0, y_mps: -4.0 }.speed_mps(), 5.0);
    }

    #[test]
    fn the_box_holds_all_nodes_and_their_ways() {
        use hopwright_machine::Time;
        assert_eq!(bounding_box(&[]), None);
        let mut moving = Trajectory::fixed(Position::new(10.0, -5.0));
        moving.travel_to(Time::ZERO, Position::new(30.0, 7.0), 1.0);
        let b = bounding_box(&[Trajectory::fixed(Position::new(0.0, 2.0)), moving]).unwrap();
        assert_eq!(b, Bounds { min: Position::new(0.0, -5.0), max: Position::new(30.0, 7.0) });
        assert_eq!((b.width_m(), b.height_m()), (30.0, 12.0));
        assert!(b.contains(b.min) && b.contains(b.max) && !b.contains(Position::new(15.0, 7.1)));
    }
}
