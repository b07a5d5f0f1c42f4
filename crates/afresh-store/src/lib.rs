//! What must survive: the journal, the lock, the inbox.
//!
//! This crate knows files and SQLite and nothing of runs, tasks or agents: a record's body is text,
//! its kind and its run are names. What the records mean is the core's business; who may drive, and
//! when to write, is the engine's.
//!
//! | module | idea |
//! | --- | --- |
//! | [`journal`] | append records, durably, as the only writer |
//! | [`reader`] | read them from another terminal, touching nothing |
//! | [`inbox`] | messages to the driver, from whoever |
//! | [`lock`] | one driver per repository |
//! | [`files`] | replace a whole file, or do not |
//! | [`error`], [`fault`] | damage and refusals; what the machine did not let us do |
//! | `chain` | the hash that ties each record to all before it |
//! | `head` | the last acknowledged record, kept outside the database |
//! | `scan` | the one way to read records, which always checks the chain |
//! | `verify` | is this journal whole? |
//! | `schema` | the tables, their version, how a database is made |
//! | `connect` | connections that write, and looks that do not |
//! | `log` | does SQLite's write-ahead log hold anything? |
//! | `probe` | does the file system do what the journal rests on? |
//! | `mark` | a lock that others can ask about |
//! | `paths` | the names of our files in a state directory |

pub mod error;
pub mod fault;
pub mod files;
pub mod inbox;
pub mod journal;
pub mod lock;
pub mod reader;

mod chain;
mod connect;
mod head;
mod log;
mod mark;
mod paths;
mod probe;
mod scan;
mod schema;
mod verify;

pub use error::JournalError;
pub use fault::{Fault, FaultKind};
pub use files::write_atomically;
pub use inbox::{Inbox, InboxError, Message};
pub use journal::{Answer, Journal, NewRecord, Record};
pub use lock::{Holder, Lock, LockError};
pub use reader::JournalReader;
