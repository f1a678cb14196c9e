//! The copy of the workspace in which one crate has all its mutants, and its compilation.
//!
//! What does not compile is dropped, by where the compiler's errors are: the mutant that an error is in, else all of the
//! smallest site around it. A `const fn` loses its `const`, unless a constant needs it; then it has no mutants.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::Fault;
use crate::equivalent::{Key, key};
use crate::find::{Found, Mutant, find};
use crate::write::{Region, switch, write};

/// One source file of the crate.
#[derive(Debug)]
pub(crate) struct Source {
    /// In the workspace.
    pub(crate) path: PathBuf,
    text: String,
    pub(crate) found: Found,
}

/// A crate with its mutants.
#[derive(Debug)]
pub(crate) struct Mutated {
    package: String,
    pub(crate) sources: Vec<Source>,
    pub(crate) dropped: BTreeSet<u32>,
    kept: BTreeSet<String>,
    regions: Vec<(PathBuf, Vec<Region>)>,
    /// Where what was dropped is kept for the next time, as keys.
    memory: PathBuf,
    copy: PathBuf,
    build: PathBuf,
}

/// A test program.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) package: String,
    pub(crate) name: String,
    pub(crate) executable: PathBuf,
    pub(crate) folder: PathBuf,
}

/// The package of a folder of `crates`.
pub(crate) fn package(krate: &str) -> String {
    format!("hopwright-{krate}")
}

impl Mutated {
    /// Copies the workspace to `scratch`, and finds the mutants of a crate.
    pub(crate) fn new(root: &Path, scratch: &Path, krate: &str) -> Result<Self, Fault> {
        let copy = scratch.join("copy");
        copy_workspace(root, &copy)?;
        let mut sources = Vec::new();
        let lib = PathBuf::from(format!("crates/{krate}/src/lib.rs"));
        read(root, &lib, &mut sources)?;
        let build = scratch.join("build");
        let memory = scratch.join(format!("{krate}-dropped.json"));
        let keys: BTreeSet<Key> = match fs::read(&memory) {
            Ok(text) => serde_json::from_slice(&text)?,
            Err(_) => BTreeSet::new(),
        };
        let dropped = all(&sources).filter(|(file, mutant)| keys.contains(&key(file, mutant)));
        Ok(Self {
            package: package(krate),
            dropped: dropped.map(|(_, mutant)| mutant.id).collect(),
            sources,
            memory,
            kept: BTreeSet::new(),
            regions: Vec::new(),
            copy,
            build,
        })
    }

    /// All mutants that were found, each with its file.
    fn mutants(&self) -> impl Iterator<Item = (String, &Mutant)> {
        all(&self.sources)
    }

    /// Those that were compiled.
    pub(crate) fn compiled(&self) -> impl Iterator<Item = (String, &Mutant)> {
        let has = |m: &Mutant| !self.dropped.contains(&m.id) && !self.kept.contains(&m.function);
        self.mutants().filter(move |(_, mutant)| has(mutant))
    }

    fn write(&mut self) -> Result<(), Fault> {
        self.regions.clear();
        for (n, source) in self.sources.iter().enumerate() {
            let mut written = write(&source.text, &source.found, &self.dropped, &self.kept);
            if n == 0 {
                written.text.push_str(&switch(last(&self.sources) + 1));
            }
            store(&self.copy.join(&source.path), written.text.as_bytes())?;
            self.regions.push((source.path.clone(), written.regions));
        }
        Ok(())
    }

    /// Compiles the crate, then the tests of these crates, the crate's own first; drops what does not compile.
    pub(crate) fn compile(&mut self, crates: &[&str]) -> Result<Vec<Program>, Fault> {
        self.until_it_compiles(&["check", "--package", &self.package.clone(), "--lib"])?;
        let mut arguments = vec!["test", "--no-run", "--lib", "--tests"];
        let packages: Vec<String> = crates.iter().map(|krate| package(krate)).collect();
        for package in &packages {
            arguments.extend(["--package", package]);
        }
        let messages = self.until_it_compiles(&arguments)?;
        let mut programs: Vec<Program> = messages.iter().filter_map(program).collect();
        programs.sort_by_key(|p| (packages.iter().position(|package| *package == p.package), p.name.clone()));
        Ok(programs)
    }

