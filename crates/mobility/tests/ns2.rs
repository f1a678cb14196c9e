//! Movement files: what they mean, and that every fault is found at its place.

use hopwright_machine::Time;
use hopwright_mobility::{Position, Trajectory, ns2};
use proptest::prelude::*;

/// A node at (100, 100) that also does what `commands` say.
fn node(commands: &str) -> Trajectory {
    let text = format!("$node_(0) set X_ 100.0\n$node_(0) set Y_ 100.0\n$node_(0) set Z_ 0.0\n{commands}");
    ns2::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}")).remove(0)
}

/// Checks where a node is at some times, given as (seconds, x, y).
fn check(commands: &str, places: &[(f64, f64, f64)]) {
    let path = node(commands);
    for &(s, x_m, y_m) in places {
        let p = path.position(Time::from_secs_f64(s));
        assert!(p.distance(Position { x_m, y_m }) < 1e-6, "at {s} s: {p:?}, not ({x_m}, {y_m})\n{commands}");
    }
}

#[test]
fn a_node_without_commands_stands() {
    assert!(node("").is_static());
    check("# nothing\n\n   \t\n", &[(0.0, 100.0, 100.0), (900.0, 100.0, 100.0)]);
}

#[test]
fn it_heads_straight_for_its_destination_and_stops_there() {
    check(
        r#"$ns_ at 10.0 "$node_(0) setdest 400 500 50""#,
        &[(0.0, 100.0, 100.0), (10.0, 100.0, 100.0), (15.0, 250.0, 300.0), (20.0, 400.0, 500.0), (99.0, 400.0, 500.0)],
    );
}

#[test]
fn a_new_destination_overrides_on_the_way() {
    check(
        "$ns at 10 \"$node_(0) setdest 400 500 50\"\n$ns at 15 \"$node_(0) setdest 250 0 10\"",
        &[(15.0, 250.0, 300.0), (25.0, 250.0, 200.0), (45.0, 250.0, 0.0)],
    );
}

#[test]
fn commands_of_one_time_apply_in_file_order() {
    check(
        "$ns_ at 5 \"$node_(0) setdest 100 200 1\"\n$ns_ at 5.0 \"$node_(0) setdest 200 100 1\"",
        &[(15.0, 110.0, 100.0)],
    );
}

#[test]
fn speed_zero_is_a_pause() {
    check(
        "$ns_ at 0 \"$node_(0) setdest 200 100 10\"\n$ns_ at 4 \"$node_(0) setdest 200 100 0.0\"\n\
         $ns_ at 9 \"$node_(0) setdest 200 100 30\"",
        &[(4.0, 140.0, 100.0), (9.0, 140.0, 100.0), (10.0, 170.0, 100.0), (11.0, 200.0, 100.0)],
    );
}

#[test]
fn a_scheduled_set_moves_at_once_and_ends_the_journey() {
    check(
        "$ns_ at 0 \"$node_(0) setdest 200 100 10\"\n$ns_ at 4 \"$node_(0) set X_ 500\"\n\
         $ns_ at 4 \"$node_(0) set Y_ 7.5\"\n$ns_ at 6 \"$node_(0) set Z_ 0\"",
        &[(3.9, 139.0, 100.0), (4.0, 500.0, 7.5), (50.0, 500.0, 7.5)],
    );
}

#[test]
fn a_set_at_time_zero_is_an_initial_position() {
    let nodes = ns2::parse("$ns_ at 0.0 \"$node_(0) set X_ 5\"\n$ns_ at 0.0 \"$node_(0) set Y_ 6\"\n").unwrap();
    assert_eq!(nodes, [Trajectory::fixed(Position::new(5.0, 6.0))]);
}

#[test]
fn the_edge_of_the_area_is_a_destination() {
    check("$ns_ at 0 \"$node_(0) setdest 0 0.0 1000\"", &[(1.0, 0.0, 0.0)]);
}

#[test]
fn god_comments_semicolons_blanks_and_windows_line_ends_do_no_harm() {
    check(
        "$god_ set-dist 0 1 2\r\n$ns_ at 3.5 \"$god_ set-dist 0 1 16777215\"\r\n# 1 2 \"\r\n\
         \t$ns_  at\t1.0  \" $node_(0)  setdest 110 100 10.0 \" ;# a remark\r\n$node_(0) set X_ 1e2;\r\n",
        &[(2.0, 110.0, 100.0)],
    );
}

#[test]
fn nodes_may_come_in_any_order() {
    let nodes = ns2::parse(
        "$ns_ at 1 \"$node_(1) setdest 9 9 9\"\n$node_(1) set Y_ 4\n$node_(0) set X_ 1\n$node_(1) set X_ 3\n$node_(0) set Y_ 2\n",
    );
    let starts: Vec<_> = nodes.unwrap().iter().map(|n| n.position(Time::ZERO)).collect();
    assert_eq!(starts, [Position::new(1.0, 2.0), Position::new(3.0, 4.0)]);
}

