//! Fills in line and column of findings, reading each file once.
//!
//! The line of a byte is only known after reading the file up to it, so findings are collected first
//! and located together.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::findings::{Finding, SourceText};
use crate::folder::PlanFolder;
use crate::reading::SourceSpan;

/// Requested positions by file.
#[derive(Debug, Clone, Default)]
pub struct FindingLocator {
    requests: BTreeMap<Arc<str>, Vec<(Range<usize>, PlaceRequest)>>,
}

/// Which part of which finding (by index) a position is for.
#[derive(Debug, Clone, Copy)]
enum PlaceRequest {
    Itself(usize),
    /// A related place, and its message.
    Other(usize, &'static str),
    /// The first of two places.
    First(usize),
}

impl FindingLocator {
    /// The finding with this index is at `span`.
    pub fn locate(&mut self, position: usize, span: &SourceSpan) {
        self.add(span, PlaceRequest::Itself(position));
    }

    /// The finding with this index is about a duplicate; the first one is at `span`.
    pub fn locate_first(&mut self, position: usize, span: &SourceSpan) {
        self.add(span, PlaceRequest::First(position));
    }

    /// The finding with this index is also about `span`.
    pub fn locate_related(&mut self, position: usize, span: &SourceSpan, message: &'static str) {
        self.add(span, PlaceRequest::Other(position, message));
    }

    fn add(&mut self, span: &SourceSpan, request: PlaceRequest) {
        let requests = self.requests.entry(span.file.clone()).or_default();
        requests.push((span.range.clone(), request));
    }

    /// Fills in the positions. A finding whose file cannot be read stays without a line.
    pub fn fill_in(self, folder: &dyn PlanFolder, findings: &mut [Finding]) {
        for (file, requests) in self.requests {
            let Some(Ok(text)) = folder.text(&file) else { continue };
            let source = SourceText::new(&file, &text);
            for (range, request) in requests {
                let (PlaceRequest::Itself(position)
                | PlaceRequest::Other(position, _)
                | PlaceRequest::First(position)) = request;
                let Some(finding) = findings.get_mut(position) else { continue };
                match request {
                    PlaceRequest::Itself(_) => source.locate(finding, &range),
                    PlaceRequest::Other(_, message) => {
                        finding.related.push(source.related(&range, message));
                    }
                    PlaceRequest::First(_) => {
                        finding.add_first_place(source.related(&range, "first defined here"));
                    }
                }
            }
        }
    }
}
