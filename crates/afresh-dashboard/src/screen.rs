//! What one screen of a full-screen view shows: everything that is cheap, and the one picture that is looked at.

use std::sync::Arc;

use afresh_core::Run;
use afresh_core::ids::RunId;
use afresh_core::question::Question;
use afresh_core::status::{RunState, RunStatus, run_state};

use crate::dashboard::LiveFacts;
use crate::data::burn_up::BurnUp;
use crate::data::context::ContextBar;
use crate::data::graph::TaskGraph;
use crate::data::retry_heat::RetryHeat;
use crate::data::task_rows::TaskRow;
use crate::data::timeline::{CriticalPath, Timeline};
use crate::history::RunHistory;
use crate::text::live::LiveOverview;

/// Which picture is looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PictureKind {
    #[default]
    None,
    Graph,
    Timeline,
    Accounts,
}

/// A picture's data. It is made only while someone looks at it: of a large run it costs more than everything else.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum ScreenPicture {
    #[default]
    None,
    Graph(TaskGraph),
    Timeline(Timeline),
    Accounts(RunAccounts),
}

/// Tokens, cost, contexts and retries.
#[derive(Debug, Clone, PartialEq)]
pub struct RunAccounts {
    pub burn_up: BurnUp,
    pub contexts: Vec<ContextBar>,
    pub retry_heat: RetryHeat,
}

/// A run as one screen shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct ScreenData {
    pub run: RunId,
    pub plan: String,
    pub state: RunState,
    pub is_driven: bool,
    /// Why the run as a whole failed, if it did.
    pub error: Option<String>,
    pub overview: LiveOverview,
    /// The open ones, to understand answers.
    pub questions: Vec<Question>,
    /// In the plan's order.
    pub tasks: Arc<[TaskRow]>,
    pub picture: ScreenPicture,
}

impl ScreenData {
    /// `tasks` are those of [`TaskRow::list_all`]: they change only with the journal.
    pub fn new(
        run: &Run,
        history: &RunHistory,
        live: &LiveFacts,
        tasks: Arc<[TaskRow]>,
        picture: PictureKind,
    ) -> Self {
        let error = run.aborted().map(str::to_owned);
        Self {
            run: run.id().clone(),
            plan: run.plan().name.clone(),
            state: run_state(run),
            is_driven: live.is_driven,
            error: error.or_else(|| run.final_failures().into_iter().next()),
            overview: LiveOverview::new(run, history, live),
            questions: run.questions().cloned().collect(),
            tasks,
            picture: ScreenPicture::new(run, history, live, picture),
        }
    }
}

impl ScreenPicture {
    pub fn new(run: &Run, history: &RunHistory, live: &LiveFacts, kind: PictureKind) -> Self {
        let now_ms = live.clock_ms(history);
        match kind {
            PictureKind::None => Self::None,
            PictureKind::Graph => {
                let path = CriticalPath::new(run, history);
                Self::Graph(TaskGraph::new(run.plan(), &RunStatus::from_run(run), &path))
            }
            PictureKind::Timeline => {
                Self::Timeline(Timeline::new(run, history, &RunStatus::from_run(run), now_ms))
            }
            PictureKind::Accounts => Self::Accounts(RunAccounts {
                burn_up: BurnUp::new(run, history, now_ms),
                contexts: ContextBar::list(run, history),
                retry_heat: RetryHeat::new(run, history),
            }),
        }
    }

    /// Which one it is.
    pub fn kind(&self) -> PictureKind {
        match self {
            Self::None => PictureKind::None,
            Self::Graph(_) => PictureKind::Graph,
            Self::Timeline(_) => PictureKind::Timeline,
            Self::Accounts(_) => PictureKind::Accounts,
        }
    }
}
