//! `.afresh/plans/NAME/`: the files of one planned specification (PL-13). A person may edit all of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use afresh_core::Plan;
use afresh_core::ids::CommitId;
use afresh_formats::folder::MemoryFolder;
use afresh_formats::native::{self, PlanSyntax};
use afresh_git::Repository;
use afresh_planner::artifacts::{AcceptanceSet, ArtifactKind, is_task_file};
use afresh_planner::ledger::Ledger;
use afresh_planner::stages::PlanningStage;
use afresh_store::write_atomically;

use crate::error::AppError;
use crate::plan_source::acceptance;
use crate::text::files::read_bounded;

/// Where the plans are, from the root of the repository.
pub const PLANS: &str = ".afresh/plans";
/// The specification, byte for byte.
pub const SPEC: &str = "spec.md";
/// The statements of the specification.
pub const LEDGER: &str = "ledger.json";
/// The plan of the planning run itself.
const STAGES: &str = "stages.plan.toml";
/// What is known about the repository.
pub const PROJECT: &str = "project.md";
/// The same for programs, with what the project's commands showed when they were run.
pub const PROJECT_FACTS: &str = "project.json";
/// What the user prefers.
pub const PREFERENCES: &str = "preferences.md";
/// The plan before an update, as long as the update is not done.
pub const BEFORE_UPDATE: &str = "before-update.toml";
/// The statements before an update.
pub const LEDGER_BEFORE_UPDATE: &str = "before-update-ledger.json";
/// What a person may read about the verdict.
pub const REPORT: &str = "reports/validation-report.md";
/// The verdict before the last one.
pub const EARLIER_VERDICT: &str = "reports/earlier-verdict.json";
/// Files that were replaced.
const PREVIOUS: &str = "previous";
/// Agents create no directories.
const SUBDIRECTORIES: &[&str] = &["artifacts", "tasks", "reports"];
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// The most files of one plan.
const MAX_FILES: usize = 20_000;

#[derive(Debug, Clone)]
pub struct PlanDirectory {
    root: PathBuf,
    /// From the root of the repository.
    inside: String,
    pub name: String,
}

impl PlanDirectory {
    pub fn new(root: &Path, name: &str) -> Self {
        let (root, inside) = (root.to_owned(), format!("{PLANS}/{name}"));
        Self { root, inside, name: name.to_owned() }
    }

    /// The directory that a file of it is in: one of [`PLANS`], or any other with the statements of a specification.
    pub fn around(file: &Path) -> Option<Self> {
        let is_home = |place: &&Path| {
            place.parent().is_some_and(|plans| plans.ends_with(PLANS))
                || place.join(LEDGER).is_file()
        };
        // Artifacts are in directories of their own.
        let home = file.ancestors().skip(1).take(2).find(is_home)?;
        let root = home.ancestors().find(|place| place.join(".git").exists());
        let root =
            root.or_else(|| home.ancestors().nth(Path::new(PLANS).components().count() + 1))?;
        let inside = home.strip_prefix(root).ok()?.to_str()?.to_owned();
        let named = file.file_name()?.to_str()?.strip_suffix(".plan.toml");
        let name =
            named.filter(|name| *name != "stages").or(home.file_name()?.to_str())?.to_owned();
        Some(Self { root: root.to_owned(), inside, name })
    }

    /// The directory of a planning run, by the file of its plan; none if the file is another one.
    pub fn planned_by(source: &Path) -> Option<Self> {
        Self::around(source).filter(|home| home.stages() == source)
    }

    /// Those of a repository.
    pub fn list(root: &Path) -> Vec<Self> {
        let entries = fs::read_dir(root.join(PLANS)).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut found: Vec<Self> =
            names.map(|name| Self::new(root, &name)).filter(Self::exists).collect();
        found.sort_by(|one, other| one.name.cmp(&other.name));
        found
    }

