//! Where specifications are: the layouts of the usual tools, and plain Markdown.

use std::collections::BTreeMap;

use afresh_formats::folder::PlanFolder;
use afresh_import::requirements::slug;

use super::{DocumentPart, SpecDocument, SpecKind, Specification};

/// A specification that was found, without its texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecCandidate {
    pub kind: SpecKind,
    pub name: String,
    /// What a person would name it by.
    pub path: String,
    /// The first one states what is wanted.
    pub documents: Vec<(String, DocumentPart)>,
}

/// Why there is no specification at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoSpecification {
    /// Nothing here looks like one.
    None,
    /// More than one; a path has to say which.
    Several(Vec<SpecCandidate>),
    /// Its text cannot be read.
    Unreadable { path: String, why: String },
}

/// Names of plain specifications, in lowercase.
const NAMES: &[&str] = &["spec.md", "specification.md", "prd.md", "requirements.md", "feature.md"];
const ENDINGS: &[&str] = &["-spec.md", ".spec.md", "_spec.md", "-prd.md", ".prd.md"];
/// The deepest directory in which plain specifications are looked for.
const MAX_DEPTH: usize = 3;
/// Directories that hold other people's files.
const FOREIGN: &[&str] = &["node_modules/", "vendor/", "third_party/", "target/", "dist/"];

/// Every specification of a folder.
pub fn candidates(folder: &dyn PlanFolder) -> Vec<SpecCandidate> {
    let mut found: BTreeMap<String, SpecCandidate> = BTreeMap::new();
    for path in folder.paths() {
        if let Some(candidate) = candidate(folder, path) {
            found.entry(candidate.path.clone()).or_insert(candidate);
        }
    }
    let mut found: Vec<SpecCandidate> = found.into_values().collect();
    found.sort_by(|one, other| (one.kind, &one.path).cmp(&(other.kind, &other.path)));
    found
}

/// The specification at a path of the folder, or the only one below it.
pub fn read(folder: &dyn PlanFolder, given: &str) -> Result<Specification, NoSpecification> {
    let given = given.trim_end_matches('/');
    let all = candidates(folder);
    let named = |candidate: &&SpecCandidate| {
        candidate.path == given || candidate.documents.iter().any(|(path, _)| path == given)
    };
    if let Some(candidate) = all.iter().find(named) {
        return load(folder, candidate);
    }
    if folder.holds(given) {
        let documents = vec![(given.to_owned(), DocumentPart::Statements)];
        let (kind, name) = (SpecKind::Markdown, name_of(given));
        return load(folder, &SpecCandidate { kind, name, path: given.to_owned(), documents });
    }
    let below = |candidate: &&SpecCandidate| {
        given.is_empty() || given == "." || candidate.path.starts_with(&format!("{given}/"))
    };
    let below: Vec<SpecCandidate> = all.iter().filter(below).cloned().collect();
    match below.as_slice() {
        [] => Err(NoSpecification::None),
        [only] => load(folder, only),
        _ => Err(NoSpecification::Several(below)),
    }
}

fn load(
    folder: &dyn PlanFolder,
    candidate: &SpecCandidate,
) -> Result<Specification, NoSpecification> {
    let mut documents = Vec::new();
    for (path, part) in &candidate.documents {
        let text = folder.text(path).unwrap_or_else(|| Ok(String::new())).map_err(|finding| {
            NoSpecification::Unreadable { path: path.clone(), why: finding.message }
        })?;
        documents.push(SpecDocument { path: path.clone(), text, part: *part });
    }
    let (kind, name) = (candidate.kind, candidate.name.clone());
    Ok(Specification { kind, name, documents })
}

/// The specification that this file is the main document of.
fn candidate(folder: &dyn PlanFolder, path: &str) -> Option<SpecCandidate> {
    if path.starts_with(".afresh/") || FOREIGN.iter().any(|directory| path.contains(directory)) {
        return None;
    }
    let (directory, file) = path.rsplit_once('/').unwrap_or(("", path));
    let parent = directory.rsplit('/').next().unwrap_or(directory);
    let within = |front: &str| directory == front || directory.ends_with(&format!("/{front}"));
    let above = directory.rsplit_once('/').map_or("", |(above, _)| above);
    let is_above = |front: &str| above == front || above.ends_with(&format!("/{front}"));
    if file.starts_with("SPEC-") && is_markdown(file) && (directory.is_empty() || within("specs")) {
        return Some(single(SpecKind::Specflow, path));
    }
    let openspec = is_above("openspec/changes") && parent != "archive";
    if openspec && file == "proposal.md" {
        return Some(openspec_change(folder, directory));
    }
    let kiro = is_above(".kiro/specs") && matches!(file, "requirements.md" | "bugfix.md");
    if kiro {
        return Some(with_design(folder, SpecKind::Kiro, path, &["design.md"]));
    }
    if file == "spec.md" && is_above("specs") && !path.contains("openspec/") {
        let design =
            ["plan.md", "research.md", "data-model.md", "quickstart.md", "technical-spec.md"];
        return Some(with_design(folder, SpecKind::SpecKit, path, &design));
    }
    if within(".planning") {
        let has_requirements = folder.holds(&format!("{directory}/REQUIREMENTS.md"));
        let is_main = file == "REQUIREMENTS.md" || (file == "PROJECT.md" && !has_requirements);
        return is_main
            .then(|| with_design(folder, SpecKind::Gsd, path, &["PROJECT.md", "ROADMAP.md"]));
    }
    let is_of_other = openspec || is_above(".kiro/specs") || path.contains("openspec/");
    let lower = file.to_lowercase();
    let is_named =
        NAMES.contains(&lower.as_str()) || ENDINGS.iter().any(|end| lower.ends_with(end));
    let is_near = path.matches('/').count() <= MAX_DEPTH;
    (is_named && is_near && !is_of_other).then(|| single(SpecKind::Markdown, path))
}

