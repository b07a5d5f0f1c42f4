//! The files that discovery works with, and which of their texts it reads. Chosen from the listing alone, so that a
//! caller can read them all at once.

use std::collections::BTreeMap;

use afresh_formats::project;

use super::languages::SourceLanguage;
use super::{RepositoryFile, manifests, paths};
use super::{ci, quality_tools};

/// The most source files that are read, without tests.
const MAX_SOURCES: usize = 60;
const MAX_TESTS: usize = 16;
/// The most manifests, configuration files and CI files that are read.
const MAX_MANIFESTS: usize = 240;
const MAX_CI_FILES: usize = 12;
/// A source file that is larger is not typical.
const MAX_SOURCE_BYTES: u64 = 96 * 1024;
/// The largest manifest that is read.
pub const MAX_TEXT_BYTES: u64 = 512 * 1024;
/// A language with a smaller share of the bytes, in percent, has no sample of its own.
const MIN_SHARE: u64 = 3;
/// The fewest files of a language that are read.
const MIN_QUOTA: usize = 6;
const MAX_LANGUAGES: usize = 4;

/// A file in a programming language that people write.
#[derive(Debug, Clone, Copy)]
pub(super) struct SourceFile<'a> {
    pub(super) path: &'a str,
    pub(super) bytes: u64,
    pub(super) language: SourceLanguage,
    pub(super) is_test: bool,
}

/// The source files of a listing, without vendored and generated ones.
pub(super) fn source_files(files: &[RepositoryFile]) -> Vec<SourceFile<'_>> {
    let own = files.iter().filter(|file| paths::foreign_part(&file.path).is_none());
    own.filter_map(|file| {
        let language = SourceLanguage::from_path(&file.path)?;
        let is_test = paths::is_test(&file.path);
        Some(SourceFile { path: &file.path, bytes: file.bytes, language, is_test })
    })
    .collect()
}

/// The paths of every text that discovery reads.
pub fn choose_texts(files: &[RepositoryFile]) -> Vec<String> {
    let sources = source_files(files);
    let mut chosen: Vec<String> = choose_settings(files).into_iter().map(str::to_owned).collect();
    let sampled = sample_sources(&sources).into_iter().chain(sample_tests(&sources));
    chosen.extend(sampled.map(|file| file.path.to_owned()));
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// Manifests, settings of tools and CI files, those near the root first.
fn choose_settings(files: &[RepositoryFile]) -> Vec<&str> {
    let readable = files.iter().filter(|file| file.bytes <= MAX_TEXT_BYTES);
    let own = readable.filter(|file| paths::foreign_part(&file.path).is_none());
    let mut settings: Vec<&str> = own.map(|file| file.path.as_str()).collect();
    settings.retain(|path| {
        project::is_read(path) || manifests::is_manifest(path) || quality_tools::is_read(path)
    });
    settings.sort_by_key(|path| (path.matches('/').count(), paths::is_example(path), *path));
    settings.truncate(MAX_MANIFESTS);
    let readable = files.iter().filter(|file| file.bytes <= MAX_TEXT_BYTES);
    let ci = readable.map(|file| file.path.as_str()).filter(|path| ci::is_ci_file(path));
    settings.into_iter().chain(ci.take(MAX_CI_FILES)).collect()
}

/// Source files of the main languages, from as many directories as possible: one of the largest directory, one of the
/// next, and so on.
pub(super) fn sample_sources<'a>(sources: &[SourceFile<'a>]) -> Vec<SourceFile<'a>> {
    let code = sources.iter().filter(|file| !file.is_test && !paths::is_example(file.path));
    sample(&code.copied().collect::<Vec<_>>(), MAX_SOURCES)
}

pub(super) fn sample_tests<'a>(sources: &[SourceFile<'a>]) -> Vec<SourceFile<'a>> {
    sample(&sources.iter().filter(|file| file.is_test).copied().collect::<Vec<_>>(), MAX_TESTS)
}

fn sample<'a>(files: &[SourceFile<'a>], limit: usize) -> Vec<SourceFile<'a>> {
    let mut bytes: BTreeMap<SourceLanguage, u64> = BTreeMap::new();
    for file in files.iter().filter(|file| file.language.is_read()) {
        *bytes.entry(file.language).or_default() += file.bytes;
    }
    let total: u64 = bytes.values().sum();
    let mut languages: Vec<(SourceLanguage, u64)> = bytes.into_iter().collect();
    languages.retain(|(_, bytes)| bytes * 100 >= total * MIN_SHARE);
    languages.sort_by_key(|(language, bytes)| (std::cmp::Reverse(*bytes), *language));
    languages.truncate(MAX_LANGUAGES);
    let mut chosen = Vec::new();
    for (language, bytes) in languages {
        let share = usize::try_from(bytes * limit as u64 / total.max(1)).unwrap_or(limit);
        let quota = share.max(MIN_QUOTA).min(limit.saturating_sub(chosen.len()));
        chosen.extend(sample_language(files, language, quota));
    }
    chosen
}

fn sample_language<'a>(
    files: &[SourceFile<'a>],
    language: SourceLanguage,
    quota: usize,
) -> Vec<SourceFile<'a>> {
    let mut directories: BTreeMap<&str, Vec<SourceFile<'a>>> = BTreeMap::new();
    let typical = |file: &&SourceFile<'_>| {
        file.language == language && file.bytes > 0 && file.bytes <= MAX_SOURCE_BYTES
    };
    for file in files.iter().filter(typical) {
        directories.entry(paths::parent(file.path)).or_default().push(*file);
    }
    let mut directories: Vec<Vec<SourceFile<'a>>> = directories.into_values().collect();
    // Stable: directories of the same size stay in the order of their names.
    directories.sort_by_key(|files| std::cmp::Reverse(files.len()));
    for files in &mut directories {
        files.sort_by_key(|file| (std::cmp::Reverse(file.bytes), file.path));
    }
    let longest = directories.first().map_or(0, Vec::len);
    let rounds = (0..longest)
        .flat_map(|round| directories.iter().filter_map(move |files| files.get(round).copied()));
    rounds.take(quota).collect()
}
