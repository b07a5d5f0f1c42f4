//! A small driver for stories about the core: plans and reports in short notation, and the decisions as short
//! lines.
//!
//! ```text
//! B < A: b.txt c.txt      task B needs A and lists two files
//! C:                      task C lists no files
//! D! small: d.txt         task D gets a small model
//! ```
//! Every task has one check, `test ID`. Events are lines like `starting A.1 in 1`; effects are
//! lines with an arrow: `→ start A.1 in 1`.

mod lines;
#[expect(unreachable_pub, reason = "the functions are public in the crate that they belong to")]
#[path = "../../../afresh-testkit/src/notation.rs"]
mod notation;

use std::time::Duration;

use afresh_core::check::{CheckOutcome, CheckPhase};
use afresh_core::harvest::{Change, ChangeKind, EntryKind, Harvest};
use afresh_core::hook::{HookFailure, HookPoint};
use afresh_core::ids::{AttemptId, QuestionId, RunId, TreeId, WorkspaceSlot};
use afresh_core::input::{
    AttemptEnd, BranchMove, ByHandStart, CheckReport, MergeBuild, MergedTree, ProbeOutcome,
    ProbeReport, RunOpening,
};
use afresh_core::outcome::{CompletionClaim, Outcome, SpawnFailure};
use afresh_core::probe::ProbedCheck;
use afresh_core::process::ProcessEnd;
use afresh_core::review::{Review, ReviewEnd, ReviewId, ReviewIssue, ReviewOutcome, ReviewVerdict};
use afresh_core::run::TaskStage;
use afresh_core::run::merge_queue::BatchId;
use afresh_core::run::settings::Settings;
use afresh_core::status::RunStatus;
use afresh_core::time::Timestamp;
use afresh_core::usage::Usage;
use afresh_core::{Effect, Event, Input, Plan, Reaction, Run, decide};

pub(crate) use lines::{effect_line, event_line};
pub(crate) use notation::{
    attempt_id, check, check_result, commit, draft_of, file, object_name, task_id, tree,
};
use notation::{task_error, task_states};

/// A run, its journal, and its clock.
#[derive(Debug, Clone)]
pub(crate) struct Story {
    pub(crate) run: Run,
    pub(crate) journal: Vec<Event>,
    pub(crate) now: Timestamp,
    /// Replay the journal after every input (R12); slow for large plans.
    pub(crate) replays: bool,
}

/// What was decided from one input.
#[derive(Debug, Clone)]
pub(crate) struct StoryStep(pub(crate) Reaction);

impl StoryStep {
    /// Events and then effects, a line each.
    pub(crate) fn lines(&self) -> Vec<String> {
        let events = self.0.events.iter().map(event_line);
        events.chain(self.0.effects.iter().map(effect_line)).collect()
    }

    pub(crate) fn text(&self) -> String {
        self.lines().join("\n")
    }

    pub(crate) fn effects(&self) -> Vec<String> {
        self.0.effects.iter().map(effect_line).collect()
    }

    pub(crate) fn refusal(&self) -> &str {
        self.0.refusal.as_deref().unwrap_or("carried out")
    }

    #[track_caller]
    pub(crate) fn changes_nothing(&self) {
        assert_eq!(self.lines(), Vec::<String>::new());
    }

    /// The attempts that start.
    pub(crate) fn started(&self) -> Vec<String> {
        let starts = self.0.effects.iter().filter_map(|effect| match effect {
            Effect::Start { attempt, .. } => Some(attempt.to_string()),
            _ => None,
        });
        starts.collect()
    }
}

impl Story {
    /// A run of this plan with the default settings, opened by its first driver.
    pub(crate) fn of_plan(plan: &str) -> Self {
        Self::with(plan, Settings::default())
    }

    pub(crate) fn with(plan: &str, settings: Settings) -> Self {
        let mut story = Self::unopened(plan_of(plan), settings);
        story.open();
        story
    }

    pub(crate) fn unopened(plan: Plan, settings: Settings) -> Self {
        let first = Event::RunStarted {
            run: RunId::new("r1").expect("an id"),
            branch: "afresh/r1".to_owned(),
            base: commit("base"),
            plan: Box::new(plan),
            settings: Box::new(settings),
        };
        let run = Run::start(&first).expect("the first event starts a run");
        Self { run, journal: vec![first], now: Timestamp(0), replays: true }
    }

