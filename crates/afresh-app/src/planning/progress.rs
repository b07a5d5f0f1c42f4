//! How far a specification is planned, from the files of its directory alone (PL-01): whoever edits them is heard.

use afresh_formats::Finding;
use afresh_planner::artifacts::{ArtifactKind, PlanVerdict, VerdictWord};
use afresh_planner::discovery::RepositoryFiles;
use afresh_planner::stages::{AcceptanceTests, PlanningRoute, PlanningStage};

use super::directory::PlanDirectory;
use super::validate::{PlanValidator, PlanningArtifact};
use crate::error::AppError;

/// Where planning stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanningPhase {
    /// Nothing is stored yet.
    Ingestion,
    /// An agent has to carry this stage out.
    Stage(PlanningStage),
    /// The program makes the plan from what is there.
    Sequencing,
    Ready,
}

impl PlanningPhase {
    pub fn word(self) -> &'static str {
        match self {
            Self::Ingestion => "ingestion",
            Self::Stage(PlanningStage::Plan | PlanningStage::Update) => "definition",
            Self::Stage(stage) => stage.word(),
            Self::Sequencing => "sequencing",
            Self::Ready => "ready",
        }
    }
}

/// One file of a plan.
#[derive(Debug)]
pub struct ArtifactState {
    pub name: &'static str,
    /// From the root of the repository.
    pub path: String,
    pub standing: ArtifactStanding,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArtifactStanding {
    Missing,
    Invalid,
    Valid,
}

impl ArtifactStanding {
    pub fn word(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Invalid => "invalid",
            Self::Valid => "valid",
        }
    }
}

/// Where planning stands, with what is wrong.
#[derive(Debug)]
pub struct PlanningProgress {
    pub phase: PlanningPhase,
    pub route: PlanningRoute,
    pub artifacts: Vec<ArtifactState>,
    pub verdict: Option<PlanVerdict>,
    pub findings: Vec<Finding>,
}

impl PlanningProgress {
    /// Of a directory that exists.
    pub fn measure(
        validator: &PlanValidator<'_>,
        route: PlanningRoute,
        tests: AcceptanceTests,
        files: &dyn RepositoryFiles,
    ) -> Result<Self, AppError> {
        let directory = validator.directory;
        let verdict = read_verdict(directory);
        if !directory.exists() {
            let (artifacts, findings) = (Vec::new(), Vec::new());
            let phase = PlanningPhase::Ingestion;
            return Ok(Self { phase, route, artifacts, verdict, findings });
        }
        let judged = validator.judge_all(files)?;
        let findings_of = |wanted: PlanningArtifact| {
            judged.iter().find(|(artifact, _)| *artifact == wanted).map(|(_, findings)| findings)
        };
        let standing = |wanted: PlanningArtifact| match findings_of(wanted) {
            None => ArtifactStanding::Missing,
            Some(findings) if findings.iter().any(Finding::is_error) => ArtifactStanding::Invalid,
            Some(_) => ArtifactStanding::Valid,
        };
        let stages = route.stages(tests);
        let kinds = stages.iter().filter_map(|stage| stage.artifact());
        let mut artifacts: Vec<ArtifactState> = kinds
            .map(|kind| ArtifactState {
                name: kind.schema_name(),
                path: format!("{}/{}", directory.inside(), kind.path()),
                standing: standing(PlanningArtifact::Staged(kind)),
            })
            .collect();
        let plan = standing(PlanningArtifact::Plan);
        artifacts.push(ArtifactState {
            name: "plan",
            path: directory.shown_plan(),
            standing: plan,
        });
        let is_open = |stage: &PlanningStage| match stage.artifact() {
            None => plan != ArtifactStanding::Valid,
            Some(ArtifactKind::Verdict) if is_blocked(verdict.as_ref()) => true,
            Some(kind) => standing(PlanningArtifact::Staged(kind)) != ArtifactStanding::Valid,
        };
        let open = stages.iter().copied().find(is_open);
        // What a person made of the plan counts, whatever became of the artifacts that it was made from.
        let phase = match open {
            _ if plan != ArtifactStanding::Missing && !is_blocked(verdict.as_ref()) => {
                PlanningPhase::Ready
            }
            Some(stage) => PlanningPhase::Stage(stage),
            None => PlanningPhase::Sequencing,
        };
        let findings = judged.into_iter().flat_map(|(_, findings)| findings).collect();
        Ok(Self { phase, route, artifacts, verdict, findings })
    }

    pub fn is_blocked(&self) -> bool {
        is_blocked(self.verdict.as_ref())
    }
}

fn is_blocked(verdict: Option<&PlanVerdict>) -> bool {
    verdict.is_some_and(|verdict| verdict.verdict == VerdictWord::Blocked)
}

pub fn read_verdict(directory: &PlanDirectory) -> Option<PlanVerdict> {
    serde_json::from_slice(&directory.read(ArtifactKind::Verdict.path())?).ok()
}
