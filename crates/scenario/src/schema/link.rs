//! An entry of `[[links]]`: what it is like, on the way back, and later.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use super::{Object, keys, of};
use crate::model::{Link, LinkEnds, LinkMoment, LinkShape, Preset, ProfilePipe, ProfileRules};

/// By hand: flattened as serde would have it, unknown keys could not be refused.
impl JsonSchema for Link {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Link".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        let mut properties = keys(of::<LinkEnds>());
        properties.extend(shape());
        properties.insert("profile".to_owned(), profile());
        properties.insert("reverse".to_owned(), reverse());
        properties.insert("changes".to_owned(), changes());
        let whole = table(properties, &super::required::<LinkEnds>(), "A link between two nodes.");
        Schema::try_from(whole).expect("an object is a schema")
    }
}

fn table(properties: Object, required: &[String], about: &str) -> Value {
    json!({
        "description": about, "type": "object", "properties": properties, "required": required,
        "additionalProperties": false,
    })
}

/// What a link is like, or the name of it.
fn shape() -> Object {
    let mut properties = Object::new();
    let mut preset = of::<Preset>();
    let about = "A network of Velayutham 2005, table 1. It sets the other keys if they are not given.";
    preset.insert("description".to_owned(), about.into());
    properties.insert("preset".to_owned(), Value::Object(preset));
    properties.extend(keys(of::<LinkShape>()));
    properties
}

fn reverse() -> Value {
    table(shape(), &[], "Properties of the direction from `to` to `from`, if they differ from the other direction.")
}

fn changes() -> Value {
    let mut properties = keys(of::<LinkMoment>());
    properties.extend(shape());
    properties.insert("profile".to_owned(), profile());
    properties.insert("reverse".to_owned(), reverse());
    let about = "Changes of the link, in the order of time. Properties that an entry does not name stay as they were.";
    let entry = table(properties, &super::required::<LinkMoment>(), "One change of a link.");
    json!({ "description": about, "type": "array", "items": entry })
}

/// What a link follows: a file, or a table.
fn profile() -> Value {
    let about =
        "A file with properties of the link, read as if its keys stood here. Or the profile itself, as a table.";
    let mut properties = keys(of::<ProfileRules>());
    let pipe = table(keys(of::<ProfilePipe>()), &super::required::<ProfilePipe>(), "One pipe of a profile.");
    let pipes = json!({ "description": "The pipes, in order. A pipe is a part of the recorded connection.", "type": "array", "items": pipe });
    properties.insert("pipes".to_owned(), pipes);
    let own = "A connection that was recorded somewhere else, as pipes that the link follows. Delay and losses of the link are those of the pipes.";
    let own = table(properties, &["pipes".to_owned()], own);
    json!({ "description": about, "oneOf": [{ "description": "The file's path.", "type": "string" }, own] })
}
