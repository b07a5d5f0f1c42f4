//! A commit of what a worker has so far, while it goes on working.
//!
//! Its checkout is only read. What is written meanwhile may be in the commit or not: whether the
//! commit is any good is for checks to say.

use afresh_core::ids::CommitId;

use crate::git::identity::Signature;
use crate::harvest::collect::{Gathered, Harvester, Worker};
use crate::harvest::prescan::told;
use crate::harvest::{HarvestError, HarvestLimits, HarvestRequest, Refusal, WorkspaceHarvest};
use crate::workspace::lease::Owner;
use crate::workspace::pool::{Place, Pool, PoolError};

/// How often a checkout that does not hold still is looked at.
const ROUNDS: u32 = 3;

/// What to take a snapshot of; the names mean what they mean in [`HarvestRequest`].
#[derive(Debug, Clone, Copy)]
pub struct SnapshotRequest<'a> {
    pub base: &'a CommitId,
    pub prepared: &'a CommitId,
    pub onto: &'a CommitId,
    pub files: &'a [String],
    pub keep: &'a [String],
    /// Of the one commit.
    pub message: &'a str,
    pub signature: &'a Signature,
    /// The salvage ref that the slot was entrusted to.
    pub owner: &'a str,
    /// The ref that keeps the commit, such as a [`step_ref`](crate::step_ref).
    pub keep_as: &'a str,
    pub limits: HarvestLimits,
    /// What git is started through: the worker can swap a directory for a link at any moment, and git
    /// would read what that leads to. So it should see no more than the worker does.
    pub through: &'a [String],
}

impl Pool {
    /// Commits what is in a slot while its worker is alive.
    ///
    /// Nothing in the checkout is changed. Nested repositories and whatever else git cannot take as
    /// it is are left out, and a note says so. The slot's work counts as unsaved as before. The
    /// commit is durable under `keep_as` when this returns. A harvest or a preparation of the slot
    /// waits for a snapshot, but ends one that takes long.
    pub fn snapshot(
        &self,
        place: Place,
        request: &SnapshotRequest<'_>,
    ) -> Result<WorkspaceHarvest, HarvestError> {
        let turn = self.turns.wait_for(place);
        match self.ownership(place).owner() {
            Owner::Attempt(owner) if owner == request.owner => {}
            other => return Err(HarvestError::Foreign { place, owner: other.describe() }),
        }
        let whole = request.as_harvest();
        self.check_slot(place, &whole)?;
        let workspace = self.workspace(place);
        let worker = Worker::Alive { give_way: turn.give_way(), through: request.through };
        let harvester = Harvester::new(self, &workspace, &whole, worker);
        let failed = |source| HarvestError::Pool { place, source };
        let mut gathered = gather_patiently(place, &harvester)?;
        let chain = harvester.commit(&mut gathered).map_err(failed)?;
        self.keep_safe(place, &whole, &mut gathered, &chain)?;
        harvester.forget_scratch().map_err(|e| failed(e.into()))?;
        gathered.into_harvest(place, chain)
    }
}

/// Looks again where something changed under our hands.
fn gather_patiently(place: Place, harvester: &Harvester<'_>) -> Result<Gathered, HarvestError> {
    let mut round = 1;
    loop {
        let is_last = round == ROUNDS;
        match gather(place, harvester) {
            Ok(gathered) if gathered.is_settled || is_last => return Ok(gathered),
            Err(error) if is_last || !may_pass(&error) => return Err(error),
            _ => round += 1,
        }
    }
}

fn gather(place: Place, harvester: &Harvester<'_>) -> Result<Gathered, HarvestError> {
    let failed = |source| HarvestError::Pool { place, source };
    let survey = harvester.survey().map_err(|e| failed(e.into()))?;
    if survey.is_empty {
        return Err(HarvestError::Gone { place, tree: harvester.workspace.tree() });
    }
    if let Some(path) = &survey.endless {
        let refusal = Refusal::Endless { path: told(path) };
        return Err(HarvestError::Refused { place, refusal, salvaged: None });
    }
    harvester.gather(survey).map_err(failed)
}

/// Git gives up on a file that goes away while it is read; a second look finds it gone.
fn may_pass(error: &HarvestError) -> bool {
    use crate::git::command::CommandError::Failed;
    !error.is_out_of_space()
        && matches!(error, HarvestError::Pool { source: PoolError::Git(Failed { .. }), .. })
}

impl<'a> SnapshotRequest<'a> {
    fn as_harvest(&self) -> HarvestRequest<'a> {
        let Self { base, prepared, onto, files, keep, message, signature, limits, .. } = *self;
        HarvestRequest {
            base,
            prepared,
            onto,
            files,
            keep,
            message,
            step_prefix: "",
            step_names: &[],
            signature,
            salvage: self.keep_as,
            limits,
        }
    }
}
