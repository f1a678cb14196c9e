//! Mechanisms and rows of another crate. What is registered stays for the whole program: these tests have one of their
//! own, and each has its own names.

use hopwright_converse::check;
use hopwright_transport::mechanisms::avoidance::Avoidance;
use hopwright_transport::mechanisms::startup::{self, Startup};
use hopwright_transport::mechanisms::{Ack, detection};
use hopwright_transport::params::ParamError;
use hopwright_transport::protocols::Setting;
use hopwright_transport::{
    Connection, Knob, PROTOCOLS, Params, Part, Protocol, Public, Recipe, Refused, Role, Value, parameters, protocol,
    protocols, slots,
};
use hopwright_wire::tcp::Seq;

const STEP: Knob = Knob::real("steady_step", "segments", 0.5, 0.0..=64.0, "growth per acknowledgement");

/// The window grows by the same on every acknowledgement.
const STEADY: Part<dyn Avoidance> = steady("steady").with_knobs(&[STEP]);

const fn steady(id: &'static str) -> Part<dyn Avoidance> {
    Part::<dyn Avoidance>::new(id, "a test", |p| Box::new(Steady(p.number(&STEP))))
}

#[derive(Debug)]
struct Steady(f64);

impl Avoidance for Steady {
    fn on_ack(&mut self, p: &Public, _ack: &Ack<'_>) -> f64 {
        self.0 * f64::from(p.mss)
    }
}

fn newreno() -> Recipe {
    protocol("newreno").unwrap().recipe
}

fn row(id: &'static str, avoidance: Part<dyn Avoidance>) -> Protocol {
    Protocol::new(id, "a test", Recipe { avoidance, ..newreno() })
}

/// The mechanisms of a slot.
fn parts(slot: &str) -> Vec<&'static str> {
    let slot = slots().into_iter().find(|s| s.name == slot).expect("a slot");
    slot.parts.iter().map(|part| part.id).collect()
}

fn readers(name: &str) -> Option<&'static [String]> {
    parameters().iter().find(|p| p.name == name).map(|p| p.used_by.as_slice())
}

#[test]
fn what_is_registered_is_there_by_its_name() {
    let mut connection = Connection::new(&newreno(), &Params::default(), Role::Active, 1, 2, Seq(0));
    let unknown = newreno().with("avoidance", "steady").unwrap_err();
    assert!(!unknown.to_string().contains("steady") && connection.swap("avoidance", "steady").is_err());
    assert_eq!(Params::default().set("steady_step", Value::Number(2.0)), Err(ParamError::Unknown));

    STEADY.register().unwrap();
    row("steady", STEADY).with(&[("steady_step", Setting::Number(0.25))]).register().unwrap();

    // In recipes, swaps and messages.
    assert_eq!(newreno().with("avoidance", "steady").unwrap().avoidance.id, "steady");
    let unknown = newreno().with("avoidance", "steadi").unwrap_err().to_string();
    assert!(unknown.contains("it can be additive, ") && unknown.contains("told, ") && unknown.contains(", steady"));
    assert_eq!(connection.swap("avoidance", "steady"), Ok("additive"));
    assert_eq!(connection.recipe().avoidance.id, "steady");
    // Its parameter: a default, limits, and who reads it.
    assert_eq!(Params::default().value("steady_step"), Some(Value::Number(0.5)));
    let error = Params::default().set("steady_step", Value::Number(65.0)).unwrap_err();
    assert_eq!(error, ParamError::Expected("a number from 0 to 64".to_owned()));
    let reads = |id: &str| protocol(id).unwrap().recipe.parameters().any(|p| p.name == "steady_step");
    assert!(reads("steady") && !reads("newreno"));
    // The row changes the default; a conversation names all three.
    check(
        "steady",
        "
        set initial_window_segments 2
          0ms write 1000000
          0ms > 0:1000 1000:2000
        300ms > 0:1000                      # a time-out: ssthresh is two segments
        400ms < ack 2000
        400ms > 2000:3000 3000:4000
        500ms < ack 3000
        500ms > 4000:5000
        500ms = cwnd 2250
    ",
    );
    let script = hopwright_converse::parse("protocol steady\nset steady_step 3\nslot avoidance steady\n").unwrap();
    assert_eq!(script.protocol.as_deref(), Some("steady"));
}

#[test]
fn the_order_is_that_of_registration() {
    for id in ["later-z", "later-a", "later-m"] {
        steady(id).register().unwrap();
        row(id, steady(id)).register().unwrap();
    }
    let is_ours = |id: &&str| id.starts_with("later-");
    let ids: Vec<_> = parts("avoidance").into_iter().filter(is_ours).collect();
    assert_eq!(ids, ["later-z", "later-a", "later-m"]);
    let rows: Vec<_> = protocols().iter().map(|row| row.id).collect();
    let built_in: Vec<_> = PROTOCOLS.iter().map(|row| row.id).collect();
    assert_eq!(rows[..built_in.len()], built_in);
    assert_eq!(rows.into_iter().filter(is_ours).collect::<Vec<_>>(), ["later-z", "later-a", "later-m"]);
}

