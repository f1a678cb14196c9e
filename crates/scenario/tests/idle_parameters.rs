//! Parameters that nobody in a scenario reads: taken, and told of.

use crate::common::{CHAIN, good};

/// The names, and the first line.
fn idle(text: &str, settings: &[&str]) -> (Vec<&'static str>, String) {
    let told = good(text, settings).idle_parameters();
    let first = told.first().map(|(_, line)| line.clone()).unwrap_or_default();
    (told.into_iter().map(|(name, _)| name).collect(), first)
}

fn names(settings: &[&str]) -> Vec<&'static str> {
    idle(CHAIN, settings).0
}

#[test]
fn what_no_mechanism_of_the_flow_reads_is_named_with_who_would() {
    let text = format!("{CHAIN}[flows.transport]\nprotocol = \"reno\"\nelfn_probe_s = 3\n");
    let expected = "a.toml:12:16: flows.0.transport.elfn_probe_s: has no effect: the flow's transport does not read \
                    this key; it needs path = elfn";
    assert_eq!(idle(&text, &[]), (vec!["elfn_probe_s"], expected.to_owned()));
    assert_eq!(idle(&text, &["routing.protocol=aodv", "flows.transport.path=elfn"]).0, [""; 0]);
    // The usual value has no effect, either.
    assert_eq!(names(&["flows.transport.k=10"]), ["k"]);
    assert_eq!(names(&["flows.transport.k=10", "flows.transport.startup=slow"]), [""; 0]);
    assert_eq!(names(&["flows.transport.vegas_alpha=2", "flows.transport.protocol=veno"]), ["vegas_alpha"]);
}

#[test]
fn what_the_engine_reads_or_nobody_gives_is_not() {
    for settings in
        [&["flows.transport.segment_bytes=1000"][..], &["flows.transport.timestamps=true"], &["profile=ns2"]]
    {
        assert_eq!(names(settings), [""; 0], "{settings:?}");
    }
}

#[test]
fn one_flow_that_reads_it_is_enough() {
    let two = format!("{CHAIN}[[flows]]\nfrom = 4\nto = 0\ntransport = {{ protocol = \"vegas\" }}\n");
    assert_eq!(idle(&two, &["flows.transport.vegas_alpha=2"]).0, [""; 0]);
    let (names, line) = idle(&two, &["flows.0.transport.vegas_alpha=2"]);
    assert_eq!(names, ["vegas_alpha"], "it is not given to the flow that would read it");
    assert!(line.contains("flows.0.transport.vegas_alpha"), "{line}");
}

#[test]
fn what_the_mac_does_not_read_is_named_too() {
    let settings = [
        ("mac.fba_tradeoff=20", "mac.backoff=fba"),
        ("mac.fba_lost_race=redraw", "mac.backoff=fba"), // the usual value, but asked for
        ("mac.fba_emptied=restart", "mac.backoff=fba"),
        ("mac.fba_buffered=waiting", "mac.backoff=fba"),
        ("mac.lred_weight=0.5", "mac.lred=true"),
        ("mac.lred_weight=0.5", "mac.adaptive_pacing=true"),
        ("mac.contention_delay=first-try", "flows.transport.protocol=tcc"),
    ];
    for (given, reader) in settings {
        let name = given.trim_start_matches("mac.").split('=').next().expect("a name");
        assert_eq!(names(&[given]), [name]);
        assert_eq!(names(&[given, reader]), [""; 0], "{reader}");
    }
    assert_eq!(names(&["mac.rts_retries=as-data"]), [""; 0]);
    assert_eq!(names(&["mac.rts_retries=as-data", "mac.rts=none"]), ["rts_retries"]);
    assert_eq!(names(&["routing.lost_notices=sent-again"]), ["lost_notices"]);
    assert_eq!(names(&["routing.lost_notices=sent-again", "routing.protocol=dsr"]), ["lost_notices"], "nobody asks");
    let told = ["routing.lost_notices=sent-again", "routing.protocol=dsr", "flows.transport.protocol=tcp-f"];
    assert_eq!(names(&told), [""; 0]);
    let expected = "a.toml:11:16: mac.fba_tradeoff: has no effect without backoff = fba";
    assert_eq!(idle(&format!("{CHAIN}[mac]\nfba_tradeoff = 20\n"), &[]).1, expected);
    // The full text of a scenario gives everything.
    assert_eq!(idle(&good(CHAIN, &[]).scenario.to_toml(), &[]).0, [""; 0]);
}

#[test]
fn what_no_shape_of_a_link_reads_is_named() {
    let links = |keys: &str| {
        format!(
            "duration_s = 10\n[topology]\nkind = \"links\"\n[[links]]\nfrom = 0\nto = 1\n{keys}\n[[flows]]\nfrom = 0\nto = 1\n"
        )
    };
    for (key, reader) in [
        ("amplitude_percent = 10", "variation = \"square\""),
        ("jitter_percent = 10", "delay_ms = 10"),
        ("reorder = true", "delay_ms = 10\njitter_percent = 5"),
        ("burst_packets = 3", "loss_percent = 1"),
        ("jitter_correlation_percent = 30", "jitter_percent = 5"),
        ("reorder_gap = 3", "reorder_percent = 5"),
        ("reorder_correlation_percent = 3", "reorder_percent = 5"),
        ("loss_delay_correlation_percent = 30", "jitter_percent = 5\nloss_percent = 1"),
        ("bad_delay_ms = 30", "bad_begins_percent = 1\nbad_ends_percent = 10"),
        ("codel_target_ms = 10", "queue = \"codel\""),
    ] {
        let delay = if reader.starts_with("delay") { "" } else { "\ndelay_ms = 10" };
        let text = links(&format!("rate_kbps = 100\n{key}{delay}"));
        let name = key.split(' ').next().expect("a name");
        assert_eq!(idle(&text, &[]).0, [name], "{text}");
        let read = text.replace(key, &format!("{key}\n{reader}"));
        assert_eq!(idle(&read, &[]).0, [""; 0], "{read}");
        // What a later shape reads is read.
        if !reader.starts_with("delay") {
            let later = text.replace("[[flows]]", &format!("[[links.changes]]\nat_s = 1\n{reader}\n[[flows]]"));
            assert_eq!(idle(&later, &[]).0, [""; 0], "{later}");
        }
    }
    assert_eq!(idle(&links("delay_ms = 10\nqueue_packets = 7"), &[]).0, ["queue_packets"]);
}
