//! `SpecFlow` and Tasker: the state of an execution, and the results.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use afresh_formats::text::markdown::{Frontmatter, Heading, headings, tables};
use afresh_formats::text::node::{Node, Value as NodeValue};
use afresh_formats::text::yaml::values::{entries, get};
use serde_json::{Value, json};

use super::documents::{EditedDocument, gap_after, list_checks, list_deviations, list_files};
use super::edits::PlanEdits;
use super::finished::{MarkedTask, one_line};
use super::json_edits::{items, member_text, parse, set_member};
use super::{PlanProgress, TaskMark, WritebackProblem, records};

/// The state of the execution; after the last group, the summary, the status of the spec, and STATE.md.
pub(super) fn finish_group(
    progress: &PlanProgress<'_>,
    edits: &mut PlanEdits,
) -> Result<TaskMark, WritebackProblem> {
    let file = &*progress.place().file;
    let text = progress.text(file)?;
    let id = spec_id(file, &text);
    let home = file.strip_suffix(file.rsplit('/').next().unwrap_or(file)).unwrap_or_default();
    let home = home.strip_suffix("specs/").unwrap_or(home).to_owned();
    let groups: Vec<&str> = progress.tasks_of(file).collect();
    if groups.len() > 1 {
        write_execution_state(progress, &home, &id, &groups, edits)?;
    }
    if groups.iter().all(|group| progress.is_finished(group)) {
        finish_spec(progress, file, &text, &groups, edits);
        review_state(progress, &home, &id, edits);
    }
    Ok(TaskMark::Task)
}

fn spec_id(file: &str, text: &str) -> String {
    let keys = Frontmatter::early(text).map(|block| block.keys()).unwrap_or_default();
    let own = keys.iter().find(|key| key.name == "id");
    let name = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".md");
    own.map_or(name, |key| key.value.trim().trim_matches(['"', '\''])).to_owned()
}

/// The name of a group in its own spec.
fn bare_group<'g>(group: &'g str, spec: &str) -> &'g str {
    group.strip_prefix(spec).and_then(|rest| rest.strip_prefix('.')).unwrap_or(group)
}

/// What `SpecFlow` keeps of a finished group.
fn group_result(progress: &PlanProgress<'_>) -> Value {
    let task = progress.task;
    let criteria: Vec<&str> = task
        .claim
        .criteria
        .iter()
        .filter(|one| one.result == afresh_core::outcome::CriterionResult::Pass)
        .map(|one| one.name.as_str())
        .collect();
    let deviations: Vec<&str> =
        task.claim.deviations.iter().map(|one| one.description.as_str()).collect();
    json!({
        "status": "complete",
        "files_created": task.created,
        "files_modified": task.modified,
        "criteria_met": criteria,
        "deviations": deviations,
        "run": task.run,
        "attempt": task.attempt,
    })
}

fn write_execution_state(
    progress: &PlanProgress<'_>,
    home: &str,
    spec: &str,
    groups: &[&str],
    edits: &mut PlanEdits,
) -> Result<(), WritebackProblem> {
    let file = execution_state(progress, spec)
        .unwrap_or_else(|| format!("{home}execution/{spec}-state.json"));
    let own = bare_group(&progress.task.id, spec);
    if let Some(text) = progress.old_text(&file)? {
        let unreadable = || WritebackProblem::Unreadable(file.clone());
        let root = parse(&file, &text).ok_or_else(unreadable)?;
        let is_named = update_waves(progress, &file, &text, &root, own, edits);
        return if is_named { Ok(()) } else { Err(WritebackProblem::NoPlace(file)) };
    }
    let state = new_state(progress, spec, groups, own);
    let text = serde_json::to_string_pretty(&state).unwrap_or_default();
    progress.add_file(&file, text + "\n", edits)
}

