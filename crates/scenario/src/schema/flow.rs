//! An entry of `[[flows]]`: one shape for each application, and two ways to name the ends.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use super::{Object, keys, of, transport};
use crate::model::{App, Copies, Flow, FlowTimes, RandomEnds, TwoEnds};
use crate::read::fields;

/// By hand: flattened as serde would have it, unknown keys could not be refused.
impl JsonSchema for Flow {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Flow".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        let mut choice = of::<App>();
        let Some(Value::Array(apps)) = choice.get_mut("oneOf") else { unreachable!("an application is chosen") };
        for app in apps.iter_mut().filter_map(Value::as_object_mut) {
            complete(app);
        }
        let whole = json!({ "type": "object", "oneOf": apps, "allOf": [ends()] });
        Schema::try_from(whole).expect("an object is a schema")
    }
}

/// Adds to the keys of an application those of every flow.
fn complete(app: &mut Object) {
    let own = app.remove("properties").unwrap_or_default();
    let kind = own["app"]["const"].as_str().unwrap_or_default().to_owned();
    let mut properties = Object::new();
    properties.extend(keys(of::<TwoEnds>()));
    properties.extend(keys(of::<RandomEnds>()));
    properties.extend(keys(of::<Copies>()));
    properties.extend(own.as_object().cloned().into_iter().flatten());
    let app_key = properties["app"].as_object_mut().expect("the tag is a word");
    if kind == App::DEFAULT {
        app_key.insert("default".to_owned(), kind.as_str().into());
    }
    properties.extend(keys(of::<FlowTimes>()));
    let carrier = if App::sends_datagrams_as(&kind) { transport::udp() } else { transport::tcp() };
    properties.insert("transport".to_owned(), carrier);
    app.insert("properties".to_owned(), Value::Object(properties));
    app.insert("additionalProperties".to_owned(), false.into());
}

/// The ends are either named or drawn.
fn ends() -> Value {
    let none_of = |keys: &[&str]| keys.iter().map(|key| ((*key).to_owned(), Value::Bool(false))).collect::<Object>();
    let (named, drawn) = (fields::<TwoEnds>(), fields::<RandomEnds>());
    json!({ "oneOf": [
        { "required": super::required::<TwoEnds>(), "properties": none_of(drawn) },
        { "required": super::required::<RandomEnds>(), "properties": none_of(named) },
    ] })
}
