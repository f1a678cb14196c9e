//! What stands in `series.parquet`, beside what the run itself says.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hopwright_machine::{Duration, NodeId, Time};
use hopwright_mobility::{Position, Trajectory};
use hopwright_sim::{Event, FlowKind, Options, Pattern, Report, Setup, Source, Trace, Watch, run_traced};
use hopwright_trace::series::{Picture, Quantity, Series};
use hopwright_trace::{Config, Recorder, series};
use hopwright_wire::{Packet, Payload};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use crate::support::{at, datagrams, star, string};

const ALL: [Quantity; 6] =
    [Quantity::Cwnd, Quantity::Ssthresh, Quantity::Rtt, Quantity::Rto, Quantity::InFlight, Quantity::Queue];

fn config(quantities: &[Quantity], interval: Duration) -> series::Config {
    let about = vec![("scenario", "a string".to_owned()), ("seed", "3".to_owned())];
    series::Config { quantities: quantities.to_vec(), interval, about }
}

/// A row by column; what is null is not there.
type Row = BTreeMap<String, Field>;

fn number(row: &Row, column: &str) -> Option<f64> {
    row.get(column).map(|field| match field {
        Field::Double(value) => *value,
        Field::Int(value) => f64::from(*value),
        other => panic!("{column} is {other:?}"),
    })
}

fn record(name: &str, setup: &Setup, series: series::Config) -> (PathBuf, Report, Picture) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let config = Config { series: Some(series), picture: true, ..Config::default() };
    let mut recorder = Recorder::new(&config, setup, &folder);
    let outcome = run_traced(setup, 3, &Options::default(), &Watch::default(), &mut recorder).expect("nobody cancels");
    let picture = recorder.finish().picture.expect("figures were asked for");
    (folder.join("series.parquet"), outcome.report, picture)
}

fn open(file: &Path) -> SerializedFileReader<File> {
    SerializedFileReader::new(File::open(file).expect("the file is there")).expect("it is Parquet")
}

fn rows(file: &Path) -> Vec<Row> {
    let known = |row: parquet::record::Row| {
        row.into_columns().into_iter().filter(|(_, field)| !matches!(field, Field::Null)).collect()
    };
    let reader = open(file);
    reader.get_row_iter(None).expect("rows").map(|row| known(row.expect("a row"))).collect()
}

fn columns(file: &Path) -> Vec<String> {
    let reader = open(file);
    let schema = reader.metadata().file_metadata().schema_descr();
    schema.columns().iter().map(|column| column.name().to_owned()).collect()
}

/// What the senders and queues themselves tell.
#[derive(Default)]
struct Told {
    /// By instant: window, acknowledged bytes, segments sent again, duplicate acknowledgements.
    sender: BTreeMap<Time, (f64, u64, u64, u64)>,
    samples: usize,
}

impl Trace for Told {
    fn event(&mut self, at: Time, _: NodeId, event: Event<'_>) {
        if let Event::Sender { public, rtt, .. } = event {
            let doubled = public.duplicate_acks;
            self.sender.insert(at, (public.cwnd, public.acked_bytes, public.retransmissions, doubled));
            self.samples += usize::from(rtt.is_some());
        }
    }

    fn hears(&self, _: NodeId) -> bool {
        false
    }
}