/// Sets the result of the group in a state that names it.
fn update_waves(
    progress: &PlanProgress<'_>,
    file: &str,
    text: &str,
    root: &Node,
    own: &str,
    edits: &mut PlanEdits,
) -> bool {
    let names = |wave: &Node| -> Vec<String> {
        let groups = items(wave, "groups").iter();
        groups.filter_map(|group| serde_json::from_str(&text[group.span.clone()]).ok()).collect()
    };
    let Some(wave) =
        items(root, "waves").iter().find(|wave| names(wave).iter().any(|it| it == own))
    else {
        return false;
    };
    let result = group_result(progress);
    let status_of = |group: &str| {
        let results = get(wave, "results")?;
        let found = get(results, group)?;
        member_text(found, "status")
            .map(str::to_owned)
            .or_else(|| serde_json::from_str(&text[found.span.clone()]).ok())
    };
    let all = names(wave);
    let is_whole = all.iter().all(|group| {
        group == own
            || status_of(group).is_some_and(|status: String| status.starts_with("complete"))
    });
    let status = if is_whole { "complete" } else { "in_progress" };
    let mut fields = vec![("status", json!(status))];
    match get(wave, "results") {
        Some(results) => {
            if let Some(edit) = set_member(text, results, own, &result) {
                edits.replace(file, edit.at, edit.text);
            }
        }
        None => fields.push(("results", json!({ own: result }))),
    }
    records::set_all(text, wave, &fields, file, edits);
    let checkpoint = [("last_checkpoint", json!(progress.task.moment()))];
    records::set_all(text, root, &checkpoint, file, edits);
    true
}

fn new_state(progress: &PlanProgress<'_>, spec: &str, groups: &[&str], own: &str) -> Value {
    let mut waves: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for group in groups {
        waves.entry(progress.wave_of(group)).or_default().push(group);
    }
    let waves: Vec<Value> = waves
        .values()
        .zip(1..)
        .map(|(groups, id)| {
            let names: Vec<&str> = groups.iter().map(|group| bare_group(group, spec)).collect();
            let done = |group: &&&str| progress.is_finished(group);
            let results: serde_json::Map<String, Value> = groups
                .iter()
                .filter(done)
                .map(|group| {
                    let name = bare_group(group, spec);
                    let result = if name == own {
                        group_result(progress)
                    } else {
                        json!({"status": "complete"})
                    };
                    (name.to_owned(), result)
                })
                .collect();
            let status = match results.len() {
                0 => "pending",
                count if count == names.len() => "complete",
                _ => "in_progress",
            };
            json!({"id": id, "groups": names, "status": status, "results": results})
        })
        .collect();
    let moment = progress.task.moment();
    json!({
        "spec_id": spec, "mode": "orchestrated", "started": moment, "waves": waves, "commits": [],
        "last_checkpoint": moment,
    })
}

/// The status, and the summary at the end.
fn finish_spec(
    progress: &PlanProgress<'_>,
    file: &str,
    text: &str,
    groups: &[&str],
    edits: &mut PlanEdits,
) {
    let keys = Frontmatter::early(text).map(|block| block.keys()).unwrap_or_default();
    if let Some(status) = keys.iter().find(|key| key.name == "status") {
        let value = text[status.value_at.clone()].lines().next().unwrap_or_default();
        let start = status.value_at.start + (value.len() - value.trim_start().len());
        edits.replace(file, start..start + value.trim().len(), "review");
    }
    let is_summary = |one: &Heading<'_>| one.text.trim().eq_ignore_ascii_case("execution summary");
    if headings(text).iter().any(is_summary) {
        return;
    }
    let task = progress.task;
    let mode = if groups.len() > 1 { "orchestrated" } else { "single" };
    let mut summary = format!(
        "{}## Execution Summary\n\n**Executed:** {}\n**Mode:** {mode}\n**Run:** {}\n\n",
        gap_after(text),
        task.date(),
        task.run
    );
    if groups.len() > 1 {
        summary.push_str("### Execution Waves\n\n");
        for group in groups {
            let (wave, title) = (progress.wave_of(group), one_line(&progress.title_of(group)));
            let _ = writeln!(summary, "- wave {}: {group}, {title}", wave + 1);
        }
        summary.push('\n');
    }
    let (mut created, mut modified) = earlier_files(progress, &spec_id(file, text));
    created.extend(task.created.iter().cloned());
    modified.extend(task.modified.iter().cloned());
    modified.retain(|path| !created.contains(path));
    let all = |paths: BTreeSet<String>| paths.into_iter().collect::<Vec<String>>();
    let whole = MarkedTask { created: all(created), modified: all(modified), ..task.clone() };
    let _ = write!(summary, "### Files\n\n{}\n", list_files(&whole));
    let _ = write!(summary, "### Checks\n\n{}\n", list_checks(task));
    let _ = write!(summary, "### Deviations\n\n{}", list_deviations(task));
    edits.replace(file, text.len()..text.len(), summary);
}

