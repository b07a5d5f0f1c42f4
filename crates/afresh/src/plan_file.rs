//! Finding a plan and reading it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use afresh_core::Plan;
use afresh_formats::Finding;
use afresh_formats::native::{self, MAX_PLAN_BYTES};

use crate::failure::Failure;

const WHAT_IS_A_PLAN: &str =
    "PLAN is a *.plan.toml or *.plan.json file, or a directory that holds one";

/// A plan, and the file it came from.
#[derive(Debug)]
pub(crate) struct PlanFile {
    /// Absolute, without links.
    pub(crate) path: PathBuf,
    /// As people know it.
    pub(crate) shown: String,
    pub(crate) plan: Plan,
    /// The directory whose repository it is for, where it names one (EX-12).
    pub(crate) target: Option<PathBuf>,
    pub(crate) warnings: Vec<Finding>,
    /// Fields that mean nothing to us, by their path: kept, and shown.
    pub(crate) unknown: BTreeMap<String, String>,
}

/// Reads the plan at `given`, relative to `directory`; a directory must hold exactly one.
pub(crate) fn load(directory: &Path, given: &Path) -> Result<PlanFile, Failure> {
    let path = directory.join(given);
    let shown = given.display().to_string();
    let metadata = fs::metadata(&path).map_err(|error| unreadable(&shown, &error))?;
    let path = if metadata.is_dir() { only_plan_in(&path, &shown)? } else { path };
    let shown = path.strip_prefix(directory).unwrap_or(&path).display().to_string();
    let bytes = read(&path, &shown)?;
    let reading = native::read(&shown, &bytes);
    match reading.plan {
        Some(plan) => {
            let path = path.canonicalize().map_err(|error| unreadable(&shown, &error))?;
            let plan = named(plan, &path);
            let target = reading.target.map(|target| target_of(&path, &target)).transpose()?;
            let (warnings, unknown) = (reading.findings, reading.unknown);
            Ok(PlanFile { path, shown, plan, target, warnings, unknown })
        }
        None => Err(Failure::in_file(
            "plan",
            &format!("cannot read the plan {shown}"),
            reading.findings,
        )),
    }
}

impl PlanFile {
    /// The directory that the plan's paths are in: its target, else the repository around its file.
    pub(crate) fn root(&self) -> PathBuf {
        let start = match &self.target {
            Some(target) => target.as_path(),
            None => self.path.parent().unwrap_or(Path::new("/")),
        };
        let root = start.ancestors().find(|place| place.join(".git").exists());
        root.unwrap_or(start).to_owned()
    }
}

/// Relative to the plan's own directory.
fn target_of(plan: &Path, target: &str) -> Result<PathBuf, Failure> {
    let wanted = plan.parent().unwrap_or(Path::new("/")).join(target);
    let failure = Failure::usage("plan", format!("cannot use the plan's target {target:?}"))
        .help("`target` is a directory, relative to the plan's file");
    match wanted.canonicalize() {
        Ok(found) if found.is_dir() => Ok(found),
        Ok(_) => Err(failure.cause("it is not a directory")),
        Err(error) => Err(failure.cause(error.to_string())),
    }
}

/// A plan without a name is called after its file.
fn named(mut plan: Plan, path: &Path) -> Plan {
    if plan.name.trim().is_empty() {
        let stem = path.file_name().unwrap_or_default().to_string_lossy();
        stem.split('.').next().unwrap_or_default().clone_into(&mut plan.name);
    }
    plan
}

fn read(path: &Path, shown: &str) -> Result<Vec<u8>, Failure> {
    let metadata = fs::metadata(path).map_err(|error| unreadable(shown, &error))?;
    // A device or a pipe never ends.
    if !metadata.is_file() {
        return Err(Failure::usage("plan", format!("{shown} is not a regular file"))
            .about(shown)
            .help(WHAT_IS_A_PLAN));
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(|error| unreadable(shown, &error))?;
    file.take(MAX_PLAN_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(shown, &error))?;
    Ok(bytes)
}

fn unreadable(shown: &str, error: &std::io::Error) -> Failure {
    Failure::usage("plan", format!("cannot read the plan {shown}"))
        .about(shown)
        .cause(error.to_string())
        .help(WHAT_IS_A_PLAN)
}

fn only_plan_in(directory: &Path, shown: &str) -> Result<PathBuf, Failure> {
    let mut found: Vec<PathBuf> = fs::read_dir(directory)
        .map_err(|error| unreadable(shown, &error))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| is_plan_name(path))
        .collect();
    found.sort();
    match found.len() {
        0 => Err(Failure::usage("plan", format!("the directory {shown} holds no plan"))
            .about(shown)
            .help("a plan's name ends in .plan.toml or .plan.json")),
        1 => Ok(found.remove(0)),
        _ => {
            let names: Vec<String> = found
                .iter()
                .filter_map(|path| path.file_name())
                .map(|name| name.to_string_lossy().into_owned())
                .collect();
            Err(Failure::usage(
                "plan",
                format!("the directory {shown} holds several plans: {}", names.join(", ")),
            )
            .about(shown)
            .help("name one of them"))
        }
    }
}

fn is_plan_name(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".plan.toml") || name.ends_with(".plan.json")
}
