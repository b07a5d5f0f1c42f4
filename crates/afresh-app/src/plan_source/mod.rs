//! Finding and reading a plan of any format.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `acceptance` | tests that were written before the work, from beside a plan |
//! | [`caller_paths`] | paths of a plan's files as the caller would write them |
//! | `disk` | a directory as plan readers see it |
//! | [`estimates`] | what a plan is expected to take, and how good it is |
//! | [`file_states`] | files as they were when they were read |
//! | [`fixes`] | `afresh lint --fix` |
//! | `foreign` | plans of foreign formats, recognised by the files in a directory |
//! | `native` | plans of the native format: one file |
//! | `tool_dirs` | the directories that belong to planning tools |
//! | [`unstarted_run`] | a run that has not been started |

pub(crate) mod acceptance;
pub mod caller_paths;
pub(crate) mod disk;
pub mod estimates;
pub mod file_states;
pub mod fixes;
mod foreign;
mod native;
mod tool_dirs;
pub mod unstarted_run;

use afresh_core::Plan;
use afresh_core::ids::TaskId;
use afresh_core::plan::{RequirementId, nearest};
use afresh_core::run::settings::{Settings, WritebackTarget};
use afresh_formats::folder::{MemoryFolder, PlanFolder};
use afresh_formats::native as native_format;
use afresh_formats::reading::PlanReading;
use afresh_formats::text::limits::MAX_TEXT_BYTES;
use afresh_formats::{Finding, Severity};
use afresh_import::detect::{FORMATS, PlanFormat, ReadOptions, WorkUnit};
use afresh_import::requirements;
use afresh_planner::ledger::{Ledger, LedgerStatement};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::AppError;
use crate::planning::directory::LEDGER;
use crate::text::files::read_bounded;
use caller_paths::{CallerPaths, relative_path};
use file_states::FileStates;
use foreign::NamedPlan;

const WHAT_IS_A_PLAN: &str =
    "PLAN is a *.plan.toml or *.plan.json file, or a directory with a plan";
/// How many files beside a missing plan are compared to its name.
const MAX_SIBLINGS: usize = 1000;
/// The kind of the error for something that is readable and no plan: perhaps a specification.
pub const NO_PLAN: &str = "no-plan";
/// The name of the native format.
pub const NATIVE: &str = "native";

/// A plan, and where it came from.
#[derive(Debug)]
pub struct PlanFile {
    /// Absolute, without links: a file, or a directory.
    pub path: PathBuf,
    /// The path for messages.
    pub shown: String,
    pub format: &'static str,
    /// The options it was read with.
    pub how: PlanReadOptions,
    pub plan: Plan,
    /// The directory whose repository it is for, where it names one (EX-12).
    pub target: Option<PathBuf>,
    /// The specification that it names, where that exists.
    pub spec: Option<PathBuf>,
    pub warnings: Vec<Finding>,
    /// The tasks that cannot be run as they are written, and why.
    pub blocked: BTreeMap<String, String>,
    /// Fields without meaning for afresh, by path.
    pub unknown: BTreeMap<String, String>,
    /// The files that it was read from.
    pub files: Vec<PathBuf>,
    /// The file of each task, where there are several.
    pub task_files: BTreeMap<TaskId, PathBuf>,
    /// The same files as they were when they were read.
    pub states: FileStates,
    pub home: PlanHome,
}

/// What is read to read the plan again.
#[derive(Debug, Clone)]
pub enum PlanHome {
    /// One file of the native format, or no file at all.
    Single,
    /// A directory, or the named part of it, relative to it.
    Folder { base: PathBuf, only: Option<String> },
    /// It was not read: this is what its run has recorded.
    Recorded(Option<WritebackTarget>),
}

/// How a plan is to be read.
#[derive(Debug, Clone, Default)]
pub struct PlanReadOptions {
    /// The plan's format; none: recognised by the files.
    pub format: Option<String>,
    pub unit: WorkUnit,
}

impl PlanReadOptions {
    /// As a run's plan was read when it started.
    pub fn recorded_in(settings: &Settings) -> Self {
        let format = Some(settings.format.clone()).filter(|format| !format.is_empty());
        Self { format, unit: if settings.by_task { WorkUnit::Task } else { WorkUnit::Plan } }
    }

