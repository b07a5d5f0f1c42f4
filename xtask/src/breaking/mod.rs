//! Breaks our own code on purpose, one mutation after the other, and checks that a test notices.
//!
//! The crates are copied to a temporary directory, so that nothing here is ever broken; the builds share one target
//! directory. The mutations are listed in `core` and in `isolation`.

mod core;
mod isolation;

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

/// One mutation: exact texts, so that a change that outdates one is noticed.
pub(crate) struct Mutation {
    name: &'static str,
    /// What no longer holds.
    promise: &'static str,
    edits: &'static [Edit],
}

/// A text that occurs exactly once in a file below `crates/`, and its replacement.
pub(crate) struct Edit {
    file: &'static str,
    text: &'static str,
    instead: &'static str,
}

impl Edit {
    /// Where the text is in a source. Line breaks and indentation do not count, so that formatting a renamed item
    /// outdates nothing.
    fn find_in(&self, source: &str) -> Vec<Range<usize>> {
        let solid: Vec<(usize, char)> =
            source.char_indices().filter(|(_, c)| !c.is_whitespace()).collect();
        let wanted: Vec<char> = self.text.chars().filter(|c| !c.is_whitespace()).collect();
        let fits = |window: &&[(usize, char)]| window.iter().map(|(_, c)| c).eq(&wanted);
        let range = |window: &[(usize, char)]| {
            let (first, last) = (window[0], window[window.len() - 1]);
            first.0..last.0 + last.1.len_utf8()
        };
        solid.windows(wanted.len()).filter(fits).map(range).collect()
    }

    fn apply_to(&self, source: &str, place: &Range<usize>) -> String {
        format!("{}{}{}", &source[..place.start], self.instead.trim(), &source[place.end..])
    }
}

/// A mutation, and the test that has to fail: the arguments of `cargo test`.
struct Breakage {
    mutation: &'static Mutation,
    noticed_by: &'static [&'static str],
}

/// `cargo xtask break-core [NAME]`: all mutations of the core, or those whose name contains NAME.
pub(crate) fn core(arguments: &[String]) -> Result<()> {
    run(core::all(), arguments)
}

/// `cargo xtask break-isolation [NAME]`: the same for the sandbox, limits, trust and secrets.
pub(crate) fn isolation(arguments: &[String]) -> Result<()> {
    run(isolation::all(), arguments)
}

#[expect(clippy::print_stdout, reason = "a chore talks to the person who runs it")]
fn run(mut chosen: Vec<Breakage>, arguments: &[String]) -> Result<()> {
    let wanted = arguments.first().map_or("", String::as_str);
    chosen.retain(|it| it.mutation.name.contains(wanted));
    ensure!(!chosen.is_empty(), "no mutation is called {wanted:?}");
    let copy = Copy::of_workspace()?;
    let tests: BTreeSet<&[&str]> = chosen.iter().map(|it| it.noticed_by).collect();
    for test in tests {
        match copy.test(test)? {
            Verdict::Missed => {}
            Verdict::Caught(message) => bail!("{test:?} fails without any mutation: {message}"),
            Verdict::NotBuilt(message) => bail!("the copy does not build: {message}"),
        }
    }
    println!("| broken on purpose | promise | noticed? |\n| --- | --- | --- |");
    let mut bad = 0;
    for breakage in chosen {
        let mutation = breakage.mutation;
        let (good, told) = match copy.try_out(&breakage) {
            Ok(Verdict::Caught(message)) => (true, format!("caught: {message}")),
            Ok(Verdict::Missed) => (false, "NOT CAUGHT".to_owned()),
            Ok(Verdict::NotBuilt(message)) => (false, format!("DOES NOT BUILD: {message}")),
            Err(error) => (false, format!("NOT APPLIED: {error:#}")),
        };
        bad += usize::from(!good);
        println!("| {} | {} | {} |", mutation.name, mutation.promise, told.replace('|', "/"));
    }
    ensure!(bad == 0, "{bad} mutations were not caught");
    Ok(())
}

/// The result of the test.
enum Verdict {
    Caught(String),
    Missed,
    NotBuilt(String),
}

/// A copy of the workspace that may be broken.
struct Copy {
    directory: PathBuf,
    target: PathBuf,
}

impl Copy {
    fn of_workspace() -> Result<Self> {
        let root = workspace();
        let target =
            env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let directory = env::temp_dir().join(format!("afresh-break-{}", std::process::id()));
        fs::create_dir(&directory).with_context(|| format!("making {}", directory.display()))?;
        let copy = Self { directory, target: target.join("breaking") };
        for name in ["Cargo.toml", "Cargo.lock", "crates", "xtask", "docs", "schemas", "README.md"]
        {
            copy_all(&root.join(name), &copy.directory.join(name))?;
        }
        Ok(copy)
    }

