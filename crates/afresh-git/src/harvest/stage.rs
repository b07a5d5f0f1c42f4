//! Stages a checkout in our own index: everything that is not ignored, and what the task lists.

use std::fs;

use crate::git::command::GitOutput;
use crate::git::error::{FileContext, FileError};
use crate::harvest::HarvestRejection;
use crate::harvest::collect::WorkCollector;
use crate::harvest::listed::{ListedPaths, nul_separated};
use crate::harvest::prescan::{TreeScan, display_path};
use crate::harvest::setup_files;
use crate::harvest::size_cap::{SizeCapSelection, select_within_cap};
use crate::objects::index::IndexFile;
use crate::workspace::keep::KeepPatterns;
use crate::workspace::pool::PoolError;

/// How git staged what is not ignored.
#[derive(Debug, Default)]
pub(crate) struct StagedFiles {
    pub(crate) notes: Vec<String>,
    /// What git said about files that it could not add.
    pub(crate) complaint: Option<String>,
    /// Whether everything was staged.
    pub(crate) is_whole: bool,
}

impl WorkCollector<'_> {
    /// Writes the ignore rules that apply besides those of the tree.
    pub(crate) fn write_excludes(&self) -> Result<(), FileError> {
        let users = self.pool.repository.common_dir().join("info/exclude");
        let mut text = fs::read(users).unwrap_or_default();
        text.push(b'\n');
        text.extend(setup_files::exclude_lines(self.workspace));
        for line in self.keep.lines().chain(KeepPatterns::tool_artefacts().lines()) {
            text.extend(line.as_bytes());
            text.push(b'\n');
        }
        fs::write(&self.excludes, text).context("write", &self.excludes)
    }

    /// Stages everything that is not ignored; reports what git could not add.
    pub(crate) fn stage_all(&self, scan: &TreeScan) -> Result<StagedFiles, PoolError> {
        let answer = self.try_add(scan, GitAddMode::Attributes)?;
        if let Some(added) = parse_staged(&answer) {
            return Ok(added);
        }
        // Attributes can ask for a conversion that fails, and then git adds nothing at all.
        if !self.pool.repository.program.can_ignore_attributes() {
            return Err(answer.failure().into());
        }
        let second = self.try_add(scan, GitAddMode::NoAttributes)?;
        let Some(mut added) = parse_staged(&second) else { return Err(answer.failure().into()) };
        let note = format!("attributes were not applied: {}", answer.complaint());
        added.notes.insert(0, note);
        added.is_whole = false;
        Ok(added)
    }

    fn try_add(&self, scan: &TreeScan, with: GitAddMode) -> Result<GitOutput, PoolError> {
        let mut call = self.git("gather the changes")?;
        if matches!(with, GitAddMode::NoAttributes) {
            call = call.env("GIT_ATTR_SOURCE", self.pool.repository.format.empty_tree());
        }
        call = call.args(["add", "--all", "--ignore-errors"]);
        let mut pathspecs = vec![b":(top)".to_vec()];
        pathspecs.extend(scan.unwanted().map(|path| [b":(top,exclude,literal)", path].concat()));
        if pathspecs.len() > 1 {
            call = call.args(["--pathspec-from-file=-", "--pathspec-file-nul"]);
            call = call.stdin(nul_separated(&pathspecs));
        }
        Ok(call.run()?)
    }

    /// Stages listed paths that the project ignores, as far as they fit.
    pub(crate) fn stage_listed(
        &self,
        scan: &TreeScan,
    ) -> Result<Option<HarvestRejection>, PoolError> {
        if self.request.files.is_empty() {
            return Ok(None);
        }
        let index = IndexFile::load(&self.index, self.pool.repository.format);
        let listed = ListedPaths::new(self.request.files, &self.workspace.tree(), index.as_ref());
        if listed.is_empty() {
            return Ok(None);
        }
        let call = self.git("look for listed files that are ignored")?;
        let call =
            call.args(["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--"]);
        let answer = call.args(&listed.pathspecs).run_checked()?;
        let artefacts = KeepPatterns::tool_artefacts();
        let meant =
            |path: &&[u8]| listed.contains(path, &artefacts, &self.keep) && !scan.leaves_out(path);
        let paths: Vec<Vec<u8>> = answer.fields().filter(meant).map(<[u8]>::to_owned).collect();
        let limit = self.request.limits.max_total_bytes;
        let SizeCapSelection { paths, rejection } =
            select_within_cap(&self.workspace.tree(), paths, limit);
        if !paths.is_empty() {
            let call = self.git("add listed files that are ignored")?;
            let call = call.args(["update-index", "--add", "-z", "--stdin"]);
            call.stdin(nul_separated(&paths)).run_checked()?;
        }
        Ok(rejection)
    }

    /// A file above the limit that would otherwise be harvested.
    pub(crate) fn find_unignored_oversized(
        &self,
        scan: &TreeScan,
    ) -> Result<Option<HarvestRejection>, PoolError> {
        if scan.large.is_empty() {
            return Ok(None);
        }
        let call = self.git("see whether large files are ignored")?;
        let call = call.args(["ls-files", "-z", "--others", "--modified", "--exclude-standard"]);
        let answer = call.run_checked()?;
        let listed = |path: &[u8]| self.request.files.iter().any(|file| file.as_bytes() == path);
        let counts = |path: &[u8]| listed(path) || answer.fields().any(|found| found == path);
        let first = scan.large.iter().find(|(path, _)| counts(path));
        Ok(first.map(|(path, bytes)| HarvestRejection::FileTooLarge {
            path: display_path(path),
            bytes: *bytes,
            limit: self.request.limits.max_file_bytes,
        }))
    }
}

/// Whether git reads `.gitattributes` while it adds.
#[derive(Debug, Clone, Copy)]
enum GitAddMode {
    Attributes,
    NoAttributes,
}

/// With exit code 1, git has added what it could.
fn parse_staged(answer: &GitOutput) -> Option<StagedFiles> {
    match answer.code() {
        Some(0) => Some(StagedFiles { is_whole: true, ..StagedFiles::default() }),
        Some(1) => {
            let note = format!("not everything could be harvested: {}", answer.complaint());
            let complaint = find_errors(&answer.complaint());
            Some(StagedFiles { notes: vec![note], complaint, is_whole: false })
        }
        _ => None,
    }
}

/// The lines about files that git could not add; it also complains of ignored ones that it was told to leave out.
fn find_errors(complaint: &str) -> Option<String> {
    let errors: Vec<&str> = complaint.lines().filter(|line| line.starts_with("error: ")).collect();
    (!errors.is_empty()).then(|| errors.join("; "))
}
