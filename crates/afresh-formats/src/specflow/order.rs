//! What each group needs, and waves that say otherwise.
//!
//! Dependencies are the truth; waves are computed from them. A stated wave that disagrees is told,
//! because then one of the two is a mistake.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use afresh_core::plan::Field;

use super::groups::Group;
use super::spec::Spec;
use crate::drafted::Drafted;
use crate::folder::Folder;
use crate::markdown::{Line, lines_from, tables};
use crate::prose::{mentions, outside_brackets};
use crate::reading::Spot;

/// The most dependencies of one specification.
const MAX_NEEDS: usize = 200_000;

/// What a cell says where there is no dependency.
const NOTHING: &[&str] = &["", "-", "--", "---", "—", "–", "none", "n/a", "nothing", "no"];

/// The ids that each group needs, with their places. What is unknown stays in, for the plan to
/// refuse; what is no id at all is told here.
pub(super) fn needs<'a>(
    folder: &dyn Folder,
    drafted: &mut Drafted,
    spec: &Spec<'a>,
    groups: &[Group<'a>],
) -> Vec<Vec<(String, Line<'a>)>> {
    let known = Known::new(groups);
    let mut all: Vec<Vec<(String, Line<'a>)>> = Vec::with_capacity(groups.len());
    let mut count = 0;
    for (at, group) in groups.iter().enumerate() {
        let (mut needs, understood) = known.needs(at, group);
        if !understood {
            let message =
                format!("{} depends on {:?}, which names no group", group.id, group.needs.text);
            warn(folder, drafted, spec, group.needs.range(), "unresolved-dependency", message)
                .help =
                Some("write the groups by their ids, as in `G1, G2`, or `—` for none".to_owned());
        }
        if let Some(own) = needs.iter().position(|(need, _)| *need == group.id) {
            let (_, place) = needs.remove(own);
            let message = format!("{} depends on itself; that is left out", group.id);
            warn(folder, drafted, spec, place.range(), "self-dependency", message).help =
                Some("remove it from its own dependencies".to_owned());
        }
        count += needs.len();
        if count > MAX_NEEDS {
            let message = format!("the groups depend on each other in more than {MAX_NEEDS} ways");
            let spot = Spot::new(spec.file, group.needs.range());
            drafted.find(folder, &spot, "too-large", message).help =
                Some("name only the groups that come directly before".to_owned());
            needs.clear();
            all.push(needs);
            break;
        }
        all.push(needs);
    }
    all.resize(groups.len(), Vec::new());
    all
}

/// The groups by what may name them.
struct Known<'g, 'a> {
    groups: &'g [Group<'a>],
    by_id: BTreeMap<&'g str, Vec<usize>>,
}

impl<'g, 'a> Known<'g, 'a> {
    fn new(groups: &'g [Group<'a>]) -> Self {
        let mut by_id: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, group) in groups.iter().enumerate() {
            by_id.entry(&group.id).or_default().push(at);
            if group.base != group.id {
                by_id.entry(&group.base).or_default().push(at);
            }
        }
        Self { groups, by_id }
    }

    /// What a group needs, and whether its cell could be understood.
    fn needs(&self, at: usize, group: &Group<'a>) -> (Vec<(String, Line<'a>)>, bool) {
        let mut needs: Vec<(String, Line<'a>)> = Vec::new();
        let said = group.needs.text.trim_matches(['*', '`', ' ']).to_lowercase();
        let mut understood = NOTHING.contains(&said.as_str());
        for part in outside_brackets(&group.needs) {
            for found in mentions(&part, |letters| matches!(letters, "G" | "SPEC")) {
                understood = true;
                if found.letters == "SPEC" {
                    continue;
                }
                let exact = self.by_id.get(found.id.text);
                let named = exact.or_else(|| self.by_id.get(found.without_segment()));
                if found.through.is_some() {
                    let within = |other: &&Group<'_>| {
                        other.number.is_some_and(|number| found.covers(number))
                            && other.base != group.base
                    };
                    let spanned = self.groups.iter().filter(within);
                    needs.extend(spanned.map(|other| (other.id.clone(), found.id)));
                } else if let Some(named) = named {
                    needs.extend(named.iter().map(|n| (self.groups[*n].id.clone(), found.id)));
                } else {
                    needs.push((found.id.text.to_owned(), found.id));
                }
            }
            for piece in part.text.split([',', ';', '+', '&']) {
                let word = part.part(piece.trim_matches(['*', '`', ' ']));
                if let Some(named) =
                    self.by_id.get(word.text).filter(|_| !word.text.starts_with('G'))
                {
                    understood = true;
                    needs.extend(named.iter().map(|n| (self.groups[*n].id.clone(), word)));
                }
            }
        }
        // More order than was meant does no harm.
        if !understood && (said == "all" || said.starts_with("all ")) {
            understood = true;
            needs.extend(self.groups[..at].iter().map(|other| (other.id.clone(), group.needs)));
        }
        (needs, understood)
    }
}

