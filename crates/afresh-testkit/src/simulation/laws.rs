//! The promises, as facts about the journal and the world.

use std::collections::BTreeSet;

use afresh_core::Run;
use afresh_core::event::Event;
use afresh_core::ids::AttemptId;
use afresh_core::run::Standing;
use afresh_core::time::Timestamp;
use afresh_core::usage::Amount;

use super::scenario::Scenario;
use super::world::World;

/// What must hold whenever something was recorded.
pub(super) fn after_events(journal: &[Event], before: usize, run: &Run) -> Result<(), String> {
    let mut halted = false;
    let mut broke = false;
    let mut numbers: BTreeSet<&AttemptId> = BTreeSet::new();
    for (at, event) in journal.iter().enumerate() {
        let new = at >= before;
        match event {
            Event::HaltRequested { .. } => halted = true,
            Event::HaltCleared => halted = false,
            Event::BudgetReached { .. } => broke = true,
            Event::Opened { .. } => broke = false,
            Event::AttemptStarting { attempt, .. } => {
                if new && halted {
                    return Err(format!("R7: {attempt} starts in a halted run"));
                }
                if new && broke {
                    return Err(format!("R14: {attempt} starts after the budget was reached"));
                }
                if !numbers.insert(attempt) {
                    return Err(format!("R2: {attempt} is used twice"));
                }
            }
            _ => {}
        }
    }
    let spent = Amount::from(&run.usage());
    if run.settings().budget.is_reached_by(spent) && journal[before..].iter().any(is_start) {
        return Err("R14: an attempt starts although nothing is left".to_owned());
    }
    Ok(())
}

fn is_start(event: &Event) -> bool {
    matches!(event, Event::AttemptStarting { .. })
}

/// What must hold when nothing more will happen.
pub(super) fn at_the_end(
    run: &Run,
    journal: &[Event],
    world: &World,
    scenario: &Scenario,
) -> Result<(), String> {
    let replayed = Run::replay(journal).ok_or("R12: the journal does not start a run")?;
    if replayed != *run {
        return Err("R12: the journal does not lead to the same run".to_owned());
    }
    let landed = world.landed_tasks();
    let done: BTreeSet<_> =
        run.tasks().filter(|(_, state)| state.is_done()).map(|(task, _)| task.id.clone()).collect();
    if landed.len() != done.len() || !landed.iter().all(|task| done.contains(task)) {
        return Err(format!("R3: the branch holds {landed:?}, the journal says {done:?}"));
    }
    if world.branch.last() != Some(run.tip()) {
        return Err("R3: the branch is not where the journal says".to_owned());
    }
    counted_once(journal, run)?;
    if scenario.is_kind() && run.standing(Timestamp(u64::MAX)) != (Standing::Finished { ok: true })
    {
        return Err(format!(
            "in a kind world the run ends as {:?}",
            run.standing(Timestamp(u64::MAX))
        ));
    }
    Ok(())
}

/// R14: what an attempt used is counted once, however often it was reported.
fn counted_once(journal: &[Event], run: &Run) -> Result<(), String> {
    let mut reported = std::collections::BTreeMap::new();
    for event in journal {
        let (attempt, usage) = match event {
            Event::UsageCounted { attempt, usage } => (attempt, usage),
            Event::AttemptEnded { attempt, end } => (attempt, &end.usage),
            _ => continue,
        };
        let most: &mut u64 = reported.entry(attempt.clone()).or_default();
        *most = (*most).max(usage.input);
    }
    let total: u64 = reported.values().sum();
    if total == run.usage().input {
        Ok(())
    } else {
        Err(format!("R14: {total} tokens were reported, {} are counted", run.usage().input))
    }
}