    /// Applies a mutation, runs the test, and reverts it.
    fn try_out(&self, breakage: &Breakage) -> Result<Verdict> {
        let mutation = breakage.mutation;
        let mut before = Vec::new();
        for edit in mutation.edits {
            let path = self.directory.join("crates").join(edit.file);
            let text =
                fs::read_to_string(&path).with_context(|| format!("reading {}", edit.file))?;
            before.push((path, text));
        }
        let verdict = self.apply(mutation).and_then(|()| self.test(breakage.noticed_by));
        // If a file was edited twice, its first copy is the oldest, so it is written last.
        for (path, text) in before.into_iter().rev() {
            fs::write(&path, text).with_context(|| format!("restoring {}", path.display()))?;
        }
        verdict
    }

    fn apply(&self, mutation: &Mutation) -> Result<()> {
        for edit in mutation.edits {
            let path = self.directory.join("crates").join(edit.file);
            let text = fs::read_to_string(&path)?;
            let found = edit.find_in(&text);
            let [place] = found.as_slice() else {
                bail!("{:?} is {} times in {}", edit.text, found.len(), edit.file)
            };
            fs::write(&path, edit.apply_to(&text, place))?;
        }
        Ok(())
    }

    fn test(&self, test: &[&str]) -> Result<Verdict> {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["test", "-q", "--locked"])
            .args(test)
            .current_dir(&self.directory)
            .env("CARGO_TARGET_DIR", &self.target)
            .env("RUST_BACKTRACE", "0")
            .env("PATH", path_with_bubblewrap())
            .output()
            .context("starting cargo")?;
        if output.status.success() {
            return Ok(Verdict::Missed);
        }
        let said = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        if said.contains("could not compile") {
            let error = said.lines().find(|line| line.starts_with("error"));
            return Ok(Verdict::NotBuilt(error.unwrap_or("unknown").to_owned()));
        }
        Ok(Verdict::Caught(message(&said)))
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Without bubblewrap, nothing would notice what is broken in it. One of the agent programs brings its own.
fn path_with_bubblewrap() -> String {
    let path = env::var("PATH").unwrap_or_default();
    let programs = env::var_os("AFRESH_TEST_AGENTS").map(PathBuf::from);
    let vendor = programs.map(|it| it.join("node_modules/@openai/codex-linux-x64/vendor"));
    let targets = vendor.and_then(|vendor| vendor.read_dir().ok()).into_iter().flatten().flatten();
    let mut places = targets.map(|target| target.path().join("codex-resources"));
    match places.find(|place| place.join("bwrap").is_file()) {
        Some(place) => format!("{path}:{}", place.display()),
        None => path,
    }
}

/// The seed and its promise, or the message of an assertion.
fn message(said: &str) -> String {
    let broken = said.lines().find(|line| line.contains("broke a promise"));
    let panicked = said.lines().skip_while(|line| !line.contains("panicked at")).nth(1);
    let told = broken.or(panicked).unwrap_or("the test failed without a word");
    told.chars().take(160).collect()
}

fn workspace() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    root.canonicalize().unwrap_or(root)
}

/// Copies a file, or a directory with everything below it except build results.
fn copy_all(from: &Path, to: &Path) -> Result<()> {
    if !from.is_dir() {
        fs::copy(from, to).with_context(|| format!("copying {}", from.display()))?;
        return Ok(());
    }
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        if name != OsStr::new("target") {
            copy_all(&from.join(&name), &to.join(&name))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mutations are exact texts of our own sources: a change that outdates one must update it.
    #[test]
    fn every_mutation_fits_the_sources_as_they_are() {
        let crates = workspace().join("crates");
        let mut stale = Vec::new();
        for Breakage { mutation, .. } in core::all().into_iter().chain(isolation::all()) {
            let mut texts = std::collections::BTreeMap::new();
            for edit in mutation.edits {
                let text = texts.entry(edit.file).or_insert_with(|| {
                    fs::read_to_string(crates.join(edit.file)).unwrap_or_default()
                });
                let found = edit.find_in(text);
                if let [place] = found.as_slice() {
                    *text = edit.apply_to(text, place);
                } else {
                    let (name, count) = (mutation.name, found.len());
                    stale.push(format!("{name}: {count} times in {}: {}", edit.file, edit.text));
                }
            }
        }
        assert!(stale.is_empty(), "mutations that no longer fit:\n{}", stale.join("\n"));
    }
}
