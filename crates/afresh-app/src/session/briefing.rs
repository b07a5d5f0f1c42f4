//! The files that every prompt of a run contains: project description, patterns, specification, and
//! the prompt template.
//!
//! They are read when a session starts, from the user's checkout and not from the run's branch: a
//! worker cannot change what the next one is given, except by work that landed.

use afresh_agents::bundle::FileChecksum;
use afresh_agents::bundle::briefing::{ProjectDocument, ProjectSummary};
use afresh_agents::bundle::project_rules::{MAX_RULES_BYTES, RULES_FILES};
use afresh_agents::bundle::spec_section;
use afresh_agents::bundle::spec_section::ParsedSpec;
use afresh_agents::prompt::template::MAX_TEMPLATE_BYTES;
use afresh_agents::{Briefing, PromptRole, PromptTemplate, PromptTemplates};
use afresh_core::printable;
use afresh_engine::RepoContext;
use afresh_formats::Finding;
use afresh_formats::text::limits::MAX_TEXT_BYTES;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::AppError;
use crate::notice::Notice;
use crate::plan_source::PlanFile;
use crate::text::files;

/// Where the project's prompt templates are.
pub const TEMPLATES: &str = ".afresh/templates/";
/// The project's conventions.
const PATTERNS: &str = ".afresh/patterns.md";
/// How much of that a prompt contains, in bytes.
const MAX_PATTERNS_BYTES: usize = 4 * 1024;
/// Where a project describes itself; the first file that exists counts.
const PROJECTS: &[&str] = &[
    "PROJECT.md",
    ".planning/PROJECT.md",
    ".ultraplan/PROJECT.md",
    ".long-run/PROJECT.md",
    ".specflow/PROJECT.md",
    "README.md",
];
/// Readers of the other formats put the specification into the tasks.
const FORMATS_WITH_SPEC: &[&str] = &["native", "long-run"];
/// How many files of a plan get a checksum.
const MAX_PLAN_FILES: usize = 100;

/// The directory with these files: the checkout, else the repository around the plan.
pub fn root(repository: &RepoContext, file: &PlanFile) -> PathBuf {
    repository.git.root().map_or_else(|| file.root(), Path::to_owned)
}

pub fn load(root: &Path, file: &PlanFile, notices: &mut Vec<Notice>) -> Result<Briefing, AppError> {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let mut sources = Vec::new();
    for path in file.files.iter().filter(|path| path.is_file()).take(MAX_PLAN_FILES) {
        if let Ok(bytes) = std::fs::read(path) {
            sources.push(FileChecksum::from_bytes(&relative_path(path, &root), &bytes));
        }
    }
    let mut noted = |document: ProjectDocument| {
        sources.push(FileChecksum::from_bytes(&document.path, document.text.as_bytes()));
        document
    };
    let worker = template(&root, PromptRole::Worker)?.map(&mut noted);
    let repairer = template(&root, PromptRole::Repairer)?.map(&mut noted);
    let reviewer = template(&root, PromptRole::Reviewer)?.map(&mut noted);
    let spec = spec(&root, file, notices).map(&mut noted);
    let beside = spec.as_ref().and_then(|spec| requirements(&root, spec)).map(&mut noted);
    let spec = spec.map(|spec| match &beside {
        Some(more) => together(&spec, more),
        None => spec,
    });
    let patterns = document(&root, PATTERNS, MAX_TEXT_BYTES).map(&mut noted);
    let project = PROJECTS.iter().find_map(|path| document(&root, path, MAX_TEXT_BYTES));
    Ok(Briefing {
        plan_file: plan_name(file, &root),
        task_files: file
            .task_files
            .iter()
            .map(|(task, path)| (task.clone(), relative_path(&canonical(path), &root)))
            .collect(),
        project: project.map(&mut noted).and_then(|project| ProjectSummary::read(&project.text)),
        patterns: patterns.map(|patterns| {
            let (text, _) = spec_section::cut_at_line(&patterns.text, MAX_PATTERNS_BYTES);
            ProjectDocument { text: text.to_owned(), ..patterns }
        }),
        rules_files: RULES_FILES
            .iter()
            .filter_map(|path| rules_file(&root, path))
            .map(&mut noted)
            .collect(),
        spec: spec.map(ParsedSpec::new),
        roles: BTreeMap::new(),
        templates: choose_templates(worker.as_ref(), repairer.as_ref(), reviewer.as_ref())?,
        sources,
    })
}

/// A rules file for agents, with the files that it includes (`@docs/style.md` alone on a line).
fn rules_file(root: &Path, path: &str) -> Option<ProjectDocument> {
    let main = document(root, path, MAX_TEXT_BYTES)?;
    let mut text = String::new();
    for line in main.text.lines() {
        let named =
            line.trim().strip_prefix('@').filter(|name| !name.contains(char::is_whitespace));
        let included =
            named.and_then(|name| document(root, name.trim_start_matches("./"), MAX_RULES_BYTES));
        text.push_str(included.as_ref().map_or(line, |included| included.text.trim_end()));
        text.push('\n');
    }
    (!text.trim().is_empty()).then_some(ProjectDocument { text, ..main })
}

