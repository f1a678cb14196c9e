//! Files that say what a link is like: in a scenario, and by themselves; profiles; what must not stand together.

use std::borrow::Cow;
use std::path::Path;

use hopwright_machine::{Duration, Time};
use hopwright_scenario::{LinkPair, Loaded, PairChange, ScenarioErrors, load_link, parse_link};
use hopwright_shape::profile::Mode;
use hopwright_shape::{Config, Loss, Rate, Share};
use hopwright_sim::{Options, Outcome, Simulation, Watch, run};

use crate::common::{good, lines};

fn scenario(keys: &str) -> String {
    format!("duration_s = 60\n[topology]\nkind = \"links\"\n[[links]]\nfrom = 0\nto = 1\n{keys}\n")
}

const DATAGRAMS: &str = "[[flows]]\nfrom = 0\nto = 1\napp = \"cbr\"\nrate_kbps = 800\npayload_bytes = 1000\n";

fn outcome(text: &str) -> Outcome {
    let setup = good(text, &[]).setup(1).unwrap();
    run(&setup, 1, &Options::default(), &Watch::default()).expect("nobody cancels")
}

fn file(text: &str) -> Result<LinkPair, ScenarioErrors> {
    parse_link("link.toml", text, Path::new("tests/files"))
}

/// What is wrong with a link file, one line per error.
fn told(text: &str) -> String {
    match file(text) {
        Ok(_) => "accepted\n".to_owned(),
        Err(errors) => errors.errors().iter().map(|error| format!("{error}\n")).collect(),
    }
}

const PROFILE: &str = "[profile]\nmode = \"sequential\"\n[[profile.pipes]]\nrtt_ms = 23.4\nlifetime_s = 1.25\n\
                       probability = 0.05\nloss_percent = 0.4\nrate_kbps = 500\n[[profile.pipes]]\nrtt_ms = 40\n";

#[test]
fn a_file_says_both_directions() {
    let LinkPair { forward, backward, .. } =
        file("rate_kbps = 64\ndelay_ms = 10\nloss_percent = 1\n[reverse]\nrate_kbps = 32\n").unwrap();
    assert_eq!((forward.rate, backward.rate), (Rate::Fixed(64e3), Rate::Fixed(32e3)));
    assert_eq!((forward.delay, backward.delay), (Duration::from_millis(10), Duration::from_millis(10)));
    assert_eq!(forward.profile, None);
    let LinkPair { forward, backward, .. } = file(&format!("queue_packets = 9\n{PROFILE}")).unwrap();
    let (there, back) = (forward.profile.unwrap(), backward.profile.unwrap());
    assert_eq!((there.loses, back.loses), (true, false));
    assert_eq!((there.share, back.share), (Share::Half, Share::OtherHalf));
    assert_eq!((there.profile.mode, there.profile.repeats), (Mode::Sequential, false));
    let whole = file(&PROFILE.replace("[profile]\n", "[profile]\ndelays = \"forward\"\n")).unwrap();
    let shares = [whole.forward, whole.backward].map(|way| way.profile.unwrap().share);
    assert_eq!(shares, [Share::All, Share::Nothing]);
    let pipe = there.profile.pipes[0];
    assert_eq!((pipe.rtt, pipe.lifetime), (Duration::from_micros(23_400), Duration::from_millis(1_250)));
    assert_eq!((pipe.loss, pipe.rate_bps, there.profile.pipes[1].rate_bps), (0.004, Some(5e5), None));
    let lost = file("loss_trace = \"losses.txt\"\ntrace = \"steady.mahi\"\n").unwrap().forward;
    assert!(matches!((&lost.loss, &lost.rate), (Loss::Recorded(record), Rate::Trace(_)) if record.share() == 0.25));
    assert!(load_link(Path::new("../../scenarios/links/roaming-link.toml")).is_ok());
    let absent = load_link(Path::new("tests/files/absent.toml")).unwrap_err().to_string();
    assert!(absent.contains("tests/files/absent.toml: cannot be read: No such file"), "{absent}");
}

