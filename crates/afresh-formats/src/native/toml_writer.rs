//! Writes the entries of a plan as readable TOML.
//!
//! Strings of several lines stay lines; short lists stay on one line. Control characters and invisible
//! characters are escaped, because plans from untrusted sources are shown in terminals.

use std::fmt::Write as _;

use afresh_core::printable::is_unprintable;
use serde::Serialize;

use crate::native::schema::{
    CheckEntry, CheckpointEntry, FileEntry, NativePlanFile, OptionEntry, StepEntry, TaskEntry,
};

/// A list that would be wider than this has a line for each item.
const MAX_WIDTH: usize = 100;

pub(crate) fn render(plan: &NativePlanFile) -> String {
    let mut page = TomlPage(String::new());
    page.line("version", &plan.version.to_string());
    page.text("name", plan.name.as_deref());
    page.text("spec", plan.spec.as_deref());
    page.text("target", plan.target.as_deref());
    for task in &plan.task {
        page.task(task);
    }
    page.0
}

struct TomlPage(String);

impl TomlPage {
    fn task(&mut self, task: &TaskEntry) {
        self.heading("[[task]]");
        self.text("id", Some(&task.id));
        self.text("title", Some(&task.title));
        self.list("needs", task.needs.as_deref(), |id| text(id));
        self.text("done_before", task.done_before.as_deref());
        self.list("requirements", task.requirements.as_deref(), |id| text(id));
        self.word("phase", task.phase.as_ref());
        self.word("steel_thread", task.steel_thread.as_ref());
        self.text("type", task.label.as_deref());
        self.text("agent", task.agent.as_deref());
        self.list("attempts_by", task.attempts_by.as_deref(), |name| text(name));
        self.word("land", task.land.as_ref());
        self.word("tier", task.tier.as_ref());
        self.word("context", task.context.as_ref());
        self.list("files", task.files.as_deref(), file);
        self.list("acceptance", task.acceptance.as_deref(), |path| text(path));
        self.text("do", task.instructions.as_deref());
        self.list("checks", task.checks.as_deref(), check);
        self.text("no_check", task.no_check.as_deref());
        if let Some(checkpoint) = &task.checkpoint {
            self.checkpoint(checkpoint);
        }
        for step in task.steps.iter().flatten() {
            self.step(step);
        }
    }

    fn checkpoint(&mut self, checkpoint: &CheckpointEntry) {
        self.heading("[task.checkpoint]");
        self.word("kind", Some(&checkpoint.kind));
        self.text("text", Some(&checkpoint.text));
        self.list("options", checkpoint.options.as_deref(), option);
    }

    fn step(&mut self, step: &StepEntry) {
        self.heading("[[task.steps]]");
        self.text("name", Some(&step.name));
        self.list("files", step.files.as_deref(), file);
        self.text("do", step.instructions.as_deref());
        self.list("checks", step.checks.as_deref(), check);
    }

    fn heading(&mut self, heading: &str) {
        let _ = writeln!(self.0, "\n{heading}");
    }

    fn line(&mut self, key: &str, value: &str) {
        let _ = writeln!(self.0, "{key} = {value}");
    }

    fn text(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.line(key, &text(value));
        }
    }

    fn word(&mut self, key: &str, value: Option<&impl Serialize>) {
        if let Some(value) = value {
            self.line(key, &word(value));
        }
    }

    fn list<T>(&mut self, key: &str, items: Option<&[T]>, render: impl Fn(&T) -> String) {
        let Some(items) = items else { return };
        let items: Vec<String> = items.iter().map(render).collect();
        let short = format!("[{}]", items.join(", "));
        if short.chars().count() + key.len() + 3 <= MAX_WIDTH && !short.contains('\n') {
            return self.line(key, &short);
        }
        let long: String =
            items.iter().fold(String::new(), |long, item| long + "  " + item + ",\n");
        self.line(key, &format!("[\n{long}]"));
    }
}

fn file(file: &FileEntry) -> String {
    match file {
        FileEntry::Path(path) => text(path),
        FileEntry::Detailed { path, action } => {
            let action = action.map(|action| ("action", word(&action)));
            table([Some(("path", text(path))), action])
        }
    }
}

fn check(check: &CheckEntry) -> String {
    match check {
        CheckEntry::Command(command) => text(command),
        CheckEntry::Detailed { name, run, red_first, guard } => table([
            Some(("run", text(run))),
            name.as_ref().map(|name| ("name", text(name))),
            red_first.map(|flag| ("red_first", flag.to_string())),
            guard.map(|flag| ("guard", flag.to_string())),
        ]),
    }
}

fn option(option: &OptionEntry) -> String {
    let description = option.description.as_ref().map(|words| ("description", text(words)));
    table([Some(("key", text(&option.key))), description])
}

fn table<const N: usize>(fields: [Option<(&str, String)>; N]) -> String {
    let fields = fields.into_iter().flatten().map(|(key, value)| format!("{key} = {value}"));
    format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
}

/// An enum value in the schema's notation.
fn word(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("a word is JSON")
}

fn text(text: &str) -> String {
    let hidden = |c: char| is_unprintable(c) && !matches!(c, '\n' | '\t');
    if text.contains(hidden) {
        return escaped(text, hidden);
    }
    toml_edit::Value::from(text).to_string()
}

/// A string with code points for hidden characters.
fn escaped(text: &str, hidden: impl Fn(char) -> bool) -> String {
    // TOML ignores a line break directly after the opening quotes.
    let (quotes, start) = if text.contains('\n') { ("\"\"\"", "\n") } else { ("\"", "") };
    let mut written = format!("{quotes}{start}");
    for c in text.chars() {
        match c {
            '"' | '\\' => written.extend(['\\', c]),
            '\t' => written.push_str("\\t"),
            c if hidden(c) => {
                let _ = write!(written, "\\U{:08X}", u32::from(c));
            }
            c => written.push(c),
        }
    }
    written + quotes
}
