//! Checks of a PLAN.md: commands, distinguished from prose.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`verify`] | `<verify>` |
//! | `fails_when` | `<fails_when>` of newer plans |
//! | [`must_haves`] | `must_haves` of the frontmatter |
//! | [`command`] | whether a text is a command or prose |

pub mod command;
mod fails_when;
pub mod must_haves;
pub mod verify;