    pub(crate) fn feed(&mut self, input: &Input) -> StoryStep {
        let reaction = decide(&mut self.run, self.now, input);
        self.journal.extend(reaction.events.iter().cloned());
        if self.replays {
            let replayed =
                Run::replay(&self.journal).expect("legal").expect("the journal starts a run");
            assert!(replayed == self.run, "R12: the journal leads to the same run");
        }
        StoryStep(reaction)
    }

    /// A driver opens the run.
    pub(crate) fn open(&mut self) -> StoryStep {
        self.open_with(RunOpening::default())
    }

    pub(crate) fn open_with(&mut self, opening: RunOpening) -> StoryStep {
        self.feed(&Input::Opened(Box::new(opening)))
    }

    /// Time passes until after a deadline.
    pub(crate) fn wait(&mut self, seconds: u64) -> StoryStep {
        self.now = self.now + Duration::from_secs(seconds);
        self.feed(&Input::Woke)
    }

    pub(crate) fn spawned(&mut self, attempt: &str) -> StoryStep {
        self.feed(&Input::Spawned(attempt_id(attempt)))
    }

    pub(crate) fn spawn_fails(&mut self, attempt: &str) -> StoryStep {
        let message = "no such program".to_owned();
        let failure = SpawnFailure { message, ..SpawnFailure::default() };
        self.feed(&Input::SpawnFailed(attempt_id(attempt), failure))
    }

    /// A hook before it fails.
    pub(crate) fn held_back(&mut self, attempt: &str) -> StoryStep {
        self.hook_fails(HookPoint::BeforeAttempt, Some(attempt))
    }

    pub(crate) fn hook_fails(&mut self, point: HookPoint, attempt: Option<&str>) -> StoryStep {
        self.feed(&Input::HookFailed(HookFailure {
            point,
            attempt: attempt.map(attempt_id),
            command: "guard".to_owned(),
            why: "exit code 3".to_owned(),
        }))
    }

    /// It cannot be started, now or ever.
    pub(crate) fn cannot_start(&mut self, attempt: &str) -> StoryStep {
        let (message, hint) = ("too large".to_owned(), Some("split it".to_owned()));
        let failure = SpawnFailure { message, hint, lasting: true, ..SpawnFailure::default() };
        self.feed(&Input::SpawnFailed(attempt_id(attempt), failure))
    }

    pub(crate) fn uses(&mut self, attempt: &str, tokens: u64) -> StoryStep {
        self.feed(&Input::UsageSeen(attempt_id(attempt), tokens_used(tokens)))
    }

    /// It ends with exit code 0 and a claim of success.
    pub(crate) fn ends(&mut self, attempt: &str) -> StoryStep {
        self.ends_with(attempt, ProcessEnd::Exited(0), Outcome::Done(CompletionClaim::default()))
    }

    pub(crate) fn ends_with(
        &mut self,
        attempt: &str,
        ending: ProcessEnd,
        outcome: Outcome,
    ) -> StoryStep {
        let end = AttemptEnd::new(ending, outcome, Usage::default(), 1);
        self.feed(&Input::AttemptEnded(attempt_id(attempt), Box::new(end)))
    }

    /// These files were modified.
    pub(crate) fn harvested(&mut self, attempt: &str, paths: &[&str]) -> StoryStep {
        let changes = paths.iter().map(|path| changed(path, ChangeKind::Modified)).collect();
        self.harvested_changes(attempt, changes)
    }

    pub(crate) fn harvested_changes(&mut self, attempt: &str, changes: Vec<Change>) -> StoryStep {
        let commit = (!changes.is_empty()).then(|| commit(format!("c{attempt}")));
        let harvest = Harvest {
            tree: tree(attempt),
            commit,
            changes,
            notes: vec![],
            leaks: vec![],
            missing: vec![],
        };
        self.feed(&Input::Harvested(attempt_id(attempt), Ok(harvest)))
    }

