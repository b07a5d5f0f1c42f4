//! The documents that commands print with `--json`, for their schemas alone: a test compares each with what the
//! command really prints.
//!
//! | module | commands |
//! | --- | --- |
//! | `bundles` | `bundle` |
//! | `finishing` | `land`, `verify-run`, `clean`, `scan` |
//! | `planning` | `show`, `lint`, `import`, `export`, `new` |
//! | `running` | `logs`, `task`, `halt`, `abort`, `rewind`, `decide` |
//! | `specifications` | `audit`, `plan` |
//! | `setup` | `init`, `doctor`, `agents`, `config`, `version` |

mod bundles;
mod finishing;
mod planning;
mod running;
mod setup;
mod specifications;

pub(super) use bundles::*;
pub(super) use finishing::*;
pub(super) use planning::*;
pub(super) use running::*;
pub(super) use setup::*;
pub(super) use specifications::*;
