//! The schema says of every file what the reader says, as far as a schema can.

use std::path::Path;

use hopwright_scenario::schema;
use jsonschema::Validator;
use serde_json::{Map, Value};

use crate::cases::{COMBINATIONS, OUT_OF_RANGE, SLIPS, WRONG_TYPES};
use crate::common::{CHAIN, chain_with, good};
use crate::samples::SAMPLES;

/// What takes two keys, or arithmetic, to see. All other mistakes are the schema's to refuse.
const BEYOND: &[&str] = &[
    "warm-up beyond the end",
    "name with a slash",
    "too many nodes",
    "no positions",
    "not a number",
    "stop after the end",
    "start after the stop",
    "start after the end",
    "position nowhere",
];
/// Combinations that a schema does see.
const SEEN: &[&str] = &[
    "ends named and drawn",
    "one end missing",
    "datagrams over TCP",
    "bytes over UDP",
    "TCP's parameters for UDP",
    "rate without datagrams",
    "datagrams without a rate",
    "pauses without lengths",
    "capture at a node twice",
    "frames twice",
];

fn validator() -> Validator {
    let schema = schema();
    jsonschema::meta::validate(&schema).expect("the schema is one");
    jsonschema::validator_for(&schema).expect("the schema can be used")
}

/// A file as JSON; infinities have no place there and become strings.
fn json(text: &str) -> Option<Value> {
    fn convert(value: toml::Value) -> Value {
        match value {
            toml::Value::Table(t) => Value::Object(t.into_iter().map(|(k, v)| (k, convert(v))).collect()),
            toml::Value::Array(a) => a.into_iter().map(convert).collect(),
            toml::Value::Integer(n) => n.into(),
            toml::Value::Float(x) if x.is_finite() => x.into(),
            toml::Value::Boolean(b) => b.into(),
            toml::Value::String(s) => s.into(),
            other => other.to_string().into(),
        }
    }
    toml::from_str::<toml::Table>(text).ok().map(|table| convert(toml::Value::Table(table)))
}

fn shipped() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let files = std::fs::read_dir(folder).expect("there are scenarios").map(|f| f.expect("a file").path());
    files.filter(|f| f.extension().is_some_and(|e| e == "toml")).map(|f| std::fs::read_to_string(f).unwrap()).collect()
}

