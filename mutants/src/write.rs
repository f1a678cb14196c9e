//! Writes a source file in which every mutant is present and one can be switched on.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::find::{Found, Mutant, Shape, Site};

/// A part of the written file, and the mutants that it is there for.
#[derive(Debug)]
pub(crate) struct Region {
    pub(crate) range: Range<usize>,
    pub(crate) ids: Vec<u32>,
    /// Without it the code runs on where it left: names may be used again that were moved.
    pub(crate) leaves: bool,
}

/// A written file.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) text: String,
    pub(crate) regions: Vec<Region>,
}

/// The module that the crate gets: whether a mutant is on, and a list of those that were asked for.
pub(crate) fn switch(count: u32) -> String {
    format!(
        r#"
#[doc(hidden)]
pub(crate) mod mutant {{
    use std::io::Write;
    use std::sync::LazyLock;
    use std::sync::atomic::{{AtomicBool, Ordering}};

    static ON: LazyLock<u32> = LazyLock::new(|| std::env::var("MUTANT").ok().and_then(|n| n.parse().ok()).unwrap_or(0));
    static SEEN: [AtomicBool; {count}] = [const {{ AtomicBool::new(false) }}; {count}];

    #[inline]
    pub(crate) fn on(id: u32) -> bool {{
        let on = *ON;
        if on == u32::MAX {{
            see(id);
        }}
        on == id
    }}

    #[cold]
    fn see(id: u32) {{
        if !SEEN[id as usize].swap(true, Ordering::Relaxed) {{
            let path = std::env::var_os("MUTANTS_SEEN").expect("a file to write to");
            let mut file = std::fs::File::options().create(true).append(true).open(path).expect("a file to write to");
            file.write_all(format!("{{id}}\n").as_bytes()).expect("a file to write to");
        }}
    }}
}}
"#
    )
}

/// Writes a file, without the mutants in `dropped`. `const fn` named in `kept` stay so, and have no mutants.
pub(crate) fn write(source: &str, found: &Found, dropped: &BTreeSet<u32>, kept: &BTreeSet<String>) -> Written {
    let mut writer = Writer { source, dropped, out: Written { text: String::new(), regions: Vec::new() } };
    let is_const = |site: &Site| kept.contains(&site.mutants[0].function);
    let sites: Vec<&Site> = found.sites.iter().filter(|site| !is_const(site)).collect();
    // A `const` that goes is a site without mutants, in which nothing is written.
    let mut gone: Vec<Range<usize>> =
        found.const_fns.iter().filter(|(name, _)| !kept.contains(name)).map(|(_, range)| range.clone()).collect();
    gone.sort_by_key(|range| range.start);
    writer.part(0..source.len(), &mut sites.into_iter().peekable(), &mut gone.into_iter().peekable());
    writer.out
}

struct Writer<'s> {
    source: &'s str,
    dropped: &'s BTreeSet<u32>,
    out: Written,
}

type Peekable<I> = std::iter::Peekable<std::vec::IntoIter<I>>;

impl Writer<'_> {
    /// Writes a part of the source, sites in it with their mutants.
    fn part(&mut self, range: Range<usize>, sites: &mut Peekable<&Site>, gone: &mut Peekable<Range<usize>>) {
        let mut at = range.start;
        loop {
            let site = sites.peek().filter(|s| s.range.start < range.end).map_or(usize::MAX, |s| s.range.start);
            let hole = gone.peek().filter(|g| g.start < range.end).map_or(usize::MAX, |g| g.start);
            if site == usize::MAX && hole == usize::MAX {
                break;
            }
            self.out.text.push_str(&self.source[at..site.min(hole)]);
            if hole < site {
                at = gone.next().expect("peeked").end;
                continue;
            }
            let site = sites.next().expect("peeked");
            let mutants = site.mutants.iter().filter(|m| !self.dropped.contains(&m.id)).collect::<Vec<_>>();
            let start = self.out.text.len();
            let close = self.branches(site.shape, &mutants);
            self.part(site.range.clone(), sites, gone);
            self.out.text.push_str(close);
            if !mutants.is_empty() {
                let ids = mutants.iter().map(|m| m.id).collect();
                self.out.regions.push(Region { range: start..self.out.text.len(), ids, leaves: false });
            }
            at = site.range.end;
        }
        self.out.text.push_str(&self.source[at..range.end]);
    }

    /// Writes the branches of the mutants, up to where the original follows. What closes it.
    fn branches(&mut self, shape: Shape, mutants: &[&Mutant]) -> &'static str {
        let (open, else_open, close) = match shape {
            _ if mutants.is_empty() => return "",
            Shape::Expression => ("(", " else { ", " })"),
            Shape::Statement => ("", " else { ", " }"),
            Shape::Body => ("", "", ""),
        };
        self.out.text.push_str(open);
        for (n, mutant) in mutants.iter().enumerate() {
            if n > 0 && shape != Shape::Body {
                self.out.text.push_str(" else ");
            }
            self.out.text.push_str(&format!(" if crate::mutant::on({}) {{ ", mutant.id));
            let start = self.out.text.len();
            self.out.text.push_str(&mutant.text);
            let leaves = site_leaves(shape, mutant);
            self.out.regions.push(Region { range: start..self.out.text.len(), ids: vec![mutant.id], leaves });
            self.out.text.push_str(" }");
        }
        self.out.text.push_str(else_open);
        close
    }
}

fn site_leaves(shape: Shape, mutant: &Mutant) -> bool {
    let words = ["return", "break", "continue"];
    shape == Shape::Statement && words.iter().any(|word| mutant.original.contains(word))
}