    /// Records it in a run's settings, so that the plan is read the same way again.
    pub fn record_in(&self, settings: Settings) -> Settings {
        Settings {
            format: self.format.clone().unwrap_or_default(),
            by_task: self.unit == WorkUnit::Task,
            ..settings
        }
    }
}

/// The names of all formats, the native one first.
pub fn format_names() -> impl Iterator<Item = &'static str> {
    std::iter::once(NATIVE).chain(FORMATS.iter().map(|format| format.name))
}

/// The result of reading: a plan, or findings.
pub struct FoundPlan {
    pub path: PathBuf,
    pub shown: String,
    pub format: &'static str,
    pub reading: PlanReading,
    /// The files of the plan, and their directory.
    pub folder: Box<dyn PlanFolder>,
    pub base: PathBuf,
    /// Of a foreign format; findings of a native plan have its path as it was given.
    paths: Option<CallerPaths>,
    reader: PlanReader,
}

/// How it is read again.
enum PlanReader {
    /// One file of the native format, by its name in findings, and the documents that its tasks cite.
    Own {
        file: String,
        documents: Vec<String>,
    },
    Foreign(&'static PlanFormat, ReadOptions),
}

impl std::fmt::Debug for FoundPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FoundPlan").field("path", &self.path).finish_non_exhaustive()
    }
}

impl FoundPlan {
    /// Findings of its readers and lints, with paths as the caller would write them.
    pub fn for_caller(&self, findings: Vec<Finding>) -> Vec<Finding> {
        let Some(paths) = &self.paths else { return findings };
        findings.into_iter().map(|finding| paths.show_finding(finding)).collect()
    }

    /// The path of one of its files as the caller would write it.
    fn shown_path(&self, file: &str) -> String {
        self.paths.as_ref().map_or_else(|| file.to_owned(), |paths| paths.show(file))
    }

    /// The plan to show or run, and what is wrong with its target, if anything.
    pub fn into_plan_file(
        mut self,
        how: &PlanReadOptions,
    ) -> Result<(PlanFile, Option<AppError>), AppError> {
        let findings = std::mem::take(&mut self.reading.findings);
        let mut warnings = self.for_caller(findings);
        let FoundPlan { path, shown, format, reading, base, paths, reader, .. } = self;
        let Some(plan) = reading.plan else {
            let what = format!("cannot read the plan {shown}");
            return Err(AppError::with_findings("plan", &what, warnings));
        };
        let mut plan = named(plan, &path);
        if let Some(paths) = &paths {
            plan.rename_requirement_files(|file| paths.show(file));
        }
        let target = reading.target.map(|target| target_of(&path, &target)).transpose();
        let (target, no_target) = match target {
            Ok(target) => (target, None),
            Err(failure) => (None, Some(failure)),
        };
        let spec = find_spec(&plan, &path, &base, format);
        let ids = plan.tasks().iter().map(|task| task.id.clone());
        let of_tasks = reading.places.iter().map(|places| base.join(&*places.whole.file));
        let task_files =
            if format == NATIVE { BTreeMap::new() } else { ids.zip(of_tasks).collect() };
        let mut files: Vec<PathBuf> = if format == NATIVE {
            vec![path.clone()]
        } else {
            reading.places.iter().map(|places| base.join(&*places.whole.file)).collect()
        };
        files.sort();
        files.dedup();
        let unknown = reading.unknown.into_iter();
        let unknown = match &paths {
            None => unknown.collect(),
            Some(paths) => unknown.map(|(field, text)| (paths.show_field(&field), text)).collect(),
        };
        let home = match reader {
            PlanReader::Own { .. } => PlanHome::Single,
            PlanReader::Foreign(_, options) => {
                PlanHome::Folder { base: base.clone(), only: options.only }
            }
        };
        // Notes are for `afresh lint`.
        warnings.retain(|finding| finding.severity != Severity::Note);
        let how = how.clone();
        let file = PlanFile {
            path,
            shown,
            format,
            how,
            plan,
            target,
            spec,
            warnings,
            blocked: reading.blocked,
            unknown,
            states: FileStates::read(files.iter().cloned()),
            files,
            task_files,
            home,
        };
        Ok((file, no_target))
    }

