//! The directories of changes: `openspec/changes/NAME/`, also below the root, or one of them alone.

use crate::draft::feature_dirs::FeatureDir;
use afresh_formats::findings::SourceText;
use afresh_formats::folder::PlanFolder;
use afresh_formats::text::node::{Node, Value};
use afresh_formats::text::yaml;
use afresh_formats::text::yaml::values::{get, word};

/// A change, and its file of tasks.
#[derive(Debug, Clone)]
pub(super) struct OpenSpecChange {
    pub(super) directory: FeatureDir,
    pub(super) tasks: String,
}

const CHANGES: &str = "openspec/changes/";

/// The changes that are not archived.
pub(super) fn in_use(folder: &dyn PlanFolder) -> impl Iterator<Item = OpenSpecChange> + '_ {
    let mut directories: Vec<String> =
        folder.paths().iter().filter_map(|path| directory(folder, path)).collect();
    directories.dedup();
    directories.into_iter().filter_map(|directory| change(folder, directory))
}

/// The directory of the change that a file belongs to.
fn directory(folder: &dyn PlanFolder, path: &str) -> Option<String> {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    name.strip_suffix(".md")?;
    let slashed = if directory.is_empty() { String::new() } else { format!("{directory}/") };
    let own = |rest: &str| !rest.is_empty() && !rest.contains('/') && rest != "archive";
    let at = slashed.rfind(CHANGES);
    if let Some(at) = at.filter(|at| *at == 0 || slashed[..*at].ends_with('/')) {
        return own(directory.get(at + CHANGES.len()..)?).then_some(slashed);
    }
    // From inside `openspec/`, or from inside a change.
    let has_proposal = folder.holds(&format!("{slashed}proposal.md"));
    let placed = directory.is_empty() || directory.strip_prefix("changes/").is_some_and(own);
    (placed && has_proposal).then_some(slashed)
}

fn change(folder: &dyn PlanFolder, directory: String) -> Option<OpenSpecChange> {
    let name = tracked(folder, &directory).unwrap_or_else(|| "tasks.md".to_owned());
    let tasks = format!("{directory}{name}");
    folder.holds(&tasks).then_some(OpenSpecChange { directory: FeatureDir { directory }, tasks })
}

/// The file of tasks, if the change has a schema of the project's own that names another one.
fn tracked(folder: &dyn PlanFolder, directory: &str) -> Option<String> {
    let root = directory.find("changes/").map_or("", |at| &directory[..at]);
    let schema = text_in(folder, &format!("{directory}.openspec.yaml"), "schema")
        .or_else(|| text_in(folder, &format!("{root}config.yaml"), "schema"))?;
    let file = format!("{root}schemas/{schema}/schema.yaml");
    let node = parse(folder, &file)?;
    let named = get(&node, "apply").and_then(|apply| get(apply, "tracks")).and_then(word);
    let generated = || {
        let Some(Value::List(artifacts)) = get(&node, "artifacts").map(|list| &list.value) else {
            return None;
        };
        let is_tasks = |one: &&Node| get(one, "id").and_then(word).as_deref() == Some("tasks");
        artifacts.iter().find(is_tasks).and_then(|one| get(one, "generates")).and_then(word)
    };
    let plain =
        |name: &String| name.strip_suffix(".md").is_some() && !name.contains(['*', '/', '?']);
    named.filter(plain).or_else(generated).filter(plain)
}

fn text_in(folder: &dyn PlanFolder, file: &str, key: &str) -> Option<String> {
    let node = parse(folder, file)?;
    let text = get(&node, key).and_then(word)?;
    text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)).then_some(text)
}

fn parse(folder: &dyn PlanFolder, file: &str) -> Option<Node> {
    let text = folder.text(file)?.ok()?;
    let source = SourceText::new(file, &text);
    yaml::strict::parse(&source, &(0..text.len())).ok()
}

/// The files of tasks of archived changes.
pub(super) fn archived(folder: &dyn PlanFolder) -> Vec<String> {
    let is_archived = |path: &&String| {
        let (front, rest) = match path.rfind("changes/archive/") {
            Some(at) => (&path[..at], &path[at + "changes/archive/".len()..]),
            None => return false,
        };
        let placed = front.is_empty() || front.ends_with("openspec/");
        placed && rest.strip_suffix("/tasks.md").is_some_and(|name| !name.contains('/'))
    };
    folder.paths().iter().filter(is_archived).cloned().collect()
}
