//! How the code is written, from a sample of its texts.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `architecture` | directories whose names say what they are for |
//! | `habits` | how files import each other, in sentences |
//! | `imports` | the imports of a text, and which files are imported most |
//! | `resolve` | from the text of an import to a file |
//! | `libraries` | error handling, logging and test frameworks, by well-known signs |
//! | `known` | those signs |
//! | `naming` | names of files, functions and types |
//! | `testing` | where tests are, and what they share |

pub(super) mod architecture;
pub(super) mod habits;
pub(super) mod imports;
mod known;
pub(super) mod libraries;
pub(super) mod naming;
mod resolve;
pub(super) mod testing;

pub(super) use self::resolve::ImportResolver;

use super::languages::SourceLanguage;

/// A text that was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct SampledText<'a> {
    pub(super) path: &'a str,
    pub(super) language: SourceLanguage,
    pub(super) is_test: bool,
    pub(super) text: &'a str,
}