    /// Reads the same plan from other contents.
    pub fn read_from(&self, folder: &dyn PlanFolder) -> PlanReading {
        match &self.reader {
            PlanReader::Foreign(format, options) => format.read_traced(folder, options),
            PlanReader::Own { file, documents } => match folder.text(file) {
                Some(Ok(text)) => {
                    let mut reading = native_format::read(file, text.as_bytes());
                    add_requirements(folder, &mut reading, documents);
                    reading
                }
                Some(Err(finding)) => PlanReading::failed(finding),
                None => PlanReading::default(),
            },
        }
    }
}

/// Reads the plan at `given`, relative to `directory`.
pub fn read(directory: &Path, given: &Path, how: &PlanReadOptions) -> Result<FoundPlan, AppError> {
    let path = directory.join(given);
    let shown = given.display().to_string();
    let metadata = fs::metadata(&path).map_err(|error| missing(&path, given, &error))?;
    let is_own = how.format.as_deref().is_none_or(|format| format == NATIVE);
    let own = if !is_own {
        None
    } else if metadata.is_dir() {
        native::only_one_in(&path, &shown)?
    } else {
        // A file that belongs to no foreign format is read as native.
        let shown = given.display().to_string();
        Some(path.clone())
            .filter(|path| native::is_plan_name(path) || !is_of_another(path, &shown, how))
    };
    let Some(path) = own else {
        return foreign::read(&path, &NamedPlan { directory, given, shown: &shown }, how);
    };
    let shown = path.strip_prefix(directory).unwrap_or(&path).display().to_string();
    let bytes = native::read(&path, &shown)?;
    let mut reading = native_format::read(&shown, &bytes);
    let path = path.canonicalize().map_err(|error| unreadable(&shown, &error))?;
    let spec = reading.plan.as_ref().and_then(|plan| plan.spec.clone());
    let caller = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    let mut files = vec![(shown.clone(), bytes)];
    for document in native::documents(&path, spec.as_deref()) {
        // What is wrong with it is reported where workers are given it.
        if let Ok(text) = read_bounded(&document, MAX_TEXT_BYTES) {
            files.push((relative_path(&caller, &document).display().to_string(), text));
        }
    }
    let documents: Vec<String> = files.iter().skip(1).map(|(name, _)| name.clone()).collect();
    let folder = Box::new(MemoryFolder::new(files));
    match planned_ledger(&path) {
        // What was planned from a specification has its statements beside it.
        Some(ledger) => add_statements(&mut reading, &ledger),
        None => add_requirements(&*folder, &mut reading, &documents),
    }
    acceptance::read_files(&mut reading, &path);
    let base = directory.to_owned();
    let reader = PlanReader::Own { file: shown.clone(), documents };
    Ok(FoundPlan { path, shown, format: NATIVE, reading, folder, base, paths: None, reader })
}

/// The statements that a plan was made from.
fn planned_ledger(plan: &Path) -> Option<Ledger> {
    let path = plan.with_file_name(LEDGER);
    serde_json::from_slice(&read_bounded(&path, MAX_TEXT_BYTES).ok()?).ok()
}

/// `requirements` of tasks are ids of the ledger; `afresh plan validate` reports those that are not.
fn add_statements(reading: &mut PlanReading, ledger: &Ledger) {
    let Some(plan) = reading.plan.take() else { return };
    let requirements = ledger.statements.iter().map(LedgerStatement::to_requirement).collect();
    let served = plan.tasks().iter().map(|task| {
        let known = task.requirements.iter().filter_map(|id| ledger.find(id.as_str()));
        (task.id.clone(), known.map(|statement| statement.id.clone()).collect())
    });
    let served: Vec<(TaskId, Vec<RequirementId>)> = served.collect();
    reading.plan = Some(plan.with_requirements(requirements, served));
}

