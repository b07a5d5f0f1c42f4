//! The label of tasks whose criteria are prose (FO-04).
//!
//! A check is a command. Sentences are never run: they go to the worker, and whoever starts the run
//! adds the commands of the repository.

use crate::drafted::Drafted;
use crate::finding::Severity;
use crate::folder::Folder;
use crate::reading::Spot;

/// How many tasks a message names.
const MAX_NAMED: usize = 10;

/// Tells which tasks have criteria in prose and no command that could judge them.
pub fn label<'t>(
    folder: &dyn Folder,
    drafted: &mut Drafted,
    spot: &Spot,
    tasks: impl IntoIterator<Item = &'t str>,
) {
    let tasks: Vec<&str> = tasks.into_iter().collect();
    if tasks.is_empty() {
        return;
    }
    let mut named = tasks[..tasks.len().min(MAX_NAMED)].join(", ");
    if tasks.len() > MAX_NAMED {
        named = format!("{named} and {} more", tasks.len() - MAX_NAMED);
    }
    let message = format!("no command judges {named}: the criteria are prose");
    let found = drafted.find(folder, spot, "checks-are-prose", message);
    found.severity = Severity::Warning;
    found.help = Some(
        "the worker gets them; the repository's own build, test and lint commands are run"
            .to_owned(),
    );
}
