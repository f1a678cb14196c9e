//! Real movement files: read whole, and compared with where ns-2 itself has the nodes.

use std::fs;
use std::path::Path;

use hopwright_machine::Time;
use hopwright_mobility::{Bounds, Position, Trajectory, Walker, bounding_box, ns2};

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../validation/movements").join(name);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn load(name: &str) -> Vec<Trajectory> {
    ns2::parse(&read(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The file's nodes stay in the area and within the speeds that its header promises.
fn check(name: &str, slowest_mps: f64, fastest_mps: f64) {
    let nodes = load(name);
    assert_eq!(nodes.len(), 50);
    let area = Bounds { min: Position::ORIGIN, max: Position::new(1500.0, 300.0) };
    let used = bounding_box(&nodes).unwrap();
    assert!(area.contains(used.min) && area.contains(used.max), "{used:?}");
    assert!(used.width_m() > 1400.0 && used.height_m() > 280.0, "{used:?}");
    for (i, path) in nodes.iter().enumerate() {
        for waypoint in &path.waypoints()[..path.waypoints().len() - 1] {
            let leg = path.linear_until(waypoint.at);
            let speed = leg.velocity.speed_mps();
            // A pause of 0 s is not quite that: the file rounds speeds and departures to four digits.
            let stands = speed == 0.0 && leg.until.since(leg.start).as_secs_f64() < 0.1;
            assert!(stands || (slowest_mps * 0.999_999..fastest_mps * 1.000_001).contains(&speed), "node {i}: {leg:?}");
        }
    }
}

#[test]
fn every_movement_file_of_the_project_is_read() {
    let mut read = 0;
    for folder in ["validation/movements", "scenarios/movements"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
        for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.unwrap().path();
            // `sample.tcl` is the script that has ns-2 say where nodes are.
            if path.extension().is_some_and(|e| e == "tcl") && !path.ends_with("sample.tcl") {
                let text = fs::read_to_string(&path).unwrap();
                assert!(ns2::parse(&text).is_ok_and(|nodes| nodes.len() > 1), "{}", path.display());
                read += 1;
            }
        }
    }
    assert!(read >= 14, "{read} files");
}

#[test]
fn real_files_keep_what_their_headers_promise() {
    check("rwp_strip_v2_s1.tcl", 1.0, 2.0);
    check("rwp_strip_v10_s2.tcl", 4.0, 10.0);
    check("rwp_strip_v20_s3.tcl", 9.0, 20.0);
}

/// Every node is within a millimetre of where ns-2 has it.
fn check_against_ns2(movements: &str, samples: &str) {
    let mut walkers: Vec<_> = load(movements).into_iter().map(Walker::new).collect();
    let table = read(samples);
    let mut rows = 0;
    for row in table.lines().skip(1) {
        let fields: Vec<f64> = row.split(',').map(|f| f.parse().unwrap()).collect();
        let walker = &mut walkers[fields[1] as usize];
        let (ours, theirs) = (walker.position(Time::from_secs_f64(fields[0])), Position::new(fields[2], fields[3]));
        assert!(ours.distance(theirs) < 1e-3, "{row}: {ours:?}");
        rows += 1;
    }
    assert_eq!(rows, 14 * walkers.len());
}

#[test]
fn nodes_are_where_ns2_has_them() {
    check_against_ns2("rwp_strip_v20_s3.tcl", "rwp_strip_v20_s3.csv");
}

#[test]
fn nodes_are_where_ns2_has_them_in_the_corners_of_the_format() {
    check_against_ns2("corners.tcl", "corners.csv");
}
