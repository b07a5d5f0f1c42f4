//! Adds a task to the text of a native plan in TOML, or changes one; everything else stays byte for byte.
//!
//! Lines end as those of the file do. What comes out is not validated here: the caller reads it as it reads any plan.

use std::borrow::Cow;

use afresh_core::plan::nearest;
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, TableLike, Value};

/// What is to be written about a task. A field that is `None` stays as it is; an empty one is removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskFields {
    pub title: Option<String>,
    pub instructions: Option<String>,
    pub tier: Option<String>,
    pub context: Option<String>,
    pub agent: Option<String>,
    pub no_check: Option<String>,
    pub needs: ListChange,
    pub files: ListChange,
    pub checks: ListChange,
    pub requirements: ListChange,
}

/// A change of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListChange {
    /// Everything that the list is to contain.
    pub replace: Option<Vec<String>>,
    /// What it is to contain besides.
    pub add: Vec<String>,
}

/// Why the text was not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanEditError {
    #[error("it is not TOML: {0}")]
    NotToml(String),
    #[error("it is not JSON: {0}")]
    NotJson(String),
    #[error("it has no task {id}")]
    NoTask { id: String, near: Option<String> },
    #[error("it has a task {0} already")]
    Exists(String),
    #[error("its tasks are not written as [[task]] or as a list")]
    NoList,
    #[error("some of its lines end with CRLF and others with LF")]
    MixedLineEnds,
}

/// The text with a new task at the end.
pub fn add_task(text: &str, id: &str, fields: &TaskFields) -> Result<String, PlanEditError> {
    let (layout, mut document) = parse(text)?;
    if task_ids(&document).iter().any(|known| known == id) {
        return Err(PlanEditError::Exists(id.to_owned()));
    }
    let mut entry = Table::new();
    set_text(&mut entry, "id", id);
    set_fields(&mut entry, fields);
    let tasks = document.entry("task").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    match tasks {
        Item::ArrayOfTables(tables) => {
            entry.decor_mut().set_prefix("\n");
            tables.push(entry);
        }
        Item::Value(Value::Array(list)) => list.push(entry.into_inline_table()),
        _ => return Err(PlanEditError::NoList),
    }
    Ok(layout.restore(&document))
}

/// The text with these fields of a task changed.
pub fn change_task(text: &str, id: &str, fields: &TaskFields) -> Result<String, PlanEditError> {
    let (layout, mut document) = parse(text)?;
    let is_it = |task: &dyn TableLike| task.get("id").and_then(Item::as_str) == Some(id);
    let found: Option<&mut dyn TableLike> = match document.get_mut("task") {
        Some(Item::ArrayOfTables(tables)) => {
            tables.iter_mut().find(|task| is_it(*task)).map(|task| task as &mut dyn TableLike)
        }
        Some(Item::Value(Value::Array(list))) => list
            .iter_mut()
            .filter_map(Value::as_inline_table_mut)
            .find(|task| is_it(*task))
            .map(|task| task as &mut dyn TableLike),
        _ => None,
    };
    let Some(task) = found else {
        let ids = task_ids(&document);
        let near = nearest(id, ids.iter().map(String::as_str)).map(str::to_owned);
        return Err(PlanEditError::NoTask { id: id.to_owned(), near });
    };
    set_fields(task, fields);
    Ok(layout.restore(&document))
}

/// What the TOML library does not keep of a file.
#[derive(Debug, Clone, Copy)]
struct FileLayout {
    has_mark: bool,
    /// Whether its lines end with CRLF.
    is_wide: bool,
}

impl FileLayout {
    fn restore(self, document: &DocumentMut) -> String {
        let mark = if self.has_mark { BYTE_ORDER_MARK } else { "" };
        let text = document.to_string();
        let text = if self.is_wide { text.replace('\n', "\r\n") } else { text };
        format!("{mark}{text}")
    }
}

pub(super) const BYTE_ORDER_MARK: &str = "\u{feff}";

