//! A small crate of its own: what is found in it, and what is written.

use super::*;
use crate::find::{Shape, find};

const SOURCE: &str = "\
const LIMIT: u32 = 3;

impl Counter {
    pub const fn twice(self) -> u32 {
        self.n * 2
    }

    fn count(&mut self, more: u32) -> bool {
        if self.n + more < LIMIT && !self.stopped {
            self.n += more;
            self.tell(more);
            return true;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    fn f() -> u32 {
        1 + 1
    }
}
";

fn all() -> Vec<String> {
    let found = find(SOURCE, 1).unwrap();
    found.sites.iter().flat_map(|site| &site.mutants).map(|m| format!("{} {}", m.function, m.mutated)).collect()
}

#[test]
fn every_kind_of_mistake_is_found_and_none_in_tests_and_constants() {
    let mut found = all();
    found.sort();
    let mut expected = vec![
        "Counter::twice pub const fn twice { return 0; }(self) -> u32 {",
        "Counter::twice pub const fn twice { return 1; }(self) -> u32 {",
        "Counter::twice self.n / 2",
        "Counter::twice self.n * 3",
        "Counter::count fn count { return true; }(&mut self, more: u32) -> bool {",
        "Counter::count fn count { return false; }(&mut self, more: u32) -> bool {",
        "Counter::count if !(self.n + more < LIMIT && !self.stopped) {",
        "Counter::count if self.n + more < LIMIT || !self.stopped {",
        "Counter::count if self.n + more <= LIMIT && !self.stopped {",
        "Counter::count if self.n + more >= LIMIT && !self.stopped {",
        "Counter::count if self.n - more < LIMIT && !self.stopped {",
        "Counter::count if self.n + more < (LIMIT + LIMIT) && !self.stopped {",
        "Counter::count if self.n + more < LIMIT && self.stopped {",
        "Counter::count self.n -= more;",
        "Counter::count {}", // the call
        "Counter::count {}", // the return
        "Counter::count return false;",
        "Counter::count true",
    ];
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn what_is_written_holds_each_mutant_once_and_the_original_whole() {
    let found = find(SOURCE, 1).unwrap();
    let written = write::write(SOURCE, &found, &BTreeSet::new(), &BTreeSet::new()).text;
    syn::parse_file(&written).unwrap();
    for id in 1..=all().len() {
        assert_eq!(written.matches(&format!("mutant::on({id})")).count(), 1, "{id}");
    }
    // Whoever takes the branches out again has the source, but for the `const` and brackets.
    let mut plain = written;
    while let Some(start) = plain.find(" if crate::mutant::on(") {
        let end = start + plain[start..].find(" }").unwrap() + 2;
        plain.replace_range(start..end, "");
    }
    let letters = |text: &str| text.replace(" else ", "").replace(['(', ')', '{', '}', ' ', '\n'], "");
    assert_eq!(letters(&plain), letters(&SOURCE.replace("pub const fn", "pub fn")));
}

#[test]
fn what_is_dropped_is_not_written_and_a_const_fn_that_is_kept_has_none() {
    let found = find(SOURCE, 1).unwrap();
    let ids: BTreeSet<u32> = (1..=all().len() as u32).collect();
    let kept = BTreeSet::from(["Counter::twice".to_owned()]);
    assert_eq!(write::write(SOURCE, &found, &ids, &kept).text, SOURCE);
    let in_twice = found.sites.iter().filter(|site| site.mutants[0].function.ends_with("twice"));
    let of_twice: usize = in_twice.map(|site| site.mutants.len()).sum();
    let written = write::write(SOURCE, &found, &BTreeSet::new(), &kept).text;
    assert!(written.contains("pub const fn twice(self) -> u32 {\n        self.n * 2\n"));
    assert_eq!(written.matches("mutant::on(").count(), ids.len() - of_twice);
}

#[test]
fn sites_nest_or_are_apart() {
    let source = include_str!("find.rs");
    let sites = find(source, 1).unwrap().sites;
    for (n, a) in sites.iter().enumerate() {
        for b in &sites[n + 1..] {
            let apart = a.range.end <= b.range.start || b.range.end <= a.range.start;
            assert!(apart || (a.range.start <= b.range.start && b.range.end <= a.range.end), "{a:?} {b:?}");
        }
        assert!(a.shape == Shape::Body || !a.range.is_empty());
    }
}

#[test]
fn a_draw_depends_on_the_seed_and_larger_ones_hold_smaller_ones() {
    let found = find(SOURCE, 1).unwrap();
    let mutants = || found.sites.iter().flat_map(|s| &s.mutants).map(|m| ("a.rs".to_owned(), m)).collect::<Vec<_>>();
    let ids = |sample, seed| draw(mutants(), sample, seed).iter().map(|(_, m)| m.id).collect::<BTreeSet<_>>();
    assert_eq!(ids(6, 1).len(), 6);
    assert!(ids(6, 1).is_subset(&ids(9, 1)));
    assert_ne!(ids(6, 1), ids(6, 2));
    assert_eq!(ids(usize::MAX, 1).len(), all().len());
}

#[test]
fn a_function_is_known_by_the_last_two_parts_of_its_path() {
    for (path, parts) in [
        ("Part::<dyn Acking>::new", &["Part", "new"][..]),
        ("engine::Time::<a::B>::of", &["Time", "of"]),
        ("twice", &["twice"]),
        ("Law::power::<f64>", &["Law", "power"]),
    ] {
        assert_eq!(crates::plain(path), parts);
    }
}

#[test]
fn entries_need_a_reason_and_are_found_by_text() {
    let folder = std::env::temp_dir().join(format!("hopwright-mutants-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("equivalent.toml");
    let entry = |why: &str| {
        format!(
            "[[mutant]]\nfile = 'a.rs'\nfunction = 'Counter::twice'\noriginal = 'self.n * 2'\nmutated = 'self.n * 3'\nwhy = '{why}'\n"
        )
    };
    fs::write(&path, entry("nobody reads it")).unwrap();
    let list = Equivalents::read(&path).unwrap();
    let found = find(SOURCE, 1).unwrap();
    let has = |file: &str| found.sites.iter().flat_map(|s| &s.mutants).filter(|m| list.has(file, m)).count();
    assert_eq!((has("a.rs"), has("b.rs")), (1, 0));
    assert_eq!((list.stale("a", &BTreeSet::new()).len(), list.stale("b", &BTreeSet::new()).len()), (1, 0));
    fs::write(&path, entry(" ")).unwrap();
    assert!(Equivalents::read(&path).is_err());
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_interval_is_wilsons() {
    // R: prop.test(81, 263, correct = FALSE).
    let (low, high) = wilson(81, 263);
    assert!((low - 0.2553).abs() < 1e-4 && (high - 0.3662).abs() < 1e-4, "{low} {high}");
    assert_eq!(wilson(0, 0), (0.0, 1.0));
}
