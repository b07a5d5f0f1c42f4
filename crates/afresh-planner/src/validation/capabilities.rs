//! The capability map: every statement in scope has a behavior, ids are used once, flows name behaviors, and one flow
//! is the steel thread (PL-04, PL-15).

use std::collections::BTreeSet;

use afresh_core::plan::nearest;
use afresh_formats::Finding;

use super::ArtifactSubject;
use crate::artifacts::{Behavior, CapabilityMap, JsonKey, LocatedJson};
use crate::ledger::Ledger;

pub(super) fn check(
    subject: &ArtifactSubject<'_>,
    map: &CapabilityMap,
    json: &LocatedJson,
) -> Vec<Finding> {
    let refined = map.refine(subject.ledger);
    let mut findings = Vec::new();
    check_refinements(subject.ledger, map, json, &mut findings);
    check_ids(map, json, &mut findings);
    let served = check_behaviors(&refined, map, json, &mut findings);
    for statement in refined.active() {
        let id = statement.id.as_str();
        let parts = || refined.active().filter(|it| it.parent.as_ref() == Some(&statement.id));
        let is_served = served.contains(id)
            || statement.parent.as_ref().is_some_and(|parent| served.contains(parent.as_str()))
            || (parts().next().is_some() && parts().all(|part| served.contains(part.id.as_str())));
        if !is_served {
            let quote: String = statement.quote.chars().take(100).collect();
            let message = format!("no behavior serves {id}: {quote}");
            let finding = json.finding(&["domains".into()], "uncovered-statement", message);
            findings.push(finding.with_hint("name it in the `statements` of a behavior"));
        }
    }
    check_flows(map, json, &mut findings);
    findings
}

/// Every behavior with the keys that lead to it.
fn behaviors(map: &CapabilityMap) -> impl Iterator<Item = ([usize; 3], &Behavior)> {
    map.domains.iter().enumerate().flat_map(|(domain, it)| {
        it.capabilities.iter().enumerate().flat_map(move |(capability, it)| {
            let behaviors = it.behaviors.iter().enumerate();
            behaviors.map(move |(at, behavior)| ([domain, capability, at], behavior))
        })
    })
}

fn behavior_path(at: [usize; 3]) -> [JsonKey<'static>; 6] {
    let [domain, capability, behavior] = at;
    [
        "domains".into(),
        domain.into(),
        "capabilities".into(),
        capability.into(),
        "behaviors".into(),
        behavior.into(),
    ]
}

fn check_behaviors(
    ledger: &Ledger,
    map: &CapabilityMap,
    json: &LocatedJson,
    findings: &mut Vec<Finding>,
) -> BTreeSet<String> {
    let mut served = BTreeSet::new();
    for (at, behavior) in behaviors(map) {
        for (item, id) in behavior.statements.iter().enumerate() {
            let mut path = behavior_path(at).to_vec();
            path.extend([JsonKey::from("statements"), JsonKey::from(item)]);
            match ledger.find(id) {
                None => {
                    let known = ledger.statements.iter().map(|statement| statement.id.as_str());
                    let hint = nearest(id, known).map_or_else(
                        || "the ids are in ledger.json".to_owned(),
                        |near| format!("did you mean {near:?}?"),
                    );
                    let message = format!("{} serves {id}, which is no statement", behavior.id);
                    let finding = json.finding(&path, "unknown-statement", message);
                    findings.push(finding.with_hint(hint));
                }
                Some(statement) if !statement.is_active() => {
                    let why = statement.reason.as_deref().unwrap_or("it is not in scope");
                    let message = format!("{} serves {id}, which is left out: {why}", behavior.id);
                    let finding = json.finding(&path, "leaks-scope", message);
                    findings.push(finding.with_hint("leave it for later"));
                }
                Some(statement) => {
                    served.insert(statement.id.as_str().to_owned());
                }
            }
        }
    }
    served
}

fn check_ids(map: &CapabilityMap, json: &LocatedJson, findings: &mut Vec<Finding>) {
    let mut ids: Vec<(&str, Vec<JsonKey<'static>>)> = Vec::new();
    ids.extend(behaviors(map).map(|(at, it)| (it.id.as_str(), behavior_path(at).to_vec())));
    for (domain, it) in map.domains.iter().enumerate() {
        let path: Vec<JsonKey<'static>> = vec!["domains".into(), domain.into()];
        ids.push((&it.id, path.clone()));
        let capabilities = it.capabilities.iter().enumerate();
        ids.extend(capabilities.map(|(at, capability)| {
            let inner = [JsonKey::from("capabilities"), JsonKey::from(at)];
            (capability.id.as_str(), path.iter().copied().chain(inner).collect())
        }));
    }
    let flows = map.flows.iter().enumerate();
    ids.extend(flows.map(|(at, flow)| (flow.id.as_str(), vec!["flows".into(), at.into()])));
    let mut seen = BTreeSet::new();
    for (id, path) in ids {
        if !seen.insert(id) {
            let message = format!("the id {id} is used twice");
            let finding = json.finding(&path, "duplicate-id", message);
            findings.push(finding.with_hint("give each part an id of its own"));
        }
    }
}

fn check_flows(map: &CapabilityMap, json: &LocatedJson, findings: &mut Vec<Finding>) {
    for (at, flow) in map.flows.iter().enumerate() {
        for (item, step) in flow.steps.iter().enumerate() {
            if map.find_behavior(&step.behavior_id).is_none() {
                let path = ["flows".into(), at.into(), "steps".into(), item.into()];
                let message =
                    format!("{} has a step {}, which is no behavior", flow.id, step.behavior_id);
                let finding = json.finding(&path, "unknown-behavior", message);
                findings.push(finding.with_hint("flows are made of behaviors of this map"));
            }
        }
    }
    let hint = "mark the one flow that first runs through the whole program, from input to output";
    match map.steel_threads().count() {
        1 => {}
        0 => {
            let message = "no flow is marked with \"is_steel_thread\": true".to_owned();
            findings
                .push(json.finding(&["flows".into()], "no-steel-thread", message).with_hint(hint));
        }
        count => {
            let message = format!("{count} flows are marked as the steel thread");
            let finding = json.finding(&["flows".into()], "several-steel-threads", message);
            findings.push(finding.with_hint(hint));
        }
    }
}

/// A statement may be taken apart, never replaced.
fn check_refinements(
    ledger: &Ledger,
    map: &CapabilityMap,
    json: &LocatedJson,
    findings: &mut Vec<Finding>,
) {
    for (at, refinement) in map.refinements.iter().enumerate() {
        let path = ["refinements".into(), at.into(), "statement".into()];
        if ledger.find(&refinement.statement).is_none() {
            let message = format!("{} is no statement", refinement.statement);
            let finding = json.finding(&path, "unknown-statement", message);
            findings.push(finding.with_hint("the ids are in ledger.json"));
        }
    }
}
