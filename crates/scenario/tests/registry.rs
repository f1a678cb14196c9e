//! Scenarios with mechanisms and rows of another crate. What is registered stays for the whole program: these tests have
//! one of their own, and each has its own names.

mod common;

use std::borrow::Cow;
use std::sync::Once;

use hopwright_machine::Time;
use hopwright_scenario::schema;
use hopwright_sim::{Options, Report, Simulation, Watch, run};
use hopwright_transport::mechanisms::{Ack, avoidance::Avoidance};
use hopwright_transport::{Knob, Part, Protocol, Public, Recipe, Refused, protocol};

use common::{good, lines};

const ALPHA: Knob = Knob::real("gaimd_alpha", "segments", 0.31, 0.0..=64.0, "growth per round trip");

/// General additive increase (Yang and Lam 2000 §2).
const GAIMD: Part<dyn Avoidance> =
    Part::<dyn Avoidance>::new("gaimd", "Yang and Lam 2000", |p| Box::new(Gaimd { alpha: p.number(&ALPHA) }))
        .with_knobs(&[ALPHA])
        .sharing(&["delayed_ack_ms"]);

#[derive(Debug)]
struct Gaimd {
    alpha: f64,
}

impl Avoidance for Gaimd {
    fn on_ack(&mut self, p: &Public, _ack: &Ack<'_>) -> f64 {
        let mss = f64::from(p.mss);
        self.alpha * (mss * mss / p.cwnd)
    }
}

/// The mechanism and the row `gaimd`; what was said of them before.
fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = lines(&flow("protocol = \"gaimd\"\n"), &[]) + &lines(&flow("gaimd_alpha = 1\n"), &[]);
        assert!(before.contains("flows.0.transport.protocol: 'gaimd' does not exist"), "{before}");
        assert!(before.contains("flows.0.transport.gaimd_alpha: unknown key"), "{before}");
        GAIMD.register().unwrap();
        let recipe = Recipe { avoidance: GAIMD, ..protocol("newreno").unwrap().recipe };
        Protocol::new("gaimd", "Yang and Lam 2000", recipe).register().unwrap();
    });
}

/// A flow over one link that loses a little.
fn flow(transport: &str) -> String {
    format!(
        "duration_s = 60\n[topology]\nkind = \"links\"\n[[links]]\nfrom = 0\nto = 1\nrate_kbps = 4000\ndelay_ms = 50\n\
         loss_percent = 0.5\n[[flows]]\nfrom = 0\nto = 1\n[flows.transport]\n{transport}"
    )
}

fn report(transport: &str) -> Report {
    let setup = good(&flow(transport), &[]).setup(1).unwrap();
    run(&setup, 1, &Options::default(), &Watch::default()).expect("nobody cancels").report
}

fn goodput(transport: &str) -> f64 {
    report(transport).flows[0].tcp.as_ref().unwrap().goodput_bps
}

#[test]
fn a_registered_row_runs() {
    register();
    let newreno = goodput("protocol = \"newreno\"\n");
    assert_eq!(goodput("protocol = \"gaimd\"\ngaimd_alpha = 1\n"), newreno);
    assert_eq!(goodput("protocol = \"newreno\"\navoidance = \"gaimd\"\ngaimd_alpha = 1\n"), newreno);
    let usual = goodput("protocol = \"gaimd\"\n");
    assert_eq!(goodput("protocol = \"gaimd\"\ngaimd_alpha = 0.31\n"), usual);
    assert!(usual < 0.8 * newreno && goodput("protocol = \"gaimd\"\ngaimd_alpha = 4\n") > 1.2 * newreno);
}

#[test]
fn it_is_swapped_in_under_way() {
    register();
    let setup = good(&flow("protocol = \"newreno\"\ngaimd_alpha = 8\n"), &[]).setup(1).unwrap();
    let received = |swaps: bool| {
        let mut simulation = Simulation::new(Cow::Borrowed(&setup), 1, &Options::default());
        simulation.advance(Time::from_secs_f64(20.0));
        if swaps {
            assert_eq!(simulation.swap(0, &[("avoidance", "gaimd")]), Ok(vec!["additive"]));
            assert!(simulation.mechanisms(0).any(|there| there == ("avoidance", "gaimd")));
        }
        simulation.advance(Time::from_secs_f64(60.0));
        simulation.flow(0).received_bytes as f64
    };
    assert!(received(true) > 1.2 * received(false));
}