#[test]
fn what_is_right_is_valid() {
    let validator = validator();
    let shipped = shipped();
    for text in shipped.iter().map(String::as_str).chain(SAMPLES.iter().copied()).chain([CHAIN]) {
        let errors: Vec<String> =
            validator.iter_errors(&json(text).unwrap()).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{errors:#?}\n{text}");
    }
    for text in SAMPLES.iter().chain(&[CHAIN]) {
        let printed = good(text, &[]).scenario.to_toml();
        assert!(validator.is_valid(&json(&printed).unwrap()), "{printed}");
    }
}

#[test]
fn what_is_wrong_is_not() {
    let validator = validator();
    let is_valid = |from, to| json(&chain_with(from, to)).map(|file| validator.is_valid(&file));
    for (title, from, to) in SLIPS.iter().chain(WRONG_TYPES).chain(OUT_OF_RANGE) {
        // What is not TOML is nothing that a schema sees.
        let Some(valid) = is_valid(from, to) else { continue };
        assert!(!valid || BEYOND.contains(title), "the schema takes '{title}'");
    }
    for (title, from, to) in COMBINATIONS {
        assert_eq!(is_valid(from, to), Some(!SEEN.contains(title)), "{title}");
    }
}

#[test]
fn every_key_is_there_with_its_default() {
    let schema = schema();
    let mut seen = 0;
    for text in SAMPLES.iter().chain(&[CHAIN]) {
        for profile in ["standard", "ns2"] {
            let Ok(loaded) = crate::common::read(text, &[&format!("profile={profile}")]) else {
                // Only where AODV's keys of one profile are set.
                assert!(text.contains("[routing.aodv]"));
                continue;
            };
            let given = json(text).unwrap();
            let printed = json(&loaded.scenario.to_toml()).unwrap();
            let routing = &printed["routing"];
            let protocol = routing["protocol"].as_str().unwrap_or("static");
            seen += compare(&schema, &printed, Some(&given), "", &|path, key| {
                let table = path.strip_prefix(".routing.").and_then(|rest| rest.split_once('.')).map(|(name, _)| name);
                let holds = table.and_then(|name| routing[name]["profile"].as_str()).unwrap_or(profile);
                match (holds, key.get("x-default-ns2-routing").and_then(|others| others.get(protocol))) {
                    ("ns2", Some(other)) => Some(other),
                    ("ns2", None) => key.get("x-default-ns2").or(key.get("default")),
                    _ => key.get("default"),
                }
            });
        }
    }
    assert!(seen > 800, "only {seen} defaults were compared");
}

/// The default of a key, by its path and schema.
type DefaultOf<'a> = dyn for<'s> Fn(&str, &'s Map<String, Value>) -> Option<&'s Value> + 'a;

/// Compares everything printed below `path` with the schema of it; says how many defaults were compared.
fn compare(schema: &Value, printed: &Value, given: Option<&Value>, path: &str, default: &DefaultOf<'_>) -> usize {
    let schema = branch(schema, printed);
    match printed {
        Value::Object(table) => table
            .iter()
            .map(|(key, value)| {
                let path = format!("{path}.{key}");
                let inner = schema["properties"].get(key).unwrap_or_else(|| panic!("{path} is not in the schema"));
                assert!(inner["description"].is_string(), "{path} has no description");
                compare(inner, value, given.and_then(|g| g.get(key)), &path, default)
            })
            .sum(),
        Value::Array(list) if schema["items"]["oneOf"].is_array() => list
            .iter()
            .enumerate()
            .map(|(n, value)| compare(&schema["items"], value, given.and_then(|g| g.get(n)), path, default))
            .sum(),
        // Chosen by the file, or following from what the file chose.
        _ if given.is_some() || FOLLOWS.contains(&path) => 0,
        _ => {
            let expected = default(path, schema.as_object().unwrap());
            assert!(
                expected.is_some_and(|e| same(e, printed)),
                "{path}: prints {printed}, the schema has {expected:?}"
            );
            1
        }
    }
}

/// Keys whose default is no constant, and those that the samples give only on the command line.
const FOLLOWS: &[&str] =
    &[".name", ".profile", ".radio.carrier_sense_range_m", ".radio.energy.overhear_w", ".radio.energy.sense_w"];

/// The branch of a choice that a table takes.
fn branch<'a>(schema: &'a Value, table: &Value) -> &'a Value {
    let Some(branches) = schema["oneOf"].as_array() else { return schema };
    let fits = |b: &&Value| {
        let Some(properties) = b["properties"].as_object() else { return false };
        properties.iter().all(|(key, p)| p.get("const").is_none_or(|word| *word == table[key]))
    };
    branches.iter().find(fits).unwrap_or(schema)
}

fn same(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}

#[test]
fn it_lists_the_transports_own_tables() {
    let schema = schema();
    let tcp = &schema["properties"]["flows"]["items"]["oneOf"][0]["properties"]["transport"]["properties"];
    let of = |name: &str| tcp.get(name).unwrap_or_else(|| panic!("{name} is missing"));
    for protocol in hopwright_transport::PROTOCOLS {
        assert!(of("protocol")["enum"].as_array().unwrap().contains(&protocol.id.into()));
    }
    for slot in hopwright_transport::slots() {
        let parts: Vec<Value> = slot.parts.iter().map(|p| p.id.into()).collect();
        assert_eq!(of(slot.name)["enum"], Value::Array(parts));
    }
    for name in hopwright_scenario::model::Tcp::parameter_names() {
        let has_type = of(name)["type"].is_string() || of(name)["oneOf"].is_array();
        assert!(of(name)["x-used-by"].is_string() && has_type, "{name}");
    }
    let [switch, word] = [0, 1].map(|n| &of("ecn")["oneOf"][n]);
    assert_eq!((&switch["type"], &word["enum"]), (&"boolean".into(), &serde_json::json!(["accept"])));
    assert_eq!(of("dupack_threshold")["type"], "integer");
    assert_eq!((&of("max_rto_s")["type"], &of("max_rto_s")["minimum"]), (&"number".into(), &0.001.into()));
}
