//! Adds a task to the text of a native plan in JSON, or changes one; everything else stays byte for byte.
//!
//! New members and entries are laid out as those beside them.

use std::ops::Range;

use afresh_core::plan::nearest;
use serde_json::Value as JsonValue;

use super::edit::{BYTE_ORDER_MARK, ListChange, PlanEditError, TaskFields};
use crate::findings::SourceText;
use crate::text::json;
use crate::text::node::{Node, TableEntry, Value};
use crate::text::yaml::values::{entries, get};

/// The text with a new task at the end.
pub fn add_task(text: &str, id: &str, fields: &TaskFields) -> Result<String, PlanEditError> {
    let plan = JsonPlan::parse(text)?;
    if plan.ids().any(|known| known == id) {
        return Err(PlanEditError::Exists(id.to_owned()));
    }
    let mut members = vec![member("id", &quote(id))];
    members.extend(plan.changed_members(None, fields));
    let Some(list) = get(&plan.root, "task") else {
        let task = plan.layout_of(None).render(&members);
        let mut whole = plan.members_of(&plan.root);
        whole.push(member("task", &format!("[{task}]")));
        return Ok(plan.with(&plan.root.span, &plan.layout_of(Some(&plan.root)).render(&whole)));
    };
    let Value::List(tasks) = &list.value else { return Err(PlanEditError::NoList) };
    let task = plan.layout_of(tasks.last()).render(&members);
    let layout = plan.list_layout(Some(list));
    let raw = tasks.iter().map(|task| plan.raw(&task.span).to_owned());
    let all: Vec<String> = raw.chain([task]).collect();
    Ok(plan.with(&list.span, &layout.wrap("[", &all, "]")))
}

/// The text with these fields of a task changed.
pub fn change_task(text: &str, id: &str, fields: &TaskFields) -> Result<String, PlanEditError> {
    let plan = JsonPlan::parse(text)?;
    let Some(task) = plan.tasks().iter().find(|task| text_of(task, "id") == Some(id)) else {
        let near = nearest(id, plan.ids()).map(str::to_owned);
        return Err(PlanEditError::NoTask { id: id.to_owned(), near });
    };
    let members = plan.changed_members(Some(task), fields);
    Ok(plan.with(&task.span, &plan.layout_of(Some(task)).render(&members)))
}

/// A member of an object: its key, and the whole of it as text.
type Member = (String, String);

fn member(key: &str, value: &str) -> Member {
    (key.to_owned(), format!("{}: {value}", quote(key)))
}

fn quote(text: &str) -> String {
    JsonValue::from(text).to_string()
}

fn text_of<'n>(node: &'n Node, key: &str) -> Option<&'n str> {
    match &get(node, key)?.value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// What stands around the parts of an object or a list.
struct JsonLayout<'t> {
    lead: &'t str,
    between: String,
    tail: &'t str,
}

impl JsonLayout<'_> {
    fn wrap(&self, open: &str, parts: &[String], close: &str) -> String {
        format!("{open}{}{}{}{close}", self.lead, parts.join(&self.between), self.tail)
    }

    fn render(&self, members: &[Member]) -> String {
        let parts: Vec<String> = members.iter().map(|(_, text)| text.clone()).collect();
        self.wrap("{", &parts, "}")
    }
}

/// A plan's text with the place of everything in it.
struct JsonPlan<'t> {
    mark: &'t str,
    text: &'t str,
    root: Node,
}

impl<'t> JsonPlan<'t> {
    fn parse(whole: &'t str) -> Result<Self, PlanEditError> {
        let text = whole.strip_prefix(BYTE_ORDER_MARK).unwrap_or(whole);
        let mark = &whole[..whole.len() - text.len()];
        let root = json::parse(&SourceText::new("plan", text))
            .map_err(|finding| PlanEditError::NotJson(finding.message))?;
        match root.value {
            Value::Table(_) => Ok(Self { mark, text, root }),
            _ => Err(PlanEditError::NoList),
        }
    }

