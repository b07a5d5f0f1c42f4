//! What a secret looks like, and how secrets are redacted from text and found in it.
//!
//! A secret is one of the values that the caller passes in, or a word that looks like a key of a
//! well-known service. This crate reads no files, no environment and no repository: the caller
//! decides which values are secret and which texts are searched.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `patterns` | the prefixes and characters of well-known keys |
//! | `matcher` | finds known values and keys in bytes |
//! | `redact` | [`redact()`], [`redact_value`] and the streaming [`Redactor`] |
//! | `scan` | [`SecretScanner`] for one text; [`SecretScan`] for the report over many |
//! | `diff` | [`new_secret_lines`]: which lines with secrets a change adds |
//! | `env_names` | [`is_secret_variable`]: which environment variables hold secrets, by their names |

mod diff;
mod env_names;
mod matcher;
mod patterns;
mod redact;
mod scan;

pub use diff::new_secret_lines;
pub use env_names::is_secret_variable;
pub use redact::{Redactor, redact, redact_value};
pub use scan::{SecretFinding, SecretKind, SecretMatch, SecretScan, SecretScanner, SecretSource};
