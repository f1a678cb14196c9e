//! Scripts that are not so, against the engine.

use hopwright_converse::{Engine, WRONG, converse, parse};
use hopwright_transport::{Params, protocol};

#[test]
fn the_engine_does_not_keep_to_them() {
    for text in WRONG {
        let script = parse(text).unwrap();
        let params = Params::default();
        let mut engine = Engine::new(protocol("newreno").unwrap().recipe, params.clone(), &script.setup);
        assert!(converse(&script, &params, &mut engine).is_err(), "{text}");
    }
}
