//! Checks before any work: each command once, on the tree that the work starts from (TR-01).
//!
//! Several run side by side, each in a clean checkout, except those of every merge, which run in order in one, as a
//! merge runs them; all of them within a time limit. What a command showed is
//! remembered between runs; it is never the pass of a merge.

use std::fs;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use afresh_checks::{ClassifiedCheck, ProbeFacts, classify};
use afresh_core::check::{CheckEnd, CheckResult};
use afresh_core::effect::ProbeRequest;
use afresh_core::ids::TreeId;
use afresh_core::input::{ProbeOutcome, ProbeReport};
use afresh_core::plan::Check;
use afresh_core::probe::{CheckClass, ProbedCheck};
use afresh_core::{Input, Plan, printable};

use afresh_git::remove_tree;

use super::command::{CheckCommand, EndedCheck, new_log};
use super::probe_cache::{ProbeCache, RememberedProbe};
use super::round::{after_failure, may_be_flaky};
use super::slots::{CheckTicket, CheckedTree, OccupiedSlot};
use crate::executor::ExecutorContext;
use crate::executor::causes::describe;

/// How much of an output goes to the journal.
const TAIL_CHARS: usize = 1_500;
/// How many names of failed tests of one task's check do.
const MAX_OWN_NAMES: usize = 20;

/// Called with each result as it is known.
pub(crate) type OnProbed<'a> = &'a (dyn Fn(&ProbedCheck) + Sync);

/// Runs the checks of a run on its base, and reports them.
pub(crate) fn carry_out(
    shared: &ExecutorContext,
    request: &ProbeRequest,
    plan: &Plan,
    ticket: CheckTicket,
) -> Input {
    let outcome = measure(shared, request, plan, ticket, &|_| ());
    Input::Probed(ProbeReport { commit: request.commit.clone(), outcome })
}

/// Runs every check of the request.
pub(crate) fn measure(
    shared: &ExecutorContext,
    request: &ProbeRequest,
    plan: &Plan,
    ticket: CheckTicket,
    on_probed: OnProbed<'_>,
) -> ProbeOutcome {
    let checks: Vec<ProbeItem<'_>> = items(request);
    let tree = match shared.pool.repository().commit_tree(&request.commit) {
        Ok(tree) => tree,
        Err(error) => {
            let why = describe(&error);
            let none = TreeId::new("0".repeat(40)).expect("forty digits are an object id");
            let unprobed = checks.iter().map(|item| unprobed(item.check, &none, &why));
            return ProbeOutcome::Measured(unprobed.collect());
        }
    };
    let probe = CheckProbe {
        shared,
        plan,
        request,
        tree: &tree,
        ticket,
        cache: ProbeCache::new(shared, &tree),
        deadline: Instant::now() + shared.config.probe_limit,
        checks,
        next: AtomicUsize::new(0),
        stopped: AtomicBool::new(false),
        setup_failure: OnceLock::new(),
        results: Mutex::new(Vec::new()),
        on_probed,
    };
    probe.run()
}

/// A check, and how often it may run again.
struct ProbeItem<'a> {
    check: &'a Check,
    reruns: u32,
    /// Whether it runs on every merge.
    is_always: bool,
}

/// Checks of tasks are expected to fail, so only those of every merge run again.
fn items(request: &ProbeRequest) -> Vec<ProbeItem<'_>> {
    let (reruns, own_reruns) = (request.reruns, request.own_reruns);
    let always = request.always.iter().map(|check| ProbeItem { check, reruns, is_always: true });
    let own = request.own.iter();
    let own = own.map(|check| ProbeItem { check, reruns: own_reruns, is_always: false });
    always.chain(own).collect()
}

/// Where a check stands among those that run in one tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UnitPlace {
    First,
    Later,
}

struct CheckProbe<'a> {
    shared: &'a ExecutorContext,
    plan: &'a Plan,
    request: &'a ProbeRequest,
    tree: &'a TreeId,
    ticket: CheckTicket,
    cache: ProbeCache,
    deadline: Instant,
    checks: Vec<ProbeItem<'a>>,
    /// The next unit of checks that no thread has taken.
    next: AtomicUsize,
    stopped: AtomicBool,
    /// Why no workspace can be prepared.
    setup_failure: OnceLock<String>,
    results: Mutex<Vec<(usize, ProbedCheck)>>,
    on_probed: OnProbed<'a>,
}

