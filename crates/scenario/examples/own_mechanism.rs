//! A mechanism and a protocol that the project does not know, in a scenario.

use std::error::Error;
use std::path::Path;

use hopwright_scenario::parse;
use hopwright_sim::{Options, Watch, run};
use hopwright_transport::mechanisms::{Ack, avoidance::Avoidance};
use hopwright_transport::{Knob, Part, Protocol, Public, Recipe, protocol};

const STEP: Knob = Knob::real("scalable_step", "segments", 0.01, 0.0..=1.0, "growth per acknowledgement");

/// Scalable TCP's growth (Kelly 2003), without its smaller cut.
const SCALABLE: Part<dyn Avoidance> =
    Part::<dyn Avoidance>::new("scalable", "Kelly 2003", |p| Box::new(Scalable { step: p.number(&STEP) }))
        .with_knobs(&[STEP]);

#[derive(Debug)]
struct Scalable {
    step: f64,
}

impl Avoidance for Scalable {
    fn on_ack(&mut self, p: &Public, _ack: &Ack<'_>) -> f64 {
        self.step * f64::from(p.mss)
    }
}

const SCENARIO: &str = "
duration_s = 100
topology.kind = \"links\"
links = [{ from = 0, to = 1, rate_kbps = 50000, delay_ms = 100, loss_percent = 0.005 }]
[[flows]]
from = 0
to = 1
transport.window_limit_segments = 1000
";

fn main() -> Result<(), Box<dyn Error>> {
    SCALABLE.register()?;
    let newreno = protocol("newreno").expect("it is there").recipe;
    Protocol::new("scalable", "Kelly 2003", Recipe { avoidance: SCALABLE, ..newreno }).register()?;

    for id in ["newreno", "scalable"] {
        let settings = [("flows.transport.protocol".to_owned(), id.to_owned())];
        let setup = parse("scenario", SCENARIO, Path::new("."), &settings).and_then(|loaded| loaded.setup(1))?;
        let report = run(&setup, 1, &Options::default(), &Watch::default()).expect("nobody cancels").report;
        let tcp = report.flows[0].tcp.as_ref().expect("it is a TCP");
        println!("{id} {}", tcp.goodput_segments);
    }
    Ok(())
}
