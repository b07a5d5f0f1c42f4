//! A plan as it was written, not yet checked.

use std::collections::{BTreeMap, BTreeSet};

use super::contest::{Contest, ContestRule, MAX_CONTESTANTS};
use super::problem::{PlanField, PlanProblem, ProblemKind, ProblemLocation};
use super::requirement::RequirementId;
use super::task::{
    AcceptanceFile, Check, Checkpoint, ContextLevel, FileAction, FileScope, Step, Task,
};
use super::tier::TierChoice;
use super::{MAX_PARTS, MAX_TASKS, Plan, graph};
use crate::commit::CommitLabel;
use crate::ids::TaskId;
use crate::pattern::FilePattern;

/// The longest command that is accepted, in bytes.
const MAX_COMMAND_BYTES: usize = 64 * 1024;

/// For how many problems a similar word is searched for.
const MAX_SUGGESTIONS: usize = 50;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanDraft {
    pub name: String,
    pub spec: Option<String>,
    pub tasks: Vec<TaskDraft>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskDraft {
    pub id: String,
    pub title: String,
    pub instructions: String,
    pub needs: Vec<String>,
    pub files: Vec<FileDraft>,
    pub checks: Vec<CheckDraft>,
    pub no_check: Option<String>,
    pub steps: Vec<StepDraft>,
    pub tier: Option<TierChoice>,
    pub context: Option<ContextLevel>,
    pub agent: Option<String>,
    /// Agents that compete for it.
    pub attempts_by: Vec<String>,
    pub land: Option<ContestRule>,
    pub commit: Option<CommitLabel>,
    /// Ids of requirements; those that are none are left out.
    pub requirements: Vec<String>,
    pub phase: Option<u32>,
    pub steel_thread: bool,
    /// Paths of files that another author wrote before the work.
    pub acceptance: Vec<String>,
    pub checkpoint: Option<Checkpoint>,
    pub done_before: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepDraft {
    pub name: String,
    pub instructions: String,
    pub files: Vec<FileDraft>,
    pub checks: Vec<CheckDraft>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileDraft {
    pub path: String,
    pub action: Option<FileAction>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckDraft {
    pub name: Option<String>,
    pub command: String,
    pub red_first: bool,
    pub guard: bool,
}

impl From<&Plan> for PlanDraft {
    fn from(plan: &Plan) -> Self {
        let tasks = plan.tasks().iter().map(TaskDraft::from).collect();
        Self { name: plan.name.clone(), spec: plan.spec.clone(), tasks }
    }
}

impl From<&Task> for TaskDraft {
    fn from(task: &Task) -> Self {
        let step = |step: &Step| StepDraft {
            name: step.name.clone(),
            instructions: step.instructions.clone(),
            files: step.files.iter().map(FileDraft::from).collect(),
            checks: step.checks.iter().map(CheckDraft::from).collect(),
        };
        Self {
            id: task.id.to_string(),
            title: task.title.clone(),
            instructions: task.instructions.clone(),
            needs: task.needs.iter().map(ToString::to_string).collect(),
            files: task.files.iter().map(FileDraft::from).collect(),
            checks: task.checks.iter().map(CheckDraft::from).collect(),
            no_check: task.no_check.clone(),
            steps: task.steps.iter().map(step).collect(),
            tier: task.tier,
            context: task.context,
            agent: task.agent.clone(),
            attempts_by: task.contest.iter().flat_map(|contest| contest.agents.clone()).collect(),
            land: task.contest.as_ref().map(|contest| contest.land),
            commit: task.commit.clone(),
            requirements: task.requirements.iter().map(ToString::to_string).collect(),
            phase: task.phase,
            steel_thread: task.steel_thread,
            acceptance: task.acceptance.iter().map(|file| file.path.clone()).collect(),
            checkpoint: task.checkpoint.clone(),
            done_before: task.done_before.clone(),
        }
    }
}

impl From<&FileScope> for FileDraft {
    fn from(scope: &FileScope) -> Self {
        Self { path: scope.pattern.to_string(), action: scope.action }
    }
}

impl From<&Check> for CheckDraft {
    fn from(check: &Check) -> Self {
        Self {
            name: Some(check.name.clone()),
            command: check.command.clone(),
            red_first: check.red_first,
            guard: check.guard,
        }
    }
}

impl TaskDraft {
    /// How many steps, files, checks and dependencies it has.
    fn parts(&self) -> usize {
        let steps = self.steps.iter().map(|step| 1 + step.files.len() + step.checks.len());
        let own = self.needs.len() + self.files.len() + self.checks.len() + self.acceptance.len();
        own + self.requirements.len() + steps.sum::<usize>()
    }
}

/// Turns the draft into a plan; collects all problems before it fails.
pub(super) fn check(draft: &PlanDraft) -> Result<Plan, Vec<PlanProblem>> {
    let mut problems = Vec::new();
    if draft.tasks.is_empty() {
        return Err(vec![
            PlanProblem::new(
                ProblemKind::Empty,
                ProblemLocation::plan(),
                "the plan has no tasks: nothing to do",
            )
            .with_hint("add a task with an id, a title and a check"),
        ]);
    }
    if draft.tasks.len() > MAX_TASKS {
        let message =
            format!("the plan has {} tasks; at most {MAX_TASKS} are allowed", draft.tasks.len());
        return Err(vec![
            PlanProblem::new(ProblemKind::TooLarge, ProblemLocation::plan(), message)
                .with_hint("split it into several plans"),
        ]);
    }
    let parts: usize = draft.tasks.iter().map(TaskDraft::parts).sum();
    if parts > MAX_PARTS {
        let message = format!(
            "the plan has {parts} steps, files, checks and dependencies; at most {MAX_PARTS} are allowed"
        );
        return Err(vec![
            PlanProblem::new(ProblemKind::TooLarge, ProblemLocation::plan(), message).with_hint(
                "split it into several plans; a directory or a glob stands for many files",
            ),
        ]);
    }
    let ids = ids(draft, &mut problems);
    let known: BTreeSet<&str> = draft.tasks.iter().map(|t| t.id.as_str()).collect();
    let mut tasks = Vec::with_capacity(draft.tasks.len());
    for (at, task) in draft.tasks.iter().enumerate() {
        let read = DraftReader { at, step: None, problems: &mut problems };
        if let (Some(task), Some(id)) = (read.task(task, &known), ids[at].clone()) {
            tasks.push(Task { id, ..task });
        }
    }
    if !problems.is_empty() {
        problems.extend(circles(draft));
        return Err(problems);
    }
    Plan::assemble(draft.name.clone(), draft.spec.clone(), tasks)
}

/// The cycles of a plan that has other problems too, so that all are reported at once.
fn circles(draft: &PlanDraft) -> Vec<PlanProblem> {
    let ids: Vec<&str> = draft.tasks.iter().map(|task| task.id.as_str()).collect();
    let mut positions: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, id) in ids.iter().enumerate() {
        positions.entry(id).or_insert(at);
    }
    let position = |need: &String| positions.get(need.as_str()).copied();
    let needs: Vec<Vec<usize>> =
        draft.tasks.iter().map(|task| task.needs.iter().filter_map(position).collect()).collect();
    graph::circles(&ids, &needs)
}

/// The valid ids; invalid and duplicate ones become problems.
fn ids(draft: &PlanDraft, problems: &mut Vec<PlanProblem>) -> Vec<Option<TaskId>> {
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    let mut ids = Vec::with_capacity(draft.tasks.len());
    for (at, task) in draft.tasks.iter().enumerate() {
        let place = ProblemLocation::task(at, PlanField::Id);
        match TaskId::new(task.id.as_str()) {
            Ok(id) => {
                // Refs and directories are named after ids, and some file systems ignore case.
                if let Some(other) = first.insert(task.id.to_ascii_lowercase(), at) {
                    let message = format!(
                        "two tasks have the id {:?}: number {} and number {} of the plan",
                        task.id,
                        other + 1,
                        at + 1
                    );
                    problems.push(
                        PlanProblem::new(ProblemKind::DuplicateId, place, message)
                            .related_to(ProblemLocation::task(other, PlanField::Id))
                            .with_hint("give one of them another id; upper and lower case do not tell ids apart"),
                    );
                }
                ids.push(Some(id));
            }
            Err(why) => {
                let shown: String = task.id.chars().take(80).collect();
                problems.push(
                    PlanProblem::new(ProblemKind::BadId, place, format!("the id {shown:?} {why}"))
                        .with_hint(
                            "ids are 1 to 64 letters, digits, '-', '_' or '.', for example T001",
                        ),
                );
                ids.push(None);
            }
        }
    }
    ids
}

struct DraftReader<'a> {
    at: usize,
    step: Option<usize>,
    problems: &'a mut Vec<PlanProblem>,
}

impl DraftReader<'_> {
    fn task(mut self, draft: &TaskDraft, known: &BTreeSet<&str>) -> Option<Task> {
        let before = self.problems.len();
        if draft.title.trim().is_empty() {
            let message = format!("task {:?} has no title", draft.id);
            let hint = "add `title = \"…\"`: a few words that say what is done";
            self.report(ProblemKind::MissingTitle, PlanField::Title, 0, message, hint);
        }
        if draft.no_check.as_ref().is_some_and(|reason| reason.trim().is_empty()) {
            let message = format!("task {:?}: no_check gives no reason", draft.id);
            let hint = "say why no check is meant, or give the task `checks`";
            self.report(ProblemKind::BadCheck, PlanField::NoCheck, 0, message, hint);
        }
        let needs = self.needs(draft, known);
        let mut files = self.files(&draft.id, &draft.files);
        let acceptance = self.acceptance(draft, &mut files);
        let checks = self.checks(&draft.id, &draft.checks);
        let contest = self.contest(draft);
        let mut steps = Vec::with_capacity(draft.steps.len());
        for (number, step) in draft.steps.iter().enumerate() {
            self.step = Some(number);
            let files = self.files(&draft.id, &step.files);
            let checks = self.checks(&draft.id, &step.checks);
            let name = if step.name.trim().is_empty() {
                format!("step {}", number + 1)
            } else {
                step.name.clone()
            };
            steps.push(Step { name, instructions: step.instructions.clone(), files, checks });
        }
        (self.problems.len() == before).then(|| Task {
            id: TaskId::new("placeholder").expect("a plain word is an id"),
            title: draft.title.trim().to_owned(),
            instructions: draft.instructions.clone(),
            needs,
            files,
            checks,
            no_check: draft.no_check.clone(),
            steps,
            tier: draft.tier,
            context: draft.context,
            agent: draft.agent.clone(),
            contest,
            commit: draft.commit.clone(),
            requirements: requirement_ids(&draft.requirements),
            checkpoint: draft.checkpoint.clone(),
            phase: draft.phase,
            steel_thread: draft.steel_thread,
            acceptance,
            done_before: draft.done_before.clone(),
        })
    }

    fn contest(&mut self, draft: &TaskDraft) -> Option<Contest> {
        let agents = draft.attempts_by.clone();
        let problem = if agents.is_empty() {
            draft.land.map(|_| "has `land`, but no `attempts_by`".to_owned())
        } else if draft.agent.is_some() {
            Some("has both `agent` and `attempts_by`".to_owned())
        } else if agents.len() > MAX_CONTESTANTS {
            Some(format!("names {} agents; at most {MAX_CONTESTANTS} can compete", agents.len()))
        } else if agents.iter().any(|name| name.trim().is_empty()) {
            Some("names an agent without a name in `attempts_by`".to_owned())
        } else {
            None
        };
        if let Some(problem) = problem {
            let message = format!("task {:?} {problem}", draft.id);
            let hint = "`agent` names one agent; `attempts_by` names several that compete, and `land` says whose \
                        work lands: first or cheapest";
            self.report(ProblemKind::BadAgents, PlanField::AttemptsBy, 0, message, hint);
            return None;
        }
        (!agents.is_empty()).then(|| Contest { agents, land: draft.land.unwrap_or_default() })
    }

    fn needs(&mut self, draft: &TaskDraft, known: &BTreeSet<&str>) -> Vec<TaskId> {
        let mut needs: Vec<TaskId> = Vec::new();
        let mut seen = BTreeSet::new();
        for (item, need) in draft.needs.iter().enumerate() {
            if !known.contains(need.as_str()) {
                // With many problems, searching for the nearest of many ids would take minutes.
                let few = self.problems.len() < MAX_SUGGESTIONS;
                let others = known.iter().copied().filter(|id| *id != draft.id);
                let near = few.then(|| nearest(need, others)).flatten();
                let hint = near.map_or_else(
                    || "add a task with that id, or remove it from `needs`".to_owned(),
                    |near| format!("did you mean {near:?}?"),
                );
                let message =
                    format!("task {:?} needs {need:?}, which is not in the plan", draft.id);
                self.report(ProblemKind::UnknownNeed, PlanField::Needs, item, message, &hint);
            } else if let Ok(id) = TaskId::new(need.as_str())
                && seen.insert(need.as_str())
            {
                needs.push(id);
            }
        }
        needs
    }

    fn files(&mut self, id: &str, drafts: &[FileDraft]) -> Vec<FileScope> {
        let mut files = Vec::with_capacity(drafts.len());
        for (item, file) in drafts.iter().enumerate() {
            match FilePattern::new(&file.path) {
                Ok(pattern) => files.push(FileScope { pattern, action: file.action }),
                Err(why) => {
                    let shown: String = file.path.chars().take(120).collect();
                    let message = format!("task {id:?}: the path {shown:?} {why}");
                    self.report(ProblemKind::BadPath, PlanField::Files, item, message, why.hint());
                }
            }
        }
        files
    }

    /// The files that were written before the work. They land with it, so they are among its files.
    fn acceptance(&mut self, draft: &TaskDraft, files: &mut Vec<FileScope>) -> Vec<AcceptanceFile> {
        let mut found: Vec<AcceptanceFile> = Vec::new();
        for (item, path) in draft.acceptance.iter().enumerate() {
            let drafted = FileDraft { path: path.clone(), action: Some(FileAction::Create) };
            let Some(scope) = self.files(&draft.id, &[drafted]).pop() else { continue };
            let Some(literal) = scope.pattern.literal().map(str::to_owned) else {
                let message =
                    format!("task {:?}: acceptance file {} is not one file", draft.id, item + 1);
                let hint =
                    "name each file by its path; globs and directories are not possible here";
                self.report(ProblemKind::BadPath, PlanField::Acceptance, item, message, hint);
                continue;
            };
            if found.iter().any(|file| file.path == literal) {
                continue;
            }
            if !files.iter().any(|file| file.pattern.matches(&literal)) {
                files.push(scope);
            }
            found.push(AcceptanceFile { path: literal, text: None });
        }
        found
    }

    fn checks(&mut self, id: &str, drafts: &[CheckDraft]) -> Vec<Check> {
        let mut checks = Vec::with_capacity(drafts.len());
        for (item, check) in drafts.iter().enumerate() {
            let command = check.command.trim();
            if command.is_empty() || command.contains('\0') || command.len() > MAX_COMMAND_BYTES {
                let message =
                    format!("task {id:?}: check {} is empty, too long, or holds a NUL", item + 1);
                let hint = "a check is a command whose exit code tells; `no_check = \"reason\"` says that none is meant";
                self.report(ProblemKind::BadCheck, PlanField::Checks, item, message, hint);
                continue;
            }
            let name = check.name.clone().unwrap_or_else(|| command.to_owned());
            let (command, red_first, guard) = (command.to_owned(), check.red_first, check.guard);
            checks.push(Check { name, command, red_first, guard });
        }
        checks
    }

    fn report(
        &mut self,
        kind: ProblemKind,
        field: PlanField,
        item: usize,
        message: String,
        hint: &str,
    ) {
        let place = ProblemLocation::task(self.at, field).item(item).in_step(self.step);
        self.problems.push(PlanProblem::new(kind, place, message).with_hint(hint));
    }
}

/// The ids, each once.
fn requirement_ids(named: &[String]) -> Vec<RequirementId> {
    let mut seen = BTreeSet::new();
    let ids = named.iter().filter_map(|text| RequirementId::new(text));
    ids.filter(|id| seen.insert(id.clone())).collect()
}

/// The known word that `word` was probably meant to be.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    known
        .filter(|candidate| candidate.len().abs_diff(word.len()) <= limit)
        // `T1` is not a misspelled `T9`; `T001` may be a misspelled `T01`.
        .filter(|candidate| !differ_by_number(candidate, word))
        .map(|candidate| (distance(word, candidate), candidate))
        // Of a word with a single letter, nothing would be left to recognise.
        .filter(|(distance, candidate)| {
            let longer = word.chars().count().max(candidate.chars().count());
            let is_similar = *distance <= limit && *distance * 2 <= longer;
            is_similar || candidate.eq_ignore_ascii_case(word)
        })
        // A slip is rarely in the first letter.
        .min_by_key(|(distance, candidate)| {
            let differs_at_start = candidate.chars().next() != word.chars().next();
            (*distance, differs_at_start, candidate.len(), *candidate)
        })
        .map(|(_, candidate)| candidate)
}

fn differ_by_number(a: &str, b: &str) -> bool {
    let split = |word: &str| {
        let (digits, rest): (String, String) = word.chars().partition(char::is_ascii_digit);
        (digits.trim_start_matches('0').to_owned(), rest)
    };
    let ((number, rest), (other_number, other_rest)) = (split(a), split(b));
    rest == other_rest && number != other_number
}

/// How many characters must be changed, added, removed or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    rows[0] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let same = usize::from(a[i - 1] != b[j - 1]);
            let mut best =
                (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + same);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}
