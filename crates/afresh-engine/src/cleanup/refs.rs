//! Saved work, and the branches of runs.

use std::collections::BTreeMap;

use afresh_core::ids::CommitId;
use afresh_core::status::{RunState, run_state};
use afresh_git::ref_names::{
    OWN_REFS, RUN_BRANCHES, display_name, run_of_branch_ref, run_of_tip_ref, run_tip_ref,
    split_salvage_ref,
};

use super::item::{CleanupItem, CleanupKind, CleanupTarget};
use super::proof::{LandedRefs, MergeProof};
use super::{Cleanup, CleanupError, KnownRuns};

/// A ref of ours, split into its parts.
struct OwnedRefs<'n> {
    name: &'n str,
    commit: &'n CommitId,
    run: &'n str,
    /// None for the branch of a run, and for the ref that keeps it.
    attempt: Option<&'n str>,
}

impl Cleanup<'_> {
    pub(super) fn refs(&self) -> Result<Vec<CleanupItem>, CleanupError> {
        let repository = &self.place.git;
        let kept = repository.list_refs(OWN_REFS)?;
        let branches = repository.list_refs(RUN_BRANCHES)?;
        let mut ours: Vec<OwnedRefs<'_>> = kept.iter().filter_map(taken_apart).collect();
        // A branch that only has a name like ours belongs to the user.
        let is_run = |run: &str| kept.contains_key(&run_tip_ref(run));
        let branches = branches.iter().filter_map(taken_apart);
        ours.extend(branches.filter(|it| is_run(it.run) || self.find_run(it.run).is_some()));
        self.check_discards(&ours)?;
        let mut things = self.unfinished(&ours);
        ours.retain(|it| self.find_run(it.run).is_none_or(KnownRuns::is_finished));
        if ours.is_empty() {
            return Ok(things);
        }
        let proof = MergeProof::new(repository)?;
        let mut landed: BTreeMap<&str, LandedRefs> = BTreeMap::new();
        for known in self.runs.iter().filter(|known| ours.iter().any(|it| it.run == known.id())) {
            landed.insert(known.id(), proof.landed(&known.run)?);
        }
        let checked_out = repository.worktrees()?.into_iter().filter_map(|tree| tree.branch);
        let checked_out: Vec<String> = checked_out.collect();
        for it in &ours {
            if checked_out.iter().any(|branch| branch == it.name) {
                let thing =
                    CleanupItem::stays(CleanupKind::Branch, it.display_name(), "it is checked out");
                things.push(thing.hint("switch to another branch, then clean again"));
                continue;
            }
            let thing = self.one_ref(it, &proof, landed.get(it.run))?;
            // If the branch is listed, the ref that keeps it needs no line of its own.
            let is_told = it.is_shadow_of(&ours);
            if thing.is_to_go() || !is_told {
                things.push(thing);
            }
        }
        Ok(things)
    }

    fn one_ref(
        &self,
        it: &OwnedRefs<'_>,
        proof: &MergeProof<'_>,
        landed: Option<&LandedRefs>,
    ) -> Result<CleanupItem, CleanupError> {
        let mut proven = proof.find_merge(it.name, it.commit)?;
        if let (None, Some(landed), Some(attempt)) = (&proven, landed, it.attempt) {
            proven = proof.of_attempt(landed, attempt, it.commit)?;
        }
        let wanted = self.wishes.discard.iter().any(|wish| it.is_meant_by(wish));
        let why = proven
            .or_else(|| wanted.then(|| format!("you asked for it; it was commit {}", it.commit)));
        let (name, commit) = (it.name.to_owned(), it.commit.clone());
        Ok(match why {
            Some(why) => CleanupItem::remove(
                it.kind(),
                it.display_name(),
                why,
                CleanupTarget::Ref { name, commit },
            ),
            None => it.stays(self.find_run(it.run)),
        })
    }

    /// One line for each run that can continue: all its refs stay.
    fn unfinished(&self, ours: &[OwnedRefs<'_>]) -> Vec<CleanupItem> {
        let unfinished = self.runs.iter().filter(|known| !known.is_finished());
        let line = |known: &KnownRuns| {
            let count = ours.iter().filter(|it| it.run == known.id()).count();
            let refs = if count == 1 { "1 ref".to_owned() } else { format!("{count} refs") };
            let why = format!("it is not finished ({refs})");
            let id = known.id();
            let hint = format!("`afresh resume {id}` continues it; `afresh abort {id}` ends it");
            CleanupItem::stays(CleanupKind::Run, known.id(), why).hint(hint)
        };
        unfinished.map(line).collect()
    }

    /// Rejects a discard that matches nothing, or that names work that is still needed.
    fn check_discards(&self, ours: &[OwnedRefs<'_>]) -> Result<(), CleanupError> {
        for wish in &self.wishes.discard {
            let run = wish.split('/').next().unwrap_or_default();
            if self.find_run(run).is_some_and(|known| !known.is_finished()) {
                return Err(CleanupError::StillNeeded(run.to_owned()));
            }
            if !ours.iter().any(|it| it.is_meant_by(wish)) {
                return Err(CleanupError::NothingToDiscard(wish.clone()));
            }
        }
        Ok(())
    }
}

fn taken_apart<'n>((name, commit): (&'n String, &'n CommitId)) -> Option<OwnedRefs<'n>> {
    if let Some((run, attempt)) = split_salvage_ref(name) {
        return Some(OwnedRefs { name, commit, run, attempt: Some(attempt) });
    }
    let run = run_of_branch_ref(name).or_else(|| run_of_tip_ref(name))?;
    Some(OwnedRefs { name, commit, run, attempt: None })
}

impl OwnedRefs<'_> {
    fn kind(&self) -> CleanupKind {
        if self.attempt.is_some() { CleanupKind::SavedWork } else { CleanupKind::Branch }
    }

    /// The short name of a branch; the full name of any other ref.
    fn display_name(&self) -> &str {
        display_name(self.name)
    }

    /// Whether it keeps the commit of a branch in the list.
    fn is_shadow_of(&self, all: &[OwnedRefs<'_>]) -> bool {
        run_of_tip_ref(self.name).is_some()
            && all.iter().any(|it| {
                run_of_branch_ref(it.name).is_some()
                    && it.run == self.run
                    && it.commit == self.commit
            })
    }

    fn is_meant_by(&self, wish: &str) -> bool {
        match (wish.split_once('/'), self.attempt) {
            (None, _) => wish == self.run,
            (Some((run, wanted)), Some(attempt)) => run == self.run && wanted == attempt,
            (Some(_), None) => false,
        }
    }

    /// The run is not known if the journal does not have it.
    fn stays(&self, known: Option<&KnownRuns>) -> CleanupItem {
        let run = self.run;
        let Some(attempt) = self.attempt else {
            let land = match known.map(|known| run_state(&known.run)) {
                Some(RunState::Done) => format!("afresh land {run}"),
                Some(_) => format!("afresh land {run} --partial"),
                None => format!("git merge {}", self.display_name()),
            };
            return CleanupItem::stays(self.kind(), self.display_name(), "it has not landed").hint(
                format!(
                    "`{land}` brings it to your branch; `afresh clean --discard {run}` removes it and all saved \
                     work of the run"
                ),
            );
        };
        let why = format!("work of {attempt} of run {run}, in no branch of yours");
        CleanupItem::stays(CleanupKind::SavedWork, self.name, why).hint(format!(
            "`git show {}` shows it; `afresh clean --discard {run}/{attempt}` removes it",
            self.name
        ))
    }
}