/// What a file says of later times holds from then on, in a scenario as by itself; each entry says what is different.
#[test]
fn a_file_says_what_a_link_becomes() {
    const CHANGES: &str = "rate_kbps = 64\ndelay_ms = 10\nloss_percent = 1\n[reverse]\nrate_kbps = 32\n\
                           [[changes]]\nat_s = 5\nrate_kbps = 500\n[[changes]]\nat_s = 7.5\nclear = true\ndelay_ms = 20\n\
                           reverse = { loss_percent = 0 }\n[[changes]]\nat_s = 100\ntrace = \"steady.mahi\"\n";
    let pair = file(CHANGES).unwrap();
    let of =
        |change: &PairChange| (change.at, change.clears, change.forward.rate.clone(), change.backward.rate.clone());
    let at = |ms| Time::ZERO + Duration::from_millis(ms);
    let back = Rate::Fixed(32e3);
    assert_eq!(of(&pair.changes[0]), (at(5_000), false, Rate::Fixed(5e5), back.clone()));
    assert_eq!(of(&pair.changes[1]), (at(7_500), true, Rate::Fixed(5e5), back.clone()));
    let [first, second] =
        [&pair.changes[0], &pair.changes[1]].map(|change| (change.forward.delay, change.backward.delay));
    let ms = Duration::from_millis;
    assert_eq!((first, second), ((ms(10), ms(10)), (ms(20), ms(10))));
    assert_eq!((&pair.changes[1].forward.loss, &pair.changes[1].backward.loss), (&Loss::each(0.01), &Loss::each(0.0)));
    assert!(matches!(pair.changes[2].forward.rate, Rate::Trace(_)));
    for (text, reason) in [
        ("[[changes]]\nat_s = -1\n", "link.toml:2:8: changes.0.at_s: must be from 0 to 1000000, found -1\n"),
        ("[[changes]]\nrate_kbps = 1\n", "link.toml:1:1: changes.0.at_s: this key is missing and has no default\n"),
        (
            "[[changes]]\nat_s = 1\nreverse = { delay_ms = -1 }\n",
            "link.toml:3:24: changes.0.reverse.delay_ms: must be from 0 to 1000000, found -1\n",
        ),
        (
            "[[changes]]\nat_s = 2\n[[changes]]\nat_s = 1\n",
            "link.toml:4:8: changes.1.at_s: must not be before the change above (2 s), found 1\n",
        ),
        (
            "delay_ms = 1\n[[changes]]\nat_s = 2\n[changes.profile]\npipes = [{ rtt_ms = 1 }]\n",
            "link.toml:2:1: changes.0.delay_ms: contradicts 'profile': the pipes of the profile set the delay \
             (rtt_ms)\n",
        ),
    ] {
        assert_eq!(told(text), reason, "{text}");
    }
}

/// The changes of a link file are those of the link, but those after the end; what the scenario says itself holds.
#[test]
fn a_scenario_takes_the_changes_of_its_link_file() {
    let loaded = good(&scenario("profile = \"changing-link.toml\""), &[]);
    let times = |loaded: &Loaded| -> Vec<f64> {
        loaded.scenario.links[0].changes.iter().map(|change| change.when.at_s).collect()
    };
    assert_eq!(times(&loaded), [10.0, 20.0]);
    assert_eq!(loaded.scenario.links[0].changes[1].shape.trace.as_deref(), Some("steady.mahi"));
    assert_eq!(good(&loaded.scenario.to_toml(), &[]).scenario, loaded.scenario);
    assert_eq!(times(&good(&scenario("profile = \"changing-link.toml\""), &["duration_s=15"])), [10.0]);
    let own = good(&scenario("profile = \"changing-link.toml\"\nchanges = [{ at_s = 3, delay_ms = 4 }]"), &[]);
    assert_eq!(times(&own), [3.0]);
    let late = lines(&scenario("changes = [{ at_s = 61, delay_ms = 4 }]"), &[]);
    assert!(late.contains("links.0.changes.0.at_s: must not be after the end of the run"), "{late}");
    let nested = lines(&scenario("changes = [{ at_s = 3, profile = \"changing-link.toml\" }]"), &[]);
    assert_eq!(
        nested,
        "tests/files/changing-link.toml:4:3: links.0.changes.0.changes: belongs to the file of a link: this file \
         describes a change of the link\n"
    );
}

