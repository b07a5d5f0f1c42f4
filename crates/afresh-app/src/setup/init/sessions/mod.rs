//! What `afresh init --claude` and its siblings install for people's agent sessions: an entry for `afresh mcp`, and
//! commands or skills that only call it.
//!
//! Everything is decided before anything is written, and what is taken away is exactly what was put there: every other
//! byte of those files stays.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `changes` | which files change, and changing them |
//! | `instructions` | the texts of commands and skills |
//! | `json_entry` | one entry in a JSON file, put there and taken away as text |
//! | `owned_file` | files that are ours as a whole, and whether a person changed them |
//! | `programs` | what each program needs, and where |
//! | `toml_entry` | one table in a TOML file, put there and taken away as text |

pub mod changes;
mod instructions;
mod json_entry;
mod owned_file;
pub mod programs;
mod toml_entry;

pub use changes::{SessionFileChange, SessionSetup, SetupDirection};
pub use programs::{InstallScope, SessionProgram};

/// What a text becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EntryEdit {
    Write(String),
    /// The whole file is ours.
    Delete,
    Same,
    /// Why it cannot be edited, and what a person can do.
    Leave {
        reason: String,
        hint: String,
    },
}
