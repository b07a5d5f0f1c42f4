//! Saved work, and the branches of runs.

use std::collections::BTreeMap;

use afresh_core::ids::CommitId;

use super::proof::{Landed, Proof};
use super::thing::{Kind, Target, Thing};
use super::{CleanError, Cleaning, Known, salvage_parts};

const BRANCHES: &str = "refs/heads/afresh/";
const TIPS: &str = "refs/afresh/runs/";

/// A ref of ours, taken apart.
struct Ours<'n> {
    name: &'n str,
    commit: &'n CommitId,
    run: &'n str,
    /// None: the branch of a run, or the ref that keeps it.
    attempt: Option<&'n str>,
}

impl Cleaning<'_> {
    pub(super) fn refs(&self) -> Result<Vec<Thing>, CleanError> {
        let repository = &self.place.repository;
        let kept = repository.list_refs("refs/afresh/")?;
        let branches = repository.list_refs(BRANCHES)?;
        let mut ours: Vec<Ours<'_>> = kept.iter().filter_map(taken_apart).collect();
        // A branch that only looks like one of ours is the user's.
        let is_run = |run: &str| kept.contains_key(&format!("{TIPS}{run}"));
        let branches = branches.iter().filter_map(taken_apart);
        ours.extend(branches.filter(|it| is_run(it.run) || self.known(it.run).is_some()));
        self.check_discards(&ours)?;
        let mut things = self.unfinished(&ours);
        ours.retain(|it| self.known(it.run).is_none_or(Known::is_finished));
        if ours.is_empty() {
            return Ok(things);
        }
        let proof = Proof::new(repository)?;
        let mut landed: BTreeMap<&str, Landed> = BTreeMap::new();
        for known in self.runs.iter().filter(|known| ours.iter().any(|it| it.run == known.id())) {
            landed.insert(known.id(), proof.landed(&known.run)?);
        }
        let checked_out = repository.worktrees()?.into_iter().filter_map(|tree| tree.branch);
        let checked_out: Vec<String> = checked_out.collect();
        for it in &ours {
            if checked_out.iter().any(|branch| branch == it.name) {
                let thing = Thing::stays(Kind::Branch, it.shown(), "it is checked out");
                things.push(thing.hint("switch to another branch, then clean again"));
                continue;
            }
            let thing = self.one_ref(it, &proof, landed.get(it.run))?;
            // Where the branch is told, the ref that keeps it needs no line of its own.
            let is_told = it.is_shadow_of(&ours);
            if thing.is_to_go() || !is_told {
                things.push(thing);
            }
        }
        Ok(things)
    }

    fn one_ref(
        &self,
        it: &Ours<'_>,
        proof: &Proof<'_>,
        landed: Option<&Landed>,
    ) -> Result<Thing, CleanError> {
        let mut proven = proof.of(it.name, it.commit)?;
        if let (None, Some(landed), Some(attempt)) = (&proven, landed, it.attempt) {
            proven = proof.of_attempt(landed, attempt, it.commit)?;
        }
        let wanted = self.wishes.discard.iter().any(|wish| it.is_meant_by(wish));
        let why = proven
            .or_else(|| wanted.then(|| format!("you asked for it; it was commit {}", it.commit)));
        let (name, commit) = (it.name.to_owned(), it.commit.clone());
        Ok(match why {
            Some(why) => Thing::goes(it.kind(), it.shown(), why, Target::Ref { name, commit }),
            None => it.stays(),
        })
    }

    /// One line for each run that can go on: everything of it stays.
    fn unfinished(&self, ours: &[Ours<'_>]) -> Vec<Thing> {
        let unfinished = self.runs.iter().filter(|known| !known.is_finished());
        let line = |known: &Known| {
            let count = ours.iter().filter(|it| it.run == known.id()).count();
            let refs = if count == 1 { "1 ref".to_owned() } else { format!("{count} refs") };
            let why = format!("it is not finished ({refs})");
            let hint = match known.run.halt() {
                Some(_) => "`afresh resume` goes on with it",
                None => "`afresh run` goes on with it; `afresh run --resume abort` gives it up",
            };
            Thing::stays(Kind::Run, known.id(), why).hint(hint)
        };
        unfinished.map(line).collect()
    }

    /// A wish that means nothing, or something that is needed, is a mistake.
    fn check_discards(&self, ours: &[Ours<'_>]) -> Result<(), CleanError> {
        for wish in &self.wishes.discard {
            let run = wish.split('/').next().unwrap_or_default();
            if self.known(run).is_some_and(|known| !known.is_finished()) {
                return Err(CleanError::StillNeeded(run.to_owned()));
            }
            if !ours.iter().any(|it| it.is_meant_by(wish)) {
                return Err(CleanError::NothingToDiscard(wish.clone()));
            }
        }
        Ok(())
    }
}

fn taken_apart<'n>((name, commit): (&'n String, &'n CommitId)) -> Option<Ours<'n>> {
    if let Some((run, attempt)) = salvage_parts(name) {
        return Some(Ours { name, commit, run, attempt: Some(attempt) });
    }
    let run = name.strip_prefix(BRANCHES).or_else(|| name.strip_prefix(TIPS))?;
    Some(Ours { name, commit, run, attempt: None })
}

impl Ours<'_> {
    fn kind(&self) -> Kind {
        if self.attempt.is_some() { Kind::SavedWork } else { Kind::Branch }
    }

    /// A branch by its short name; everything else by its whole one.
    fn shown(&self) -> &str {
        self.name.strip_prefix("refs/heads/").unwrap_or(self.name)
    }

    /// Whether it keeps what a branch in the list is at.
    fn is_shadow_of(&self, all: &[Ours<'_>]) -> bool {
        self.name.starts_with(TIPS)
            && all.iter().any(|it| {
                it.name.starts_with(BRANCHES) && it.run == self.run && it.commit == self.commit
            })
    }

    fn is_meant_by(&self, wish: &str) -> bool {
        match (wish.split_once('/'), self.attempt) {
            (None, _) => wish == self.run,
            (Some((run, wanted)), Some(attempt)) => run == self.run && wanted == attempt,
            (Some(_), None) => false,
        }
    }

    fn stays(&self) -> Thing {
        let run = self.run;
        let Some(attempt) = self.attempt else {
            return Thing::stays(self.kind(), self.shown(), "it has not landed").hint(format!(
                "`afresh land {run}` brings it to your branch; `afresh clean --discard {run}` \
                 removes it and all saved work of the run"
            ));
        };
        let why = format!("work of {attempt} of run {run}, in no branch of yours");
        Thing::stays(Kind::SavedWork, self.name, why).hint(format!(
            "`git show {}` shows it; `afresh clean --discard {run}/{attempt}` removes it",
            self.name
        ))
    }
}
