//! Groups as tasks.

use std::collections::BTreeMap;
use std::ops::Range;

use afresh_core::plan::{FileDraft, PlanField, StepDraft, TaskDraft, nearest};

use super::files::{self, SpecFile};
use super::groups::{self, SpecGroup};
use super::needs;
use super::progress::SpecProgress;
use super::share::{self, GroupClaims, SpecPiece};
use super::spec::{KNOWN, SpecflowSpec};
use super::waves;
use crate::draft::{DraftPlan, DraftTask};
use crate::prose::{self, WorkerBrief, mentions, title, unticked};
use afresh_formats::findings::{Fix, Severity};
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::limits::too_many_tasks;
use afresh_formats::text::markdown::{Heading, TextLine};

/// The most entries for files that belong to all groups, over all tasks.
const MAX_SPREAD_FILES: usize = 100_000;

/// Sections that every group gets.
const SHARED: &[&str] =
    &["task", "context", "goal analysis", "constraints", "assumptions", "implementation order"];

/// Adds the tasks of a spec and returns their range.
pub(super) fn add(
    folder: &dyn PlanFolder,
    drafted: &mut DraftPlan,
    spec: &SpecflowSpec<'_>,
    prefix: &str,
) -> Range<usize> {
    let first = drafted.tasks.len();
    for (key, value) in &spec.unknown {
        drafted.unknown.insert(format!("{}:{}", spec.file, key.text), (*value).to_owned());
        if let Some(near) = nearest(&key.text, KNOWN.iter().copied()) {
            let message = format!("unknown key {:?}", key.text);
            let found = needs::warn(drafted, spec, key.at.clone(), "unknown-field", message);
            found.hint = Some(format!("did you mean {near:?}?"));
            found.fix = Some(Fix::correction(key.at.clone(), near));
        }
    }
    let progress = SpecProgress::read(folder, drafted, spec);
    let finished = progress.of_all().is_some();
    let seen = drafted.findings.len();
    drafted.findings.extend(spec.trouble.clone());
    match groups::read(drafted, spec) {
        Some(groups) if !groups.is_empty() => {
            add_groups(drafted, spec, &groups, &progress, prefix);
        }
        Some(_) => drafted.tasks.push(whole(spec, &progress)),
        None => {
            groups::elsewhere(drafted, spec);
            drafted.tasks.push(whole(spec, &progress));
        }
    }
    contain(drafted, first, seen, finished);
    label(drafted, spec, first);
    first..drafted.tasks.len()
}

/// What is wrong with one spec blocks its tasks and no other spec; of a finished one it does not matter.
fn contain(drafted: &mut DraftPlan, first: usize, seen: usize, finished: bool) {
    let found = &mut drafted.findings[seen..];
    if finished {
        for found in found {
            found.severity = found.severity.min(Severity::Warning);
        }
        return;
    }
    let (errors, others): (Vec<_>, Vec<_>) =
        found.iter().cloned().partition(afresh_formats::Finding::is_error);
    // Beyond a limit nothing of the plan is certain.
    if others.len() == found.len() || errors.iter().any(|error| error.code == "too-large") {
        return;
    }
    drafted.contained += errors.len();
    for task in &mut drafted.tasks[first..] {
        task.block_for(&errors);
    }
}

