//! What a worker gets in addition to its task: the project, its position in the plan, finished tasks.

use std::fmt::Write as _;

use crate::bundle::{Bundle, FinishedTask, InlinedFile, RelatedTest, TestRelation};

/// The most paths of a finished task.
const MAX_PATHS: usize = 20;
/// The most characters of a note.
const MAX_NOTE_CHARS: usize = 1_000;

pub(crate) fn project(bundle: &Bundle) -> String {
    let Some(project) = &bundle.project else { return String::new() };
    match project.name.as_str() {
        "" => project.description.clone(),
        name => format!("{name}\n\n{}", project.description),
    }
}

/// The project's conventions, and the rules file that the agent's program would not read by itself.
pub(crate) fn conventions(bundle: &Bundle) -> String {
    let own = bundle.patterns.as_ref().map(|patterns| patterns.trim_end().to_owned());
    let file = bundle.project_rules.as_ref().map(|rules| {
        let more = if rules.cut { "\n… (cut here)" } else { "" };
        format!("From {}:\n\n{}{more}", rules.file, rules.text.trim_end())
    });
    own.into_iter().chain(file).collect::<Vec<_>>().join("\n\n")
}

pub(crate) fn position(bundle: &Bundle) -> String {
    let Some(position) = &bundle.position else { return String::new() };
    let name = if bundle.plan.is_empty() { String::new() } else { format!("{}: ", bundle.plan) };
    format!(
        "Part of: {name}task {} of {} in {}, wave {} of {}",
        position.task, position.of_tasks, position.plan_file, position.wave, position.of_waves
    )
}

pub(crate) fn spec(bundle: &Bundle) -> String {
    let Some(spec) = &bundle.spec else { return String::new() };
    let which = if spec.whole { "All of" } else { "The parts for this task of" };
    let more = if spec.cut { "\n… (cut here)" } else { "" };
    format!("{which} {}:\n\n{}{more}", spec.file, spec.text)
}

pub(crate) fn landed(tasks: &[FinishedTask]) -> String {
    tasks.iter().fold(String::new(), |mut text, task| {
        let _ = writeln!(text, "- {}: {}", task.task, task.title);
        for (what, paths) in
            [("created", &task.created), ("changed", &task.modified), ("deleted", &task.deleted)]
        {
            if !paths.is_empty() {
                let _ = writeln!(text, "  - {what}: {}", listed(paths));
            }
        }
        for deviation in &task.deviations {
            let _ = writeln!(text, "  - deviation: {}", one_line(&deviation.description));
        }
        if let Some(notes) = &task.notes {
            let _ = writeln!(text, "  - notes of its worker: {}", one_line(notes));
        }
        text
    })
}

fn listed(paths: &[String]) -> String {
    let shown: Vec<&str> = paths.iter().take(MAX_PATHS).map(String::as_str).collect();
    match paths.len().saturating_sub(MAX_PATHS) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(MAX_NOTE_CHARS).collect()
}

pub(crate) fn interfaces(files: &[InlinedFile]) -> String {
    files.iter().fold(String::new(), |mut text, file| {
        let more = if file.cut { " (start of the file)" } else { "" };
        // The fence must be longer than any in the file.
        let fence = "`".repeat(longest_fence(&file.text).max(2) + 1);
        let _ = writeln!(text, "{}{more}\n{fence}\n{}\n{fence}", file.path, file.text.trim_end());
        text
    })
}

/// Existing tests that touch the task's files, each with why.
pub(crate) fn tests(tests: &[RelatedTest]) -> String {
    tests.iter().fold(String::new(), |mut text, test| {
        let why = match test.why {
            TestRelation::Imports => "imports".to_owned(),
            TestRelation::Name => "name".to_owned(),
            TestRelation::ChangedTogether => format!("changed together {} times", test.times),
        };
        let _ = writeln!(text, "- {} ({why})", test.path);
        text
    })
}

pub(super) fn longest_fence(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
