//! Bringing a checkout into an index of ours: everything that is not ignored, and what is listed.

use std::fs;

use crate::git::command::Finished;
use crate::git::error::{Context, FileError};
use crate::harvest::Refusal;
use crate::harvest::collect::Harvester;
use crate::harvest::listed::{Listed, nul_separated};
use crate::harvest::prescan::{Survey, told};
use crate::harvest::size_cap::{Fitting, fitting};
use crate::objects::index::Index;
use crate::workspace::keep::Patterns;
use crate::workspace::pool::PoolError;

/// How git took in what is not ignored.
#[derive(Debug, Default)]
pub(crate) struct Added {
    pub(crate) notes: Vec<String>,
    /// Whether everything was taken.
    pub(crate) is_whole: bool,
}

impl Harvester<'_> {
    /// What is ignored here besides what the tree itself ignores.
    pub(crate) fn write_excludes(&self) -> Result<(), FileError> {
        let users = self.pool.repository.common_dir().join("info/exclude");
        let mut text = fs::read(users).unwrap_or_default();
        text.push(b'\n');
        for line in Patterns::droppings().lines().chain(self.keep.lines()) {
            text.extend(line.as_bytes());
            text.push(b'\n');
        }
        fs::write(&self.excludes, text).context("write", &self.excludes)
    }

    /// Adds all that is not ignored; says what git could not add.
    pub(crate) fn add_all(&self, survey: &Survey) -> Result<Added, PoolError> {
        let answer = self.try_add(survey, AddWith::Attributes)?;
        if let Some(added) = added(&answer) {
            return Ok(added);
        }
        // Attributes can ask for a conversion that fails, and then git gives up on everything.
        if !self.pool.repository.program.can_ignore_attributes() {
            return Err(answer.failure().into());
        }
        let second = self.try_add(survey, AddWith::NoAttributes)?;
        let Some(mut added) = added(&second) else { return Err(answer.failure().into()) };
        let note = format!("attributes were not applied: {}", answer.complaint());
        added.notes.insert(0, note);
        added.is_whole = false;
        Ok(added)
    }

    fn try_add(&self, survey: &Survey, with: AddWith) -> Result<Finished, PoolError> {
        let mut call = self.git("gather the changes")?;
        if matches!(with, AddWith::NoAttributes) {
            call = call.env("GIT_ATTR_SOURCE", self.pool.repository.format.empty_tree());
        }
        call = call.args(["add", "--all", "--ignore-errors"]);
        let mut pathspecs = vec![b":(top)".to_vec()];
        pathspecs.extend(survey.unwanted().map(|path| [b":(top,exclude,literal)", path].concat()));
        if pathspecs.len() > 1 {
            call = call.args(["--pathspec-from-file=-", "--pathspec-file-nul"]);
            call = call.feed(nul_separated(&pathspecs));
        }
        Ok(call.run()?)
    }

    /// Adds listed paths that the project ignores, as far as they fit.
    pub(crate) fn add_listed(&self, survey: &Survey) -> Result<Option<Refusal>, PoolError> {
        if self.request.files.is_empty() {
            return Ok(None);
        }
        let index = Index::load(&self.index, self.pool.repository.format);
        let listed = Listed::new(self.request.files, &self.workspace.tree(), index.as_ref());
        if listed.is_empty() {
            return Ok(None);
        }
        let call = self.git("look for listed files that are ignored")?;
        let call =
            call.args(["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--"]);
        let answer = call.args(&listed.pathspecs).done()?;
        let droppings = Patterns::droppings();
        let meant =
            |path: &&[u8]| listed.means(path, &droppings, &self.keep) && !survey.leaves_out(path);
        let paths: Vec<Vec<u8>> = answer.fields().filter(meant).map(<[u8]>::to_owned).collect();
        let limit = self.request.limits.max_total_bytes;
        let Fitting { paths, refusal } = fitting(&self.workspace.tree(), paths, limit);
        if !paths.is_empty() {
            let call = self.git("add listed files that are ignored")?;
            let call = call.args(["update-index", "--add", "-z", "--stdin"]);
            call.feed(nul_separated(&paths)).done()?;
        }
        Ok(refusal)
    }

    /// A file above the limit that would have been harvested.
    pub(crate) fn first_unignored(&self, survey: &Survey) -> Result<Option<Refusal>, PoolError> {
        if survey.large.is_empty() {
            return Ok(None);
        }
        let call = self.git("see whether large files are ignored")?;
        let call = call.args(["ls-files", "-z", "--others", "--modified", "--exclude-standard"]);
        let answer = call.done()?;
        let listed = |path: &[u8]| self.request.files.iter().any(|file| file.as_bytes() == path);
        let counts = |path: &[u8]| listed(path) || answer.fields().any(|found| found == path);
        let first = survey.large.iter().find(|(path, _)| counts(path));
        Ok(first.map(|(path, bytes)| Refusal::FileTooLarge {
            path: told(path),
            bytes: *bytes,
            limit: self.request.limits.max_file_bytes,
        }))
    }
}

/// Whether git looks at `.gitattributes` while it adds.
#[derive(Debug, Clone, Copy)]
enum AddWith {
    Attributes,
    NoAttributes,
}

/// With exit 1 git has added what it could.
fn added(answer: &Finished) -> Option<Added> {
    match answer.code() {
        Some(0) => Some(Added { notes: Vec::new(), is_whole: true }),
        Some(1) => {
            let note = format!("not everything could be harvested: {}", answer.complaint());
            Some(Added { notes: vec![note], is_whole: false })
        }
        _ => None,
    }
}
