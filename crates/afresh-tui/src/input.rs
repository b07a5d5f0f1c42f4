//! Everything that the view reacts to.

use std::sync::Arc;

use afresh_dashboard::screen::ScreenData;

use crate::document::{DocumentRequest, TaskDocument};

#[derive(Debug, Clone)]
pub enum ScreenInput {
    Key(ScreenKey),
    /// A text that was pasted.
    Paste(String),
    /// The screen has this size now.
    Resized {
        columns: u16,
        rows: u16,
    },
    /// The run as it is now.
    News(Arc<ScreenData>),
    /// What was asked for about a task.
    Document(DocumentRequest, Arc<TaskDocument>),
    /// A command was carried out, or is on disk for the driver; in words.
    Sent(String),
    /// Something failed; in words.
    Failed(String),
}

/// A key, as far as the view knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScreenKey {
    Char(char),
    Ctrl(char),
    Enter,
    Escape,
    Tab,
    BackTab,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    Backspace,
    Delete,
}
