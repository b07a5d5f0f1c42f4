//! The shadow: a git directory whose configuration only afresh writes.
//!
//! Checkout, add and merge run with it, and with the objects of the user's repository. So they use
//! neither the user's filters and drivers nor anything of a worker's.

use std::fs;
use std::path::Path;

use crate::git::error::{FileContext, FileError};
use crate::git::repository::ObjectFormat;

/// Makes sure that the shadow exists and holds what we wrote.
pub(crate) fn ensure(shadow: &Path, format: ObjectFormat) -> Result<(), FileError> {
    let config = config(format);
    let path = shadow.join("config");
    if fs::read(&path).is_ok_and(|found| found == config.as_bytes())
        && shadow.join("HEAD").is_file()
    {
        return Ok(());
    }
    for directory in ["objects", "refs"] {
        let directory = shadow.join(directory);
        fs::create_dir_all(&directory).context("make", &directory)?;
    }
    let head = shadow.join("HEAD");
    fs::write(&head, "ref: refs/heads/none\n").context("write", &head)?;
    // Written last and whole, because the check above reads it.
    let fresh = shadow.join("config.new");
    fs::write(&fresh, config).context("write", &fresh)?;
    fs::rename(&fresh, &path).context("write", &path)
}

fn config(format: ObjectFormat) -> String {
    format!("{}\tbare = true\n", format_section(format))
}

/// The beginning of a configuration file: the object format, then `[core]`.
pub(crate) fn format_section(format: ObjectFormat) -> String {
    match format {
        ObjectFormat::Sha1 => String::from("[core]\n\trepositoryformatversion = 0\n"),
        ObjectFormat::Sha256 => String::from(
            "[extensions]\n\tobjectformat = sha256\n[core]\n\trepositoryformatversion = 1\n",
        ),
    }
}
