//! One issue.

use crate::draft::DraftTask;
use crate::draft::document::{JsonDocument, get};
use crate::draft::status::TaskStanding;
use crate::prose::WorkerBrief;
use afresh_formats::text::node::{Node, Value};
use afresh_formats::text::yaml::values::LocatedWord;

const FIELDS: &[&str] = &[
    "id",
    "title",
    "description",
    "design",
    "acceptance_criteria",
    "notes",
    "status",
    "priority",
    "issue_type",
    "type",
    "dependencies",
    "labels",
    "assignee",
    "owner",
    "created_at",
    "created_by",
    "updated_at",
    "closed_at",
    "close_reason",
    "closed_by_session",
    "external_ref",
    "estimated_minutes",
    "compaction_level",
    "compacted_at",
    "compacted_at_commit",
    "original_size",
    "comments",
    "deleted_at",
    "deleted_by",
    "delete_reason",
    "original_type",
    "due_at",
    "defer_until",
    "ephemeral",
    "pinned",
    "is_template",
    "source_repo",
    "content_hash",
    "spec_id",
    "metadata",
    "created",
    "updated",
    "source_system",
    "sender",
    "parent",
    "parent_id",
];

/// Types of issues that are not work.
const NO_WORK: &[&str] = &[
    "message",
    "merge-request",
    "molecule",
    "gate",
    "event",
    "agent",
    "role",
    "convoy",
    "slot",
    "rig",
];

/// An issue and its links.
pub(super) struct BeadsIssue {
    pub(super) task: DraftTask,
    pub(super) standing: TaskStanding,
    pub(super) is_epic: bool,
    pub(super) links: Vec<IssueLink>,
}

pub(super) struct IssueLink {
    pub(super) to: LocatedWord,
    pub(super) kind: LinkKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkKind {
    /// It waits for the other issue.
    Blocks,
    /// The other issue is its epic.
    ChildOf,
}

/// Reads an issue; `None` for messages, templates and deleted issues.
pub(super) fn read(document: &mut JsonDocument<'_>, node: &Node) -> Option<BeadsIssue> {
    let status = document.word(node, "status");
    let kind = ["issue_type", "type"].iter().find_map(|key| document.word(node, key));
    let kind = kind.map(|word| word.text).unwrap_or_default();
    let set = |key: &str| matches!(get(node, key), Some(Node { value: Value::Bool(true), .. }));
    let gone = status.as_ref().is_some_and(|status| status.text == "tombstone");
    if gone || NO_WORK.contains(&kind.as_str()) || set("is_template") || set("ephemeral") {
        return None;
    }
    let mut task = document.task(node, "title");
    document.keep_unknown(node, &format!("{}.", task.draft.id), FIELDS);
    let standing = standing(document, node, status);
    task.draft.instructions = brief(document, node);
    let links = links(document, node);
    Some(BeadsIssue { task, standing, is_epic: kind == "epic", links })
}

fn standing(
    document: &mut JsonDocument<'_>,
    node: &Node,
    status: Option<LocatedWord>,
) -> TaskStanding {
    let Some(status) = status else { return TaskStanding::Open };
    match status.text.as_str() {
        "closed" => {
            let reason = document.prose(node, "close_reason");
            let first = reason.lines().next().unwrap_or_default().to_owned();
            TaskStanding::Done(if first.is_empty() {
                "closed".to_owned()
            } else {
                format!("closed: {first}")
            })
        }
        "deferred" | "pinned" => TaskStanding::Deferred,
        "open" | "in_progress" | "blocked" | "hooked" | "ready" => TaskStanding::Open,
        _ => {
            let known = ["open", "in_progress", "blocked", "deferred", "closed"];
            document.unknown_status(&status, "open", &known);
            TaskStanding::Open
        }
    }
}

fn brief(document: &mut JsonDocument<'_>, node: &Node) -> String {
    let mut brief = WorkerBrief::for_one_of(1);
    brief.paragraph(&document.prose(node, "description"));
    for (key, heading) in
        [("design", "Design"), ("acceptance_criteria", "Acceptance criteria"), ("notes", "Notes")]
    {
        brief.part(heading, &document.prose(node, key), ".beads/issues.jsonl");
    }
    brief.finish()
}

/// The links: objects with a type, or ids of blocking issues.
fn links(document: &mut JsonDocument<'_>, node: &Node) -> Vec<IssueLink> {
    let mut links = Vec::new();
    let items = match get(node, "dependencies").map(|list| (list, &list.value)) {
        Some((_, Value::List(items))) => items.as_slice(),
        Some((list, _)) => {
            document.wrong(list, "a list");
            &[]
        }
        None => &[],
    };
    for item in items {
        if !matches!(item.value, Value::Table(_)) {
            links.extend(document.word_of(item).map(|to| IssueLink { to, kind: LinkKind::Blocks }));
            continue;
        }
        let to =
            ["depends_on_id", "depends_on", "id"].iter().find_map(|key| document.word(item, key));
        let Some(to) = to else {
            document.wrong(item, "an object with `depends_on_id`");
            continue;
        };
        let kind = ["type", "dependency_type"].iter().find_map(|key| document.word(item, key));
        links.extend(kind_of(document, kind.as_ref()).map(|kind| IssueLink { to, kind }));
    }
    let parent = ["parent", "parent_id"].iter().find_map(|key| document.word(node, key));
    links.extend(parent.map(|to| IssueLink { to, kind: LinkKind::ChildOf }));
    links
}

fn kind_of(document: &mut JsonDocument<'_>, word: Option<&LocatedWord>) -> Option<LinkKind> {
    match word.map(|word| word.text.as_str()) {
        None | Some("blocks" | "conditional-blocks" | "waits-for" | "blocked-by") => {
            Some(LinkKind::Blocks)
        }
        Some("parent-child" | "child-of" | "parent") => Some(LinkKind::ChildOf),
        Some(
            "related" | "relates-to" | "relates_to" | "discovered-from" | "tracks" | "duplicates"
            | "supersedes" | "replies-to" | "caused-by" | "validates" | "until",
        ) => None,
        Some(other) => {
            let shown: String = other.chars().take(40).collect();
            let message = format!("unknown kind of dependency {shown:?}");
            let at = word.map(|word| word.at.clone()).unwrap_or_default();
            document.warn(
                &at,
                "unknown-link",
                message,
                "it is ignored; `blocks` makes an issue wait",
            );
            None
        }
    }
}