/// Workers see the same name, however the user wrote the path.
fn plan_name(file: &PlanFile, root: &Path) -> String {
    match relative_path(&file.path, root).as_str() {
        "" => ".".to_owned(),
        name => name.to_owned(),
    }
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn relative_path(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

/// Requirements that belong to a specification, in a file of their own.
fn requirements(root: &Path, spec: &ProjectDocument) -> Option<ProjectDocument> {
    let path = Path::new(&spec.path).with_file_name("planning").join("requirements.md");
    document(root, path.to_str()?, MAX_TEXT_BYTES)
}

fn together(spec: &ProjectDocument, more: &ProjectDocument) -> ProjectDocument {
    ProjectDocument {
        path: format!("{} and {}", spec.path, more.path),
        text: format!("{}\n\n{}", spec.text.trim_end(), more.text),
    }
}

/// A file that may be missing. One outside the project, reached by a link, does not count (B03): its
/// contents would be in every prompt.
fn document(root: &Path, path: &str, most_bytes: usize) -> Option<ProjectDocument> {
    let text = read(&inside(root, path).ok()?, most_bytes).ok()?;
    Some(ProjectDocument { path: path.to_owned(), text })
}

/// The project's template for a role; if it exists, it must be readable.
fn template(root: &Path, role: PromptRole) -> Result<Option<ProjectDocument>, AppError> {
    let name = format!("{TEMPLATES}{}", role.file_name());
    if root.join(&name).symlink_metadata().is_err() {
        return Ok(None);
    }
    match inside(root, &name).and_then(|path| read(&path, MAX_TEMPLATE_BYTES)) {
        Ok(text) => Ok(Some(ProjectDocument { path: name, text })),
        Err(error) => {
            let message = format!("cannot read the template: {error}");
            let finding = Finding::for_file(&name, "template", message);
            Err(bad_template(&name, vec![finding]))
        }
    }
}

/// The project's own templates, else the built-in ones. A project that only has one for workers means it for all
/// workers.
fn choose_templates(
    worker: Option<&ProjectDocument>,
    repairer: Option<&ProjectDocument>,
    reviewer: Option<&ProjectDocument>,
) -> Result<PromptTemplates, AppError> {
    let parse = |role: PromptRole, own: &ProjectDocument| {
        PromptTemplate::parse(role, &own.path, &own.text)
            .map_err(|findings| bad_template(&own.path, findings))
    };
    let built_in = PromptTemplates::default();
    let own = worker.map(|own| parse(PromptRole::Worker, own)).transpose()?;
    let repairer = repairer.map(|own| parse(PromptRole::Repairer, own)).transpose()?;
    let reviewer = reviewer.map(|own| parse(PromptRole::Reviewer, own)).transpose()?;
    Ok(PromptTemplates {
        reviewer: reviewer.unwrap_or(built_in.reviewer),
        repairer: repairer.or_else(|| own.clone()).unwrap_or(built_in.repairer),
        worker: own.unwrap_or(built_in.worker),
    })
}

fn bad_template(path: &str, findings: Vec<Finding>) -> AppError {
    let help = "docs/prompts.md shows the built-in templates and all names";
    AppError::with_findings("template", &format!("cannot use the template {path}"), findings)
        .hint(help)
}

/// The plan's specification: next to the plan, or in the repository, and nowhere else.
fn spec(root: &Path, file: &PlanFile, notices: &mut Vec<Notice>) -> Option<ProjectDocument> {
    let named = file.plan.spec.as_deref()?;
    if !FORMATS_WITH_SPEC.contains(&file.format) {
        return None;
    }
    let beside = if file.path.is_dir() { Some(file.path.as_path()) } else { file.path.parent() };
    let bases: Vec<PathBuf> =
        beside.into_iter().chain([root]).filter_map(|base| base.canonicalize().ok()).collect();
    let inside = |path: &PathBuf| bases.iter().any(|base| path.starts_with(base));
    let found = bases.iter().filter_map(|base| base.join(named).canonicalize().ok()).find(inside);
    let document = match found {
        Some(path) => read(&path, MAX_TEXT_BYTES)
            .map(|text| ProjectDocument { path: relative_path(&path, root), text })
            .map_err(|error| error.to_string()),
        None => Err("it is neither next to the plan nor in the repository".to_owned()),
    };
    match document {
        Ok(document) => Some(document),
        Err(why) => {
            let named = printable::line(named);
            notices.push(Notice::note(format!(
                "workers are not given the plan's spec {named}: {why}"
            )));
            None
        }
    }
}

/// The real path of a file, if it is inside the project.
fn inside(root: &Path, path: &str) -> std::io::Result<PathBuf> {
    let path = root.join(path).canonicalize()?;
    if path.starts_with(root) {
        return Ok(path);
    }
    Err(std::io::Error::other("it is a link to a file outside the project"))
}

fn read(path: &Path, most_bytes: usize) -> std::io::Result<String> {
    let bytes = files::read_bounded(path, most_bytes)?;
    String::from_utf8(bytes).map_err(|_| std::io::Error::other("it is not UTF-8"))
}
