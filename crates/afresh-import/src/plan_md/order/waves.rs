//! Waves: which plans of a phase can run in parallel.
//!
//! They follow from dependencies alone. A plan's `wave` is compared with that, and differences are
//! reported. Files that two plans of a wave share are reported by [`afresh_formats::lint`].

use std::ops::Range;

use crate::plan_md::order::dependencies::PlanNeeds;
use crate::plan_md::order::plan_set::PlanSet;
use afresh_formats::findings::Fix;

/// The wave of each plan in its phase, counted from 1; 0 for a plan in a cycle.
pub fn compute_waves(set: &PlanSet, needs: &[PlanNeeds]) -> Vec<u32> {
    let inside = |at: usize| {
        let phase = set.members[at].phase;
        needs[at]
            .iter()
            .map(|(need, _)| *need)
            .filter(move |need| set.members[*need].phase == phase)
    };
    let mut waiting: Vec<usize> = (0..needs.len()).map(|at| inside(at).count()).collect();
    let mut dependents = vec![Vec::new(); needs.len()];
    for at in 0..needs.len() {
        inside(at).for_each(|need| dependents[need].push(at));
    }
    let mut ready: Vec<usize> = (0..needs.len()).filter(|at| waiting[*at] == 0).collect();
    let mut waves = vec![0; needs.len()];
    for at in &ready {
        waves[*at] = 1;
    }
    let mut earliest = waves.clone();
    while let Some(at) = ready.pop() {
        waves[at] = earliest[at];
        for next in &dependents[at] {
            earliest[*next] = earliest[*next].max(waves[at] + 1);
            waiting[*next] -= 1;
            if waiting[*next] == 0 {
                ready.push(*next);
            }
        }
    }
    // A plan that never became ready is in a cycle, or waits for one.
    for (at, wave) in waves.iter_mut().enumerate() {
        *wave = if waiting[at] == 0 { *wave } else { 0 };
    }
    waves
}

/// Reports waves that contradict the dependencies.
pub fn remark(set: &mut PlanSet, needs: &[PlanNeeds], waves: &[u32]) {
    for at in 0..waves.len() {
        let late = late_needs(set, &needs[at], at);
        let document = &mut set.members[at].document;
        let Some((stated, place)) = document.fields.wave.clone() else { continue };
        for (other, place) in &late {
            let message = format!("this plan is in wave {stated}, but needs {other}");
            let hint = "waves follow from `depends_on`: correct `wave`, or remove the dependency";
            document.remarks.warning("dependency-not-earlier", place, message, hint);
        }
        if late.is_empty() && waves[at] != 0 && stated != waves[at] {
            let message = format!(
                "the plan says wave {stated}, but its dependencies put it in wave {}",
                waves[at]
            );
            // A later wave may mean a missing dependency, which only the author can know.
            if stated > waves[at] {
                let hint = "if it must wait for another plan, add that to `depends_on`";
                document.remarks.warning("wave-disagrees", &place, message, hint);
            } else {
                let hint = "correct `wave`; afresh does not use it";
                let fix = Fix::rewording(place.clone(), waves[at].to_string());
                document.remarks.fixable("wave-disagrees", &place, message, hint, fix);
            }
        }
    }
}

/// The dependencies in the same phase whose wave is the same or later.
fn late_needs(set: &PlanSet, needs: &PlanNeeds, at: usize) -> Vec<(String, Range<usize>)> {
    let own = &set.members[at];
    let Some((wave, _)) = own.document.fields.wave else { return Vec::new() };
    let late = |(need, place): &(usize, Range<usize>)| {
        let other = &set.members[*need];
        let (stated, _) = other.document.fields.wave.clone()?;
        let is_late = *need != at && other.phase == own.phase && stated >= wave;
        is_late.then(|| (format!("{} in wave {stated}", other.id), place.clone()))
    };
    needs.iter().filter_map(late).collect()
}
