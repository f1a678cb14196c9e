//! A cell list: who is near, without asking everyone.

use crate::Position;

/// Points sorted into square cells.
#[derive(Debug)]
pub struct Cells {
    size_m: f64,
    origin: (f64, f64),
    columns: usize,
    rows: usize,
    /// `members[start[c]..start[c + 1]]` are the points in cell c.
    start: Vec<u32>,
    members: Vec<u32>,
    /// By point.
    homes: Vec<u32>,
}

impl Cells {
    /// Sorts `points` into cells of `size_m`, or larger ones where there would be many more cells than points.
    #[must_use]
    pub fn new(points: &[Position], size_m: f64) -> Self {
        let first = points.first().copied().unwrap_or_default();
        let (mut west, mut east, mut south, mut north) = (first.x_m, first.x_m, first.y_m, first.y_m);
        for p in points {
            // Hardly ever does a point lie beyond all before it: a branch that is foreseen.
            if p.x_m < west {
                west = p.x_m
            } else if p.x_m > east {
                east = p.x_m
            }
            if p.y_m < south {
                south = p.y_m
            } else if p.y_m > north {
                north = p.y_m
            }
        }
        let widest = ((east - west) * (north - south) / points.len().max(1) as f64 / 4.0).sqrt();
        let size_m = size_m.max(widest).max(((east - west) + (north - south)) / 65_536.0).max(1e-3);
        let columns = ((east - west) / size_m) as usize + 1;
        let rows = ((north - south) / size_m) as usize + 1;
        let mut cells = Self {
            size_m,
            origin: (west, south),
            columns,
            rows,
            start: vec![0; columns * rows + 1],
            members: vec![],
            homes: vec![],
        };
        let homes: Vec<u32> = points.iter().map(|&p| (cells.row(p) * columns + cells.column(p)) as u32).collect();
        for &home in &homes {
            cells.start[home as usize + 1] += 1;
        }
        for c in 0..columns * rows {
            cells.start[c + 1] += cells.start[c];
        }
        cells.members = vec![0; points.len()];
        let mut free = cells.start.clone();
        for (point, &home) in homes.iter().enumerate() {
            cells.members[free[home as usize] as usize] = point as u32;
            free[home as usize] += 1;
        }
        cells.homes = homes;
        cells
    }

    fn column(&self, p: Position) -> usize {
        (((p.x_m - self.origin.0) / self.size_m).max(0.0) as usize).min(self.columns - 1)
    }

    fn row(&self, p: Position) -> usize {
        (((p.y_m - self.origin.1) / self.size_m).max(0.0) as usize).min(self.rows - 1)
    }

    /// The number of the cell of a point.
    #[must_use]
    pub fn home(&self, point: usize) -> usize {
        self.homes[point] as usize
    }

    /// The cell of a point, and the cells that touch it: all points that are closer than `size_m` are in them.
    pub fn around(&self, point: usize) -> impl Iterator<Item = usize> + use<> {
        let (home, columns) = (self.home(point), self.columns);
        let (row, column) = (home / columns, home % columns);
        let rows = row.saturating_sub(1)..=(row + 1).min(self.rows - 1);
        let (first, last) = (column.saturating_sub(1), (column + 1).min(columns - 1));
        rows.flat_map(move |row| (first..=last).map(move |column| row * columns + column))
    }

    /// Appends every point that may lie within `radius_m` of `centre`; some that lie farther come along.
    pub fn near(&self, centre: Position, radius_m: f64, found: &mut Vec<u32>) {
        let corner = |sign: f64| Position::new(centre.x_m + sign * radius_m, centre.y_m + sign * radius_m);
        let (low, high) = (corner(-1.0), corner(1.0));
        for row in self.row(low)..=self.row(high) {
            let first = self.start[row * self.columns + self.column(low)] as usize;
            let last = self.start[row * self.columns + self.column(high) + 1] as usize;
            found.extend_from_slice(&self.members[first..last]);
        }
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::{NodeId, Purpose, Stream};

    use super::*;

    #[test]
    fn who_is_closer_than_a_cell_is_in_a_cell_around() {
        let mut stream = Stream::new(1, NodeId(0), Purpose::Placement);
        for n in [1, 2, 50, 400] {
            let points: Vec<_> =
                (0..n).map(|_| Position::new(stream.unit() * 3000.0 - 500.0, stream.unit() * 1500.0)).collect();
            let cells = Cells::new(&points, 300.0);
            for (i, &p) in points.iter().enumerate() {
                let around: Vec<usize> = cells.around(i).collect();
                assert!(around.len() <= 9 && around.is_sorted_by(|a, b| a < b), "{around:?}");
                for (j, &q) in points.iter().enumerate() {
                    let is_near = p.distance_squared(q) <= 300.0 * 300.0;
                    assert!(!is_near || around.contains(&cells.home(j)), "{i} and {j}");
                }
            }
        }
    }

    #[test]
    fn nothing_near_is_missed() {
        let mut stream = Stream::new(1, NodeId(0), Purpose::Placement);
        for n in [1, 2, 50, 400] {
            let points: Vec<_> =
                (0..n).map(|_| Position::new(stream.unit() * 3000.0 - 500.0, stream.unit() * 300.0)).collect();
            let cells = Cells::new(&points, 550.0);
            for &centre in &points {
                let mut found = Vec::new();
                cells.near(centre, 550.0, &mut found);
                for (i, &p) in points.iter().enumerate() {
                    let near = p.distance_squared(centre) <= 550.0 * 550.0;
                    assert!(!near || found.contains(&(i as u32)), "{i} is missing");
                }
                found.sort_unstable();
                found.dedup();
                assert!(found.len() <= n && found.windows(2).all(|w| w[0] < w[1]));
            }
        }
    }
}
