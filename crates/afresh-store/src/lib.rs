//! What must survive a crash: the journal, the lock, the inbox.
//!
//! This crate knows files and SQLite and nothing of runs, tasks or agents: a record's body is text,
//! its kind and its run are names. What the records mean is for the core to say; which process may
//! write, and when, is for the engine.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`journal`] | appends records, durably, as the only writer; reads and verifies them |
//! | [`inbox`] | messages from other processes to the driver |
//! | [`lock`] | one driver per repository |
//! | [`atomic_file`] | replaces a whole file or leaves it as it is |
//! | [`fault`] | failures of the machine: full disk, read-only file system |
//! | `fs_probe` | checks that the file system does what the journal relies on |
//! | `paths` | the names of the files in a state directory |

pub mod atomic_file;
pub mod fault;
mod fs_probe;
pub mod inbox;
pub mod journal;
pub mod lock;
mod paths;

pub use atomic_file::write_atomically;
pub use fault::{IoFault, IoFaultKind};
pub use inbox::{Inbox, InboxError, InboxMessage};
pub use journal::error::JournalError;
pub use journal::reader::JournalReader;
pub use journal::{Journal, JournalRecord, MessageAnswer, NewRecord};
pub use lock::{DriverLock, LockError, LockHolder};