#[test]
fn rows_are_what_the_sender_shows() {
    let setup = string(4, "newreno", 20.0, false);
    let (file, report, _) = record("series-sender", &setup, config(&ALL, Duration::ZERO));
    let mut told = Told::default();
    run_traced(&setup, 3, &Options::default(), &Watch::default(), &mut told).expect("nobody cancels");

    let rows: Vec<Row> = rows(&file).into_iter().filter(|row| row.contains_key("flow")).collect();
    assert!(rows.len() > 200, "{} rows", rows.len());
    let by_time: BTreeMap<u64, _> = told.sender.iter().map(|(at, shown)| (at.as_secs_f64().to_bits(), shown)).collect();
    for row in &rows {
        let (cwnd, acked, again, doubled) = by_time[&number(row, "time_s").expect("a time").to_bits()];
        assert_eq!(number(row, "cwnd_segments"), Some(cwnd / 1460.0));
        assert_eq!(number(row, "acked_segments"), Some(*acked as f64 / 1460.0));
        assert_eq!(number(row, "retransmitted_segments"), Some(*again as f64));
        assert_eq!(number(row, "duplicate_acks"), Some(*doubled as f64));
        assert!(number(row, "in_flight_segments") <= number(row, "sent_segments").map(|sent| sent + 1.0));
        assert!(!row.contains_key("node") && !row.contains_key("queue_packets") && !row.contains_key("received_bytes"));
    }
    assert!(rows.is_sorted_by(|a, b| number(a, "time_s") < number(b, "time_s")), "two rows of one instant");
    let but = |row: &Row, columns: [&str; 2]| -> Row {
        row.clone().into_iter().filter(|(name, _)| !columns.contains(&name.as_str())).collect()
    };
    let held = |row: &Row| but(row, ["time_s", "rtt_s"]);
    let mut pairs = rows.windows(2);
    assert!(pairs.all(|two| held(&two[0]) != held(&two[1]) || two[1].contains_key("rtt_s")), "a row without a change");
    assert_eq!(rows.iter().filter(|row| row.contains_key("rtt_s")).count(), told.samples);

    let tcp = report.flows[0].tcp.as_ref().expect("TCP");
    let last = rows.last().expect("rows");
    assert_eq!(number(last, "acked_segments").map(|acked| acked as u64), Some(tcp.goodput_segments));
    assert_eq!(number(last, "retransmitted_segments"), Some(tcp.retransmissions as f64));

    // Infinite before the first loss, and then no longer.
    let first_loss = rows.iter().position(|row| row.contains_key("ssthresh_segments")).expect("a loss in 20 s");
    assert!(first_loss > 10 && rows[first_loss..].iter().all(|row| row.contains_key("ssthresh_segments")));
    assert_eq!(rows[0]["phase"], Field::Str("slow_start".into()));
    assert!(rows.iter().any(|row| row["phase"] == Field::Str("recovery".into())));
}

#[test]
fn queues_add_up_to_the_mean_of_the_report() {
    let setup = string(5, "newreno", 10.0, false);
    let (file, report, picture) = record("series-queues", &setup, config(&[Quantity::Queue], Duration::ZERO));
    assert_eq!(columns(&file), ["time_s", "node", "queue_packets"]);
    let mut queues = [(0.0, 0.0); 6]; // since when, how many
    let mut packet_seconds = [0.0; 6];
    for row in rows(&file) {
        let [time, node, packets] = ["time_s", "node", "queue_packets"].map(|name| number(&row, name).expect(name));
        let node = node as usize;
        packet_seconds[node] += queues[node].1 * (time - queues[node].0);
        assert_ne!(queues[node].1, packets, "a row without a change");
        queues[node] = (time, packets);
    }
    for (node, (since, packets)) in queues.into_iter().enumerate() {
        packet_seconds[node] += packets * (setup.end.as_secs_f64() - since);
    }
    let mean = packet_seconds.iter().sum::<f64>() / 6.0 / setup.end.as_secs_f64();
    assert!((mean - report.mac.mean_queue_packets).abs() < 1e-9, "{mean} {}", report.mac.mean_queue_packets);

    let mut fullest: Vec<usize> = (0..6).collect();
    fullest.sort_by(|&a, &b| packet_seconds[b].total_cmp(&packet_seconds[a]));
    fullest.truncate(2);
    fullest.sort_unstable();
    assert_eq!(picture.queues(2).into_iter().map(|queue| queue.0).collect::<Vec<_>>(), fullest);
}

