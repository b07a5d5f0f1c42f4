//! One `<task>` or `## Task N`: its instructions, files and checks.

use std::ops::Range;

use afresh_core::plan::{Checkpoint, FileDraft, nearest};

use crate::plan_md::checks::verify::{self, LocatedCommand};
use crate::plan_md::files::{self, FileMention};
use crate::plan_md::parse::heading_parts::HeadingParts;
use crate::plan_md::parse::remarks::PlanRemarks;
use crate::plan_md::parse::tags::{OpeningTag, PlanTag, tags, trim, unescape};
use crate::plan_md::parse::task_blocks::TaskBlock;
use crate::plan_md::{checkpoint, completeness};
use crate::prose::{title, unticked};
use afresh_formats::findings::{Fix, TextEdit};
use afresh_formats::text::limits::MAX_LISTED;
use afresh_formats::text::markdown::Heading;

#[derive(Debug, Clone)]
pub struct PlanItem {
    pub name: String,
    /// The range of its opening.
    pub at: Range<usize>,
    /// The text of the task.
    pub text: String,
    pub files: Vec<(FileDraft, Range<usize>)>,
    pub checks: Vec<LocatedCommand>,
    pub checkpoint: Option<Checkpoint>,
    /// Whether the plan marks it as done.
    pub is_done: bool,
    /// The number of the `### Wave N` above it.
    pub wave: u32,
    /// The range of its action.
    pub action: Option<Range<usize>>,
    /// Files that its worker is asked to read first.
    pub reads: Vec<(String, Range<usize>)>,
}

/// The parts of a task.
const PARTS: [&str; 30] = [
    "name",
    "precondition",
    "reversibility",
    "files",
    "file",
    "read_first",
    "behavior",
    "implementation",
    "action",
    "verify",
    "acceptance_criteria",
    "done",
    "what-built",
    "how-to-verify",
    "resume-signal",
    "decision",
    "context",
    "options",
    "instructions",
    "verification",
    "constraints",
    "description",
    "details",
    "steps",
    "notes",
    "interfaces",
    "tests",
    "requirements",
    "commit",
    "output",
];

impl PlanItem {
    /// Reads a `<task>`.
    pub fn of_block(text: &str, block: &TaskBlock, remarks: &mut PlanRemarks) -> Self {
        let parts = tags(text, block.inner.clone(), &PARTS);
        for tag in parts.known.iter().filter(|tag| !tag.is_closed) {
            let message = format!("<{}> is not closed", tag.opening.name);
            let hint = "add the closing tag; it was read up to the next tag";
            let fix =
                Fix::correction(tag.inner.end..tag.inner.end, format!("</{}>", tag.opening.name));
            remarks.fixable("unbalanced-tag", &tag.opening.at, message, hint, fix);
        }
        for opening in &parts.unknown {
            misspelt(text, opening, block.inner.end, remarks);
        }
        let all =
            |wanted: &'static str| parts.known.iter().filter(move |tag| tag.opening.name == wanted);
        let first =
            |wanted| all(wanted).map(|tag| tag_text(text, tag)).find(|text| !text.is_empty());
        let name = first("name")
            .or_else(|| block.opening.attribute("name").map(str::to_owned))
            .or_else(|| {
                first("decision").or_else(|| first("what-built")).or_else(|| first("action"))
            })
            .map_or_else(|| "unnamed".to_owned(), |name| short(&name));
        let kind = block.opening.attribute("type").unwrap_or("auto");
        let point = checkpoint::kind(kind);
        if point.is_none() && !["auto", "tracer", "tdd", "execute", "task", ""].contains(&kind) {
            let message = format!("unknown task type {kind:?}; a worker does the task");
            let hint = "known types: auto, tracer, checkpoint:human-verify, checkpoint:decision, checkpoint:human-action";
            remarks.warning("unknown-task-type", &block.opening.at, message, hint);
        }
        let mut found = Vec::new();
        for tag in all("files").chain(all("file")) {
            collect_files(files::parse(text, &tag.inner), &mut found, remarks);
        }
        let checks = match point {
            None => all("verify")
                .flat_map(|tag| verify::parse(text, &tag.inner, remarks).commands)
                .collect(),
            Some(_) => Vec::new(),
        };
        let status = block.opening.attribute("status").unwrap_or_default();
        let has = |name: &str| parts.known.iter().any(|tag| tag.opening.name == name);
        if point.is_none() {
            completeness::remark(&block.opening, &has, remarks);
            all("done").for_each(|tag| completeness::vague_done(text, &tag.inner, remarks));
        }
        let reads = all("read_first").flat_map(|tag| files::parse(text, &tag.inner));
        let reads = reads.filter_map(|named| match named {
            FileMention::File(file, at) => Some((file.path, at)),
            FileMention::Prose(..) => None,
        });
        let reads = reads.collect();
        let action = all("action").next().map(|tag| tag.inner.clone());
        Self {
            action,
            reads,
            checkpoint: point.map(|kind| checkpoint::read(text, kind, &name, &parts.known)),
            name,
            at: block.opening.at.clone(),
            text: unticked(&dedented(&text[block.inner.clone()])),
            files: found,
            checks,
            is_done: matches!(status, "completed" | "complete" | "done"),
            wave: 0,
        }
    }