    fn until_it_compiles(&mut self, arguments: &[&str]) -> Result<Vec<Value>, Fault> {
        loop {
            self.write()?;
            let output = Command::new("cargo")
                .args(arguments)
                .args(["--locked", "--quiet", "--jobs", "1", "--message-format", "json"])
                .current_dir(&self.copy)
                .env("CARGO_TARGET_DIR", &self.build)
                .env("RUSTFLAGS", "--cap-lints allow")
                .output()?;
            let text = String::from_utf8_lossy(&output.stdout);
            let messages: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
            if output.status.success() {
                let dropped = self.mutants().filter(|(_, mutant)| self.dropped.contains(&mutant.id));
                let keys: BTreeSet<Key> = dropped.map(|(file, mutant)| key(&file, mutant)).collect();
                fs::write(&self.memory, serde_json::to_vec(&keys)?)?;
                return Ok(messages);
            }
            let errors: Vec<&Value> =
                messages.iter().map(|m| &m["message"]).filter(|m| m["level"] == "error").collect();
            let before = (self.dropped.len(), self.kept.len());
            for error in &errors {
                self.drop_cause(error);
            }
            eprintln!("{} errors: {} mutants dropped so far", errors.len(), self.dropped.len());
            if before == (self.dropped.len(), self.kept.len()) {
                let rendered: Vec<&str> = errors.iter().filter_map(|e| e["rendered"].as_str()).collect();
                return Err(format!(
                    "the copy does not compile, and no mutant is where the errors are:\n{}\n{}",
                    rendered.join("\n"),
                    String::from_utf8_lossy(&output.stderr)
                )
                .into());
            }
        }
    }

    fn drop_cause(&mut self, error: &Value) {
        // cannot call non-const associated function `Powers::of` in constants
        let message = error["message"].as_str().unwrap_or_default();
        if error["code"]["code"] == "E0015"
            && let Some(called) = message.split('`').nth(1)
        {
            let called = plain(called);
            let fns = self.sources.iter().flat_map(|source| &source.found.const_fns).map(|(path, _)| path);
            let is_called = |path: &&String| path.split("::").collect::<Vec<_>>().ends_with(&called);
            let kept: Vec<String> = fns.filter(is_called).cloned().collect();
            self.kept.extend(kept);
            return;
        }
        let mut spans: Vec<&Value> = error["spans"].as_array().into_iter().flatten().collect();
        spans.sort_by_key(|span| span["is_primary"] != true);
        let is_of_borrowing =
            ["E0382", "E0499", "E0502", "E0503", "E0505", "E0506"].iter().any(|code| error["code"]["code"] == *code);
        if is_of_borrowing && self.drop_leaves_between(&spans) {
            return;
        }
        for span in spans {
            let (Some(file), Some(start), Some(end)) =
                (span["file_name"].as_str(), span["byte_start"].as_u64(), span["byte_end"].as_u64())
            else {
                continue;
            };
            let (start, end) = (start as usize, end as usize);
            let Some((_, regions)) = self.regions.iter().find(|(path, _)| path == Path::new(file)) else { continue };
            let around = regions.iter().filter(|r| r.range.start <= start && end <= r.range.end);
            let within = regions.iter().filter(|r| start <= r.range.start && r.range.end <= end);
            let ids: Vec<u32> = match around.min_by_key(|r| r.range.len()) {
                Some(region) => region.ids.clone(),
                None => within.flat_map(|region| region.ids.clone()).collect(),
            };
            if !ids.is_empty() {
                self.dropped.extend(ids);
                return;
            }
        }
    }