#[test]
fn packets_on_their_way_add_up_to_the_mean_of_the_report() {
    let setup = string(5, "newreno", 10.0, false);
    let (file, report, _) = record("series-network", &setup, config(&[Quantity::InNetwork], Duration::ZERO));
    assert_eq!(columns(&file)[..3], ["time_s", "flow", "acked_segments"]);
    let begin = setup.flows[0].start.as_secs_f64();
    let end = setup.end.as_secs_f64();
    let flow = &report.flows[0];
    let acks = flow.tcp.as_ref().expect("TCP").mean_acks_in_flight;
    for (column, reported) in [("in_network_segments", flow.mean_data_in_flight), ("in_network_acks", acks)] {
        let (mut since, mut packets, mut packet_seconds) = (begin, 0.0, 0.0);
        for row in rows(&file) {
            let time = number(&row, "time_s").expect("a time");
            packet_seconds += packets * (time - since);
            (since, packets) = (time, number(&row, column).expect("known from the first row on"));
        }
        let mean = (packet_seconds + packets * (end - since)) / (end - begin);
        assert!(mean > 0.0 && (mean - reported).abs() < 1e-9, "{column}: {mean}");
    }
}

#[test]
fn over_udp_nothing_comes_back() {
    let mut setup = string(2, "newreno", 1.0, false);
    let source = Source { payload_bytes: 1000, rate_bps: 1e5, jitter: 0.0, pattern: Pattern::Steady };
    setup.flows[0].kind = FlowKind::Udp(source);
    let (file, _, _) = record("series-udp-network", &setup, config(&[Quantity::InNetwork], Duration::ZERO));
    let rows = rows(&file);
    assert!(!rows.is_empty());
    assert!(rows.iter().all(|row| number(row, "in_network_acks").is_none()));
    assert!(rows.iter().any(|row| number(row, "in_network_segments") == Some(1.0)));
}

#[test]
fn windows_and_stages_of_stations_are_those_of_their_back_off() {
    let mut setup = star(4, false, 3.0, false);
    let plain = config(&[Quantity::Backoff], Duration::ZERO);
    let (file, ..) = record("series-beb", &setup, plain.clone());
    assert_eq!(columns(&file), ["time_s", "node", "contention_window_slots", "backoff_stage"]);
    let windows: Vec<_> = rows(&file).iter().map(|row| number(row, "contention_window_slots")).collect();
    let doubled = |n: f64| (0..6).any(|k| n == 32.0 * f64::from(1 << k) - 1.0);
    assert!(windows.len() > 20 && windows.iter().all(|window| window.is_some_and(doubled)));
    assert!(rows(&file).iter().all(|row| !row.contains_key("backoff_stage")));

    setup.mac.fba = Some(hopwright_link::fba::Config::default());
    let (file, ..) = record("series-fba", &setup, plain);
    let rows = rows(&file);
    for stage in ["normal", "restrictive", "greedy"] {
        let of = |node: f64| {
            let is_of =
                |row: &&Row| row["backoff_stage"] == Field::Str(stage.into()) && number(row, "node") == Some(node);
            rows.iter().filter(is_of).count()
        };
        assert!((1..=4).all(|node| of(f64::from(node)) > 0), "{stage}");
    }
    let time = |row: &Row| number(row, "time_s").expect("a time");
    assert!(rows.is_sorted_by(|a, b| time(a) <= time(b)));
}

#[test]
fn columns_are_those_asked_for() {
    let setup = string(1, "newreno", 0.2, false);
    let of = |name: &str, quantities: &[Quantity]| columns(&record(name, &setup, config(quantities, Duration::ZERO)).0);
    let progress =
        ["acked_segments", "sent_segments", "retransmitted_segments", "duplicate_acks", "received_bytes", "phase"];
    assert_eq!(of("series-cwnd", &[Quantity::Cwnd])[..3], ["time_s", "flow", "cwnd_segments"]);
    assert_eq!(of("series-cwnd", &[Quantity::Cwnd])[3..], progress);
    let most = of("series-most", &[Quantity::Queue, Quantity::Rtt, Quantity::InFlight]);
    assert_eq!(most[..6], ["time_s", "flow", "node", "rtt_s", "srtt_s", "in_flight_segments"]);
    assert_eq!(most[12..], ["queue_packets"]);
    assert_eq!(of("series-all", &ALL).len(), 16);
}

