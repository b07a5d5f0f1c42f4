//! How files, functions and types are named.

use std::collections::BTreeMap;

use super::SampledText;
use crate::discovery::facts::{NameStyle, NamingPattern};
use crate::discovery::languages::SourceLanguage;
use crate::discovery::paths;
use crate::discovery::sample::SourceFile;

/// A style is named if this share of the names has it, in percent.
const MIN_SHARE: usize = 65;
/// Fewer names say nothing.
const MIN_NAMES: usize = 3;
/// Names that tools prescribe.
const FIXED_NAMES: &[&str] =
    &["mod", "lib", "main", "index", "__init__", "__main__", "conftest", "setup", "build"];

/// Names by their style.
#[derive(Debug, Default)]
struct StyleTally(BTreeMap<NameStyle, usize>);

impl StyleTally {
    fn add(&mut self, name: &str) {
        if let Some(style) = name_style(name) {
            *self.0.entry(style).or_default() += 1;
        }
    }

    /// Names of one lower-case word fit every style, so they only count if there is nothing else.
    fn main_style(&self) -> Option<NameStyle> {
        let telling = self.0.iter().filter(|(style, _)| **style != NameStyle::LowerCase);
        let total: usize = telling.clone().map(|(_, count)| count).sum();
        let plain = self.0.get(&NameStyle::LowerCase).copied().unwrap_or(0);
        if plain >= MIN_NAMES && plain > total * 10 {
            return Some(NameStyle::LowerCase);
        }
        let (style, count) = telling.max_by_key(|(_, count)| **count)?;
        // Where there are no others, two that agree are enough; one is not.
        let least = MIN_NAMES.min(plain + total).max(2);
        (total >= least && count * 100 >= total * MIN_SHARE).then_some(*style)
    }
}

/// Files by all their names, functions and types by those in the sample.
pub(in crate::discovery) fn find_naming(
    sources: &[SourceFile<'_>],
    sampled: &[SampledText<'_>],
    languages: &[SourceLanguage],
) -> Vec<NamingPattern> {
    let patterns = languages.iter().map(|language| {
        let mut files = StyleTally::default();
        for file in sources.iter().filter(|file| file.language == *language && !file.is_test) {
            let stem = paths::file_name(file.path).split('.').next().unwrap_or_default();
            if !FIXED_NAMES.contains(&stem) {
                files.add(stem);
            }
        }
        let (mut functions, mut types) = (StyleTally::default(), StyleTally::default());
        for text in sampled.iter().filter(|text| text.language == *language && !text.is_test) {
            for line in text.text.lines() {
                match defined_name(*language, line) {
                    Some(DefinedName::Function(name)) => functions.add(name),
                    Some(DefinedName::Type(name)) => types.add(name),
                    None => {}
                }
            }
        }
        NamingPattern {
            language: language.name().to_owned(),
            files: files.main_style(),
            functions: functions.main_style(),
            types: types.main_style(),
        }
    });
    let told = |pattern: &NamingPattern| {
        pattern.files.is_some() || pattern.functions.is_some() || pattern.types.is_some()
    };
    patterns.filter(told).collect()
}

fn name_style(name: &str) -> Option<NameStyle> {
    let name = name.trim_matches(['_', '$', '!', '?', '#', '@']);
    let has_upper = name.chars().any(char::is_uppercase);
    let has_lower = name.chars().any(char::is_lowercase);
    let first = name.chars().next().filter(|first| first.is_alphabetic())?;
    match (name.contains('_'), name.contains('-')) {
        (true, false) if !has_upper => Some(NameStyle::SnakeCase),
        (true, false) if !has_lower => Some(NameStyle::UpperCase),
        (true, _) => None,
        (false, true) => (!has_upper).then_some(NameStyle::KebabCase),
        (false, false) if !has_upper => Some(NameStyle::LowerCase),
        (false, false) if first.is_uppercase() && !has_lower => None,
        (false, false) if first.is_uppercase() => Some(NameStyle::PascalCase),
        (false, false) => Some(NameStyle::CamelCase),
    }
}

/// What a line defines.
enum DefinedName<'t> {
    Function(&'t str),
    Type(&'t str),
}

/// What a line defines, by its first words; good enough to count.
fn defined_name(language: SourceLanguage, line: &str) -> Option<DefinedName<'_>> {
    let words = line.trim_start();
    let (functions, types): (&[&str], &[&str]) = match language {
        SourceLanguage::Rust => (&["fn"], &["struct", "enum", "trait"]),
        SourceLanguage::Python => (&["def"], &["class"]),
        SourceLanguage::JavaScript | SourceLanguage::TypeScript => {
            (&["function"], &["class", "interface", "type", "enum"])
        }
        // Case is visibility in Go, so it is no style.
        SourceLanguage::Go => (&[], &[]),
        SourceLanguage::Kotlin => (&["fun"], &["class", "interface", "object"]),
        SourceLanguage::Ruby => (&["def"], &["class", "module"]),
        SourceLanguage::Php => (&["function"], &["class", "interface", "trait", "enum"]),
        SourceLanguage::Java | SourceLanguage::CSharp => {
            (&[], &["class", "interface", "enum", "record"])
        }
        SourceLanguage::C | SourceLanguage::Cpp => (&[], &["struct", "class"]),
        SourceLanguage::Other(_) => return None,
    };
    if let Some(name) = name_after(words, types) {
        return Some(DefinedName::Type(name));
    }
    if let Some(name) = name_after(words, functions) {
        return Some(DefinedName::Function(name.trim_start_matches("self.")));
    }
    let name = match language {
        SourceLanguage::JavaScript | SourceLanguage::TypeScript => arrow_function(words),
        SourceLanguage::Java | SourceLanguage::CSharp => method(words),
        SourceLanguage::C | SourceLanguage::Cpp => column_zero_function(line),
        _ => None,
    }?;
    Some(DefinedName::Function(name))
}

/// Words that may stand before a definition.
const MODIFIERS: &[&str] = &[
    "pub",
    "pub(crate)",
    "pub(super)",
    "async",
    "const",
    "unsafe",
    "export",
    "default",
    "public",
    "private",
    "protected",
    "internal",
    "static",
    "final",
    "abstract",
    "sealed",
    "data",
    "open",
    "override",
    "suspend",
    "partial",
    "inline",
    "declare",
    "typedef",
    "readonly",
    "enum",
    "fun",
];

/// The name after one of the keywords, if only modifiers stand before it.
fn name_after<'t>(line: &'t str, keywords: &[&str]) -> Option<&'t str> {
    let mut words = line.split_whitespace();
    loop {
        let word = words.next()?;
        if keywords.contains(&word) {
            return identifier(words.next()?);
        }
        if !MODIFIERS.contains(&word) {
            return None;
        }
    }
}