#[test]
fn nodes_may_be_told_one_after_the_other_or_all_in_the_order_of_time() {
    let head = "$node_(0) set X_ 1\n$node_(0) set Y_ 2\n$node_(1) set X_ 3\n$node_(1) set Y_ 4\n";
    let [a, b] = [0, 1].map(|id| {
        let go = |at: u32| format!("$ns_ at {at} \"$node_({id}) setdest {at} {at} 5\"\n");
        [5, 20, 20, 80].map(go)
    });
    let one_by_one = a.iter().chain(&b).fold(head.to_owned(), |text, line| text + line);
    let by_time = a.iter().zip(&b).fold(head.to_owned(), |text, (a, b)| text + b + a);
    assert_eq!(ns2::parse(&one_by_one).unwrap(), ns2::parse(&by_time).unwrap());
}

#[test]
fn time_that_goes_backwards_within_a_node_is_refused() {
    let start = "$node_(7) set X_ 1\n$node_(7) set Y_ 2\n";
    let rest =
        "time goes backwards for node 7: 10.0 s after 15 s in line 3; put the commands of a node in the order of time";
    for (first, second) in [
        ("setdest 250 0 10", "setdest 400 500 50"),
        ("set X_ 5", "setdest 400 500 50"),
        ("setdest 250 0 10", "set Y_ 5"),
    ] {
        fails(
            &format!(
                "{start}$ns_ at 15 \"$node_(7) {first}\"\n$ns_ at 2 \"$node_(0) setdest 1 1 1\"\n$ns_ at 10.0 \"$node_(7) {second}\"\n"
            ),
            &format!("line 5, column 9: {rest}"),
        );
    }
}

const WHOLE: &str = "# cut me\n$node_(0) set X_ 100.25\n$node_(0) set Y_ 20.5\n$node_(0) set Z_ 0.0\r\n\
    $node_(1) set X_ 300.75\n$node_(1) set Y_ 40.5 ;# here\n$god_ set-dist 0 1 12\n\
    $ns_ at 12.5 \"$node_(0) setdest 400.25 50.5 10.75\"\n$ns_ at 20.5 \"$node_(1) set X_ 25.5\" ;# there\n";

#[test]
fn a_file_that_is_cut_is_refused_or_ends_with_a_whole_command() {
    let whole = ns2::parse(WHOLE).unwrap();
    for cut in 0..WHOLE.len() {
        let text = &WHOLE[..cut];
        match ns2::parse(text) {
            // What is left says the same as in the whole file; what is ignored may be cut.
            Ok(nodes) => {
                let last = text.rsplit('\n').next().unwrap_or_default();
                let is_whole = last.is_empty() || last.ends_with(['"', ' ', '\r']) || last.contains([';', '#']);
                assert!(is_whole || last.starts_with("$god_"), "accepted:\n{text}");
                for (node, of_whole) in nodes.iter().zip(&whole) {
                    assert_eq!(node.position(Time::ZERO), of_whole.position(Time::ZERO), "\n{text}");
                }
            }
            Err(error) => assert!(error.line >= 1 && error.line <= text.matches('\n').count() + 1, "{error}\n{text}"),
        }
    }
    let cut = "the file seems cut off: the last line has no line end, so a number in this line may lack digits; if \
               the file is complete, add a line end";
    fails("$node_(0) set X_ 1\n$node_(0) set Y_ 20.", &format!("line 2, column 21: {cut}"));
    for whole in ["$node_(0) set Y_ 20.;", "$node_(0) set Y_ 20. ", "$node_(0) set Y_ 20.\n"] {
        assert!(ns2::parse(&format!("$node_(0) set X_ 1\n{whole}")).is_ok(), "{whole}");
    }
}

/// A faulty file gives exactly this error.
fn fails(text: &str, expected: &str) {
    assert_eq!(ns2::parse(text).unwrap_err().to_string(), expected, "\n{text}");
}

/// A faulty line, `@` marking the column that the error must name, gives exactly this message.
fn fails_at(marked: &str, message: &str) {
    let column = marked.chars().position(|c| c == '@').unwrap() + 1;
    let line = marked.replacen('@', "", 1);
    let text = format!("# header\n{line}\n$node_(0) set X_ 0");
    fails(&text, &format!("line 2, column {column}: {message}"));
}

