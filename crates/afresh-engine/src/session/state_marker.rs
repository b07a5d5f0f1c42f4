//! A marker in git's common directory, by which a state directory that vanished is noticed.
//!
//! The state directory lies in the checkout, where `git clean -fdx`, `git stash -a` or a hand can
//! take it away. Then the refs of earlier runs are still there, but no journal that explains them,
//! and a command must not behave as if there had never been a run.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use afresh_git::PoolError;
use afresh_git::ref_names::{
    RUN_BRANCHES, RUN_TIPS, SALVAGE_REFS, run_branch_name, run_of_branch_ref, run_of_tip_ref,
    split_salvage_ref,
};
use afresh_store::write_atomically;

use crate::session::{OpenError, RepoContext};

/// The first line of the marker.
const TITLE: &str =
    "# Where afresh keeps the state of its runs. It lets afresh notice that the state is gone.";

/// A state directory that is gone, and what is left of its runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostState {
    pub state: PathBuf,
    /// The runs whose refs still exist.
    pub runs: Vec<String>,
    /// Those whose branch exists.
    pub branches: Vec<String>,
    /// The stash that holds the state directory.
    pub stash: Option<String>,
}

impl fmt::Display for LostState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state.display();
        let runs = if self.runs.len() == 1 { "run" } else { "runs" };
        let names = self.runs.join(", ");
        write!(f, "the journal in {state} is gone: it held the record of {runs} {names}")
    }
}

impl LostState {
    /// What the user can do about it.
    pub fn hint(&self) -> String {
        let state = self.state.display();
        let back = match &self.stash {
            Some(stash) => format!(
                "{stash} holds it: move what is left of {state} away, then `git stash pop {stash}`"
            ),
            None => format!("put {state} back if you have moved or copied it"),
        };
        let merge = match self.branches.as_slice() {
            [] => String::new(),
            branches => {
                format!("; merged work is on {}, and `git merge` lands it", branches.join(", "))
            }
        };
        format!("{back}{merge}; `afresh run --new PLAN` starts over")
    }
}

impl RepoContext {
    fn marker(&self) -> PathBuf {
        self.git.state_note()
    }

    /// The state directory as the marker names it: relative if it moves with the repository.
    fn state_name(&self) -> String {
        let state = &self.layout.state;
        let inside = self.git.root().and_then(|root| state.strip_prefix(root).ok());
        inside.unwrap_or(state).to_string_lossy().into_owned()
    }

    /// Records where the state is; the caller holds the lock and has opened the journal.
    pub(crate) fn mark_state(&self) -> Result<(), OpenError> {
        let text = format!("{TITLE}\n{}\n", self.state_name());
        if fs::read_to_string(self.marker()).is_ok_and(|found| found == text) {
            return Ok(());
        }
        self.git.ensure_staging().map_err(PoolError::from)?;
        Ok(write_atomically(&self.marker(), text.as_bytes())?)
    }

    /// Fails if there was a journal here, and runs of it are left in the repository.
    pub(crate) fn check_state_exists(&self) -> Result<(), OpenError> {
        match self.find_lost_state()? {
            Some(lost) => Err(OpenError::StateLost(Box::new(lost))),
            None => Ok(()),
        }
    }

    fn find_lost_state(&self) -> Result<Option<LostState>, OpenError> {
        let Ok(marker) = fs::read_to_string(self.marker()) else { return Ok(None) };
        // Another state directory was chosen on purpose.
        if marker.lines().nth(1) != Some(self.state_name().as_str()) {
            return Ok(None);
        }
        self.describe_lost_state()
    }

    /// What is left of the runs whose journal is gone; none if nothing is.
    pub fn describe_lost_state(&self) -> Result<Option<LostState>, OpenError> {
        let branches = self.git.list_refs(RUN_BRANCHES)?;
        let branches: Vec<&str> = branches.keys().filter_map(|it| run_of_branch_ref(it)).collect();
        let tips = self.git.list_refs(RUN_TIPS)?;
        let salvage = self.git.list_refs(SALVAGE_REFS)?;
        let mut runs: Vec<&str> = tips.keys().filter_map(|it| run_of_tip_ref(it)).collect();
        runs.extend(salvage.keys().filter_map(|it| Some(split_salvage_ref(it)?.0)));
        runs.extend(&branches);
        runs.sort_unstable();
        runs.dedup();
        if runs.is_empty() {
            return Ok(None);
        }
        let journal = Path::new(&self.state_name()).join("journal.sqlite");
        Ok(Some(LostState {
            state: self.layout.state.clone(),
            branches: branches.iter().map(|run| run_branch_name(run)).collect(),
            runs: runs.into_iter().map(str::to_owned).collect(),
            stash: self.git.find_in_stashes(&journal)?,
        }))
    }
}
