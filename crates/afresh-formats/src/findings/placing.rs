//! Gives findings their places, with one look at each file.
//!
//! To know the line of a byte, a file has to be read up to it. So findings are collected first, and
//! placed together.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::findings::{Finding, SourceText};
use crate::folder::PlanFolder;
use crate::reading::SourceSpan;

/// Places that are asked for, by file.
#[derive(Debug, Clone, Default)]
pub struct FindingLocator {
    asked: BTreeMap<Arc<str>, Vec<(Range<usize>, PlaceRequest)>>,
}

/// What a place is for: a finding, by its position.
#[derive(Debug, Clone, Copy)]
enum PlaceRequest {
    Itself(usize),
    /// Another place that has to do with it, and what it is to it.
    Other(usize, &'static str),
    /// The first of two.
    First(usize),
}

impl FindingLocator {
    /// The finding at this position is here.
    pub fn ask(&mut self, position: usize, spot: &SourceSpan) {
        self.add(spot, PlaceRequest::Itself(position));
    }

    /// The finding at this position is about a second one; the first is here.
    pub fn ask_for_first(&mut self, position: usize, spot: &SourceSpan) {
        self.add(spot, PlaceRequest::First(position));
    }

    /// The finding at this position has to do with this place too.
    pub fn ask_for_other(&mut self, position: usize, spot: &SourceSpan, message: &'static str) {
        self.add(spot, PlaceRequest::Other(position, message));
    }

    fn add(&mut self, spot: &SourceSpan, asked: PlaceRequest) {
        let asks = self.asked.entry(spot.file.clone()).or_default();
        asks.push((spot.range.clone(), asked));
    }

    /// Fills in the places; what cannot be read stays a finding about its file.
    pub fn place(self, folder: &dyn PlanFolder, findings: &mut [Finding]) {
        for (file, asks) in self.asked {
            let Some(Ok(text)) = folder.text(&file) else { continue };
            let source = SourceText::new(&file, &text);
            for (range, asked) in asks {
                let (PlaceRequest::Itself(position)
                | PlaceRequest::Other(position, _)
                | PlaceRequest::First(position)) = asked;
                let Some(finding) = findings.get_mut(position) else { continue };
                match asked {
                    PlaceRequest::Itself(_) => source.locate(finding, &range),
                    PlaceRequest::Other(_, message) => {
                        finding.related.push(source.related(&range, message));
                    }
                    PlaceRequest::First(_) => {
                        finding.note_first(source.related(&range, "the first one is here"));
                    }
                }
            }
        }
    }
}
