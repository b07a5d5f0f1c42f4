//! The tasks: every behavior has one, every file an owner; then the plan that they make is reviewed like any other
//! (PL-06, PL-08).

use std::collections::BTreeSet;

use afresh_formats::Finding;
use afresh_formats::text::markdown::TextLine;
use afresh_import::prose::vague;

use super::{ArtifactReview, ArtifactSubject, not_written};
use crate::artifacts::{ArtifactKind, CapabilityMap, PhysicalMap};
use crate::review::{PlanSubject, review_plan};
use crate::sequencing::{LocatedTask, sequence_tasks};

pub(super) fn validate(subject: &ArtifactSubject<'_>) -> ArtifactReview {
    if !subject.holds(ArtifactKind::Task) {
        let path = format!("{}/T001.json", subject.path(ArtifactKind::Task));
        return ArtifactReview::of(vec![not_written(&path)]);
    }
    let read = subject.read_capabilities().and_then(|map| {
        let files = subject.read_files()?;
        Ok((map, files, subject.read_tasks()?))
    });
    let (map, files, tasks) = match read {
        Ok(read) => read,
        Err(findings) => return ArtifactReview::of(findings),
    };
    let mut findings = check_links(subject, &map, &files, &tasks);
    let ledger = map.refine(subject.ledger);
    let reading = sequence_tasks(subject.name, &map, &tasks);
    findings.extend(review_plan(PlanSubject {
        reading: &reading,
        folder: subject.folder,
        ledger: &ledger,
        repository: subject.repository,
        window: subject.window,
        soft: subject.soft,
    }));
    ArtifactReview { findings, reading: Some(reading) }
}

fn check_links(
    subject: &ArtifactSubject<'_>,
    map: &CapabilityMap,
    files: &PhysicalMap,
    tasks: &[LocatedTask],
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut implemented = BTreeSet::new();
    let mut owned = BTreeSet::new();
    for LocatedTask { task, json } in tasks {
        let name = format!("{}.json", task.id);
        if json.file.rsplit('/').next() != Some(name.as_str()) {
            let message = format!("the file of {} is not named {name}", task.id);
            let finding = json.finding(&["id".into()], "id-unlike-file", message);
            findings.push(finding.with_hint("name each file after the id of its task"));
        }
        for (item, id) in task.behaviors.iter().enumerate() {
            implemented.insert(id.as_str());
            if map.find_behavior(id).is_none() {
                let message = format!("{} implements {id}, which is no behavior", task.id);
                let path = ["behaviors".into(), item.into()];
                let finding = json.finding(&path, "unknown-behavior", message);
                findings.push(finding.with_hint("name behaviors of capability-map.json"));
            }
        }
        owned.extend(task.files.iter().map(|file| file.path.as_str()));
        for (item, criterion) in task.acceptance_criteria.iter().enumerate() {
            let line = TextLine { text: &criterion.criterion, start: 0 };
            if let Some(words) = vague(&line) {
                let message = format!("{:?} is too vague to verify", words.text);
                let path = ["acceptance_criteria".into(), item.into(), "criterion".into()];
                let finding = json.finding(&path, "vague-criterion", message);
                findings.push(finding.with_hint("name a value, a status, a file or a time"));
            }
        }
    }
    let tasks_directory = subject.path(ArtifactKind::Task);
    for behavior in map.behaviors().filter(|it| !implemented.contains(it.id.as_str())) {
        let message = format!("no task implements {} ({})", behavior.id, behavior.name);
        let finding = Finding::for_file(&tasks_directory, "uncovered-behavior", message);
        findings.push(finding.with_hint("add it to the `behaviors` of a task"));
    }
    let mut named = BTreeSet::new();
    for (_, file) in files.files() {
        if !owned.contains(file.path.as_str()) && named.insert(file.path.as_str()) {
            let message = format!("no task writes {}, which physical-map.json has", file.path);
            let finding = Finding::for_file(&tasks_directory, "file-without-owner", message);
            findings.push(finding.with_hint("add it to the `files` of the task that writes it"));
        }
    }
    findings
}