    /// It fails, and its work is saved.
    pub(crate) fn dies(&mut self, attempt: &str) -> StoryStep {
        self.ends_with(attempt, ProcessEnd::Exited(1), Outcome::Silent);
        self.harvested(attempt, &[])
    }

    /// The checks before the work ended so.
    pub(crate) fn probed(&mut self, checks: &[ProbedCheck]) -> StoryStep {
        let commit = self.run.tip().clone();
        let outcome = ProbeOutcome::Measured(checks.to_vec());
        self.feed(&Input::Probed(ProbeReport { commit, outcome }))
    }

    /// The requested checks end with this exit code.
    pub(crate) fn checked(&mut self, attempt: &str, phase: CheckPhase, code: i32) -> StoryStep {
        let on = match phase {
            CheckPhase::Merged => tree(format!("m{attempt}")),
            _ => tree(attempt),
        };
        let task = attempt_id(attempt).task;
        let at = self.run.plan().index_of(&task).expect("a task of the plan");
        let own = self
            .run
            .plan()
            .task(at)
            .all_checks()
            .filter(|c| phase != CheckPhase::Red || c.red_first);
        let commands = own.map(|check| check.command.clone());
        let always =
            self.run.settings().always.iter().filter(|_| phase != CheckPhase::Red).cloned();
        let results = commands.chain(always).map(|command| check_result(&command, code)).collect();
        self.report(attempt, phase, on, CheckOutcome::Ran(results))
    }

    pub(crate) fn report(
        &mut self,
        attempt: &str,
        phase: CheckPhase,
        tree: TreeId,
        checked: CheckOutcome,
    ) -> StoryStep {
        let id = attempt_id(attempt);
        let batch = self.batch_of(&id).filter(|_| phase == CheckPhase::Merged);
        let attempt = Some(id);
        self.feed(&Input::Checked(CheckReport { attempt, batch, phase, tree, checked }))
    }

    /// The merge is clean; if nothing landed meanwhile, it is the attempt's own tree.
    pub(crate) fn built(&mut self, attempt: &str) -> StoryStep {
        let id = attempt_id(attempt);
        let onto = self.run.tip().clone();
        let state = self.run.state_of(&id.task).expect("a task of the plan");
        let unmoved = state.stage.work().is_some_and(|work| work.ground.base == onto);
        let tree = if unmoved { tree(attempt) } else { tree(format!("m{attempt}")) };
        let commit = commit(format!("m{attempt}"));
        self.feed_build(&id, MergeBuild::Clean(MergedTree::new(onto, commit, tree)))
    }

    pub(crate) fn collides(&mut self, attempt: &str, path: &str) -> StoryStep {
        let (paths, detail) = (vec![path.to_owned()], String::new());
        self.feed_build(&attempt_id(attempt), MergeBuild::Conflict { paths, detail })
    }

    /// The merge of a batch of one was built.
    pub(crate) fn feed_build(&mut self, attempt: &AttemptId, build: MergeBuild) -> StoryStep {
        let batch = self.batch_of(attempt).unwrap_or_default();
        self.feed(&Input::BatchBuilt(batch, vec![(attempt.clone(), build)]))
    }

    /// All merges of the batch of these attempts are clean.
    pub(crate) fn batch_built(&mut self, attempts: &[&str]) -> StoryStep {
        let (batch, builds) = self.clean_builds(attempts);
        self.feed(&Input::BatchBuilt(batch, builds))
    }

    /// The same, but one more collides with them.
    pub(crate) fn batch_built_but(&mut self, attempts: &[&str], colliding: &str) -> StoryStep {
        let (batch, mut builds) = self.clean_builds(attempts);
        let (paths, detail) = (vec!["shared".to_owned()], String::new());
        builds.push((attempt_id(colliding), MergeBuild::Conflict { paths, detail }));
        self.feed(&Input::BatchBuilt(batch, builds))
    }

