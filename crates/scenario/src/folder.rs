//! A scenario as the files of one folder, which can be moved and run again.

use toml::Value;

use crate::Loaded;
use crate::model::Link;

/// A file that a scenario names.
struct Carried<'a> {
    /// As the scenario names it.
    path: &'a str,
    text: &'a str,
    /// What it is called in the folder.
    name: String,
}

impl<'a> Carried<'a> {
    fn of(path: &'a str, about: &str, text: &'a str) -> Self {
        let is_plain = |end: &&str| !end.is_empty() && end.chars().all(|c| c.is_ascii_alphanumeric());
        let unpacked = path.strip_suffix(".gz").unwrap_or(path); // as its text is here
        let extension = unpacked.rsplit_once('.').map(|(_, end)| end).filter(is_plain).unwrap_or("txt");
        Self { path, text, name: format!("scenario-{about}.{extension}") }
    }
}

impl Loaded {
    /// The text of the scenario, every default written out, with the files that it names as they are called in the
    /// folder `beside`, and these: names and texts. `beside` is empty, or ends with a slash.
    #[must_use]
    pub fn in_one_folder(&self, beside: &str) -> (String, Vec<(String, String)>) {
        let mut scenario = self.scenario.clone();
        let (movement, coefficients, records) = self.carried();
        if let (Some(path), Some(file)) = (scenario.topology.file_mut(), &movement) {
            *path = format!("{beside}{}", file.name);
        }
        if let (Some(path), Some(file)) = (&mut scenario.energy.compute, &coefficients) {
            *path = format!("{beside}{}", file.name);
        }
        for file in &records {
            for shape in scenario.links.iter_mut().flat_map(Link::shapes_mut) {
                for named in [&mut shape.trace, &mut shape.loss_trace] {
                    if named.as_deref() == Some(file.path) {
                        *named = Some(format!("{beside}{}", file.name));
                    }
                }
            }
        }
        (scenario.to_toml(), texts(movement, coefficients, records))
    }

    /// As `in_one_folder`, but without defaults: only what the file, files with triggers and links, and overrides say.
    /// Defaults may depend on other keys: only in this text has a key that is set the effect that it has in the file.
    #[must_use]
    pub fn as_given(&self) -> (String, Vec<(String, String)>) {
        let mut given = self.given.clone();
        let (movement, coefficients, records) = self.carried();
        for (table, key, file) in [("topology", "file", &movement), ("energy", "compute", &coefficients)] {
            if let (Some(Value::Table(table)), Some(file)) = (given.get_mut(table), file) {
                table.insert(key.to_owned(), file.name.clone().into());
            }
        }
        if let Some(links) = given.get_mut("links") {
            rename(links, &records);
        }
        // The name of the file, where the scenario has none of its own.
        given.entry("name").or_insert_with(|| self.scenario.run.name.clone().into());
        (toml::to_string(&given).expect("what was TOML can be printed"), texts(movement, coefficients, records))
    }

    /// The movement file, the coefficient file, the records of links.
    fn carried(&self) -> (Option<Carried<'_>>, Option<Carried<'_>>, Vec<Carried<'_>>) {
        let movement = self.scenario.topology.file().zip(self.movement());
        let coefficients = self.scenario.energy.compute.as_deref().zip(self.coefficients());
        let records = self.record_texts().enumerate();
        (
            movement.map(|(path, text)| Carried::of(path, "movement", text)),
            coefficients.map(|(path, text)| Carried::of(path, "coefficients", text)),
            records.map(|(n, (path, text))| Carried::of(path, &format!("link-{n}"), text)).collect(),
        )
    }
}

/// Names and texts of all files.
fn texts(
    movement: Option<Carried<'_>>,
    coefficients: Option<Carried<'_>>,
    records: Vec<Carried<'_>>,
) -> Vec<(String, String)> {
    let files = movement.into_iter().chain(coefficients).chain(records);
    files.map(|file| (file.name, file.text.to_owned())).collect()
}

/// Gives the records of links their names in the folder, wherever they stand in `value`.
fn rename(value: &mut Value, records: &[Carried<'_>]) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(|entry| rename(entry, records)),
        Value::Table(table) => {
            for (key, inner) in table.iter_mut() {
                let file = match inner {
                    Value::String(path) if key == "trace" || key == "loss_trace" => {
                        records.iter().find(|file| file.path == path)
                    }
                    _ => None,
                };
                match file {
                    Some(file) => *inner = file.name.clone().into(),
                    None => rename(inner, records),
                }
            }
        }
        _ => {}
    }
}
