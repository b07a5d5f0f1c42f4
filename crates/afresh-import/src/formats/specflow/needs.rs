//! Dependencies of groups, and of specs on each other.
//!
//! A dependency is an id outside of brackets. A name that matches nothing is reported.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use afresh_core::plan::PlanField;

use super::OtherSpecs;
use super::groups::SpecGroup;
use super::spec::SpecflowSpec;
use crate::draft::{DraftPlan, report_needs_outside};
use crate::prose::{TaskMention, mentions, outside_brackets};
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::markdown::TextLine;

/// The most dependencies of one spec.
const MAX_NEEDS: usize = 200_000;

/// Texts of a cell without dependencies.
const NOTHING: &[&str] = &["", "-", "--", "---", "—", "–", "none", "n/a", "nothing", "no"];

/// The ids that each group needs, with their positions. Unknown ids are kept, so that the plan is
/// rejected; text without an id is reported here.
pub(super) fn of_groups<'a>(
    drafted: &mut DraftPlan,
    spec: &SpecflowSpec<'a>,
    groups: &[SpecGroup<'a>],
) -> Vec<Vec<(String, TextLine<'a>)>> {
    let known = GroupIndex::new(groups);
    let mut all: Vec<Vec<(String, TextLine<'a>)>> = Vec::with_capacity(groups.len());
    let mut count = 0;
    for (at, group) in groups.iter().enumerate() {
        let (mut needs, understood) = known.needs(at, group);
        if !understood {
            let message =
                format!("{} depends on {:?}, which matches no group", group.id, group.needs.text);
            warn(drafted, spec, group.needs.range(), "unresolved-dependency", message).hint =
                Some("write ids of groups, for example `G1, G2`, or `—` for none".to_owned());
        }
        if let Some(own) = needs.iter().position(|(need, _)| *need == group.id) {
            let (_, place) = needs.remove(own);
            let message = format!("{} depends on itself; the dependency is ignored", group.id);
            warn(drafted, spec, place.range(), "self-dependency", message).hint =
                Some("remove it from its own dependencies".to_owned());
        }
        count += needs.len();
        if count > MAX_NEEDS {
            let message = format!("the groups have more than {MAX_NEEDS} dependencies");
            let span = SourceSpan::new(spec.file, group.needs.range());
            drafted.find(&span, "too-large", message).hint =
                Some("list only direct dependencies".to_owned());
            needs.clear();
            all.push(needs);
            break;
        }
        all.push(needs);
    }
    all.resize(groups.len(), Vec::new());
    all
}

/// The groups by id and number.
struct GroupIndex<'g, 'a> {
    groups: &'g [SpecGroup<'a>],
    by_id: BTreeMap<&'g str, Vec<usize>>,
    by_number: BTreeMap<u64, Vec<usize>>,
}