    /// Of a value that is used after it was moved, or while it is borrowed: drops what takes away the leaving between.
    fn drop_leaves_between(&mut self, spans: &[&Value]) -> bool {
        let places = || spans.iter().filter_map(|span| span["byte_start"].as_u64()).map(|place| place as usize);
        let (Some(first), Some(last)) = (places().min(), places().max()) else { return false };
        let file = Path::new(spans[0]["file_name"].as_str().unwrap_or_default());
        let regions = self.regions.iter().find(|(path, _)| path == file).map_or(&[][..], |(_, regions)| regions);
        let between = regions.iter().filter(|r| r.leaves && first < r.range.start && r.range.end < last);
        let before = self.dropped.len();
        self.dropped.extend(between.flat_map(|region| &region.ids));
        before < self.dropped.len()
    }
}

/// The last two parts of a path, without what is in angle brackets: `Part::<dyn Acking>::new` is `Part`, `new`.
pub(crate) fn plain(path: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = path.split(|c| {
        depth += i32::from(c == '<') - i32::from(c == '>');
        depth > 0 || matches!(c, ':' | '<' | '>')
    });
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    parts[parts.len().saturating_sub(2)..].to_vec()
}

fn all(sources: &[Source]) -> impl Iterator<Item = (String, &Mutant)> {
    sources.iter().flat_map(|source| {
        let mutants = source.found.sites.iter().flat_map(|site| &site.mutants);
        mutants.map(|mutant| (source.path.display().to_string(), mutant))
    })
}

/// The number of the last mutant.
fn last(sources: &[Source]) -> u32 {
    all(sources).map(|(_, mutant)| mutant.id).max().unwrap_or(0)
}

/// A module's file, and those of the modules in it.
fn read(root: &Path, path: &Path, sources: &mut Vec<Source>) -> Result<(), Fault> {
    let text = fs::read_to_string(root.join(path))?;
    let found = find(&text, 1 + last(sources)).map_err(|error| format!("{}: {error}", path.display()))?;
    let modules = found.modules.clone();
    sources.push(Source { path: path.to_owned(), text, found });
    let stem = path.file_stem().expect("a file").to_string_lossy().into_owned();
    let folder = path.parent().expect("a file is in a folder");
    let folder = if stem == "lib" || stem == "mod" { folder.to_owned() } else { folder.join(stem) };
    for module in modules {
        let alone = folder.join(format!("{module}.rs"));
        let within = folder.join(&module).join("mod.rs");
        read(root, if root.join(&alone).exists() { &alone } else { &within }, sources)?;
    }
    Ok(())
}

/// Copies all files that git knows or would.
fn copy_workspace(root: &Path, copy: &Path) -> Result<(), Fault> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let names: BTreeSet<PathBuf> = output
        .stdout
        .split(|&byte| byte == 0)
        .filter(|name| !name.is_empty())
        .map(|name| PathBuf::from(String::from_utf8_lossy(name).into_owned()))
        .collect();
    remove_others(copy, copy, &names)?;
    for name in &names {
        let from = root.join(name);
        if from.is_file() {
            store(&copy.join(name), &fs::read(&from)?)?;
        }
    }
    Ok(())
}

fn remove_others(copy: &Path, folder: &Path, names: &BTreeSet<PathBuf>) -> Result<(), Fault> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            remove_others(copy, &path, names)?;
        } else if !names.contains(path.strip_prefix(copy)?) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Writes a file unless it is so already: cargo goes by the time of the last change.
fn store(path: &Path, content: &[u8]) -> Result<(), Fault> {
    if fs::read(path).is_ok_and(|old| old == content) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().expect("a file is in a folder"))?;
    Ok(fs::write(path, content)?)
}

fn program(message: &Value) -> Option<Program> {
    let executable = PathBuf::from(message["executable"].as_str()?);
    let manifest = PathBuf::from(message["manifest_path"].as_str()?);
    let folder = manifest.parent()?.to_owned();
    let is_test = message["profile"]["test"] == true;
    let package = package(&OsString::from(folder.file_name()?).to_string_lossy());
    let name = message["target"]["name"].as_str()?.to_owned();
    is_test.then_some(Program { package, name, executable, folder })
}