/// What is said of a link that is in use: the rest stays as it is at that time.
#[test]
fn what_is_said_of_a_live_link_leaves_the_rest() {
    let keys =
        "rate_kbps = 500\ndelay_ms = 10\nchanges = [{ at_s = 3, delay_ms = 40 }, { at_s = 9, loss_percent = 5 }]";
    let mut links = good(&scenario(keys), &[]).live_links();
    let mut say = |at_s: f64, set: &str| {
        let set = serde_json::from_str(set).unwrap();
        links.reshape(Time::from_secs_f64(at_s), 0, &set).map(|change| change.shape.forward)
    };
    let of = |config: &Config| (config.delay, config.loss.clone(), config.rate.clone());
    let ms = Duration::from_millis;
    let first = say(1.0, r#"{"loss_percent": 1}"#).unwrap();
    assert_eq!(of(&first), (ms(10), Loss::each(0.01), Rate::Fixed(5e5)));
    let second = say(2.0, r#"{"rate_kbps": 64}"#).unwrap();
    assert_eq!(of(&second), (ms(10), Loss::each(0.01), Rate::Fixed(64e3)));
    // What was planned sets all that the scenario says of that time.
    let third = say(4.0, r#"{"rate_kbps": 32}"#).unwrap();
    assert_eq!(of(&third), (ms(40), Loss::each(0.0), Rate::Fixed(32e3)));
    assert_eq!(
        say(5.0, r#"{"delay_ms": 1, "rate_kbps": -3}"#).unwrap_err(),
        "rate_kbps: must be above 0, up to 1000000000, found -3"
    );
    assert_eq!(of(&say(6.0, r#"{"queue_packets": 7}"#).unwrap()), of(&third));
    let wrong = say(6.0, r#"{"reverse": 7}"#).unwrap_err();
    assert_eq!(wrong, "reverse: expected a table, found 7");
    let mut shared = good(&scenario("directions = \"shared\"\ndelay_ms = 3"), &[]).live_links();
    let set = serde_json::from_str(r#"{"reverse": {"delay_ms": 3}}"#).unwrap();
    let said = shared.reshape(Time::ZERO, 0, &set).unwrap_err();
    assert_eq!(
        said,
        "reverse: needs directions = 'separate': here the opposite direction has no properties of its own"
    );
}

/// With line and column, and with what would be right.
#[test]
fn what_is_wrong_with_a_file_is_told_with_its_place() {
    for (text, reason) in [
        ("delay_ms = -1\n", "link.toml:1:12: delay_ms: must be from 0 to 1000000, found -1\n"),
        (
            "[reverse]\nrate_kbps = 0\n",
            "link.toml:2:13: reverse.rate_kbps: must be above 0, up to 1000000000, found 0\n",
        ),
        ("dellay_ms = 3\n", "link.toml:1:1: dellay_ms: unknown key; did you mean 'delay_ms'?\n"),
        ("profile = \"other.toml\"\n", "link.toml:1:11: profile: expected a table, found the string 'other.toml'\n"),
        ("[profile]\n", "link.toml:1:1: profile: a profile needs pipes: add [[profile.pipes]]\n"),
        (
            "[[profile.pipes]]\nlifetime_s = 3\n",
            "link.toml:1:1: profile.pipes.0.rtt_ms: this key is missing and has no default\n",
        ),
        (
            "[[profile.pipes]]\nrtt_ms = 3\nlifetime_s = 0\n[[profile.pipes]]\nrtt_ms = 4\n",
            "link.toml:3:14: profile.pipes.0.lifetime_s: a pipe that another pipe follows must last for at least \
             0.0001 s, found 0\n",
        ),
        (
            "[profile]\nrepeat = true\npipes = [{ rtt_ms = 3 }]\n",
            "link.toml:3:10: profile.pipes.0.lifetime_s: a pipe of a profile that repeats must last for at least \
             0.0001 s, found 0\n",
        ),
        (
            "[profile]\nmode = \"simultaneous\"\nrepeat = true\npipes = [{ rtt_ms = 3, probability = 0.5 }, { rtt_ms = 5, probability = 0.4 }]\n",
            "link.toml:3:10: profile.repeat: needs mode = 'sequential': pipes that are used at once do not \
             end\nlink.toml:4:73: profile.pipes.1.probability: the probabilities of all pipes must add up to 1, found \
             0.9000\n",
        ),
        (
            "[profile]\nmode = \"sequental\"\npipes = [{ rtt_ms = 3, loss_percent = 101 }]\n",
            "link.toml:2:8: profile.mode: 'sequental' does not exist; possible: 'sequential', 'simultaneous'; did you mean 'sequential'?\n",
        ),
        (
            "delay_ms = 5\nloss_percent = 1\n[profile]\npipes = [{ rtt_ms = 3 }]\n",
            "link.toml:1:12: delay_ms: contradicts 'profile': the pipes of the profile set the delay \
             (rtt_ms)\nlink.toml:2:16: loss_percent: contradicts 'profile': the pipes of the profile set the losses \
             (loss_percent)\n",
        ),
        (
            "loss_percent = 1\nbad_begins_percent = 1\n",
            "link.toml:1:1: bad_ends_percent: must be above 0 with bad_begins_percent: a bad link would stay \
             bad\nlink.toml:2:22: bad_begins_percent: contradicts 'loss_percent': a link with a bad state loses \
             bad_loss_percent and good_loss_percent\n",
        ),
        (
            "loss_trace = \"link.toml\"\n",
            "tests/files/link.toml:1:1: expected 0 (arrived) or 1 (lost) for each packet, found 'q'\n",
        ),
        (
            "loss_trace = \"losses.txt\"\nloss_percent = 3\n",
            "link.toml:1:14: loss_trace: contradicts 'loss_percent': the recorded file already says which packets are \
             lost\n",
        ),
        (
            "loss_percent = 3\nburst_packets = 2\nloss_delay_correlation_percent = 30\n",
            "link.toml:3:34: loss_delay_correlation_percent: needs packets that are lost independently: with a bad \
             state use bad_delay_ms\n",
        ),
    ] {
        assert_eq!(told(text), reason, "{text}");
    }
    let within = scenario("profile = \"broken-link.toml\"");
    assert_eq!(
        lines(&within, &[]),
        "tests/files/broken-link.toml:2:16: links.0.loss_percent: must be from 0 to 100, found 101\n"
    );
}

/// One slip is told once, and nothing that follows from it.
#[test]
fn a_file_that_is_no_link_file_is_told_once() {
    let no_toml = lines(&scenario("profile = \"broken-policy.toml\""), &[]);
    let of_the_file = |line: &str| line.starts_with("tests/files/broken-policy.toml:");
    assert!(no_toml.contains("not TOML") && no_toml.lines().all(of_the_file), "{no_toml}");
    let whole = scenario("delay_ms = 5");
    let reason = "this is a scenario, not a link file: a link file has the keys of one [[links]] entry at its top\n";
    assert_eq!(told(&whole), format!("link.toml:2:2: {reason}"));
    assert_eq!(told("delay_ms = 5\nduration_s = 3\n"), format!("link.toml:2:1: {reason}"));
    assert_eq!(told("[[links]]\nfrom = 0\nto = 1\n"), format!("link.toml:1:3: {reason}"));
    let within = lines(&scenario("profile = \"../../../../scenarios/chain.toml\""), &[]);
    assert!(within.contains("/scenarios/chain.toml:") && within.ends_with(reason), "{within}");
    assert_eq!(within.lines().count(), 1, "{within}");
}

/// A link file in a scenario: its keys hold unless the scenario says otherwise, and its paths start where it lies.
#[test]
fn a_scenario_says_more_than_its_link_file() {
    let loaded = good(&scenario("profile = \"link.toml\"\nqueue_packets = 3"), &[]);
    let shape = &loaded.scenario.links[0].shape;
    assert_eq!((shape.trace.as_deref(), shape.queue_packets), (Some("steady.mahi"), 3));
    let instead = good(&scenario("profile = \"link.toml\"\nrate_kbps = 7"), &[]);
    assert_eq!((&instead.scenario.links[0].shape.trace, instead.scenario.links[0].shape.rate_kbps), (&None, Some(7.0)));
    let (printed, files) = loaded.in_one_folder("");
    assert_eq!(files.len(), 1);
    assert!(!printed.contains("link.toml"), "{printed}");
    let by_set = good(&scenario(""), &["links.0.profile=link.toml"]);
    assert_eq!(by_set.scenario.links[0].shape.trace.as_deref(), Some("steady.mahi"));
    let absent = lines(&scenario("profile = \"absent.toml\""), &[]);
    assert!(absent.starts_with("a.toml:7:11: links.0.profile: tests/files/absent.toml cannot be read"), "{absent}");
    let shared = lines(&scenario(&format!("directions = \"shared\"\n{}", within(PROFILE))), &[]);
    assert!(shared.contains("links.0.profile: needs directions that are not shared"), "{shared}");
    let told = format!("{}{TOLD}", scenario(&within(PROFILE)));
    assert!(lines(&told, &[]).contains("monitor_source: 'told' needs links that tell their properties"));
}

const TOLD: &str = "[[flows]]\nfrom = 0\nto = 1\n[flows.transport]\nprotocol = \"sack\"\nmonitor_source = \"told\"\n\
                    [[flows.transport.triggers]]\nwhen = [{ monitor = \"loss\", above = 2 }]\nset = { avoidance = \"vegas\" }\n";

/// The tables of a link file as those of a link.
fn within(text: &str) -> String {
    text.replace("[profile", "[links.profile")
}

/// Half the round trip on each way, losses on that of the data, a change of pipe at its time.
#[test]
fn a_link_follows_its_profile() {
    let pipes = "[links.profile]\nrepeat = true\n[[links.profile.pipes]]\nrtt_ms = 30\nlifetime_s = 10\nloss_percent = 10\n\
                 [[links.profile.pipes]]\nrtt_ms = 50\nlifetime_s = 10\n";
    let text = scenario(&format!("{pipes}{DATAGRAMS}{}", DATAGRAMS.replace("from = 0\nto = 1", "from = 1\nto = 0")));
    let loaded = good(&text, &[]);
    let report = outcome(&text).report;
    let [there, back] = [&report.links[0], &report.links[1]];
    // Half of the time a tenth is lost, one way: three standard deviations.
    let n = (there.packets + there.lost) as f64;
    assert!((there.lost as f64 - n * 0.05).abs() < 3.0 * (n / 2.0 * 0.1 * 0.9).sqrt(), "{} of {n}", there.lost);
    assert_eq!((back.lost, back.packets + 3 > there.packets + there.lost), (0, true));
    let tcp = "[[flows]]\nfrom = 0\nto = 1\n[flows.transport]\nprotocol = \"newreno\"\nacking = \"every\"\ncwnd_limit_segments = 1\n";
    let report = outcome(&scenario(&format!("{}{tcp}", pipes.replace("loss_percent = 10", "")))).report;
    let mean_s = report.flows[0].tcp.as_ref().unwrap().mean_rtt_s.unwrap();
    // In ten seconds there are 1000 / 3 round trips of 30 ms, or 200 of 50 ms.
    let ms = 20_000.0 / (1_000.0 / 3.0 + 200.0);
    assert!((mean_s * 1e3 - ms).abs() < 0.1, "{mean_s} for {ms} ms");
    let printed = loaded.scenario.to_toml();
    assert_eq!(good(&printed, &[]).scenario, loaded.scenario);
}

/// The books balance with copies, and steps of any length change nothing.
#[test]
fn copies_are_in_the_books() {
    let keys = "rate_kbps = 2000\ndelay_ms = 20\nduplicate_percent = 10\nreorder_percent = 5\njitter_percent = 20\n\
                jitter_correlation_percent = 50\nloss_percent = 3\nloss_delay_correlation_percent = 80";
    let flows = format!("{DATAGRAMS}[[flows]]\nfrom = 0\nto = 1\n[flows.transport]\nprotocol = \"sack\"\n");
    let text = scenario(&format!("{keys}\n{flows}[output]\nlineage = \"all\"\n"));
    let whole = outcome(&text);
    let sent = whole.report.flows[0].segments_sent as f64;
    let (packets, doubled) =
        (whole.report.links.iter().map(|link| link.packets).sum::<u64>() as f64, whole.ledger.doubled as f64);
    let arrived = packets - doubled;
    assert!((doubled - arrived * 0.1).abs() < 3.0 * (arrived * 0.09).sqrt(), "{doubled} of {arrived}");
    assert!(sent > 5_000.0 && whole.report.flows[1].tcp.as_ref().unwrap().goodput_bps > 1e5);
    let setup = good(&text, &[]).setup(1).unwrap();
    let mut simulation = Simulation::new(Cow::Borrowed(&setup), 1, &Options::default());
    for step in 1..=700 {
        simulation.advance(Time::from_secs_f64(f64::from(step) * 0.0857));
    }
    simulation.advance(setup.end);
    assert_eq!(simulation.finish().report, whole.report);
}