/// The files that earlier groups created and modified, by the state of the execution.
fn earlier_files(progress: &PlanProgress<'_>, spec: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut created, mut modified) = (BTreeSet::new(), BTreeSet::new());
    let state = execution_state(progress, spec).and_then(|file| progress.text_if_any(&file));
    let state: Value = serde_json::from_str(&state.unwrap_or_default()).unwrap_or_default();
    for wave in state["waves"].as_array().into_iter().flatten() {
        for result in wave["results"].as_object().into_iter().flat_map(|results| results.values()) {
            let paths = |key: &str| {
                let listed = result[key].as_array().into_iter().flatten();
                listed.filter_map(|path| path.as_str().map(str::to_owned)).collect::<Vec<_>>()
            };
            created.extend(paths("files_created"));
            modified.extend(paths("files_modified"));
        }
    }
    (created, modified)
}

/// The file with the state of an execution, if there is one.
fn execution_state(progress: &PlanProgress<'_>, spec: &str) -> Option<String> {
    let end = format!("execution/{spec}-state.json");
    let is_own = |path: &&String| {
        let front = path.strip_suffix(end.as_str());
        front.is_some_and(|front| front.is_empty() || front.ends_with('/'))
    };
    progress.folder.paths().iter().find(is_own).cloned()
}

/// STATE.md: the active spec waits for its review.
fn review_state(progress: &PlanProgress<'_>, home: &str, spec: &str, edits: &mut PlanEdits) {
    let file = format!("{home}STATE.md");
    let Some(text) = progress.text_if_any(&file) else { return };
    let mut document = EditedDocument { file: file.clone(), text: text.clone(), edits };
    let is_active = text.lines().any(|line| {
        let bare: String = line.chars().filter(|c| *c != '*').collect();
        bare.trim_start_matches(['-', ' ']).strip_prefix("Active Specification:").is_some_and(
            |value| {
                value.split(|c: char| !c.is_alphanumeric() && c != '-').any(|word| word == spec)
            },
        )
    });
    if is_active {
        document.set_state("Status", |_| Some("review".to_owned()));
        document.set_state("Next Step", |_| Some("/sf:review".to_owned()));
    }
    // Other tables of STATE.md name specs too, with a status that means something else.
    let is_queue = |heading: &Heading<'_>| {
        let title = heading.text.to_lowercase();
        ["queue", "specification"].iter().any(|word| title.contains(word))
    };
    let sections = headings(&text).into_iter().filter(is_queue);
    for table in sections.flat_map(|heading| tables(&text, heading.own)) {
        let (Some(id), Some(status)) =
            (table.column(&["id", "spec", "specification"]), table.column(&["status"]))
        else {
            continue;
        };
        let own = table.rows.iter().find(|row| row.cell(Some(id)).text.trim_matches('`') == spec);
        if let Some(cell) = own.map(|row| row.cell(Some(status))).filter(|it| !it.text.is_empty()) {
            document.edits.replace(&file, cell.range(), "review");
        }
    }
}