#[test]
fn a_truncated_line_is_told_what_is_missing() {
    fails_at(r#"$ns_ at 1.0 "$node_(0) setdest 1 2@""#, "expected the speed, found the end");
    fails_at(r#"$ns_ at 1.0 "$node_(0) setdest@""#, "expected the destination's X, found the end");
    fails_at(r#"$ns_ at 1.0 "@""#, "expected a command such as `$node_(0) setdest X Y SPEED`, found the end");
    fails_at("$ns_ at 1.0@", "expected the scheduled command in double quotes");
    fails_at("$ns_ at@", "expected a time in seconds, found the end");
    fails_at("$ns_ @after 1.0", "expected `at`, found `after`");
    fails_at("$node_(0) set X_@", "expected a coordinate in metres, found the end");
    fails_at("$node_(0)@", "expected `set` or `setdest`, found the end");
}

#[test]
fn unbalanced_quotes_and_leftovers_are_told() {
    let open = "unbalanced quotes: this quote is never closed; end the command with `\"`";
    fails_at(r#"$ns_ at 1.0 @"$node_(0) setdest 1 2 3"#, open);
    fails_at(r#"$ns_ at 1.0 @"$god_ set-dist"#, open);
    fails_at(r#"$ns_ at 1.0 @$node_(0) setdest 1 2 3""#, "expected the scheduled command in double quotes");
    let stray = "unbalanced quotes: a stray one after the";
    fails_at(
        r#"$ns_ at 1.0 "$node_(0) setdest 1 2 3"@""#,
        &format!("{stray} scheduled command; remove it, or start a new line"),
    );
    fails_at(r#"$node_(0) set X_ 1@""#, &format!("{stray} coordinate; remove it, or start a new line"));
    let more = "something more after the";
    fails_at(r#"$ns_ at 1 "$node_(0) setdest 1 2 3 @4""#, &format!("{more} speed; remove it, or start a new line"));
    fails_at("$node_(0) set X_ 1 @# no", &format!("{more} coordinate; remove it, or start a new line"));
    fails_at(r#"$ns_ at 1 "$god_ größe" @é"#, &format!("{more} scheduled command; remove it, or start a new line"));
}

#[test]
fn a_bad_number_is_told_with_what_it_was_to_be() {
    fails_at("$node_(0) set X_ @1,5", "X_ is `1,5`: expected a number such as 12.5");
    fails_at("$node_(0) set Z_ @high", "Z_ is `high`: expected a number such as 12.5");
    let height = "Z_ is 1.5: nodes move in a plane; set it to 0, or leave the line out";
    fails_at("$node_(0) set Z_ @1.5", height);
    fails_at("$ns_ at 6 \"$node_(0) set Z_ @1.5\"", height);
    fails_at("$node_(0) set X_ @nan", "X_ is `nan`: it must be a finite number");
    fails_at("$node_(0) set Y_ @-3", "Y_ is -3: it must not be negative");
    fails_at(r#"$ns_ at @-1 "$node_(0) setdest 1 2 3""#, "the time is -1: it must not be negative");
    fails_at(r#"$ns_ at @1e400 "$god_ x""#, "the time is `1e400`: it must be a finite number");
    fails_at(r#"$ns_ at @1e10 "$god_ x""#, "the time is 1e10: it must not be more than 1e9");
    let to = "the destination's";
    fails_at(r#"$ns_ at 1 "$node_(0) setdest @a 2 3""#, &format!("{to} X is `a`: expected a number such as 12.5"));
    fails_at(r#"$ns_ at 1 "$node_(0) setdest 1 @-2 3""#, &format!("{to} Y is -2: it must not be negative"));
    fails_at(r#"$ns_ at 1 "$node_(0) setdest 1 2 @-3""#, "the speed is -3: it must not be negative");
    fails_at(r#"$ns_ at 1 "$node_(0) setdest 1 2 @inf""#, "the speed is `inf`: it must be a finite number");
}

#[test]
fn an_unknown_command_is_told_the_known_ones() {
    fails_at("$node_(0) set @W_ 3", "unknown variable `W_`: expected `X_`, `Y_` or `Z_`");
    fails_at("$node_(0) @setdest 1 2 3", "`setdest` without a time: write `$ns_ at T \"$node_(I) setdest X Y SPEED\"`");
    fails_at(r#"$ns_ at 1 "$node_(0) @reset""#, "unknown command `reset` to a node: expected `set` or `setdest`");
    fails_at(
        "  @set opt(x) 1500",
        "unknown command `set`: expected `$node_(I) ...`, `$ns_ at T \"...\"`, `$god_ ...` or a comment",
    );
    fails_at("@$node_(-1) set X_ 3", "`-1` is not a node number: expected 0, 1, 2, ...");
    fails_at("@$node_(+1) set X_ 3", "`+1` is not a node number: expected 0, 1, 2, ...");
    fails_at("@$node_(veh7) set X_ 3", "`veh7` is not a node number: expected 0, 1, 2, ...");
    fails_at("@$node_(1 set X_ 3", "`$node_(1` is not a node: expected `$node_(I)`");
}

#[test]
fn faulty_files_are_told_where_to_look() {
    let nothing = "line 1, column 1: no node in this file: expected lines such as `$node_(0) set X_ 12.5`";
    fails("", nothing);
    fails("# only\n# comments\n", nothing);
    fails(
        "$node_(0) set X_ 1\n$node_(0) set Y_ 1\n\n $ns_ at 2 \"$node_(1) setdest 1 2 3\"\n",
        "line 4, column 13: node 1 has no initial position: add `$node_(1) set X_ ...` and `$node_(1) set Y_ ...`",
    );
    fails("\n$node_(0) set X_ 1\n", "line 2, column 1: node 0 has no initial Y_: add `$node_(0) set Y_ ...`");
    fails("\n$node_(0) set Y_ 1\n", "line 2, column 1: node 0 has no initial X_: add `$node_(0) set X_ ...`");
    fails(
        "$node_(0) set X_ 1\n$node_(0) set Y_ 1\n$node_(2) set X_ 1\n$node_(2) set Y_ 1\n",
        "line 3, column 1: node 2 without a node 1: node numbers must run from 0 without gaps",
    );
    fails(
        "$node_(4294967295) set X_ 1\n",
        "line 1, column 1: node 4294967295 without a node 0: node numbers must run from 0 without gaps",
    );
    fails(
        "$node_(0) set X_ 1\n$node_(0) set Y_ 1\n$node_(0) set X_ 1.0\n$node_(0) set Y_ 2\n",
        "line 4, column 18: Y_ of node 0 is 2 here, but 1 in line 2: keep one of them",
    );
    fails(
        "$ns_ at 5 \"$node_(0) set X_ 5\"\n$ns_ at 5 \"$node_(0) set Y_ 6\"\n",
        "line 1, column 12: node 0 has no initial position: add `$node_(0) set X_ ...` and `$node_(0) set Y_ ...`",
    );
}

proptest! {
    #[test]
    fn movement_is_continuous_and_never_faster_than_told(
        commands in prop::collection::vec((0u32..100_000, 0.0..1500.0f64, 0.0..300.0f64, 0.0..40.0f64), 0..20),
        times in prop::collection::vec(0u64..120_000_000_000, 2..60),
    ) {
        let mut commands = commands;
        commands.sort_by_key(|c| c.0);
        let text: String = commands.iter()
            .map(|(ms, x, y, v)| format!("$ns_ at {} \"$node_(0) setdest {x} {y} {v}\"\n", f64::from(*ms) / 1e3))
            .collect();
        let path = node(&text);
        let told = commands.iter().map(|c| c.3).fold(0.0, f64::max);
        let limit = path.max_speed_mps();
        prop_assert!(limit <= told * (1.0 + 1e-9));
        let near = times.iter().flat_map(|&t| [t, t + 1, t + 1_000_000]);
        let mut times: Vec<_> = near.chain(path.waypoints().iter().map(|w| w.at.as_nanos())).collect();
        times.sort_unstable();
        for pair in times.windows(2) {
            let (a, b) = (Time::from_nanos(pair[0]), Time::from_nanos(pair[1]));
            let gone = path.position(a).distance(path.position(b));
            prop_assert!(gone <= limit * b.since(a).as_secs_f64() + 1e-9, "{gone} m from {a} to {b}");
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        let _ = ns2::parse(&text);
    }

    #[test]
    fn no_soup_of_its_own_words_makes_it_panic(words in prop::collection::vec(prop::sample::select(vec![
        "$node_(0)", "$node_(1)", "$node_(", "set", "setdest", "X_", "Y_", "Z_", "$ns_", "at", "\"", "\n", " ", ";", "#",
        "0", "1", "12.5", "1e9", "1e-300", "-1", "nan", "$god_", "ü", "\r", "\t",
        "$node_(0) set X_ 5\n", "$node_(0) set Y_ 5\n", "$ns_ at 1 \"$node_(0) setdest 1 1e9 1e-9\"\n",
        "$ns_ at 1e9 \"$node_(0) setdest 1e9 0 1e9\"\n", "$ns_ at 0 \"$node_(0) set X_ 7\"\n",
    ]), 0..40), spaced in any::<bool>()) {
        let text = words.join(if spaced { " " } else { "" });
        if let Ok(nodes) = ns2::parse(&text) {
            prop_assert!(nodes.iter().all(|n| n.position(Time::NEVER).is_finite() && n.max_speed_mps().is_finite()));
        }
    }
}