    fn tasks(&self) -> &[Node] {
        match get(&self.root, "task").map(|node| &node.value) {
            Some(Value::List(tasks)) => tasks,
            _ => &[],
        }
    }

    fn ids(&self) -> impl Iterator<Item = &str> {
        self.tasks().iter().filter_map(|task| text_of(task, "id"))
    }

    fn raw(&self, span: &Range<usize>) -> &'t str {
        &self.text[span.clone()]
    }

    fn with(&self, span: &Range<usize>, new: &str) -> String {
        format!("{}{}{new}{}", self.mark, &self.text[..span.start], &self.text[span.end..])
    }

    fn layout(&self, outer: &Range<usize>, parts: &[Range<usize>]) -> JsonLayout<'t> {
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
            return JsonLayout { lead: "", between: ", ".to_owned(), tail: "" };
        };
        let lead = &self.text[outer.start + 1..first.start];
        let between = match parts.get(1) {
            Some(second) => self.text[first.end..second.start].to_owned(),
            None if lead.is_empty() => ", ".to_owned(),
            None => format!(",{lead}"),
        };
        JsonLayout { lead, between, tail: &self.text[last.end..outer.end - 1] }
    }

    fn layout_of(&self, object: Option<&Node>) -> JsonLayout<'t> {
        let Some(object) = object else { return self.layout(&(0..0), &[]) };
        let parts: Vec<Range<usize>> = entries(object).iter().map(span_of).collect();
        self.layout(&object.span, &parts)
    }

    fn list_layout(&self, list: Option<&Node>) -> JsonLayout<'t> {
        match list.map(|list| (&list.value, &list.span)) {
            Some((Value::List(items), span)) => {
                let parts: Vec<Range<usize>> = items.iter().map(|item| item.span.clone()).collect();
                self.layout(span, &parts)
            }
            _ => self.layout(&(0..0), &[]),
        }
    }

    fn members_of(&self, object: &Node) -> Vec<Member> {
        let text = |entry: &TableEntry| (entry.key.clone(), self.raw(&span_of(entry)).to_owned());
        entries(object).iter().map(text).collect()
    }

    /// The members of a task with these fields changed; of a new one, if there is none.
    fn changed_members(&self, task: Option<&Node>, fields: &TaskFields) -> Vec<Member> {
        let mut members = task.map(|task| self.members_of(task)).unwrap_or_default();
        let mut set = |key: &str, value: Option<String>| {
            let at = members.iter().position(|(known, _)| known == key);
            match (at, value) {
                (Some(at), Some(value)) => {
                    // Its key and colon stay as they are written.
                    let (_, old) = &members[at];
                    let old_value = task.and_then(|task| get(task, key));
                    let kept = old.len() - old_value.map_or(old.len(), |node| node.span.len());
                    members[at].1 = format!("{}{value}", &old[..kept]);
                }
                (Some(at), None) => drop(members.remove(at)),
                (None, Some(value)) => members.push(member(key, &value)),
                (None, None) => {}
            }
        };
        let mut set_text = |key: &str, text: &Option<String>| {
            if let Some(text) = text {
                set(key, (!text.is_empty()).then(|| quote(text)));
            }
        };
        set_text("title", &fields.title);
        set_text("do", &fields.instructions);
        for (key, text) in [
            ("tier", &fields.tier),
            ("context", &fields.context),
            ("agent", &fields.agent),
            ("no_check", &fields.no_check),
        ] {
            set_text(key, text);
        }
        for (key, change) in [
            ("needs", &fields.needs),
            ("files", &fields.files),
            ("checks", &fields.checks),
            ("requirements", &fields.requirements),
        ] {
            if change.replace.is_some() || !change.add.is_empty() {
                set(key, self.changed_list(task.and_then(|task| get(task, key)), change));
            }
        }
        members
    }

    /// Entries that stay keep all that they say; none are left if the member is to go.
    fn changed_list(&self, old: Option<&Node>, change: &ListChange) -> Option<String> {
        let items: &[Node] = match old.map(|old| &old.value) {
            Some(Value::List(items)) => items,
            _ => &[],
        };
        let known = || items.iter().filter_map(entry_text).map(str::to_owned);
        let mut wanted = change.replace.clone().unwrap_or_else(|| known().collect());
        for added in &change.add {
            if !wanted.contains(added) {
                wanted.push(added.clone());
            }
        }
        wanted.retain(|entry| !entry.is_empty());
        let text = |entry: &String| {
            let kept = items.iter().find(|item| entry_text(item) == Some(entry));
            kept.map_or_else(|| quote(entry), |item| self.raw(&item.span).to_owned())
        };
        let parts: Vec<String> = wanted.iter().map(text).collect();
        (!parts.is_empty()).then(|| self.list_layout(old).wrap("[", &parts, "]"))
    }
}