fn parse(text: &str) -> Result<(FileLayout, DocumentMut), PlanEditError> {
    let rest = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let wide = rest.matches("\r\n").count();
    if wide != 0 && wide != rest.matches('\n').count() {
        // Which end a line had could not be restored.
        return Err(PlanEditError::MixedLineEnds);
    }
    let narrow =
        if wide == 0 { Cow::Borrowed(rest) } else { Cow::Owned(rest.replace("\r\n", "\n")) };
    let document = narrow.parse().map_err(|error: toml_edit::TomlError| {
        PlanEditError::NotToml(error.message().to_owned())
    })?;
    Ok((FileLayout { has_mark: rest.len() < text.len(), is_wide: wide != 0 }, document))
}

fn task_ids(document: &DocumentMut) -> Vec<String> {
    let id = |task: &dyn TableLike| Some(task.get("id")?.as_str()?.to_owned());
    match document.get("task") {
        Some(Item::ArrayOfTables(tables)) => tables.iter().filter_map(|task| id(task)).collect(),
        Some(Item::Value(Value::Array(list))) => {
            list.iter().filter_map(|task| id(task.as_inline_table()?)).collect()
        }
        _ => Vec::new(),
    }
}

fn set_fields(task: &mut dyn TableLike, fields: &TaskFields) {
    let texts = [("title", &fields.title), ("do", &fields.instructions)];
    let more = [
        ("tier", &fields.tier),
        ("context", &fields.context),
        ("agent", &fields.agent),
        ("no_check", &fields.no_check),
    ];
    let set_texts = |task: &mut dyn TableLike, texts: &[(&str, &Option<String>)]| {
        for (name, text) in texts {
            if let Some(text) = text {
                set_text(task, name, text);
            }
        }
    };
    set_texts(task, &texts);
    set_list(task, "needs", &fields.needs);
    set_list(task, "files", &fields.files);
    set_list(task, "checks", &fields.checks);
    set_list(task, "requirements", &fields.requirements);
    set_texts(task, &more);
}

fn set_text(task: &mut dyn TableLike, name: &str, text: &str) {
    if text.is_empty() {
        task.remove(name);
    } else {
        set_value(task, name, Value::from(text));
    }
}

