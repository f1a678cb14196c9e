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
    let one = "attach.1.node: entry 0 is already at node 1: a node has one namespace and one program; a shell can start \
               several: command = ['sh', '-c', 'FIRST & SECOND']\n";
    assert!(refused(twice).contains(one));
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

/// Each name is that of a host, too, and those are the same in capitals.
#[test]
fn a_namespace_has_no_name_that_means_another_host() {
    let named = |name: &str| refused(&format!("[[attach]]\nnode = 1\nnamespace = \"{name}\"\n"));
    assert!(named("Localhost").contains("attach.0.namespace: 'Localhost' is the name of every namespace for itself"));
    assert!(named("node-2").contains("attach.0.namespace: 'node-2' is the name of node 2"));
    assert!(named("Node-0").contains("attach.0.namespace: 'Node-0' is the name of node 0"));
    for free in ["node-1", "NODE-1", "node-3", "node-02", "node-", "locals"] {
        assert_eq!(named(free), "accepted\n", "{free}");
    }
    let capital = "[[attach]]\nnode = 1\nnamespace = \"a\"\n[[attach]]\nnode = 2\nnamespace = \"A\"\n";
    assert!(refused(capital).contains("attach.1.namespace: entry 0 already has the name 'A'"));
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