fn span_of(entry: &TableEntry) -> Range<usize> {
    entry.key_span.start..entry.node.span.end
}

/// The path, command or id of an entry, which may say more.
fn entry_text(entry: &Node) -> Option<&str> {
    match &entry.value {
        Value::Text(text) => Some(text),
        _ => text_of(entry, "path").or_else(|| text_of(entry, "run")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = r#"{
  "version": 1,
  "task": [
    {
      "id": "A",
      "title" : "first",
      "files": [
        { "path": "a.txt", "action": "create" },
        "b.txt"
      ],
      "checks": ["test -s a.txt"]
    }
  ],
  "name": "demo"
}
"#;

    fn list(entries: &[&str]) -> ListChange {
        let replace = Some(entries.iter().map(|entry| (*entry).to_owned()).collect());
        ListChange { replace, add: vec![] }
    }

    /// HU-08: a new task comes last, laid out as the one before it; everything else stays.
    #[test]
    fn a_new_task_is_laid_out_as_the_last_one() {
        let fields = TaskFields {
            title: Some("a \"second\" one".to_owned()),
            needs: list(&["A"]),
            ..TaskFields::default()
        };
        let new = add_task(PLAN, "B", &fields).expect("added");
        let task = "    },\n    {\n      \"id\": \"B\",\n      \"title\": \"a \\\"second\\\" one\",\n      \"needs\": [\"A\"]\n    }\n";
        assert_eq!(new, PLAN.replace("    }\n  ],", &format!("{task}  ],")));
        assert_eq!(add_task(&new, "B", &fields), Err(PlanEditError::Exists("B".to_owned())));
        let short = add_task("\u{feff}{\"version\":1}", "B", &TaskFields::default());
        assert_eq!(short, Ok("\u{feff}{\"version\":1, \"task\": [{\"id\": \"B\"}]}".to_owned()));
    }

    /// HU-08: only what is named changes; entries that stay keep what they say, and what is empty goes.
    #[test]
    fn a_change_keeps_everything_else() {
        let fields = TaskFields {
            title: Some("other".to_owned()),
            tier: Some("small".to_owned()),
            files: ListChange { add: vec!["c.txt".to_owned()], ..ListChange::default() },
            checks: list(&[""]),
            ..TaskFields::default()
        };
        let expected = PLAN
            .replace("\"title\" : \"first\"", "\"title\" : \"other\"")
            .replace("        \"b.txt\"\n", "        \"b.txt\",\n        \"c.txt\"\n")
            .replace("\"checks\": [\"test -s a.txt\"]", "\"tier\": \"small\"");
        assert_eq!(change_task(PLAN, "A", &fields), Ok(expected));
        assert_eq!(change_task(PLAN, "A", &TaskFields::default()), Ok(PLAN.to_owned()));
        let near = change_task(PLAN, "a", &fields).expect_err("no such task");
        assert_eq!(near, PlanEditError::NoTask { id: "a".to_owned(), near: Some("A".to_owned()) });
        assert!(matches!(change_task("{", "A", &fields), Err(PlanEditError::NotJson(_))));
    }
}