#[test]
fn a_trigger_brings_it() {
    register();
    let trigger = "protocol = \"newreno\"\nmonitor_source = \"told\"\ngaimd_alpha = 8\n[[flows.transport.triggers]]\n\
                   when = [{ monitor = \"loss\", below = 50 }]\nset = { avoidance = \"gaimd\" }\n";
    let report = report(trigger);
    let tcp = report.flows[0].tcp.as_ref().unwrap();
    assert_eq!(tcp.adaptation.map(|did| (did.changes, did.refused)), Some((1, 0)));
    assert!(tcp.goodput_bps > 1.2 * goodput("protocol = \"newreno\"\n"));
}

#[test]
fn mistakes_are_answered_with_it() {
    register();
    let wrong = |transport: &str| lines(&flow(transport), &[]);
    assert!(wrong("protocol = \"gaim\"\n").contains("did you mean 'gaimd'?"));
    let part = wrong("avoidance = \"gaimdd\"\n");
    assert!(part.contains("'told', 'gaimd'; did you mean 'gaimd'?"), "{part}");
    let limit = wrong("gaimd_alpha = 65\n");
    assert!(limit.contains("flows.0.transport.gaimd_alpha: expected a number from 0 to 64, found 65"), "{limit}");
    let place = lines(&format!("gaimd_alpha = 1\n{}", flow("")), &[]);
    assert!(place.contains("did you mean 'flows.transport.gaimd_alpha'?"), "{place}");
    let idle = good(&flow("protocol = \"reno\"\ngaimd_alpha = 2\n"), &[]).idle_parameters();
    // What it says it reads of others' has an effect.
    let shared = flow("avoidance = \"gaimd\"\ndelayed_ack_ms = 40\nelfn_probe_s = 3\n");
    let names = |text: &str| good(text, &[]).idle_parameters().into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names(&shared), ["elfn_probe_s"]);
    assert!(idle.len() == 1 && idle[0].1.ends_with("it needs avoidance = gaimd"), "{idle:?}");
}

#[test]
fn it_is_printed_and_described() {
    register();
    let printed = good(&flow("protocol = \"gaimd\"\n"), &[]).scenario.to_toml();
    assert!(printed.contains("protocol = \"gaimd\"\n") && printed.contains("gaimd_alpha = 0.31\n"), "{printed}");
    assert_eq!(good(&printed, &[]).scenario.to_toml(), printed);
    let schema = schema();
    let tcp = &schema["properties"]["flows"]["items"]["oneOf"][0]["properties"]["transport"]["properties"];
    for (key, of) in [("protocol", "vegas"), ("avoidance", "told")] {
        let names = tcp[key]["enum"].as_array().unwrap();
        assert!(names.contains(&of.into()) && names.contains(&"gaimd".into()), "{key}");
    }
    let known = &tcp["gaimd_alpha"];
    assert_eq!((&known["default"], &known["maximum"]), (&0.31.into(), &64.into()));
    assert_eq!(known["x-used-by"], "avoidance.gaimd");
}

/// Whatever else a transport has of keys: a parameter of that name could not be set.
#[test]
fn no_knob_takes_the_name_of_another_key() {
    let schema = schema();
    let tcp = &schema["properties"]["flows"]["items"]["oneOf"][0]["properties"]["transport"]["properties"];
    for name in tcp.as_object().unwrap().keys() {
        let name: &'static str = name.clone().leak();
        let knobs = vec![Knob::switch(name, true, "no parameter that there is")].leak();
        let part = Part::<dyn Avoidance> { id: "no-knob", ..GAIMD }.with_knobs(knobs);
        assert_eq!(part.register(), Err(Refused::Knob(name)));
    }
}
