//! Whether an artifact is valid: in form, and in meaning (PL-09). Everything is reported at once, each with its place.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `acceptance` | tests written before the work: traced, new, of one task each |
//! | `capabilities` | every statement has a behavior; flows, and one steel thread |
//! | `files` | every behavior has files, and their paths are real |
//! | `tasks` | every behavior has a task, every file an owner; then the plan is reviewed |
//! | `verdict` | a blocker has a rule and a place |

pub mod acceptance;
mod capabilities;
mod files;
mod tasks;
mod verdict;

use afresh_core::Plan;
use afresh_formats::Finding;
use afresh_formats::folder::PlanFolder;
use afresh_formats::native;
use afresh_formats::reading::PlanReading;
use serde::de::DeserializeOwned;

use crate::artifacts::{
    AcceptanceSet, ArtifactKind, CapabilityMap, LocatedJson, PhysicalMap, PlanVerdict, TaskFile,
    is_task_file, read_artifact,
};
use crate::discovery::RepositoryFiles;
use crate::ledger::Ledger;
use crate::sequencing::{LocatedTask, attach_acceptance, sequence_tasks};

/// The file that lists paths of the repository that authors of acceptance tests may not use.
pub const RESERVED_PATHS: &str = "reserved-paths.txt";

/// The files of one planned specification, and what they are measured against.
#[derive(Clone, Copy)]
pub struct ArtifactSubject<'a> {
    /// The name of the plan.
    pub name: &'a str,
    /// The plan's directory in `folder`.
    pub directory: &'a str,
    pub folder: &'a dyn PlanFolder,
    pub ledger: &'a Ledger,
    pub repository: &'a dyn RepositoryFiles,
    /// The context window of the workers' model, in tokens.
    pub window: u64,
    /// The share of it that a task may fill, in per cent.
    pub soft: u8,
}

impl std::fmt::Debug for ArtifactSubject<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ArtifactSubject").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What validation finds, and the plan that the artifacts make.
#[derive(Debug, Default)]
pub struct ArtifactReview {
    pub findings: Vec<Finding>,
    /// The plan so far, with its places; its checks can be run.
    pub reading: Option<PlanReading>,
}

impl ArtifactReview {
    fn of(findings: Vec<Finding>) -> Self {
        Self { findings, reading: None }
    }
}

