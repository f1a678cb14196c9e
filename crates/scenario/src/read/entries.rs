//! Lists of tables: `[[flows]]`, `[[events]]`, `[[errors]]`, `[[flows.transport.triggers]]`.

use toml::de::DeValue;

use super::document::{Document, Table, join};
use super::table::without_positions as plain;
use super::wording::describe;

/// Reads all entries under a key of the table at `path`, at most so many, each of which is called a `name`; an error in one does not hide those
/// in others.
pub(super) fn entries<T>(
    document: &mut Document,
    table: &Table<'_>,
    (path, key): (&str, &str),
    (name, most): (&str, usize),
    mut read: impl FnMut(&mut Document, &Table<'_>, &str) -> Option<T>,
) -> Option<Vec<T>> {
    let full = join(path, key);
    let entries = match table.get(key).map(|v| (v.span(), v.get_ref())) {
        None => return Some(Vec::new()),
        Some((_, DeValue::Array(list))) => list.clone(),
        Some((span, DeValue::Table(_))) => {
            let reason =
                format!("expected a list of tables; each {name} starts with [[{}]], in double brackets", plain(&full));
            document.refuse_at(span, &full, reason);
            return None;
        }
        Some((span, other)) => {
            let reason = format!("expected a list of tables, found {}", describe(other));
            document.refuse_at(span, &full, reason);
            return None;
        }
    };
    if entries.len() > most {
        document.refuse(&full, format!("{} entries are more than the {most} allowed", entries.len()));
        return None;
    }
    let mut all = Some(Vec::new());
    for (n, entry) in entries.iter().enumerate() {
        let path = format!("{full}.{n}");
        let one = match entry.get_ref() {
            DeValue::Table(table) => read(document, table, &path),
            other => {
                let reason = format!("expected a table, found {}", describe(other));
                document.refuse_at(entry.span(), &path, reason);
                None
            }
        };
        all = all.zip(one).map(|(mut all, one)| {
            all.push(one);
            all
        });
    }
    all
}
