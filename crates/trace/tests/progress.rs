//! Connection progress in `series.parquet`.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use hopwright_bundle::InitialTimer;
use hopwright_machine::Duration;
use hopwright_mobility::Position;
use hopwright_sim::{FlowKind, Options, Setup, Watch, run, run_traced};
use hopwright_trace::series::Quantity;
use hopwright_trace::{Config, Recorder, series};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use crate::support::{at, string};

/// Time and value of each row.
fn progress(name: &str, setup: &Setup) -> Vec<(f64, Option<f64>)> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let quantities = vec![Quantity::ConnectionProgress];
    let series = series::Config { quantities, interval: Duration::from_millis(100), about: Vec::new() };
    let mut recorder = Recorder::new(&Config { series: Some(series), ..Config::default() }, setup, &folder);
    let (options, watch) = (Options::default(), Watch::default());
    let traced = run_traced(setup, 1, &options, &watch, &mut recorder).expect("nobody cancels");
    assert!(recorder.finish().unwritten.is_empty());
    assert_eq!(traced.report, run(setup, 1, &options, &watch).expect("nobody cancels").report);
    let reader = SerializedFileReader::new(File::open(folder.join("series.parquet")).expect("it is there"));
    let rows = reader.expect("it is Parquet").get_row_iter(None).expect("rows").collect::<Vec<_>>();
    let number = |field: &Field| if let Field::Double(value) = field { Some(*value) } else { None };
    rows.into_iter()
        .map(|row| {
            let row = row.expect("a row").into_columns();
            let of = |name: &str| row.iter().find(|(column, _)| column == name).and_then(|(_, field)| number(field));
            (of("time_s").expect("a time"), of("connection_progress_byte_hops"))
        })
        .collect()
}

fn file(hops: u32, bytes: u64, seconds: f64) -> Setup {
    let mut setup = string(hops, "newreno", seconds, false);
    if let FlowKind::Tcp { bytes: file, .. } = &mut setup.flows[0].kind {
        *file = Some(bytes);
    }
    setup
}

#[test]
fn over_tcp_what_is_pending_is_at_the_source() {
    let rows = progress("progress-tcp", &file(3, 400_000, 20.0));
    let values: Vec<f64> = rows.iter().filter_map(|row| row.1).collect();
    assert_eq!((values.first(), values.last()), (Some(&1_200_000.0), Some(&0.0)));
    assert!(values.is_sorted_by(|a, b| a >= b), "{values:?}");
    // Whole segments, but for the last.
    assert!(values.iter().all(|value| *value == 0.0 || (1_200_000.0 - value) % (3.0 * 1460.0) == 0.0), "{values:?}");
    assert!(rows.iter().all(|(time_s, value)| (*time_s >= 1.0) == value.is_some()), "{rows:?}");
}

#[test]
fn bundles_come_nearer_hop_by_hop() {
    let mut setup = file(3, 512_000, 20.0);
    let config = hopwright_bundle::Config {
        bundle_packets: 100,
        initial_timer: InitialTimer::Unlimited,
        ..hopwright_bundle::Config::default()
    };
    let (config, bytes) = (Arc::new(config), Some(512_000));
    setup.flows[0].kind = FlowKind::Bundles { protocol: "nctp".into(), config, bytes };
    let rows = progress("progress-bundles", &setup);
    let known: Vec<(f64, f64)> = rows.iter().filter_map(|&(time_s, value)| Some((time_s, value?))).collect();
    assert_eq!(known[0], (1.0, 1_536_000.0));
    assert!(known.is_sorted_by(|a, b| a.1 >= b.1), "{known:?}");
    // One hop of the connection works at a time, and takes 3.926 ms for a packet: 512 bytes come a hop nearer.
    let half = known.iter().find(|row| row.1 <= 768_000.0).expect("half of it");
    assert!((half.0 - 1.0 - 1500.0 * 3.926e-3).abs() < 0.3, "{half:?}");
    assert_eq!(known.last().map(|row| row.1), Some(0.0));
}

#[test]
fn whoever_is_out_of_reach_leaves_no_value() {
    let mut setup = file(1, 10_000_000, 10.0);
    setup.nodes[1].place_at(at(4.05), Position::new(5000.0, 0.0));
    setup.nodes[1].place_at(at(8.05), Position::new(200.0, 0.0));
    let rows = progress("progress-partition", &setup);
    for (time_s, value) in rows {
        let is_apart = (4.1..8.1).contains(&time_s);
        assert_eq!(value.is_some(), time_s >= 1.0 && !is_apart, "{time_s}: {value:?}");
    }
}
