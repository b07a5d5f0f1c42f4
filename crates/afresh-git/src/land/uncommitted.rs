//! Files of the checkout that are in no commit: a run does not see them.

use std::time::Duration;

use crate::git::command::{CommandError, GitCommand};
use crate::git::repository::Repository;
use crate::objects::path_text::render_path;

/// A checkout so large that it takes longer is not looked at.
const TIMEOUT: Duration = Duration::from_secs(10);

impl Repository {
    /// Changed and untracked files of the user's checkout, relative to its root; what the user ignores is left out.
    /// A directory in which nothing is tracked is one entry that ends with a slash.
    pub fn uncommitted_files(&self) -> Result<Vec<String>, CommandError> {
        let Some(root) = self.root() else { return Ok(Vec::new()) };
        // The user's own ignore files count, so this is asked with the user's configuration.
        let call = GitCommand::as_user(&self.program, "look for uncommitted files").directory(root);
        let call = call.args(["status", "--porcelain=v1", "-z", "--untracked-files=normal"]);
        let answer = call.args(["--ignore-submodules=dirty"]).limit(TIMEOUT).run_checked()?;
        let mut files = Vec::new();
        let mut fields = answer.fields();
        while let Some(field) = fields.next() {
            // `XY path`; a rename is followed by the earlier path.
            let Some(path) = field.get(3..) else { continue };
            files.push(render_path(path));
            if field.starts_with(b"R") || field.starts_with(b"C") {
                fields.next();
            }
        }
        Ok(files)
    }

    /// Whether the user's ignore files cover a path.
    pub fn is_ignored(&self, path: &str) -> Result<bool, CommandError> {
        let Some(root) = self.root() else { return Ok(false) };
        let call = GitCommand::as_user(&self.program, "read the ignore files").directory(root);
        let call = call.args(["check-ignore", "--quiet", "--", path]).limit(TIMEOUT);
        Ok(call.run()?.code() == Some(0))
    }
}
