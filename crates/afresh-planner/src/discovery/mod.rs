//! What a repository is, before any agent is asked (PL-03).
//!
//! [`discover`] works with names, sizes and a bounded number of texts, which [`choose_texts`] lists beforehand.
//! [`render_markdown`] turns the result into the document that planning prompts contain. What cannot be read is left
//! out: discovery never fails, and executes nothing.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`facts`] | what is found, as data |
//! | `markdown` | what is found, as a document |
//! | `sample` | which texts are read |
//! | `languages`, `paths` | what names of files say |
//! | `manifests`, `packages` | packages, members of workspaces, commands |
//! | `ci`, `quality_tools` | what CI and the configured tools demand |
//! | `patterns` | how the code is written |
//! | `key_files`, `foreign` | files to read first, and files to leave alone |
//! | `shown` | texts of a repository, made harmless |

mod ci;
pub mod facts;
mod foreign;
mod key_files;
mod languages;
mod manifests;
mod markdown;
mod packages;
mod paths;
mod patterns;
mod quality_tools;
mod sample;
mod shown;

use std::collections::BTreeMap;

pub use self::facts::ProjectFacts;
pub use self::markdown::render_markdown;
pub use self::sample::{MAX_TEXT_BYTES, choose_texts};

use self::facts::{CodePatterns, FACTS_VERSION, LanguageShare, ProjectState, TestingPatterns};
use self::languages::SourceLanguage;
use self::packages::PackageSurvey;
use self::patterns::libraries::DependencySources;
use self::patterns::{SampledText, architecture, habits, imports, libraries, naming, testing};
use self::sample::SourceFile;

/// A file of the repository.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RepositoryFile {
    /// From the root, with `/` between components.
    pub path: String,
    pub bytes: u64,
}

/// The files of a repository, without what it ignores. The caller bounds the sizes.
pub trait RepositoryFiles {
    /// Sorted by path.
    fn files(&self) -> &[RepositoryFile];

    /// The text of a file; none if it is missing, too large or not text.
    fn text(&self, path: &str) -> Option<String>;

    fn bytes_of(&self, path: &str) -> Option<u64> {
        let files = self.files();
        let at = files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        Some(files[at].bytes)
    }
}

/// Files in memory.
#[derive(Debug, Clone, Default)]
pub struct MemoryFiles {
    files: Vec<RepositoryFile>,
    texts: BTreeMap<String, String>,
}

impl MemoryFiles {
    pub fn new<P: Into<String>, T: Into<String>>(files: impl IntoIterator<Item = (P, T)>) -> Self {
        let texts: BTreeMap<String, String> =
            files.into_iter().map(|(path, text)| (path.into(), text.into())).collect();
        let listed = texts.iter().map(|(path, text)| RepositoryFile {
            path: path.clone(),
            bytes: u64::try_from(text.len()).unwrap_or(u64::MAX),
        });
        Self { files: listed.collect(), texts }
    }
}

impl RepositoryFiles for MemoryFiles {
    fn files(&self) -> &[RepositoryFile] {
        &self.files
    }

    fn text(&self, path: &str) -> Option<String> {
        self.texts.get(path).cloned()
    }
}

/// The most languages that are listed.
const MAX_LANGUAGES: usize = 10;

