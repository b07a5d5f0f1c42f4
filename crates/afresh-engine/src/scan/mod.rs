//! Searching for secrets on demand (B36): in files, in what runs added to the repository, and in
//! afresh's own state. It reads, and changes nothing; [`afresh_secrets::SecretScan`] does the searching.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`files`](paths) | the checkout, or the files that the user named |
//! | [`history`](fn@history) | what runs added: branches and salvage refs |
//! | [`kept`](fn@kept) | the journal and the rest of the state directory |

mod files;
mod history;
mod kept;

pub use files::{checkout, paths};
pub use history::history;
pub use kept::kept;

/// Larger files are skipped, and reported as such.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