    /// Reads the section `## Task N: name` of a plan without tags.
    pub fn of_heading(text: &str, heading: &Heading, remarks: &mut PlanRemarks) -> Self {
        let HeadingParts { files, checks } = HeadingParts::read(text, &heading.body, remarks);
        Self {
            name: short(heading.text),
            at: heading.at.clone(),
            text: unticked(&dedented(&text[heading.body.clone()])),
            files,
            checks,
            checkpoint: None,
            is_done: false,
            wave: 0,
            action: None,
            reads: Vec::new(),
        }
    }
}

/// Adds the files, and a remark about text that is not a path.
pub(crate) fn collect_files(
    named: Vec<FileMention>,
    found: &mut Vec<(FileDraft, Range<usize>)>,
    remarks: &mut PlanRemarks,
) {
    if named.len() > MAX_LISTED {
        let (FileMention::File(_, at) | FileMention::Prose(_, at)) = &named[0];
        let message = format!("more than {MAX_LISTED} files in one list");
        remarks.error("too-large", at, message, "use a directory or a glob");
        return;
    }
    for named in named {
        match named {
            FileMention::File(file, at) => found.push((file, at)),
            FileMention::Prose(_, at) => {
                let message = "this is not a path, so it is ignored".to_owned();
                let hint = "write one path per line, or separate them by commas; put a path with spaces in backticks";
                remarks.warning("file-is-prose", &at, message, hint);
            }
        }
    }
}

/// Reports a misspelt tag, whose contents would be lost (B20).
fn misspelt(text: &str, opening: &OpeningTag, end: usize, remarks: &mut PlanRemarks) {
    let (name, at) = (opening.name, &opening.at);
    let Some(meant) = nearest(name, PARTS.into_iter()) else { return };
    let message = format!("unknown tag <{name}> in a task");
    let hint = format!("did you mean <{meant}>?");
    let word = |start: usize| TextEdit { range: start..start + name.len(), text: meant.to_owned() };
    let closing = text[at.end..end].find(&format!("</{name}>"));
    let fix = closing.map(|closing| Fix {
        edits: vec![word(at.start + 1), word(at.end + closing + 2)],
        keeps_plan: false,
    });
    remarks.fixable_error("unknown-tag", at, message, &hint, fix);
}

fn tag_text(text: &str, tag: &PlanTag) -> String {
    unescape(&text[tag.inner.clone()]).trim().to_owned()
}

/// The first line that is not blank, as a title.
pub(crate) fn short(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    title(line.trim_start_matches(['#', ' ']).trim_end_matches('.'))
}

/// The text without the indentation that all its lines share.
pub(crate) fn dedented(text: &str) -> String {
    let text = &text[trim(text, 0..text.len())];
    let indents = text.lines().skip(1).filter(|line| !line.trim().is_empty());
    let shared =
        indents.map(|line| line.len() - line.trim_start_matches(' ').len()).min().unwrap_or(0);
    let bare = |line: &str| {
        line.get(shared.min(line.len() - line.trim_start_matches(' ').len())..)
            .unwrap_or(line)
            .to_owned()
    };
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().to_owned();
    std::iter::once(first).chain(lines.map(bare)).collect::<Vec<_>>().join("\n")
}
