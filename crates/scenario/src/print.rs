//! The scenario as a file, every default filled in.

use crate::model::{Scenario, Transport};

impl Scenario {
    /// The complete scenario file. Reading it gives the same scenario; printing that gives the same text.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let text = toml::to_string(self).expect("a scenario can be printed");
        let mut printed = String::with_capacity(text.len());
        let mut in_transport = false;
        let has_medium = !self.has_links();
        let mut is_shown = true;
        let mut transports = self.flows.iter().map(|flow| &flow.transport);
        for line in text.lines() {
            if line.starts_with('[') {
                in_transport = line == "[flows.transport]";
                let table = line.trim_matches(|c| c == '[' || c == ']').split('.').next().unwrap_or_default();
                is_shown = has_medium || !Self::OF_A_MEDIUM.contains(&table);
            }
            if !is_shown {
                continue;
            }
            printed.push_str(line);
            printed.push('\n');
            // The protocol's slots are a comment: written as keys, they would outlive a change of protocol.
            if in_transport
                && line.starts_with("protocol = ")
                && let Some(Transport::Tcp(tcp)) = transports.next()
            {
                let parts = tcp.recipe().parts();
                for parts in parts.chunks(4) {
                    let parts: Vec<_> = parts.iter().map(|(slot, part)| format!("{slot} {part}")).collect();
                    printed.push_str(&format!("# {}\n", parts.join(", ")));
                }
            }
        }
        printed
    }
}
