//! Keys that take the number of a node take the name of a vehicle as well.

use serde_json::json;

use super::{Object, visit};
use crate::read::NAMING;

/// Lets these keys be texts.
pub(super) fn allow(root: &mut Object) {
    visit(root, "", &mut |key, schema| {
        let takes_names = NAMING.iter().any(|(list, last)| key.strip_prefix(list) == Some(&format!(".{last}")));
        // A branch of the choice has no meaning of its own: it is none of the file's keys.
        let Some(meaning) = schema.get_mut("description").filter(|_| takes_names) else { return };
        let said = meaning.as_str().unwrap_or_default();
        *meaning = format!("{said} With topology.kind = \"sumo-fcd\" also the name of a vehicle.").into();
        schema.remove("type");
        schema.insert("oneOf".to_owned(), json!([{ "type": "integer" }, { "type": "string" }]));
    });
}