impl CheckProbe<'_> {
    fn run(self) -> ProbeOutcome {
        let workers = usize::from(self.shared.config.checks_parallel.max(1)).min(self.checks.len());
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| self.work());
            }
        });
        // What matters of them is in the results.
        let _ = remove_tree(&self.shared.layout.probe_logs(&self.shared.run));
        if self.stopped.load(Ordering::Relaxed) {
            return ProbeOutcome::Stopped;
        }
        let mut results = self.results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.sort_by_key(|(at, _)| *at);
        ProbeOutcome::Measured(results.into_iter().map(|(_, probed)| probed).collect())
    }

    /// Takes checks until none is left.
    fn work(&self) {
        let mut slot: Option<OccupiedSlot<'_>> = None;
        let mut is_fresh = false;
        while let Some(unit) = self.take_unit() {
            let is_stopped = self.stopped.load(Ordering::Relaxed);
            if is_stopped || !self.probe_unit(unit, &mut slot, &mut is_fresh) {
                return self.stopped.store(true, Ordering::Relaxed);
            }
        }
    }

    /// The next checks that run one after the other in one tree: all of those of every merge, as a merge runs them, or
    /// one of a task.
    fn take_unit(&self) -> Option<Range<usize>> {
        let taken = self.next.fetch_add(1, Ordering::Relaxed);
        let always = self.request.always.len();
        let baselines = usize::from(always > 0);
        if taken < baselines {
            return Some(0..always);
        }
        let at = always + taken - baselines;
        (at < self.checks.len()).then_some(at..at + 1)
    }

    /// Runs checks in order in one workspace; false if they were stopped.
    fn probe_unit<'s>(
        &'s self,
        unit: Range<usize>,
        slot: &mut Option<OccupiedSlot<'s>>,
        is_fresh: &mut bool,
    ) -> bool {
        // What an earlier check leaves may be needed by a later one: all of them are remembered, or all run.
        let remembered: Option<Vec<RememberedProbe>> =
            unit.clone().map(|at| self.find_remembered(at)).collect();
        if let Some(remembered) = remembered {
            for (at, probe) in unit.zip(&remembered) {
                self.add(at, self.judge(&self.checks[at], probe));
            }
            return true;
        }
        let start = unit.start;
        for at in unit {
            let place = if at == start { UnitPlace::First } else { UnitPlace::Later };
            let Some(probed) = self.probe_one(at, place, slot, is_fresh) else { return false };
            self.add(at, probed);
        }
        true
    }

    fn find_remembered(&self, at: usize) -> Option<RememberedProbe> {
        let remembered = self.cache.find(&self.cache_key(at))?;
        self.is_kept(at, &remembered).then_some(remembered)
    }

    /// An excuse may rest on a failure of a check of every merge, so it is always seen by this run.
    fn is_kept(&self, at: usize, probe: &RememberedProbe) -> bool {
        !self.checks[at].is_always || probe.result.passed()
    }

    /// The commands that make the tree what the check sees.
    fn cache_key(&self, at: usize) -> String {
        let before =
            if self.checks[at].is_always { &self.checks[..=at] } else { &self.checks[at..=at] };
        let commands: Vec<&str> = before.iter().map(|item| item.check.command.as_str()).collect();
        commands.join("\0")
    }

    fn add(&self, at: usize, probed: ProbedCheck) {
        (self.on_probed)(&probed);
        self.results.lock().unwrap_or_else(PoisonError::into_inner).push((at, probed));
    }

    /// What one check shows; none if it was stopped.
    fn probe_one<'s>(
        &'s self,
        at: usize,
        place: UnitPlace,
        slot: &mut Option<OccupiedSlot<'s>>,
        is_fresh: &mut bool,
    ) -> Option<ProbedCheck> {
        let item = &self.checks[at];
        if let Some(why) = self.setup_failure.get() {
            return Some(unprobed(item.check, self.tree, why));
        }
        if self.deadline <= Instant::now() {
            let why = "the time limit of the probe was reached (`probe_limit` under [checks])";
            return Some(unprobed(item.check, self.tree, why));
        }
        let ran = match self.enter(place, slot, is_fresh) {
            Ok(Some(here)) => self.run_check(here, at, place),
            Ok(None) => Ok(None),
            Err(why) => {
                // It would fail for every other check, too.
                let first = why.lines().next().unwrap_or_default();
                let _ = self.setup_failure.set(printable::line(first));
                Err(why)
            }
        };
        match ran {
            Ok(Some(remembered)) => {
                let probed = self.judge(item, &remembered);
                if is_lasting(&probed) && self.is_kept(at, &remembered) {
                    self.cache.note(&self.cache_key(at), &remembered);
                }
                Some(probed)
            }
            Ok(None) => None,
            Err(why) => {
                let first = why.lines().next().unwrap_or_default();
                Some(unprobed(item.check, self.tree, &printable::line(first)))
            }
        }
    }

    /// A workspace that is clean for the first check of a unit. What a check leaves must not make one of another unit
    /// pass; but a set-up that does not outlast it runs only once.
    fn enter<'s, 'b>(
        &'s self,
        place: UnitPlace,
        slot: &'b mut Option<OccupiedSlot<'s>>,
        is_fresh: &mut bool,
    ) -> Result<Option<&'b OccupiedSlot<'s>>, String> {
        let config = &self.shared.config;
        let resets = config.setup.is_empty() || !config.keep.is_empty();
        if slot.is_none() {
            *slot = OccupiedSlot::enter(self.shared, self.ticket, self.on())?;
            *is_fresh = true;
        }
        let Some(here) = slot.as_ref() else { return Ok(None) };
        let is_used = !*is_fresh && place == UnitPlace::First;
        if is_used && resets && !here.prepare(self.on())? {
            return Ok(None);
        }
        *is_fresh = false;
        Ok(Some(here))
    }

    fn run_check(
        &self,
        slot: &OccupiedSlot<'_>,
        at: usize,
        place: UnitPlace,
    ) -> Result<Option<RememberedProbe>, String> {
        let item = &self.checks[at];
        let Some(mut ended) = self.run_once(slot, item.check, at, 0)? else { return Ok(None) };
        for again in 1..=item.reruns {
            if !may_be_flaky(&ended.result) {
                break;
            }
            // Later checks of a unit may need what earlier ones have built.
            if place == UnitPlace::First && !slot.prepare(self.on())? {
                return Ok(None);
            }
            let Some(next) = self.run_once(slot, item.check, at, again)? else { return Ok(None) };
            let result = after_failure(ended.result, next.result);
            ended = EndedCheck { result, ..next };
        }
        // Both dash and bash end with 2 if they cannot read a command line.
        let is_suspect = ended.result.end == CheckEnd::Exited(2);
        let syntax_error = if is_suspect {
            slot.find_syntax_error(&self.command(item.check, at, item.reruns + 1)?)
        } else {
            None
        };
        Ok(Some(RememberedProbe::new(ended, syntax_error)))
    }

    fn run_once(
        &self,
        slot: &OccupiedSlot<'_>,
        check: &Check,
        at: usize,
        again: u32,
    ) -> Result<Option<EndedCheck>, String> {
        slot.run(&self.command(check, at, again)?)
    }

    fn command<'c>(
        &self,
        check: &'c Check,
        at: usize,
        again: u32,
    ) -> Result<CheckCommand<'c>, String> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let limit = left.min(self.shared.config.check_timeout).max(Duration::from_secs(1));
        let directory = self.shared.layout.probe_logs(&self.shared.run);
        let log = directory.join(format!("probe-{}-{again}.log", at + 1));
        new_log(&log)?;
        let variables = Vec::new();
        Ok(CheckCommand { check, ticket: self.ticket, attempt: None, log, limit, variables })
    }

    fn on(&self) -> CheckedTree<'_> {
        CheckedTree { tree: self.tree, head: &self.request.commit, set_up_by: Some(self.deadline) }
    }

    /// Whether the user has a file that the check misses, and did not commit it.
    fn exists_uncommitted(&self, judged: &ClassifiedCheck) -> bool {
        let Some(root) = self.shared.pool.repository().root() else { return false };
        let mut paths = judged.missing_paths.iter();
        paths.any(|path| fs::symlink_metadata(root.join(path)).is_ok())
    }

    fn judge(&self, item: &ProbeItem<'_>, remembered: &RememberedProbe) -> ProbedCheck {
        let (check, result) = (item.check, &remembered.result);
        let facts = ProbeFacts {
            check,
            end: &result.end,
            output: &remembered.output,
            reports: &remembered.reports,
            is_flaky: result.is_flaky() || self.request.known_flaky.contains(&check.command),
            syntax_error: remembered.syntax_error.as_deref(),
        };
        let mut judged = classify(&facts, self.plan);
        if self.exists_uncommitted(&judged) {
            judged = judged.as_uncommitted();
        }
        if facts.is_flaky && !result.is_flaky() {
            "it is in quarantine, or was flaky in an earlier run".clone_into(&mut judged.detail);
        }
        let count = result.output_tail.chars().count();
        let output_tail = result.output_tail.chars().skip(count.saturating_sub(TAIL_CHARS));
        let mut result = CheckResult {
            name: check.name.clone(),
            output_tail: output_tail.collect(),
            ..result.clone()
        };
        // Only the failed tests of every merge are compared later; those of hundreds of tasks would be a large record.
        if let (false, Some(tests)) = (item.is_always, &mut result.tests) {
            tests.failed.truncate(MAX_OWN_NAMES);
            result.failed_tries.clear();
        }
        let tree = self.tree.clone();
        let ClassifiedCheck { class, detail, cause, .. } = judged;
        ProbedCheck { class, detail, cause, tree, result }
    }
}

/// A program that is missing may be installed at any time; a time limit says more about the machine.
fn is_lasting(probed: &ProbedCheck) -> bool {
    matches!(probed.result.end, CheckEnd::Exited(_))
        && !probed.result.is_flaky()
        && !matches!(probed.class, CheckClass::Unrunnable | CheckClass::Flaky)
}

fn unprobed(check: &Check, tree: &TreeId, why: &str) -> ProbedCheck {
    let end = CheckEnd::NotStarted(why.to_owned());
    ProbedCheck {
        class: CheckClass::Unprobed,
        detail: why.to_owned(),
        cause: None,
        tree: tree.clone(),
        result: CheckResult::new(check, end),
    }
}
