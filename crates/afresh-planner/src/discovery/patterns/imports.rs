//! How files import each other, and which files are imported most.

use std::collections::BTreeMap;

use super::SampledText;
use super::resolve::ImportResolver;
use crate::discovery::languages::SourceLanguage;

/// An import is looked for in so many lines of a file: they stand near its beginning, or in functions.
const MAX_LINES: usize = 400;
/// The most imports of one file that are resolved.
const MAX_IMPORTS: usize = 80;
/// A file is worth naming if so many of the files that were read import it.
const MIN_IMPORTERS: u64 = 3;
const MAX_IMPORTED: usize = 6;

/// What one import names, as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ImportTarget<'t> {
    pub(super) text: &'t str,
    /// Found by the language's own search, not by a path in this repository: `<x.h>`.
    pub(super) is_system: bool,
}

/// The imports of a text, in its order.
pub(super) fn read_imports(language: SourceLanguage, text: &str) -> Vec<ImportTarget<'_>> {
    let mut is_block = false;
    let lines = text.lines().take(MAX_LINES).map(str::trim);
    let found = lines.filter_map(|line| {
        if language == SourceLanguage::Go {
            is_block = line == "import (" || is_block && line != ")";
            return (is_block || line.starts_with("import ")).then(|| read_line(language, line))?;
        }
        read_line(language, line)
    });
    found.take(MAX_IMPORTS).collect()
}

fn read_line(language: SourceLanguage, line: &str) -> Option<ImportTarget<'_>> {
    let plain = |text| Some(ImportTarget { text, is_system: false });
    match language {
        SourceLanguage::Rust => {
            let rest = line.strip_prefix("pub ").unwrap_or(line).strip_prefix("use ")?;
            plain(rest.split(['{', ';', ' ']).next()?.trim_end_matches(':'))
        }
        SourceLanguage::Python => {
            let rest = line.strip_prefix("from ").or_else(|| line.strip_prefix("import "))?;
            plain(rest.split([' ', ',', '#']).next()?)
        }
        SourceLanguage::JavaScript | SourceLanguage::TypeScript => {
            let is_import = line.starts_with("import ")
                || line.contains(" from ")
                || line.starts_with("export ");
            let after = if is_import {
                line.rsplit_once(" from ")
                    .map_or(line.strip_prefix("import "), |(_, rest)| Some(rest))
            } else {
                line.split_once("require(").map(|(_, rest)| rest)
            };
            plain(in_quotes(after?.trim_start())?)
        }
        SourceLanguage::Go => plain(line.split('"').nth(1)?),
        SourceLanguage::Java | SourceLanguage::Kotlin => {
            let rest = line.strip_prefix("import ")?;
            let rest = rest.strip_prefix("static ").unwrap_or(rest);
            plain(rest.split([';', ' ']).next()?)
        }
        SourceLanguage::C | SourceLanguage::Cpp => {
            let rest = line.strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
            match rest.strip_prefix('<') {
                Some(system) => {
                    Some(ImportTarget { text: system.split('>').next()?, is_system: true })
                }
                None => plain(in_quotes(rest)?),
            }
        }
        SourceLanguage::Ruby => {
            let rest =
                line.strip_prefix("require_relative ").or_else(|| line.strip_prefix("require "))?;
            plain(in_quotes(rest.trim_start_matches('('))?)
        }
        SourceLanguage::Php => plain(line.strip_prefix("use ")?.split([';', ' ', '{']).next()?),
        SourceLanguage::CSharp => {
            let rest = line.strip_prefix("global ").unwrap_or(line).strip_prefix("using ")?;
            plain(rest.strip_suffix(';')?)
        }
        SourceLanguage::Other(_) => None,
    }
}

/// What stands between the quotation marks at the start of a text.
fn in_quotes(text: &str) -> Option<&str> {
    let mark = text.chars().next().filter(|mark| "\"'`".contains(*mark))?;
    text[1..].split_once(mark).map(|(inside, _)| inside)
}

/// The files that most of the sample imports, with the number of importers.
pub(in crate::discovery) fn find_most_imported(
    sampled: &[SampledText<'_>],
    resolver: &ImportResolver<'_>,
) -> Vec<(String, u64)> {
    let mut importers: BTreeMap<String, u64> = BTreeMap::new();
    for text in sampled {
        let imports = read_imports(text.language, text.text);
        let files = imports.iter().filter_map(|target| resolver.resolve(text, target));
        let mut files: Vec<String> = files.filter(|path| path != text.path).collect();
        files.sort_unstable();
        files.dedup();
        for path in files {
            *importers.entry(path).or_default() += 1;
        }
    }
    let mut ordered: Vec<(String, u64)> = importers.into_iter().collect();
    ordered.retain(|(_, importers)| *importers >= MIN_IMPORTERS);
    ordered.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    ordered.truncate(MAX_IMPORTED);
    ordered
}
