//! Tables of keys: drawn by their schema, and mended by what they are refused for.

use std::cmp::Reverse;

use serde_json::Value as Schema;
use toml::{Table, Value};

use super::{Dice, numbers, toml_of};

/// Texts of keys whose schema says no more than "text"; the files are in the folder that paths start at.
const TEXTS: &[(&str, &[&str])] = &[
    ("name", &["drawn", "a b", "Größe", "x.y", "", "/", "a\u{7f}b", "\u{0}"]),
    ("topology.file", &["moving.tcl", "two.movements", "cars.xml", "broken.tcl", "cut.xml", "nowhere"]),
    ("energy.compute", &["coefficients.toml", "cut-coefficients.toml", "nowhere"]),
];

/// In how many of a hundred cases a key is given that need not be. Numbers are rarer, but for those of routing: most
/// routers act seldom.
const CHOICES: usize = 40;
/// Keys that are always given: without them little happens.
const ALWAYS: &[&str] = &["flows", "flows.transport", "flows.transport.protocol", "routing", "routing.protocol"];

/// What takes the place of a key that is refused, where its table cannot be without it.
fn usual(key: &str) -> Option<Value> {
    Some(match key {
        "duration_s" => 1.0.into(),
        "topology" => {
            Value::Table(Table::from_iter([("kind".to_owned(), "chain".into()), ("hops".to_owned(), 3.into())]))
        }
        "flows.from" => 0.into(),
        "flows.to" | "events.node" => 1.into(),
        "flows.pairs" => "random".into(),
        "flows.bytes" => 10_000.into(),
        "flows.rate_kbps" => 100.0.into(),
        "flows.on_s" | "flows.off_s" | "events.at_s" | "errors.probability" => 0.1.into(),
        "events.speed_mps" => 10.0.into(),
        _ => return None,
    })
}

/// Draws a whole scenario.
pub(super) fn draw(dice: &mut Dice<'_>, schema: &Schema) -> Table {
    let often = *dice.one_of(&[3, 10, 30]);
    let mut draw = Draw { dice, often };
    draw.table("", schema, &Schema::Null)
}

struct Draw<'d, 'a> {
    dice: &'d mut Dice<'a>,
    /// In how many of a hundred cases a key is given that need not be.
    often: usize,
}

impl Draw<'_, '_> {
    /// A value of `key`, whose name leaves positions in lists out.
    fn value(&mut self, key: &str, schema: &Schema) -> Value {
        if let Some(only) = schema.get("const") {
            return toml_of(only);
        }
        if let Some(words) = schema["enum"].as_array() {
            let wrong = self.dice.happens(1);
            return if wrong { "neverheard".into() } else { toml_of(self.dice.one_of(words)) };
        }
        if is_node(schema) && !self.dice.happens(1) {
            return numbers::draw(self.dice, key, schema); // few nodes have names
        }
        if let Some(branches) = schema["oneOf"].as_array() {
            let branch = self.dice.one_of(branches);
            // The ends of a flow are a second choice.
            return match schema["allOf"][0]["oneOf"].as_array() {
                Some(ends) => {
                    let ends = self.dice.one_of(ends);
                    Value::Table(self.table(key, branch, ends))
                }
                None => self.value(key, branch),
            };
        }
        match schema["type"].as_str().unwrap_or_default() {
            "boolean" => Value::Boolean(self.dice.happens(50)),
            "integer" | "number" => numbers::draw(self.dice, key, schema),
            "string" => {
                let texts = TEXTS.iter().find(|(name, _)| *name == key).map_or(&["text"][..], |(_, texts)| texts);
                (*self.dice.one_of(texts)).into()
            }
            "array" => {
                let least = schema["minItems"].as_u64().unwrap_or(u64::from(ALWAYS.contains(&key))) as usize;
                let most = schema["maxItems"].as_u64().unwrap_or(3) as usize;
                let length = least + self.dice.below(most - least + 1);
                Value::Array((0..length).map(|_| self.value(key, &schema["items"])).collect())
            }
            "object" => Value::Table(self.table(key, schema, &Schema::Null)),
            other => unreachable!("{key} is of a type that is not drawn: '{other}'"),
        }
    }

    /// A table. `more`: what else the schema demands of its keys.
    fn table(&mut self, key: &str, schema: &Schema, more: &Schema) -> Table {
        let needs = |name: &str, schema: &Schema| {
            schema["required"].as_array().is_some_and(|required| required.iter().any(|needed| needed == name))
        };
        let mut table = Table::new();
        for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
            let below = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
            let is_number = inner["type"] == "integer" || inner["type"] == "number" || is_node(inner);
            let often = match is_number && !key.starts_with("routing.") {
                true => self.often,
                false => self.often.max(CHOICES),
            };
            let is_needed = needs(name, schema) || needs(name, more) || inner.get("const").is_some();
            let is_given = is_needed || ALWAYS.contains(&below.as_str()) || self.dice.happens(often);
            let is_foreign = more["properties"][name] == Schema::Bool(false) && !self.dice.happens(1);
            if is_given && !is_foreign {
                table.insert(name.clone(), self.value(&below, inner));
            }
        }
        table
    }
}

/// Whether a key takes the number of a node, or its name.
fn is_node(schema: &Schema) -> bool {
    schema["oneOf"][0]["type"] == "integer"
}

/// Takes away each of these keys, which were refused, or gives it its usual value; of one that is not there, takes away
/// what holds it. Says whether that changed anything.
pub(super) fn mend<'k>(table: &mut Table, keys: impl Iterator<Item = &'k str>) -> bool {
    let before = table.clone();
    let mut keys: Vec<Vec<&str>> = keys.map(|key| key.split('.').collect()).collect();
    // From the end of each list, so that positions stay right.
    let order = |steps: &Vec<&str>| steps.iter().map(|&step| (position(step), step.to_owned())).collect::<Vec<_>>();
    keys.sort_by_cached_key(|steps| Reverse(order(steps)));
    keys.dedup();
    for steps in keys {
        take(table, &steps, "");
    }
    for key in ["topology", "duration_s"] {
        table.entry(key).or_insert_with(|| usual(key).expect("both have one"));
    }
    *table != before
}

fn position(step: &str) -> Option<usize> {
    step.parse().ok()
}

/// Takes away the last of these steps that is there. `path`: the key of the table, without positions.
fn take(table: &mut Table, steps: &[&str], path: &str) {
    let Some((first, rest)) = steps.split_first() else { return };
    let key = if path.is_empty() { (*first).to_owned() } else { format!("{path}.{first}") };
    let has = |inner: &Table, rest: &[&str]| rest.first().is_some_and(|next| inner.contains_key(*next));
    match (table.get_mut(*first), rest.first().and_then(|step| position(step))) {
        (Some(Value::Table(inner)), _) if has(inner, rest) => take(inner, rest, &key),
        (Some(Value::Array(list)), Some(n)) if n < list.len() => match &mut list[n] {
            Value::Table(inner) if has(inner, &rest[1..]) => take(inner, &rest[1..], &key),
            _ => {
                list.remove(n);
            }
        },
        _ => {
            let old = table.remove(*first);
            if let Some(usual) =
                usual(&key).filter(|usual| old.is_some() && rest.is_empty() && old.as_ref() != Some(usual))
            {
                table.insert((*first).to_owned(), usual);
            }
        }
    }
}
