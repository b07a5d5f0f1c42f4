//! `cargo xtask bench estimate DIR…`: how close our estimate of tokens is to two public tokenizers (AU-03).
//!
//! Each directory is a published package. Nothing of others is kept here: the caller fetches them, and a test takes the
//! sources of our own dependencies, which every machine has that builds afresh.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use afresh_core::estimate::tokens::{estimate_file, estimate_text};
use anyhow::{Context, Result, ensure};
use tiktoken_rs::CoreBPE;

/// The largest error that is allowed, as a share.
const LIMIT: f64 = 0.2;
/// Of one package, so that a large one does not take minutes.
const MAX_BYTES: usize = 1024 * 1024;
/// Longer lines are generated, and no one gives them to a worker.
const MAX_LINE: usize = 2_000;
/// Of a package, languages with less than this are left out.
const MIN_TOKENS: u64 = 5_000;
/// Directories of other packages.
const OTHERS: &[&str] = &["node_modules", "vendor", "target", "third_party"];

/// The languages by the endings of their files.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("Rust", &["rs"]),
    ("Python", &["py"]),
    ("TypeScript", &["ts", "tsx"]),
    ("JavaScript", &["js", "mjs", "cjs"]),
    ("Go", &["go"]),
    ("Ruby", &["rb"]),
    ("PHP", &["php"]),
    ("Java", &["java"]),
    ("C", &["c", "h"]),
    ("Markdown", &["md"]),
];

/// The table, and whether everything in it is within the limit.
pub(super) fn bench(directories: &[PathBuf]) -> Result<(String, bool)> {
    ensure!(!directories.is_empty(), "name the directories of packages, one for each");
    let tokenizers = Tokenizers::load()?;
    let mut text = String::from(
        "| package | language | tokens (o200k) | estimate / o200k | estimate / cl100k | by size / o200k |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    let mut within = true;
    for directory in directories {
        let measured = measure_package(directory, MAX_BYTES, &tokenizers)?;
        ensure!(!measured.is_empty(), "no sources were found in {}", directory.display());
        for one in measured {
            within &= one.is_close();
            let [o200k, cl100k] = one.ratios();
            let by_size = ratio(one.by_size, one.tokens[0]);
            writeln!(
                text,
                "| {} | {} | {} | {o200k:.2} | {cl100k:.2} | {by_size:.2} |",
                one.package, one.language, one.tokens[0]
            )?;
        }
    }
    writeln!(text, "\nlimit: {:.0} %; {}", LIMIT * 100.0, super::verdict(within))?;
    Ok((text, within))
}

struct Tokenizers([CoreBPE; 2]);

impl Tokenizers {
    fn load() -> Result<Self> {
        Ok(Self([tiktoken_rs::o200k_base()?, tiktoken_rs::cl100k_base()?]))
    }

    fn count(&self, text: &str) -> [u64; 2] {
        [&self.0[0], &self.0[1]]
            .map(|one| u64::try_from(one.encode_ordinary(text).len()).unwrap_or(u64::MAX))
    }
}

/// The sources of a package in one language.
struct MeasuredSources {
    package: String,
    language: &'static str,
    estimate: u64,
    /// The estimate where only sizes of files are known.
    by_size: u64,
    /// By o200k and by cl100k.
    tokens: [u64; 2],
}

impl MeasuredSources {
    fn ratios(&self) -> [f64; 2] {
        self.tokens.map(|tokens| ratio(self.estimate, tokens))
    }

    fn is_close(&self) -> bool {
        self.ratios().iter().all(|ratio| (ratio - 1.0).abs() <= LIMIT)
    }
}

fn ratio(estimate: u64, tokens: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "it is shown, not counted with")]
    let exact = estimate as f64 / tokens.max(1) as f64;
    exact
}

