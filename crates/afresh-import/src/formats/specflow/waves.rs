//! Compares the waves that a spec states with those that follow from its dependencies.
//!
//! Dependencies decide. A stated wave that contradicts them is reported, because one of the two is
//! wrong.

use std::collections::BTreeMap;

use super::groups::SpecGroup;
use super::needs::warn;
use super::spec::SpecflowSpec;
use crate::draft::DraftPlan;
use crate::prose::mentions;
use afresh_formats::findings::Fix;
use afresh_formats::text::markdown::{TextLine, lines_from, tables};

/// Reports stated waves that contradict the dependencies.
pub(super) fn compare(
    drafted: &mut DraftPlan,
    spec: &SpecflowSpec<'_>,
    groups: &[SpecGroup<'_>],
    needs: &[Vec<(String, TextLine<'_>)>],
) {
    let planned = execution_plan(spec);
    let stated: Vec<Option<(u64, TextLine<'_>)>> = groups
        .iter()
        .map(|group| group.wave.or_else(|| planned.get(group.base.as_str()).copied()))
        .collect();
    let position: BTreeMap<&str, usize> =
        groups.iter().enumerate().map(|(at, group)| (group.id.as_str(), at)).collect();
    let edges: Vec<Vec<usize>> = needs
        .iter()
        .map(|needs| {
            needs.iter().filter_map(|(id, _)| position.get(id.as_str()).copied()).collect()
        })
        .collect();
    let computed = waves(&edges);
    for (at, group) in groups.iter().enumerate() {
        let Some((wave, place)) = stated[at] else { continue };
        let mut reported = false;
        for (id, named) in &needs[at] {
            let other = position.get(id.as_str()).and_then(|other| stated[*other]);
            let Some((earlier, _)) = other.filter(|(earlier, _)| *earlier >= wave) else {
                continue;
            };
            let when = if earlier == wave { "the same" } else { "a later" };
            let message =
                format!("{} depends on {id}, which is in {when} wave ({earlier})", group.id);
            warn(drafted, spec, named.range(), "dependency-not-earlier", message).hint = Some(
                "waves follow from dependencies; correct the wave, or remove the dependency"
                    .to_owned(),
            );
            reported = true;
        }
        let by_needs = computed.as_ref().map_or(wave, |waves| waves[at]);
        if !reported && by_needs != wave {
            let message = format!(
                "{} says wave {wave}, but its dependencies put it in wave {by_needs}",
                group.id
            );
            let found = warn(drafted, spec, place.range(), "wave-disagrees", message);
            found.hint = Some(
                "waves follow from dependencies; add a missing one, or correct the wave".to_owned(),
            );
            // A later wave may mean a missing dependency, which only the author can know.
            if group.wave.is_some() && wave < by_needs {
                let number = place.part(place.text.trim_matches(['*', '`', ' ']));
                found.fix = Some(Fix::rewording(number.range(), by_needs.to_string()));
            }
        }
    }
}

/// The waves of `### Execution Plan`: a table, or lines `Wave 1 (parallel): G1, G2`.
fn execution_plan<'a>(spec: &SpecflowSpec<'a>) -> BTreeMap<&'a str, (u64, TextLine<'a>)> {
    let mut found = BTreeMap::new();
    let Some(heading) = spec.heading(&["execution plan"]) else { return found };
    let mut note = |wave: TextLine<'a>, groups: TextLine<'a>| {
        let Some(wave) = mentions(&wave, str::is_empty).first().map(|wave| wave.number) else {
            return;
        };
        for group in mentions(&groups, |letters| letters == "G") {
            found.entry(group.id.text).or_insert((wave, group.id));
        }
    };
    for table in tables(spec.text, heading.own.clone()) {
        let (wave, groups) = (table.column(&["wave"]), table.column(&["groups", "group"]));
        for row in &table.rows {
            note(row.cell(wave), row.cell(groups));
        }
    }
    for line in lines_from(spec.part(&heading.own), heading.own.start) {
        let words = line.trimmed();
        if let Some((wave, groups)) =
            words.text.split_once(':').filter(|(w, _)| w.starts_with("Wave "))
        {
            note(words.part(wave), words.part(groups));
        }
    }
    found
}

/// Waves from dependencies alone, counted from 1, or `None` if there is a cycle.
fn waves(needs: &[Vec<usize>]) -> Option<Vec<u64>> {
    let mut left: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut dependents = vec![Vec::new(); needs.len()];
    for (at, needs) in needs.iter().enumerate() {
        for need in needs {
            dependents[*need].push(at);
        }
    }
    let mut wave = vec![1; needs.len()];
    let mut ready: Vec<usize> = (0..needs.len()).filter(|at| left[*at] == 0).collect();
    let mut seen = 0;
    while let Some(at) = ready.pop() {
        seen += 1;
        for next in &dependents[at] {
            wave[*next] = wave[*next].max(wave[at] + 1);
            left[*next] -= 1;
            if left[*next] == 0 {
                ready.push(*next);
            }
        }
    }
    (seen == needs.len()).then_some(wave)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_follow_from_dependencies() {
        assert_eq!(waves(&[vec![], vec![0], vec![0, 1], vec![]]), Some(vec![1, 2, 3, 1]));
        assert_eq!(waves(&[vec![1], vec![0]]), None);
    }
}