    fn clean_builds(&self, attempts: &[&str]) -> (BatchId, Vec<(AttemptId, MergeBuild)>) {
        let first = attempt_id(attempts[0]);
        let batch = self.batch_of(&first).expect("a batch is being built");
        let mut onto = self.run.merge_queue().batch(batch).expect("just found").onto.clone();
        let mut builds = Vec::new();
        for name in attempts {
            let (merge, tree) = (commit(format!("m{name}")), tree(format!("m{name}")));
            let merged = MergedTree::new(onto, merge.clone(), tree);
            builds.push((attempt_id(name), MergeBuild::Clean(merged)));
            onto = merge;
        }
        (batch, builds)
    }

    /// The checks of a batch, or of its first members, ended on the tree of this attempt; these commands failed.
    pub(crate) fn batch_checked(&mut self, last: &str, failed: &[&str]) -> StoryStep {
        let id = attempt_id(last);
        let batch = self.run.merge_queue().batch(self.batch_of(&id).expect("in a batch"));
        let members = batch.expect("just found").members.clone();
        let end = members.iter().position(|at| self.run.task(*at).attempt() == Some(&id));
        let of_members = members[..=end.expect("a member")].iter().flat_map(|at| {
            self.run.plan().task(*at).all_checks().map(|check| check.command.clone())
        });
        let always = self.run.settings().always.iter().cloned();
        let result =
            |command: String| check_result(&command, i32::from(failed.contains(&&*command)));
        let results = of_members.chain(always).map(result).collect();
        self.report(last, CheckPhase::Merged, tree(format!("m{last}")), CheckOutcome::Ran(results))
    }

    /// The checks of the first task's merge, whose tree is its own, ended with this exit code.
    pub(crate) fn first_merge_ends(&mut self, code: i32) -> StoryStep {
        self.first_merge_of("A.1", code)
    }

    /// The same for a later attempt.
    pub(crate) fn first_merge_of(&mut self, attempt: &str, code: i32) -> StoryStep {
        let results = ["test A", "lint"].map(|command| check_result(command, code)).to_vec();
        self.report(attempt, CheckPhase::Merged, tree(attempt), CheckOutcome::Ran(results))
    }

    /// Work that is in scope and goes to the merge queue without checks of its own.
    pub(crate) fn is_handed_in(&mut self, attempt: &str) -> StoryStep {
        self.spawned(attempt);
        self.ends(attempt);
        let path = self.own_file(attempt);
        self.harvested(attempt, &[&path])
    }

    /// The batch that holds the attempt's task.
    pub(crate) fn batch_of(&self, attempt: &AttemptId) -> Option<BatchId> {
        let at = self.run.plan().index_of(&attempt.task)?;
        self.run.merge_queue().batch_of(at).map(|batch| batch.id)
    }

    pub(crate) fn moved(&mut self, attempt: &str, moved: BranchMove) -> StoryStep {
        let to = commit(format!("m{attempt}"));
        self.feed(&Input::BranchMoved(attempt_id(attempt), to, moved))
    }

    /// From the start to the branch, with one file of its own.
    pub(crate) fn lands(&mut self, attempt: &str) -> StoryStep {
        self.spawned(attempt);
        self.passes_alone(attempt);
        self.built(attempt);
        if self.is_merging_checks(attempt) {
            self.checked(attempt, CheckPhase::Merged, 0);
        }
        self.moved(attempt, BranchMove::Done)
    }

    /// Up to the merge: its work is saved, in scope, and passes on its own.
    pub(crate) fn passes_alone(&mut self, attempt: &str) -> StoryStep {
        self.ends(attempt);
        let path = self.own_file(attempt);
        self.harvested(attempt, &[&path]);
        self.checked(attempt, CheckPhase::Alone, 0)
    }

    fn own_file(&self, attempt: &str) -> String {
        let task = attempt_id(attempt).task;
        let at = self.run.plan().index_of(&task).expect("a task of the plan");
        let first = self.run.plan().task(at).patterns().next();
        first.map_or("free.txt".to_owned(), ToString::to_string)
    }

    fn is_merging_checks(&self, attempt: &str) -> bool {
        let state = self.run.state_of(&attempt_id(attempt).task).expect("a task of the plan");
        matches!(
            state.stage,
            TaskStage::Merging {
                merge: afresh_core::run::MergeStage::Checking {
                    activity: afresh_core::run::CheckActivity::Running,
                    ..
                },
                ..
            }
        )
    }