#[test]
fn an_interval_thins_rows_and_leaves_figures_alone() {
    let setup = string(3, "newreno", 10.0, false);
    let (file, _, picture) = record("series-interval", &setup, config(&ALL, Duration::from_millis(250)));
    let mut seen: BTreeMap<(Option<i64>, Option<i64>), f64> = BTreeMap::new();
    let whole = |value: Option<f64>| value.map(|value| value as i64);
    for row in rows(&file) {
        let time = number(&row, "time_s").expect("a time");
        assert!((time * 4.0).fract() == 0.0, "{time}");
        let before = seen.insert((whole(number(&row, "flow")), whole(number(&row, "node"))), time);
        assert!(before.is_none_or(|before| before < time), "two rows at {time}");
    }
    assert!(seen.contains_key(&(Some(0), None)) && seen.contains_key(&(None, Some(0))));
    let (_, _, same) = record("series-no-interval", &setup, config(&ALL, Duration::ZERO));
    assert_eq!(format!("{:?}", picture.columns(0)), format!("{:?}", same.columns(0)));
    assert!(picture.columns(0)[0].1.len() > 100);
}

#[test]
fn a_flow_over_udp_shows_what_its_receiver_got() {
    let mut setup = star(2, true, 3.0, false);
    setup.warm_up = Time::ZERO;
    setup.flows.push(datagrams(1, 2, 100, 2.0, 50));
    let (file, report, picture) = record("series-udp", &setup, config(&ALL, Duration::ZERO));
    for (index, (flow, shown)) in setup.flows.iter().zip(&report.flows).enumerate() {
        let mine = |row: &Row| number(row, "flow") == Some(index as f64);
        let of_flow: Vec<Row> = rows(&file).into_iter().filter(mine).collect();
        let received = number(of_flow.last().expect("something arrives"), "received_bytes").expect("bytes");
        let span_s = setup.end.since(flow.start).as_secs_f64();
        assert!((received * 8.0 / span_s - shown.received_bps).abs() < 1e-6, "{received} {shown:?}");
        assert!(of_flow.iter().all(|row| row.len() == 3), "time, flow and bytes: {:?}", of_flow[0]);
        let names: Vec<&str> = picture.columns(index).into_iter().map(|column| column.0).collect();
        assert_eq!(names, ["time_s", "received_bytes"]);
    }
}

#[test]
fn the_file_says_what_it_is() {
    let (file, _, _) = record("series-about", &string(1, "reno", 0.2, false), config(&ALL, Duration::ZERO));
    let reader = open(&file);
    let about = reader.metadata().file_metadata().key_value_metadata().expect("metadata");
    let value = |key: &str| about.iter().find(|pair| pair.key == key).and_then(|pair| pair.value.clone());
    assert_eq!((value("scenario"), value("seed")), (Some("a string".into()), Some("3".into())));
    assert_eq!(value("units").expect("units").lines().count(), 16);
}

/// Counts what is written.
struct Counter(Arc<AtomicUsize>);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.fetch_add(bytes.len(), Ordering::Relaxed);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn rows_go_to_the_file_as_they_come() {
    let setup = string(2, "newreno", 1.0, false);
    let bytes = Arc::new(AtomicUsize::new(0));
    let config = config(&ALL, Duration::ZERO);
    let mut series = Series::new(Some((Counter(Arc::clone(&bytes)), &config)), &setup, true).expect("it begins");
    let mut written = vec![bytes.load(Ordering::Relaxed)];
    for round in 0..4 {
        for n in 0..40_000_u64 {
            let now = at(1.0) + Duration::from_micros(round * 40_000 + n);
            series.event(now, NodeId((n % 3) as u32), Event::QueueLength((n / 3 % 50) as usize + round as usize));
        }
        written.push(bytes.load(Ordering::Relaxed));
    }
    assert!(written.windows(2).all(|two| two[1] > two[0] + 1000), "{written:?}");
    series.finish().0.expect("nothing fails");
}

