//! Attached programs in scenarios: what is refused, and that a run does not mind them.

use hopwright_sim::{Options, Watch, run};

use crate::common::{good, lines};

const CHAIN: &str = "duration_s = 5\ntopology = { kind = \"chain\", hops = 2 }\n[[flows]]\nfrom = 0\nto = 2\n";

fn refused(entries: &str) -> String {
    lines(&format!("{CHAIN}{entries}"), &[])
}

#[test]
fn what_cannot_be_is_refused_where_it_stands() {
    assert!(refused("[[attach]]\nnode = 3\n").contains("attach.0.node: there is no node 3"));
    let twice = "[[attach]]\nnode = 1\n[[attach]]\nnode = 1\nnamespace = \"other\"\n";
    assert!(refused(twice).contains("attach.1.node: entry 0 is already at node 1"));
    let same = "[[attach]]\nnode = 1\nnamespace = \"a\"\n[[attach]]\nnode = 2\nnamespace = \"a\"\n";
    assert!(refused(same).contains("attach.1.namespace: entry 0 already has the name 'a'"));
    assert!(refused("[[attach]]\nnode = 1\nnamespace = \"a b\"\n").contains("'a b' is not a valid name"));
    assert!(
        refused("[[attach]]\nnode = 1\ncommand = [\"\"]\n").contains("the first word must be the name of the program")
    );
    assert!(refused("[[attach]]\nnode = 1\nlayer = \"ipx\"\n").contains("attach.0.layer"));
    assert!(refused("[[attach]]\nnode = 1\ncomand = [\"a\"]\n").contains("did you mean 'command'?"));
    assert!(refused("[[attach]]\nnamespace = \"a\"\n").contains("node"));
}

#[test]
fn a_run_has_no_programs() {
    let fingerprint = |text: &str| {
        let setup = good(text, &[]).setup(1).unwrap();
        run(&setup, 1, &Options::default(), &Watch::default()).expect("nobody cancels").report.fingerprint
    };
    assert_eq!(fingerprint(CHAIN), fingerprint(&format!("{CHAIN}[[attach]]\nnode = 1\ncommand = [\"ping\"]\n")));
    let attach = &good(&format!("{CHAIN}[[attach]]\nnode = 1\n"), &[]).scenario.attach[0];
    assert_eq!((attach.name().as_str(), attach.command.len()), ("node-1", 0));
}
