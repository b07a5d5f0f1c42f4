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

/// How the sample imports, one sentence for each language that shows a habit.
pub(in crate::discovery) fn describe_imports(
    sampled: &[SampledText<'_>],
    languages: &[SourceLanguage],
    resolver: &ImportResolver<'_>,
) -> Vec<String> {
    let sentences = languages.iter().filter_map(|language| {
        let texts: Vec<&SampledText<'_>> =
            sampled.iter().filter(|text| text.language == *language && !text.is_test).collect();
        let habits = read_habits(*language, &texts, resolver);
        (!habits.is_empty()).then(|| format!("{}: {}", language.name(), habits.join("; ")))
    });
    sentences.collect()
}

fn read_habits(
    language: SourceLanguage,
    texts: &[&SampledText<'_>],
    resolver: &ImportResolver<'_>,
) -> Vec<String> {
    let count = |is: &dyn Fn(&str) -> bool| {
        let all = texts.iter().flat_map(|text| read_imports(language, text.text));
        all.filter(|target| !target.is_system && is(target.text)).count()
    };
    let files = |is: &dyn Fn(&str) -> bool| texts.iter().filter(|text| is(text.text)).count();
    let own = |text: &str| resolver.is_own_module(language, text);
    let habits = match language {
        SourceLanguage::Rust => [
            more(
                count(&|it| it.starts_with("crate::")),
                "paths from `crate::`",
                count(&|it| it.starts_with("super::")),
                "paths from `super::`",
            ),
            None,
        ],
        SourceLanguage::Python => [
            more(
                count(&own),
                "absolute imports of its own packages",
                count(&|it| it.starts_with('.')),
                "relative imports inside its packages",
            ),
            mostly(
                files(&|it| it.contains("from __future__ import annotations")),
                texts.len(),
                "`from __future__ import annotations` in most files",
            ),
        ],
        SourceLanguage::JavaScript | SourceLanguage::TypeScript => {
            return script_habits(texts, &count, &files);
        }
        SourceLanguage::Go => [
            mostly(
                files(&|it| it.contains("import (\n\t\"") && it.contains("\"\n\n\t\"")),
                texts.len(),
                "import groups apart, the standard library first",
            ),
            resolver.module_path().map(|module| format!("own packages as `{module}/…`")),
        ],
        SourceLanguage::Java | SourceLanguage::Kotlin => [
            more(
                count(&|it| !it.ends_with('*')),
                "single classes",
                count(&|it| it.ends_with('*')),
                "whole packages (`.*`)",
            ),
            None,
        ],
        SourceLanguage::C | SourceLanguage::Cpp => [
            more(
                count(&|it| it.contains('/')),
                "own headers by a path (\"dir/x.h\")",
                count(&|it| !it.contains('/')),
                "own headers by name (\"x.h\")",
            ),
            mostly(files(&|it| it.contains("#pragma once")), texts.len() / 3, "`#pragma once`"),
        ],
        SourceLanguage::Ruby => [
            more(
                files(&|it| it.contains("require_relative ")),
                "`require_relative`",
                files(&|it| it.contains("\nrequire \"") || it.contains("\nrequire '")),
                "`require` from the load path",
            ),
            mostly(
                files(&|it| it.starts_with("# frozen_string_literal: true")),
                texts.len(),
                "`# frozen_string_literal: true` at the top",
            ),
        ],
        SourceLanguage::Php => [
            mostly(files(&|it| it.contains("\nuse ")), texts.len(), "classes imported with `use`"),
            mostly(
                files(&|it| it.contains("strict_types=1")),
                texts.len(),
                "`declare(strict_types=1)` at the top",
            ),
        ],
        SourceLanguage::CSharp => [
            more(
                files(&|it| {
                    it.lines().any(|line| {
                        line.starts_with("namespace ") && line.trim_end().ends_with(';')
                    })
                }),
                "file-scoped namespaces",
                files(&|it| it.contains("namespace ")),
                "namespaces with a block",
            ),
            mostly(files(&|it| it.contains("#nullable enable")), texts.len(), "`#nullable enable`"),
        ],
        SourceLanguage::Other(_) => [None, None],
    };
    habits.into_iter().flatten().collect()
}

fn script_habits(
    texts: &[&SampledText<'_>],
    count: &dyn Fn(&dyn Fn(&str) -> bool) -> usize,
    files: &dyn Fn(&dyn Fn(&str) -> bool) -> usize,
) -> Vec<String> {
    let is_module =
        |it: &str| it.contains("import ") && it.contains(" from ") || it.contains("\nexport ");
    let relative = count(&|it| it.starts_with('.'));
    let with_end = count(&|it| {
        it.starts_with('.')
            && it
                .rsplit('/')
                .next()
                .is_some_and(|name| name.contains(".js") || name.contains(".ts"))
    });
    let alias = count(&|it| {
        it.starts_with("@/")
            || it.starts_with("~/")
            || it.starts_with("#")
            || it.starts_with("src/")
    });
    let habits = [
        more(
            files(&is_module),
            "ES modules",
            files(&|it| it.contains("require(")),
            "CommonJS `require`",
        ),
        more(relative, "relative paths", alias, "paths from an alias such as `@/`"),
        mostly(with_end, relative, "with the file's extension"),
        mostly(files(&|it| it.contains("import type ")), texts.len(), "`import type` for types"),
    ];
    habits.into_iter().flatten().collect()
}

/// The habit that is more frequent, if one is: with the other where that is not rare.
fn more(one: usize, first: &str, other: usize, second: &str) -> Option<String> {
    let (many, habit, few, rest) =
        if one >= other { (one, first, other, second) } else { (other, second, one, first) };
    if many == 0 {
        None
    } else if few * 4 > many {
        Some(format!("{habit} ({many}) and {rest} ({few})"))
    } else {
        Some(habit.to_owned())
    }
}

/// The habit, if more than half do it.
fn mostly(count: usize, total: usize, habit: &str) -> Option<String> {
    (count > 0 && count * 2 > total).then(|| habit.to_owned())
}
