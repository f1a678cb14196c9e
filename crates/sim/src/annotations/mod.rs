//! What stands beside a field of results for its schema: attributes, each an annotation.
//!
//! - `title`: what a person calls a number. Of an object, its Python class
//! - `x-unit`: its unit, where its name does not end in it
//! - `x-better`: `higher` or `lower`
//! - `x-over-flows`: whether several flows' values make one by their `sum` or their `mean`, where that is not usual
//! - `x-shown`: in which multiple of its unit, and with how many digits, it is shown, where that is not usual
//! - `x-when`: when it is there, if it is not always: one of these
//! - `x-each`: of an object, what its members are parts of: a title before theirs
//! - `x-tally`: of an object, that what did not occur is absent
//! - `x-null`: that it may be null where it is not left out, though what it stands in may be absent as a whole
//! - `x-over-udp`: what stands for it over UDP

pub mod when;

use hopwright_machine::{DropCause, LossCause};
use hopwright_transport::{Cause, Function};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

pub(crate) type Object = Map<String, Value>;

/// The schema of what `T` becomes as JSON, as its fields say it.
pub(crate) fn derived<T: JsonSchema>() -> Object {
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut made = SchemaGenerator::new(settings).into_root_schema_for::<T>();
    std::mem::take(made.ensure_object())
}

/// How a number is shown: in a unit of which its own has so many, with so many digits after the point.
#[must_use]
pub fn shown(unit: &str, scale: f64, decimals: u32) -> Value {
    json!({ "unit": unit, "scale": scale, "decimals": decimals })
}

/// Counts, or other numbers, each under its name: with what it is called and means.
#[must_use]
pub fn named<'a>(members: impl Iterator<Item = (String, &'a str, String)>, of: &Value) -> Schema {
    let described = members.map(|(name, meaning, title)| {
        let mut member = of.clone();
        member["title"] = title.into();
        if !meaning.is_empty() {
            member["description"] = meaning.into();
        }
        (name, member)
    });
    let properties: Object = described.collect();
    Schema::try_from(json!({ "type": "object", "properties": properties })).expect("an object")
}

/// What counts in a tally.
#[must_use]
pub fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

pub(crate) fn drops(_: &mut SchemaGenerator) -> Schema {
    named(
        DropCause::ALL.iter().map(|cause| (cause.name().to_owned(), cause.meaning(), cause.label().to_owned())),
        &count(),
    )
}

pub(crate) fn losses() -> Schema {
    let causes = LossCause::ALL.iter();
    named(causes.map(|cause| (cause.name().to_owned(), cause.meaning(), cause.label().to_owned())), &count())
}

pub(crate) fn diagnoses(_: &mut SchemaGenerator) -> Schema {
    let truths = crate::truth::names();
    let all = truths.flat_map(|(name, title)| {
        let believed = Cause::ALL.map(|cause| cause.name());
        believed.map(|belief| (format!("{name}_as_{belief}"), "", format!("{title}, taken for {belief}")))
    });
    named(all, &count())
}

fn of_functions(member: &Value) -> Schema {
    let all = Function::ALL.iter();
    named(all.map(|function| (function.name().to_owned(), "", function.name().replace('_', " "))), member)
}

pub(crate) fn work_events(_: &mut SchemaGenerator) -> Schema {
    of_functions(&count())
}

pub(crate) fn work_j(_: &mut SchemaGenerator) -> Schema {
    of_functions(&json!({ "type": "number" }))
}
