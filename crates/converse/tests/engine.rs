//! Every script of `scripts/` that the engine keeps to.

use hopwright_converse::{Engine, converse, library};
use hopwright_transport::{Params, protocol};

#[test]
fn the_engine_keeps_to_every_script() {
    let mut failures = vec![];
    let mut count = 0;
    for (name, script) in library().iter().filter(|(_, script)| script.subjects.engine) {
        count += 1;
        let recipe = protocol(script.protocol.as_deref().unwrap_or("newreno")).unwrap().recipe;
        let params = Params::default();
        let mut engine = Engine::new(recipe, params.clone(), &script.setup);
        if let Err(failure) = converse(script, &params, &mut engine) {
            failures.push(format!("{name}: {failure}"));
        }
    }
    assert!(failures.is_empty(), "{} of {count} fail:\n{}", failures.len(), failures.join("\n"));
}

/// A script says at its top which section it is about.
#[test]
fn every_script_cites_its_document() {
    for (name, script) in library() {
        let first = script.about.first().map_or("", String::as_str);
        assert!(first.contains("RFC ") && first.contains('§'), "{name} begins with '{first}'");
    }
}
