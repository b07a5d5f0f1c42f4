//! `.afresh/plans/NAME/`: the files of one planned specification (PL-13). A person may edit all of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use afresh_core::ids::CommitId;
use afresh_git::Repository;
use afresh_planner::ledger::Ledger;
use afresh_planner::spec::Specification;
use afresh_store::write_atomically;

use super::validate::LEDGER;
use crate::error::AppError;
use crate::text::files::read_bounded;

/// Where the plans are, from the root of the repository.
const PLANS: &str = ".afresh/plans";
/// The specification, byte for byte.
pub const SPEC: &str = "spec.md";
/// The plan of the planning run itself.
const STAGES: &str = "stages.plan.toml";
/// What is known about the repository.
const PROJECT: &str = "project.md";
const MAX_BYTES: usize = 16 * 1024 * 1024;

#[derive(Debug, Clone)]
pub struct PlanDirectory {
    root: PathBuf,
    pub name: String,
}

impl PlanDirectory {
    pub fn new(root: &Path, name: &str) -> Self {
        Self { root: root.to_owned(), name: name.to_owned() }
    }

    /// From the root of the repository.
    pub fn inside(&self) -> String {
        format!("{PLANS}/{}", self.name)
    }

    pub fn path(&self) -> PathBuf {
        self.root.join(self.inside())
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// The plan that comes out.
    pub fn plan(&self) -> PathBuf {
        self.file(&format!("{}.plan.toml", self.name))
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
        read_bounded(&self.file(SPEC), MAX_BYTES).ok()
    }

    /// Writes what planning starts from. The directory exists before anything is spent.
    pub fn store_inputs(
        &self,
        spec: &Specification,
        ledger: &Ledger,
        project: &str,
    ) -> Result<(), AppError> {
        fs::create_dir_all(self.path())
            .map_err(|error| AppError::cannot_write("plan", &self.path(), error))?;
        let mut documents = spec.documents.iter();
        let first = documents.next().map_or("", |document| document.text.as_str());
        self.write(SPEC, first.as_bytes())?;
        for document in documents {
            let name = document.path.replace(['/', '\\'], "-");
            self.write(
                &format!("also-{}", name.trim_start_matches(['.', '-'])),
                document.text.as_bytes(),
            )?;
        }
        let ledger = serde_json::to_vec_pretty(ledger)
            .map_err(|error| AppError::bug("ledger", error.to_string()))?;
        self.write(LEDGER, &ledger)?;
        self.write(PROJECT, project.as_bytes())
    }

    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), AppError> {
        let path = self.file(name);
        write_atomically(&path, bytes).map_err(|error| AppError::cannot_write("plan", &path, error))
    }

    /// Its files by path from the root, for the commit that a planning run starts from.
    pub fn base_files(&self) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(self.path()).into_iter().flatten().flatten();
        let files = entries.filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let is_input = name != STAGES && !name.ends_with(".plan.toml");
            let bytes = read_bounded(&entry.path(), MAX_BYTES).ok().filter(|_| is_input)?;
            Some((format!("{}/{name}", self.inside()), bytes))
        });
        files.collect()
    }

    /// Copies the plan that a planning run has merged into the user's checkout.
    pub fn take_plan(&self, git: &Repository, commit: &CommitId) -> Result<(), AppError> {
        let inside = format!("{}/{}.plan.toml", self.inside(), self.name);
        let found = git.show_file(commit, &inside).map_err(AppError::git)?;
        let bytes = found.ok_or_else(|| {
            AppError::bug("plan", format!("the planning run ended without {inside}"))
        })?;
        let path = self.plan();
        write_atomically(&path, &bytes)
            .map_err(|error| AppError::cannot_write("plan", &path, error))
    }
}