fn is_markdown(file: &str) -> bool {
    file.to_ascii_lowercase().ends_with(".md")
}

fn single(kind: SpecKind, path: &str) -> SpecCandidate {
    let documents = vec![(path.to_owned(), DocumentPart::Statements)];
    SpecCandidate { kind, name: name_of(path), path: path.to_owned(), documents }
}

/// A document, and those beside it that say how.
fn with_design(
    folder: &dyn PlanFolder,
    kind: SpecKind,
    path: &str,
    design: &[&str],
) -> SpecCandidate {
    let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
    let mut documents = vec![(path.to_owned(), DocumentPart::Statements)];
    let beside = design.iter().map(|name| format!("{directory}/{name}"));
    let beside = beside.filter(|beside| folder.holds(beside) && beside != path);
    documents.extend(beside.map(|beside| (beside, DocumentPart::Design)));
    SpecCandidate { kind, name: name_of(directory), path: directory.to_owned(), documents }
}

/// The requirements of a change are in its own specs; a change without any states them in its proposal.
fn openspec_change(folder: &dyn PlanFolder, directory: &str) -> SpecCandidate {
    let specs = folder.starting_with(&format!("{directory}/specs/")).iter();
    let specs = specs.filter(|path| path.ends_with("/spec.md"));
    let mut documents: Vec<(String, DocumentPart)> =
        specs.map(|path| (path.clone(), DocumentPart::Statements)).collect();
    let part = if documents.is_empty() { DocumentPart::Statements } else { DocumentPart::Design };
    documents.push((format!("{directory}/proposal.md"), part));
    let design = format!("{directory}/design.md");
    if folder.holds(&design) {
        documents.push((design, DocumentPart::Design));
    }
    SpecCandidate {
        kind: SpecKind::Openspec,
        name: name_of(directory),
        path: directory.to_owned(),
        documents,
    }
}

/// A short name from the last part of a path that says something.
pub(super) fn name_of(path: &str) -> String {
    let mut parts = path.rsplit('/').map(|part| {
        let stem = part
            .rsplit_once('.')
            .filter(|(stem, _)| !stem.is_empty())
            .map_or(part, |(stem, _)| stem);
        slug(stem)
    });
    let first = parts.next().unwrap_or_default();
    let says_nothing = ["spec", "specification", "prd", "requirements", "feature", "planning", ""];
    if !says_nothing.contains(&first.as_str()) {
        return first;
    }
    let places =
        ["inputs", "docs", "doc", "specs", "planning", "project-planning", "src", "tmp", ""];
    let above = parts.find(|part| !places.contains(&part.as_str()));
    above.unwrap_or_else(|| if first.is_empty() { "spec".to_owned() } else { first })
}

#[cfg(test)]
mod tests {
    use afresh_formats::folder::MemoryFolder;

    use super::*;

    fn folder(paths: &[&str]) -> MemoryFolder {
        MemoryFolder::new(paths.iter().map(|path| (*path, "# T\n\nText.\n")))
    }

    /// AU-01, PL-14: the layouts of the usual tools are recognised, each with its documents.
    #[test]
    fn specifications_of_every_layout_are_found() {
        let folder = folder(&[
            ".afresh/plans/x/spec.md",
            ".kiro/specs/login/design.md",
            ".kiro/specs/login/requirements.md",
            ".kiro/specs/login/tasks.md",
            ".planning/PROJECT.md",
            ".planning/REQUIREMENTS.md",
            ".specflow/specs/SPEC-001.md",
            "docs/payment-spec.md",
            "node_modules/a/spec.md",
            "openspec/changes/add-search/proposal.md",
            "openspec/changes/add-search/specs/search/spec.md",
            "openspec/changes/archive/old/proposal.md",
            "openspec/specs/search/spec.md",
            "project-planning/inputs/spec.md",
            "specs/001-cart/plan.md",
            "specs/001-cart/spec.md",
        ]);
        let found: Vec<String> = candidates(&folder)
            .iter()
            .map(|it| format!("{} {} {} {}", it.kind.word(), it.name, it.path, it.documents.len()))
            .collect();
        let expected = [
            "SpecFlow spec-001 .specflow/specs/SPEC-001.md 1",
            "spec-kit 001-cart specs/001-cart 2",
            "OpenSpec add-search openspec/changes/add-search 2",
            "Kiro login .kiro/specs/login 2",
            "GSD planning .planning 2",
            "Markdown payment-spec docs/payment-spec.md 1",
            "Markdown spec project-planning/inputs/spec.md 1",
        ];
        assert_eq!(found, expected);
    }

    /// PL-14: a path means its file, its directory, or the only specification below it.
    #[test]
    fn a_path_names_one_specification() {
        let folder =
            folder(&["README.md", "a/spec.md", "specs/001-cart/spec.md", "specs/002-pay/spec.md"]);
        let read = |path: &str| read(&folder, path).map(|spec| spec.name);
        assert_eq!(read("README.md").as_deref(), Ok("readme"));
        assert_eq!(read("specs/001-cart").as_deref(), Ok("001-cart"));
        assert_eq!(read("specs/002-pay/spec.md").as_deref(), Ok("002-pay"));
        assert_eq!(read("a/").as_deref(), Ok("a"));
        assert!(matches!(read("specs"), Err(NoSpecification::Several(found)) if found.len() == 2));
        assert_eq!(read("missing.md"), Err(NoSpecification::None));
    }
}
