//! The physical map: every behavior has files, and their paths are real (PL-05, PL-16).

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::pattern::FilePattern;
use afresh_core::plan::{FileAction, nearest};
use afresh_formats::Finding;

use super::ArtifactSubject;
use crate::artifacts::{CapabilityMap, FilePlace, JsonKey, LocatedJson, MappedFile, PhysicalMap};

pub(super) fn check(
    subject: &ArtifactSubject<'_>,
    capabilities: &CapabilityMap,
    map: &PhysicalMap,
    json: &LocatedJson,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut mapped = BTreeSet::new();
    for (at, mapping) in map.file_mapping.iter().enumerate() {
        let id = mapping.behavior_id.as_str();
        let path = ["file_mapping".into(), at.into(), "behavior_id".into()];
        if capabilities.find_behavior(id).is_none() {
            let message = format!("{id} is no behavior of the capability map");
            let finding = json.finding(&path, "unknown-behavior", message);
            findings.push(finding.with_hint("map the behaviors of capability-map.json"));
        }
        if !mapped.insert(id) {
            let message = format!("{id} is mapped twice");
            let finding = json.finding(&path, "duplicate-id", message);
            findings.push(finding.with_hint("put all files of a behavior into one entry"));
        }
    }
    for behavior in capabilities.behaviors().filter(|it| !mapped.contains(it.id.as_str())) {
        let message = format!("{} ({}) has no files", behavior.id, behavior.name);
        let finding = json.finding(&["file_mapping".into()], "unmapped-behavior", message);
        findings.push(finding.with_hint("name the files that it will be in"));
    }
    let mut actions: BTreeMap<&str, FileAction> = BTreeMap::new();
    for (place, file) in map.files() {
        let path = key_path(place);
        if let Some(finding) = check_path(subject, file, json, &path) {
            findings.push(finding);
        }
        let action = file.action.to_plan();
        if let Some(other) = actions.insert(&file.path, action)
            && other != action
        {
            let message = format!("{} has two different actions", file.path);
            let finding = json.finding(&path, "two-actions", message);
            findings.push(finding.with_hint("create, modify or delete it, not several of these"));
        }
    }
    findings
}

fn key_path(place: FilePlace) -> Vec<JsonKey<'static>> {
    let mut path: Vec<JsonKey<'static>> = vec![place.list.into(), place.at.into()];
    if let Some((list, item)) = place.inner {
        path.extend([JsonKey::from(list), JsonKey::from(item)]);
    }
    path.push("path".into());
    path
}

fn check_path(
    subject: &ArtifactSubject<'_>,
    file: &MappedFile,
    json: &LocatedJson,
    path: &[JsonKey<'_>],
) -> Option<Finding> {
    let is_plain = FilePattern::new(&file.path).is_ok_and(|it| it.literal().is_some());
    if !is_plain {
        let message = format!("{:?} is not the path of one file", file.path);
        let finding = json.finding(path, "bad-path", message);
        return Some(
            finding.with_hint("write paths from the root of the repository, such as src/a.rs"),
        );
    }
    let exists = subject.repository.bytes_of(&file.path).is_some();
    match file.action.to_plan() {
        FileAction::Create if exists => {
            let message = format!("{} exists already", file.path);
            let finding = json.finding(path, "file-exists", message);
            Some(finding.with_hint("use \"modify\", or another path"))
        }
        FileAction::Modify | FileAction::Delete if !exists => {
            let files = subject.repository.files().iter().map(|it| it.path.as_str());
            let hint = nearest(&file.path, files).map_or_else(
                || "use \"create\" for a new file".to_owned(),
                |near| format!("did you mean {near:?}?"),
            );
            let message = format!("{} does not exist", file.path);
            Some(json.finding(path, "missing-file", message).with_hint(hint))
        }
        _ => None,
    }
}