impl ArtifactSubject<'_> {
    /// Everything that is wrong with the artifact of a kind.
    pub fn validate(&self, kind: ArtifactKind) -> ArtifactReview {
        match kind {
            ArtifactKind::CapabilityMap => {
                ArtifactReview::of(self.read_capabilities().err().unwrap_or_default())
            }
            ArtifactKind::PhysicalMap => {
                ArtifactReview::of(self.read_files().err().unwrap_or_default())
            }
            ArtifactKind::Task => tasks::validate(self),
            ArtifactKind::Acceptance => acceptance::validate(self),
            ArtifactKind::Verdict => {
                ArtifactReview::of(self.read_verdict().err().unwrap_or_default())
            }
        }
    }

    /// The capability map, if it is valid.
    pub fn read_capabilities(&self) -> Result<CapabilityMap, Vec<Finding>> {
        let (map, json) = self.read(ArtifactKind::CapabilityMap)?;
        let findings = capabilities::check(self, &map, &json);
        if findings.is_empty() { Ok(map) } else { Err(findings) }
    }

    /// The physical map, if it and the capability map are valid.
    pub fn read_files(&self) -> Result<PhysicalMap, Vec<Finding>> {
        let capabilities = self.read_capabilities()?;
        let (map, json) = self.read(ArtifactKind::PhysicalMap)?;
        let findings = files::check(self, &capabilities, &map, &json);
        if findings.is_empty() { Ok(map) } else { Err(findings) }
    }

    /// The verdict, if it is valid.
    pub fn read_verdict(&self) -> Result<PlanVerdict, Vec<Finding>> {
        let (found, json) = self.read(ArtifactKind::Verdict)?;
        let plan = self.read_plan()?;
        let findings = verdict::check(self, &plan, &found, &json);
        if findings.is_empty() { Ok(found) } else { Err(findings) }
    }

    /// The statements, with the parts that the logic architect took them into.
    pub fn refined_ledger(&self) -> Ledger {
        let map: Result<(CapabilityMap, LocatedJson), _> = self.read(ArtifactKind::CapabilityMap);
        map.map_or_else(|_| self.ledger.clone(), |(map, _)| map.refine(self.ledger))
    }

    /// The plan that the tasks make, or the native one if there are no tasks; with the tests that were written before
    /// the work, if there are any.
    pub fn finished_plan(&self) -> Result<Plan, Vec<Finding>> {
        let plan = self.read_plan()?;
        if !self.holds(ArtifactKind::Acceptance) {
            return Ok(plan);
        }
        let (set, _): (AcceptanceSet, _) = self.read(ArtifactKind::Acceptance)?;
        attach_acceptance(&plan, &set).map_err(|problems| {
            let file = self.path(ArtifactKind::Acceptance);
            let finding = |problem: &afresh_core::plan::PlanProblem| {
                Finding::for_file(&file, problem.kind.code(), problem.message.clone())
            };
            problems.iter().map(finding).collect()
        })
    }

    /// The plan without tests that were written before the work.
    fn read_plan(&self) -> Result<Plan, Vec<Finding>> {
        let reading = self.read_sequenced()?;
        reading.plan.ok_or(reading.findings)
    }

    fn read_sequenced(&self) -> Result<PlanReading, Vec<Finding>> {
        if self.task_files().next().is_some() {
            let map = self.read_capabilities()?;
            let tasks = self.read_tasks()?;
            return Ok(sequence_tasks(self.name, &map, &tasks));
        }
        let path = format!("{}/{}.plan.toml", self.directory, self.name);
        match self.folder.text(&path) {
            Some(Ok(text)) => Ok(native::read(&path, text.as_bytes())),
            Some(Err(finding)) => Err(vec![finding]),
            None => Err(vec![not_written(&self.path(ArtifactKind::Task))]),
        }
    }

    fn read_tasks(&self) -> Result<Vec<LocatedTask>, Vec<Finding>> {
        let mut tasks = Vec::new();
        let mut findings = Vec::new();
        for path in self.task_files() {
            let text = match self.folder.text(path) {
                Some(Ok(text)) => text,
                Some(Err(finding)) => {
                    findings.push(finding);
                    continue;
                }
                None => continue,
            };
            match read_artifact::<TaskFile>(ArtifactKind::Task, path, &text) {
                Ok((task, json)) => tasks.push(LocatedTask { task, json }),
                Err(wrong) => findings.extend(wrong),
            }
        }
        if findings.is_empty() { Ok(tasks) } else { Err(findings) }
    }

    fn task_files(&self) -> impl Iterator<Item = &String> {
        let front = format!("{}/tasks/", self.directory);
        let files = self.folder.starting_with(&front).iter();
        files.filter(|path| is_task_file(path))
    }

    pub fn holds(&self, kind: ArtifactKind) -> bool {
        match kind {
            ArtifactKind::Task => self.task_files().next().is_some(),
            _ => self.folder.holds(&self.path(kind)),
        }
    }

    /// Files of the repository that look like acceptance tests and existed before.
    fn reserved_paths(&self) -> impl Iterator<Item = String> {
        let text = self.folder.text(&format!("{}/{RESERVED_PATHS}", self.directory));
        let text = text.and_then(Result::ok).unwrap_or_default();
        text.lines().map(str::to_owned).collect::<Vec<_>>().into_iter()
    }

    fn path(&self, kind: ArtifactKind) -> String {
        format!("{}/{}", self.directory, kind.path())
    }

    fn read<T: DeserializeOwned>(
        &self,
        kind: ArtifactKind,
    ) -> Result<(T, LocatedJson), Vec<Finding>> {
        let path = self.path(kind);
        match self.folder.text(&path) {
            Some(Ok(text)) => read_artifact(kind, &path, &text),
            Some(Err(finding)) => Err(vec![finding]),
            None => Err(vec![not_written(&path)]),
        }
    }
}

/// A worker may have printed it, or written it elsewhere.
pub fn not_written(path: &str) -> Finding {
    Finding::for_file(path, "unreadable", format!("{path} was not written")).with_hint(
        "write the file to exactly this path with your file tool; printing it is not enough",
    )
}