#[test]
fn a_name_is_taken_once_also_by_threads_at_the_same_time() {
    const IDS: [&str; 20] = [
        "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9", "u0", "u1", "u2", "u3", "u4", "u5", "u6", "u7",
        "u8", "u9",
    ];
    let register = |id| Part::<dyn Startup> { id, ..startup::SLOW_START }.register().is_ok();
    let taken: usize = std::thread::scope(|scope| {
        let threads = [0, 5, 10, 15]
            .map(|from| scope.spawn(move || (0..IDS.len()).filter(|n| register(IDS[(n + from) % IDS.len()])).count()));
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(taken, IDS.len());
    let mut there: Vec<_> = parts("startup").into_iter().skip(startup::PARTS.len()).collect();
    there.sort_unstable();
    assert_eq!(there, IDS);
    // The knob that all of them share is the same one still.
    assert_eq!(parameters().iter().filter(|p| p.name == startup::SLOW_START.knobs[0].name).count(), 1);
    assert!(readers(startup::SLOW_START.knobs[0].name).unwrap().contains(&"startup.u9".to_owned()));
}

#[test]
fn a_mechanism_is_refused_for_names_that_are_taken() {
    const FREE: Knob = Knob::switch("refused_switch", true, "a switch");
    const TWICE: Knob = Knob::switch("refused_switch", false, "a switch");
    const K: Knob = Knob::switch("k", true, "another k");
    const FIELD: Knob = Knob::real("min_rto_ms", "ms", 200.0, 0.0..=1e9, "a parameter of the slot timeout");
    const SLOT: Knob = Knob::word("acking", &["fast", "slow"], "a slot's name");
    assert_eq!(steady("additive").register(), Err(Refused::Part { slot: "avoidance", part: "additive" }));
    let with: [&'static [Knob]; 4] = [&[FREE, K], &[FREE, TWICE], &[FREE, FIELD], &[FREE, SLOT]];
    for (knobs, name) in with.into_iter().zip(["k", "refused_switch", "min_rto_ms", "acking"]) {
        let refused = steady("refused").with_knobs(knobs).register().unwrap_err();
        assert_eq!(refused, Refused::Knob(name));
        assert_eq!(refused.to_string(), format!("'{name}' means something else already; choose another name"));
        assert!(!parts("avoidance").contains(&"refused") && readers("refused_switch").is_none());
    }
    let shares = steady("refused").with_knobs(&[FREE]).sharing(&["no_such"]).register().unwrap_err();
    assert_eq!(shares.to_string(), "there is no parameter 'no_such' to share");
    assert!(!parts("avoidance").contains(&"refused") && readers("refused_switch").is_none());
    steady("refused").with_knobs(&[FREE]).register().unwrap();
    steady("refused-too").with_knobs(&[FREE]).register().unwrap();
    assert_eq!(readers("refused_switch").unwrap(), ["avoidance.refused", "avoidance.refused-too"]);
    let again = steady("refused").register().unwrap_err();
    assert_eq!(again.to_string(), "the slot avoidance has a mechanism 'refused' already");
}

#[test]
fn a_row_is_refused_that_is_there_or_cannot_work() {
    let why = |row: Protocol| {
        let refused = row.register().unwrap_err();
        assert!(protocols().iter().filter(|there| there.id == row.id).count() == usize::from(row.id == "vegas"));
        refused.to_string()
    };
    let plain = Protocol::new("refused", "a test", newreno());
    assert_eq!(why(Protocol { id: "vegas", ..plain }), "there is a protocol 'vegas' already");
    assert_eq!(why(Protocol { id: "udp", ..plain }), "there is a protocol 'udp' already");
    let stranger = why(row("refused", steady("stranger")));
    assert!(
        stranger.starts_with("protocol 'refused': the slot has no such mechanism; it can be additive"),
        "{stranger}"
    );
    assert_eq!(
        why(plain.with(&[("no_such", Setting::Bool(true))])),
        "protocol 'refused': no_such: no such transport parameter"
    );
    assert_eq!(
        why(plain.with(&[("nagle", Setting::Number(1.0))])),
        "protocol 'refused': nagle: expected true or false"
    );
    let selective = Protocol { recipe: Recipe { detection: detection::SACK, ..newreno() }, ..plain };
    assert_eq!(
        why(selective),
        "protocol 'refused': detection 'sack' reads selective acknowledgements; set selective_acks = true"
    );
    selective.with(&[("selective_acks", Setting::Bool(true))]).register().unwrap();
    assert_eq!(protocol("refused").unwrap().params(Params::default()).value("selective_acks"), Some(Value::Bool(true)));
}
