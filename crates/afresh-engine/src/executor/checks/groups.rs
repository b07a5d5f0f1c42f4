//! The groups of a round: side by side as far as there are workspaces, each in order and in one of them.
//!
//! A group never sees what another one has built, however many workspaces there are: a workspace is made clean before
//! the next group uses it.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use afresh_core::check::CheckResult;
use afresh_core::effect::{CheckRequest, RoundGoal};
use afresh_core::plan::Check;

use super::round::CheckRound;
use super::slots::OccupiedSlot;
use crate::executor::cancel::CancelHandle;

/// A failure that decides a round leaves the others this long.
const GRACE: Duration = Duration::from_secs(1);

/// Where a check stands in its round.
#[derive(Debug, Clone, Copy)]
pub(super) struct CheckPlace {
    /// Counted over all groups.
    pub(super) number: usize,
    /// It runs on a clean checkout.
    pub(super) is_first_of_group: bool,
}

/// A group, with the number of its first check in the round.
#[derive(Debug, Clone)]
pub(super) struct NumberedGroup<'a> {
    first: usize,
    position: usize,
    checks: &'a [Check],
}

impl<'a> NumberedGroup<'a> {
    pub(super) fn of_request(request: &'a CheckRequest) -> Vec<Self> {
        let mut first = 0;
        let groups = request.groups.iter().enumerate();
        let numbered = groups.map(|(position, checks)| {
            let group = NumberedGroup { first, position, checks };
            first += checks.len();
            group
        });
        numbered.collect()
    }
}

/// What became of all groups.
pub(super) enum EndedGroups<'a> {
    /// With a workspace that is still ours, if there is one.
    Ran(Vec<CheckResult>, Option<OccupiedSlot<'a>>),
    Stopped,
    Impossible(String),
}

/// Runs the groups of one round.
pub(super) struct GroupRunner<'a> {
    round: &'a CheckRound<'a>,
    state: Mutex<GroupProgress<'a>>,
}

struct GroupProgress<'a> {
    waiting: VecDeque<NumberedGroup<'a>>,
    /// By the position of the group.
    results: Vec<Vec<CheckResult>>,
    running: Vec<CancelHandle>,
    end: RoundEnd,
}

/// Why nothing else is to start.
#[derive(Debug, Clone, PartialEq, Eq)]
enum RoundEnd {
    NotYet,
    /// A failure has decided the round.
    Decided,
    Stopped,
    Impossible(String),
}

impl<'a> GroupRunner<'a> {
    pub(super) fn new(round: &'a CheckRound<'a>, groups: Vec<NumberedGroup<'a>>) -> Self {
        let results = vec![Vec::new(); groups.len()];
        let waiting = groups.into();
        let end = RoundEnd::NotYet;
        let progress = GroupProgress { waiting, results, running: Vec::new(), end };
        Self { round, state: Mutex::new(progress) }
    }

    pub(super) fn run(self) -> EndedGroups<'a> {
        let most = usize::from(self.round.shared.config.checks_parallel.max(1));
        let workers = self.lock().waiting.len().min(most);
        let slot = if workers <= 1 {
            self.run_groups()
        } else {
            // Each gives its workspace back when it is done: two rounds that kept one while they wait for the rest of
            // their groups would wait for each other.
            thread::scope(|scope| {
                for _ in 0..workers {
                    scope.spawn(|| drop(self.run_groups()));
                }
            });
            None
        };
        let GroupProgress { results, end, .. } =
            self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        match end {
            RoundEnd::NotYet | RoundEnd::Decided => {
                EndedGroups::Ran(results.into_iter().flatten().collect(), slot)
            }
            RoundEnd::Stopped => EndedGroups::Stopped,
            RoundEnd::Impossible(why) => EndedGroups::Impossible(why),
        }
    }

    /// One group after the other, in one workspace.
    fn run_groups(&self) -> Option<OccupiedSlot<'a>> {
        let mut slot = None;
        while let Some(group) = self.next_group() {
            if let Err(end) = self.run_group(&group, &mut slot) {
                self.end(end);
                break;
            }
        }
        if let Some(slot) = &slot {
            self.lock().running.retain(|handle| !handle.is_same(&slot.handle));
        }
        slot
    }

    fn next_group(&self) -> Option<NumberedGroup<'a>> {
        let mut progress = self.lock();
        if progress.end == RoundEnd::NotYet { progress.waiting.pop_front() } else { None }
    }

    fn run_group(
        &self,
        group: &NumberedGroup<'a>,
        slot: &mut Option<OccupiedSlot<'a>>,
    ) -> Result<(), RoundEnd> {
        let passes = &self.round.shared.check_slots.passes;
        let mut is_entered = false;
        for (position, check) in group.checks.iter().enumerate() {
            if let Some(seen) = passes.find(self.round.on.tree, &check.command) {
                self.note(group, seen);
                continue;
            }
            if !is_entered {
                self.enter(slot)?;
                is_entered = true;
            }
            let here = slot.as_ref().expect("a workspace was just entered");
            let number = group.first + position;
            let place = CheckPlace { number, is_first_of_group: position == 0 };
            let ran = self.round.run_check(here, place, check).map_err(RoundEnd::Impossible)?;
            let result = ran.ok_or(RoundEnd::Stopped)?;
            let has_failed = !result.passed();
            passes.note(self.round.on.tree, &result);
            self.note(group, result);
            if has_failed && !self.round.is_tolerated_command(check) {
                match self.round.request.goal {
                    RoundGoal::FirstFailure => return Err(RoundEnd::Decided),
                    RoundGoal::EveryGroup => return Ok(()),
                    RoundGoal::EveryCheck => {}
                }
            }
        }
        Ok(())
    }

    /// A clean checkout of the tree.
    fn enter(&self, slot: &mut Option<OccupiedSlot<'a>>) -> Result<(), RoundEnd> {
        if let Some(here) = slot {
            return match here.prepare(self.round.on).map_err(RoundEnd::Impossible)? {
                true => Ok(()),
                false => Err(RoundEnd::Stopped),
            };
        }
        let CheckRound { shared, ticket, on, .. } = *self.round;
        let waited = OccupiedSlot::acquire(shared, ticket).ok_or(RoundEnd::Stopped)?;
        let mut progress = self.lock();
        // Another group may have decided the round while this one waited.
        if progress.end != RoundEnd::NotYet {
            return Err(progress.end.clone());
        }
        progress.running.push(waited.handle.clone());
        drop(progress);
        let is_ready = waited.prepare(on).map_err(RoundEnd::Impossible)?;
        *slot = Some(waited);
        if is_ready { Ok(()) } else { Err(RoundEnd::Stopped) }
    }

    fn note(&self, group: &NumberedGroup<'_>, result: CheckResult) {
        self.lock().results[group.position].push(result);
    }

    /// Nothing else starts. What still runs can no longer change the outcome; a check that was stopped because of that
    /// reports that it was stopped, which must not hide the reason.
    fn end(&self, end: RoundEnd) {
        let mut progress = self.lock();
        if progress.end == RoundEnd::NotYet {
            progress.end = end;
            for handle in &progress.running {
                handle.stop(GRACE);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, GroupProgress<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
