//! The full-screen view of a run: what keys do, and what the screen shows.
//!
//! Everything here is pure: [`WatchScreen::update`] turns a key, new data or the end of a command into actions for the
//! caller, [`draw::draw`] fills a buffer of cells. Terminals, threads and files are for the caller. Texts reach a cell
//! only as a [`TextLine`](afresh_dashboard::text::TextLine), which is safe to print whatever wrote it.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`input`] | keys, news and results: everything that the view reacts to |
//! | [`action`] | what the caller has to do |
//! | [`screen`] | the state of the view |
//! | `browsing` | what keys do while no dialog is open |
//! | [`reading`] | the text about the selected task |
//! | `acting` | what changes the run, from the key to its dialog |
//! | [`dialog`] | answers, comments, confirmations, help |
//! | [`typed_text`] | a line of text that is being typed |
//! | [`panes`] | where everything is on a screen of a size |
//! | [`task_list`] | tasks by wave, filtered |
//! | [`document`] | what a tab shows about a task |
//! | [`wrapped`] | lines broken to the width of a pane |
//! | [`draw`] | the state as cells |

mod acting;
pub mod action;
mod browsing;
pub mod dialog;
pub mod document;
pub mod draw;
pub mod input;
pub mod panes;
pub mod reading;
pub mod screen;
pub mod task_list;
pub mod typed_text;
pub mod wrapped;

pub use action::ScreenAction;
pub use input::{ScreenInput, ScreenKey};
pub use screen::WatchScreen;