/// The sources of a package by language.
fn measure_package(
    directory: &Path,
    max_bytes: usize,
    tokenizers: &Tokenizers,
) -> Result<Vec<MeasuredSources>> {
    let mut files = Vec::new();
    find_files(directory, &mut files)?;
    files.sort();
    let package = directory.file_name().context("a directory has a name")?.to_string_lossy();
    let mut found: BTreeMap<&'static str, MeasuredSources> = BTreeMap::new();
    let mut bytes: BTreeMap<&'static str, usize> = BTreeMap::new();
    for file in files {
        let Some(language) = language_of(&file) else { continue };
        let read = bytes.entry(language).or_default();
        let Ok(text) = fs::read_to_string(&file) else { continue };
        if *read + text.len() > max_bytes || text.lines().any(|line| line.len() > MAX_LINE) {
            continue;
        }
        *read += text.len();
        let one = found.entry(language).or_insert_with(|| MeasuredSources {
            package: package.clone().into_owned(),
            language,
            estimate: 0,
            by_size: 0,
            tokens: [0, 0],
        });
        one.estimate += estimate_text(&text);
        let size = u64::try_from(text.len()).unwrap_or(u64::MAX);
        one.by_size += estimate_file(&file.to_string_lossy(), size);
        for (sum, count) in one.tokens.iter_mut().zip(tokenizers.count(&text)) {
            *sum += count;
        }
    }
    Ok(found.into_values().filter(|one| one.tokens[0] >= MIN_TOKENS).collect())
}

fn language_of(file: &Path) -> Option<&'static str> {
    let ending = file.extension()?.to_str()?;
    let name = file.file_name()?.to_str()?;
    // Declarations that a compiler wrote, and what a tool shortened.
    if name.ends_with(".d.ts") || name.contains(".min.") {
        return None;
    }
    LANGUAGES.iter().find(|(_, endings)| endings.contains(&ending)).map(|(name, _)| *name)
}

fn find_files(directory: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries =
        fs::read_dir(directory).with_context(|| format!("cannot read {}", directory.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let kind = entry.file_type()?;
        if kind.is_dir() && !name.starts_with('.') && !OTHERS.contains(&&*name) {
            find_files(&entry.path(), files)?;
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dependencies of afresh with sources of many kinds: parsers, derive macros, bindings, tables.
    const PACKAGES: &[&str] = &[
        "aho-corasick",
        "clap_builder",
        "globset",
        "ignore",
        "insta",
        "jiff",
        "nix",
        "proptest",
        "regex-automata",
        "rusqlite",
        "schemars",
        "serde_json",
        "toml_edit",
    ];
    /// Of each package: the tokenizers are slow where nothing is optimised.
    const TEST_BYTES: usize = 60 * 1024;

    /// Where cargo has the sources of our dependencies.
    fn sources() -> Vec<PathBuf> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        // Packages of other platforms need not be there.
        let version = std::process::Command::new("rustc").arg("-vV").output().expect("rustc");
        let version = String::from_utf8(version.stdout).expect("text");
        let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host");
        let output = std::process::Command::new(cargo)
            .args(["metadata", "--format-version", "1", "--offline", "--locked"])
            .args(["--filter-platform", host])
            .current_dir(super::super::workspace())
            .output()
            .expect("cargo");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let packages = metadata["packages"].as_array().expect("packages").iter();
        let wanted =
            packages.filter(|it| it["name"].as_str().is_some_and(|name| PACKAGES.contains(&name)));
        let directory = |it: &serde_json::Value| {
            let manifest = Path::new(it["manifest_path"].as_str().expect("a path"));
            manifest.parent().expect("a directory").to_owned()
        };
        wanted.map(directory).filter(|directory| directory.is_dir()).collect()
    }

    /// AU-03: the estimate is within 20 % of two public tokenizers, for the sources of published packages.
    #[test]
    fn the_estimate_is_close_to_tokenizers_for_rust_sources() {
        let tokenizers = Tokenizers::load().expect("vocabularies");
        let found = sources();
        assert!(found.len() >= 10, "{found:?}");
        for directory in found {
            let measured = measure_package(&directory, TEST_BYTES, &tokenizers).expect("sources");
            let rust: Vec<&MeasuredSources> =
                measured.iter().filter(|one| one.language == "Rust").collect();
            assert_eq!(rust.len(), 1, "{}", directory.display());
            assert!(rust[0].is_close(), "{}: {:?}", rust[0].package, rust[0].ratios());
        }
    }

    /// AU-03: a document is estimated as well as code.
    #[test]
    fn the_estimate_is_close_to_tokenizers_for_our_documents() {
        let tokenizers = Tokenizers::load().expect("vocabularies");
        let docs = super::super::workspace().join("docs");
        let measured = measure_package(&docs, TEST_BYTES, &tokenizers).expect("documents");
        let [document] = measured.as_slice() else { panic!("one language") };
        assert!(document.is_close(), "{:?}", document.ratios());
    }
}
