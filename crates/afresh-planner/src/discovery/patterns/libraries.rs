//! Error handling, logging and test frameworks: which of the well-known ways the sample uses.

use std::collections::BTreeMap;

use super::SampledText;
use super::known::{ERRORS, KnownPattern, LOGGING, TESTS};
use crate::discovery::facts::PatternUse;
use crate::discovery::languages::SourceLanguage;
use crate::discovery::shown;

/// The most patterns of one kind.
const MAX_PATTERNS: usize = 6;

/// The manifest that names each dependency.
pub(in crate::discovery) type DependencySources = BTreeMap<String, String>;

pub(in crate::discovery) fn find_errors(
    sampled: &[SampledText<'_>],
    dependencies: &DependencySources,
) -> Vec<PatternUse> {
    let code: Vec<_> = sampled.iter().filter(|text| !text.is_test).copied().collect();
    find(ERRORS, &code, dependencies)
}

pub(in crate::discovery) fn find_logging(
    sampled: &[SampledText<'_>],
    dependencies: &DependencySources,
) -> Vec<PatternUse> {
    let code: Vec<_> = sampled.iter().filter(|text| !text.is_test).copied().collect();
    find(LOGGING, &code, dependencies)
}

/// Tests may be inside source files, so all texts count.
pub(in crate::discovery) fn find_test_frameworks(
    sampled: &[SampledText<'_>],
    dependencies: &DependencySources,
) -> Vec<PatternUse> {
    find(TESTS, sampled, dependencies)
}

fn find(
    known: &[KnownPattern],
    sampled: &[SampledText<'_>],
    dependencies: &DependencySources,
) -> Vec<PatternUse> {
    let mut found: Vec<PatternUse> =
        known.iter().filter_map(|pattern| find_use(pattern, sampled, dependencies)).collect();
    found.sort_by_key(|found| std::cmp::Reverse(found.files));
    found.truncate(MAX_PATTERNS);
    found
}

fn find_use(
    pattern: &KnownPattern,
    sampled: &[SampledText<'_>],
    dependencies: &DependencySources,
) -> Option<PatternUse> {
    let using = |text: &&SampledText<'_>| {
        pattern.languages.contains(&text.language)
            && pattern.signs.iter().any(|sign| text.text.contains(sign))
    };
    let named = pattern.packages.iter().find_map(|name| dependencies.get(*name));
    // A Rust crate is always named in a manifest; its name alone may be a word of something else.
    if named.is_none()
        && !pattern.packages.is_empty()
        && pattern.languages == [SourceLanguage::Rust]
    {
        return None;
    }
    let mut users = sampled.iter().filter(using);
    let label = pattern.label.to_owned();
    if let Some(first) = users.next() {
        let files = 1 + users.count() as u64;
        return Some(PatternUse { pattern: label, files, example: shown::text(first.path) });
    }
    Some(PatternUse { pattern: label, files: 0, example: shown::text(named?) })
}
