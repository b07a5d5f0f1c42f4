//! A run's work as one patch, in a file or on standard output.

use std::io::{IsTerminal, Write as _};
use std::path::Path;

use afresh_app::git::{CommitSignature, PatchHeader};
use afresh_app::notes::read::read_notes;
use afresh_app::proof::patch_text;
use afresh_app::store::write_atomically;
use afresh_core::Run;
use afresh_engine::RepoContext;
use serde_json::json;

use crate::exit::Exit;
use crate::terminal::output::Output;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::text::time;

/// Where a patch goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PatchTarget<'a> {
    pub(crate) file: &'a Path,
    pub(crate) context: &'a AppContext,
    pub(crate) output: &'a Output,
}

/// The receipts as text. A patch without them is still a patch.
fn receipts(repository: &RepoContext, run: &Run, output: &Output) -> String {
    match read_notes(&repository.git, run.base(), run.tip()) {
        Ok(notes) => patch_text::render(&notes),
        Err(error) => {
            output.note(&format!("note: the patch has no receipts: {error}"));
            String::new()
        }
    }
}

pub(crate) fn write(
    repository: &RepoContext,
    run: &Run,
    signature: &CommitSignature,
    target: &PatchTarget<'_>,
) -> Result<Exit, AppError> {
    let done = run.tasks().filter(|(_, state)| state.is_done());
    let titles: Vec<String> =
        done.map(|(task, _)| format!("* {} {}", task.id, task.title)).collect();
    let head = PatchHeader {
        subject: &run.plan().name,
        body: &titles.join("\n"),
        date: &time::format_mail_date(signature.at_seconds),
        remarks: &receipts(repository, run, target.output),
        signature,
    };
    let patch = repository.git.patch(run.base(), run.tip(), &head).map_err(AppError::git)?;
    let output = target.output;
    if target.file == Path::new("-") {
        if std::io::stdout().is_terminal() {
            return Err(AppError::usage("patch", "a patch could control the terminal")
                .hint("write it to a file: `afresh land --patch FILE`"));
        }
        // A closed standard output is no error.
        let _ = std::io::stdout().lock().write_all(&patch);
        return Ok(Exit::Done);
    }
    let file = target.context.directory()?.join(target.file);
    write_atomically(&file, &patch)
        .map_err(|error| AppError::cannot_write("patch", &file, error))?;
    if output.json {
        output.document(&json!({"run": run.id(), "way": "patch", "file": file}));
    } else {
        let shown = target.file.display();
        output.note(&format!("wrote {shown}; `git am {shown}` or `git apply {shown}` applies it"));
    }
    Ok(Exit::Done)
}
