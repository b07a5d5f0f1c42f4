//! Dependencies between issues, with epics replaced by their children.

use std::collections::{BTreeMap, BTreeSet};

use super::issue::{BeadsIssue, LinkKind};
use crate::draft::document::JsonDocument;
use crate::draft::status::{ImportedTask, TaskStanding};
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::yaml::values::LocatedWord;

/// The most dependencies between issues.
const MAX_EDGES: usize = 1_000_000;

/// Resolves the links. `gone` are ids of issues that are not work, such as deleted ones: no issue waits
/// for those.
pub(super) fn resolve(
    document: &mut JsonDocument<'_>,
    issues: Vec<BeadsIssue>,
    gone: &BTreeSet<String>,
) -> Vec<ImportedTask> {
    let tree = EpicTree::new(&issues, gone);
    let mut needs: BTreeMap<usize, Vec<(String, SourceSpan)>> = BTreeMap::new();
    let mut edges = 0;
    let mut faults: BTreeMap<usize, String> = BTreeMap::new();
    for at in (0..issues.len()).filter(|at| !tree.is_container(*at)) {
        // Two epics in sequence need as many edges as the product of their sizes.
        let own = if edges < MAX_EDGES { tree.needs(document, &issues, at) } else { Vec::new() };
        // A dead link blocks the issue that has it.
        if let Some(why) = document.take_fault() {
            faults.insert(at, why);
        }
        edges += own.len();
        if edges >= MAX_EDGES && !own.is_empty() {
            let message = format!("more than {MAX_EDGES} dependencies between tasks");
            document.refuse(
                &issues[at].task.places.whole.range,
                "too-large",
                message,
                "split the epics",
            );
        }
        needs.insert(at, own);
    }
    let kept = issues.into_iter().enumerate().filter_map(|(at, mut issue)| {
        let needs = needs.get(&at)?.clone();
        issue.task.fault = issue.task.fault.or_else(|| faults.remove(&at));
        Some(ImportedTask { task: issue.task, needs, standing: issue.standing })
    });
    kept.collect()
}

/// Epics and their children, by index.
struct EpicTree<'a> {
    gone: &'a BTreeSet<String>,
    by_id: BTreeMap<String, usize>,
    children: BTreeMap<usize, Vec<usize>>,
    parents: BTreeMap<usize, Vec<usize>>,
    epics: BTreeSet<usize>,
}

impl<'a> EpicTree<'a> {
    fn new(issues: &[BeadsIssue], gone: &'a BTreeSet<String>) -> Self {
        let by_id: BTreeMap<String, usize> = issues
            .iter()
            .enumerate()
            .rev()
            .map(|(at, issue)| (issue.task.draft.id.clone(), at))
            .collect();
        let mut tree = Self {
            gone,
            by_id,
            children: BTreeMap::new(),
            parents: BTreeMap::new(),
            epics: (0..issues.len()).filter(|at| issues[*at].is_epic).collect(),
        };
        for (at, issue) in issues.iter().enumerate() {
            for link in issue.links.iter().filter(|link| link.kind == LinkKind::ChildOf) {
                if let Some(parent) = tree.by_id.get(&link.to.text).copied().filter(|p| *p != at) {
                    tree.children.entry(parent).or_default().push(at);
                    tree.parents.entry(at).or_default().push(parent);
                }
            }
        }
        tree
    }

    /// Whether it is an epic with children.
    fn is_container(&self, at: usize) -> bool {
        self.epics.contains(&at) && self.children.contains_key(&at)
    }

    /// Everything that an issue waits for, by its own links and those of its epics.
    fn needs(
        &self,
        document: &mut JsonDocument<'_>,
        issues: &[BeadsIssue],
        at: usize,
    ) -> Vec<(String, SourceSpan)> {
        let mut needs: Vec<(String, SourceSpan)> = Vec::new();
        let mut named = BTreeSet::new();
        for owner in self.with_epics(at) {
            for link in issues[owner].links.iter().filter(|link| link.kind == LinkKind::Blocks) {
                let span = document.span(&link.to.at);
                let Some(target) = self.by_id.get(&link.to.text) else {
                    if owner == at && issues[at].standing == TaskStanding::Open {
                        self.report_missing(document, &link.to);
                    }
                    continue;
                };
                for one in self.expand_epic(*target) {
                    // An epic that waits for its own child would never end, so that is dropped; an
                    // issue that waits for itself is a mistake, which the plan reports.
                    let itself = one == at && (owner != at || *target != at);
                    if !itself && named.insert(one) {
                        needs.push((issues[one].task.draft.id.clone(), span.clone()));
                    }
                }
            }
        }
        needs
    }

    /// beads removes a deleted issue from all dependencies and keeps closed ones. So an id that is not
    /// in the file was lost, and the task would start too early: that is an error. Issues of other
    /// projects cannot be in this file, so they are a warning.
    fn report_missing(&self, document: &mut JsonDocument<'_>, to: &LocatedWord) {
        let message = format!("it depends on {:?}, which does not exist", to.text);
        if to.text.is_empty() {
            let hint = "remove the empty dependency with `bd dep remove`";
            document.warn(&to.at, "unresolved-dependency", message, hint);
        } else if to.text.starts_with("external:") {
            let hint = "the dependency is ignored; check that it is done";
            document.warn(&to.at, "unresolved-dependency", message, hint);
        } else if !self.gone.contains(&to.text) {
            let hint = "restore the issue, or remove the dependency with `bd dep remove`";
            document.refuse(&to.at, "unknown-dependency", message, hint);
        }
    }

    /// The issue and the epics above it.
    fn with_epics(&self, at: usize) -> Vec<usize> {
        let mut seen = BTreeSet::from([at]);
        let mut all = vec![at];
        let mut next = 0;
        while next < all.len() {
            let parents = self.parents.get(&all[next]).into_iter().flatten();
            let above: Vec<usize> =
                parents.copied().filter(|parent| self.is_container(*parent)).collect();
            all.extend(above.into_iter().filter(|parent| seen.insert(*parent)));
            next += 1;
        }
        all
    }

    /// An issue, or the children of an epic.
    fn expand_epic(&self, at: usize) -> Vec<usize> {
        let mut seen = BTreeSet::from([at]);
        let mut open = vec![at];
        let mut found = Vec::new();
        while let Some(next) = open.pop() {
            if !self.is_container(next) {
                found.push(next);
                continue;
            }
            let children = self.children.get(&next).into_iter().flatten().copied();
            open.extend(children.filter(|child| seen.insert(*child)));
        }
        found.sort_unstable();
        found
    }
}