/// Tells stated waves that the dependencies contradict.
pub(super) fn compare_waves(
    folder: &dyn Folder,
    drafted: &mut Drafted,
    spec: &Spec<'_>,
    groups: &[Group<'_>],
    needs: &[Vec<(String, Line<'_>)>],
) {
    let planned = execution_plan(spec);
    let stated: Vec<Option<(u64, Line<'_>)>> = groups
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
        let mut told = false;
        for (id, named) in &needs[at] {
            let other = position.get(id.as_str()).and_then(|other| stated[*other]);
            let Some((earlier, _)) = other.filter(|(earlier, _)| *earlier >= wave) else {
                continue;
            };
            let when = if earlier == wave { "the same" } else { "a later" };
            let message =
                format!("{} depends on {id}, which is in {when} wave ({earlier})", group.id);
            warn(folder, drafted, spec, named.range(), "dependency-not-earlier", message).help =
                Some(
                    "the dependency counts; correct the wave, or remove the dependency".to_owned(),
                );
            told = true;
        }
        let by_needs = computed.as_ref().map_or(wave, |waves| waves[at]);
        if !told && by_needs != wave {
            let message = format!(
                "{} is stated to be in wave {wave}; its dependencies put it in wave {by_needs}",
                group.id
            );
            warn(folder, drafted, spec, place.range(), "wave-disagrees", message).help =
                Some("the dependencies count; add what is missing, or correct the wave".to_owned());
        }
    }
}

/// The waves of `### Execution Plan`: a table, or lines `Wave 1 (parallel): G1, G2`.
fn execution_plan<'a>(spec: &Spec<'a>) -> BTreeMap<&'a str, (u64, Line<'a>)> {
    let mut found = BTreeMap::new();
    let Some(heading) = spec.heading(&["execution plan"]) else { return found };
    let mut note = |wave: Line<'a>, groups: Line<'a>| {
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
        let said = line.trimmed();
        if let Some((wave, groups)) =
            said.text.split_once(':').filter(|(w, _)| w.starts_with("Wave "))
        {
            note(said.part(wave), said.part(groups));
        }
    }
    found
}

/// Waves from dependencies alone, counted from 1; none where they run in a circle.
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

/// What a whole specification depends on: its first groups need the last ones of the other.
pub(super) fn between_specs(
    folder: &dyn Folder,
    drafted: &mut Drafted,
    spec: &Spec<'_>,
    added: &BTreeMap<String, Range<usize>>,
    archived: &[String],
) {
    let Some(own) = added.get(&spec.id).cloned() else { return };
    let is_first = |at: &usize| drafted.tasks[*at].draft.needs.is_empty();
    let firsts: Vec<usize> = own.clone().filter(is_first).collect();
    for other in &spec.depends_on {
        let Some(theirs) = added.get(&other.text).filter(|theirs| **theirs != own) else {
            if archived.contains(&other.text) || added.len() == 1 {
                continue;
            }
            let message = format!("{} depends on {:?}, which is not here", spec.id, other.text);
            warn(folder, drafted, spec, other.at.clone(), "unresolved-dependency", message).help =
                Some("specifications that are done are in the archive".to_owned());
            continue;
        };
        let lasts = lasts(drafted, theirs.clone());
        for first in firsts.iter().take(MAX_NEEDS / lasts.len().max(1)) {
            let task = &mut drafted.tasks[*first];
            let item = task.draft.needs.len();
            task.note(None, Field::Needs, item, Spot::new(spec.file, other.at.clone()));
            task.draft.needs.extend(lasts.iter().cloned());
        }
    }
}

/// The ids of the tasks that no other one of these needs.
fn lasts(drafted: &Drafted, tasks: Range<usize>) -> Vec<String> {
    let tasks = &drafted.tasks[tasks];
    let needed: BTreeSet<&str> =
        tasks.iter().flat_map(|task| task.draft.needs.iter().map(String::as_str)).collect();
    let last = |id: &&str| !needed.contains(id);
    tasks.iter().map(|task| task.draft.id.as_str()).filter(last).map(str::to_owned).collect()
}

fn warn<'d>(
    folder: &dyn Folder,
    drafted: &'d mut Drafted,
    spec: &Spec<'_>,
    at: Range<usize>,
    code: &str,
    message: String,
) -> &'d mut crate::Finding {
    let found = drafted.find(folder, &Spot::new(spec.file, at), code, message);
    found.severity = crate::Severity::Warning;
    found
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