/// The identifier that a word starts with.
fn identifier(word: &str) -> Option<&str> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    let end = word.find(|c| !plain(c)).unwrap_or(word.len());
    (end > 0).then(|| &word[..end])
}

/// `const name = (x) =>`, `const name = async function`.
fn arrow_function(line: &str) -> Option<&str> {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.strip_prefix("const ")?.split_once('=')?;
    let is_function = value.contains("=>") || value.trim_start().starts_with("function");
    is_function.then(|| identifier(name.trim()))?
}

/// A line such as `public static int name(`.
fn method(line: &str) -> Option<&str> {
    let first = line.split_whitespace().next()?;
    if !matches!(first, "public" | "private" | "protected" | "internal" | "static") {
        return None;
    }
    let (head, _) = line.split_once('(')?;
    let mut words = head.split_whitespace().rev();
    let name = words.next()?;
    let kind = words.next()?;
    // A constructor has no type before its name.
    let is_method =
        !head.contains('=') && !matches!(kind, "public" | "private" | "protected" | "new");
    is_method.then(|| identifier(name))?
}

/// A line such as `static int name(`, at the start of a line.
fn column_zero_function(line: &str) -> Option<&str> {
    let starts = line.starts_with(|c: char| c.is_ascii_alphabetic());
    let (head, _) = line.split_once('(')?;
    let first = head.split_whitespace().next()?;
    let is_other = matches!(
        first,
        "if" | "for" | "while" | "switch" | "return" | "else" | "typedef" | "using"
    );
    let name = head.split_whitespace().next_back()?.trim_start_matches(['*', '&']);
    let name = name.rsplit("::").next()?;
    let is_definition = starts && !is_other && head.contains(' ') && !head.contains('=');
    is_definition.then(|| identifier(name))?
}
