//! Shell command lines, read without running them.
//!
//! Nothing is expanded and no file is opened: the result says what a line would start, as far as its text tells.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `tokens` | a line as words, operators, redirections and brackets |
//! | `quotes` | where quotes and substitutions end, and what is inside |
//! | `commands` | the simple commands of a line, with those inside of other commands |
//! | `wrappers` | programs that start the program they are given: `env`, `timeout`, `sh -c` |

mod commands;
mod quotes;
mod tokens;
mod wrappers;

pub use commands::{SimpleCommand, simple_commands};
pub use tokens::{ShellToken, shell_tokens};
