//! What people decide, ask for and run: questions and answers, commands, hooks.
//!
//! | module | what it decides |
//! | --- | --- |
//! | `asking`, `answers` | what a person is asked, and what an answer does |
//! | `commands` | what a person does to a task without being asked |
//! | `hooks` | what follows when a hook of the user's fails |

mod answers;
mod asking;
mod commands;
mod hooks;