/// Keeps what stands around the old value, such as a comment behind it.
fn set_value(task: &mut dyn TableLike, name: &str, mut new: Value) {
    match task.get_mut(name).and_then(Item::as_value_mut) {
        Some(old) => {
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
        None => drop(task.insert(name, Item::Value(new))),
    }
}

fn set_list(task: &mut dyn TableLike, name: &str, change: &ListChange) {
    if change.replace.is_none() && change.add.is_empty() {
        return;
    }
    let old = task.get(name).and_then(Item::as_array).cloned().unwrap_or_default();
    let known: Vec<String> = old.iter().filter_map(entry_text).collect();
    let mut wanted = change.replace.clone().unwrap_or(known);
    for added in &change.add {
        if !wanted.contains(added) {
            wanted.push(added.clone());
        }
    }
    wanted.retain(|entry| !entry.is_empty());
    if wanted.is_empty() {
        task.remove(name);
    } else {
        set_value(task, name, Value::Array(changed_list(&old, &wanted)));
    }
}

/// The path, command or id of an entry, which may say more.
fn entry_text(entry: &Value) -> Option<String> {
    let table = || {
        let entry = entry.as_inline_table()?;
        entry.get("path").or(entry.get("run"))?.as_str()
    };
    entry.as_str().or_else(table).map(str::to_owned)
}

/// Entries that stay keep all that they say, and their comments; a list of several lines stays one.
fn changed_list(old: &Array, wanted: &[String]) -> Array {
    // The first entry may stand on the line of the bracket.
    let prefixes = old.iter().filter_map(|entry| entry.decor().prefix()?.as_str());
    let indent = prefixes.filter_map(|prefix| prefix.rsplit_once('\n')).map(|(_, end)| end).next();
    let mut list = old.clone();
    list.clear();
    for text in wanted {
        let kept = old.iter().find(|entry| entry_text(entry).as_ref() == Some(text)).cloned();
        match (indent, kept) {
            (Some(_), Some(kept)) => list.push_formatted(kept),
            (Some(indent), None) => {
                let before = take_last_comment(&mut list);
                let prefix = format!("{before}\n{indent}");
                list.push_formatted(Value::from(text).decorated(prefix, ""));
            }
            (None, Some(kept)) if has_comment(&kept) => list.push_formatted(kept),
            (None, kept) => {
                let mut entry = kept.unwrap_or_else(|| Value::from(text));
                entry.decor_mut().clear();
                list.push(entry);
            }
        }
    }
    list
}

/// The comments behind the comma of the last entry: they are to stay there when another one follows.
fn take_last_comment(list: &mut Array) -> String {
    let trailing = list.trailing().as_str().unwrap_or_default().trim_end().to_owned();
    if !list.trailing_comma() || !trailing.contains('#') {
        return String::new();
    }
    list.set_trailing("\n");
    trailing
}

fn has_comment(entry: &Value) -> bool {
    let decor = entry.decor();
    [decor.prefix(), decor.suffix()]
        .into_iter()
        .flatten()
        .any(|around| around.as_str().is_some_and(|text| text.contains('#')))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = r#"# Our plan
version = 1  # the only one
name = "demo"

# The first
[[task]]
id = "A"
title = "first"   # short
files = [
    { path = "a.txt", action = "create" },  # new
    "b.txt",
]
checks = ["test -s a.txt"]

[[task.steps]]
name = "one"

# The second
[[task]]
id = "B"
needs = ["A"]
title = "second"
# The end
"#;

    fn list(entries: &[&str]) -> ListChange {
        let replace = Some(entries.iter().map(|entry| (*entry).to_owned()).collect());
        ListChange { replace, add: vec![] }
    }

    fn lines_that_differ(old: &str, new: &str) -> (Vec<String>, Vec<String>) {
        let only_in = |one: &str, other: &str| {
            one.lines()
                .filter(|line| !other.lines().any(|it| it == *line))
                .map(str::to_owned)
                .collect()
        };
        (only_in(old, new), only_in(new, old))
    }

    /// HU-08: comments, order and layout stay, and a new task comes last.
    #[test]
    fn a_task_is_added_at_the_end_and_nothing_else_changes() {
        let fields = TaskFields {
            title: Some("third".to_owned()),
            instructions: Some("Two\nlines".to_owned()),
            needs: list(&["A", "B"]),
            checks: list(&["true && \"x\""]),
            ..TaskFields::default()
        };
        let text = add_task(PLAN, "C", &fields).expect("added");
        let (gone, new) = lines_that_differ(PLAN, &text);
        assert_eq!(gone, Vec::<String>::new(), "{text}");
        assert_eq!(new[..3], ["id = \"C\"", "title = \"third\"", "do = \"\"\""], "{text}");
        assert!(text.contains("needs = [\"A\", \"B\"]\n"), "{text}");
        let plan = crate::native::read("p.plan.toml", text.as_bytes()).plan.expect("a plan");
        let tasks: Vec<&str> = plan.tasks().iter().map(|task| task.id.as_str()).collect();
        assert_eq!(tasks, ["A", "B", "C"]);
        assert_eq!(plan.tasks()[2].instructions, "Two\nlines");
        assert_eq!(add_task(PLAN, "A", &fields), Err(PlanEditError::Exists("A".to_owned())));
    }

    /// HU-08: only the named fields change; an entry that stays keeps what it says and its comment.
    #[test]
    fn a_change_touches_only_the_named_fields() {
        let fields = TaskFields {
            title: Some("better".to_owned()),
            files: ListChange { replace: None, add: vec!["c.txt".to_owned()] },
            checks: list(&["test -s a.txt", "test -s c.txt"]),
            ..TaskFields::default()
        };
        let text = change_task(PLAN, "A", &fields).expect("changed");
        let (gone, new) = lines_that_differ(PLAN, &text);
        assert_eq!(gone, ["title = \"first\"   # short", "checks = [\"test -s a.txt\"]"], "{text}");
        let expected = [
            "title = \"better\"   # short",
            "    \"c.txt\",",
            "checks = [\"test -s a.txt\", \"test -s c.txt\"]",
        ];
        assert_eq!(new, expected, "{text}");
    }

    /// HU-08: an empty field is removed; a slip in the id is pointed out.
    #[test]
    fn empty_fields_are_removed() {
        let fields = TaskFields { needs: list(&[""]), ..TaskFields::default() };
        let text = change_task(PLAN, "B", &fields).expect("changed");
        assert_eq!(lines_that_differ(PLAN, &text), (vec!["needs = [\"A\"]".to_owned()], vec![]));
        let slip = change_task(PLAN, "AA", &fields);
        let near = Some("A".to_owned());
        assert_eq!(slip, Err(PlanEditError::NoTask { id: "AA".to_owned(), near }));
    }

    /// HU-08: a plan may list its tasks on one line, or begin with a byte order mark.
    #[test]
    fn tasks_in_a_list_are_changed_too() {
        let plan = "\u{feff}version = 1\ntask = [{ id = \"A\", title = \"a\" }]\n";
        let fields = TaskFields { title: Some("b".to_owned()), ..TaskFields::default() };
        let changed = change_task(plan, "A", &fields).expect("changed");
        assert_eq!(changed, plan.replace("\"a\"", "\"b\""));
        let added = add_task(plan, "B", &fields).expect("added");
        assert!(
            added.contains("{ id = \"A\", title = \"a\" }, { id = \"B\", title = \"b\" }"),
            "{added}"
        );
        assert!(matches!(change_task("x =", "A", &fields), Err(PlanEditError::NotToml(_))));
    }

    /// HU-08: a file whose lines end with CRLF keeps them on every line; one with both is not guessed at.
    #[test]
    fn the_ends_of_lines_stay() {
        let wide = PLAN.replace('\n', "\r\n");
        let same = TaskFields { title: Some("first".to_owned()), ..TaskFields::default() };
        assert_eq!(change_task(&wide, "A", &same).as_deref(), Ok(wide.as_str()));
        let fields = TaskFields {
            title: Some("better".to_owned()),
            instructions: Some("Two\nlines".to_owned()),
            ..TaskFields::default()
        };
        let changed = change_task(&wide, "A", &fields).expect("changed");
        let narrow = change_task(PLAN, "A", &fields).expect("changed");
        assert_eq!(changed, narrow.replace('\n', "\r\n"));
        let added = add_task(&wide, "C", &fields).expect("added");
        let narrow = add_task(PLAN, "C", &fields).expect("added");
        assert_eq!(added, narrow.replace('\n', "\r\n"));
        let plan = crate::native::read("p.plan.toml", added.as_bytes()).plan.expect("a plan");
        assert_eq!(plan.tasks()[2].instructions, "Two\nlines");
        let mixed = PLAN.replacen('\n', "\r\n", 1);
        assert_eq!(change_task(&mixed, "A", &fields), Err(PlanEditError::MixedLineEnds));
    }

    /// HU-08: comments in a list stay, also if its first entry is on the line of the bracket.
    #[test]
    fn comments_in_a_list_stay() {
        let plan = "[[task]]\nid = \"A\"\nfiles = [\"a.txt\", # first\n  \"b.txt\", # second\n]\n\
            checks = [\"x\" # why\n]\n";
        let fields = TaskFields {
            files: ListChange { replace: None, add: vec!["c.txt".to_owned(), "d.txt".to_owned()] },
            checks: list(&["x", "y"]),
            ..TaskFields::default()
        };
        let expected = "[[task]]\nid = \"A\"\nfiles = [\"a.txt\", # first\n  \"b.txt\", # second\n  \"c.txt\",\n  \
            \"d.txt\",\n]\nchecks = [\"x\" # why\n, \"y\"]\n";
        assert_eq!(change_task(plan, "A", &fields).as_deref(), Ok(expected));
    }
}