    /// A reviewer reports this.
    pub(crate) fn reviewed(&mut self, review: &str, verdict: ReviewVerdict) -> StoryStep {
        let (summary, issues) = ("fine".to_owned(), Vec::new());
        let mut given = Review { verdict, summary, issues };
        if verdict == ReviewVerdict::ChangesRequested {
            "the lock leaks".clone_into(&mut given.summary);
            let description = "released on one path only".to_owned();
            let (file, line) = (Some("a".to_owned()), Some(3));
            given.issues.push(ReviewIssue { file, line, description });
        }
        self.review_ends(review, ReviewOutcome::Given(given))
    }

    pub(crate) fn review_ends(&mut self, review: &str, outcome: ReviewOutcome) -> StoryStep {
        self.feed(&Input::ReviewEnded(review_id(review), Box::new(ReviewEnd::unused(outcome))))
    }

    pub(crate) fn answer(&mut self, question: u32, answer: &str) -> StoryStep {
        let (answer, by) = (answer.to_owned(), "person".to_owned());
        self.feed(&Input::Answered { question: QuestionId(question), answer, by })
    }

    pub(crate) fn halt(&mut self, now: bool) -> StoryStep {
        let (reason, by) = ("tea".to_owned(), "person".to_owned());
        self.feed(&Input::HaltAsked { now, reason, by })
    }

    pub(crate) fn clear(&mut self) -> StoryStep {
        self.feed(&Input::HaltCleared)
    }

    pub(crate) fn skip(&mut self, task: &str) -> StoryStep {
        self.feed(&Input::SkipAsked { task: task_id(task), reason: "not today".to_owned() })
    }

    pub(crate) fn start_by_hand(&mut self, task: &str) -> StoryStep {
        let (task, by) = (task_id(task), "ann".to_owned());
        let first_slot = WorkspaceSlot::FIRST_BY_HAND;
        self.feed(&Input::StartByHand(ByHandStart { task, by, first_slot }))
    }

    /// The person hands the work in.
    pub(crate) fn completes(&mut self, task: &str) -> StoryStep {
        self.hands_in(task, Outcome::Done(CompletionClaim::default()))
    }

    pub(crate) fn hands_in(&mut self, task: &str, outcome: Outcome) -> StoryStep {
        let outcome = Box::new(outcome);
        self.feed(&Input::HandedIn { task: task_id(task), outcome, duration_ms: 1 })
    }

    pub(crate) fn retry(&mut self, task: &str) -> StoryStep {
        self.feed(&Input::RetryAsked(task_id(task)))
    }

    pub(crate) fn comment(&mut self, task: &str, text: &str) -> StoryStep {
        let (text, by) = (text.to_owned(), "ann".to_owned());
        self.feed(&Input::Commented { task: task_id(task), text, by, on: None })
    }

    pub(crate) fn reads_comment(&mut self, attempt: &str, number: u32) -> StoryStep {
        self.feed(&Input::CommentRead(attempt_id(attempt), number))
    }

    pub(crate) fn status(&self) -> RunStatus {
        RunStatus::from_run(&self.run)
    }

    /// `A done, B ready`: every task with its state.
    pub(crate) fn states(&self) -> String {
        task_states(&self.status())
    }

    pub(crate) fn error_of(&self, task: &str) -> String {
        task_error(&self.status(), task)
    }
}

/// `A.1/2` is the second review of attempt `A.1`.
pub(crate) fn review_id(text: &str) -> ReviewId {
    let (attempt, number) = text.split_once('/').expect("an attempt and a number");
    ReviewId { attempt: attempt_id(attempt), number: number.parse().expect("a number") }
}

/// Parses the short notation of a plan.
pub(crate) fn plan_of(text: &str) -> Plan {
    Plan::new(draft_of(text)).expect("a plan without problems")
}

pub(crate) fn changed(path: &str, kind: ChangeKind) -> Change {
    let now = if kind == ChangeKind::Deleted { EntryKind::Nothing } else { EntryKind::File };
    Change::new(path, kind, now)
}

pub(crate) fn tokens_used(tokens: u64) -> Usage {
    Usage { input: tokens, ..Usage::default() }
}
