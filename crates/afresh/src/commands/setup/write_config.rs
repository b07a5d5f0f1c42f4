//! Showing a configuration file, and writing it once the user agrees. Nothing is overwritten silently.

use std::fs;
use std::path::{Path, PathBuf};

use afresh_app::store::write_atomically;

use crate::terminal::output::Output;
use crate::terminal::prompt::UserPrompt;
use afresh_app::error::AppError;

/// What the options say about writing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WriteConsent {
    pub(crate) yes: bool,
    pub(crate) dry_run: bool,
    pub(crate) force: bool,
}

/// A file to write once the user agrees.
#[derive(Debug)]
pub(crate) struct ConfigWriter<'a> {
    pub(crate) output: &'a Output,
    pub(crate) consent: WriteConsent,
    pub(crate) target: PathBuf,
    pub(crate) text: String,
    /// Its current contents.
    pub(crate) before: Option<String>,
    pub(crate) asker: Option<UserPrompt>,
    pub(crate) written: bool,
}

impl ConfigWriter<'_> {
    /// The file, or what would change in it.
    pub(crate) fn show(&self) {
        match &self.before {
            Some(before) if *before != self.text => {
                let diff = similar::TextDiff::from_lines(before.as_str(), self.text.as_str());
                let diff = diff.unified_diff().header("now", "new").to_string();
                self.output.data(afresh_core::printable::lines(&diff).trim_end());
            }
            Some(_) => {}
            None => self.output.data(self.text.trim_end()),
        }
    }

    pub(crate) fn write(&mut self) -> Result<(), AppError> {
        let shown = self.target.display().to_string();
        if self.consent.dry_run {
            return Ok(());
        }
        if self.before.as_ref() == Some(&self.text) {
            self.output.note(&format!("{shown} is up to date"));
            return Ok(());
        }
        if self.target.exists() && !self.consent.force {
            return Err(AppError::incomplete("exists", format!("{shown} already exists"))
                .in_file(shown)
                .hint("`afresh init --force` replaces it; the changes are shown above"));
        }
        if !self.consent.yes {
            match &self.asker {
                Some(asker) if asker.agrees(&format!("Write {shown}?")) => {}
                Some(_) => {
                    self.output.note("nothing was written");
                    return Ok(());
                }
                None => {
                    return Err(AppError::usage(
                        "needs-yes",
                        format!("{shown} was not written, because there is no terminal to ask in"),
                    )
                    .hint("`afresh init --yes` writes it, `--dry-run` only shows it"));
                }
            }
        }
        self.save().map_err(|cause| AppError::cannot_write("write", &self.target, cause))?;
        self.written = true;
        self.output.note(&format!("wrote {shown}"));
        Ok(())
    }

    fn save(&self) -> Result<(), String> {
        let directory = self.target.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(directory).map_err(|error| error.to_string())?;
        write_atomically(&self.target, self.text.as_bytes()).map_err(|error| error.to_string())
    }
}
