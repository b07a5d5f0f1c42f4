//! How the files of each language import: one sentence per language that shows a habit.

use super::SampledText;
use super::imports::read_imports;
use super::resolve::ImportResolver;
use crate::discovery::languages::SourceLanguage;

/// How the sample imports, one sentence for each language that shows a habit.
pub(in crate::discovery) fn describe_imports(
    sampled: &[SampledText<'_>],
    languages: &[SourceLanguage],
    resolver: &ImportResolver<'_>,
) -> Vec<String> {
    let sentences = languages.iter().filter_map(|language| {
        let own = sampled.iter().filter(|text| text.language == *language && !text.is_test);
        let sample = LanguageSample { language: *language, texts: own.map(|it| it.text).collect() };
        let habits = sample.habits(resolver);
        (!habits.is_empty()).then(|| format!("{}: {}", language.name(), habits.join("; ")))
    });
    sentences.collect()
}

/// The texts of one language that were read.
struct LanguageSample<'a> {
    language: SourceLanguage,
    texts: Vec<&'a str>,
}

impl LanguageSample<'_> {
    /// How many imports are so.
    fn imports(&self, is: impl Fn(&str) -> bool) -> usize {
        let all = self.texts.iter().flat_map(|text| read_imports(self.language, text));
        all.filter(|target| !target.is_system && is(target.text)).count()
    }

    /// How many files are so.
    fn files(&self, is: impl Fn(&str) -> bool) -> usize {
        self.texts.iter().filter(|text| is(text)).count()
    }

    /// The habit, if more than half of the files have this text.
    fn most_have(&self, text: &str, habit: &str) -> Option<String> {
        mostly(self.files(|it| it.contains(text)), self.texts.len(), habit)
    }

    fn habits(&self, resolver: &ImportResolver<'_>) -> Vec<String> {
        let habits = match self.language {
            SourceLanguage::Rust => {
                let from_crate = self.imports(|it| it.starts_with("crate::"));
                let from_super = self.imports(|it| it.starts_with("super::"));
                vec![more(
                    (from_crate, "paths from `crate::`"),
                    (from_super, "paths from `super::`"),
                )]
            }
            SourceLanguage::Python => self.python_habits(resolver),
            SourceLanguage::JavaScript | SourceLanguage::TypeScript => self.script_habits(),
            SourceLanguage::Go => self.go_habits(resolver),
            SourceLanguage::Java | SourceLanguage::Kotlin => {
                let classes = self.imports(|it| !it.ends_with('*'));
                let packages = self.imports(|it| it.ends_with('*'));
                vec![more((classes, "single classes"), (packages, "whole packages (`.*`)"))]
            }
            SourceLanguage::C | SourceLanguage::Cpp => self.header_habits(),
            SourceLanguage::Ruby => self.ruby_habits(),
            SourceLanguage::Php => vec![
                self.most_have("\nuse ", "classes imported with `use`"),
                self.most_have("strict_types=1", "`declare(strict_types=1)` at the top"),
            ],
            SourceLanguage::CSharp => self.csharp_habits(),
            SourceLanguage::Other(_) => Vec::new(),
        };
        habits.into_iter().flatten().collect()
    }

    fn python_habits(&self, resolver: &ImportResolver<'_>) -> Vec<Option<String>> {
        let absolute = self.imports(|it| resolver.is_own_module(self.language, it));
        let relative = self.imports(|it| it.starts_with('.'));
        let future = "from __future__ import annotations";
        vec![
            more(
                (absolute, "absolute imports of its own packages"),
                (relative, "relative imports inside its packages"),
            ),
            self.most_have(future, "`from __future__ import annotations` in most files"),
        ]
    }

    fn script_habits(&self) -> Vec<Option<String>> {
        let is_module =
            |it: &str| it.contains("import ") && it.contains(" from ") || it.contains("\nexport ");
        let relative = self.imports(|it| it.starts_with('.'));
        let ends = [".js", ".ts", ".mjs"];
        let has_end = |it: &str| ends.iter().any(|end| it.ends_with(end));
        let with_end = self.imports(|it| it.starts_with('.') && has_end(it));
        let starts = ["@/", "~/", "#", "src/"];
        let alias = self.imports(|it| starts.iter().any(|start| it.starts_with(start)));
        let required = self.files(|it| it.contains("require("));
        vec![
            more((self.files(is_module), "ES modules"), (required, "CommonJS `require`")),
            more((relative, "relative paths"), (alias, "paths from an alias such as `@/`")),
            mostly(with_end, relative, "with the file's extension"),
            self.most_have("import type ", "`import type` for types"),
        ]
    }

    fn go_habits(&self, resolver: &ImportResolver<'_>) -> Vec<Option<String>> {
        let grouped = self.files(|it| it.contains("import (\n\t\"") && it.contains("\"\n\n\t\""));
        vec![
            mostly(grouped, self.texts.len(), "import groups apart, the standard library first"),
            resolver.module_path().map(|module| format!("own packages as `{module}/…`")),
        ]
    }

    fn header_habits(&self) -> Vec<Option<String>> {
        let by_path = self.imports(|it| it.contains('/'));
        let by_name = self.imports(|it| !it.contains('/'));
        let guarded = self.files(|it| it.contains("#pragma once"));
        vec![
            more(
                (by_path, "own headers by a path (\"dir/x.h\")"),
                (by_name, "own headers by name (\"x.h\")"),
            ),
            // Only headers have a guard.
            mostly(guarded, self.texts.len() / 3, "`#pragma once`"),
        ]
    }

    fn ruby_habits(&self) -> Vec<Option<String>> {
        let relative = self.files(|it| it.contains("require_relative "));
        let path = self.files(|it| it.contains("\nrequire \"") || it.contains("\nrequire '"));
        let frozen = "# frozen_string_literal: true";
        vec![
            more((relative, "`require_relative`"), (path, "`require` from the load path")),
            self.most_have(frozen, "`# frozen_string_literal: true` at the top"),
        ]
    }

    fn csharp_habits(&self) -> Vec<Option<String>> {
        let has = |text: &str, end: &[char]| {
            let mut lines = text.lines().filter(|line| line.starts_with("namespace "));
            lines.any(|line| line.trim_end().ends_with(end))
        };
        let scoped = self.files(|it| has(it, &[';']));
        let block = self.files(|it| it.contains("namespace ") && !has(it, &[';']));
        vec![
            more((scoped, "file-scoped namespaces"), (block, "namespaces with a block")),
            self.most_have("#nullable enable", "`#nullable enable`"),
        ]
    }
}

/// The habit that is more frequent, if one is: with the other where that is not rare.
fn more(one: (usize, &str), other: (usize, &str)) -> Option<String> {
    let ((many, habit), (few, rest)) = if one.0 >= other.0 { (one, other) } else { (other, one) };
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