fn add_groups(
    drafted: &mut DraftPlan,
    spec: &SpecflowSpec<'_>,
    groups: &[SpecGroup<'_>],
    progress: &SpecProgress,
    prefix: &str,
) {
    if let Some(finding) = too_many_tasks(spec.file, groups.len()) {
        drafted.findings.push(finding);
        return;
    }
    let sections: Vec<Option<Heading<'_>>> = sections(spec, groups);
    let claims = GroupClaims::new(spec, groups, &sections);
    let needs = needs::of_groups(drafted, spec, groups);
    waves::compare(drafted, spec, groups, &needs);
    groups::too_large(drafted, spec, groups);
    let files =
        claims.share(files::read(spec), |claims, file| claims.owners_of_file(file.path.text));
    let requirements = claims.share_pieces(share::requirements(spec));
    let criteria = claims.share_pieces(share::criteria(spec));
    let common = CommonBrief::new(spec, &requirements.of_all, &criteria.of_all);
    let spread = files.of_all.len() * groups.len() <= MAX_SPREAD_FILES;
    for (at, group) in groups.iter().enumerate() {
        let mut task = DraftTask::new(TaskDraft::default(), span(spec, &group.row));
        task.note(None, PlanField::Id, 0, span(spec, &group.cell.range()));
        task.note(None, PlanField::Title, 0, span(spec, &group.tasks.range()));
        task.draft.id = format!("{prefix}{}", group.id);
        let pieces = pieces(group.tasks.text);
        task.draft.title = title(pieces.first().copied().unwrap_or_default());
        for (item, (need, place)) in needs[at].iter().enumerate() {
            task.draft.needs.push(format!("{prefix}{need}"));
            task.note(None, PlanField::Needs, item, span(spec, &place.range()));
        }
        // A task without files runs alone, which is safe; an incomplete list would not be.
        if spread {
            for file in files.of_group[at].iter().chain(&files.of_all) {
                add_file(&mut task, spec, file);
            }
        }
        task.draft.steps = steps(spec, &pieces, &requirements.of_group[at]);
        let mut brief = WorkerBrief::for_one_of(groups.len());
        brief.paragraph(group.tasks.text);
        for (column, text) in &group.notes {
            brief.paragraph(&format!("{column}: {text}"));
        }
        if let Some(section) = &sections[at] {
            brief.part(section.text, spec.part(&section.own), spec.file);
        }
        brief.part("Requirements", &texts(spec, &requirements.of_group[at]), spec.file);
        brief.part("Acceptance criteria", &listed(spec, &criteria.of_group[at]), spec.file);
        common.add_to(&mut brief, spec);
        task.draft.instructions = brief.finish();
        task.draft.done_before =
            progress.done_reason(&group.id).or_else(|| progress.done_reason(&group.base));
        drafted.tasks.push(task);
    }
}

/// A spec without groups as one task.
fn whole(spec: &SpecflowSpec<'_>, progress: &SpecProgress) -> DraftTask {
    let at = spec.headings.first().map_or(0..0, |heading| heading.at.clone());
    let mut task = DraftTask::new(TaskDraft::default(), span(spec, &at));
    task.draft.id.clone_from(&spec.id);
    // `# SPEC-001: Title` repeats the id.
    let named = spec.title.strip_prefix(&spec.id).map(|rest| rest.trim_start_matches([':', ' ']));
    task.draft.title = title(named.filter(|rest| !rest.is_empty()).unwrap_or(&spec.title));
    for file in files::read(spec) {
        add_file(&mut task, spec, &file);
    }
    let mut brief = WorkerBrief::for_one_of(1);
    CommonBrief::new(spec, &share::requirements(spec), &share::criteria(spec))
        .add_to(&mut brief, spec);
    task.draft.instructions = brief.finish();
    task.draft.done_before = progress.of_all();
    task
}

fn span(spec: &SpecflowSpec<'_>, at: &Range<usize>) -> SourceSpan {
    SourceSpan::new(spec.file, at.clone())
}

fn add_file(task: &mut DraftTask, spec: &SpecflowSpec<'_>, file: &SpecFile<'_>) {
    let item = task.draft.files.len();
    task.note(None, PlanField::Files, item, span(spec, &file.path.range()));
    task.draft.files.push(FileDraft { path: file.path.text.to_owned(), action: file.action });
}

/// The text that every group gets; built once.
struct CommonBrief<'a> {
    requirements: String,
    criteria: String,
    sections: Vec<(&'a str, &'a str)>,
}

