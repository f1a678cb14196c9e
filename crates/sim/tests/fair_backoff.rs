//! Fair back-off in a cell: nobody starves, and a trace is told of stages.

use hopwright_link::fba::{self, LostRace, Stage};
use hopwright_machine::{NodeId, Time};
use hopwright_sim::{Event, Options, Report, Setup, Trace, Watch, run_traced};
use proptest::prelude::*;

use crate::support::{outcome, star};

fn fair(mut setup: Setup, lost_race: LostRace) -> Setup {
    setup.mac.fba = Some(fba::Config { lost_race, ..Default::default() });
    setup
}

fn received(report: &Report) -> Vec<f64> {
    report.flows.iter().map(|flow| flow.received_bps).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Stations that hear each other and always have something to send: within 10 s nobody has less than a tenth of what
    /// is due to it. It is no more than that: full queues switch the restrictive stage off, and whoever has lost for
    /// long waits for longer than who has just won (`docs/mac-studies.md`).
    #[test]
    fn nobody_starves_in_a_cell(
        seed in 0u64..1_000_000,
        stations in 2u32..11,
        rts in any::<bool>(),
        ns2 in any::<bool>(),
        lost_race in prop::sample::select(vec![LostRace::Redraw, LostRace::KeepCounter, LostRace::Ignore]),
    ) {
        let setup = fair(star(stations, rts, 12.0, ns2), lost_race);
        let received = received(&outcome(&setup, seed).report);
        let due = received.iter().sum::<f64>() / f64::from(stations);
        prop_assert!(due * f64::from(stations) > 0.6e6, "the cell works: {received:?}");
        prop_assert!(received.iter().all(|&bps| bps > due / 10.0), "{lost_race:?}: {received:?}");
    }
}

/// What a trace is told of stages and windows.
#[derive(Default)]
struct Stages {
    last: Time,
    told: Vec<(NodeId, u32, Option<Stage>)>,
}

impl Trace for Stages {
    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        assert!(at >= self.last);
        self.last = at;
        if let Event::Backoff { window, stage } = event {
            self.told.push((node, window, stage));
        }
    }

    fn hears(&self, _: NodeId) -> bool {
        false
    }
}

fn stages(setup: &Setup) -> Vec<(NodeId, u32, Option<Stage>)> {
    let mut stages = Stages::default();
    let watched = run_traced(setup, 3, &Options::default(), &Watch::default(), &mut stages).expect("nobody cancels");
    assert_eq!(watched.report, outcome(setup, 3).report, "watched or not, a run is the same");
    stages.told
}

#[test]
fn a_trace_is_told_of_every_stations_stages_and_windows() {
    let told = stages(&fair(star(5, false, 3.0, false), LostRace::Redraw));
    for node in 1..=5 {
        let of = |stage| told.iter().filter(|row| row.0 == NodeId(node) && row.2 == Some(stage)).count();
        for stage in [Stage::Normal, Stage::Restrictive, Stage::Greedy] {
            assert!(of(stage) > 0, "station {node}, {stage:?}: {}", of(stage));
        }
    }
    assert!(told.iter().all(|row| (31..=1023).contains(&row.1)));
    assert!(told.iter().any(|row| row.1 == 310), "the normal stage's");
    let plain = stages(&star(5, false, 3.0, false));
    assert!(plain.iter().all(|row| row.2.is_none()) && plain.iter().any(|row| row.1 == 63));
}