/// Tasker: the result of the task, and its status in `state.json`.
pub(super) fn finish_tasker(
    progress: &PlanProgress<'_>,
    edits: &mut PlanEdits,
) -> Result<TaskMark, WritebackProblem> {
    let file = &*progress.place().file;
    let task = progress.task;
    let root = file.rfind("tasks/").map_or("", |at| &file[..at]);
    let text = progress.text(file)?;
    let own = parse(file, &text).ok_or(WritebackProblem::NotUnderstood)?;
    let checks: Vec<Value> = task
        .checks
        .iter()
        .map(|check| {
            let command = &check.command;
            json!({"name": command, "status": "PASS", "command": command, "exit_code": 0})
        })
        .collect();
    let moment = task.moment();
    let result = json!({
        "version": "1.0",
        "task_id": task.id,
        "name": task.title,
        "status": "success",
        "started_at": moment,
        "completed_at": moment,
        "files": {"created": task.created, "modified": task.modified},
        "verification": {"verdict": "PASS", "criteria": checks},
        "notes": task.summary().unwrap_or_default(),
    });
    let path = format!("{root}bundles/{}-result.json", task.id);
    if let Some(old) = progress.old_text(&path)? {
        correct_result(&path, &old, &moment, edits)?;
    } else {
        let text = serde_json::to_string_pretty(&result).unwrap_or_default();
        progress.add_file(&path, text + "\n", edits)?;
    }
    update_tasker_state(progress, root, &own, edits);
    Ok(TaskMark::Task)
}

/// The result of an earlier execution says that this one succeeded, and keeps the rest.
fn correct_result(
    path: &str,
    old: &str,
    moment: &str,
    edits: &mut PlanEdits,
) -> Result<(), WritebackProblem> {
    let unreadable = || WritebackProblem::Unreadable(path.to_owned());
    let root = parse(path, old).ok_or_else(unreadable)?;
    if !matches!(root.value, NodeValue::Table(_)) {
        return Err(WritebackProblem::NoPlace(path.to_owned()));
    }
    if member_text(&root, "status") != Some("success") {
        let fields = [("status", json!("success")), ("completed_at", json!(moment))];
        records::set_all(old, &root, &fields, path, edits);
    }
    Ok(())
}

fn update_tasker_state(progress: &PlanProgress<'_>, root: &str, own: &Node, edits: &mut PlanEdits) {
    let file = format!("{root}state.json");
    let Some(text) = progress.text_if_any(&file) else { return };
    let Some(state) = parse(&file, &text) else { return };
    let (task, moment) = (progress.task, progress.task.moment());
    let Some(tasks) = get(&state, "tasks") else { return };
    let done = [
        ("status", json!("complete")),
        ("completed_at", json!(moment)),
        ("files_created", json!(task.created)),
        ("files_modified", json!(task.modified)),
        ("attempts", json!(task.attempt)),
    ];
    if let Some(entry) = get(tasks, &task.id) {
        records::set_all(&text, entry, &done, &file, edits);
    } else {
        let own_text = progress.text(&progress.place().file).unwrap_or_default();
        let phase = get(own, "phase").and_then(|node| own_text.get(node.span.clone()));
        let phase = phase.and_then(|phase| serde_json::from_str::<Value>(phase).ok());
        let mut entry =
            json!({"id": task.id, "name": task.title, "phase": phase.unwrap_or(json!(1))});
        for (key, value) in &done {
            entry[*key] = value.clone();
        }
        records::set_all(&text, tasks, &[(task.id.as_str(), entry)], &file, edits);
    }
    let settled = ["complete", "completed", "done", "skipped"];
    let is_settled = |entry: &&afresh_formats::text::node::TableEntry| {
        entry.key == task.id
            || member_text(&entry.node, "status").is_some_and(|status| settled.contains(&status))
    };
    let listed = entries(tasks);
    let count = listed.iter().filter(is_settled).count();
    if let Some(execution) = get(&state, "execution")
        && get(execution, "completed_count").is_some()
    {
        let completed = listed.iter().filter(|entry| {
            entry.key == task.id
                || member_text(&entry.node, "status")
                    .is_some_and(|status| settled[..3].contains(&status))
        });
        let completed = [("completed_count", json!(completed.count()))];
        records::set_all(&text, execution, &completed, &file, edits);
    }
    let known = entries(tasks).iter().any(|entry| entry.key == task.id);
    if known
        && count == listed.len()
        && let Some(phase) = get(&state, "phase")
        && matches!(member_text(phase, "current"), Some("ready" | "executing"))
    {
        records::set_all(&text, phase, &[("current", json!("complete"))], &file, edits);
    }
    if get(&state, "updated_at").is_some() {
        records::set_all(&text, &state, &[("updated_at", json!(moment))], &file, edits);
    }
}