    /// From the root of the repository.
    pub fn inside(&self) -> String {
        self.inside.clone()
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn path(&self) -> PathBuf {
        self.root.join(self.inside())
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// The plan that comes out.
    pub fn plan(&self) -> PathBuf {
        self.file(&self.plan_name())
    }

    fn plan_name(&self) -> String {
        format!("{}.plan.toml", self.name)
    }

    /// The plan's path from the root of the repository.
    pub fn shown_plan(&self) -> String {
        format!("{}/{}", self.inside(), self.plan_name())
    }

    pub fn stages(&self) -> PathBuf {
        self.file(STAGES)
    }

    /// Whether a plan of this specification was begun.
    pub fn exists(&self) -> bool {
        self.file(SPEC).is_file()
    }

    /// The specification that is stored; none if there is none.
    pub fn stored_spec(&self) -> Option<Vec<u8>> {
        self.read(SPEC)
    }

    pub fn stored_ledger(&self) -> Option<Ledger> {
        serde_json::from_slice(&self.read(LEDGER)?).ok()
    }

    pub fn read(&self, name: &str) -> Option<Vec<u8>> {
        read_bounded(&self.file(name), MAX_BYTES).ok()
    }

    /// Makes the directories, before anything is spent.
    pub fn create(&self) -> Result<(), AppError> {
        for name in SUBDIRECTORIES {
            let path = self.file(name);
            fs::create_dir_all(&path)
                .map_err(|error| AppError::cannot_write("plan", &path, error))?;
        }
        Ok(())
    }

    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), AppError> {
        let path = self.file(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)
                .map_err(|error| AppError::cannot_write("plan", parent, error))?;
        }
        write_atomically(&path, bytes).map_err(|error| AppError::cannot_write("plan", &path, error))
    }

    /// Writes the plan; one that is there and differs is kept aside.
    pub fn write_plan(&self, plan: &Plan) -> Result<(), AppError> {
        let text = native::render(plan, None, PlanSyntax::Toml);
        if self.read(&self.plan_name()).is_some_and(|old| old != text.as_bytes()) {
            self.set_aside(&self.plan_name())?;
        }
        self.write(&self.plan_name(), text.as_bytes())
    }

    /// Whether what a stage writes is there.
    pub fn holds(&self, stage: PlanningStage) -> bool {
        match stage.artifact() {
            None => self.plan().is_file(),
            Some(ArtifactKind::Task) => self.holds_tasks(),
            Some(kind) => self.file(kind.path()).is_file(),
        }
    }

    /// Whether it is planned in stages.
    pub fn holds_stages(&self) -> bool {
        self.holds(PlanningStage::Logical) || self.holds_tasks()
    }

    /// Whether the plan is made from other files.
    pub fn holds_artifacts(&self) -> bool {
        self.holds_stages() || self.holds(PlanningStage::Acceptance)
    }

    /// Keeps the verdict for comparison with the next one.
    pub fn keep_verdict(&self) -> Result<(), AppError> {
        match self.read(ArtifactKind::Verdict.path()) {
            Some(bytes) => self.write(EARLIER_VERDICT, &bytes),
            None => Ok(()),
        }
    }

    pub fn holds_tasks(&self) -> bool {
        self.files().keys().any(|path| path.starts_with("tasks/") && is_task_file(path))
    }

    /// Moves the artifacts away that the plan was made from: after an update, the plan alone counts.
    pub fn set_artifacts_aside(&self) -> Result<(), AppError> {
        let is_artifact = |path: &&String| {
            path.starts_with("tasks/")
                || path.starts_with("reports/")
                || path.as_str() == ArtifactKind::CapabilityMap.path()
                || path.as_str() == ArtifactKind::PhysicalMap.path()
        };
        for path in self.files().keys().filter(is_artifact) {
            self.set_aside(path)?;
        }
        Ok(())
    }

    /// Moves a file away, so that nothing that a person wrote is lost.
    pub fn set_aside(&self, name: &str) -> Result<(), AppError> {
        let Some(bytes) = self.read(name) else { return Ok(()) };
        let number = (1..u32::MAX).find(|number| !self.file(&aside(name, *number)).exists());
        self.write(&aside(name, number.unwrap_or(1)), &bytes)?;
        let path = self.file(name);
        fs::remove_file(&path).map_err(|error| AppError::cannot_write("plan", &path, error))
    }

