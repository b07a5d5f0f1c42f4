//! What the caller has to do.

use afresh_app::session::view_command::ViewCommand;
use afresh_core::ids::TaskId;
use afresh_dashboard::screen::PictureKind;

use crate::document::DocumentRequest;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScreenAction {
    /// Leave the view; the run goes on.
    Leave,
    /// Give the terminal back until the shell continues us.
    Suspend,
    /// Draw everything again: something else wrote to the terminal.
    Repaint,
    /// From now on this is looked at.
    LookAt(LookedAt),
    /// Send this to the run; `echo` says what was understood.
    Send {
        command: ViewCommand,
        echo: String,
    },
    Tell {
        task: TaskId,
        text: String,
    },
}

/// What is looked at, besides what every screen shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LookedAt {
    pub picture: PictureKind,
    pub document: Option<DocumentRequest>,
}