impl<'a> CommonBrief<'a> {
    fn new(
        spec: &SpecflowSpec<'a>,
        requirements: &[SpecPiece<'a>],
        criteria: &[SpecPiece<'a>],
    ) -> Self {
        let sections = SHARED.iter().filter_map(|name| spec.heading(&[name]));
        Self {
            requirements: texts(spec, requirements),
            criteria: listed(spec, criteria),
            sections: sections.map(|found| (found.text, spec.part(&found.body))).collect(),
        }
    }

    fn add_to(&self, brief: &mut WorkerBrief, spec: &SpecflowSpec<'_>) {
        brief.part("Requirements of the whole spec", &self.requirements, spec.file);
        brief.part("Acceptance criteria of the whole spec", &self.criteria, spec.file);
        for (heading, text) in &self.sections {
            brief.part(heading, text, spec.file);
        }
    }
}

fn texts(spec: &SpecflowSpec<'_>, pieces: &[SpecPiece<'_>]) -> String {
    let texts: Vec<&str> = pieces.iter().map(|piece| spec.part(&piece.whole).trim()).collect();
    texts.join("\n\n")
}

fn listed(spec: &SpecflowSpec<'_>, pieces: &[SpecPiece<'_>]) -> String {
    let lines: Vec<String> =
        pieces.iter().map(|piece| format!("- {}", unticked(spec.part(&piece.whole)))).collect();
    lines.join("\n")
}

/// The items of a row as steps, or else the requirements that the group claims.
fn steps(spec: &SpecflowSpec<'_>, pieces: &[&str], claimed: &[SpecPiece<'_>]) -> Vec<StepDraft> {
    let step = |name: &str, text: &str| StepDraft {
        name: title(name),
        instructions: text.trim().to_owned(),
        ..StepDraft::default()
    };
    if pieces.len() > 1 {
        return pieces.iter().map(|piece| step(piece, piece)).collect();
    }
    if claimed.len() < 2 {
        return Vec::new();
    }
    claimed.iter().map(|piece| step(piece.name.text, spec.part(&piece.whole))).collect()
}

/// The items of a cell: separated by line breaks, or else by semicolons outside of brackets and code.
fn pieces(cell: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut depth, mut code) = (0, 0_usize, false);
    let broken = cell.contains("<br");
    for (at, c) in cell.char_indices() {
        match c {
            '`' => code = !code,
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ';' if !broken && !code && depth == 0 => {
                found.push(&cell[start..at]);
                start = at + 1;
            }
            '<' if at >= start && cell[at..].starts_with("<br") => {
                found.push(&cell[start..at]);
                start = cell[at..].find('>').map_or(cell.len(), |end| at + end + 1);
            }
            _ => {}
        }
    }
    found.push(&cell[start..]);
    found.iter().map(|piece| piece.trim()).filter(|piece| !piece.is_empty()).collect()
}

/// The headings that start with a group's id: `#### G2: Handlers`.
fn sections<'a>(spec: &SpecflowSpec<'a>, groups: &[SpecGroup<'a>]) -> Vec<Option<Heading<'a>>> {
    let mut found: Vec<Option<Heading<'a>>> = vec![None; groups.len()];
    let position: BTreeMap<&str, usize> =
        groups.iter().enumerate().map(|(at, group)| (group.id.as_str(), at)).collect();
    for heading in &spec.headings {
        let name = TextLine { text: heading.text, start: heading.at.start };
        let Some(named) = mentions(&name, |letters| letters == "G").into_iter().next() else {
            continue;
        };
        let front = &name.text[..named.id.start - name.start];
        if !front.trim_matches(['*', '`', '[', ' ']).is_empty() && front.trim() != "Group" {
            continue;
        }
        if let Some(at) = position.get(named.id.text) {
            found[*at].get_or_insert_with(|| heading.clone());
        }
    }
    found
}

/// Reports that the criteria are prose, not commands (FO-04).
fn label(drafted: &mut DraftPlan, spec: &SpecflowSpec<'_>, first: usize) {
    let open = |task: &&DraftTask| task.draft.done_before.is_none() && task.fault.is_none();
    let ids: Vec<String> =
        drafted.tasks[first..].iter().filter(open).map(|task| task.draft.id.clone()).collect();
    let Some(task) = drafted.tasks.get(first) else { return };
    let criteria = spec.heading(&["acceptance criteria", "success criteria"]);
    let at = criteria.map_or(task.places.whole.range.clone(), |heading| heading.at.clone());
    let span = SourceSpan::new(spec.file, at);
    prose::label(drafted, &span, ids.iter().map(String::as_str));
}