/// What these files show.
pub fn discover(files: &dyn RepositoryFiles) -> ProjectFacts {
    let listed = files.files();
    let texts: BTreeMap<String, String> = choose_texts(listed)
        .into_iter()
        .filter_map(|path| files.text(&path).map(|text| (path, text)))
        .collect();
    let sources = sample::source_files(listed);
    let chosen = sample::sample_sources(&sources).into_iter().chain(sample::sample_tests(&sources));
    let (generated, sampled): (Vec<_>, Vec<_>) = chosen
        .filter_map(|file| sampled_text(&file, &texts))
        .partition(|text| foreign::is_generated(text.text));
    let survey = PackageSurvey::new(listed, &sources, &texts);
    let languages = measure_languages(&sources, &sampled);
    let is_new =
        sources.iter().all(|file| is_markup(file.language.name())) && survey.packages.is_empty();
    let resolver = patterns::ImportResolver::new(&sources, survey.go_modules());
    let imported = imports::find_most_imported(&sampled, &resolver);
    let dependencies = survey.dependency_sources();
    let attributes = texts.get(".gitattributes").map(String::as_str);
    let ci_files = texts.iter().filter(|(path, _)| ci::is_ci_file(path));
    ProjectFacts {
        version: FACTS_VERSION,
        directory: None,
        state: if is_new { ProjectState::New } else { ProjectState::Existing },
        files: listed.len() as u64,
        patterns: find_patterns(&sources, &sampled, &dependencies, &resolver),
        testing: TestingPatterns {
            frameworks: libraries::find_test_frameworks(&sampled, &dependencies),
            layout: testing::describe_layout(&sources, &sampled),
            fixtures: testing::find_fixtures(listed),
        },
        key_files: key_files::find_key_files(files, &survey, &imported),
        leave_alone: foreign::find_foreign(
            listed,
            attributes,
            generated.iter().map(|text| text.path),
        ),
        quality_tools: quality_tools::find_tools(listed, &texts),
        ci: ci::find_commands(ci_files.map(|(path, text)| (path.as_str(), text.as_str()))),
        sampled_files: sampled.len() as u64,
        languages,
        workspaces: survey.workspaces,
        packages: survey.packages,
        packages_left_out: survey.left_out,
    }
}

fn sampled_text<'a>(
    file: &SourceFile<'a>,
    texts: &'a BTreeMap<String, String>,
) -> Option<SampledText<'a>> {
    let text = texts.get(file.path)?.as_str();
    Some(SampledText { path: file.path, language: file.language, is_test: file.is_test, text })
}

fn find_patterns(
    sources: &[SourceFile<'_>],
    sampled: &[SampledText<'_>],
    dependencies: &DependencySources,
    resolver: &patterns::ImportResolver<'_>,
) -> CodePatterns {
    // In the order of the sample, which begins with the main language.
    let mut languages: Vec<SourceLanguage> = Vec::new();
    for text in sampled.iter().filter(|text| !text.is_test) {
        if !languages.contains(&text.language) {
            languages.push(text.language);
        }
    }
    CodePatterns {
        naming: naming::find_naming(sources, sampled, &languages),
        imports: habits::describe_imports(sampled, &languages, resolver),
        architecture: architecture::find_architecture(sources),
        errors: libraries::find_errors(sampled, dependencies),
        logging: libraries::find_logging(sampled, dependencies),
    }
}

/// Markup and style sheets alone make no program to fit in with.
fn is_markup(language: &str) -> bool {
    matches!(language, "HTML" | "CSS" | "templates")
}

fn measure_languages(
    sources: &[SourceFile<'_>],
    sampled: &[SampledText<'_>],
) -> Vec<LanguageShare> {
    let mut sizes: BTreeMap<SourceLanguage, (u64, u64)> = BTreeMap::new();
    for file in sources {
        let (files, bytes) = sizes.entry(file.language).or_default();
        *files += 1;
        *bytes += file.bytes;
    }
    let mut read: BTreeMap<SourceLanguage, (u64, u64)> = BTreeMap::new();
    for text in sampled {
        let (bytes, lines) = read.entry(text.language).or_default();
        *bytes += text.text.len() as u64;
        *lines += text.text.lines().count() as u64;
    }
    let mut shares: Vec<LanguageShare> = sizes
        .into_iter()
        .map(|(language, (files, bytes))| {
            let sample = read.get(&language).filter(|(bytes, _)| *bytes > 0);
            let lines = sample.map(|(read, lines)| bytes.saturating_mul(*lines) / read);
            let name = language.name().to_owned();
            LanguageShare { name, files, bytes, estimated_lines: lines }
        })
        .collect();
    // Markup is often large, and says least.
    let rank = |share: &LanguageShare| (is_markup(&share.name), std::cmp::Reverse(share.bytes));
    shares
        .sort_by(|one, other| rank(one).cmp(&rank(other)).then_with(|| one.name.cmp(&other.name)));
    shares.truncate(MAX_LANGUAGES);
    shares
}
