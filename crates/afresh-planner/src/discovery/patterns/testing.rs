//! Where tests are, and what they share.

use std::collections::{BTreeMap, BTreeSet};

use super::SampledText;
use crate::discovery::languages::SourceLanguage;
use crate::discovery::sample::SourceFile;
use crate::discovery::{RepositoryFile, paths, shown};

const MAX_LAYOUTS: usize = 4;
const MAX_FIXTURES: usize = 8;

/// Files that tests share.
const FIXTURE_FILES: &[&str] = &[
    "conftest.py",
    "spec_helper.rb",
    "rails_helper.rb",
    "test_helper.rb",
    "test_helper.exs",
    "jest.setup.js",
    "jest.setup.ts",
    "vitest.setup.ts",
    "setupTests.ts",
    "setupTests.js",
    "TestCase.php",
    "Pest.php",
    "jest.config.js",
    "jest.config.ts",
    "vitest.config.ts",
    "playwright.config.ts",
    "phpunit.xml",
    "phpunit.xml.dist",
    "pytest.ini",
    ".rspec",
];
/// Directories of files that tests share.
const FIXTURE_DIRECTORIES: &[&str] = &[
    "fixtures",
    "__fixtures__",
    "testdata",
    "test-data",
    "factories",
    "__mocks__",
    "mocks",
    "support",
    "testutil",
    "testutils",
    "test-utils",
    "testkit",
    "common",
];

/// Sentences such as `*_test.go files beside the code (41)`.
pub(in crate::discovery) fn describe_layout(
    sources: &[SourceFile<'_>],
    sampled: &[SampledText<'_>],
) -> Vec<String> {
    let mut forms: BTreeMap<(String, bool), u64> = BTreeMap::new();
    for file in sources.iter().filter(|file| file.is_test) {
        let is_beside = paths::test_directory(file.path).is_none();
        if let Some(form) = paths::test_name_form(paths::file_name(file.path)) {
            *forms.entry((form, is_beside)).or_default() += 1;
        }
    }
    let mut forms: Vec<((String, bool), u64)> = forms.into_iter().collect();
    forms.sort_by_key(|(form, files)| (std::cmp::Reverse(*files), form.clone()));
    let named = forms.into_iter().take(MAX_LAYOUTS).map(|((form, is_beside), files)| {
        let place = if is_beside { "beside the code" } else { "in directories of tests" };
        format!("{form} {place} ({files})")
    });
    let mut layout: Vec<String> = named.collect();
    let is_inline = |text: &&SampledText<'_>| {
        text.language == SourceLanguage::Rust && text.text.contains("#[cfg(test)]")
    };
    let inline = sampled.iter().filter(is_inline).count();
    if inline > 0 {
        layout.insert(0, "unit tests in the source files (#[cfg(test)])".to_owned());
    }
    layout
}

/// `fixtures` at the root belong to tests; below `examples` they do not.
fn is_in_example(path: &str) -> bool {
    path.split('/')
        .next()
        .is_some_and(|top| matches!(top, "example" | "examples" | "samples" | "demo"))
}

/// Files and directories that tests share, those near the root first.
pub(in crate::discovery) fn find_fixtures(files: &[RepositoryFile]) -> Vec<String> {
    let mut found: BTreeSet<(usize, &str)> = BTreeSet::new();
    let own = files.iter().filter(|file| paths::foreign_part(&file.path).is_none());
    for file in own.filter(|file| !is_in_example(&file.path)) {
        let path = file.path.as_str();
        if FIXTURE_FILES.contains(&paths::file_name(path)) {
            found.insert((path.matches('/').count(), path));
        }
        let mut end = 0;
        for component in paths::directories(path) {
            end += component.len() + 1;
            let above = paths::is_test(&path[..end]);
            let is_own = matches!(
                component,
                "testdata" | "__fixtures__" | "__mocks__" | "testutil" | "testutils"
            );
            if FIXTURE_DIRECTORIES.contains(&component.to_ascii_lowercase().as_str())
                && (above || is_own)
            {
                found.insert((path[..end].matches('/').count(), &path[..end]));
                break;
            }
        }
    }
    found.into_iter().take(MAX_FIXTURES).map(|(_, path)| shown::text(path)).collect()
}