/// What a native plan is for: the ids of its spec, and those that its tasks cite.
fn add_requirements(folder: &dyn PlanFolder, reading: &mut PlanReading, documents: &[String]) {
    requirements::attach(folder, reading, |ledger, plan| {
        requirements::spec::add_native(ledger, plan, documents);
    });
}

/// Markdown and the like are never native plans; JSON may be another tool's.
fn is_of_another(path: &Path, shown: &str, how: &PlanReadOptions) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let foreign = matches!(ending, "md" | "jsonl" | "yml" | "yaml");
    how.format.is_none() && (foreign || (ending == "json" && foreign::owns(path, shown, how)))
}

/// Loads a plan to run it.
pub fn load(directory: &Path, given: &Path, how: &PlanReadOptions) -> Result<PlanFile, AppError> {
    match read_plan(directory, given, how)? {
        (file, None) => Ok(file),
        (_, Some(no_target)) => Err(no_target),
    }
}

/// Loads a plan to show it: its target may be missing.
pub fn read_plan(
    directory: &Path,
    given: &Path,
    how: &PlanReadOptions,
) -> Result<(PlanFile, Option<AppError>), AppError> {
    read(directory, given, how)?.into_plan_file(how)
}

impl PlanFile {
    /// Whether it is the plan of a planning run, which afresh itself writes.
    pub fn is_planning(&self) -> bool {
        self.path.file_name().is_some_and(|name| name == "stages.plan.toml")
    }

    /// The directory that the plan's paths are in: its target, else the repository around its file.
    pub fn root(&self) -> PathBuf {
        let start = match &self.target {
            Some(target) => target.as_path(),
            None if self.path.is_dir() => self.path.as_path(),
            None => self.path.parent().unwrap_or(Path::new("/")),
        };
        let root = start.ancestors().find(|place| place.join(".git").exists());
        root.unwrap_or(start).to_owned()
    }
}

/// The specification of a plan: of the native format, next to the plan or in its repository; of another format, in
/// the directory that was read.
fn find_spec(plan: &Plan, path: &Path, base: &Path, format: &str) -> Option<PathBuf> {
    if format == NATIVE {
        return native::documents(path, plan.spec.as_deref()).into_iter().next();
    }
    base.join(plan.spec.as_deref()?).canonicalize().ok()
}

/// Relative to the plan's own directory.
fn target_of(plan: &Path, target: &str) -> Result<PathBuf, AppError> {
    let base = if plan.is_dir() { plan } else { plan.parent().unwrap_or(Path::new("/")) };
    let failure = AppError::usage("plan", format!("cannot use the plan's target {target:?}"))
        .hint("`target` is a directory, relative to the plan's file");
    match base.join(target).canonicalize() {
        Ok(found) if found.is_dir() => Ok(found),
        Ok(_) => Err(failure.cause("it is not a directory")),
        Err(error) => Err(failure.cause(error.to_string())),
    }
}

/// A plan without a name gets that of its file.
fn named(mut plan: Plan, path: &Path) -> Plan {
    if plan.name.trim().is_empty() {
        let stem = path.file_name().unwrap_or_default().to_string_lossy();
        let stem = stem.trim_start_matches('.');
        stem.split('.').next().unwrap_or_default().clone_into(&mut plan.name);
    }
    plan
}

/// A plan that is not at its path; perhaps its name has a slip.
fn missing(path: &Path, given: &Path, error: &std::io::Error) -> AppError {
    let failure = unreadable(&given.display().to_string(), error);
    let entries = path.parent().and_then(|directory| fs::read_dir(directory).ok());
    let names: Vec<String> = entries
        .into_iter()
        .flatten()
        .flatten()
        .take(MAX_SIBLINGS)
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    let wanted = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match nearest(wanted, names.iter().map(String::as_str)) {
        Some(near) => {
            failure.hint(format!("did you mean {:?}?", given.with_file_name(near).display()))
        }
        None => failure,
    }
}

fn unreadable(shown: &str, error: &std::io::Error) -> AppError {
    AppError::usage("plan", format!("cannot read the plan {shown}"))
        .in_file(shown)
        .cause(error.to_string())
        .hint(WHAT_IS_A_PLAN)
}
