//! What is underway, for a reader who has seen no new line for a while: workers, set-ups and checks may take long
//! without any event.

use std::collections::BTreeMap;
use std::time::Duration;

use afresh_core::Run;
use afresh_core::ids::{AttemptId, TaskId};
use afresh_core::run::{FinalChecks, TaskStage, TaskState};
use afresh_core::time::Timestamp;

/// How long nothing is shown before the first reminder.
pub const FIRST_REMINDER: Duration = Duration::from_secs(60);
/// The same while nothing but set-ups is underway: they have no line at their start.
pub const FIRST_SETUP_REMINDER: Duration = Duration::from_secs(4);
/// The time between one reminder and the next.
pub const NEXT_REMINDER: Duration = Duration::from_secs(5 * 60);

/// What happens to an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptActivity {
    /// Its workspace is prepared, and the set-up commands run.
    SettingUp,
    Running,
    /// What it left is being saved.
    Saving,
    Checking,
    Merging,
    /// Checks are run before any work.
    Probing,
}

impl AttemptActivity {
    fn of_stage(stage: &TaskStage) -> Option<Self> {
        if !stage.is_underway() {
            return None;
        }
        match stage {
            TaskStage::Starting(_) => Some(Self::SettingUp),
            TaskStage::Running(_) => Some(Self::Running),
            TaskStage::Harvesting { .. } | TaskStage::Judging { .. } => Some(Self::Saving),
            TaskStage::Checking { .. } => Some(Self::Checking),
            TaskStage::Merging { .. } => Some(Self::Merging),
            _ => None,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::SettingUp => "set-up",
            Self::Running => "running",
            Self::Saving => "saving",
            Self::Checking => "checking",
            Self::Merging => "merging",
            Self::Probing => "probing",
        }
    }
}

/// Work that is underway, and for how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OngoingWork {
    pub activity: AttemptActivity,
    /// None: checks of the run as a whole.
    pub attempt: Option<AttemptId>,
    pub lasting: Duration,
    /// Tokens that the attempt has reported so far.
    pub tokens: u64,
}

/// Notices that nothing was shown for a while.
#[derive(Debug, Default)]
pub struct QuietWatch {
    shown_at: Timestamp,
    is_reminded: bool,
    since: BTreeMap<TaskId, (AttemptActivity, Timestamp)>,
    final_since: Option<Timestamp>,
    probing_since: Option<Timestamp>,
}

impl QuietWatch {
    /// Something was shown.
    pub fn note_shown(&mut self, now: Timestamp) {
        self.shown_at = now;
        self.is_reminded = false;
    }

    /// What is underway, if nothing was shown for so long that it is worth a reminder.
    pub fn take_reminder(&mut self, run: &Run, now: Timestamp) -> Vec<OngoingWork> {
        self.note_activities(run, now);
        let patience = if self.is_reminded {
            NEXT_REMINDER
        } else if self.is_only_setting_up(now) {
            FIRST_SETUP_REMINDER
        } else {
            FIRST_REMINDER
        };
        if self.shown_at.until(now) < patience {
            return Vec::new();
        }
        let ongoing = self.ongoing(run, now);
        if !ongoing.is_empty() {
            self.shown_at = now;
            self.is_reminded = true;
        }
        ongoing
    }

    /// Remembers since when each attempt is at what it is at.
    fn note_activities(&mut self, run: &Run, now: Timestamp) {
        let before = std::mem::take(&mut self.since);
        for (task, activity) in activities(run) {
            let since = match before.get(task) {
                Some((same, since)) if *same == activity => *since,
                _ => now,
            };
            self.since.insert(task.clone(), (activity, since));
        }
        let is_final = matches!(run.final_checks(), FinalChecks::Underway { .. });
        self.final_since = is_final.then(|| self.final_since.unwrap_or(now));
        self.probing_since = run.is_probing().then(|| self.probing_since.unwrap_or(now));
    }

    /// Whether set-ups take long, and nothing else is underway.
    fn is_only_setting_up(&self, now: Timestamp) -> bool {
        let is_of_run = self.final_since.is_some() || self.probing_since.is_some();
        let is_long = |(activity, since): &(AttemptActivity, Timestamp)| {
            *activity == AttemptActivity::SettingUp && since.until(now) >= FIRST_SETUP_REMINDER
        };
        !is_of_run && !self.since.is_empty() && self.since.values().all(is_long)
    }

    fn ongoing(&self, run: &Run, now: Timestamp) -> Vec<OngoingWork> {
        let mut ongoing = Vec::new();
        for (task, (activity, since)) in &self.since {
            let Some(state) = run.state_of(task) else { continue };
            let attempt = state.attempt().cloned();
            let tokens = attempt.as_ref().map_or(0, |attempt| tokens(state, attempt));
            let lasting = since.until(now);
            ongoing.push(OngoingWork { activity: *activity, attempt, lasting, tokens });
        }
        ongoing.sort_by_key(|work| std::cmp::Reverse(work.lasting));
        let of_run = [
            (self.final_since, AttemptActivity::Checking),
            (self.probing_since, AttemptActivity::Probing),
        ];
        for (since, activity) in of_run {
            let Some(since) = since else { continue };
            let lasting = since.until(now);
            ongoing.push(OngoingWork { activity, attempt: None, lasting, tokens: 0 });
        }
        ongoing
    }
}

fn activities(run: &Run) -> impl Iterator<Item = (&TaskId, AttemptActivity)> {
    run.active_tasks().filter_map(|(at, state)| {
        Some((&run.plan().task(at).id, AttemptActivity::of_stage(&state.stage)?))
    })
}

fn tokens(state: &TaskState, attempt: &AttemptId) -> u64 {
    state.records.usages.get(&attempt.number).map_or(0, afresh_core::usage::Usage::tokens)
}
