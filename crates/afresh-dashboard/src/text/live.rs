//! The region below a run's log: questions on top, then progress, then one line per worker.

use afresh_core::Run;

use super::figures::{amount, bar, context_bar, dollars, duration};
use super::line::{TextLine, TextRole};
use crate::dashboard::LiveFacts;
use crate::data::merge_line::MergeLine;
use crate::data::needs_you::NeedsYou;
use crate::data::progress::{EstimateBasis, RunProgress, RunStageKind};
use crate::data::workers::WorkerRow;
use crate::history::RunHistory;
use crate::history::attempt::SegmentKind;

const MAX_WORKERS: usize = 8;
const MAX_QUESTIONS: usize = 3;
const CONTEXT_WIDTH: usize = 10;

/// What is shown while a run is driven; cheap enough to make several times a second.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveOverview {
    pub needs_you: Vec<NeedsYou>,
    pub progress: RunProgress,
    pub workers: Vec<WorkerRow>,
    pub merge_line: MergeLine,
}

impl LiveOverview {
    pub fn new(run: &Run, history: &RunHistory, live: &LiveFacts) -> Self {
        let now_ms = live.clock_ms(history);
        Self {
            needs_you: NeedsYou::list(run, history),
            progress: RunProgress::new(run, history, now_ms),
            workers: WorkerRow::list(run, history, live),
            merge_line: MergeLine::new(run, history, now_ms),
        }
    }

    /// At most `height` lines of at most `width` columns.
    pub fn lines(&self, width: usize, height: usize) -> Vec<TextLine> {
        let mut lines = self.question_lines();
        lines.push(self.progress_line(width));
        lines.extend(self.stage_line());
        let room = height.saturating_sub(lines.len() + 1).min(MAX_WORKERS);
        lines.extend(self.worker_lines(width, room));
        lines.extend(self.merge_text());
        lines.truncate(height);
        lines.into_iter().map(|line| line.fit(width)).collect()
    }

    /// Done of all, time, what is left, cost.
    pub fn progress_line(&self, width: usize) -> TextLine {
        progress_line(&self.progress, width)
    }

    /// What the run as a whole is at, besides its tasks.
    pub fn stage_line(&self) -> Option<TextLine> {
        let stage = self.progress.stage?;
        let text = match stage.what {
            RunStageKind::BaseChecks => "measuring the checks on the base",
            RunStageKind::FinalChecks => "final checks on the finished branch",
        };
        let lasting = self.progress.now_ms.saturating_sub(stage.since_ms);
        let lasting = duration(u64::try_from(lasting).unwrap_or(0));
        Some(
            TextLine::new().with(TextRole::Active, "  ◎ ").plain(text).dim(&format!("  {lasting}")),
        )
    }

    /// One line per worker, and how many more there are.
    pub fn worker_lines(&self, width: usize, room: usize) -> Vec<TextLine> {
        let shown = if self.workers.len() > room { room.saturating_sub(1) } else { room };
        let mut lines: Vec<TextLine> =
            self.workers.iter().take(shown).map(|row| worker_line(row, width)).collect();
        if self.workers.len() > shown {
            lines.push(TextLine::new().dim(&format!("  +{} more", self.workers.len() - shown)));
        }
        lines
    }

    fn question_lines(&self) -> Vec<TextLine> {
        let open: Vec<&NeedsYou> =
            self.needs_you.iter().filter(|need| need.question.is_some()).collect();
        let line = |need: &&NeedsYou| {
            let id = need.question.clone().unwrap_or_default();
            let task = need.task.as_ref().map(ToString::to_string).unwrap_or_default();
            let others = match need.blocks.saturating_sub(1) {
                0 => String::new(),
                1 => " · 1 task waits for it".to_owned(),
                more => format!(" · {more} tasks wait for it"),
            };
            let first = need.text.lines().next().unwrap_or_default();
            TextLine::new()
                .with(TextRole::Warning, &format!("? {id} "))
                .with(TextRole::Strong, &format!("{task} "))
                .plain(first)
                .dim(&others)
        };
        let mut lines: Vec<TextLine> = open.iter().take(MAX_QUESTIONS).map(line).collect();
        if open.len() > MAX_QUESTIONS {
            let more = format!("  and {} more questions", open.len() - MAX_QUESTIONS);
            lines.push(TextLine::new().with(TextRole::Warning, &more));
        }
        lines
    }

    fn merge_text(&self) -> Option<TextLine> {
        let waiting = self.merge_line.candidates.len() - self.merge_line.merging;
        if waiting == 0 || self.merge_line.candidates.is_empty() {
            return None;
        }
        let names: Vec<String> = self
            .merge_line
            .candidates
            .iter()
            .skip(self.merge_line.merging)
            .map(|candidate| candidate.task.to_string())
            .collect();
        Some(TextLine::new().dim(&format!("  waiting to merge: {}", names.join(", "))))
    }
}