/// A recorder, and beside it a count of the flow's packets by what became of them where.
struct Tally {
    recorder: Recorder,
    originated: u64,
    delivered: u64,
    /// Per node.
    dropped: Vec<u64>,
}

impl Tally {
    fn is_data(packet: &Packet) -> bool {
        matches!(&packet.payload, Payload::Tcp(segment) if segment.destination_port == 5001)
    }
}

impl Trace for Tally {
    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        self.recorder.event(at, node, event);
        match event {
            Event::Originated(packet) => self.originated += u64::from(Self::is_data(packet)),
            Event::Delivered(packet) => self.delivered += u64::from(Self::is_data(packet)),
            Event::Dropped { packet, .. } => self.dropped[node.index()] += u64::from(Self::is_data(packet)),
            _ => {}
        }
    }

    fn hears(&self, _: NodeId) -> bool {
        false
    }
}

fn tallied(setup: &Setup) -> (Tally, Vec<(usize, usize, u64)>) {
    let config = Config { picture: true, ..Config::default() };
    let recorder = Recorder::new(&config, setup, Path::new(""));
    let mut tally = Tally { recorder, originated: 0, delivered: 0, dropped: vec![0; setup.nodes.len()] };
    run_traced(setup, 3, &Options::default(), &Watch::default(), &mut tally).expect("nobody cancels");
    let recorder = Recorder::new(&config, setup, Path::new(""));
    let recorder = std::mem::replace(&mut tally.recorder, recorder);
    let picture = recorder.finish().picture.expect("figures were asked for");
    (tally, picture.links(0).collect())
}

#[test]
fn what_comes_over_a_link_goes_over_the_next_or_is_dropped_between() {
    let setup = string(4, "newreno", 20.0, false);
    let (tally, links) = tallied(&setup);
    let ends: Vec<_> = links.iter().map(|&(from, to, _)| (from, to)).collect();
    assert_eq!(ends, [(0, 1), (1, 2), (2, 3), (3, 4)]);
    let packets: Vec<u64> = links.iter().map(|link| link.2).collect();
    assert_eq!(packets[3], tally.delivered);
    assert!(packets[0] > 500 && packets[0] <= tally.originated);
    let mut held = 0;
    for node in 1..4 {
        // A sender that gave up may have been understood: then the packet is at the next hop, and dropped here too.
        let lost = packets[node - 1] as i64 - packets[node] as i64;
        held += (lost - tally.dropped[node] as i64).abs();
    }
    assert!(held <= 3 * 5, "{held} packets are nowhere: {tally_dropped:?}", tally_dropped = tally.dropped);
}

#[test]
fn links_of_a_flow_whose_way_changes_add_up_to_its_hops() {
    let mut setup = string(4, "reno", 20.0, false);
    setup.routing = hopwright_sim::Routing::Found(hopwright_routing::aodv::Config::rfc().into());
    let mut middle = setup.nodes[2].clone();
    middle.travel_to(at(5.0), Position::new(400.0, 500.0), 80.0);
    middle.travel_to(at(12.0), Position::new(400.0, 50.0), 80.0);
    setup.nodes[2] = middle;
    let other = Trajectory::fixed(Position::new(400.0, 100.0));
    setup.nodes.push(other);
    let (tally, links) = tallied(&setup);
    let through = |node: usize| -> u64 { links.iter().filter(|link| link.1 == node).map(|link| link.2).sum() };
    assert!(through(2) > 0 && through(5) > 0, "{links:?}");
    assert_eq!(through(4), tally.delivered);
}
