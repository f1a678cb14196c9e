//! A scenario as the files of one folder, which can be moved and run again.

use crate::Loaded;
use crate::model::Link;

impl Loaded {
    /// The text of the scenario, every default written out, with the files that it names as they are called in the
    /// folder `beside`, and these: names and texts. `beside` is empty, or ends with a slash.
    #[must_use]
    pub fn in_one_folder(&self, beside: &str) -> (String, Vec<(String, String)>) {
        let mut scenario = self.scenario.clone();
        let mut files = Vec::new();
        let mut carry = |path: &mut String, name: &str, text: &str| {
            let is_plain = |end: &&str| !end.is_empty() && end.chars().all(|c| c.is_ascii_alphanumeric());
            let unpacked = path.strip_suffix(".gz").unwrap_or(path); // as its text is here
            let extension = unpacked.rsplit_once('.').map(|(_, end)| end).filter(is_plain).unwrap_or("txt");
            let name = format!("scenario-{name}.{extension}");
            *path = format!("{beside}{name}");
            files.push((name, text.to_owned()));
        };
        if let (Some(path), Some(text)) = (scenario.topology.file_mut(), self.movement()) {
            carry(path, "movement", text);
        }
        if let (Some(path), Some(text)) = (&mut scenario.energy.compute, self.coefficients()) {
            carry(path, "coefficients", text);
        }
        for (number, (path, text)) in self.record_texts().enumerate() {
            let mut name = path.to_owned();
            carry(&mut name, &format!("link-{number}"), text);
            for shape in scenario.links.iter_mut().flat_map(Link::shapes_mut) {
                for named in [&mut shape.trace, &mut shape.loss_trace] {
                    if named.as_deref() == Some(path) {
                        *named = Some(name.clone());
                    }
                }
            }
        }
        (scenario.to_toml(), files)
    }
}