    /// Every file of the plan by its path in the directory, without those of afresh itself.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut open = vec![String::new()];
        while let Some(directory) = open.pop() {
            let entries = fs::read_dir(self.file(&directory)).into_iter().flatten().flatten();
            for entry in entries.take(MAX_FILES) {
                let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type())
                else {
                    continue;
                };
                let path = if directory.is_empty() { name } else { format!("{directory}/{name}") };
                if kind.is_dir() && path != PREVIOUS {
                    open.push(path);
                } else if kind.is_file()
                    && path != STAGES
                    && found.len() < MAX_FILES
                    && let Some(bytes) = self.read(&path)
                {
                    found.insert(path, bytes);
                }
            }
        }
        found
    }

    /// Its files as validators see them: by path from the root, and the specification by the name that statements have.
    pub fn folder(&self, ledger: Option<&Ledger>) -> MemoryFolder {
        let mut files = self.files();
        let spec = files.get(SPEC).cloned().unwrap_or_default();
        let named = ledger.and_then(|ledger| ledger.statements.first());
        let inside = self.inside();
        let mut files: BTreeMap<String, Vec<u8>> = std::mem::take(&mut files)
            .into_iter()
            .map(|(path, bytes)| (format!("{inside}/{path}"), bytes))
            .collect();
        if let Some(statement) = named {
            files.entry(statement.file.clone()).or_insert(spec);
        }
        MemoryFolder::new(files)
    }

    /// What a planning run with these stages starts from, by path from the root: everything but what the stages write.
    pub fn base_files(&self, stages: &[PlanningStage]) -> BTreeMap<String, Vec<u8>> {
        // An update changes what is there.
        let is_update = stages.contains(&PlanningStage::Update);
        let stages = if is_update { &[] } else { stages };
        let written: Vec<String> = stages.iter().map(|stage| self.written_by(*stage)).collect();
        let is_written = |path: &str| {
            written.iter().any(|it| {
                path == it
                    || path.strip_prefix(it.as_str()).is_some_and(|rest| rest.starts_with('/'))
            })
        };
        let inside = self.inside();
        let mut base: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for (path, bytes) in self.files().into_iter().filter(|(path, _)| !is_written(path)) {
            base.insert(format!("{inside}/{path}"), bytes);
        }
        for name in SUBDIRECTORIES {
            // Git keeps no empty directories.
            base.insert(format!("{inside}/{name}/.keep"), Vec::new());
        }
        base
    }

    /// The path in the directory that a stage writes.
    fn written_by(&self, stage: PlanningStage) -> String {
        stage.artifact().map_or_else(|| self.plan_name(), |kind| kind.path().to_owned())
    }

    /// Copies what a stage has merged into the user's checkout.
    pub fn take_stage(
        &self,
        stage: PlanningStage,
        git: &Repository,
        commit: &CommitId,
    ) -> Result<(), AppError> {
        let Some(kind) = stage.artifact() else {
            return self.take(git, commit, &self.plan_name());
        };
        if kind == ArtifactKind::Task {
            for (name, _) in self.files().iter().filter(|(name, _)| name.starts_with("tasks/")) {
                self.set_aside(name)?;
            }
            let front = format!("{}/tasks/", self.inside());
            for file in git.measure_files(commit).map_err(AppError::git)? {
                let name = file.file.path.strip_prefix(&front);
                if let Some(name) = name.filter(|name| is_task_file(name)) {
                    self.take(git, commit, &format!("tasks/{name}"))?;
                }
            }
            return Ok(());
        }
        self.take(git, commit, kind.path())?;
        if kind == ArtifactKind::Acceptance {
            self.take_tests(git, commit)?;
        }
        Ok(())
    }

    fn take(&self, git: &Repository, commit: &CommitId, name: &str) -> Result<(), AppError> {
        let inside = format!("{}/{name}", self.inside());
        let found = git.show_file(commit, &inside).map_err(AppError::git)?;
        let bytes = found.ok_or_else(|| {
            AppError::bug("plan", format!("the planning run ended without {inside}"))
        })?;
        if self.read(name).is_some_and(|old| old != bytes) {
            self.set_aside(name)?;
        }
        self.write(name, &bytes)
    }

    /// The tests themselves, in a directory where no test runner finds them before their task.
    fn take_tests(&self, git: &Repository, commit: &CommitId) -> Result<(), AppError> {
        let bytes = self.read(ArtifactKind::Acceptance.path()).unwrap_or_default();
        let set: AcceptanceSet = serde_json::from_slice(&bytes)
            .map_err(|error| AppError::bug("acceptance", error.to_string()))?;
        for path in set.files() {
            let found = git.show_file(commit, path).map_err(AppError::git)?;
            let bytes = found
                .ok_or_else(|| AppError::bug("acceptance", format!("{path} was not merged")))?;
            let name = format!("{}/{path}", acceptance::DIRECTORY);
            if self.read(&name).is_some_and(|old| old != bytes) {
                self.set_aside(&name)?;
            }
            self.write(&name, &bytes)?;
        }
        Ok(())
    }

    /// The tests that are stored, by their path in the repository.
    pub fn stored_tests(&self) -> BTreeMap<String, Vec<u8>> {
        let front = format!("{}/", acceptance::DIRECTORY);
        let files = self.files().into_iter();
        files
            .filter_map(|(path, bytes)| Some((path.strip_prefix(&front)?.to_owned(), bytes)))
            .collect()
    }
}

fn aside(name: &str, number: u32) -> String {
    let flat = name.replace('/', "-");
    format!("{PREVIOUS}/{number}-{flat}")
}
