//! The text about the selected task: asked for, laid out, scrolled.

use std::sync::Arc;

use afresh_dashboard::text::TextLine;

use crate::action::ScreenAction;
use crate::document::{DocumentRequest, TaskDocument};
use crate::screen::{ScreenView, WatchScreen};
use crate::wrapped;

/// The text about the selected task.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DocumentPane {
    /// What is shown; none while it is read.
    pub shown: Option<(DocumentRequest, Arc<TaskDocument>)>,
    /// Its lines at the width of the pane.
    pub lines: Vec<TextLine>,
    pub top: usize,
    /// How many columns are scrolled away to the left.
    pub left: usize,
    /// Stay at the end when something is added.
    pub follows: bool,
}

impl WatchScreen {
    pub(crate) fn take_document(
        &mut self,
        request: DocumentRequest,
        document: Arc<TaskDocument>,
    ) -> Vec<ScreenAction> {
        // The answer to an earlier request.
        if self.wanted_document().as_ref() != Some(&request) {
            return Vec::new();
        }
        let is_same = self.document.shown.as_ref().is_some_and(|(shown, _)| *shown == request);
        if !is_same {
            (self.document.top, self.document.left) = (0, 0);
            self.document.follows = document.follows;
        }
        self.document.shown = Some((request, document));
        self.lay_document_out();
        Vec::new()
    }

    /// Breaks the lines of the document again.
    pub(crate) fn lay_document_out(&mut self) {
        let width = self.panes().map_or(0, |panes| usize::from(panes.document.width));
        let Some((_, document)) = &self.document.shown else {
            self.document.lines.clear();
            return;
        };
        self.document.lines = if document.wraps && width > 0 {
            document.lines.iter().flat_map(|line| wrapped::wrap(line, width)).collect()
        } else {
            document.lines.clone()
        };
        self.document.top = self.document_top();
    }

    /// The first line of the document that is shown, within its bounds.
    pub fn document_top(&self) -> usize {
        let height = self.panes().map_or(0, |panes| usize::from(panes.document.height));
        let last = self.document.lines.len().saturating_sub(height);
        if self.document.follows { last } else { self.document.top.min(last) }
    }

    pub(crate) fn wanted_document(&self) -> Option<DocumentRequest> {
        if self.view != ScreenView::Tasks {
            return None;
        }
        let attempt = self.attempt.filter(|_| self.tab.is_of_attempt());
        Some(DocumentRequest { task: self.selected.clone()?, tab: self.tab, attempt })
    }
}