impl<'g, 'a> GroupIndex<'g, 'a> {
    fn new(groups: &'g [SpecGroup<'a>]) -> Self {
        let mut known = Self { groups, by_id: BTreeMap::new(), by_number: BTreeMap::new() };
        for (at, group) in groups.iter().enumerate() {
            if let Some(number) = group.number {
                known.by_number.entry(number).or_default().push(at);
            }
            known.by_id.entry(&group.id).or_default().push(at);
            if group.base != group.id {
                known.by_id.entry(&group.base).or_default().push(at);
            }
        }
        known
    }

    /// The dependencies of a group, and whether its cell was understood.
    fn needs(&self, at: usize, group: &SpecGroup<'a>) -> (Vec<(String, TextLine<'a>)>, bool) {
        let words = group.needs.text.trim_matches(['*', '`', ' ']).to_lowercase();
        let mut understood = NOTHING.contains(&words.as_str());
        let mut needs = Vec::new();
        let mut seen = BTreeSet::new();
        let mut add = |id: &str, place: TextLine<'a>| {
            if seen.insert(id.to_owned()) {
                needs.push((id.to_owned(), place));
            }
        };
        for part in outside_brackets(&group.needs) {
            for found in mentions(&part, |letters| matches!(letters, "G" | "SPEC")) {
                understood = true;
                if found.letters == "G" {
                    self.mentioned(&found, group, &mut add);
                }
            }
            for piece in part.text.split([',', ';', '+', '&']) {
                let word = part.part(piece.trim_matches(['*', '`', ' ']));
                let named = self.by_id.get(word.text).filter(|_| !word.text.starts_with('G'));
                for at in named.into_iter().flatten() {
                    understood = true;
                    add(&self.groups[*at].id, word);
                }
            }
        }
        // A dependency too many does no harm.
        if !understood && (words == "all" || words.starts_with("all ")) {
            understood = true;
            self.groups[..at].iter().for_each(|other| add(&other.id, group.needs));
        }
        (needs, understood)
    }

    /// The groups that a name matches: `G2`, all segments of `G2`, the group of an unlisted segment,
    /// `G2-G4`.
    fn mentioned(
        &self,
        found: &TaskMention<'a>,
        own: &SpecGroup<'a>,
        add: &mut impl FnMut(&str, TextLine<'a>),
    ) {
        if let Some(last) = found.through {
            let spanned = self.by_number.range(found.number..=last).flat_map(|(_, at)| at);
            let others = spanned.map(|at| &self.groups[*at]);
            others
                .filter(|other| other.base != own.base)
                .for_each(|other| add(&other.id, found.id));
            return;
        }
        let exact = self.by_id.get(found.id.text);
        match exact.or_else(|| self.by_id.get(found.without_segment())) {
            Some(named) => named.iter().for_each(|at| add(&self.groups[*at].id, found.id)),
            None => add(found.id.text, found.id),
        }
    }
}

/// Dependencies between specs: the first groups of one need the last ones of the other.
pub(super) fn between_specs(
    drafted: &mut DraftPlan,
    spec: &SpecflowSpec<'_>,
    added: &BTreeMap<String, Range<usize>>,
    others: &OtherSpecs,
) {
    let Some(own) = added.get(&spec.id).cloned() else { return };
    let is_first = |at: &usize| drafted.tasks[*at].draft.needs.is_empty();
    let firsts: Vec<usize> = own.clone().filter(is_first).collect();
    for other in &spec.depends_on {
        let Some(theirs) = added.get(&other.text).filter(|theirs| **theirs != own) else {
            if others.finished.contains(&other.text) {
                continue;
            }
            if others.open.contains(&other.text) {
                let span = SourceSpan::new(spec.file, other.at.clone());
                report_needs_outside(drafted, &spec.id, &[&other.text], &span);
                continue;
            }
            let message = format!("{} depends on {:?}, which does not exist", spec.id, other.text);
            warn(drafted, spec, other.at.clone(), "unresolved-dependency", message).hint =
                Some("finished specs are expected in the archive".to_owned());
            continue;
        };
        let lasts = lasts(drafted, theirs.clone());
        for first in firsts.iter().take(MAX_NEEDS / lasts.len().max(1)) {
            let task = &mut drafted.tasks[*first];
            let item = task.draft.needs.len();
            task.note(None, PlanField::Needs, item, SourceSpan::new(spec.file, other.at.clone()));
            task.draft.needs.extend(lasts.iter().cloned());
        }
    }
}

/// The ids of the tasks that none of the others needs.
fn lasts(drafted: &DraftPlan, tasks: Range<usize>) -> Vec<String> {
    let tasks = &drafted.tasks[tasks];
    let needed: BTreeSet<&str> =
        tasks.iter().flat_map(|task| task.draft.needs.iter().map(String::as_str)).collect();
    let last = |id: &&str| !needed.contains(id);
    tasks.iter().map(|task| task.draft.id.as_str()).filter(last).map(str::to_owned).collect()
}

/// Adds a warning.
pub(super) fn warn<'d>(
    drafted: &'d mut DraftPlan,
    spec: &SpecflowSpec<'_>,
    at: Range<usize>,
    code: &str,
    message: String,
) -> &'d mut afresh_formats::Finding {
    let found = drafted.find(&SourceSpan::new(spec.file, at), code, message);
    found.severity = afresh_formats::Severity::Warning;
    found
}
