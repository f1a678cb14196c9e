//! The schema of results: what each number of a result is called, its unit, which way is better, when it is there.
//!
//! All of it stands beside the fields: doc comments say what they mean, [annotations](crate::annotations) the rest. What an
//! object says of its members counts where these say nothing. In the schema that comes out each number has all of it, but
//! for those that only name something (`x-names`).

mod finish;

use schemars::JsonSchema;
use serde_json::{Value, json};

use crate::annotations::derived;
use crate::report::Timed;

/// The JSON schema of a summary, draft 2020-12; `hops`: that of a per-hop report.
#[must_use]
pub fn results(hops: Value) -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Summary",
        "description": "Results of the network simulator Hopwright: what `hopwright run --json` prints.",
        "type": "object",
        "properties": {
            "scenario": { "description": "The name of the scenario.", "type": "string" },
            "version": { "description": "The version of the program.", "type": "string" },
            "seed": { "description": "The seed of the first run.", "type": "integer", "minimum": 0 },
            "runs": { "description": "The number of runs. Their seeds are counted up from `seed`.", "type": "integer", "minimum": 1 },
            "duration_s": { "description": "The length of each run, in simulated time.", "type": "number" },
            "names": { "description": "The name of each node, in the order of their numbers. Only with `topology.kind = \"sumo-fcd\"`; other summaries do not have this field.", "type": "array", "items": { "type": "string" } },
            "results": { "description": "The result of each run, in the order of the seeds.", "type": "array", "items": of::<Timed<'_>>() },
            "mean": { "description": "The mean of each number over the runs, in an object with the shape of a result. Words, and numbers that only name something (`seed`, `from`, `to`), are left out.", "type": "object", "x-shape-of": "results" },
            "ci95": { "description": "Half the width of the 95 % confidence interval of each mean (Student's t), in an object with the shape of a result; null if there is one run.", "type": ["object", "null"], "x-shape-of": "results" },
            "hops": hops,
            "emulation": { "description": "How an emulation, or its replay, went. Other runs do not have this field.", "type": "object" },
        },
        "required": ["scenario", "version", "seed", "runs", "duration_s", "results", "mean", "ci95"],
        "additionalProperties": false,
    })
}

/// The same of means over runs: counts need not be whole.
#[must_use]
pub fn of_means<T: JsonSchema>() -> Value {
    let mut made = of::<T>();
    finish::not_whole(&mut made);
    made
}

/// The schema of what `T` becomes as JSON.
#[must_use]
pub fn of<T: JsonSchema>() -> Value {
    let mut made = derived::<T>();
    finish::finish(&mut made, false, true);
    Value::Object(made)
}