/// `[████░░] 3/9 done · 2m 10s · about 4m left · $0.42 of $5.00`.
fn progress_line(progress: &RunProgress, width: usize) -> TextLine {
    let bar_width = (width / 5).clamp(6, 24);
    let done = u64::try_from(progress.done).unwrap_or(0);
    let total = u64::try_from(progress.total).unwrap_or(0);
    let mut line = TextLine::new()
        .with(TextRole::Good, &bar(done, total, bar_width))
        .with(TextRole::Strong, &format!(" {done}/{total}"))
        .plain(" done");
    let failed = [afresh_core::status::TaskPhase::Failed, afresh_core::status::TaskPhase::Blocked];
    let failed: usize = failed.iter().filter_map(|phase| progress.counts.get(phase)).copied().sum();
    if failed > 0 {
        line = line.dim(" · ").with(TextRole::Bad, &format!("{failed} failed or blocked"));
    }
    line = line.dim(&format!(" · {}", duration(progress.driven_ms)));
    // What takes longer than expected is not "about 0s left".
    if let Some(eta) = progress.eta.filter(|eta| eta.left_ms >= 1_000) {
        let forecast = if eta.basis == EstimateBasis::Forecast { " (forecast)" } else { "" };
        line = line.dim(&format!(" · about {} left{forecast}", duration(eta.left_ms)));
    }
    line.dim(&spent(progress))
}

fn spent(progress: &RunProgress) -> String {
    let cost = progress.cost_micros.map(|cost| match progress.budget_cost_micros {
        Some(limit) => format!(" · {} of {}", dollars(cost), dollars(limit)),
        None => format!(" · {}", dollars(cost)),
    });
    let tokens = match (progress.tokens, progress.budget_tokens) {
        (0, _) => String::new(),
        (used, Some(limit)) => format!(" · {} of {} tokens", amount(used), amount(limit)),
        (used, None) => format!(" · {} tokens", amount(used)),
    };
    cost.unwrap_or_default() + &tokens
}

/// Title, what it does, context, time, cost.
fn worker_line(row: &WorkerRow, width: usize) -> TextLine {
    let (mark, role) = match row.activity {
        SegmentKind::Work => ("▶", TextRole::Active),
        SegmentKind::Person => ("?", TextRole::Warning),
        SegmentKind::Queue => ("·", TextRole::Dim),
        SegmentKind::SetUp => ("○", TextRole::Dim),
        SegmentKind::Checks | SegmentKind::Review => ("◎", TextRole::Active),
        SegmentKind::Merge => ("⇥", TextRole::Active),
    };
    let has_context = width >= 100;
    let time = format!("{:>8}", duration(row.lasting_ms));
    let right = time.len() + 2 + if has_context { CONTEXT_WIDTH + 7 + 9 } else { 0 };
    let name = format!("{} {}", row.attempt, row.title);
    let room = width.saturating_sub(right + 4).max(20);
    let name_width = (room * 2 / 5).max(12);
    let action = describe_action(row);
    let mut line = TextLine::new()
        .with(role, &format!("  {mark} "))
        .column(TextRole::Plain, &name, name_width)
        .plain(" ")
        .column(TextRole::Dim, &action, room.saturating_sub(name_width + 1));
    if has_context {
        line = match row.context.percent() {
            Some(percent) => {
                let ticks = [row.context.soft, row.context.hard];
                let role = if percent >= u64::from(row.context.hard) {
                    TextRole::Bad
                } else if percent >= u64::from(row.context.soft) {
                    TextRole::Warning
                } else {
                    TextRole::Good
                };
                line.plain(" ")
                    .with(role, &context_bar(percent, ticks, CONTEXT_WIDTH))
                    .dim(&format!(" {percent:>3} %"))
            }
            None => line.plain(&" ".repeat(CONTEXT_WIDTH + 7)),
        };
        let cost = row.cost_micros.map(dollars).unwrap_or_default();
        line = line.dim(&format!(" {cost:>8}"));
    }
    line.dim(&time)
}

/// What a worker is at, in a few words.
pub fn describe_action(row: &WorkerRow) -> String {
    let steps =
        row.steps.map(|steps| format!("step {} of {}: ", (steps.done + 1).min(steps.of), steps.of));
    let steps = steps.filter(|_| row.activity == SegmentKind::Work).unwrap_or_default();
    match (&row.action, row.activity) {
        (Some(action), _) => format!("{steps}{} {}", action.verb, action.object),
        (None, SegmentKind::Work) if row.by_hand.is_some() => {
            let by = row.by_hand.as_deref().unwrap_or_default();
            format!("{steps}{by} works by hand")
        }
        (None, SegmentKind::Work) => format!("{steps}works"),
        (None, SegmentKind::Queue) => "waits for its turn".to_owned(),
        (None, kind) => kind.word().to_owned(),
    }
}
